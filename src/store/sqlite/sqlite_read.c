/*
 * The reader: every request is one short read transaction, so that no
 * checkpoint has to wait for long.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/gen/limits.h"
#include "store/event_journal.h"

#include <assert.h>
#include <unistd.h>

#define PAGE_ROWS 256
#define PAGE_BYTES LIMIT_PAGE_BYTES

/* Retries of a failed read, after 5, 10 and 20 ms. */
#define READ_TRIES 3
#define READ_PAUSE_US 5000u

/*
 * The id of a session that is found by its number.  Without a checksum, the
 * index on ids serves as a second copy.
 */
#define NAME_IS_SOUND                                                                              \
	"CASE WHEN s.sum IS NULL"                                                                  \
	" THEN (SELECT o.session_no FROM session o WHERE o.id = s.id) = s.session_no"              \
	" ELSE s.sum = thole_sum(s.session_no, s.id, s.last_seq, s.last_hash, s.floor_seq,"        \
	" s.floor_hash, s.floor_ref) END"

/* The session of a row `i`, also of one that was deleted. */
#define SESSION_ID_OF_ROW                                                                          \
	"coalesce((SELECT id FROM session WHERE session_no = i.session_no),"                       \
	" (SELECT id FROM removed WHERE session_no = i.session_no))"

static const char *const read_sql[R_INDEX] = {
	[R_BEGIN] = "BEGIN",
	[R_COMMIT] = "COMMIT",
	[R_SESSION] = "SELECT session_no, last_seq, last_hash, floor_seq, floor_hash"
		      ", floor_ref, sum IS NULL OR sum = " SESSION_SUM " FROM session WHERE id = ?",
	[R_REMOVED] = "SELECT by, last_seq, last_hash, session_no FROM removed WHERE id = ?",
	[R_EVENTS] = "SELECT " EVENT_COLUMNS " FROM event"
		     " WHERE session_no = ? AND seq > ? AND seq <= ? ORDER BY seq",
	/* A row of a missing session is damaged and must be reported, unless it was deleted. */
	[R_ALL] = "SELECT e.position, e.seq, e.type, e.hash, e.body, e.digest, e.sum,"
		  " e.session_no, CASE WHEN " NAME_IS_SOUND " THEN s.id END"
		  " FROM event e LEFT JOIN session s ON s.session_no = e.session_no"
		  " WHERE e.position > ? AND e.position <= ?"
		  " AND e.session_no NOT IN (SELECT session_no FROM removed) ORDER BY e.position",
	[R_HASH_AT] = "SELECT hash FROM event WHERE session_no = ?1 AND seq = ?2 UNION ALL"
		      " SELECT last_hash FROM pack WHERE session_no = ?1 AND last_seq = ?2"
		      " UNION ALL"
		      " SELECT floor_hash FROM session WHERE session_no = ?1 AND floor_seq = ?2",
	[R_FIRST_ROW] = "SELECT min(seq) FROM event WHERE session_no = ? AND seq > ?",
	[R_ENDS] = "SELECT (SELECT max(position) FROM event),"
		   " (SELECT max(last_position) FROM pack)",
	[R_WINDOW] = "SELECT position, type, length(body) FROM event"
		     " WHERE position > ? AND position <= ?"
		     " AND session_no NOT IN (SELECT session_no FROM removed)",
	[R_PACKS] = "SELECT " PACK_COLUMNS " FROM pack"
		    " WHERE session_no = ? AND last_seq > ? AND first_seq <= ? ORDER BY last_seq",
	[R_LAST_PACK] = "SELECT " PACK_COLUMNS " FROM pack"
			" WHERE session_no = ? ORDER BY last_seq DESC LIMIT 1",
	/* The planner has no statistics; without a name it could search by last_position. */
	[R_SPAN] = "SELECT " PACK_COLUMNS " FROM pack INDEXED BY pack_by_position"
		   " WHERE span = ? AND first_position > ? AND first_position <= ?"
		   " AND last_position > ?"
		   " AND session_no NOT IN (SELECT session_no FROM removed)",
	[R_PACK] = "SELECT " PACK_COLUMNS " FROM pack WHERE pack_no = ?",
	[R_PACK_JOURNAL] = "SELECT journal FROM pack WHERE pack_no = ?",
	[R_PACK_SPANS] = "SELECT pack_no, last_seq FROM pack"
			 " WHERE session_no = ? AND last_seq > ? AND first_seq <= ?"
			 " ORDER BY last_seq LIMIT 1",
	[R_JOURNAL] = "SELECT seq, journal FROM event WHERE session_no = ?"
		      " AND seq BETWEEN ? AND ? AND journal IS NOT NULL ORDER BY seq",
	[R_SESSION_ID] = "SELECT CASE WHEN " NAME_IS_SOUND " THEN id END, last_seq"
			 " FROM session s WHERE session_no = ?",
	[R_SESSIONS] = "SELECT session_no, CASE WHEN " NAME_IS_SOUND " THEN id END, last_seq"
		       " FROM session s WHERE session_no > ? AND last_seq > 0 ORDER BY session_no",
	[R_LOOSE] = "SELECT min(session_no) FROM event WHERE session_no > ?",
	[R_SNAPSHOT] = "SELECT seq, hash, body, sum IS NULL OR sum = " SNAPSHOT_SUM
		       " FROM snapshot WHERE session_no = ? AND version = ?",
	/* A command that a deleted session answered is not carried out again. */
	[R_IDEM] = "SELECT i.body, i.reply, i.seq, i.at, " SESSION_ID_OF_ROW
		   " FROM idem i WHERE i.key = ? AND " SESSION_ID_OF_ROW " IS NOT NULL",
	[R_BLOB] = "SELECT ref, media_type, data, sum IS NULL OR sum = " BLOB_SUM ","
		   " (SELECT id FROM session s WHERE s.session_no = blob.session_no)"
		   " FROM blob WHERE ref = ?"
		   " AND session_no NOT IN (SELECT session_no FROM removed)",
	[R_META] = "SELECT value FROM meta WHERE key = ?",
};

