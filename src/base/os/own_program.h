#ifndef BASE_OS_OWN_PROGRAM_H
#define BASE_OS_OWN_PROGRAM_H
/*
 * The path of the program that runs, to start it again.
 *
 * Programs of the portable tarball run under a loader that comes with them, so
 * that /proc/self/exe is the loader.  Their launcher passes its own absolute path
 * as argv[0].
 */
#include <limits.h>
#include <stdbool.h>

/* Whether a loader was started with this program as its argument. */
bool own_program_is_portable(void);
/* Into room, which it returns; "/proc/self/exe" if the file is gone, after an upgrade, say. */
const char *own_program_path(char room[PATH_MAX]);

#endif
