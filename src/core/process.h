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
#include "core/turn.h"

/* Binds the call to its cage and lets it start, or fails it because there is none. */
/* What it gets beyond the usual cage, or has to do without because a policy says so; NULL: neither. */
const struct rec_sandbox_override *call_cage(struct arena *mem, const struct world *w,
                                             const struct setup *setup, const struct st_call *c);
/* Do a policy or the bounds of its task oblige it to a narrower sandbox than the session has? */
bool call_is_narrowed(struct arena *mem, const struct world *w, const struct setup *setup,
                      const struct st_call *c);
void cage_call(struct outcome *d, struct st_thread *th, struct st_turn *t, struct st_call *c,
               const struct setup_tool *tool);

/* Before the fact that ends the call: what became of its process, if it has one. */
void end_process(struct outcome *d, struct st_thread *th, struct st_turn *t, struct st_call *c,
                 const struct input_tool_end *e);

/* The runtime stopped while it ran. */
void lose_process(struct outcome *d, struct st_thread *th, struct st_turn *t, struct st_call *c,
                  const struct input_tool_end *printed);

/* NULL when there is none of that id at hand. */
struct st_process *thread_process(const struct st_thread *th, struct str process_id);
struct st_process *world_process(const struct world *w, struct str process_id,
                                 struct st_thread **ret_thread);
/* Is the process that the call began still running in the background? */
bool call_left_process(const struct st_thread *th, const struct st_call *c);

/* Does a command in the background still have to end because this task was cancelled? */
bool task_stops_process(const struct world *w, struct str task_id);

/* What base64 stands for; false: it is none. */
bool process_bytes(struct arena *mem, struct str text, struct str *ret);

/* From the text of input_tool_end.hosts; REACHED() makes the member of a payload of it. */
struct list_rec reached_hosts(struct outcome *d, struct str text);
/* Limits of its profile that it came up against, as they were seen; and for its fact: */
struct list_str limits_reached(struct outcome *d, const struct input_tool_end *e);
#define LIMITS_REACHED(d, e)                                                                       \
	.limits_reached = limits_reached((d), (e)), .dropped_bytes = (e)->dropped_bytes,           \
	.has_dropped_bytes = (e)->dropped_bytes > 0
#define REACHED(list)                                                                              \
	{                                                                                          \
		(struct rec_reached_host **)(list).items, (list).count                             \
	}

/* Facts without their scope. */
struct event *emit_violation(struct outcome *d, const struct input_violation *v);
struct event *emit_redaction(struct outcome *d, const struct input_redaction *r);
struct event *emit_process_failed(struct outcome *d, const struct input_tool_end *e,
                                  struct list_str refs, int64_t duration_ms); /* -1: never ran */

static inline bool process_is_over(const struct st_process *p)
{
	return p->status != PROCESS_STATUS_RUNNING && p->status != PROCESS_STATUS_IDLE;
}

#endif
