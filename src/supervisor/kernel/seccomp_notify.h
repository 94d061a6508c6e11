#ifndef SUPERVISOR_KERNEL_SECCOMP_NOTIFY_H
#define SUPERVISOR_KERNEL_SECCOMP_NOTIFY_H
/*
 * Calls that the filter held: judged, answered, counted.
 *
 * The same call to the same place is reported once when it first happens and
 * once more, with its count, at the end; a program that tries for ever costs
 * a table of fixed size.
 */
#include "supervisor/files/rootfs.h"
#include "supervisor/sandbox.h"

#define SECCOMP_NOTIFY_DISTINCT_MAX 64

struct seccomp_notify {
	const struct sandbox_plan *plan;
	int listener;    /* -1: none */
	int last_pid_fd; /* of /proc/loadavg, which tells a reader its own namespace's; or -1 */
	const struct rootfs_masks *masks; /* over denied paths; NULL: none */
	void (*tell)(void *arg, const struct report *r);
	void *arg;
	struct report *seen; /* at most SECCOMP_NOTIFY_DISTINCT_MAX; their count: not told yet */
	size_t count;
};

/* Before the sandbox's own /proc stands: what is needed of the host's. */
void seccomp_notify_begin(struct seccomp_notify *n);
/* The listener is readable. */
void seccomp_notify_handle(struct seccomp_notify *n);
/* A mask was opened. */
void seccomp_notify_masks(struct seccomp_notify *n);
/* Tells what was counted since; the listener is closed. */
void seccomp_notify_end(struct seccomp_notify *n);

#endif
