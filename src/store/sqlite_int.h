#ifndef STORE_SQLITE_INT_H
#define STORE_SQLITE_INT_H
/*
 * What the files of the SQLite store share.
 *
 *   sqlite.c         opening, closing, threads, mail between them, stats
 *   sqlite_dir.c     the directory: making, locking, refusing network disks
 *   sqlite_file.c    connections, settings, format version, schema
 *   sqlite_write.c   the writer: group commit, checkpoints, meta values
 *   sqlite_read.c    the reader: pages of events, index rows, single records
 *   sqlite_ledger.c  accounts, moved with the facts that move them
 *
 * A connection belongs to one thread at a time.  `lock` is held for a whole
 * transaction; nobody waits for it except the meta calls at start.
 */
#include "store/sqlite.h"

#include "base/list.h"
#include "base/mailbox.h"

#include <assert.h>
#include <semaphore.h>
#include <sqlite3.h>
#include <stdatomic.h>

#define STORE_FORMAT 1
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
	W_META,
	W_LEDGER,
	W_INDEX_PUT,
	W_INDEX_REMOVE = W_INDEX_PUT + INDEX_TABLES,
	W_STMTS = W_INDEX_REMOVE + INDEX_TABLES,
};

/* The access path of an index query, in the order of preference. */
enum index_path {
	PATH_KEY,
	PATH_PARENT,
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
enum job_kind { JOB_BATCH, JOB_READ, JOB_CLOSE };
struct job {
	struct mail mail;
	enum job_kind kind;
	struct batch *batch;
	struct store_read *read;
	/* Of a batch: its place among those not yet answered, kept by the owner's thread. */
	struct list waiting;
	int64_t since_ms;
	uint64_t bytes;
};

struct sqlite_store {
	struct store base;
	bool has_threads;
	bool is_closing;
	int lock_fd;
	int64_t (*mono_ms)(void);
	char *path; /* of log.db, for messages */

	struct conn writer;
	struct head heads[HEAD_SLOTS];
	uint64_t next_position;
	uint64_t wal_pages;   /* in the WAL after the last commit */
	uint64_t wal_settled; /* of these, copied to log.db */

	struct conn reader;

	struct mailbox to_writer, to_reader, answered;
	sem_t writer_mail, reader_mail;
	pthread_t writer_thread, reader_thread;

	/* The owner's thread only. */
	struct list waiting;
	uint64_t waiting_bytes;

	/* After the first I/O error: why.  Written once, before is_dead. */
	atomic_bool is_dead;
	pthread_mutex_t cause_lock;
	struct error cause;

	atomic_uint_least64_t commits, events, bytes, last_commit_us, size_bytes, sessions,
		last_position;
};

/* ---- sqlite_dir.c ---- */

/* Makes the directory and an empty log.db when missing, and takes the lock. */
enum err dir_take(const char *dir, int *ret_lock_fd, struct error *e) MUST_USE;

/* ---- sqlite_file.c ---- */

extern const char *const index_table_name[INDEX_TABLES];

/* Settles what the format is, makes or migrates the tables. */
enum err file_open_writer(struct conn *c, const char *path, const struct store_sqlite_options *o,
                          struct error *e) MUST_USE;
enum err file_open_reader(struct conn *c, const char *path, const struct store_sqlite_options *o,
                          struct error *e) MUST_USE;
void conn_close(struct conn *c);

/*
 * The statement at `slot`, made from sql when it is first asked for.  NULL
 * when SQLite cannot: conn_trouble() says why.
 */
sqlite3_stmt *conn_stmt(struct conn *c, size_t slot, const char *sql) MUST_USE;

/* Steps a statement that gives no rows, and resets it. */
bool conn_run(sqlite3_stmt *st) MUST_USE;

/* What SQLite said last, as an error of ours.  Names the file and what was tried. */
enum err conn_trouble(const struct conn *c, const char *doing, struct error *e);

/* Absent is NULL. */
void bind_str(sqlite3_stmt *st, int at, struct str s);
void bind_hash(sqlite3_stmt *st, int at, const struct sha256 *h);
/* The column's bytes, valid until the next step; NULL is absent. */
struct str column_str(sqlite3_stmt *st, int at);
/* False when it is not 32 bytes. */
bool column_hash(sqlite3_stmt *st, int at, struct sha256 *ret) MUST_USE;

/* ---- sqlite_write.c ---- */

/* Reads where the log ends. */
enum err writer_start(struct sqlite_store *s, struct error *e) MUST_USE;
void writer_done(struct sqlite_store *s);

/* Commits jobs (JOB_BATCH, linked by mail) in as few transactions as fit, and posts the answers. */
void writer_work(struct sqlite_store *s, struct mail *jobs);

/* Nothing has come for a while: a good time to move the WAL into the file. */
void writer_idle(struct sqlite_store *s);

enum err writer_set_meta(struct sqlite_store *s, struct str key, struct str value,
                         struct error *e) MUST_USE;

/* What a batch weighs: bodies, snapshots, blobs and rows. */
uint64_t batch_weight(const struct batch *b);

/* Answers a batch as failed, not yet delivered. */
void batch_fail(struct batch *b, const struct error *why);

/* ---- sqlite_read.c ---- */

/* Answers one read; r->mem is made here. */
void reader_work(struct sqlite_store *s, struct store_read *r);
enum err reader_get_meta(struct sqlite_store *s, struct arena *mem, struct str key, struct str *ret,
                         struct error *e) MUST_USE;

/* ---- sqlite_ledger.c ---- */

bool ledger_make(struct conn *writer) MUST_USE;
bool ledger_write(struct sqlite_store *s, const struct slice *sl) MUST_USE;
enum err ledger_read(struct conn *c, struct arena *mem, struct ledger_move **ret, size_t *ret_count,
                     struct error *e) MUST_USE;

/* ---- sqlite.c ---- */

/*
 * Decides what trouble means for the store: no space and a lock held by a
 * stranger pass, everything else ends it.
 */
void store_trouble(struct sqlite_store *s, const struct error *e);

/* True when the store has ended; then e says why. */
bool store_is_dead(struct sqlite_store *s, struct error *e);

#endif
