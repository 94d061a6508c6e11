/*
 * Completion scripts, written from the table of verbs.  Ids are asked of a
 * daemon that runs; pressing a key starts none.
 */
#include "app/cli/out.h"

static const char ids[] = "thole ps --all --quiet --no-start 2>/dev/null";
static const char actions[] = "thole approvals --quiet --no-start 2>/dev/null";

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

/* What stands behind a verb, as a shell expression. */
static void put_args(const struct verb *v)
{
	if (!v->args)
		return;
	if (strcmp(v->args, "@id") == 0)
		printf("@last $(%s)", ids);
	else if (strcmp(v->args, "@action") == 0)
		printf("$(%s)", actions);
	else
		printf("%s", v->args);
}

static void put_cases(void)
{
	for (const struct verb *v = verbs; v->name; v++) {
		if (v->run == verb_help)
			continue;
		printf("    %s) words=\"", v->name);
		put_opt_words(v->opts);
		put_opt_words(common_opts);
		printf(" ");
		put_args(v);
		printf("\" ;;\n");
	}
	printf("    help) words=\"all ");
	put_verb_words();
	printf("\" ;;\n");
}

static void put_choices(const struct opt *o)
{
	for (; o && o->kind; o++)
		if (o->choices)
			printf("    --%s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return "
			       ";;\n",
			       o->name, o->choices);
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

/* Zsh takes the completion of bash. */
static void put_zsh(void)
{
	printf("autoload -U +X bashcompinit && bashcompinit\n");
	put_bash();
}

/* Inside quotes of fish only these two are special. */
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

static void put_fish_opts(const char *condition, const struct opt *o)
{
	for (; o && o->kind; o++) {
		printf("complete -c thole -n '%s' -l %s", condition, o->name);
		if (o->letter)
			printf(" -s %c", o->letter);
		if (o->kind != OPT_FLAG)
			printf(" -r");
		if (o->choices)
			printf(" -f -a '%s'", o->choices);
		printf(" -d ");
		put_fish_text(o->help);
		putchar('\n');
	}
}

static void put_fish_verb(const struct verb *v)
{
	char seen[96];

	snprintf(seen, sizeof seen, "__fish_seen_subcommand_from %s", v->name);
	printf("complete -c thole -f -n __fish_use_subcommand -a %s -d ", v->name);
	put_fish_text(v->summary);
	putchar('\n');
	put_fish_opts(seen, v->opts);
	if (!v->args)
		return;
	printf("complete -c thole -f -n '%s' -a '", seen);
	if (v->args[0] == '@')
		printf("%s(%s)", strcmp(v->args, "@id") == 0 ? "@last " : "",
		       strcmp(v->args, "@id") == 0 ? ids : actions);
	else
		printf("%s", v->args);
	printf("'\n");
}

static void put_fish(void)
{
	for (const struct verb *v = verbs; v->name; v++)
		put_fish_verb(v);
	put_fish_opts("not __fish_use_subcommand", common_opts);
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
		return usage(c, "Completion is there for bash, zsh and fish, not for \"%s\".",
		             shell);
	return CODE_DONE;
}
