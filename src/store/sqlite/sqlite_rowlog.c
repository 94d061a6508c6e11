/*
 * Deferred index rows: a commit adds them to one table, row_log, and they are
 * moved to the tables of the lists later, many commits at a time.
 *
 * A turn changes the rows of its session, task and outputs in two commits;
 * written at once they touched some 25 b-trees, more than half of all pages
 * that a turn wrote.  In row_log they are one record per commit.  The record is
 * part of the commit, so nothing is lost: what a crash leaves in row_log is
 * applied at the next start.
 *
 * Reads of the lists never see less than what was acknowledged: the writer
 * applies first (sqlite_rowlog_is_behind()).  Rows that every command looks at, ids
 * and timers, are written at once.
 *
 * A record is a row after the other: table, flags, session number, time, then
 * key, status, parent and body with their lengths.  The file never leaves the
 * machine that wrote it while a record is in it, so numbers are stored as they
 * stand in memory.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/arena.h"
#include "base/os/log.h"
#include "base/map.h"
#include "base/gen/limits.h"

enum { ROW_REMOVE = 1, ROW_OPEN = 2 };

struct row_head {
	int64_t session_no, at;
	uint32_t table, flags;
	uint32_t key, status, parent, body; /* lengths; ABSENT: not there */
};
#define ABSENT UINT32_MAX

bool sqlite_rowlog_takes(const struct sqlite_store *s, enum index_table table)
{
	/* On a full disk nothing is deferred: later there may be no space for it. */
	return table != INDEX_ID && table != INDEX_TIMER && !atomic_load(&s->is_low);
}

bool sqlite_rowlog_is_behind(const struct sqlite_store *s, const struct store_read *r)
{
	return r->kind == READ_INDEX && r->table != INDEX_ID && r->table != INDEX_TIMER &&
	       atomic_load(&s->rowlog_rows) > 0;
}

/* ---- writing ---- */

static uint32_t length_of(struct str s)
{
	return str_is(s) ? (uint32_t)s.len : ABSENT;
}

void sqlite_rowlog_add(struct buf *out, int64_t session_no, const struct index_row *row)
{
	struct row_head head = {
		.session_no = session_no,
		.at = row->at,
		.table = row->table,
		.flags = (row->remove ? ROW_REMOVE : 0u) | (row->open ? ROW_OPEN : 0u),
		.key = length_of(row->key),
		.status = length_of(row->status),
		.parent = length_of(row->parent),
		.body = length_of(row->body),
	};

	buf_add(out, &head, sizeof head);
	buf_add_str(out, row->key);
	buf_add_str(out, row->status);
	buf_add_str(out, row->parent);
	buf_add_str(out, row->body);
}

bool sqlite_rowlog_write(struct sqlite_store *s, const struct buf *rows, size_t count)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_ROWLOG);

	if (!st)
		return false;
	sqlite3_bind_blob64(st, 1, rows->ptr, rows->len, SQLITE_STATIC);
	if (!sqlite_conn_run(st))
		return false;
	/* An upper bound: too high after a rollback, until rows are applied. */
	atomic_fetch_add(&s->rowlog_rows, count);
	s->rowlog_bytes += rows->len;
	return true;
}

/* ---- applying ---- */

static bool take_text(struct str *from, uint32_t len, struct str *ret)
{
	if (len == ABSENT) {
		*ret = STR_NONE;
		return true;
	}
	if (len > from->len)
		return false;
	*ret = str_of(from->len ? from->ptr : "", len);
	*from = str_skip(*from, len);
	return true;
}

struct logged_row {
	struct index_row row;
	int64_t session_no;
	struct logged_row *next; /* in the order of their first write */
};

struct applying {
	struct arena *mem;
	struct map rows; /* table and key → struct logged_row: the newest */
	struct logged_row *first, **last;
	bool has_records;
};

/*
 * The newest row of a table and key wins, but it is written in the place of the first:
 * rows that were put and replaced many times cost one write.
 */
static void note_row(struct applying *a, const struct index_row *row, int64_t session_no)
{
	struct str name = arena_printf(a->mem, "%c%.*s", 'a' + (int)row->table, STR_ARG(row->key));
	struct logged_row *r = map_get(&a->rows, name);

	if (!r) {
		r = ARENA_NEW(a->mem, struct logged_row);
		*a->last = r;
		a->last = &r->next;
		map_put(&a->rows, name, r);
	}
	r->session_no = session_no;
	r->row = *row;
}

