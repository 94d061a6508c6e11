#ifndef STORE_POSTGRES_RECONNECT_PG_DOUBT_H
#define STORE_POSTGRES_RECONNECT_PG_DOUBT_H
/*
 * Commits in doubt: slices that were sent over a connection that broke before the reply.
 *
 * The head of a session decides.  A slice is committed when the head is its last event, or when
 * a later slice in doubt that continues it is committed.  A slice without events does not
 * move the head; the mark that its statement wrote into the session's row decides.  Rows,
 * blobs, idempotency records and moves of a slice are in the same transaction as its head, so
 * they need no question of their own.
 *
 * All other slices are sent again: the append itself compares the head, and refuses what does
 * not continue it.
 *
 * The writer's thread only.
 */
#include "store/postgres/pg_store.h"
#include "store/postgres/reconnect/pg_heads.h"

struct pg_doubt {
	struct slice *slice;
	uint64_t mark; /* of the set with which it was sent */
};

/*
 * Reads the heads of all these sessions and of those that are kept, on the writer's new
 * connection, when the connection before has ended.  Slices, in the order in which they were
 * sent, become SLICE_COMMITTED with their position, SLICE_CONFLICT, SLICE_BEHIND, or
 * stay SLICE_WAITING.  ERR_STORE: the server lacks events of sessions that are not kept.
 */
enum err pg_doubt_settle(struct pg_store *s, const struct pg_heads *kept, struct pg_doubt *all,
                         size_t count, struct error *e) MUST_USE;

#endif
