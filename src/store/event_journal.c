/*
 * Journal records in columns of events and packs.
 *
 * A damaged record costs its group, not the session: it is reported without
 * body and key, which readers take for one that was not recorded.
 */
#include "store/event_journal.h"
#include "store/number_bytes.h"

#include "store/sqlite/sqlite_int.h"

#include <xxhash.h>

#define SUM_BYTES 4

static void add_row(struct arena *mem, struct journal_rows *rows, struct journal_row row)
{
	if (rows->count == rows->cap) {
		size_t cap = rows->cap ? rows->cap * 2 : 64;

		rows->items =
			arena_grow(mem, rows->items, rows->count * sizeof row, cap * sizeof row);
		rows->cap = cap;
	}
	rows->items[rows->count++] = row;
}

/* 0: absent; otherwise the length and one. */
static void put_part(struct buf *b, struct str part)
{
	number_bytes_put(b, str_is(part) ? part.len + 1 : 0);
	if (part.len)
		buf_add_str(b, part);
}

static bool take_part(struct str *from, struct str *ret)
{
	uint64_t n;

	*ret = STR_NONE;
	if (!number_bytes_take(from, &n) || n > from->len + 1)
		return false;
	if (n)
		*ret = str_of(from->ptr, n - 1);
	*from = str_skip(*from, n ? n - 1 : 0);
	return true;
}

/* ---- the column of an event ---- */

static uint32_t sum_of(int64_t session_no, uint64_t seq, struct str data)
{
	uint64_t sum = XXH3_64bits_withSeed(data.ptr, data.len,
	                                    (uint64_t)session_no * 0x9e3779b97f4a7c15u + seq);

	return (uint32_t)(sum ^ sum >> 32);
}

void event_journal_put(struct buf *out, int64_t session_no, const struct journal_row *row)
{
	size_t at = out->len;
	uint32_t sum = 0;

	buf_add(out, &sum, SUM_BYTES);
	put_part(out, row->key);
	put_part(out, row->body);
	sum = sum_of(session_no, row->seq,
	             str_of(out->ptr + at + SUM_BYTES, out->len - at - SUM_BYTES));
	memcpy(out->ptr + at, &sum, SUM_BYTES);
}

static struct journal_row open_column(int64_t session_no, uint64_t seq, struct str column)
{
	struct journal_row row = { .seq = seq };
	struct str rest = str_skip(column, MIN(column.len, SUM_BYTES));
	uint32_t sum;

	if (column.len < SUM_BYTES)
		return row;
	memcpy(&sum, column.ptr, SUM_BYTES);
	if (sum != sum_of(session_no, seq, rest) || !take_part(&rest, &row.key) ||
	    !take_part(&rest, &row.body) || rest.len)
		return (struct journal_row){ .seq = seq };
	return row;
}

/* ---- the column of a pack ---- */

void event_journal_put_pack(struct buf *out, const struct journal_rows *rows)
{
	CLEANUP(buf_done) struct buf plain = { 0 };
	uint64_t last = 0;

	for (size_t i = 0; i < rows->count; i++) {
		number_bytes_put(&plain, rows->items[i].seq - last);
		put_part(&plain, rows->items[i].key);
		put_part(&plain, rows->items[i].body);
		last = rows->items[i].seq;
	}
	if (rows->count)
		pack_write_frame(out, buf_str(&plain));
}

bool event_journal_read_pack(struct arena *mem, struct str frame, struct journal_rows *ret)
{
	struct journal_row row = { 0 };
	struct str plain;
	uint64_t n;

	if (!frame.len)
		return true;
	if (!pack_read_frame(mem, frame, &plain))
		return false;
	while (plain.len) {
		if (!number_bytes_take(&plain, &n) || !take_part(&plain, &row.key) ||
		    !take_part(&plain, &row.body))
			return false;
		row.seq += n;
		add_row(mem, ret, row);
	}
	return true;
}

void event_journal_erase(struct journal_rows *rows, uint64_t seq)
{
	struct journal_row *of = NULL;

	for (size_t i = 0; i < rows->count && rows->items[i].seq <= seq; i++)
		of = &rows->items[i];
	if (of)
		of->body = STR("");
}

/* ---- SQL ---- */

enum err event_journal_of_pack(struct sqlite_store *s, struct arena *mem, int64_t pack_no,
                               uint64_t from, struct journal_rows *ret, struct error *e)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_PACK_JOURNAL);
	struct journal_rows all = { 0 };
	int rc;

	if (!st)
		return sqlite_read_error(s, e);
	sqlite3_bind_int64(st, 1, pack_no);
	rc = sqlite3_step(st);
	/* A damaged frame is a journal that was not recorded. */
	if (rc == SQLITE_ROW && !event_journal_read_pack(mem, sqlite_conn_column_str(st, 0), &all))
		all.count = 0;
	sqlite3_reset(st);
	for (size_t i = 0; i < all.count; i++)
		if (all.items[i].seq >= from)
			add_row(mem, ret, all.items[i]);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? OK : sqlite_read_error(s, e);
}

enum err event_journal_of_rows(struct sqlite_store *s, struct arena *mem, int64_t session_no,
                               uint64_t from, uint64_t to, struct journal_rows *ret,
                               struct error *e)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_JOURNAL);
	int rc;

	if (!st)
		return sqlite_read_error(s, e);
	sqlite3_bind_int64(st, 1, session_no);
	sqlite3_bind_int64(st, 2, as_int(from));
	sqlite3_bind_int64(st, 3, as_int(to));
	while ((rc = sqlite3_step(st)) == SQLITE_ROW)
		add_row(mem, ret,
		        open_column(session_no, (uint64_t)sqlite3_column_int64(st, 0),
		                    arena_keep(mem, sqlite_conn_column_str(st, 1))));
	sqlite3_reset(st);
	return rc == SQLITE_DONE ? OK : sqlite_read_error(s, e);
}

/* The packs that overlap after..until, at most one page of them; *ret_last: where they end. */
static enum err read_packs(struct sqlite_store *s, struct store_read *r, int64_t session_no,
                           uint64_t until, struct journal_rows *rows, uint64_t *ret_last)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_PACK_SPANS);
	int64_t no = 0;
	int rc;

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, session_no);
	sqlite3_bind_int64(st, 2, as_int(r->after));
	sqlite3_bind_int64(st, 3, as_int(until));
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		no = sqlite3_column_int64(st, 0);
		*ret_last = (uint64_t)sqlite3_column_int64(st, 1);
	}
	sqlite3_reset(st);
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? OK : sqlite_read_error(s, &r->error);
	return event_journal_of_pack(s, r->mem, no, r->after + 1, rows, &r->error);
}

#define PAGE_EVENTS 512 /* whose records one read of rows returns; a pack has as many */

enum err event_journal_read(struct sqlite_store *s, struct store_read *r)
{
	struct journal_rows rows = { 0 };
	uint64_t last = 0, until;
	int64_t no;
	enum err err = sqlite_read_session(s, r, &no);

	if (err != OK)
		return err;
	until = r->until ? MIN(r->until, r->head_seq) : r->head_seq;
	err = read_packs(s, r, no, until, &rows, &last);
	if (err == OK && !last) {
		last = MIN(until, r->after + PAGE_EVENTS);
		err = event_journal_of_rows(s, r->mem, no, r->after + 1, last, &rows, &r->error);
	}
	while (rows.count && rows.items[rows.count - 1].seq > until)
		rows.count--;
	r->journal = rows.items;
	r->journal_count = rows.count;
	r->scanned = MIN(last, until);
	r->more = r->scanned < until;
	return err;
}
