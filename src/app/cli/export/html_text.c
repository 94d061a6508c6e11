/* Escapes text for HTML: element content and quoted attributes. */
#include "app/cli/export/html_text.h"

#include "app/cli/print/out.h"
#include "base/os/reveal.h"

/* Runs of blanks stay: indentation matters in code, so lines are revealed piece by piece. */
static void add_revealed(struct buf *out, struct str line)
{
	size_t at = 0;

	while (at < line.len) {
		size_t end = at;

		while (end < line.len && (line.ptr[end] == ' ' || line.ptr[end] == '\t'))
			end++;
		buf_add(out, line.ptr + at, end - at);
		at = end;
		while (end < line.len && line.ptr[end] != ' ' && line.ptr[end] != '\t')
			end++;
		reveal_add(out, str_of(line.ptr + at, end - at), false);
		at = end;
	}
}

static void add_escaped(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '&')
			buf_add_c(out, "&amp;");
		else if (c == '<')
			buf_add_c(out, "&lt;");
		else if (c == '>')
			buf_add_c(out, "&gt;");
		else if (c == '"')
			buf_add_c(out, "&quot;");
		else if (c == '\'')
			buf_add_c(out, "&#39;");
		else
			buf_add_char(out, c);
	}
}

void html_text_add(struct buf *out, struct str s)
{
	CLEANUP(buf_done) struct buf shown = { 0 };

	while (str_is(s)) {
		struct str line = str_cut(&s, '\n');

		if (line.len && line.ptr[line.len - 1] == '\r')
			line.len--;
		add_revealed(&shown, line);
		if (str_is(s))
			buf_add_char(&shown, '\n');
	}
	add_escaped(out, buf_str(&shown));
}

void html_text_add_line(struct buf *out, struct arena *mem, struct str s, size_t columns)
{
	html_text_add(out, str_from(out_safe_cut(mem, s, columns)));
}

static const char *class_of(struct str line)
{
	return str_starts(line, STR("+++")) || str_starts(line, STR("---")) ? "file"
	       : str_starts(line, STR("@@"))                                ? "at"
	       : str_starts(line, STR("+"))                                 ? "add"
	       : str_starts(line, STR("-"))                                 ? "del"
	                                                                    : "same";
}

void html_text_add_diff(struct buf *out, struct str diff)
{
	buf_add_c(out, "<pre class=\"diff\">");
	while (diff.len) {
		struct str line = str_cut(&diff, '\n');

		buf_printf(out, "<span class=\"%s\">", class_of(line));
		html_text_add(out, line);
		buf_add_c(out, "</span>\n");
	}
	buf_add_c(out, "</pre>\n");
}
