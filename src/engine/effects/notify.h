#ifndef ENGINE_EFFECTS_NOTIFY_H
#define ENGINE_EFFECTS_NOTIFY_H
/*
 * Deliveries to people: sent when their event is durable, one at a time per session.
 */
#include "engine/engine_state.h"

void notify_feed(struct session *s);
void notify_load(struct session *s, enum load_phase phase);
void notify_forget(struct session *s);
void notify_free(struct engine *e);

#endif
