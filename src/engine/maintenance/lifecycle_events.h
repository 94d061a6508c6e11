#ifndef ENGINE_MAINTENANCE_LIFECYCLE_EVENTS_H
#define ENGINE_MAINTENANCE_LIFECYCLE_EVENTS_H
/*
 * Events of the runtime itself: it started, it stops, the clock jumped.
 */
#include "engine/engine_state.h"

void lifecycle_events_started(struct engine *e);
/* Other nodes take over its work, because it is to stop. */
void lifecycle_events_leaving(struct engine *e);
void lifecycle_events_stopping(struct engine *e);
void lifecycle_events_jumped(struct engine *e);

#endif
