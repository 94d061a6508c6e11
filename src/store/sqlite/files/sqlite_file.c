/*
 * Opens connections to log.db: their settings, the tables, and the migration
 * from older versions of the format.
 */
#include "store/sqlite/files/sqlite_files.h"
#include "store/sqlite/sqlite_int.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

const char *const sqlite_file_index_table[INDEX_TABLES] = {
	[INDEX_SESSION] = "idx_session", [INDEX_THREAD] = "idx_thread", [INDEX_TASK] = "idx_task",
	[INDEX_ACTION] = "idx_action",   [INDEX_TIMER] = "idx_timer",   [INDEX_ID] = "idx_id",
	[INDEX_ITEM] = "idx_item",       [INDEX_OUTPUT] = "idx_output", [INDEX_USAGE] = "idx_usage",
};

/* Nine tables of one shape, found by key. */
#define KEY_TABLE(name)                                                                            \
	"CREATE TABLE IF NOT EXISTS " name "("                                                     \
	" key TEXT NOT NULL UNIQUE, session_no INTEGER NOT NULL, status TEXT, parent TEXT,"        \
	" at INTEGER NOT NULL, open INTEGER NOT NULL, body TEXT) STRICT;"

#define ROW_LOG                                                                                    \
	"CREATE TABLE IF NOT EXISTS row_log("                                                      \
	" no INTEGER PRIMARY KEY, rows BLOB NOT NULL, sum INTEGER NOT NULL) STRICT;"

#define BLOB_BY_SESSION "CREATE INDEX blob_by_session ON blob(session_no, seq);"

#define PACK_INDEXES                                                                               \
	"CREATE INDEX pack_by_position ON pack(span, first_position, last_position);"              \
	"CREATE INDEX pack_by_end ON pack(last_position);"

/* The identity of the log and the generation of its write-ahead log; sqlite_identity.c. */
#define MARK                                                                                       \
	"CREATE TABLE mark(one INTEGER PRIMARY KEY CHECK(one = 1), data BLOB NOT NULL) STRICT;"    \
	"INSERT INTO mark VALUES(1, CAST('THOLE-LOG-MARK:' || lower(hex(randomblob(16))) ||"       \
	" '0000000000000001' AS BLOB));"

/*
 * Lists run in the order (at, key) along the index of their filter; the
 * columns behind these two let a second filter be decided without touching
 * the row.  Open rows are few among many that have ended, so they have an
 * index that holds nothing else.
 */
#define LIST_TABLE(name)                                                                           \
	KEY_TABLE(name)                                                                            \
	"CREATE INDEX IF NOT EXISTS " name "_by_parent ON " name                                   \
	" (parent, at, key, status, open, session_no) WHERE parent IS NOT NULL;"                   \
	"CREATE INDEX IF NOT EXISTS " name "_by_session ON " name                                  \
	" (session_no, at, key, status, open);"                                                    \
	"CREATE INDEX IF NOT EXISTS " name "_by_open ON " name                                     \
	" (at, key, status) WHERE open = 1;"                                                       \
	"CREATE INDEX IF NOT EXISTS " name "_by_at ON " name " (at, key, status);"

/*
 * Version n becomes n + 1 by steps[n]; a new file is version 0 and takes none.  A step once
 * released is never changed: docs/formats/event-log.md describes it.
 */
/* clang-format off */
static const char *const steps[STORE_FORMAT] = {
	/*
	 * Packs.  Found by session through last_seq, because reads continue after
	 * a sequence; by position through span, see sqlite_events.c.
	 */
	[1] = "CREATE TABLE pack("
	" pack_no INTEGER PRIMARY KEY, session_no INTEGER NOT NULL,"
	" first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL,"
	" first_position INTEGER NOT NULL, last_position INTEGER NOT NULL, span INTEGER NOT NULL,"
	" prev_hash BLOB NOT NULL, last_hash BLOB NOT NULL,"
	" head BLOB NOT NULL, body BLOB NOT NULL, UNIQUE(session_no, last_seq)) STRICT;"
	PACK_INDEXES
	"ALTER TABLE event ADD COLUMN digest BLOB;"
	"ALTER TABLE session ADD COLUMN floor_ref TEXT;"
	"ALTER TABLE blob ADD COLUMN seq INTEGER;"
	BLOB_BY_SESSION
	"CREATE INDEX idem_by_at ON idem(at);",

	/* A status that is rare among the tasks of a session is found without passing the others. */
	[2] = "CREATE INDEX idx_task_by_status ON idx_task (session_no, status, at, key, open);",

	/* Checksums.  Rows that were there before have none; nothing is rewritten. */
	[3] = "ALTER TABLE event ADD COLUMN sum INTEGER;"
	"ALTER TABLE pack ADD COLUMN sum INTEGER;"
	"ALTER TABLE session ADD COLUMN sum INTEGER;"
	"ALTER TABLE blob ADD COLUMN sum INTEGER;"
	"ALTER TABLE snapshot ADD COLUMN sum INTEGER;"
	/* Index rows on their way to their tables, see sqlite_rowlog.c. */
	ROW_LOG
	MARK,

	/* The journal: a record is part of the first event of its group (event_journal.c). */
	[4] = "ALTER TABLE event ADD COLUMN journal BLOB;"
	"ALTER TABLE pack ADD COLUMN journal BLOB;"
	/* What a session used in an hour (core/usage). */
	LIST_TABLE("idx_usage"),
};

