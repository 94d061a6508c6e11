/*
 * Parses lines, lists, pipelines, simple commands, redirections and here-documents.
 *
 *   list ─► and_or ─► pipeline ─► command ─► simple │ compound (parse_compound.c)
 *                                              └─► words (parse_word.c), redirections
 *
 * The rule for every doubtful construct is the same: parse_trouble().  Reading a construct
 * otherwise than bash does would show a person one command and run another, so a refusal to
 * understand is the only safe result.
 */
#include "policy/shell/parse_internal.h"

void parse_trouble(struct reader *r, const char *why)
{
	if (!is_bad(r)) {
		r->script->trouble = str_from(why);
		r->script->trouble_at = r->at;
	}
	/* Every later peek() returns END_OF_INPUT, so no loop has to check for trouble. */
	r->len = r->at;
}

void parse_count_node(struct reader *r)
{
	if (++r->script->nodes > SHELL_NODES_MAX)
		parse_trouble(r, "it has too many parts");
	if (!analysis_spend(r->budget, 1))
		parse_trouble(r, ANALYSIS_SPENT_TEXT);
}

bool parse_enter(struct reader *r)
{
	if (++r->depth <= SHELL_DEPTH_MAX)
		return true;
	r->depth--;
	parse_trouble(r, "it is nested too deeply");
	return false;
}

/* ---- blanks and here-docs ---- */

void parse_skip_blanks(struct reader *r)
{
	for (;;) {
		int c = peek(r);

		if (c == ' ' || c == '\t')
			r->at++;
		else if (c == '\\' && peek_at(r, 1) == '\n')
			r->at += 2;
		else
			break;
	}
	/*
	 * Callers are between words, where # begins a comment; inside a word it is an ordinary
	 * character.
	 */
	if (peek(r) == '#')
		while (peek(r) != '\n' && peek(r) != END_OF_INPUT)
			r->at++;
}

void parse_cross_newline(struct reader *r)
{
	if (r->waiting || r->outer_waits)
		parse_trouble(r, "a quote goes over a line end while a here-document waits");
}

static struct str next_line(struct reader *r)
{
	size_t start = r->at;

	while (peek(r) != '\n' && peek(r) != END_OF_INPUT)
		r->at++;

	struct str line = since(r, start);

	if (peek(r) == '\n')
		r->at++;
	return line;
}

/* A line that is joined to the next one is never the delimiter, and must not look like one. */
static bool is_joined(const struct heredoc *h, struct str line)
{
	size_t slashes = 0;

	while (slashes < line.len && line.ptr[line.len - 1 - slashes] == '\\')
		slashes++;
	return !h->is_quoted && slashes % 2;
}

/* <<-: removes the tabs at the beginning of lines. */
static struct str strip_tabs(struct reader *r, struct str text)
{
	char *out = arena_alloc_raw(r->mem, text.len + 1);
	size_t n = 0;
	bool at_start = true;

	for (size_t i = 0; i < text.len; i++) {
		if (at_start && text.ptr[i] == '\t')
			continue;
		at_start = text.ptr[i] == '\n';
		out[n++] = text.ptr[i];
	}
	return str_of(out, n);
}

/*
 * At the line after the redirection.  The body becomes the target of the redirection.  Lines
 * that shells disagree about are trouble: a delimiter after a joined line, a joined line under
 * <<-, and inside a substitution a line that only begins with the delimiter.
 */
