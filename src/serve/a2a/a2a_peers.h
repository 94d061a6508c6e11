#ifndef SERVE_A2A_PEERS_H
#define SERVE_A2A_PEERS_H
/*
 * Peers as channels: one per principal, of the role peer_agent.  A peer is connected from its
 * first request until it has been silent for a while and follows nothing.  Its channel is kept in
 * the store, so that it is resumed and not a new one after a restart.
 */
#include "net/loop.h"
#include "ports/control.h"
#include "ports/store.h"

struct a2a_peer {
	struct list node;
	struct arena *mem;
	struct str principal, channel_id, resume_token;
	struct control_channel *channel; /* NULL: not connected */
	int64_t seen_ms;
	unsigned streams; /* requests that are open */
};

struct a2a_peers {
	struct loop *loop;
	struct control *control;
	struct store *store; /* may be NULL */
	struct clock *clock; /* may be NULL */
	struct list all;
	struct loop_timer rest;
};

enum err a2a_peers_init(struct a2a_peers *ps, struct loop *loop, struct control *control,
                        struct store *store, struct clock *clock, struct error *e) MUST_USE;
void a2a_peers_done(struct a2a_peers *ps);

/* A request of this caller begins; NULL if it cannot be a channel now. */
struct a2a_peer *a2a_peers_seen(struct a2a_peers *ps, const struct caller *caller);
/* It has ended.  NULL is fine. */
void a2a_peers_left(struct a2a_peers *ps, struct a2a_peer *p);

#endif
