/* Reads single files with the checks that apply to everything a model is sent. */
#include "lib/workspace/workspace_file.h"

#include "base/path/foreign_file.h"
#include "base/path/path_glob.h"
#include "base/utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The model gets a note which named files are missing and why; it must not guess their content. */
static enum missing_reason why_not(enum err code)
{
	switch (code) {
	case ERR_NOT_FOUND:
		return MISSING_REASON_NOT_FOUND;
	case ERR_TOO_LARGE:
		return MISSING_REASON_TOO_LARGE;
	default:
		return MISSING_REASON_UNREADABLE;
	}
}

/*
 * A link that leads out of the directory counts as denied, and so does a file without read
 * permission.
 */
static bool is_denied(enum err code, const struct error *e)
{
	return code == ERR_INVALID ? e->os_errno == EXDEV || e->os_errno == ELOOP
	                           : e->os_errno == EACCES || e->os_errno == EPERM;
}

/* ---- what rules deny ---- */

static bool is_covered(const struct sandbox_paths *rules, struct str path)
{
	for (size_t i = 0; i < rules->count; i++) {
		struct path_glob g;

		/* one that is for writing only has a word in front and covers no absolute path */
		if (!path_glob_read(rules->at[i], &g) || path_glob_covers(&g, path))
			return true;
	}
	return false;
}

/*
 * The daemon reads with the user's rights and not in a sandbox, so a link to a denied file
 * would expose it.  The other names of a file are unknown here, so a file with more than
 * one link is not read.
 */
static bool is_ruled_out(struct arena *mem, const struct sandbox_paths *rules, struct str dir,
                         const char *name, const struct foreign_stamp *read)
{
	char real[PATH_MAX];
	struct stat st;

	if (!rules->count)
		return false;
	struct str path = arena_printf(mem, "%.*s/%s", STR_ARG(dir), name);

	return read->names > 1 || !realpath(path.ptr, real) || stat(real, &st) < 0 ||
	       st.st_ino != read->inode || st.st_dev != read->device || is_covered(rules, path) ||
	       is_covered(rules, str_from(real));
}

/*
 * Rules are checked after the read, with the identity of what was read: a file that is
 * exchanged in between must not pass under another one's name.
 */
void workspace_file_read(struct arena *mem, struct str dir, const char *name, int64_t max,
                         const struct sandbox_paths *rules, struct workspace_file *ret)
{
	struct foreign_file file;
	struct error e = { 0 };
	enum err code = foreign_file_read(mem, dir, name, (size_t)max, &file, &e);

	*ret = (struct workspace_file){ 0 };
	if (code) {
		ret->missing = is_denied(code, &e) ? MISSING_REASON_DENIED : why_not(code);
		return;
	}
	if (is_ruled_out(mem, rules, dir, name, &file.stamp)) {
		ret->missing = MISSING_REASON_DENIED;
		return;
	}
	ret->text = file.text;
	ret->missing = utf8_is_valid(file.text) ? 0 : MISSING_REASON_UNREADABLE;
}

void workspace_file_read_own(struct arena *mem, struct str path, int64_t max,
                             const struct sandbox_paths *rules, struct workspace_file *ret)
{
	char real[PATH_MAX];
	char *slash;

	*ret = (struct workspace_file){ .missing = MISSING_REASON_NOT_FOUND };
	if (!realpath(arena_keep(mem, path).ptr, real))
		return;
	slash = strrchr(real, '/');
	if (!slash || slash == real)
		return;
	*slash = 0;
	workspace_file_read(mem, str_from(real), slash + 1, max, rules, ret);
}

static bool is_plain(struct str part)
{
	return part.len < 256 && !memchr(part.ptr, 0, part.len);
}

struct str workspace_file_resolve(struct arena *mem, struct str dir, struct str path)
{
	struct str rest = path;
	struct str at = dir;

	if (!path.len || path.len > 1024 || path.ptr[0] == '/' || path.ptr[0] == '~')
		return STR_NONE;
	while (str_is(rest)) {
		struct str part = str_cut(&rest, '/');

		if (!part.len || str_eq(part, STR(".")))
			continue;
		if (!is_plain(part) || (str_eq(part, STR("..")) && !at.len))
			return STR_NONE;
		if (str_eq(part, STR(".."))) {
			while (at.len && at.ptr[at.len - 1] != '/')
				at.len--;
			at.len -= at.len > 0;
		} else {
			at = arena_printf(mem, "%.*s%s%.*s", STR_ARG(at), at.len ? "/" : "",
			                  STR_ARG(part));
		}
	}
	return at.len ? arena_keep(mem, at) : STR_NONE;
}
