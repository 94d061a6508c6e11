/*
 * Pages of events.  A session's log is packs, then rows; the log of all
 * sessions is both, merged by position.
 *
 * Only what was written is returned: rows and packs have checksums, the chain
 * of a pack is checked when it is opened, and a session's sequence has no gap.
 * Where that does not hold, the page ends.
 */
#include "store/sqlite/sqlite_int.h"

#include "catalog/catalog.h"

#include <assert.h>
#include <stdlib.h>

/* A page whose filter matches nothing stops after this many rows, so that other reads can run. */
#define SCAN_ROWS 4096

/* Positions that are merged at a time from packs and rows. */
#define WINDOW 1024u

/* How far after an unreadable event the next readable one is searched. */
#define PROBE_ROWS 64

/* ---- damage ---- */

/*
 * Events from..to cannot be returned: the page ends before them, and the next
 * one begins after them.
 */
static enum err damaged(struct sqlite_store *s, struct store_read *r, struct str session,
                        uint64_t from, uint64_t to, const char *what)
{
	r->is_corrupt = true;
	r->corrupt_from = from;
	r->corrupt_to = to;
	r->corrupt_session = arena_keep(r->mem, session);
	r->more = true;
	if (r->takes_gaps)
		return OK;
	return fail(&r->error, ERR_CORRUPT, "%s is damaged: event %llu of %.*s %s", s->path,
	            (unsigned long long)from, STR_ARG(str_is(session) ? session : STR("a session")),
	            what);
}

/* The same for the session that is read. */
static enum err damaged_here(struct sqlite_store *s, struct store_read *r, uint64_t to,
                             const char *what)
{
	uint64_t from = MAX(r->scanned, r->floor_seq) + 1;

	to = MAX(to, from);
	r->scanned = to;
	return damaged(s, r, r->session, from, to, what);
}

static bool is_corrupt_page(int rc)
{
	return (rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB;
}

/* The chain's hash at seq; false: not stored. */
static bool hash_at(struct sqlite_store *s, int64_t session_no, uint64_t seq, struct sha256 *ret)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_HASH_AT);
	bool is_there;

	if (!st)
		return false;
	sqlite3_bind_int64(st, 1, session_no);
	sqlite3_bind_int64(st, 2, as_int(seq));
	is_there = sqlite3_step(st) == SQLITE_ROW && sqlite_conn_column_hash(st, 0, ret);
	sqlite3_reset(st);
	return is_there;
}

/* An event inside a pack has no stored hash, so nothing contradicts the one that is asked about. */
bool sqlite_events_hash_fits(struct sqlite_store *s, int64_t session_no, uint64_t seq,
                             const struct sha256 *hash)
{
	struct sha256 found;

	return !hash_at(s, session_no, seq, &found) || sha256_eq(&found, hash);
}

/* An envelope begins with its type; other bodies are not checked. */
static bool type_fits(struct str body, uint32_t type)
{
	static const struct str key = { "{\"type\":\"", 9 };
	uint32_t found;

	if (!str_starts(body, key))
		return true;
	body = str_skip(body, key.len);
	found = rec_enum_read(&enum_event_type, str_cut(&body, '"'));
	return !found || found == type;
}

/* Whether a row without a checksum continues the chain of the row before it. */
static bool is_chained(struct sqlite_store *s, const struct sum_event *ev)
{
	struct sha256 prev, link;

	if (ev->seq == 0 || !type_fits(ev->body, ev->type) ||
	    !hash_at(s, ev->session_no, ev->seq - 1, &prev))
		return false;
	if (str_is(ev->digest)) {
		struct sha256 digest;

		memcpy(digest.state, ev->digest.ptr, sizeof digest.state);
		link = sha256_link_hash(&prev, &digest);
	} else {
		link = sha256_link(&prev, ev->body);
	}
	return memcmp(link.state, ev->hash.ptr, sizeof link.state) == 0;
}

/*
 * The checksum decides alone, so that one row can be checked without its neighbours.
 * Rows of format 3 have none and cost a second lookup.
 */