sqlite3_stmt *sqlite_read_stmt(struct sqlite_store *s, enum read_stmt which)
{
	return sqlite_conn_stmt(&s->reader, which, read_sql[which]);
}

enum err sqlite_read_error(struct sqlite_store *s, struct error *e)
{
	enum err err = sqlite_conn_error(&s->reader, "cannot read", e);
	int rc = sqlite3_errcode(s->reader.db) & 0xff;

	/* A damaged page affects only its own content, not the whole file. */
	if (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB) {
		err = ERR_CORRUPT;
		if (e)
			e->code = err;
	}
	return err;
}

enum err sqlite_read_damaged(struct sqlite_store *s, struct error *e, const char *what)
{
	return fail(e, ERR_CORRUPT, "%s is damaged: %s", s->path, what);
}

/*
 * Steps a statement that selects at most one row; no row is ERR_NOT_FOUND.  The
 * caller resets.
 */
static enum err step_one(struct sqlite_store *s, struct store_read *r, sqlite3_stmt *st)
{
	switch (sqlite3_step(st)) {
	case SQLITE_ROW:
		return OK;
	case SQLITE_DONE:
		return fail(&r->error, ERR_NOT_FOUND, "there is no such record");
	default:
		return sqlite_read_error(s, &r->error);
	}
}

/* Was it deleted?  Then the answer says what is known of it. */
static enum err read_removed(struct sqlite_store *s, struct store_read *r, int64_t *ret_no)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_REMOVED);
	enum err err;

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite_conn_bind_str(st, 1, r->session);
	err = step_one(s, r, st);
	if (err == OK) {
		r->is_removed = true;
		*ret_no = sqlite3_column_int64(st, 3);
		r->removed_by = (uint64_t)sqlite3_column_int64(st, 0);
		r->removed_seq = (uint64_t)sqlite3_column_int64(st, 1);
		err = sqlite_conn_column_hash(st, 2, &r->removed_hash)
		              ? fail(&r->error, ERR_NOT_FOUND, "the session was deleted")
		              : sqlite_read_damaged(s, &r->error,
		                                    "the head of a deleted session is no hash");
	}
	sqlite3_reset(st);
	return err;
}

