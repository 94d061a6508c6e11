/*
 * The work is a child of this process, and what the child started becomes a child of this
 * process when the child ends (subreaper).  So a signal that ends the work early can end
 * daemons that are detached, and wait for them, before the directory goes.
 */
#include "app/cli/conform/conform_guard.h"

#include "app/cli/print/out.h"
#include "base/os/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_MS 5000
#define LOOK_AGAIN_MS 10

static void signal_children(struct cli *c, int number)
{
	const char *path = arena_printf(c->mem, "/proc/self/task/%ld/children", (long)getpid()).ptr;
	struct str list = paths_read_file(c->mem, path, 1u << 16);

	while (str_is(list)) {
		uint64_t pid;

		if (str_to_u64(str_trim(str_cut(&list, ' ')), &pid) && pid > 1)
			kill((pid_t)pid, number);
	}
}

/* Asks first: a daemon that is killed cannot end its own processes as well as it does itself. */
static void end_children(struct cli *c)
{
	int64_t began = clock_mono_ms(), took = 0;

	signal_children(c, SIGTERM);
	while (took < 2 * GRACE_MS && (waitpid(-1, NULL, WNOHANG) >= 0 || errno == EINTR)) {
		took = clock_mono_ms() - began;
		if (took > GRACE_MS)
			signal_children(c, SIGKILL);
		poll(NULL, 0, LOOK_AGAIN_MS);
	}
}

/* The status of the work; *ret_signal: what ended this program first. */
static int wait_for_work(pid_t pid, const sigset_t *awaited, int *ret_signal)
{
	int status = 0, number;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		number = sigwaitinfo(awaited, NULL);
		if (number < 0 || number == SIGCHLD)
			continue;
		*ret_signal = number;
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		break;
	}
	return status;
}

static pid_t start_work(struct cli *c, const sigset_t *before,
                        int (*work)(struct cli *c, void *arg), void *arg)
{
	pid_t pid;
	int code;

	fflush(NULL);
	pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	sigprocmask(SIG_SETMASK, before, NULL);
	code = work(c, arg);
	fflush(NULL);
	_exit(code);
}

int conform_guard(struct cli *c, int (*work)(struct cli *c, void *arg), void *arg)
{
	sigset_t awaited, before;
	int status, number = 0;
	pid_t pid;

	if (paths_make_temporary(c) != CODE_DONE)
		return CODE_USAGE;
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGTERM);
	sigaddset(&awaited, SIGINT);
	sigaddset(&awaited, SIGHUP);
	sigaddset(&awaited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &awaited, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = start_work(c, &before, work, arg);
	if (pid < 0)
		out_error(c, "No process can be started: %s.", strerror(errno));
	status = pid < 0 ? 0 : wait_for_work(pid, &awaited, &number);
	end_children(c);
	if (!number && WIFSIGNALED(status))
		out_error(c, "The check was ended by signal %d.", WTERMSIG(status));
	paths_done(c);
	return pid < 0             ? CODE_FAILED
	       : number            ? 128 + number
	       : WIFEXITED(status) ? WEXITSTATUS(status)
	                           : CODE_FAILED;
}
