/*
 * Pages of events.  A session's log is packs, then rows; the log of all
 * sessions is both, woven together by position.
 */
#include "store/sqlite_int.h"

#include <assert.h>
#include <stdlib.h>

/* A page whose filter matches nothing stops after this many rows, so that others get their turn. */
#define SCAN_ROWS 4096

/* Positions that are looked at together when packs and rows have to be woven. */
#define WINDOW 1024u

/* ---- packs ---- */

static enum err pack_damaged(struct sqlite_store *s, const struct pack_row *row, struct error *e)
{
	return fail(e, ERR_INVALID, "%s is damaged: the pack of events %llu to %llu", s->path,
	            (unsigned long long)row->first_seq, (unsigned long long)row->last_seq);
}

enum err pack_row_head(struct sqlite_store *s, sqlite3_stmt *st, struct arena *mem,
                       struct pack_row *ret, struct error *e)
{
	*ret = (struct pack_row){
		.no = sqlite3_column_int64(st, 0),
		.session_no = sqlite3_column_int64(st, 1),
		.first_seq = (uint64_t)sqlite3_column_int64(st, 2),
		.last_seq = (uint64_t)sqlite3_column_int64(st, 3),
	};
	if (!column_hash(st, 5, &ret->prev_hash) || !column_hash(st, 6, &ret->last_hash) ||
	    !pack_read_head(mem, column_str(st, 7), (uint64_t)sqlite3_column_int64(st, 4),
	                    &ret->pack) ||
	    ret->pack.count != ret->last_seq - ret->first_seq + 1)
		return pack_damaged(s, ret, e);
	return OK;
}

/*
 * A body that does not fit its mark gets a hash that it does not fit either,
 * so that whoever checks the chain stops there.
 */
static void chain(struct pack_row *row)
{
	struct sha256 hash = row->prev_hash;
	size_t at = 0;

	for (size_t i = 0; i < row->pack.count; i++) {
		const struct pack_item *item = &row->pack.items[i];

		hash = pack_link(&hash, item, str_of(row->pack.text.ptr + at, item->len));
		at += item->len;
		row->hashes[i] = hash;
		memcpy(row->hashes[i].state, item->mark, sizeof item->mark);
	}
	row->hashes[row->pack.count - 1] = row->last_hash;
}

enum err pack_row_text(struct sqlite_store *s, sqlite3_stmt *st, struct arena *mem,
                       struct pack_row *row, struct error *e)
{
	if (!pack_read_text(mem, column_str(st, 8), &row->pack))
		return pack_damaged(s, row, e);
	row->hashes = ARENA_ARRAY(mem, struct sha256, row->pack.count);
	chain(row);
	return OK;
}

static struct event_row row_of_item(const struct pack_row *row, size_t i, size_t at)
{
	const struct pack_item *item = &row->pack.items[i];

	return (struct event_row){
		.position = item->position,
		.seq = row->first_seq + i,
		.type = item->type,
		.hash = row->hashes[i],
		.body = bytes_new(str_of(row->pack.text.ptr + at, item->len)),
		.is_erased = item->is_erased,
		.digest = item->digest,
	};
}

/* ---- what a page takes in ---- */

static bool is_wanted(const struct store_read *r, uint32_t type)
{
	return !r->types || (type < 256 && (r->types[type / 64] >> type % 64 & 1));
}

enum offer { OFFER_TAKE, OFFER_SKIP, OFFER_STOP };

/* The event at `cursor` is next.  STOP: it does not fit, and the page ends before it. */
static enum offer offer(struct store_read *r, struct page *page, size_t taken, uint32_t type,
                        size_t len, uint64_t cursor)
{
	bool wanted = is_wanted(r, type);

	if (page->looked_at == SCAN_ROWS || (wanted && !page_fits(page, taken, len))) {
		r->more = true;
		return OFFER_STOP;
	}
	page->looked_at++;
	r->scanned = cursor;
	if (!wanted)
		return OFFER_SKIP;
	page->bytes += len;
	return OFFER_TAKE;
}

