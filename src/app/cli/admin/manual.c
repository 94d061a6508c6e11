/*
 * The manual page thole.1, generated from the table of verbs: the text of
 * `thole help` for man(1).
 */
#include "app/cli/print/out.h"

/* Escapes a line of text for roff. */
static void put_text(const char *text)
{
	bool is_start = true;

	for (; *text; text++) {
		if (is_start && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
		is_start = *text == '\n';
	}
}

/* A hyphen must be escaped in roff, otherwise it cannot be copied as a minus sign. */
static void put_opts(const struct opt *o)
{
	for (; o && o->kind; o++) {
		printf(".TP\n.B \\-\\-");
		put_text(o->name);
		if (o->letter)
			printf(", \\-%c", o->letter);
		if (o->value) {
			putchar(' ');
			put_text(o->value);
		}
		putchar('\n');
		put_text(o->help);
		if (o->choices)
			printf(" One of: %s.", o->choices);
		putchar('\n');
	}
}

static void put_verb(const struct verb *v)
{
	printf(".SS thole %s%s", v->name, *v->words ? " " : "");
	put_text(v->words);
	putchar('\n');
	put_text(v->summary);
	putchar('\n');
	if (v->details) {
		printf(".PP\n.nf\n");
		put_text(v->details);
		printf(".fi\n");
	}
	put_opts(v->opts);
}

void manual_print(void)
{
	printf(".TH THOLE 1 \"\" \"thole %s\" \"Thole\"\n.SH NAME\n"
	       "thole \\- a runtime for agent work\n.SH SYNOPSIS\n"
	       ".B thole\n\"PROMPT\"\n.br\n.B thole\nCOMMAND [OPTION...] [WORD...]\n"
	       ".SH DESCRIPTION\nThole runs agents and logs every event durably. Without a key a "
	       "scripted "
	       "model answers. Results go to stdout, everything else to stderr.\n"
	       ".PP\nAn ID is that of a session, thread, turn, task or action, or its beginning; "
	       "@last is "
	       "the session that changed last.\n.SH COMMANDS\n",
	       thole_version());
	for (const struct verb *v = verbs; v->name; v++)
		put_verb(v);
	printf(".SH OPTIONS OF ALL COMMANDS\n");
	put_opts(opt_common);
	printf(".SH EXIT STATUS\n0 done, 1 failed, 2 usage, 3 settings or credentials, 4 needs a "
	       "decision, 5 denied, 6 budget, 7 provider, 8 sandbox, 70 store, 124 timeout, "
	       "130 interrupted.\n");
}
