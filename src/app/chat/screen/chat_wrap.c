/*
 * Breaks lines at words.  No byte of a line is left out: a blank at which a row
 * ends stays at its end.
 */
#include "app/chat/screen/chat_wrap.h"

#include "app/chat/input/chat_text.h"

#define MORE "↪ " /* before a further row of input */
#define MORE_COLUMNS 2

static bool is_mark(char ch)
{
	return ch == CHAT_WRAP_WORDS || ch == CHAT_WRAP_INPUT;
}

void chat_wrap_mark(struct buf *out, struct str text, char how, bool is_inside)
{
	while (text.len) {
		size_t len = 0;

		while (len < text.len && text.ptr[len] != '\n')
			len++;
		len += len < text.len;
		if (!is_inside)
			buf_add_char(out, how);
		buf_add_str(out, str_head(text, len));
		text = str_skip(text, len);
		is_inside = false;
	}
}

struct str chat_wrap_bare(struct str line)
{
	return line.len && is_mark(line.ptr[0]) ? str_skip(line, 1) : line;
}

/* Steps over blanks and colours; returns how many blanks there were. */
static size_t skip_blanks(struct str s, size_t *at)
{
	size_t count = 0;

	for (; *at < s.len; (*at)++) {
		if (s.ptr[*at] == '\033')
			while (*at + 1 < s.len && s.ptr[*at] != 'm')
				(*at)++;
		else if (s.ptr[*at] == ' ')
			count++;
		else
			break;
	}
	return count;
}

/* Further rows begin below the second column of a list, or two columns behind the line. */
static size_t indent_of(struct str line, size_t columns)
{
	size_t at = 0, first = skip_blanks(line, &at), second;

	while (at + 1 < line.len && !(line.ptr[at] == ' ' && line.ptr[at + 1] == ' '))
		at++;
	second = chat_text_width(str_head(line, at));
	if (first && at + 1 < line.len && second + skip_blanks(line, &at) < columns / 2)
		return chat_text_width(str_head(line, at));
	return first + 2 < columns / 2 ? first + 2 : 0;
}

/* As far as the line itself, and the mark. */
static size_t input_indent(struct str line, size_t columns)
{
	size_t at = 0, blanks = skip_blanks(line, &at);

	return MORE_COLUMNS + MIN(blanks, columns / 2);
}

/* A tab takes as many columns here as it was counted. */
static void add_row(struct buf *out, struct str row)
{
	for (size_t i = 0; i < row.len; i++)
		if (row.ptr[i] == '\t')
			buf_add_str(out, str_head(STR("        "), CHAT_TAB));
		else
			buf_add_char(out, row.ptr[i]);
	buf_add_c(out, "\r\n");
}

static void begin_row(struct buf *out, size_t indent, bool is_input)
{
	for (size_t i = is_input ? MORE_COLUMNS : 0; i < indent; i++)
		buf_add_char(out, ' ');
	if (is_input)
		buf_add_c(out, MORE);
}

static size_t rows_of_terminal(struct buf *out, struct str line, size_t columns)
{
	size_t width = chat_text_width(line);

	if (out) {
		buf_add_str(out, line);
		buf_add_c(out, "\r\n");
	}
	return width ? (width + columns - 1) / columns : 1;
}

size_t chat_wrap_rows(struct buf *out, struct str line, size_t columns)
{
	char how = line.len ? line.ptr[0] : 0;
	size_t indent, count = 0, most = MAX(columns, 10) - 1;

	if (!is_mark(how))
		return rows_of_terminal(out, line, MAX(columns, 1));
	line = str_skip(line, 1);
	indent = how == CHAT_WRAP_INPUT ? input_indent(line, most) : indent_of(line, most);
	do {
		size_t used, len = chat_text_row(line, count ? most - indent : most, &used);

		if (out && count)
			begin_row(out, indent, how == CHAT_WRAP_INPUT);
		if (out)
			add_row(out, str_head(line, len));
		line = str_skip(line, used);
		count++;
	} while (line.len);
	return count;
}

size_t chat_wrap_text(struct buf *out, struct str text, size_t columns)
{
	size_t count = 0;

	while (text.len)
		count += chat_wrap_rows(out, str_cut(&text, '\n'), columns);
	return count;
}
