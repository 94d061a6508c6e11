/*
 * Builtins of the shell: cd, export, set, trap, test, printf and others.
 *
 * Most change only the shell, which is harmless until they change what later commands mean: a
 * variable that programs obey, a function, a trap, or code that bash evaluates in a subscript.
 */
#include "policy/shell/programs.h"

/* Words that are variable names, with or without a value. */
static void check_variable_names(struct judge *j, struct command *c, uint32_t from,
                                 bool is_exported)
{
	for (uint32_t i = from; i < c->n; i++) {
		const struct token *t = &c->w[i];
		struct str name = t->text, value = t->text;
		ptrdiff_t at = str_find_char(name, '=');
		struct token v = { 0 };
		enum var_risk risk;

		/* NAME=… with a value that is known only at run time still has a known name. */
		if (at >= 0) {
			name = str_head(name, (size_t)at);
			if (name.len && name.ptr[name.len - 1] == '+')
				name.len--;
		}
		if (!analyze_env_is_name(name) || (!t->is_known && at < 0)) {
			analyze_opaque(c,
			               analyze_explain(j, c, i, "is no plain name of a variable"));
			return;
		}
		if (t->word && t->word->flags & SHELL_QUOTED && !t->is_known &&
		    str_find_char(str_head(t->word->raw, name.len + 1), '$') >= 0) {
			analyze_opaque(c,
			               analyze_explain(j, c, i, "is no plain name of a variable"));
			return;
		}
		value = at >= 0 ? str_skip(value, (size_t)at + 1) : STR("");
		v.is_known = t->is_known;
		v.text = value;
		risk = analyze_env_risk_of_variable(name, at >= 0 ? &v : NULL, is_exported);
		if (risk == VAR_DANGEROUS)
			analyze_opaque(c, arena_printf(j->mem, "%.*s changes what programs do",
			                               STR_ARG(name)));
		else if (risk == VAR_UNKNOWN && is_exported)
			analyze_unsafe(c, STR("execute"),
			               arena_printf(j->mem,
			                            "the variable %.*s may change what programs do",
			                            STR_ARG(name)));
	}
}

/* Skips options made of these letters; others are not understood. */
static uint32_t skip_letters(struct judge *j, struct command *c, const char *letters)
{
	uint32_t i = 1;

	for (; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (!c->w[i].is_known && analyze_word_may_lead_dash(&c->w[i]) &&
		    str_find_char(s, '=') <= 0) {
			analyze_opaque(c, analyze_explain(j, c, i, "may turn out to be an option"));
			return c->n;
		}
		if (!c->w[i].is_known || s.len < 2 || (s.ptr[0] != '-' && s.ptr[0] != '+'))
			break;
		if (str_eq(s, STR("--")))
			return i + 1;
		for (size_t k = 1; k < s.len; k++)
			if (!strchr(letters, s.ptr[k])) {
				analyze_opaque(
					c, analyze_explain(j, c, i,
				                           "is an option that is not followed"));
				return c->n;
			}
	}
	return i;
}

void analyze_builtin_export(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	if (analyze_has_flag(c, "f", NULL))
		analyze_opaque(c, analyze_explain(j, c, 0, "hands functions to other shells"));
	check_variable_names(j, c, skip_letters(j, c, "p"), true);
}

/*
 * Options of a builtin end at the first word that is none: in "declare PATH=x -f" the -f is
 * taken for another name.  Returns the letters of all options.
 */
static struct str leading_letters(struct judge *j, const struct command *c)
{
	size_t len = 0, n = 0;
	char *out;

	for (uint32_t i = 1; i < c->n; i++)
		len += c->w[i].text.len;
	if (!fits(j, len))
		return STR("?");
	out = arena_alloc(j->mem, len + 1);
	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (!c->w[i].is_known || s.len < 2 || s.ptr[0] != '-' || str_eq(s, STR("--")))
			break;
		memcpy(out + n, s.ptr + 1, s.len - 1);
		n += s.len - 1;
	}
	return str_of(out, n);
}

static bool has_letter(struct str letters, const char *wanted)
{
	for (size_t i = 0; i < letters.len; i++)
		if (strchr(wanted, letters.ptr[i]))
			return true;
	return false;
}

