/*
 * The names of all files in git's index and in any commit, for `policy show`
 * and `doctor`: the sandbox cannot hide a denied path's content inside .git.
 *
 * The repository can make git run programs, so git runs in a read-only sandbox
 * without network, with a deadline and a bound on its output.
 */
#include "app/cli/cli.h"
#include "app/cli/print/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_S 5
#define PATIENCE_MS (DEADLINE_S * 1000 + 2000)
#define NAMES_BYTES_MAX (16u << 20)
#define ENDED "the history of git was read to its end"

/* Merges are compared with each parent; the reflog can make further commits visible. */
static const char script[] =
	"set -e\n"
	"run() { git --no-pager -c core.fsmonitor=false -c core.quotePath=false \"$@\"; }\n"
	"run ls-files -z\n"
	"run log --all --reflog -m --diff-filter=A --no-renames --no-ext-diff --no-textconv "
	"--name-only --format= -z\n"
	"printf '\\0" ENDED "\\0'\n";

/* The directory that holds .git, from dir upwards; NULL: there is none. */
static const char *find_top(struct cli *c, const char *dir)
{
	struct str top = str_from(dir);
	struct stat st;

	for (;;) {
		const char *git = arena_printf(c->mem, "%.*s/.git", STR_ARG(top)).ptr;

		if (lstat(git, &st) == 0 && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)))
			return top.len ? arena_printf(c->mem, "%.*s", STR_ARG(top)).ptr : "/";
		if (!top.len)
			return NULL;
		while (top.len && top.ptr[top.len - 1] != '/')
			top.len--;
		top.len -= top.len > 0;
	}
}

/* A worktree or a submodule: its .git is a file that names a directory inside another .git. */
static const char *find_shared(struct cli *c, const char *top)
{
	const char *path = arena_printf(c->mem, "%s/.git", top).ptr;
	char text[PATH_MAX], full[PATH_MAX];
	struct stat st;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t len = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
	                      ? read(fd, text, sizeof text - 1)
	                      : -1;
	const char *found = NULL;

	if (fd >= 0)
		close(fd);
	if (len > 8 && memcmp(text, "gitdir: ", 8) == 0) {
		text[len] = 0;
		text[strcspn(text, "\n")] = 0;
		path = text[8] == '/' ? text + 8 : arena_printf(c->mem, "%s/%s", top, text + 8).ptr;
		found = realpath(path, full) ? strstr(full, "/.git/") : NULL;
	}
	return found ? arena_printf(c->mem, "%.*s/.git", (int)(found - full), full).ptr : NULL;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads until the end, the bound or the deadline. */
static void take(struct buf *into, int fd)
{
	int64_t end = now_ms() + PATIENCE_MS;
	char room[65536];

	while (into->len < NAMES_BYTES_MAX) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = end - now_ms();
		ssize_t got;
		int ready = left > 0 ? poll(&p, 1, (int)left) : 0;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return;
		got = read(fd, room, sizeof room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		buf_add_str(into, str_of(room, (size_t)got));
	}
}

/* A worktree needs the shared .git directory, which lies outside, so it becomes a read root. */
static bool spawn_git(struct cli *c, const char *top, int *ret_fd, pid_t *ret_pid)
{
	const char *hand = cli_sandbox_find_supervisor(c), *shared = find_shared(c, top);
	const char *argv[] = { "thole-supervisor",
		               "sandbox-run",
		               "--profile",
		               "read_only",
		               "--net",
		               "off",
		               "--timeout",
		               "5",
		               "-C",
		               top,
		               "--",
		               "sh",
		               "-c",
		               script,
		               NULL,
		               NULL,
		               NULL };
	posix_spawn_file_actions_t files;
	int pipes[2], failed;

	if (!hand || pipe2(pipes, O_CLOEXEC) < 0)
		return false;
	if (shared) {
		memmove(&argv[12], &argv[10], 4 * sizeof *argv);
		argv[10] = "--read";
		argv[11] = shared;
	}
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, pipes[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	failed = posix_spawn(ret_pid, hand, &files, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	close(pipes[1]);
	if (failed)
		close(pipes[0]);
	*ret_fd = pipes[0];
	return !failed;
}

/*
 * Complete only if the final mark arrived: git may have failed, timed out, or written more than
 * the bound.
 */
const char *git_history_names(struct cli *c, const char *dir, struct buf *into, bool *ret_is_whole)
{
	const char *top = find_top(c, dir);
	const struct str mark = STR("\0" ENDED "\0");
	int fd, status;
	pid_t pid;

	*ret_is_whole = !top;
	if (!top || !spawn_git(c, top, &fd, &pid))
		return top;
	take(into, fd);
	close(fd);
	kill(pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*ret_is_whole = str_ends(buf_str(into), mark);
	if (*ret_is_whole)
		into->len -= mark.len;
	return top;
}
