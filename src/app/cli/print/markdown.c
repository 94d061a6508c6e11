/*
 * Renders Markdown for a terminal while it streams in.
 *
 *	piece ──► held ──► kind of the line ──► spans ──► word ──► out
 *	           ▲            │ WAIT            │ open span
 *	           └────────────┴─────────────────┘ until more text comes
 *
 * Text is written as early as possible: only an opened span (HOLD_MAX bytes at most), a possible
 * block mark at the beginning of a line and a table are held back until their meaning is known.
 */
#include "app/cli/print/markdown.h"

#include "app/cli/print/markdown_table.h"
#include "base/utf8.h"

#include <ctype.h>

#define HOLD_MAX 512 /* an opened span that is longer than this is no span */
#define FENCE_MIN 3
#define RULE_COLUMNS 24
#define CODE_INDENT 4

enum { STYLE_BOLD = 1, STYLE_EM = 2, STYLE_CODE = 4, STYLE_DIM = 8 };

void markdown_init(struct markdown *m, struct buf *out, size_t columns, bool color)
{
	*m = (struct markdown){
		.out = out, .columns = columns, .color = color, .before = ' ', .is_apart = true
	};
}

void markdown_done(struct markdown *m)
{
	buf_done(&m->held);
	buf_done(&m->word);
	buf_done(&m->table);
}

/* ---- words and lines ---- */

/* A style cannot be switched off alone, so all are reset and the wanted ones are set again. */
static void switch_style(struct markdown *m, struct buf *out, unsigned style)
{
	if (!m->color || style == m->on_style)
		return;
	if (m->on_style)
		buf_add_c(out, "\033[0m");
	if (style & STYLE_BOLD)
		buf_add_c(out, "\033[1m");
	if (style & STYLE_DIM)
		buf_add_c(out, "\033[2m");
	if (style & STYLE_EM)
		buf_add_c(out, "\033[3m");
	if (style & STYLE_CODE)
		buf_add_c(out, "\033[36m");
	m->on_style = style;
}

static void add_spaces(struct markdown *m, size_t count)
{
	m->column += count;
	while (count--)
		buf_add_char(m->out, ' ');
}

static void break_line(struct markdown *m)
{
	buf_add_char(m->out, '\n');
	m->column = 0;
	add_spaces(m, m->indent);
}

/* Writes a complete word on this line or, if it does not fit, on the next. */
static void put_word(struct markdown *m)
{
	size_t width = m->spaces + m->word_width;

	if (!m->word_width) {
		/* The word holds only a change of style. */
		buf_add_str(m->out, buf_str(&m->word));
		buf_clear(&m->word);
		return;
	}
	if (m->columns && m->column > m->indent && m->column + width > m->columns)
		break_line(m);
	else
		add_spaces(m, m->spaces);
	buf_add_str(m->out, buf_str(&m->word));
	m->column += m->word_width;
	/*
	 * A word that is longer than a line is broken by the terminal, where it can be copied
	 * whole.
	 */
	if (m->columns && m->column > m->columns)
		m->column = (m->column - 1) % m->columns + 1;
	buf_clear(&m->word);
	m->spaces = m->word_width = 0;
}

/* Collects words; a word is written when a blank shows that it is complete. */
static void add_text(struct markdown *m, struct str text)
{
	while (text.len) {
		size_t len = 0, before;

		while (len < text.len && text.ptr[len] != ' ' && text.ptr[len] != '\t')
			len++;
		if (len) {
			switch_style(m, &m->word, m->style);
			before = m->word.len;
			utf8_add_safe(&m->word, str_head(text, len), false);
			m->word_width += utf8_width(str_skip(buf_str(&m->word), before));
		}
		text = str_skip(text, len);
		if (text.len) {
			put_word(m);
			m->spaces++;
			text = str_skip(text, 1);
		}
	}
}

/* Adds text without wrapping. */
static void add_verbatim(struct markdown *m, struct str text, unsigned style)
{
	size_t before;

	switch_style(m, m->out, style);
	before = m->out->len;
	utf8_add_safe(m->out, text, true);
	m->column += utf8_width(str_skip(buf_str(m->out), before));
}

