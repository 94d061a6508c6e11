/* The content of the store, compared with what clients saw. */
#include "crash_run_int.h"

struct question {
	struct store_read read;
	bool is_answered;
};

static void on_answer(struct store_read *r)
{
	OWNER_OF(r, struct question, read)->is_answered = true;
}

static bool ask(struct store *st, struct question *q)
{
	q->is_answered = false;
	q->read.done = on_answer;
	st->ops->read(st, &q->read);
	for (int i = 0; i < 1000 && !q->is_answered; i++)
		st->ops->poll(st);
	if (q->is_answered && (q->read.result == OK || q->read.result == ERR_NOT_FOUND))
		return true;
	if (q->is_answered)
		port_store_read_done(&q->read);
	q->is_answered = false;
	return false;
}

static void find_row(struct crash_run *t, const struct event_row *row, uint64_t *last_position)
{
	struct seen *s = seen_of(t, row->session);

	if (row->position <= *last_position)
		crash_run_fail(t, "positions go back at %.*s %llu", STR_ARG(row->session),
		               (unsigned long long)row->seq);
	*last_position = row->position;
	if (!s->stored)
		s->gone = row->seq - 1;
	else if (row->seq != s->stored + 1)
		crash_run_fail(t, "the store has %.*s %llu after %zu", STR_ARG(row->session),
		               (unsigned long long)row->seq, s->stored);
	s->stored = row->seq;
	seen_event(t, row->session, row->seq, bytes_str(row->body));
}

static void check_events(struct crash_run *t, struct store *st)
{
	struct question q = { 0 };
	uint64_t position = 0;
	bool more = true;

	for (size_t i = 0; i < t->session_count; i++)
		t->sessions[i]->stored = t->sessions[i]->again = t->sessions[i]->gone = 0;
	for (uint64_t after = 0; more && !t->why[0];) {
		q.read = (struct store_read){ .kind = READ_ALL, .after = after };
		if (!ask(st, &q))
			return; /* the power went meanwhile, or the store says so later */
		for (size_t i = 0; i < q.read.event_count; i++)
			find_row(t, &q.read.events[i], &position);
		after = q.read.scanned;
		more = q.read.more;
		port_store_read_done(&q.read);
	}
	for (size_t i = 0; i < t->session_count; i++) {
		const struct seen *s = t->sessions[i];

		if (s->is_deleted && s->stored)
			crash_run_fail(t, "%.*s was deleted, and the store has event %zu",
			               STR_ARG(s->id), s->stored);
		if (!s->is_deleted && s->stored < invariant_count(s->log))
			crash_run_fail(t, "%.*s was seen through %zu, the store has %zu",
			               STR_ARG(s->id), invariant_count(s->log), s->stored);
		if (s->gone > s->floor)
			crash_run_fail(t, "%.*s was removed through %llu, its events say %llu",
			               STR_ARG(s->id), (unsigned long long)s->gone,
			               (unsigned long long)s->floor);
	}
}

static void check_head(struct crash_run *t, struct store *st, struct seen *s)
{
	struct question q = { .read = { .kind = READ_HEAD, .session = s->id } };
	struct sha256 hash = { 0 };

	for (size_t i = 0; i < s->stored; i++)
		hash = sha256_link(&hash, invariant_line(s->log, i));
	if (!ask(st, &q))
		return;
	if (q.read.head_seq != s->stored || !sha256_eq(&q.read.head_hash, &hash))
		crash_run_fail(t, "the head of %.*s is not that of its events", STR_ARG(s->id));
	port_store_read_done(&q.read);
}

/* The store knows that it was there, so that its id stays taken. */
static void check_deleted(struct crash_run *t, struct store *st, const struct seen *s)
{
	struct question q = { .read = { .kind = READ_HEAD, .session = s->id } };

	if (!ask(st, &q))
		return;
	if (!q.read.is_removed || q.read.head_seq)
		crash_run_fail(t, "the store does not know that %.*s was deleted", STR_ARG(s->id));
	port_store_read_done(&q.read);
}

