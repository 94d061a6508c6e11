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
 * A slice without events leaves no trace in its session's head.  So that its mark tells later
 * whether it was committed, nothing follows a group that has such a slice until the reply.
 *
 * A connection that is pooled sends the settings of the transaction first, and texts of
 * statements instead of their names; and no group before the one before it is answered, because
 * PgBouncer takes the server away at the reply to a Sync, whatever of the next group is there.
 *
 * A commit is known by the Sync's reply.  When the connection breaks before it, or the
 * server cannot write now, the groups under way are in doubt and the link is away
 * (pg_state.c).  They stay where they are until another connection tells what became of
 * them; then their batches lead the queue, and what is decided of them is not sent again.
 */
#include "store/postgres/pg_slice.h"
#include "store/postgres/pg_store.h"
#include "store/postgres/reconnect/pg_fence.h"

#include "base/memory.h"
#include "base/os/clock.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* One transaction takes this much, unless a single batch is larger. */
#define GROUP_BYTES (4u << 20)
#define GROUPS_UNDER_WAY 2
/* At the close, a commit that has no reply after this time stays in doubt. */
#define CLOSE_MS 10000

/* A statement whose reply is awaited; PG_STEPS: the settings. */
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
	bool is_bare;       /* it has slices without events */
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
	int64_t closing_ms; /* since when */
	struct pg_heads heads;
	struct pg_retry retry;
	struct pg_backend before; /* of the connection that broke; what it did must be over */
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
		is_sent = c->is_pooled
		                  ? c->lib->PQsendQueryParams(c->pg, pg_slice_sql(step)->text,
		                                              args.count, NULL, at.values,
		                                              at.lengths, at.formats, 1)
		                  : c->lib->PQsendQueryPrepared(c->pg, pg_slice_sql(step)->name,
		                                                args.count, at.values, at.lengths,
		                                                at.formats, 1);
		note_sent(g, step, set);
	}
	pg_args_done(&args);
	return is_sent;
}

static bool send_settings(struct writer *w, struct group *g)
{
	struct pg_conn *c = &w->s->writer;

	if (!c->is_pooled)
		return true;
	note_sent(g, PG_STEPS, NULL);
	return c->lib->PQsendQueryParams(c->pg, c->settings, 0, NULL, NULL, NULL, NULL, 1);
}

static bool send_set(struct writer *w, struct group *g, struct pg_set *set)
{
	bool is_sent = true;

	set->mark = ((uint64_t)w->s->incarnation << 40) + w->s->next_mark++;
	for (int step = 0; step < PG_STEPS && is_sent; step++)
		is_sent = send_step(w, g, set, (enum pg_step)step);
	return is_sent;
}

/* False: its outcome is known, from the time when it was in doubt or because it is behind. */
static bool is_wanted(struct writer *w, struct slice *sl)
{
	if (sl->state == SLICE_WAITING && pg_state_is_behind(w->s, sl->session, NULL))
		sl->state = SLICE_BEHIND;
	return sl->state == SLICE_WAITING;
}