static void end_line(struct markdown *m)
{
	bool is_empty = !m->column && !m->word_width;

	m->is_indented = (m->block == MD_CODE && !m->fence) || (m->is_indented && is_empty);
	m->is_apart = is_empty;
	put_word(m);
	m->style = 0;
	switch_style(m, m->out, 0);
	buf_add_char(m->out, '\n');
	m->column = m->indent = m->spaces = 0;
	m->block = MD_START;
	m->before = ' ';
}

/* ---- spans ---- */

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (c & 0x80);
}

static size_t run_of(struct str s, char c)
{
	size_t len = 0;

	while (len < s.len && s.ptr[len] == c)
		len++;
	return len;
}

/* What a mark opens; 0: nothing. */
static unsigned style_of(char mark, size_t len)
{
	if (mark == '`')
		return STYLE_CODE;
	return len == 1 ? STYLE_EM : len == 2 ? STYLE_BOLD : len == 3 ? STYLE_BOLD | STYLE_EM : 0;
}

/* Marks inside words are text: 2*3*4, snake_case. */
static bool may_open(const struct markdown *m, struct str s, size_t len)
{
	if (s.ptr[0] == '`')
		return true;
	return !is_word_char(m->before) && (len == s.len || !isspace((unsigned char)s.ptr[len]));
}

/*
 * The position of the run of marks that closes the one at the start of s, or -1.
 * *ret_is_sure: more text cannot change the result.
 */
static ptrdiff_t find_close(struct str s, size_t len, bool *ret_is_sure)
{
	char mark = s.ptr[0];

	s = str_head(s, HOLD_MAX);
	for (size_t at = len; at < s.len;) {
		size_t run = run_of(str_skip(s, at), mark);
		bool is_last = at + run == s.len;

		if (run == len && (mark == '`' || (!isspace((unsigned char)s.ptr[at - 1]) &&
		                                   (is_last || !is_word_char(s.ptr[at + run]))))) {
			*ret_is_sure = !is_last;
			return (ptrdiff_t)at;
		}
		at += run ? run : 1;
	}
	*ret_is_sure = false;
	return -1;
}

static void add_spans(struct markdown *m, struct str *s, bool is_whole);

/* Without colour the marks are written too, so that no meaning is lost. */
static void add_span(struct markdown *m, struct str marks, struct str inner)
{
	unsigned outer = m->style, style = style_of(marks.ptr[0], marks.len);

	m->style |= style;
	if (!m->color)
		add_text(m, marks);
	if (style == STYLE_CODE) {
		add_text(m, inner);
	} else {
		m->before = ' ';
		add_spans(m, &inner, true);
	}
	if (!m->color)
		add_text(m, marks);
	m->style = outer;
	switch_style(m, &m->word, outer);
	m->before = marks.ptr[0];
}

static void add_plain(struct markdown *m, struct str *s, size_t len)
{
	add_text(m, str_head(*s, len));
	m->before = s->ptr[len - 1];
	*s = str_skip(*s, len);
}

/* Returns false if the meaning of the mark depends on text that has not arrived. */
static bool add_mark(struct markdown *m, struct str *s, bool is_whole)
{
	size_t len = run_of(*s, s->ptr[0]);
	bool is_open = may_open(m, *s, len) && style_of(s->ptr[0], len), is_sure;
	ptrdiff_t close;

	if (is_open) {
		close = find_close(*s, len, &is_sure);
		if (!is_sure && !is_whole && s->len < HOLD_MAX)
			return false;
		if (close > 0) {
			add_span(m, str_head(*s, len), str_of(s->ptr + len, (size_t)close - len));
			*s = str_skip(*s, (size_t)close + len);
			return true;
		}
	} else if (len == s->len && !is_whole) {
		return false; /* the next piece may extend the run */
	}
	add_plain(m, s, len);
	return true;
}

static bool is_escaped(struct str s)
{
	return s.len > 1 && s.ptr[0] == '\\' && ispunct((unsigned char)s.ptr[1]);
}

