#ifndef SUPERVISOR_KERNEL_SECCOMP_NOTIFY_H
#define SUPERVISOR_KERNEL_SECCOMP_NOTIFY_H
/*
 * Calls that the filter held: evaluated, answered, counted.
 *
 * The same call to the same place is reported once when it first happens and once more, with its
 * count, at the end; a program that tries forever costs a table of fixed size.
 */
#include "supervisor/files/rootfs.h"
#include "supervisor/sandbox.h"

#define SECCOMP_NOTIFY_DISTINCT_MAX 64

struct seccomp_notify {
	const struct sandbox_plan *plan;
	int listener; /* -1: none */
	/* /proc/loadavg, which shows the last pid of the reader's namespace; or -1 */
	int last_pid_fd;
	const struct rootfs_masks *masks; /* over denied paths; NULL: none */
	void (*tell)(void *arg, const struct report *r);
	void *arg;
	/* at most SECCOMP_NOTIFY_DISTINCT_MAX; their count: not reported yet */
	struct report *seen;
	size_t count;
	struct report others; /* counts those that found no row any more */
};

/* Before the new root is entered: opens what is needed of the host's /proc. */
void seccomp_notify_begin(struct seccomp_notify *n);
/* The listener is readable. */
void seccomp_notify_handle(struct seccomp_notify *n);
/* A mask was opened. */
void seccomp_notify_masks(struct seccomp_notify *n);
/* Reports what was counted since the first reports, and closes the listener. */
void seccomp_notify_end(struct seccomp_notify *n);

#endif