/* The slices of all batches, in as few sets as their order allows. */
static bool send_slices(struct writer *w, struct group *g)
{
	struct pg_set *set = ARENA_NEW(g->mem, struct pg_set);
	bool is_sent = true;

	for (struct mail *m = g->first; m && is_sent; m = m->next)
		for (struct slice *sl = job_of(m)->batch->first; sl && is_sent; sl = sl->next) {
			if (!is_wanted(w, sl))
				continue;
			if (!pg_slice_fits(set, sl)) {
				is_sent = send_set(w, g, set);
				set = ARENA_NEW(g->mem, struct pg_set);
			}
			pg_slice_add(set, sl);
			g->is_bare |= !sl->event_count;
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

static void note_heads(struct writer *w, const struct batch *b)
{
	bool is_any = false;

	for (const struct slice *sl = b->first; sl; sl = sl->next)
		if (sl->state == SLICE_COMMITTED && sl->event_count) {
			const struct store_event *last = &sl->events[sl->event_count - 1];

			pg_heads_note(&w->heads, sl->session, last->seq, &last->hash,
			              sl->first_position + sl->event_count - 1);
			is_any = true;
		}
	if (is_any)
		pg_hint_committed(w->s);
}

static void drop_first_group(struct writer *w)
{
	struct group *g = w->first;

	w->first = g->next;
	if (!w->first)
		w->last = &w->first;
	w->under_way--;
	arena_free(g->mem);
}

/* Groups are answered in the order in which they were sent. */
static void group_answer(struct writer *w, struct group *g)
{
	for (struct mail *m = g->first, *next; m; m = next) {
		next = m->next; /* posting gives the job away */
		answer_batch(g, job_of(m)->batch);
		note_heads(w, job_of(m)->batch);
		mailbox_post(&w->s->answered, m);
	}
	drop_first_group(w);
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
	pg_state_reached(s, g->last_position);
	atomic_store(&s->last_commit_us, (uint64_t)(clock_mono_ns() - g->began_ns) / 1000);
}

/* What replies said of slices counts with the commit only. */
static void forget_replies(struct group *g)
{
	for (size_t i = 0; i < g->sent_count; i++)
		for (size_t n = 0; g->sent[i].step == PG_STEP_HEADS && n < g->sent[i].set->count;
		     n++) {
			g->sent[i].set->slices[n]->state = SLICE_WAITING;
			g->sent[i].set->slices[n]->first_position = 0;
		}
	g->slices = g->events = g->bytes = g->sessions = g->last_position = 0;
}

/* The store ends or closes: what is under way stays in doubt, what waits was never sent. */
static void fail_all(struct writer *w, const struct error *why)
{
	struct mail *m, *next;

	while (w->first) {
		forget_replies(w->first);
		w->first->error = *why;
		group_answer(w, w->first);
	}
	for (m = w->queue, w->queue = NULL, w->queue_end = &w->queue; m; m = next) {
		next = m->next;
		pg_state_fail_batch(job_of(m)->batch, why);
		mailbox_post(&w->s->answered, m);
	}
}

/* The link goes away, or the store ends.  Groups under way stay, in doubt. */
static void go_away(struct writer *w, const struct error *why)
{
	struct pg_store *s = w->s;

	if (atomic_load(&s->is_dead))
		return;
	for (struct group *g = w->first; g; g = g->next)
		forget_replies(g);
	w->before = s->writer.backend;
	w->needs_flush = false;
	pg_conn_break(&s->writer);
	if (why->code != ERR_UNAVAILABLE) {
		pg_state_fail(s, why);
		return;
	}
	pg_state_move(s, PG_LINK_AWAY);
	pg_state_away(s, PG_USER_WRITER, why);
	pg_state_retry_later(&w->retry);
}

/* Until a commit succeeds the server may take connections and still not write. */
static void note_working(struct writer *w)
{
	if (!w->retry.tries)
		return;
	w->retry = (struct pg_retry){ 0 };
	pg_state_back(w->s, PG_USER_WRITER);
}

/* The server may have said why before it closed the connection. */
static void lost(struct writer *w)
{
	struct error e;

	w->s->writer.is_lost = true;
	(void)pg_conn_error(&w->s->writer, NULL, &e);
	go_away(w, w->first && w->first->error.code ? &w->first->error : &e);
}

static void group_end(struct writer *w, struct group *g)
{
	if (g->error.code && g->error.code != ERR_INVALID) {
		go_away(w, &g->error);
		return;
	}
	if (g->error.code)
		forget_replies(g);
	else
		count_commit(w->s, g);
	note_working(w);
	group_answer(w, g);
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
			pg_state_taken(&g->error);
		else if (place > 0 && (size_t)place <= set->count)
			note_matched(g, set->slices[place - 1], is,
			             (uint64_t)pg_conn_i64(rows, i, 2));
		else if (place < 0 && (size_t)-place <= set->count)
			set->slices[-place - 1]->state = SLICE_FENCED;
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
	while (is_more && c->pg && !c->lib->PQisBusy(c->pg))
		is_more = take_result(w, c->lib->PQgetResult(c->pg));
	if (c->pg && c->lib->PQstatus(c->pg) != CONNECTION_OK)
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
	if (!send_settings(w, g) || !send_slices(w, g) || !c->lib->PQpipelineSync(c->pg))
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
			w->closing_ms = clock_mono_ms();
			memory_free(job_of(m));
			continue;
		}
		m->next = NULL;
		*w->queue_end = m;
		w->queue_end = &m->next;
	}
}

