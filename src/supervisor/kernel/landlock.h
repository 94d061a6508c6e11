#ifndef SUPERVISOR_KERNEL_LANDLOCK_H
#define SUPERVISOR_KERNEL_LANDLOCK_H
/*
 * Landlock: rules over file hierarchies, TCP ports, signals and abstract sockets that a process
 * applies to itself and cannot remove.
 *
 * The ABI number says what a kernel supports.  Rights newer than the kernel are left out of the
 * ruleset, so the same ruleset means less on an older one; probe_gaps() in probe.h says what.
 */
#include "sandbox/sandbox_plan.h"

/* 0 when the kernel has none. */
int landlock_abi(void);

/*
 * Restricts the calling process to the roots of the plan.  no_new_privs must be set, and with
 * namespaces the process must be in its new root, where one rule allows reading everything.  tty
 * is a terminal that it may use, or NULL.  On failure the error names the rule.
 */
enum err landlock_apply(const struct sandbox_plan *p, int abi, const char *tty,
                        struct error *e) MUST_USE;

#endif
