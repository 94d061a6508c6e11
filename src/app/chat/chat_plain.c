/*
 * The chat line by line, for screen readers, dumb terminals and pipes: a
 * message per line, the answer as `thole run` shows it, nothing painted over.
 */
#include "app/chat/chat.h"

#include "app/chat/chat_plain.h"

#include <stdlib.h>

static const char help_text[] = "Each line is a message. /new begins a session, /quit or the end "
				"of input leaves, Ctrl-C stops a turn.\n"
				"Everything else is on the command line: thole help all.\n";

/* --mode is for sessions that begin here; one that exists has its own. */
static int say(struct cli *c, struct str line, struct str *session)
{
	const char *mode = c->opts.mode;
	int code;

	if (str_is(*session))
		c->opts.mode = NULL;
	code = run_message(c, line, session);
	c->opts.mode = mode;
	return code;
}

/* False: the user leaves. */
static bool run_line(struct cli *c, struct str line, struct str *session, int *code)
{
	if (str_eq(line, STR("/quit")) || str_eq(line, STR("/exit")))
		return false;
	if (str_eq(line, STR("/new"))) {
		*session = STR_NONE;
		c->opts.thread = NULL;
	} else if (str_eq(line, STR("/help")))
		fputs(help_text, stderr);
	else if (line.len)
		*code = say(c, arena_keep(c->mem, line), session);
	return true;
}

int chat_plain_run(struct cli *c, struct str session, struct str thread)
{
	char *line = NULL;
	size_t room = 0;
	int code = CODE_DONE;
	bool is_over = false;

	if (str_is(session) && !str_is(thread))
		thread = chat_open_thread(c, session);
	c->opts.thread = str_is(thread) ? arena_keep(c->mem, thread).ptr : NULL;
	while (!is_over) {
		ssize_t len;

		if (c->is_tty_in)
			fputs("> ", stderr);
		len = getline(&line, &room, stdin);
		is_over = len < 0 ||
		          !run_line(c, str_trim(str_of(line, (size_t)len)), &session, &code);
	}
	free(line);
	/* In a terminal the user has seen how each turn ended. */
	return c->is_tty_in ? CODE_DONE : code;
}
