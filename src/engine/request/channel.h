#ifndef ENGINE_REQUEST_CHANNEL_H
#define ENGINE_REQUEST_CHANNEL_H
/*
 * A channel that is connected now: which sessions it is bound to, and how far
 * it has acknowledged each.  channels.c enrols them and lets them go; requests
 * only look one up.
 */
#include "base/hash/sha256.h"
#include "core/state.h"
#include "ports/clock.h"
#include "ports/control.h"

struct engine;
struct session;

struct channel {
	struct control_channel face;
	struct engine *engine;
	struct arena *mem;
	struct rec_channel *record;
	struct list_str sessions;        /* that it is bound to */
	struct list_int acked;           /* one per session */
	struct sha256 ack_key, ack_body; /* of the last one that brought a key */
	enum disconnect_cause cause;
	struct str principal;
	bool is_loose; /* no connection of its own: it has to be heard of now and then */
	struct clock_timer patience;
	unsigned jobs; /* still to run before it may be freed */
	bool is_gone;
};

/* The record of a caller's channel, or NULL. */
const struct rec_channel *channel_of(struct engine *e, struct str channel_id);
/* Notes that it is bound to the session. */
void channel_bound(struct engine *e, struct str channel_id, struct session *s);
/* Where the session is among those that it is bound to; below 0: nowhere. */
ptrdiff_t channel_session_at(struct channel *ch, struct str session_id);
/* What it shows to be the same channel after a reconnect. */
struct str channel_token(struct engine *e, struct str channel_id);

#endif