static void check_snapshot(struct crash_run *t, struct store *st, struct seen *s)
{
	struct question q = { .read = { .kind = READ_SNAPSHOT, .session = s->id } };
	struct arena *mem = arena_new();
	struct state *w = state_new();

	q.read.snapshot_version = arena_printf(mem, "%d", FOLD_VERSION);
	if (ask(st, &q) && q.read.result == OK) {
		for (size_t i = 0; i < q.read.snapshot_seq && i < s->stored; i++)
			state_fold(w, invariant_event(s->log, i));
		if (!str_eq(state_text(mem, w), q.read.snapshot))
			crash_run_fail(t,
			               "the snapshot of %.*s at %llu is not what its events make",
			               STR_ARG(s->id), (unsigned long long)q.read.snapshot_seq);
	}
	if (q.is_answered)
		port_store_read_done(&q.read);
	state_free(w);
	arena_free(mem);
}

/* Heartbeats of workers leave no events: only they know when a session is due. */
static bool has_leased_item(const struct state *w)
{
	for (uint32_t i = 0; i < w->s->jobs.count; i++) {
		const struct st_job *j = w->s->jobs.items[i];

		for (uint32_t n = 0; n < j->running.count; n++)
			if (j->running.items[n]->lease_until)
				return true;
	}
	return false;
}

static bool has_leased_run(const struct state *w)
{
	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		const struct st_task *t = w->s->tasks.items[i];

		for (uint32_t n = 0; n < t->attempts.count; n++)
			if (!t->attempts.items[n]->ended_at && t->attempts.items[n]->worker &&
			    t->attempts.items[n]->worker->lease_until)
				return true;
	}
	return false;
}

static bool follows_leases(const struct seen *s, const struct index_row *r)
{
	const struct state *w = invariant_state(s->log);

	return r->table == INDEX_TIMER && (has_leased_run(w) || has_leased_item(w));
}

/* A provider's limits are stored once for all sessions: the last session to learn of them has the row. */
static bool is_of_another(const struct seen *s, const struct index_row *r,
                          const struct index_found *found)
{
	return str_eq(r->parent, STR("limits")) && !str_eq(found->session, s->id);
}

static bool has_deleted(const struct crash_run *t)
{
	for (size_t i = 0; i < t->session_count; i++)
		if (t->sessions[i]->is_deleted)
			return true;
	return false;
}

static void check_row(struct crash_run *t, struct store *st, const struct seen *s,
                      const struct index_row *r)
{
	struct question q = { .read = { .kind = READ_INDEX, .table = r->table, .key = r->key } };
	const struct index_found *found;

	if (!ask(st, &q))
		return;
	found = q.read.row_count ? &q.read.rows[0] : NULL;
	if (!found && has_deleted(t) && str_eq(r->parent, STR("limits")))
		(void)0; /* it went with the session that learned of them last */
	else if (r->remove ? found != NULL : found == NULL)
		crash_run_fail(t, "row %.*s of table %d %s", STR_ARG(r->key), r->table,
		               r->remove ? "should be gone" : "is missing");
	else if (found && !is_of_another(s, r, found) &&
	         (!str_eq(found->session, s->id) || !str_eq(found->status, r->status) ||
	          !str_eq(found->parent, r->parent) || !str_eq(found->body, r->body) ||
	          (found->at != r->at && !follows_leases(s, r)) || found->open != r->open))
		crash_run_fail(
			t,
			"row %.*s of table %d is (%.*s, %.*s, %lld, %d, %.*s), its log makes it "
			"(%.*s, %.*s, %lld, %d, %.*s)",
			STR_ARG(r->key), r->table, STR_ARG(found->status), STR_ARG(found->parent),
			(long long)found->at, found->open, STR_ARG(str_head(found->body, 200)),
			STR_ARG(r->status), STR_ARG(r->parent), (long long)r->at, r->open,
			STR_ARG(str_head(r->body, 200)));
	port_store_read_done(&q.read);
}

static void check_rows(struct crash_run *t, struct store *st, struct seen *s)
{
	struct rows rows = { .mem = arena_new() };

	if (invariant_count(s->log))
		invariant_rows(s->log, &rows);
	for (size_t i = 0; i < rows.count && !t->why[0]; i++)
		check_row(t, st, s, &rows.items[i]);
	arena_free(rows.mem);
}

void store_check(struct crash_run *t, struct store *st)
{
	check_events(t, st);
	for (size_t i = 0; i < t->session_count && !t->why[0]; i++) {
		if (t->sessions[i]->is_deleted) {
			check_deleted(t, st, t->sessions[i]);
			continue;
		}
		check_head(t, st, t->sessions[i]);
		check_snapshot(t, st, t->sessions[i]);
		check_rows(t, st, t->sessions[i]);
	}
}
