#ifndef ENGINE_MAINTENANCE_REBUILD_H
#define ENGINE_MAINTENANCE_REBUILD_H
/*
 * Rows that follow from the log are made again when they are missing.
 */
#include "engine/engine_state.h"

void rebuild_start(struct engine *e);
void rebuild_free(struct engine *e);

#endif