static enum err take_row(struct sqlite_store *s, struct store_read *r, sqlite3_stmt *st,
                         struct event_row *ret)
{
	*ret = (struct event_row){
		.position = (uint64_t)sqlite3_column_int64(st, 0),
		.seq = (uint64_t)sqlite3_column_int64(st, 1),
		.type = (uint32_t)sqlite3_column_int64(st, 2),
	};
	if (!column_hash(st, 3, &ret->hash))
		return reader_damaged(s, &r->error, "an event has no hash");
	ret->is_erased = sqlite3_column_type(st, 5) != SQLITE_NULL;
	if (ret->is_erased && !column_hash(st, 5, &ret->digest))
		return reader_damaged(s, &r->error, "an erased event has no digest");
	if (r->kind == READ_ALL)
		ret->session = arena_keep(r->mem, column_str(st, 6));
	ret->body = bytes_new(column_str(st, 4));
	return OK;
}

/*
 * Goes on with a statement that gives position, seq, type, hash, body, digest
 * [, session].  `more` is set only when there is a row that was not taken in.
 */
static enum err take_rows(struct sqlite_store *s, struct store_read *r, struct page *page,
                          sqlite3_stmt *st)
{
	int cursor = r->kind == READ_ALL ? 0 : 1;
	enum err err = OK;
	int rc = SQLITE_ROW;

	while (err == OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		enum offer what =
			offer(r, page, r->event_count, (uint32_t)sqlite3_column_int64(st, 2),
		              (size_t)sqlite3_column_bytes(st, 4),
		              (uint64_t)sqlite3_column_int64(st, cursor));

		if (what == OFFER_STOP)
			break;
		if (what == OFFER_TAKE)
			err = take_row(s, r, st, &r->events[r->event_count]);
		if (what == OFFER_TAKE && err == OK)
			r->event_count++;
	}
	if (err == OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		err = reader_trouble(s, &r->error);
	sqlite3_reset(st);
	return err;
}

/* ---- one session ---- */

static bool wants_any(const struct store_read *r, const struct pack_row *row, uint64_t until)
{
	for (size_t i = 0; i < row->pack.count; i++)
		if (row->first_seq + i > r->after && row->first_seq + i <= until &&
		    is_wanted(r, row->pack.items[i].type))
			return true;
	return false;
}

/* What of one pack is asked for.  *ret_stop: the page is full, or `until` is reached. */
static enum err take_pack(struct sqlite_store *s, struct store_read *r, struct page *page,
                          sqlite3_stmt *st, uint64_t until, bool *ret_stop)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct pack_row row;
	enum err err = pack_row_head(s, st, mem, &row, &r->error);
	size_t at = 0;

	if (err == OK && wants_any(r, &row, until))
		err = pack_row_text(s, st, mem, &row, &r->error);
	for (size_t i = 0; err == OK && i < row.pack.count && !*ret_stop; i++) {
		const struct pack_item *item = &row.pack.items[i];
		uint64_t seq = row.first_seq + i;

		if (seq > until) {
			*ret_stop = true;
		} else if (seq > r->after) {
			enum offer what =
				offer(r, page, r->event_count, item->type, item->len, seq);

			*ret_stop = what == OFFER_STOP;
			if (what == OFFER_TAKE)
				r->events[r->event_count++] = row_of_item(&row, i, at);
		}
		at += item->len;
	}
	return err;
}