/* -n makes a reference to another variable, -i evaluates: neither is followed. */
void analyze_builtin_declare(struct judge *j, struct command *c, const struct program *p)
{
	struct str letters = leading_letters(j, c);

	(void)p;
	if (has_letter(letters, "fF")) {
		/* It prints functions, or hands them to other shells (-x). */
		for (size_t i = 0; i < letters.len; i++)
			if (!strchr("fFpg", letters.ptr[i]))
				analyze_opaque(c, analyze_explain(j, c, 0, "changes functions"));
		return;
	}
	check_variable_names(j, c, skip_letters(j, c, "aArxgpltu"), has_letter(letters, "x"));
}

void analyze_builtin_unset(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	if (has_letter(leading_letters(j, c), "f"))
		return;
	check_variable_names(j, c, skip_letters(j, c, "v"), false);
}

/* The content comes from outside, so a variable that programs obey must not receive it. */
static void check_read_name(struct judge *j, struct command *c, uint32_t i, struct str name)
{
	if (!c->w[i].is_known || !analyze_env_is_name(name))
		analyze_opaque(c, analyze_explain(j, c, i, "is no plain name of a variable"));
	else if (analyze_env_risk_of_variable(name, NULL, false) == VAR_DANGEROUS)
		analyze_opaque(c, analyze_explain(j, c, i, "changes what programs do"));
}

/* -a NAME is an operand; in -raNAME the name follows the letter directly. */
static void check_array_option(struct judge *j, struct command *c, uint32_t i)
{
	struct str s = c->w[i].text;

	if (!analyze_word_starts_with(c, i, "-"))
		return;
	for (size_t k = 1; k + 1 < s.len && !strchr("dinNptu", s.ptr[k]); k++)
		if (s.ptr[k] == 'a') {
			check_read_name(j, c, i, str_skip(s, k + 1));
			return;
		}
}

void analyze_builtin_read(struct judge *j, struct command *c, const struct program *p)
{
	static const struct program options = { .values = "d i n N p t u" };

	(void)p;
	analyze_scan_options(j, c, &options, 1);
	for (uint32_t i = 1; i < c->n; i++)
		check_array_option(j, c, i);
	for (uint32_t k = 0; k < c->operand_count; k++)
		check_read_name(j, c, c->operands[k], c->w[c->operands[k]].text);
}

/* Only common letters: others change how words are read or exported. */
void analyze_builtin_set(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (analyze_word_is_word(c, i, "--"))
			return; /* positional parameters, which are never followed */
		if (!c->w[i].is_known || s.len < 2 || (s.ptr[0] != '-' && s.ptr[0] != '+')) {
			if (!c->w[i].is_known || !analyze_word_is_word(c, i, "pipefail"))
				analyze_opaque(
					c, analyze_explain(j, c, i,
				                           "is a setting that is not followed"));
			continue;
		}
		for (size_t k = 1; k < s.len; k++)
			if (!strchr("euxovnC", s.ptr[k]))
				analyze_opaque(
					c, analyze_explain(j, c, i,
				                           "is a setting that is not followed"));
	}
}

/* trap 'code' SIGNAL: the code runs later, in an unknown state of the shell. */
void analyze_builtin_trap(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t i = analyze_word_is_word(c, 1, "--") ? 2 : 1;

	(void)p;
	/* Printing, resetting and ignoring run no code. */
	if (c->n <= i || analyze_word_is_word(c, i, "-p") || analyze_word_is_word(c, i, "-l") ||
	    analyze_word_is_word(c, i, "-") || analyze_word_is_word(c, i, "") ||
	    (c->n == i + 1 && c->w[i].is_literal))
		return;
	c->flow = analyze_walk_lost_flow();
	analyze_run_text(j, c, &c->w[i], SHELL_BASH, SHELL_IN_TRAP);
	for (i++; i < c->n; i++)
		if (!c->w[i].is_known || analyze_word_is_word(c, i, "DEBUG") ||
		    analyze_word_is_word(c, i, "RETURN") || analyze_word_is_word(c, i, "ERR"))
			analyze_opaque(c, analyze_explain(j, c, i,
			                                  "runs code between all other commands"));
}

/*
 * eval runs in this shell, possibly after changes that were not followed: directory and
 * variables count as unknown.
 */
void analyze_builtin_eval(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t at = analyze_word_is_word(c, 1, "--") ? 2 : 1;

	(void)p;
	c->flow = analyze_walk_lost_flow();
	c->act->flags |= ACT_NEUTRAL;
	analyze_run_joined(j, c, at, SHELL_BASH);
}

