/*
 * Process 1 of a sandbox.
 *
 * It enters the root file system, drops what it does not need, starts the command and stays: it
 * reaps orphans, answers held system calls, watches limits, and reports over one socket.  The end
 * of that socket means: kill everything.  It runs before any untrusted code and trusts none
 * afterwards.
 *
 *	clone ──► enter namespaces ──► start command ──► exec ──► live ──► end
 *	               │                    │              │
 *	               └────────────────────┴──────────────┴──► refuse: nothing has run
 */
#include "supervisor/sandbox.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/sys.h"
#include "supervisor/egress/proxy.h"
#include "supervisor/fdpass.h"
#include "supervisor/files/rootfs.h"
#include "supervisor/kernel/capabilities.h"
#include "supervisor/kernel/landlock.h"
#include "supervisor/kernel/process_files.h"
#include "supervisor/kernel/process_tree.h"
#include "supervisor/kernel/seccomp_filter.h"
#include "supervisor/kernel/seccomp_notify.h"
#include "supervisor/program.h"

#include <errno.h>
#include <grp.h>
#include <malloc.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TITLE "thole-init"
#define NOTIF_SET_FLAGS _IOW('!', 4, uint64_t) /* Linux 6.6; refused by older ones */
#define NOTIF_SYNC_WAKE_UP 1UL
#define END_MS 10000 /* for killing a process tree without a pid namespace */
/*
 * Of the command between clone() and execve(): it builds a Landlock ruleset, and execute() needs
 * a path on the stack.
 */
#define COMMAND_STACK 131072
/*
 * How often limits are checked that the kernel does not enforce: often while memory is half used
 * or grew by WATCH_GROWTH bytes since the last check.
 */
#define WATCH_OFTEN_MS 20
#define WATCH_SELDOM_MS 100
#define WATCH_GROWTH (16 << 20)

struct init {
	struct sandbox_inner *in;
	const struct sandbox_plan *plan;
	struct process_tree_child command;
	int command_fd; /* pidfd */
	int sync_fd;    /* the command before it is executed: its listener, or why not */
	int signal_fd;
	int pty, tty; /* master and slave, or -1 */
	char tty_path[32];
	bool is_started;
	enum sandbox_cause cause;
	bool was_full; /* as many processes as it may have were seen */
	struct seccomp_notify notify;
	struct rootfs_masks masks;
	struct rootfs_spares spares;
	struct rootfs_stages stages;
	int64_t watch_due_ms, last_used;
};

/* ---- reports ---- */

/*
 * The socket is blocking on this side: a report is never lost, at the price that a supervisor
 * that does not read stops the sandbox.
 */
static void send_report(void *arg, const struct report *r)
{
	const struct init *i = arg;

	fdpass_send(i->in->ctl_fd, r, sizeof *r, NULL, 0);
}

/*
 * Before the command exists.  The supervisor reports the refusal when it has reaped this process.
 */
NORETURN static void report_refused(struct init *i, const struct error *e, bool is_spawn)
{
	struct report r = { .kind = REPORT_REFUSED,
		            .refused = { .error = *e, .is_spawn = is_spawn } };

	send_report(i, &r);
	_exit(1);
}

/* ---- the command's side: from fork to exec ---- */

/*
 * The init passes this report on to the supervisor.  _exit(), because this process shares the
 * init's memory and must not run its exit handlers.
 */
NORETURN static void command_fail(int sync, const struct error *e, bool is_spawn)
{
	struct report r = { .kind = REPORT_REFUSED,
		            .refused = { .error = *e, .is_spawn = is_spawn } };

	fdpass_send(sync, &r, sizeof r, NULL, 0);
	_exit(127);
}

/*
 * A session for the command alone, so that a terminal can be its controlling one and keys reach
 * only its processes.
 */
static enum err set_stdio(const struct init *i, struct error *e)
{
	const struct sandbox_request *q = i->in->req;
	int fds[3] = { q->stdin_fd, q->stdout_fd, q->stderr_fd };

