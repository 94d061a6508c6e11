/*
 * The n-th call of a kind fails, once.  Preloaded into the real daemon by
 * fault_calls.py:
 *
 *	FAIL_KIND=emfile|enomem|eio|enospc|kill  FAIL_AT=N  [FAIL_REPORT=FILE]
 *
 * emfile  whatever makes a descriptor        enomem  malloc and its like, mmap
 * eio     reads, writes and syncs of files   enospc  what makes a file longer
 * kill    writes and syncs of files: the process is killed before the n-th
 *
 * Files are regular files only: sockets and pipes have troubles of their own.
 * When it has struck, FILE is made and says which call it was.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum kind { NONE, EMFILE_KIND, ENOMEM_KIND, EIO_KIND, ENOSPC_KIND, KILL_KIND };

static enum kind kind;
static long at;
static atomic_long calls;
static char report[512];

/* The constructor of a preloaded library runs before anything that is to be tested. */
__attribute__((constructor)) static void begin(void)
{
	static const char *const words[] = { "", "emfile", "enomem", "eio", "enospc", "kill" };
	const char *word = getenv("FAIL_KIND"), *number = getenv("FAIL_AT"),
		   *file = getenv("FAIL_REPORT");

	if (!word || !number)
		return;
	if (file)
		strncpy(report, file, sizeof report - 1);
	at = atol(number);
	for (int i = 1; i <= KILL_KIND; i++)
		if (strcmp(word, words[i]) == 0)
			kind = (enum kind)i;
	unsetenv("LD_PRELOAD"); /* children have their own troubles */
}