void analyze_builtin_source(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	analyze_unsafe(c, STR("execute"), analyze_explain(j, c, 0, "runs a file in this shell"));
	c->act->flags |= ACT_RUNS_CODE;
	c->act->flags &= ~(unsigned)ACT_COMPLETE;
	if (c->n < 2 || !c->w[1].is_known)
		analyze_opaque(c, STR("which file it runs is known only when it runs"));
	else {
		analyze_word_add_word_path(j, c, 1, ACT_READS, 0);
		analyze_note_script(j, c, 1);
	}
}

/* command -v and -V only look up a name; without them the words run. */
void analyze_builtin_command(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t i = 1;

	(void)p;
	c->act->flags |= ACT_NEUTRAL;
	for (; i < c->n && analyze_word_starts_with(c, i, "-"); i++) {
		if (analyze_word_is_word(c, i, "--")) {
			i++;
			break;
		}
		if (analyze_word_is_word(c, i, "-v") || analyze_word_is_word(c, i, "-V"))
			return;
		c->act->flags |= ACT_STEERED; /* -p looks for the program elsewhere */
		if (!analyze_word_is_word(c, i, "-p"))
			analyze_opaque(
				c, analyze_explain(j, c, i, "is an option that is not followed"));
	}
	analyze_run_words(j, c, i);
}

void analyze_builtin(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	c->act->flags |= ACT_NEUTRAL;
	analyze_run_words(j, c, analyze_word_is_word(c, 1, "--") ? 2 : 1);
}

/* exec without words applies its redirections to the rest of the shell. */
void analyze_builtin_exec(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t i = 1;

	(void)p;
	c->act->flags |= ACT_NEUTRAL;
	for (; i < c->n && analyze_word_starts_with(c, i, "-"); i++) {
		if (analyze_word_is_word(c, i, "--")) {
			i++;
			break;
		}
		/* Another name for itself (-a, -l), or no variables (-c). */
		c->act->flags |= ACT_STEERED;
		if (analyze_word_is_word(c, i, "-a"))
			i++;
		else if (!analyze_word_is_word(c, i, "-c") && !analyze_word_is_word(c, i, "-l") &&
		         !analyze_word_is_word(c, i, "-cl"))
			analyze_opaque(
				c, analyze_explain(j, c, i, "is an option that is not followed"));
	}
	analyze_run_words(j, c, i);
}

void analyze_builtin_let(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	for (uint32_t i = 1; i < c->n; i++)
		if (!c->w[i].is_known || str_find_char(c->w[i].text, '[') >= 0 ||
		    str_find_char(c->w[i].text, '$') >= 0 ||
		    str_find_char(c->w[i].text, '`') >= 0 ||
		    (c->w[i].word && analyze_walk_is_risky_arithmetic(j, &c->flow, c->w[i].word)))
			analyze_opaque(c, STR("it computes with a value that may hold a command"));
}

/* Only plain look-ups: hash -p and enable -f redefine names. */
void analyze_builtin_hash(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	for (uint32_t i = 1; i < c->n; i++)
		if (!analyze_word_is_word(c, i, "-r") && !analyze_word_is_word(c, i, "-l") &&
		    !analyze_word_is_word(c, i, "-t") &&
		    (analyze_word_may_lead_dash(&c->w[i]) || !c->w[i].is_known))
			analyze_opaque(c,
			               analyze_explain(j, c, i, "may give a name another meaning"));
}

/* Without a new value they only print. */
void analyze_builtin_show_only(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	for (uint32_t i = 1; i < c->n; i++)
		if (!analyze_word_starts_with(c, i, "-"))
			analyze_unsafe(c, STR("change"),
			               analyze_explain(j, c, 0, "sets a limit of this shell"));
}

void analyze_builtin_cd(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	/* The new directory is followed; entering it reads nothing. */
	for (uint32_t i = 1; i < c->n; i++)
		if (c->w[i].is_known && !analyze_word_starts_with(c, i, "-"))
			analyze_word_add_word_path(j, c, i, 0, 0);
}

/* test and [: arithmetic is not evaluated, but -v and -R evaluate subscripts. */
static bool is_test_operator(const struct command *c, uint32_t i)
{
	static const char *const words[] = { "=",   "==",  "!=",  "<",   ">",   "-eq", "-ne",
		                             "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef" };

	for (size_t k = 0; k < COUNT_OF(words); k++)
		if (analyze_word_is_word(c, i, words[k]))
			return true;
	return false;
}

