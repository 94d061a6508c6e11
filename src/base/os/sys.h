#ifndef BASE_SYS_H
#define BASE_SYS_H
/*
 * System calls that this libc does not wrap, and constants newer than the
 * kernel headers of Debian 12 (6.1).  Numbers from 424 on are the same on
 * every architecture.
 */
#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR_FCHMODAT2 452
#define NR_OPEN_TREE_ATTR 467
#define NR_NEWEST 469 /* file_setattr, Linux 6.17: newer calls have not been reviewed */

/*
 * Creates a child that shares nothing; args->pidfd is filled when
 * CLONE_PIDFD is set.  Where clone3() is forbidden (in a sandbox, ours too),
 * clone() does as much of it as it can.
 */
long sys_clone3(struct clone_args *args);

static inline int sys_openat2(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .resolve = resolve };
	int fd, tries = 1000;

	/* A rename or mount anywhere makes the kernel unsure of a path with ".."; it says EAGAIN. */
	do
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
	while (fd < 0 && errno == EAGAIN && --tries);
	return fd;
}

/*
 * Opens the path itself without following any link.  Walks component by
 * component where openat2() is forbidden.
 */
int sys_open_place(int dir, const char *path);

/*
 * A new, renamed or removed name survives a power cut only if its directory is synced.  -1 with
 * errno after a failure.
 */
int sys_sync_dir_of(const char *path);

static inline int sys_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static inline int sys_pidfd_signal(int pidfd, int signum)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, signum, NULL, 0);
}

static inline int sys_pivot_root(const char *new_root, const char *put_old)
{
	return (int)syscall(SYS_pivot_root, new_root, put_old);
}

static inline int sys_seccomp(unsigned op, unsigned flags, void *arg)
{
	return (int)syscall(SYS_seccomp, op, flags, arg);
}

/* False, with errno: not all of it was written. */
static inline bool sys_write_all(int fd, const void *from, size_t len)
{
	const char *at = from;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static inline void sys_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
#define FD_SCOPE CLEANUP(sys_close) int

#endif
