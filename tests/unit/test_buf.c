#include "base/buf.h"

#include "lib/t.h"

TEST(an_unused_buffer_is_empty_and_can_be_dropped)
{
	struct buf b = { 0 };

	CHECK_STR(buf_str(&b), "");
	buf_drop(&b, 5);
	buf_clear(&b);
	buf_add(&b, NULL, 0);
	buf_add_str(&b, STR_NONE);
	CHECK(!b.overflowed);
	buf_done(&b);
}

TEST(pieces_are_joined)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_add(&b, "ab", 2);
	buf_add_str(&b, STR("c\0d"));
	buf_add_c(&b, "ef");
	buf_add_char(&b, 'g');
	buf_printf(&b, "%03d", 7);
	CHECK_STR(buf_str(&b), "abc\0defg007");
}

TEST(growth_keeps_the_content)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	for (int i = 0; i < 100000; i++)
		buf_add_char(&b, (char)('a' + i % 26));
	CHECK_INT(b.len, 100000);
	for (int i = 0; i < 100000; i++)
		CHECK(b.ptr[i] == 'a' + i % 26);
}

TEST(what_does_not_fit_whole_is_dropped)
{
	CLEANUP(buf_done) struct buf b = { .max = 5 };

	buf_add_c(&b, "abc");
	CHECK(!b.overflowed);
	buf_add_c(&b, "def");
	CHECK(b.overflowed);
	CHECK_STR(buf_str(&b), "abc");
	buf_add_c(&b, "de");
	CHECK_STR(buf_str(&b), "abcde");
	CHECK(b.overflowed && b.cap <= 5);
	buf_clear(&b);
	CHECK(!b.overflowed && b.len == 0);
}

TEST(the_maximum_itself_fits)
{
	for (size_t max = 1; max < 700; max++) {
		CLEANUP(buf_done) struct buf b = { .max = max };

		buf_printf(&b, "%*d", (int)max, 1);
		CHECK(!b.overflowed && b.len == max);
		buf_add_char(&b, 'x');
		CHECK(b.overflowed && b.len == max);
	}
}

TEST(reserved_room_counts_only_when_used)
{
	CLEANUP(buf_done) struct buf b = { .max = 1000 };
	char *at = buf_reserve(&b, 1000);

	CHECK(at && b.len == 0 && b.cap >= 1000);
	memset(at, 'x', 3);
	b.len += 3;
	CHECK_STR(buf_str(&b), "xxx");
	CHECK(!buf_reserve(&b, 998) && b.overflowed);
	CHECK(buf_reserve(&b, 997));
	CHECK(buf_reserve(&b, 0));
}

TEST(a_length_that_wraps_is_an_overflow)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_add_char(&b, 'a');
	CHECK(!buf_reserve(&b, SIZE_MAX));
	CHECK(b.overflowed);
}

TEST(dropping_moves_the_rest_to_the_front)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_add_c(&b, "abcdef");
	buf_drop(&b, 0);
	CHECK_STR(buf_str(&b), "abcdef");
	buf_drop(&b, 2);
	CHECK_STR(buf_str(&b), "cdef");
	buf_drop(&b, 99);
	CHECK_STR(buf_str(&b), "");
}

TEST(taking_hands_the_bytes_over_with_a_nul)
{
	struct buf b = { .max = 3 };
	size_t len;

	buf_add_c(&b, "abc");
	buf_add_c(&b, "d");

	char *p = buf_take(&b, &len);

	CHECK(len == 3 && strcmp(p, "abc") == 0);
	free(p);
	CHECK(b.len == 0 && b.ptr == NULL && b.max == 3 && b.overflowed);

	p = buf_take(&b, NULL);
	CHECK(p[0] == '\0');
	free(p);
}

TEST(a_long_printf_is_whole)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	for (int width = 250; width < 260; width++) {
		buf_clear(&b);
		buf_printf(&b, "%*d", width, 7);
		CHECK_INT(b.len, width);
		CHECK(b.ptr[width - 1] == '7');
	}
}

TEST(a_finished_buffer_may_be_used_again)
{
	struct buf b = { .max = 10 };

	buf_add_c(&b, "abc");
	buf_done(&b);
	buf_add_c(&b, "de");
	CHECK_STR(buf_str(&b), "de");
	CHECK_INT(b.max, 10);
	buf_done(&b);
}

TEST_MAIN()
