#ifndef ENGINE_RESOURCES_DISK_FULL_H
#define ENGINE_RESOURCES_DISK_FULL_H
/*
 * A full disk: what is under way ends, nothing new is taken, until there is room again.
 */
#include "engine/engine_state.h"

void disk_full_batch_done(struct engine *e, const struct error *why);
void disk_full_stop(struct engine *e);

#endif
