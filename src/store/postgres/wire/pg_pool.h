#ifndef STORE_POSTGRES_WIRE_PG_POOL_H
#define STORE_POSTGRES_WIRE_PG_POOL_H
/* Whether a pool of connections, such as PgBouncer, is between this program and the server. */
#include "store/postgres/wire/pg_conn.h"

enum pg_pool {
	PG_POOL_NONE,
	PG_POOL_SESSION, /* each connection has a session of the server for itself */
	PG_POOL_SHARED,  /* each transaction or statement may have another one */
};

/*
 * On a plain connection to this address; a second one is opened and closed when there is a pool.
 * A pool that is in use by many may pass for one in session mode.
 */
enum err pg_pool_find(struct pg_conn *c, const char *url, int64_t until_ms, enum pg_pool *ret,
                      struct error *e) MUST_USE;

#endif
