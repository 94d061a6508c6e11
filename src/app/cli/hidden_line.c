/* A line of the terminal without echo. */
#include "app/cli/hidden_line.h"

#include "base/buf.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define CTRL_C 3
#define CTRL_D 4
#define LOOK_MS 200

/* A signal that the caller lets through. */
static bool is_one_of(const sigset_t *pending, const sigset_t *mask)
{
	return (sigismember(pending, SIGTERM) == 1 && sigismember(mask, SIGTERM) == 0) ||
	       (sigismember(pending, SIGHUP) == 1 && sigismember(mask, SIGHUP) == 0);
}

/*
 * False: the end, or a signal that ends the program came, which is let through when echo is on again.
 * ppoll() would let it through too early, so pending ones are looked for.
 */
static bool read_key(const sigset_t *mask, char *ret)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	sigset_t pending;
	int ready = 0;

	while (ready == 0) {
		if (sigpending(&pending) == 0 && is_one_of(&pending, mask))
			return false;
		ready = poll(&in, 1, LOOK_MS);
		ready = ready < 0 && errno == EINTR ? 0 : ready;
	}
	return ready > 0 && read(0, ret, 1) == 1;
}

struct str hidden_line_read(struct cli *c, const char *prompt)
{
	struct buf line = { .max = HIDDEN_LINE_MAX };
	struct termios before, hidden;
	struct str kept = STR_NONE;
	sigset_t ends, mask;
	char ch = 0;

	if (tcgetattr(0, &before) != 0)
		return STR_NONE;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, &mask);
	hidden = before;
	/* ISIG is off too: a signal would end the process with echo still disabled. */
	hidden.c_lflag &= ~(tcflag_t)(ECHO | ISIG | ICANON);
	hidden.c_cc[VMIN] = 1;
	hidden.c_cc[VTIME] = 0;
	tcsetattr(0, TCSAFLUSH, &hidden);
	fputs(prompt, stderr); /* after echo is off: users may paste at once */
	while (read_key(&mask, &ch) && ch != '\n' && ch != '\r' && ch != CTRL_C && ch != CTRL_D) {
		if (ch == 127 || ch == 8)
			line.len -= line.len > 0;
		else
			buf_add_char(&line, ch);
	}
	tcsetattr(0, TCSAFLUSH, &before);
	pthread_sigmask(SIG_SETMASK, &mask, NULL); /* one that came ends the program here */
	fputc('\n', stderr);
	if (ch != CTRL_C && !line.overflowed)
		kept = arena_keep(c->mem, buf_str(&line));
	if (line.ptr)
		explicit_bzero(line.ptr, line.len);
	buf_done(&line);
	return kept;
}
