#ifndef SUPERVISOR_KERNEL_SECCOMP_NOTIFY_WALK_H
#define SUPERVISOR_KERNEL_SECCOMP_NOTIFY_WALK_H
/*
 * Opens what a path means for another process that sees the same tree.
 *
 * Most paths mean the same for every process.  Those through /proc/self, /dev/fd and links to them
 * do not: /proc/self/cwd is the directory of the process that looks.  So they are followed name by
 * name, and `self` in the root of a procfs is taken as the other process.
 */
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The kernel's limit of symbolic links in one path (MAXSYMLINKS). */
#define SECCOMP_NOTIFY_WALK_LINKS 40

struct seccomp_notify_walk {
	int parent; /* the directory of the last name; -1: it is not there */
	int self;   /* -1: it is not there */
	char name[NAME_MAX +
	          1]; /* the last name, after all links; empty: the path is a directory */
};

/*
 * From base, or from the root if the path begins with a slash.  follows: a link at the end is
 * followed, as far as it leads somewhere.  The caller closes both descriptors.
 */
void seccomp_notify_walk(pid_t pid, int base, const char *path, bool follows,
                         struct seccomp_notify_walk *ret);

#endif
