/*
 * Parses compound commands: groups, if, loops, case, functions, [[ ]], (( )), coproc.
 *
 * Each reader starts at its keyword, which the dispatch at the end has seen, and returns a node
 * whose children are lists in the order of the text.  Redirections after the command belong to
 * the caller.
 */
#include "policy/shell/parse_internal.h"

static void expect_word(struct reader *r, struct str word, const char *why)
{
	parse_skip_newlines(r);
	if (!parse_take_bare(r, word))
		parse_trouble(r, why);
}

/* A list that must not be empty. */
static struct shell_node *read_body(struct reader *r)
{
	struct shell_node *list = parse_read_list(r);

	if (!list->first)
		parse_trouble(r, "a command is missing");
	return list;
}

/* last_child makes appending constant: a case may have thousands of branches. */
static void add_child(struct shell_node *n, struct shell_node *child)
{
	if (n->last_child)
		n->last_child->next = child;
	else
		n->first = child;
	n->last_child = child;
}

static struct shell_node *read_group(struct reader *r)
{
	struct shell_node *n = parse_new_node(r, SHELL_GROUP);

	r->at++;
	add_child(n, read_body(r));
	expect_word(r, STR("}"), "a group is not closed");
	return n;
}

/*
 * "((" is arithmetic here.  bash falls back to two subshells if that fails to parse; the
 * arithmetic reader reports such input as trouble instead.
 */
static struct shell_node *read_parentheses(struct reader *r)
{
	struct shell_node *n;

	if (peek_at(r, 1) == '\\' && peek_at(r, 2) == '\n')
		parse_trouble(r, "a line continuation behind a parenthesis");
	if (peek_at(r, 1) == '(') {
		size_t start = r->at;
		struct shell_part *p;

		if (r->dialect == SHELL_POSIX)
			parse_trouble(r, "sh may not read ((…))");
		n = parse_new_node(r, SHELL_NUMERIC);
		r->at = MIN(r->at + 2, r->len);
		p = parse_word_read_arithmetic(r, 0);
		r->at = MIN(r->at + 2, r->len);
		parse_add_word(n, parse_word_of_part(r, p, since(r, start)));
		return n;
	}
	n = parse_new_node(r, SHELL_SUBSHELL);
	r->at++;
	add_child(n, read_body(r));
	parse_skip_newlines(r);
	if (peek(r) != ')')
		parse_trouble(r, "a parenthesis is not closed");
	else
		r->at++;
	return n;
}

static struct shell_node *read_if(struct reader *r)
{
	struct shell_node *n = parse_new_node(r, SHELL_IF);

	r->at += 2;
	do {
		add_child(n, read_body(r));
		expect_word(r, STR("then"), "then is missing");
		add_child(n, read_body(r));
		parse_skip_newlines(r);
	} while (parse_take_bare(r, STR("elif")));
	if (parse_take_bare(r, STR("else")))
		add_child(n, read_body(r));
	expect_word(r, STR("fi"), "fi is missing");
	return n;
}

static void read_do(struct reader *r, struct shell_node *n)
{
	expect_word(r, STR("do"), "do is missing");
	add_child(n, read_body(r));
	expect_word(r, STR("done"), "done is missing");
}

static struct shell_node *read_while(struct reader *r)
{
	struct shell_node *n = parse_new_node(r, SHELL_WHILE);

	r->at += 5; /* while, until */
	add_child(n, read_body(r));
	read_do(r, n);
	return n;
}

static struct str read_name(struct reader *r)
{
	struct str name = parse_bare_word(r);

	if (!name.len || !is_name_start(name.ptr[0]))
		parse_trouble(r, "a name is missing");
	for (size_t i = 0; i < name.len; i++)
		if (!is_name_char(name.ptr[i]))
			parse_trouble(r, "a name is missing");
	r->at = MIN(r->at + name.len, r->len);
	return name;
}

/* for ((a; b; c)) */
static struct shell_node *read_for_number(struct reader *r)
{
	struct shell_node *n = parse_new_node(r, SHELL_FOR_NUMBER);

