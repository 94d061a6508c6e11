/*
 * A new log, made in memory and put in its place whole.
 *
 * Made table by table in the file, an empty log took sixteen syncs, which
 * delay the first start on a slow disk.  The tables are made in memory
 * instead, written to log.db.new, synced once, and renamed over the empty
 * log.db.  A crash leaves either the empty file or a complete log.
 */
#include "store/sqlite/sqlite_int.h"
#include "base/os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* https://sqlite.org/fileformat2.html: versions for writing and reading; 2 is a write-ahead log. */
#define HEADER_WRITE_VERSION 18
#define HEADER_READ_VERSION 19
#define HEADER_BYTES 100

static void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static enum err cannot_make(const char *path, struct error *e)
{
	return fail_errno(e, errno == ENOSPC || errno == EDQUOT ? ERR_FULL : ERR_IO,
	                  "cannot make %s", path);
}

/*
 * O_NOFOLLOW: a link that someone placed under this name must not decide where the log
 * is written.
 */
static enum err put_in_place(const char *path, const unsigned char *image, size_t len,
                             struct error *e)
{
	char fresh[4096];
	CLEANUP(closep) int fd = -1;

	if ((size_t)snprintf(fresh, sizeof fresh, "%s.new", path) >= sizeof fresh)
		return fail(e, ERR_INVALID, "the path %s is too long", path);
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || !sys_write_all(fd, image, len) || fsync(fd) != 0 || rename(fresh, path) != 0)
		return cannot_make(path, e);
	return OK;
}

/*
 * Does nothing for a log that has content.  The two header bytes declare WAL mode, so
 * that the first open does not have to convert the file.
 */
enum err sqlite_new_write_log(const char *path, struct error *e)
{
	struct conn c = { 0 };
	struct stat st;
	sqlite3_int64 size = 0;
	unsigned char *image = NULL;
	enum err err;

	if (stat(path, &st) != 0)
		return fail_errno(e, ERR_IO, "cannot look at %s", path);
	if (st.st_size)
		return OK;
	err = sqlite_file_open_memory(&c, e);
	if (err == OK &&
	    !(sqlite_ledger_make(&c) && sqlite_pending_make(&c) && sqlite_removed_make(&c)))
		err = sqlite_conn_error(&c, "cannot make the tables of", e);
	if (err == OK)
		image = sqlite3_serialize(c.db, "main", &size, 0);
	if (err == OK && (!image || size < HEADER_BYTES))
		err = sqlite_conn_error(&c, "cannot make the tables of", e);
	if (err == OK) {
		image[HEADER_WRITE_VERSION] = image[HEADER_READ_VERSION] = 2;
		err = put_in_place(path, image, (size_t)size, e);
	}
	sqlite3_free(image);
	sqlite_conn_close(&c);
	return err;
}
