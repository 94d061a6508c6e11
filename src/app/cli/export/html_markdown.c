/* Reads Markdown line by line; no construct needs more than one line of memory but a fence. */
#include "app/cli/export/html_markdown.h"

#include "app/cli/export/html_text.h"

enum block { BLOCK_NONE, BLOCK_PARAGRAPH, BLOCK_LIST, BLOCK_NUMBERS, BLOCK_CODE };

struct markdown_html {
	struct buf *out;
	enum block block;
};

static const char *const opening[] = { "", "<p>", "<ul>", "<ol>", "<pre><code>" };
static const char *const closing[] = { "", "</p>\n", "</ul>\n", "</ol>\n", "</code></pre>\n" };

static void enter(struct markdown_html *m, enum block block)
{
	if (m->block == block)
		return;
	buf_add_c(m->out, closing[m->block]);
	buf_add_c(m->out, opening[block]);
	m->block = block;
}

/* From an opening mark to the next one on the same line; false: it stays text. */
static bool add_marked(struct buf *out, struct str *rest, struct str mark, const char *element)
{
	struct str inner;
	ptrdiff_t end;

	if (!str_starts(*rest, mark))
		return false;
	inner = str_skip(*rest, mark.len);
	end = str_find(inner, mark);
	if (end <= 0)
		return false;
	buf_printf(out, "<%s>", element);
	html_text_add(out, str_head(inner, (size_t)end));
	buf_printf(out, "</%s>", element);
	*rest = str_skip(inner, (size_t)end + mark.len);
	return true;
}

static void add_inline(struct buf *out, struct str line)
{
	while (line.len) {
		size_t plain = 0;

		if (add_marked(out, &line, STR("`"), "code") ||
		    add_marked(out, &line, STR("**"), "strong"))
			continue;
		do
			plain++;
		while (plain < line.len && line.ptr[plain] != '`' && line.ptr[plain] != '*');
		html_text_add(out, str_head(line, plain));
		line = str_skip(line, plain);
	}
}

/* "3. text": the length of the number and its mark; 0: none. */
static size_t number_len(struct str s)
{
	size_t len = 0;

	while (len < s.len && len < 4 && s.ptr[len] >= '0' && s.ptr[len] <= '9')
		len++;
	return len && len + 1 < s.len && s.ptr[len] == '.' && s.ptr[len + 1] == ' ' ? len + 2 : 0;
}

static bool add_heading(struct markdown_html *m, struct str line)
{
	size_t level = 0;

	while (level < line.len && level < 6 && line.ptr[level] == '#')
		level++;
	if (!level || level >= line.len || line.ptr[level] != ' ')
		return false;
	enter(m, BLOCK_NONE);
	buf_add_c(m->out, "<h4>");
	add_inline(m->out, str_trim(str_skip(line, level)));
	buf_add_c(m->out, "</h4>\n");
	return true;
}

static bool add_item(struct markdown_html *m, struct str line)
{
	struct str text = str_trim(line);
	bool is_bullet = str_starts(text, STR("- ")) || str_starts(text, STR("* "));
	size_t skipped = is_bullet ? 2 : number_len(text);

	if (!skipped)
		return false;
	enter(m, is_bullet ? BLOCK_LIST : BLOCK_NUMBERS);
	buf_add_c(m->out, "<li>");
	add_inline(m->out, str_skip(text, skipped));
	buf_add_c(m->out, "</li>\n");
	return true;
}

static void add_line(struct markdown_html *m, struct str line)
{
	bool is_fence = str_starts(str_trim(line), STR("```"));

	if (m->block == BLOCK_CODE) {
		if (is_fence) {
			enter(m, BLOCK_NONE);
			return;
		}
		html_text_add(m->out, line);
		buf_add_char(m->out, '\n');
		return;
	}
	if (is_fence) {
		enter(m, BLOCK_CODE);
		return;
	}
	if (!str_trim(line).len) {
		enter(m, BLOCK_NONE);
		return;
	}
	if (add_heading(m, line) || add_item(m, line))
		return;
	if (m->block == BLOCK_PARAGRAPH)
		buf_add_c(m->out, "<br>\n");
	enter(m, BLOCK_PARAGRAPH);
	add_inline(m->out, line);
}

void html_markdown_add(struct buf *out, struct str text)
{
	struct markdown_html m = { .out = out };

	while (str_is(text)) {
		struct str line = str_cut(&text, '\n');

		add_line(&m, line);
	}
	enter(&m, BLOCK_NONE);
}
