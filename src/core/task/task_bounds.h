#ifndef CORE_TASK_BOUNDS_H
#define CORE_TASK_BOUNDS_H
/*
 * The bounds of a turn.
 *
 * Three sources can narrow what a turn may do: the session, the isolation of
 * the child agent whose thread it runs on (and of the agents above it), and the
 * constraints of its task and of every task above that.  All apply at once, so
 * the narrowest counts.  Nothing here widens a bound.  Pure: reads the folded
 * state and keeps nothing.
 */
#include "core/decision.h"

struct task_bounds {
	unsigned modes;            /* bit per permission mode; without the session's own */
	enum sandbox_mode sandbox; /* the widest allowed sandbox; 0: no bound */
	enum network_mode network; /* the widest allowed network; 0: no bound */
	bool has_output_left;
	int64_t output_left; /* bytes of output that are still allowed, at least 0 */
};

/* The bounds of a turn; all zero if there are none. */
void task_bounds_of(const struct state *w, struct str turn_id, struct task_bounds *ret);
/* The same for a thread and a task that will run there; task_id may be absent. */
void task_bounds_at(const struct state *w, struct str thread_id, struct str task_id,
                    struct task_bounds *ret);

/*
 * The directory that a turn works in: the worktree of its child agent, the
 * directory that its task is bound to, or the session's.
 */
struct str task_bounds_cwd(const struct state *w, const struct settings *settings,
                           struct str turn_id);

/*
 * The execution environment for turn.started: that of the settings, with the directory that the
 * turn works in and the session's workspace.  A turn that does not exist yet works in the session's.
 */
struct rec_execution_environment *task_bounds_environment(struct decision *d, struct str turn_id);

/*
 * The directories that the person added to the session's workspace; none for a turn
 * that works in a directory of its own, such as a worktree.
 */
struct list_str task_bounds_directories(const struct state *w, const struct settings *settings,
                                        struct str turn_id);

/* Narrows the sandbox of one call.  Returns false if nothing in it changed. */
bool task_bounds_narrow(const struct task_bounds *b, struct rec_sandbox_override *into);

/* Why a call of this tool is out of bounds there; absent: it is not. */
struct str task_bounds_tool(struct decision *d, struct str thread_id, struct str task_id,
                            const struct tool_info *tool);
/* The first task that does not allow this model, or absent: none forbids it. */
struct str task_bounds_model(const struct decision *d, const struct st_turn *t,
                             const struct model_info *m);

/* Refuses meaningless constraints.  False after refusing. */
bool task_bounds_check(struct decision *d, const struct rec_constraints *c);
/* Refuses a scope that the session does not have.  False after refusing. */
bool task_bounds_check_scope(struct decision *d, const struct rec_task_scope *s,
                             struct str thread_id);
/* Refuses an external worker for a task with constraints that only the built-in agent enforces. */
bool task_bounds_check_worker(struct decision *d, const struct st_task *t,
                              const struct rec_constraints *own);

/* Stops runs whose task has exceeded its output limit.  True: an event was emitted. */
bool task_bounds_step(struct decision *d);
#define TASK_BOUNDS_OUTPUT STR("output_limit") /* the cause of such a stop */

#endif
