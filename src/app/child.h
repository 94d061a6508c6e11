#ifndef APP_CHILD_H
#define APP_CHILD_H
/* Starts a program from a process that blocks signals. */
#include <spawn.h>

/*
 * Starts argv[0], found in PATH unless it has a slash, or `path` instead if that is not NULL, with the
 * environment of this process.  No signal is blocked in the child.  files may be NULL.  Returns 0 and the process,
 * or the number of the error.
 */
int child_start(const char *path, char *const argv[], const posix_spawn_file_actions_t *files,
                pid_t *ret);

#endif