static void read_heredoc(struct reader *r, const struct heredoc *h)
{
	size_t start = r->at, end;
	bool was_joined = false;

	for (;;) {
		struct str line;

		if (peek(r) == END_OF_INPUT) {
			parse_trouble(r, "a here-document is not closed");
			return;
		}
		end = r->at;
		line = next_line(r);
		while (h->strips_tabs && str_starts(line, STR("\t")))
			line = str_skip(line, 1);
		if (str_eq(line, h->delimiter) && !was_joined)
			break;
		if (str_eq(line, h->delimiter) || (h->strips_tabs && is_joined(h, line)) ||
		    (r->is_nested && str_starts(line, h->delimiter))) {
			parse_trouble(r, "a here-document whose end is not clear");
			return;
		}
		was_joined = is_joined(h, line);
	}

	struct str text = str_of(r->src + start, end - start);

	r->heredocs_read++;
	if (h->strips_tabs)
		text = strip_tabs(r, text);
	if (h->is_quoted) {
		struct shell_part *p = parse_word_new_part(r, SHELL_LITERAL, text);

		p->is_quoted = true;
		h->redir->target = parse_word_of_part(r, p, text);
		h->redir->target->flags = SHELL_QUOTED;
	} else {
		h->redir->target = parse_word_read_heredoc_body(r, text);
		if (is_bad(r))
			r->len = r->at;
	}
}

/*
 * The bodies of here-documents follow the line in which they are announced, in that order, so
 * the newline is the place where they are read.
 */
void parse_skip_newlines(struct reader *r)
{
	for (parse_skip_blanks(r); peek(r) == '\n'; parse_skip_blanks(r)) {
		r->at++;
		if (!r->waiting)
			continue;
		if (r->outer_waits) {
			parse_trouble(r, "a here-document inside one that waits");
			return;
		}
		struct heredoc *h = r->waiting;

		r->waiting = NULL;
		r->waiting_end = &r->waiting;
		for (; h; h = h->next)
			read_heredoc(r, h);
	}
}

/* ---- bare words ---- */

/* Reserved words count only when written plainly: i\f is a program named "if". */
struct str parse_bare_word(const struct reader *r)
{
	size_t n = 0;
	int c;

	while (!is_meta(c = peek_at(r, n)) && !strchr("\\'\"$`", c))
		n++;
	return is_meta(peek_at(r, n)) ? str_of(r->src + r->at, n) : STR("");
}

bool parse_at_bare(const struct reader *r, struct str word)
{
	return peek(r) == word.ptr[0] && str_eq(parse_bare_word(r), word);
}

bool parse_take_bare(struct reader *r, struct str word)
{
	if (!parse_at_bare(r, word))
		return false;
	r->at += word.len;
	return true;
}

bool parse_is_reserved(struct str w)
{
	static const char *const words[] = { "!",        "case",  "coproc", "do",     "done",
		                             "elif",     "else",  "esac",   "fi",     "for",
		                             "function", "if",    "in",     "select", "then",
		                             "until",    "while", "{",      "}",      "time",
		                             "[[",       "]]" };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(w, str_from(words[i])))
			return true;
	return false;
}

/* ---- redirections ---- */

/*
 * The length of a descriptor before < or >: digits or {name}.  Blanks end it: "echo 2 >f" has
 * an argument 2.
 */
static size_t fd_prefix(const struct reader *r)
{
	size_t n = 0;

	if (is_digit(peek(r))) {
		while (is_digit(peek_at(r, n)))
			n++;
	} else if (peek(r) == '{' && is_name_start(peek_at(r, 1)) && r->dialect == SHELL_BASH) {
		n = 1;
		while (is_name_char(peek_at(r, n)))
			n++;
		n = peek_at(r, n) == '}' ? n + 1 : 0;
	}
	return n && (peek_at(r, n) == '<' || peek_at(r, n) == '>') ? n : 0;
}

bool parse_at_redirection(const struct reader *r)
{
	int c = peek(r);

	if (c == '&')
		return peek_at(r, 1) == '>';
	if (fd_prefix(r))
		return true;
	return (c == '<' || c == '>') && (peek_at(r, 1) != '(' || r->dialect == SHELL_POSIX);
}

struct redir_token {
	struct str text;
	enum shell_redir_op op;
	bool bash_only;
};

