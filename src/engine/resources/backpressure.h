#ifndef ENGINE_RESOURCES_BACKPRESSURE_H
#define ENGINE_RESOURCES_BACKPRESSURE_H
/*
 * When the disk does not keep up: models and tools pause, then commands are refused.
 */
#include "engine/engine_state.h"

void backpressure_look(struct engine *e);
bool backpressure_refuses(struct engine *e);
void backpressure_stop(struct engine *e);

#endif
