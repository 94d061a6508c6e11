#ifndef ENGINE_RESOURCES_GRANTS_H
#define ENGINE_RESOURCES_GRANTS_H
/*
 * Grants that reach further than their session are kept in the system session, and shared.
 */
#include "engine/engine_state.h"

void grants_init(struct engine *e);
void grants_free(struct engine *e);
void grants_learn(struct engine *e); /* at the start: ready waits for it */
void grants_folded(struct session *s, const struct event *ev);
void grants_over(struct engine *e);

#endif
