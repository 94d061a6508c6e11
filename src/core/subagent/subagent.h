#ifndef CORE_SUBAGENT_H
#define CORE_SUBAGENT_H
/*
 * Child agents: threads of the same session with a parent, a role, and bounds
 * that are never wider than the parent's.  The events of a child's work are on
 * its own thread; subagent.* events report its progress and end.
 */
#include "core/decision.h"

STATE_CONST struct st_subagent *subagent_find(const struct state *w, struct str subagent_id);
/* The child that owns this thread, or NULL. */
STATE_CONST struct st_subagent *subagent_of_thread(const struct state *w, struct str thread_id);
bool subagent_is_closed(const struct st_subagent *s);
/* None of its work runs or is queued. */
bool subagent_is_at_rest(const struct state *w, const struct st_subagent *s);
/* At rest, and reported; or interrupted by a restart, until it is resumed. */
bool subagent_is_settled(const struct state *w, const struct st_subagent *s);
/* Is it below this thread, at any depth? */
bool subagent_is_under(const struct state *w, const struct st_subagent *s, struct str thread_id);

/* How much a mode permits: the wider, the larger. */
int subagent_mode_width(enum permission_mode m);
/* The mode that permits less. */
enum permission_mode subagent_narrower_mode(enum permission_mode a, enum permission_mode b);
/* The bounds of a child of this thread and task, unless the caller narrows them. */
struct rec_isolation *subagent_decide_bounds(struct decision *d, struct str thread_id,
                                             struct str task_id);

bool subagent_decide_step(struct decision *d);

/* What open children of this thread may still spend; without `but`, which may be NULL. */
int64_t subagent_promised(const struct state *w, struct str parent_thread_id,
                          const struct st_subagent *but);
/* The child was given this input, and its turn. */
void subagent_emit_input(struct decision *d, struct str id, struct str thread_id, struct str ref,
                         struct str turn_id);
/* The task, if it is known, has an edge to the child. */
void subagent_emit_delegated(struct decision *d, struct str task_id, struct str id);

/* The isolation of the thread's agent, and of those above it, lists the tool; true without one. */
bool subagent_has_tool(const struct state *w, struct str thread_id, struct str tool);

#endif