bool sqlite_events_row_is_sound(struct sqlite_store *s, sqlite3_stmt *st)
{
	struct sum_event ev = {
		.position = (uint64_t)sqlite3_column_int64(st, 0),
		.seq = (uint64_t)sqlite3_column_int64(st, 1),
		.type = (uint32_t)sqlite3_column_int64(st, 2),
		.hash = sqlite_conn_column_str(st, 3),
		.body = sqlite_conn_column_str(st, 4),
		.digest = sqlite_conn_column_str(st, 5),
		.session_no = sqlite3_column_int64(st, 7),
	};

	if (ev.hash.len != SHA256_BYTES || (str_is(ev.digest) && ev.digest.len != SHA256_BYTES))
		return false;
	if (sqlite3_column_type(st, 6) == SQLITE_NULL)
		return is_chained(s, &ev);
	return sqlite3_column_int64(st, 6) == sqlite_sum_event(&ev);
}

/* ---- packs ---- */

static enum err pack_damaged(struct sqlite_store *s, const struct pack_row *row, struct error *e)
{
	return fail(e, ERR_CORRUPT, "%s is damaged: the pack of events %llu to %llu", s->path,
	            (unsigned long long)row->first_seq, (unsigned long long)row->last_seq);
}

/* A pack of format 3 has no checksum, so it must continue the chain before it. */
static bool pack_is_sound(struct sqlite_store *s, sqlite3_stmt *st, const struct pack_row *row)
{
	struct sum_pack p = {
		.session_no = row->session_no,
		.first_seq = row->first_seq,
		.last_seq = row->last_seq,
		.first_position = (uint64_t)sqlite3_column_int64(st, 4),
		.last_position = (uint64_t)sqlite3_column_int64(st, 9),
		.prev_hash = sqlite_conn_column_str(st, 5),
		.last_hash = sqlite_conn_column_str(st, 6),
		.head = sqlite_conn_column_str(st, 7),
	};
	struct sha256 prev;

	if (sqlite3_column_type(st, 10) == SQLITE_NULL)
		return row->first_seq && hash_at(s, row->session_no, row->first_seq - 1, &prev) &&
		       sha256_eq(&prev, &row->prev_hash);
	return sqlite3_column_int64(st, 10) == sqlite_sum_pack(&p);
}

/*
 * The number of items must equal the range of sequences that the row states: readers
 * compute the sequence of an item from its place in the pack.
 */
enum err sqlite_events_pack_head(struct sqlite_store *s, sqlite3_stmt *st, struct arena *mem,
                                 struct pack_row *ret, struct error *e)
{
	*ret = (struct pack_row){
		.no = sqlite3_column_int64(st, 0),
		.session_no = sqlite3_column_int64(st, 1),
		.first_seq = (uint64_t)sqlite3_column_int64(st, 2),
		.last_seq = (uint64_t)sqlite3_column_int64(st, 3),
	};
	if (!sqlite_conn_column_hash(st, 5, &ret->prev_hash) ||
	    !sqlite_conn_column_hash(st, 6, &ret->last_hash) ||
	    !pack_read_head(mem, sqlite_conn_column_str(st, 7),
	                    (uint64_t)sqlite3_column_int64(st, 4), &ret->pack) ||
	    ret->pack.count != ret->last_seq - ret->first_seq + 1 || !pack_is_sound(s, st, ret))
		return pack_damaged(s, ret, e);
	return OK;
}

/* The number of bodies that match their marks; the last must also match the pack's hash. */
static size_t count_chained(struct pack_row *row)
{
	struct sha256 hash = row->prev_hash;
	size_t at = 0;

	for (size_t i = 0; i < row->pack.count; i++) {
		const struct pack_item *item = &row->pack.items[i];

		hash = pack_link(&hash, item, str_of(row->pack.text.ptr + at, item->len));
		at += item->len;
		row->hashes[i] = hash;
		if (memcmp(hash.state, item->mark, sizeof item->mark) != 0)
			return i;
	}
	return row->pack.count - !sha256_eq(&hash, &row->last_hash);
}

enum err sqlite_events_pack_text(struct sqlite_store *s, sqlite3_stmt *st, struct arena *mem,
                                 struct pack_row *row, struct error *e)
{
	if (!pack_read_text(mem, sqlite_conn_column_str(st, 8), &row->pack))
		return pack_damaged(s, row, e);
	row->hashes = ARENA_ARRAY(mem, struct sha256, row->pack.count);
	row->sound = count_chained(row);
	return row->sound == row->pack.count ? OK : pack_damaged(s, row, e);
}

