#ifndef CORE_PROCESS_H
#define CORE_PROCESS_H
/*
 * Sandboxes and the commands in them, as events.
 *
 *   permission ─► sandbox.applied ─► process.started ─► process.output …
 *                       │                  │
 *                       │                  ├─► process.completed    the command ended
 *                       │                  ├─► process.terminated   it was stopped
 *                       └──────────────────┴─► process.failed       anything else
 *
 * sandbox.applied marks a sandboxed call as dispatched: nothing of it runs
 * before that event is durable.  File tools have only this event; commands also
 * have a process.  A background process continues when its call and its turn
 * have ended (process_live.c).
 * spec: contracts/permission-and-sandbox, contracts/execution-environment;
 * GAP-36
 */
#include "core/turn/turn.h"

/* Reads turn_result_tool_end.hosts; REACHED() makes the payload's member of it. */
struct list_rec process_call_reached_hosts(struct decision *d, struct str text);
/* The limits of its profile that the process reached, and a macro for its event: */
struct list_str process_call_limits_reached(struct decision *d, const struct tool_end *e);
#define LIMITS_REACHED(d, e)                                                                       \
	.limits_reached = process_call_limits_reached((d), (e)),                                   \
	.dropped_bytes = (e)->dropped_bytes, .has_dropped_bytes = (e)->dropped_bytes > 0
#define REACHED(list)                                                                              \
	{                                                                                          \
		(struct rec_reached_host **)(list).items, (list).count                             \
	}

static inline bool process_is_over(const struct st_process *p)
{
	return p->status != PROCESS_STATUS_RUNNING && p->status != PROCESS_STATUS_IDLE;
}

/* ---- queries (process.c) ---- */

/* NULL when the state has none with that id. */
STATE_CONST struct st_process *process_in_thread(const struct st_thread *th, struct str process_id);
STATE_CONST struct st_process *process_live_find(const struct state *w, struct str process_id,
                                                 STATE_CONST struct st_thread **ret_thread);
/* Is the process that the call started still running in the background? */
bool process_left_by_call(const struct st_thread *th, const struct st_call *c);
/* Does it belong to the task, or with or_below to a task below it? */
bool process_is_of_task(const struct state *w, const struct st_process *s, struct str task_id,
                        bool or_below);
/* Does a background command still have to end because this task was cancelled? */
bool process_stops_with_task(const struct state *w, struct str task_id);
/* Decodes base64; false: invalid. */
bool process_live_bytes(struct arena *mem, struct str text, struct str *ret);

/* ---- the process of a call (process_call.c) ---- */

/* What it gets beyond the usual sandbox, or what a policy takes from it; NULL: neither. */
const struct rec_sandbox_override *process_call_override(struct arena *mem, const struct state *w,
                                                         const struct settings *settings,
                                                         const struct st_call *c);
/* Does a policy or a constraint of its task require a narrower sandbox than the session's? */
bool process_call_is_narrowed(struct arena *mem, const struct state *w,
                              const struct settings *settings, const struct st_call *c);
/* Binds the call to its sandbox and lets it start, or fails it because no sandbox is available. */
void process_call_sandbox(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct st_call *c, const struct tool_info *tool);
/* A command started, wrote output, or violated its sandbox. */
void process_call_started(struct decision *d, struct str turn_id, struct str call_id, int64_t pid);
void process_call_output(struct decision *d, struct str turn_id, struct str call_id, int64_t offset,
                         int64_t bytes, int64_t chunks, bool is_binary);
void process_call_violation(struct decision *d, struct str turn_id, struct str call_id,
                            const struct tool_violation *v);
/* Emitted before the end of the call: the end of its process, if it has one. */
void process_call_end(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      const struct st_call *c, const struct tool_end *e);
/* The runtime stopped while the process ran. */
void process_call_lose(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       const struct st_call *c, const struct tool_end *printed);
/* Events without their scope. */
struct event *process_call_emit_violation(struct decision *d, const struct tool_violation *v);
struct event *process_call_emit_failed(struct decision *d, const struct tool_end *e,
                                       struct list_str refs,
                                       int64_t duration_ms); /* -1: it did not run */

#endif
