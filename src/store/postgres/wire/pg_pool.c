/*
 * How a pool shows: it tells its clients a number of its own as that of their backend; and one that
 * is not in session mode gives two connections the same backend, one after the other.
 */
#include "store/postgres/wire/pg_pool.h"

#define HOST_SECONDS 3
/* Others that use the pool may take the backend between two questions. */
#define TRIES 8

static enum err ask_pid(struct pg_conn *c, int64_t until_ms, int64_t *ret, struct error *e)
{
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err =
		pg_conn_ask_plain(c, "SELECT pg_backend_pid()::bigint", &none, until_ms, &rows, e);

	if (err == OK)
		*ret = pg_conn_i64(&rows, 0, 0);
	pg_conn_rows_done(&rows);
	return err;
}

static enum err compare(struct pg_conn *one, struct pg_conn *two, int64_t until_ms,
                        enum pg_pool *ret, struct error *e)
{
	enum err err = OK;

	*ret = PG_POOL_SESSION;
	for (int tries = 0; tries < TRIES && err == OK && *ret == PG_POOL_SESSION; tries++) {
		int64_t first = 0, second = 0;

		err = ask_pid(one, until_ms, &first, e);
		if (err == OK)
			err = ask_pid(two, until_ms, &second, e);
		if (err == OK && first == second)
			*ret = PG_POOL_SHARED;
	}
	return err;
}

enum err pg_pool_find(struct pg_conn *c, const char *url, int64_t until_ms, enum pg_pool *ret,
                      struct error *e)
{
	struct pg_conn other;
	int64_t pid = 0;
	enum err err = ask_pid(c, until_ms, &pid, e);

	*ret = PG_POOL_NONE;
	if (err != OK || pid == c->lib->PQbackendPID(c->pg))
		return err;
	err = pg_conn_open_plain(&other, c->lib, url, HOST_SECONDS, e);
	if (err == OK)
		err = compare(c, &other, until_ms, ret, e);
	pg_conn_close(&other);
	return err;
}
