/*
 * Names in the folder of a trial: `workspace`; `workspace.kept`, what the agent left, while a
 * verifier runs; and names with ".part" and a number, which are not complete or
 * no longer needed.  Each change is a rename, so a kill at any point leaves one of these.
 */
#include "app/cli/trial/trial_workspace.h"

#include "app/cli/print/out.h"
#include "app/cli/trial/trial_tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART ".part"

static const char *in_dir(struct cli *c, const char *dir, const char *name)
{
	return arena_printf(c->mem, "%s/%s", dir, name).ptr;
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Out of the way first: it may have files that cannot be removed. */
static void drop(struct cli *c, const char *path)
{
	const char *part = arena_printf(c->mem, "%s.gone" PART "%ld", path, (long)getpid()).ptr;

	if (rename(path, part) == 0)
		paths_remove_dir(part);
}

bool trial_workspace_make(struct cli *c, const char *dir, const struct trial_task *t)
{
	const char *workspace = in_dir(c, dir, "workspace");

	return is_there(workspace) ||
	       trial_tree_copy(c, in_dir(c, t->dir, "environment"), workspace, t->environment);
}

bool trial_workspace_refresh(struct cli *c, const char *dir)
{
	const char *workspace = in_dir(c, dir, "workspace"),
		   *kept = in_dir(c, dir, "workspace.kept");

	if (!is_there(kept))
		return trial_tree_copy_result(c, workspace, kept);
	drop(c, workspace);
	return trial_tree_copy_result(c, kept, workspace);
}

void trial_workspace_restore(struct cli *c, const char *dir)
{
	const char *workspace = in_dir(c, dir, "workspace"),
		   *kept = in_dir(c, dir, "workspace.kept");

	if (!is_there(kept))
		return;
	drop(c, workspace);
	if (rename(kept, workspace) != 0)
		out_error(c, "%s: %s.", out_safe(c->mem, str_from(workspace)), strerror(errno));
}

void trial_workspace_sweep(struct cli *c, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strstr(e->d_name, PART))
			paths_remove_dir(in_dir(c, dir, e->d_name));
	if (d)
		closedir(d);
}