	if (setsid() < 0)
		return fail_errno(e, ERR_IO, "a session of its own");
	if (i->tty >= 0) {
		if (ioctl(i->tty, TIOCSCTTY, 0) < 0)
			return fail_errno(e, ERR_IO, "a terminal of its own");
		fds[0] = fds[1] = fds[2] = i->tty;
	}
	for (int n = 0; n < 3; n++)
		if (dup2(fds[n], n) < 0)
			return fail_errno(e, ERR_IO, "standard descriptor %d", n);
	return OK;
}

/*
 * The supervisor ignores some signals and the init blocks all; both survive execve() and would
 * break programs that rely on SIGPIPE or SIGCHLD.
 */
static void reset_signals(void)
{
	sigset_t none;

	for (int n = 1; n < NSIG; n++)
		signal(n, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * The order is fixed by the kernel: Landlock and seccomp need no_new_privs, which
 * capabilities_drop() sets, and the filter comes last because it refuses calls that the steps
 * before need.  The listener must leave this process before execve(): a command that held it
 * could answer its own calls.
 */
static enum err close_sandbox(const struct init *i, int sync, struct error *e)
{
	const struct sandbox_inner *in = i->in;
	int listener = -1;
	enum err err = capabilities_drop(e);

	if (!err && sandbox_tier_has_landlock(i->plan->tier))
		err = landlock_apply(i->plan, in->host->landlock_abi,
		                     i->tty >= 0 ? i->tty_path : NULL, e);
	if (!err)
		err = seccomp_filter_load(in->filter, in->is_loud, &listener, e);
	if (!err && listener >= 0 && fdpass_send(sync, "", 1, &listener, 1) != 1)
		err = fail_errno(e, ERR_IO, "hand over the listener");
	return err;
}

static const char *path_of(char *const *envp)
{
	for (; *envp; envp++)
		if (!strncmp(*envp, "PATH=", 5))
			return *envp + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

/* As execvpe(), but never by way of a shell, and only absolute directories count. */
static enum err execute(char *const *argv, char *const *envp, struct error *e)
{
	struct str rest = str_from(path_of(envp));
	char file[4096];
	int os_errno = ENOENT;

	/* As in execvp(): a name with a slash is a path and is not looked up. */
	if (strchr(argv[0], '/')) {
		execve(argv[0], argv, envp);
		return fail_errno(e, ERR_NOT_FOUND, "execute %s", argv[0]);
	}
	while (str_is(rest)) {
		struct str dir = str_cut(&rest, ':');

		if (!dir.len || dir.ptr[0] != '/' ||
		    (size_t)snprintf(file, sizeof file, "%.*s/%s", STR_ARG(dir), argv[0]) >=
		            sizeof file)
			continue;
		execve(file, argv, envp);
		/*
		 * The file exists but cannot be executed (wrong format, too large): a later
		 * directory must not replace it.
		 */
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			return fail_errno(e, ERR_NOT_FOUND, "execute %s", file);
		if (errno == EACCES)
			os_errno = EACCES;
	}
	errno = os_errno;
	return fail_errno(e, ERR_NOT_FOUND, "execute %s", argv[0]);
}

/*
 * Between clone() and execve().  Descriptors are closed by execve() and not before, so that
 * `sync` can still report its failure; the end of `sync` without a report means success.
 */
NORETURN static void command_run(struct init *i, int sync)
{
	const struct sandbox_request *q = i->in->req;
	struct error e;
	enum err err = set_stdio(i, &e);

	reset_signals();
	umask(program_umask);
	if (!err)
		err = capabilities_limit(i->plan, i->in->processes_before, !i->in->is_memory_kept,
		                         &e);
	if (!err && chdir(i->plan->cwd.ptr) < 0)
		err = fail_errno(&e, ERR_IO, "working directory %s", i->plan->cwd.ptr);
	if (!err && i->plan->tier != SANDBOX_NONE)
		err = close_sandbox(i, sync, &e);
	if (!err && close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
		err = fail_errno(&e, ERR_IO, "close descriptors");
	if (err)
		command_fail(sync, &e, false);
	execute(q->argv, q->envp, &e);
	command_fail(sync, &e, true);
}

/* ---- building ---- */

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * Closes all descriptors but those of this sandbox.  The clone has copies of the supervisor's: a
 * control socket of another sandbox that stayed open here would keep that sandbox alive after the
 * supervisor's death.
 */
static void keep_only(const struct sandbox_inner *in)
{
	const struct sandbox_plan *p = in->req->plan;
	size_t max = 4 + p->write_roots.count + p->read_roots.count, count = 0;
	int *keep = memory_zeroed(max, sizeof *keep);
	unsigned from = 3;

	keep[count++] = in->ctl_fd;
	keep[count++] = in->req->stdin_fd;
	keep[count++] = in->req->stdout_fd;
	keep[count++] = in->req->stderr_fd;
	for (size_t i = 0; in->write_fds && i < p->write_roots.count; i++)
		keep[count++] = in->write_fds[i];
	for (size_t i = 0; in->read_fds && i < p->read_roots.count; i++)
		keep[count++] = in->read_fds[i];
	/*
	 * close_range() closes the gaps between the sorted numbers; -1 entries sort first and are
	 * skipped.
	 */
	qsort(keep, count, sizeof *keep, by_number);
	for (size_t i = 0; i < count; i++) {
		if (keep[i] < (int)from)
			continue;
		if ((unsigned)keep[i] > from)
			close_range(from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	close_range(from, ~0U, 0);
	memory_free(keep);
}

/*
 * Standard descriptors of the supervisor may be the daemon's log or terminal; nothing inside may
 * write there.
 */
static void close_stdio(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int n = 0; n < 3 && null >= 0; n++)
		dup2(null, n);
}

static bool write_self(const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/%s", name);
	FD_SCOPE fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/*
 * One user, one group: an unprivileged process may map only itself.  setgroups must be denied
 * first; the kernel refuses a gid map otherwise.
 */
static enum err map_self(const struct sandbox_inner *in, struct error *e)
{
	char uids[64], gids[64];
	bool ok;

	snprintf(uids, sizeof uids, "%u %u 1\n", in->uid, in->host->uid);
	snprintf(gids, sizeof gids, "%u %u 1\n", in->gid, in->host->gid);
	/* /proc/self belongs to root while the process is not dumpable */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	ok = write_self("setgroups", "deny") && write_self("uid_map", uids) &&
	     write_self("gid_map", gids);
	int os_errno = errno;

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	errno = os_errno;
	return ok ? OK : fail_errno(e, ERR_UNSUPPORTED, "map the user");
}

/*
 * Waits for ORDER_GO: before the supervisor has written the maps, this process has no valid uid.
 */
static enum err become_mapped(const struct sandbox_inner *in, struct error *e)
{
	struct order o;
	int fds[FDPASS_FDS_MAX];
	size_t count;

	if (fdpass_receive(in->ctl_fd, &o, sizeof o, fds, &count) != sizeof o || o.kind != ORDER_GO)
		return fail(e, ERR_CLOSED, "no order to continue");
	if (setgroups(0, NULL) < 0 || setresgid(in->gid, in->gid, in->gid) < 0 ||
	    setresuid(in->uid, in->uid, in->uid) < 0)
		return fail_errno(e, ERR_UNSUPPORTED, "become the sandbox's user");
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return OK;
}

/*
 * A new network namespace has a loopback that is down; commands expect their own servers to be
 * reachable.
 */
static enum err raise_loopback(struct error *e)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	FD_SCOPE fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) < 0)
		return fail_errno(e, ERR_UNSUPPORTED, "a loopback of its own");
	return OK;
}

/*
 * The socket is created inside the sandbox's network and used by the proxy outside.  Programs
 * inside find it at its port and have no descriptor of it.
 */
static enum err offer_proxy(struct init *i, struct error *e)
{
	struct report r = { .kind = REPORT_LISTENING };
	int fd;
	enum err err = proxy_listen(&fd, e);

	if (err)
		return err;
	if (fdpass_send(i->in->ctl_fd, &r, sizeof r, &fd, 1) != sizeof r)
		err = fail_errno(e, ERR_IO, "hand over the proxy's socket");
	close(fd);
	return err;
}

static enum err enter_namespaces(struct init *i, struct error *e)
{
	struct sandbox_inner *in = i->in;
	struct rootfs tree = { .plan = i->plan,
		               .protected = in->protected,
		               .write_fds = in->write_fds,
		               .read_fds = in->read_fds,
		               .uid = in->uid,
		               .gid = in->gid,
		               .masks = in->is_loud ? &i->masks : NULL,
		               .spares = &i->spares,
		               .stages = i->plan->openat2 ? NULL : &i->stages,
		               .own_proc = in->host->own_proc };
	enum err err = getpid() != 1 ? fail(e, ERR_UNSUPPORTED, "no pid namespace of its own")
	               : in->mapped_outside ? become_mapped(in, e)
	                                    : map_self(in, e);

	/* a second safeguard; the first is the end of the control socket */
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* the filter of a container may forbid this; then the container's name is visible */
	if (!err && sethostname("cage", 4) < 0 && errno != EPERM)
		err = fail_errno(e, ERR_IO, "host name");
	if (!err && i->plan->network == SANDBOX_NETWORK_RESTRICTED)
		err = raise_loopback(e);
	if (!err && i->plan->allow.count)
		err = offer_proxy(i, e);
	if (!err)
		err = rootfs_enter(&tree, e);
	for (size_t n = 0; n < in->req->late_count && !err; n++)
		err = rootfs_protect(&i->spares, &in->req->late[n], e);
	return err;
}

/*
 * After the new root is entered, so that with namespaces the terminal belongs to the sandbox's
 * own /dev/pts.  TIOCGPTPEER opens the slave without a path, so no other process can replace it
 * in between.
 */
static enum err open_pty(struct init *i, struct error *e)
{
	const struct sandbox_request *q = i->in->req;
	struct winsize size = { .ws_row = q->rows, .ws_col = q->cols };
	int number = 0, unlock = 0;

	if (!q->pty)
		return OK;
	i->pty = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (i->pty < 0 || ioctl(i->pty, TIOCSPTLCK, &unlock) < 0 ||
	    ioctl(i->pty, TIOCGPTN, &number) < 0)
		return fail_errno(e, ERR_IO, "a terminal");
	i->tty = ioctl(i->pty, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (i->tty < 0 || (q->rows && ioctl(i->pty, TIOCSWINSZ, &size) < 0))
		return fail_errno(e, ERR_IO, "a terminal");
	snprintf(i->tty_path, sizeof i->tty_path, "/dev/pts/%d", number);
	return OK;
}

struct command_start {
	struct init *i;
	int sync;
};

static int command_entry(void *arg)
{
	struct command_start *b = arg;

	command_run(b->i, b->sync);
}

/*
 * As vfork(): the child uses the memory of the init until it executes the command, so no page is
 * copied.  The init sleeps meanwhile; what the child sends waits in the socket.
 */
static enum err start_command(struct init *i, struct error *e)
{
	static _Alignas(16) char stack[COMMAND_STACK];
	struct command_start b = { .i = i };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return fail_errno(e, ERR_IO, "control socket");
	b.sync = pair[1];
	/* The child needs its own stack: it would overwrite the frames of the sleeping init. */
	i->command.pid = clone(command_entry, stack + sizeof stack,
	                       CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &b, &i->command_fd);
	int os_errno = errno;

	close(pair[1]);
	i->sync_fd = pair[0];
	errno = os_errno;
	if (i->command.pid < 0)
		return fail_errno(e, ERR_IO, "start the command");
	return OK;
}

/* ---- ending ---- */

/*
 * kill(-1) reaches every process that may be signalled.  Only as process 1 of a pid namespace are
 * these exactly the sandbox's.
 */
static bool is_process_1(const struct init *i)
{
	return sandbox_tier_has_namespaces(i->plan->tier) && getpid() == 1;
}

static void signal_all(const struct init *i, int signum)
{
	struct process_tree l;

	if (is_process_1(i)) {
		kill(-1, signum);
		return;
	}
	if (process_tree_of(getpid(), &l)) {
		process_tree_signal(&l, signum);
		process_tree_done(&l);
	}
}

/*
 * To the command and its children, as a terminal sends ^C: a shell that waits for a program ignores
 * a SIGINT that the program did not get.  The command leads its group from set_stdio() on.
 */
static void signal_group(const struct init *i, int signum)
{
	if (i->is_started && kill(-i->command.pid, signum) == 0)
		return;
	sys_pidfd_signal(i->command_fd, signum);
}

/*
 * The only end of the init.  Violations are reported first, then everything is killed and reaped,
 * then the exit is reported with the figures of all reaped processes.  In a pid namespace it
 * waits for the command only: the kernel kills the rest when process 1 exits.
 */
NORETURN static void init_end(struct init *i)
{
	struct report r = { .kind = REPORT_EXITED };
	struct rusage use;

	seccomp_notify_end(&i->notify);
	if (is_process_1(i)) {
		kill(-1, SIGKILL);
		while (!i->command.is_reaped) {
			siginfo_t info;

			if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | __WALL) < 0 &&
			    errno != EINTR)
				break;
			if (!process_tree_reap(&i->command))
				break;
		}
	} else {
		r.exited.survivors = (uint32_t)process_tree_kill(&i->command, END_MS);
	}
	getrusage(RUSAGE_CHILDREN, &use);
	r.exited.status = i->command.status;
	r.exited.cause = i->cause;
	r.exited.was_full = i->was_full;
	r.exited.max_rss_bytes = (int64_t)use.ru_maxrss * 1024;
	r.exited.cpu_ms = (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000LL +
	                  (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;
	if (i->is_started)
		send_report(i, &r);
	/*
	 * As process 1: the kernel kills the remaining processes and completes this exit only
	 * after that.
	 */
	_exit(0);
}

/* ---- living ---- */

/*
 * Checks the limits that neither a cgroup nor an rlimit enforces; sandbox.c decides whether this
 * runs at all.  Usage may exceed a limit until the next check.
 */
static void check_limits(struct init *i)
{
	const struct sandbox_limits *l = &i->plan->limits;
	struct process_tree tree;
	int64_t used, next_ms = WATCH_SELDOM_MS;

	if (!process_tree_of(getpid(), &tree))
		return;
	used = l->max_memory_bytes ? process_tree_memory(&tree) : 0;
	/* RLIMIT_NPROC counts the init too */
	i->was_full |= l->max_processes && (int64_t)tree.count + 1 >= l->max_processes;
	if (l->max_memory_bytes && used > l->max_memory_bytes)
		i->cause = CAUSE_MEMORY;
	else if (l->max_processes && (int64_t)tree.count > l->max_processes)
		i->cause = CAUSE_PROCESSES;
	if (used > l->max_memory_bytes / 2 || used > i->last_used + WATCH_GROWTH ||
	    i->in->watch_processes)
		next_ms = WATCH_OFTEN_MS;
	i->last_used = used;
	process_tree_done(&tree);
	i->watch_due_ms = clock_mono_ms() + next_ms;
	if (i->cause != CAUSE_EXIT)
		init_end(i);
}

/*
 * ORDER_COVER: mounts over the paths in the file, again or for the first time.  If one cannot be
 * covered, the sandbox ends, because the command could read a denied file.
 */
static void cover_paths(struct init *i, int file)
{
	struct shield s;
	struct stat st;
	struct str text;
	struct error e;
	char *room;
	bool is_closed = fstat(file, &st) == 0 && st.st_size >= 0;

	room = is_closed ? memory_alloc((size_t)st.st_size + 1) : NULL;
	is_closed = is_closed && pread(file, room, (size_t)st.st_size, 0) == st.st_size;
	text = is_closed ? str_of(room, (size_t)st.st_size) : STR_NONE;
	while (is_closed && protected_paths_next(&text, &s))
		is_closed = rootfs_protect(&i->spares, &s, &e) == OK;
	free(room);
	close(file);
	if (!is_closed) {
		i->cause = CAUSE_KILLED;
		init_end(i);
	}
}

/* ORDER_STAGED: the supervisor moves the file to its place when every sandbox has closed it. */
static void close_staged(struct init *i, int file)
{
	struct report r = { .kind = REPORT_STAGED };
	struct staged_order o;

	if (pread(file, &o, sizeof o, 0) == sizeof o) {
		r.staged.round = o.round;
		if (sandbox_tier_has_namespaces(i->plan->tier))
			r.staged.answer = rootfs_close_staged(
				i->plan, &i->stages,
				&(struct rootfs_staged_file){ .parent = o.parent,
			                                      .name = o.name,
			                                      .dev = o.dev,
			                                      .ino = o.ino,
			                                      .parent_dev = o.parent_dev,
			                                      .parent_ino = o.parent_ino });
	}
	close(file);
	send_report(i, &r);
}

/*
 * A socket that ended, or a packet of another size, means that the supervisor is gone.  The
 * sandbox must not outlive it.
 */
static void handle_order(struct init *i)
{
	struct order o;
	int fds[FDPASS_FDS_MAX];
	size_t count;
	ssize_t len = fdpass_receive(i->in->ctl_fd, &o, sizeof o, fds, &count);

	if (len < 0 && errno == EAGAIN)
		return;
	if (len != sizeof o || o.kind == ORDER_END) {
		i->cause = len == sizeof o ? o.cause : CAUSE_LOST;
		init_end(i);
	}
	if (o.kind == ORDER_SIGNAL)
		signal_group(i, o.signum);
	else if (o.kind == ORDER_SIGNAL_ALL)
		signal_all(i, o.signum);
	else if (o.kind == ORDER_COVER && count == 1)
		cover_paths(i, fds[0]);
	else if (o.kind == ORDER_STAGED && count == 1)
		close_staged(i, fds[0]);
}

/* The command runs.  Its terminal and its pidfd go to the supervisor. */
static void report_started(struct init *i)
{
	struct report r = { .kind = REPORT_STARTED,
		            .started = { .has_pty = i->pty >= 0, .pid = i->command.pid } };
	const int fds[] = { i->command_fd, i->pty };

	sys_close(&i->sync_fd);
	i->is_started = true;
	i->watch_due_ms = clock_mono_ms() + WATCH_OFTEN_MS;
	/* the command cannot be reaped in between, so the kernel can still translate its pid */
	fdpass_send_about(i->in->ctl_fd, &r, sizeof r, fds, i->pty >= 0 ? 2 : 1,
	                  sandbox_tier_has_namespaces(i->plan->tier) ? i->command.pid : 0);
	sys_close(&i->pty);
	sys_close(&i->tty);
	/* the init's copies of the pipes would keep them open after the command's end */
	for (int n = 0; n < 3; n++) {
		int fd = n == 0   ? i->in->req->stdin_fd
		         : n == 1 ? i->in->req->stdout_fd
		                  : i->in->req->stderr_fd;

		if (fd > 2)
			close(fd);
	}
}

/*
 * The child has executed the command or exited when the init runs again (vfork), so everything
 * that it sent is in the socket, and this does not block.  The sequence is: the listener if the
 * filter has one, then a refusal or the end of the socket, which means that execve() closed it.
 */
static void receive_command_reports(struct init *i)
{
	while (i->sync_fd >= 0) {
		struct report r;
		int fds[FDPASS_FDS_MAX];
		size_t count;
		ssize_t len = fdpass_receive(i->sync_fd, &r, sizeof r, fds, &count);

		if (len == 1 && count == 1) {
			i->notify.listener = fds[0];
			/*
			 * the caller and the init alternate: on one processor a synchronous
			 * wake-up costs less
			 */
			ioctl(fds[0], NOTIF_SET_FLAGS, NOTIF_SYNC_WAKE_UP);
		} else if (len == sizeof r) {
			send_report(i, &r);
			init_end(i);
		} else {
			report_started(i);
		}
	}
}

/* SIGCHLD only; several may have merged into one, so all dead children are reaped. */
static void on_signal(struct init *i)
{
	struct signalfd_siginfo info;

	while (read(i->signal_fd, &info, sizeof info) == sizeof info)
		;
	process_tree_reap(&i->command);
}

/*
 * Orders come before held calls, and held calls before the end: a call that the command made
 * before it exited is answered and counted.
 */
NORETURN static void init_loop(struct init *i)
{
	receive_command_reports(i);
	for (;;) {
		struct pollfd fds[] = { { .fd = i->in->ctl_fd, .events = POLLIN },
			                { .fd = i->signal_fd, .events = POLLIN },
			                { .fd = i->notify.listener, .events = POLLIN },
			                { .fd = i->masks.fd, .events = POLLIN } };
		int wait_ms = -1;

		if (i->in->watch)
			wait_ms = (int)MAX(0, i->watch_due_ms - clock_mono_ms());
		if (poll(fds, COUNT_OF(fds), wait_ms) < 0 && errno != EINTR)
			init_end(i);
		if (fds[0].revents)
			handle_order(i);
		if (fds[2].revents & POLLIN)
			seccomp_notify_handle(&i->notify);
		else if (fds[2].revents)
			sys_close(&i->notify.listener);
		if (fds[3].revents)
			seccomp_notify_masks(&i->notify);
		if (fds[1].revents)
			on_signal(i);
		if (i->command.is_reaped)
			init_end(i);
		if (i->in->watch && clock_mono_ms() >= i->watch_due_ms)
			check_limits(i);
	}
}

/*
 * The first code of the clone.  It shares no memory with the supervisor but has a copy of
 * everything, so it first closes what belongs to other sandboxes.
 */
void sandbox_init_run(struct sandbox_inner *in)
{
	struct init i = { .in = in,
		          .plan = in->req->plan,
		          .command_fd = -1,
		          .sync_fd = -1,
		          .pty = -1,
		          .tty = -1,
		          .masks.fd = -1,
		          .spares = { -1, -1 },
		          .stages = { .hidden = -1 },
		          .notify = { .plan = in->req->plan,
		                      .listener = -1,
		                      .last_pid_fd = -1,
		                      .tell = send_report } };
	struct error e;
	sigset_t all;
	enum err err = OK;

	i.notify.arg = &i;
	i.notify.masks = &i.masks;
	prctl(PR_SET_NAME, TITLE, 0, 0, 0);
	program_set_title(TITLE);
	close_stdio();
	keep_only(in);
	/* Before the new root is entered: its /proc may be empty (own_proc). */
	if (in->is_loud) {
		seccomp_notify_begin(&i.notify);
		process_files_begin(!sandbox_tier_has_namespaces(in->req->plan->tier) ||
		                    in->host->own_proc);
	}
	/*
	 * when memory runs out, the kernel kills the sandbox before other processes of the user
	 */
	write_self("oom_score_adj", "500");
	/*
	 * All signals are blocked and SIGCHLD is read from a descriptor, so no handler runs at an
	 * arbitrary point.
	 */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigemptyset(&all);
	sigaddset(&all, SIGCHLD);
	i.signal_fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
	if (sandbox_tier_has_namespaces(i.plan->tier))
		err = enter_namespaces(&i, &e);
	else if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		err = fail_errno(&e, ERR_UNSUPPORTED, "subreaper");
	if (!err)
		err = open_pty(&i, &e);
	if (!err)
		err = start_command(&i, &e);
	if (err)
		report_refused(&i, &e, false);
	malloc_trim(0); /* what building took; many of us may live long */
	init_loop(&i);
}
