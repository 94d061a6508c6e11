/*
 * Paths of the file tools: "." and ".." are resolved by text, then the path is opened beneath its
 * root with openat2(), so that no link leads out of the workspace, except to a place that the call's
 * decision was about.
 */
#include "base/os/sys.h"
#include "filetool/filetool.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* A NUL in the first bytes means that a file is binary; git looks at 8000. */
#define BINARY_LOOK 8192
#define LINKS_MAX 40 /* as the kernel's */

/*
 * By text and not by the file system: the path may not exist yet, and "a/link/.." means "a" to a
 * model.
 */
struct str file_path(struct file_call *c, struct str path)
{
	struct str all =
		path.len && path.ptr[0] == '/'
			? path
			: arena_printf(c->mem, "%.*s/%.*s", STR_ARG(c->cwd), STR_ARG(path));
	char *out = arena_alloc(c->mem, all.len + 2);
	size_t len = 0;

	while (str_is(all)) {
		struct str part = str_cut(&all, '/');

		if (!part.len || str_eq(part, STR(".")))
			continue;
		if (str_eq(part, STR(".."))) {
			while (len && out[--len] != '/')
				;
			continue;
		}
		out[len++] = '/';
		memcpy(out + len, part.ptr, part.len);
		len += part.len;
	}
	if (!len)
		out[len++] = '/';
	out[len] = '\0';
	return str_of(out, len);
}

struct str file_path_shown(const struct file_call *c, struct str path)
{
	if (str_eq(path, c->cwd))
		return STR(".");
	if (c->cwd.len > 1 && path_is_under(path, c->cwd))
		return str_skip(path, c->cwd.len + 1);
	return path;
}

/* The innermost root that contains the path; absent: none. */
static struct str root_of(const struct file_call *c, struct str path)
{
	struct str best = STR_NONE;

	for (size_t i = 0; i < c->roots.count; i++)
		if (path_is_under(path, c->roots.at[i]) && c->roots.at[i].len > best.len)
			best = c->roots.at[i];
	return best;
}

/* The text of a link; absent: it is none. */
static struct str link_text(const struct file_call *c, struct str path)
{
	char room[PATH_MAX];
	ssize_t n = readlink(path.ptr, room, sizeof room);

	return n > 0 && n < (ssize_t)sizeof room ? arena_keep(c->mem, str_of(room, (size_t)n))
	                                         : STR_NONE;
}

/* What is still to be walked when `text` is met before `rest`; absent: it leads out of the root. */
static struct str rest_behind(const struct file_call *c, struct str root, struct str text,
                              struct str rest)
{
	if (text.ptr[0] == '/' && root.len && !path_is_under(text, root))
		return STR_NONE;
	if (text.ptr[0] == '/')
		text = str_skip(text, root.len);
	return arena_printf(c->mem, "%.*s/%.*s", STR_ARG(text), STR_ARG(rest));
}

/*
 * The path without links, all of which stay in the root; absent: one of them leads out, or there are
 * too many.  RESOLVE_BENEATH refuses every absolute link, also one into the root.  The result is
 * opened without following links, so a link that is put there in the meantime gains nothing.  An
 * empty root is the whole file system.
 */
static struct str path_within(const struct file_call *c, struct str root, struct str path,
                              bool follows_last)
{
	struct str at = root, rest = str_skip(path, root.len);

	for (int links = 0; rest.len;) {
		struct str name = str_cut(&rest, '/'), next, text;

		if (!name.len || str_eq(name, STR(".")))
			continue;
		if (str_eq(name, STR(".."))) {
			if (at.len <= root.len)
				return STR_NONE;
			while (at.ptr[--at.len] != '/')
				;
			continue;
		}
		next = arena_printf(c->mem, "%.*s/%.*s", STR_ARG(at), STR_ARG(name));
		text = rest.len || follows_last ? link_text(c, next) : STR_NONE;
		if (!str_is(text)) {
			at = next;
			continue;
		}
		if (++links > LINKS_MAX)
			return STR_NONE;
		if (text.ptr[0] == '/')
			at = root;
		rest = rest_behind(c, root, text, rest);
		if (!str_is(rest))
			return STR_NONE;
	}
	return arena_keep(c->mem, at);
}

static const char *below_root(struct str root, struct str path)
{
	return path.len == root.len ? "." : path.ptr + root.len + 1;
}

/* Is it one of the places that the decision was about?  Without reading: or on the way to one. */
static bool is_decided_place(const struct file_call *c, struct str real, uint64_t flags)
{
	for (size_t i = 0; i < c->resolved.count; i++)
		if (str_eq(c->resolved.at[i], real) ||
		    (flags & O_PATH && path_is_under(c->resolved.at[i], real)))
			return true;
	return false;
}

