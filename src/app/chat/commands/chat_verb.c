/* Runs a verb of the command line inside the chat: its output is caught and goes above the input. */
#include "app/chat/chat.h"
#include "app/chat/commands/chat_verb.h"
#include "app/cli/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORDS 8
#define OUTPUT_MAX (1u << 20)

/* The standard streams go to a file in memory while a verb runs; its output may go elsewhere. */
struct caught {
	int file, out, err;
};

static bool catch_begin(struct caught *k, int to)
{
	fflush(NULL);
	k->file = memfd_create("thole-chat", MFD_CLOEXEC);
	k->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	k->err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	return k->file >= 0 && k->out >= 0 && k->err >= 0 &&
	       dup2(to >= 0 ? to : k->file, STDOUT_FILENO) >= 0 &&
	       dup2(k->file, STDERR_FILENO) >= 0;
}

static struct str catch_end(struct caught *k, struct arena *mem)
{
	struct str text;

	fflush(NULL);
	dup2(k->out, STDOUT_FILENO);
	dup2(k->err, STDERR_FILENO);
	close(k->out);
	close(k->err);
	lseek(k->file, 0, SEEK_SET);
	text = paths_read_fd(mem, k->file, OUTPUT_MAX);
	close(k->file);
	return str_is(text) ? text : STR("The output is too long; use the command line.\n");
}

static const struct verb *find_verb(const struct cli *c, const char *name)
{
	for (const struct verb *v = c->verbs; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

static int run_words(struct cli *c, int count, char **words)
{
	int code;

	c->opts = (struct opts){ .data = c->opts.data,
		                 .here = c->opts.here,
		                 .plain = c->opts.plain,
		                 .no_color = c->opts.no_color,
		                 .no_start = c->opts.no_start };
	c->arg_count = 0;
	c->verb = find_verb(c, words[0]);
	if (!c->verb) {
		out_error(c, "This build has no `thole %s`.", words[0]);
		return CODE_USAGE;
	}
	code = opt_read(c, count - 1, words + 1);
	return code ? code : c->verb->run(c);
}

/* Splits "policy mode + @" and fills in the arguments and the session. */
static int fill_words(struct cli *c, const struct chat_verb_place *at, const char *verb,
                      struct str args, char *words[WORDS + 1])
{
	struct str rest = str_from(verb);
	int count = 0;

	while (rest.len && count < WORDS) {
		struct str word = str_cut(&rest, ' ');

		if (str_eq(word, STR("@")))
			word = at->session;
		if (str_eq(word, STR(".")))
			word = str_from(at->cwd);
		if (str_eq(word, STR("+")))
			word = args;
		if (word.len)
			words[count++] = (char *)arena_keep(c->mem, word).ptr;
	}
	words[count] = NULL;
	return count;
}

/* Words of the command line; NULL: only asks whether opts.model can be asked. */
static int run_caught(struct chat *ch, int count, char **words, int to)
{
	struct opts opts = ch->c->opts;
	const struct verb *own = ch->c->verb;
	struct caught k;
	struct str text;
	int code;

	if (!catch_begin(&k, to)) {
		chat_paint_notice(ch, "  the output cannot be shown: %s", strerror(errno));
		return CODE_FAILED;
	}
	code = words ? run_words(ch->c, count, words) : run_check_model(ch->c);
	text = catch_end(&k, ch->mem);
	ch->c->opts = opts;
	ch->c->verb = own;
	if (!ch->c->t)
		chat_link_lost(&ch->link);
	chat_view_text(&ch->view, text);
	return code;
}

int chat_verb_run_to(struct chat *ch, const char *verb, struct str args, int to)
{
	struct chat_verb_place at = { .session = str_from(ch->view.session), .cwd = ch->cwd };
	char *words[WORDS + 1];
	int count = fill_words(ch->c, &at, verb, args, words);

	return run_caught(ch, count, words, to);
}

int chat_verb_run(struct chat *ch, const char *verb, struct str args)
{
	return chat_verb_run_to(ch, verb, args, -1);
}

int chat_verb_plain(struct cli *c, const struct chat_verb_place *at, const char *verb,
                    struct str args)
{
	struct opts opts = c->opts;
	const struct verb *own = c->verb;
	char *words[WORDS + 1];
	int count = fill_words(c, at, verb, args, words);
	int code = run_words(c, count, words);

	fflush(stdout);
	c->opts = opts;
	c->verb = own;
	return code;
}

bool chat_verb_can_ask(struct chat *ch, struct str model)
{
	const char *own = ch->c->opts.model;
	int code;

	ch->c->opts.model = arena_keep(ch->mem, model).ptr;
	code = run_caught(ch, 0, NULL, -1);
	ch->c->opts.model = own;
	return code == CODE_DONE;
}