/* Number, head and floor of r->session. */
enum err sqlite_read_session(struct sqlite_store *s, struct store_read *r, int64_t *ret_no)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_SESSION);

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite_conn_bind_str(st, 1, r->session);

	enum err err = step_one(s, r, st);

	if (err == OK) {
		*ret_no = sqlite3_column_int64(st, 0);
		r->head_seq = (uint64_t)sqlite3_column_int64(st, 1);
		r->floor_seq = (uint64_t)sqlite3_column_int64(st, 3);
		r->floor_ref = arena_keep(r->mem, sqlite_conn_column_str(st, 5));
		if (!sqlite_conn_column_hash(st, 2, &r->head_hash) ||
		    !sqlite_conn_column_hash(st, 4, &r->floor_hash))
			err = sqlite_read_damaged(s, &r->error, "the head of a session is no hash");
		else if (!sqlite3_column_int(st, 6))
			err = fail(&r->error, ERR_CORRUPT,
			           "%s is damaged: the record of session %.*s is not what was "
			           "written",
			           s->path, STR_ARG(r->session));
	}
	sqlite3_reset(st);
	return err == ERR_NOT_FOUND ? read_removed(s, r, ret_no) : err;
}

/* ---- pages ---- */

struct page sqlite_read_page(const struct store_read *r)
{
	uint32_t max_rows = r->kind == READ_INDEX && str_is(r->key) ? 1 : PAGE_ROWS;

	return (struct page){
		.max_rows = r->max_rows && r->max_rows < max_rows ? r->max_rows : max_rows,
		.max_bytes = r->max_bytes && r->max_bytes < PAGE_BYTES ? r->max_bytes : PAGE_BYTES,
	};
}

bool sqlite_read_page_fits(const struct page *p, size_t count, size_t len)
{
	return count == 0 || (count < p->max_rows && p->bytes + len <= p->max_bytes);
}

/* ---- single records ---- */

/* A session with rows and without events does not exist for readers. */
static enum err read_head(struct sqlite_store *s, struct store_read *r)
{
	int64_t no = 0;
	enum err err = sqlite_read_session(s, r, &no);

	if (err == OK && r->head_seq == 0)
		err = fail(&r->error, ERR_NOT_FOUND, "the session has no events");
	return err;
}

/*
 * A snapshot that is damaged, of another log or ahead of this one is reported as
 * damage.  The caller ignores it and folds the events.
 */
static enum err read_snapshot(struct sqlite_store *s, struct store_read *r)
{
	int64_t no = 0;
	enum err err = sqlite_read_session(s, r, &no);

	if (err != OK)
		return err;

	sqlite3_stmt *st = sqlite_read_stmt(s, R_SNAPSHOT);

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite3_bind_int64(st, 1, no);
	sqlite_conn_bind_str(st, 2, r->snapshot_version);
	err = step_one(s, r, st);
	if (err == OK) {
		r->snapshot_seq = (uint64_t)sqlite3_column_int64(st, 0);
		r->snapshot = arena_keep(r->mem, sqlite_conn_column_str(st, 2));
		if (!sqlite_conn_column_hash(st, 1, &r->snapshot_hash))
			err = sqlite_read_damaged(s, &r->error, "a snapshot has no hash");
		else if (!sqlite3_column_int(st, 3))
			err = sqlite_read_damaged(s, &r->error,
			                          "a snapshot is not what was written");
		else if (r->snapshot_seq > r->head_seq ||
		         !sqlite_events_hash_fits(s, no, r->snapshot_seq, &r->snapshot_hash))
			err = sqlite_read_damaged(s, &r->error,
			                          "a snapshot is not of this log, or ahead of it");
	}
	sqlite3_reset(st);
	return err;
}

static enum err read_idem(struct sqlite_store *s, struct store_read *r)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_IDEM);

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite_conn_bind_hash(st, 1, &r->idem_key);

	enum err err = step_one(s, r, st);

	if (err == OK) {
		r->idem.key = r->idem_key;
		r->idem.reply = arena_keep(r->mem, sqlite_conn_column_str(st, 1));
		r->idem.seq = (uint64_t)sqlite3_column_int64(st, 2);
		r->idem.at = sqlite3_column_int64(st, 3);
		r->idem_session = arena_keep(r->mem, sqlite_conn_column_str(st, 4));
		if (!sqlite_conn_column_hash(st, 0, &r->idem.body))
			err = sqlite_read_damaged(s, &r->error,
			                          "an idempotency record has no hash");
	}
	sqlite3_reset(st);
	return err;
}