/* ENOENT: the place behind the link is shown in the sandbox, and path is missing there. */
static int missing_or_hidden(const struct file_call *c, struct str path)
{
	struct str above = path;

	if (str_is(link_text(c, path)))
		return EXDEV;
	while (above.ptr[--above.len] != '/')
		;

	FD_SCOPE dir = file_path_open(c, arena_keep(c->mem, above), O_PATH | O_DIRECTORY);

	return dir < 0 ? errno : ENOENT;
}

/*
 * A link leads out of the workspace: rules and people saw the place that it leads to, and it is as
 * open as if the call had named it.  Anything else is refused.
 */
static int open_decided(const struct file_call *c, struct str path, uint64_t flags)
{
	struct str real = path_within(c, STR(""), path, !(flags & O_NOFOLLOW));
	int fd = -1;

	errno = EXDEV;
	if (str_is(real) && real.len && is_decided_place(c, real, flags))
		fd = sys_openat2(AT_FDCWD, real.ptr, flags, RESOLVE_NO_SYMLINKS);
	if (fd < 0 && errno == ENOENT)
		errno = missing_or_hidden(c, path);
	return fd;
}

static int open_within(const struct file_call *c, int dir, struct str root, struct str path,
                       uint64_t flags)
{
	struct str real = path_within(c, root, path, !(flags & O_NOFOLLOW));

	if (!str_is(real))
		return open_decided(c, path, flags);
	return sys_openat2(dir, below_root(root, real), flags,
	                   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

int file_path_open(const struct file_call *c, struct str path, uint64_t flags)
{
	struct str root = root_of(c, path);
	const uint64_t all = flags | O_CLOEXEC;
	int fd;

	/* outside the roots is the system, whose links the model could not create */
	if (root.len <= 1)
		return sys_openat2(AT_FDCWD, path.ptr, all, RESOLVE_NO_MAGICLINKS);

	FD_SCOPE dir = open(root.ptr, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return -1;
	fd = sys_openat2(dir, below_root(root, path), all, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
	return fd < 0 && errno == EXDEV ? open_within(c, dir, root, path, all) : fd;
}

/*
 * Creates the missing directories one by one below the deepest existing one.  O_NOFOLLOW: a link
 * that another process puts there in between is not followed.
 */
static int make_dirs(struct file_call *c, struct str path)
{
	struct str have = path;
	int dir = -1;

	while (have.len > 1) {
		dir = file_path_open(c, have, O_PATH | O_DIRECTORY);
		if (dir >= 0 || errno != ENOENT)
			break;
		while (have.ptr[have.len - 1] != '/')
			have.len--;
		have = arena_keep(c->mem, str_head(have, have.len > 1 ? have.len - 1 : 1));
	}
	if (have.len == 1)
		dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	struct str rest = str_skip(path, have.len == 1 ? 1 : have.len + 1);

	while (dir >= 0 && rest.len && have.len < path.len) {
		struct str name = arena_keep(c->mem, str_cut(&rest, '/'));
		int next = -1;

		/* 0777 and the user's umask, which filetool_run() has set. */
		if (mkdirat(dir, name.ptr, 0777) == 0 || errno == EEXIST)
			next = openat(dir, name.ptr, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int os_errno = errno;

		close(dir);
		errno = os_errno;
		dir = next;
	}
	return dir;
}

int file_path_open_parent(struct file_call *c, struct str path, bool make, const char **ret_name)
{
	size_t len = path.len;

	while (path.ptr[len - 1] != '/')
		len--;
	*ret_name = path.ptr + len;

	struct str parent = arena_keep(c->mem, str_head(path, len > 1 ? len - 1 : 1));
	int dir = file_path_open(c, parent, O_PATH | O_DIRECTORY);

	if (dir < 0 && errno == ENOENT && make)
		dir = make_dirs(c, parent);
	return dir;
}

/* Where the directory is, after all links.  Not by /proc, which some sandboxes lack. */
static struct str real_dir(struct file_call *c, int dir)
{
	char room[PATH_MAX];

	return fchdir(dir) == 0 && getcwd(room, sizeof room) ? arena_keep(c->mem, str_from(room))
	                                                     : STR_NONE;
}

/* rest: with its slash in front. */
static struct str path_below(struct file_call *c, int dir, struct str rest)
{
	struct str place = real_dir(c, dir);

	return arena_printf(c->mem, "%.*s%.*s", place.len == 1 ? 0 : (int)place.len, place.ptr,
	                    STR_ARG(rest));
}

/* Where the last component begins, behind its slash. */
static size_t name_at(struct str path)
{
	size_t at = path.len;

	while (path.ptr[at - 1] != '/')
		at--;
	return at;
}

/* After all links; of a directory that is missing, from the deepest one that exists. */
static struct str real_path(struct file_call *c, int dir, struct str path)
{
	struct str have = path;

	if (dir >= 0)
		return path_below(c, dir, str_skip(path, name_at(path) - 1));
	while (have.len > 1) {
		have = arena_keep(c->mem, str_head(have, MAX(name_at(have) - 1, (size_t)1)));

		FD_SCOPE above = file_path_open(c, have, O_PATH | O_DIRECTORY);

		if (above >= 0)
			return path_below(c, above, str_skip(path, have.len == 1 ? 0 : have.len));
	}
	return path;
}

struct str file_path_place(struct file_call *c, int dir, struct str path)
{
	struct str place = real_path(c, dir, path);

	return str_eq(place, path) ? STR_NONE : place;
}

bool file_path_is_protected(struct file_call *c, int dir, struct str path)
{
	struct str real = c->protected.count ? real_path(c, dir, path) : path;

	return PATH_UNDER_ANY(path, &c->protected) || PATH_UNDER_ANY(real, &c->protected);
}

/*
 * Rules and people saw the path as written and where it led.  The list of the second kind has an
 * upper bound; what is missing in it is refused, unless no link is on the way.
 */
bool file_path_is_decided(struct file_call *c, int dir, struct str path)
{
	struct str real = c->has_resolved ? real_path(c, dir, path) : path;
	bool is_known = str_eq(real, path);

	for (size_t i = 0; i < c->resolved.count; i++)
		is_known |= str_eq(c->resolved.at[i], real);
	return is_known;
}

/* Is it the file of this path, with no link on the way? */
static bool is_file_of(const struct stat *st, struct str path)
{
	FD_SCOPE fd = sys_openat2(AT_FDCWD, path.ptr, O_PATH | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	struct stat other;

	return fd >= 0 && fstat(fd, &other) == 0 && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

/*
 * /proc/self and the links to it mean the process that follows them, so the runtime that decided
 * was led to another process.  The kernel makes these links, and file_path_open() follows none that
 * leads out of procfs; a path that is not written with /proc gets no such exception.
 */
static bool is_of_own_process(const struct stat *st, struct str path)
{
	struct statfs fs;
	struct stat proc;

	return path_is_under(path, STR("/proc")) && statfs("/proc", &fs) == 0 &&
	       fs.f_type == PROC_SUPER_MAGIC && stat("/proc", &proc) == 0 &&
	       proc.st_dev == st->st_dev;
}

bool file_path_is_decided_file(struct file_call *c, const struct stat *st, struct str path)
{
	bool is_known = !c->has_resolved || is_file_of(st, path) || is_of_own_process(st, path);

	for (size_t i = 0; i < c->resolved.count && !is_known; i++)
		is_known = is_file_of(st, c->resolved.at[i]);
	return is_known;
}

bool file_path_read_all(struct file_call *c, int fd, size_t max, struct str *ret)
{
	struct stat st;
	size_t len = 0;

	if (fstat(fd, &st) < 0)
		return false;
	if (st.st_size > (off_t)max) {
		errno = EFBIG;
		return false;
	}

	size_t size = (size_t)st.st_size;
	char *data = arena_alloc_raw(c->mem, size + 1);

	while (len < size) {
		ssize_t n = read(fd, data + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0)
			break; /* it shrank meanwhile */
		len += (size_t)n;
	}
	data[len] = '\0';
	*ret = str_of(data, len);
	return true;
}

bool file_path_is_as_seen(int dir, const char *name, const struct stat *before)
{
	struct stat now;

	return fstatat(dir, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == before->st_ino &&
	       now.st_size == before->st_size && now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

bool file_path_is_binary(struct str content)
{
	return memchr(content.ptr, '\0', MIN(content.len, (size_t)BINARY_LOOK)) != NULL;
}

struct str file_path_image_type(struct str content)
{
	if (str_starts(content, STR("\x89PNG\r\n\x1a\n")))
		return STR("image/png");
	if (str_starts(content, STR("\xff\xd8\xff")))
		return STR("image/jpeg");
	if (str_starts(content, STR("GIF87a")) || str_starts(content, STR("GIF89a")))
		return STR("image/gif");
	if (content.len >= 12 && str_starts(content, STR("RIFF")) &&
	    str_starts(str_skip(content, 8), STR("WEBP")))
		return STR("image/webp");
	return STR_NONE;
}
