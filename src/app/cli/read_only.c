/*
 * Reading a log that lies on a read-only file system, or in a directory that
 * the user cannot write: a backup, an image, another user's data.
 *
 * SQLite cannot read a log with a -wal beside it where it may write nothing.
 * So what the log consists of is copied into a throw-away directory (outputs
 * are linked, not copied), and a runtime that only reads (store.read_only)
 * opens the copy.  The directory itself is not touched: no lock, no -wal, no
 * socket.  While a daemon holds the lock the copy could be torn; then nothing
 * is done, because that daemon can be asked.
 */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

bool read_only_is(struct cli *c)
{
	return access(paths_in_data(c, "log.db"), R_OK) == 0 && access(c->data, W_OK) != 0;
}

enum lock_state { LOCK_FREE, LOCK_HELD, LOCK_UNKNOWN };

/* A lock that we may not open may be held. */
static enum lock_state lock_state(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum lock_state state = LOCK_FREE;

	if (fd < 0)
		return errno == ENOENT ? LOCK_FREE : LOCK_UNKNOWN;
	if (flock(fd, LOCK_SH | LOCK_NB) != 0)
		state = errno == EWOULDBLOCK ? LOCK_HELD : LOCK_UNKNOWN;
	close(fd);
	return state;
}

/* The fastest way first: a reflink, then a copy in the kernel, then reads and writes. */
static bool copy_bytes(int from, int to)
{
	ssize_t got;

	if (ioctl(to, FICLONE, from) == 0)
		return true;
	while ((got = copy_file_range(from, NULL, to, NULL, 1 << 30, 0)) > 0)
		;
	if (got == 0)
		return true;
	/* another file system, or an old one */
	if (lseek(from, 0, SEEK_SET) < 0 || ftruncate(to, 0) < 0 || lseek(to, 0, SEEK_SET) < 0)
		return false;
	for (;;) {
		static char room[1 << 18];

		got = read(from, room, sizeof room);
		if (got <= 0)
			return got == 0;
		for (ssize_t at = 0, n; at < got; at += n)
			if ((n = write(to, room + at, (size_t)(got - at))) <= 0)
				return false;
	}
}

/* A file that is not there is no failure. */
static int copy_file(struct cli *c, const char *from_dir, const char *name)
{
	const char *path = arena_printf(c->mem, "%s/%s", from_dir, name).ptr;
	int from = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), to;
	bool is_done;

	if (from < 0 && errno == ENOENT)
		return CODE_DONE;
	to = open(paths_in_data(c, name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	is_done = from >= 0 && to >= 0 && copy_bytes(from, to);
	if (!is_done)
		out_error(c, "%s could not be copied to %s: %s.", path, c->data, strerror(errno));
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return is_done ? CODE_DONE : CODE_STORE;
}

static int check_unused(struct cli *c, const char *dir)
{
	const char *path = arena_printf(c->mem, "%s/lock", dir).ptr;

	switch (lock_state(path)) {
	case LOCK_FREE:
		return CODE_DONE;
	case LOCK_HELD:
		out_error(c, "%s cannot be written by us, and a daemon uses it: ask that daemon.",
		          dir);
		return CODE_FAILED;
	default:
		out_error(c,
		          "%s: %s, so it is not known whether a daemon writes there. Stop the "
		          "daemon, and make the lock readable or remove it.",
		          path, strerror(errno));
		return CODE_FAILED;
	}
}

int read_only_prepare(struct cli *c)
{
	static const char *const files[] = { "log.db", "log.db-wal", "log.id" };
	const char *from = paths_absolute(c, c->data);
	int code;

	code = check_unused(c, from);
	if (!code)
		code = paths_make_temporary(c);
	for (size_t i = 0; i < COUNT_OF(files) && !code; i++)
		code = copy_file(c, from, files[i]);
	/* a daemon that started meanwhile may have changed what was copied */
	if (!code)
		code = check_unused(c, from);
	if (!code &&
	    symlink(arena_printf(c->mem, "%s/blobs", from).ptr, paths_in_data(c, "blobs")) < 0)
		code = CODE_STORE;
	return code;
}
