/*
 * sed, awk and jq: small languages that can do more than edit text.
 *
 * Each script is recognised, not interpreted: a scanner accepts the part of the language that
 * cannot run programs or touch files, and everything it does not know fails.  A script that
 * fails is a "twist": an allow rule has to spell it out.
 */
#include "policy/shell/programs.h"

/* A cursor over a script.  failed ends every loop and is never reset. */
struct text {
	struct str s;
	size_t at;
	bool failed;
};

static int text_peek(const struct text *t)
{
	return t->at < t->s.len ? (unsigned char)t->s.ptr[t->at] : -1;
}

static bool text_take(struct text *t, int c)
{
	if (text_peek(t) != c)
		return false;
	t->at++;
	return true;
}

static void skip_set(struct text *t, const char *set)
{
	while (text_peek(t) > 0 && strchr(set, text_peek(t)))
		t->at++;
}

static bool skip_digits(struct text *t)
{
	size_t start = t->at;

	while (text_peek(t) >= '0' && text_peek(t) <= '9')
		t->at++;
	return t->at > start;
}

/* ---- sed ---- */

/*
 * Only commands that edit the pattern space pass: no e (runs), no w W (writes), no r R (reads), no
 * s///e, no s///w.  Anything unusual fails.
 */

/* [abc]: a delimiter inside ends the pattern for some seds and not for others. */
static void skip_brackets(struct text *t, int delimiter)
{
	text_take(t, '^');
	text_take(t, ']');
	while (text_peek(t) >= 0 && text_peek(t) != ']') {
		t->failed |= text_peek(t) == delimiter;
		if (text_peek(t) == '[' && t->at + 1 < t->s.len && t->s.ptr[t->at + 1] == ':') {
			while (text_peek(t) >= 0 && text_peek(t) != ']')
				t->at++;
		}
		t->at++;
	}
	t->failed |= !text_take(t, ']');
}

/*
 * Up to the closing delimiter.  A newline in a pattern and a missing delimiter fail: the seds
 * disagree about both.
 */
static void skip_delimited(struct text *t, int delimiter, bool is_pattern)
{
	while (!t->failed && text_peek(t) != delimiter) {
		int c = text_peek(t);

		t->failed |= c < 0 || (c == '\n' && is_pattern);
		t->at++;
		if (c == '\\') {
			t->failed |= text_peek(t) < 0;
			t->at++;
		} else if (c == '[' && is_pattern) {
			skip_brackets(t, delimiter);
		}
	}
	t->at++;
}

static void skip_regex_flags(struct text *t)
{
	skip_set(t, "IM");
}

/* One address; false when there is none. */
static bool skip_address(struct text *t)
{
	if (skip_digits(t)) {
		if (text_take(t, '~'))
			skip_digits(t);
		return true;
	}
	if (text_take(t, '$'))
		return true;
	if (text_take(t, '/')) {
		skip_delimited(t, '/', true);
		skip_regex_flags(t);
		return true;
	}
	if (text_peek(t) == '\\' && t->at + 1 < t->s.len) {
		int delimiter = (unsigned char)t->s.ptr[t->at + 1];

		t->at += 2;
		skip_delimited(t, delimiter, true);
		skip_regex_flags(t);
		return true;
	}
	return false;
}

static void skip_addresses(struct text *t)
{
	if (skip_address(t)) {
		skip_set(t, " \t");
		if (text_take(t, ',')) {
			skip_set(t, " \t");
			if (text_peek(t) == '+' || text_peek(t) == '~') {
				t->at++;
				t->failed |= !skip_digits(t);
			} else if (!skip_address(t)) {
				t->failed = true;
			}
		}
	}
	skip_set(t, " \t!");
}

/*
 * The flags e (runs the result) and w (writes a file) are missing from the set, so
 * end_command() fails on them.
 */
