/*
 * Parses the command line by the tables of verbs.c.
 *
 *	--name VALUE  --name=VALUE  -n VALUE  -nVALUE  -ab (flags)  --  (no options behind it)
 */
#include "app/cli/print/out.h"

#include <stdarg.h>
#include <stdlib.h>

#define AT(field) offsetof(struct opts, field)

/* clang-format off */
const struct opt opt_common[] = {
	{ OPT_TEXT, 0, "data", AT(data), 0, "DIR", "Data directory.", NULL },
	{ OPT_TEXT, 'H', "host", AT(host), 0, "ssh://HOST", "The daemon of another machine, over ssh.", NULL },
	{ OPT_FLAG, 0, "here", AT(here), 0, NULL, "Run in this process instead of a daemon.", NULL },
	{ OPT_FLAG, 0, "json", AT(json), 0, NULL, "Replies and events as they are.", NULL },
	{ OPT_TEXT, 'o', "output", AT(output), 0, "HOW", "How results are printed.", "table json jsonl stream-json id" },
	{ OPT_FLAG, 'q', "quiet", AT(quiet), 0, NULL, "No progress; lists print ids only.", NULL },
	{ OPT_LIST, 'c', "set", AT(cli_settings), 0, "KEY=VALUE", "A setting; may be given again.", NULL },
	{ OPT_FLAG, 0, "no-start", AT(no_start), 0, NULL, "Do not start a daemon.", NULL },
	{ OPT_FLAG, 0, "no-color", AT(no_color), 0, NULL, "No colours; so does NO_COLOR.", NULL },
	{ OPT_FLAG, 0, "plain", AT(plain), 0, NULL, "Words only: no colours, no signs, nothing painted over.", NULL },
	{ OPT_FLAG, 'h', "help", AT(help), 0, NULL, "Show help.", NULL },
	{ 0 },
};
/* clang-format on */

/* choices: words separated by single blanks, as in struct opt. */
static bool is_choice(const char *choices, struct str word)
{
	struct str rest = str_from(choices);

	while (str_is(rest))
		if (str_eq(str_cut(&rest, ' '), word))
			return true;
	return false;
}

static bool wants_word(const struct verb *v)
{
	return strncmp(v->words, "WHAT", 4) == 0;
}

/* For a verb that needs a subcommand and got none: prints what each does. */
static void put_forms(const struct cli *c)
{
	const struct verb *v = c->verb;
	struct str left = str_from(v->details);

	if (!wants_word(v) || (c->arg_count && is_choice(v->args, str_from(c->args[0]))))
		return;
	while (left.len) {
		struct str line = str_cut(&left, '\n');

		fprintf(stderr, "  %.*s\n", STR_ARG(line));
	}
}

int opt_usage(struct cli *c, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	out_error(c, "%s", out_safe(c->mem, str_from(text)));
	if (!c->verb) {
		fprintf(stderr, "`thole help` shows what there is.\n");
		return CODE_USAGE;
	}
	put_forms(c);
	fprintf(stderr, "usage: thole %s%s%s   (thole help %s)\n", c->verb->name,
	        *c->verb->words ? " " : "", c->verb->words, c->verb->name);
	return CODE_USAGE;
}

/* ---- finding ---- */

static const struct opt *find_in(const struct opt *o, char letter, struct str name)
{
	for (; o && o->kind; o++)
		if (letter ? o->letter == letter : str_eq(str_from(o->name), name))
			return o;
	return NULL;
}

static const struct opt *find(const struct verb *v, char letter, struct str name)
{
	const struct opt *o = v ? find_in(v->opts, letter, name) : NULL;

	return o ? o : find_in(opt_common, letter, name);
}

/* By kind, without the option itself. */
static int value_count(const struct opt *o)
{
	return o->kind == OPT_FLAG || o->kind == OPT_MAYBE ? 0 : o->kind == OPT_PAIR ? 2 : 1;
}

