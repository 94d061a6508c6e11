#ifndef ENGINE_RESOURCES_GRANTS_H
#define ENGINE_RESOURCES_GRANTS_H
/*
 * Grants with a scope beyond their session: stored in the system session, and
 * shared.
 */
#include "engine/engine_state.h"

void grants_init(struct engine *e);
void grants_free(struct engine *e);
struct ev_policy_changed;

/* Records a grant in the system session. */
void grants_share(struct engine *e, const struct ev_policy_changed *change);
/* The grants of the system session, instead of those that are known; NULL: there are none. */
void grants_take(struct engine *e, const struct session *s);
/* An event of the system session that another node wrote. */
void grants_foreign(struct engine *e, const struct event *ev);
void grants_learn(struct engine *e); /* at the start: ready waits for it */
void grants_folded(struct session *s, const struct event *ev);
void grants_over(struct engine *e);

#endif