/*
 * What cannot be made again, as the newest format has it.  A new log is made by this and
 * derived_sql: each step with ALTER TABLE would read the whole schema again.
 * tests/sim/test_formats.c compares it with what the steps lead to.
 *
 * event: by position for those who follow everything, by (session_no, seq)
 * for those who follow one.  An integer instead of the session's id in both
 * trees saves a fifth of the time; WITHOUT ROWID on (session_no, seq) would
 * halve the speed, because every session then grows in the middle of the tree.
 */
static const char log_sql[] =
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
	"CREATE TABLE session("
	" session_no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
	" last_seq INTEGER NOT NULL, last_hash BLOB NOT NULL,"
	" floor_seq INTEGER NOT NULL, floor_hash BLOB NOT NULL, floor_ref TEXT, sum INTEGER) STRICT;"
	"CREATE TABLE event("
	" position INTEGER PRIMARY KEY, session_no INTEGER NOT NULL, seq INTEGER NOT NULL,"
	" type INTEGER NOT NULL, hash BLOB NOT NULL, body BLOB NOT NULL,"
	" digest BLOB, sum INTEGER, journal BLOB, UNIQUE(session_no, seq)) STRICT;"
	"CREATE TABLE blob("
	" ref TEXT PRIMARY KEY, session_no INTEGER NOT NULL, media_type TEXT,"
	" data BLOB NOT NULL, seq INTEGER, sum INTEGER) STRICT;"
	BLOB_BY_SESSION
	"CREATE TABLE pack("
	" pack_no INTEGER PRIMARY KEY, session_no INTEGER NOT NULL,"
	" first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL,"
	" first_position INTEGER NOT NULL, last_position INTEGER NOT NULL, span INTEGER NOT NULL,"
	" prev_hash BLOB NOT NULL, last_hash BLOB NOT NULL,"
	" head BLOB NOT NULL, body BLOB NOT NULL, sum INTEGER, journal BLOB,"
	" UNIQUE(session_no, last_seq)) STRICT;"
	PACK_INDEXES
	MARK;

/*
 * What can be made again, in the same way.
 *
 * idx_id gets a row for every object there ever was and is asked by key.
 * The indexes for lists took a quarter off appends with one such row per
 * four events, nearly all of it by_session's.
 */
static const char derived_sql[] =
	"CREATE TABLE IF NOT EXISTS snapshot("
	" session_no INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash BLOB NOT NULL,"
	" version TEXT NOT NULL, body BLOB NOT NULL, sum INTEGER) STRICT;"
	"CREATE TABLE IF NOT EXISTS idem("
	" key BLOB PRIMARY KEY, body BLOB NOT NULL, session_no INTEGER NOT NULL,"
	" seq INTEGER NOT NULL, at INTEGER NOT NULL, reply TEXT NOT NULL) STRICT;"
	"CREATE INDEX IF NOT EXISTS idem_by_at ON idem(at);"
	LIST_TABLE("idx_session")
	LIST_TABLE("idx_thread")
	LIST_TABLE("idx_task")
	LIST_TABLE("idx_action")
	LIST_TABLE("idx_timer")
	KEY_TABLE("idx_id")
	LIST_TABLE("idx_item")
	LIST_TABLE("idx_output")
	LIST_TABLE("idx_usage")
	ROW_LOG
	"CREATE INDEX IF NOT EXISTS idx_task_by_status"
	" ON idx_task (session_no, status, at, key, open);";
/*
 * The numbers that sqlite_file_missing() expects: the index tables with snapshot, idem
 * and row_log; four indexes for each table but idx_id, with idem_by_at and
 * idx_task_by_status.
 */
#define DERIVED_TABLES (INDEX_TABLES + 3)
#define DERIVED_INDEXES (4 * (INDEX_TABLES - 1) + 2)
/* clang-format on */

