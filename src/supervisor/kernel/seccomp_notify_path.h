#ifndef SUPERVISOR_KERNEL_SECCOMP_NOTIFY_PATH_H
#define SUPERVISOR_KERNEL_SECCOMP_NOTIFY_PATH_H
/*
 * Calls that change a path (open for writing, mkdir, rename, unlink, link, symlink, truncate, and
 * its mode, owner, times and attributes).  The filter holds them so that refusals of the sandbox
 * can be reported; then the kernel continues the call and refuses it by itself.  The caller can
 * change the path between this look and the kernel's, so nothing depends on what is seen here,
 * with one exception: a name that does not exist yet and that is protected, or that a deny rule's
 * pattern covers, is refused here, because no mount can cover what does not exist.  Two threads
 * that swap the path in between get past that; the most important names have placeholders
 * (supervisor/files/protected_paths.h) and do not depend on it, and neither does a file that a
 * person lets a file tool write or delete (supervisor/files/approved_files.h).  A protected file
 * that a program outside replaces while the sandbox runs does.
 *
 * The init sees the same tree as the command.  What is on a read-only mount, or is a mount
 * itself, cannot be changed; in tiers without namespaces the real path is compared with the plan.
 */
#include "supervisor/sandbox.h"

#include <linux/seccomp.h>

/* The calls, by name: for the filter.  NULL at the end. */
struct seccomp_notify_path_call {
	const char *name;
	int dir_arg, path_arg;        /* -1: relative to the working directory */
	int other_dir_arg, other_arg; /* a second path, or -1 */
	int from_dir_arg, from_arg;   /* the source of a hard link, or -1 */
	int flags_arg;                /* of an open: only with flags that write; else -1 */
	int nofollow_arg;             /* flags with AT_SYMLINK_NOFOLLOW; or -1 */
	bool creates, keeps_link;     /* what is not there is made; a link itself is meant */
	bool is_metadata;             /* mode, owner, times, attributes of what is there */
};
#define SECCOMP_NOTIFY_PATH_NEVER_FOLLOWS (-2)
extern const struct seccomp_notify_path_call seccomp_notify_path_calls[];
/* Flags that make an open one that writes. */
extern const uint64_t seccomp_notify_path_write_flags[];
extern const size_t seccomp_notify_path_write_flag_count;

/* Is it one of them? */
bool seccomp_notify_path_is(const struct seccomp_data *call);
/*
 * Fills r when the sandbox refuses the call.  *ret_err: the errno to answer with instead of
 * letting the kernel continue, or 0.
 */
bool seccomp_notify_path_evaluate(const struct sandbox_plan *p, pid_t pid,
                                  const struct seccomp_data *call, struct report *r, int *ret_err);

#endif
