#ifndef ENGINE_SESSION_EVICTION_H
#define ENGINE_SESSION_EVICTION_H
/*
 * Evicts idle sessions from memory.
 */
#include "engine/engine_state.h"

void eviction_start(struct engine *e);
void eviction_stop(struct engine *e);
void eviction_durable(struct session *s);

#endif
