/*
 * The host's side of a sandbox: everything that needs the supervisor's
 * privileges, then a clone whose child becomes the init (sandbox_init.c).
 */
#include "supervisor/sandbox.h"

#include "base/os/sys.h"
#include "sandbox/sandbox_host.h"
#include "supervisor/fdpass.h"
#include "supervisor/files/rootfs.h"
#include "supervisor/kernel/cgroup.h"
#include "supervisor/kernel/seccomp_filter.h"

#include <errno.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

/*
 * The user of the command.  An ordinary user keeps the own uid.  Inside, root is never uid 0;
 * outside, real root becomes a number that owns nothing on the host.
 */
#define INSIDE_UID 1000

const char *sandbox_cause_name(enum sandbox_cause c)
{
	static const char *const names[] = {
		[CAUSE_EXIT] = "exit",           [CAUSE_KILLED] = "killed",
		[CAUSE_TIMEOUT] = "timeout",     [CAUSE_MEMORY] = "memory",
		[CAUSE_PROCESSES] = "processes", [CAUSE_SILENCE] = "inactivity",
		[CAUSE_LOST] = "lost",
	};

	return names[c];
}

/* ---- owners on disk, for real root ---- */

static bool write_text(const char *path, const char *text)
{
	FD_SCOPE fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/*
 * Maps exactly one number.  All other owners appear as the overflow uid inside, and no process
 * there can become one of them.
 */
static bool write_map(pid_t pid, const char *which, unsigned inside, unsigned outside)
{
	char path[64], text[64];

	snprintf(path, sizeof path, "/proc/%d/%s", pid, which);
	snprintf(text, sizeof text, "%u %u 1\n", inside, outside);
	return write_text(path, text);
}

/*
 * A user namespace that maps one owner on disk to the sandbox's number, for idmapped mounts.
 * Cached, because a workspace is used many times and each namespace costs a clone.  The child
 * exists only until its namespace is open; the descriptor keeps the namespace alive.
 */
static int idmap_for(uid_t uid, gid_t gid)
{
	static struct {
		uid_t uid;
		gid_t gid;
		int fd;
	} kept[16];
	static size_t count;
	struct clone_args args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	char path[64];

	for (size_t i = 0; i < count; i++)
		if (kept[i].uid == uid && kept[i].gid == gid)
			return kept[i].fd;

	pid_t pid = (pid_t)sys_clone3(&args);

	if (pid == 0)
		for (;;)
			pause();
	if (pid < 0)
		return -1;
	snprintf(path, sizeof path, "/proc/%d/ns/user", pid);

	int fd = -1;

	if (write_map(pid, "uid_map", uid, SANDBOX_OUTSIDE_UID) &&
	    write_map(pid, "gid_map", gid, SANDBOX_OUTSIDE_UID))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (fd < 0)
		return -1;
	/*
	 * The last entry is replaced.  Mounts that use the namespace keep it; only the descriptor
	 * goes.
	 */
	if (count == COUNT_OF(kept))
		close(kept[--count].fd);
	kept[count].uid = uid;
	kept[count].gid = gid;
	kept[count++].fd = fd;
	return fd;
}

static enum err open_mapped(const char *path, bool is_writable, int *ret, struct error *e)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return fail_errno(e, ERR_IO, "root %s", path);

	int idmap = idmap_for(st.st_uid, st.st_gid);

	if (idmap < 0)
		return fail_errno(e, ERR_UNSUPPORTED, "a mapping of owners");
	return rootfs_open_root(path, is_writable, idmap, ret, e);
}

static void close_all(int *fds, size_t count)
{
	for (size_t i = 0; fds && i < count; i++)
		sys_close(&fds[i]);
}

/*
 * Only real root may map owners, and only before it gives its capabilities up, so these mounts
 * are made here and passed to the init as descriptors.  On success the caller closes them.
 */
static enum err open_mapped_roots(struct arena *mem, const struct sandbox_plan *p, int **ret_write,
                                  int **ret_read, struct error *e)
{
	int *w = ARENA_ARRAY(mem, int, p->write_roots.count + 1);
	int *r = ARENA_ARRAY(mem, int, p->read_roots.count + 1);
	enum err err = OK;

	memset(w, -1, sizeof *w * p->write_roots.count);
	memset(r, -1, sizeof *r * p->read_roots.count);
	for (size_t i = 0; i < p->write_roots.count && !err; i++)
		err = open_mapped(p->write_roots.at[i].ptr, true, &w[i], e);
	for (size_t i = 0; i < p->read_roots.count && !err; i++) {
		struct error ignored;

		/*
		 * a read root without the mapping shows what every user may see: less, not more
		 */
		if (!sandbox_host_is_system(p->read_roots.at[i]) &&
		    !PATH_UNDER_ANY(p->read_roots.at[i], &p->write_roots) &&
		    open_mapped(p->read_roots.at[i].ptr, false, &r[i], &ignored) == ERR_IO)
			err = fail(e, ERR_IO, "%s", ignored.message);
	}
	if (err) {
		close_all(w, p->write_roots.count);
		close_all(r, p->read_roots.count);
		return err;
	}
	*ret_write = w;
	*ret_read = r;
	return OK;
}