static void read_substitute(struct text *t)
{
	int delimiter = text_peek(t);

	if (delimiter < 0 || delimiter == '\n' || delimiter == '\\') {
		t->failed = true;
		return;
	}
	t->at++;
	skip_delimited(t, delimiter, true);
	if (!t->failed)
		skip_delimited(t, delimiter, false);
	skip_set(t, "gpiIMm0123456789");
}

/* What may follow a command. */
static void end_command(struct text *t)
{
	skip_set(t, " \t");
	if (text_peek(t) != ';' && text_peek(t) != '\n' && text_peek(t) != '}' &&
	    text_peek(t) != '#' && text_peek(t) >= 0)
		t->failed = true;
}

static void read_sed_command(struct text *t)
{
	int c = text_peek(t);

	t->at++;
	if (c > 0 && strchr("=dDgGhHnNpPxzF", c)) {
		end_command(t);
	} else if (c == '{' || c == '}') {
		return;
	} else if (c == 's') {
		read_substitute(t);
		end_command(t);
	} else if (c == 'y') {
		int delimiter = text_peek(t);

		t->at++;
		skip_delimited(t, delimiter, false);
		if (!t->failed)
			skip_delimited(t, delimiter, false);
		end_command(t);
	} else if (c > 0 && strchr("qQl", c)) {
		skip_set(t, " \t");
		skip_digits(t);
		end_command(t);
	} else if (c > 0 && strchr("btT:", c)) {
		/* A label ends at ; for some seds and at the line for others: letters only. */
		skip_set(t, " \t");
		while (text_peek(t) > 0 && !strchr(" \t;\n}", text_peek(t)))
			t->at++;
		end_command(t);
	} else if (c > 0 && strchr("aic", c)) {
		/* Text to the end of the line, continued by backslashes. */
		while (text_peek(t) >= 0 && text_peek(t) != '\n')
			t->at += text_peek(t) == '\\' && t->at + 1 < t->s.len ? 2 : 1;
	} else if (c == '#') {
		while (text_peek(t) >= 0 && text_peek(t) != '\n')
			t->at++;
	} else {
		t->failed = true;
	}
}

static bool is_plain_sed(struct str script)
{
	struct text t = { .s = script };

	while (!t.failed) {
		skip_set(&t, " \t\n;");
		if (text_peek(&t) < 0)
			return true;
		skip_addresses(&t);
		if (!t.failed)
			read_sed_command(&t);
	}
	return false;
}

static void check_sed(struct judge *j, struct command *c, uint32_t i, struct str script, bool known)
{
	if (!known || !is_plain_sed(script))
		analyze_twist(j, c, i, "is a script that may run or write something");
}

/*
 * Finds the script (-e, --expression or the first operand), the files, and -i, which makes the
 * files outputs.  --sandbox makes sed itself refuse e, r and w, so a script operand need not be
 * checked.
 */
/* The copy of sed -iSUFFIX is beside the file, unless the suffix has a slash or the file's name (*). */
static void check_suffix(struct judge *j, struct command *c, uint32_t i, struct str suffix)
{
	if (str_find_char(suffix, '/') >= 0 || str_find_char(suffix, '*') >= 0)
		analyze_twist(j, c, i, "puts a copy elsewhere");
}

