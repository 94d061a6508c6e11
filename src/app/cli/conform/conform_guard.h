#ifndef APP_CONFORM_GUARD_H
#define APP_CONFORM_GUARD_H
/*
 * Work in a temporary directory that leaves nothing behind, also when a signal ends it: no
 * daemon, no directory.
 */
#include "app/cli/cli.h"

/*
 * Makes the temporary directory, does the work in another process, ends what is left of it and
 * removes the directory.  Returns the code of the work, or 128 and the number of the signal.
 */
int conform_guard(struct cli *c, int (*work)(struct cli *c, void *arg), void *arg);

#endif