/* -ab: flags up to the last letter, which may have a value, in the same word or in the next one. */
static int letters_word_count(const struct verb *v, const char *letter)
{
	const struct opt *o;

	for (; *letter; letter++) {
		o = find(v, *letter, STR_NONE);
		if (!o)
			return 0;
		if (o->kind != OPT_FLAG)
			return letter[1] ? MAX(1, value_count(o)) : 1 + value_count(o);
	}
	return 1;
}

int opt_word_count(const struct verb *v, const char *word)
{
	struct str value = str_from(word + 2);
	struct str name = str_cut(&value, '=');
	const struct opt *o = find(v, 0, name);

	if (word[1] != '-')
		return letters_word_count(v, word + 1);
	return !o ? 0 : str_is(value) && value_count(o) ? value_count(o) : 1 + value_count(o);
}

/* Options of other programs, and how the same is said here. */
static const struct {
	const char *word, *meant;
} options_elsewhere[] = {
	{ "-p", "thole run \"PROMPT\"" },
	{ "--print", "thole run \"PROMPT\"" },
	{ "--continue", "thole -c; for one message: thole run -s @last \"PROMPT\"" },
	{ "-r", "thole resume; for one message: thole run -s ID \"PROMPT\"" },
	{ "--resume", "thole resume; for one message: thole run -s ID \"PROMPT\"" },
	{ "--session-id", "thole run -s ID \"PROMPT\"" },
	{ "--output-format", "thole run -o json \"PROMPT\", or -o stream-json" },
	{ "--dangerously-skip-permissions", "thole --mode bypass" },
	{ "--dangerously-bypass-approvals-and-sandbox", "thole --mode bypass" },
	{ "--yolo", "thole --mode bypass" },
	{ "--full-auto", "thole --mode on_request" },
	{ "--permission-mode", "thole --mode MODE" },
	{ "--ask-for-approval", "thole --mode MODE" },
	{ "--allowedTools", "rules of permission.rules: thole policy show" },
	{ "--allowed-tools", "rules of permission.rules: thole policy show" },
	{ "--disallowedTools", "rules of permission.rules: thole policy show" },
	{ "--disallowed-tools", "rules of permission.rules: thole policy show" },
	{ "--mcp-config", "thole mcp add NAME -- COMMAND" },
	{ "--max-budget-usd", "thole run --budget-usd USD \"PROMPT\"" },
	{ "--system-prompt", "AGENTS.md, or an agent: docs/how-to/extend.md" },
	{ "--append-system-prompt", "AGENTS.md, or an agent: docs/how-to/extend.md" },
	{ "--verbose", "thole log -f ID" },
};

static const char *meant_elsewhere(const char *word)
{
	struct str rest = str_from(word), name = str_cut(&rest, '=');

	for (size_t i = 0; i < COUNT_OF(options_elsewhere); i++)
		if (str_eq(name, str_from(options_elsewhere[i].word)))
			return options_elsewhere[i].meant;
	return NULL;
}

/* The verbs that need not be named: their options are typed as those of other agents. */
static bool begins_work(const struct verb *v)
{
	return strcmp(v->name, "run") == 0 || strcmp(v->name, "chat") == 0;
}

/* If other verbs have the option, the message names them. */
static int unknown(struct cli *c, const char *word, char letter, struct str name)
{
	if (strpbrk(word, " \t\n"))
		return opt_usage(
			c, "A text that begins with a dash goes behind --: thole %s -- \"%s\"",
			c->verb->name, word);
	if (letter)
		word = arena_printf(c->mem, "-%c", letter).ptr;
	if (begins_work(c->verb) && meant_elsewhere(word))
		return opt_usage(c, "`thole %s` has no option %s. Here it is: %s", c->verb->name,
		                 word, meant_elsewhere(word));
	if (c->arg_count > 2 && strstr(c->verb->words, "-- COMMAND"))
		return opt_usage(
			c,
			"`thole %s` has no option %s. Options of the command go behind --: "
			"thole %s %s %s -- %s %s",
			c->verb->name, word, c->verb->name, c->args[0], c->args[1], c->args[2],
			word);
	for (const struct verb *v = c->verbs; v->name; v++)
		if (find_in(v->opts, letter, name))
			return opt_usage(c, "`thole %s` has no option %s; `thole %s` has.",
			                 c->verb->name, word, v->name);
	return opt_usage(c, "`thole %s` has no option %s.", c->verb->name, word);
}