static enum err take_packs(struct sqlite_store *s, struct store_read *r, struct page *page,
                           int64_t no, uint64_t until, bool *ret_stop)
{
	sqlite3_stmt *st = reader_stmt(s, R_PACKS);
	enum err err = OK;
	int rc = SQLITE_ROW;

	if (!st)
		return reader_trouble(s, &r->error);
	sqlite3_bind_int64(st, 1, no);
	sqlite3_bind_int64(st, 2, as_int(r->after));
	sqlite3_bind_int64(st, 3, as_int(until));
	while (err == OK && !*ret_stop && (rc = sqlite3_step(st)) == SQLITE_ROW)
		err = take_pack(s, r, page, st, until, ret_stop);
	if (err == OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		err = reader_trouble(s, &r->error);
	sqlite3_reset(st);
	return err;
}

enum err events_read(struct sqlite_store *s, struct store_read *r)
{
	struct page page = page_of(r);
	uint64_t until = r->until ? r->until : INT64_MAX;
	int64_t no = 0;
	bool stop = false;
	enum err err = reader_session(s, r, &no);

	r->events = ARENA_ARRAY(r->mem, struct event_row, page.max_rows);
	r->scanned = r->after;
	if (err == ERR_NOT_FOUND)
		return OK;
	if (err == OK)
		err = take_packs(s, r, &page, no, until, &stop);
	if (err != OK || stop)
		return err;

	sqlite3_stmt *st = reader_stmt(s, R_EVENTS);

	if (!st)
		return reader_trouble(s, &r->error);
	sqlite3_bind_int64(st, 1, no);
	sqlite3_bind_int64(st, 2, as_int(r->scanned));
	sqlite3_bind_int64(st, 3, as_int(until));
	return take_rows(s, r, &page, st);
}

/* ---- all sessions ---- */

/* An event that a page may take: where it is, without its body. */
struct found {
	uint64_t position;
	int64_t pack_no; /* 0: a row */
	uint32_t type, len;
	size_t taken; /* as so-manieth, from 1 */
};

struct weave {
	struct arena *mem;
	uint64_t from, to; /* the window: from < position <= to */
	struct found *found;
	size_t count, cap;
};

static void found_add(struct weave *w, uint64_t position, int64_t pack_no, uint32_t type,
                      size_t len)
{
	if (w->count == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 256;

		w->found = arena_grow(w->mem, w->found, w->count * sizeof *w->found,
		                      cap * sizeof *w->found);
		w->cap = cap;
	}
	w->found[w->count++] = (struct found){ position, pack_no, type, (uint32_t)len, 0 };
}

static enum err find_rows(struct sqlite_store *s, struct weave *w, struct error *e)
{
	sqlite3_stmt *st = reader_stmt(s, R_WINDOW);
	int rc;

	if (!st)
		return reader_trouble(s, e);
	sqlite3_bind_int64(st, 1, as_int(w->from));
	sqlite3_bind_int64(st, 2, as_int(w->to));
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		found_add(w, (uint64_t)sqlite3_column_int64(st, 0), 0,
		          (uint32_t)sqlite3_column_int64(st, 1),
		          (size_t)sqlite3_column_int64(st, 2));
	sqlite3_reset(st);
	return rc == SQLITE_DONE ? OK : reader_trouble(s, e);
}

static enum err find_in_pack(struct sqlite_store *s, sqlite3_stmt *st, struct weave *w,
                             struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct pack_row row;
	enum err err = pack_row_head(s, st, mem, &row, e);

	for (size_t i = 0; err == OK && i < row.pack.count; i++) {
		const struct pack_item *item = &row.pack.items[i];

		if (item->position > w->from && item->position <= w->to)
			found_add(w, item->position, row.no, item->type, item->len);
	}
	return err;
}

/*
 * A pack of span n covers fewer than 2^n positions, so those that reach into
 * the window begin at most that far before it.
 */
static enum err find_packs(struct sqlite_store *s, int span, struct weave *w, struct error *e)
{
	sqlite3_stmt *st = reader_stmt(s, R_SPAN);
	uint64_t reach = (uint64_t)1 << span;
	enum err err = OK;
	int rc = SQLITE_ROW;

	if (!st)
		return reader_trouble(s, e);
	sqlite3_bind_int(st, 1, span);
	sqlite3_bind_int64(st, 2, w->from > reach ? as_int(w->from - reach) : 0);
	sqlite3_bind_int64(st, 3, as_int(w->to));
	sqlite3_bind_int64(st, 4, as_int(w->from));
	while (err == OK && (rc = sqlite3_step(st)) == SQLITE_ROW)
		err = find_in_pack(s, st, w, e);
	if (err == OK && rc != SQLITE_DONE)
		err = reader_trouble(s, e);
	sqlite3_reset(st);
	return err;
}

static int by_position(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->position > y->position) - (x->position < y->position);
}

static enum err find_window(struct sqlite_store *s, struct weave *w, struct error *e)
{
	enum err err;

