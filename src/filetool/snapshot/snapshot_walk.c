/*
 * Walks a workspace for a snapshot: files, links and directories, without what
 * ignore files leave out.  No link is followed.  The walk is the whole cost of
 * a snapshot in which nothing changed, so it calls stat() once per entry and
 * sorts nothing.
 */
#include "filetool/snapshot/snapshot.h"

#include "base/gen/limits.h"
#include "base/os/sys.h"
#include "base/path/path_glob.h"
#include "filetool/file_ignore.h"
#include "filetool/file_pattern.h"

#include <dirent.h>
#include <errno.h>
#include <time.h>

#define DEPTH_MAX 64

static uint64_t nanoseconds(struct timespec t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t snapshot_walk_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME_COARSE, &t);
	return nanoseconds(t);
}

/* Of a directory only that it exists counts: its size and times change with its entries. */
struct snapshot_stamp snapshot_walk_stamp(const struct stat *st)
{
	uint32_t mode = (uint32_t)st->st_mode & 0777;

	if (S_ISDIR(st->st_mode))
		return (struct snapshot_stamp){ .mode = mode, .kind = SNAPSHOT_DIR };
	return (struct snapshot_stamp){ .inode = (uint64_t)st->st_ino,
		                        .size = (uint64_t)st->st_size,
		                        .modified_ns = nanoseconds(st->st_mtim),
		                        .changed_ns = nanoseconds(st->st_ctim),
		                        .mode = mode,
		                        .kind = S_ISLNK(st->st_mode) ? SNAPSHOT_LINK
		                                                     : SNAPSHOT_FILE };
}

static bool read_link(struct arena *mem, int dir, const char *name, size_t size, struct str *ret)
{
	char *text = arena_alloc_raw(mem, size + 2);
	ssize_t n = readlinkat(dir, name, text, size + 1);

	if (n < 0 || (size_t)n > size)
		return false;
	*ret = str_of(text, (size_t)n);
	return true;
}

bool snapshot_walk_content(struct arena *mem, int dir, const char *name,
                           const struct snapshot_stamp *st, size_t max, struct str *ret)
{
	struct file_call c = { .mem = mem };
	struct stat now;

	if (st->size > max || st->kind == SNAPSHOT_DIR)
		return false;
	if (st->kind == SNAPSHOT_LINK)
		return read_link(mem, dir, name, (size_t)st->size, ret);

	FD_SCOPE fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && fstat(fd, &now) == 0 && S_ISREG(now.st_mode) &&
	       file_path_read_all(&c, fd, max, ret);
}

static bool walk_dir(struct snapshot_walk *w, int fd, const struct ignore_dir *ignore, int depth);

/* A directory that cannot be opened is skipped.  Its ignore files live as long as its walk. */
static bool walk_below(struct snapshot_walk *w, int dir, const char *name,
                       const struct ignore_dir *ignore, int depth)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;
	int below = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (below < 0)
		return true;
	mem = arena_new_small();
	return walk_dir(w, below, file_ignore_enter(mem, ignore, below, buf_str(&w->path)),
	                depth + 1);
}

/*
 * What a deny rule closes is no change of a command: the sandbox shows something empty instead of a
 * file that no command may read, and makes a placeholder for a path that is missing, or for the
 * first missing directory on the way to it.
 */
static bool is_closed_by(struct snapshot_walk *w, struct str rule, int dir, const char *name)
{
	bool is_write = str_starts(rule, STR(SANDBOX_PLAN_DENY_WRITE));
	struct str path = buf_str(&w->path);
	struct path_glob g;

	if (is_write)
		rule = str_skip(rule, sizeof SANDBOX_PLAN_DENY_WRITE - 1);
	if (!path_glob_read(rule, &g))
		return false;
	if (path_glob_covers(&g, path) && !is_write)
		return true;
	return (path_glob_covers(&g, path) || (g.is_plain && path_is_under(rule, path))) &&
	       w->c->host->is_placeholder_by_form(dir, name);
}

/* Only for an entry that its owner may not write: all of these are such. */
static bool is_of_sandbox(struct snapshot_walk *w, int dir, const char *name)
{
	if (w->c->host->is_placeholder(dir, name))
		return true;
	for (size_t i = 0; i < w->c->denied.count; i++)
		if (is_closed_by(w, w->c->denied.at[i], dir, name))
			return true;
	return false;
}

/* False ends the whole walk. */
static bool walk_entry(struct snapshot_walk *w, int dir, const char *name,
                       const struct ignore_dir *ignore, int depth)
{
	struct str path = buf_str(&w->path);
	struct snapshot_stamp stamp;
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode) && !S_ISDIR(st.st_mode)) ||
	    file_ignore_is_left_out(ignore, path, S_ISDIR(st.st_mode)) ||
	    (!(st.st_mode & S_IWUSR) && is_of_sandbox(w, dir, name)))
		return true;
	if (++w->seen > LIMIT_UNDO_ENTRIES || depth > DEPTH_MAX) {
		w->is_cut = true;
		return depth > DEPTH_MAX;
	}
	stamp = snapshot_walk_stamp(&st);
	if (!w->visit(w, dir, name, str_skip(path, w->c->cwd.len + 1), &stamp))
		return false;
	return !S_ISDIR(st.st_mode) || walk_below(w, dir, name, ignore, depth);
}

static bool is_left_out(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..") || file_pattern_is_skipped(STR_NONE, name);
}

/* Takes ownership of fd. */
static bool walk_dir(struct snapshot_walk *w, int fd, const struct ignore_dir *ignore, int depth)
{
	DIR *d = fdopendir(fd);
	size_t len = w->path.len;
	struct dirent *e;
	bool goes_on = true;

	if (!d) {
		close(fd);
		return true;
	}
	while (goes_on && (e = readdir(d))) {
		if (is_left_out(e->d_name))
			continue;
		buf_add_char(&w->path, '/');
		buf_add_c(&w->path, e->d_name);
		goes_on = walk_entry(w, dirfd(d), e->d_name, ignore, depth);
		w->path.len = len;
	}
	closedir(d);
	return goes_on;
}

bool snapshot_walk(struct snapshot_walk *w)
{
	int fd = file_path_open(w->c, w->c->cwd, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return false;
	buf_clear(&w->path);
	buf_add_str(&w->path, w->c->cwd);
	walk_dir(w, fd, file_ignore_above(w->c, w->c->cwd), 0);
	buf_done(&w->path);
	return true;
}
