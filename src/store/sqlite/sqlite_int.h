#ifndef STORE_SQLITE_INT_H
#define STORE_SQLITE_INT_H
/*
 * What the files of the SQLite store share.
 *
 *   sqlite.c         opening, closing, threads, mail between them, stats
 *   sqlite_state.c   whether the store still works
 *   sqlite_dir.c     the directory: making, locking, refusing network disks
 *   sqlite_identity.c  the log's id, what carries it, and whose write-ahead log this is
 *   sqlite_watch.c   the files are still the ones that were opened
 *   sqlite_conn.c    one connection: statements, values, errors
 *   sqlite_file.c    settings, format version, schema
 *   sqlite_writer.c  the writer's connection: its statements, errors, index rows
 *   sqlite_write.c   the writer: group commit, meta values
 *   sqlite_transact.c  the writer: one transaction beside the commits of batches
 *   sqlite_read.c    the reader: requests, index rows, single records
 *   sqlite_events.c  the reader: pages of events, from rows and from packs
 *   sqlite_reads.c   failed reads are told apart from damage
 *   sqlite_sum.c     checksums of rows
 *   sqlite_room.c    the ballast, for when the disk is full
 *   sqlite_plan.c    packing, removing, erasing: the reader finds out what is to be written
 *   sqlite_upkeep.c  and the writer writes it
 *   sqlite_idle.c    the writer: the WAL into the file, free pages back to the disk
 *   sqlite_ledger.c  accounts, moved with the facts that move them
 *
 * A connection belongs to one thread at a time.  `lock` is held for a whole
 * transaction; nobody waits for it except the meta calls at start.
 */
#include "store/sqlite/sqlite.h"

#include "base/list.h"
#include "base/os/mailbox.h"
#include "store/pack.h"
#include "store/sqlite/files/sqlite_coalesce.h"
#include "store/sqlite/sqlite_reads.h"
#include "store/sqlite/sqlite_sum.h"

#include <assert.h>
#include <semaphore.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/types.h>

#define STORE_FORMAT 4
#define STORE_APPLICATION 0x54686f6c /* "Thol" */
#define STORE_PAGE 4096

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
	W_PACK,
	W_PACK_DROP,
	W_EVENTS_DROP,
	W_EVENT_ERASE,
	W_FLOOR,
	W_BLOBS_DROP,
	W_BLOB_DROP,
	W_SNAPSHOT_DROP,
	W_IDEM_PURGE,
	W_FREE,
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
	PATH_STATUS, /* of tasks alone: a session may have a hundred thousand */
	PATH_SESSION,
	PATH_OPEN,
	PATH_ALL,
	INDEX_PATHS,
};

enum read_stmt {
	R_BEGIN,
	R_COMMIT,
	R_SESSION,
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

/* The head of a session that was written lately, as the file has it. */
struct head {
	char *id; /* NULL: the slot is free */
	size_t id_len;
	int64_t no;
	uint64_t seq;
	struct sha256 hash;
};

/* A power of two; 64 bytes each.  A session that is not here costs one lookup. */
#define HEAD_SLOTS 512

/* What travels between the owner's thread and ours. */
struct rewrite;
enum job_kind { JOB_BATCH, JOB_READ, JOB_MAINTENANCE, JOB_CLOSE };
struct job {
	struct mail mail;
	enum job_kind kind;
	struct batch *batch;
	struct store_read *read;
	struct store_maintenance *maintenance;
	struct rewrite *rewrite; /* what the reader found out for it; NULL: nothing is to be done */
	/* Of a batch: its place among those not yet answered, kept by the owner's thread. */
	struct list waiting;
	int64_t since_ms;
	uint64_t bytes;
};

/* Files of the directory that have to stay what they are while the store is open. */
enum kept_file { KEPT_LOG, KEPT_WAL, KEPT_LOCK, KEPT_FILES };

struct watch {
	char *dir;     /* absolute; NULL: nothing is watched */
	bool has_file; /* `dev` and `ino` are filled in */
	dev_t dev[KEPT_FILES];
	ino_t ino[KEPT_FILES];
	int inotify, stop[2];
	bool has_thread;
	pthread_t thread;
};

struct sqlite_store {
	struct store base;
	bool has_threads;
	bool is_closing;
	int lock_fd;
	int64_t (*mono_ms)(void);
	char *path; /* of log.db, for messages */
	struct watch watch;
	char log_id[33];
	uint64_t generation;      /* of write-ahead logs, as the table `mark` has it */
	bool mark_is_due;         /* the next transaction may begin a write-ahead log */
	bool needs_rebuild;       /* derived rows are missing */
	char closing_counts[256]; /* how many there are, when closing */
	void (*ended)(void *arg, const struct error *why);
	void *ended_arg;
	bool is_end_told;

