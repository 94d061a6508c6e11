#ifndef ENGINE_REQUEST_TURN_LOOKUP_H
#define ENGINE_REQUEST_TURN_LOOKUP_H
/*
 * An old turn that a rollback or a fork returns to.
 */
#include "engine/engine_state.h"

bool turn_lookup_gather(struct request *r);

#endif
