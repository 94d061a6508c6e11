#ifndef ENGINE_MAINTENANCE_CLOCK_JUMP_H
#define ENGINE_MAINTENANCE_CLOCK_JUMP_H
/*
 * Watches the wall clock: it may be set, and the machine may sleep.
 */
#include "engine/engine_state.h"

void clock_jump_start(struct engine *e);
void clock_jump_look(struct engine *e);
void clock_jump_keep(struct engine *e); /* saves the reference point in the store */

#endif