/* ---- starting ---- */

/*
 * With the network `full` the sandbox keeps the host's network namespace; every other namespace
 * is always new.
 */
static uint64_t namespaces_of(const struct sandbox_plan *p)
{
	uint64_t flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
	                 CLONE_NEWCGROUP;

	if (!sandbox_tier_has_namespaces(p->tier))
		return 0;
	return p->network == SANDBOX_NETWORK_FULL ? flags : flags | CLONE_NEWNET;
}

/* ERR_UNSUPPORTED lets the caller try the next weaker tier; see `unsupported` in supervisor.h. */
static enum err check_host(const struct host *h, const struct sandbox_plan *p, struct error *e)
{
	if (!probe_has_tier(h, p->tier))
		return fail(e, ERR_UNSUPPORTED, "tier %s is not to be had here%s%.*s",
		            sandbox_tier_name(p->tier).ptr, str_is(h->reason) ? ": " : "",
		            STR_ARG(h->reason));
	/* Only plans without a sandbox run with everything that the supervisor has. */
	if (p->tier == SANDBOX_LANDLOCK && h->is_real_root)
		return fail(e, ERR_UNSUPPORTED, "tier %s is not for root; landlock-root is",
		            sandbox_tier_name(p->tier).ptr);
	return OK;
}

/*
 * The uid 0 of a container's user namespace may map itself to 1000 inside.  Real root needs a
 * mapping from outside, to a number that owns nothing; only the tier namespaces-root, where
 * owners cannot be mapped, leaves it the host's uid 0.
 */
static void set_identity(const struct host *h, const struct sandbox_plan *p,
                         struct sandbox_inner *in)
{
	bool renamed = sandbox_tier_has_namespaces(p->tier) && h->uid == 0;

	in->uid = renamed ? INSIDE_UID : h->uid;
	in->gid = renamed ? INSIDE_UID : h->gid;
	in->mapped_outside = renamed && h->is_real_root && p->tier != SANDBOX_NAMESPACES_ROOT;
}

static enum err pick_filter(const struct host *h, const struct sandbox_plan *p,
                            struct sandbox_inner *in, struct error *e)
{
	struct seccomp_filter_request request = {
		.loud = h->notify,
		.own_network =
			sandbox_tier_has_namespaces(p->tier) && p->network != SANDBOX_NETWORK_FULL,
		.own_processes = sandbox_tier_has_namespaces(p->tier),
		.network = p->network,
		.unix_sockets = p->unix_sockets,
		.openat2 = p->openat2,
	};

	in->is_loud = request.loud;
	return p->tier == SANDBOX_NONE ? OK : seccomp_filter_get(&request, &in->filter, e);
}

/* How much RLIMIT_NPROC exceeds the limit where a cgroup enforces it. */
#define LOOSE_PROCESSES 64

/*
 * Chooses what enforces the limits on memory and processes: a cgroup if there is one, otherwise
 * RLIMIT_NPROC, otherwise the init, which checks periodically.  RLIMIT_NPROC does not apply to
 * the host's root, and without a user namespace it counts all processes of the user.
 */
static void choose_enforcers(const struct host *h, const struct sandbox_plan *p,
                             struct sandbox_inner *in)
{
	struct sysinfo info;
	bool sees_tree = !sandbox_tier_has_namespaces(p->tier) || h->own_proc;
	bool memory = p->limits.max_memory_bytes && !h->cgroup_memory;
	bool processes =
		p->limits.max_processes && !h->cgroup_pids &&
		(!sandbox_tier_has_namespaces(p->tier) || p->tier == SANDBOX_NAMESPACES_ROOT);