/*
 * The event at index i, whose body begins at byte `at` of the pack's text.  The body is
 * copied: the text lives in the arena of one read, and events are shared by reference
 * count.
 */
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

/* ---- filling a page ---- */

/* A set of 256 bits, one per class of event; NULL takes all. */
static bool is_wanted(const struct store_read *r, uint32_t type)
{
	return !r->types || (type < 256 && (r->types[type / 64] >> type % 64 & 1));
}

enum offer { OFFER_TAKE, OFFER_SKIP, OFFER_STOP }; /* SKIP: filtered out */

/*
 * Offers the event at `cursor` to the page.  STOP: it does not fit, and the page ends
 * before it.  Skipped events move `scanned` too, so that the next page does not read
 * them again.
 */
static enum offer offer(struct store_read *r, struct page *page, size_t taken, uint32_t type,
                        size_t len, uint64_t cursor)
{
	bool wanted = is_wanted(r, type);

	if (page->looked_at == SCAN_ROWS || (wanted && !sqlite_read_page_fits(page, taken, len))) {
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

/* Converts a valid row. */
static struct event_row row_of(struct store_read *r, sqlite3_stmt *st)
{
	struct event_row row = {
		.position = (uint64_t)sqlite3_column_int64(st, 0),
		.seq = (uint64_t)sqlite3_column_int64(st, 1),
		.type = (uint32_t)sqlite3_column_int64(st, 2),
		.is_erased = sqlite3_column_type(st, 5) != SQLITE_NULL,
		.body = bytes_new(sqlite_conn_column_str(st, 4)),
	};

	(void)!sqlite_conn_column_hash(st, 3, &row.hash);
	if (row.is_erased)
		(void)!sqlite_conn_column_hash(st, 5, &row.digest);
	if (r->kind == READ_ALL)
		row.session = arena_keep(r->mem, sqlite_conn_column_str(st, 8));
	return row;
}

/*
 * The first readable event after `after`, up to `last`; last + 1 if there is none
 * within PROBE_ROWS.  Each probe is a separate search, because a statement cannot
 * continue after SQLITE_CORRUPT.
 */
static uint64_t next_readable(struct sqlite_store *s, sqlite3_stmt *st, int64_t no, uint64_t after,
                              uint64_t last)
{
	for (uint64_t seq = after + 1; seq <= last && seq <= after + PROBE_ROWS; seq++) {
		sqlite3_reset(st);
		sqlite3_bind_int64(st, 1, no);
		sqlite3_bind_int64(st, 2, as_int(seq - 1));
		sqlite3_bind_int64(st, 3, as_int(seq));
		if (sqlite3_step(st) == SQLITE_ROW)
			return seq;
	}
	return last + 1;
}

/* The session's next event does not have the expected sequence. */
static enum err row_missing(struct sqlite_store *s, struct store_read *r, uint64_t found)
{
	return damaged_here(s, r, found - 1, "is missing");
}

/*
 * Steps a statement that selects EVENT_COLUMNS of one session until the page is
 * full.  `more` is set only if a row was left.
 */
static enum err take_rows(struct sqlite_store *s, struct store_read *r, struct page *page,
                          sqlite3_stmt *st, int64_t no, uint64_t last)
{
	enum err err = OK;
	int rc = SQLITE_ROW;

	while (err == OK && !r->is_corrupt && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		uint64_t seq = (uint64_t)sqlite3_column_int64(st, 1);
		enum offer what;

		/*
		 * The statement begins after `scanned`; a smaller sequence comes from a
		 * damaged index.
		 */
		if (seq <= r->scanned)
			continue;
		if (seq > MAX(r->scanned, r->floor_seq) + 1) {
			err = row_missing(s, r, seq);
			break;
		}
		what = offer(r, page, r->event_count, (uint32_t)sqlite3_column_int64(st, 2),
		             (size_t)sqlite3_column_bytes(st, 4), seq);
		if (what == OFFER_STOP)
			break;
		if (!sqlite_events_row_is_sound(s, st))
			err = damaged(s, r, r->session, seq, seq, "is not what was written");
		else if (what == OFFER_TAKE)
			r->events[r->event_count++] = row_of(r, st);
	}
	if (err == OK && !r->is_corrupt && rc == SQLITE_DONE &&
	    MAX(r->scanned, r->floor_seq) < last)
		err = damaged_here(s, r, last, "is missing");
	else if (is_corrupt_page(rc))
		err = damaged_here(
			s, r, next_readable(s, st, no, MAX(r->scanned, r->floor_seq) + 1, last) - 1,
			"cannot be read: its page is damaged");
	else if (err == OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		err = sqlite_read_error(s, &r->error);
	sqlite3_reset(st);
	return err;
}

/* ---- one session ---- */

/* Decides by the head alone whether a pack has to be decompressed. */
static bool wants_any(const struct store_read *r, const struct pack_row *row, uint64_t until)
{
	for (size_t i = 0; i < row->pack.count; i++)
		if (row->first_seq + i > r->after && row->first_seq + i <= until &&
		    is_wanted(r, row->pack.items[i].type))
			return true;
	return false;
}

/* Takes the requested events of one pack.  *ret_stop: the page is full, or `until` is reached. */
static enum err take_pack(struct sqlite_store *s, struct store_read *r, struct page *page,
                          sqlite3_stmt *st, uint64_t until, bool *ret_stop)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct pack_row row;
	enum err err = sqlite_events_pack_head(s, st, mem, &row, &r->error);
	size_t at = 0;

	if (err == OK && row.first_seq > MAX(r->scanned, r->floor_seq) + 1) {
		*ret_stop = true;
		return row_missing(s, r, row.first_seq);
	}
	if (err == OK && wants_any(r, &row, until))
		err = sqlite_events_pack_text(s, st, mem, &row, &r->error);
	if (err != OK && err != ERR_CORRUPT)
		return err;
	/* A damaged pack still returns the events before its first damaged one. */
	for (size_t i = 0; i < (err == OK ? row.pack.count : row.sound) && !*ret_stop; i++) {
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
	if (err == OK || *ret_stop)
		return OK;
	*ret_stop = true;
	return damaged_here(s, r, MIN(row.last_seq, r->head_seq), "is in a pack that is damaged");
}

/*
 * The sequence of the first event that is a row; head + 1 when there is none.  Rows
 * begin where the packs end, so reading resumes there after a pack that cannot be
 * found.
 */
static uint64_t first_row(struct sqlite_store *s, const struct store_read *r, int64_t no)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_FIRST_ROW);
	uint64_t seq = 0;

	if (!st)
		return r->head_seq + 1;
	sqlite3_bind_int64(st, 1, no);
	sqlite3_bind_int64(st, 2, as_int(r->scanned));
	if (sqlite3_step(st) == SQLITE_ROW)
		seq = (uint64_t)sqlite3_column_int64(st, 0);
	sqlite3_reset(st);
	return seq ? seq : r->head_seq + 1;
}

/*
 * `last_seq > after` in the statement finds the pack that contains the first requested
 * event, because reads continue after a sequence.
 */
static enum err take_packs(struct sqlite_store *s, struct store_read *r, struct page *page,
                           int64_t no, uint64_t until, bool *ret_stop)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_PACKS);
	enum err err = OK;
	int rc = SQLITE_ROW;

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, no);
	sqlite3_bind_int64(st, 2, as_int(r->after));
	sqlite3_bind_int64(st, 3, as_int(until));
	while (err == OK && !*ret_stop && (rc = sqlite3_step(st)) == SQLITE_ROW)
		err = take_pack(s, r, page, st, until, ret_stop);
	if (is_corrupt_page(rc)) {
		*ret_stop = true;
		err = damaged_here(s, r, first_row(s, r, no) - 1,
		                   "is in a pack that cannot be read");
	} else if (err == OK && rc != SQLITE_ROW && rc != SQLITE_DONE) {
		err = sqlite_read_error(s, &r->error);
	}
	sqlite3_reset(st);
	return err;
}

