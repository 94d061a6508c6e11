/*
 * find, xargs and fd: read-only until an action runs or deletes something.
 *
 * The names that they pass to a command are not known, but the directories below which they lie
 * are (VALUE_BELOW), so that "find src -exec cat {} +" is a read below src.
 */
#include "policy/shell/programs.h"

/* Predicates with a value; the value is never an action. */
static const char find_values[] =
	"-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname "
	"-type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -newerXY "
	"-perm "
	"-user -group -uid -gid -maxdepth -mindepth -fstype -inum -links -samefile -used -printf "
	"-context -D -files0-from -newermt -newerat -newerct -newerBt";

/* Starting points precede the first predicate. */
static uint32_t find_starts(const struct command *c)
{
	uint32_t i = 1;

	while (analyze_word_is_word(c, i, "-H") || analyze_word_is_word(c, i, "-L") ||
	       analyze_word_is_word(c, i, "-P") || analyze_word_starts_with(c, i, "-O"))
		i++;
	return i;
}

static const struct values *below_starts(struct judge *j, const struct command *c, uint32_t from,
                                         uint32_t to)
{
	const struct values *all = NULL;

	if (from == to)
		return analyze_word_one_value(j, STR("."), VALUE_BELOW);
	for (uint32_t i = from; i < to; i++) {
		const struct values *one =
			c->w[i].is_known ? analyze_word_one_value(j, c->w[i].text, VALUE_BELOW)
					 : NULL;

		all = i == from ? one : analyze_word_join_values(j, all, one);
		if (!all)
			return NULL;
	}
	return all;
}

/*
 * {} alone or inside a word is replaced by names that find found.  Returns the index of the
 * word that ends the action, c->n if the end is not certain.
 */
static uint32_t take_action(struct judge *j, struct command *c, uint32_t i,
                            const struct values *below)
{
	uint32_t end = i + 1, n = 0;
	struct token *w;

	while (end < c->n && !analyze_word_is_word(c, end, ";") &&
	       !(analyze_word_is_word(c, end, "+") && analyze_word_is_word(c, end - 1, "{}"))) {
		if (c->w[end].is_many) {
			analyze_opaque(
				c, analyze_explain(j, c, end, "may hide where the command ends"));
			return c->n;
		}
		end++;
	}
	w = ARENA_ARRAY(j->mem, struct token, end - i);
	for (uint32_t k = i + 1; k < end; k++) {
		w[n] = c->w[k];
		if (str_eq(w[n].text, STR("{}"))) {
			w[n].is_known = w[n].is_literal = false;
			w[n].is_many = analyze_word_is_word(c, end, "+");
			w[n].values = below;
		} else if (str_find(w[n].text, STR("{}")) >= 0) {
			w[n].is_known = w[n].is_literal = false;
			w[n].values = NULL;
		}
		n++;
	}
	if (!c->act->inner_at)
		c->act->inner_at = i + 1;
	analyze_run_tokens(j, c, w, n);
	return end;
}

