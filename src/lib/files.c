/*
 * Reads and writes the library's own files: settings, directories.
 * Files of repositories are read through base/path/foreign_file.h.
 */
#include "lib/files.h"

#include "base/buf.h"
#include "base/path/foreign_file.h"
#include "base/os/log.h"
#include "base/path/mount_table.h"
#include "base/hash/sha256.h"
#include "base/memory.h"
#include "policy/rules_proc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOREIGN_MAX (1u << 18)

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* For files of the operator and the system; those of repositories may block or be traps. */
static enum err read_whole(struct arena *mem, int fd, const char *path, size_t max, struct str *ret,
                           struct error *e)
{
	CLEANUP(buf_done) struct buf all = { .max = max };
	char part[65536];
	ssize_t got = 0;

	while (!all.overflowed && (got = read(fd, part, sizeof part)) > 0)
		buf_add(&all, part, (size_t)got);
	if (got < 0)
		return fail_errno(e, ERR_IO, "%s", path);
	if (all.overflowed)
		return fail(e, ERR_TOO_LARGE, "%s: more than %zu bytes", path, max);
	*ret = arena_keep(mem, buf_str(&all));
	return OK;
}

enum err files_read_all(struct arena *mem, const char *path, size_t max, struct str *ret,
                        struct error *e)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail_errno(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s", path);
	return read_whole(mem, fd, path, max, ret, e);
}

/* O_NONBLOCK: to open a FIFO waits for a writer otherwise, and the whole loop with it. */
enum err files_read_settings(struct arena *mem, const char *path, size_t max, struct str *ret,
                             struct error *e)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return fail_errno(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s", path);
	if (!S_ISREG(st.st_mode))
		return fail(e, ERR_INVALID, "%s is not a file", path);
	return read_whole(mem, fd, path, max, ret, e);
}

bool files_read_foreign(struct arena *mem, struct str dir, const char *name, struct str *ret)
{
	struct foreign_file f;
	struct error e;
	enum err code = foreign_file_read(mem, dir, name, FOREIGN_MAX, &f, &e);

	if (!code)
		*ret = f.text;
	else if (code != ERR_NOT_FOUND)
		log_line(LOG_WARN, "lib", "%.*s: %s", STR_ARG(dir), e.message);
	return !code;
}

enum err files_write(const char *path, struct str text, struct error *e)
{
	CLEANUP(close_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text.ptr, text.len) != (ssize_t)text.len || fsync(fd) != 0)
		return fail_errno(e, ERR_IO, "%s", path);
	return OK;
}

/*
 * Existing parents are left as they are; the file system may be read-only above the data
 * directory.
 */
enum err files_dir_make(const char *path, struct error *e)
{
	char part[4096];
	size_t len = strlen(path);

	if (len == 0 || len >= sizeof part)
		return fail(e, ERR_INVALID, "the data directory's name is empty or too long");
	for (size_t i = 1; i <= len; i++) {
		if (path[i] != '/' && path[i] != 0)
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		if (mkdir(part, 0700) != 0 && errno != EEXIST && errno != EISDIR && errno != EROFS)
			return fail_errno(e, ERR_IO, "%s", part);
	}
	return OK;
}

struct str files_dir_current(struct arena *mem)
{
	char path[4096];

	return arena_keep(mem, getcwd(path, sizeof path) ? str_from(path) : STR("/"));
}

#define LINKS_MAX 40 /* as the kernel has it */

/* A path on its way: what is resolved, what is left, and the links that were followed. */
struct resolving {
	struct arena *mem;
	char done[PATH_MAX];
	size_t len;
	struct str left;
	unsigned links;
};

/* Appends a name; false: the path becomes too long. */
static bool add_name(struct resolving *r, struct str name)
{
	if (r->len + name.len + 2 > sizeof r->done)
		return false;
	r->done[r->len] = '/';
	memcpy(r->done + r->len + 1, name.ptr, name.len);
	r->len += 1 + name.len;
	r->done[r->len] = 0;
	return true;
}

static void drop_name(struct resolving *r)
{
	while (r->len && r->done[r->len - 1] != '/')
		r->len--;
	r->len -= r->len > 0;
}

