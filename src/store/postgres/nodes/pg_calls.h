#ifndef STORE_POSTGRES_NODES_PG_CALLS_H
#define STORE_POSTGRES_NODES_PG_CALLS_H
/*
 * The synchronous calls of the port: the owner's thread hands one to the thread of claims and waits.
 *
 * They have no connection of their own, because there are few of them.  They go over that of claims,
 * because no statement there waits for a row or for a standby.
 *
 * The wait has a bound, because the loop waits.  A call that has no reply by then fails for the owner
 * and is freed by the other thread; the next one fails at once while that is so.  A call that writes
 * may then have taken place.
 */
#include "store/postgres/wire/pg_conn.h"

#include <semaphore.h>
#include <stdatomic.h>

struct pg_store;

struct pg_call {
	const struct pg_sql *q;
	struct pg_args args;
	bool writes; /* durable when it returns */
	int64_t until_ms;
	struct pg_rows rows;
	enum err result;
	struct error error;
	atomic_int state; /* who frees it: pg_calls.c */
	sem_t done;
};

/* ---- on the owner's thread ---- */

/*
 * Empties args.  Fails at once while the server is away (ERR_UNAVAILABLE) and when the store closes
 * (ERR_CLOSED).  A statement may run twice, when the connection breaks.
 */
enum err pg_calls_ask(struct pg_store *s, const struct pg_sql *q, struct pg_args *args, bool writes,
                      struct pg_rows *ret, struct error *e) MUST_USE;

/* ---- on the thread of claims ---- */

/* Whether it is still wanted. */
bool pg_calls_is_wanted(struct pg_call *call);
/* One try, on its connection; fills result and error. */
void pg_calls_run(struct pg_store *s, struct pg_call *call);
/* The owner continues; the call is not ours any more. */
void pg_calls_answer(struct pg_store *s, struct pg_call *call);
void pg_calls_refuse(struct pg_store *s, struct pg_call *call, const struct error *why);

#endif