void analyze_text_sed(struct judge *j, struct command *c, const struct program *p)
{
	bool has_script = false, in_place = false, is_boxed = false;
	uint32_t in_place_word = 0;

	(void)p;
	for (uint32_t i = 1; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (!c->w[i].is_known || s.len < 2 || s.ptr[0] != '-' || c->has_ended) {
			if (!c->w[i].is_known && analyze_word_may_lead_dash(&c->w[i]) &&
			    !c->has_ended)
				analyze_twist(j, c, i, "may turn out to be an option or a script");
			c->operands[c->operand_count++] = i;
			continue;
		}
		if (str_eq(s, STR("--"))) {
			c->has_ended = true;
		} else if (str_starts(s, STR("--"))) {
			struct str value = str_skip(s, 2), name = str_cut(&value, '=');

			if (str_starts(STR("expression"), name)) {
				has_script = true;
				if (str_is(value))
					check_sed(j, c, i, value, true);
				else if (++i < c->n)
					check_sed(j, c, i, c->w[i].text, c->w[i].is_known);
			} else if (str_starts(STR("sandbox"), name) && name.len > 2) {
				is_boxed = true;
			} else if (str_starts(STR("in-place"), name)) {
				in_place = true;
				in_place_word = i;
				if (str_is(value))
					check_suffix(j, c, i, value);
			} else if (!analyze_in_list(
					   "quiet silent regexp-extended separate null-data "
					   "unbuffered "
					   "debug posix line-length help version",
					   name, true)) {
				analyze_twist(j, c, i, "is an option that is not followed");
			}
		} else {
			for (size_t k = 1; k < s.len; k++) {
				if (s.ptr[k] == 'e') {
					has_script = true;
					if (k + 1 < s.len)
						check_sed(j, c, i, str_skip(s, k + 1), true);
					else if (++i < c->n)
						check_sed(j, c, i, c->w[i].text, c->w[i].is_known);
					break;
				}
				if (s.ptr[k] == 'i') {
					in_place = true;
					in_place_word = i;
					check_suffix(j, c, i, str_skip(s, k + 1));
					break;
				}
				if (s.ptr[k] == 'l') {
					i += k + 1 == s.len;
					break;
				}
				if (!strchr("nErsuz", s.ptr[k])) {
					analyze_twist(j, c, i,
					              "runs a script that is not seen here");
					break;
				}
			}
		}
	}
	for (uint32_t k = 0; k < c->operand_count; k++) {
		uint32_t i = c->operands[k];

		if (!k && !has_script) {
			if (!is_boxed)
				check_sed(j, c, i, c->w[i].text, c->w[i].is_known);
			continue;
		}
		analyze_word_add_word_path(j, c, i, in_place ? ACT_READS | ACT_WRITES : ACT_READS,
		                           0);
	}
	if (in_place) {
		analyze_by_option(c, 0, in_place_word);
		analyze_unsafe(c, STR("write"), STR("sed -i changes files in place"));
		c->act->effect = STR("write");
		c->act->rollback =
			STR("restore the files from version control or from the turn's checkpoint");
	}
}

/* ---- awk ---- */

/*
 * Patterns, fields, prints and arithmetic pass; system(), pipes, getline, output into files, ARGV
 * and includes do not.  Strings and regular expressions are skipped like awk does: the token before
 * a slash decides whether it begins one.  Where the awks disagree about that, the script fails:
 * one that reads a quote as part of an expression would run what another one takes for a string.
 */
#define AWK_DEPTH_MAX 32

enum awk_slash {
	AWK_SLASH_MATCHES, /* a slash begins a regular expression */
	AWK_SLASH_DIVIDES, /* the previous token is a value */
	AWK_SLASH_UNCLEAR, /* the awks disagree */
};

struct awk {
	struct text t;
	enum awk_slash slash;
	bool in_print;        /* since print or printf in this statement */
	bool continues;       /* a newline here does not end the statement */
	bool is_condition;    /* the previous word was if, while or for */
	unsigned print_depth; /* of parentheses around that print */
	unsigned depth;       /* of parentheses */
	uint32_t conditions;  /* bit n: the parenthesis at depth n follows if, while or for */
};

static void skip_string(struct text *t)
{
	for (t->at++; text_peek(t) != '"'; t->at++) {
		if (text_peek(t) < 0 || text_peek(t) == '\n') {
			t->failed = true;
			return;
		}
		if (text_peek(t) == '\\')
			t->at++;
	}
	t->at++;
}

/*
 * [abc] in a regular expression.  The awks disagree about a slash in it, about a first ] and about
 * an escaped one, so these fail; a class such as [:alpha:] is skipped whole.
 */