/* Longest first. */
static const struct redir_token redir_tokens[] = {
	{ { "&>>", 3 }, SHELL_BOTH_APPEND, true }, { { "<<<", 3 }, SHELL_HERESTRING, true },
	{ { "<<-", 3 }, SHELL_HEREDOC, false },    { { "&>", 2 }, SHELL_BOTH, true },
	{ { "<<", 2 }, SHELL_HEREDOC, false },     { { ">>", 2 }, SHELL_APPEND, false },
	{ { ">|", 2 }, SHELL_CLOBBER, false },     { { "<>", 2 }, SHELL_IN_OUT, false },
	{ { "<&", 2 }, SHELL_DUP_IN, false },      { { ">&", 2 }, SHELL_DUP_OUT, false },
	{ { "<", 1 }, SHELL_IN, false },           { { ">", 1 }, SHELL_OUT, false },
};

static const struct redir_token *take_token(struct reader *r)
{
	struct str rest = str_of(r->src + r->at, r->len - r->at);

	for (size_t i = 0; i < COUNT_OF(redir_tokens); i++)
		if (str_starts(rest, redir_tokens[i].text)) {
			r->at += redir_tokens[i].text.len;
			return &redir_tokens[i];
		}
	return NULL;
}

/* N, N- and -: the target of a duplication that opens no file. */
static bool is_descriptor(const struct shell_word *w)
{
	struct str s = w->value;

	if (!shell_is_known(w) || !s.len)
		return false;
	if (s.ptr[s.len - 1] == '-')
		s.len--;
	for (size_t i = 0; i < s.len; i++)
		if (!is_digit(s.ptr[i]))
			return false;
	return true;
}

/*
 * The delimiter of a here-document: its literal text, without expansion.  A delimiter with any
 * kind of expansion, continuation or newline in it is trouble, because the end of the body
 * depends on it.
 */
static void expect_heredoc(struct reader *r, struct shell_redir *d, bool strips_tabs)
{
	struct shell_word *w = parse_word_read(r, WORD_VALUE);

	if (!w || !w->raw.len || (w->flags & SHELL_DYNAMIC) || r->was_joined ||
	    str_find_char(w->value, '\n') >= 0 || str_find_char(w->raw, '`') >= 0 ||
	    str_find_char(w->raw, '$') >= 0) {
		parse_trouble(r, "the delimiter of a here-document is not plain");
		return;
	}

	struct heredoc *h = ARENA_NEW(r->mem, struct heredoc);

	h->redir = d;
	h->delimiter = w->value;
	h->is_quoted = w->flags & SHELL_QUOTED;
	h->strips_tabs = strips_tabs;
	*r->waiting_end = h;
	r->waiting_end = &h->next;
}

static struct shell_redir *read_redirection(struct reader *r)
{
	struct shell_redir *d = ARENA_NEW(r->mem, struct shell_redir);
	size_t prefix = fd_prefix(r);
	const struct redir_token *token;

	parse_count_node(r);
	d->fd = -1;
	if (prefix && peek(r) == '{') {
		d->fd_name = str_of(r->src + r->at + 1, prefix - 2);
	} else if (prefix) {
		uint64_t fd;

		if (!str_to_u64(str_of(r->src + r->at, prefix), &fd) ||
		    fd > (r->dialect == SHELL_POSIX ? 9 : 1023))
			parse_trouble(r, "a descriptor that is too large");
		else
			d->fd = (int)fd;
	}
	r->at = MIN(r->at + prefix, r->len);
	token = take_token(r);
	if (!token || (token->bash_only && r->dialect == SHELL_POSIX)) {
		parse_trouble(r, "sh may not read this redirection");
		return d;
	}
	/* ">\<newline>>" is ">>" for bash: the token would be longer than what was read. */
	if (peek(r) == '\\' && peek_at(r, 1) == '\n')
		parse_trouble(r, "a line continuation inside a redirection");
	if (peek(r) == '(')
		parse_trouble(r, "a redirection that is not read");
	d->op = token->op;
	/* >&- is a complete token: the next word follows. */
	if ((d->op == SHELL_DUP_IN || d->op == SHELL_DUP_OUT) && peek(r) == '-' &&
	    !is_meta(peek_at(r, 1)))
		parse_trouble(r, "something follows the closing of a descriptor");
	parse_skip_blanks(r);
	if (d->op == SHELL_HEREDOC) {
		expect_heredoc(r, d, token->text.len == 3);
		return d;
	}
	d->target = parse_word_read(r, d->op == SHELL_HERESTRING ? WORD_VALUE : WORD_TARGET);
	if (!d->target || !d->target->raw.len) {
		parse_trouble(r, "a redirection without a target");
		return d;
	}
	d->is_dup = (d->op == SHELL_DUP_IN || d->op == SHELL_DUP_OUT) && is_descriptor(d->target);
	/* <2>x: the number belongs to the next redirection. */
	if ((peek(r) == '<' || peek(r) == '>') && !d->is_dup && is_descriptor(d->target))
		parse_trouble(r, "a number right before a redirection");
	if (r->dialect == SHELL_POSIX && !d->is_dup &&
	    (d->op == SHELL_DUP_IN || d->op == SHELL_DUP_OUT))
		parse_trouble(r, "sh may not read this redirection");
	return d;
}

