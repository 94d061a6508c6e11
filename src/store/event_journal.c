/*
 * Journal records in columns of events and packs.
 *
 * A damaged record costs its group, not the session: it is reported without
 * body and key, which readers take for one that was not recorded.
 */
#include "store/event_journal.h"

#include "store/sqlite/sqlite_int.h"

#include <xxhash.h>

#define SUM_BYTES 4

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
	journal_rows_put_part(out, row->key);
	journal_rows_put_part(out, row->body);
	sum = sum_of(session_no, row->seq,
	             str_of(out->ptr + at + SUM_BYTES, out->len - at - SUM_BYTES));
	memcpy(out->ptr + at, &sum, SUM_BYTES);
}

struct journal_row event_journal_open(int64_t session_no, uint64_t seq, struct str column)
{
	struct journal_row row = { .seq = seq };
	struct str rest = str_skip(column, MIN(column.len, SUM_BYTES));
	uint32_t sum;

	if (column.len < SUM_BYTES)
		return row;
	memcpy(&sum, column.ptr, SUM_BYTES);
	if (sum != sum_of(session_no, seq, rest) || !journal_rows_take_part(&rest, &row.key) ||
	    !journal_rows_take_part(&rest, &row.body) || rest.len)
		return (struct journal_row){ .seq = seq };
	return row;
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
	if (rc == SQLITE_ROW && !journal_rows_read_frame(mem, sqlite_conn_column_str(st, 0), &all))
		all.count = 0;
	sqlite3_reset(st);
	for (size_t i = 0; i < all.count; i++)
		if (all.items[i].seq >= from)
			journal_rows_add(mem, ret, all.items[i]);
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
		journal_rows_add(
			mem, ret,
			event_journal_open(session_no, (uint64_t)sqlite3_column_int64(st, 0),
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
