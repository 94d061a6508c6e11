/*
 * Completion scripts, generated from the table of verbs.  A running daemon
 * supplies ids; completion never starts one.
 */
#include "app/cli/print/out.h"

/* ---- ids ---- */

#define QUIETLY " --quiet --no-start 2>/dev/null"

/* Where ids come from: a list of the command line itself. */
static const struct source {
	const char *kind, *list;
	bool has_last; /* @last is one of them */
} sources[] = {
	{ "id", "thole ps --all" QUIETLY, true },
	{ "task", "thole task ls --all" QUIETLY, false },
	{ "job", "thole job ls" QUIETLY, false },
	{ "schedule", "thole schedule ls" QUIETLY, false },
	{ "process", "thole process ls" QUIETLY, false },
	{ "action", "thole approvals" QUIETLY, false },
	{ "model", "thole models" QUIETLY, false },
};

static const struct source *source_of(const char *kind)
{
	for (size_t i = 0; i < COUNT_OF(sources); i++)
		if (strcmp(sources[i].kind, kind) == 0)
			return &sources[i];
	return &sources[0];
}

/* What follows the first word: tasks after `task show`, sessions after most others. */
static const struct source *rest_of(const struct verb *v)
{
	return source_of(v->args && v->args[0] == '@' ? v->args + 1 : v->name);
}

/* NULL: its value is no id. */
static const struct source *source_of_opt(const struct opt *o)
{
	return !o->value                        ? NULL
	       : strcmp(o->value, "ID") == 0    ? source_of("id")
	       : strcmp(o->value, "TASK") == 0  ? source_of("task")
	       : strcmp(o->value, "MODEL") == 0 ? source_of("model")
	                                        : NULL;
}

/* ---- bash ---- */

static void put_opt_words(const struct opt *o)
{
	for (; o && o->kind; o++)
		printf(" --%s", o->name);
}

static void put_verb_words(void)
{
	for (const struct verb *v = verbs; v->name; v++)
		printf("%s%s", v == verbs ? "" : " ", v->name);
}

static void put_bash_ids(const struct source *s)
{
	printf("%s$(%s)", s->has_last ? "@last " : "", s->list);
}

/* The candidates are computed by the shell when the user asks, so that ids are current. */
static void put_cases(void)
{
	for (const struct verb *v = verbs; v->name; v++) {
		if (v->run == verb_help)
			continue;
		printf("    %s) words=\"", v->name);
		put_opt_words(v->opts);
		put_opt_words(opt_common);
		printf("\"");
		if (v->args) {
			printf("\n      [[ $cur == -* ]] || words=\"");
			put_bash_ids(rest_of(v));
			printf("\"");
		}
		if (v->args && v->args[0] != '@')
			printf("\n      [[ $COMP_CWORD != 2 || $cur == -* ]] || words=\"%s\"",
			       v->args);
		printf(" ;;\n");
	}
	printf("    help) words=\"all ");
	put_verb_words();
	printf("\" ;;\n");
}

static void put_bash_value(const struct opt *o)
{
	printf("    --%s", o->name);
	if (o->letter)
		printf("|-%c", o->letter);
	printf(") COMPREPLY=($(compgen -W \"");
	if (o->choices)
		printf("%s", o->choices);
	else
		put_bash_ids(source_of_opt(o));
	printf("\" -- \"$cur\")); return ;;\n");
}

/* Options with the same name have the same candidates in bash: it looks at the word before alone. */
static void put_choices(const struct opt *o)
{
	for (; o && o->kind; o++)
		if (o->choices || source_of_opt(o))
			put_bash_value(o);
}

static void put_bash(void)
{
	printf("_thole() {\n"
	       "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\" "
	       "words\n"
	       "  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W \"");
	put_verb_words();
	printf("\" -- \"$cur\"))\n    return\n  fi\n  case \"$prev\" in\n"
	       "    --data|--dir|-C) COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n"
	       "    --script|--config) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n");
	for (const struct verb *v = verbs; v->name; v++)
		put_choices(v->opts);
	printf("  esac\n  case \"${COMP_WORDS[1]}\" in\n");
	put_cases();
	printf("    *) words= ;;\n  esac\n"
	       "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -F _thole thole\n");
}

/* ---- values of options ---- */

static bool is_path(const struct opt *o, const char *kind)
{
	return o->value && strstr(o->value, kind);
}

/* ---- zsh ---- */

