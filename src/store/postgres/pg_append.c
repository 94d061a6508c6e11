/*
 * The writer: batches into transactions, transactions into a pipeline.
 *
 *   mail ──► queue ──► group: one transaction, sent ──► replies ──► answered
 *
 * A group is all batches that arrived while the groups before it were under way; two are
 * under way at most, so that the next transaction is sent while the last one commits.
 * Between two Syncs of the pipeline the server runs one implicit transaction: after an
 * error it skips the rest of the group, rolls it back and continues with the next.
 * Slices of the next group that continue the failed one then find another head and are
 * refused one by one.
 *
 * A commit is known by the Sync's reply.  When the connection breaks before it, the
 * groups under way are in doubt (postgres.h).
 */
#include "store/postgres/pg_slice.h"
#include "store/postgres/pg_store.h"

#include "base/memory.h"
#include "base/os/clock.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* One transaction takes this much, unless a single batch is larger. */
#define GROUP_BYTES (4u << 20)
#define GROUPS_UNDER_WAY 2

/* A statement whose reply is awaited. */
struct sent {
	enum pg_step step;
	struct pg_set *set;
};

struct group {
	struct group *next;
	struct arena *mem;
	struct mail *first, *last; /* of jobs */
	struct sent *sent;
	size_t sent_count, sent_cap, replied;
	bool is_reply_open; /* the reply of sent[replied] has begun */
	struct error error; /* the first one */
	int64_t began_ns;
	/* What is counted when it commits. */
	uint64_t slices, events, bytes, sessions, last_position;
};

struct writer {
	struct pg_store *s;
	struct mail *queue, **queue_end;
	struct group *first, **last; /* under way */
	size_t under_way;
	bool is_closing, needs_flush;
};

/* ---- one group ---- */

static struct pg_job *job_of(struct mail *m)
{
	return OWNER_OF(m, struct pg_job, mail);
}

static void note_sent(struct group *g, enum pg_step step, struct pg_set *set)
{
	if (g->sent_count == g->sent_cap) {
		size_t cap = g->sent_cap ? g->sent_cap * 2 : 16;

		g->sent = arena_grow(g->mem, g->sent, g->sent_cap * sizeof *g->sent,
		                     cap * sizeof *g->sent);
		g->sent_cap = cap;
	}
	g->sent[g->sent_count++] = (struct sent){ step, set };
}

static bool send_step(struct writer *w, struct group *g, struct pg_set *set, enum pg_step step)
{
	struct pg_conn *c = &w->s->writer;
	struct pg_args_pointers at;
	struct pg_args args;
	bool is_sent = true;

	if (pg_slice_args(set, step, w->s->incarnation, &args)) {
		pg_args_point(&args, &at);
		is_sent = c->lib->PQsendQueryPrepared(c->pg, pg_slice_sql(step)->name, args.count,
		                                      at.values, at.lengths, at.formats, 1);
		note_sent(g, step, set);
	}
	pg_args_done(&args);
	return is_sent;
}

static bool send_set(struct writer *w, struct group *g, struct pg_set *set)
{
	bool is_sent = true;

	set->mark = ((uint64_t)w->s->incarnation << 40) + w->s->next_mark++;
	for (int step = 0; step < PG_STEPS && is_sent; step++)
		is_sent = send_step(w, g, set, (enum pg_step)step);
	return is_sent;
}

/* The slices of all batches, in as few sets as their order allows. */
static bool send_slices(struct writer *w, struct group *g)
{
	struct pg_set *set = ARENA_NEW(g->mem, struct pg_set);
	bool is_sent = true;

	for (struct mail *m = g->first; m && is_sent; m = m->next)
		for (struct slice *sl = job_of(m)->batch->first; sl && is_sent; sl = sl->next) {
			if (!pg_slice_fits(set, sl)) {
				is_sent = send_set(w, g, set);
				set = ARENA_NEW(g->mem, struct pg_set);
			}
			pg_slice_add(set, sl);
		}
	return is_sent && (!set->count || send_set(w, g, set));
}

/* ---- answers ---- */

static void answer_batch(struct group *g, struct batch *b)
{
	if (g->error.code) {
		pg_state_fail_batch(b, &g->error);
		return;
	}
	b->error = (struct error){ 0 };
	for (struct slice *sl = b->first; sl; sl = sl->next)
		if (sl->state == SLICE_WAITING)
			sl->state = SLICE_CONFLICT;
}

