/*
 * Parses words: quoting and expansions.
 *
 * A word is a list of parts: literal text, variables, substitutions.  A word of literal parts
 * only has a known value; every other part makes it dynamic.  Substitutions are parsed
 * completely, because their commands run even where the value of the word does not matter.
 */
#include "policy/shell/parse_internal.h"

/* ---- parts ---- */

/* Collects the parts of one word.  end points to the link that the next part goes into. */
struct builder {
	struct shell_part *first;
	struct shell_part **end;
	bool has_extglob;
};

static void builder_begin(struct builder *b)
{
	*b = (struct builder){ .end = &b->first };
}

struct shell_part *parse_word_new_part(struct reader *r, enum shell_part_kind kind, struct str text)
{
	struct shell_part *p = ARENA_NEW(r->mem, struct shell_part);

	parse_count_node(r);
	p->kind = kind;
	p->text = text;
	return p;
}

static struct shell_part *builder_add(struct reader *r, struct builder *b,
                                      enum shell_part_kind kind, struct str text, bool is_quoted)
{
	struct shell_part *p = parse_word_new_part(r, kind, text);

	p->is_quoted = is_quoted;
	*b->end = p;
	b->end = &p->next;
	return p;
}

/* An empty unquoted text is no part; an empty quoted one is, because '' makes a word. */
static void add_literal(struct reader *r, struct builder *b, struct str text, bool is_quoted)
{
	if (text.len || is_quoted)
		builder_add(r, b, SHELL_LITERAL, text, is_quoted);
}

struct shell_word *parse_word_of_part(struct reader *r, struct shell_part *p, struct str raw)
{
	struct shell_word *w = ARENA_NEW(r->mem, struct shell_word);

	parse_count_node(r);
	w->parts = p;
	w->raw = w->value = raw;
	/* raw is outside the source for text that was rewritten, as in <<- and `…`. */
	w->at = (uint32_t)(raw.ptr >= r->src && raw.ptr <= r->src + r->len ? raw.ptr - r->src : 0);
	for (; p; p = p->next)
		if (p->kind != SHELL_LITERAL)
			w->flags |= SHELL_DYNAMIC;
	return w;
}

/* ---- quotes ---- */

/* After the opening quote. */
static void read_single(struct reader *r, struct builder *b)
{
	size_t start = r->at;

	while (peek(r) != '\'' && peek(r) != END_OF_INPUT) {
		if (peek(r) == '\n')
			parse_cross_newline(r);
		r->at++;
	}
	if (peek(r) == END_OF_INPUT) {
		parse_trouble(r, "a single quote is not closed");
		return;
	}
	add_literal(r, b, since(r, start), true);
	r->at++;
}

