#include "base/str.h"

#include "lib/t.h"

TEST(absent_and_empty_are_different)
{
	CHECK(!str_is(STR_NONE) && str_is(STR("")));
	CHECK(str_eq(STR_NONE, STR_NONE));
	CHECK(str_eq(STR(""), STR("")));
	CHECK(!str_eq(STR_NONE, STR("")));
	CHECK(!str_eq(STR(""), STR_NONE));
	CHECK(!str_is(str_from(NULL)));
	CHECK_STR(str_from("ab"), "ab");
}

TEST(equality_looks_at_every_byte)
{
	CHECK(str_eq(STR("a\0b"), STR("a\0b")));
	CHECK(!str_eq(STR("a\0b"), STR("a\0c")));
	CHECK(!str_eq(STR("ab"), STR("abc")));
}

TEST(order_is_bytewise_then_by_length)
{
	CHECK(str_cmp(STR("a"), STR("b")) < 0);
	CHECK(str_cmp(STR("b"), STR("a")) > 0);
	CHECK(str_cmp(STR("a"), STR("ab")) < 0);
	CHECK(str_cmp(STR("ab"), STR("a")) > 0);
	CHECK(str_cmp(STR("a"), STR("a")) == 0);
	CHECK(str_cmp(STR("\xff"), STR("a")) > 0);
	CHECK(str_cmp(STR_NONE, STR("")) < 0);
	CHECK(str_cmp(STR(""), STR_NONE) > 0);
	CHECK(str_cmp(STR_NONE, STR_NONE) == 0);
}

TEST(beginnings_and_ends)
{
	CHECK(str_starts(STR("turn_1"), STR("turn")));
	CHECK(str_starts(STR("turn"), STR("turn")));
	CHECK(str_starts(STR("turn"), STR("")));
	CHECK(str_starts(STR_NONE, STR("")));
	CHECK(!str_starts(STR("tur"), STR("turn")));
	CHECK(!str_starts(STR_NONE, STR("t")));
	CHECK(str_ends(STR("a.json"), STR(".json")));
	CHECK(str_ends(STR("a"), STR("")));
	CHECK(str_ends(STR_NONE, STR("")));
	CHECK(!str_ends(STR("json"), STR(".json")));
	CHECK(!str_ends(STR("a.jsox"), STR(".json")));
}

TEST(skipping_and_heads_stop_at_the_end)
{
	CHECK_STR(str_skip(STR("abc"), 1), "bc");
	CHECK_STR(str_skip(STR("abc"), 3), "");
	CHECK_STR(str_skip(STR("abc"), SIZE_MAX), "");
	CHECK(!str_is(str_skip(STR_NONE, 1)));
	CHECK_STR(str_head(STR("abc"), 0), "");
	CHECK_STR(str_head(STR("abc"), 2), "ab");
	CHECK_STR(str_head(STR("abc"), 9), "abc");
	CHECK(!str_is(str_head(STR_NONE, 1)));
}

TEST(trimming_takes_white_space_from_both_ends_only)
{
	CHECK_STR(str_trim(STR(" \t\r\n\v\fa b \n")), "a b");
	CHECK_STR(str_trim(STR("a")), "a");
	CHECK_STR(str_trim(STR("   ")), "");
	CHECK_STR(str_trim(STR("")), "");
	CHECK(!str_is(str_trim(STR_NONE)));
}

TEST(finding_tells_the_first_place)
{
	CHECK_INT(str_find(STR("abcabc"), STR("bc")), 1);
	CHECK_INT(str_find(STR("abcabc"), STR("abcabcd")), -1);
	CHECK_INT(str_find(STR("abc"), STR("")), 0);
	CHECK_INT(str_find(STR_NONE, STR("a")), -1);
	CHECK_INT(str_find(STR("a\0b"), STR("\0b")), 1);
	CHECK_INT(str_find_char(STR("abc"), 'c'), 2);
	CHECK_INT(str_find_char(STR("abc"), 'x'), -1);
	CHECK_INT(str_find_char(STR_NONE, 'x'), -1);
}

TEST(cutting_walks_through_all_parts)
{
	struct str s = STR("a,,b,");

	CHECK_STR(str_cut(&s, ','), "a");
	CHECK_STR(str_cut(&s, ','), "");
	CHECK_STR(str_cut(&s, ','), "b");
	CHECK_STR(s, "");
	CHECK_STR(str_cut(&s, ','), "");
	CHECK(!str_is(s));
	CHECK(!str_is(str_cut(&s, ',')));
}

static bool u64(struct str s, uint64_t want)
{
	uint64_t got = 77;

	return str_to_u64(s, &got) && got == want;
}

static bool no_u64(struct str s)
{
	uint64_t got = 77;

	return !str_to_u64(s, &got) && got == 77;
}

TEST(unsigned_numbers_must_be_whole_and_fit)
{
	CHECK(u64(STR("0"), 0));
	CHECK(u64(STR("007"), 7));
	CHECK(u64(STR("18446744073709551615"), UINT64_MAX));
	CHECK(no_u64(STR("18446744073709551616")));
	CHECK(no_u64(STR("99999999999999999999")));
	CHECK(no_u64(STR("")));
	CHECK(no_u64(STR_NONE));
	CHECK(no_u64(STR("-1")));
	CHECK(no_u64(STR("+1")));
	CHECK(no_u64(STR("1 ")));
	CHECK(no_u64(STR("0x1")));
	CHECK(no_u64(STR("1\0")));
}

static bool i64(struct str s, int64_t want)
{
	int64_t got = 77;

	return str_to_i64(s, &got) && got == want;
}

static bool no_i64(struct str s)
{
	int64_t got = 77;

	return !str_to_i64(s, &got) && got == 77;
}

TEST(signed_numbers_reach_both_borders)
{
	CHECK(i64(STR("9223372036854775807"), INT64_MAX));
	CHECK(i64(STR("-9223372036854775808"), INT64_MIN));
	CHECK(i64(STR("-0"), 0));
	CHECK(i64(STR("-5"), -5));
	CHECK(no_i64(STR("9223372036854775808")));
	CHECK(no_i64(STR("-9223372036854775809")));
	CHECK(no_i64(STR("-")));
	CHECK(no_i64(STR("--1")));
	CHECK(no_i64(STR("")));
}

TEST(the_distance_counts_edits_and_swaps)
{
	CHECK(str_distance(STR("show"), STR("show")) == 0);
	CHECK(str_distance(STR("shwo"), STR("show")) == 1);
	CHECK(str_distance(STR("tool.failed"), STR("tool.fail")) == 2);
	CHECK(str_distance(STR_NONE, STR("abc")) == 3);
	CHECK(str_distance(STR("kitten"), STR("sitting")) == 3);
}

TEST(hashes_follow_the_bytes)
{
	char copy[] = "session";

	CHECK(str_hash(STR("session")) == str_hash(str_of(copy, 7)));
	CHECK(str_hash(STR("session")) != str_hash(STR("sessioN")));
	CHECK(str_hash(STR("a")) != str_hash(STR("a\0")));
	CHECK(str_hash(STR_NONE) == str_hash(STR("")));
}

TEST_MAIN()
