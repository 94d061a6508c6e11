#include "base/utf8.h"

#include "lib/t.h"

static size_t encode(uint32_t code, char *p)
{
	if (code < 0x80) {
		p[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		p[0] = (char)(0xc0 | code >> 6);
		p[1] = (char)(0x80 | (code & 63));
		return 2;
	}
	if (code < 0x10000) {
		p[0] = (char)(0xe0 | code >> 12);
		p[1] = (char)(0x80 | (code >> 6 & 63));
		p[2] = (char)(0x80 | (code & 63));
		return 3;
	}
	p[0] = (char)(0xf0 | code >> 18);
	p[1] = (char)(0x80 | (code >> 12 & 63));
	p[2] = (char)(0x80 | (code >> 6 & 63));
	p[3] = (char)(0x80 | (code & 63));
	return 4;
}

TEST(every_code_point_is_read_and_surrogates_are_not)
{
	for (uint32_t code = 0; code < 0x110800; code++) {
		bool is_good = code < 0x110000 && (code < 0xd800 || code > 0xdfff);
		char p[4];
		size_t len = encode(code, p);
		uint32_t got = 77;

		CHECK(utf8_read(str_of(p, len), &got) == (is_good ? len : 0));
		CHECK(got == (is_good ? code : 77));
		CHECK(utf8_is_valid(str_of(p, len)) == is_good);
		for (size_t cut = 1; cut < len && is_good; cut++) {
			CHECK(utf8_read(str_of(p, cut), NULL) == 0);
			CHECK(utf8_unfinished(str_of(p, cut)) == cut);
		}
		CHECK(utf8_unfinished(str_of(p, len)) == 0);
	}
}

/* The table of the Unicode standard (3-7), written down again as ranges. */
static size_t by_the_table(const unsigned char *p, size_t len)
{
	static const unsigned char rows[][9] = {
		/* length, then the first and last of each byte */
		{ 1, 0x00, 0x7f, 0, 0, 0, 0, 0, 0 },
		{ 2, 0xc2, 0xdf, 0x80, 0xbf, 0, 0, 0, 0 },
		{ 3, 0xe0, 0xe0, 0xa0, 0xbf, 0x80, 0xbf, 0, 0 },
		{ 3, 0xe1, 0xec, 0x80, 0xbf, 0x80, 0xbf, 0, 0 },
		{ 3, 0xed, 0xed, 0x80, 0x9f, 0x80, 0xbf, 0, 0 },
		{ 3, 0xee, 0xef, 0x80, 0xbf, 0x80, 0xbf, 0, 0 },
		{ 4, 0xf0, 0xf0, 0x90, 0xbf, 0x80, 0xbf, 0x80, 0xbf },
		{ 4, 0xf1, 0xf3, 0x80, 0xbf, 0x80, 0xbf, 0x80, 0xbf },
		{ 4, 0xf4, 0xf4, 0x80, 0x8f, 0x80, 0xbf, 0x80, 0xbf },
	};

	for (size_t r = 0; r < COUNT_OF(rows); r++) {
		const unsigned char *row = rows[r];
		bool fits = row[0] <= len;

		for (size_t i = 0; fits && i < row[0]; i++)
			fits = p[i] >= row[1 + 2 * i] && p[i] <= row[2 + 2 * i];
		if (fits)
			return row[0];
	}
	return 0;
}

TEST(every_beginning_agrees_with_the_standards_table)
{
	static const unsigned char thirds[] = { 0x00, 0x7f, 0x80, 0xa5, 0xbf, 0xc0, 0xff };

	for (int a = 0; a < 256; a++)
		for (int b = 0; b < 256; b++)
			for (size_t c = 0; c < COUNT_OF(thirds); c++)
				for (size_t d = 0; d < COUNT_OF(thirds); d++) {
					unsigned char p[4] = { (unsigned char)a, (unsigned char)b,
						               thirds[c], thirds[d] };

					for (size_t len = 1; len <= 4; len++)
						CHECK(utf8_read(str_of((char *)p, len), NULL) ==
						      by_the_table(p, len));
				}
}

TEST(validity_is_checked_at_every_place)
{
	char text[40];

	CHECK(utf8_is_valid(STR("")) && utf8_is_valid(STR_NONE));
	for (size_t at = 0; at < sizeof text; at++) {
		memset(text, 'a', sizeof text);
		CHECK(utf8_is_valid(str_of(text, sizeof text)));
		text[at] = '\x80';
		CHECK(!utf8_is_valid(str_of(text, sizeof text)));
		text[at] = '\0';
		CHECK(utf8_is_valid(str_of(text, sizeof text)));
		if (at + 1 < sizeof text) {
			memcpy(text + at, "é", 2);
			CHECK(utf8_is_valid(str_of(text, sizeof text)));
		}
	}
}

#define MIXED "aé€😀z"

TEST(heads_and_tails_never_split_a_character)
{
	static const size_t heads[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11 };
	static const size_t tails[] = { 0, 1, 1, 1, 1, 5, 5, 5, 8, 8, 10, 11 };
	struct str s = STR(MIXED);

	for (size_t max = 0; max <= s.len; max++) {
		CHECK_SAME(utf8_head(s, max), str_head(s, heads[max]));
		CHECK_SAME(utf8_tail(s, max), str_skip(s, s.len - tails[max]));
	}
	CHECK_SAME(utf8_head(s, 99), s);
	CHECK_SAME(utf8_tail(s, 99), s);
	CHECK(!str_is(utf8_head(STR_NONE, 1)) && !str_is(utf8_tail(STR_NONE, 1)));
}

TEST(bytes_that_are_no_text_are_cut_where_asked)
{
	struct str s = STR("\x80\x80\x80\x80\x80\x80\x80\x80");

	for (size_t max = 0; max <= s.len; max++) {
		CHECK_INT(utf8_head(s, max).len, max);
		CHECK_INT(utf8_tail(s, max).len, max);
	}
	CHECK_INT(utf8_head(STR("\xe2\x28\xa1"), 1).len, 1);
}

TEST(a_stream_keeps_the_unfinished_end)
{
	struct str s = STR(MIXED);

	for (size_t cut = 0; cut <= s.len; cut++) {
		struct str head = str_head(s, cut);
		size_t open = utf8_unfinished(head);

		CHECK(utf8_is_valid(str_head(head, cut - open)));
		CHECK(utf8_is_valid(str_skip(s, cut - open)));
		CHECK(utf8_head(s, cut).len == cut - open);
	}
	CHECK_INT(utf8_unfinished(STR("")), 0);
	CHECK_INT(utf8_unfinished(STR_NONE), 0);
	CHECK_INT(utf8_unfinished(STR("a\xff")), 0);
	CHECK_INT(utf8_unfinished(STR("a\x80\x80\x80\x80")), 0);
	/* what cannot become a character any more is not waited for */
	CHECK_INT(utf8_unfinished(STR("\xe0\x80")), 0);
	CHECK_INT(utf8_unfinished(STR("\xed\xa0")), 0);
	CHECK_INT(utf8_unfinished(STR("\xf4\x90")), 0);
	CHECK_INT(utf8_unfinished(STR("\xf0\x90\x80")), 3);
}

static struct buf out;

static struct str safe(struct str s, bool keep_newlines)
{
	buf_clear(&out);
	utf8_add_safe(&out, s, keep_newlines);
	return buf_str(&out);
}

TEST(joiners_are_shown_where_they_are_invisible_for_no_reason)
{
	CHECK_STR(safe(STR("👩\u200d💻 🏳\ufe0f\u200d🌈"), false),
	          "👩\u200d💻 🏳\ufe0f\u200d🌈");
	CHECK_STR(safe(STR("می\u200cخواهم"), false), "می\u200cخواهم");
	CHECK_STR(safe(STR("क्\u200dष"), false), "क्\u200dष");
	CHECK_STR(safe(STR("a\u200db"), false), "a<U+200D>b");
	CHECK_STR(safe(STR("💻\u200c💻 می\u200c"), false), "💻<U+200C>💻 می<U+200C>");
	CHECK_STR(safe(STR("\u200d💻\u200dx"), false), "<U+200D>💻<U+200D>x");
}

TEST(what_a_terminal_would_obey_is_made_visible)
{
	CHECK_STR(safe(STR("plain é😀"), false), "plain é😀");
	CHECK_STR(safe(STR("\x1b[31m\a\0\r\x7f"), false), "^[[31m^G^@^M^?");
	CHECK_STR(safe(STR("a\n\tb"), true), "a\n\tb");
	CHECK_STR(safe(STR("a\n\tb"), false), "a^J^Ib");
	CHECK_STR(safe(STR("\xc2\x9b"
	                   "31m"),
	               true),
	          "<U+009B>31m");
	CHECK_STR(safe(STR("\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbf"), true),
	          "<U+202E><U+200B><U+FEFF>");
	CHECK_STR(safe(STR("\xe2\x81\xa6\xf3\xa0\x81\x81"), true), "<U+2066><U+E0041>");
	CHECK_STR(safe(STR("\xff\xc3"), true), "\xef\xbf\xbd\xef\xbf\xbd");
	CHECK_STR(safe(STR_NONE, true), "");
}

TEST(nothing_unsafe_comes_through)
{
	for (uint32_t code = 0; code < 0xa0; code++) {
		char p[4];
		struct str got = safe(str_of(p, encode(code, p)), false);

		CHECK(utf8_is_valid(got) && got.len > 0);
		for (size_t i = 0; i < got.len; i++)
			CHECK(got.ptr[i] >= 0x20 && got.ptr[i] != 0x7f);
	}
	buf_done(&out);
}

TEST(a_preview_fits_and_shows_that_it_was_cut)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(utf8_preview(mem, STR("abcdef"), 6), "abcdef");
	CHECK_STR(utf8_preview(mem, STR("abcdef"), 5), "ab…");
	CHECK_STR(utf8_preview(mem, STR("abcdef"), 3), "…");
	CHECK_STR(utf8_preview(mem, STR("abcdef"), 2), "ab");
	CHECK_STR(utf8_preview(mem, STR("abcdef"), 0), "");
	CHECK_STR(utf8_preview(mem, STR("aéééé"), 6), "aé…");
	CHECK_STR(utf8_preview(mem, STR("aéééé"), 7), "aé…");
	CHECK_STR(utf8_preview(mem, STR(""), 0), "");
	CHECK(!str_is(utf8_preview(mem, STR_NONE, 5)));
	CHECK_STR(utf8_preview_safe(mem, STR("a\n\x1b[2Kb"), 20), "a\n^[[2Kb");
	CHECK_STR(utf8_preview_safe(mem, STR("abcdefghijklmnop"), 6), "abc…");
	for (size_t max = 0; max < 20; max++) {
		struct str p = utf8_preview(mem, STR("😀😀😀😀"), max);

		CHECK(p.len <= max && utf8_is_valid(p) && p.ptr[p.len] == '\0');
	}
}

TEST(columns_are_those_of_a_terminal)
{
	CHECK_INT(utf8_width(STR("thole")), 5);
	CHECK_INT(utf8_width(STR("päd")), 3);
	CHECK_INT(utf8_width(STR("中文")), 4);
	CHECK_INT(utf8_width(STR("e\xcc\x81")), 1); /* an accent that joins */
	CHECK_INT(utf8_width(STR("\xf0\x9f\x9a\xa3")), 2);
	CHECK_INT(utf8_width(STR("a\xff\x62")), 3);
	CHECK_STR(utf8_head_columns(STR("中文字"), 5), "中文");
	CHECK_STR(utf8_head_columns(STR("e\xcc\x81z"), 1), "e\xcc\x81");
	CHECK_STR(utf8_head_columns(STR("ab"), 9), "ab");
	CHECK_STR(utf8_head_columns(STR("ab"), 0), "");
}

TEST_MAIN()