	struct conn writer;
	struct head heads[HEAD_SLOTS];
	uint64_t next_position;
	uint64_t wal_pages;   /* in the WAL after the last commit */
	uint64_t wal_settled; /* of these, copied to log.db */

	sqlite3_vfs *vfs;
	struct reads *reads;       /* NULL: the VFS is the caller's */
	struct coalesce *coalesce; /* before it, for the writer; NULL: commits do not sync */
	char *ballast_path;
	uint64_t ballast_bytes;
	bool has_ballast, ballast_is_settled;

	struct conn reader;

	struct mailbox to_writer, to_reader, answered;
	sem_t writer_mail, reader_mail;
	pthread_t writer_thread, reader_thread;

	/* The owner's thread only. */
	struct list waiting;
	uint64_t waiting_bytes;

	/* After the first I/O error: why.  Written once, before is_dead. */
	atomic_bool is_dead;
	atomic_bool is_low; /* the ballast is gone */
	pthread_mutex_t cause_lock;
	struct error cause;

	atomic_uint_least64_t wal_bytes, commits, events, bytes, last_commit_us, size_bytes,
		sessions, packed, last_position;
	atomic_uint_fast64_t rewrites;    /* steps of upkeep that were written */
	atomic_uint_fast64_t rowlog_rows; /* that row_log may hold; 0: none, for certain */
	size_t rowlog_bytes;              /* of these; the writer's own */
};

/* ---- sqlite_dir.c ---- */

/*
 * Makes the directory and an empty log.db when missing, and takes the lock.
 * *ret_companion: a file that only a directory with a log has; NULL: none.
 */
enum err sqlite_dir_take(const char *dir, int *ret_lock_fd, const char **ret_companion,
                         struct error *e) MUST_USE;

/* The refusal of a log that is not there although something beside it is. */
enum err sqlite_dir_log_lost(const char *dir, const char *companion, const char *how,
                             struct error *e);

/* ---- sqlite_identity.c ---- */

struct stat;
/* Before log.db is opened: its write-ahead log is its own. */
enum err sqlite_identity_check_wal(const char *dir, struct error *e) MUST_USE;
/* After: which log it is. */
enum err sqlite_identity_read(struct sqlite_store *s, struct error *e) MUST_USE;
/*
 * And then: log.id and blobs/log.id name this log; `log` is log.db as it was found, with its
 * write-ahead log or without.  dir NULL: simulated.
 */
enum err sqlite_identity_open(struct sqlite_store *s, const char *dir, const struct stat *log,
                              bool had_wal, struct error *e) MUST_USE;
/* Inside a transaction, before its commit: the mark, when one is due.  False: sqlite_writer_error(). */
bool sqlite_identity_mark(struct sqlite_store *s) MUST_USE;
/* The transaction was committed. */
void sqlite_identity_marked(struct sqlite_store *s);
/* While the log is still open, and when it is closed. */
void sqlite_identity_count(struct sqlite_store *s);
void sqlite_identity_close(struct sqlite_store *s);

/* ---- sqlite_watch.c ---- */

/* Remembers which files were opened, and with threads notices when one of them goes. */
enum err sqlite_watch_start(struct sqlite_store *s, const char *dir, struct error *e) MUST_USE;
void sqlite_watch_stop(struct sqlite_store *s);
/*
 * ERR_IO with detail STORE_MOVED: the directory or one of its files was
 * deleted or replaced, so what is written now is lost with this process.
 * Any thread.
 */
enum err sqlite_watch_check(const struct sqlite_store *s, struct error *e) MUST_USE;

/* What `sum` of the small tables covers, as SQL. */
#define SESSION_SUM                                                                                \
	"thole_sum(session_no, id, last_seq, last_hash, floor_seq, floor_hash, floor_ref)"
#define SNAPSHOT_SUM "thole_sum(session_no, seq, hash, version, body)"
/* Without seq, which is moved when an event names the blob again. */
#define BLOB_SUM "thole_sum(ref, session_no, media_type, data)"

/* ---- sqlite_file.c ---- */

extern const char *const sqlite_file_index_table[INDEX_TABLES];

/* Settles what the format is, makes or migrates the tables. */
enum err sqlite_file_open_writer(struct conn *c, const char *path, const char *vfs,
                                 const struct store_sqlite_options *o, const char *companion,
                                 struct error *e) MUST_USE;
/* The tables of a new log, in memory. */
enum err sqlite_file_open_memory(struct conn *c, struct error *e) MUST_USE;
/* Makes the file at path, which is there and empty, a log without events.  Others are left alone. */
enum err sqlite_new_write_log(const char *path, struct error *e) MUST_USE;
/* Tables or indexes that somebody has dropped, or that were never made; derived ones among them? */
enum err sqlite_file_missing(const struct conn *c, bool *ret_any, bool *ret_derived,
                             struct error *e) MUST_USE;
bool sqlite_file_make_derived(const struct conn *c) MUST_USE;
enum err sqlite_file_open_reader(struct conn *c, const char *path, const char *vfs,
                                 struct error *e) MUST_USE;
void sqlite_conn_close(struct conn *c);

/*
 * The statement at `slot`, made from sql when it is first asked for.  NULL
 * when SQLite cannot: sqlite_conn_error() says why.
 */
sqlite3_stmt *sqlite_conn_stmt(struct conn *c, size_t slot, const char *sql) MUST_USE;

/* Steps a statement that gives no rows, and resets it. */
bool sqlite_conn_run(sqlite3_stmt *st) MUST_USE;

/* What SQLite said last, as an error of ours.  Names the file and what was tried. */
enum err sqlite_conn_error(const struct conn *c, const char *doing, struct error *e);

/* Absent is NULL. */
void sqlite_conn_bind_str(sqlite3_stmt *st, int at, struct str s);
void sqlite_conn_bind_hash(sqlite3_stmt *st, int at, const struct sha256 *h);
/* The column's bytes, valid until the next step; NULL is absent. */
struct str sqlite_conn_column_str(sqlite3_stmt *st, int at);
/* False when it is not 32 bytes. */
bool sqlite_conn_column_hash(sqlite3_stmt *st, int at, struct sha256 *ret) MUST_USE;

/* ---- sqlite_write.c ---- */

/* Reads where the log ends. */
enum err sqlite_write_start(struct sqlite_store *s, struct error *e) MUST_USE;
void sqlite_write_done(struct sqlite_store *s);

/* Commits jobs (JOB_BATCH, linked by mail) in as few transactions as fit, and posts the answers. */
void sqlite_write_work(struct sqlite_store *s, struct mail *jobs);

sqlite3_stmt *sqlite_writer_stmt(struct sqlite_store *s, enum write_stmt which) MUST_USE;
/* ERR_UNREADABLE: something could not be read first, and nothing was written. */
enum err sqlite_writer_error(struct sqlite_store *s, struct error *e);
bool sqlite_writer_failed_to_read(struct sqlite_store *s);
/* The commit itself failed: nobody knows what the disk has. */
enum err sqlite_writer_commit_error(struct sqlite_store *s, struct error *e);
/* A transaction of its own for upkeep; do() writes, and fails by returning so. */
enum err sqlite_transact(struct sqlite_store *s,
                         enum err (*write)(struct sqlite_store *s, struct job *job,
                                           struct error *e),
                         struct job *job, struct error *e) MUST_USE;

enum err sqlite_write_meta(struct sqlite_store *s, struct str key, struct str value,
                           struct error *e) MUST_USE;

/* One index row, in the transaction that is open. */
bool sqlite_writer_put_row(struct sqlite_store *s, int64_t session_no,
                           const struct index_row *row) MUST_USE;
bool sqlite_writer_remove_row(struct sqlite_store *s, const struct index_row *row) MUST_USE;

/* ---- sqlite_rowlog.c ---- */

struct buf;
/* Are rows of this table written behind? */
bool sqlite_rowlog_takes(const struct sqlite_store *s, enum index_table table);
/* The read asks for rows that may not be in their table yet: sqlite_rowlog_catch_up() first. */
bool sqlite_rowlog_is_behind(const struct sqlite_store *s, const struct store_read *r);
/* Adds one row to the record of a commit, and writes that record. */
void sqlite_rowlog_add(struct buf *out, int64_t session_no, const struct index_row *row);
bool sqlite_rowlog_write(struct sqlite_store *s, const struct buf *rows, size_t count) MUST_USE;
/* Moves all rows to their tables: in the open transaction, or in one of its own. */
enum err sqlite_rowlog_apply(struct sqlite_store *s, struct error *e) MUST_USE;
enum err sqlite_rowlog_catch_up(struct sqlite_store *s, struct error *e) MUST_USE;
void sqlite_rowlog_after_commit(struct sqlite_store *s);
enum err sqlite_rowlog_start(struct sqlite_store *s, struct error *e) MUST_USE;

/* What a batch weighs: bodies, snapshots, blobs and rows. */
uint64_t sqlite_write_batch_weight(const struct batch *b);

/* Answers a batch as failed, not yet delivered. */
void sqlite_write_fail_batch(struct batch *b, const struct error *why);

/* ---- sqlite_read.c ---- */

/* Answers one read; r->mem is made here. */
void sqlite_read_work(struct sqlite_store *s, struct store_read *r);
sqlite3_stmt *sqlite_read_stmt(struct sqlite_store *s, enum read_stmt which) MUST_USE;
/* Ends the read transaction, whatever happened in it. */
bool sqlite_read_finish(struct sqlite_store *s) MUST_USE;
/* After a failed read: waits a moment; false when it was tried often enough. */
bool sqlite_read_retry(struct sqlite_store *s, unsigned try);
enum err sqlite_read_error(struct sqlite_store *s, struct error *e);
enum err sqlite_read_damaged(struct sqlite_store *s, struct error *e, const char *what);
/* Number, head and floor of r->session. */
enum err sqlite_read_session(struct sqlite_store *s, struct store_read *r,
                             int64_t *ret_no) MUST_USE;

/* How far a page may go, and how far it is. */
struct page {
	uint32_t max_rows, max_bytes;
	size_t bytes;
	uint32_t looked_at;
};
struct page sqlite_read_page(const struct store_read *r);
bool sqlite_read_page_fits(const struct page *p, size_t count, size_t len);
enum err sqlite_read_meta(struct sqlite_store *s, struct arena *mem, struct str key,
                          struct str *ret, struct error *e) MUST_USE;

/* ---- sqlite_ledger.c ---- */

bool sqlite_pending_make(struct conn *writer) MUST_USE;
bool sqlite_pending_write(struct sqlite_store *s, const struct slice *sl,
                          int64_t session_no) MUST_USE;
bool sqlite_pending_strike(struct sqlite_store *s, int64_t session_no, enum maintenance_kind kind,
                           uint64_t seq) MUST_USE;
enum err sqlite_pending_read(struct conn *c, struct arena *mem, struct pending_op **ret,
                             size_t *ret_count, struct error *e) MUST_USE;

bool sqlite_ledger_make(struct conn *writer) MUST_USE;
bool sqlite_ledger_write(struct sqlite_store *s, const struct slice *sl) MUST_USE;
enum err sqlite_ledger_read(struct conn *c, struct arena *mem, struct ledger_move **ret,
                            size_t *ret_count, struct error *e) MUST_USE;
/* ---- sqlite_events.c ---- */

enum err sqlite_events_read(struct sqlite_store *s, struct store_read *r) MUST_USE;
enum err sqlite_events_read_all(struct sqlite_store *s, struct store_read *r) MUST_USE;
enum err sqlite_events_read_unpacked(struct sqlite_store *s, struct store_read *r) MUST_USE;
enum err sqlite_events_read_sessions(struct sqlite_store *s, struct store_read *r) MUST_USE;

#define PACK_COLUMNS                                                                               \
	"pack_no, session_no, first_seq, last_seq, first_position, prev_hash, last_hash, head, "   \
	"body, last_position, sum"

/* One row of `pack`, opened. */
struct pack_row {
	int64_t no, session_no;
	uint64_t first_seq, last_seq;
	struct sha256 prev_hash, last_hash;
	struct pack pack;
	struct sha256 *hashes; /* of each event, as they were chained */
	size_t sound;          /* so many of them, from the first, are what was packed */
};

/* The columns of an event that sqlite_events_row_is_sound() looks at come first in this order. */
#define EVENT_COLUMNS "position, seq, type, hash, body, digest, sum, session_no"

/* False: the chain has another hash at this event.  Inside a pack it is not looked for. */
bool sqlite_events_hash_fits(struct sqlite_store *s, int64_t session_no, uint64_t seq,
                             const struct sha256 *hash) MUST_USE;

/*
 * From a statement that stands on a row with EVENT_COLUMNS: is it what was
 * written?  A row of format 3 has no sum and is checked against the chain.
 */
bool sqlite_events_row_is_sound(struct sqlite_store *s, sqlite3_stmt *st) MUST_USE;

/*
 * From a statement that stands on a row with PACK_COLUMNS.  ERR_CORRUPT: the
 * pack is damaged; other sessions are none the worse for it.
 */
enum err sqlite_events_pack_head(struct sqlite_store *s, sqlite3_stmt *st, struct arena *mem,
                                 struct pack_row *ret, struct error *e) MUST_USE;
/* Text and hashes as well. */
enum err sqlite_events_pack_text(struct sqlite_store *s, sqlite3_stmt *st, struct arena *mem,
                                 struct pack_row *row, struct error *e) MUST_USE;

/* ---- sqlite_plan.c, sqlite_upkeep.c ---- */

/* Rows removed, or records forgotten, in one step. */
#define STEP_ROWS 512

/* What a step of upkeep writes. */
struct rewrite {
	struct arena *mem;
	int64_t session_no;
	uint64_t planned_at; /* how many rewrites there had been */

