#ifndef TESTS_LIB_MODEL_STORE_H
#define TESTS_LIB_MODEL_STORE_H
/*
 * A store in memory, written from ports/store.h alone: arrays and linear search.
 *
 * Other stores are compared with it, so it shares no code with any of them and
 * does nothing for speed.  It has no threads: every request is carried out inside
 * poll(), in the order of submission.  It never fails and is never full.
 *
 * A model_disk is what outlives close(): a store that is opened on it again has
 * what was committed before.
 */
#include "ports/clock.h"
#include "ports/store.h"

struct model_disk;

struct model_disk *model_disk_new(void);
void model_disk_free(struct model_disk *d); /* NULL is fine */

/* One at a time on each disk.  `wake` may be NULL. */
struct store *model_store_open(struct model_disk *d, void (*wake)(void *arg), void *wake_arg);

#define MODEL_BEAT_MS 250
#define MODEL_LEASE_MS 1000

/*
 * One of several nodes on a disk, with heartbeats and claims as ports/store_nodes.h has them.
 * Heartbeats are sent inside poll(): a node that is not polled for a lease is found dead by
 * others.  A start with the name of a living node finds that one dead.
 */
struct model_node_options {
	struct str name, address;       /* address: absent: nowhere */
	struct str place;               /* what it has; absent: nothing is said */
	uint32_t rev;                   /* its revision */
	struct clock *clock;            /* of the node */
	int64_t (*now_ms)(void *owner); /* the clock of the store */
	int64_t epoch_ms;               /* its wall time is so much ahead of that; 0: the node's */
	void *owner;
};

struct store *model_store_open_node(struct model_disk *d, const struct model_node_options *o,
                                    void (*wake)(void *arg), void *wake_arg);
/*
 * As kill -9 does: nothing is answered any more, and the node's heartbeats end.  close() follows.
 */
void model_store_kill(struct store *s);
/*
 * While it is muted, no heartbeat of the node arrives, and it does not learn what others made of
 * that; what it writes arrives.
 */
void model_store_mute(struct store *s, bool is_mute);
/* The wall clock of the node's machine is so far ahead of the store's. */
void model_store_set_clock_off(struct store *s, int64_t off_ms);

#endif
