#ifndef CORE_TURN_EMIT_H
#define CORE_TURN_EMIT_H
/*
 * Events of a turn that several topics emit.
 *
 * A task that is cancelled stops the turn that carries it out, a child agent
 * that is resumed begins another run, a crash ends the reasoning under way.
 * They all say so through these functions; what follows from it is found by
 * the step driver when the events are folded.
 */
#include "core/decision.h"

/* A run of the turn begins. */
void turn_emit_attempt(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       struct str run_id, struct str attempt_id, int64_t number,
                       enum attempt_cause cause);
/* Stops a turn; the step driver ends it once nothing of it runs any more. */
void turn_emit_interrupt(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         struct str reason, enum queue_policy policy);
/* Another run of a turn that a restart interrupted. */
void turn_emit_resume(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      struct str cause);
/* snapshot.updated, said at the end of a turn. */
void turn_emit_snapshot(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        enum recovery_mode mode);
/* Ends the step that the reasoning under way fills, if there is one. */
void turn_emit_reasoning_end(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t, struct str summary);
/* Puts the scope of the request under way on an event. */
struct event *turn_emit_in_request(struct event *ev, const struct st_thread *th,
                                   const struct st_turn *t);

#endif
