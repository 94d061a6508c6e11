#ifndef BASE_REPOSITORY_H
#define BASE_REPOSITORY_H
/*
 * What git would run by itself in a directory.
 *
 * A repository that came with the workspace, or lies nested in it, brings
 * settings of its own: file system monitors, text conversions, external
 * differences, filters, hooks.  git runs them when it only looks.  The settings
 * are read here without running git; settings that cannot be read plainly
 * (links, includes, more than a bound) count as if they named a program.
 */
#include "base/str.h"

/* Of the repository that git finds from this absolute directory, and of its submodules. */
bool repository_runs_code(void *owner, struct str dir);

/* Are there hooks in its own directory that a changing command may run? */
bool repository_runs_hooks(void *owner, struct str dir);

/*
 * Programs that git runs by name for files of some kind: filters, text
 * conversions and commands that show differences.
 */
#define REPOSITORY_DRIVERS_MAX 32

enum repository_driver_kind { REPOSITORY_FILTER = 1, REPOSITORY_TEXTCONV, REPOSITORY_DIFF };

struct repository_driver {
	enum repository_driver_kind kind;
	bool is_users;  /* from the settings in the home directory, which a sandbox may not show */
	char name[128]; /* empty: diff.external */
};

/* Those of the repository that git finds from dir, and of the user. Included files are not read. */
size_t repository_drivers(struct str dir, const char *home,
                          struct repository_driver ret[REPOSITORY_DRIVERS_MAX]);

/* Exposed for tests: does a text of git settings name a program that a reading command runs? */
bool repository_config_runs_code(struct str text);

#endif
