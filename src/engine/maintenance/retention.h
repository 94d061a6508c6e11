#ifndef ENGINE_MAINTENANCE_RETENTION_H
#define ENGINE_MAINTENANCE_RETENTION_H
/*
 * What an operator does to a log: its beginning removed, an event erased, a session rebuilt.
 */
#include "engine/engine_state.h"

bool retention_by_rule(struct session *s); /* true: it is being done */
void retention_resume(struct engine *e);   /* with what was cut short */

#endif