static void skip_regex_brackets(struct text *t)
{
	t->at++;
	text_take(t, '^');
	t->failed |= text_peek(t) == ']';
	while (!t->failed && text_peek(t) != ']') {
		int c = text_peek(t);

		t->failed |= c < 0 || c == '\n' || c == '/';
		t->at++;
		if (c == '\\') {
			t->failed |= text_peek(t) < 0 || strchr("]/\n", text_peek(t)) != NULL;
			t->at++;
		} else if (c == '[' && text_take(t, ':')) {
			while (text_peek(t) >= 'a' && text_peek(t) <= 'z')
				t->at++;
			t->failed |= !text_take(t, ':') || !text_take(t, ']');
		}
	}
}

static void skip_regex(struct text *t)
{
	for (t->at++; !t->failed && text_peek(t) != '/'; t->at++) {
		if (text_peek(t) < 0 || text_peek(t) == '\n') {
			t->failed = true;
			return;
		}
		if (text_peek(t) == '\\')
			t->at++;
		else if (text_peek(t) == '[')
			skip_regex_brackets(t);
	}
	t->at++;
}

/* After some words the awks agree that a slash begins an expression, after others they do not. */
static enum awk_slash slash_after_word(struct str w)
{
	if (str_eq(w, STR("length")))
		return AWK_SLASH_UNCLEAR;
	return analyze_is_among("print printf return in case do else exit", w) ? AWK_SLASH_MATCHES
	                                                                       : AWK_SLASH_DIVIDES;
}

/*
 * close and fflush only make sense with an output, ARGV and ARGC choose the files that are
 * read, and SYMTAB and FUNCTAB reach all of these by another name.
 */
static void read_awk_word(struct awk *a)
{
	static const char bad[] =
		"system getline close fflush ARGV ARGC PROCINFO SYMTAB FUNCTAB extension";
	size_t start = a->t.at;
	struct str word;

	a->t.at += analyze_env_name_length(str_skip(a->t.s, start));
	word = str_of(a->t.s.ptr + start, a->t.at - start);
	a->t.failed |= analyze_is_among(bad, word);
	if (str_eq(word, STR("print")) || str_eq(word, STR("printf"))) {
		a->in_print = true;
		a->print_depth = a->depth;
	}
	a->is_condition = analyze_is_among("if while for", word);
	a->slash = slash_after_word(word);
}

static void open_parenthesis(struct awk *a)
{
	a->t.failed |= ++a->depth >= AWK_DEPTH_MAX;
	if (!a->t.failed && a->is_condition)
		a->conditions |= 1u << a->depth;
	else if (!a->t.failed)
		a->conditions &= ~(1u << a->depth);
	a->slash = AWK_SLASH_MATCHES;
}

/* Behind a condition a statement begins, which mawk does not notice. */
static void close_parenthesis(struct awk *a)
{
	bool is_condition = a->depth && a->conditions & 1u << a->depth;

	a->t.failed |= !a->depth;
	a->depth -= a->depth > 0;
	a->slash = is_condition ? AWK_SLASH_UNCLEAR : AWK_SLASH_DIVIDES;
}

/* Only the grammar distinguishes x++ / y from ++ /x/. */
static void read_increment(struct awk *a)
{
	skip_set(&a->t, " \t");
	a->t.failed |= text_peek(&a->t) == '/';
}

