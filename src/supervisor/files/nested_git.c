/*
 * Finds repositories below a write root by the names that git gives their
 * parts, and adds what git would run or trust there.
 */
#include "supervisor/files/nested_git.h"

#include "base/gen/protected_paths.h"
#include "supervisor/files/path_index.h"

#include <stdio.h>
#include <sys/stat.h>

struct finding {
	struct arena *mem;
	struct sandbox_paths *into;
	unsigned count;
};

static void add_path(struct finding *f, struct str path)
{
	struct sandbox_paths *l = f->into;

	l->at = arena_grow(f->mem, l->at, l->count * sizeof *l->at, (l->count + 1) * sizeof *l->at);
	l->at[l->count++] = arena_keep(f->mem, path);
}

static bool is_dir(struct str path)
{
	struct stat st;

	return lstat(path.ptr, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_there(struct str path)
{
	struct stat st;

	return lstat(path.ptr, &st) == 0;
}

/*
 * is_bare: only names that exist, and hooks, which any bare repository may get.  From the
 * repository NESTED_GIT_MAX + 1 on the whole directory is closed: each name is a mount, and the
 * number of mounts determines what a sandbox costs.
 */
static void add_names(struct finding *f, struct str git_dir, bool is_bare)
{
	static const char *const names[] = { PROTECTED_PATHS_TREE };

	if (++f->count > NESTED_GIT_MAX) {
		add_path(f, git_dir);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct str name = str_from(names[i]), path;

		if (!str_starts(name, STR(".git/")))
			continue;
		path = arena_printf(f->mem, "%.*s/%.*s", STR_ARG(git_dir),
		                    STR_ARG(str_skip(name, 5)));
		if (!is_bare || str_eq(name, STR(".git/hooks")) || is_there(path))
			add_path(f, path);
	}
}

static struct str dir_of(struct arena *mem, struct str path)
{
	size_t len = path.len;

	while (len && path.ptr[len - 1] != '/')
		len--;
	return arena_keep(mem, str_head(path, len ? len - 1 : 0));
}

/*
 * A file HEAD beside objects/ and refs/ is a bare repository, which git recognises the same way.
 */
static void take_match(struct finding *f, struct str root, struct str path)
{
	struct str dir = dir_of(f->mem, path);

	if (str_ends(path, STR("/HEAD"))) {
		if (dir.len > root.len &&
		    is_dir(arena_printf(f->mem, "%.*s/objects", STR_ARG(dir))) &&
		    is_dir(arena_printf(f->mem, "%.*s/refs", STR_ARG(dir))))
			add_names(f, dir, true);
		return;
	}
	if (dir.len == root.len) /* the one at the root is in the plan */
		return;
	if (is_dir(path))
		add_names(f, path, false);
	else
		add_path(f, path);
}

enum err nested_git_find(struct arena *mem, const struct sandbox_plan *p,
                         struct sandbox_paths *into, struct error *e)
{
	struct finding f = { .mem = mem, .into = into };

	for (size_t i = 0; i < p->write_roots.count; i++) {
		struct str root = p->write_roots.at[i];
		struct sandbox_paths found = { 0 };
		struct path_glob globs[2];
		struct str repository = arena_printf(mem, "%.*s/**/.git", STR_ARG(root));
		struct str bare = arena_printf(mem, "%.*s/**/HEAD", STR_ARG(root));
		enum err err;

		if (!path_glob_read(repository, &globs[0]) || !path_glob_read(bare, &globs[1]))
			continue;
		err = path_index_find_some(mem, root, globs, COUNT_OF(globs), &found, e);
		/*
		 * A tree that is too large is left unprotected instead of making every call fail
		 * (nested_git.h).
		 */
		if (err == ERR_TOO_LARGE)
			continue;
		if (err)
			return err;
		for (size_t k = 0; k < found.count; k++)
			take_match(&f, root, found.at[k]);
	}
	return OK;
}
