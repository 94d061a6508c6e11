/*
 * Starts and stops the daemon on behalf of a client.
 *
 * The new daemon is detached and logs to a file.  inotify reports its socket,
 * so that the client connects without polling.
 */
#include "app/cli/daemon.h"
#include "base/os/own_program.h"

#include "app/cli/print/out.h"
#include "base/os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

/* For a daemon that runs to accept connections, and for one to end; a busy machine is slow. */
#define START_MS 30000
#define STOP_MS 30000
#define BUSY_MS 200    /* a daemon that is stopping still owns the directory ... */
#define DRAIN_MS 10000 /* ... for so long */
#define AGAIN_MS 25 /* between bind and listen a socket refuses; no event tells the end of that */
#define LOCK_SCANS 20
#define IDLE_EXIT "10m"

extern char **environ;

/* ---- the process ---- */

/* A daemon that a client started ends by itself after IDLE_EXIT, so it does not stay forever. */
static char **make_argv(struct cli *c)
{
	char **argv = ARENA_ARRAY(c->mem, char *, 16 + 2 * WORDS_MAX);
	int n = 0;

	argv[n++] = (char *)"thole";
	argv[n++] = (char *)"serve";
	argv[n++] = (char *)"--data";
	argv[n++] = (char *)c->data;
	argv[n++] = (char *)"--idle-exit";
	argv[n++] = (char *)IDLE_EXIT;
	argv[n++] = (char *)"--quiet";
	if (c->daemon_listen) {
		argv[n++] = (char *)"--listen";
		argv[n++] = (char *)c->daemon_listen;
	}
	if (c->opts.script) {
		argv[n++] = (char *)"--script";
		argv[n++] = (char *)paths_absolute(c, c->opts.script);
	}
	for (int i = 0; i < c->opts.cli_settings.count; i++) {
		argv[n++] = (char *)"-c";
		argv[n++] = (char *)c->opts.cli_settings.items[i];
	}
	return argv;
}

/* The path of the program, for process lists; after an upgrade the file may be missing. */
static const char *own_path(struct cli *c)
{
	char path[PATH_MAX];

	return arena_keep(c->mem, str_from(own_program_path(path))).ptr;
}

/*
 * Starts the daemon in a new session, without terminal and blocked signals, with output to
 * daemon.log.
 */
static int spawn(struct cli *c, pid_t *ret)
{
	const char *log = paths_in_data(c, "daemon.log");
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, every;
	int code;

	sigemptyset(&none);
	sigfillset(&every);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
	                                        POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &every);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	/*
	 * The daemon must not keep the caller's directory busy; all paths in its arguments are
	 * absolute.
	 */
	posix_spawn_file_actions_addchdir_np(&files, c->daemon_dir ? c->daemon_dir : c->data);
	code = posix_spawn(ret, own_path(c), &files, &attr, make_argv(c), environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return code;
}

/* ---- waiting for it ---- */

/* Waiting for a daemon that this client started, or for one that another client started. */
struct wait {
	struct cli *c;
	pid_t pid;  /* 0: none of ours, or it has ended */
	int pid_fd; /* -1: none */
	int watch;  /* inotify on the data directory, -1: none */
	/* Monotonic milliseconds. */
	int64_t began, until;
	int64_t again_at; /* when to start another one; 0: never */
	int status;
};

static void wait_begin(struct wait *w, struct cli *c, int timeout_ms)
{
	*w = (struct wait){ .c = c, .pid_fd = -1, .began = clock_mono_ms() };
	w->until = w->began + timeout_ms;
	w->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (w->watch >= 0)
		inotify_add_watch(w->watch, c->data, IN_CREATE | IN_MOVED_TO);
}

static void wait_end(struct wait *w)
{
	if (w->pid_fd >= 0)
		close(w->pid_fd);
	if (w->watch >= 0)
		close(w->watch);
}

/* Reaps the daemon that this client started; its pid must not be used afterwards. */
static bool has_ended(struct wait *w)
{
	if (!w->pid || waitpid(w->pid, &w->status, WNOHANG) != w->pid)
		return false;
	w->pid = 0;
	if (w->pid_fd >= 0)
		close(w->pid_fd);
	w->pid_fd = -1;
	return true;
}

