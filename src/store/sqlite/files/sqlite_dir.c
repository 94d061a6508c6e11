/*
 * The data directory of a SQLite store: takes it, and refuses an empty log where files
 * show that there was one.
 */
#include "store/sqlite/sqlite_int.h"

#include "store/data_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Files that are created after the log: if one exists, there was a log. */
static const char *find_companion(int dir_fd)
{
	static const char *const names[] = { "log.id", "blobs", "token", "ballast" };
	struct stat st;

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (fstatat(dir_fd, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			return names[i];
	return NULL;
}

enum err sqlite_dir_log_lost(const char *dir, const char *companion, const char *how,
                             struct error *e)
{
	return fail(e, ERR_STORE,
	            "%s/log.db is %s, but %s/%s is there, so this directory had a log. Put log.db "
	            "back together with its -wal; to begin with an empty log, move the directory "
	            "away: mv %s %s.old",
	            dir, how, dir, companion, dir, dir);
}

/* An empty log next to the files of an older log must not become a new one. */
static enum err refuse_lost_log(int dir_fd, const char *dir, const char *companion, struct error *e)
{
	struct stat log, wal;
	bool is_there = fstatat(dir_fd, "log.db", &log, 0) == 0;

	if (is_there && log.st_size > 0)
		return OK;
	if (!companion && fstatat(dir_fd, "log.db-wal", &wal, 0) == 0 && wal.st_size > 0)
		companion = "log.db-wal";
	return companion ? sqlite_dir_log_lost(dir, companion, is_there ? "empty" : "missing", e)
	                 : OK;
}

/* SQLite would use mode 0644; its -wal and -shm inherit the mode of the file. */
static enum err make_file(int dir_fd, const char *dir, struct error *e)
{
	int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
	CLEANUP(closep) int fd = openat(dir_fd, "log.db", flags, 0600);

	if (fd < 0 && errno == EEXIST)
		return OK;
	if (fd < 0 || fsync(dir_fd) != 0)
		return fail_errno(e, errno == ENOSPC ? ERR_FULL : ERR_IO, "cannot make %s/log.db",
		                  dir);
	return OK;
}

/* Files are created after the lock is taken: two processes cannot both create a log. */
enum err sqlite_dir_take(const char *dir, int *ret_lock_fd, const char **ret_companion,
                         struct error *e)
{
	int lock_fd = -1;
	enum err err = data_dir_take(dir, &lock_fd, e);

	if (err != OK)
		return err;

	CLEANUP(closep) int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir_fd < 0) {
		close(lock_fd);
		return fail_errno(e, ERR_IO, "cannot open %s", dir);
	}
	*ret_companion = find_companion(dir_fd);
	err = refuse_lost_log(dir_fd, dir, *ret_companion, e);
	if (err == OK)
		err = make_file(dir_fd, dir, e);
	if (err != OK) {
		close(lock_fd);
		return err;
	}
	*ret_lock_fd = lock_fd;
	return OK;
}