/* Groups are answered in the order in which they were sent. */
static void group_answer(struct writer *w, struct group *g)
{
	for (struct mail *m = g->first, *next; m; m = next) {
		next = m->next; /* posting gives the job away */
		answer_batch(g, job_of(m)->batch);
		mailbox_post(&w->s->answered, m);
	}
	w->first = g->next;
	if (!w->first)
		w->last = &w->first;
	w->under_way--;
	arena_free(g->mem);
}

/* A group of refused slices wrote nothing and is no commit. */
static void count_commit(struct pg_store *s, const struct group *g)
{
	if (!g->slices)
		return;
	atomic_fetch_add(&s->commits, 1);
	atomic_fetch_add(&s->events, g->events);
	atomic_fetch_add(&s->bytes, g->bytes);
	atomic_fetch_add(&s->sessions, g->sessions);
	if (g->last_position)
		atomic_store(&s->last_position, g->last_position);
	atomic_store(&s->last_commit_us, (uint64_t)(clock_mono_ns() - g->began_ns) / 1000);
}

static void group_end(struct writer *w, struct group *g)
{
	if (g->error.code == ERR_FULL)
		atomic_store(&w->s->is_low, true);
	if (g->error.code)
		pg_state_fail(w->s, &g->error);
	else
		count_commit(w->s, g);
	group_answer(w, g);
}

/*
 * The store ends.  What is under way is in doubt, what waits in the queue was never sent;
 * both fail with the same cause, and the owner ends the process.
 */
static void fail_all(struct writer *w)
{
	struct error why = { 0 };
	struct mail *m, *next;

	(void)pg_state_is_dead(w->s, &why);
	while (w->first) {
		w->first->error = why;
		group_answer(w, w->first);
	}
	for (m = w->queue, w->queue = NULL, w->queue_end = &w->queue; m; m = next) {
		next = m->next;
		pg_state_fail_batch(job_of(m)->batch, &why);
		mailbox_post(&w->s->answered, m);
	}
}

static void lost(struct writer *w)
{
	struct error e;

	w->s->writer.is_lost = true;
	(void)pg_conn_error(&w->s->writer, NULL, &e);
	pg_state_fail(w->s, &e);
}

/* ---- replies ---- */

static uint64_t body_bytes(const struct slice *sl)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sl->event_count; i++)
		sum += sl->events[i].body->len;
	return sum;
}

static void note_matched(struct group *g, struct slice *sl, bool is_new, uint64_t position)
{
	sl->state = SLICE_COMMITTED;
	sl->first_position = position;
	g->slices++;
	g->sessions += is_new;
	g->events += sl->event_count;
	g->bytes += body_bytes(sl);
	if (sl->event_count)
		g->last_position = position + sl->event_count - 1;
}

/* Slices that the reply does not name did not match. */
static void take_heads(struct group *g, const struct pg_set *set, const struct pg_rows *rows)
{
	for (int i = 0; i < rows->count; i++) {
		int64_t place = pg_conn_i64(rows, i, 0);
		bool is = pg_conn_bool(rows, i, 1);

		if (place == 0 && !is)
			fail(&g->error, ERR_BUSY,
			     "store_taken: another node has taken over the database");
		else if (place > 0 && (size_t)place <= set->count)
			note_matched(g, set->slices[place - 1], is,
			             (uint64_t)pg_conn_i64(rows, i, 2));
	}
}

/* The counters wrap around, as those of the store do. */
static void take_deleted(struct group *g, const struct pg_rows *rows)
{
	g->sessions -= (uint64_t)pg_conn_i64(rows, 0, 0);
	g->events -= (uint64_t)pg_conn_i64(rows, 0, 1);
}

static void take_reply(struct writer *w, struct group *g, PGresult *r)
{
	struct pg_conn *c = &w->s->writer;
	const struct sent *sent = &g->sent[g->replied];
	struct pg_rows rows = { .lib = c->lib, .r = r };
	enum pg_lib_status status = c->lib->PQresultStatus(r);

	if (status == PGRES_FATAL_ERROR && !g->error.code)
		(void)pg_conn_error(c, r, &g->error);
	if (status != PGRES_TUPLES_OK || g->replied == g->sent_count)
		return;
	rows.count = c->lib->PQntuples(r);
	if (sent->step == PG_STEP_HEADS)
		take_heads(g, sent->set, &rows);
	else if (sent->step == PG_STEP_DELETE)
		take_deleted(g, &rows);
}

