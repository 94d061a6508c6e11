#ifndef SANDBOX_SANDBOX_PLAN_MAKE_H
#define SANDBOX_SANDBOX_PLAN_MAKE_H
/*
 * From a profile to a plan: the only maker of plans, for tool calls, hooks,
 * tool servers and the supervisor's command line.  It is pure; what the machine
 * can do comes in as struct sandbox_host.
 *
 * The supervisor carries a plan out exactly or refuses it.  When it refuses
 * (the file system of a write root cannot be mounted the way it must be, say),
 * sandbox_plan_make_weaker() makes the next weaker plan, which is recorded as
 * degraded.
 *
 * Paths must be canonical: absolute, resolved, no slash at the end.  Strings
 * of a result live in the arena that was given.
 */
#include "sandbox/sandbox_host.h"

/* What is wanted. */
struct sandbox_profile {
	enum sandbox_plan_mode mode;
	struct str cwd;                                  /* the workspace */
	struct str home;                                 /* absent: none */
	struct sandbox_paths write, read, deny, protect; /* besides the defaults */
	struct sandbox_paths open; /* protected files that may be written nevertheless */
	struct str cache;          /* writable too; nothing trusts what is in it; absent: none */
	struct sandbox_paths deny_rules; /* of permission rules (sandbox_plan.h) */
	enum sandbox_network network;
	struct sandbox_paths allow; /* hosts (host_rule.h), with network restricted */
	bool unix_sockets; /* Unix sockets with a path: all that listen inside a root can be reached */
	bool openat2;      /* for the built-in file tools */
	bool is_fail_closed; /* refuse anything weaker than namespaces+landlock+seccomp */
	bool has_tier;       /* `tier` and no other */
	enum sandbox_tier tier;
	struct str tmp_dir; /* a path that does not exist yet, for tiers without a private /tmp */
	const struct sandbox_limits *limits; /* NULL: the defaults */
};

/*
 * The strongest plan that the machine has.  ERR_UNSUPPORTED when that is not
 * enough.  Mounts enforce deny rules on paths, so such a rule is refused where
 * there are none.
 */
enum err sandbox_plan_make(struct arena *mem, const struct sandbox_host *host,
                           const struct sandbox_profile *profile, struct sandbox_plan *ret,
                           struct error *e) MUST_USE;

/* The strongest plan below tier `than`; why is the supervisor's reason for refusing that one. */
enum err sandbox_plan_make_weaker(struct arena *mem, const struct sandbox_host *host,
                                  const struct sandbox_profile *profile, enum sandbox_tier than,
                                  struct str why, struct sandbox_plan *ret,
                                  struct error *e) MUST_USE;

#endif