void analyze_find(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t from = find_starts(c), to = from;
	const struct values *below;

	(void)p;
	/* The starting points end at the first word that may be a predicate. */
	while (to < c->n && !analyze_word_may_lead_dash(&c->w[to]) &&
	       !analyze_word_is_word(c, to, "(") && !analyze_word_is_word(c, to, "!") &&
	       !analyze_word_is_word(c, to, ",") && !analyze_word_is_word(c, to, ")"))
		to++;
	below = below_starts(j, c, from, to);
	/* The starting points are in a file. */
	for (uint32_t i = to; i < c->n; i++)
		if (analyze_word_is_word(c, i, "-files0-from"))
			below = NULL;
	for (uint32_t i = from; i < to; i++)
		analyze_word_add_word_path(j, c, i, ACT_LISTS, ACT_PATH_DEEP);
	if (from == to)
		analyze_word_add_current(j, c, ACT_LISTS, ACT_PATH_DEEP);
	c->names = below;
	for (uint32_t i = to; i < c->n; i++) {
		if (!c->w[i].is_known) {
			if (analyze_word_may_lead_dash(&c->w[i]) || c->w[i].is_many)
				analyze_twist(j, c, i, "may turn out to be an action");
			continue;
		}
		if (analyze_word_is_word(c, i, "-ls"))
			c->names = NULL; /* it prints the targets of links */
		/* -execdir runs in the directory of each match. */
		if (analyze_is_among("-exec -execdir -ok -okdir", c->w[i].text)) {
			if (analyze_word_is_word(c, i, "-execdir") ||
			    analyze_word_is_word(c, i, "-okdir"))
				c->flow.dir_count = 0;
			i = take_action(j, c, i, below);
		} else if (analyze_word_is_word(c, i, "-delete")) {
			analyze_twist(j, c, i, "deletes what it finds");
			c->act->flags |= ACT_DESTRUCTIVE | ACT_COMPLETE;
			c->act->effect = STR("delete");
			c->act->rollback = STR("restore from version control or a backup; what is "
			                       "in neither is gone");
			for (uint32_t k = 0; k < c->act->path_count; k++)
				c->act->paths[k].use |= ACT_DELETES;
		} else if (analyze_is_among("-fprint -fprint0 -fprintf -fls", c->w[i].text)) {
			analyze_twist(j, c, i, "writes a file");
			if (i + 1 < c->n)
				analyze_word_add_word_path(j, c, i + 1, ACT_WRITES, 0);
			i++;
		} else if (analyze_is_among(find_values, c->w[i].text) ||
		           analyze_word_starts_with(c, i, "-newer")) {
			if (analyze_word_is_word(c, i, "-printf"))
				c->names = NULL;
			if (analyze_word_is_word(c, i, "-files0-from") && i + 1 < c->n)
				analyze_word_add_word_path(j, c, i + 1, ACT_READS, 0);
			else if (analyze_is_among("-newer -anewer -cnewer -samefile",
			                          c->w[i].text) &&
			         i + 1 < c->n)
				analyze_word_add_word_path(j, c, i + 1, ACT_LISTS, 0);
			if (i + 1 < c->n && c->w[i + 1].is_many)
				analyze_twist(j, c, i + 1, "may become several words");
			i++;
		}
	}
	/* The command it runs decides; searching itself changes nothing. */
	if (c->act->inner_at && c->act->flags & ACT_READ_ONLY)
		c->act->flags |= ACT_NEUTRAL;
}

/* ---- xargs ---- */

static const struct program xargs_options = {
	.values =
		"a d E I L n P s arg-file delimiter max-lines max-args max-procs max-chars replace "
		"process-slot-var",
	.flags = "0 r t p x o i e l null no-run-if-empty verbose interactive exit eof open-tty "
		 "show-limits",
};

/* The string that -I replaces, absent without it. */
static struct str replaced(const struct command *c, uint32_t end)
{
	for (uint32_t i = 1; i < end; i++) {
		if (analyze_word_is_word(c, i, "-I") && i + 1 < c->n)
			return c->w[i + 1].text;
		if (analyze_word_starts_with(c, i, "-I"))
			return str_skip(c->w[i].text, 2);
		if (analyze_word_starts_with(c, i, "-i"))
			return c->w[i].text.len > 2 ? str_skip(c->w[i].text, 2) : STR("{}");
		if (analyze_word_starts_with(c, i, "--replace"))
			return str_find_char(c->w[i].text, '=') > 0 ? str_skip(c->w[i].text, 10)
			                                            : STR("{}");
	}
	return STR_NONE;
}

static uint32_t skip_xargs_options(struct judge *j, struct command *c)
{
	uint32_t i = 1;

	for (; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (!c->w[i].is_known || s.len < 2 || s.ptr[0] != '-')
			break;
		if (str_eq(s, STR("--")))
			return i + 1;
		if (s.ptr[1] == '-') {
			struct str value = str_skip(s, 2), name = str_cut(&value, '=');

			if (analyze_in_list(xargs_options.values, name, true))
				i += !str_is(value) && !str_starts(STR("replace"), name) &&
				     !str_starts(STR("max-lines"), name);
			else if (!analyze_in_list(xargs_options.flags, name, true))
				analyze_opaque(
					c, analyze_explain(j, c, i,
				                           "is an option that is not followed"));
		} else if (analyze_in_list(xargs_options.values, str_of(s.ptr + 1, 1), false)) {
			i += s.len == 2;
		} else {
			for (size_t k = 1; k < s.len && spend(j, LETTER_STEPS); k++) {
				if (analyze_in_list(xargs_options.values, str_of(s.ptr + k, 1),
				                    false)) {
					i += k + 1 == s.len;
					break;
				}
				if (strchr("iel", s.ptr[k]))
					break; /* with an optional value attached */
				if (!analyze_in_list(xargs_options.flags, str_of(s.ptr + k, 1),
				                     false))
					analyze_opaque(
						c, analyze_explain(
							   j, c, i,
							   "is an option that is not followed"));
			}
		}
	}
	return i;
}

