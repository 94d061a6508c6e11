/*
 * Validation, cutting and display width of UTF-8.  Text is never cut inside a
 * character.
 */
#include "base/utf8.h"

#define ONES 0x0101010101010101u

static unsigned byte_at(struct str s, size_t i)
{
	return (unsigned char)s.ptr[i];
}

/* The length of the character that starts with this byte; 0: none does. */
static size_t promised(unsigned lead)
{
	if (lead < 0x80)
		return 1;
	if (lead < 0xc2) /* continuation, or an overlong form */
		return 0;
	if (lead < 0xe0)
		return 2;
	if (lead < 0xf0)
		return 3;
	return lead < 0xf5 ? 4 : 0;
}

/* Overlong forms, surrogates and codes past U+10FFFF show in the second byte. */
static bool second_fits(unsigned lead, unsigned second)
{
	unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
	unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;

	return second >= low && second <= high;
}

static bool is_continuation(unsigned byte)
{
	return (byte & 0xc0) == 0x80;
}

/* Do the bytes of s, however few, begin one character that promises `len`? */
static bool begins(struct str s, size_t len)
{
	if (s.len > 1 && !second_fits(byte_at(s, 0), byte_at(s, 1)))
		return false;
	for (size_t i = 2; i < MIN(s.len, len); i++)
		if (!is_continuation(byte_at(s, i)))
			return false;
	return true;
}

size_t utf8_read(struct str s, uint32_t *ret_code)
{
	size_t len = s.len ? promised(byte_at(s, 0)) : 0;

	if (!len || len > s.len || (len > 1 && !begins(s, len)))
		return 0;
	if (ret_code) {
		uint32_t code = byte_at(s, 0) & (len == 1 ? 0x7fu : 0xffu >> (len + 1));

		for (size_t i = 1; i < len; i++)
			code = code << 6 | (byte_at(s, i) & 0x3f);
		*ret_code = code;
	}
	return len;
}

/* Bytes of plain ASCII at the beginning, counted in words. */
static size_t ascii_words(struct str s)
{
	size_t i = 0;

	for (; s.len - i >= 8; i += 8) {
		uint64_t word;

		memcpy(&word, s.ptr + i, 8);
		if (word & ONES << 7)
			break;
	}
	return i;
}

/* Eight bytes at a time while the text is ASCII, which most of it is. */
bool utf8_is_valid(struct str s)
{
	while (s.len) {
		size_t len = byte_at(s, 0) < 0x80 ? ascii_words(s) : 0;

		if (!len)
			len = utf8_read(s, NULL);
		if (!len)
			return false;
		s = str_skip(s, len);
	}
	return true;
}

/* Is `at` inside a character?  Returns its length and how far inside. */
static bool splits(struct str s, size_t at, size_t *ret_back, size_t *ret_len)
{
	for (size_t back = 1; back <= MIN(at, 3); back++) {
		struct str from = str_skip(s, at - back);
		size_t len = utf8_read(from, NULL);

		if (len > back) {
			*ret_back = back;
			*ret_len = len;
			return true;
		}
		if (!is_continuation(byte_at(from, 0)))
			return false;
	}
	return false;
}

struct str utf8_head(struct str s, size_t max)
{
	size_t back, len;

	if (s.len <= max)
		return s;
	return str_head(s, splits(s, max, &back, &len) ? max - back : max);
}

struct str utf8_tail(struct str s, size_t max)
{
	size_t back, len;

	if (s.len <= max)
		return s;

	size_t at = s.len - max;

	return str_skip(s, splits(s, at, &back, &len) ? at - back + len : at);
}

/* Bytes that can never become a character are not kept: a stream would wait for them for ever. */
size_t utf8_unfinished(struct str s)
{
	for (size_t back = 1; back <= MIN(s.len, 3); back++) {
		struct str from = str_skip(s, s.len - back);
		size_t len = promised(byte_at(from, 0));

		if (len > back)
			return begins(from, len) ? back : 0;
		if (len || !is_continuation(byte_at(from, 0)))
			return 0;
	}
	return 0;
}

/* Characters that are invisible or that reorder text. */
static bool is_hidden(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x7f, 0x9f },       /* DEL, C1 controls */
		{ 0xad, 0xad },       /* soft hyphen */
		{ 0x61c, 0x61c },     /* arabic letter mark */
		{ 0x180e, 0x180e },   /* mongolian vowel separator */
		{ 0x200b, 0x200f },   /* zero-width, direction marks */
		{ 0x2028, 0x202e },   /* line separators, embeddings, overrides */
		{ 0x2060, 0x206f },   /* invisible operators, isolates */
		{ 0xfeff, 0xfeff },   /* byte order mark */
		{ 0xfff9, 0xfffb },   /* interlinear annotation */
		{ 0xe0000, 0xe0fff }, /* tags, variation selectors 17 and up */
	};

	for (size_t i = 0; i < COUNT_OF(ranges) && code >= ranges[i].first; i++)
		if (code <= ranges[i].last)
			return true;
	return false;
}

/* ---- joiners ---- */

bool utf8_is_joiner(uint32_t code)
{
	return code == 0x200c || code == 0x200d;
}

/* Pictures that emoji are put together from, their variation selector and skin tones. */
static bool is_picture(uint32_t code)
{
	return (code >= 0x1f000 && code <= 0x1faff) || (code >= 0x2600 && code <= 0x27bf) ||
	       (code >= 0x2b00 && code <= 0x2bff) || (code >= 0x2190 && code <= 0x21ff) ||
	       code == 0xfe0f;
}

