/*
 * Opens and reads files of untrusted origin, with openat2() and a deadline.
 *
 * Local file systems are read directly.  For all others a worker thread reads,
 * because a server that does not answer blocks a thread in the kernel.
 */
#include "base/path/foreign_file.h"

#include "base/os/sys.h"

#include "base/buf.h"
#include "base/os/clock.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/path/mount_table.h"
#include "base/path/repository.h"

#include <assert.h>
#include <dirent.h>
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

#define JOBS_MAX 256   /* limit of threads that wait for a file system */
#define ROOTS_MAX 1024 /* limit of remembered directories on such file systems */

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

/* File systems whose files are made by the kernel and hold no stored content. */
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

/* ---- opening and reading ---- */

/* 0: not known. */
static uint64_t mount_of(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &st) < 0 ||
	    !(st.stx_mask & STATX_MNT_ID))
		return 0;
	return st.stx_mnt_id;
}

/*
 * Sets errno.  A descriptor of a path opens nothing, so it does not block as an open of the
 * file could.  A mount that is not known counts as another one.
 */
static bool is_on_mount(int dir, const char *name, uint64_t mount)
{
	CLEANUP(close_fd) int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (mount && mount_of(fd) == mount)
		return true;
	errno = EXDEV;
	return false;
}

/*
 * stays_on_mount: crossing into another mount fails with EXDEV, so that a read that counts
 * as local cannot reach a file system that blocks.
 */
static int open_beneath(int dir, const char *name, uint64_t flags, bool stays_on_mount)
{
	int fd = sys_openat2(dir, name, flags,
	                     RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
	                             (stays_on_mount ? RESOLVE_NO_XDEV : 0));

	/* Some container filters return EPERM instead of ENOSYS. */
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return fd;

	/* where openat2 is forbidden: component by component, without following links */
	uint64_t mount = stays_on_mount ? mount_of(dir) : 0;
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
		if (stays_on_mount && !is_on_mount(at, part, mount)) {
			close(at);
			return -1;
		}
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

/* On an open descriptor, so that the answer is about the file that is read. */
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

/*
 * The size of fstat() is not trusted: one byte above the limit is read to notice a file
 * that is too large or has no end.
 */
static enum err read_text(int fd, const char *name, size_t max, char **ret, size_t *ret_len,
                          struct error *e)
{
	size_t len = 0, cap = 4096;
	char *text = memory_alloc(cap + 1);

	for (;;) {
		ssize_t got = read(fd, text + len, MIN(cap, max + 1) - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			enum err err = fail_errno(e, ERR_IO, "%s", name);

			memory_free(text);
			return err;
		}
		len += (size_t)got;
		if (len > max) {
			memory_free(text);
			return fail(e, ERR_TOO_LARGE, "%s: more than %zu bytes", name, max);
		}
		if (!got)
			break;
		if (len == cap) {
			cap *= 2;
			text = memory_resize(text, cap + 1);
		}
	}
	text[len] = 0;
	*ret = text;
	*ret_len = len;
	return OK;
}

/* What is wanted of a name: the text of a file, or the entries of a directory. */
enum what { WHAT_FILE, WHAT_LIST };

/* The outcome of one look or read; an error is a result like any other and is kept by probes. */
struct found {
	char *text; /* NULL: not read */
	size_t len;
	bool has_more; /* entries than the list has */
	struct foreign_stamp stamp;
	enum err code;
	struct error error;
};

/* After ENOENT: whether a dangling link exists, which counts as an existing file. */
static bool is_dead_link(int dir, const char *name, bool stays_on_mount)
{
	int os_errno = errno;
	CLEANUP(close_fd) int fd = -1;
	struct stat st;
	bool is_link;

	if (os_errno == ENOENT)
		fd = open_beneath(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, stays_on_mount);
	is_link = fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode);
	errno = os_errno;
	return is_link;
}

/* max 0: only examined, not read. */
static void take_file(int dir, const char *name, size_t max, bool stays_on_mount, struct found *ret)
{
	CLEANUP(close_fd) int place = open_beneath(dir, name, O_PATH | O_CLOEXEC, stays_on_mount);
	CLEANUP(close_fd) int fd = -1;
	struct stat st;

	if (place < 0 && is_dead_link(dir, name, stays_on_mount)) {
		ret->stamp.is_there = true;
		ret->code = fail(&ret->error, ERR_INVALID, "%s is a link that leads nowhere", name);
		return;
	}
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
	/*
	 * Opened by name again: another file may have the name by now, so its kind is checked
	 * again.
	 */
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

	take_file(dir, name, max, false, &f);
	if (f.code) {
		if (e)
			*e = f.error;
		return f.code;
	}
	ret->stamp = f.stamp;
	ret->text = arena_keep(mem, str_of(f.text, f.len));
	memory_free(f.text);
	return OK;
}

