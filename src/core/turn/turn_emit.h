#ifndef CORE_TURN_EMIT_H
#define CORE_TURN_EMIT_H
/*
 * Events of a turn that several topics emit.
 *
 * A cancelled task stops its turn, a resumed child agent starts another run, a
 * crash ends the current reasoning.  All of them use these functions; the step
 * driver derives what follows when the events are folded.
 */
#include "core/decision.h"

/* A run of the turn begins. */
void turn_emit_attempt(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       struct str run_id, struct str attempt_id, int64_t number,
                       enum attempt_cause cause);
/* Stops a turn; the step driver ends it once none of its effects runs any more. */
void turn_emit_interrupt(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         struct str reason, enum queue_policy policy);
/* Another run of a turn that a restart interrupted. */
void turn_emit_resume(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      struct str cause);
/* snapshot.updated, emitted at the end of a turn. */
void turn_emit_snapshot(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        enum recovery_mode mode);
/* Ends the step of the current reasoning, if there is one. */
void turn_emit_reasoning_end(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t, struct str summary);
/* Sets the scope of the current request on an event. */
struct event *turn_emit_in_request(struct event *ev, const struct st_thread *th,
                                   const struct st_turn *t);

#endif
