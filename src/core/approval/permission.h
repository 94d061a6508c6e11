#ifndef CORE_PERMISSION_H
#define CORE_PERMISSION_H
/*
 * Permissions: one function that says whether a call may run, for the turn,
 * for the inventory and for whoever asks.
 *
 * Rules of the settings (host, user, project), of the session and grants are
 * put together, the call is turned into acts (rules.h), and the acts are judged.
 * What a call does is read off its arguments: a command line by the reader of
 * shell commands, a path, a host.  The tool's own policy is the least of all
 * voices: `allowed` covers the workspace, `ask` leaves it to rules and mode.
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
	const struct settings_tool *tool;
	struct str args;           /* JSON text; absent: not known */
	struct str work;           /* its directory, when links in it do not matter */
	struct str turn_id;        /* grants of other turns do not count */
	enum permission_mode mode; /* 0: that of the session */
	unsigned modes; /* bit per mode that holds besides; the strictest verdict counts */
	enum approval_decision hook; /* what hooks said: one more voice */
	struct str hook_reason;
};

struct permission_ask permission_of(struct decision *d, const struct settings_tool *tool,
                                    const struct st_call *c);
enum permission_mode permission_mode_of(const struct state *w, const struct settings *settings);

void permission_judge(const struct permission_ask *ask, struct rec_permission_decision *ret);

/*
 * What a person would have to grant so that the same call is not asked
 * again: exactly what was asked, act by act.  False when no grant can do that.
 */
struct permission_grants {
	struct rec_grant_match items[16];
	uint32_t count;
};
bool permission_grants(const struct permission_ask *ask, struct permission_grants *ret);

/*
 * What the call is known to need beyond its cage and a yes gives: files that it names, hosts that
 * it speaks HTTP with.  Not directories, not all of the network, and nothing that is closed to
 * everybody (keys, hooks, start files).  False: nothing.
 */
bool permission_needs(const struct permission_ask *ask, const struct rec_sandbox_profile *sandbox,
                      struct rec_sandbox_override *ret);

/* Would it be denied even if somebody allowed it: by a deny rule, or by mode plan? */
bool permission_forbids(const struct permission_ask *ask, struct rec_permission_decision *ret);

/* For the inventory: what the policy says about a tool whose arguments nobody knows yet. */
enum tool_policy permission_policy(const struct permission_ask *ask, struct str *ret_reason);
/* The same for facts of a turn; ret_reason may be NULL. */
enum tool_policy permission_policy_of_turn(struct decision *d, const struct st_turn *t,
                                           const struct settings_tool *tool,
                                           struct str *ret_reason);
enum permission_mode permission_mode_of_turn(const struct decision *d, const struct st_turn *t);

/*
 * Rules of files are others than the log knows, or a file cannot be used: that is a fact before the
 * next decision.  NULL: all is as it was.
 */
#define RULES_OF_FILES STR("rules:")
struct event *permission_decide_policy_moved(struct decision *d);

/* A grant that reaches beyond its session becomes a fact of the system session. */
/* The user vouched for a tool server or for hooks; hash is that of what was trusted, or absent. */
void permission_decide_trusted(struct decision *d, struct str what, struct str cwd, struct str hash,
                               struct str reason);
void permission_decide_shared_grant(struct decision *d, const struct ev_policy_changed *change);

/*
 * The paths that deny rules close for calls of ask->tool (NULL: of any tool).  Only mem, setup, w
 * (NULL: no session), now, work and tool are read; relative paths start from work.
 */
void permission_denied_paths(const struct permission_ask *ask, struct rules_denied *ret);

/* All rules that hold in the session, newest source last. */
void permission_rules(const struct permission_ask *ask, struct rules *ret);

#endif
