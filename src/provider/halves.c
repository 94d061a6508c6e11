/* Halves of surrogate pairs: see halves.h. */
#include "provider/halves.h"

#include "base/utf8.h"

#define HALF_FIRST 0xd800u
#define HALF_LOW 0xdc00u
#define HALF_END 0xe000u
#define MARK_FIRST 0x10f800u /* up to the last code there is */
#define MARK_LEN 4

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

/* The code of an escape \uXXXX at the beginning; 0: there is none. */
static unsigned escape_at(struct str s)
{
	unsigned code = 0;

	if (s.len < 6 || s.ptr[0] != '\\' || s.ptr[1] != 'u')
		return 0;
	for (size_t i = 2; i < 6; i++) {
		int d = hex_digit(s.ptr[i]);

		if (d < 0)
			return 0;
		code = code * 16 + (unsigned)d;
	}
	return code;
}

static bool is_high(unsigned code)
{
	return code >= HALF_FIRST && code < HALF_LOW;
}

static bool is_low(unsigned code)
{
	return code >= HALF_LOW && code < HALF_END;
}

static void add_char(struct buf *b, unsigned code)
{
	char bytes[4] = { (char)(0xf0 | code >> 18), (char)(0x80 | (code >> 12 & 0x3f)),
		          (char)(0x80 | (code >> 6 & 0x3f)), (char)(0x80 | (code & 0x3f)) };

	buf_add(b, bytes, sizeof bytes);
}

/*
 * A pair is kept as it is.  A lone half becomes a mark of four bytes; the text of the
 * document does not change otherwise, so it parses as before.
 */
struct str halves_mark(struct arena *mem, struct str json)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	bool found = false;

	for (size_t i = 0; i < json.len;) {
		struct str rest = str_skip(json, i);
		unsigned code = escape_at(rest), next = code ? escape_at(str_skip(rest, 6)) : 0;

		if (is_high(code) && is_low(next)) {
			buf_add_str(&out, str_head(rest, 12));
			i += 12;
		} else if (is_high(code) || is_low(code)) {
			add_char(&out, MARK_FIRST + code - HALF_FIRST);
			found = true;
			i += 6;
		} else {
			/* An escaped backslash does not begin an escape. */
			size_t len = rest.ptr[0] == '\\' && rest.len > 1 ? 2 : 1;

			buf_add_str(&out, str_head(rest, len));
			i += len;
		}
	}
	return found ? arena_keep(mem, buf_str(&out)) : STR_NONE;
}

/*
 * The half that a mark at the beginning stands for; 0: there is none.  Real text could
 * contain characters of that private-use plane; a response that never had a half
 * (has_halves) is not searched for them.
 */
static unsigned mark_at(struct str s)
{
	uint32_t code;

	if (s.len < MARK_LEN || (unsigned char)s.ptr[0] != 0xf4 ||
	    utf8_read(s, &code) != MARK_LEN || code < MARK_FIRST)
		return 0;
	return HALF_FIRST + code - MARK_FIRST;
}

bool halves_are_in(struct str text)
{
	for (size_t i = 0; i + MARK_LEN <= text.len; i++)
		if (mark_at(str_skip(text, i)))
			return true;
	return false;
}

size_t halves_open(struct str text)
{
	return text.len >= MARK_LEN && is_high(mark_at(str_skip(text, text.len - MARK_LEN)))
	               ? MARK_LEN
	               : 0;
}

/* Two marks that meet are one character.  A mark that stays alone becomes U+FFFD. */
void halves_join(struct buf *b)
{
	struct buf out = { .max = b->max };

	if (!halves_are_in(buf_str(b)))
		return;
	for (size_t i = 0; i < b->len;) {
		struct str rest = str_skip(buf_str(b), i);
		unsigned half = mark_at(rest), next = half ? mark_at(str_skip(rest, MARK_LEN)) : 0;

		if (is_high(half) && is_low(next)) {
			add_char(&out, 0x10000 + ((half - HALF_FIRST) << 10) + (next - HALF_LOW));
			i += 2 * MARK_LEN;
		} else if (half) {
			buf_add_c(&out, "\xef\xbf\xbd");
			i += MARK_LEN;
		} else {
			buf_add_char(&out, rest.ptr[0]);
			i++;
		}
	}
	buf_done(b);
	*b = out;
}
