#ifndef BASE_REPOSITORY_H
#define BASE_REPOSITORY_H
/*
 * Programs that git would run by itself in a directory.
 *
 * The settings of a repository in the workspace can name programs: file system
 * monitors, text conversions, external diff tools, filters, hooks.  git runs
 * them even for reading commands.  The settings are read here without running
 * git; settings that cannot be read plainly (links, includes, above a limit)
 * count as if they named a program.
 */
#include "base/str.h"

/* For the repository that git finds from this absolute directory, and its submodules. */
bool repository_runs_code(void *owner, struct str dir);

/* Whether the repository has hooks that a modifying command may run. */
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

/* Settings of the user that say nothing about programs; empty: not set. */
struct repository_user {
	char name[256], email[256], branch[128];
};

/* From .gitconfig and .config/git/config below home.  Included files are not read. */
void repository_user(const char *home, struct repository_user *ret);
/* Do the settings of the repository or of the user ask for signed commits? */
bool repository_signs(struct str dir, const char *home);

/* Exposed for tests: whether git settings name a program that a reading command runs. */
bool repository_config_runs_code(struct str text);

#endif
