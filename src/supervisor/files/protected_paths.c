/*
 * Prepares protected and denied paths: which path needs which mount, and placeholders for paths
 * that are missing.
 *
 * Sandboxes of several runtimes can share a workspace.  A placeholder is recognised by its form
 * and held by a shared flock, so the last sandbox that relies on it removes it, whichever made
 * it.
 */
#include "supervisor/files/protected_paths.h"

#include "base/buf.h"
#include "base/os/clock.h"
#include "base/gen/protected_paths.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/os/sys.h"
#include "sandbox/sandbox_host.h"
#include "supervisor/files/nested_git.h"
#include "supervisor/files/path_index.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

/* The form by which a placeholder is recognised, also by a supervisor that did not create it. */
#define DIR_MODE PROTECTED_PATHS_PLACEHOLDER_MODE
#define FILE_MODE 0444
#define FILE_TEXT ".\n"
#define LINKS_MAX 8
/*
 * Each shield is a mount in every sandbox; more of them are refused instead of enforced in part.
 */
#define SHIELDS_MAX 2048

struct placeholder {
	struct list node;
	char *path; /* for the list that people see; files are found by parent_fd and name */
	unsigned users;
	int64_t idle_since_ms;
	/*
	 * fd holds the shared flock; parent_fd allows to remove the entry after a rename of its
	 * parents.
	 */
	int parent_fd, fd;
	char *name;
	dev_t dev;
	ino_t ino;
	bool is_dir;
};

static uint64_t version;

/* All placeholders of this process, shared by its sandboxes. */
static struct list *all(void)
{
	static struct list head;

	if (!head.next)
		list_init(&head);
	return &head;
}

/* One shield per path; the stricter kind wins (the enum is ordered). */
static void add_shield(struct protected_paths *c, struct str path, enum shield_kind kind)
{
	for (size_t i = 0; i < c->shield_count; i++)
		if (str_eq(c->shields[i].path, path)) {
			c->shields[i].kind = MAX(c->shields[i].kind, kind);
			c->shields[i].is_by_rule |= c->is_denying;
			return;
		}
	c->shields = arena_grow(c->mem, c->shields, c->shield_count * sizeof *c->shields,
	                        (c->shield_count + 1) * sizeof *c->shields);
	c->shields[c->shield_count++] =
		(struct shield){ arena_keep(c->mem, path), kind, c->is_denying };
}

/* ---- placeholders ---- */

static bool is_file_placeholder(struct str path)
{
	return str_ends(path, STR("/.git/commondir"));
}

/*
 * st_nlink <= 2: a directory without subdirectories.  A user's own directory may look the same;
 * it is removed only if it is empty, because rmdir() refuses others.
 */
static bool has_placeholder_form(int fd, const struct stat *st)
{
	char text[8];

	if (S_ISDIR(st->st_mode))
		return (st->st_mode & 07777) == DIR_MODE && st->st_nlink <= 2;
	return S_ISREG(st->st_mode) && (st->st_mode & 07777) == FILE_MODE && st->st_nlink == 1 &&
	       st->st_size == sizeof FILE_TEXT - 1 &&
	       pread(fd, text, sizeof text, 0) == sizeof FILE_TEXT - 1 &&
	       !memcmp(text, FILE_TEXT, sizeof FILE_TEXT - 1);
}

/* Takes ownership of fd. */
static bool is_empty_dir(int fd)
{
	DIR *dir = fdopendir(fd);
	struct dirent *d;
	bool is_empty = dir != NULL;

	while (is_empty && (d = readdir(dir)))
		is_empty = !strcmp(d->d_name, ".") || !strcmp(d->d_name, "..");
	if (dir)
		closedir(dir);
	else
		close(fd);
	return is_empty;
}

bool protected_paths_is_placeholder_by_form(int dir, const char *name)
{
	struct stat st;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && has_placeholder_form(fd, &st) && S_ISDIR(st.st_mode))
		return is_empty_dir(fd);

	bool is_file = has_placeholder_form(fd, &st);

	close(fd);
	return is_file;
}

bool protected_paths_is_placeholder(int dir, const char *name)
{
	return sandbox_host_has_protected_part(str_from(name)) &&
	       protected_paths_is_placeholder_by_form(dir, name);
}

