#ifndef STORE_SQLITE_CONN_H
#define STORE_SQLITE_CONN_H
/*
 * One connection of the SQLite store: its prepared statements, values and errors,
 * and the tables of the file that it opens.
 * 
 * A connection belongs to one thread at a time.  `lock` is held for a whole
 * transaction; only the meta calls at start wait for it.
 */
#include "store/sqlite/sqlite.h"

#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>

#define STORE_FORMAT 5
#define STORE_APPLICATION 0x54686f6c /* "Thol" */
#define STORE_PAGE 4096
/* How long a connection waits for other programs. */
#define STORE_BUSY_MS 5000

enum write_stmt {
	W_BEGIN,
	W_COMMIT,
	W_ROLLBACK,
	W_SESSION_FIND,
	W_SESSION_NEW,
	W_SESSION_HEAD,
	W_EVENT,
	W_EVENT_HASH,
	W_IDEM,
	W_SNAPSHOT,
	W_BLOB,
	W_BLOB_AGAIN,
	W_META,
	W_LEDGER,
	W_PENDING,
	W_PENDING_DROP,
	W_REMOVED,
	W_REMOVED_FIND,
	W_REMOVED_SESSION,
	W_REMOVED_PENDING,
	W_REMOVED_OUTPUTS,
	W_REMOVED_OUTPUT,
	W_REMOVED_NEXT,
	W_REMOVED_STATE,
	W_REMOVED_IDS,
	W_REMOVED_MOVE,
	W_REMOVED_LEFT,
	W_PACK,
	W_PACK_DROP,
	W_EVENTS_DROP,
	W_EVENT_ERASE,
	W_JOURNAL_ERASE,
	W_JOURNAL_DROP,
	W_FLOOR,
	W_BLOBS_DROP,
	W_BLOB_DROP,
	W_SNAPSHOT_DROP,
	W_IDEM_PURGE,
	W_FREE,
	W_PAGES,
	W_ROWLOG,
	W_ROWLOG_READ,
	W_ROWLOG_CLEAR,
	W_MARK,
	W_INDEX_PUT,
	W_INDEX_REMOVE = W_INDEX_PUT + INDEX_TABLES,
	W_STMTS = W_INDEX_REMOVE + INDEX_TABLES,
};

/* The access path of an index query, in the order of preference. */
enum index_path {
	PATH_KEY,
	PATH_PARENT,
	PATH_STATUS, /* only for tasks: a session may have a hundred thousand */
	PATH_SESSION,
	PATH_OPEN,
	PATH_ALL,
	INDEX_PATHS,
};

enum read_stmt {
	R_BEGIN,
	R_COMMIT,
	R_SESSION,
	R_REMOVED,
	R_EVENTS,
	R_ALL,
	R_HASH_AT,
	R_FIRST_ROW,
	R_ENDS,
	R_WINDOW,
	R_PACKS,
	R_LAST_PACK,
	R_SPAN,
	R_PACK,
	R_PACK_JOURNAL,
	R_PACK_SPANS,
	R_JOURNAL,
	R_SESSION_ID,
	R_LOOSE,
	R_SESSIONS,
	R_SNAPSHOT,
	R_IDEM,
	R_BLOB,
	R_META,
	R_INDEX, /* by table, path and direction */
	R_STMTS = R_INDEX + INDEX_TABLES * INDEX_PATHS * 2,
};

/* A connection and its prepared statements, each made when first needed. */
struct conn {
	sqlite3 *db;
	pthread_mutex_t lock;
	sqlite3_stmt *stmts[R_STMTS];
};
static_assert((int)W_STMTS <= (int)R_STMTS, "the array holds either's");

/* The table of pending operations. */
#define PENDING_TABLE "chore"

/* The columns that `sum` of the small tables covers, as SQL. */
#define SESSION_SUM                                                                                \
	"thole_sum(session_no, id, last_seq, last_hash, floor_seq, floor_hash, floor_ref)"
#define SNAPSHOT_SUM "thole_sum(session_no, seq, hash, version, body)"
/* Without seq, which changes when another event names the blob. */
#define BLOB_SUM "thole_sum(ref, session_no, media_type, data)"

/* ---- sqlite_file.c ---- */

extern const char *const sqlite_file_index_table[INDEX_TABLES];

/* Determines the format, and creates or migrates the tables. */
enum err sqlite_file_open_writer(struct conn *c, const char *path, const char *vfs,
                                 const struct store_sqlite_options *o, const char *companion,
                                 struct error *e) MUST_USE;
/* The tables of a new log, in memory. */
enum err sqlite_file_open_memory(struct conn *c, struct error *e) MUST_USE;
/* Turns the empty file at path into a log without events; other files are not changed. */
enum err sqlite_new_write_log(const char *path, struct error *e) MUST_USE;
/* Whether tables or indexes are missing, and whether derived tables are among them. */
enum err sqlite_file_missing(const struct conn *c, bool *ret_any, bool *ret_derived,
                             struct error *e) MUST_USE;
bool sqlite_file_make_derived(const struct conn *c) MUST_USE;
enum err sqlite_file_open_reader(struct conn *c, const char *path, const char *vfs,
                                 struct error *e) MUST_USE;
void sqlite_conn_close(struct conn *c);

/*
 * The statement at `slot`, prepared from sql on first use.  NULL on failure: see
 * sqlite_conn_error().
 */
sqlite3_stmt *sqlite_conn_stmt(struct conn *c, size_t slot, const char *sql) MUST_USE;

/* Steps a statement that gives no rows, and resets it. */
bool sqlite_conn_run(sqlite3_stmt *st) MUST_USE;

/* Converts SQLite's last error; the message names the file and the operation. */
enum err sqlite_conn_error(const struct conn *c, const char *doing, struct error *e);

/* Absent is NULL. */
void sqlite_conn_bind_str(sqlite3_stmt *st, int at, struct str s);
void sqlite_conn_bind_hash(sqlite3_stmt *st, int at, const struct sha256 *h);
/* The column's bytes, valid until the next step; NULL is absent. */
struct str sqlite_conn_column_str(sqlite3_stmt *st, int at);
/* False when it is not 32 bytes. */
bool sqlite_conn_column_hash(sqlite3_stmt *st, int at, struct sha256 *ret) MUST_USE;

static inline int64_t as_int(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

#endif