/* What is no link, is missing or cannot be seen stays as it is.  False: too many links. */
static bool follow_link(struct resolving *r, struct str dir)
{
	char target[PATH_MAX];
	ssize_t n = readlink(r->done, target, sizeof target);

	/* The links in /proc itself name the process that looks. */
	if (n <= 0 || str_eq(dir, STR("/proc")))
		return true;
	if (n == (ssize_t)sizeof target || ++r->links > LINKS_MAX)
		return false;
	r->len = target[0] == '/' ? 0 : dir.len;
	r->left = arena_printf(r->mem, "%.*s/%.*s", (int)n, target, STR_ARG(r->left));
	return true;
}

/*
 * Follows links name by name.  A part that does not exist stays as it is, and a dangling link is
 * followed, because writing would follow it.  What a link of a process leads to is not known here,
 * even if another link leads there.
 */
static struct str real_within(struct arena *mem, struct str path)
{
	struct resolving r = { .mem = mem, .left = path };

	while (r.left.len) {
		struct str name = str_cut(&r.left, '/'), dir = str_of(r.done, r.len), rest;

		if (!name.len || str_eq(name, STR(".")))
			continue;
		if (str_eq(name, STR("..")))
			drop_name(&r);
		else if (rules_proc_way(dir, name, &rest) || !add_name(&r, name) ||
		         !follow_link(&r, dir))
			return STR_NONE;
	}
	return r.len ? arena_keep(mem, str_of(r.done, r.len)) : STR("/");
}

/*
 * The loop waits for no file system: a path on one that has not answered recently
 * is not resolved, and an unresolved path needs approval.
 */
struct str files_path_real(void *owner, struct arena *mem, struct str path)
{
	(void)owner;
	if (foreign_file_is_on_loop() &&
	    foreign_file_root(path, FOREIGN_FILE_TRUSTED_MS) > FOREIGN_ROOT_ANSWERS)
		return STR_NONE;
	return real_within(mem, path);
}

/* ---- the supervisor ---- */

/* The build directory, /usr/bin with /usr/libexec, and a library below /usr/lib/<triplet>. */
static struct str supervisor_beside(struct arena *mem, const char *program)
{
	static const char *const places[] = { "thole-supervisor", "../libexec/thole-supervisor",
		                              "../../libexec/thole-supervisor" };
	size_t len = strlen(program);

	while (len && program[len - 1] != '/')
		len--;
	for (size_t i = 0; i < COUNT_OF(places) && len; i++) {
		struct str path = arena_printf(mem, "%.*s%s", (int)len, program, places[i]);

		if (access(path.ptr, X_OK) == 0)
			return path;
	}
	return STR_NONE;
}

struct str files_supervisor_path(struct arena *mem)
{
	char self[PATH_MAX];
	struct str found = STR_NONE;
	Dl_info us;

	if (realpath("/proc/self/exe", self))
		found = supervisor_beside(mem, self);
	/* an embedder's program is elsewhere, but the library is where it was installed */
	if (!str_is(found) && dladdr((void *)(uintptr_t)files_supervisor_path, &us) &&
	    us.dli_fname && realpath(us.dli_fname, self))
		found = supervisor_beside(mem, self);
	return found;
}

#define DIGEST_MAX ((size_t)4 << 20)

/*
 * Binds an approval to the content of a script.  O_NONBLOCK and S_ISREG: a FIFO or a
 * device must not block the loop.  One byte more than the size is read, which shows that
 * the file grows.
 */
struct str files_path_digest(void *owner, struct arena *mem, struct str path)
{
	struct str digest = STR_NONE;
	struct stat st;
	int fd;

	(void)owner;
	if (foreign_file_is_on_loop() && !mount_table_may_follow(path))
		return STR_NONE; /* reading could block; an unknown digest needs approval again */
	fd = open(arena_keep(mem, path).ptr, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return STR_NONE;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= DIGEST_MAX) {
		size_t size = (size_t)st.st_size, len = 0;
		char *room = memory_alloc(size + 1);
		struct sha256 hash;
		ssize_t got;

		while (len <= size && (got = read(fd, room + len, size + 1 - len)) > 0)
			len += (size_t)got;
		if (len == size) { /* else it grows while it is read */
			hash = sha256_of(str_of(room, len));
			digest = sha256_hex(mem, &hash);
		}
		memory_free(room);
	}
	close(fd);
	return digest;
}
