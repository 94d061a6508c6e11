#include "base/foreign_file.h"

#include "base/clock.h"
#include "base/list.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define JOBS_MAX 16  /* that did not come back; then nothing more is tried */
#define ROOTS_MAX 64 /* roots whose file system is known */
#define ROOT_FRESH_MS 5000

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* ---- file systems ---- */

static bool is_one_of(long type, const unsigned long *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if ((unsigned long)type == list[i])
			return true;
	return false;
}

/* What reads there is the kernel's own, not a file that somebody keeps. */
static bool is_special(long type)
{
	static const unsigned long list[] = {
		0x9fa0 /* proc */,        0x62656572 /* sysfs */,      0x27e0eb /* cgroup */,
		0x63677270 /* cgroup2 */, 0xcafe4a11 /* bpf */,        0x64626720 /* debugfs */,
		0x74726163 /* tracefs */, 0x73636673 /* securityfs */, 0x62656570 /* configfs */,
		0xf97cff8c /* selinux */, 0x43415d53 /* smack */,      0x19800202 /* mqueue */,
		0x0187 /* autofs */,      0x42494e4d /* binfmt */,     0x65735543 /* fusectl */,
		0x958458f6 /* hugetlb */, 0x6165676c /* pstore */,     0xde5e81e4 /* efivars */,
		0x6e736673 /* nsfs */,    0x1cd1 /* devpts */,         0x1373 /* devfs */,
	};

	return is_one_of(type, list, COUNT_OF(list));
}

/* No program answers for these, and no other machine. */
static bool is_local(long type)
{
	static const unsigned long list[] = { 0xef53 /* ext */,
		                              0x58465342 /* xfs */,
		                              0x9123683e /* btrfs */,
		                              0x01021994 /* tmpfs */,
		                              0x794c7630 /* overlay */,
		                              0xf2f52010 /* f2fs */,
		                              0x2fc12fc1 /* zfs */,
		                              0x858458f6 /* ramfs */,
		                              0xca451a4e /* bcachefs */ };

	return is_one_of(type, list, COUNT_OF(list));
}

/* ---- opening and reading ---- */

static int open_beneath(int dir, const char *name, uint64_t flags, bool stays_on_mount)
{
	struct open_how how = { .flags = flags,
		                .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
		                           (stays_on_mount ? RESOLVE_NO_XDEV : 0) };
	int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);

	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return fd;

	/* where openat2 is forbidden: by hand, and no link at all is followed */
	int at = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	struct str rest = str_from(name);
	char part[256];

	while (at >= 0) {
		struct str each = str_cut(&rest, '/');
		int next;

		if (!each.len || each.len >= sizeof part || str_eq(each, STR(".."))) {
			close(at);
			errno = EXDEV;
			return -1;
		}
		memcpy(part, each.ptr, each.len);
		part[each.len] = 0;
		next = openat(at, part,
		              (str_is(rest) ? O_PATH | O_DIRECTORY : (int)flags) | O_NOFOLLOW |
		                      O_CLOEXEC);

		int os_errno = errno;

		close(at);
		errno = os_errno;
		at = next;
		if (!str_is(rest))
			return at;
	}
	return -1;
}

static struct foreign_stamp stamp_of(const struct stat *st)
{
	return (struct foreign_stamp){ .device = st->st_dev,
		                       .inode = st->st_ino,
		                       .names = st->st_nlink,
		                       .size = (uint64_t)st->st_size,
		                       .changed_ns = (uint64_t)st->st_ctim.tv_sec * 1000000000u +
		                                     (uint64_t)st->st_ctim.tv_nsec,
		                       .is_there = true };
}

static enum err fail_open(struct error *e, const char *name)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		return fail_errno(e, ERR_NOT_FOUND, "%s", name);
	case EXDEV:
	case ELOOP:
		return fail_errno(e, ERR_INVALID, "%s is a link that leads out of its directory",
		                  name);
	default:
		return fail_errno(e, ERR_IO, "%s", name);
	}
}

static enum err check_kind(int fd, const char *name, struct stat *ret_st, struct error *e)
{
	struct statfs fs;