/* A blob without a checksum was written before format 4. */
static enum err read_blob(struct sqlite_store *s, struct store_read *r)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_BLOB);

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite_conn_bind_str(st, 1, r->key);

	enum err err = step_one(s, r, st);

	if (err == OK)
		r->blob = (struct blob_row){
			.ref = arena_keep(r->mem, sqlite_conn_column_str(st, 0)),
			.media_type = arena_keep(r->mem, sqlite_conn_column_str(st, 1)),
			.data = arena_keep(r->mem, sqlite_conn_column_str(st, 2)),
		};
	if (err == OK)
		r->blob_session = arena_keep(r->mem, sqlite_conn_column_str(st, 4));
	if (err == OK && !sqlite3_column_int(st, 3))
		err = fail(&r->error, ERR_CORRUPT, "%s is damaged: %.*s is not what was written",
		           s->path, STR_ARG(r->key));
	sqlite3_reset(st);
	return err;
}

/* ---- index rows ---- */

/* Filters by selectivity: parent, then status and session, then open. */
static enum index_path path_of(const struct store_read *r)
{
	if (str_is(r->key))
		return PATH_KEY;
	if (str_is(r->parent))
		return PATH_PARENT;
	if (str_is(r->session))
		return r->table == INDEX_TASK && str_is(r->status) ? PATH_STATUS : PATH_SESSION;
	return r->open_only ? PATH_OPEN : PATH_ALL;
}

/*
 * The index is named explicitly, because the planner has no statistics and must
 * never choose to sort.  INDEX_ID has only its key: listing it reads and sorts
 * the whole table.
 */
static struct str index_from(struct arena *mem, enum index_table table, enum index_path path)
{
	static const char *const by[INDEX_PATHS] = {
		[PATH_PARENT] = "parent", [PATH_STATUS] = "status", [PATH_SESSION] = "session",
		[PATH_OPEN] = "open",     [PATH_ALL] = "at",
	};
	const char *name = sqlite_file_index_table[table];

	if (path == PATH_KEY || table == INDEX_ID)
		return arena_printf(mem, "%s i", name);
	return arena_printf(mem, "%s i INDEXED BY %s_by_%s", name, name, by[path]);
}

/*
 * Parameters: 1 key, 2 parent, 3 session_no, 4 status, 5 open only, 6 and 7
 * the row to continue after, 8 the latest `at`, 9 how the session's id begins.
 */
static const char *index_where(enum index_path path)
{
	static const char *const where[INDEX_PATHS] = {
		[PATH_KEY] = "i.key = ?1",
		[PATH_PARENT] = ("i.parent = ?2 AND (?3 IS NULL OR i.session_no = ?3)"
		                 " AND (NOT ?5 OR i.open = 1)"),
		[PATH_STATUS] = "i.session_no = ?3 AND i.status = ?4 AND (NOT ?5 OR i.open = 1)",
		[PATH_SESSION] = "i.session_no = ?3 AND (NOT ?5 OR i.open = 1)",
		[PATH_OPEN] = "i.open = 1",
		[PATH_ALL] = "1",
	};

	return where[path];
}

/* Ids are ASCII, so no id that begins with ?9 is behind ?9 with a DEL. */
#define WITHIN_REACH " AND (?9 IS NULL OR (s.id >= ?9 AND s.id < ?9 || char(127)))"

static const char *index_range(enum index_path path, bool newest_first)
{
	if (path == PATH_KEY)
		return "";
	return newest_first ? " AND (?4 IS NULL OR i.status = ?4) AND (i.at, i.key) < (?6, ?7)"
	                      " ORDER BY i.at DESC, i.key DESC"
	                    : " AND (?4 IS NULL OR i.status = ?4) AND (i.at, i.key) > (?6, ?7)"
	                      " AND i.at <= ?8 ORDER BY i.at, i.key";
}

/* What a deleted session used stays in the sums; no other row of it is seen. */
static bool keeps_removed(const struct store_read *r)
{
	return r->table == INDEX_USAGE;
}

/*
 * Statements are prepared per table, path and direction at first use; a slot of the
 * connection keeps each.
 */
static sqlite3_stmt *index_stmt(struct sqlite_store *s, const struct store_read *r)
{
	enum index_path path = path_of(r);
	size_t slot = R_INDEX + ((size_t)r->table * INDEX_PATHS + path) * 2 + r->newest_first;

	if (s->reader.stmts[slot])
		return s->reader.stmts[slot];

	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool keeps = keeps_removed(r);
	struct str sql = arena_printf(
		mem,
		"SELECT i.key, %s, i.status, i.parent, i.at, i.open, i.body FROM %s %s WHERE "
		"%s%s%s",
		keeps ? SESSION_ID_OF_ROW : "s.id", index_from(mem, r->table, path).ptr,
		keeps ? "" : "CROSS JOIN session s ON s.session_no = i.session_no",
		index_where(path), keeps ? "" : WITHIN_REACH, index_range(path, r->newest_first));

	return sqlite_conn_stmt(&s->reader, slot, sql.ptr);
}