/*
 * Takes from s what can be interpreted: all of it when the line is complete.  A backslash takes
 * the meaning from the mark after it.
 */
static void add_spans(struct markdown *m, struct str *s, bool is_whole)
{
	while (s->len) {
		size_t len = 0;

		while (len < s->len && !strchr("*_`\\", s->ptr[len]))
			len++;
		if (len) {
			add_plain(m, s, len);
		} else if (s->ptr[0] != '\\') {
			if (!add_mark(m, s, is_whole))
				return;
		} else if (s->len == 1 && !is_whole) {
			return;
		} else {
			bool hides = is_escaped(*s) && m->color;

			len = is_escaped(*s) && !hides ? 2 : 1;
			if (hides)
				*s = str_skip(*s, 1);
			add_plain(m, s, len);
		}
	}
}

size_t markdown_spans(struct buf *out, struct str text, bool color, bool is_bold)
{
	struct markdown m;
	size_t width;

	markdown_init(&m, out, 0, color);
	m.style = is_bold ? STYLE_BOLD : 0;
	add_spans(&m, &text, true);
	put_word(&m);
	switch_style(&m, out, 0);
	width = m.column;
	markdown_done(&m);
	return width;
}

/* ---- the beginning of a line ---- */

/* WAIT: the beginning of the line can still become several kinds of line. */
enum line_state { WAIT, KNOWN };

static size_t blanks_of(struct str s)
{
	return run_of(s, ' ');
}

static bool is_all_of(struct str s, const char *set)
{
	for (size_t i = 0; i < s.len; i++)
		if (!strchr(set, s.ptr[i]))
			return false;
	return true;
}

static size_t count_of(struct str s, char c)
{
	size_t count = 0;

	for (size_t i = 0; i < s.len; i++)
		count += s.ptr[i] == c;
	return count;
}

/* Decides the kind of the line and drops the bytes that only marked it. */
static enum line_state set_block(struct markdown *m, enum md_block block, size_t taken)
{
	m->block = block;
	buf_drop(&m->held, taken);
	return KNOWN;
}

/* Indents further lines of the item to its text, unless that leaves no room. */
static void set_indent(struct markdown *m)
{
	m->indent = m->columns && m->column * 2 > m->columns ? 0 : m->column;
}

static enum line_state begin_item(struct markdown *m, size_t blanks, struct str label, size_t taken)
{
	add_spaces(m, blanks);
	add_verbatim(m, label, STYLE_DIM);
	switch_style(m, m->out, 0);
	add_spaces(m, 1);
	set_indent(m);
	m->is_item = true;
	return set_block(m, MD_TEXT, taken);
}

static enum line_state begin_text(struct markdown *m)
{
	size_t blanks = blanks_of(buf_str(&m->held));

	add_spaces(m, blanks);
	set_indent(m);
	return set_block(m, MD_TEXT, blanks);
}

static void add_rule(struct markdown *m)
{
	size_t columns = m->columns ? MIN(m->columns, RULE_COLUMNS) : RULE_COLUMNS;

	while (columns--)
		add_verbatim(m, STR("─"), STYLE_DIM);
}

/* "- item", "* item", and rules: "---", "* * *" */
static enum line_state classify_bullet(struct markdown *m, struct str s, size_t blanks,
                                       bool is_whole)
{
	char set[] = { s.ptr[0], ' ', 0 };

	if (is_all_of(s, set)) {
		if (!is_whole)
			return WAIT;
		if (count_of(s, s.ptr[0]) >= 3) {
			add_rule(m);
			return set_block(m, MD_VERBATIM, m->held.len);
		}
	}
	if (s.ptr[0] != '_' && s.len > 1 && s.ptr[1] == ' ')
		return begin_item(m, blanks, STR("•"), blanks + 2);
	return begin_text(m);
}