void parse_read_redirections(struct reader *r, struct shell_node *n)
{
	for (parse_skip_blanks(r); parse_at_redirection(r); parse_skip_blanks(r)) {
		struct shell_redir *d = read_redirection(r);

		if (n->last_redir)
			n->last_redir->next = d;
		else
			n->redirs = d;
		n->last_redir = d;
	}
	/* After a redirection no word is reserved: { { a; } >f } is not closed. */
	if (n->kind != SHELL_SIMPLE && n->redirs && !is_meta(peek(r)))
		parse_trouble(r, "a word behind the redirection of a compound command");
}

/* ---- simple commands ---- */

struct shell_node *parse_new_node(struct reader *r, enum shell_kind kind)
{
	struct shell_node *n = ARENA_NEW(r->mem, struct shell_node);

	parse_count_node(r);
	n->kind = kind;
	r->script->has_functions |= kind == SHELL_FUNCTION;
	return n;
}

/* The chain may hold several words, or none after trouble: braces expand while words are read. */
void parse_add_word(struct shell_node *n, struct shell_word *chain)
{
	if (n->last_word)
		n->last_word->next = chain;
	else
		n->words = chain;
	for (; chain; chain = chain->next) {
		n->word_count++;
		n->last_word = chain;
	}
}

/* Does NAME= NAME+= NAME[sub]= begin here?  Returns the length including '=', else 0. */
static size_t assignment_prefix(struct reader *r)
{
	size_t n = 0;

	if (!is_name_start(peek(r)))
		return 0;
	while (is_name_char(peek_at(r, n)))
		n++;
	if (peek_at(r, n) == '[') {
		/* bash takes everything up to ] as the subscript, including blanks. */
		for (n++; peek_at(r, n) != ']'; n++) {
			int c = peek_at(r, n);

			if (is_meta(c) || strchr("\\'\"`[{}$", c)) {
				r->at += n;
				parse_trouble(r, "an array subscript that is not read");
				return 0;
			}
		}
		n++;
	}
	if (peek_at(r, n) == '+')
		n++;
	return peek_at(r, n) == '=' ? n + 1 : 0;
}

/*
 * NAME=(…), at the parenthesis.  The words are kept for their substitutions, which run; the
 * value itself is not followed, so the word is dynamic.
 */
static struct shell_word *read_array(struct reader *r, size_t start)
{
	struct shell_part *p = parse_word_new_part(r, SHELL_UNKNOWN, STR(""));
	struct shell_word **end = &p->inner;
	struct shell_word *w;

