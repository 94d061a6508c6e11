#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H
/* Which files this process sees. */
#include "base/arena.h"
#include "base/str.h"

/*
 * A word that two processes share if they see the same files: on one machine since its boot, in
 * the same mount namespace, with the same root.  The kernel may give the number of a mount namespace
 * again after its end.  Absent: it cannot be told.
 */
struct str machine_files(struct arena *mem);

#endif
