/*
 * A call and its way: owner ──► mail of the thread of claims ──► its connection ──► the owner, which
 * waits for a semaphore.
 */
#include "store/postgres/nodes/pg_calls.h"

#include "base/memory.h"
#include "store/postgres/pg_store.h"

#include <errno.h>

/* ---- the owner's thread ---- */

static enum err may_ask(struct pg_store *s, struct error *e)
{
	char server[sizeof s->server];
	uint64_t generation;

	if (pg_state_is_dead(s, e))
		return e->code;
	if (!s->nodes.has_claims)
		return fail(e, ERR_CLOSED, "the store is being closed");
	if (!pg_state_is_live(s, &generation, server))
		return fail(e, ERR_UNAVAILABLE,
		            "the store is unavailable now; see /readyz for the cause");
	return OK;
}

static void post(struct pg_store *s, struct pg_call *call)
{
	struct pg_job *job = memory_zeroed(1, sizeof *job);

	job->kind = PG_JOB_NODES;
	list_init(&job->waiting);
	job->nodes.call = call;
	atomic_store(&s->nodes.has_call, true);
	mailbox_post(&s->nodes.to_claims, &job->mail);
}

static void wait_for(struct pg_call *call)
{
	while (sem_wait(&call->done) != 0 && errno == EINTR)
		;
	sem_destroy(&call->done);
}

enum err pg_calls_ask(struct pg_store *s, const struct pg_sql *q, struct pg_args *args, bool writes,
                      struct pg_rows *ret, struct error *e)
{
	struct pg_call call = { .q = q, .args = args, .writes = writes, .ret = ret };
	enum err err = may_ask(s, e);

	*ret = (struct pg_rows){ .lib = s->start.lib };
	if (err == OK) {
		sem_init(&call.done, 0, 0);
		post(s, &call);
		wait_for(&call);
		err = call.result;
		if (err != OK)
			*e = call.error;
	}
	pg_args_done(args);
	if (err != OK && err != ERR_CLOSED)
		pg_state_fail(s, e);
	return err;
}

/* ---- the thread of claims ---- */

/* Commits of this connection wait for no standby, unless the transaction says so. */
static enum err write_durably(struct pg_conn *c, struct pg_call *call)
{
	struct error *e = &call->error;
	enum err err = pg_conn_run(c, "BEGIN", e);

	if (err == OK)
		err = pg_conn_run(c, "SET LOCAL synchronous_commit TO DEFAULT", e);
	if (err == OK)
		err = pg_conn_ask_kept(c, call->q, call->args, call->ret, e);
	if (err == OK)
		err = pg_conn_run(c, "COMMIT", e);
	else
		(void)!pg_conn_run(c, "ROLLBACK", NULL);
	if (err != OK)
		pg_conn_rows_done(call->ret);
	return err;
}

void pg_calls_run(struct pg_store *s, struct pg_call *call)
{
	struct pg_conn *c = &s->nodes.claims;

	call->result = call->writes && !s->connect.is_relaxed
	                       ? write_durably(c, call)
	                       : pg_conn_ask_kept(c, call->q, call->args, call->ret, &call->error);
}

void pg_calls_answer(struct pg_call *call)
{
	sem_post(&call->done);
}

void pg_calls_refuse(struct pg_call *call, const struct error *why)
{
	call->result = why->code;
	call->error = *why;
	pg_calls_answer(call);
}
