#ifndef ENGINE_MAINTENANCE_RETENTION_H
#define ENGINE_MAINTENANCE_RETENTION_H
/*
 * An operator's changes to a log: removing its beginning, erasing an event,
 * rebuilding a session.
 */
#include "engine/engine_state.h"

bool retention_by_rule(struct session *s); /* true: it has started */
/* Stores an operation with the event of the session that records it. */
void retention_add_pending(struct session *s, const struct pending_op *c);
void retention_resume(struct engine *e); /* continues interrupted operations */

#endif
