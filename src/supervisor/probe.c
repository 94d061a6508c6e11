/*
 * Tries in children what this machine allows: namespaces, mounts, seccomp
 * listeners, mapped owners.  Nothing is assumed from version numbers.
 */
#include "supervisor/probe.h"

#include "base/jw.h"
#include "base/os/sys.h"
#include "supervisor/files/host_roots.h"
#include "supervisor/kernel/capabilities.h"
#include "supervisor/kernel/cgroup.h"
#include "supervisor/kernel/landlock.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* What a child managed to do, as bits of its exit code. */
enum { CAN_MAP = 1, CAN_MOUNT = 2, CAN_PROC = 4, CAN_LISTEN = 8 };

static bool write_self(const char *path, const char *text)
{
	FD_SCOPE fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* fsmount() without attaching: the probe leaves no mount behind. */
static bool can_make(const char *type)
{
	FD_SCOPE fs = fsopen(type, FSOPEN_CLOEXEC);
	FD_SCOPE fd = -1;

	if (fs >= 0 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fd = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID);
	return fd >= 0;
}

/*
 * In the child, inside its new namespaces.  Making a proc instance needs the pid namespace too,
 * and is refused where the host's /proc is partly masked (containers).
 */
static int try_namespaces(uid_t uid, gid_t gid)
{
	char uids[32], gids[32];
	int can = 0;

	snprintf(uids, sizeof uids, "1000 %u 1\n", uid);
	snprintf(gids, sizeof gids, "1000 %u 1\n", gid);
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	if (write_self("/proc/self/setgroups", "deny") && write_self("/proc/self/uid_map", uids) &&
	    write_self("/proc/self/gid_map", gids))
		can |= CAN_MAP;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && can_make("tmpfs"))
		can |= CAN_MOUNT;
	if (can_make("proc"))
		can |= CAN_PROC;
	return can;
}

/*
 * The kernel allows one listener per chain of filters, so a process inside another sandbox that
 * has one cannot add a second.
 */
static int try_listener(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = { 1, &allow };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return sys_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog) >= 0
	               ? CAN_LISTEN
	               : 0;
}

/* The bits that the child found, or -1 if it could not be cloned. */
static int in_child(uint64_t flags, uid_t uid, gid_t gid)
{
	struct clone_args args = { .flags = flags, .exit_signal = SIGCHLD };
	pid_t pid = (pid_t)sys_clone3(&args);
	int status;

	if (pid == 0)
		_exit(flags ? try_namespaces(uid, gid) : try_listener());
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Only real root may create idmapped mounts, and only on file systems that support them. */
static bool can_idmap(void)
{
	struct clone_args args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	/* the file system of / is tried here; each root is tried again when it is used */
	FD_SCOPE dir = open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	FD_SCOPE ns = -1;
	char path[64];
	bool can = false;

	if (dir < 0)
		return false;

	pid_t pid = (pid_t)sys_clone3(&args);

	if (pid == 0)
		for (;;)
			pause();
	if (pid < 0)
		return false;
	snprintf(path, sizeof path, "/proc/%d/uid_map", pid);
	can = write_self(path, "0 61183 1\n");
	snprintf(path, sizeof path, "/proc/%d/gid_map", pid);
	can = can && write_self(path, "0 61183 1\n");
	snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
	ns = open(path, O_RDONLY | O_CLOEXEC);

	struct mount_attr attr = { .attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)ns };

	can = can && ns >= 0 && mount_setattr(dir, "", AT_EMPTY_PATH, &attr, sizeof attr) == 0;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return can;
}

/*
 * Mount targets are opened with openat2() while a sandbox is built; some seccomp filters answer
 * ENOSYS.
 */
static bool can_openat2(void)
{
	FD_SCOPE fd = sys_openat2(AT_FDCWD, "/", O_PATH | O_CLOEXEC, RESOLVE_NO_SYMLINKS);

	return fd >= 0;
}

/*
 * A file of the kernel's /proc belongs to the host's root.  In a user namespace of a container
 * its owner appears as the overflow uid, even if this process is called uid 0.
 */
static bool is_real_root(uid_t uid)
{
	struct stat st;

	return stat("/proc/sys/kernel/ostype", &st) < 0 ? uid == 0 : st.st_uid == uid;
}

