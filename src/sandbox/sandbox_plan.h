#ifndef SANDBOX_SANDBOX_PLAN_H
#define SANDBOX_SANDBOX_PLAN_H
/*
 * From a profile to a plan: which cage a call gets.  Pure; what the machine
 * can do comes in as struct sandbox_host, read from thole-hand's answer to
 * `probe`.
 *
 * The plan is what sandbox.applied states and what thole-hand is bound to:
 * it carries the plan out exactly or refuses it.  When it refuses (the file
 * system of a write root cannot be mounted the way it must), the next weaker
 * plan is another fact, and sandbox_plan_weaker() makes it.
 *
 * Paths must be canonical: absolute, resolved, no slash at the end.  Strings
 * of a result live in the arena that was given.
 */
#include "base/json.h"

enum cage_mode {
	SANDBOX_READ_ONLY,
	SANDBOX_WORKSPACE_WRITE,
	SANDBOX_DANGER_FULL_ACCESS,
	SANDBOX_EXTERNAL,
};
enum sandbox_network { SANDBOX_NETWORK_OFF, SANDBOX_NETWORK_RESTRICTED, SANDBOX_NETWORK_FULL };

/* Weakest first. */
enum sandbox_tier {
	SANDBOX_NONE,
	SANDBOX_LANDLOCK_ROOT,
	SANDBOX_LANDLOCK,
	SANDBOX_NAMESPACES_ROOT,
	SANDBOX_NAMESPACES_SECCOMP,
	SANDBOX_NAMESPACES,
	SANDBOX_TIERS,
};

struct sandbox_paths {
	struct str *at;
	size_t count;
};

/* What the machine lets us do, and the defaults that fit it. */
struct sandbox_host {
	bool has[SANDBOX_TIERS];
	struct sandbox_paths gaps[SANDBOX_TIERS]; /* words of docs/explanation/sandbox.md */
	struct str reason;                        /* why the strongest tier is missing, or absent */
	bool tells_refusals;
	struct sandbox_paths system_roots;
	struct sandbox_paths tool_roots;  /* of the home directory that was asked about */
	struct sandbox_paths plain_roots; /* besides, where a cage has no tree of its own */
	struct sandbox_paths own_roots;   /* the supervisor's program and what it needs to run */
	struct sandbox_paths protected_names, startup_names, secret_names, env;
};

/* v is the member `host` of `probed`. */
enum err sandbox_host_read(struct arena *mem, struct json v, struct sandbox_host *ret,
                           struct error *e) MUST_USE;

/* 0 is no limit. */
struct sandbox_limits {
	int64_t timeout_ms, inactivity_ms, max_output_bytes, max_processes, max_memory_bytes;
	int64_t max_file_bytes, max_open_files, max_cpu_s, private_bytes;
};
extern const struct sandbox_limits sandbox_limits_default;

/* What is wanted. */
struct sandbox_profile {
	enum cage_mode mode;
	struct str cwd;                                  /* the workspace */
	struct str home;                                 /* absent: none */
	struct sandbox_paths write, read, deny, protect; /* besides the defaults */
	struct sandbox_paths deny_rules; /* of permission rules: patterns, "write:" in front for
	                                    writing only (hand/plan.h) */
	enum sandbox_network network;
	struct sandbox_paths allow; /* hosts (sandbox/host_rule.h), with network restricted */
	bool unix_sockets; /* Unix sockets with a path: whoever listens inside a root is reachable */
	bool openat2;      /* for our own file tools */
	bool is_fail_closed; /* nothing weaker than namespaces+landlock+seccomp */
	struct str tmp_dir;  /* a path that does not exist yet, for tiers without a private /tmp */
	const struct sandbox_limits *limits; /* NULL: the defaults */
};

struct sandbox_plan {
	enum cage_mode mode;
	enum sandbox_tier tier;
	struct str cwd, home, tmp_dir;
	struct sandbox_paths read_roots, write_roots, private_dirs, protected_paths, denied_paths;
	struct sandbox_paths deny_rules;
	enum sandbox_network network;
	struct sandbox_paths allow;
	bool unix_sockets, openat2;
	struct sandbox_limits limits;
	struct sandbox_paths unreported; /* refusals that leave no violation */
	bool is_degraded;
	struct str reason; /* one sentence, absent when it is not degraded */
};

/*
 * The strongest that the machine has.  ERR_UNSUPPORTED when that is not enough.
 * A deny rule on a path is kept by mounts, so it is refused where there are none.
 */
enum err sandbox_plan_make(struct arena *mem, const struct sandbox_host *host,
                           const struct sandbox_profile *profile, struct sandbox_plan *ret,
                           struct error *e) MUST_USE;

/* The strongest that is weaker than `than`; why is what the hand said. */
enum err sandbox_plan_weaker(struct arena *mem, const struct sandbox_host *host,
                             const struct sandbox_profile *profile, enum sandbox_tier than,
                             struct str why, struct sandbox_plan *ret, struct error *e) MUST_USE;

/* For the hand. */
void sandbox_plan_write(struct json_writer *w, const struct sandbox_plan *p);
/* For sandbox.applied: the record sandbox_profile.  environment_ref may be absent. */
void sandbox_plan_write_facts(struct json_writer *w, const struct sandbox_plan *p, bool tty,
                              struct str stdin_is, struct str environment_ref);

/* From the JSON list that the engine gives with a call; absent: none. */
void sandbox_deny_rules_read(struct arena *mem, struct str text, struct sandbox_paths *ret);

struct str sandbox_tier_name(enum sandbox_tier t);
struct str sandbox_mode_name(enum cage_mode m);
struct str sandbox_network_name(enum sandbox_network n);

/* Of a list of directories as in PATH, those that the plan shows. */
struct str sandbox_visible_path(struct arena *mem, const struct sandbox_plan *p, struct str path);

/*
 * The environment of a command: from the caller's variables (NAME=value) only
 * the allowed names, in the order of `env`, then the call's own.
 */
void sandbox_env(struct arena *mem, char *const *from, const struct sandbox_paths *allowed,
                 const struct sandbox_paths *own, struct sandbox_paths *ret);

/* What was refused.  Without a call it was the proxy, with a host or with too many of them. */
struct sandbox_hit {
	struct str kind, call, host, path;
	struct str address; /* that the host led to, if that was the reason */
	int64_t port;
};

/* The one rule that would allow it, absent when there is none. */
struct str sandbox_would_allow(struct arena *mem, const struct sandbox_plan *p,
                               const struct sandbox_hit *hit);

/*
 * The same as the record sandbox_override, JSON: what a person would have to give.  A system call
 * that is refused to everybody in a cage needs a run without one.  Absent: nothing.
 */
struct str sandbox_needs(struct arena *mem, const struct sandbox_hit *hit);

#endif
