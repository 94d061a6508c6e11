/*
 * The log of all sessions, merged by position.
 *
 * Chunks follow each other in position; packs of different sessions overlap.  A page
 * looks at one window of positions after the other: it collects the events of all rows
 * that reach into the window, sorts them, and opens the rows whose events it takes.
 */
#include "store/postgres/pg_read.h"

#include <stdlib.h>

#define WINDOW 256u             /* positions; a page takes no more */
#define WINDOW_MAX 20           /* windows that one page looks at, when a filter matches little */
#define CHUNK_BYTES (512 << 10) /* of chunks that are fetched at a time */

/*
 * Both statements touch a few rows of large tables, which no planner can know from their parameters:
 * OFFSET 0 keeps each part a lookup of its own.  Otherwise packs are found by their ends, which are
 * all later ones, and sessions by reading their table: a page then costs as much as the log is long.
 */
#define ID_OF_ROW                                                                                  \
	" CROSS JOIN LATERAL (SELECT id FROM session WHERE session_no = r.session_no OFFSET 0) s"

/*
 * Up to the first chunk that reaches the end of the window.  `total` tells whether the
 * bound of bytes has cut the list.
 */
static const struct pg_sql chunks = {
	"all_chunks",
	"SELECT " PG_SPAN_CHUNK ", id, total FROM (SELECT c.*, count(*) OVER () AS total,"
	" sum(octet_length(body)) OVER (ORDER BY last_position) - octet_length(body) AS before"
	" FROM (SELECT session_no, first_seq, last_seq, position, last_position, prev_hash,"
	" last_hash, head, journal, s.id, CASE WHEN bit_count(types & $4::bit(256)) > 0"
	" THEN body ELSE ''::bytea END AS body FROM chunk r" ID_OF_ROW
	" WHERE last_position > $1::bigint AND last_position <= coalesce((SELECT min(last_position)"
	" FROM chunk WHERE last_position >= $2::bigint), $2::bigint)) c) c"
	" WHERE before < $3::bigint ORDER BY last_position"
};

/*
 * A pack of span n covers fewer than 2^n positions, so those that reach into the window
 * begin at most that far before it.  Texts are fetched when they are needed.
 */
static const struct pg_sql packs = {
	"all_packs", "SELECT pack_no, session_no, first_seq, last_seq, position, prev_hash, "
		     "last_hash, head,"
		     " ''::bytea, ''::bytea, s.id FROM generate_series(0, 62) g"
		     " CROSS JOIN LATERAL (SELECT * FROM pack WHERE span = g"
		     " AND position > $1::bigint - (1::bigint << g) AND position <= $2::bigint"
		     " AND last_position + 0 > $1::bigint OFFSET 0) r" ID_OF_ROW
};

static const struct pg_sql pack_text = { "all_pack_text",
	                                 "SELECT body FROM pack WHERE pack_no = $1::bigint" };

/* A row that reaches into the window. */
struct source {
	struct pg_span span;
	struct str id;
	bool is_bad, is_open;
	size_t next, at; /* the place in its text where the next event begins */
};

/* An event in the window. */
struct found {
	uint64_t position;
	size_t source, item;
};

struct weave {
	struct arena *mem;
	uint64_t from, to; /* the window: from < position <= to */
	struct source *sources;
	size_t source_count;
	struct found *found;
	size_t count, cap;
};

/* ---- collecting ---- */

static void found_add(struct weave *w, struct found f)
{
	if (w->count == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 512;

		w->found = arena_grow(w->mem, w->found, w->cap * sizeof f, cap * sizeof f);
		w->cap = cap;
	}
	w->found[w->count++] = f;
}

/* A row whose head cannot be read is reported once, at its first position. */
static void add_items(struct weave *w, size_t at, uint64_t first_position)
{
	const struct source *src = &w->sources[at];

	if (src->is_bad && first_position > w->from && first_position <= w->to)
		found_add(w, (struct found){ first_position, at, 0 });
	for (size_t i = 0; !src->is_bad && i < src->span.pack.count; i++) {
		uint64_t position = src->span.pack.items[i].position;

		if (position > w->from && position <= w->to)
			found_add(w, (struct found){ position, at, i });
	}
}

