#ifndef STORE_SQLITE_FILES_H
#define STORE_SQLITE_FILES_H
/*
 * The data directory of the SQLite store: its lock, the identity of its files, the
 * watch over them, and the ballast for a full disk.
 */
#include "store/sqlite/sqlite_store.h"

/* ---- sqlite_dir.c ---- */

/*
 * Makes the directory and an empty log.db when missing, and takes the lock.
 * *ret_companion: a file that only a directory with a log has; NULL: none.
 */
enum err sqlite_dir_take(const char *dir, int *ret_lock_fd, const char **ret_companion,
                         struct error *e) MUST_USE;

/* The error for a missing log with companion files. */
enum err sqlite_dir_log_lost(const char *dir, const char *companion, const char *how,
                             struct error *e);

/* ---- sqlite_identity.c ---- */

struct stat;
/* Checks that the WAL belongs to log.db, before it is opened. */
enum err sqlite_identity_check_wal(const char *dir, struct error *e) MUST_USE;
/* Reads the log's id, after it was opened. */
enum err sqlite_identity_read(struct sqlite_store *s, struct error *e) MUST_USE;
/*
 * Then checks that log.id and blobs/log.id name this log; `log` is the stat of log.db as it was
 * found.  dir NULL: simulated.
 */
enum err sqlite_identity_open(struct sqlite_store *s, const char *dir, const struct stat *log,
                              bool had_wal, struct error *e) MUST_USE;
/* Writes the mark when one is due, inside a transaction.  False: see sqlite_writer_error(). */
bool sqlite_identity_mark(struct sqlite_store *s) MUST_USE;
/* Call after that transaction was committed. */
void sqlite_identity_marked(struct sqlite_store *s);
/* Counts derived rows before closing, and writes log.id after it. */
void sqlite_identity_count(struct sqlite_store *s);
void sqlite_identity_close(struct sqlite_store *s);

/* ---- sqlite_shape.c ---- */

/* Refuses a table without its columns; drops it if it can be made again. */
enum err sqlite_shape_check(const struct conn *c, const char *path, struct error *e) MUST_USE;

/* ---- sqlite_watch.c ---- */

/* Remembers the opened files, and with threads notices when one is removed. */
enum err sqlite_watch_start(struct sqlite_store *s, const char *dir, struct error *e) MUST_USE;
void sqlite_watch_stop(struct sqlite_store *s);
/*
 * ERR_IO with detail STORE_MOVED: the directory or one of its files was
 * deleted or replaced, so what is written now is lost with this process.
 * Any thread.
 */
enum err sqlite_watch_check(const struct sqlite_store *s, struct error *e) MUST_USE;

/* ---- sqlite_room.c ---- */

/* OK if it exists or none is configured.  ERR_FULL: no space for it. */
enum err sqlite_room_make_ballast(struct sqlite_store *s, struct error *e) MUST_USE;
/* Returns false if there was none.  The space goes to the pages of the WAL first. */
bool sqlite_room_drop_ballast(struct sqlite_store *s);

/* ---- sqlite_space.c ---- */

void sqlite_space_open(struct sqlite_store *s);
/* After SQLite has closed the log. */
void sqlite_space_close(struct sqlite_store *s);
/* After a commit: log.db gets the space that the next checkpoint needs, if need be the ballast's. */
void sqlite_space_reserve(struct sqlite_store *s);
/* The same, however little was written since the last time. */
void sqlite_space_reserve_now(struct sqlite_store *s);
/*
 * Whether a transaction with so many bytes may begin: on a full disk only if a checkpoint can
 * complete after it.  Under the writer's lock, outside of a transaction.
 */
bool sqlite_space_allows(struct sqlite_store *s, uint64_t bytes) MUST_USE;
/* After a checkpoint, which takes a reservation back. */
void sqlite_space_forget(struct sqlite_store *s);

#endif