/*
 * Where the page begins.  Going down there are two upper bounds, the last
 * row and at_most; only the lower one is given to SQLite, which would
 * otherwise choose one of them to search by and step over all rows between.
 * An empty BLOB sorts behind every TEXT, so as a key it means the end of `at`.
 */
static void bind_range(sqlite3_stmt *st, const struct store_read *r)
{
	int64_t at_most = r->at_most ? r->at_most : INT64_MAX;

	if (r->newest_first) {
		bool continues = str_is(r->from_key) && r->from_at <= at_most;

		sqlite3_bind_int64(st, 6, continues ? r->from_at : at_most);
		if (continues)
			sqlite_conn_bind_str(st, 7, r->from_key);
		else
			sqlite3_bind_zeroblob(st, 7, 0);
	} else {
		sqlite3_bind_int64(st, 6, str_is(r->from_key) ? r->from_at : INT64_MIN);
		sqlite_conn_bind_str(st, 7, str_is(r->from_key) ? r->from_key : STR(""));
		sqlite3_bind_int64(st, 8, at_most);
	}
}

static void bind_filters(sqlite3_stmt *st, const struct store_read *r, int64_t session_no)
{
	sqlite_conn_bind_str(st, 2, r->parent);
	if (session_no)
		sqlite3_bind_int64(st, 3, session_no);
	else
		sqlite3_bind_null(st, 3);
	sqlite_conn_bind_str(st, 4, r->status);
	sqlite3_bind_int(st, 5, r->open_only);
}

/* What deleted sessions used is not shown to callers with a limited reach. */
static void bind_reach(sqlite3_stmt *st, const struct store_read *r)
{
	assert(!str_is(r->reach) || !keeps_removed(r));
	if (!keeps_removed(r))
		sqlite_conn_bind_str(st, 9, r->reach);
}

static void take_row(struct store_read *r, sqlite3_stmt *st)
{
	r->rows[r->row_count++] = (struct index_found){
		.key = arena_keep(r->mem, sqlite_conn_column_str(st, 0)),
		.session = arena_keep(r->mem, sqlite_conn_column_str(st, 1)),
		.status = arena_keep(r->mem, sqlite_conn_column_str(st, 2)),
		.parent = arena_keep(r->mem, sqlite_conn_column_str(st, 3)),
		.at = sqlite3_column_int64(st, 4),
		.open = sqlite3_column_int(st, 5) != 0,
		.body = r->without_body ? STR_NONE
		                        : arena_keep(r->mem, sqlite_conn_column_str(st, 6)),
	};
}

static enum err take_rows(struct sqlite_store *s, struct store_read *r, sqlite3_stmt *st)
{
	struct page page = sqlite_read_page(r);
	enum err err = OK;
	int rc;

	r->rows = ARENA_ARRAY(r->mem, struct index_found, page.max_rows);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		size_t len = r->without_body ? 0 : (size_t)sqlite3_column_bytes(st, 6);

		if (!sqlite_read_page_fits(&page, r->row_count, len)) {
			r->more = true;
			break;
		}
		page.bytes += len;
		take_row(r, st);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		err = sqlite_read_error(s, &r->error);
	sqlite3_reset(st);
	return err;
}

/* Rows by key, or a page of a list.  A list of an unknown session is empty, not an error. */
static enum err read_index(struct sqlite_store *s, struct store_read *r)
{
	int64_t session_no = 0;

	assert(r->table < INDEX_TABLES);
	if (str_is(r->session) && !str_is(r->key)) {
		enum err err = sqlite_read_session(s, r, &session_no);

		if (err != OK && (err != ERR_NOT_FOUND || !r->is_removed || !keeps_removed(r)))
			return err == ERR_NOT_FOUND ? OK : err;
	}

	sqlite3_stmt *st = index_stmt(s, r);

	if (!st)
		return sqlite_read_error(s, &r->error);
	if (str_is(r->key)) {
		sqlite_conn_bind_str(st, 1, r->key);
	} else {
		bind_filters(st, r, session_no);
		bind_range(st, r);
	}
	bind_reach(st, r);
	return take_rows(s, r, st);
}

/* ---- requests ---- */

