#ifndef SUPERVISOR_KERNEL_CGROUP_H
#define SUPERVISOR_KERNEL_CGROUP_H
/*
 * A cgroup v2 for each sandbox, where such a directory was delegated to us with
 * the memory or pids controller: then the kernel keeps these two limits for
 * the tree as a whole, otherwise the sandbox's init watches them.
 */
#include "supervisor/probe.h"

/*
 * Once, before anything else is started: where the group of this process was
 * left to its service by systemd, all its processes move to a group below,
 * because only a group without processes can hand controllers down.
 */
void cgroup_settle(void);

/* Fills the cgroup members of h.  dir NULL: the directory that this process is in. */
void cgroup_probe(struct arena *mem, const char *dir, struct host *h);

/* *ret is absent and *ret_fd is -1 when there is no delegated group or no limit to set. */
enum err cgroup_make(struct arena *mem, const struct host *h, const struct sandbox_plan *p,
                     struct str *ret, int *ret_fd, struct error *e) MUST_USE;
/* Was a process refused because there were as many as there may be? */
bool cgroup_was_full(struct str path);
/* Kills what is left in it first. */
void cgroup_remove(struct str *path, int *fd);

#endif