enum err foreign_file_open(struct str root, const char *name, int *ret_fd,
                           struct foreign_stamp *ret, struct error *e)
{
	CLEANUP(close_fd) int dir = -1;
	CLEANUP(close_fd) int fd = -1;
	struct found f = { 0 };
	struct stat st;
	char path[4096];

	assert(!foreign_file_is_on_loop());
	if (root.len >= sizeof path)
		return fail(e, ERR_INVALID, "the path of the directory is too long");
	snprintf(path, sizeof path, "%.*s", STR_ARG(root));
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return fail_open(e, path);
	take_file(dir, name, 0, false, &f);
	if (f.code) {
		if (e)
			*e = f.error;
		return f.code;
	}
	/* Another file may have the name by now, so its kind is checked again. */
	fd = open_beneath(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, false);
	if (fd < 0)
		return fail_open(e, name);
	f.code = check_kind(fd, name, &st, e);
	if (f.code)
		return f.code;
	*ret = stamp_of(&st);
	*ret_fd = fd;
	fd = -1;
	return OK;
}

/* ---- listing ---- */

#define LIST_BYTES_MAX (1u << 20)

static void close_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

static char kind_of(const struct dirent *d)
{
	return d->d_type == DT_DIR   ? 'd'
	       : d->d_type == DT_LNK ? 'l'
	       : d->d_type == DT_REG ? 'f'
	                             : '?';
}

static bool is_listed(const char *name)
{
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < ' ')
			return false;
	return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* One line per entry: a letter for its kind, then its name. */
static void take_entries(DIR *d, size_t max, struct found *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(d))) {
		if (!is_listed(entry->d_name))
			continue;
		if (count++ == max || out.len > LIST_BYTES_MAX) {
			ret->has_more = true;
			break;
		}
		buf_printf(&out, "%c%s\n", kind_of(entry), entry->d_name);
	}
	ret->text = memory_alloc(out.len + 1);
	memcpy(ret->text, buf_str(&out).ptr, out.len);
	ret->text[out.len] = 0;
	ret->len = out.len;
}

static void take_list(int dir, const char *name, size_t max, bool stays_on_mount, struct found *ret)
{
	int fd = open_beneath(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC, stays_on_mount);
	CLEANUP(close_dir) DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		ret->code = fail_open(&ret->error, name);
		if (fd >= 0)
			close(fd);
		return;
	}
	take_entries(d, max, ret);
}

static void take_in(const char *root, const char *name, size_t max, enum what what,
                    bool stays_on_mount, struct found *ret)
{
	CLEANUP(close_fd) int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		ret->code = fail_open(&ret->error, root);
	else if (what == WHAT_LIST)
		take_list(dir, name, max, stays_on_mount, ret);
	else
		take_file(dir, name, max, stays_on_mount, ret);
}

/* ---- directories that may not answer ---- */

/* The kept result for one file, for a thread that does not wait. */
struct response {
	struct response *next;
	struct found found;
	size_t max;
	bool is_read;
	char name[];
};

/* A directory that is not on a local file system, with what is known about it. */
struct root {
	struct list node; /* in the order of use, latest last */
	char *path;
	struct response *answers;
	int64_t asked_ms;  /* start of the running probe; 0: none */
	int64_t proven_ms; /* end of the last probe; 0: never */
	bool runs_code;
	int trouble; /* errno: why it cannot be entered */
};

struct job {
	pthread_cond_t done;
	struct root *root;     /* of a probe: the files to read are in its answers */
	bool is_done, is_left; /* left: the caller has stopped waiting */
	size_t max;
	enum what what;
	struct found found;
	struct response *answers;
	bool runs_code;
	int trouble;
	char *path, *name;
};

/* Every probe reads these files, because the daemon needs them. */
static const struct {
	const char *name;
	size_t max;
} wanted_always[] = { { ".thole/rules.json", 0 },
	              { ".thole/rules.json", 1 << 20 },
	              { ".thole/hooks.json", 1 << 18 },
	              { ".claude/settings.json", 1 << 18 },
	              { ".claude/settings.local.json", 1 << 18 },
	              { ".mcp.json", 1 << 18 } };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct list roots;
