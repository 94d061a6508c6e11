#ifndef SERVE_PEERS_H
#define SERVE_PEERS_H
/*
 * The peers of one protocol as channels: one per principal.  A peer is connected from its first
 * request until it has been silent for a while and follows nothing.  Its channel is kept in the
 * store, so that it is resumed and not a new one after a restart.
 */
#include "base/map.h"
#include "net/loop.h"
#include "ports/control.h"
#include "ports/store.h"

struct peer_channel {
	struct list node;
	struct arena *mem;
	struct str principal, channel_id, resume_token;
	struct control_channel *channel; /* NULL: not connected */
	int64_t seen_ms;
	unsigned streams; /* requests that are open */
};

/* What all channels of a protocol have in common. */
struct peers_kind {
	const char *native_protocol;
	const char *kept_as; /* in the store */
	enum peer_role role;
};

struct peers {
	const struct peers_kind *kind;
	struct loop *loop;
	struct control *control;
	struct store *store; /* may be NULL */
	struct clock *clock; /* may be NULL */
	struct list all;
	size_t count;
	struct map by_principal; /* struct peer_channel */
	struct loop_timer rest, saving;
};

enum err peers_init(struct peers *ps, const struct peers_kind *kind, struct loop *loop,
                    struct control *control, struct store *store, struct clock *clock,
                    struct error *e) MUST_USE;
void peers_done(struct peers *ps);

/* A request of this caller begins; NULL if it cannot be a channel now. */
struct peer_channel *peers_seen(struct peers *ps, const struct caller *caller);
/* It has ended.  NULL is fine. */
void peers_left(struct peers *ps, struct peer_channel *p);

#endif
