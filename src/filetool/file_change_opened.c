/*
 * Files that are otherwise protected and that a person opened for one call.
 *
 * Other sandboxes in the workspace must not reach the new file at any moment.  So it is filled in
 * a temporary file that the supervisor has closed for them (supervisor/files/approved_files.h), and the
 * name is never free in between: a placeholder and the new file change places.
 *
 * A file that is deleted changes places with a placeholder of the supervisor's.
 *
 * Missing directories come with the file: they are made in a temporary directory, which takes the
 * name of the first of them.
 */
#include "filetool/file_change.h"

#include "base/os/sys.h"

#include <errno.h>
#include <stdio.h>

/* Where the file is after all links. */
static struct str real_of(struct file_change *g)
{
	struct str place = file_path_place(g->c, g->dir, g->path);

	return str_is(place) ? place : g->path;
}

bool file_change_opened_is(struct file_change *g)
{
	struct str real = g->c->opened.count ? real_of(g) : STR_NONE;

	for (size_t i = 0; i < g->c->opened.count; i++)
		if (str_eq(g->c->opened.at[i], real))
			return true;
	return false;
}

/* ---- the temporary file ---- */

static bool find_prepared(struct file_change *g, struct str real, struct json *ret)
{
	struct json_iter it = json_iter(g->c->prepared);
	struct str key;

	while (json_type(g->c->prepared) == JSON_ARR && json_next(&it, &key, ret)) {
		struct str entry = json_str(JSON_GET(*ret, "entry"));

		if (entry.len && path_is_under(real, entry))
			return true;
	}
	return false;
}

static int fail_changed(struct file_change *g)
{
	file_call_fail(g->c,
	               tool_error_changed_meanwhile(g->c->mem, file_path_shown(g->c, g->path)));
	return -1;
}

static int fail_with(struct file_change *g, int os_errno)
{
	file_call_fail_errno(g->c, "write", g->path, os_errno);
	return -1;
}

static struct str last_name(struct str path)
{
	size_t at = path.len;

	while (at && path.ptr[at - 1] != '/')
		at--;
	return str_skip(path, at);
}

/* O_NONBLOCK: a lease that another program has on it must not hold the call up. */
static int open_empty(struct file_change *g, const char *name)
{
	int fd = openat(g->dir, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? fail_changed(g) : fail_with(g, errno);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 && !st.st_size)
		return fd;
	close(fd);
	return fail_changed(g);
}

/* Its name in the directory of the file. */
static bool name_temp(struct file_change *g, struct str temp)
{
	struct str name = last_name(temp);

	if (name.len >= sizeof g->temp)
		return false;
	snprintf(g->temp, sizeof g->temp, "%.*s", STR_ARG(name));
	g->is_prepared = true;
	return true;
}

static int take_file(struct file_change *g, struct str temp)
{
	if (g->dir < 0)
		g->dir = file_path_open_parent(g->c, g->path, false, &g->name);
	if (g->dir < 0)
		return fail_with(g, errno);
	return name_temp(g, temp) ? open_empty(g, g->temp) : fail_changed(g);
}

/* Opens a directory in `dir`, which it closes; makes it first if it is missing. */
static int step_into(int dir, const char *name)
{
	int next = -1;

	if (mkdirat(dir, name, 0777) == 0 || errno == EEXIST)
		next = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	int os_errno = errno;

	close(dir);
	errno = os_errno;
	return next;
}

/*
 * Below the temporary directory everything is made under its own name.  Another file of the same
 * call may have put the directory into its place already.
 */