/*
 * An unquoted word that may be empty or several can become an operator and change which words
 * are paths, subscripts or text.
 */
void analyze_builtin_test(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t end = c->n;

	(void)p;
	if (end > 1 && analyze_word_is_word(c, end - 1, "]"))
		end--;
	for (uint32_t i = 1; i < end; i++) {
		const struct token *t = &c->w[i];
		bool is_operand = (i + 1 < end && is_test_operator(c, i + 1)) ||
		                  (i > 1 && is_test_operator(c, i - 1)) ||
		                  (i > 1 && c->w[i - 1].is_known && c->w[i - 1].text.len == 2 &&
		                   c->w[i - 1].text.ptr[0] == '-') ||
		                  end == 2;

		if ((analyze_word_is_word(c, i, "-v") || analyze_word_is_word(c, i, "-R")) &&
		    i + 1 < end &&
		    (!c->w[i + 1].is_known || !analyze_env_is_name(c->w[i + 1].text)))
			analyze_opaque(c, STR("-v looks at a subscript that may hold a command"));
		if (!t->is_known && !t->values && (t->is_many || !is_operand) &&
		    !(t->word && t->word->flags & SHELL_QUOTED && is_operand))
			analyze_opaque(c,
			               analyze_explain(j, c, i, "may turn out to be an operator"));
		if (i > 1 && analyze_word_starts_with(c, i - 1, "-") && c->w[i - 1].text.len == 2 &&
		    strchr("abcdefghkprstuwxGLNOS", c->w[i - 1].text.ptr[1]) && t->is_known)
			analyze_word_add_word_path(j, c, i, 0, 0);
	}
}

/* %n stores the number of written bytes in the variable that its argument names. */
static bool may_store(const struct token *format)
{
	struct str s = format->text;
	bool is_open = false;

	if (!format->is_known)
		return true;
	for (size_t i = 0; i < s.len; i++) {
		if (!is_open)
			is_open = s.ptr[i] == '%';
		else if (s.ptr[i] == 'n')
			return true;
		else
			is_open = strchr("-+ #'*.0123456789hlLjzt", s.ptr[i]) != NULL;
	}
	return false;
}

/* printf -v NAME stores its output instead of printing it. */
void analyze_builtin_printf(struct judge *j, struct command *c, const struct program *p)
{
	(void)p;
	if (c->n < 2)
		return;
	if (analyze_word_starts_with(c, 1, "-v")) {
		struct str name = c->w[1].text.len > 2           ? str_skip(c->w[1].text, 2)
		                  : c->n > 2 && c->w[2].is_known ? c->w[2].text
		                                                 : STR("");

		if (!analyze_env_is_name(name) ||
		    analyze_env_risk_of_variable(name, NULL, false) == VAR_DANGEROUS)
			analyze_opaque(c,
			               STR("-v stores into something that is no plain variable"));
		return;
	}
	if (!c->w[1].is_known && analyze_word_may_lead_dash(&c->w[1]))
		analyze_opaque(c, analyze_explain(j, c, 1, "may turn out to be an option"));
	for (uint32_t i = 2; i < c->n && may_store(&c->w[1]); i++)
		if (!c->w[i].is_known || str_find_char(c->w[i].text, '[') >= 0 ||
		    analyze_env_risk_of_variable(c->w[i].text, NULL, false) == VAR_DANGEROUS)
			analyze_opaque(c,
			               analyze_explain(j, c, i, "may be a variable that %n sets"));
}

/* -C runs a command after every few lines. */
void analyze_builtin_mapfile(struct judge *j, struct command *c, const struct program *p)
{
	static const struct program options = { .values = "d n O s u c", .bad = "C" };

	(void)p;
	analyze_scan_options(j, c, &options, 1);
	for (uint32_t k = 0; k < c->operand_count; k++)
		if (!c->w[c->operands[k]].is_known ||
		    !analyze_env_is_name(c->w[c->operands[k]].text) ||
		    analyze_env_risk_of_variable(c->w[c->operands[k]].text, NULL, false) ==
		            VAR_DANGEROUS)
			analyze_opaque(c, analyze_explain(j, c, c->operands[k],
			                                  "is no plain name of a variable"));
}