/*
 * One page of a session's log: packs first, then rows from where the packs ended.  A
 * session that does not exist has an empty page.
 */
enum err sqlite_events_read(struct sqlite_store *s, struct store_read *r)
{
	struct page page = sqlite_read_page(r);
	uint64_t until = r->until ? r->until : INT64_MAX;
	int64_t no = 0;
	bool stop = false;
	enum err err = sqlite_read_session(s, r, &no);

	r->events = ARENA_ARRAY(r->mem, struct event_row, page.max_rows);
	r->scanned = r->after;
	if (err == ERR_NOT_FOUND)
		return OK;
	if (err == OK)
		err = take_packs(s, r, &page, no, until, &stop);
	if (err != OK || stop)
		return err;

	sqlite3_stmt *st = sqlite_read_stmt(s, R_EVENTS);

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, no);
	sqlite3_bind_int64(st, 2, as_int(r->scanned));
	sqlite3_bind_int64(st, 3, as_int(until));
	return take_rows(s, r, &page, st, no, MIN(until, r->head_seq));
}

/* ---- all sessions ---- */

/* An event that a page may take: where it is, without its body. */
struct found {
	uint64_t position;
	int64_t pack_no; /* 0: a row */
	uint32_t type, len;
	size_t taken; /* index in the page, from 1 */
	/* For a damaged pack: the range that its row states. */
	bool is_damaged;
	int64_t session_no;
	uint64_t first_seq, last_seq;
};

