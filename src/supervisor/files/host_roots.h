#ifndef SUPERVISOR_FILES_HOST_ROOTS_H
#define SUPERVISOR_FILES_HOST_ROOTS_H
/*
 * Which directories of this machine sandboxes show by default: those of the
 * fixed lists that exist.  probe.h puts them into struct sandbox_host.
 */
#include "sandbox/sandbox_host.h"

/* What programs need of the system (catalog/system_paths.json). */
struct sandbox_paths host_roots_system(struct arena *mem);
/* Compilers and interpreters in the home directory. */
struct sandbox_paths host_roots_tools(struct arena *mem, struct str home);
/* Added in tiers that build no root file system and so cannot make these files up. */
struct sandbox_paths host_roots_plain(struct arena *mem);
/* What this program needs beyond the system's roots, its own file first. */
struct sandbox_paths host_roots_own(struct arena *mem);

#endif