static size_t root_count, job_count;
static _Thread_local bool is_loop;

static void answers_free(struct response *a)
{
	for (struct response *next; a; a = next) {
		next = a->next;
		memory_free(a->found.text);
		memory_free(a);
	}
}

static struct response *response_new(const char *name, size_t max, struct response *next)
{
	size_t len = strlen(name) + 1;
	struct response *a = memory_zeroed(1, sizeof *a + len);

	memcpy(a->name, name, len);
	a->max = max;
	a->next = next;
	return a;
}

static struct response *response_of(struct response *all, const char *name, size_t max)
{
	while (all && (all->max != max || strcmp(all->name, name) != 0))
		all = all->next;
	return all;
}

static void root_free(struct root *r)
{
	list_remove(&r->node);
	root_count--;
	answers_free(r->answers);
	free(r->path);
	free(r);
}

static struct root *root_find(const char *path)
{
	if (!roots.next)
		list_init(&roots);
	LIST_EACH (&roots, node)
		if (!strcmp(LIST_ITEM(node, struct root, node)->path, path))
			return LIST_ITEM(node, struct root, node);
	return NULL;
}

/* Roots with a running probe cannot be evicted: their thread refers to them.  NULL: all are. */
static struct root *root_of(const char *path)
{
	struct root *r = root_find(path);

	if (r) {
		list_remove(&r->node);
		list_add(&roots, &r->node);
		return r;
	}
	LIST_EACH_SAFE (&roots, node, next)
		if (root_count >= ROOTS_MAX && !LIST_ITEM(node, struct root, node)->asked_ms)
			root_free(LIST_ITEM(node, struct root, node));
	if (root_count >= ROOTS_MAX)
		return NULL;
	r = memory_zeroed(1, sizeof *r);
	r->path = memory_strdup(path);
	for (size_t i = 0; i < COUNT_OF(wanted_always); i++)
		r->answers = response_new(wanted_always[i].name, wanted_always[i].max, r->answers);
	list_add(&roots, &r->node);
	root_count++;
	return r;
}

/* A probe above the deadline.  Its thread may be blocked in the kernel and cannot be cancelled. */
static bool is_stuck(const struct root *r)
{
	return r && r->asked_ms && clock_mono_ms() >= r->asked_ms + FOREIGN_FILE_DEADLINE_MS;
}

/* ---- on a separate thread ---- */

static void job_free(struct job *j)
{
	pthread_cond_destroy(&j->done);
	memory_free(j->found.text);
	answers_free(j->answers);
	free(j->path);
	free(j->name);
	free(j);
}

/* 0: a directory that can be read and entered. */
static int dir_errno(const char *path)
{
	CLEANUP(close_fd) int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 || faccessat(dir, ".", X_OK, AT_EACCESS) != 0 ? errno : 0;
}

/* Everything that the daemon may ask for is read in one go, so that the loop finds it later. */
static void probe_root(struct job *j)
{
	j->trouble = dir_errno(j->path);
	for (struct response *a = j->answers; a; a = a->next) {
		take_in(j->path, a->name, a->max, WHAT_FILE, false, &a->found);
		a->is_read = true;
	}
	j->runs_code = repository_runs_code(NULL, str_from(j->path));
}

/*
 * The file system is accessed without the lock, which the loop takes too.  A caller that
 * has stopped waiting leaves the job to this thread.
 */
static void *job_run(void *arg)
{
	struct job *j = arg;
	struct response *old;

	if (j->name)
		take_in(j->path, j->name, j->max, j->what, false, &j->found);
	else
		probe_root(j);
	pthread_mutex_lock(&lock);
	job_count--;
	if (!j->name) {
		old = j->root->answers;
		j->root->answers = j->answers;
		j->answers = old;
		j->root->runs_code = j->runs_code;
		j->root->trouble = j->trouble;
		j->root->proven_ms = clock_mono_ms();
	}
	j->root->asked_ms = 0;
	j->is_done = true;
	if (j->is_left)
		job_free(j);
	else
		pthread_cond_signal(&j->done);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Under the lock; NULL: not started.  One job per root, so that a stuck one costs one thread. */
static struct job *job_begin(struct root *root, const char *name, size_t max, enum what what)
{
	pthread_condattr_t attr;
	pthread_attr_t how;
	pthread_t thread;
	struct job *j;
	int r;

	if (job_count >= JOBS_MAX || root->asked_ms)
		return NULL;
	j = memory_zeroed(1, sizeof *j);
	j->root = root;
	j->max = max;
	j->what = what;
	j->path = memory_strdup(root->path);
	j->name = name ? memory_strdup(name) : NULL;
	j->is_left = !name;
	for (const struct response *a = root->answers; !name && a; a = a->next)
		j->answers = response_new(a->name, a->max, j->answers);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&j->done, &attr);
	pthread_condattr_destroy(&attr);
	pthread_attr_init(&how);
	pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&how, 256 << 10);
	job_count++;
	root->asked_ms = clock_mono_ms();
	r = pthread_create(&thread, &how, job_run, j);
	pthread_attr_destroy(&how);
	if (r) {
		job_count--;
		root->asked_ms = 0;
		job_free(j);
		return NULL;
	}
	return j;
}