	if (r->dialect == SHELL_POSIX)
		parse_trouble(r, "sh may not read ((…))");
	r->at = MIN(r->at + 2, r->len);
	for (int i = 0; i < 3; i++) {
		size_t start = r->at;
		struct shell_part *p = parse_word_read_arithmetic(r, i < 2 ? ';' : 0);

		parse_add_word(n, parse_word_of_part(r, p, since(r, start)));
		r->at = MIN(r->at + (i < 2 ? 1 : 2), r->len);
	}
	parse_skip_blanks(r);
	if (peek(r) == ';')
		r->at++;
	read_do(r, n);
	return n;
}

/* Without "in" the loop runs over the positional parameters; has_in tells the analysis which. */
static struct shell_node *read_for(struct reader *r, bool is_select)
{
	struct shell_node *n;

	if (is_select && r->dialect == SHELL_POSIX)
		parse_trouble(r, "sh may not read select");
	r->at = MIN(r->at + (is_select ? 6 : 3), r->len);
	parse_skip_blanks(r);
	if (peek(r) == '(' && peek_at(r, 1) == '(' && !is_select)
		return read_for_number(r);
	n = parse_new_node(r, SHELL_FOR);
	n->is_select = is_select;
	n->name = read_name(r);
	parse_skip_blanks(r);
	if (peek(r) == ';') {
		r->at++;
		read_do(r, n);
		return n;
	}
	parse_skip_newlines(r);
	n->has_in = parse_take_bare(r, STR("in"));
	if (n->has_in) {
		/* < and > may begin a process substitution, which is a word. */
		for (parse_skip_blanks(r); !is_meta(peek(r)) || peek(r) == '<' || peek(r) == '>';
		     parse_skip_blanks(r)) {
			if ((peek(r) == '<' || peek(r) == '>') && peek_at(r, 1) != '(')
				parse_trouble(r, "a redirection where none can be");
			parse_add_word(n, parse_word_read(r, WORD_ARG));
		}
		if (peek(r) == ';')
			r->at++;
		else if (peek(r) != '\n')
			parse_trouble(r, "the words of a loop do not end");
	}
	read_do(r, n);
	return n;
}

/*
 * Patterns of all branches go into one list: which branch runs is not decided here, only what
 * the words of the command expand to.
 */
static void read_patterns(struct reader *r, struct shell_node *n)
{
	bool has_open = peek(r) == '(';

	if (has_open)
		r->at++;
	for (;;) {
		parse_skip_blanks(r);
		if (has_open && parse_at_bare(r, STR("esac")))
			parse_trouble(r, "esac as a pattern");
		parse_add_word(n, parse_word_read(r, WORD_PATTERN));
		parse_skip_blanks(r);
		if (peek(r) != '|')
			break;
		r->at++;
	}
	if (peek(r) != ')')
		parse_trouble(r, "a pattern is not closed");
	else
		r->at++;
}

/*
 * ;; ends a branch, ;& and ;;& may continue with later ones (bash).  The analysis assumes that any
 * branch may run, so the terminator itself is not kept.
 */
static struct shell_node *read_case(struct reader *r)
{
	struct shell_node *n = parse_new_node(r, SHELL_CASE);

	r->at += 4;
	parse_skip_blanks(r);
	parse_add_word(n, parse_word_read(r, WORD_VALUE));
	if (!n->words || !n->words->raw.len)
		parse_trouble(r, "a word is missing");
	expect_word(r, STR("in"), "in is missing");
	for (parse_skip_newlines(r); !is_bad(r) && !parse_at_bare(r, STR("esac"));
	     parse_skip_newlines(r)) {
		read_patterns(r, n);
		add_child(n, parse_read_list(r));
		parse_skip_newlines(r);
		if (peek(r) != ';')
			break;
		r->at++;
		if (peek(r) == ';')
			r->at++;
		else if (peek(r) != '&')
			parse_trouble(r, "a branch does not end");
		if (peek(r) == '&') {
			if (r->dialect == SHELL_POSIX)
				parse_trouble(r, "sh may not read ;&");
			r->at++;
		}
	}
	expect_word(r, STR("esac"), "esac is missing");
	return n;
}

/* ---- [[ ]] ---- */

static bool is_unary(struct str w)
{
	return w.len == 2 && w.ptr[0] == '-' && strchr("abcdefghknoprstuvwxzGLNORS", w.ptr[1]);
}