/* ---- after the connection broke ---- */

static void drain_wake(struct writer *w)
{
	uint64_t count;

	(void)!read(w->s->writer_wake, &count, sizeof count);
}

/* Asked while the server is waited for. */
static bool is_over(void *arg)
{
	struct writer *w = arg;

	drain_wake(w);
	take_mail(w);
	return w->is_closing || atomic_load(&w->s->is_dead);
}

/* All slices under way, in the order in which they were sent. */
static struct pg_doubt *list_doubts(struct writer *w, struct arena *mem, size_t *ret_count)
{
	struct pg_doubt *all = NULL;
	size_t count = 0, cap = 0;

	for (struct group *g = w->first; g; g = g->next)
		for (size_t i = 0; i < g->sent_count; i++) {
			struct pg_set *set = g->sent[i].set;

			if (g->sent[i].step != PG_STEP_HEADS)
				continue;
			if (count + set->count > cap) {
				size_t more = (cap + set->count) * 2;

				all = arena_grow(mem, all, cap * sizeof *all, more * sizeof *all);
				cap = more;
			}
			for (size_t n = 0; n < set->count; n++)
				all[count++] = (struct pg_doubt){ set->slices[n], set->mark };
		}
	*ret_count = count;
	return all;
}

static void count_settled(struct pg_store *s, const struct pg_doubt *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct slice *sl = all[i].slice;

		if (sl->state != SLICE_COMMITTED)
			continue;
		atomic_fetch_add(&s->events, sl->event_count);
		atomic_fetch_add(&s->bytes, body_bytes(sl));
		atomic_fetch_add(&s->sessions, sl->prev_seq == 0);
		if (sl->event_count)
			pg_state_reached(s, sl->first_position + sl->event_count - 1);
	}
	if (count)
		atomic_fetch_add(&s->commits, 1);
}

/* Their batches lead the queue, in their order. */
static void requeue(struct writer *w)
{
	struct mail *first = NULL, **end = &first;

	while (w->first) {
		*end = w->first->first;
		while (*end)
			end = &(*end)->next;
		drop_first_group(w);
	}
	*end = w->queue;
	if (!w->queue)
		w->queue_end = end;
	w->queue = first;
	if (!first)
		w->queue_end = &w->queue;
}

static enum err settle(struct writer *w, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	size_t count;
	struct pg_doubt *all = list_doubts(w, mem, &count);
	struct pg_wait wait = { .wake = w->s->writer_wake, .stop = is_over, .arg = w };
	enum err err = pg_fence_close(w->s, all, count, &wait, e);

	if (err == OK)
		err = pg_doubt_settle(w->s, &w->heads, all, count, e);

	if (err == OK) {
		count_settled(w->s, all, count);
		requeue(w);
	}
	return err;
}

static enum err open_link(struct pg_store *s, bool is_again, struct error *e)
{
	struct pg_conn_options o = s->connect;
	enum err err;

	o.is_again = is_again;
	err = pg_conn_open(&s->writer, s->start.lib, &o, e);
	return err == OK ? pg_conn_rename(&s->writer, s->connect.schema, s->incarnation, e) : err;
}

/* Statements are prepared before the pipeline begins, so that none of them waits later. */
static enum err begin_pipeline(struct pg_store *s, struct error *e)
{
	enum err err = OK;

	for (int step = 0; step < PG_STEPS && err == OK; step++)
		err = pg_conn_prepare(&s->writer, pg_slice_sql((enum pg_step)step), e);
	if (err == OK && (s->writer.lib->PQsetnonblocking(s->writer.pg, 1) != 0 ||
	                  !s->writer.lib->PQenterPipelineMode(s->writer.pg)))
		err = pg_conn_error(&s->writer, NULL, e);
	return err;
}

/* Once the connection before is buried, this one is what the next try has to bury. */
static enum err check_link(struct writer *w, struct error *e)
{
	struct pg_store *s = w->s;
	enum err err;