	w->count = 0;
	err = find_rows(s, w, e);
	for (int span = 0; err == OK && span < 63; span++)
		err = find_packs(s, span, w, e);
	if (w->count)
		qsort(w->found, w->count, sizeof *w->found, by_position);
	return err;
}

/* The first window that holds something; count is 0 when there is nothing up to `end`. */
static enum err find_next(struct sqlite_store *s, struct weave *w, uint64_t end, struct error *e)
{
	uint64_t size = WINDOW;
	enum err err;

	for (;;) {
		w->to = w->from + size;
		err = find_window(s, w, e);
		if (err != OK || (w->count && size == WINDOW))
			return err;
		if (w->count) {
			/* A leap over what was removed went too far to take all of it in. */
			w->from = w->found[0].position - 1;
			size = WINDOW;
		} else if (w->to >= end) {
			return OK;
		} else {
			w->from = w->to;
			size *= 4;
		}
	}
}

static enum err session_id(struct sqlite_store *s, struct store_read *r, int64_t no,
                           struct str *ret)
{
	sqlite3_stmt *st = reader_stmt(s, R_SESSION_ID);
	enum err err = OK;

	if (!st)
		return reader_trouble(s, &r->error);
	sqlite3_bind_int64(st, 1, no);
	if (sqlite3_step(st) == SQLITE_ROW)
		*ret = arena_keep(r->mem, column_str(st, 0));
	else
		err = reader_damaged(s, &r->error, "events of a session that is not there");
	sqlite3_reset(st);
	return err;
}

/* Fills in the rows that come from one pack: found[first] is one, others may follow. */
static enum err fill_from_pack(struct sqlite_store *s, struct store_read *r, struct weave *w,
                               size_t first)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	sqlite3_stmt *st = reader_stmt(s, R_PACK);
	struct str id = STR_NONE;
	struct pack_row row;
	size_t next = first, at = 0;
	enum err err;

	if (!st)
		return reader_trouble(s, &r->error);
	sqlite3_bind_int64(st, 1, w->found[first].pack_no);
	if (sqlite3_step(st) != SQLITE_ROW)
		err = reader_trouble(s, &r->error);
	else if ((err = pack_row_head(s, st, mem, &row, &r->error)) == OK)
		err = pack_row_text(s, st, mem, &row, &r->error);
	sqlite3_reset(st);
	if (err == OK)
		err = session_id(s, r, row.session_no, &id);
	for (size_t i = 0; err == OK && i < row.pack.count; i++) {
		while (next < w->count && w->found[next].position < row.pack.items[i].position)
			next++;
		if (next < w->count && w->found[next].position == row.pack.items[i].position &&
		    w->found[next].taken) {
			struct event_row *out = &r->events[w->found[next].taken - 1];

			*out = row_of_item(&row, i, at);
			out->session = id;
		}
		at += row.pack.items[i].len;
	}
	return err;
}

static enum err fill_from_row(struct sqlite_store *s, struct store_read *r, const struct found *f)
{
	sqlite3_stmt *st = reader_stmt(s, R_ALL);
	enum err err;

	if (!st)
		return reader_trouble(s, &r->error);
	sqlite3_bind_int64(st, 1, as_int(f->position - 1));
	sqlite3_bind_int64(st, 2, as_int(f->position));
	if (sqlite3_step(st) == SQLITE_ROW)
		err = take_row(s, r, st, &r->events[f->taken - 1]);
	else
		err = reader_trouble(s, &r->error);
	sqlite3_reset(st);
	return err;
}

/* Of what the window holds, as much as the page takes. */
static enum err take_window(struct sqlite_store *s, struct store_read *r, struct page *page,
                            struct weave *w)
{
	size_t taken = 0;
	enum err err = OK;

	for (size_t i = 0; i < w->count; i++) {
		struct found *f = &w->found[i];
		enum offer what = offer(r, page, taken, f->type, f->len, f->position);

		if (what == OFFER_STOP)
			break;
		if (what == OFFER_TAKE)
			f->taken = ++taken;
	}
	r->event_count = taken;
	for (size_t i = 0; i < w->count && err == OK; i++) {
		struct found *f = &w->found[i];

		if (!f->taken || r->events[f->taken - 1].body)
			continue;
		err = f->pack_no ? fill_from_pack(s, r, w, i) : fill_from_row(s, r, f);
	}
	if (err != OK) { /* a page with holes is none */
		for (size_t i = 0; i < taken; i++)
			bytes_unref(r->events[i].body);
		r->event_count = 0;
	}
	return err;
}

