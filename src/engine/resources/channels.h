#ifndef ENGINE_RESOURCES_CHANNELS_H
#define ENGINE_RESOURCES_CHANNELS_H
/*
 * Channels: connections that enrol, reconnect, acknowledge events and
 * disconnect.
 */
#include "engine/engine_state.h"

struct control_channel *channels_enrol(struct control *c, const struct control_enrol *enrol);
void channels_stranger(struct control *c, struct str via, struct str address);
void channels_leave(struct control *c, struct control_channel *ch, enum disconnect_cause cause);
uint64_t channels_acked(struct control *c, const struct control_channel *ch, struct str session_id);
/*
 * reconnect_channel acts for a channel; false: it belongs to another caller, and the command is
 * refused.
 */
bool channels_admit(struct request *r);
/* What each connected channel of a session has acknowledged; lives in the request. */
size_t channels_acks(struct request *r, const struct session *s, const struct view_ack **ret);
void channels_free(struct engine *e);

#endif