	if (fstat(fd, ret_st) < 0 || fstatfs(fd, &fs) < 0)
		return fail_errno(e, ERR_IO, "%s", name);
	if (S_ISDIR(ret_st->st_mode))
		return fail(e, ERR_NOT_FOUND, "%s is a directory", name);
	if (!S_ISREG(ret_st->st_mode))
		return fail(e, ERR_INVALID, "%s is no regular file", name);
	if (is_special((long)fs.f_type))
		return fail(e, ERR_INVALID, "%s lies on a file system of the kernel's own", name);
	return OK;
}

static enum err read_text(int fd, const char *name, size_t max, char **ret, size_t *ret_len,
                          struct error *e)
{
	size_t len = 0, cap = 4096;
	char *text = xmalloc(cap + 1);

	for (;;) {
		ssize_t got = read(fd, text + len, MIN(cap, max + 1) - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			enum err err = fail_errno(e, ERR_IO, "%s", name);

			xfree(text);
			return err;
		}
		len += (size_t)got;
		if (len > max) {
			xfree(text);
			return fail(e, ERR_TOO_LARGE, "%s: more than %zu bytes", name, max);
		}
		if (!got)
			break;
		if (len == cap) {
			cap *= 2;
			text = xrealloc(text, cap + 1);
		}
	}
	text[len] = 0;
	*ret = text;
	*ret_len = len;
	return OK;
}

struct found {
	char *text; /* NULL: not read */
	size_t len;
	struct foreign_stamp stamp;
	enum err code;
	struct error error;
	bool is_local; /* the root */
};

/* max 0: only looked at. */
static void take(int dir, const char *name, size_t max, bool stays_on_mount, struct found *ret)
{
	CLEANUP(close_fd) int place = open_beneath(dir, name, O_PATH | O_CLOEXEC, stays_on_mount);
	CLEANUP(close_fd) int fd = -1;
	struct stat st;

	if (place < 0) {
		ret->stamp.is_there = errno != ENOENT && errno != ENOTDIR;
		ret->code = fail_open(&ret->error, name);
		return;
	}
	ret->code = check_kind(place, name, &st, &ret->error);
	if (ret->code != ERR_IO && ret->code != ERR_NOT_FOUND)
		ret->stamp = stamp_of(&st);
	if (ret->code || !max)
		return;
	/* what was looked at, not what has its name by now */
	fd = open_beneath(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, stays_on_mount);
	if (fd < 0) {
		ret->code = fail_open(&ret->error, name);
		return;
	}
	ret->code = check_kind(fd, name, &st, &ret->error);
	if (ret->code)
		return;
	ret->stamp = stamp_of(&st);
	ret->code = read_text(fd, name, max, &ret->text, &ret->len, &ret->error);
}

enum err foreign_file_read_at(struct arena *mem, int dir, const char *name, size_t max,
                              struct foreign_file *ret, struct error *e)
{
	struct found f = { 0 };

	take(dir, name, max, false, &f);
	if (f.code) {
		if (e)
			*e = f.error;
		return f.code;
	}
	ret->stamp = f.stamp;
	ret->text = arena_keep(mem, str_of(f.text, f.len));
	xfree(f.text);
	return OK;
}

static void take_in(const char *root, const char *name, size_t max, bool stays_on_mount,
                    struct found *ret)
{
	CLEANUP(close_fd) int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (dir < 0 || fstatfs(dir, &fs) < 0) {
		ret->code = fail_open(&ret->error, root);
		return;
	}
	ret->is_local = is_local((long)fs.f_type);
	take(dir, name, max, stays_on_mount, ret);
}

/* ---- on a thread of its own ---- */

