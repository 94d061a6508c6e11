#ifndef SUPERVISOR_KERNEL_PROCESS_TREE_H
#define SUPERVISOR_KERNEL_PROCESS_TREE_H
/*
 * The descendants of a process, as /proc shows them.
 *
 * A process that double-forks and calls setsid() leaves its session and its group, but not the
 * tree: an orphan becomes a child of the nearest subreaper.  So a subreaper that has no children
 * left has no descendants at all; process_tree_kill() waits for that.
 */
#include "base/util.h"

#include <sys/types.h>

struct process_tree_member {
	pid_t pid;
	uint64_t start; /* clock ticks since boot: distinguishes a reused pid */
};

struct process_tree {
	struct process_tree_member *at;
	size_t count;
};

/* All descendants of root.  False when /proc cannot be read; free with process_tree_done(). */
bool process_tree_of(pid_t root, struct process_tree *ret);
void process_tree_done(struct process_tree *l);

/* Sends to each that is still the same process. */
void process_tree_signal(const struct process_tree *l, int signum);

/* Memory of their own, in bytes: resident without what is shared. */
int64_t process_tree_memory(const struct process_tree *l);

/* One child whose end matters. */
struct process_tree_child {
	pid_t pid;
	bool is_reaped;
	int status; /* as of waitpid() */
};

/* Reaps all dead children.  False when no child is left. */
bool process_tree_reap(struct process_tree_child *child);

/*
 * Kills all descendants of the calling process and reaps them, for at most
 * timeout_ms.  Returns how many are left: 0 is verified.
 */
size_t process_tree_kill(struct process_tree_child *child, int timeout_ms);

#endif