	if (r->in_array)
		parse_trouble(r, "an array inside an array");
	if (r->is_timed)
		parse_trouble(r, "an array behind time");
	r->in_array = true;
	r->at = MIN(r->at + 1, r->len);
	for (parse_skip_newlines(r); peek(r) != ')' && peek(r) != END_OF_INPUT;
	     parse_skip_newlines(r)) {
		if (peek(r) == '[')
			parse_trouble(r, "an array with subscripts");
		if (parse_is_reserved(parse_bare_word(r)))
			parse_trouble(r, "a reserved word in an array");
		*end = parse_word_read(r, WORD_ARG);
		while (*end)
			end = &(*end)->next;
	}
	r->in_array = false;
	if (peek(r) != ')')
		parse_trouble(r, "an array is not closed");
	else
		r->at++;
	if (!is_meta(peek(r)))
		parse_trouble(r, "something follows an array");
	/* bash 5.2 loses the backslashes of an array in a substitution when it parses it again. */
	if (r->is_nested && str_find_char(since(r, start), '\\') >= 0)
		parse_trouble(r, "an escape in an array inside a substitution");
	w = parse_word_of_part(r, p, since(r, start));
	w->flags = SHELL_DYNAMIC | SHELL_ARRAY;
	return w;
}

static struct shell_assign *read_assignment(struct reader *r, size_t prefix)
{
	struct shell_assign *a = ARENA_NEW(r->mem, struct shell_assign);
	struct str left = str_of(r->src + r->at, prefix - 1);
	size_t start = r->at;

	parse_count_node(r);
	if (left.ptr[left.len - 1] == '+') {
		a->is_append = true;
		left.len--;
	}
	a->name = str_cut(&left, '[');
	a->subscript = str_is(left) ? str_head(left, left.len - 1) : STR_NONE;
	if (r->dialect == SHELL_POSIX && (a->is_append || str_is(a->subscript)))
		parse_trouble(r, "sh may not read this assignment");
	r->at = MIN(r->at + prefix, r->len);
	if (peek(r) == '(') {
		if (r->dialect == SHELL_POSIX || str_is(a->subscript))
			parse_trouble(r, "an array where it is not read");
		a->value = read_array(r, start);
	} else {
		a->value = parse_word_read(r, WORD_VALUE);
	}
	return a;
}

static bool is_declaration(struct str word)
{
	return str_eq(word, STR("declare")) || str_eq(word, STR("typeset")) ||
	       str_eq(word, STR("local")) || str_eq(word, STR("readonly")) ||
	       str_eq(word, STR("export"));
}

/* declare NAME=(…): one dynamic word that begins with its name. */
static struct shell_word *read_declared(struct reader *r, size_t prefix)
{
	size_t start = r->at;

	r->at = MIN(r->at + prefix, r->len);

	return read_array(r, start);
}

/*
 * A line continuation inside a possible reserved word, assignment or descriptor.  Whether the
 * joined word has its special meaning depends on the shell, and everything after it on that
 * meaning.
 */
static void check_joined(struct reader *r, const struct shell_word *w, bool is_first)
{
	if (!r->was_joined || !w)
		return;

	struct str name = w->value;
	size_t n = 0;

	while (n < name.len && is_name_char((unsigned char)name.ptr[n]))
		n++;
	if ((is_first && parse_is_reserved(name)) ||
	    (is_first && n && n < name.len && strchr("=+[", name.ptr[n])) || peek(r) == '<' ||
	    peek(r) == '>' || peek(r) == '(')
		parse_trouble(r, "a line continuation inside a word that it changes");
}

static bool at_word(const struct reader *r)
{
	int c = peek(r);

	if ((c == '<' || c == '>') && peek_at(r, 1) == '(')
		return r->dialect == SHELL_BASH;
	return !is_meta(c);
}

/*
 * Assignments, words and redirections in any order until a separator.  Assignments are
 * recognised only before the first word, or after a declaration command, which takes arrays as
 * arguments.
 */
static struct shell_node *read_simple(struct reader *r)
{
	struct shell_node *n = parse_new_node(r, SHELL_SIMPLE);
	struct shell_assign **end = &n->assigns;
	struct str name = STR_NONE; /* of the command, when it is bare */
	size_t start = r->at;

