/*
 * Makes hidden characters and long runs of blanks visible, for text that a user
 * approves: what is shown must be what is run.
 */
#include "base/os/reveal.h"

#include "base/utf8.h"

#define BLANKS_SHOWN 64 /* more in a row are counted */
#define LINES_SHOWN 4

/* Broader than the list for terminals (utf8.c): here the text is what a person approves. */
bool reveal_is_hidden(uint32_t code)
{
	/* Default-ignorable characters of Unicode, blanks of other widths, and blank glyphs. */
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x7f, 0xa0 },       { 0xad, 0xad },       { 0x34f, 0x34f },
		{ 0x61c, 0x61c },     { 0x115f, 0x1160 },   { 0x1680, 0x1680 },
		{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f },   { 0x2000, 0x200f },
		{ 0x2028, 0x202f },   { 0x205f, 0x206f },   { 0x2800, 0x2800 },
		{ 0x3000, 0x3000 },   { 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffc },
		{ 0x13430, 0x1345f }, { 0x1bca0, 0x1bca3 }, { 0x1d159, 0x1d159 },
		{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < COUNT_OF(ranges) && code >= ranges[i].first; i++)
		if (code <= ranges[i].last)
			return true;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static size_t run_of_blanks(struct str s)
{
	size_t n = 0;

	while (n < s.len && is_blank(s.ptr[n]))
		n++;
	return n;
}

/* Newlines with nothing but blanks between them; ret_lines counts them. */
static size_t run_of_lines(struct str s, size_t *ret_lines)
{
	size_t n = 0, end = 0;

	*ret_lines = 0;
	for (; n < s.len && (is_blank(s.ptr[n]) || s.ptr[n] == '\n' || s.ptr[n] == '\r'); n++)
		if (s.ptr[n] == '\n') {
			++*ret_lines;
			end = n + 1;
		}
	return end;
}

static void add_character(struct buf *out, struct str s, size_t len, uint32_t code)
{
	if (!len)
		buf_add_c(out, "\xef\xbf\xbd");
	else if (code < 0x20 || reveal_is_hidden(code))
		buf_printf(out, "<U+%04X>", (unsigned)code);
	else
		buf_add(out, s.ptr, len);
}

/*
 * Runs are checked before single characters: an approval prompt with a thousand blank
 * lines would show its harmless beginning only.
 */
void reveal_add(struct buf *out, struct str s, bool keep_newlines)
{
	while (s.len) {
		size_t run, lines, len;
		uint32_t code = 0;

		run = run_of_lines(s, &lines);
		if (lines > LINES_SHOWN) {
			buf_printf(out, "%s<%zu empty lines>%s", keep_newlines ? "\n" : " ",
			           lines - 1, keep_newlines ? "\n" : " ");
			s = str_skip(s, run);
			continue;
		}
		run = run_of_blanks(s);
		if (run > BLANKS_SHOWN) {
			buf_printf(out, " <%zu blanks> ", run);
			s = str_skip(s, run);
			continue;
		}
		if (run) {
			buf_add(out, s.ptr, run);
			s = str_skip(s, run);
			continue;
		}
		len = utf8_read(s, &code);
		if (len && code == '\n')
			buf_add_c(out, keep_newlines ? "\n" : "<U+000A>");
		else
			add_character(out, s, len, code);
		s = str_skip(s, len ? len : 1);
	}
}

struct str reveal(struct arena *mem, struct str s, bool keep_newlines)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	reveal_add(&out, s, keep_newlines);
	return arena_keep(mem, buf_str(&out));
}