struct job {
	struct list node;
	pthread_cond_t done;
	bool is_done, is_left; /* left: whoever asked has gone */
	size_t max;
	struct found found;
	char *root, *name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list jobs;
static size_t job_count;
static struct {
	uint64_t root; /* hash */
	int64_t until_ms;
} local_roots[ROOTS_MAX];

static void job_free(struct job *j)
{
	pthread_cond_destroy(&j->done);
	free(j->found.text);
	free(j->root);
	free(j->name);
	free(j);
}

static void *job_run(void *arg)
{
	struct job *j = arg;

	take_in(j->root, j->name, j->max, false, &j->found);
	pthread_mutex_lock(&lock);
	j->is_done = true;
	list_remove(&j->node);
	job_count--;
	if (j->is_left)
		job_free(j);
	else
		pthread_cond_signal(&j->done);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static bool is_fresh(uint64_t root)
{
	size_t at = root % ROOTS_MAX;

	return local_roots[at].root == root && clock_mono_ms() < local_roots[at].until_ms;
}

static bool is_under_way(const char *root, const char *name)
{
	LIST_EACH (&jobs, node) {
		const struct job *j = LIST_ITEM(node, struct job, node);

		if (!strcmp(j->root, root) && !strcmp(j->name, name))
			return true;
	}
	return false;
}

static enum err fail_slow(struct error *e, const char *root, const char *name)
{
	return fail(e, ERR_TIMEOUT, "%s/%s: its file system does not answer", root, name);
}

/* Under the lock; NULL: it was not begun. */
static struct job *job_begin(const char *root, const char *name, size_t max)
{
	pthread_condattr_t attr;
	pthread_attr_t how;
	pthread_t thread;
	struct job *j;
	int r;

	if (!jobs.next)
		list_init(&jobs);
	if (job_count >= JOBS_MAX || is_under_way(root, name))
		return NULL;
	j = xcalloc(1, sizeof *j);
	j->max = max;
	j->root = strdup(root);
	j->name = strdup(name);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&j->done, &attr);
	pthread_condattr_destroy(&attr);
	pthread_attr_init(&how);
	pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&how, 256 << 10);
	list_add(&jobs, &j->node);
	job_count++;
	r = pthread_create(&thread, &how, job_run, j);
	pthread_attr_destroy(&how);
	if (r) {
		list_remove(&j->node);
		job_count--;
		job_free(j);
		return NULL;
	}
	return j;
}

static void job_await(struct job *j)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += FOREIGN_FILE_DEADLINE_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (!j->is_done && pthread_cond_timedwait(&j->done, &lock, &until) == 0)
		;
}

static void read_aside(const char *root, const char *name, size_t max, struct found *ret)
{
	struct job *j;

	pthread_mutex_lock(&lock);
	j = job_begin(root, name, max);
	if (j)
		job_await(j);
	if (j && j->is_done) {
		*ret = j->found;
		j->found.text = NULL;
		job_free(j);
	} else {
		ret->code = fail_slow(&ret->error, root, name);
		ret->stamp.is_there = true;
		if (j)
			j->is_left = true;
	}
	pthread_mutex_unlock(&lock);
}

static void read_somehow(struct str root, const char *name, size_t max, struct found *ret)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const char *path = arena_keep(mem, root).ptr;
	uint64_t hash = str_hash(root);
	bool is_known;

	if (!root.len || memchr(root.ptr, 0, root.len)) {
		ret->code = fail(&ret->error, ERR_NOT_FOUND, "%s: no directory", name);
		return;
	}
	pthread_mutex_lock(&lock);
	is_known = is_fresh(hash);
	pthread_mutex_unlock(&lock);
	if (is_known) {
		take_in(path, name, max, true, ret);
		if ((ret->is_local || ret->code == ERR_NOT_FOUND) && ret->code != ERR_INVALID)
			return;
		/* something else is mounted there, or on the way */
		xfree(ret->text);
		*ret = (struct found){ 0 };
	}
	read_aside(path, name, max, ret);
	pthread_mutex_lock(&lock);
	local_roots[hash % ROOTS_MAX].root = hash;
	local_roots[hash % ROOTS_MAX].until_ms =
		ret->is_local ? clock_mono_ms() + ROOT_FRESH_MS : 0;
	pthread_mutex_unlock(&lock);
}

enum err foreign_file_read(struct arena *mem, struct str root, const char *name, size_t max,
                           struct foreign_file *ret, struct error *e)
{
	struct found f = { 0 };

	read_somehow(root, name, MAX(max, (size_t)1), &f);
	if (f.code) {
		if (e)
			*e = f.error;
		return f.code;
	}
	ret->stamp = f.stamp;
	ret->text = arena_keep(mem, str_of(f.text, f.len));
	xfree(f.text);
	return OK;
}

enum err foreign_file_look(struct str root, const char *name, struct foreign_stamp *ret,
                           struct error *e)
{
	struct found f = { 0 };

	read_somehow(root, name, 0, &f);
	*ret = f.stamp;
	if (f.code && e)
		*e = f.error;
	return f.code;
}
