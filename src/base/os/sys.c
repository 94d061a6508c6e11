/*
 * System calls without a wrapper in libc.  Each falls back to an older call
 * where a filter of a service manager or a container refuses the newer one.
 */
#include "base/os/sys.h"

#include <errno.h>
#include <string.h>

/*
 * Filters of some containers answer EPERM for a call that they do not know.  Where EPERM is
 * the kernel's own answer, the older call gets it too.
 */
static bool is_refused(int os_errno)
{
	return os_errno == ENOSYS || os_errno == EPERM;
}

/*
 * CLONE_INTO_CGROUP has no counterpart in clone(): falling back would start the child
 * outside its limits, so the error is returned.
 */
long sys_clone3(struct clone_args *args)
{
	long pid = syscall(SYS_clone3, args, sizeof *args);

	if (pid >= 0 || !is_refused(errno) || args->flags & CLONE_INTO_CGROUP)
		return pid;
	/*
	 * the pidfd is returned through the third argument (parent_tid) on all supported machines
	 */
	return syscall(SYS_clone, args->flags | args->exit_signal, 0,
	               (void *)(uintptr_t)args->pidfd, 0, 0);
}

/* Opens each component separately; O_PATH on a link opens the link itself. */
static int walk(int dir, const char *path)
{
	int at = path[0] == '/' ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)
	                        : openat(dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char name[256];

	while (at >= 0) {
		int next;

		path += strspn(path, "/");

		size_t len = strcspn(path, "/");

		if (!len)
			return at;
		if (len >= sizeof name) {
			close(at);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, path, len);
		name[len] = '\0';
		path += len;
		next = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
	}
	return -1;
}

int sys_open_place(int dir, const char *path)
{
	int fd = sys_openat2(dir, path, O_PATH | O_CLOEXEC | O_NOFOLLOW,
	                     RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);

	return fd < 0 && is_refused(errno) ? walk(dir, path) : fd;
}

int sys_sync_dir_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[4096];
	int fd, rc;

	if (!slash)
		slash = path; /* a name alone: here */
	if ((size_t)(slash - path) >= sizeof dir - 2) {
		errno = ENAMETOOLONG;
		return -1;
	}
	/* "/name" is in "/." and "name" in "." */
	memcpy(dir, path, (size_t)(slash - path));
	strcpy(dir + (slash - path), *slash == '/' ? "/." : ".");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = fsync(fd);
	close(fd);
	return rc;
}
