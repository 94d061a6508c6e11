#ifndef SUPERVISOR_PROGRAM_H
#define SUPERVISOR_PROGRAM_H
/*
 * What main() knows of this process and its children use later.  Set once,
 * before anything is started.
 */
#include "base/util.h"

#include <sys/types.h>

/* The user's umask, for files that commands and file tools make; the supervisor's own is 077. */
extern mode_t program_umask;

/* Remembers where the arguments are. */
void program_keep_title(int argc, char **argv);
/* Shows another name in lists of processes; does nothing where there is no space for it. */
void program_set_title(const char *title);

#endif
