#ifndef APP_WORKTREE_H
#define APP_WORKTREE_H
/*
 * Git worktrees of sessions, for the verbs run, diff, apply and discard.  They
 * know git and the directory of worktrees (`base`), and nothing of sessions.
 * Each function that returns an exit code prints why it fails.
 */
#include "app/cli/cli.h"

#define WORKTREE_NAME_MAX 40

struct worktree_place {
	const char *base;
	struct str name;  /* absent: none */
	const char *path; /* NULL: there is no directory of that name */
};

/* Small letters, digits and -, as part of a branch and of a path. */
bool worktree_is_name(struct str name);
/*
 * The worktree of that name for the repository of dir; it is made, or continued
 * if it exists.  NULL: one with a new name.
 */
int worktree_open(struct cli *c, const char *base, const char *name, const char *dir,
                  const char **ret);
/* What changed in it since it left the repository, as git shows it: to be printed safely. */
int worktree_diff(struct cli *c, const struct worktree_place *p, struct str *ret);
/* Writes that to the files of the repository, all of it or nothing. */
int worktree_apply(struct cli *c, const struct worktree_place *p);
/* Removes it with its branch; what is gone already is no error. */
int worktree_discard(struct cli *c, const struct worktree_place *p);

#endif