	/* what goes */
	int64_t pack_no;           /* 0: none */
	uint64_t from_seq, to_seq; /* rows; 0: none */

	/* what comes in its place */
	bool has_pack;
	uint64_t first_seq, last_seq, first_position, last_position;
	struct sha256 prev_hash, last_hash;
	struct buf head, text;

	uint64_t floor_seq; /* 0: it stays */
	struct sha256 floor_hash;
	uint64_t erase_seq; /* of a row; 0: none */
	struct sha256 digest;
	int64_t erase_sum;
};
void sqlite_plan_free(struct rewrite *w);

/* The reader's part: finds out what is to be written. */
void sqlite_plan_make(struct sqlite_store *s, struct job *job);
/* The writer's part: writes it, and answers. */
void sqlite_maintenance_write(struct sqlite_store *s, struct job *job);

/* ---- sqlite_idle.c ---- */

/* How large the files are, for the stats. */
void sqlite_writer_measure(struct sqlite_store *s);
/* Called by SQLite after each commit. */
int sqlite_idle_on_wal(void *arg, sqlite3 *db, const char *name, int pages);
/* Moves the WAL into the file when it has become long; also under load. */
void sqlite_idle_checkpoint(struct sqlite_store *s);
/*
 * Nothing has come for a while: a good time to move the WAL into the file
 * and to give free pages back.  True: there is more to do.
 */
bool sqlite_idle_work(struct sqlite_store *s);

static inline int64_t as_int(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* ---- sqlite_room.c ---- */

/* OK when it is there already, or none is wanted.  ERR_FULL: there is no room for it. */
enum err sqlite_room_make_ballast(struct sqlite_store *s, struct error *e) MUST_USE;
/* False: there was none. */
bool sqlite_room_drop_ballast(struct sqlite_store *s);

/* ---- sqlite.c ---- */

/*
 * Decides what trouble means for the store: no space and a lock held by a
 * stranger pass, everything else ends it.
 */
void sqlite_state_fail(struct sqlite_store *s, const struct error *e);

/* True when the store has ended; then e says why. */
bool sqlite_state_is_dead(struct sqlite_store *s, struct error *e);

#endif