/* On the monotonic clock: setting the wall clock must not end or extend the wait. */
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

/*
 * is_there: a rules file that cannot be examined has to count as existing, or a slow
 * server would lift its rules.
 */
static void fail_slow(struct found *ret, const char *root, const char *name)
{
	ret->code = fail(&ret->error, ERR_TIMEOUT, "%s/%s: its file system does not answer", root,
	                 name);
	ret->stamp.is_there = true;
}

/* For a thread that may wait, up to the deadline per file. */
static void read_aside(const char *path, const char *name, size_t max, enum what what,
                       struct found *ret)
{
	struct job *j = NULL;
	struct root *root;

	pthread_mutex_lock(&lock);
	root = root_of(path);
	/* wait for a running probe of the same root, unless it is stuck */
	while (root && root->asked_ms && !is_stuck(root)) {
		pthread_mutex_unlock(&lock);
		usleep(1000);
		pthread_mutex_lock(&lock);
		root = root_of(path);
	}
	if (root)
		j = job_begin(root, name, max, what);
	if (j)
		job_await(j);
	if (j && j->is_done) {
		*ret = j->found;
		j->found.text = NULL;
		job_free(j);
	} else {
		fail_slow(ret, path, name);
		if (j)
			j->is_left = true;
	}
	pthread_mutex_unlock(&lock);
}

/* For a thread that may not wait: returns what the last probe read. */
static void read_kept(const char *path, const char *name, size_t max, struct found *ret)
{
	const struct response *a;
	struct root *root;

	pthread_mutex_lock(&lock);
	root = root_of(path);
	a = root ? response_of(root->answers, name, max) : NULL;
	if (root && !a)
		root->answers = response_new(name, max, root->answers);
	if (a && (!a->is_read || is_stuck(root)))
		a = NULL;
	if (a) {
		*ret = a->found;
		if (a->found.text) {
			ret->text = memory_alloc(a->found.len + 1);
			memcpy(ret->text, a->found.text, a->found.len + 1);
		}
	} else {
		fail_slow(ret, path, name);
	}
	if (root && (!a || clock_mono_ms() >= root->proven_ms + FOREIGN_FILE_FRESH_MS))
		(void)!job_begin(root, NULL, 0, WHAT_FILE);
	pthread_mutex_unlock(&lock);
}

void foreign_file_on_loop(void)
{
	is_loop = true;
}

bool foreign_file_is_on_loop(void)
{
	return is_loop;
}

/* A known directory also answers for the directories below it. */
static struct root *root_above(struct str path)
{
	struct root *best = NULL;

	if (!roots.next)
		list_init(&roots);
	LIST_EACH (&roots, node) {
		struct root *r = LIST_ITEM(node, struct root, node);
		size_t len = strlen(r->path);

		if (len <= path.len && !memcmp(r->path, path.ptr, len) &&
		    (len == path.len || path.ptr[len] == '/') &&
		    (!best || len > strlen(best->path)))
			best = r;
	}
	return best;
}

/*
 * Too many directories or threads count as stuck: the caller then refuses the work instead
 * of waiting for ever.
 */