/*
 * Events of all sessions around one place in the order of positions.  Packs of
 * different sessions overlap in position, so a window is collected from all of them and
 * sorted.
 */
struct weave {
	struct arena *mem;
	uint64_t from, to; /* the window: from < position <= to */
	struct found *found;
	size_t count, cap;
};

static struct found *found_add(struct weave *w, uint64_t position, int64_t pack_no, uint32_t type,
                               size_t len)
{
	if (w->count == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 256;

		w->found = arena_grow(w->mem, w->found, w->count * sizeof *w->found,
		                      cap * sizeof *w->found);
		w->cap = cap;
	}
	w->found[w->count] = (struct found){
		.position = position, .pack_no = pack_no, .type = type, .len = (uint32_t)len
	};
	return &w->found[w->count++];
}

/* Only positions, classes and lengths: most bodies of a window are not taken. */
static enum err find_rows(struct sqlite_store *s, struct weave *w, struct error *e)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_WINDOW);
	int rc;

	if (!st)
		return sqlite_read_error(s, e);
	sqlite3_bind_int64(st, 1, as_int(w->from));
	sqlite3_bind_int64(st, 2, as_int(w->to));
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		found_add(w, (uint64_t)sqlite3_column_int64(st, 0), 0,
		          (uint32_t)sqlite3_column_int64(st, 1),
		          (size_t)sqlite3_column_int64(st, 2));
	sqlite3_reset(st);
	return rc == SQLITE_DONE ? OK : sqlite_read_error(s, e);
}

/* A damaged pack is reported once, at its first position; pages outside that window skip it. */
static enum err find_in_pack(struct sqlite_store *s, sqlite3_stmt *st, struct weave *w,
                             struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct pack_row row;
	enum err err = sqlite_events_pack_head(s, st, mem, &row, e);

	if (err == ERR_CORRUPT) {
		uint64_t position = (uint64_t)sqlite3_column_int64(st, 4);

		if (position > w->from && position <= w->to) {
			struct found *f = found_add(w, position, row.no, 0, 0);

			f->is_damaged = true;
			f->session_no = row.session_no;
			f->first_seq = row.first_seq;
			f->last_seq = row.last_seq;
		}
		return OK;
	}
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
	sqlite3_stmt *st = sqlite_read_stmt(s, R_SPAN);
	uint64_t reach = (uint64_t)1 << span;
	enum err err = OK;
	int rc = SQLITE_ROW;

	if (!st)
		return sqlite_read_error(s, e);
	sqlite3_bind_int(st, 1, span);
	sqlite3_bind_int64(st, 2, w->from > reach ? as_int(w->from - reach) : 0);
	sqlite3_bind_int64(st, 3, as_int(w->to));
	sqlite3_bind_int64(st, 4, as_int(w->from));
	while (err == OK && (rc = sqlite3_step(st)) == SQLITE_ROW)
		err = find_in_pack(s, st, w, e);
	if (err == OK && rc != SQLITE_DONE)
		err = sqlite_read_error(s, e);
	sqlite3_reset(st);
	return err;
}

