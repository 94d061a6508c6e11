/*
 * Finds descendants in /proc and kills them, again and again until none is
 * left: a process can fork while the list is read.
 */
#include "supervisor/kernel/process_tree.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/sys.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* One process of /proc.  `start` distinguishes a process from a later one with the same pid. */
struct entry {
	pid_t pid, parent;
	uint64_t start;
	bool is_descendant;
};

/* The small text files of /proc/PID. */
static bool read_proc(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
	FD_SCOPE fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (len <= 0)
		return false;
	buf[len] = '\0';
	return true;
}

static bool read_stat(pid_t pid, struct entry *ret)
{
	char buf[512];
	unsigned long long start;
	int parent;
	/* the name may hold spaces and parentheses; what follows the last one does not */
	char *rest = read_proc(pid, "stat", buf, sizeof buf) ? strrchr(buf, ')') : NULL;

	if (!rest ||
	    sscanf(rest + 1,
	           " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
	           "%*d %llu",
	           &parent, &start) != 2)
		return false;
	*ret = (struct entry){ .pid = pid, .parent = parent, .start = start };
	return true;
}

/*
 * A snapshot that is not atomic: processes may appear and end while it is read.  Callers repeat.
 */
static struct entry *read_all(size_t *ret_count)
{
	DIR *dir = opendir("/proc");
	struct entry *all = NULL;
	size_t count = 0, cap = 0;
	struct dirent *d;

	*ret_count = 0;
	if (!dir)
		return NULL;
	while ((d = readdir(dir))) {
		int pid = atoi(d->d_name);

		if (pid <= 0)
			continue;
		if (count == cap) {
			cap = cap ? 2 * cap : 64;
			all = memory_resize(all, cap * sizeof *all);
		}
		if (read_stat(pid, &all[count]))
			count++;
	}
	closedir(dir);
	*ret_count = count;
	return all;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct entry *)a)->pid, y = ((const struct entry *)b)->pid;

	return x < y ? -1 : x > y;
}

static bool has_descendant_parent(const struct entry *all, size_t count, pid_t parent, pid_t root)
{
	struct entry key = { .pid = parent };
	const struct entry *found =
		parent == root ? NULL : bsearch(&key, all, count, sizeof *all, by_pid);

	return parent == root || (found && found->is_descendant);
}

/*
 * Marks children of marked processes until a pass finds no new one.  A child may have a lower pid
 * than its parent after the numbers wrapped around, so one pass is not enough.
 */
bool process_tree_of(pid_t root, struct process_tree *ret)
{
	size_t count;
	struct entry *all = read_all(&count);
	bool more = true;

	*ret = (struct process_tree){ 0 };
	if (!count)
		return false;
	qsort(all, count, sizeof *all, by_pid);
	while (more) {
		more = false;
		for (size_t i = 0; i < count; i++)
			if (!all[i].is_descendant &&
			    has_descendant_parent(all, count, all[i].parent, root)) {
				all[i].is_descendant = more = true;
				ret->count++;
			}
	}
	ret->at = memory_zeroed(ret->count + 1, sizeof *ret->at);
	for (size_t i = 0, n = 0; i < count; i++)
		if (all[i].is_descendant)
			ret->at[n++] = (struct process_tree_member){ all[i].pid, all[i].start };
	free(all);
	return true;
}

void process_tree_done(struct process_tree *l)
{
	free(l->at);
	*l = (struct process_tree){ 0 };
}

void process_tree_signal(const struct process_tree *l, int signum)
{
	for (size_t i = 0; i < l->count; i++) {
		FD_SCOPE fd = sys_pidfd_open(l->at[i].pid);
		struct entry now;

		/*
		 * the pidfd refers to one process; if its start time is the expected one, the
		 * signal hits that one
		 */
		if (fd >= 0 && read_stat(l->at[i].pid, &now) && now.start == l->at[i].start)
			sys_pidfd_signal(fd, signum);
	}
}

/* Shared pages are left out, because forked processes would count the same page many times. */
int64_t process_tree_memory(const struct process_tree *l)
{
	long page = sysconf(_SC_PAGESIZE);
	int64_t sum = 0;

	for (size_t i = 0; i < l->count; i++) {
		long size, resident, shared;
		char buf[128];

		if (read_proc(l->at[i].pid, "statm", buf, sizeof buf) &&
		    sscanf(buf, "%ld %ld %ld", &size, &resident, &shared) == 3 && resident > shared)
			sum += (int64_t)(resident - shared) * page;
	}
	return sum;
}

/*
 * __WALL, because the command may have cloned children without SIGCHLD, which waitpid() skips
 * otherwise.
 */
bool process_tree_reap(struct process_tree_child *child)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);

		if (pid == 0)
			return true;
		if (pid < 0 && errno != EINTR)
			return false;
		if (pid > 0 && pid == child->pid) {
			child->is_reaped = true;
			child->status = status;
		}
	}
}

/*
 * The calling process is a subreaper: an orphan of the tree becomes its child.  The loop ends
 * when waitpid() reports that no child is left, which proves that no descendant is left either.
 */
size_t process_tree_kill(struct process_tree_child *child, int timeout_ms)
{
	int64_t end = clock_mono_ms() + timeout_ms;

	while (process_tree_reap(child)) {
		struct process_tree l;

		if (!process_tree_of(getpid(), &l))
			return 1;

		size_t count = l.count;

		/* stopped first, because a stopped process cannot fork between the two signals */
		process_tree_signal(&l, SIGSTOP);
		process_tree_signal(&l, SIGKILL);
		process_tree_done(&l);
		if (!process_tree_reap(child))
			return 0;
		if (clock_mono_ms() >= end)
			return count ? count : 1;
		poll(NULL, 0, 1);
	}
	return 0;
}
