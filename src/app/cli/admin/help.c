/*
 * help and version: the common verbs, all verbs, or one verb with its options,
 * laid out from the table in verbs.c.
 */
#include "app/cli/print/out.h"

#include <stdlib.h>
#include <unistd.h>

#define COLUMNS_MAX 100
#define SUMMARY_AT 34     /* of a verb */
#define OPTION_HELP_AT 31 /* its words */

int verb_version(struct cli *c)
{
	if (c->opts.json)
		printf("{\"name\":\"thole\",\"version\":\"%s\"}\n", thole_version());
	else
		printf("thole %s\n", thole_version());
	return CODE_DONE;
}

/* ---- options ---- */

/* Prints text from this column on, wrapped at the width of the terminal. */
static void put_words(const struct cli *c, struct str text, int column)
{
	int most = (int)MIN(out_columns(c, STDOUT_FILENO), COLUMNS_MAX), at = column;

	while (text.len) {
		struct str word = str_cut(&text, ' ');
		bool is_first = at == column;

		if (!is_first && at + 1 + (int)word.len > most) {
			printf("\n%*s", column, "");
			at = column;
			is_first = true;
		}
		at += printf("%s%.*s", is_first ? "" : " ", STR_ARG(word));
	}
	putchar('\n');
}

static void put_opts(struct cli *c, const struct opt *o)
{
	for (; o && o->kind; o++) {
		const char *left = o->letter ? arena_printf(c->mem, "-%c, --%s %s", o->letter,
		                                            o->name, o->value ? o->value : "")
		                                       .ptr
		                             : arena_printf(c->mem, "    --%s %s", o->name,
		                                            o->value ? o->value : "")
		                                       .ptr;
		struct str help = str_from(o->help);

		if (o->choices)
			help = arena_printf(c->mem, "%s One of: %s.", o->help, o->choices);
		printf("  %-*s ", OPTION_HELP_AT - 3, left);
		put_words(c, help, OPTION_HELP_AT);
	}
}

/* The names of the options that every verb has. */
static void put_common(const struct cli *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "As everywhere:");
	for (const struct opt *o = opt_common; o->kind; o++)
		buf_printf(&out, " --%s%c", o->name, o[1].kind ? ',' : ';');
	buf_printf(&out, " `thole help all` explains them.");
	put_words(c, buf_str(&out), 0);
}

/* ---- all verbs ---- */

/* printf() counts the bytes of the colour codes, which take no columns. */
static void put_verb(struct cli *c, const struct verb *v)
{
	int width = printf("  %sthole %s%s%s%s", out_tone_on(c->color_out, TONE_NAME), v->name,
	                   *v->words ? " " : "", v->words, out_tone_off(c->color_out));

	width -= (int)(strlen(out_tone_on(c->color_out, TONE_NAME)) +
	               strlen(out_tone_off(c->color_out)));
	if (width >= SUMMARY_AT) {
		putchar('\n');
		width = 0;
	}
	printf("%*s", SUMMARY_AT - width, "");
	put_words(c, str_from(v->summary), SUMMARY_AT);
}

void help_print(struct cli *c)
{
	put_words(c,
	          STR("Thole runs agents and logs every event durably. Without a key a scripted "
	              "model answers."),
	          0);
	printf("\n  %sthole%s                           ", out_tone_on(c->color_out, TONE_NAME),
	       out_tone_off(c->color_out));
	put_words(c, STR("an interactive session in a terminal; -c continues"), SUMMARY_AT);
	printf("  %sthole \"PROMPT\"%s                  the same as thole run\n",
	       out_tone_on(c->color_out, TONE_NAME), out_tone_off(c->color_out));
	for (const struct verb *v = verbs; v->name; v++)
		if (v->is_common)
			put_verb(c, v);
	printf("\nthole help all    every command\nthole help VERB   its options\n"
	       "thole demo        a demonstration of a few seconds\n");
}

static void print_all(struct cli *c)
{
	for (const struct verb *v = verbs; v->name; v++)
		put_verb(c, v);
	printf("\nOptions of all of them:\n");
	put_opts(c, opt_common);
	putchar('\n');
	put_words(c,
	          STR("An ID is that of a session, thread, turn, task or action, or its beginning; "
	              "@last is the session that changed last. Results go to stdout, everything "
	              "else to stderr."),
	          0);
	putchar('\n');
	put_words(c,
	          STR("Exit codes: 0 done, 1 failed, 2 usage, 3 settings or credentials, 4 needs a "
	              "decision, 5 denied, 6 budget, 7 provider, 8 sandbox, 70 store, 124 timeout, "
	              "130 interrupted."),
	          0);
}