static int by_position(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->position > y->position) - (x->position < y->position);
}

/*
 * 63 short searches, most of them empty.  One index on first_position alone could not
 * tell how far back a pack that reaches into the window may begin.
 */
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

/*
 * Finds the first window with events; count is 0 when there are none up to `end`.
 * Retention leaves long ranges of positions without events, so the window grows
 * fourfold while it is empty.
 */
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
			/* The jump over removed positions found an event in the middle of a window. */
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

/*
 * NULL from the statement: the row of the session is damaged, and its events cannot be
 * attributed.
 */
static enum err session_id(struct sqlite_store *s, struct store_read *r, int64_t no,
                           struct str *ret)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_SESSION_ID);
	enum err err = OK;

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, no);
	if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_type(st, 0) != SQLITE_NULL)
		*ret = arena_keep(r->mem, sqlite_conn_column_str(st, 0));
	else
		err = sqlite_read_damaged(s, &r->error, "events of a session that is not there");
	sqlite3_reset(st);
	return err;
}

/* For a row of R_ALL the session's id must be valid too. */
static bool named_row_is_sound(struct sqlite_store *s, sqlite3_stmt *st)
{
	return sqlite3_column_type(st, 8) != SQLITE_NULL && sqlite_events_row_is_sound(s, st);
}

/* The id of a session, for a message; absent when it cannot be read. */
static struct str session_name(struct sqlite_store *s, struct store_read *r, int64_t no)
{
	struct str id = STR_NONE;

	(void)!session_id(s, r, no, &id);
	return id;
}

/*
 * The page ends before `f`, which is damaged.  Events after it in this page are
 * released; `scanned` moves past it, so that the next page continues behind the damage.
 */
static enum err cut_page(struct sqlite_store *s, struct store_read *r, const struct found *f,
                         int64_t session_no, uint64_t from, uint64_t to)
{
	for (size_t i = f->taken - 1; f->taken && i < r->event_count; i++)
		bytes_unref(r->events[i].body);
	if (f->taken)
		r->event_count = f->taken - 1;
	r->scanned = f->position;
	return damaged(s, r, session_name(s, r, session_no), from, to, "is not what was written");
}

/*
 * Fills in the rows that come from one pack: found[first] is one, others may follow.
 * The pack is decompressed once for all of them.  Both lists are sorted by position,
 * so one pass over them suffices.
 */
static enum err fill_from_pack(struct sqlite_store *s, struct store_read *r, struct weave *w,
                               size_t first)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	sqlite3_stmt *st = sqlite_read_stmt(s, R_PACK);
	struct str id = STR_NONE;
	struct pack_row row = { 0 };
	size_t next = first, at = 0;
	enum err err;
	int rc;

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, w->found[first].pack_no);
	rc = sqlite3_step(st);
	if (is_corrupt_page(rc))
		err = cut_page(s, r, &w->found[first], 0, 0, 0);
	else if (rc != SQLITE_ROW)
		err = sqlite_read_error(s, &r->error);
	else if ((err = sqlite_events_pack_head(s, st, mem, &row, &r->error)) == OK)
		err = sqlite_events_pack_text(s, st, mem, &row, &r->error);
	sqlite3_reset(st);
	if (r->is_corrupt)
		return err;
	if (err == OK)
		err = session_id(s, r, row.session_no, &id);
	else if (err == ERR_CORRUPT)
		for (size_t i = 0; i < row.pack.count; i++)
			if (row.pack.items[i].position == w->found[first].position)
				return cut_page(s, r, &w->found[first], row.session_no,
				                row.first_seq + i, row.first_seq + i);
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

/*
 * A row is read by its position, in the transaction that found it.  Where the page of
 * the file is damaged, neither session nor sequence is known.
 */
static enum err fill_from_row(struct sqlite_store *s, struct store_read *r, const struct found *f)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_ALL);
	enum err err = OK;
	int rc;

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, as_int(f->position - 1));
	sqlite3_bind_int64(st, 2, as_int(f->position));
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW && named_row_is_sound(s, st))
		r->events[f->taken - 1] = row_of(r, st);
	else if (rc == SQLITE_ROW)
		err = cut_page(s, r, f, sqlite3_column_int64(st, 7),
		               (uint64_t)sqlite3_column_int64(st, 1),
		               (uint64_t)sqlite3_column_int64(st, 1));
	else if (is_corrupt_page(rc))
		err = cut_page(s, r, f, 0, 0, 0);
	else
		err = sqlite_read_error(s, &r->error);
	sqlite3_reset(st);
	return err;
}

