/*
 * All rows of a log, for another store or from one (ports/store_move.h).
 *
 * A page is read by one statement, which is stopped when the page is full; where it ended is
 * the key or the rowid of its last row.  Checksums are made when a row is written: they cover
 * numbers that belong to this file.
 */
#include "store/sqlite/sqlite_int.h"

#include "store/event_journal.h"
#include "store/sqlite/sqlite_sum.h"
#include "ports/store_own.h"

#include <stdio.h>

#define OWN_KEYS "'" STORE_MOVE_KEY "', '" STORE_MOVED_KEY "', 'rebuild'"
#define LIVING "session_no NOT IN (SELECT session_no FROM removed)"
#define BEHIND " > CAST(?1 AS INTEGER) ORDER BY "

/*
 * The columns of `take` are those of the part and where the next page begins.  `kinds` tells
 * how the values of a row are bound: i a number, t text, b bytes, - nothing.  One more
 * parameter of packs and events is their checksum.
 */
/* clang-format off */
static const struct {
	const char *take, *put, *kinds;
} parts[STORE_PART_INDEX + 1] = {
	[STORE_PART_SESSION] = {
		"SELECT session_no, id, last_seq, last_hash, floor_seq, floor_hash, floor_ref,"
		" session_no FROM session WHERE session_no" BEHIND "session_no",
		"INSERT INTO session(session_no, id, last_seq, last_hash, floor_seq, floor_hash,"
		" floor_ref, sum) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, CASE WHEN ?3 > 0"
		" THEN thole_sum(?1, ?2, ?3, ?4, ?5, ?6, ?7) END)",
		"itibibt" },
	[STORE_PART_REMOVED] = {
		"SELECT session_no, id, last_seq, last_hash, by, state, session_no FROM removed"
		" WHERE session_no" BEHIND "session_no",
		"INSERT INTO removed(session_no, id, last_seq, last_hash, by, state)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
		"itibii" },
	[STORE_PART_PACK] = {
		"SELECT session_no, first_seq, last_seq, first_position, last_position, span,"
		" prev_hash, last_hash, head, body, journal, pack_no FROM pack"
		" WHERE " LIVING " AND pack_no" BEHIND "pack_no",
		"INSERT INTO pack(session_no, first_seq, last_seq, first_position, last_position,"
		" span, prev_hash, last_hash, head, body, journal, sum)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
		"iiiiiibbbbb" },
	[STORE_PART_EVENT] = {
		"SELECT position, session_no, seq, type, NULL, hash, body, digest, journal, position"
		" FROM event WHERE " LIVING " AND position" BEHIND "position",
		"INSERT INTO event(position, session_no, seq, type, hash, body, digest, journal, sum)"
		" VALUES(?1, ?2, ?3, ?4, ?6, ?7, ?8, ?9, ?10)",
		"iiii-bbb-" },
	[STORE_PART_SNAPSHOT] = {
		"SELECT session_no, version, seq, hash, body, session_no FROM snapshot"
		" WHERE session_no" BEHIND "session_no",
		"INSERT INTO snapshot(session_no, version, seq, hash, body, sum)"
		" VALUES(?1, ?2, ?3, ?4, ?5, thole_sum(?1, ?3, ?4, ?2, ?5))",
		"itibb" },
	[STORE_PART_BLOB] = {
		"SELECT ref, session_no, ifnull(seq, -1), media_type, data, rowid FROM blob"
		" WHERE rowid" BEHIND "rowid",
		"INSERT INTO blob(ref, session_no, seq, media_type, data, sum)"
		" VALUES(?1, ?2, nullif(?3, -1), ?4, ?5, thole_sum(?1, ?2, ?4, ?5))",
		"tiitb" },
	[STORE_PART_IDEM] = {
		"SELECT key, body, session_no, seq, at, reply, rowid FROM idem"
		" WHERE rowid" BEHIND "rowid",
		"INSERT INTO idem(key, body, session_no, seq, at, reply)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
		"bbiiit" },
	[STORE_PART_ACCOUNT] = {
		"SELECT account, spent, reserved, account FROM ledger WHERE account > ?1"
		" ORDER BY account",
		"INSERT INTO ledger(account, spent, reserved) VALUES(?1, ?2, ?3)",
		"tii" },
	/* Few, so they are one page: it ends with a session, not within one. */
	[STORE_PART_PENDING] = {
		"SELECT session_no, kind, seq, ref, session_no FROM " PENDING_TABLE
		" WHERE session_no" BEHIND "session_no, seq",
		"INSERT INTO " PENDING_TABLE "(session_no, kind, seq, ref) VALUES(?1, ?2, ?3, ?4)",
		"iiit" },
	[STORE_PART_META] = {
		"SELECT key, value, key FROM meta WHERE key > ?1"
		" AND key NOT IN (" OWN_KEYS ") ORDER BY key",
		"INSERT INTO meta(key, value) VALUES(?1, ?2)",
		"tt" },
	/* With the name of the table. */
	[STORE_PART_INDEX] = {
		"SELECT key, session_no, status, parent, at, open, body, rowid FROM %s"
		" WHERE rowid" BEHIND "rowid",
		"INSERT INTO %s(key, session_no, status, parent, at, open, body)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
		"tittiit" },
};
/* clang-format on */

