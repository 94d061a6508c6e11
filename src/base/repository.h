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

/* Exposed for tests: does a text of git settings name a program that a reading command runs? */
bool repository_config_runs_code(struct str text);

#endif