/* Inside single quotes, and inside the brackets or behind the colon of a specification. */
static void put_zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", stdout);
		else if (strchr("[]:\\", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void put_zsh_value(const struct opt *o)
{
	if (o->kind == OPT_FLAG)
		return;
	printf(":%s:", o->kind == OPT_PAIR ? "first" : "value");
	if (o->choices)
		printf("(%s)", o->choices);
	else if (source_of_opt(o))
		printf("_thole_%s", source_of_opt(o)->kind);
	else if (is_path(o, "DIR"))
		printf("_files -/");
	else if (is_path(o, "FILE") || is_path(o, "PATH"))
		printf("_files");
	else
		putchar(' ');
	if (o->kind == OPT_PAIR)
		printf(":second: ");
}

/*
 * '(-m --model)'{-m,--model}'[Ask this model.]:value: '.  The list in parentheses excludes the
 * other spelling once one was typed; an option that may be repeated has a star instead.
 */
static void put_zsh_opts(const struct opt *o)
{
	for (; o && o->kind; o++) {
		const char *many = o->kind == OPT_LIST || o->kind == OPT_COMMAS ? "*" : "";

		if (o->letter && *many)
			printf(" \\\n      '*'{-%c,--%s}'[", o->letter, o->name);
		else if (o->letter)
			printf(" \\\n      '(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter,
			       o->name);
		else
			printf(" \\\n      '%s--%s[", many, o->name);
		put_zsh_text(o->help);
		putchar(']');
		put_zsh_value(o);
		putchar('\'');
	}
}

static void put_zsh_args(const struct verb *v)
{
	if (v->run == verb_help) {
		printf(" \\\n      '1: :(all man ");
		put_verb_words();
		printf(")'");
	} else if (!v->args) {
		printf(" \\\n      '*: : '");
	} else if (v->args[0] == '@') {
		printf(" \\\n      '*: :_thole_%s'", rest_of(v)->kind);
	} else {
		printf(" \\\n      '1: :(%s)' \\\n      '*: :_thole_%s'", v->args,
		       rest_of(v)->kind);
	}
}

static void put_zsh_sources(void)
{
	for (size_t i = 0; i < COUNT_OF(sources); i++)
		printf("_thole_%s() {\n  local -a ids\n  ids=(%s${(f)\"$(%s)\"})\n"
		       "  compadd -a ids\n}\n\n",
		       sources[i].kind, sources[i].has_last ? "@last " : "", sources[i].list);
}

static void put_zsh(void)
{
	printf("#compdef thole\n\n");
	put_zsh_sources();
	printf("_thole() {\n  local -a verbs\n  verbs=(\n");
	for (const struct verb *v = verbs; v->name; v++) {
		printf("    '%s:", v->name);
		put_zsh_text(v->summary);
		printf("'\n");
	}
	printf("  )\n  if (( CURRENT == 2 )); then\n    _describe -t commands 'command' verbs\n    "
	       "return\n"
	       "  fi\n  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n");
	for (const struct verb *v = verbs; v->name; v++) {
		printf("  %s)\n    _arguments -s", v->name);
		put_zsh_opts(v->opts);
		put_zsh_opts(opt_common);
		put_zsh_args(v);
		printf(" ;;\n");
	}
	/* A file in $fpath must call the function; eval only registers it. */
	printf("  esac\n}\n\n"
	       "if [ \"$funcstack[1]\" = _thole ]; then\n  _thole \"$@\"\nelse\n  compdef _thole "
	       "thole\nfi\n");
}

/* ---- fish ---- */

/* In single quotes fish treats only these two characters specially. */
static void put_fish_text(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static void put_fish_ids(const struct source *s)
{
	printf(" -a '%s(%s)'", s->has_last ? "@last " : "", s->list);
}

static void put_fish_opts(const char *condition, const struct opt *o)
{
	for (; o && o->kind; o++) {
		bool takes_file = is_path(o, "DIR") || is_path(o, "FILE") || is_path(o, "PATH");

		printf("complete -c thole -n '%s' -l %s", condition, o->name);
		if (o->letter)
			printf(" -s %c", o->letter);
		if (o->kind != OPT_FLAG)
			printf(takes_file ? " -r -F" : " -x");
		if (o->choices)
			printf(" -a '%s'", o->choices);
		else if (source_of_opt(o))
			put_fish_ids(source_of_opt(o));
		printf(" -d ");
		put_fish_text(o->help);
		putchar('\n');
	}
}

/* The words of a verb come first, ids after them. */
static void put_fish_args(const struct verb *v, const char *is_it)
{
	if (v->run == verb_help) {
		printf("complete -c thole -f -n '%s' -a 'all man ", is_it);
		put_verb_words();
		printf("'\n");
		return;
	}
	if (v->args[0] != '@')
		printf("complete -c thole -f -n '%s; and __thole_has 2' -a '%s'\n", is_it, v->args);
	printf("complete -c thole -f -n '%s%s'", is_it,
	       v->args[0] == '@' ? "" : "; and not __thole_has 2");
	put_fish_ids(rest_of(v));
	printf("\n");
}

/* The condition is a function of the script that compares the first word. */
static void put_fish_verb(const struct verb *v)
{
	char is_it[96];

	snprintf(is_it, sizeof is_it, "__thole_is %s", v->name);
	printf("complete -c thole -f -n __thole_is_first -a %s -d ", v->name);
	put_fish_text(v->summary);
	putchar('\n');
	put_fish_opts(is_it, v->opts);
	if (v->args || v->run == verb_help)
		put_fish_args(v, is_it);
}

/* Only the first word is the verb: `thole sandbox run` is not `thole run`. */
static void put_fish(void)
{
	printf("function __thole_is_first\n  test (count (commandline -opc)) -eq 1\nend\n"
	       "function __thole_is\n  set -l words (commandline -opc)\n"
	       "  test (count $words) -ge 2; and test \"$words[2]\" = $argv[1]\nend\n"
	       "function __thole_has\n  test (count (commandline -opc)) -eq $argv[1]\nend\n"
	       "complete -c thole -e\ncomplete -c thole -f\n");
	for (const struct verb *v = verbs; v->name; v++)
		put_fish_verb(v);
	put_fish_opts("not __thole_is_first", opt_common);
}

int verb_completion(struct cli *c)
{
	const char *shell = c->args[0];

	if (strcmp(shell, "bash") == 0)
		put_bash();
	else if (strcmp(shell, "zsh") == 0)
		put_zsh();
	else if (strcmp(shell, "fish") == 0)
		put_fish();
	else
		return opt_usage(c, "Completion is there for bash, zsh and fish, not for \"%s\".",
		                 shell);
	return CODE_DONE;
}