static void tell(const char *call)
{
	long fd = syscall(SYS_openat, AT_FDCWD, report, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		return;
	(void)!syscall(SYS_write, fd, call, strlen(call));
	syscall(SYS_close, fd);
}

static int strikes(enum kind of, const char *call, int error)
{
	if (kind != of || atomic_fetch_add(&calls, 1) + 1 != at)
		return 0;
	tell(call);
	errno = error;
	return 1;
}

static int strikes_file(enum kind of, int fd, const char *call, int error)
{
	struct stat st;

	bool counts = kind == of || (kind == KILL_KIND && of == EIO_KIND && !strstr(call, "read"));

	if (!counts || syscall(SYS_fstat, fd, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	if (kind == KILL_KIND && strikes(KILL_KIND, call, EIO))
		kill(getpid(), SIGKILL);
	if (kind == KILL_KIND)
		return 0;
	return strikes(of, call, error);
}

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* ---- memory ---- */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t size)
{
	return strikes(ENOMEM_KIND, "malloc", ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return strikes(ENOMEM_KIND, "calloc", ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return strikes(ENOMEM_KIND, "realloc", ENOMEM) ? NULL : __libc_realloc(old, size);
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (strikes(ENOMEM_KIND, "mmap", ENOMEM))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}

void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
	return mmap(addr, len, prot, flags, fd, offset);
}

/* ---- descriptors ---- */

static int open_with(const char *name, int dir, const char *path, int flags, mode_t mode)
{
	if (strikes(EMFILE_KIND, name, EMFILE))
		return -1;
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list args;                                                                      \
		va_start(args, flags);                                                             \
		mode_t mode = mode_of(flags, args);                                                \
		va_end(args);                                                                      \
		return open_with(#name, AT_FDCWD, path, flags, mode);                              \
	}

#define OPENAT(name)                                                                               \
	int name(int dir, const char *path, int flags, ...)                                        \
	{                                                                                          \
		va_list args;                                                                      \
		va_start(args, flags);                                                             \
		mode_t mode = mode_of(flags, args);                                                \
		va_end(args);                                                                      \
		return open_with(#name, dir, path, flags, mode);                                   \
	}

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

FILE *fopen64(const char *path, const char *mode)
{
	return strikes(EMFILE_KIND, "fopen", EMFILE) ? NULL : REAL(fopen64)(path, mode);
}

DIR *opendir(const char *path)
{
	return strikes(EMFILE_KIND, "opendir", EMFILE) ? NULL : REAL(opendir)(path);
}

int memfd_create(const char *name, unsigned flags)
{
	return strikes(EMFILE_KIND, "memfd_create", EMFILE) ? -1 : REAL(memfd_create)(name, flags);
}

int socket(int domain, int type, int protocol)
{
	return strikes(EMFILE_KIND, "socket", EMFILE) ? -1 : REAL(socket)(domain, type, protocol);
}

int socketpair(int domain, int type, int protocol, int fds[2])
{
	return strikes(EMFILE_KIND, "socketpair", EMFILE)
	               ? -1
	               : REAL(socketpair)(domain, type, protocol, fds);
}

int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	return strikes(EMFILE_KIND, "accept4", EMFILE) ? -1 : REAL(accept4)(fd, addr, len, flags);
}

int epoll_create1(int flags)
{
	return strikes(EMFILE_KIND, "epoll_create1", EMFILE) ? -1 : REAL(epoll_create1)(flags);
}

int eventfd(unsigned value, int flags)
{
	return strikes(EMFILE_KIND, "eventfd", EMFILE) ? -1 : REAL(eventfd)(value, flags);
}

int timerfd_create(clockid_t clock, int flags)
{
	return strikes(EMFILE_KIND, "timerfd_create", EMFILE) ? -1
	                                                      : REAL(timerfd_create)(clock, flags);
}

int signalfd(int fd, const sigset_t *mask, int flags)
{
	return strikes(EMFILE_KIND, "signalfd", EMFILE) ? -1 : REAL(signalfd)(fd, mask, flags);
}

int pipe2(int fds[2], int flags)
{
	return strikes(EMFILE_KIND, "pipe2", EMFILE) ? -1 : REAL(pipe2)(fds, flags);
}

int dup(int fd)
{
	return strikes(EMFILE_KIND, "dup", EMFILE) ? -1 : REAL(dup)(fd);
}

/* ---- files ---- */

ssize_t read(int fd, void *to, size_t len)
{
	return strikes_file(EIO_KIND, fd, "read", EIO) ? -1 : syscall(SYS_read, fd, to, len);
}

ssize_t pread64(int fd, void *to, size_t len, off64_t offset)
{
	return strikes_file(EIO_KIND, fd, "pread", EIO) ? -1
	                                                : syscall(SYS_pread64, fd, to, len, offset);
}

ssize_t write(int fd, const void *from, size_t len)
{
	if (strikes_file(EIO_KIND, fd, "write", EIO) ||
	    strikes_file(ENOSPC_KIND, fd, "write", ENOSPC))
		return -1;
	return syscall(SYS_write, fd, from, len);
}

ssize_t pwrite64(int fd, const void *from, size_t len, off64_t offset)
{
	if (strikes_file(EIO_KIND, fd, "pwrite", EIO) ||
	    strikes_file(ENOSPC_KIND, fd, "pwrite", ENOSPC))
		return -1;
	return syscall(SYS_pwrite64, fd, from, len, offset);
}

int fdatasync(int fd)
{
	return strikes_file(EIO_KIND, fd, "fdatasync", EIO) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
	return strikes_file(EIO_KIND, fd, "fsync", EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int ftruncate64(int fd, off64_t len)
{
	if (strikes_file(EIO_KIND, fd, "ftruncate", EIO) ||
	    strikes_file(ENOSPC_KIND, fd, "ftruncate", ENOSPC))
		return -1;
	return (int)syscall(SYS_ftruncate, fd, len);
}

int posix_fallocate64(int fd, off64_t offset, off64_t len)
{
	if (strikes_file(ENOSPC_KIND, fd, "fallocate", ENOSPC))
		return ENOSPC;
	return REAL(posix_fallocate64)(fd, offset, len);
}
