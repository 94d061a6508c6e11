/*
 * The chat line by line, for screen readers, dumb terminals and pipes: a
 * message per line, the answer as `thole run` shows it, nothing painted over.
 */
#include "app/chat/chat.h"

#include "app/chat/chat_plain.h"
#include "app/chat/commands/chat_verb.h"
#include "app/cli/extend/expand_command.h"

#include <stdlib.h>

static const char help_text[] =
	"Each line is a message. /new begins a session, /model NAME chooses a model, /status "
	"shows\n"
	"the session, /quit or the end of input leaves, Ctrl-C stops a turn. Commands that only "
	"show\n"
	"something, such as /tools or /context, work here too; everything else is on the command\n"
	"line: thole help all.\n";

/* What these do without a screen. */
static const struct {
	const char *name, *verb;
	bool needs_session;
} plain[] = {
	{ "/status", "show @", true }, { "/export", "export session @", true },
	{ "/cost", "models", false },  { "/agents", "agents --dir .", false },
	{ "/mcp", "mcp ls", false },   { "/mode", "policy mode @", true },

};

/* False: it is no command of the chat.  *ret: NULL if it needs a screen. */
static bool find_verb(struct str name, const char **ret, bool *ret_needs_session)
{
	*ret = NULL;
	for (size_t i = 0; i < COUNT_OF(plain); i++)
		if (str_eq(name, str_from(plain[i].name))) {
			*ret = plain[i].verb;
			*ret_needs_session = plain[i].needs_session;
			return true;
		}
	for (size_t i = 0; chat_commands_name(i); i++)
		if (str_eq(name, str_from(chat_commands_name(i)))) {
			*ret = chat_commands_verb(i, ret_needs_session);
			return true;
		}
	return false;
}

static int run_verb(struct cli *c, const char *name, const char *verb, bool needs_session,
                    struct str session)
{
	struct chat_verb_place at = { .session = str_is(session) ? session : STR(""), .cwd = "." };
	int code;

	if (!verb)
		return opt_usage(c, "%s needs the chat on a terminal.", name);
	if (needs_session && !at.session.len)
		return opt_usage(c, "%s needs a session; it begins with the first message.", name);
	code = paths_work_dir(c, &at.cwd);
	return code ? code : chat_verb_plain(c, &at, verb, STR_NONE);
}

static int choose_model(struct cli *c, struct str name)
{
	const char *own = c->opts.model;
	int code = connection_open(c);

	c->opts.model = arena_keep(c->mem, name).ptr;
	if (!code)
		code = run_check_model(c);
	if (code)
		c->opts.model = own;
	return code;
}

/* A command of the chat is never sent to the model; one that is a file is. */
static int run_command(struct cli *c, struct str line, struct str *session)
{
	struct str rest = line, name = str_cut(&rest, ' ');
	const char *verb, *shown = out_safe(c->mem, name);
	bool needs_session = false;
	struct json reply;
	int code;

	if (str_eq(name, STR("/model")) && str_is(rest) && str_trim(rest).len)
		return choose_model(c, str_trim(rest));
	if (str_eq(name, STR("/model")))
		return run_verb(c, shown, "models", false, *session);
	if (find_verb(name, &verb, &needs_session))
		return run_verb(c, shown, verb, needs_session, *session);
	code = connection_open(c);
	if (code)
		return code;
	if (expand_command(c, NULL, line, &reply) == EXPAND_COMMAND_NONE)
		return opt_usage(c, "There is no command %s; /help says which there are.", shown);
	return run_message(c, arena_keep(c->mem, line), session);
}

/* "/etc/hosts is wrong" is a message. */
static bool is_command(struct str line)
{
	struct str rest = line, name = str_cut(&rest, ' ');

	return name.len > 1 && name.ptr[0] == '/' && str_find_char(str_skip(name, 1), '/') < 0;
}

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
	if (str_eq(line, STR("/new")) || str_eq(line, STR("/clear"))) {
		*session = STR_NONE;
		c->opts.thread = NULL;
	} else if (str_eq(line, STR("/help")))
		fputs(help_text, stderr);
	else if (is_command(line))
		*code = run_command(c, line, session);
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
