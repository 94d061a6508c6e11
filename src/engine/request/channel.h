#ifndef ENGINE_REQUEST_CHANNEL_H
#define ENGINE_REQUEST_CHANNEL_H
/*
 * A connected channel: which sessions it is bound to, and what it has
 * acknowledged in each. channels.c enrols and removes channels; requests only
 * look one up.
 */
#include "base/hash/sha256.h"
#include "core/state.h"
#include "ports/clock.h"
#include "ports/control.h"

struct engine;

struct channel {
	struct control_channel handle; /* what the transport sees: id and resume token */
	struct engine *engine;
	struct arena *mem;
	struct rec_channel *record;
	struct str enrolled_in;          /* the session that recorded it; absent: none yet */
	struct list_str sessions;        /* it is bound to */
	struct list_int acked;           /* one per session */
	struct sha256 ack_key, ack_body; /* of the last acknowledgement with a key */
	enum disconnect_cause cause;     /* set when it leaves, for the event */
	struct str principal;
	bool is_loose; /* without a connection: it has to send requests now and then */
	struct clock_timer patience; /* of a loose one: fires after too long a silence */
	unsigned jobs;               /* must finish before it may be freed */
	bool is_gone;
	bool is_mute; /* it did not answer a question for the text of a file */
};

/* The record of a caller's channel, or NULL. */
const struct rec_channel *channel_of(struct engine *e, struct str channel_id);
/* Records that it is bound to the session. */
void channel_bound(struct engine *e, struct str channel_id, struct str session_id);
/* It resumes there behind an event that it had acknowledged at another node. */
void channel_resumed(struct engine *e, struct str channel_id, struct str session_id, int64_t acked);
/* The index of the session among those that it is bound to; below 0: none. */
ptrdiff_t channel_session_at(struct channel *ch, struct str session_id);
/* The token that proves its identity after a reconnect, of any channel. */
struct str channel_token(struct engine *e, struct arena *mem, struct str channel_id);

#endif
