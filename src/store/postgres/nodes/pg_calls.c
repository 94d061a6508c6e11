/*
 * A call and its way: owner ──► mail of the thread of claims ──► its connection ──► the owner.
 *
 *     ASKED ──► ANSWERED    the owner takes the reply and frees the call
 *        └────► GIVEN_UP    the owner has stopped waiting; the other thread frees it
 */
#include "store/postgres/nodes/pg_calls.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "store/postgres/pg_store.h"

#include <errno.h>
#include <time.h>

enum { CALL_ASKED, CALL_ANSWERED, CALL_GIVEN_UP };

static void call_free(struct pg_call *call)
{
	pg_args_done(&call->args);
	pg_conn_rows_done(&call->rows);
	sem_destroy(&call->done);
	memory_free(call);
}

/* False: the other one was first. */
static bool move_to(struct pg_call *call, int state)
{
	int asked = CALL_ASKED;

	return atomic_compare_exchange_strong(&call->state, &asked, state);
}

/* ---- the owner's thread ---- */

static enum err may_ask(struct pg_store *s, struct error *e)
{
	char server[sizeof s->server];
	uint64_t generation;

	if (pg_state_is_dead(s, e))
		return e->code;
	if (!s->nodes.has_claims)
		return fail(e, ERR_CLOSED, "the store is being closed");
	if (!pg_state_is_live(s, &generation, server) || atomic_load(&s->nodes.open_calls))
		return fail(e, ERR_UNAVAILABLE,
		            "the store is unavailable now; see /readyz for the cause");
	return OK;
}

static struct pg_call *post(struct pg_store *s, const struct pg_sql *q, struct pg_args *args,
                            bool writes)
{
	struct pg_call *call = memory_zeroed(1, sizeof *call);
	struct pg_job *job = memory_zeroed(1, sizeof *job);

	call->q = q;
	call->args = *args;
	*args = (struct pg_args){ 0 };
	call->writes = writes;
	call->until_ms = clock_mono_ms() + s->nodes.call_ms;
	call->rows.lib = s->start.lib;
	sem_init(&call->done, 0, 0);
	job->kind = PG_JOB_NODES;
	list_init(&job->waiting);
	job->nodes.call = call;
	atomic_fetch_add(&s->nodes.open_calls, 1);
	mailbox_post(&s->nodes.to_claims, &job->mail);
	return call;
}

/* False: the time is over. */
static bool wait_for(struct pg_call *call)
{
	struct timespec until = { .tv_sec = call->until_ms / 1000,
		                  .tv_nsec = call->until_ms % 1000 * 1000000 };
	int rc;

	do
		rc = sem_clockwait(&call->done, CLOCK_MONOTONIC, &until);
	while (rc != 0 && errno == EINTR);
	return rc == 0;
}

/*
 * After a reply in the last moment its semaphore is raised at once.  The state is read in any case:
 * ThreadSanitizer does not know sem_clockwait(), and sees by the state that the reply was written before.
 */
static bool is_answered(struct pg_call *call)
{
	if (wait_for(call))
		return atomic_load(&call->state) == CALL_ANSWERED;
	if (move_to(call, CALL_GIVEN_UP))
		return false;
	while (sem_wait(&call->done) != 0)
		;
	return true;
}

static enum err take(struct pg_call *call, struct pg_rows *ret, struct error *e)
{
	enum err err = call->result;

	*ret = call->rows;
	call->rows.r = NULL;
	if (err != OK)
		*e = call->error;
	call_free(call);
	return err;
}

/* Until the thread of claims has an answer again. */
static enum err give_up(struct pg_store *s, struct error *e)
{
	fail(e, ERR_UNAVAILABLE, "store_lost: PostgreSQL has not answered for %lld ms",
	     (long long)s->nodes.call_ms);
	pg_state_away(s, PG_USER_CALLS, e);
	return e->code;
}

enum err pg_calls_ask(struct pg_store *s, const struct pg_sql *q, struct pg_args *args, bool writes,
                      struct pg_rows *ret, struct error *e)
{
	enum err err = may_ask(s, e);
	struct pg_call *call;

	*ret = (struct pg_rows){ .lib = s->start.lib };
	if (err == OK) {
		call = post(s, q, args, writes);
		err = is_answered(call) ? take(call, ret, e) : give_up(s, e);
	}
	pg_args_done(args);
	if (err != OK && err != ERR_CLOSED)
		pg_state_fail(s, e);
	return err;
}

/* ---- the thread of claims ---- */

bool pg_calls_is_wanted(struct pg_call *call)
{
	return atomic_load(&call->state) == CALL_ASKED && clock_mono_ms() < call->until_ms;
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

/* A commit that waits for a standby must not keep the claims of the other sessions. */
static enum err commit(struct pg_conn *c, const struct pg_wait *wait, struct error *e)
{
	static const struct pg_sql q = { "commit", "COMMIT" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask_until(c, &q, &none, wait, &rows, e);

	pg_conn_rows_done(&rows);
	return err;
}

/* Commits of this connection wait for no standby, unless the transaction says so. */
static enum err write_durably(struct pg_conn *c, struct pg_call *call, const struct pg_wait *wait)
{
	struct error *e = &call->error;
	enum err err = pg_conn_run(c, "BEGIN", e);

	if (err == OK)
		err = pg_conn_run(c, "SET LOCAL synchronous_commit TO DEFAULT", e);
	if (err == OK)
		err = pg_conn_ask_kept(c, call->q, &call->args, wait, &call->rows, e);
	if (err == OK)
		err = commit(c, wait, e);
	else
		(void)!pg_conn_run(c, "ROLLBACK", NULL);
	if (err != OK)
		pg_conn_rows_done(&call->rows);
	return err;
}

void pg_calls_run(struct pg_store *s, struct pg_call *call)
{
	struct pg_conn *c = &s->nodes.claims;
	struct pg_wait wait = { .wake = -1, .stop = never, .until_ms = call->until_ms };

	call->result = call->writes && !s->connect.is_relaxed
	                       ? write_durably(c, call, &wait)
	                       : pg_conn_ask_kept(c, call->q, &call->args, &wait, &call->rows,
	                                          &call->error);
}

void pg_calls_answer(struct pg_store *s, struct pg_call *call)
{
	atomic_fetch_sub(&s->nodes.open_calls, 1);
	if (move_to(call, CALL_ANSWERED))
		sem_post(&call->done);
	else
		call_free(call);
}

void pg_calls_refuse(struct pg_store *s, struct pg_call *call, const struct error *why)
{
	call->result = why->code;
	call->error = *why;
	pg_calls_answer(s, call);
}