static enum err weave_all(struct sqlite_store *s, struct store_read *r, struct page *page,
                          uint64_t end)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct weave w = { .mem = mem, .from = r->after };
	enum err err = find_next(s, &w, end, &r->error);

	if (err == OK)
		err = take_window(s, r, page, &w);
	if (err == OK && w.count && w.to < end)
		r->more = true;
	return err;
}

/* The last position of a row and of an event in a pack; 0: none. */
static enum err read_ends(struct sqlite_store *s, struct error *e, uint64_t *ret_row,
                          uint64_t *ret_packed)
{
	sqlite3_stmt *st = reader_stmt(s, R_ENDS);
	enum err err = OK;

	if (!st)
		return reader_trouble(s, e);
	if (sqlite3_step(st) == SQLITE_ROW) {
		*ret_row = (uint64_t)sqlite3_column_int64(st, 0);
		*ret_packed = (uint64_t)sqlite3_column_int64(st, 1);
	} else {
		err = reader_trouble(s, e);
	}
	sqlite3_reset(st);
	return err;
}

enum err events_read_all(struct sqlite_store *s, struct store_read *r)
{
	struct page page = page_of(r);
	uint64_t last_row = 0, last_packed = 0;
	enum err err = read_ends(s, &r->error, &last_row, &last_packed);

	r->events = ARENA_ARRAY(r->mem, struct event_row, page.max_rows);
	r->scanned = r->after;
	if (err != OK)
		return err;
	if (last_packed > r->after)
		return weave_all(s, r, &page, MAX(last_row, last_packed));

	sqlite3_stmt *st = reader_stmt(s, R_ALL);

	if (!st)
		return reader_trouble(s, &r->error);
	sqlite3_bind_int64(st, 1, as_int(r->after));
	sqlite3_bind_int64(st, 2, INT64_MAX);
	return take_rows(s, r, &page, st);
}

/* ---- sessions that are not packed ---- */

static enum err next_loose(struct sqlite_store *s, struct store_read *r, int64_t *no)
{
	sqlite3_stmt *st = reader_stmt(s, R_LOOSE);
	enum err err = OK;

	if (!st)
		return reader_trouble(s, &r->error);
	sqlite3_bind_int64(st, 1, *no);
	if (sqlite3_step(st) == SQLITE_ROW)
		*no = sqlite3_column_int64(st, 0); /* NULL, behind the last one, is 0 */
	else
		err = reader_trouble(s, &r->error);
	sqlite3_reset(st);
	return err;
}

static enum err take_loose(struct sqlite_store *s, struct store_read *r, int64_t no)
{
	sqlite3_stmt *st = reader_stmt(s, R_SESSION_ID);
	enum err err = OK;

	if (!st)
		return reader_trouble(s, &r->error);
	sqlite3_bind_int64(st, 1, no);
	if (sqlite3_step(st) == SQLITE_ROW)
		r->rows[r->row_count++] = (struct index_found){
			.session = arena_keep(r->mem, column_str(st, 0)),
			.at = sqlite3_column_int64(st, 1),
		};
	else
		err = reader_damaged(s, &r->error, "events of a session that is not there");
	sqlite3_reset(st);
	return err;
}

enum err events_read_loose(struct sqlite_store *s, struct store_read *r)
{
	struct page page = page_of(r);
	int64_t no = as_int(r->after);
	enum err err = OK;

	r->rows = ARENA_ARRAY(r->mem, struct index_found, page.max_rows);
	r->scanned = r->after;
	while (err == OK && r->row_count < page.max_rows) {
		err = next_loose(s, r, &no);
		if (err == OK && no == 0)
			return OK;
		if (err == OK)
			err = take_loose(s, r, no);
		r->scanned = (uint64_t)no;
	}
	r->more = err == OK;
	return err;
}
