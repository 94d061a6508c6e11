/*
 * Reader and keeper: one request after the other, each on its connection.
 *
 * A request that fails because the server cannot answer now keeps its place and is tried
 * again: reads change nothing, and a step of maintenance that had been carried out finds
 * nothing more to do.  A connection that broke, or that belongs to an earlier generation
 * of the link, is opened again when the link is live.  A reader whose connection still works
 * keeps reading while the writer's is away.
 */
#include "store/postgres/pg_store.h"

#include "base/memory.h"

#include <poll.h>
#include <unistd.h>

struct worker {
	struct pg_store *s;
	struct pg_conn *conn;
	struct mailbox *mail;
	int wake;
	enum pg_user user;
	enum err (*work)(struct pg_store *s, struct pg_job *job, struct error *e);
	struct mail *queue, **queue_end;
	bool is_closing, is_waiting; /* is_waiting: the last try failed */
	struct pg_retry retry;
};

static struct pg_job *job_of(struct mail *m)
{
	return OWNER_OF(m, struct pg_job, mail);
}

static enum err read_one(struct pg_store *s, struct pg_job *job, struct error *e)
{
	return pg_read_work(s, job->read, e);
}

static enum err keep_one(struct pg_store *s, struct pg_job *job, struct error *e)
{
	return job->allotment ? pg_allot_work(s, job->allotment, e)
	                      : pg_maintain_work(s, job->maintenance, e);
}

static void take_mail(struct worker *w)
{
	for (struct mail *m = mailbox_take(w->mail), *next; m; m = next) {
		next = m->next;
		if (job_of(m)->kind == PG_JOB_CLOSE) {
			w->is_closing = true;
			memory_free(job_of(m));
			continue;
		}
		m->next = NULL;
		*w->queue_end = m;
		w->queue_end = &m->next;
	}
}

static struct pg_job *take_first(struct worker *w)
{
	struct mail *m = w->queue;

	w->queue = m->next;
	if (!w->queue)
		w->queue_end = &w->queue;
	return job_of(m);
}

static void not_now(struct worker *w, const struct error *why)
{
	w->is_waiting = true;
	pg_state_retry_later(&w->retry);
	pg_state_away(w->s, w->user, why);
}

/* Whether requests can be sent; false: later, and the reason is noted. */
static bool has_connection(struct worker *w)
{
	char server[sizeof w->s->server];
	uint64_t generation;
	bool is_live = pg_state_is_live(w->s, &generation, server);
	struct error e;

	if (!w->conn->is_lost && (!is_live || w->conn->generation == generation))
		return true;
	if (pg_start_open_again(w->s, w->conn,
	                        w->user == PG_USER_READER ? PG_USE_READS : PG_USE_LOG, &e) == OK)
		return true;
	not_now(w, &e);
	return false;
}

/* A dead store answers by itself, without a connection. */
static void work_on_first(struct worker *w)
{
	struct error e;

	if (!atomic_load(&w->s->is_dead) && !has_connection(w))
		return;
	if (w->work(w->s, job_of(w->queue), &e) == ERR_UNAVAILABLE) {
		not_now(w, &e);
		return;
	}
	if (w->is_waiting)
		pg_state_back(w->s, w->user);
	w->is_waiting = false;
	w->retry = (struct pg_retry){ 0 };
	mailbox_post(&w->s->answered, &take_first(w)->mail);
}

/* The store closes while the server is away: what waits has no answer. */
static void give_up(struct worker *w)
{
	struct error why;

	fail(&why, ERR_UNAVAILABLE, "store_lost: the store was closed while PostgreSQL was away");
	while (w->queue) {
		struct pg_job *job = take_first(w);

		if (job->read) {
			job->read->result = why.code;
			job->read->error = why;
		} else if (job->allotment) {
			job->allotment->result = why.code;
			job->allotment->error = why;
		} else {
			job->maintenance->result = why.code;
			job->maintenance->error = why;
		}
		mailbox_post(&w->s->answered, &job->mail);
	}
}

/* A live link ends the wait before its time, because the descriptor can be read then. */
static void wait_for_news(struct worker *w)
{
	struct pollfd fd = { .fd = w->wake, .events = POLLIN };
	uint64_t count;

	if (poll(&fd, 1, w->is_waiting ? pg_state_retry_in(&w->retry) : -1) <= 0)
		return;
	(void)!read(w->wake, &count, sizeof count);
	w->retry.at_ms = 0;
}

static bool may_work(const struct worker *w)
{
	return w->queue &&
	       (!w->is_waiting || pg_state_retry_in(&w->retry) == 0 || atomic_load(&w->s->is_dead));
}

static void run(struct worker *w)
{
	w->queue_end = &w->queue;
	for (;;) {
		take_mail(w);
		while (may_work(w))
			work_on_first(w);
		if (w->is_closing) {
			give_up(w);
			return;
		}
		wait_for_news(w);
	}
}

void *pg_worker_read(void *store)
{
	struct pg_store *s = store;
	struct worker w = { .s = s,
		            .conn = &s->reader,
		            .mail = &s->to_reader,
		            .wake = s->reader_wake,
		            .user = PG_USER_READER,
		            .work = read_one };

	run(&w);
	return NULL;
}

void *pg_worker_keep(void *store)
{
	struct pg_store *s = store;
	struct worker w = { .s = s,
		            .conn = &s->keeper,
		            .mail = &s->to_keeper,
		            .wake = s->keeper_wake,
		            .user = PG_USER_KEEPER,
		            .work = keep_one };

	run(&w);
	return NULL;
}
