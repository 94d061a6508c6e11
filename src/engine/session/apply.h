#ifndef ENGINE_SESSION_APPLY_H
#define ENGINE_SESSION_APPLY_H
/*
 * Applies one decision and everything that follows from it.
 */
#include "engine/engine_state.h"

struct decision *apply_begin(struct session *s, struct command_call *call);
/* Applies a decision and steps until nothing follows. */
void apply_end(struct session *s, struct decision *d);
void apply_arm_timer(struct session *s); /* sets its timer, after the clock was set */

#endif
