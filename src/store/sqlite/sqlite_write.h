#ifndef STORE_SQLITE_WRITE_H
#define STORE_SQLITE_WRITE_H
/*
 * The writer: group commit, index rows written behind, single transactions, pending
 * operations and accounts.  Called on the writer's thread.
 */
#include "store/sqlite/sqlite_store.h"

/* ---- sqlite_write.c ---- */

/* Reads the last position of the log. */
enum err sqlite_write_start(struct sqlite_store *s, struct error *e) MUST_USE;
void sqlite_write_done(struct sqlite_store *s);

/* Commits jobs (JOB_BATCH, linked by mail) in as few transactions as fit, and posts the answers. */
void sqlite_write_work(struct sqlite_store *s, struct mail *jobs);

sqlite3_stmt *sqlite_writer_stmt(struct sqlite_store *s, enum write_stmt which) MUST_USE;
/* ERR_UNREADABLE: something could not be read first, and nothing was written. */
enum err sqlite_writer_error(struct sqlite_store *s, struct error *e);
bool sqlite_writer_failed_to_read(struct sqlite_store *s);
/* The commit itself failed: the content of the disk is unknown. */
enum err sqlite_writer_commit_error(struct sqlite_store *s, struct error *e);
/* Runs one maintenance step in its own transaction; an error of write() rolls it back. */
enum err sqlite_transact(struct sqlite_store *s,
                         enum err (*write)(struct sqlite_store *s, struct job *job,
                                           struct error *e),
                         struct job *job, struct error *e) MUST_USE;

/* A blob of no session; a ref that is there already stays as it is. */
enum err sqlite_write_blob(struct sqlite_store *s, const struct blob_row *blob,
                           struct error *e) MUST_USE;
enum err sqlite_write_meta(struct sqlite_store *s, struct str key, struct str value,
                           struct error *e) MUST_USE;

/* One index row, in the transaction that is open. */
bool sqlite_writer_put_row(struct sqlite_store *s, int64_t session_no,
                           const struct index_row *row) MUST_USE;
bool sqlite_writer_remove_row(struct sqlite_store *s, const struct index_row *row) MUST_USE;

/* ---- sqlite_rowlog.c ---- */

struct buf;
/* Whether rows of this table go through row_log. */
bool sqlite_rowlog_takes(const struct sqlite_store *s, enum index_table table);
/* Whether the read needs rows that may still be in row_log: sqlite_rowlog_catch_up() first. */
bool sqlite_rowlog_is_behind(const struct sqlite_store *s, const struct store_read *r);
/* Adds one row to the record of a commit, and writes that record. */
void sqlite_rowlog_add(struct buf *out, int64_t session_no, const struct index_row *row);
bool sqlite_rowlog_write(struct sqlite_store *s, const struct buf *rows, size_t count) MUST_USE;
/* Moves all rows to their tables: in the open transaction, or in a separate one. */
enum err sqlite_rowlog_apply(struct sqlite_store *s, struct error *e) MUST_USE;
enum err sqlite_rowlog_catch_up(struct sqlite_store *s, struct error *e) MUST_USE;
void sqlite_rowlog_after_commit(struct sqlite_store *s);
enum err sqlite_rowlog_start(struct sqlite_store *s, struct error *e) MUST_USE;

/* The size of a batch in bytes: bodies, snapshots, blobs and rows. */
uint64_t sqlite_write_batch_weight(const struct batch *b);

/* Answers a batch as failed, not yet delivered. */
void sqlite_write_fail_batch(struct batch *b, const struct error *why);

/* ---- sqlite_pending.c, sqlite_ledger.c ---- */

bool sqlite_pending_make(struct conn *writer) MUST_USE;
bool sqlite_pending_write(struct sqlite_store *s, const struct slice *sl,
                          int64_t session_no) MUST_USE;
bool sqlite_pending_strike(struct sqlite_store *s, int64_t session_no, enum maintenance_kind kind,
                           uint64_t seq) MUST_USE;
enum err sqlite_pending_read(struct conn *c, struct arena *mem, struct pending_op **ret,
                             size_t *ret_count, struct error *e) MUST_USE;

/* ---- sqlite_removed.c: sessions that were deleted ---- */

bool sqlite_removed_make(struct conn *writer) MUST_USE;
/* Whether a session with this id was deleted; its id is not used again. */
enum err sqlite_removed_has(struct sqlite_store *s, struct str id, bool *ret,
                            struct error *e) MUST_USE;
/* Deletes the session with this number: from now on only its rows are left. */
bool sqlite_removed_write(struct sqlite_store *s, const struct pending_op *c,
                          int64_t session_no) MUST_USE;
/* One step that removes those rows. */
enum err sqlite_removed_sweep(struct sqlite_store *s, struct job *job, struct error *e) MUST_USE;
/* A step failed, also at its commit: it found nothing, and the pass over the ids begins again. */
void sqlite_removed_again(struct sqlite_store *s, struct store_maintenance *u);

bool sqlite_ledger_make(struct conn *writer) MUST_USE;
bool sqlite_ledger_write(struct sqlite_store *s, const struct slice *sl) MUST_USE;
enum err sqlite_ledger_read(struct conn *c, struct arena *mem, struct ledger_move **ret,
                            size_t *ret_count, struct error *e) MUST_USE;

/* ---- sqlite_move.c: ports/store_move.h, on the owner's thread ---- */

enum err sqlite_move_take(struct sqlite_store *s, struct store_page *page, struct error *e);
enum err sqlite_move_put(struct sqlite_store *s, const struct store_page *page, struct str progress,
                         struct error *e);
enum err sqlite_move_look(struct sqlite_store *s, struct store_contents *ret, struct error *e);

/* ---- sqlite_idle.c ---- */

/* Measures the files, for the statistics. */
void sqlite_writer_measure(struct sqlite_store *s);
/* Called by SQLite after each commit. */
int sqlite_idle_on_wal(void *arg, sqlite3 *db, const char *name, int pages);
/* Checkpoints when the WAL has become long, also under load. */
void sqlite_idle_checkpoint(struct sqlite_store *s);
/*
 * Idle work: checkpoints, and returns free pages to the file system.  Returns
 * true if more work is left.
 */
bool sqlite_idle_work(struct sqlite_store *s);
/* Returns the space of the WAL file to a full disk.  False: a reader uses the file now. */
bool sqlite_idle_shrink(struct sqlite_store *s) MUST_USE;

#endif