/* ---- values ---- */

/* At most INT32_MAX milliseconds, about 24 days: the C API takes times as int. */
bool opt_duration_read(const char *text, int64_t *ret_ms)
{
	static const struct {
		const char *unit;
		double ms;
	} units[] = { { "", 1000 },     { "s", 1000 },    { "ms", 1 },      { "m", 60000 },
		      { "min", 60000 }, { "h", 3600000 }, { "d", 86400000 } };
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value >= 0 && value < 1e9))
		return false;
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		*ret_ms = (int64_t)(value * units[i].ms + 0.5);
		return *ret_ms <= INT32_MAX;
	}
	return false;
}

static bool usd_read(const char *text, int64_t *ret_nano)
{
	const char *number = text[0] == '$' ? text + 1 : text;
	char *end;
	double value = strtod(number, &end);

	if (end == number || *end || !(value >= 0 && value < 1e9))
		return false;
	*ret_nano = (int64_t)(value * 1e9 + 0.5);
	return true;
}

static int add_word(struct cli *c, const struct opt *o, const char *value)
{
	struct words *list = (struct words *)((char *)&c->opts + o->at);

	if (list->count == WORDS_MAX)
		return opt_usage(c, "--%s is given more than %d times.", o->name, WORDS_MAX);
	list->items[list->count++] = value;
	return CODE_DONE;
}

static const char *join_commas(struct cli *c, const char *before, const char *value)
{
	return before ? arena_printf(c->mem, "%s,%s", before, value).ptr : value;
}

/* The offset of the table leads to the member; the kind says its type. */
static int set(struct cli *c, const struct opt *o, const char *value)
{
	char *at = (char *)&c->opts + o->at;
	bool is_good = true;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)at = true;
		break;
	case OPT_LIST:
	case OPT_PAIR:
		return add_word(c, o, value);
	case OPT_DURATION:
		is_good = opt_duration_read(value, (int64_t *)at);
		break;
	case OPT_COUNT:
		is_good = str_to_i64(str_from(value), (int64_t *)at) && *(int64_t *)at >= 0;
		break;
	case OPT_USD:
		is_good = usd_read(value, (int64_t *)at);
		break;
	case OPT_COMMAS:
		*(const char **)at = join_commas(c, *(const char **)at, value);
		break;
	default:
		is_good = !o->choices || is_choice(o->choices, str_from(value));
		*(const char **)at = value;
	}
	if (o->has_at)
		*((bool *)((char *)&c->opts + o->has_at)) = true;
	if (is_good)
		return CODE_DONE;
	if (o->choices)
		return opt_usage(c, "--%s is one of: %s; not \"%s\".", o->name, o->choices, value);
	return opt_usage(c, "--%s wants %s, not \"%s\".", o->name,
	                 o->kind == OPT_DURATION ? "a time such as 90s, 10m or 2h"
	                 : o->kind == OPT_USD    ? "dollars such as 0.50"
	                                         : "a whole number",
	                 value);
}

/* ---- reading ---- */

struct reader {
	struct cli *c;
	char **argv;
	int argc, at;
};