/* NULL ends the reply of one statement; without an open one it means that nothing is there. */
static bool take_result(struct writer *w, PGresult *r)
{
	struct group *g = w->first;
	const struct pg_lib *lib = w->s->writer.lib;

	if (!r) {
		bool was_open = g && g->is_reply_open;

		if (was_open) {
			g->replied++;
			g->is_reply_open = false;
		}
		return was_open;
	}
	if (g && lib->PQresultStatus(r) == PGRES_PIPELINE_SYNC) {
		group_end(w, g);
	} else if (g) {
		take_reply(w, g, r);
		g->is_reply_open = true;
	}
	lib->PQclear(r);
	return true;
}

static void receive(struct writer *w)
{
	struct pg_conn *c = &w->s->writer;
	bool is_more = true;

	if (!c->lib->PQconsumeInput(c->pg)) {
		lost(w);
		return;
	}
	while (is_more && !c->lib->PQisBusy(c->pg))
		is_more = take_result(w, c->lib->PQgetResult(c->pg));
	if (c->lib->PQstatus(c->pg) != CONNECTION_OK)
		lost(w);
}

/* ---- the thread ---- */

static void send_group(struct writer *w)
{
	struct arena *mem = arena_new();
	struct group *g = ARENA_NEW(mem, struct group);
	struct pg_conn *c = &w->s->writer;
	uint64_t bytes = 0;
	struct mail **end = &w->queue;

	g->mem = mem;
	g->began_ns = clock_mono_ns();
	while (*end && (end == &w->queue || bytes + job_of(*end)->bytes <= GROUP_BYTES)) {
		bytes += job_of(*end)->bytes;
		end = &(*end)->next;
	}
	g->first = w->queue;
	w->queue = *end;
	*end = NULL;
	if (!w->queue)
		w->queue_end = &w->queue;
	*w->last = g;
	w->last = &g->next;
	w->under_way++;
	if (!send_slices(w, g) || !c->lib->PQpipelineSync(c->pg))
		lost(w);
	w->needs_flush = true;
}

static void flush(struct writer *w)
{
	int left = w->s->writer.lib->PQflush(w->s->writer.pg);

	w->needs_flush = left > 0;
	if (left < 0)
		lost(w);
}

static void take_mail(struct writer *w)
{
	for (struct mail *m = mailbox_take(&w->s->to_writer), *next; m; m = next) {
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

static void work(struct writer *w)
{
	take_mail(w);
	while (!atomic_load(&w->s->is_dead) && w->queue && w->under_way < GROUPS_UNDER_WAY)
		send_group(w);
	if (!atomic_load(&w->s->is_dead) && w->needs_flush)
		flush(w);
	if (atomic_load(&w->s->is_dead))
		fail_all(w);
}

/* An idle connection is watched as well: the server may end it. */
static void wait_for_news(struct writer *w)
{
	bool is_dead = atomic_load(&w->s->is_dead);
	struct pollfd fds[] = {
		{ .fd = w->s->writer_wake, .events = POLLIN },
		{ .fd = is_dead ? -1 : w->s->writer.lib->PQsocket(w->s->writer.pg),
		  .events = (short)(POLLIN | (w->needs_flush ? POLLOUT : 0)) },
	};
	uint64_t count;

	if (poll(fds, COUNT_OF(fds), -1) < 0)
		return; /* a signal */
	if (fds[0].revents)
		(void)!read(w->s->writer_wake, &count, sizeof count);
	if (fds[1].revents)
		receive(w);
}

void *pg_append_run(void *store)
{
	struct writer w = { .s = store };

	w.queue_end = &w.queue;
	w.last = &w.first;
	for (;;) {
		work(&w);
		if (w.is_closing && !w.queue && !w.first)
			return NULL;
		wait_for_news(&w);
	}
}

/* Statements are prepared before the pipeline begins, so that none of them waits later. */
enum err pg_append_open(struct pg_store *s, struct error *e)
{
	enum err err = pg_conn_open(&s->writer, s->calls.lib, &s->connect, e);

	if (err == OK)
		err = pg_conn_rename(&s->writer, s->connect.schema, s->incarnation, e);
	for (int step = 0; step < PG_STEPS && err == OK; step++)
		err = pg_conn_prepare(&s->writer, pg_slice_sql((enum pg_step)step), e);
	if (err == OK && (s->writer.lib->PQsetnonblocking(s->writer.pg, 1) != 0 ||
	                  !s->writer.lib->PQenterPipelineMode(s->writer.pg)))
		err = pg_conn_error(&s->writer, NULL, e);
	return err;
}