static void read_awk_mark(struct awk *a)
{
	struct text *t = &a->t;
	int c = text_peek(t), next = t->at + 1 < t->s.len ? (unsigned char)t->s.ptr[t->at + 1] : -1;

	t->at++;
	switch (c) {
	case '|':
		t->failed |= next != '|';
		t->at++;
		a->slash = AWK_SLASH_MATCHES;
		break;
	case '>':
		/* Inside parentheses > compares; after print it opens a file. */
		t->failed |= a->in_print && a->depth <= a->print_depth;
		a->slash = AWK_SLASH_MATCHES;
		break;
	case '@':
		t->failed = true;
		break;
	case '\n':
		a->slash = AWK_SLASH_MATCHES;
		if (a->continues || a->depth)
			return;
		a->in_print = false;
		break;
	case '{':
	case '}':
	case ';':
		a->in_print = false;
		a->slash = AWK_SLASH_MATCHES;
		break;
	case '(':
		open_parenthesis(a);
		break;
	case ')':
		close_parenthesis(a);
		break;
	case ']':
		a->slash = AWK_SLASH_DIVIDES;
		break;
	case '+':
	case '-':
		if (next == c) {
			t->at++;
			read_increment(a);
			break;
		}
		a->slash = AWK_SLASH_MATCHES;
		break;
	default:
		a->slash = AWK_SLASH_MATCHES;
	}
	a->continues = strchr(",|&?:", c) != NULL;
	a->is_condition = false;
}

static void read_awk_token(struct awk *a, int c)
{
	struct text *t = &a->t;

	if (strchr(" \t\r\f\v", c)) {
		t->at++;
	} else if (c == '#') {
		while (text_peek(t) >= 0 && text_peek(t) != '\n')
			t->at++;
	} else if (c == '\\') {
		t->failed = t->at + 1 >= t->s.len || t->s.ptr[t->at + 1] != '\n';
		t->at += 2;
	} else if (analyze_env_is_name(str_of(t->s.ptr + t->at, 1))) {
		read_awk_word(a);
		a->continues = false;
	} else if (c == '"' || (c >= '0' && c <= '9') ||
	           (c == '/' && a->slash == AWK_SLASH_MATCHES)) {
		if (c == '"')
			skip_string(t);
		else if (c == '/')
			skip_regex(t);
		else
			skip_set(t, "0123456789.");
		a->slash = AWK_SLASH_DIVIDES;
		a->continues = a->is_condition = false;
	} else {
		t->failed |= c == '/' && a->slash == AWK_SLASH_UNCLEAR;
		read_awk_mark(a);
	}
}

static bool is_plain_awk(struct str script)
{
	struct awk a = { .t.s = script };
	int c;

	while (!a.t.failed && (c = text_peek(&a.t)) >= 0)
		read_awk_token(&a, c);
	return !a.t.failed;
}

/*
 * Options that load a program or a library from elsewhere are not followed; NAME=value operands
 * are assignments and no files.
 */
void analyze_text_awk(struct judge *j, struct command *c, const struct program *p)
{
	uint32_t i = 1;

	(void)p;
	for (; i < c->n; i++) {
		struct str s = c->w[i].text;

		if (!c->w[i].is_known) {
			analyze_twist(j, c, i, "is a script that is known only when it runs");
			return;
		}
		if (s.len < 2 || s.ptr[0] != '-')
			break;
		if (str_eq(s, STR("--"))) {
			i++;
			break;
		}
		if (str_eq(s, STR("-F")) || str_eq(s, STR("-v"))) {
			i++;
			if (i < c->n && c->w[i].is_many)
				analyze_twist(j, c, i, "may become several words");
		} else if (!str_starts(s, STR("-F")) && !str_starts(s, STR("-v")) &&
		           !str_eq(s, STR("--posix")) &&
		           !str_starts(s, STR("--field-separator="))) {
			analyze_twist(j, c, i, "runs a script or a library that is not seen here");
		}
	}
	if (i < c->n && (!c->w[i].is_known || !is_plain_awk(c->w[i].text)))
		analyze_twist(j, c, i, "is a script that may run or write something");
	for (i++; i < c->n; i++) {
		c->operands[c->operand_count++] = i;
		if (!str_is(analyze_env_name_of_assignment(c->w[i].text)))
			analyze_word_add_word_path(j, c, i, ACT_READS, 0);
	}
}

/* ---- jq ---- */