static void add_sources(struct weave *w, const struct pg_rows *rows)
{
	size_t count = w->source_count + (size_t)rows->count;

	w->sources = arena_grow(w->mem, w->sources, w->source_count * sizeof *w->sources,
	                        count * sizeof *w->sources);
	for (int i = 0; i < rows->count; i++) {
		struct source *src = &w->sources[w->source_count++];

		src->is_bad = !pg_span_head(w->mem, rows, i, &src->span);
		src->id = pg_conn_str(rows, i, PG_SPAN_COLUMNS);
		add_items(w, w->source_count - 1, (uint64_t)pg_conn_i64(rows, i, 4));
	}
}

/* May make the window smaller.  The rows hold the texts until the window is done. */
static enum err find_chunks(struct pg_store *s, struct store_read *r, struct weave *w,
                            struct pg_rows *ret)
{
	struct pg_args args = { 0 };
	enum err err;

	pg_args_i64(&args, as_int(w->from));
	pg_args_i64(&args, as_int(w->to));
	pg_args_i64(&args, CHUNK_BYTES);
	pg_page_put_types(&args, r);
	err = pg_conn_ask(&s->reader, &chunks, &args, ret, &r->error);
	if (err != OK || !ret->count)
		return err;
	if (pg_conn_i64(ret, 0, PG_SPAN_COLUMNS + 1) > ret->count) {
		struct pg_span span;

		(void)!pg_span_head(w->mem, ret, ret->count - 1, &span);
		w->to = MIN(w->to, (uint64_t)pg_conn_i64(ret, ret->count - 1, 4) +
		                           (span.last_seq - span.first_seq));
	}
	add_sources(w, ret);
	return OK;
}

static enum err find_packs(struct pg_store *s, struct store_read *r, struct weave *w,
                           struct pg_rows *ret)
{
	struct pg_args args = { 0 };
	enum err err;

	pg_args_i64(&args, as_int(w->from));
	pg_args_i64(&args, as_int(w->to));
	err = pg_conn_ask(&s->reader, &packs, &args, ret, &r->error);
	if (err == OK)
		add_sources(w, ret);
	return err;
}

static int by_position(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->position > y->position) - (x->position < y->position);
}

/* ---- taking ---- */

static enum err fetch_text(struct pg_store *s, struct store_read *r, struct weave *w,
                           struct source *src)
{
	struct pg_args args = { 0 };
	struct pg_rows rows;
	enum err err;

	pg_args_i64(&args, src->span.pack_no);
	err = pg_conn_ask(&s->reader, &pack_text, &args, &rows, &r->error);
	if (err == OK && rows.count)
		src->span.body = arena_keep(w->mem, pg_conn_str(&rows, 0, 0));
	pg_conn_rows_done(&rows);
	return err;
}

/* Opens the row when its first event is taken.  A damaged one has `sound` events. */
static enum err source_open(struct pg_store *s, struct store_read *r, struct weave *w,
                            struct source *src)
{
	enum err err = OK;

	if (src->is_open)
		return OK;
	src->is_open = true;
	if (src->span.pack_no)
		err = fetch_text(s, r, w, src);
	if (err == OK)
		(void)!pg_span_text(w->mem, &src->span);
	return err;
}

/* Events of a row are taken in its order, so its text is passed once. */
static enum err take_event(struct pg_store *s, struct store_read *r, struct weave *w,
                           const struct found *f)
{
	struct source *src = &w->sources[f->source];
	struct event_row *row = &r->events[r->event_count];
	uint64_t seq = src->span.first_seq + f->item;
	enum err err = source_open(s, r, w, src);

	if (err != OK)
		return err;
	if (f->item >= src->span.sound)
		return pg_page_damaged(s, r, src->id, seq, seq, "is not what was written");
	for (; src->next < f->item; src->next++)
		src->at += src->span.pack.items[src->next].len;
	*row = pg_span_row(&src->span, f->item, src->at);
	row->session = arena_keep(r->mem, src->id);
	r->event_count++;
	return OK;
}

