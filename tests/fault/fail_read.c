/*
 * Reads of log.db and its write-ahead log fail with EIO for as long as a file
 * exists.  Preloaded into the real daemon by failing_reads.py:
 *
 *	FAIL_READ_WHILE=FILE
 *
 * FILE holds how many reads fail; empty: all of them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char control[512];
static atomic_long failed;

__attribute__((constructor)) static void begin(void)
{
	const char *file = getenv("FAIL_READ_WHILE");

	if (file)
		strncpy(control, file, sizeof control - 1);
	unsetenv("LD_PRELOAD"); /* children have their own troubles */
}

static int is_log(int fd)
{
	char link[64], path[512];
	ssize_t len;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof path - 1);
	if (len <= 0)
		return 0;
	path[len] = 0;
	return strstr(path, "/log.db") != NULL;
}

static int strikes(int fd)
{
	char text[16] = "";
	long most, file;

	if (!*control || access(control, F_OK) != 0 || !is_log(fd))
		return 0;
	file = syscall(SYS_openat, AT_FDCWD, control, O_RDONLY);
	if (file < 0)
		return 0;
	(void)!syscall(SYS_read, file, text, sizeof text - 1);
	syscall(SYS_close, file);
	most = atol(text);
	if (most && atomic_fetch_add(&failed, 1) >= most)
		return 0;
	errno = EIO;
	return 1;
}

ssize_t pread64(int fd, void *to, size_t len, off64_t offset)
{
	return strikes(fd) ? -1 : syscall(SYS_pread64, fd, to, len, offset);
}

ssize_t pread(int fd, void *to, size_t len, off_t offset)
{
	return strikes(fd) ? -1 : syscall(SYS_pread64, fd, to, len, offset);
}

ssize_t read(int fd, void *to, size_t len)
{
	return strikes(fd) ? -1 : syscall(SYS_read, fd, to, len);
}