static size_t row_of(enum store_part part)
{
	return part < STORE_PART_INDEX ? part : STORE_PART_INDEX;
}

static enum err prepare(struct sqlite_store *s, enum store_part part, bool is_put,
                        sqlite3_stmt **ret, struct error *e)
{
	const char *text = is_put ? parts[row_of(part)].put : parts[row_of(part)].take;
	const char *table =
		part < STORE_PART_INDEX ? "" : sqlite_file_index_table[part - STORE_PART_INDEX];
	char sql[512];

	if (!text)
		return fail(e, ERR_UNSUPPORTED, "%s has no such rows", s->path);
	/* A row that is there already stays: its page was written before. */
	sqlite3_snprintf(sizeof sql, sql, text, table);
	if (is_put)
		sqlite3_snprintf((int)(sizeof sql - strlen(sql)), sql + strlen(sql),
		                 " ON CONFLICT DO NOTHING");
	if (sqlite3_prepare_v2(s->writer.db, sql, -1, ret, NULL) != SQLITE_OK)
		return sqlite_conn_error(&s->writer, is_put ? "cannot write" : "cannot read", e);
	return OK;
}

/* ---- reading ---- */

static size_t take_row(sqlite3_stmt *st, struct store_page *page, size_t columns)
{
	struct store_cell *row = port_store_page_add(page);
	size_t bytes = 0;

	for (size_t i = 0; i < columns; i++) {
		if (sqlite3_column_type(st, (int)i) == SQLITE_INTEGER)
			row[i].number = sqlite3_column_int64(st, (int)i);
		else
			row[i].text = arena_keep(page->mem, sqlite_conn_column_str(st, (int)i));
		bytes += row[i].text.len;
	}
	return bytes;
}

/* The chain's hash at an event, as long as it is known here. */
static struct sha256 hash_at(struct sqlite_store *s, int64_t session_no, int64_t seq)
{
	sqlite3_stmt *st = sqlite_writer_stmt(s, W_EVENT_HASH);
	struct sha256 hash = { 0 };

	if (!st)
		return hash;
	sqlite3_bind_int64(st, 1, session_no);
	sqlite3_bind_int64(st, 2, seq);
	if (sqlite3_step(st) == SQLITE_ROW && !sqlite_conn_column_hash(st, 0, &hash))
		hash = (struct sha256){ 0 };
	sqlite3_reset(st);
	return hash;
}

static struct str hash_text(struct arena *mem, const struct sha256 *hash)
{
	return arena_keep(mem, str_of((const char *)hash->state, SHA256_BYTES));
}

/* What an event is by itself: the hash before, unless the row before has it, and the journal. */
static void complete_event(struct sqlite_store *s, struct store_page *page)
{
	struct store_cell *row = port_store_page_row(page, page->rows - 1);
	const struct store_cell *before =
		page->rows > 1 ? port_store_page_row(page, page->rows - 2) : NULL;

	if (!before || before[1].number != row[1].number || before[2].number + 1 != row[2].number) {
		struct sha256 hash = hash_at(s, row[1].number, row[2].number - 1);

		row[4].text = hash_text(page->mem, &hash);
	}
	if (str_is(row[8].text)) {
		CLEANUP(buf_done) struct buf plain = { 0 };
		struct journal_row record =
			event_journal_open(row[1].number, (uint64_t)row[2].number, row[8].text);

		journal_rows_put(&plain, &(struct journal_rows){ .items = &record, .count = 1 });
		row[8].text = arena_keep(page->mem, buf_str(&plain));
	}
}