static void probe_namespaces(struct host *h)
{
	const uint64_t all = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
	                     CLONE_NEWUTS | CLONE_NEWCGROUP;
	int can = in_child(all | CLONE_NEWNET, h->uid, h->gid);

	if (can >= 0) {
		h->user_ns = can & CAN_MAP;
		h->mount_ns = can & CAN_MOUNT;
		h->own_proc = can & CAN_PROC;
		h->pid_ns = h->net_ns = true;
		return;
	}
	/* for the report only */
	h->user_ns = in_child(CLONE_NEWUSER, h->uid, h->gid) > 0;
	h->pid_ns = in_child(CLONE_NEWUSER | CLONE_NEWPID, h->uid, h->gid) > 0;
	h->net_ns = in_child(CLONE_NEWUSER | CLONE_NEWNET, h->uid, h->gid) > 0;
	h->mount_ns = in_child(CLONE_NEWUSER | CLONE_NEWNS, h->uid, h->gid) > 0;
}

static bool has_namespaces(const struct host *h)
{
	return h->openat2 && h->user_ns && h->mount_ns && h->pid_ns && h->net_ns && h->seccomp;
}

/*
 * For real root the namespace tiers need idmapped mounts, otherwise its files could not be shown
 * to a process that is not root; namespaces-root is the fallback.
 */
bool probe_has_tier(const struct host *h, enum sandbox_tier t)
{
	bool landlock = h->landlock_abi > 0 && h->seccomp;
	bool spaces = has_namespaces(h) && (!h->is_real_root || h->idmap);

	switch (t) {
	case SANDBOX_NONE:
		return true;
	case SANDBOX_LANDLOCK_ROOT:
		return landlock && h->is_real_root && capabilities_can_lock_root();
	case SANDBOX_LANDLOCK:
		return landlock && !h->is_real_root;
	case SANDBOX_NAMESPACES_ROOT:
		return has_namespaces(h) && landlock && h->is_real_root;
	case SANDBOX_NAMESPACES_SECCOMP:
		return spaces;
	case SANDBOX_NAMESPACES:
		return spaces && landlock;
	case SANDBOX_TIERS:
		break;
	}
	return false;
}

static const char *why_weaker(const struct host *h)
{
	if (!h->seccomp)
		return "the kernel has no seccomp filters";
	if (!h->user_ns)
		return "user namespaces cannot be made";
	if (!h->mount_ns || !h->pid_ns || !h->net_ns)
		return "mount, pid or network namespaces cannot be made";
	if (!h->openat2)
		return "openat2() is refused here (systemd does that for RestrictSUIDSGID=)";
	if (!h->landlock_abi)
		return "the kernel has no Landlock";
	if (h->is_real_root && !h->idmap)
		return "root cannot map owners of files here, so commands run as the host's uid 0";
	return NULL;
}

/* Tiers are ordered by strength, so the first available one from the top is the strongest. */
void probe_host(struct arena *mem, const char *cgroup_dir, struct host *ret)
{
	struct host h = { .uid = geteuid(), .gid = getegid(), .landlock_abi = landlock_abi() };

	h.is_real_root = is_real_root(h.uid);
	h.seccomp = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
	h.notify = h.seccomp && in_child(0, 0, 0) == CAN_LISTEN;
	h.openat2 = can_openat2();
	probe_namespaces(&h);
	h.idmap = h.is_real_root && h.user_ns && capabilities_has(CAP_SYS_ADMIN) &&
	          capabilities_has(CAP_SETUID) && can_idmap();
	cgroup_probe(mem, cgroup_dir, &h);
	for (int t = SANDBOX_TIERS - 1; t >= SANDBOX_NONE; t--)
		if (probe_has_tier(&h, (enum sandbox_tier)t)) {
			h.tier = (enum sandbox_tier)t;
			break;
		}
	h.reason = h.tier == SANDBOX_NAMESPACES ? STR_NONE : str_from(why_weaker(&h));
	*ret = h;
}

/* ---- reporting ---- */

