#ifndef STORE_POSTGRES_RECONNECT_PG_FENCE_H
#define STORE_POSTGRES_RECONNECT_PG_FENCE_H
/*
 * Closes the way for sets in doubt that a pool may still have.
 *
 * A connection to the server itself is ended before heads are read (pg_conn_bury), so nothing
 * that was sent over it can be carried out later.  Behind a pool in transaction mode no backend
 * belongs to a connection.  There the sessions in doubt get a later mark first, and an append with an
 * earlier mark of the same node matches no row any more.
 *
 * The writer's thread only.
 */
#include "store/postgres/reconnect/pg_doubt.h"

/*
 * Does nothing on a connection that is not pooled.  Waits for transactions that have changed
 * these sessions; `wait` as in pg_conn_ask_until().
 */
enum err pg_fence_close(struct pg_store *s, const struct pg_doubt *all, size_t count,
                        const struct pg_wait *wait, struct error *e) MUST_USE;

#endif