/* jq reads other files by two words, which precede everything else. */
static bool may_load(const struct token *filter)
{
	const struct shell_part *first = filter->word ? filter->word->parts : NULL;

	if (str_find(filter->text, STR("import")) >= 0 ||
	    str_find(filter->text, STR("include")) >= 0)
		return true;
	while (first && first->kind == SHELL_LITERAL && !first->text.len)
		first = first->next;
	return !filter->is_known && !(first && first->kind == SHELL_LITERAL && first->text.len &&
	                              strchr(".[{(", first->text.ptr[0]));
}

/* How many words follow an option, and whether the last of them is a file. */
static uint32_t jq_values(const struct command *c, uint32_t i, bool *ret_is_file)
{
	static const char *const texts[] = { "--arg", "--argjson" };
	static const char *const files[] = { "--slurpfile", "--rawfile", "--argfile" };

	*ret_is_file = true;
	for (size_t k = 0; k < COUNT_OF(files); k++)
		if (analyze_word_is_word(c, i, files[k]))
			return 2;
	if (analyze_word_is_word(c, i, "-L") || analyze_word_is_word(c, i, "-f") ||
	    analyze_word_is_word(c, i, "--from-file"))
		return 1;
	*ret_is_file = false;
	for (size_t k = 0; k < COUNT_OF(texts); k++)
		if (analyze_word_is_word(c, i, texts[k]))
			return 2;
	return analyze_word_is_word(c, i, "--indent");
}

/* Letters without a value; any other, or one with a file, is not followed. */
static bool is_plain_jq_option(struct str s)
{
	static const char *const words[] = {
		"--seq",
		"--stream",
		"--slurp",
		"--null-input",
		"--raw-input",
		"--raw-output",
		"--tab",
		"--compact-output",
		"--ascii-output",
		"--sort-keys",
		"--color-output",
		"--exit-status",
		"--monochrome-output",
		"--join-output",
		"--raw-output0",
		"--unbuffered",
		"--version",
	};

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(s, str_from(words[i])))
			return true;
	for (size_t i = 1; i < s.len; i++)
		if (!strchr("snrRcaSCMjeVh", s.ptr[i]))
			return false;
	return s.len > 1 && s.ptr[1] != '-';
}

void analyze_text_jq(struct judge *j, struct command *c, const struct program *p)
{
	bool has_filter = false, are_texts = false, has_ended = false, is_file;

	(void)p;
	for (uint32_t i = 1; i < c->n; i++) {
		uint32_t values = has_ended ? 0 : jq_values(c, i, &is_file);

		if (values) {
			if (analyze_word_is_word(c, i, "-f") ||
			    analyze_word_is_word(c, i, "--from-file")) {
				has_filter = true;
				analyze_twist(j, c, i, "reads a filter that is not seen here");
			}
			if (is_file && i + values < c->n)
				analyze_word_add_word_path(j, c, i + values, ACT_READS, 0);
			i += values;
		} else if (!has_ended && analyze_word_is_word(c, i, "--")) {
			has_ended = true;
		} else if (!has_ended && (analyze_word_is_word(c, i, "--args") ||
		                          analyze_word_is_word(c, i, "--jsonargs"))) {
			are_texts = true;
		} else if (!has_ended && analyze_word_starts_with(c, i, "-") &&
		           c->w[i].text.len > 1) {
			if (!is_plain_jq_option(c->w[i].text))
				analyze_twist(j, c, i, "is an option that is not followed");
		} else if (!c->w[i].is_known && !c->w[i].values && !has_ended &&
		           analyze_word_may_lead_dash(&c->w[i])) {
			analyze_twist(j, c, i, "may turn out to be an option");
		} else if (!has_filter) {
			has_filter = true;
			if (may_load(&c->w[i]))
				analyze_twist(j, c, i, "may read other files");
		} else if (!are_texts) {
			analyze_word_add_word_path(j, c, i, ACT_READS, 0);
		}
	}
}