/* The ABI numbers are those in which Landlock learned to restrict the operation. */
struct sandbox_paths probe_gaps(struct arena *mem, const struct host *h, enum sandbox_tier t)
{
	bool spaces = sandbox_tier_has_namespaces(t), rules = sandbox_tier_has_landlock(t);
	const struct {
		bool is_open;
		const char *name;
	} gaps[] = {
		{ t == SANDBOX_NONE, "everything" },
		{ !spaces && rules, "protected_paths" },
		{ !spaces && rules, "denied_paths" },
		{ !spaces && rules, "metadata" },
		{ !spaces && rules, "process_list" },
		{ !spaces && rules, "private_size" },
		{ !spaces && rules && h->landlock_abi < 3, "truncate" },
		{ !spaces && rules && h->landlock_abi < 5, "device_ioctl" },
		{ !spaces && rules && h->landlock_abi < 6, "signals" },
		{ !spaces && rules && h->landlock_abi < 6, "abstract_sockets" },
		{ t == SANDBOX_LANDLOCK_ROOT || t == SANDBOX_NAMESPACES_ROOT, "host_root_outside" },
		{ !spaces && rules && h->uid == 0, "called_root" },
		{ spaces && !h->own_proc, "no_proc" },
		{ t != SANDBOX_NONE && !h->notify, "refusals_untold" },
		{ t != SANDBOX_NONE && !h->cgroup_memory && (!spaces || h->own_proc),
		  "memory_by_watch" },
		{ spaces && !h->cgroup_memory && !h->own_proc, "memory_per_process" },
		/* the kernel does not count the host's root */
		{ (t == SANDBOX_LANDLOCK_ROOT || t == SANDBOX_NAMESPACES_ROOT) && !h->cgroup_pids,
		  "processes_by_watch" },
		{ t != SANDBOX_NONE, "disk_space" },
	};

	struct sandbox_paths l = { ARENA_ARRAY(mem, struct str, COUNT_OF(gaps)), 0 };

	for (size_t i = 0; i < COUNT_OF(gaps); i++)
		if (gaps[i].is_open)
			l.at[l.count++] = str_from(gaps[i].name);
	return l;
}

void probe_sandbox_host(struct arena *mem, const struct host *h, struct str home,
                        struct sandbox_host *ret)
{
	struct sandbox_host m = { .reason = h->reason,
		                  .tells_refusals = h->notify,
		                  .system_roots = host_roots_system(mem),
		                  .tool_roots = host_roots_tools(mem, home),
		                  .plain_roots = host_roots_plain(mem),
		                  .own_roots = host_roots_own(mem) };

	sandbox_host_add_names(mem, &m);
	for (int t = SANDBOX_NONE; t < SANDBOX_TIERS; t++) {
		m.has[t] = probe_has_tier(h, (enum sandbox_tier)t);
		if (m.has[t])
			m.gaps[t] = probe_gaps(mem, h, (enum sandbox_tier)t);
	}
	*ret = m;
}

void probe_write(struct json_writer *w, const struct host *h, struct str home)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_host m;

	probe_sandbox_host(mem, h, home, &m);
	jw_obj(w);
	JW_KSTR(w, "tier", sandbox_tier_name(h->tier));
	JW_KOPT(w, "reason", h->reason);
	sandbox_host_write_tiers(w, &m);
	JW_KBOOL(w, "userNamespaces", h->user_ns);
	JW_KBOOL(w, "mountNamespaces", h->mount_ns);
	JW_KBOOL(w, "pidNamespaces", h->pid_ns);
	JW_KBOOL(w, "networkNamespaces", h->net_ns);
	JW_KBOOL(w, "ownProc", h->own_proc);
	JW_KBOOL(w, "ownerMapping", h->idmap);
	JW_KINT(w, "landlockAbi", h->landlock_abi);
	JW_KBOOL(w, "seccomp", h->seccomp);
	JW_KBOOL(w, "seccompNotify", h->notify);
	JW_KBOOL(w, "cgroupMemory", h->cgroup_memory);
	JW_KBOOL(w, "cgroupPids", h->cgroup_pids);
	JW_KOPT(w, "cgroup", h->cgroup);
	JW_KINT(w, "uid", h->uid);
	JW_KBOOL(w, "isHostRoot", h->is_real_root);
	sandbox_host_write_defaults(w, &m);
	jw_obj_end(w);
}
