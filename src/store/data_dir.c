/*
 * The data directory, whatever keeps the log: creates it, refuses network file systems and
 * directories that other users can write, and takes the lock.
 */
#include "store/data_dir.h"

#include "base/os/log.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Waits two seconds for a lock whose holder is dead. */
#define LOCK_TRIES 100
#define LOCK_TRY_MS 20

static void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static void fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

static enum err make_dir(const char *dir, struct error *e)
{
	if (mkdir(dir, 0700) != 0) {
		if (errno == EEXIST)
			return OK;
		return fail_errno(e, errno == ENOSPC ? ERR_FULL : ERR_IO, "cannot make %s", dir);
	}

	/* Syncs the parent, so that the new directory survives a power cut. */
	char up[4096];

	if ((size_t)snprintf(up, sizeof up, "%s/..", dir) >= sizeof up)
		return fail(e, ERR_INVALID, "the path of the data directory is too long");

	CLEANUP(closep) int fd = open(up, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) != 0)
		return fail_errno(e, ERR_IO, "cannot sync the parent of %s", dir);
	return OK;
}

/* The device of a line "36 35 98:0 /root /mount/point options - type source options". */
static dev_t mounted_device(const char *line)
{
	const char *at = strchr(line, ' ');
	char *end;

	at = at ? strchr(at + 1, ' ') : NULL;
	if (!at)
		return 0;

	unsigned long major_no = strtoul(at + 1, &end, 10);

	return *end == ':' ? makedev(major_no, strtoul(end + 1, NULL, 10)) : 0;
}

/*
 * FUSE is a remote disk or a container's overlay; the magic number is the
 * same, the name in the mount table is not.
 */
static bool is_fuse_overlay(dev_t dev)
{
	CLEANUP(fclosep) FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[4096];

	while (f && fgets(line, sizeof line, f))
		if (mounted_device(line) == dev)
			return strstr(line, " - fuse.fuse-overlayfs ");
	return false;
}

/* The name of a network file system by statfs; NULL for a local one. */
static const char *network_name(const struct statfs *fs, dev_t dev)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} remote[] = {
		{ NFS_SUPER_MAGIC, "nfs" },   { SMB_SUPER_MAGIC, "smb" },
		{ CIFS_SUPER_MAGIC, "cifs" }, { SMB2_SUPER_MAGIC, "smb" },
		{ V9FS_MAGIC, "9p" },         { AFS_SUPER_MAGIC, "afs" },
		{ CEPH_SUPER_MAGIC, "ceph" }, { CODA_SUPER_MAGIC, "coda" },
	};
	uint32_t magic = (uint32_t)fs->f_type;

	for (size_t i = 0; i < COUNT_OF(remote); i++)
		if (remote[i].magic == magic)
			return remote[i].name;
	if (magic == FUSE_SUPER_MAGIC && !is_fuse_overlay(dev))
		return "fuse";
	return NULL;
}

/*
 * Locks keep a second daemon out and fsync makes commits durable; where they are
 * unreliable, the directory is refused.
 */
static enum err refuse_network(const char *dir, struct error *e)
{
	struct statfs fs;
	struct stat st;

	if (stat(dir, &st) != 0 || statfs(dir, &fs) != 0)
		return fail_errno(e, ERR_IO, "cannot look at %s", dir);
	if (!S_ISDIR(st.st_mode))
		return fail(e, ERR_INVALID, "%s is not a directory", dir);

	const char *name = network_name(&fs, st.st_dev);

	if (name)
		return fail(e, ERR_UNSUPPORTED,
		            "%s lies on a network file system (%s), where neither locks nor "
		            "fsync can be relied on; choose a local directory",
		            dir, name);
	return OK;
}

/* Other users may have planted files in a directory that they can write. */
static enum err refuse_open_dir(const char *dir, struct error *e)
{
	struct stat st;

	if (stat(dir, &st) != 0)
		return fail_errno(e, ERR_IO, "cannot look at %s", dir);
	if (!(st.st_mode & S_IWOTH) && !(st.st_mode & S_IWGRP && st.st_gid != getegid()))
		return OK;
	return fail(e, ERR_INVALID,
	            "others may write to %s (mode %03o), so what is in it cannot be trusted. Look "
	            "through it, then: chmod 700 %s",
	            dir, (unsigned)st.st_mode & 0777, dir);
}