	in->watch = sees_tree && (memory || processes);
	in->watch_processes = processes;
	in->is_memory_kept = h->cgroup_memory || sees_tree;
	/* counts the processes of all users, so this limit is loose; the init's check is exact */
	if (!sandbox_tier_has_namespaces(p->tier) && sysinfo(&info) == 0)
		in->processes_before = info.procs;
	/* where a cgroup counts, it must refuse first, because only it reports that it did */
	if (h->cgroup_pids)
		in->processes_before += LOOSE_PROCESSES;
}

/* An existing directory is refused: another user may have created it to read or plant files. */
static enum err make_tmp(const struct sandbox_plan *p, struct error *e)
{
	if (!str_is(p->tmp_dir))
		return OK;
	if (mkdir(p->tmp_dir.ptr, 0700) < 0)
		return fail_errno(e, ERR_IO, "temporary directory %s", p->tmp_dir.ptr);
	return OK;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	remove(path);
	return 0;
}

/* nftw with FTW_PHYS does not follow links, and no process of the sandbox is left to race it. */
static void remove_tmp(const struct sandbox_plan *p)
{
	if (str_is(p->tmp_dir))
		nftw(p->tmp_dir.ptr, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/*
 * CLONE_INTO_CGROUP puts the child into its group before it runs, so no process escapes the
 * limits.  SO_PASSCRED lets the kernel translate the command's pid to the host's (fdpass.h).
 */
static enum err start_init(struct sandbox_inner *in, struct sandbox *c, struct error *e)
{
	const struct sandbox_plan *p = in->req->plan;
	int pair[2], yes = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 ||
	    setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) < 0)
		return fail_errno(e, ERR_IO, "control socket");

	struct clone_args args = { .flags = namespaces_of(p) | CLONE_PIDFD,
		                   .pidfd = (uint64_t)(uintptr_t)&c->pidfd,
		                   .exit_signal = SIGCHLD };

	if (c->cgroup_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)c->cgroup_fd;
	}
	c->has_own_pids = args.flags & CLONE_NEWPID;
	c->pid = (pid_t)sys_clone3(&args);
	if (c->pid == 0) {
		in->ctl_fd = pair[1];
		sandbox_init_run(in);
	}

	int os_errno = errno;

	close(pair[1]);
	if (c->pid < 0) {
		close(pair[0]);
		errno = os_errno;
		return fail_errno(e, ERR_UNSUPPORTED, "start the sandbox");
	}
	c->ctl_fd = pair[0];
	fcntl(c->ctl_fd, F_SETFL, O_NONBLOCK);
	return OK;
}

/*
 * Writes the maps of the child from outside and lets it continue.  A child whose maps cannot be
 * written gets no order; start_mapped() kills it.
 */
static enum err map_outside(struct sandbox *c, const struct sandbox_inner *in, struct error *e)
{
	if (!in->mapped_outside)
		return OK;
	if (write_map(c->pid, "uid_map", in->uid, SANDBOX_OUTSIDE_UID) &&
	    write_map(c->pid, "gid_map", in->gid, SANDBOX_OUTSIDE_UID) &&
	    sandbox_order(c, (struct order){ .kind = ORDER_GO }))
		return OK;
	return fail_errno(e, ERR_UNSUPPORTED, "map the sandbox's user");
}

/*
 * A pipe belongs to the user that created it.  Programs inside may open /dev/stdout by name,
 * which the kernel checks against the owner, so real root gives the pipes to the sandbox's
 * number.
 */
static void chown_pipes(const struct sandbox_request *r)
{
	const int fds[] = { r->stdin_fd, r->stdout_fd, r->stderr_fd };

	for (size_t i = 0; i < COUNT_OF(fds); i++) {
		struct stat st;

		if (fds[i] >= 0 && fstat(fds[i], &st) == 0 && S_ISFIFO(st.st_mode) &&
		    fchown(fds[i], SANDBOX_OUTSIDE_UID, SANDBOX_OUTSIDE_UID) < 0)
			/* the descriptor itself still works; only opening it by name fails */
			continue;
	}
}

/*
 * The init has copies of the mounts after the clone, so this process closes its own in every
 * case.
 */
static enum err start_mapped(struct arena *mem, struct sandbox_inner *in, struct sandbox *c,
                             struct error *e)
{
	const struct sandbox_plan *p = in->req->plan;
	int *w = NULL, *r = NULL;
	enum err err = OK;

