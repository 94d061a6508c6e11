/*
 * A cgroup for each sandbox below a delegated directory.  Without one the init of the sandbox
 * checks the limits instead.
 */
#include "supervisor/kernel/cgroup.h"

#include "base/os/sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>

/* The group for the daemon and its supervisor, below the delegated one. */
#define OWN_GROUP "/thole-own"
/*
 * A process may fork while the list of processes is read; each round moves those that are left.
 */
#define ROUNDS_MAX 16

static bool read_text(const char *path, char *buf, size_t size)
{
	FD_SCOPE fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (len < 0)
		return false;
	buf[len] = '\0';
	return true;
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || at[-1] == ' ') &&
		    (!at[len] || at[len] == ' ' || at[len] == '\n'))
			return true;
	return false;
}

/* Where this process is in the unified hierarchy. */
static struct str own_dir(struct arena *mem)
{
	char text[4096];
	char *line =
		read_text("/proc/self/cgroup", text, sizeof text) ? strstr(text, "0::/") : NULL;

	if (!line || (line != text && line[-1] != '\n'))
		return STR_NONE;
	line += strlen("0::");
	line[strcspn(line, "\n")] = '\0';
	return arena_printf(mem, "/sys/fs/cgroup%s", strcmp(line, "/") ? line : "");
}

static bool put_text(struct arena *mem, struct str dir, const char *name, struct str text)
{
	FD_SCOPE fd = open(arena_printf(mem, "%s/%s", dir.ptr, name).ptr, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len;
}

/* systemd marks the groups that it leaves to a service (Delegate=yes). */
static bool is_delegated(struct str dir)
{
	char value[8];

	return getxattr(dir.ptr, "user.delegate", value, sizeof value) == 1 && value[0] == '1';
}

/* Moves the processes that were there when it was read; true: there were none. */
static bool move_some(struct arena *mem, struct str from, struct str to)
{
	char text[4096];
	struct str rest;

	if (!read_text(arena_printf(mem, "%s/cgroup.procs", from.ptr).ptr, text, sizeof text))
		return false;
	rest = str_from(text);
	for (struct str pid; rest.len && (pid = str_cut(&rest, '\n')).len;)
		(void)put_text(mem, to, "cgroup.procs", pid);
	return !*text;
}

/*
 * cgroup v2 gives controllers only to children of a group without processes of its own, so the
 * processes of the service move down first.
 */
void cgroup_settle(void)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str base = own_dir(mem), own;
	bool is_empty = false;

	if (!str_is(base) || !is_delegated(base))
		return;
	own = arena_printf(mem, "%s" OWN_GROUP, base.ptr);
	if (mkdir(own.ptr, 0755) < 0 && errno != EEXIST)
		return;
	for (int i = 0; i < ROUNDS_MAX && !is_empty; i++)
		is_empty = move_some(mem, base, own);
	/* one by one, because one refused controller would refuse both */
	(void)put_text(mem, base, "cgroup.subtree_control", STR("+memory"));
	(void)put_text(mem, base, "cgroup.subtree_control", STR("+pids"));
}

/* The group that sandboxes go below. */
static struct str base_dir(struct arena *mem)
{
	struct str dir = own_dir(mem);
	size_t own = strlen(OWN_GROUP);

	if (dir.len > own && str_eq(str_skip(dir, dir.len - own), STR(OWN_GROUP)))
		return arena_keep(mem, str_head(dir, dir.len - own));
	return dir;
}

void cgroup_probe(struct arena *mem, const char *dir, struct host *h)
{
	struct str base = dir ? arena_keep(mem, str_from(dir)) : base_dir(mem);
	char text[512];

	if (!str_is(base) || access(base.ptr, W_OK) < 0)
		return;
	/*
	 * Only controllers that are already enabled for children: groups of other services are
	 * not rearranged.
	 */
	if (!read_text(arena_printf(mem, "%s/cgroup.subtree_control", base.ptr).ptr, text,
	               sizeof text))
		return;
	h->cgroup_memory = has_word(text, "memory");
	h->cgroup_pids = has_word(text, "pids");
	if (h->cgroup_memory || h->cgroup_pids)
		h->cgroup = base;
}

static bool set(struct arena *mem, struct str dir, const char *name, int64_t value)
{
	FD_SCOPE fd = open(arena_printf(mem, "%s/%s", dir.ptr, name).ptr, O_WRONLY | O_CLOEXEC);
	char text[32];
	int len = snprintf(text, sizeof text, "%lld\n", (long long)value);

	return fd >= 0 && write(fd, text, (size_t)len) == len;
}

/*
 * pids.max is one higher than the limit, because the init is in the group too.  *ret is set as
 * soon as the directory exists, so that the caller's cleanup removes it after a later failure.
 */
enum err cgroup_make(struct arena *mem, const struct host *h, const struct sandbox_plan *p,
                     struct str *ret, int *ret_fd, struct error *e)
{
	static unsigned counter;
	bool memory = h->cgroup_memory && p->limits.max_memory_bytes;
	bool pids = h->cgroup_pids && p->limits.max_processes;

	if (!str_is(h->cgroup) || (!memory && !pids))
		return OK;

	struct str dir = arena_printf(mem, "%s/thole-%d-%u", h->cgroup.ptr, getpid(), ++counter);

	if (mkdir(dir.ptr, 0700) < 0)
		return fail_errno(e, ERR_IO, "cgroup %s", dir.ptr);
	*ret = dir;
	if ((memory && !set(mem, dir, "memory.max", p->limits.max_memory_bytes)) ||
	    (pids && !set(mem, dir, "pids.max", p->limits.max_processes + 1)))
		return fail_errno(e, ERR_IO, "limits of cgroup %s", dir.ptr);
	if (memory)
		set(mem, dir, "memory.swap.max", 0); /* absent where swap is not accounted */
	*ret_fd = open(dir.ptr, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*ret_fd < 0)
		return fail_errno(e, ERR_IO, "cgroup %s", dir.ptr);
	return OK;
}

/* pids.events counts the forks that the kernel refused.  Read before the group is removed. */
bool cgroup_was_full(struct str path)
{
	char file[4200], text[64];
	unsigned long long refused;

	if (!str_is(path))
		return false;
	snprintf(file, sizeof file, "%s/pids.events", path.ptr);
	return read_text(file, text, sizeof text) && sscanf(text, "max %llu", &refused) == 1 &&
	       refused > 0;
}

void cgroup_remove(struct str *path, int *fd)
{
	sys_close(fd);
	if (!str_is(*path))
		return;

	char kill_file[4200];

	snprintf(kill_file, sizeof kill_file, "%s/cgroup.kill", path->ptr);
	FD_SCOPE k = open(kill_file, O_WRONLY | O_CLOEXEC);

	if (k >= 0)
		(void)!write(k, "1", 1);
	/*
	 * the group may still have processes for a moment, then rmdir() fails; an empty group
	 * costs little
	 */
	rmdir(path->ptr);
	*path = STR_NONE;
}