static bool is_binary(struct str w)
{
	static const char *const words[] = { "=",   "==",  "!=",  "-eq", "-ne", "-lt",
		                             "-le", "-gt", "-ge", "-nt", "-ot", "-ef" };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(w, str_from(words[i])))
			return true;
	return false;
}

static void add_operator(struct reader *r, struct shell_node *n, size_t len)
{
	struct shell_part *p = parse_word_new_part(r, SHELL_LITERAL, str_of(r->src + r->at, len));

	parse_add_word(n, parse_word_of_part(r, p, p->text));
	r->at += len;
}

static void read_operand_word(struct reader *r, struct shell_node *n, enum word_mode mode)
{
	parse_skip_blanks(r);
	if (is_meta(peek(r)) && !(mode == WORD_REGEX && peek(r) == '('))
		parse_trouble(r, "[[ ]] lacks a word");
	parse_add_word(n, parse_word_read(r, mode));
}

static void read_condition(struct reader *r, struct shell_node *n);

/*
 * Operators become words as well, so that the node shows the condition as written.  The
 * operator decides how the word after it is read: == takes a pattern, =~ a regular expression.
 */
static void read_term(struct reader *r, struct shell_node *n)
{
	struct str bare;

	parse_skip_newlines(r);
	bare = parse_bare_word(r);
	if (str_eq(bare, STR("]]"))) {
		parse_trouble(r, "[[ ]] lacks a word");
	} else if (str_eq(bare, STR("!"))) {
		add_operator(r, n, 1);
		if (peek(r) == '(')
			parse_trouble(r, "an extended pattern where it may be something else");
		if (parse_enter(r)) {
			read_term(r, n);
			leave(r);
		}
	} else if (peek(r) == '(') {
		add_operator(r, n, 1);
		if (parse_enter(r)) {
			read_condition(r, n);
			leave(r);
		}
		parse_skip_newlines(r);
		if (peek(r) == ')')
			add_operator(r, n, 1);
		else
			parse_trouble(r, "a parenthesis is not closed");
	} else if (is_unary(bare)) {
		add_operator(r, n, 2);
		parse_skip_blanks(r);
		if (parse_at_bare(r, STR("]]")) || is_binary(parse_bare_word(r)))
			parse_trouble(r, "[[ ]] lacks a word");
		read_operand_word(r, n, WORD_PATTERN);
	} else {
		read_operand_word(r, n, WORD_PATTERN);
		parse_skip_blanks(r);
		bare = parse_bare_word(r);
		if (str_eq(bare, STR("=~"))) {
			add_operator(r, n, 2);
			read_operand_word(r, n, WORD_REGEX);
		} else if (is_binary(bare)) {
			bool is_match = bare.ptr[0] == '=' || bare.ptr[0] == '!';

			add_operator(r, n, bare.len);
			read_operand_word(r, n, is_match ? WORD_MATCH : WORD_PATTERN);
		} else if (peek(r) == '<' || peek(r) == '>') {
			add_operator(r, n, 1);
			read_operand_word(r, n, WORD_PATTERN);
		}
	}
}

static void read_condition(struct reader *r, struct shell_node *n)
{
	for (;;) {
		int c;

		read_term(r, n);
		parse_skip_blanks(r);
		if (peek(r) == '\n')
			parse_skip_newlines(r);
		c = peek(r);
		if ((c != '&' && c != '|') || peek_at(r, 1) != c)
			break;
		add_operator(r, n, 2);
	}
}

static struct shell_node *read_test(struct reader *r)
{
	struct shell_node *n = parse_new_node(r, SHELL_TEST);

	if (r->dialect == SHELL_POSIX)
		parse_trouble(r, "sh may not read [[");
	r->at = MIN(r->at + 2, r->len);
	read_condition(r, n);
	parse_skip_blanks(r);
	if (!parse_take_bare(r, STR("]]")))
		parse_trouble(r, "[[ is not closed");
	return n;
}

/* ---- functions and coprocesses ---- */

/*
 * bash accepts nearly anything as a name.  Only names that need no quoting in a call are
 * followed.
 */
static bool is_function_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_name_char(s.ptr[i]) && !strchr("-.:+@,", s.ptr[i]))
			return false;
	return s.len && !is_digit(s.ptr[0]) && !parse_is_reserved(s);
}

