#ifndef SUPERVISOR_KERNEL_CAPABILITIES_H
#define SUPERVISOR_KERNEL_CAPABILITIES_H
/* What a process gives up before it becomes the command. */
#include "sandbox/sandbox_plan.h"

/*
 * All capabilities, from every set, with the bits locked that would bring
 * them back (uid 0 counts for nothing), and no_new_privs.
 */
enum err capabilities_drop(struct error *e) MUST_USE;

/* What capabilities_drop() can do for one that keeps uid 0: the capability to set these bits. */
bool capabilities_can_lock_root(void);
bool capabilities_has(int capability); /* in the effective set */

/*
 * Resource limits of the plan.  processes_before is how many processes of the user already count
 * against the same limit.  by_process limits the memory of each process where nothing limits the
 * sum; that counts reserved memory, so programs with large empty maps (sanitizers) fail under it.
 */
enum err capabilities_limit(const struct sandbox_plan *p, int64_t processes_before, bool by_process,
                            struct error *e) MUST_USE;

/* As many descriptors for this program as it may have; commands get what we were given. */
void capabilities_raise_files(void);

#endif
