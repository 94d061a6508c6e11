/*
 * One connection to the database: prepared statements, values in and out, and
 * SQLite's error codes as errors of ours.
 */
#include "store/sqlite/sqlite_int.h"

#include <errno.h>
#include <string.h>

/* ---- errors ---- */

static bool is_no_space(int rc, int os_errno)
{
	if ((rc & 0xff) == SQLITE_FULL)
		return true;
	/* After a failed fsync the content of the disk is unknown, so it never counts as lack of space. */
	if (rc == SQLITE_IOERR_FSYNC || rc == SQLITE_IOERR_DIR_FSYNC)
		return false;
	return (rc & 0xff) == SQLITE_IOERR && (os_errno == ENOSPC || os_errno == EDQUOT);
}

/*
 * ERR_STORE ends the store, ERR_FULL and ERR_BUSY do not.  A constraint that fails is
 * treated like damage: in a sound file the checks before an insert exclude it.
 */
static enum err err_of(int rc, int os_errno)
{
	if (is_no_space(rc, os_errno))
		return ERR_FULL;
	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return ERR_BUSY;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
	case SQLITE_ERROR:
		return ERR_STORE;
	default:
		return ERR_IO;
	}
}

/* The failed system call, if the result code names it. */
static const char *operation_of(int rc)
{
	switch (rc) {
	case SQLITE_IOERR_READ:
		return "read: ";
	case SQLITE_IOERR_SHORT_READ:
		return "read behind the end: ";
	case SQLITE_IOERR_WRITE:
		return "write: ";
	case SQLITE_IOERR_FSYNC:
	case SQLITE_IOERR_DIR_FSYNC:
		return "fsync: ";
	case SQLITE_IOERR_TRUNCATE:
		return "truncate: ";
	case SQLITE_IOERR_FSTAT:
		return "stat: ";
	case SQLITE_IOERR_SHMOPEN:
	case SQLITE_IOERR_SHMSIZE:
	case SQLITE_IOERR_SHMMAP:
	case SQLITE_IOERR_SHMLOCK:
		return "its -shm: ";
	default:
		return "";
	}
}

/*
 * The message names the operation, the file and SQLite's code, because "disk I/O error"
 * alone has many causes.
 */
enum err sqlite_conn_error(const struct conn *c, const char *doing, struct error *e)
{
	int rc = sqlite3_extended_errcode(c->db);
	int os_errno = sqlite3_system_errno(c->db);
	const char *file = c->db ? sqlite3_db_filename(c->db, "main") : NULL;
	bool is_io = (rc & 0xff) == SQLITE_IOERR;
	bool is_wal = rc == SQLITE_IOERR_READ && sqlite_reads_failed_file() &&
	              str_ends(str_from(sqlite_reads_failed_file()), STR("-wal"));
	enum err err = fail(e, err_of(rc, os_errno), "%s %s%s: %s%s%s%s (%d)", doing,
	                    file ? file : "the log", is_wal ? "-wal" : "", operation_of(rc),
	                    sqlite3_errmsg(c->db), is_io && os_errno ? ": " : "",
	                    is_io && os_errno ? strerror(os_errno) : "", rc);

	if (e)
		e->os_errno = os_errno;
	return err;
}

/* ---- statements ---- */

/*
 * Prepared at first use and kept until the connection closes.  NULL: it could not be
 * prepared, and the connection has the error.
 */
sqlite3_stmt *sqlite_conn_stmt(struct conn *c, size_t slot, const char *sql)
{
	assert(slot < COUNT_OF(c->stmts));
	if (!c->stmts[slot])
		sqlite3_prepare_v3(c->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &c->stmts[slot],
		                   NULL);
	return c->stmts[slot];
}

bool sqlite_conn_run(sqlite3_stmt *st)
{
	int rc = st ? sqlite3_step(st) : SQLITE_ERROR;

	/* The reset returns the same code again, so the connection's error stays. */
	sqlite3_reset(st);
	return rc == SQLITE_DONE || rc == SQLITE_ROW;
}

/*
 * SQLITE_STATIC: the caller's string must live until the statement is run.  An absent
 * string is NULL, an empty one is not.
 */
void sqlite_conn_bind_str(sqlite3_stmt *st, int at, struct str s)
{
	if (str_is(s))
		sqlite3_bind_text64(st, at, s.ptr, s.len, SQLITE_STATIC, SQLITE_UTF8);
	else
		sqlite3_bind_null(st, at);
}

void sqlite_conn_bind_hash(sqlite3_stmt *st, int at, const struct sha256 *h)
{
	sqlite3_bind_blob(st, at, h->state, sizeof h->state, SQLITE_STATIC);
}

struct str sqlite_conn_column_str(sqlite3_stmt *st, int at)
{
	if (sqlite3_column_type(st, at) == SQLITE_NULL)
		return STR_NONE;

	const char *ptr = sqlite3_column_blob(st, at); /* NULL when it has no bytes */

	return str_of(ptr ? ptr : "", (size_t)sqlite3_column_bytes(st, at));
}

bool sqlite_conn_column_hash(sqlite3_stmt *st, int at, struct sha256 *ret)
{
	struct str s = sqlite_conn_column_str(st, at);

	if (s.len != sizeof ret->state)
		return false;
	memcpy(ret->state, s.ptr, s.len);
	return true;
}

void sqlite_conn_close(struct conn *c)
{
	if (!c->db)
		return;
	for (size_t i = 0; i < COUNT_OF(c->stmts); i++)
		sqlite3_finalize(c->stmts[i]);
	sqlite3_close(c->db);
	pthread_mutex_destroy(&c->lock);
	*c = (struct conn){ 0 };
}