/* Returns false if the record is damaged. */
static bool note_record(struct applying *a, struct str record)
{
	while (record.len) {
		struct row_head head;
		struct index_row row = { 0 };

		if (record.len < sizeof head)
			return false;
		memcpy(&head, record.ptr, sizeof head);
		record = str_skip(record, sizeof head);
		if (head.table >= INDEX_TABLES || head.key == ABSENT ||
		    !take_text(&record, head.key, &row.key) ||
		    !take_text(&record, head.status, &row.status) ||
		    !take_text(&record, head.parent, &row.parent) ||
		    !take_text(&record, head.body, &row.body))
			return false;
		row.table = (enum index_table)head.table;
		row.remove = head.flags & ROW_REMOVE;
		row.open = head.flags & ROW_OPEN;
		row.at = head.at;
		note_row(a, &row, head.session_no);
	}
	return true;
}

/*
 * A damaged record is skipped: its rows are derived, and nothing else depends on
 * it.
 */
static enum err note_records(struct sqlite_store *s, struct applying *a, struct error *e)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_ROWLOG_READ);
	int rc = SQLITE_ERROR;

	while (st && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct str record = arena_keep(a->mem, sqlite_conn_column_str(st, 0));

		a->has_records = true;
		if (!sqlite3_column_int(st, 1) || !note_record(a, record))
			log_line(LOG_ERROR, "store",
			         "%s is damaged: a record of index rows is lost. Lists may be out "
			         "of date. Run: thole rebuild",
			         s->path);
	}
	sqlite3_reset(st);
	return rc == SQLITE_DONE ? OK : sqlite_writer_error(s, e);
}

/* In the transaction that is open. */
enum err sqlite_rowlog_apply(struct sqlite_store *s, struct error *e)
{
	struct applying a = { .mem = arena_new() };
	enum err err;

	a.last = &a.first;
	err = note_records(s, &a, e);
	for (struct logged_row *r = a.first; r && err == OK; r = r->next)
		if (r->row.remove ? !sqlite_writer_remove_row(s, &r->row)
		                  : !sqlite_writer_put_row(s, r->session_no, &r->row))
			err = sqlite_writer_error(s, e);
	if (err == OK && a.has_records && !sqlite_conn_run(sqlite_writer_stmt(s, W_ROWLOG_CLEAR)))
		err = sqlite_writer_error(s, e);
	map_done(&a.rows);
	arena_free(a.mem);
	return err;
}

static enum err apply_step(struct sqlite_store *s, struct job *job, struct error *e)
{
	(void)job;
	return sqlite_rowlog_apply(s, e);
}

/*
 * The counter is cleared only after the commit.  It is an upper bound, so a failed
 * attempt leads to another one, never to a missed row.
 */
enum err sqlite_rowlog_catch_up(struct sqlite_store *s, struct error *e)
{
	enum err err;

	if (!atomic_load(&s->rowlog_rows))
		return OK;
	err = sqlite_transact(s, apply_step, NULL, e);
	if (err == ERR_FULL && sqlite_room_drop_ballast(s))
		err = sqlite_transact(s, apply_step, NULL, e);
	if (err == OK) {
		atomic_store(&s->rowlog_rows, 0);
		s->rowlog_bytes = 0;
	}
	return err;
}

void sqlite_rowlog_after_commit(struct sqlite_store *s)
{
	struct error e;

	/* On failure the rows stay in row_log; sqlite_state_fail() handles the error. */
	if (atomic_load(&s->rowlog_rows) >= LIMIT_ROW_LOG_ROWS ||
	    s->rowlog_bytes >= LIMIT_ROW_LOG_BYTES)
		(void)!sqlite_rowlog_catch_up(s, &e);
}

/*
 * Whether the last process left records.  One suffices to set the counter: the first
 * read of a list, or the first idle moment, applies them all.
 */
enum err sqlite_rowlog_start(struct sqlite_store *s, struct error *e)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_ROWLOG_READ);
	int rc = st ? sqlite3_step(st) : SQLITE_ERROR;

	sqlite3_reset(st);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return sqlite_conn_error(&s->writer, "cannot read", e);
	atomic_store(&s->rowlog_rows, rc == SQLITE_ROW);
	return OK;
}