/* "12. item" */
static enum line_state classify_number(struct markdown *m, struct str s, size_t blanks,
                                       bool is_whole)
{
	size_t digits = 0;

	while (digits < s.len && digits < 10 && isdigit((unsigned char)s.ptr[digits]))
		digits++;
	if (s.len <= digits + 1 && digits < 10 && !is_whole)
		return WAIT;
	if (digits < 10 && s.len > digits + 1 && strchr(".)", s.ptr[digits]) &&
	    s.ptr[digits + 1] == ' ')
		return begin_item(m, blanks, str_head(s, digits + 1), blanks + digits + 2);
	return begin_text(m);
}

static enum line_state classify_heading(struct markdown *m, struct str s, bool is_whole)
{
	size_t level = run_of(s, '#');

	if (level == s.len && !is_whole)
		return WAIT;
	if (level > 6 || (level < s.len && s.ptr[level] != ' '))
		return begin_text(m);
	m->style = STYLE_BOLD;
	if (!m->color) {
		add_verbatim(m, str_head(s, level), 0);
		add_spaces(m, 1);
	}
	return set_block(m, MD_HEADING, (size_t)(s.ptr - m->held.ptr) + MIN(level + 1, s.len));
}

static enum line_state classify_quote(struct markdown *m, struct str s, size_t blanks,
                                      bool is_whole)
{
	if (s.len == 1 && !is_whole)
		return WAIT;
	add_spaces(m, blanks);
	add_verbatim(m, m->color ? STR("│") : STR(">"), STYLE_DIM);
	switch_style(m, m->out, 0);
	add_spaces(m, 1);
	buf_drop(&m->held, blanks + (s.len > 1 && s.ptr[1] == ' ' ? 2 : 1));
	/* Further lines of it look like a list item's. */
	set_indent(m);
	m->block = MD_TEXT;
	return KNOWN;
}

/* A fence needs its whole line, because text after the marks can make it no fence. */
static enum line_state classify_fence(struct markdown *m, struct str s, bool is_whole)
{
	size_t len = run_of(s, s.ptr[0]);

	if (!is_whole && (len == s.len || len >= FENCE_MIN))
		return WAIT;
	if (len < FENCE_MIN || (s.ptr[0] == '`' && count_of(s, '`') > len))
		return begin_text(m);
	m->fence = s.ptr[0];
	m->fence_len = len;
	add_verbatim(m, buf_str(&m->held), STYLE_DIM);
	return set_block(m, MD_VERBATIM, m->held.len);
}

/* Inside a fence every line except the closing one is code. */
static enum line_state classify_code(struct markdown *m, bool is_whole)
{
	struct str s = str_skip(buf_str(&m->held), blanks_of(buf_str(&m->held)));
	size_t len = run_of(s, m->fence);

	if (len == s.len && !is_whole)
		return WAIT;
	if (len >= m->fence_len && is_all_of(str_skip(s, len), " \t\r")) {
		if (!is_whole)
			return WAIT;
		m->fence = 0;
		add_verbatim(m, buf_str(&m->held), STYLE_DIM);
		return set_block(m, MD_VERBATIM, m->held.len);
	}
	m->block = MD_CODE;
	return KNOWN;
}

/*
 * Four blanks after an empty line, at the beginning, or after such code; inside a list they belong
 * to an item.
 */
static bool is_indented_code(const struct markdown *m, size_t blanks, struct str s)
{
	return !m->is_item && (m->is_apart || m->is_indented) &&
	       (blanks >= CODE_INDENT || s.ptr[0] == '\t');
}

/*
 * Finds out what kind of line begins here.  is_whole: the line is complete, so waiting would
 * change nothing.
 */
static enum line_state classify_line(struct markdown *m, bool is_whole)
{
	struct str all = buf_str(&m->held);
	size_t blanks = blanks_of(all);
	struct str s = str_skip(all, blanks);

