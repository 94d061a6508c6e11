#ifndef SUPERVISOR_FILES_NESTED_GIT_H
#define SUPERVISOR_FILES_NESTED_GIT_H
/*
 * Repositories below a write root: another repository, a .git file that leads
 * to one, a bare repository.  What git would run or believe in them is
 * protected as in the repository at the root.  They are found by path_index,
 * so that a call costs what has changed since the last one.  A tree that is
 * too large to be walked is left as it is: the rules still ask.
 */
#include "sandbox/sandbox_plan.h"

/* Of these all names are protected; of more than these the whole directory is closed. */
#define NESTED_GIT_MAX 16

/*
 * Adds the paths to close.  A path that does not exist is among them only if it must not be
 * created.
 */
enum err nested_git_find(struct arena *mem, const struct sandbox_plan *p,
                         struct sandbox_paths *into, struct error *e) MUST_USE;

#endif