/* Selects the window's events for the page; returns the damaged pack that it ends before, or NULL. */
static const struct found *choose(struct store_read *r, struct page *page, struct weave *w)
{
	size_t taken = 0;
	const struct found *bad = NULL;

	for (size_t i = 0; i < w->count; i++) {
		struct found *f = &w->found[i];
		enum offer what = OFFER_STOP;

		if (f->is_damaged)
			bad = f;
		else
			what = offer(r, page, taken, f->type, f->len, f->position);
		if (what == OFFER_STOP)
			break;
		if (what == OFFER_TAKE)
			f->taken = ++taken;
	}
	r->event_count = taken;
	return bad;
}

/*
 * Takes as many events of the window as fit the page.  Choosing comes before reading:
 * the filter and the limits need no bodies.  An event whose body is set was filled
 * together with an earlier one of its pack.
 */
static enum err take_window(struct sqlite_store *s, struct store_read *r, struct page *page,
                            struct weave *w)
{
	const struct found *bad = choose(r, page, w);
	size_t taken = r->event_count;
	enum err err = OK;

	for (size_t i = 0; i < w->count && err == OK && !r->is_corrupt; i++) {
		struct found *f = &w->found[i];

		if (!f->taken || r->events[f->taken - 1].body)
			continue;
		err = f->pack_no ? fill_from_pack(s, r, w, i) : fill_from_row(s, r, f);
	}
	if (err == OK && bad && !r->is_corrupt)
		err = cut_page(s, r, bad, bad->session_no, bad->first_seq, bad->last_seq);
	if (err != OK && !r->is_corrupt) { /* a page must not have gaps */
		for (size_t i = 0; i < taken; i++)
			bytes_unref(r->events[i].body);
		r->event_count = 0;
	}
	return err;
}

/* One window per page, even if the page has room for more: the reader's transaction stays short. */
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
	sqlite3_stmt *st = sqlite_read_stmt(s, R_ENDS);
	enum err err = OK;

	if (!st)
		return sqlite_read_error(s, e);
	if (sqlite3_step(st) == SQLITE_ROW) {
		*ret_row = (uint64_t)sqlite3_column_int64(st, 0);
		*ret_packed = (uint64_t)sqlite3_column_int64(st, 1);
	} else {
		err = sqlite_read_error(s, e);
	}
	sqlite3_reset(st);
	return err;
}

/* Rows only: no event after `after` is packed. */
static enum err take_all_rows(struct sqlite_store *s, struct store_read *r, struct page *page)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_ALL);
	enum err err = OK;
	int rc = SQLITE_ROW;

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, as_int(r->after));
	sqlite3_bind_int64(st, 2, INT64_MAX);
	while (err == OK && !r->is_corrupt && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		uint64_t seq = (uint64_t)sqlite3_column_int64(st, 1);
		enum offer what = offer(
			r, page, r->event_count, (uint32_t)sqlite3_column_int64(st, 2),
			(size_t)sqlite3_column_bytes(st, 4), (uint64_t)sqlite3_column_int64(st, 0));

		if (what == OFFER_STOP)
			break;
		if (!named_row_is_sound(s, st))
			err = damaged(s, r, sqlite_conn_column_str(st, 8), seq, seq,
			              "is not what was written");
		else if (what == OFFER_TAKE)
			r->events[r->event_count++] = row_of(r, st);
	}
	if (err == OK && !r->is_corrupt && rc != SQLITE_ROW && rc != SQLITE_DONE)
		err = sqlite_read_error(s, &r->error);
	sqlite3_reset(st);
	return err;
}

/*
 * Followers near the end of the log read only rows: packed events lie before their
 * cursor, and the merge is not needed.
 */
static enum err read_all(struct sqlite_store *s, struct store_read *r, uint64_t *ret_end)
{
	struct page page = sqlite_read_page(r);
	uint64_t last_row = 0, last_packed = 0;
	enum err err = read_ends(s, &r->error, &last_row, &last_packed);

