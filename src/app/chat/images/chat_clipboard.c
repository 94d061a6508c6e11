/*
 * The image of the clipboard.  A terminal passes text only, so a program of the
 * desktop is asked: wl-paste under Wayland, xclip under X11.  The program gets a
 * deadline, and no more than an image's bytes are read.
 */
#include "app/chat/images/chat_images.h"

#include "app/child.h"
#include "base/os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MS 3000

static char *const wayland[] = { (char *)"wl-paste", (char *)"--no-newline", (char *)"--type",
	                         (char *)"image/png", NULL };
static char *const x11[] = { (char *)"xclip",
	                     (char *)"-selection",
	                     (char *)"clipboard",
	                     (char *)"-t",
	                     (char *)"image/png",
	                     (char *)"-o",
	                     NULL };

static int start(char *const argv[], int out, pid_t *ret)
{
	posix_spawn_file_actions_t files;
	int code;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	code = child_start(NULL, argv, &files, ret);
	posix_spawn_file_actions_destroy(&files);
	return code;
}

/* Until the end, the limit or the deadline; false: not the whole. */
static bool read_all(int in, size_t max, struct buf *out)
{
	int64_t end = clock_mono_ms() + ANSWER_MS;
	char bytes[16384];
	ssize_t len;

	while (out->len <= max && clock_mono_ms() < end) {
		struct pollfd p = { .fd = in, .events = POLLIN };

		if (poll(&p, 1, (int)MAX(end - clock_mono_ms(), 0)) <= 0)
			continue;
		len = read(in, bytes, sizeof bytes);
		if (len == 0)
			return true;
		if (len < 0 && errno != EINTR)
			return false;
		buf_add(out, bytes, len > 0 ? (size_t)len : 0);
	}
	return false;
}

static const char *read_from(char *const argv[], size_t max, struct buf *out)
{
	int ends[2], status = 0, code;
	bool is_whole;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return strerror(errno);
	code = start(argv, ends[1], &pid);
	close(ends[1]);
	is_whole = !code && read_all(ends[0], max, out);
	close(ends[0]);
	if (code)
		return code == ENOENT ? "neither wl-paste nor xclip is installed" : strerror(code);
	if (!is_whole)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!is_whole)
		return out->len > max ? "20 MiB fit into a message"
		                      : "the clipboard does not answer";
	return status == 0 && out->len ? NULL : "the clipboard holds no image";
}

const char *chat_clipboard_read(struct arena *mem, size_t max, struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const char *why = "this terminal has no desktop whose clipboard could be read";

	if (getenv("WAYLAND_DISPLAY"))
		why = read_from(wayland, max, &out);
	else if (getenv("DISPLAY"))
		why = read_from(x11, max, &out);
	if (!why)
		*ret = arena_keep(mem, buf_str(&out));
	return why;
}
