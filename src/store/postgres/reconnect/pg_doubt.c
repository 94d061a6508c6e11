/*
 * What became of slices in doubt: the sessions' rows are read first, then each session's
 * slices are looked at from the last to the first.
 */
#include "store/postgres/reconnect/pg_doubt.h"

#include "base/os/log.h"

#include <assert.h>

/* A request has at most so many ids. */
#define PAGE 4096

/* A session in question, and its row. */
struct asked {
	struct str id;
	bool is_there; /* or was deleted */
	uint64_t seq, mark;
	struct sha256 hash;
	/* While its slices are looked at from the last one: */
	bool has_committed;      /* one of them is, */
	struct sha256 continues; /* and what came before it had this hash */
};

struct settling {
	struct pg_store *s;
	struct arena *mem;
	struct map by_id;
	struct asked **all;
	size_t count, cap;
};

static struct asked *ask_for(struct settling *t, struct str id)
{
	struct asked *a = map_get(&t->by_id, id);

	if (a)
		return a;
	if (t->count == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 256;

		t->all =
			arena_grow(t->mem, t->all, t->cap * sizeof(*t->all), cap * sizeof(*t->all));
		t->cap = cap;
	}
	a = ARENA_NEW(t->mem, struct asked);
	a->id = id;
	t->all[t->count++] = a;
	map_put(&t->by_id, id, a);
	return a;
}

/* ---- rows ---- */

static enum err read_page(struct settling *t, size_t from, struct error *e)
{
	static const struct pg_sql q = {
		"heads_now",
		"SELECT u.place, coalesce(s.last_seq, r.last_seq),"
		" coalesce(s.last_hash, r.last_hash), coalesce(s.mark, 0)"
		" FROM unnest($1::text[]) WITH ORDINALITY u(id, place)"
		" LEFT JOIN session s ON s.id = u.id LEFT JOIN removed r ON r.id = u.id"
		" WHERE s.id IS NOT NULL OR r.id IS NOT NULL"
	};
	struct pg_args args = { 0 };
	struct buf *ids = pg_args_array(&args, PG_TEXT);
	struct pg_rows rows;
	enum err err;

	for (size_t i = from; i < MIN(from + PAGE, t->count); i++)
		pg_args_put_str(ids, t->all[i]->id);
	err = pg_conn_ask(&t->s->writer, &q, &args, &rows, e);
	for (int i = 0; i < rows.count; i++) {
		struct asked *a = t->all[from + (size_t)pg_conn_i64(&rows, i, 0) - 1];

		a->is_there = pg_conn_hash(&rows, i, 2, &a->hash);
		a->seq = (uint64_t)pg_conn_i64(&rows, i, 1);
		a->mark = (uint64_t)pg_conn_i64(&rows, i, 3);
	}
	pg_conn_rows_done(&rows);
	return err;
}

static enum err read_rows(struct settling *t, struct error *e)
{
	enum err err = OK;

	for (size_t from = 0; from < t->count && err == OK; from += PAGE)
		err = read_page(t, from, e);
	return err;
}

static enum err read_position(struct pg_store *s, uint64_t *ret, struct error *e)
{
	static const struct pg_sql q = { "position_now", "SELECT last_position FROM counter" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask(&s->writer, &q, &none, &rows, e);

	if (err == OK)
		*ret = rows.count ? (uint64_t)pg_conn_i64(&rows, 0, 0) : 0;
	pg_conn_rows_done(&rows);
	return err;
}

/* ---- heads that were reported ---- */

static void compare_head(struct settling *t, const struct pg_head *head)
{
	const struct asked *a = map_get(&t->by_id, head->id);
	uint64_t there = a->is_there ? a->seq : 0;

	if (there > head->seq ||
	    (there == head->seq && memcmp(a->hash.state, head->hash.state, SHA256_BYTES) == 0))
		return;
	/* As many events and another hash: at least the last one is another. */
	there = MIN(there, head->seq - 1);
	if (pg_state_is_behind(t->s, head->id, NULL))
		return;
	log_line(LOG_ERROR, "store",
	         "store_behind: %s lacks the events %llu to %llu of session %.*s, which were "
	         "acknowledged; the session is blocked. Look for the server that has them",
	         t->s->place, (unsigned long long)there + 1, (unsigned long long)head->seq,
	         STR_ARG(head->id));
	pg_state_behind(t->s, head->id, there + 1, head->seq);
}

/* The log of the server is a beginning of ours, so one number tells of sessions not kept. */
static enum err compare_rest(struct settling *t, const struct pg_heads *kept, struct error *e)
{
	uint64_t position = 0;
	enum err err = read_position(t->s, &position, e);