/* Scripts in which a joiner chooses the form of the letters beside it. */
static bool is_joined_letter(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x620, 0x8ff },                       /* Arabic, Syriac, Thaana, N'Ko, Mandaic */
		{ 0x900, 0xdff },                       /* scripts of India and Sri Lanka */
		{ 0xf00, 0x109f },                      /* Tibetan, Myanmar */
		{ 0x1780, 0x17ff },                     /* Khmer */
		{ 0x1800, 0x1808 },                     /* Mongolian, without its separators */
		{ 0x1810, 0x18af }, { 0xfb50, 0xfdff }, /* Arabic presentation forms */
		{ 0xfe70, 0xfefc },
	};

	for (size_t i = 0; i < COUNT_OF(ranges) && code >= ranges[i].first; i++)
		if (code <= ranges[i].last)
			return true;
	return false;
}

/* Anywhere else a joiner is invisible and may tell two equal-looking words apart. */
static bool has_joined(uint32_t before, uint32_t joiner, uint32_t after)
{
	if (!utf8_is_joiner(joiner))
		return false;
	return (is_joined_letter(before) && is_joined_letter(after)) ||
	       (joiner == 0x200d && is_picture(before) && is_picture(after) && after != 0xfe0f);
}

static uint32_t last_code(struct str s)
{
	uint32_t code = 0;
	size_t at = s.len;

	while (at && is_continuation(byte_at(s, at - 1)))
		at--;
	return at && utf8_read(str_skip(s, at - 1), &code) ? code : 0;
}

static uint32_t next_code(struct str s)
{
	uint32_t code = 0;

	return s.len && utf8_read(s, &code) ? code : 0;
}

/*
 * For a terminal: an escape sequence in a file name or a message must not move the cursor,
 * set a title or hide text.  The character before s is the last of out, because a text may come in
 * pieces.
 */
void utf8_add_safe(struct buf *out, struct str s, bool keep_newlines)
{
	while (s.len) {
		uint32_t code;
		size_t len = utf8_read(s, &code);

		if (!len) {
			buf_add_c(out, "\xef\xbf\xbd");
			len = 1;
		} else if (keep_newlines && (code == '\n' || code == '\t')) {
			buf_add_char(out, (char)code);
		} else if (code < 0x20 || code == 0x7f) {
			buf_add(out, (char[]){ '^', (char)(code ^ 0x40) }, 2);
		} else if (is_hidden(code) && !has_joined(last_code(buf_str(out)), code,
		                                          next_code(str_skip(s, len)))) {
			buf_printf(out, "<U+%04X>", (unsigned)code);
		} else {
			buf_add(out, s.ptr, len);
		}
		s = str_skip(s, len);
	}
}

/* First and last of each range, in order. */
static const uint32_t wide[][2] = {
	{ 0x1100, 0x115f },   { 0x231a, 0x231b },   { 0x23e9, 0x23ec },   { 0x2614, 0x2615 },
	{ 0x26a1, 0x26a1 },   { 0x2705, 0x2705 },   { 0x2728, 0x2728 },   { 0x274c, 0x274c },
	{ 0x2753, 0x2755 },   { 0x2757, 0x2757 },   { 0x2b50, 0x2b50 },   { 0x2e80, 0x303e },
	{ 0x3041, 0x33ff },   { 0x3400, 0x4dbf },   { 0x4e00, 0xa4cf },   { 0xa960, 0xa97f },
	{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
	{ 0x1fa70, 0x1faff }, { 0x20000, 0x3fffd },
};
/* Marks that are drawn over the character before them. */
static const uint32_t joining[][2] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x0900, 0x0902 }, { 0x093c, 0x093c }, { 0x0941, 0x0948 },
	{ 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff },
	{ 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
};

static bool is_in(uint32_t code, const uint32_t (*ranges)[2], size_t count)
{
	for (size_t i = 0; i < count && ranges[i][0] <= code; i++)
		if (code <= ranges[i][1])
			return true;
	return false;
}

/* An approximation for the alignment of tables; terminals differ for emoji. */
static size_t columns_of(uint32_t code)
{
	return code < 0x300                              ? 1
	       : is_in(code, joining, COUNT_OF(joining)) ? 0
	       : is_in(code, wide, COUNT_OF(wide))       ? 2
	                                                 : 1;
}

struct str utf8_head_columns(struct str s, size_t columns)
{
	size_t at = 0;

	while (at < s.len) {
		uint32_t code = 0;
		size_t len = utf8_read(str_skip(s, at), &code);
		size_t width = columns_of(code);

		if (width > columns)
			break;
		columns -= width;
		at += len ? len : 1;
	}
	return str_head(s, at);
}

size_t utf8_width(struct str s)
{
	size_t width = 0;

	while (s.len) {
		uint32_t code = 0;
		size_t len = utf8_read(s, &code);

		width += columns_of(code);
		s = str_skip(s, len ? len : 1);
	}
	return width;
}

/* The dots count against the limit: events have a bound in bytes. */
struct str utf8_preview(struct arena *mem, struct str s, size_t max)
{
	static const char dots[] = "…";
	const size_t dots_len = sizeof dots - 1;

	if (s.len <= max)
		return arena_keep(mem, s);
	if (max < dots_len)
		return arena_keep(mem, utf8_head(s, max));

	struct str head = utf8_head(s, max - dots_len);
	char *p = arena_alloc_raw(mem, head.len + sizeof dots);

	memcpy(p, head.ptr, head.len);
	memcpy(p + head.len, dots, sizeof dots);
	return str_of(p, head.len + dots_len);
}

struct str utf8_preview_safe(struct arena *mem, struct str s, size_t max)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	utf8_add_safe(&out, str_head(s, MIN(s.len, 2 * max)), true);
	return utf8_preview(mem, buf_str(&out), max);
}
