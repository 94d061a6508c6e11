#ifndef SUPERVISOR_KERNEL_SECCOMP_NOTIFY_H
#define SUPERVISOR_KERNEL_SECCOMP_NOTIFY_H
/*
 * Calls that the filter held: judged, answered, counted.
 *
 * The same call to the same place is told once when it first happens and
 * once more, with its count, at the end; a program that tries for ever costs
 * a table of fixed size.
 */
#include "supervisor/sandbox.h"
#include "supervisor/files/rootfs.h"

#define NOTIFY_DISTINCT_MAX 64

struct notify {
	const struct sandbox_plan *plan;
	int listener;    /* -1: nobody to listen to */
	int last_pid_fd; /* of /proc/loadavg, which tells a reader its own namespace's; or -1 */
	const struct tree_masks *masks; /* over denied paths; NULL: none */
	void (*tell)(void *arg, const struct report *r);
	void *arg;
	struct report *seen; /* at most NOTIFY_DISTINCT_MAX; their count: not told yet */
	size_t count;
};

/* Before the sandbox's own /proc stands: what is needed of the host's. */
void notify_begin(struct notify *n);
/* The listener is readable. */
void notify_handle(struct notify *n);
/* A mask was opened. */
void notify_masks(struct notify *n);
/* Tells what was counted since; the listener is closed. */
void notify_end(struct notify *n);

#endif
