#ifndef CORE_SUBAGENT_H
#define CORE_SUBAGENT_H
/*
 * Child agents: threads of the same session with a parent, a role, and
 * bounds that are never wider than the parent's.  What a child does stands
 * on its own thread; what becomes of it is told by facts of its own.
 */
#include "core/decision.h"

STATE_CONST struct st_subagent *subagent_find(const struct state *w, struct str subagent_id);
/* The child that owns this thread, or NULL. */
STATE_CONST struct st_subagent *subagent_of_thread(const struct state *w, struct str thread_id);
bool subagent_is_closed(const struct st_subagent *s);
/* Nothing of it runs or waits to run. */
bool subagent_is_at_rest(const struct state *w, const struct st_subagent *s);
/* At rest, and that is told; or interrupted by a restart, until somebody resumes it. */
bool subagent_is_settled(const struct state *w, const struct st_subagent *s);
/* Is it below this thread, at any depth? */
bool subagent_is_under(const struct state *w, const struct st_subagent *s, struct str thread_id);

/* How much a mode lets through: the wider, the larger. */
int subagent_mode_width(enum permission_mode m);
/* The mode that lets less through. */
enum permission_mode subagent_narrower_mode(enum permission_mode a, enum permission_mode b);
/* What a child of this thread, made for this task, may do when nobody narrows it further. */
struct rec_isolation *subagent_decide_bounds(struct decision *d, struct str thread_id,
                                             struct str task_id);

bool subagent_decide_step(struct decision *d);

#endif
