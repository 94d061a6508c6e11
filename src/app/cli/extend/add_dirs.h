#ifndef APP_ADD_DIRS_H
#define APP_ADD_DIRS_H
/*
 * --add-dir DIR: directories that are part of a session's workspace beside its
 * own.  They are resolved here, because a relative path is the user's.
 */
#include "app/cli/cli.h"

/* Resolves what was given.  CODE_USAGE after printing which one is no directory. */
int add_dirs_check(struct cli *c);
/* Adds them to the session; the connection is open. */
int add_dirs_send(struct cli *c, struct str session);

#endif