/* Whether it lost the data directory to another daemon, which may be starting or stopping. */
static bool is_mendable(const struct wait *w)
{
	return !(WIFEXITED(w->status) &&
	         (WEXITSTATUS(w->status) == CODE_CONFIG || WEXITSTATUS(w->status) == CODE_STORE ||
	          WEXITSTATUS(w->status) == CODE_USAGE));
}

static int start(struct wait *w)
{
	int code = spawn(w->c, &w->pid);

	w->again_at = 0;
	w->until = clock_mono_ms() + START_MS;
	if (!code)
		w->pid_fd = (int)syscall(SYS_pidfd_open, w->pid, 0);
	return code;
}

/* Waits for a change in the data directory or the next attempt. */
static void wait_for_change(struct wait *w)
{
	struct pollfd fds[] = { { .fd = w->watch, .events = POLLIN },
		                { .fd = w->pid_fd, .events = POLLIN } };
	char names[1024];

	poll(fds, COUNT_OF(fds), AGAIN_MS);
	while (w->watch >= 0 && read(w->watch, names, sizeof names) > 0)
		;
}

/*
 * Two clients may start a daemon at once.  The one that loses the lock exits; its client connects
 * to the other.  If the winner is stopping, another one is started after BUSY_MS.
 */
static struct thole *wait_for_it(struct wait *w)
{
	for (;;) {
		struct thole *t = thole_connect(w->c->socket, NULL);

		if (t || clock_mono_ms() >= w->until)
			return t;
		if (has_ended(w)) {
			if (!is_mendable(w))
				return NULL;
			w->again_at = clock_mono_ms() + BUSY_MS;
			w->until = w->began + DRAIN_MS;
		}
		if (w->again_at && clock_mono_ms() >= w->again_at && start(w) != 0)
			return NULL;
		wait_for_change(w);
	}
}

struct thole *daemon_await(struct cli *c, int timeout_ms)
{
	struct wait w;
	struct thole *t;

	wait_begin(&w, c, timeout_ms);
	t = wait_for_it(&w);
	wait_end(&w);
	return t;
}

/* ---- the whole ---- */

/* A daemon on a full or read-only file system cannot write its log either. */
static void tell_space(struct cli *c)
{
	struct statvfs at;

	if (statvfs(c->data, &at) != 0)
		return;
	if (at.f_flag & ST_RDONLY)
		fprintf(stderr, "  %s is on a read-only file system.\n",
		        out_safe(c->mem, str_from(c->data)));
	else if (!at.f_bavail || (at.f_files && !at.f_favail))
		fprintf(stderr, "  %s: no space is left on its file system.\n",
		        out_safe(c->mem, str_from(c->data)));
}

/* The last line of the daemon's log usually has the cause. */
static void tell_log(struct cli *c)
{
	const char *path = paths_in_data(c, "daemon.log");
	struct str text = str_trim(paths_read_file(c->mem, path, 16u << 20));
	struct str last = text, line;

	while (str_is(text) && text.len) {
		line = str_cut(&text, '\n');
		if (line.len && !str_starts(line, STR("usage:")))
			last = line;
	}
	if (str_starts(last, STR("thole: ")))
		last = str_skip(last, 7);
	if (str_is(last) && last.len)
		fprintf(stderr, "  it said: %s\n", out_safe(c->mem, last));
	tell_space(c);
	fprintf(stderr, "  its log: %s; `thole doctor` looks further.\n", path);
}

static struct thole *give_up(struct cli *c, const struct wait *w, int *ret_code)
{
	bool has_code = !w->pid && WIFEXITED(w->status);

	out_error(c, w->pid ? "The daemon did not take connections in time."
	                    : "The daemon could not start.");
	tell_log(c);
	*ret_code = has_code && WEXITSTATUS(w->status) ? WEXITSTATUS(w->status) : CODE_FAILED;
	return NULL;
}

/* The lock file holds the pid of the daemon that owns the directory, or owned it; 0: none. */
static pid_t lock_pid(struct cli *c)
{
	struct str text = str_trim(paths_read_file(c->mem, paths_in_data(c, "lock"), 64));
	int64_t owner;

	return str_to_i64(text, &owner) && owner > 0 && owner <= INT_MAX ? (pid_t)owner : 0;
}

static bool owns_data(const struct wait *w)
{
	return w->pid && lock_pid(w->c) == w->pid;
}

/* Returns a connection to whichever daemon owns the directory at the end. */
struct thole *daemon_start(struct cli *c, int *ret_code)
{
	const char *missing;
	struct wait w;
	struct thole *t;
	int code;

