#ifndef ENGINE_RESOURCES_STORE_AWAY_H
#define ENGINE_RESOURCES_STORE_AWAY_H
/*
 * A store that is unavailable (ports/store.h): the wait is stated, in the log, in /readyz
 * and in replies, and ends by itself.
 *
 * What waits: events for their commit, and with them replies, subscribers and effects;
 * reads; the loads of sessions.  Nothing is undone.  A command that only reads gets
 * 503 after a moment, and what it began is finished without a caller.  A command that
 * writes waits while the store has been away for a short time, and is refused later; those
 * that end work always wait.  request.c answers them.
 */
#include "engine/engine_state.h"

#define STORE_AWAY_READ_MS 1000 /* how long a command that reads waits */

/* The store has answered, or something waits for it: is it away, or back? */
void store_away_look(struct engine *e);
/* How long it has been away; 0: it is not. */
int64_t store_away_ms(struct engine *e);
/* Whether the reason is that the server has no space. */
bool store_away_is_full(struct engine *e);
/* Why the runtime is not ready; absent: the store is not the reason.  Until the next call. */
struct str store_away_reason(struct engine *e);
void store_away_stop(struct engine *e);

#endif