	if (err != OK)
		return err;
	*ret_end = MAX(last_row, last_packed);
	return last_packed > r->after ? weave_all(s, r, &page, *ret_end)
	                              : take_all_rows(s, r, &page);
}

/*
 * A page of the file is damaged, so the events on it are unknown.  Reading continues at
 * a readable position after it.  The step doubles, so that damage of any size is passed
 * in few searches; readable events within the last step are skipped with it.
 */
static enum err skip_unreadable(struct sqlite_store *s, struct store_read *r, uint64_t end)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_ALL);
	uint64_t from = r->scanned, step = 1;
	int rc = SQLITE_CORRUPT;

	if (!st)
		return sqlite_read_error(s, &r->error);
	for (; from + step < end && is_corrupt_page(rc); step *= 2) {
		sqlite3_bind_int64(st, 1, as_int(from + step));
		sqlite3_bind_int64(st, 2, INT64_MAX);
		rc = sqlite3_step(st);
		sqlite3_reset(st);
	}
	r->scanned = is_corrupt_page(rc) ? MAX(end, from + 1) : from + step / 2;
	return damaged(s, r, STR_NONE, 0, 0, "cannot be read: its page is damaged");
}

enum err sqlite_events_read_all(struct sqlite_store *s, struct store_read *r)
{
	uint64_t end = 0;
	enum err err;

	r->events = ARENA_ARRAY(r->mem, struct event_row, sqlite_read_page(r).max_rows);
	r->scanned = r->after;
	err = read_all(s, r, &end);
	if (err == ERR_CORRUPT && !r->is_corrupt && end)
		err = skip_unreadable(s, r, end);
	return err;
}

/* ---- sessions that are not packed ---- */

static enum err next_loose(struct sqlite_store *s, struct store_read *r, int64_t *no)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_LOOSE);
	enum err err = OK;

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, *no);
	if (sqlite3_step(st) == SQLITE_ROW)
		*no = sqlite3_column_int64(st, 0); /* NULL, after the last one, reads as 0 */
	else
		err = sqlite_read_error(s, &r->error);
	sqlite3_reset(st);
	return err;
}

/* A session with a damaged record is skipped. */
static enum err take_loose(struct sqlite_store *s, struct store_read *r, int64_t no)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_SESSION_ID);
	enum err err = OK;
	int rc;

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, no);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW && sqlite3_column_type(st, 0) != SQLITE_NULL)
		r->rows[r->row_count++] = (struct index_found){
			.session = arena_keep(r->mem, sqlite_conn_column_str(st, 0)),
			.at = sqlite3_column_int64(st, 1),
		};
	else if (rc != SQLITE_ROW && rc != SQLITE_DONE && !is_corrupt_page(rc))
		err = sqlite_read_error(s, &r->error);
	sqlite3_reset(st);
	return err;
}

/*
 * Sessions that have rows, by number: each search jumps to the next number, so the rows
 * of one session are not scanned.  `after` and `scanned` are session numbers here.
 */
enum err sqlite_events_read_unpacked(struct sqlite_store *s, struct store_read *r)
{
	struct page page = sqlite_read_page(r);
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

/* ---- all sessions ---- */

enum err sqlite_events_read_sessions(struct sqlite_store *s, struct store_read *r)
{
	struct page page = sqlite_read_page(r);
	sqlite3_stmt *st = sqlite_read_stmt(s, R_SESSIONS);
	enum err err = OK;
	int rc = SQLITE_DONE;

	r->rows = ARENA_ARRAY(r->mem, struct index_found, page.max_rows);
	r->scanned = r->after;
	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, as_int(r->after));
	while (r->row_count < page.max_rows && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		r->scanned = (uint64_t)sqlite3_column_int64(st, 0);
		if (sqlite3_column_type(st, 1) != SQLITE_NULL)
			r->rows[r->row_count++] = (struct index_found){
				.session = arena_keep(r->mem, sqlite_conn_column_str(st, 1)),
				.at = sqlite3_column_int64(st, 2),
			};
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		err = sqlite_read_error(s, &r->error);
	r->more = rc == SQLITE_ROW;
	sqlite3_reset(st);
	return err;
}