/* ---- one verb ---- */

static void end_paragraph(const struct cli *c, struct buf *text)
{
	if (text->len)
		put_words(c, buf_str(text), 0);
	buf_clear(text);
}

/* Columns and examples stay as they are; the other lines are paragraphs and take the width there is. */
static void put_details(const struct cli *c, struct str details)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	while (details.len) {
		struct str line = str_cut(&details, '\n');

		if (line.len && str_find(line, STR("  ")) < 0 && !str_starts(line, STR("thole "))) {
			buf_add_c(&text, text.len ? " " : "");
			buf_add_str(&text, line);
			continue;
		}
		end_paragraph(c, &text);
		printf("%.*s\n", STR_ARG(line));
	}
	end_paragraph(c, &text);
}

static void print_verb(struct cli *c, const struct verb *v)
{
	printf("%sthole %s%s%s%s\n%s\n", out_tone_on(c->color_out, TONE_BOLD), v->name,
	       *v->words ? " " : "", v->words, out_tone_off(c->color_out), v->summary);
	if (v->details) {
		putchar('\n');
		put_details(c, str_from(v->details));
	}
	printf("\n");
	put_opts(c, v->opts);
	if (v->opts)
		printf("\n");
	put_common(c);
}

/* `thole VERB --help` and `thole help VERB` are the same. */
int verb_help(struct cli *c)
{
	const char *name = c->opts.help && c->verb ? c->verb->name
	                   : c->arg_count          ? c->args[0]
	                                           : NULL;
	const struct verb *v;
	const char *meant;

	if (!name) {
		help_print(c);
		return CODE_DONE;
	}
	if (strcmp(name, "all") == 0) {
		print_all(c);
		return CODE_DONE;
	}
	if (strcmp(name, "man") == 0) {
		manual_print();
		return CODE_DONE;
	}
	v = help_find_verb(name);
	if (v) {
		print_verb(c, v);
		return CODE_DONE;
	}
	meant = help_meant(name);
	out_error(c, "There is no command \"%s\".%s%s%s", out_safe(c->mem, str_from(name)),
	          meant ? " Did you mean `thole " : "", meant ? meant : "", meant ? "`?" : "");
	fprintf(stderr, "  `thole help all` lists every command.\n");
	return CODE_USAGE;
}

/* ---- finding a verb ---- */

const struct verb *help_find_verb(const char *name)
{
	for (const struct verb *v = verbs; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

/* Commands of other programs, and what they are called here. */
static const struct {
	const char *word, *meant;
} elsewhere[] = {
	{ "login", "setup` or `thole auth add NAME" },
	{ "logout", "auth rm NAME" },
	{ "key", "auth add NAME" },
	{ "keys", "auth ls" },
	{ "stat", "ps" },
	{ "status", "ps" },
	{ "top", "ps" },
	{ "ls", "ps --all" },
	{ "list", "ps --all" },
	{ "sessions", "ps --all" },
	{ "history", "ps --all` or `thole log ID" },
	{ "events", "log ID" },
	{ "continue", "-c" },
	{ "new", "chat" },
	{ "exec", "run PROMPT" },
	{ "ask", "run PROMPT" },
	{ "start", "serve" },
	{ "daemon", "serve" },
	{ "kill", "stop ID" },
	{ "cancel", "stop ID" },
	{ "usage", "cost" },
	{ "web", "open" },
	{ "ui", "open" },
	{ "console", "open" },
	{ "permissions", "policy show" },
	{ "init", "chat` and then `/init" },
	{ "settings", "config" },
};

const char *help_meant(const char *name)
{
	const struct verb *best = NULL;
	/* larger distances suggest unrelated verbs: "hello" is a greeting and not "help" */
	int least = strlen(name) < 6 ? 2 : 3;

	for (size_t i = 0; i < COUNT_OF(elsewhere); i++)
		if (strcmp(elsewhere[i].word, name) == 0)
			return elsewhere[i].meant;
	for (const struct verb *v = verbs; v->name; v++) {
		int d = str_distance(str_from(name), str_from(v->name));

		if (strncmp(v->name, name, strlen(name)) == 0)
			d = 1;
		if (d < least) {
			best = v;
			least = d;
		}
	}
	return best ? best->name : NULL;
}