static bool is_full(const struct store_page *page, size_t bytes)
{
	return page->part != STORE_PART_PENDING &&
	       (bytes >= STORE_PAGE_BYTES || page->rows >= STORE_PAGE_ROWS);
}

static enum err take_rows(struct sqlite_store *s, sqlite3_stmt *st, struct store_page *page,
                          struct error *e)
{
	CLEANUP(buf_done) struct buf end = { 0 };
	size_t columns = port_store_part_columns(page->part), bytes = 0;
	int rc = SQLITE_ROW;

	sqlite_conn_bind_str(st, 1, str_is(page->after) ? page->after : STR(""));
	while (!is_full(page, bytes) && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		bytes += take_row(st, page, columns);
		buf_clear(&end);
		buf_add_str(&end, sqlite_conn_column_str(st, (int)columns));
		if (page->part == STORE_PART_EVENT)
			complete_event(s, page);
	}
	if (page->rows)
		page->next = arena_keep(page->mem, buf_str(&end));
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return sqlite_conn_error(&s->writer, "cannot read", e);
	return OK;
}

enum err sqlite_move_take(struct sqlite_store *s, struct store_page *page, struct error *e)
{
	sqlite3_stmt *st = NULL;
	enum err err = OK;

	/* Rows that are still on their way to their tables. */
	if (page->part >= STORE_PART_INDEX && atomic_load(&s->rowlog_rows))
		err = sqlite_rowlog_catch_up(s, e);
	pthread_mutex_lock(&s->writer.lock);
	if (err == OK)
		err = prepare(s, page->part, false, &st, e);
	if (err == OK)
		err = take_rows(s, st, page, e);
	sqlite3_finalize(st);
	pthread_mutex_unlock(&s->writer.lock);
	return err;
}

/* ---- writing ---- */

static void bind_row(sqlite3_stmt *st, const char *kinds, const struct store_cell *row)
{
	for (int i = 0; kinds[i]; i++) {
		struct str text = row[i].text;

		if (kinds[i] == 'i')
			sqlite3_bind_int64(st, i + 1, row[i].number);
		else if (kinds[i] == 't')
			sqlite_conn_bind_str(st, i + 1, text);
		else if (kinds[i] == 'b' && str_is(text))
			sqlite3_bind_blob64(st, i + 1, text.ptr, text.len, SQLITE_STATIC);
		else if (kinds[i] == 'b')
			sqlite3_bind_null(st, i + 1);
	}
}

static int64_t sum_of_pack(const struct store_cell *row)
{
	return sqlite_sum_pack(&(struct sum_pack){
		.session_no = row[0].number,
		.first_seq = (uint64_t)row[1].number,
		.last_seq = (uint64_t)row[2].number,
		.first_position = (uint64_t)row[3].number,
		.last_position = (uint64_t)row[4].number,
		.prev_hash = row[6].text,
		.last_hash = row[7].text,
		.head = row[8].text,
	});
}

static int64_t sum_of_event(const struct store_cell *row)
{
	return sqlite_sum_event(&(struct sum_event){
		.session_no = row[1].number,
		.position = (uint64_t)row[0].number,
		.seq = (uint64_t)row[2].number,
		.type = (uint32_t)row[3].number,
		.hash = row[5].text,
		.body = row[6].text,
		.digest = row[7].text,
	});
}

/* The column of an event from the record as every store understands it. */
static void bind_journal(sqlite3_stmt *st, struct buf *column, const struct store_cell *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct journal_rows rows = { 0 };

	buf_clear(column);
	if (row[8].text.len && journal_rows_take(mem, row[8].text, &rows) && rows.count == 1)
		event_journal_put(column, row[1].number, &rows.items[0]);
	if (column->len)
		sqlite3_bind_blob64(st, 9, column->ptr, column->len, SQLITE_STATIC);
	else
		sqlite3_bind_null(st, 9);
}

