#ifndef CORE_PERMISSION_H
#define CORE_PERMISSION_H
/*
 * Permissions: decides whether a call may run, for the turn, for the inventory
 * and for evaluate_permission.
 *
 * Rules of the settings (host, user, project), of the session and grants are
 * combined, the call is turned into acts (policy/rules.h), and the acts are
 * evaluated.  Acts are derived from the arguments: a command line through the
 * shell analysis, a path, a host.  The tool's own policy has the lowest
 * priority: `allowed` covers the workspace, `ask` leaves the decision to rules
 * and mode.
 *
 * spec: contracts/permission-and-sandbox#permission-decision; GAP-56
 */
#include "core/decision.h"
#include "policy/rules.h"

struct permission_ask {
	struct arena *mem;
	const struct state *w;
	const struct settings *settings;
	int64_t now;
	const struct tool_info *tool;
	struct str args;           /* JSON text; absent: not known */
	struct str work;           /* its directory, when links in it do not matter */
	struct str turn_id;        /* grants of other turns do not count */
	enum permission_mode mode; /* 0: that of the session */
	unsigned modes; /* bit per mode that applies as well; the strictest decision counts */
	enum approval_decision hook; /* decision of the hooks, one more source */
	struct str hook_reason;
};

struct permission_ask permission_of(struct decision *d, const struct tool_info *tool,
                                    const struct st_call *c);
enum permission_mode permission_mode_of(const struct state *w, const struct settings *settings);

void permission_judge(const struct permission_ask *ask, struct rec_permission_decision *ret);

/* Adds the modes that the task and the child agent of this thread are bound to. */
void permission_bind(struct permission_ask *ask, struct str thread_id, struct str task_id);
/* The same decision, and none of the tools that these bounds leave out. */
void permission_judge_bound(struct decision *d, const struct permission_ask *ask,
                            struct str thread_id, struct str task_id,
                            struct rec_permission_decision *ret);

/*
 * The grants that would allow the same call without a question: exactly what was asked, act by act.
 * False when no grant can do that.
 */
struct permission_grants {
	struct rec_grant_match items[16];
	uint32_t count;
};
bool permission_grants(const struct permission_ask *ask, struct permission_grants *ret);

/*
 * What the call is known to need beyond its sandbox and an approval grants: files that it names,
 * hosts that it reaches by HTTP, and for a command that touches nothing but what it names the
 * directories of the files that it writes.  The whole network and protected files (keys, hooks,
 * startup files) are never included.  with_tmp: also directories below /tmp, which the host may not
 * have, because commands have a /tmp of their own.  False: nothing.
 */
bool permission_needs(const struct permission_ask *ask, const struct rec_sandbox_profile *sandbox,
                      bool with_tmp, struct rec_sandbox_override *ret);

/* A path that the call would write and this sandbox will not let it; absent: none is known. */
struct str permission_refused_write(const struct permission_ask *ask,
                                    const struct rec_sandbox_profile *sandbox);

/* Is the call denied whatever a person answers: by a deny rule, or by mode plan? */
bool permission_forbids(const struct permission_ask *ask, struct rec_permission_decision *ret);

/* For the inventory: the policy for a tool whose arguments are not known yet. */
enum tool_policy permission_policy(const struct permission_ask *ask, struct str *ret_reason);
/* The same for the events of a turn; ret_reason may be NULL. */
enum tool_policy permission_policy_of_turn(struct decision *d, const struct st_turn *t,
                                           const struct tool_info *tool, struct str *ret_reason);
enum permission_mode permission_mode_of_turn(const struct decision *d, const struct st_turn *t);

/*
 * The rules of files have changed since the last event about them, or a file cannot be used:
 * returns the event that precedes the next decision.  NULL: nothing has changed.
 */
#define RULES_OF_FILES STR("rules:")
struct event *permission_decide_policy_moved(struct decision *d);

/* The user trusts a tool server or hooks; hash is that of the trusted content, or absent. */
void permission_decide_trusted(struct decision *d, struct str what, struct str cwd, struct str hash,
                               struct str reason);
/* A client names tool servers of the session; each text has a name and a program or address. */
void permission_decide_attached(struct decision *d, struct list_str servers);
/* A grant with a scope beyond its session becomes an event of the system session. */
void permission_decide_shared_grant(struct decision *d, const struct ev_policy_changed *change);

/*
 * The paths that rules deny to calls of ask->tool (NULL: of any tool).  Only mem, settings, w
 * (NULL: no session), now, work and tool are read; relative paths start from work.
 */
void permission_denied_paths(const struct permission_ask *ask, struct rules_denied *ret);

/* All rules that apply in the session, newest source last. */
void permission_rules(const struct permission_ask *ask, struct rules *ret);

#endif
