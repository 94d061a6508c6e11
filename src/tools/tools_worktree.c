/*
 * Worktrees of sessions (`thole run --worktree`).
 *
 * A commit in a worktree writes to the repository that it belongs to, which is
 * elsewhere.  Commands get the parts of it that a commit writes: objects, the
 * state of this worktree, and its own branches (thole/NAME/...).
 *
 * What the files of a workspace say is not trusted: the worktree must be
 * directly below the directory of worktrees, to which only the user writes, and
 * the repository must name it in turn.
 */
#include "tools/tools_int.h"

#include "base/path/foreign_file.h"
#include "base/path/path.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#define POINTER_MAX 4096

/* One line of a small file, without its prefix; absent: it is not such a file. */
static struct str read_pointer(struct arena *mem, struct str dir, const char *name,
                               struct str prefix)
{
	struct foreign_file file;
	struct error ignored;

	if (foreign_file_read(mem, dir, name, POINTER_MAX, &file, &ignored) != OK ||
	    !str_starts(file.text, prefix))
		return STR_NONE;
	return str_trim(str_skip(file.text, prefix.len));
}

/* The name of the worktree; absent: cwd is not directly below the directory of worktrees. */
static struct str name_of(const struct tools *t, struct str cwd)
{
	struct str base = t->o.worktree_dir, name;

	if (!str_is(base) || !path_is_under(cwd, base) || cwd.len <= base.len + 1)
		return STR_NONE;
	name = str_skip(cwd, base.len + 1);
	return str_find_char(name, '/') < 0 ? name : STR_NONE;
}

/* Its directory in the repository; absent: the two do not name each other. */
static struct str git_dir_of(struct arena *mem, struct str cwd, struct str name)
{
	struct str dir = read_pointer(mem, cwd, ".git", STR("gitdir: ")), back;
	char full[PATH_MAX];

	if (!str_is(dir) || !path_is_clean(dir) ||
	    !str_ends(dir, arena_printf(mem, "/.git/worktrees/%.*s", STR_ARG(name))) ||
	    !realpath(arena_keep(mem, dir).ptr, full) || !str_eq(dir, str_from(full)))
		return STR_NONE;
	back = read_pointer(mem, dir, "gitdir", STR(""));
	return str_eq(back, arena_printf(mem, "%.*s/.git", STR_ARG(cwd))) ? dir : STR_NONE;
}

static void add_dir(struct arena *mem, struct sandbox_paths *to, struct str path)
{
	struct str *at = ARENA_ARRAY(mem, struct str, to->count + 1);
	struct stat st;

	if (lstat(path.ptr, &st) != 0 || !S_ISDIR(st.st_mode))
		return;
	if (to->count)
		memcpy(at, to->at, to->count * sizeof *at);
	at[to->count++] = path;
	to->at = at;
}

void tools_worktree_add(struct tools *t, struct arena *mem, struct str cwd,
                        struct sandbox_paths *read, struct sandbox_paths *write)
{
	static const char *const parts[] = { "refs/heads/thole", "logs/refs/heads/thole" };
	struct str name = name_of(t, cwd), dir = STR_NONE, git;

	if (str_is(name))
		dir = git_dir_of(mem, cwd, name);
	if (!str_is(dir))
		return;
	git = arena_keep(mem, str_head(dir, dir.len - name.len - strlen("/worktrees/")));
	add_dir(mem, read, git);
	add_dir(mem, write, arena_printf(mem, "%.*s/objects", STR_ARG(git)));
	add_dir(mem, write, arena_keep(mem, dir));
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		add_dir(mem, write,
		        arena_printf(mem, "%.*s/%s/%.*s", STR_ARG(git), parts[i], STR_ARG(name)));
}