/*
 * A value of one node becomes that of this store, which has one, and counts more than what was there
 * before nodes shared the log.  Of several nodes the last one by name counts.
 */
static bool put_own(sqlite3_stmt *st, const struct store_cell *row)
{
	sqlite_conn_bind_str(st, 1, port_store_own_rest(row[0].text));
	sqlite_conn_bind_str(st, 2, row[1].text);
	return sqlite_conn_run(st);
}

static bool is_own(const struct store_page *page, const struct store_cell *row)
{
	return page->part == STORE_PART_META && str_is(port_store_own_rest(row[0].text));
}

/* Of nodes: a directory has its own, in a file, and this one might come back with a later move. */
static bool is_token(const struct store_page *page, const struct store_cell *row)
{
	return page->part == STORE_PART_META && str_eq(row[0].text, PORT_STORE_TOKEN);
}

static bool put_rows(struct sqlite_store *s, sqlite3_stmt *st, const struct store_page *page)
{
	CLEANUP(buf_done) struct buf journal = { 0 };
	const char *kinds = parts[row_of(page->part)].kinds;

	for (size_t i = 0; i < page->rows; i++) {
		const struct store_cell *row = port_store_page_row(page, i);

		if (is_token(page, row))
			continue;
		if (is_own(page, row)) {
			if (!put_own(sqlite_writer_stmt(s, W_META), row))
				return false;
			continue;
		}
		bind_row(st, kinds, row);
		if (page->part == STORE_PART_PACK)
			sqlite3_bind_int64(st, 12, sum_of_pack(row));
		if (page->part == STORE_PART_EVENT) {
			sqlite3_bind_int64(st, 10, sum_of_event(row));
			bind_journal(st, &journal, row);
		}
		if (!sqlite_conn_run(st))
			return false;
	}
	return true;
}

static enum err put_page(struct sqlite_store *s, struct job *job, struct error *e)
{
	sqlite3_stmt *st = NULL, *progress = sqlite_writer_stmt(s, W_META);
	enum err err = prepare(s, job->page->part, true, &st, e);

	if (err == OK && !put_rows(s, st, job->page))
		err = sqlite_writer_error(s, e);
	if (err == OK && progress) {
		sqlite_conn_bind_str(progress, 1, STR(STORE_MOVE_KEY));
		sqlite_conn_bind_str(progress, 2, job->progress);
	}
	if (err == OK && !sqlite_conn_run(progress))
		err = sqlite_writer_error(s, e);
	sqlite3_finalize(st);
	return err;
}

enum err sqlite_move_put(struct sqlite_store *s, const struct store_page *page, struct str progress,
                         struct error *e)
{
	struct job job = { .page = page, .progress = progress };
	enum err err = sqlite_transact(s, put_page, &job, e);

	if (err == OK)
		sqlite_idle_checkpoint(s);
	return err;
}

/* ---- looking ---- */

enum err sqlite_move_look(struct sqlite_store *s, struct store_contents *ret, struct error *e)
{
	static const char sql[] =
		"SELECT EXISTS(SELECT 1 FROM session) OR EXISTS(SELECT 1 FROM removed)"
		" OR EXISTS(SELECT 1 FROM blob) OR EXISTS(SELECT 1 FROM meta WHERE key NOT IN"
		" (" OWN_KEYS ")),"
		" max((SELECT coalesce(max(position), 0) FROM event),"
		" (SELECT coalesce(max(last_position), 0) FROM pack))";
	sqlite3_stmt *st = NULL;
	enum err err = OK;

	pthread_mutex_lock(&s->writer.lock);
	if (sqlite3_prepare_v2(s->writer.db, sql, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		*ret = (struct store_contents){
			.is_empty = !sqlite3_column_int(st, 0),
			.last_position = (uint64_t)sqlite3_column_int64(st, 1),
		};
	else
		err = sqlite_conn_error(&s->writer, "cannot read", e);
	sqlite3_finalize(st);
	pthread_mutex_unlock(&s->writer.lock);
	return err;
}