	if (m->fence)
		return classify_code(m, is_whole);
	if (!s.len)
		return is_whole ? set_block(m, MD_TEXT, blanks) : WAIT;
	if (is_indented_code(m, blanks, s))
		return set_block(m, MD_CODE, 0);
	m->is_item = m->is_item && blanks;
	switch (s.ptr[0]) {
	case '#':
		return classify_heading(m, s, is_whole);
	case '-':
	case '*':
	case '+':
	case '_':
		return classify_bullet(m, s, blanks, is_whole);
	case '>':
		return classify_quote(m, s, blanks, is_whole);
	case '`':
	case '~':
		return classify_fence(m, s, is_whole);
	case '|':
		return is_whole ? set_block(m, MD_VERBATIM, 0) : WAIT;
	default:
		return isdigit((unsigned char)s.ptr[0]) ? classify_number(m, s, blanks, is_whole)
		                                        : begin_text(m);
	}
}

/* ---- tables ---- */

static void show_table(struct markdown *m)
{
	markdown_table_show(buf_str(&m->table), m->columns, m->color, m->out);
	buf_clear(&m->table);
}

/* For a complete line: returns whether it is kept for its table. */
static bool keep_row(struct markdown *m)
{
	if (m->block != MD_START || m->fence || !markdown_table_is_row(buf_str(&m->held)))
		return false;
	buf_add_str(&m->table, buf_str(&m->held));
	buf_add_char(&m->table, '\n');
	buf_clear(&m->held);
	if (m->table.len > TABLE_BYTES_MAX)
		show_table(m);
	return true;
}

/* The current line is no row, so the table ends. */
static void leave_table(struct markdown *m, bool is_whole)
{
	struct str s = str_skip(buf_str(&m->held), blanks_of(buf_str(&m->held)));

	if (m->table.len && m->block == MD_START && (s.len ? s.ptr[0] != '|' : is_whole))
		show_table(m);
}

/* ---- the whole ---- */

/* Writes the part of the current line that can be interpreted. */
static void show_held(struct markdown *m, bool is_whole)
{
	struct str rest;

	leave_table(m, is_whole);
	if (m->block == MD_START && classify_line(m, is_whole) == WAIT)
		return;
	rest = buf_str(&m->held);
	if (m->block == MD_VERBATIM || m->block == MD_CODE) {
		add_verbatim(m, rest, m->block == MD_CODE ? STYLE_CODE : m->on_style);
		rest = STR_NONE;
	} else {
		add_spans(m, &rest, is_whole);
	}
	buf_drop(&m->held, m->held.len - rest.len);
}

/* A piece may end inside a character or a line end; the rest waits for the next piece. */
static void show_whole_characters(struct markdown *m)
{
	struct str all = buf_str(&m->held);
	size_t cut = str_ends(all, STR("\r")) ? 1 : utf8_unfinished(all);
	char tail[8];

	/* Whether a joiner may be shown depends on the character after it. */
	if (str_ends(str_head(all, all.len - cut), STR("\u200c")) ||
	    str_ends(str_head(all, all.len - cut), STR("\u200d")))
		cut += 3;

	memcpy(tail, all.ptr + all.len - cut, cut);
	m->held.len -= cut;
	if (m->held.len)
		show_held(m, false);
	buf_add(&m->held, tail, cut);
}

void markdown_add(struct markdown *m, struct str piece)
{
	while (piece.len) {
		ptrdiff_t end = str_find_char(piece, '\n');
		struct str part = end < 0 ? piece : str_head(piece, (size_t)end);

		buf_add_str(&m->held, part);
		if (end < 0) {
			show_whole_characters(m);
			return;
		}
		if (m->held.len && m->held.ptr[m->held.len - 1] == '\r')
			m->held.len--;
		piece = str_skip(piece, part.len + 1);
		if (keep_row(m))
			continue;
		show_held(m, true);
		end_line(m);
	}
}

void markdown_pause(struct markdown *m)
{
	show_table(m);
	if (!m->column)
		return;
	/* A pending change of style belongs to the held word. */
	if (!m->word.len)
		switch_style(m, m->out, 0);
	buf_add_char(m->out, '\n');
	m->column = m->spaces = 0;
}

void markdown_end(struct markdown *m)
{
	if (m->held.len)
		keep_row(m);
	show_table(m);
	if (m->held.len || m->word.len || m->column || m->block != MD_START) {
		show_held(m, true);
		end_line(m);
	}
	m->fence = 0;
}