	if (err == OK && position < kept->forgotten_position)
		return fail(e, ERR_STORE,
		            "store_behind: %s ends at position %llu and lacks acknowledged events "
		            "of more sessions than are known here. Look for the server that has "
		            "them; a start continues without them",
		            t->s->place, (unsigned long long)position);
	return err;
}

static enum err compare_all(struct settling *t, const struct pg_heads *kept, struct error *e)
{
	LIST_EACH (&kept->by_age, node)
		compare_head(t, LIST_ITEM(node, struct pg_head, node));
	return compare_rest(t, kept, e);
}

/* ---- slices ---- */

static const struct sha256 *last_hash(const struct slice *sl)
{
	return sl->event_count ? &sl->events[sl->event_count - 1].hash : &sl->prev_hash;
}

static uint64_t last_seq(const struct slice *sl)
{
	return sl->event_count ? sl->events[sl->event_count - 1].seq : sl->prev_seq;
}

static bool is_same(const struct sha256 *a, const struct sha256 *b)
{
	return memcmp(a->state, b->state, SHA256_BYTES) == 0;
}

static bool is_head(const struct asked *a, const struct pg_doubt *d)
{
	if (!a->is_there)
		return false;
	return a->mark == d->mark || (d->slice->event_count && a->seq == last_seq(d->slice) &&
	                              is_same(&a->hash, last_hash(d->slice)));
}

/* Called from a session's last slice to its first. */
static void judge(struct settling *t, struct pg_doubt *d)
{
	struct asked *a = map_get(&t->by_id, d->slice->session);
	bool is_committed =
		a->has_committed ? is_same(&a->continues, last_hash(d->slice)) : is_head(a, d);

	if (pg_state_is_behind(t->s, a->id, NULL)) {
		d->slice->state = SLICE_BEHIND;
	} else if (is_committed) {
		d->slice->state = SLICE_COMMITTED;
		a->has_committed = true;
		a->continues = d->slice->prev_hash;
	} else if (a->has_committed) {
		d->slice->state = SLICE_CONFLICT; /* what came behind it did not continue it */
	}
}

/* ---- positions of those that are there ---- */

static enum err read_positions(struct settling *t, struct pg_doubt *page, size_t count,
                               struct error *e)
{
	static const struct pg_sql q = {
		"positions", "SELECT u.place, c.position FROM unnest($1::text[], $2::bigint[])"
			     " WITH ORDINALITY u(id, seq, place)"
			     " JOIN (SELECT id, session_no FROM session"
			     " UNION ALL SELECT id, session_no FROM removed) s ON s.id = u.id"
			     " JOIN chunk c ON c.session_no = s.session_no AND c.last_seq = u.seq"
	};
	struct pg_args args = { 0 };
	struct buf *ids = pg_args_array(&args, PG_TEXT), *seqs = pg_args_array(&args, PG_INT8);
	struct pg_rows rows;
	enum err err;

	/* Those that are not wanted stay in the list, without a match, for the place of the others. */
	for (size_t i = 0; i < count; i++) {
		bool is_wanted =
			page[i].slice->state == SLICE_COMMITTED && page[i].slice->event_count;

		pg_args_put_str(ids, page[i].slice->session);
		pg_args_put_i64(seqs, is_wanted ? (int64_t)last_seq(page[i].slice) : -1);
	}
	err = pg_conn_ask(&t->s->writer, &q, &args, &rows, e);
	for (int i = 0; i < rows.count; i++)
		page[pg_conn_i64(&rows, i, 0) - 1].slice->first_position =
			(uint64_t)pg_conn_i64(&rows, i, 1);
	pg_conn_rows_done(&rows);
	return err;
}

/* After an error all of them are in doubt as before. */
static enum err judge_all(struct settling *t, struct pg_doubt *all, size_t count, struct error *e)
{
	enum err err = OK;

	for (size_t i = count; i-- > 0;)
		judge(t, &all[i]);
	for (size_t from = 0; from < count && err == OK; from += PAGE)
		err = read_positions(t, all + from, MIN(count - from, (size_t)PAGE), e);
	for (size_t i = 0; i < count && err != OK; i++)
		all[i].slice->state = SLICE_WAITING;
	return err;
}

enum err pg_doubt_settle(struct pg_store *s, const struct pg_heads *kept, struct pg_doubt *all,
                         size_t count, struct error *e)
{
	struct settling t = { .s = s, .mem = arena_new() };
	enum err err;

	LIST_EACH (&kept->by_age, node)
		ask_for(&t, LIST_ITEM(node, struct pg_head, node)->id);
	for (size_t i = 0; i < count; i++) {
		assert(all[i].slice->state == SLICE_WAITING);
		ask_for(&t, all[i].slice->session);
	}
	err = read_rows(&t, e);
	if (err == OK)
		err = compare_all(&t, kept, e);
	if (err == OK)
		err = judge_all(&t, all, count, e);
	map_done(&t.by_id);
	arena_free(t.mem);
	return err;
}
