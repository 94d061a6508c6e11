/* A line of the terminal without echo. */
#include "app/cli/hidden_line.h"

#include "base/buf.h"

#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define CTRL_C 3
#define CTRL_D 4

struct str hidden_line_read(struct cli *c, const char *prompt)
{
	struct buf line = { .max = HIDDEN_LINE_MAX };
	struct termios before, hidden;
	struct str kept = STR_NONE;
	char ch = 0;

	if (tcgetattr(0, &before) != 0)
		return STR_NONE;
	hidden = before;
	/* ISIG is off too: a signal would end the process with echo still disabled. */
	hidden.c_lflag &= ~(tcflag_t)(ECHO | ISIG | ICANON);
	hidden.c_cc[VMIN] = 1;
	hidden.c_cc[VTIME] = 0;
	tcsetattr(0, TCSAFLUSH, &hidden);
	fputs(prompt, stderr); /* after echo is off: users may paste at once */
	while (read(0, &ch, 1) == 1 && ch != '\n' && ch != '\r' && ch != CTRL_C && ch != CTRL_D) {
		if (ch == 127 || ch == 8)
			line.len -= line.len > 0;
		else
			buf_add_char(&line, ch);
	}
	tcsetattr(0, TCSAFLUSH, &before);
	fputc('\n', stderr);
	if (ch != CTRL_C && !line.overflowed)
		kept = arena_keep(c->mem, buf_str(&line));
	if (line.ptr)
		explicit_bzero(line.ptr, line.len);
	buf_done(&line);
	return kept;
}
