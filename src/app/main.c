/*
 * The program.  The first word is a verb; options that all verbs share may
 * precede it.  A text with blanks, or another option, is a prompt for `run`.
 */
#include "app/cli/evidence/evidence_verbs.h"
#include "app/cli/connection.h"
#include "app/cli/extend/piped_input.h"
#include "app/cli/print/out.h"
#include "app/cli/remote/remote.h"
#include "app/cli/cli_settings.h"
#include "app/harden.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* NO_COLOR counts if it is not empty, as no-color.org asks. */
static bool has_color(const struct cli *c, bool is_tty)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return is_tty && !c->opts.no_color && !c->opts.plain && !(none && *none) &&
	       !(term && strcmp(term, "dumb") == 0);
}

static void look_at_terminal(struct cli *c)
{
	c->is_tty_in = isatty(STDIN_FILENO);
	/*
	 * A parent may have ignored SIGINT (a background script); Ctrl-C in a terminal must still
	 * work.
	 */
	if (c->is_tty_in)
		signal(SIGINT, SIG_DFL);
	c->is_tty_out = isatty(STDOUT_FILENO);
	c->is_tty_err = isatty(STDERR_FILENO);
	c->color_out = has_color(c, c->is_tty_out);
	c->color_err = has_color(c, c->is_tty_err);
}

/*
 * A word that is nearly a command, or a command of other programs, is rather a mistake than a
 * prompt, so no turn is started for it.
 */
static int unknown(struct cli *c, const char *word, const char *meant)
{
	out_error(c, "There is no command \"%s\".", out_safe(c->mem, str_from(word)));
	fprintf(stderr, "  Did you mean `thole %s`?\n", meant);
	fprintf(stderr, "  As a prompt: thole run %s\n", out_safe(c->mem, str_from(word)));
	fprintf(stderr, "  `thole help all` lists every command.\n");
	return CODE_USAGE;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] && strcmp(word, "--") != 0;
}

/* Words of an option that may precede a verb: of all verbs, or of those that need not be named. */
static int words_before_verb(const char *word)
{
	int count = opt_word_count(help_find_verb("run"), word);

	return count ? count : opt_word_count(help_find_verb("chat"), word);
}

/* Options may precede the verb; this moves the verb to the front.  It refuses those of others. */
static void verb_first(int argc, char **argv)
{
	char *word;
	int at = 1, count;

	while (at < argc && is_option(argv[at]) && (count = words_before_verb(argv[at])))
		at += count;
	if (at >= argc || !help_find_verb(argv[at]))
		return;
	word = argv[at];
	memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
	argv[1] = word;
}

/* -c sets a value if one follows; else it continues the last session of this directory. */
static void spell_continue(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			return;
		if (strcmp(argv[i], "-c") == 0 && (i + 1 == argc || argv[i + 1][0] == '-'))
			argv[i] = (char *)"--continue";
	}
}

/* Only options of a chat: it is one, if a person is at the terminal. */
static bool is_chat(const struct cli *c, int argc, char **argv)
{
	const struct verb *chat = help_find_verb("chat");
	bool is_asked = false;
	int count;

	for (int i = 1; i < argc; i += count) {
		count = is_option(argv[i]) ? opt_word_count(chat, argv[i]) : 0;
		if (!count || strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
			return false;
		is_asked = is_asked || strcmp(argv[i], "--continue") == 0;
	}
	return is_asked || (c->is_tty_in && c->is_tty_out);
}

/* Finds the verb; *ret_first is the first word after it. */
static int find_verb(struct cli *c, int argc, char **argv, int *ret_first)
{
	const char *word, *meant;

	c->verbs = verbs;
	spell_continue(argc, argv);
	if (is_chat(c, argc, argv)) {
		c->verb = help_find_verb("chat");
		*ret_first = 1;
		return CODE_DONE;
	}
	verb_first(argc, argv);
	word = argc > 1 ? argv[1] : piped_input_has_text() ? "run" : "help";
	*ret_first = MIN(2, argc);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		word = "help";
	else if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 ||
	         strcmp(word, "-v") == 0)
		word = "version";
	c->verb = help_find_verb(word);
	if (c->verb)
		return CODE_DONE;
	meant = strpbrk(word, " \t\n") || word[0] == '-' ? NULL : help_meant(word);
	if (meant)
		return unknown(c, word, meant);
	c->verb = help_find_verb("run");
	*ret_first = 1;
	return CODE_DONE;
}

/* The terminal is examined again after the options, because --plain and --no-color change it. */
static int run(struct cli *c, int argc, char **argv)
{
	int first, code = find_verb(c, argc, argv, &first);

	if (!code)
		code = opt_read(c, argc - first, argv + first);
	look_at_terminal(c);
	if (code)
		return code;
	if (c->opts.help)
		return verb_help(c);
	if (verify_pack_is_all(c))
		return c->verb->run(c);
	code = paths_find(c);
	if (!code && remote_host(c))
		code = remote_open(c);
	return code ? code : c->verb->run(c);
}

/* False after `thole log | head` has closed the pipe. */
static bool has_reader(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO };

	return poll(&out, 1, 0) != 1 || !(out.revents & POLLERR);
}

/* An error while writing the result is a failure. */
static int finish(struct cli *c, int code)
{
	if ((fflush(stdout) != 0 || ferror(stdout)) && code == CODE_DONE) {
		if (has_reader())
			out_error(c, "The output could not be written.");
		code = CODE_FAILED;
	}
	if (code == CODE_CONFIG && c->t && !c->opts.here)
		cli_settings_tell_unread(c);
	/* A daemon notices the end of the connection; our own runtime must stop in order. */
	if (c->opts.here)
		connection_close(c);
	remote_close(c);
	paths_done(c);
	return code;
}

int main(int argc, char **argv)
{
	static struct cli c; /* outlives main: a thread may still read events */

	harden_environment();
	c.mem = arena_new();
	look_at_terminal(&c);
	return finish(&c, run(&c, argc, argv));
}