/* value: from the same word, or NULL. */
static int take(struct reader *r, const struct opt *o, const char *value)
{
	int wanted = o->kind == OPT_MAYBE ? 1 : value_count(o);

	if (o->kind == OPT_MAYBE && !value) {
		*((bool *)((char *)&r->c->opts + o->has_at)) = true;
		return CODE_DONE;
	}
	if (!wanted)
		return value ? opt_usage(r->c, "--%s takes no value.", o->name)
		             : set(r->c, o, NULL);
	for (; wanted; wanted--, value = NULL) {
		int code;

		if (!value && r->at == r->argc)
			return opt_usage(r->c, "--%s wants %s.", o->name, o->value);
		code = set(r->c, o, value ? value : r->argv[r->at++]);
		if (code)
			return code;
	}
	return CODE_DONE;
}

static int read_long(struct reader *r, const char *word)
{
	struct str value = str_from(word + 2);
	struct str name = str_cut(&value, '=');
	const struct opt *o = find(r->c->verb, 0, name);

	if (!o)
		return unknown(r->c, word, 0, name);
	return take(r, o, value.ptr);
}

/*
 * Flags may be combined (-qd); an option with a value takes the rest of the word, or the next
 * word.
 */
static int read_letters(struct reader *r, const char *word)
{
	int code = CODE_DONE;

	for (const char *p = word + 1; *p && !code; p++) {
		const struct opt *o = find(r->c->verb, *p, STR_NONE);

		if (!o)
			return unknown(r->c, word, *p, STR_NONE);
		if (o->kind != OPT_FLAG)
			return take(r, o, p[1] ? p + 1 : NULL);
		code = take(r, o, NULL);
	}
	return code;
}

static void apply_output(struct opts *o)
{
	struct str how = str_from(o->output);

	o->jsonl = str_eq(how, STR("jsonl"));
	o->streams = str_eq(how, STR("stream-json"));
	o->json = o->json || o->jsonl || o->streams || str_eq(how, STR("json"));
	o->quiet = o->quiet || str_eq(how, STR("id"));
}

static int check_count(struct cli *c)
{
	const struct verb *v = c->verb;

	if (c->opts.help)
		return CODE_DONE;
	if (c->opts.streams && strcmp(v->name, "run") != 0 && strcmp(v->name, "send") != 0)
		return opt_usage(c,
		                 "--output stream-json goes with `thole run` and `thole send -f`.");
	if (!c->arg_count && v->alone)
		c->args[c->arg_count++] = (char *)v->alone;
	if (c->arg_count < v->min_args && wants_word(v))
		return opt_usage(c, "`thole %s` wants to know what to do.", v->name);
	if (c->arg_count < v->min_args)
		return opt_usage(c, "`thole %s` wants %s%s", v->name, v->words,
		                 str_ends(str_from(v->words), STR(".")) ? "" : ".");
	if (v->max_args >= 0 && c->arg_count > v->max_args)
		return opt_usage(c, "`thole %s` does not know what to do with \"%s\".", v->name,
		                 c->args[v->max_args]);
	return CODE_DONE;
}

/* Here and not where they are read, so that no daemon is started for a mistake. */
static int check_settings(struct cli *c)
{
	for (int i = 0; i < c->opts.cli_settings.count; i++)
		if (!strchr(c->opts.cli_settings.items[i], '='))
			return opt_usage(
				c,
				"-c wants KEY=VALUE, not \"%s\". `thole -c` alone continues the "
				"last session of this directory.",
				c->opts.cli_settings.items[i]);
	return CODE_DONE;
}

int opt_read(struct cli *c, int argc, char **argv)
{
	struct reader r = { c, argv, argc, 0 };
	bool is_plain = false;
	int code = CODE_DONE;

	c->args = ARENA_ARRAY(c->mem, char *, (size_t)argc + 1);
	while (r.at < argc && !code) {
		char *word = argv[r.at++];

		if (is_plain || word[0] != '-' || !word[1])
			c->args[c->arg_count++] = word;
		else if (strcmp(word, "--") == 0)
			is_plain = true;
		else
			code = word[1] == '-' ? read_long(&r, word) : read_letters(&r, word);
	}
	apply_output(&c->opts);
	if (!code)
		code = check_count(c);
	return code ? code : check_settings(c);
}
