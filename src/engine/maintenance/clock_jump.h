#ifndef ENGINE_MAINTENANCE_CLOCK_JUMP_H
#define ENGINE_MAINTENANCE_CLOCK_JUMP_H
/*
 * The wall clock is watched: somebody may set it, the machine may sleep.
 */
#include "engine/engine_state.h"

void clock_jump_start(struct engine *e);
void clock_jump_look(struct engine *e);
void clock_jump_keep(struct engine *e); /* the anchor, in the store */

#endif