	for (parse_skip_blanks(r);; parse_skip_blanks(r)) {
		size_t prefix = 0;

		if (parse_at_redirection(r)) {
			parse_read_redirections(r, n);
			continue;
		}
		if (!at_word(r))
			break;
		if (!n->words || (str_is(name) && is_declaration(name)))
			prefix = assignment_prefix(r);
		if (prefix && !n->words) {
			*end = read_assignment(r, prefix);
			end = &(*end)->next;
			continue;
		}
		if (prefix && peek_at(r, prefix) == '(' && r->dialect == SHELL_BASH) {
			parse_add_word(n, read_declared(r, prefix));
			continue;
		}
		bool is_first = !n->words;

		if (is_first)
			name = parse_bare_word(r);

		struct shell_word *w = parse_word_read(r, is_first ? WORD_FIRST : WORD_ARG);

		check_joined(r, w, is_first);
		parse_add_word(n, w);
		if (is_first && !name.len)
			name = STR_NONE;
		/* NAME ( ) defines a function; any other word before ( is an error. */
		parse_skip_blanks(r);
		if (peek(r) == '(' && is_first && !n->assigns && !n->redirs && str_is(name))
			return parse_compound_function_body(r, name, start);
	}
	if (peek(r) == '(')
		parse_trouble(r, "a parenthesis where none can be");
	if (!n->words && !n->assigns && !n->redirs)
		parse_trouble(r, "a command is missing");
	n->text = str_trim(since(r, start));
	return n;
}

/* ---- pipelines and lists ---- */

struct shell_node *parse_read_one_command(struct reader *r)
{
	struct shell_node *n;

	if (!parse_enter(r))
		return NULL;
	parse_skip_blanks(r);
	if (parse_compound_starts(r)) {
		size_t start = r->at;

		n = parse_compound_read(r);
		if (n) {
			parse_read_redirections(r, n);
			n->text = str_trim(since(r, start));
		}
	} else {
		struct str word = parse_bare_word(r);

		if (word.len && parse_is_reserved(word) && !str_eq(word, STR("time")))
			parse_trouble(r, "a reserved word where none can be");
		n = read_simple(r);
	}
	leave(r);
	return is_bad(r) ? NULL : n;
}

/* At the end of a command: nothing that belongs to it follows. */
static bool at_command_end(const struct reader *r)
{
	int c = peek(r);

	return c == END_OF_INPUT || c == '\n' || c == ';' || c == ')' ||
	       (c == '&' && peek_at(r, 1) != '>') || c == '|';
}

/* ! and time before a pipeline.  True when `time` is alone. */
static bool skip_prefixes(struct reader *r, bool *ret_negated)
{
	for (;;) {
		parse_skip_blanks(r);
		if (parse_take_bare(r, STR("!"))) {
			*ret_negated = true;
			parse_skip_blanks(r);
			if (at_command_end(r))
				parse_trouble(r, "nothing follows !");
		} else if (parse_at_bare(r, STR("time"))) {
			if (r->dialect == SHELL_POSIX)
				return false; /* a program in this position */
			r->at += 4;
			r->is_timed = true;
			parse_skip_blanks(r);
			if (parse_at_bare(r, STR("-p")))
				r->at += 2;
			parse_skip_blanks(r);
			if (peek(r) == '-')
				parse_trouble(r, "an option of time");
			if (at_command_end(r))
				return true;
		} else {
			return false;
		}
	}
}

/*
 * The node is the pipe, or the only command when there is no bar.  is_timed is restored at the
 * end, since `time` applies to one pipeline.
 */
static struct shell_node *read_pipeline(struct reader *r)
{
	struct shell_node *pipe = NULL, *n;
	bool was_timed = r->is_timed, is_negated = false;
	size_t start = r->at;

