/* Walks a Markdown text line by line and finds the words that import files. */
#include "text/markdown_imports.h"

static size_t run_length(struct str s, char c)
{
	size_t len = 0;

	while (len < s.len && s.ptr[len] == c)
		len++;
	return len;
}

/* A fence may be indented by three blanks; the one that closes a block is at least as long. */
static bool is_fence(struct markdown_imports *m, struct str line)
{
	size_t blanks = MIN(run_length(line, ' '), 3);
	struct str rest = str_skip(line, blanks);
	char c = rest.len ? rest.ptr[0] : 0;
	size_t len = c == '`' || c == '~' ? run_length(rest, c) : 0;

	if (len < 3)
		return false;
	if (!m->fence) {
		/* "```x```" is a span */
		if (c == '`' && str_find_char(str_skip(rest, len), '`') >= 0)
			return false;
		m->fence = c;
		m->fence_len = len;
	} else if (c == m->fence && len >= m->fence_len && !str_trim(str_skip(rest, len)).len) {
		m->fence = 0;
	}
	return true;
}

/* The length of a code span that s begins with; of its opening marks alone if nothing closes it. */
static size_t span_length(struct str s)
{
	size_t open = run_length(s, '`');

	for (size_t at = open; at < s.len;) {
		size_t len = run_length(str_skip(s, at), '`');

		if (len == open)
			return at + len;
		at += len ? len : 1;
	}
	return open;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct str word_of(struct str s)
{
	size_t len = 0;

	while (len < s.len && !is_blank(s.ptr[len]) && s.ptr[len] != '`')
		len++;
	while (len && strchr(".,;:!?)]}>\"'*", s.ptr[len - 1]))
		len--;
	return str_head(s, len);
}

static void pass(struct markdown_imports *m, size_t len)
{
	m->before = m->line.ptr[len - 1];
	m->line = str_skip(m->line, len);
}

static bool next_in_line(struct markdown_imports *m, struct str *ret)
{
	while (m->line.len) {
		char c = m->line.ptr[0];
		bool is_start = c == '@' && (!m->before || strchr(" \t([\"'*-", m->before));
		struct str word = is_start ? word_of(str_skip(m->line, 1)) : STR("");

		pass(m, c == '`' ? span_length(m->line) : 1 + word.len);
		if (!word.len)
			continue;
		*ret = word;
		return true;
	}
	return false;
}

void markdown_imports_begin(struct markdown_imports *m, struct str text)
{
	*m = (struct markdown_imports){ .rest = text };
}

bool markdown_imports_next(struct markdown_imports *m, struct str *ret)
{
	while (!next_in_line(m, ret)) {
		struct str line;

		if (!str_is(m->rest))
			return false;
		line = str_cut(&m->rest, '\n');
		m->before = 0;
		if (!is_fence(m, line) && !m->fence)
			m->line = line;
	}
	return true;
}
