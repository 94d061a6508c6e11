/*
 * Graphemes and widths by libutf8proc.  A grapheme is as wide as its widest
 * character; an emoji sequence (joiner, variation selector, flag) takes two columns.
 */
#include "app/chat/input/chat_text.h"

#include "base/utf8.h"

#include <utf8proc.h>

#define EMOJI_STYLE 0xfe0f

static size_t read_code(struct str s, size_t at, utf8proc_int32_t *ret)
{
	uint32_t code = 0;
	size_t len = utf8_read(str_skip(s, at), &code);

	*ret = len ? (utf8proc_int32_t)code : 0xfffd;
	return len ? len : 1;
}

static bool is_plain(struct str s, size_t at)
{
	return (unsigned char)s.ptr[at] < 0x80;
}

size_t chat_text_next(struct str s, size_t at)
{
	utf8proc_int32_t state = 0, before, code;

	if (at >= s.len)
		return s.len;
	/* Between two ASCII characters there is always a break; \r\n does not occur. */
	if (is_plain(s, at) && (at + 1 == s.len || is_plain(s, at + 1)))
		return at + 1;
	at += read_code(s, at, &before);
	while (at < s.len) {
		size_t len = read_code(s, at, &code);

		if (utf8proc_grapheme_break_stateful(before, code, &state))
			break;
		before = code;
		at += len;
	}
	return at;
}

size_t chat_text_prev(struct str s, size_t at)
{
	size_t from = at, next;

	if (!at)
		return 0;
	if (is_plain(s, at - 1))
		return at - 1;
	/* No grapheme crosses a newline, so the search begins behind the last one. */
	while (from && s.ptr[from - 1] != '\n')
		from--;
	while ((next = chat_text_next(s, from)) < at)
		from = next;
	return from;
}

/* Length of an escape sequence for colours at this offset; 0: there is none. */
static size_t color_len(struct str s, size_t at)
{
	size_t end = at + 2;

	if (s.ptr[at] != '\033' || at + 2 >= s.len || s.ptr[at + 1] != '[')
		return 0;
	while (end < s.len && s.ptr[end] >= 0x20 && s.ptr[end] < 0x40)
		end++;
	return end < s.len ? end + 1 - at : 0;
}

static size_t grapheme_width(struct str s, size_t from, size_t to)
{
	int widest = 0;

	if (s.ptr[from] == '\t')
		return CHAT_TAB;
	for (size_t at = from; at < to;) {
		utf8proc_int32_t code;

		at += read_code(s, at, &code);
		widest = MAX(widest, code == EMOJI_STYLE ? 2 : utf8proc_charwidth(code));
		/* Two regional indicators are one flag. */
		if (code >= 0x1f1e6 && code <= 0x1f1ff)
			widest = 2;
	}
	return (size_t)widest;
}

/* Steps over one grapheme or one colour; returns its columns. */
static size_t step(struct str s, size_t *at)
{
	size_t from = *at, len = color_len(s, from);

	if (len) {
		*at += len;
		return 0;
	}
	*at = chat_text_next(s, from);
	return is_plain(s, from) && s.ptr[from] != '\t' && *at == from + 1
	               ? (unsigned char)s.ptr[from] >= 0x20
	               : grapheme_width(s, from, *at);
}

size_t chat_text_width(struct str s)
{
	size_t width = 0;

	for (size_t at = 0; at < s.len;)
		width += step(s, &at);
	return width;
}

struct str chat_text_head(struct str s, size_t columns)
{
	size_t width = 0, fits = 0;

	for (size_t at = 0; at < s.len; fits = at) {
		width += step(s, &at);
		if (width > columns)
			break;
	}
	return str_head(s, fits);
}

/* ---- words ---- */

static bool is_word(struct str s, size_t at)
{
	unsigned char ch = (unsigned char)s.ptr[at];

	return ch >= 0x80 || ch == '_' || (ch >= '0' && ch <= '9') ||
	       ((ch | 0x20) >= 'a' && (ch | 0x20) <= 'z');
}

size_t chat_text_word_end(struct str s, size_t at)
{
	while (at < s.len && !is_word(s, at))
		at = chat_text_next(s, at);
	while (at < s.len && is_word(s, at))
		at = chat_text_next(s, at);
	return at;
}

size_t chat_text_word_begin(struct str s, size_t at)
{
	while (at && !is_word(s, chat_text_prev(s, at)))
		at = chat_text_prev(s, at);
	while (at && is_word(s, chat_text_prev(s, at)))
		at = chat_text_prev(s, at);
	return at;
}

/* ---- rows ---- */

size_t chat_text_row(struct str s, size_t columns, size_t *ret_used)
{
	size_t width = 0, at = 0, after_blank = 0;
	bool has_word = false; /* blanks at the beginning do not become a row of their own */

	while (at < s.len && s.ptr[at] != '\n') {
		size_t next = at;

		width += step(s, &next);
		if (width > columns) {
			size_t end = after_blank ? after_blank : at ? at : next;

			*ret_used = end;
			return end;
		}
		if (s.ptr[at] != ' ')
			has_word = has_word || s.ptr[at] != '\033';
		else if (has_word)
			after_blank = next;
		at = next;
	}
	*ret_used = at + (at < s.len);
	return at;
}

void chat_text_clean(struct buf *out, struct str s)
{
	while (s.len) {
		utf8proc_int32_t code;
		size_t len = read_code(s, 0, &code);
		bool is_crlf = code == '\r' && s.len > 1 && s.ptr[1] == '\n';

		if (code == '\r' && !is_crlf)
			buf_add_char(out, '\n');
		else if (code == 0xfffd)
			buf_add_c(out, "\xef\xbf\xbd");
		else if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
			; /* it would show the rest of the row in another order */
		else if (code == '\n' || code == '\t' ||
		         (code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0)))
			buf_add_str(out, str_head(s, len));
		s = str_skip(s, len);
	}
}