static int take_in_dir(struct file_change *g, struct str real, struct str entry, struct str temp)
{
	struct str rest = str_skip(real, entry.len + 1);
	int dir = sys_openat2(AT_FDCWD, arena_keep(g->c->mem, temp).ptr,
	                      O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	int fd;

	if (dir < 0 || !g->is_new) {
		sys_close(&dir);
		return fail_changed(g);
	}
	for (struct str name = str_cut(&rest, '/'); rest.len && dir >= 0;
	     name = str_cut(&rest, '/'))
		dir = step_into(dir, arena_keep(g->c->mem, name).ptr);
	if (dir < 0)
		return fail_with(g, errno);
	sys_close(&g->dir);
	g->dir = dir;
	g->name = arena_keep(g->c->mem, last_name(real)).ptr;
	g->in_dir = arena_keep(g->c->mem, entry);
	g->dir_temp = arena_keep(g->c->mem, temp);
	g->is_prepared = true;
	fd = openat(dir, g->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd >= 0 ? fd : fail_with(g, errno);
}

int file_change_opened_take(struct file_change *g)
{
	struct str real = real_of(g), entry, temp;
	struct json prepared;

	if (!find_prepared(g, real, &prepared))
		return fail_changed(g);
	entry = json_str(JSON_GET(prepared, "entry"));
	temp = json_str(JSON_GET(prepared, "temp"));
	if (!temp.len || temp.ptr[0] != '/')
		return fail_changed(g);
	return str_eq(real, entry) ? take_file(g, temp) : take_in_dir(g, real, entry, temp);
}

bool file_change_opened_take_placeholder(struct file_change *g)
{
	struct str real = real_of(g), temp;
	struct json prepared;

	if (!find_prepared(g, real, &prepared) ||
	    !str_eq(real, json_str(JSON_GET(prepared, "entry"))))
		return fail_changed(g) >= 0;
	temp = json_str(JSON_GET(prepared, "placeholder"));
	if (!temp.len)
		return true; /* the name may be free */
	g->needs_exchange = json_bool(JSON_GET(prepared, "needsExchange"), true);
	if (name_temp(g, temp) && g->c->host->is_placeholder_by_form(g->dir, g->temp))
		return true;
	return fail_changed(g) >= 0;
}

/* ---- putting it in place ---- */

static bool is_as_seen(struct file_change *g)
{
	return g->is_new ? g->c->host->is_placeholder_by_form(g->dir, g->temp)
	                 : file_path_is_as_seen(g->dir, g->temp, &g->before);
}

/*
 * The old one stays, under the temporary name, until the call is sure.  It goes back if another
 * program has put a file there since the call looked: that one would be lost.
 */
static bool exchange(struct file_change *g)
{
	if (renameat2(g->dir, g->temp, g->dir, g->name, RENAME_EXCHANGE) < 0)
		return false;
	g->keeps_old = is_as_seen(g);
	if (g->keeps_old)
		return true;
	if (renameat2(g->dir, g->temp, g->dir, g->name, RENAME_EXCHANGE) == 0)
		errno = g->is_new ? EEXIST : ESTALE;
	return false;
}

/* Without RENAME_EXCHANGE (some network file systems) a placeholder is removed before. */
static bool replace(struct file_change *g)
{
	if (exchange(g))
		return true;
	if (errno != EINVAL && errno != ENOENT)
		return false;
	if (g->is_new && unlinkat(g->dir, g->name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return false;
	return renameat2(g->dir, g->temp, g->dir, g->name, g->is_new ? RENAME_NOREPLACE : 0) == 0;
}

/* The same for a directory in the place of a placeholder. */
static bool exchange_dir(struct file_change *g, int dir, const char *temp, const char *to)
{
	if (renameat2(dir, temp, dir, to, RENAME_EXCHANGE) < 0)
		return errno == EINVAL && unlinkat(dir, to, AT_REMOVEDIR) == 0 &&
		       renameat2(dir, temp, dir, to, RENAME_NOREPLACE) == 0;
	if (g->c->host->is_placeholder_by_form(dir, temp)) {
		unlinkat(dir, temp, AT_REMOVEDIR);
		return true;
	}
	if (renameat2(dir, temp, dir, to, RENAME_EXCHANGE) == 0)
		errno = EEXIST;
	return false;
}

/* Without RENAME_EXCHANGE the file stays if another sandbox could take its name. */
static bool leave_placeholder(struct file_change *g)
{
	if (exchange(g))
		return true;
	if (errno != EINVAL)
		return false;
	errno = EOPNOTSUPP;
	return !g->needs_exchange && unlinkat(g->dir, g->name, 0) == 0;
}

/* The first file of the directory brings it into its place; for the others nothing is left to do. */
static bool place_dir(struct file_change *g)
{
	struct str name = last_name(g->in_dir);
	struct str above = str_head(g->in_dir, g->in_dir.len - name.len);
	const char *temp = arena_keep(g->c->mem, last_name(g->dir_temp)).ptr;
	FD_SCOPE dir = sys_openat2(AT_FDCWD, arena_keep(g->c->mem, above).ptr,
	                           O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	const char *to = arena_keep(g->c->mem, name).ptr;

	if (dir < 0)
		return false;
	if (renameat2(dir, temp, dir, to, RENAME_NOREPLACE) == 0)
		return true;
	if (errno == ENOENT)
		return faccessat(g->dir, g->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	if (errno != EEXIST || !g->c->host->is_placeholder(dir, to))
		return false;
	return exchange_dir(g, dir, temp, to);
}

bool file_change_opened_commit(struct file_change *g)
{
	if (str_is(g->in_dir))
		return place_dir(g);
	if (g->is_gone)
		return leave_placeholder(g);
	if (!g->is_new)
		return replace(g);
	if (renameat2(g->dir, g->temp, g->dir, g->name, RENAME_NOREPLACE) == 0)
		return true;
	if (errno != EEXIST)
		return false;
	if (g->c->host->is_placeholder(g->dir, g->name))
		return replace(g);
	errno = EEXIST;
	return false;
}

bool file_change_opened_undo(struct file_change *g)
{
	errno = EINVAL;
	return g->keeps_old && renameat2(g->dir, g->temp, g->dir, g->name, RENAME_EXCHANGE) == 0;
}

void file_change_opened_settle(struct file_change *g)
{
	if (g->keeps_old)
		unlinkat(g->dir, g->temp, g->is_new ? AT_REMOVEDIR : 0);
	g->keeps_old = false;
	g->temp[0] = '\0';
}