	pg_state_move(s, PG_LINK_CHECKING);
	err = pg_conn_bury(&s->writer, &w->before, e);
	if (err != OK)
		return err;
	w->before = s->writer.backend;
	err = pg_start_check_again(s, is_over, w, e);
	if (err == OK)
		err = settle(w, e);
	return err == OK ? begin_pipeline(s, e) : err;
}

static void connect_again(struct writer *w)
{
	struct pg_store *s = w->s;
	struct error e;
	enum err err;

	pg_state_move(s, PG_LINK_CONNECTING);
	err = open_link(s, true, &e);
	if (err == OK)
		err = check_link(w, &e);
	if (err == OK) {
		pg_state_move(s, PG_LINK_LIVE);
		if (!w->queue)
			note_working(w);
		return;
	}
	pg_conn_break(&s->writer);
	if (err != ERR_UNAVAILABLE) {
		pg_state_fail(s, &e);
		return;
	}
	pg_state_move(s, PG_LINK_AWAY);
	pg_state_away(s, PG_USER_WRITER, &e);
	pg_state_retry_later(&w->retry);
}

/* ---- the thread ---- */

static bool is_live(const struct writer *w)
{
	return w->s->writer.pg && !atomic_load(&w->s->is_dead);
}

static bool may_send(const struct writer *w)
{
	size_t most = w->s->connect.is_pooled ? 1 : GROUPS_UNDER_WAY;

	return is_live(w) && w->queue && w->under_way < most && !(w->first && w->first->is_bare);
}

static void work(struct writer *w)
{
	struct error why;

	take_mail(w);
	if (!w->s->writer.pg && !atomic_load(&w->s->is_dead) && !w->is_closing &&
	    pg_state_retry_in(&w->retry) == 0)
		connect_again(w);
	while (may_send(w))
		send_group(w);
	if (is_live(w) && w->needs_flush)
		flush(w);
	if (pg_state_is_dead(w->s, &why))
		fail_all(w, &why);
}

/* The store closes and cannot wait for the server any longer. */
static void give_up(struct writer *w)
{
	struct error why;

	fail(&why, ERR_UNAVAILABLE,
	     "store_lost: the store was closed before PostgreSQL confirmed the commit; it may "
	     "have taken place");
	fail_all(w, &why);
}

static int patience(const struct writer *w)
{
	if (w->is_closing)
		return (int)MAX(0, w->closing_ms + CLOSE_MS - clock_mono_ms());
	return is_live(w) || atomic_load(&w->s->is_dead) ? -1 : pg_state_retry_in(&w->retry);
}

/* An idle connection is watched as well: the server may end it. */
static void wait_for_news(struct writer *w)
{
	struct pg_conn *c = &w->s->writer;
	struct pollfd fds[] = {
		{ .fd = w->s->writer_wake, .events = POLLIN },
		{ .fd = is_live(w) ? c->lib->PQsocket(c->pg) : -1,
		  .events = (short)(POLLIN | (w->needs_flush ? POLLOUT : 0)) },
	};

	if (poll(fds, COUNT_OF(fds), patience(w)) < 0)
		return; /* a signal */
	if (fds[0].revents)
		drain_wake(w);
	if (fds[1].revents)
		receive(w);
}

static bool is_done(struct writer *w)
{
	if (!w->is_closing)
		return false;
	if (!is_live(w) || clock_mono_ms() >= w->closing_ms + CLOSE_MS)
		give_up(w);
	return !w->queue && !w->first;
}

void *pg_append_run(void *store)
{
	struct writer w = { .s = store };

	w.queue_end = &w.queue;
	w.last = &w.first;
	pg_heads_init(&w.heads);
	for (;;) {
		work(&w);
		if (is_done(&w))
			break;
		wait_for_news(&w);
	}
	pg_heads_done(&w.heads);
	return NULL;
}

enum err pg_append_open(struct pg_store *s, struct error *e)
{
	enum err err = open_link(s, false, e);

	memcpy(s->server, s->writer.backend.server, sizeof s->server);
	return err == OK ? begin_pipeline(s, e) : err;
}
