#ifndef TESTS_STORE_CONTRACT_H
#define TESTS_STORE_CONTRACT_H
/*
 * What the tests of the contract of ports/store.h are written with: kinds of stores, a
 * place where one is opened, closed and opened again, and requests carried to their reply.
 *
 * THOLE_STORE names the kind that a test program runs against.
 */
#include "lib/t.h"

#include "base/arena.h"
#include "model_store.h"

#include <semaphore.h>

struct contract;

struct store_kind {
	const char *name;
	bool has_threads; /* replies come some time after poll() was called in vain */
	bool is_pooled;   /* nothing is left in a session of the server */
	enum err (*open)(struct contract *c, struct store **ret, struct error *e);
	void (*cut)(struct contract *c); /* NULL: it has no connections */
	/* Of a store that several nodes share; NULL: it has one node. */
	void (*kill)(struct contract *c); /* as kill -9 of its process does; then it is closed */
	void (*pause)(struct contract *c, bool is_paused); /* sends no heartbeats */
	void (*hints_only)(struct contract *c); /* asks for commits of others only after a hint */
};

/* Of the nodes that tests open. */
#define CONTRACT_BEAT_MS 100
#define CONTRACT_LEASE_MS 1000

/* One store in a place of its own.  What is open is closed by contract_done(). */
struct contract {
	const struct store_kind *kind;
	struct store *store; /* NULL: closed */
	struct arena *mem;   /* of requests; lives until contract_done() */
	size_t answered;     /* requests of contract_*() that have their reply */
	sem_t woken;
	char dir[64];
	char schema[32]; /* of a database; empty: not made yet */
	struct model_disk *disk;
	/* One of several nodes in the place of another: */
	const struct contract *first;
	const char *name, *address; /* NULL: the default */
	/* Of its program; set before it is opened again.  NULL: "1.2.3". */
	const char *version;
	uint32_t rev;
};

/* The kind with this name; ends the program if there is none. */
const struct store_kind *contract_kind(const char *name);

void contract_init(struct contract *c, const struct store_kind *kind);
void contract_init_node(struct contract *c, const struct store_kind *kind, const char *name,
                        const char *address);
/* The kind that THOLE_STORE names. */
void contract_start(struct contract *c);
/* Another node in the same place, whose contract_done() comes before that of the first. */
void contract_join(struct contract *c, const struct contract *first, const char *name,
                   const char *address);
enum err contract_try_open(struct contract *c, struct error *e) MUST_USE;
void contract_open(struct contract *c);
void contract_close(struct contract *c);
void contract_reopen(struct contract *c);
void contract_done(struct contract *c);

/* Breaks all connections of the store at this moment, if it has any. */
void contract_cut(struct contract *c);

/* Polls until so many more requests have their reply. */
void contract_wait(struct contract *c, size_t replies);

/* ---- requests ---- */

/* A session that writes, with its head. */
struct writer {
	struct str id;
	uint64_t seq;
	struct sha256 hash;
};

/* A slice of `events` events that continues at w, which is then behind it. */
struct slice *contract_slice(struct contract *c, struct writer *w, size_t events, size_t size);
/* The same with these bodies. */
struct slice *contract_slice_of(struct contract *c, struct writer *w, const struct str *bodies,
                                size_t count);
struct batch *contract_batch(struct contract *c, struct slice *first);
/* Drops the bodies of a batch that has its reply. */
void contract_batch_done(struct batch *b);

void contract_submit(struct contract *c, struct batch *b);
/* One slice to its reply. */
enum slice_state contract_commit(struct contract *c, struct slice *sl);
/* Commits `events` events of 20 bytes or more. */
void contract_append(struct contract *c, struct writer *w, size_t events);

/* A read to its reply, which port_store_read_done() frees. */
void contract_read(struct contract *c, struct store_read *r);
/* One step of maintenance. */
void contract_step(struct contract *c, struct store_maintenance *u);
/* All steps; ERR_BUSY is tried again.  Returns the sum of the counts. */
uint64_t contract_maintain(struct contract *c, struct store_maintenance *u);

struct store_stats contract_stats(struct contract *c);

#endif
