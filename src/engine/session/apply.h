#ifndef ENGINE_SESSION_APPLY_H
#define ENGINE_SESSION_APPLY_H
/*
 * One decision and everything that follows from it is applied.
 */
#include "engine/engine_state.h"

struct decision *apply_begin(struct session *s, const struct command_call *call);
/* Applies what was decided and steps to the fixpoint. */
void apply_end(struct session *s, struct decision *d);
void apply_arm_timer(struct session *s); /* its timer, after the clock was set */

#endif
