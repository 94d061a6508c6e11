#ifndef ENGINE_RETENTION_REMOVAL_H
#define ENGINE_RETENTION_REMOVAL_H
/*
 * Deletes whole sessions: by the command delete_session, and by the operator's
 * rule retention.sessions_days.
 */
#include "engine/engine_state.h"

/* Continues to remove what deleted sessions left behind; nothing is done twice at once. */
void removal_sweep(struct engine *e);
/* Starts to delete the sessions that are older than the rule says. */
void removal_rule_start(struct engine *e);
/* Another node deletes the session: this one lets go of it. */
void removal_yield(struct request *r);
void removal_sweep_free(struct engine *e);

#endif
