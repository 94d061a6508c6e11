#ifndef CORE_ACTION_EMIT_H
#define CORE_ACTION_EMIT_H
/*
 * Opens an approval or a question to a person.
 *
 * Permission for a call, a question that a running tool asks, a plan, a
 * sign-in and the consent to a model all become one action.required with two
 * decisions, and the turn waits until somebody answers or the time is over.
 */
#include "core/turn/turn.h"

/* What the turn waits for, for the payload of the event. */
struct rec_wait *action_emit_wait(struct decision *d, enum wait_for what, int64_t until);
/* The child agent that owns the thread, or absent. */
struct str action_emit_asking_child(const struct decision *d, const struct st_thread *th);

/*
 * Opens an action with two decisions, the second of them with a reason and
 * taken when the time is over.  p holds its kind, prompt and wait; c is the
 * call that asks, or NULL when the turn itself asks.  Returns the action's id.
 */
struct str action_emit_required(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t, const struct st_call *c,
                                struct ev_action_required *p, enum approval_decision yes,
                                enum approval_decision no, enum status status);

/*
 * After action.required: the channels that may decide, the task that waits,
 * the thread that is blocked.  For actions with more than two plain decisions.
 */
void action_emit_waiting(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c, struct str action_id, enum status status,
                         int64_t until, struct str why);

#endif
