#ifndef CORE_PROCESS_H
#define CORE_PROCESS_H
/*
 * Cages and the commands in them, as facts.
 *
 *   permission ─► sandbox.applied ─► process.started ─► process.output …
 *                       │                  │
 *                       │                  ├─► process.completed    it ended by itself
 *                       │                  ├─► process.terminated   somebody ended it
 *                       └──────────────────┴─► process.failed       anything else
 *
 * sandbox.applied is the mark "dispatched" of a caged call: nothing of it runs
 * before that is durable.  File tools stop there; only commands have a
 * process of their own.  One that was started in the background goes on when
 * its call and its turn have ended (process_live.c).
 * spec: contracts/permission-and-sandbox, contracts/execution-environment; GAP-36
 */
#include "core/turn/turn.h"

/* From the text of turn_result_tool_end.hosts; REACHED() makes the member of a payload of it. */
struct list_rec process_call_reached_hosts(struct decision *d, struct str text);
/* Limits of its profile that it came up against, as they were seen; and for its fact: */
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

/* ---- questions (process.c) ---- */

/* NULL when there is none of that id at hand. */
STATE_CONST struct st_process *process_in_thread(const struct st_thread *th, struct str process_id);
STATE_CONST struct st_process *process_live_find(const struct state *w, struct str process_id,
                                                 STATE_CONST struct st_thread **ret_thread);
/* Is the process that the call began still running in the background? */
bool process_left_by_call(const struct st_thread *th, const struct st_call *c);
/* Does it belong to the task, or with or_below to one under it? */
bool process_is_of_task(const struct state *w, const struct st_process *s, struct str task_id,
                        bool or_below);
/* Does a command in the background still have to end because this task was cancelled? */
bool process_stops_with_task(const struct state *w, struct str task_id);
/* Decodes base64; false: it is none. */
bool process_live_bytes(struct arena *mem, struct str text, struct str *ret);

/* ---- the process of a call (process_call.c) ---- */

/* What it gets beyond the usual sandbox, or has to do without because a policy says so; NULL: neither. */
const struct rec_sandbox_override *process_call_override(struct arena *mem, const struct state *w,
                                                         const struct settings *settings,
                                                         const struct st_call *c);
/* Do a policy or the bounds of its task oblige it to a narrower sandbox than the session has? */
bool process_call_is_narrowed(struct arena *mem, const struct state *w,
                              const struct settings *settings, const struct st_call *c);
/* Binds the call to its sandbox and lets it start, or fails it because there is none. */
void process_call_sandbox(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct st_call *c, const struct settings_tool *tool);
/* A command runs, wrote, or hit the boundary of its sandbox. */
void process_call_started(struct decision *d, struct str turn_id, struct str call_id, int64_t pid);
void process_call_output(struct decision *d, struct str turn_id, struct str call_id, int64_t offset,
                         int64_t bytes, int64_t chunks, bool is_binary);
void process_call_violation(struct decision *d, struct str turn_id, struct str call_id,
                            const struct tool_violation *v);
/* Emitted before the end of the call: what became of its process, if it has one. */
void process_call_end(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      const struct st_call *c, const struct tool_end *e);
/* The runtime stopped while it ran. */
void process_call_lose(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       const struct st_call *c, const struct tool_end *printed);
/* Events without their scope. */
struct event *process_call_emit_violation(struct decision *d, const struct tool_violation *v);
struct event *process_call_emit_failed(struct decision *d, const struct tool_end *e,
                                       struct list_str refs,
                                       int64_t duration_ms); /* -1: never ran */

#endif
