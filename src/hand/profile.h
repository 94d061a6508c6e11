#ifndef HAND_PROFILE_H
#define HAND_PROFILE_H
/*
 * The defaults of this machine and a plan made from them, for sandbox-run.
 *
 * The runtime makes its plans itself (sandbox/sandbox_plan.h), purely, from the
 * same defaults: they are part of the answer to `probe`.  A test holds the
 * two makers together.
 */
#include "hand/probe.h"

/* What programs need of the system, as far as it is there. */
void profile_system_roots(struct arena *mem, struct plan_list *ret);

/* Compilers and interpreters in the home directory, as far as they are there. */
void profile_tool_roots(struct arena *mem, struct str home, struct plan_list *ret);
/* What tiers without a tree of their own need besides, because they cannot make it up. */
void profile_plain_roots(struct arena *mem, struct plan_list *ret);
/* Readable for everybody or meant not to be: nobody's workspace. */
bool profile_is_system(struct str path);
/* What this program itself is made of beyond the system's roots, the program first. */
void profile_own_roots(struct arena *mem, struct plan_list *ret);

extern const char *const profile_protected[]; /* below each write root; NULL at the end */
extern const char *const profile_startup[];   /* protected too, below the home directory */
extern const char *const profile_secret[];    /* denied below the home directory */
extern const char *const profile_env[];       /* variables that commands are given */
extern const struct plan_limits profile_limits;

struct profile_wish {
	enum plan_mode mode;
	struct str cwd; /* canonical, as all paths here */
	struct str home;
	struct plan_list write, read, deny, protect; /* besides the defaults */
	struct plan_list deny_rules;                 /* by pattern; see plan.h */
	enum plan_network network;
	struct plan_list allow; /* hosts, with network restricted */
	bool unix_sockets;
	bool has_tier;
	enum tier tier;      /* this one and no other */
	bool is_fail_closed; /* refuse anything weaker than namespaces+landlock+seccomp */
	struct str tmp_dir;  /* for tiers without namespaces */
	const struct plan_limits *limits; /* NULL: the defaults */
};

/* Of a list of directories as in PATH, those that the plan shows. */
struct str profile_visible_path(struct arena *mem, const struct plan *p, struct str path);

/* *ret_reason says why the plan holds less than was wished, absent when it does not. */
enum err profile_plan(struct arena *mem, const struct host *h, const struct profile_wish *wish,
                      struct plan *ret, struct str *ret_reason, struct error *e) MUST_USE;

#endif