/* Removes the access of other users to our files, and logs a warning about it. */
static enum err mend_one(int at, const char *dir, const char *name, struct error *e)
{
	struct stat st;
	mode_t mode;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISLNK(st.st_mode) ||
	    !(st.st_mode & 077))
		return OK;
	mode = S_ISDIR(st.st_mode) ? 0700 : 0600;
	if (fchmodat(at, name, mode, 0) == 0) {
		log_line(
			LOG_WARN, "store",
			"other users could read %s/%s (mode %03o); its mode is now %03o. Treat its "
			"content as known to them",
			dir, name, (unsigned)st.st_mode & 0777, (unsigned)mode);
		return OK;
	}
	/* take_lock() reports a read-only file system. */
	if (errno == EROFS)
		return OK;
	return fail(
		e, ERR_INVALID,
		"others may read %s/%s (mode %03o), and it is not ours to change. Let its owner "
		"run: chmod %o %s/%s",
		dir, name, (unsigned)st.st_mode & 0777, (unsigned)mode, dir, name);
}

/* The token is not in the list: its reader refuses one that other users could read. */
static enum err mend_modes(int dir_fd, const char *dir, struct error *e)
{
	static const char *const names[] = { ".",      "log.db", "log.db-wal", "log.db-shm",
		                             "log.id", "lock",   "blobs",      "ballast" };
	enum err err = OK;

	for (size_t i = 0; i < COUNT_OF(names) && err == OK; i++)
		err = mend_one(dir_fd, dir, names[i], e);
	return err;
}

/* The process id is only for the message; the lock decides. */
static enum err refuse_second(int fd, const char *dir, struct error *e)
{
	char text[32] = "";
	ssize_t len = pread(fd, text, sizeof text - 1, 0);
	long pid = len > 0 ? strtol(text, NULL, 10) : 0;

	if (pid > 0)
		return fail(e, ERR_BUSY, "%s is in use by process %ld", dir, pid);
	return fail(e, ERR_BUSY, "%s is in use by another process", dir);
}

/* Whether the process named in the lock file is alive. */
static bool is_holder_alive(int fd)
{
	char text[32] = "";
	long pid = pread(fd, text, sizeof text - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;

	return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

/*
 * A daemon that was killed while it started a child leaves its lock to that
 * child until the child executes its program: a moment, on a busy machine a
 * longer one.  If the holder itself is alive, this fails without waiting.
 */
static bool lock_or_wait(int fd)
{
	for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; tries++) {
		if (errno != EWOULDBLOCK)
			return false;
		if (tries == LOCK_TRIES || is_holder_alive(fd)) {
			errno = EWOULDBLOCK;
			return false;
		}
		usleep(LOCK_TRY_MS * 1000);
	}
	return true;
}

/* The lock file is never removed: two processes could then lock two files of that name. */
static enum err take_lock(int dir_fd, const char *dir, int *ret_fd, struct error *e)
{
	int fd = openat(dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return fail_errno(e, errno == ENOSPC ? ERR_FULL : ERR_IO, "cannot open %s/lock",
		                  dir);
	if (!lock_or_wait(fd)) {
		enum err err = errno == EWOULDBLOCK ? refuse_second(fd, dir, e)
		                                    : fail_errno(e, ERR_IO, "cannot lock %s", dir);
		close(fd);
		return err;
	}

	/* Informational, so a failure is ignored.  The fixed width overwrites the previous text. */
	char text[32];
	int len = snprintf(text, sizeof text, "%-11ld\n", (long)getpid());

	(void)!pwrite(fd, text, (size_t)len, 0);
	*ret_fd = fd;
	return OK;
}

/* Checks of the directory come before the lock, so a directory of others is not changed. */
enum err data_dir_take(const char *dir, int *ret_lock_fd, struct error *e)
{
	enum err err = make_dir(dir, e);

	if (err == OK)
		err = refuse_network(dir, e);
	if (err == OK)
		err = refuse_open_dir(dir, e);
	if (err != OK)
		return err;

	CLEANUP(closep) int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir_fd < 0)
		return fail_errno(e, ERR_IO, "cannot open %s", dir);
	err = mend_modes(dir_fd, dir, e);
	return err == OK ? take_lock(dir_fd, dir, ret_lock_fd, e) : err;
}
