#ifndef SUPERVISOR_KERNEL_PROCESS_TREE_H
#define SUPERVISOR_KERNEL_PROCESS_TREE_H
/*
 * The descendants of a process, as /proc tells.
 *
 * A process that double-forks and calls setsid() leaves its session and its
 * group, but not its line: an orphan goes to the nearest subreaper.  So a
 * subreaper that has no children left has no descendants at all; that is
 * what kin_end() waits for.
 */
#include "base/util.h"

#include <sys/types.h>

struct kin {
	pid_t pid;
	uint64_t start; /* clock ticks since boot: tells a reused number */
};

struct kin_list {
	struct kin *at;
	size_t count;
};

/* All descendants of root.  False when /proc cannot be read; free with kin_done(). */
bool kin_of(pid_t root, struct kin_list *ret);
void kin_done(struct kin_list *l);

/* Sends to each that is still the same process. */
void kin_signal(const struct kin_list *l, int signum);

/* Memory of their own, in bytes: resident without what is shared. */
int64_t kin_memory(const struct kin_list *l);

/* One child whose end matters. */
struct kin_child {
	pid_t pid;
	bool is_reaped;
	int status; /* as of waitpid() */
};

/* Reaps whoever is dead.  False when no child is left. */
bool kin_reap(struct kin_child *child);

/*
 * Kills all descendants of the calling process and reaps them, for at most
 * timeout_ms.  Returns how many are left: 0 is verified.
 */
size_t kin_end(struct kin_child *child, int timeout_ms);

#endif