static enum err response(struct sqlite_store *s, struct store_read *r)
{
	switch (r->kind) {
	case READ_EVENTS:
		return sqlite_events_read(s, r);
	case READ_ALL:
		return sqlite_events_read_all(s, r);
	case READ_HEAD:
		return read_head(s, r);
	case READ_SNAPSHOT:
		return read_snapshot(s, r);
	case READ_INDEX:
		return read_index(s, r);
	case READ_IDEM:
		return read_idem(s, r);
	case READ_BLOB:
		return read_blob(s, r);
	case READ_SESSIONS:
		return sqlite_events_read_sessions(s, r);
	case READ_JOURNAL:
		return event_journal_read(s, r);
	case READ_LOOSE:
		return sqlite_events_read_unpacked(s, r);
	}
	assert(!"a kind of read that does not exist");
	return ERR_INVALID;
}

/*
 * A disk error may be temporary; false: no further attempt.  A store without threads
 * does not sleep: it runs on virtual time.
 */
bool sqlite_read_retry(struct sqlite_store *s, unsigned try)
{
	if (try >= READ_TRIES)
		return false;
	if (s->has_threads)
		usleep(READ_PAUSE_US << try);
	return true;
}

bool sqlite_read_finish(struct sqlite_store *s)
{
	bool is_good = sqlite_conn_run(sqlite_read_stmt(s, R_COMMIT));

	/* An open transaction would make every later read fail. */
	if (!sqlite3_get_autocommit(s->reader.db))
		sqlite3_exec(s->reader.db, "ROLLBACK", NULL, NULL, NULL);
	return is_good;
}

/* In one transaction, so that a head and the events below it agree. */
static enum err response_at_once(struct sqlite_store *s, struct store_read *r)
{
	enum err err;

	if (!sqlite_conn_run(sqlite_read_stmt(s, R_BEGIN)))
		return sqlite_read_error(s, &r->error);
	err = response(s, r);
	if (!sqlite_read_finish(s) && (err == OK || err == ERR_NOT_FOUND))
		err = sqlite_read_error(s, &r->error);
	return err;
}

/*
 * Only a failed disk read is repeated.  Damage stays damage, and a repeated read begins
 * with an empty result and a new arena.
 */
void sqlite_read_work(struct sqlite_store *s, struct store_read *r)
{
	for (unsigned try = 0;; try++) {
		r->mem = arena_new();
		if (sqlite_state_is_dead(s, &r->error)) {
			r->result = r->error.code;
			return;
		}
		pthread_mutex_lock(&s->reader.lock);
		r->result = response_at_once(s, r);
		pthread_mutex_unlock(&s->reader.lock);
		if (r->result != ERR_IO || !sqlite_read_retry(s, try))
			break;
		port_store_read_done(r);
	}
	if (r->result == OK)
		r->error = (struct error){ 0 }; /* set by the failed lookup */
}

static enum err read_meta(struct sqlite_store *s, struct store_read *r, struct arena *mem,
                          struct str key, struct str *ret)
{
	sqlite3_stmt *st = sqlite_read_stmt(s, R_META);
	enum err err;

	if (!st)
		return sqlite_read_error(s, &r->error);
	sqlite_conn_bind_str(st, 1, key);
	err = step_one(s, r, st);
	if (err == OK)
		*ret = arena_keep(mem, sqlite_conn_column_str(st, 0));
	sqlite3_reset(st);
	return err;
}

enum err sqlite_read_meta(struct sqlite_store *s, struct arena *mem, struct str key,
                          struct str *ret, struct error *e)
{
	struct store_read r = { 0 };
	enum err err = sqlite_state_is_dead(s, &r.error) ? r.error.code : OK;

	for (unsigned try = 0; err == OK; try++) {
		pthread_mutex_lock(&s->reader.lock);
		err = read_meta(s, &r, mem, key, ret);
		pthread_mutex_unlock(&s->reader.lock);
		if (err != ERR_IO || !sqlite_read_retry(s, try))
			break;
		err = OK;
	}
	if (err != OK && e)
		*e = r.error;
	return err;
}

/* A blob that cannot be read counts as missing: writing it again changes nothing. */
bool sqlite_read_has_blob(struct sqlite_store *s, struct str ref)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store_read r = { .kind = READ_BLOB, .key = ref, .mem = mem };
	enum err err;

	pthread_mutex_lock(&s->reader.lock);
	err = read_blob(s, &r);
	pthread_mutex_unlock(&s->reader.lock);
	return err == OK;
}