/* -a FILE, -0aFILE, --arg-file=FILE: the words come from there.  Adds the file. */
static bool takes_arg_file(struct judge *j, struct command *c, uint32_t i)
{
	struct str s = c->w[i].text, value = STR_NONE;
	bool is_long = str_starts(s, STR("--"));
	size_t k = 1;

	if (!analyze_word_starts_with(c, i, "-"))
		return false;
	if (is_long) {
		value = str_skip(s, 2);
		if (!analyze_in_list("arg-file", str_cut(&value, '='), true))
			return false;
	}
	for (; !is_long && k < s.len && s.ptr[k] != 'a'; k++)
		if (analyze_in_list(xargs_options.values, str_of(s.ptr + k, 1), false) ||
		    strchr("iel", s.ptr[k]))
			return false; /* the rest is its value */
	if (!is_long && k >= s.len)
		return false;
	if (!is_long && k + 1 < s.len)
		value = str_skip(s, k + 1);
	if (str_is(value))
		analyze_word_add_text_path(j, c, value, (int)i, ACT_READS, 0);
	else if (i + 1 < c->n)
		analyze_word_add_word_path(j, c, i + 1, ACT_READS, 0);
	return true;
}

/*
 * The command gets names from standard input: those that the previous member of the pipe prints
 * if they are known, otherwise any words.
 */
void analyze_find_xargs(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t at = skip_xargs_options(j, c), n = 0;
	struct str token = replaced(c, at);
	const struct values *names = c->input;
	struct token *w = ARENA_ARRAY(j->mem, struct token, c->n - MIN(at, c->n) + 2);

	(void)p;
	c->act->flags |= ACT_NEUTRAL;
	c->act->flags &= ~(unsigned)ACT_READ_ONLY;
	for (uint32_t i = 1; i < at && i < c->n; i++)
		if (takes_arg_file(j, c, i))
			names = NULL;
	c->act->inner_at = at < c->n ? at : 0;
	for (uint32_t i = at; i < c->n; i++) {
		w[n] = c->w[i];
		if (str_is(token) && token.len && str_find(w[n].text, token) >= 0) {
			w[n].values = str_eq(w[n].text, token) ? names : NULL;
			w[n].is_known = w[n].is_literal = false;
		}
		n++;
	}
	/* xargs without a command runs echo. */
	if (!n)
		w[n++] = analyze_word_made_token(STR("echo"));
	if (!str_is(token))
		w[n++] = (struct token){ .text = STR("…"), .is_many = true, .values = names };
	analyze_run_tokens(j, c, w, n);
	c->names = NULL;
}

/* ---- fd ---- */

void analyze_find_fd(struct judge *j, struct command *c, const struct program *p)
{
	for (uint32_t i = 1; i < c->n; i++)
		if (analyze_word_is_word(c, i, "-x") || analyze_word_is_word(c, i, "-X") ||
		    analyze_word_is_word(c, i, "--exec") ||
		    analyze_word_is_word(c, i, "--exec-batch")) {
			analyze_twist(j, c, i, "runs a command on what it finds");
			analyze_run_words(j, c, i + 1);
			return;
		}
	analyze_plainly(j, c, p);
	c->names = analyze_word_one_value(j, STR("."), VALUE_BARE);
	for (uint32_t k = 1; k < c->operand_count && c->names; k++) {
		const struct token *t = &c->w[c->operands[k]];

		c->names = t->is_known ? analyze_word_join_values(
						 j, c->names,
						 analyze_word_one_value(j, t->text, VALUE_BELOW))
		                       : NULL;
	}
}
