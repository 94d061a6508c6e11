/*
 * Walks the files below a directory, in the order of their names, without what
 * ignore files leave out; and glob, the tool that lists them.
 */
#include "base/os/sys.h"
#include "base/jw.h"
#include "filetool/file_ignore.h"
#include "filetool/file_pattern.h"
#include "filetool/gen/filetool_table.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DEPTH_MAX 64
/* A walk of a very large tree ends with `truncated` instead of a timeout. */
#define FILES_MAX 500000
#define FOUND_MAX 2000

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static unsigned char type_of(int dir, const struct dirent *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type;
	return fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
	               ? (unsigned char)IFTODT(st.st_mode)
	               : DT_UNKNOWN;
}

struct level {
	const struct ignore_dir *ignore; /* NULL: nothing is left out */
	int depth;
};

static bool walk_dir(struct file_walk *w, int dir, struct str path, struct level at);

/* A pattern that matches takes precedence over ignore files: the caller named the file. */
static bool is_wanted(const struct file_walk *w, const struct level *at, struct str path,
                      bool is_dir)
{
	struct str below = str_skip(path, w->base.len > 1 ? w->base.len + 1 : 1);

	if (str_is(w->pattern) && file_pattern_matches(w->pattern, below))
		return true;
	if (str_is(w->pattern) && !is_dir)
		return false;
	return !at->ignore || !file_ignore_is_left_out(at->ignore, path, is_dir);
}

/* A directory that cannot be opened is skipped.  Its ignore files live as long as its walk. */
static bool walk_below(struct file_walk *w, int dir, const char *name, struct str path,
                       struct level at)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	FD_SCOPE below = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (below < 0)
		return true;
	at.depth++;
	if (!w->takes_ignored)
		at.ignore = file_ignore_enter(mem, at.ignore, below, path);
	return walk_dir(w, below, path, at);
}

/* False ends the whole walk. */
static bool walk_entry(struct file_walk *w, int dir, const struct dirent *d, struct str path,
                       const struct level *at)
{
	unsigned char type = type_of(dir, d);

	if ((type != DT_DIR && type != DT_REG) ||
	    (type == DT_DIR && file_pattern_is_skipped(w->pattern, d->d_name)))
		return true;
	if (type == DT_REG && ++w->seen > FILES_MAX) {
		w->is_cut = true;
		return false;
	}
	if (!is_wanted(w, at, path, type == DT_DIR))
		return true;
	if (type == DT_REG)
		return w->visit(w, dir, d->d_name, path);
	if (at->depth < DEPTH_MAX)
		return walk_below(w, dir, d->d_name, path, *at);
	w->is_cut = true;
	return true;
}

/*
 * Sorted, so that the same call gives the same answer and a truncated one is its beginning.
 * After the end of the walk the loop only frees names.
 */
static bool walk_dir(struct file_walk *w, int dir, struct str path, struct level at)
{
	struct dirent **names = NULL;
	int count = scandirat(dir, ".", &names, NULL, by_name);
	bool goes_on = true;

	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name;

		if (goes_on && strcmp(name, ".") && strcmp(name, "..")) {
			CLEANUP(arena_freep) struct arena *mem = arena_new();

			goes_on = walk_entry(w, dir, names[i],
			                     arena_printf(mem, "%.*s/%s",
			                                  path.len > 1 ? (int)path.len : 0,
			                                  path.ptr, name),
			                     &at);
		}
		free(names[i]);
	}
	free(names);
	return goes_on;
}

bool file_walk(struct file_walk *w)
{
	FD_SCOPE dir = file_path_open(w->c, w->base, O_RDONLY | O_DIRECTORY);
	struct level at = { 0 };

	if (dir < 0)
		return false;
	if (!w->takes_ignored)
		at.ignore = file_ignore_above(w->c, w->base);
	walk_dir(w, dir, w->base, at);
	return true;
}

/* ---- glob ---- */

static bool on_found(struct file_walk *w, int dir, const char *name, struct str path)
{
	int64_t *count = w->arg;

	(void)dir, (void)name;
	if (*count == FOUND_MAX) {
		w->is_cut = true;
		return false;
	}
	++*count;
	file_call_out(file_path_shown(w->c, path));
	file_call_out(STR("\n"));
	return true;
}

bool tool_glob(struct file_call *c)
{
	struct tool_args_glob a = tool_args_glob(c->args);
	int64_t count = 0;
	struct file_walk w = { .c = c,
		               .base = file_path(c, str_is(a.path) ? a.path : STR(".")),
		               .pattern = file_pattern_of(a.pattern),
		               .takes_ignored = a.ignored,
		               .visit = on_found,
		               .arg = &count };

	if (!file_walk(&w))
		return file_call_fail_errno(c, "list", w.base, errno);
	if (w.is_cut)
		file_call_out(STR("[more follows; take a narrower pattern]\n"));
	JW_KINT(&c->w, "files", count);
	JW_KBOOL(&c->w, "truncated", w.is_cut);
	return true;
}
