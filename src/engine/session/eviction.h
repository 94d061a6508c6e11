#ifndef ENGINE_SESSION_EVICTION_H
#define ENGINE_SESSION_EVICTION_H
/*
 * Evicts idle sessions from memory.
 */
#include "engine/engine_state.h"

void eviction_start(struct engine *e);
void eviction_stop(struct engine *e);
/* Idle sessions leave now; for a node that is about to end. */
void eviction_now(struct engine *e);
void eviction_durable(struct session *s);
/* Another node is to have it: it leaves now.  False: it is not idle, and stays. */
bool eviction_give(struct session *s);

#endif