/* At ( ) or, after `function NAME`, at the body. */
struct shell_node *parse_compound_function_body(struct reader *r, struct str name, size_t start)
{
	struct shell_node *n = parse_new_node(r, SHELL_FUNCTION), *body;

	n->name = name;
	if (!is_function_name(name))
		parse_trouble(r, "a function whose name is not plain");
	if (peek(r) == '(') {
		r->at++;
		parse_skip_blanks(r);
		if (peek(r) != ')')
			parse_trouble(r, "a parenthesis where none can be");
		else
			r->at++;
	}
	parse_skip_newlines(r);
	/* A body is any compound command; bash refuses a definition or a coproc there. */
	if (!parse_compound_starts(r) || parse_at_bare(r, STR("function")) ||
	    parse_at_bare(r, STR("coproc"))) {
		parse_trouble(r, "a function without a body");
		return n;
	}
	if (parse_enter(r)) {
		body = parse_compound_read(r);
		if (body) {
			parse_read_redirections(r, body);
			add_child(n, body);
		}
		leave(r);
	}
	n->text = str_trim(since(r, start));
	return n;
}

static struct shell_node *read_function(struct reader *r)
{
	size_t start = r->at;
	struct str name;

	if (r->dialect == SHELL_POSIX)
		parse_trouble(r, "sh may not read function");
	r->at = MIN(r->at + 8, r->len);
	parse_skip_blanks(r);
	name = parse_bare_word(r);
	r->at = MIN(r->at + name.len, r->len);
	parse_skip_blanks(r);
	/* function f (…): a subshell as body, or empty parentheses. */
	if (peek(r) == '(') {
		size_t n = 1;

		while (peek_at(r, n) == ' ' || peek_at(r, n) == '\t')
			n++;
		if (peek_at(r, n) != ')')
			parse_trouble(r, "a function whose body is not clear");
	}
	return parse_compound_function_body(r, name, start);
}

/*
 * coproc NAME compound, or coproc command.  A word is the name only if a compound command
 * follows, so the reader looks ahead and goes back.
 */
static struct shell_node *read_coproc(struct reader *r)
{
	struct shell_node *n = parse_new_node(r, SHELL_COPROC), *body;
	struct str name;

	if (r->dialect == SHELL_POSIX)
		parse_trouble(r, "sh may not read coproc");
	r->at = MIN(r->at + 6, r->len);
	parse_skip_blanks(r);
	name = parse_bare_word(r);
	if (!parse_compound_starts(r) && is_function_name(name)) {
		size_t back = r->at;

		r->at += name.len;
		parse_skip_blanks(r);
		if (parse_compound_starts(r))
			n->name = read_name((r->at = back, r));
		else
			r->at = back;
		parse_skip_blanks(r);
	}
	body = parse_read_one_command(r);
	if (body)
		add_child(n, body);
	return n;
}

/* ---- dispatch ---- */

typedef struct shell_node *compound_reader(struct reader *r);

static struct shell_node *read_for_each(struct reader *r)
{
	return read_for(r, false);
}

static struct shell_node *read_select(struct reader *r)
{
	return read_for(r, true);
}

static compound_reader *find_compound(const struct reader *r)
{
	static const struct {
		struct str word;
		compound_reader *read;
	} kinds[] = {
		{ { "{", 1 }, read_group },           { { "if", 2 }, read_if },
		{ { "while", 5 }, read_while },       { { "until", 5 }, read_while },
		{ { "for", 3 }, read_for_each },      { { "select", 6 }, read_select },
		{ { "case", 4 }, read_case },         { { "[[", 2 }, read_test },
		{ { "function", 8 }, read_function }, { { "coproc", 6 }, read_coproc },
	};
	struct str word = parse_bare_word(r);

	if (peek(r) == '(')
		return read_parentheses;
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_eq(word, kinds[i].word))
			return kinds[i].read;
	return NULL;
}

bool parse_compound_starts(const struct reader *r)
{
	return find_compound(r) != NULL;
}

struct shell_node *parse_compound_read(struct reader *r)
{
	compound_reader *read = find_compound(r);
	struct shell_node *n = read ? read(r) : NULL;

	return is_bad(r) ? NULL : n;
}