enum foreign_root foreign_file_root(struct str path, int64_t age_ms)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;
	enum foreign_root state = FOREIGN_ROOT_STUCK;
	const char *text;
	struct root *root;

	if (!path.len || memchr(path.ptr, 0, path.len) || mount_table_may_follow(path))
		return FOREIGN_ROOT_LOCAL;
	mem = arena_new_small();
	text = arena_keep(mem, path).ptr;
	pthread_mutex_lock(&lock);
	root = root_above(path);
	if (!root)
		root = root_of(text);
	if (root && !is_stuck(root)) {
		bool is_fresh = root->proven_ms && clock_mono_ms() < root->proven_ms + age_ms;

		state = is_fresh ? FOREIGN_ROOT_ANSWERS
		        : root->asked_ms || job_begin(root, NULL, 0, WHAT_FILE)
		                ? FOREIGN_ROOT_UNKNOWN
		                : FOREIGN_ROOT_STUCK;
	}
	pthread_mutex_unlock(&lock);
	return state;
}

int foreign_file_root_errno(struct str path)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const char *text = arena_keep(mem, path).ptr;
	const struct root *root;
	int trouble;

	if (!path.len || memchr(path.ptr, 0, path.len))
		return ENOENT;
	if (mount_table_may_follow(path))
		return dir_errno(text);
	pthread_mutex_lock(&lock);
	root = root_find(text);
	trouble = root && root->proven_ms ? root->trouble : 0;
	pthread_mutex_unlock(&lock);
	return trouble;
}

/* Without a probe the answer is yes: a command then needs approval. */
bool foreign_file_runs_code(void *owner, struct str dir)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;
	const struct root *root;
	const char *text;
	bool runs;

	if (!is_loop || (dir.len && !memchr(dir.ptr, 0, dir.len) && mount_table_may_follow(dir)))
		return repository_runs_code(owner, dir);
	mem = arena_new_small();
	text = arena_keep(mem, dir).ptr;
	pthread_mutex_lock(&lock);
	root = root_find(text);
	runs = !root || !root->proven_ms || root->runs_code;
	pthread_mutex_unlock(&lock);
	return runs;
}

bool foreign_file_runs_hooks(void *owner, struct str dir)
{
	if (is_loop && foreign_file_root(dir, FOREIGN_FILE_TRUSTED_MS) > FOREIGN_ROOT_ANSWERS)
		return true;
	return repository_runs_hooks(owner, dir);
}

/* A local file system never blocks, unless the path crosses a mount or a link leads elsewhere. */
static void read_local(const char *path, const char *name, size_t max, enum what what,
                       struct found *ret)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;

	take_in(path, name, max, what, true, ret);
	if (ret->code != ERR_INVALID || ret->error.os_errno != EXDEV)
		return;
	mem = arena_new_small();
	if (!mount_table_may_follow(arena_printf(mem, "%s/%s", path, name)))
		return;
	*ret = (struct found){ 0 };
	take_in(path, name, max, what, false, ret);
}

static void read_somehow(struct str root, const char *name, size_t max, enum what what,
                         struct found *ret)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const char *path = arena_keep(mem, root).ptr;

	if (!root.len || memchr(root.ptr, 0, root.len)) {
		ret->code = fail(&ret->error, ERR_NOT_FOUND, "%s: no directory", name);
		return;
	}
	if (mount_table_may_follow(root))
		read_local(path, name, max, what, ret);
	else if (is_loop)
		read_kept(path, name, max, ret);
	else
		read_aside(path, name, max, what, ret);
}

enum err foreign_file_read(struct arena *mem, struct str root, const char *name, size_t max,
                           struct foreign_file *ret, struct error *e)
{
	struct found f = { 0 };

	read_somehow(root, name, MAX(max, (size_t)1), WHAT_FILE, &f);
	if (f.code) {
		if (e)
			*e = f.error;
		return f.code;
	}
	ret->stamp = f.stamp;
	ret->text = arena_keep(mem, str_of(f.text, f.len));
	memory_free(f.text);
	return OK;
}

enum err foreign_file_look(struct str root, const char *name, struct foreign_stamp *ret,
                           struct error *e)
{
	struct found f = { 0 };

	read_somehow(root, name, 0, WHAT_FILE, &f);
	*ret = f.stamp;
	if (f.code && e)
		*e = f.error;
	return f.code;
}

/* Not for the loop, which would need the list of every directory beforehand. */
enum err foreign_file_list(struct arena *mem, struct str root, const char *name, size_t max,
                           struct foreign_list *ret, struct error *e)
{
	struct found f = { 0 };

	assert(!is_loop);
	read_somehow(root, name, max, WHAT_LIST, &f);
	if (f.code) {
		if (e)
			*e = f.error;
		return f.code;
	}
	ret->lines = arena_keep(mem, str_of(f.text, f.len));
	ret->has_more = f.has_more;
	memory_free(f.text);
	return OK;
}