static bool is_still_there(int parent, const char *name, const struct stat *st)
{
	struct stat now;

	return fstatat(parent, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == st->st_dev &&
	       now.st_ino == st->st_ino;
}

static void placeholder_use(struct protected_paths *c, struct placeholder *h)
{
	h->users++;
	c->placeholders =
		arena_grow(c->mem, c->placeholders, c->placeholder_count * sizeof *c->placeholders,
	                   (c->placeholder_count + 1) * sizeof *c->placeholders);
	c->placeholders[c->placeholder_count++] = h;
}

/* By inode: a workspace may be reached by several paths. */
static struct placeholder *placeholder_find(const struct stat *st)
{
	LIST_EACH (all(), node) {
		struct placeholder *h = LIST_ITEM(node, struct placeholder, node);

		if (h->ino == st->st_ino && h->dev == st->st_dev)
			return h;
	}
	return NULL;
}

/*
 * Registers name in parent as used if it is a placeholder, so that it stays.  True also if it is
 * an ordinary file: then there is nothing to hold.  False if it vanished meanwhile; the caller
 * tries again.  seen is what was found there, or NULL.
 */
static bool placeholder_hold(struct protected_paths *c, int parent, struct str name,
                             struct str path, const struct stat *seen)
{
	struct placeholder *h = seen ? placeholder_find(seen) : NULL;
	struct stat st;

	if (h) {
		placeholder_use(c, h);
		return true;
	}
	if (seen && (seen->st_mode & 07777) != DIR_MODE && (seen->st_mode & 07777) != FILE_MODE)
		return true;

	int fd = openat(parent, name.ptr, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno != ENOENT;
	if (fstat(fd, &st) < 0 || !has_placeholder_form(fd, &st)) {
		close(fd);
		return true;
	}

	int held_parent = fcntl(parent, F_DUPFD_CLOEXEC, 0);

	/* the process that removes it holds the lock exclusively for a moment only */
	if (held_parent < 0 || flock(fd, LOCK_SH | LOCK_NB) < 0 ||
	    !is_still_there(parent, name.ptr, &st)) {
		close(fd);
		sys_close(&held_parent);
		return false;
	}
	h = memory_zeroed(1, sizeof *h);
	*h = (struct placeholder){ .parent_fd = held_parent,
		                   .fd = fd,
		                   .name = memory_alloc(name.len + 1),
		                   .dev = st.st_dev,
		                   .ino = st.st_ino,
		                   .is_dir = S_ISDIR(st.st_mode) };
	memcpy(h->name, name.ptr, name.len + 1);
	h->path = memory_alloc(path.len + 1);
	memcpy(h->path, path.ptr, path.len + 1);
	version++;
	list_add(all(), &h->node);
	placeholder_use(c, h);
	return true;
}

/*
 * Written under another name and linked into place: no reader sees it incomplete, and linkat()
 * never replaces an existing file.
 */
static bool make_file(int parent, struct str name)
{
	char temp[64] = ".thole-cover-";
	size_t len = strlen(temp);
	int fd, r;

	for (unsigned n = (unsigned)getpid(); n; n /= 10)
		temp[len++] = (char)('0' + n % 10);
	fd = openat(parent, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	/* left by a supervisor that was killed here and had the same pid */
	if (fd < 0 && errno == EEXIST && unlinkat(parent, temp, 0) == 0)
		fd = openat(parent, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	if (fd < 0)
		return false;
	r = write(fd, FILE_TEXT, sizeof FILE_TEXT - 1) == sizeof FILE_TEXT - 1 &&
	    fchmod(fd, FILE_MODE) == 0 && linkat(parent, temp, parent, name.ptr, 0) == 0;
	int os_errno = errno;

	unlinkat(parent, temp, 0);
	close(fd);
	errno = os_errno;
	return r;
}

/*
 * Fails with EEXIST if another supervisor or the user was faster; the caller then looks at what
 * is there.
 */
static bool make_placeholder(int parent, struct str name, bool is_file)
{
	if (is_file)
		return make_file(parent, name);
	if (mkdirat(parent, name.ptr, DIR_MODE) < 0)
		return false;

	/*
	 * umask and a default ACL may have changed the mode; a link swapped in meanwhile is not
	 * followed
	 */
	FD_SCOPE fd = openat(parent, name.ptr, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat above;

	/*
	 * A file tool may have to replace it, and cannot touch what belongs to a number that its
	 * sandbox does not map.  Not every root may give it away: one of a user namespace without that
	 * owner may not, but then no sandbox maps owners.
	 */
	if (fd >= 0 && geteuid() == 0 && fstat(parent, &above) == 0)
		(void)!fchown(fd, above.st_uid, above.st_gid);
	return fd >= 0 && fchmod(fd, DIR_MODE) == 0;
}

/*
 * Creates the placeholder and holds it, again and again while another supervisor removes it.
 * *ret_needed is false when no process with these rights could create the path anyway.
 */
static enum err protect_absent(struct protected_paths *c, int parent, struct str name,
                               struct str path, bool *ret_needed, struct error *e)
{
	*ret_needed = true;
	for (int tries = 0; tries < 100; tries++) {
		if (!make_placeholder(parent, name, is_file_placeholder(path)) && errno != EEXIST) {
			if (errno != EACCES && errno != EPERM && errno != EROFS)
				return fail_errno(e, ERR_IO, "placeholder %s", path.ptr);
			*ret_needed = false;
			return OK;
		}
		if (placeholder_hold(c, parent, name, path, NULL))
			return OK;
		poll(NULL, 0, 1);
	}
	return fail(e, ERR_BUSY, "placeholder %s comes and goes", path.ptr);
}

/* ---- walking ---- */

static enum err shield_path(struct protected_paths *c, const struct sandbox_plan *p,
                            struct str path, enum shield_kind kind, int links, struct error *e);
static enum err deny_path(struct protected_paths *c, const struct sandbox_plan *p, struct str path,
                          int links, struct error *e);

/* The innermost write root that contains the path; absent: none. */
static struct str root_of(const struct sandbox_plan *p, struct str path)
{
	struct str best = STR_NONE;

	for (size_t i = 0; i < p->write_roots.count; i++)
		if (path_is_under(path, p->write_roots.at[i]) &&
		    p->write_roots.at[i].len > best.len)
			best = p->write_roots.at[i];
	return best;
}

/*
 * A link on the way to a protected path.  The link itself is closed, so that it cannot be
 * redirected; its target gets the same shield if the sandbox can write it.
 */
static enum err shield_target(struct protected_paths *c, const struct sandbox_plan *p,
                              struct str link, struct str path, enum shield_kind kind, int links,
                              struct error *e)
{
	char target[PATH_MAX];

	add_shield(c, link, SHIELD_CLOSE);
	/* through a dangling link nothing can be read */
	if (kind == SHIELD_DENY)
		return links < LINKS_MAX && realpath(path.ptr, target)
		               ? deny_path(c, p, arena_keep(c->mem, str_from(target)), links + 1, e)
		               : OK;
	if (links >= LINKS_MAX || !realpath(path.ptr, target))
		return fail(e, ERR_INVALID,
		            "protected path %s goes through the link %s, which leads nowhere",
		            path.ptr, link.ptr);
	if (!str_is(root_of(p, str_from(target))))
		return OK;
	return shield_path(c, p, arena_keep(c->mem, str_from(target)), kind, links + 1, e);
}

/*
 * Paths for which a placeholder would disturb programs more than it protects;
 * catalog/protected_paths.json has the reasons.
 */
static bool is_open_when_missing(struct str path)
{
	static const char *const names[] = { PROTECTED_PATHS_OPEN };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct str name = str_from(names[i]);

		if (path.len > name.len && path.ptr[path.len - name.len - 1] == '/' &&
		    str_ends(path, name))
			return true;
	}
	return false;
}

bool protected_paths_has_placeholder(struct str path)
{
	return !is_open_when_missing(path) && !is_file_placeholder(path);
}

void protected_paths_hold(struct protected_paths *c, int parent, struct str name, struct str path)
{
	struct stat st;

	if (c->mem && fstatat(parent, name.ptr, &st, AT_SYMLINK_NOFOLLOW) == 0)
		(void)!placeholder_hold(c, parent, name, path, &st);
}

/* May a file below be written in this run? */
static bool is_opened(const struct sandbox_plan *p, struct str path)
{
	for (size_t i = 0; i < p->opened_paths.count; i++)
		if (path_is_under(p->opened_paths.at[i], path))
			return true;
	return false;
}

/*
 * Removes the placeholder that is in the way of a file that may be written, where there are no
 * mounts.  With mounts the tool exchanges it for the file, so that the name is never free
 * (approved_files.h).
 */
static void open_way(struct protected_paths *c, const struct sandbox_plan *p, struct str path)
{
	struct str root = root_of(p, path);
	FD_SCOPE dir = sys_open_place(AT_FDCWD, root.ptr);
	struct str rest = str_skip(path, root.len + 1);

	while (dir >= 0 && rest.len) {
		struct str name = arena_keep(c->mem, str_cut(&rest, '/'));
		int next;

		if (protected_paths_is_placeholder(dir, name.ptr)) {
			unlinkat(dir, name.ptr, AT_REMOVEDIR);
			return;
		}
		next = openat(dir, name.ptr, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
		dir = next;
	}
}

/*
 * One component of the path: `here` is the path up to it.  Directories above the last one are
 * pinned, because a directory that contains a mount can be renamed, and a new one under the old
 * name would have none.  *dir moves down; *ret_end when the walk is over.
 */
static enum err shield_step(struct protected_paths *c, const struct sandbox_plan *p, int *dir,
                            struct str name, struct str here, struct str path,
                            enum shield_kind kind, int links, bool *ret_end, struct error *e)
{
	bool is_last = here.len == path.len, needed;
	struct stat st;
	enum err err;

	*ret_end = true;
	if (fstatat(*dir, name.ptr, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return fail_errno(e, ERR_IO, "protected path %s", here.ptr);
		if (c->is_again || is_open_when_missing(path) || is_opened(p, here))
			return OK;
		err = protect_absent(c, *dir, name, here, &needed, e);
		if (!err && needed)
			add_shield(c, here, SHIELD_CLOSE);
		return err;
	}
	if (S_ISLNK(st.st_mode))
		return shield_target(c, p, here, path, kind, links, e);
	if (!placeholder_hold(c, *dir, name, here, &st))
		return fail(e, ERR_BUSY, "protected path %s comes and goes", here.ptr);
	/*
	 * A file in the middle (.git of a worktree) is closed itself, because nothing below it
	 * exists.  So is a placeholder, unless a denied path exists below it.
	 */
	if (is_last || !S_ISDIR(st.st_mode) ||
	    (placeholder_find(&st) && (kind != SHIELD_DENY || access(path.ptr, F_OK) < 0))) {
		add_shield(c, here, is_last ? kind : SHIELD_CLOSE);
		return OK;
	}
	add_shield(c, here, SHIELD_PIN);

	int next = openat(*dir, name.ptr, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (next < 0)
		return fail_errno(e, ERR_IO, "protected path %s", here.ptr);
	close(*dir);
	*dir = next;
	*ret_end = false;
	return OK;
}

/*
 * Walks from the write root to the path by descriptors, without following links, and adds the
 * shields on the way.
 */
static enum err shield_path(struct protected_paths *c, const struct sandbox_plan *p,
                            struct str path, enum shield_kind kind, int links, struct error *e)
{
	struct str root = root_of(p, path);
	FD_SCOPE dir = sys_open_place(AT_FDCWD, root.ptr);
	size_t at = root.len;
	bool end = false;
	enum err err = OK;

	if (dir < 0)
		return fail_errno(e, ERR_IO, "write root %s", root.ptr);
	if (path.len == root.len)
		return fail(e, ERR_INVALID, "%s cannot be a write root and protected", path.ptr);
	while (!end && !err) {
		struct str rest = str_skip(path, at + 1);
		struct str name = arena_keep(c->mem, str_cut(&rest, '/'));

		at += 1 + name.len;
		err = shield_step(c, p, &dir, name, arena_keep(c->mem, str_head(path, at)), path,
		                  kind, links, &end, e);
	}
	return err;
}

/* ---- deny rules ---- */

static bool is_shown(const struct sandbox_plan *p, struct str path)
{
	return PATH_UNDER_ANY(path, &p->read_roots) || PATH_UNDER_ANY(path, &p->write_roots);
}

/* In read roots only existing paths are hidden: nothing can be created there. */
static enum err deny_path(struct protected_paths *c, const struct sandbox_plan *p, struct str path,
                          int links, struct error *e)
{
	char real[PATH_MAX];
	struct stat st;

	if (c->shield_count > SHIELDS_MAX)
		return fail(
			e, ERR_TOO_LARGE,
			"deny rules match more than %d paths here. Put what they close into one "
			"directory, and deny that",
			SHIELDS_MAX);
	if (str_is(root_of(p, path)))
		return shield_path(c, p, path, SHIELD_DENY, links, e);
	if (!is_shown(p, path) || !realpath(path.ptr, real))
		return OK;
	if (!str_eq(path, str_from(real)) && links < LINKS_MAX)
		return deny_path(c, p, arena_keep(c->mem, str_from(real)), links + 1, e);
	if (lstat(real, &st) == 0)
		add_shield(c, path, SHIELD_DENY);
	return OK;
}

static enum err deny_write(struct protected_paths *c, const struct sandbox_plan *p, struct str path,
                           struct error *e)
{
	char real[PATH_MAX];

	if (!str_is(root_of(p, path)))
		return OK;
	/* a dangling link is closed itself */
	if (!realpath(path.ptr, real) && errno == ENOENT) {
		struct stat st;

		if (lstat(path.ptr, &st) == 0 && S_ISLNK(st.st_mode)) {
			add_shield(c, path, SHIELD_CLOSE);
			return OK;
		}
	}
	return shield_path(c, p, path, SHIELD_CLOSE, 0, e);
}

/*
 * Roots in which patterns are searched: each tree once, and not the system's, which every user
 * can read.
 */
static bool is_searched(const struct sandbox_plan *p, struct str root)
{
	if (sandbox_host_is_system(root))
		return false;
	for (size_t i = 0; i < p->write_roots.count; i++)
		if (path_is_under(root, p->write_roots.at[i]) &&
		    !str_eq(root, p->write_roots.at[i]))
			return false;
	for (size_t i = 0; i < p->read_roots.count; i++)
		if (path_is_under(root, p->read_roots.at[i]) && !str_eq(root, p->read_roots.at[i]))
			return false;
	return true;
}

typedef enum err find_fn(struct protected_paths *c, struct str root, void *arg, struct error *e);

static enum err in_each_root(struct protected_paths *c, const struct sandbox_plan *p, find_fn *fn,
                             void *arg, struct error *e)
{
	enum err err = OK;

	for (size_t i = 0; i < p->write_roots.count && !err; i++)
		if (is_searched(p, p->write_roots.at[i]))
			err = fn(c, p->write_roots.at[i], arg, e);
	for (size_t i = 0; i < p->read_roots.count && !err; i++)
		if (is_searched(p, p->read_roots.at[i]) &&
		    !PATH_UNDER_ANY(p->read_roots.at[i], &p->write_roots))
			err = fn(c, p->read_roots.at[i], arg, e);
	return err;
}

/* One search over all roots: patterns or inodes in, paths out. */
struct search {
	struct path_glob globs[PATH_INDEX_GLOBS_MAX];
	size_t count;
	struct path_index_file *files;
	size_t file_count;
	struct sandbox_paths found;
};

static enum err find_globs(struct protected_paths *c, struct str root, void *arg, struct error *e)
{
	struct search *s = arg;

	return path_index_find(c->mem, root, s->globs, s->count, &s->found, e);
}

static enum err find_links(struct protected_paths *c, struct str root, void *arg, struct error *e)
{
	struct search *s = arg;

	return path_index_links(c->mem, root, s->files, s->file_count, &s->found, e);
}

/* A file with one name has no other to close. */
static void add_linked(struct protected_paths *c, struct search *s, struct str path)
{
	struct stat st;

	if (lstat(path.ptr, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink < 2)
		return;
	s->files = arena_grow(c->mem, s->files, s->file_count * sizeof *s->files,
	                      (s->file_count + 1) * sizeof *s->files);
	s->files[s->file_count++] = (struct path_index_file){ st.st_dev, st.st_ino };
}

/* The files of a closed path, or below it, that have another name. */
static enum err find_linked(struct protected_paths *c, const struct shield *closed,
                            struct search *s, struct error *e)
{
	struct sandbox_paths below = { 0 };
	struct stat st;
	enum err err = OK;

	if (lstat(closed->path.ptr, &st) < 0)
		return OK;
	if (placeholder_find(&st))
		return OK; /* a placeholder */
	if (!S_ISDIR(st.st_mode)) {
		add_linked(c, s, closed->path);
		return OK;
	}
	err = path_index_linked(c->mem, closed->path, &below, e);
	for (size_t i = 0; i < below.count && !err; i++)
		add_linked(c, s, below.at[i]);
	return err;
}

/* Every other name of a file that a rule of that kind closes is closed too. */
static enum err close_links(struct protected_paths *c, const struct sandbox_plan *p,
                            enum shield_kind kind, struct error *e)
{
	struct search *s = ARENA_NEW(c->mem, struct search);
	size_t count = c->shield_count;
	enum err err = OK;

	for (size_t i = 0; i < count && !err; i++) {
		struct shield closed = c->shields[i];

		if (closed.is_by_rule && closed.kind == kind)
			err = find_linked(c, &closed, s, e);
	}
	if (!err && s->file_count)
		err = in_each_root(c, p, find_links, s, e);
	for (size_t k = 0; k < s->found.count && !err; k++)
		err = kind == SHIELD_DENY ? deny_path(c, p, s->found.at[k], 0, e)
		                          : deny_write(c, p, s->found.at[k], e);
	return err;
}

/* Removes the prefix of a rule that denies writing only. */
static struct str pattern_of(struct str rule, bool *ret_is_write)
{
	*ret_is_write = str_starts(rule, STR(SANDBOX_PLAN_DENY_WRITE));
	return *ret_is_write ? str_skip(rule, sizeof SANDBOX_PLAN_DENY_WRITE - 1) : rule;
}

/* A rule on a directory above a root covers all of the root. */
static enum err close_roots(struct protected_paths *c, const struct sandbox_plan *p,
                            struct str path, bool is_write, struct error *e)
{
	enum err err = OK;

	for (size_t i = 0; i < p->write_roots.count; i++)
		if (path_is_under(p->write_roots.at[i], path))
			return fail(e, ERR_INVALID, "the deny rule on %s covers the write root %s",
			            path.ptr, p->write_roots.at[i].ptr);
	for (size_t i = 0; i < p->read_roots.count && !err && !is_write; i++)
		if (path_is_under(p->read_roots.at[i], path))
			err = deny_path(c, p, p->read_roots.at[i], 0, e);
	return err;
}

static enum err close_one(struct protected_paths *c, const struct sandbox_plan *p, struct str path,
                          bool is_write, struct error *e)
{
	return is_write ? deny_write(c, p, path, e) : deny_path(c, p, path, 0, e);
}

/* Patterns of one kind, all at once. */
static enum err close_globs(struct protected_paths *c, const struct sandbox_plan *p, bool is_write,
                            struct error *e)
{
	struct search *s = ARENA_NEW(c->mem, struct search);
	enum err err = OK;

	for (size_t i = 0; i < p->deny_rules.count; i++) {
		bool is_for_write;
		struct str pattern = pattern_of(p->deny_rules.at[i], &is_for_write);
		struct path_glob *g = &s->globs[s->count];

		if (is_for_write != is_write)
			continue;
		if (!path_glob_read(pattern, g))
			return fail(e, ERR_TOO_LARGE, "the deny rule %.*s has too many parts",
			            STR_ARG(str_head(pattern, 200)));
		if (g->is_plain)
			continue;
		if (++s->count == PATH_INDEX_GLOBS_MAX)
			return fail(e, ERR_TOO_LARGE, "more than %d deny rules with patterns",
			            PATH_INDEX_GLOBS_MAX - 1);
	}
	if (s->count)
		err = in_each_root(c, p, find_globs, s, e);
	for (size_t i = 0; i < s->found.count && !err; i++)
		err = close_one(c, p, s->found.at[i], is_write, e);
	return err;
}

static enum err close_plain(struct protected_paths *c, const struct sandbox_plan *p,
                            struct error *e)
{
	enum err err = OK;

	for (size_t i = 0; i < p->deny_rules.count && !err; i++) {
		bool is_write;
		struct str pattern = pattern_of(p->deny_rules.at[i], &is_write);
		struct path_glob g;

		if (!path_glob_read(pattern, &g) || !g.is_plain || !path_is_clean(pattern))
			continue;
		pattern = arena_keep(c->mem, pattern);
		err = close_roots(c, p, pattern, is_write, e);
		if (!err)
			err = close_one(c, p, pattern, is_write, e);
	}
	return err;
}

/*
 * Searching a tree makes the path index watch it.  Patterns are searched when the sandbox is
 * prepared; paths without wildcards are not, so they are searched here only to be watched.
 */
void protected_paths_watch(struct arena *mem, const struct sandbox_plan *p)
{
	struct protected_paths c = { .mem = mem };
	struct search *s = ARENA_NEW(mem, struct search);
	struct error ignored;

	for (size_t i = 0; i < p->deny_rules.count && s->count < PATH_INDEX_GLOBS_MAX - 1; i++) {
		bool is_write;
		struct path_glob *g = &s->globs[s->count];

		if (path_glob_read(pattern_of(p->deny_rules.at[i], &is_write), g) && g->is_plain)
			s->count++;
	}
	if (s->count && in_each_root(&c, p, find_globs, s, &ignored) != OK)
		return; /* the same error is reported when the sandbox is prepared */
}

/*
 * Hard links come last, because they are found by the inodes of everything that was closed
 * before.
 */
static enum err protect_denied(struct protected_paths *c, const struct sandbox_plan *p,
                               struct error *e)
{
	enum err err;

	if (!p->deny_rules.count)
		return OK;
	c->is_denying = true;
	err = close_plain(c, p, e);
	if (!err)
		err = close_globs(c, p, false, e);
	if (!err)
		err = close_globs(c, p, true, e);
	if (!err)
		err = close_links(c, p, SHIELD_DENY, e);
	if (!err)
		err = close_links(c, p, SHIELD_CLOSE, e);
	c->is_denying = false;
	return err;
}

/* Repositories below the roots. */
static enum err protect_nested(struct protected_paths *c, const struct sandbox_plan *p,
                               struct error *e)
{
	struct sandbox_paths found = { 0 };
	enum err err = p->protected_paths.count ? nested_git_find(c->mem, p, &found, e) : OK;

	for (size_t i = 0; i < found.count && !err; i++)
		err = shield_path(c, p, found.at[i], SHIELD_CLOSE, 0, e);
	return err;
}

/* Sorts '/' before every other byte, so that the paths below a directory follow it directly. */
static int by_tree(const void *a, const void *b)
{
	struct str x = ((const struct shield *)a)->path, y = ((const struct shield *)b)->path;
	size_t len = MIN(x.len, y.len);

	for (size_t i = 0; i < len; i++)
		if (x.ptr[i] != y.ptr[i])
			return x.ptr[i] == '/' ? -1
			       : y.ptr[i] == '/'
			               ? 1
			               : (unsigned char)x.ptr[i] - (unsigned char)y.ptr[i];
	return x.len == y.len ? 0 : x.len < y.len ? -1 : 1;
}

/*
 * Below a denied directory nothing is shown, so there is nothing to mount on.  Sorting puts such
 * paths directly behind the directory.
 */
static void drop_hidden(struct protected_paths *c)
{
	struct str above = STR_NONE;
	size_t kept = 0;

	if (c->shield_count)
		qsort(c->shields, c->shield_count, sizeof *c->shields, by_tree);
	for (size_t i = 0; i < c->shield_count; i++) {
		struct shield s = c->shields[i];

		if (str_is(above) && path_is_under(s.path, above))
			continue;
		if (s.kind == SHIELD_DENY)
			above = s.path;
		c->shields[kept++] = s;
	}
	c->shield_count = kept;
}

/*
 * is_again: for a running sandbox, without new placeholders.  When a missing path appears later,
 * the path index reports it, and it is closed then.
 */
static enum err prepare_paths(struct arena *mem, const struct sandbox_plan *p, bool is_again,
                              struct protected_paths *ret, struct error *e)
{
	struct protected_paths c = { .mem = mem, .is_again = is_again };

	bool has_mounts = sandbox_tier_has_namespaces(p->tier);

	for (size_t i = 0; i < p->opened_paths.count && !is_again && !has_mounts; i++)
		open_way(&c, p, p->opened_paths.at[i]);
	for (size_t i = 0; i < p->protected_paths.count; i++) {
		enum err err = shield_path(&c, p, p->protected_paths.at[i], SHIELD_CLOSE, 0, e);

		if (err) {
			protected_paths_done(&c);
			return err;
		}
	}

	enum err err = protect_nested(&c, p, e);

	if (!err)
		err = protect_denied(&c, p, e);

	if (err) {
		protected_paths_done(&c);
		return err;
	}
	drop_hidden(&c);
	*ret = c;
	return OK;
}

enum err protected_paths_prepare(struct arena *mem, const struct sandbox_plan *p,
                                 struct protected_paths *ret, struct error *e)
{
	return prepare_paths(mem, p, false, ret, e);
}

enum err protected_paths_prepare_again(struct arena *mem, const struct sandbox_plan *p,
                                       struct protected_paths *ret, struct error *e)
{
	enum err err = ERR_BUSY;

	/* a program outside works there: paths that change meanwhile are looked at again */
	for (int tries = 0; tries < 5 && err && err != ERR_TOO_LARGE; tries++)
		err = prepare_paths(mem, p, true, ret, e);
	return err;
}

/*
 * A digit for the kind, the path, a NUL; protected_paths_next() reads it in the sandbox's init.
 */
bool protected_paths_write(const struct protected_paths *c, int fd)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < c->shield_count; i++) {
		buf_add_char(&out, (char)('0' + c->shields[i].kind));
		buf_add_str(&out, c->shields[i].path);
		buf_add_char(&out, '\0');
	}
	return !out.len || pwrite(fd, out.ptr, out.len, 0) == (ssize_t)out.len;
}

bool protected_paths_next(struct str *text, struct shield *ret)
{
	const char *end = text->len ? memchr(text->ptr, 0, text->len) : NULL;

	if (!end || end == text->ptr)
		return false;
	*ret = (struct shield){ .kind = (enum shield_kind)(text->ptr[0] - '0'),
		                .path = str_of(text->ptr + 1, (size_t)(end - text->ptr) - 1) };
	*text = str_skip(*text, (size_t)(end - text->ptr) + 1);
	return true;
}

uint64_t protected_paths_version(void)
{
	return version;
}

void protected_paths_list(struct buf *into)
{
	LIST_EACH (all(), node) {
		buf_add_str(into, str_from(LIST_ITEM(node, struct placeholder, node)->path));
		buf_add_char(into, '\n');
	}
}

void protected_paths_done(struct protected_paths *c)
{
	for (size_t i = 0; i < c->placeholder_count; i++) {
		struct placeholder *h = c->placeholders[i];

		if (--h->users == 0)
			h->idle_since_ms = clock_mono_ms();
	}
	c->placeholder_count = 0;
}

/*
 * An exclusive lock succeeds only if no other supervisor uses the placeholder.  The inode is
 * compared, because the user may have replaced it by something else.
 */
static void remove_placeholder(struct placeholder *h)
{
	struct stat st;

	if (flock(h->fd, LOCK_EX | LOCK_NB) == 0 && fstat(h->fd, &st) == 0 &&
	    is_still_there(h->parent_fd, h->name, &st))
		unlinkat(h->parent_fd, h->name, h->is_dir ? AT_REMOVEDIR : 0);
	close(h->fd);
	close(h->parent_fd);
	list_remove(&h->node);
	version++;
	memory_free(h->path);
	memory_free(h->name);
	memory_free(h);
}

void protected_paths_remove(struct arena *mem, int parent, struct str name, struct str path)
{
	struct protected_paths own = { .mem = mem };

	/* NULL: a lock of its own, which the lock of any other user keeps from being exclusive */
	(void)!placeholder_hold(&own, parent, name, path, NULL);
	if (own.placeholder_count)
		remove_placeholder(own.placeholders[0]);
}

int64_t protected_paths_cleanup_placeholders(int64_t linger_ms)
{
	int64_t now = clock_mono_ms(), next = -1;

	LIST_EACH_SAFE (all(), node, tmp) {
		struct placeholder *h = LIST_ITEM(node, struct placeholder, node);
		int64_t left = h->idle_since_ms + linger_ms - now;

		if (h->users)
			continue;
		if (left <= 0)
			remove_placeholder(h);
		else if (next < 0 || left < next)
			next = left;
	}
	return next;
}