	if (skip_prefixes(r, &is_negated)) {
		n = parse_new_node(r, SHELL_LIST);
		n->text = since(r, start);
		if (peek(r) == '|')
			parse_trouble(r, "a command is missing");
		r->is_timed = was_timed;
		return n;
	}
	n = parse_read_one_command(r);
	for (struct shell_node *last = n; last && peek(r) == '|' && peek_at(r, 1) != '|';) {
		if (!pipe) {
			pipe = parse_new_node(r, SHELL_PIPE);
			pipe->first = n;
		}
		r->at++;
		if (peek(r) == '&') {
			if (r->dialect == SHELL_POSIX)
				parse_trouble(r, "sh may not read |&");
			r->at++;
		}
		if (peek(r) == '\\' && peek_at(r, 1) == '\n')
			parse_trouble(r, "a line continuation inside an operator");
		parse_skip_newlines(r);
		last->next = parse_read_one_command(r);
		last = last->next;
		pipe->text = since(r, start);
	}
	r->is_timed = was_timed;
	if (!pipe)
		pipe = n;
	if (pipe)
		pipe->is_negated = is_negated;
	return pipe;
}

static bool at_pair(struct reader *r, char c)
{
	if (peek(r) == c && peek_at(r, 1) == '\\' && peek_at(r, 2) == '\n')
		parse_trouble(r, "a line continuation inside an operator");
	return peek(r) == c && peek_at(r, 1) == c;
}

/*
 * && and || have equal precedence and associate to the left, so one flat list with the join at
 * each member represents them.
 */
static struct shell_node *read_and_or(struct reader *r)
{
	size_t start = r->at;
	struct shell_node *first = read_pipeline(r), *last = first, *all = NULL;

	for (parse_skip_blanks(r); last && (at_pair(r, '&') || at_pair(r, '|'));
	     parse_skip_blanks(r)) {
		enum shell_join join = peek(r) == '&' ? SHELL_AND : SHELL_OR;

		if (!all) {
			all = parse_new_node(r, SHELL_AND_OR);
			all->first = first;
		}
		r->at += 2;
		parse_skip_newlines(r);
		last->next = read_pipeline(r);
		last = last->next;
		if (last)
			last->join = join;
		all->text = str_trim(since(r, start));
	}
	return all ? all : first;
}

/* Does the list end where a command would begin? */
static bool at_list_end(const struct reader *r)
{
	static const char *const words[] = {
		"then", "do", "done", "fi", "elif", "else", "esac", "}"
	};
	int c = peek(r);
	struct str word;

	if (c == END_OF_INPUT || c == ')')
		return true;
	if (c == ';')
		return peek_at(r, 1) == ';' || peek_at(r, 1) == '&';
	word = parse_bare_word(r);
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(word, str_from(words[i])))
			return true;
	return false;
}

/*
 * Ends at whatever no command can begin with.  The caller knows which end is right: EOF, ")",
 * "}", "fi" and so on; the list does not check.
 */
struct shell_node *parse_read_list(struct reader *r)
{
	struct shell_node *list = parse_new_node(r, SHELL_LIST), **end = &list->first;
	size_t start = r->at;

	for (parse_skip_newlines(r); !at_list_end(r); parse_skip_newlines(r)) {
		struct shell_node *n = read_and_or(r);

		if (!n)
			break;
		*end = n;
		end = &n->next;
		parse_skip_blanks(r);
		if (peek(r) == '&' && peek_at(r, 1) != '&') {
			n->is_background = true;
			r->at++;
		} else if (peek(r) == ';' && peek_at(r, 1) != ';' && peek_at(r, 1) != '&') {
			r->at++;
		} else if (peek(r) != '\n') {
			break;
		}
	}
	list->text = str_trim(since(r, start));
	return list;
}

/* One simple command, or a pipeline of them. */
static bool is_single(const struct shell_node *list)
{
	const struct shell_node *n = list->first;

	if (!n || n->next || n->is_background)
		return false;
	if (n->kind == SHELL_SIMPLE)
		return true;
	if (n->kind != SHELL_PIPE)
		return false;
	for (n = n->first; n; n = n->next)
		if (n->kind != SHELL_SIMPLE)
			return false;
	return true;
}

/*
 * bash 5.2 prints a parsed substitution and parses it again; after a here-document it then drops
 * the separator, and "find .; echo -delete" becomes one command.  So a substitution with a
 * here-document must not contain anything else.
 */
