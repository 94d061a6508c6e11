/*
 * Reads pasted paths as a shell would split them, and the size of an image from
 * its first bytes.  Nothing here trusts the image: every offset is checked.
 */
#include "app/chat/images/chat_image.h"

#include "base/buf.h"

#include <ctype.h>

/* ---- names ---- */

bool chat_image_is_name(struct str path)
{
	static const char *const ends[] = { ".png", ".jpg", ".jpeg", ".gif", ".webp" };

	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		size_t len = strlen(ends[i]), at = 0;

		if (path.len <= len)
			continue;
		while (at < len &&
		       tolower((unsigned char)path.ptr[path.len - len + at]) == ends[i][at])
			at++;
		if (at == len)
			return true;
	}
	return false;
}

static int hex_of(char ch)
{
	return ch >= '0' && ch <= '9'                     ? ch - '0'
	       : (ch | 0x20) >= 'a' && (ch | 0x20) <= 'f' ? (ch | 0x20) - 'a' + 10
	                                                  : -1;
}

/* file:///a%20b and file://host/a: the path. */
static struct str path_of_address(struct arena *mem, struct str s)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	ptrdiff_t slash;

	if (!str_starts(s, STR("file://")))
		return s;
	s = str_skip(s, 7);
	slash = str_find_char(s, '/');
	if (slash < 0)
		return STR("");
	for (size_t i = (size_t)slash; i < s.len; i++) {
		int high = s.ptr[i] == '%' && i + 2 < s.len ? hex_of(s.ptr[i + 1]) : -1;
		int low = high >= 0 ? hex_of(s.ptr[i + 2]) : -1;

		buf_add_char(&out, low >= 0 ? (char)(high * 16 + low) : s.ptr[i]);
		i += low >= 0 ? 2 : 0;
	}
	return arena_keep(mem, buf_str(&out));
}

/* One word of the shell: quotes and backslashes are removed.  Returns the bytes read. */
static size_t read_word(struct str s, struct buf *out)
{
	char quote = 0;
	size_t at = 0;

	for (; at < s.len; at++) {
		char ch = s.ptr[at];

		if (quote ? ch == quote : ch == '\'' || ch == '"')
			quote = quote ? 0 : ch;
		else if (ch == '\\' && quote != '\'' && at + 1 < s.len)
			buf_add_char(out, s.ptr[++at]);
		else if (!quote && isspace((unsigned char)ch))
			break;
		else
			buf_add_char(out, ch);
	}
	return at;
}

static size_t split_words(struct arena *mem, struct str s, struct str ret[CHAT_IMAGE_PATHS])
{
	size_t count = 0;

	while (s.len) {
		CLEANUP(buf_done) struct buf word = { 0 };
		size_t used = read_word(s, &word);
		struct str path = path_of_address(mem, arena_keep(mem, buf_str(&word)));

		if (count == CHAT_IMAGE_PATHS || !chat_image_is_name(path))
			return 0;
		ret[count++] = path;
		s = str_trim(str_skip(s, used));
	}
	return count;
}

size_t chat_image_paths(struct arena *mem, struct str pasted, struct str ret[CHAT_IMAGE_PATHS])
{
	size_t count;

	pasted = str_trim(pasted);
	count = split_words(mem, pasted, ret);
	/* A path with blanks that a file manager copied has no quotes. */
	if (!count && chat_image_is_name(pasted) && str_find_char(pasted, '\n') < 0 &&
	    (str_starts(pasted, STR("/")) || str_starts(pasted, STR("~/")))) {
		ret[0] = arena_keep(mem, pasted);
		return 1;
	}
	return count;
}

/* ---- sizes ---- */

static unsigned byte_at(struct str s, size_t at)
{
	return at < s.len ? (unsigned char)s.ptr[at] : 0;
}

static unsigned big(struct str s, size_t at, unsigned bytes)
{
	unsigned n = 0;

	while (bytes--)
		n = n << 8 | byte_at(s, at++);
	return n;
}

static unsigned little(struct str s, size_t at, unsigned bytes)
{
	unsigned n = 0;

	while (bytes--)
		n = n << 8 | byte_at(s, at + bytes);
	return n;
}

/* Segments up to the one that begins a frame. */
static bool jpeg_size(struct str s, unsigned *ret_width, unsigned *ret_height)
{
	size_t at = 2;

	while (at + 9 < s.len && byte_at(s, at) == 0xff) {
		unsigned kind = byte_at(s, at + 1);
		bool is_frame = kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 &&
		                kind != 0xcc;

		if (is_frame) {
			*ret_height = big(s, at + 5, 2);
			*ret_width = big(s, at + 7, 2);
			return true;
		}
		at += kind == 0xff ? 1 : 2 + (size_t)MAX(big(s, at + 2, 2), 2u);
	}
	return false;
}

static bool webp_size(struct str s, unsigned *ret_width, unsigned *ret_height)
{
	struct str kind = str_head(str_skip(s, 12), 4);

	if (s.len < 30)
		return false;
	if (str_eq(kind, STR("VP8X"))) {
		*ret_width = little(s, 24, 3) + 1;
		*ret_height = little(s, 27, 3) + 1;
	} else if (str_eq(kind, STR("VP8L"))) {
		*ret_width = (little(s, 21, 4) & 0x3fff) + 1;
		*ret_height = (little(s, 21, 4) >> 14 & 0x3fff) + 1;
	} else {
		*ret_width = little(s, 26, 2) & 0x3fff;
		*ret_height = little(s, 28, 2) & 0x3fff;
	}
	return true;
}

bool chat_image_size(struct str data, unsigned *ret_width, unsigned *ret_height)
{
	if (str_starts(data, STR("\x89PNG")) && data.len >= 24) {
		*ret_width = big(data, 16, 4);
		*ret_height = big(data, 20, 4);
		return true;
	}
	if (str_starts(data, STR("GIF8")) && data.len >= 10) {
		*ret_width = little(data, 6, 2);
		*ret_height = little(data, 8, 2);
		return true;
	}
	if (str_starts(data, STR("\xff\xd8\xff")))
		return jpeg_size(data, ret_width, ret_height);
	if (str_starts(data, STR("RIFF")))
		return webp_size(data, ret_width, ret_height);
	return false;
}