	missing = paths_make_dir(c, c->data);
	if (missing) {
		out_error(c, "No daemon could be started: %s cannot be made: %s.",
		          out_safe(c->mem, str_from(missing)), strerror(errno));
		*ret_code = CODE_CONFIG;
		return NULL;
	}
	wait_begin(&w, c, 0);
	code = start(&w);
	if (code) {
		wait_end(&w);
		out_error(c, "No daemon could be started for %s: %s.", c->data, strerror(code));
		*ret_code = CODE_CONFIG;
		return NULL;
	}
	t = wait_for_it(&w);
	wait_end(&w);
	if (!t)
		return give_up(c, &w, ret_code);
	if (!owns_data(&w)) {
		/* Another daemon won; stop ours so that it cannot take over later. */
		if (w.pid)
			kill(w.pid, SIGTERM);
		return t;
	}
	if (!c->has_said_start)
		out_note(c, TONE_DIM,
		         "started a daemon for %s (ends by itself after %s without work)", c->data,
		         IDLE_EXIT);
	c->has_said_start = true;
	return t;
}

/* ---- ending one ---- */

static int scan_locks(const struct stat *lock)
{
	FILE *f = fopen("/proc/locks", "re");
	char line[512];
	int found = 0;

	while (f && !found && fgets(line, sizeof line, f)) {
		unsigned major_no, minor_no;
		unsigned long inode;
		int pid;

		if (sscanf(line, "%*s FLOCK %*s %*s %d %x:%x:%lu", &pid, &major_no, &minor_no,
		           &inode) == 4 &&
		    inode == lock->st_ino && makedev(major_no, minor_no) == lock->st_dev)
			found = pid;
	}
	if (f)
		fclose(f);
	return found;
}

/*
 * Reads /proc/locks, because trying the lock could make a starting daemon fail.  The kernel gives
 * that list in parts and by position: a lock that ends elsewhere between two parts hides another
 * one.  So it is read again while the process that wrote the lock file lives.
 */
int daemon_holder(struct cli *c)
{
	struct stat st;
	int found, left = LOCK_SCANS;

	if (stat(paths_in_data(c, "lock"), &st) != 0)
		return 0;
	do {
		found = scan_locks(&st);
	} while (!found && --left && lock_pid(c) && kill(lock_pid(c), 0) == 0);
	return found;
}

bool daemon_is_stopped(struct cli *c, int *ret_pid)
{
	int pid = daemon_holder(c);
	struct str text;
	ptrdiff_t end;

	if (!pid)
		return false;
	text = paths_read_file(c->mem, arena_printf(c->mem, "/proc/%d/stat", pid).ptr, 4096);
	/* The name is in parentheses and may contain parentheses. */
	for (end = (ptrdiff_t)text.len - 1; end >= 0 && text.ptr[end] != ')'; end--)
		;
	*ret_pid = pid;
	return end >= 0 && (size_t)end + 2 < text.len &&
	       (text.ptr[end + 2] == 'T' || text.ptr[end + 2] == 't');
}

const char *daemon_stop_text(struct cli *c)
{
	if (!c->opts.data)
		return "thole serve --stop";
	return arena_printf(c->mem, "thole serve --stop --data %s", c->data).ptr;
}

/* A pidfd stays bound to one process; the owner is checked again after it was opened. */
int daemon_stop(struct cli *c)
{
	int pid = daemon_holder(c);
	int fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	struct pollfd end = { .fd = fd, .events = POLLIN };
	int code = CODE_DONE;

	if (fd < 0 || daemon_holder(c) != pid) {
		out_note(c, TONE_PLAIN, "no daemon runs for %s", c->data);
	} else if (syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) != 0) {
		out_error(c, "Process %d cannot be stopped: %s.", pid, strerror(errno));
		code = CODE_FAILED;
	} else if (poll(&end, 1, STOP_MS) != 1) {
		out_error(c, "Process %d has been told to stop and is still at it.", pid);
		fprintf(stderr, "  its log: %s\n", paths_in_data(c, "daemon.log"));
		code = CODE_FAILED;
	} else {
		out_note(c, TONE_PLAIN, "process %d has stopped; the next command starts another",
		         pid);
	}
	if (fd >= 0)
		close(fd);
	return code;
}