struct shell_node *parse_read_substitution(struct reader *r)
{
	unsigned heredocs = r->heredocs_read;
	struct heredoc *waiting = r->waiting, **waiting_end = r->waiting_end;
	bool outer_waits = r->outer_waits, is_nested = r->is_nested;
	struct shell_node *list = NULL;

	if (!parse_enter(r))
		return NULL;
	r->outer_waits |= waiting != NULL;
	r->is_nested = true;
	r->waiting = NULL;
	r->waiting_end = &r->waiting;
	list = parse_read_list(r);
	if (peek(r) != ')')
		parse_trouble(r, "a substitution is not closed");
	else
		r->at++;
	if (r->waiting)
		parse_trouble(r, "a here-document is not closed");
	if (r->heredocs_read != heredocs && !is_single(list))
		parse_trouble(r, "a here-document among other commands of a substitution");
	r->waiting = waiting;
	r->waiting_end = waiting ? waiting_end : &r->waiting;
	r->outer_waits = outer_waits;
	r->is_nested = is_nested;
	leave(r);
	return list->first ? list : NULL;
}

/*
 * The content of `…` is a text with one level of backslashes removed, so it has another source
 * than the line around it.  Limits that hold for the whole line (depth, braces) are carried in
 * and out.
 */
struct shell_node *parse_read_text(struct reader *outer, struct str text)
{
	struct reader r = *outer;
	struct shell_node *list;

	if (!parse_enter(outer))
		return NULL;
	r.depth = outer->depth;
	r.src = text.ptr;
	r.len = text.len;
	r.at = 0;
	r.is_nested = true;
	r.outer_waits = false;
	r.waiting = NULL;
	r.waiting_end = &r.waiting;
	list = parse_read_list(&r);
	if (peek(&r) != END_OF_INPUT)
		parse_trouble(&r, "something is left over");
	if (r.waiting)
		parse_trouble(&r, "a here-document is not closed");
	leave(outer);
	outer->braced = r.braced;
	outer->heredocs_read = r.heredocs_read;
	/* Trouble is recorded in the shared script; the outer input has to end as well. */
	if (is_bad(outer))
		outer->len = outer->at;
	return list->first ? list : NULL;
}

struct shell_script *parse_shell_read(struct arena *mem, struct str source,
                                      enum shell_dialect dialect, struct analysis *budget)
{
	struct shell_script *s = ARENA_NEW(mem, struct shell_script);
	struct analysis own = analysis_of(mem);
	struct reader r = { .mem = mem,
		            .budget = budget ? budget : &own,
		            .script = s,
		            .src = source.ptr ? source.ptr : "",
		            .len = source.len,
		            .dialect = dialect };
	struct shell_node *list;

	r.waiting_end = &r.waiting;
	s->source = source;
	if (source.len > SHELL_BYTES_MAX)
		parse_trouble(&r, "it is too long");
	/* Checked before the first look at the text, so that a huge line costs nothing more. */
	if (!analysis_spend(r.budget, 1 + MIN(source.len, SHELL_BYTES_MAX) / 4))
		parse_trouble(&r, ANALYSIS_SPENT_TEXT);
	if (memchr(r.src, 0, MIN(source.len, SHELL_BYTES_MAX)))
		parse_trouble(&r, "it holds a NUL");
	s->oddities = expand_find_oddities(str_head(source, SHELL_BYTES_MAX));
	list = parse_read_list(&r);
	if (peek(&r) != END_OF_INPUT)
		parse_trouble(&r, peek(&r) == ')' ? "a parenthesis too many"
		                                  : "a word where none can be");
	if (r.waiting)
		parse_trouble(&r, "a here-document is not closed");
	/*
	 * A tree with trouble in it is never handed out: root stays NULL, and no rule sees half a
	 * line.
	 */
	if (!is_bad(&r) && list->first) {
		expand_mark_contexts(list);
		s->root = list;
	}
	return s;
}