static enum err exec(const struct conn *c, const char *sql, struct error *e)
{
	if (sqlite3_exec(c->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return sqlite_conn_error(c, "cannot set up", e);
	return OK;
}

/* ---- format ---- */

static enum err read_int(const struct conn *c, const char *sql, int64_t *ret, struct error *e)
{
	sqlite3_stmt *st = NULL;
	enum err err = OK;

	if (sqlite3_prepare_v2(c->db, sql, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		*ret = sqlite3_column_int64(st, 0);
	else
		err = sqlite_conn_error(c, "cannot read", e);
	sqlite3_finalize(st);
	return err;
}

/* Makes a new log, or runs all missing steps, in one transaction with the new version. */
static enum err migrate(const struct conn *c, int64_t from, struct error *e)
{
	char sql[128];
	enum err err = exec(c, "BEGIN IMMEDIATE", e);

	if (from == 0 && err == OK)
		err = exec(c, log_sql, e);
	if (from == 0 && err == OK)
		err = exec(c, derived_sql, e);
	for (int64_t v = from ? from : STORE_FORMAT; v < STORE_FORMAT && err == OK; v++)
		err = exec(c, steps[v], e);
	snprintf(sql, sizeof sql, "PRAGMA application_id=%d;PRAGMA user_version=%d;COMMIT",
	         STORE_APPLICATION, STORE_FORMAT);
	if (err == OK)
		err = exec(c, sql, e);
	if (!sqlite3_get_autocommit(c->db))
		sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

/* Reads the format's version, 0 for a new file; refuses files of other programs. */
static enum err read_format(const struct conn *c, const char *path, int64_t *ret_version,
                            struct error *e)
{
	int64_t version = 0, application = 0, tables = 0;
	enum err err = read_int(c, "PRAGMA user_version", &version, e);

	if (err == OK)
		err = read_int(c, "PRAGMA application_id", &application, e);
	if (err == OK)
		err = read_int(c, "SELECT count(*) FROM sqlite_schema", &tables, e);
	if (err != OK)
		return err;

	bool is_new = version == 0 && application == 0 && tables == 0;

	if (!is_new && (application != STORE_APPLICATION || version < 1))
		return fail(e, ERR_STORE, "%s is not an event log of this program", path);
	if (version > STORE_FORMAT)
		return fail(e, ERR_STORE,
		            "%s has format %lld, this program knows formats up to %d; "
		            "use the newer program that wrote it",
		            path, (long long)version, STORE_FORMAT);
	*ret_version = version;
	return OK;
}

/* ---- connections ---- */

static enum err conn_open(struct conn *c, const char *path, const char *vfs, int flags,
                          struct error *e)
{
	pthread_mutex_init(&c->lock, NULL);
	if (sqlite3_open_v2(path, &c->db, flags | SQLITE_OPEN_NOMUTEX, vfs) != SQLITE_OK)
		return sqlite_conn_error(c, "cannot open", e);
	/* SQLite silently opens a read-only file for reading. */
	if (flags & SQLITE_OPEN_READWRITE && sqlite3_db_readonly(c->db, "main") == 1)
		return fail(e, ERR_IO, "cannot open %s for writing", path);
	sqlite3_extended_result_codes(c->db, 1);
	if (!sqlite_sum_register(c->db))
		return sqlite_conn_error(c, "cannot set up", e);
	/* For other programs that read the file; our own two connections never block each other. */
	sqlite3_busy_timeout(c->db, STORE_BUSY_MS);
	return OK;
}

static enum err turn_to_wal(const struct conn *c, const char *path, struct error *e)
{
	sqlite3_stmt *st = NULL;
	enum err err = OK;

	if (sqlite3_prepare_v2(c->db, "PRAGMA journal_mode=WAL", -1, &st, NULL) != SQLITE_OK ||
	    sqlite3_step(st) != SQLITE_ROW)
		err = sqlite_conn_error(c, "cannot set up", e);
	else if (!str_eq(sqlite_conn_column_str(st, 0), STR("wal")))
		err = fail(e, ERR_UNSUPPORTED, "%s cannot have a write-ahead log here", path);
	sqlite3_finalize(st);
	return err;
}

/*
 * Page size and vacuum mode hold for the life of the file.  They have to
 * come before its first page, which turning to WAL writes.
 */
#define FOR_LIFE "PRAGMA page_size=4096;PRAGMA auto_vacuum=INCREMENTAL"

/*
 * A file of version 0 is new and gets its tables, unless other files show that there
 * was a log: an empty log beside them would hide the loss.
 */
static enum err settle_format(const struct conn *c, const char *path, const char *dir,
                              const char *companion, struct error *e)
{
	int64_t version = 0;
	enum err err = read_format(c, path, &version, e);

	if (err == OK && version == 0 && companion)
		return sqlite_dir_log_lost(dir, companion, "without a single table", e);

	if (err == OK && version == 0)
		err = exec(c, FOR_LIFE, e);
	if (err == OK)
		err = turn_to_wal(c, path, e);
	if (err == OK && version < STORE_FORMAT)
		err = migrate(c, version, e);
	return err;
}

/*
 * Counts instead of comparing: names and shapes are fixed, so only a dropped table or
 * index can differ.  Missing tables need their rows again; SQLite fills a missing
 * index.  The last three tables were added without a new version, so an older file may
 * lack them.
 */
enum err sqlite_file_missing(const struct conn *c, bool *ret_any, bool *ret_derived,
                             struct error *e)
{
	static const char *const of =
		" FROM sqlite_schema WHERE sql IS NOT NULL AND (name LIKE"
		" 'idx^_%' ESCAPE '^' OR name IN ('idem', 'idem_by_at', 'row_log', "
		"'snapshot')) AND type = ";
	char sql[256];
	int64_t tables = 0, indexes = 0, small = 0;
	enum err err;

	snprintf(sql, sizeof sql, "SELECT count(*)%s'table'", of);
	err = read_int(c, sql, &tables, e);
	snprintf(sql, sizeof sql, "SELECT count(*)%s'index'", of);
	if (err == OK)
		err = read_int(c, sql, &indexes, e);
	if (err == OK)
		err = read_int(c,
		               "SELECT count(*) FROM sqlite_schema WHERE name IN ('ledger', "
		               "'chore', 'removed')",
		               &small, e);
	*ret_derived = tables != DERIVED_TABLES;
	*ret_any = *ret_derived || indexes != DERIVED_INDEXES || small != 3;
	return err;
}

bool sqlite_file_make_derived(const struct conn *c)
{
	return sqlite3_exec(c->db, derived_sql, NULL, NULL, NULL) == SQLITE_OK;
}

/*
 * secure_delete FAST wipes what can be wiped without extra writes (Debian's
 * default wipes more).
 */
enum err sqlite_file_open_writer(struct conn *c, const char *path, const char *vfs,
                                 const struct store_sqlite_options *o, const char *companion,
                                 struct error *e)
{
	char sql[64];
	enum err err = conn_open(c, path, vfs, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e);

	if (err == OK)
		err = exec(c,
		           "PRAGMA wal_autocheckpoint=0;PRAGMA mmap_size=0;PRAGMA foreign_keys=OFF;"
		           "PRAGMA cache_size=-512;PRAGMA temp_store=MEMORY;"
		           "PRAGMA cell_size_check=ON",
		           e);
	if (err == OK)
		err = exec(c,
		           o->durability == DURABILITY_RELAXED ? "PRAGMA synchronous=NORMAL"
		                                               : "PRAGMA synchronous=FULL",
		           e);
	if (err == OK)
		err = settle_format(c, path, o->dir, companion, e);
	if (err == OK)
		err = sqlite_shape_check(c, path, e);
	if (err == OK)
		err = exec(c, "PRAGMA secure_delete=FAST;PRAGMA journal_size_limit=67108864", e);
	if (err == OK && o->max_pages) {
		snprintf(sql, sizeof sql, "PRAGMA max_page_count=%u", o->max_pages);
		err = exec(c, sql, e);
	}
	return err;
}

/* The same tables as in a file, for sqlite_new.c. */
enum err sqlite_file_open_memory(struct conn *c, struct error *e)
{
	enum err err =
		conn_open(c, ":memory:", NULL, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e);

	if (err == OK)
		err = exec(c, FOR_LIFE, e);
	return err == OK ? migrate(c, 0, e) : err;
}

/* The reader must not write or checkpoint, also not when it closes: there is one writer. */
enum err sqlite_file_open_reader(struct conn *c, const char *path, const char *vfs, struct error *e)
{
	enum err err = conn_open(c, path, vfs, SQLITE_OPEN_READWRITE, e);

	if (err != OK)
		return err;
	sqlite3_db_config(c->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return exec(c,
	            "PRAGMA query_only=ON;PRAGMA wal_autocheckpoint=0;PRAGMA mmap_size=0;"
	            "PRAGMA cache_size=-256;PRAGMA temp_store=MEMORY;PRAGMA cell_size_check=ON",
	            e);
}