	if (in->mapped_outside) {
		chown_pipes(in->req);
		err = open_mapped_roots(mem, p, &w, &r, e);
	}
	if (err)
		return err;
	in->write_fds = w;
	in->read_fds = r;
	err = start_init(in, c, e);
	close_all(w, p->write_roots.count);
	close_all(r, p->read_roots.count);
	if (!err)
		err = map_outside(c, in, e);
	if (err && c->pid > 0) {
		sys_pidfd_signal(c->pidfd, SIGKILL);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return err;
}

/*
 * Checks that need no cleanup come first.  From make_tmp() on, sandbox_done() undoes whatever was
 * done; it accepts a struct that is only partly filled.
 */
enum err sandbox_start(struct arena *mem, const struct host *h, const struct sandbox_request *r,
                       struct sandbox *ret, struct error *e)
{
	const struct sandbox_plan *p = r->plan;
	struct sandbox c = { .pidfd = -1, .ctl_fd = -1, .cgroup_fd = -1 };
	struct sandbox_inner in = { .host = h, .req = r, .protected = &c.protected };
	enum err err = check_host(h, p, e);

	if (!err)
		err = pick_filter(h, p, &in, e);
	if (err)
		return err;
	set_identity(h, p, &in);
	c.maps_owners = in.mapped_outside;
	choose_enforcers(h, p, &in);
	err = make_tmp(p, e);
	if (err)
		return err;
	err = protected_paths_prepare(mem, p, &c.protected, e);
	if (!err)
		err = cgroup_make(mem, h, p, &c.cgroup, &c.cgroup_fd, e);
	if (!err)
		err = start_mapped(mem, &in, &c, e);
	if (err) {
		sandbox_done(&c, p);
		return err;
	}
	*ret = c;
	return OK;
}

/*
 * The caller has reaped the init before, or none was started: no process may still use the
 * directory or the group that is removed here.
 */
void sandbox_done(struct sandbox *c, const struct sandbox_plan *p)
{
	protected_paths_done(&c->protected);
	cgroup_remove(&c->cgroup, &c->cgroup_fd);
	remove_tmp(p);
	sys_close(&c->pidfd);
	sys_close(&c->ctl_fd);
}

bool sandbox_order(struct sandbox *c, struct order o)
{
	return fdpass_send(c->ctl_fd, &o, sizeof o, NULL, 0) == sizeof o;
}

bool sandbox_protect_again(struct sandbox *c, struct arena *mem, const struct sandbox_plan *p)
{
	struct order o = { .kind = ORDER_COVER };
	struct protected_paths again;
	struct error e;
	FD_SCOPE file = -1;

	if (protected_paths_prepare_again(mem, p, &again, &e) != OK)
		return false;
	/*
	 * the new paths hold their placeholders before the old ones release them: none is without
	 * a user
	 */
	protected_paths_done(&c->protected);
	c->protected = again;
	file = memfd_create("cover", MFD_CLOEXEC);
	return file >= 0 && protected_paths_write(&again, file) &&
	       fdpass_send(c->ctl_fd, &o, sizeof o, &file, 1) == sizeof o;
}

bool sandbox_close_staged(struct sandbox *c, const struct staged_order *what)
{
	struct order o = { .kind = ORDER_STAGED };
	FD_SCOPE file = memfd_create("staged", MFD_CLOEXEC);

	return file >= 0 && pwrite(file, what, sizeof *what, 0) == sizeof *what &&
	       fdpass_send(c->ctl_fd, &o, sizeof o, &file, 1) == sizeof o;
}

/*
 * A packet of another size counts as the init's end, and descriptors that this kind of report
 * does not have are closed.
 */
bool sandbox_report(struct sandbox *c, struct report *ret, int ret_fds[2])
{
	int fds[FDPASS_FDS_MAX];
	size_t count = 0, wanted;
	pid_t about = 0;
	ssize_t len = fdpass_receive_about(c->ctl_fd, ret, sizeof *ret, fds, &count, &about);
	bool is_whole = len == sizeof *ret;

	ret_fds[0] = ret_fds[1] = -1;
	wanted = !is_whole                       ? 0
	         : ret->kind == REPORT_STARTED   ? 2
	         : ret->kind == REPORT_LISTENING ? 1
	                                         : 0;
	for (size_t i = 0; i < count; i++) {
		if (i < wanted)
			ret_fds[i] = fds[i];
		else
			close(fds[i]);
	}
	if (!is_whole && len >= 0)
		errno = EPIPE;
	/*
	 * Inside its namespace the init knows another number for the command; the kernel
	 * translated it.
	 */
	if (is_whole && ret->kind == REPORT_STARTED && c->has_own_pids)
		ret->started.pid = about;
	if (is_whole && ret->kind == REPORT_EXITED)
		ret->exited.was_full |= cgroup_was_full(c->cgroup);
	return is_whole;
}