static enum err take_found(struct pg_store *s, struct store_read *r, struct pg_page *page,
                           struct weave *w)
{
	enum err err = OK;

	for (size_t i = 0; i < w->count && err == OK && !r->more; i++) {
		const struct found *f = &w->found[i];
		const struct source *src = &w->sources[f->source];
		const struct pack_item *item;

		if (src->is_bad) {
			r->scanned = f->position;
			return pg_page_damaged(s, r, src->id, src->span.first_seq,
			                       src->span.last_seq, "is not what was written");
		}
		item = &src->span.pack.items[f->item];
		if (pg_page_offer(r, page, item->type, item->len, f->position) == PG_TAKE)
			err = take_event(s, r, w, f);
	}
	if (err == OK && !r->more)
		r->scanned = w->to;
	return err;
}

/* One window; *ret_empty: nothing is in it. */
static enum err take_window(struct pg_store *s, struct store_read *r, struct pg_page *page,
                            uint64_t to, bool has_packs, bool *ret_empty)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct weave w = { .mem = mem, .from = r->scanned, .to = to };
	struct pg_rows chunk_rows = { 0 }, pack_rows = { 0 };
	enum err err = find_chunks(s, r, &w, &chunk_rows);

	if (err == OK && has_packs)
		err = find_packs(s, r, &w, &pack_rows);
	if (err == OK && w.count)
		qsort(w.found, w.count, sizeof *w.found, by_position);
	if (err == OK)
		err = take_found(s, r, page, &w);
	*ret_empty = w.count == 0;
	pg_conn_rows_done(&chunk_rows);
	pg_conn_rows_done(&pack_rows);
	return err;
}

/* The last position of a chunk and of an event in a pack; 0: none. */
static enum err read_ends(struct pg_store *s, struct store_read *r, uint64_t *ret_chunk,
                          uint64_t *ret_pack)
{
	static const struct pg_sql q = { "all_ends",
		                         "SELECT (SELECT max(last_position) FROM chunk),"
		                         " (SELECT max(last_position) FROM pack)" };
	struct pg_args none = { 0 };
	struct pg_rows rows;
	enum err err = pg_conn_ask(&s->reader, &q, &none, &rows, &r->error);

	if (err == OK) {
		*ret_chunk = (uint64_t)pg_conn_i64(&rows, 0, 0);
		*ret_pack = (uint64_t)pg_conn_i64(&rows, 0, 1);
	}
	pg_conn_rows_done(&rows);
	return err;
}

/* Retention leaves long ranges without events, so the window grows while it is empty. */
enum err pg_all_read(struct pg_store *s, struct store_read *r)
{
	struct pg_page page = pg_page_of(r);
	uint64_t last_chunk = 0, last_pack = 0, size = WINDOW, end;
	enum err err = read_ends(s, r, &last_chunk, &last_pack);

	r->events = ARENA_ARRAY(r->mem, struct event_row, page.max_rows);
	r->scanned = r->after;
	end = MAX(last_chunk, last_pack);
	for (int i = 0; err == OK && !r->more && r->scanned < end && i < WINDOW_MAX; i++) {
		bool is_empty = false;

		err = take_window(s, r, &page, MIN(r->scanned + size, end), last_pack > r->scanned,
		                  &is_empty);
		size = is_empty ? size * 4 : WINDOW;
	}
	if (err == OK && r->scanned < end)
		r->more = true;
	if (err != OK && !r->is_corrupt) { /* a page must not have gaps */
		for (size_t i = 0; i < r->event_count; i++)
			bytes_unref(r->events[i].body);
		r->event_count = 0;
	}
	return err;
}
