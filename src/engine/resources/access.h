#ifndef ENGINE_RESOURCES_ACCESS_H
#define ENGINE_RESOURCES_ACCESS_H
/*
 * Who may connect, over time: named tokens (holders.h says what they are) from the log, until they
 * expire; and paired devices, which are passed on to the transport that signs them in.
 */
#include "engine/engine_state.h"

void access_init(struct engine *e);
void access_free(struct engine *e);
/* The tokens and devices of the system session, instead of those that are known; NULL: there are none. */
void access_take(struct engine *e, const struct session *s);
/* An event of the system session that another node wrote. */
void access_foreign(struct engine *e, const struct event *ev);
void access_learn(struct engine *e); /* at the start: ready waits for it */
/* control_ops.issuer_changed */
void access_issuer_changed(struct control *c, struct str name, struct str url,
                           enum issuer_change change);
/* control_ops.watch_devices */
void access_watch_devices(struct control *c, const struct control_device_watch *w);
void access_folded(struct session *s, const struct event *ev);
/* Before a turn is decided; false: as many turns of the principal run as may, refused with that. */
bool access_admit_turn(struct request *r);

#endif