static int hex_of(int c)
{
	if (is_digit(c))
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* At most `max` digits of a base; -1 when there is none. */
static long read_digits(struct reader *r, int base, int max)
{
	long n = -1;

	for (int i = 0; i < max; i++) {
		int d = hex_of(peek(r));

		if (d < 0 || d >= base)
			break;
		n = (n < 0 ? 0 : n) * base + d;
		r->at++;
	}
	return n;
}

/*
 * One escape of $'…', after the backslash.  -1: two literal characters; -2: unknown, because
 * the bytes depend on the locale.
 */
static int read_escape(struct reader *r)
{
	static const char names[] = "abeEfnrtv\\'\"?";
	static const char values[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	int c = peek(r);
	const char *found = c > 0 ? strchr(names, c) : NULL;
	long n;

	if (found) {
		r->at++;
		return (unsigned char)values[found - names];
	}
	if (c >= '0' && c <= '7')
		return (int)(read_digits(r, 8, 3) & 0xff);
	if (c == 'x') {
		r->at++;
		/* Versions of bash read \x{…} and \x without digits differently. */
		n = read_digits(r, 16, 2);
		if (n < 0)
			parse_trouble(r, "an escape of $'…' is unfinished");
		return (int)n;
	}
	if (c == 'u' || c == 'U') {
		r->at++;
		n = read_digits(r, 16, c == 'u' ? 4 : 8);
		if (n < 0)
			parse_trouble(r, "an escape of $'…' is unfinished");
		/* ASCII is the same in every locale, the rest is not. */
		return n >= 0 && n < 0x80 ? (int)n : -2;
	}
	if (c == 'c') {
		parse_trouble(r, "a control escape of $'…' is not read");
		return -2;
	}
	return -1;
}

/* The distance to the closing mark; a mark after a backslash does not close. */
static size_t length_to(const struct reader *r, int mark)
{
	size_t n = 0;

	while (peek_at(r, n) != mark && peek_at(r, n) != END_OF_INPUT)
		n += peek_at(r, n) == '\\' ? 2 : 1;
	return MIN(n, r->len - r->at);
}

static void read_ansi(struct reader *r, struct builder *b)
{
	size_t start = r->at;
	bool is_unknown = false;
	/* An escape is never shorter than what it stands for, so the source length is enough. */
	char *out = arena_alloc_raw(r->mem, length_to(r, '\'') + 1);
	size_t n = 0;

	while (peek(r) != '\'' && peek(r) != END_OF_INPUT) {
		int c = peek(r);

		r->at++;
		if (c == '\n')
			parse_cross_newline(r);
		if (c == '\\') {
			c = read_escape(r);
			if (!c)
				parse_trouble(r, "$'…' holds a NUL");
			is_unknown |= c == -2;
			if (c == -1)
				out[n++] = '\\';
			if (c < 0)
				continue;
		}
		out[n++] = (char)c;
	}
	if (peek(r) == END_OF_INPUT) {
		parse_trouble(r, "a quote is not closed");
		return;
	}
	r->at++;
	if (is_unknown)
		builder_add(r, b, SHELL_UNKNOWN, since(r, start), true);
	else
		add_literal(r, b, str_of(out, n), true);
}

static void read_dollar(struct reader *r, struct builder *b, bool is_quoted);
static void read_backquote(struct reader *r, struct builder *b, bool is_quoted);

/*
 * The inside of "…", up to the closing quote, which stays; also of a here-document, up to its end.
 */
static void read_quoted_text(struct reader *r, struct builder *b, bool is_heredoc)
{
	size_t start = r->at;
	int c;

	while ((c = peek(r)) != END_OF_INPUT && (c != '"' || is_heredoc)) {
		if (c != '\\' && c != '$' && c != '`') {
			if (c == '\n' && !is_heredoc)
				parse_cross_newline(r);
			r->at++;
			continue;
		}
		if (r->at > start)
			add_literal(r, b, since(r, start), true);
		if (c == '$') {
			read_dollar(r, b, true);
		} else if (c == '`') {
			read_backquote(r, b, true);
		} else {
			/*
			 * Inside double quotes a backslash is special only before these characters;
			 * before others it stays.  A joined line leaves nothing at all.
			 */
			int next = peek_at(r, 1);
			bool escapes = next == '$' || next == '`' || next == '\\' ||
			               (next == '"' && !is_heredoc);

			if (next == '\n' && !is_heredoc)
				parse_cross_newline(r);
			if (next != '\n')
				add_literal(r, b,
				            str_of(r->src + r->at + escapes,
				                   next == END_OF_INPUT || escapes ? 1 : 2),
				            true);
			r->at = MIN(r->at + 2, r->len);
		}
		start = r->at;
	}
	if (r->at > start)
		add_literal(r, b, since(r, start), true);
}

static void read_double(struct reader *r, struct builder *b)
{
	add_literal(r, b, STR(""), true); /* "" is a word */
	read_quoted_text(r, b, false);
	if (peek(r) != '"')
		parse_trouble(r, "a double quote is not closed");
	else
		r->at++;
}

struct shell_word *parse_word_read_heredoc_body(struct reader *r, struct str text)
{
	struct reader in = *r;
	struct builder b;

	builder_begin(&b);
	in.src = text.ptr;
	in.len = text.len;
	in.at = 0;
	in.waiting = NULL;
	in.waiting_end = &in.waiting;
	in.outer_waits = true; /* a here-document in a substitution in a here-document is refused */
	read_quoted_text(&in, &b, true);
	r->braced = in.braced;
	r->heredocs_read = in.heredocs_read;

	struct shell_word *w = parse_word_of_part(r, b.first, text);

	w->flags |= SHELL_QUOTED;
	return expand_finish_word(r, w, WORD_VALUE, false);
}

/* ---- $(( )) ---- */

static bool is_arithmetic(int c)
{
	return is_name_char(c) || (c > 0 && strchr(" \t+-*/%<>=!&|^~?:,()[]#", c));
}

/*
 * The text is kept as it is; only $ parts are parsed, since their commands run.  $((…)) that
 * ends with ") )" may be a subshell in a substitution instead, which bash decides by trying
 * both: trouble.
 */
struct shell_part *parse_word_read_arithmetic(struct reader *r, char stop)
{
	size_t start = r->at, run = r->at;
	unsigned parens = 0;
	struct builder b;
	struct shell_part *p;

	builder_begin(&b);
	for (;;) {
		int c = peek(r);

		if (!parens && stop && c == stop)
			break;
		if (c == ')' && !parens && !stop) {
			if (peek_at(r, 1) != ')')
				parse_trouble(
					r, "it is neither arithmetic nor clearly two parentheses");
			break;
		}
		if (c == '$') {
			add_literal(r, &b, since(r, run), false);
			read_dollar(r, &b, true);
			run = r->at;
			continue;
		}
		if (!is_arithmetic(c) || (c == ')' && !parens)) {
			parse_trouble(r, "arithmetic holds something that is not read there");
			break;
		}
		parens += c == '(';
		parens -= c == ')';
		r->at++;
	}
	add_literal(r, &b, since(r, run), false);
	p = parse_word_new_part(r, SHELL_NUMBER, since(r, start));
	p->inner = parse_word_of_part(r, b.first, p->text);
	return p;
}

/* ---- ${ } ---- */

/*
 * The word after an operator, up to the closing brace.  Quotes inside ${…} are where shells and
 * versions differ most, so several combinations are trouble.
 */
static void read_operand(struct reader *r, struct builder *b, bool is_quoted)
{
	size_t run = r->at;
	int c;

	while ((c = peek(r)) != '}' && c != END_OF_INPUT) {
		if (c == '\n')
			parse_cross_newline(r);
		if (c == '{')
			parse_trouble(r, "a brace inside ${…}");
		if ((c == '<' || c == '>') && peek_at(r, 1) == '(')
			parse_trouble(r, "a process substitution inside ${…}");
		if (c != '\\' && c != '\'' && c != '"' && c != '$' && c != '`') {
			r->at++;
			continue;
		}
		add_literal(r, b, since(r, run), is_quoted);
		if (c == '\\') {
			if (peek_at(r, 1) == '\n' || peek_at(r, 1) == END_OF_INPUT)
				parse_trouble(r, "a line continuation inside ${…}");
			add_literal(r, b, str_of(r->src + r->at, 2), true);
			r->at = MIN(r->at + 2, r->len);
		} else if (c == '\'') {
			if (is_quoted)
				parse_trouble(r, "a single quote inside \"${…}\"");
			r->at++;
			read_single(r, b);
		} else if (c == '"') {
			if (r->dialect == SHELL_POSIX && is_quoted)
				parse_trouble(r, "a double quote inside \"${…}\"");
			r->at++;
			read_double(r, b);
		} else if (c == '$') {
			read_dollar(r, b, is_quoted);
		} else {
			read_backquote(r, b, is_quoted);
		}
		run = r->at;
	}
	add_literal(r, b, since(r, run), is_quoted);
}

/* [sub] of an array: plain names, numbers and $name only. */
static void read_subscript(struct reader *r, struct builder *b)
{
	size_t run = ++r->at;
	int c;

	while ((c = peek(r)) != ']' && c != END_OF_INPUT) {
		if (c == '$' && (is_name_start(peek_at(r, 1)) || peek_at(r, 1) == '{')) {
			add_literal(r, b, since(r, run), false);
			read_dollar(r, b, true);
			run = r->at;
		} else if (is_name_char(c) || (c > 0 && strchr("@*+-", c))) {
			r->at++;
		} else {
			parse_trouble(r, "an array subscript that is not read");
		}
	}
	add_literal(r, b, since(r, run), false);
	if (peek(r) == ']')
		r->at++;
	else
		parse_trouble(r, "an array subscript is not closed");
}

static bool is_special_parameter(int c)
{
	return c > 0 && strchr("@*#?-$!", c);
}

/* Name, number or special character; empty when there is none. */
static struct str read_parameter_name(struct reader *r)
{
	size_t start = r->at;

	if (is_name_start(peek(r)))
		while (is_name_char(peek(r)))
			r->at++;
	else if (is_digit(peek(r)))
		while (is_digit(peek(r)))
			r->at++;
	else if (is_special_parameter(peek(r)))
		r->at++;
	return since(r, start);
}

/*
 * p->op groups operators by what matters to the analysis: # and % (also doubled) only shorten
 * the value, ^ and , only change case; = assigns; @ may run the value (${x@P}).
 */
static void read_operator(struct reader *r, struct builder *b, struct shell_part *p, bool is_quoted)
{
	int c = peek(r), next = peek_at(r, 1);

	if (c == ':' && next > 0 && strchr("-=?+", next)) {
		p->op = (char)next;
		r->at += 2;
		read_operand(r, b, is_quoted);
	} else if (c > 0 && strchr("-=?+", c)) {
		p->op = (char)c;
		r->at++;
		read_operand(r, b, is_quoted);
	} else if (c == '#' || c == '%') {
		p->op = '%';
		r->at += next == c ? 2 : 1;
		read_operand(r, b, is_quoted);
	} else if (r->dialect == SHELL_POSIX) {
		parse_trouble(r, "sh may not read this ${…}");
	} else if (c == '/' || c == '^' || c == ',') {
		p->op = c == '/' ? '/' : '^';
		r->at += next == c ? 2 : 1;
		read_operand(r, b, is_quoted);
	} else if (c == '@' && is_name_start(next)) {
		p->op = '@';
		p->transform = (char)next;
		r->at += 2;
	} else if (c == ':') {
		struct shell_part *n;

		p->op = ':';
		r->at++;
		n = parse_word_read_arithmetic(r, '}');
		if (n->inner)
			*b->end = n->inner->parts;
		while (*b->end)
			b->end = &(*b->end)->next;
	} else {
		parse_trouble(r, "a ${…} that is not read");
	}
}

/*
 * After ${.  ${#x} is a length and ${!x} reads the variable whose name x holds; ${#} and ${!}
 * are the special parameters themselves.
 */
static void read_parameter(struct reader *r, struct builder *b, bool is_quoted)
{
	size_t start = r->at;
	struct builder inner;
	struct shell_part *p;
	bool is_length = peek(r) == '#' && peek_at(r, 1) != '}';
	bool is_indirect = peek(r) == '!' && peek_at(r, 1) != '}';

	builder_begin(&inner);
	if (is_length || is_indirect)
		r->at++;
	p = builder_add(r, b, SHELL_VARIABLE, read_parameter_name(r), is_quoted);
	if (!p->text.len || ((is_length || is_indirect) && !is_name_start(p->text.ptr[0]) &&
	                     !(is_length && (p->text.ptr[0] == '@' || p->text.ptr[0] == '*'))))
		parse_trouble(r, "a ${…} that is not read");
	if ((is_indirect || peek(r) == '[') && r->dialect == SHELL_POSIX)
		parse_trouble(r, "sh may not read this ${…}");
	if (peek(r) == '[' && is_name_start(p->text.ptr[0])) {
		p->op = '[';
		read_subscript(r, &inner);
	}
	if (is_indirect && (peek(r) == '*' || peek(r) == '@') && peek_at(r, 1) == '}')
		r->at++;
	else if (peek(r) != '}' && !is_length && !is_indirect)
		read_operator(r, &inner, p, is_quoted);
	if (is_length)
		p->op = '#';
	if (is_indirect)
		p->op = '!';
	if (peek(r) != '}') {
		parse_trouble(r, "a ${…} that is not read");
		return;
	}
	if (inner.first)
		p->inner = parse_word_of_part(r, inner.first, since(r, start));
	r->at++;
}

/* ---- substitutions ---- */

static void read_command_part(struct reader *r, struct builder *b, bool is_quoted)
{
	size_t start = r->at;
	struct shell_node *body = parse_read_substitution(r);
	struct shell_part *p = builder_add(r, b, SHELL_COMMAND, since(r, start), is_quoted);

	p->body = body;
}

/*
 * At a dollar sign, quoted or not.  Everything after it that is no expansion is a literal
 * dollar.
 */
static void read_dollar(struct reader *r, struct builder *b, bool is_quoted)
{
	int c = peek_at(r, 1);
	size_t start = r->at++;

	if (c == '(' && peek_at(r, 1) == '(') {
		r->at += 2;
		if (parse_enter(r)) {
			struct shell_part *p = parse_word_read_arithmetic(r, 0);

			leave(r);
			p->is_quoted = is_quoted;
			*b->end = p;
			b->end = &p->next;
			r->at = MIN(r->at + 2, r->len);
		}
	} else if (c == '(') {
		r->at++;
		read_command_part(r, b, is_quoted);
	} else if (c == '{') {
		r->at++;
		if (parse_enter(r)) {
			read_parameter(r, b, is_quoted);
			leave(r);
		}
	} else if ((c == '\'' || c == '"') && !is_quoted) {
		if (r->dialect == SHELL_POSIX) {
			parse_trouble(r, "sh may not read $ before a quote");
			return;
		}
		r->at++;
		if (c == '\'') {
			read_ansi(r, b);
			return;
		}
		/* translated by the locale: its commands run, its text is unknown */
		read_double(r, b);
		builder_add(r, b, SHELL_UNKNOWN, since(r, start), true);
	} else if (c == '[') {
		parse_trouble(r, "$[…] is not read");
	} else if (c == '\\' && peek_at(r, 1) == '\n') {
		parse_trouble(r, "a line continuation behind $");
	} else if (is_name_start(c)) {
		builder_add(r, b, SHELL_VARIABLE, read_parameter_name(r), is_quoted);
	} else if (is_digit(c) || is_special_parameter(c)) {
		r->at++; /* $10 is $1 and a zero */
		builder_add(r, b, SHELL_VARIABLE, str_of(r->src + r->at - 1, 1), is_quoted);
	} else {
		add_literal(r, b, since(r, start), is_quoted);
	}
}

/*
 * The text of `…` without its own level of backslashes.  Nested backquotes are escaped, so the
 * first unescaped one closes.
 */
static void read_backquote(struct reader *r, struct builder *b, bool is_quoted)
{
	size_t start = ++r->at;
	char *out = arena_alloc_raw(r->mem, length_to(r, '`') + 1);
	size_t n = 0;
	int c;

	while ((c = peek(r)) != '`' && c != END_OF_INPUT) {
		int next = peek_at(r, 1);

		if (c == '\n')
			parse_cross_newline(r);
		if (c == '\\' && next == '"' && is_quoted)
			parse_trouble(r, "an escaped quote in `…` inside quotes");
		if (c == '\\' && (next == '$' || next == '`' || next == '\\'))
			c = peek_at(r, 1), r->at++;
		out[n++] = (char)c;
		r->at++;
	}
	if (c == END_OF_INPUT) {
		parse_trouble(r, "a backquote is not closed");
		return;
	}

	struct shell_node *body = parse_read_text(r, str_of(out, n));
	struct shell_part *p = builder_add(r, b, SHELL_COMMAND, since(r, start), is_quoted);

	p->body = body;
	r->at = MIN(r->at + 1, r->len);
}

/* <(…) and >(…) yield one file name, so the part counts as quoted: it is never split. */
static void read_process(struct reader *r, struct builder *b)
{
	size_t start = r->at;

	r->at += 2;

	struct shell_node *body = parse_read_substitution(r);
	struct shell_part *p = builder_add(r, b, SHELL_PROCESS, since(r, start), true);

	p->body = body;
}

/* ---- words ---- */

static bool begins_extglob(const struct reader *r)
{
	int c = peek(r);

	return c > 0 && strchr("?*+@!", c) && peek_at(r, 1) == '(';
}

static void read_quoting(struct reader *r, struct builder *b, int c);

/* ?(…) and similar, which bash accepts by default only after == and != of [[ ]]. */
static void read_extglob(struct reader *r, struct builder *b)
{
	size_t run = r->at;
	unsigned parens = 0;

	b->has_extglob = true;
	r->at++;
	for (;;) {
		int c = peek(r);

		if (c > 0 && strchr(" \t\n;&<>", c))
			c = END_OF_INPUT;
		if (c == END_OF_INPUT) {
			parse_trouble(r, "an extended pattern that is not read");
			return;
		}
		if (strchr("\\'\"$`", c)) {
			add_literal(r, b, since(r, run), false);
			read_quoting(r, b, c);
			run = r->at;
			continue;
		}
		r->at++;
		parens += c == '(';
		if (c == ')' && !--parens)
			break;
	}
	add_literal(r, b, since(r, run), false);
}

/* A backslash, quote, dollar or backquote outside of quotes. */
static void read_quoting(struct reader *r, struct builder *b, int c)
{
	if (c == '$') {
		read_dollar(r, b, false);
	} else if (c == '`') {
		read_backquote(r, b, false);
	} else if (c == '\'') {
		r->at++;
		read_single(r, b);
	} else if (c == '"') {
		r->at++;
		read_double(r, b);
	} else if (peek_at(r, 1) == '\n') {
		r->was_joined = true;
		r->at += 2;
	} else if (peek_at(r, 1) == END_OF_INPUT) {
		parse_trouble(r, "a backslash at the end");
	} else {
		add_literal(r, b, str_of(r->src + r->at + 1, 1), true);
		r->at += 2;
	}
}

/*
 * A regular expression may contain parentheses and bars; they must be balanced and without blanks.
 */
static bool ends_word(const struct reader *r, enum word_mode mode, unsigned *parens)
{
	int c = peek(r);

	if (mode == WORD_REGEX && c == '(') {
		++*parens;
		return false;
	}
	if (mode == WORD_REGEX && c == ')' && *parens) {
		--*parens;
		return false;
	}
	if (mode == WORD_REGEX && c == '|' && peek_at(r, 1) != '|')
		return false;
	return is_meta(c);
}

/*
 * run is the start of the literal text that is not yet a part; each special construct flushes
 * it first.  Returns a chain, since braces can make several words of one.
 */
struct shell_word *parse_word_read(struct reader *r, enum word_mode mode)
{
	size_t start = r->at, run = r->at;
	unsigned parens = 0;
	struct builder b;

	builder_begin(&b);
	r->was_joined = false;
	for (;;) {
		int c = peek(r);

		if ((c == '<' || c == '>') && peek_at(r, 1) == '(' && r->dialect == SHELL_BASH &&
		    mode != WORD_REGEX && mode != WORD_PATTERN && mode != WORD_MATCH) {
			add_literal(r, &b, since(r, run), false);
			read_process(r, &b);
			run = r->at;
		} else if (c > 0 && strchr("\\'\"$`", c)) {
			add_literal(r, &b, since(r, run), false);
			read_quoting(r, &b, c);
			run = r->at;
		} else if (mode != WORD_REGEX && begins_extglob(r)) {
			if (mode != WORD_MATCH)
				parse_trouble(r, "an extended pattern outside of [[ ]]");
			add_literal(r, &b, since(r, run), false);
			read_extglob(r, &b);
			run = r->at;
		} else if (ends_word(r, mode, &parens)) {
			break;
		} else {
			r->at++;
		}
	}
	if (is_bad(r))
		return NULL;
	add_literal(r, &b, since(r, run), false);
	if (parens) {
		parse_trouble(r, "a regular expression with an open parenthesis");
		return NULL;
	}
	/* x= assigns the empty string; in every other position a word has to be there. */
	if (!b.first && mode != WORD_VALUE) {
		parse_trouble(r, "a word is missing");
		return NULL;
	}
	return expand_finish_word(r, parse_word_of_part(r, b.first, since(r, start)), mode,
	                          b.has_extglob);
}
