#ifndef LIB_GIT_TRACKED_H
#define LIB_GIT_TRACKED_H
/*
 * Denied paths that git has committed: the sandbox closes the file in the
 * working tree, but its content is in .git too, where `git show` reads it.
 * The sandbox cannot hide that, so it is reported when rules are loaded.
 *
 * What git tracks is read from .git/index as data; git itself is not run,
 * because the repository says what git runs.
 */
#include "base/arena.h"
#include "base/json.h"

struct git_tracked {
	struct str *at; /* relative to the top of the repository */
	size_t count;
	bool has_more;  /* than are listed */
	bool has_rules; /* some rule denies a path for reading */
};

/*
 * rules: the settings' list of permission rules, JSON.  Looks from cwd up for
 * the repository; no repository, or an index that cannot be read: none.
 */
void git_tracked_denied(struct arena *mem, struct str cwd, struct str home, struct str rules,
                        struct git_tracked *ret);

/*
 * Adds those of the names (relative to top, from git's history) that the rules deny, to what
 * git_tracked_denied() has found.
 */
void git_tracked_names(struct arena *mem, struct str cwd, struct str home, struct str rules,
                       struct str top, struct json names, struct git_tracked *ret);

#endif
