#include "base/os/id.h"

#include "base/map.h"
#include "lib/t.h"

static const uint8_t entropy[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

TEST(an_id_has_prefix_time_and_entropy)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct id_source src;

	id_source_init(&src, 1794733200000, entropy);

	struct str id = id_make(mem, &src, "turn");

	CHECK_INT(id.len, 5 + 26);
	CHECK(id.ptr[id.len] == '\0' && id_is_valid(id));
	CHECK(id_has_prefix(id, "turn"));
	CHECK_STR(str_head(id, 15), "turn_01m7f6ymm0"); /* as in the golden traces */
}

TEST(the_same_source_makes_the_same_ids_on_any_machine)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct id_source a, b;

	id_source_init(&a, 1000, entropy);
	b = a;
	for (int i = 0; i < 10; i++)
		CHECK_SAME(id_make(mem, &a, "x"), id_make(mem, &b, "x"));

	/* A change here changes what replaying a decision makes. */
	id_source_init(&a, 1000, entropy);
	CHECK_STR(id_make(mem, &a, "x"), "x_00000000z8dvk7hcr2t21z0g6k");
	CHECK_STR(id_make_hex(mem, &a, 16), "05344288f6fd6c0b");
}

TEST(no_two_ids_of_a_source_are_equal)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(map_done) struct map seen = { 0 };
	struct id_source src;

	id_source_init(&src, 1000, (const uint8_t[16]){ 0 });
	for (int i = 0; i < 20000; i++)
		CHECK(!map_put(&seen, id_make(mem, &src, "a"), mem));
}

TEST(every_byte_of_entropy_counts)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct id_source src;

	id_source_init(&src, 1000, entropy);

	struct str base = id_make(mem, &src, "a");

	for (size_t i = 0; i < 16; i++) {
		uint8_t other[16];

		memcpy(other, entropy, 16);
		other[i] ^= 0x80;
		id_source_init(&src, 1000, other);
		CHECK(!str_eq(id_make(mem, &src, "a"), base));
	}
}

TEST(all_digits_vary)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct id_source src;
	bool seen[26]['z' + 1] = { 0 };

	id_source_init(&src, 1000, entropy);
	for (int i = 0; i < 2000; i++) {
		struct str id = id_make(mem, &src, "a");

		for (size_t at = 0; at < 26; at++)
			seen[at][(unsigned char)id.ptr[2 + at]] = true;
	}
	for (size_t at = 10; at < 26; at++) {
		int kinds = 0;

		for (int c = 0; c <= 'z'; c++)
			kinds += seen[at][c];
		CHECK_INT(kinds, 32);
	}
}

TEST(ids_sort_by_time)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	static const int64_t times[] = {
		-5, 1, 31, 32, 1000, 1794733200000, 1794733200001, ((int64_t)1 << 48) - 1
	};
	struct id_source src;
	struct str before = STR("a_0000000000");

	for (size_t i = 0; i < COUNT_OF(times); i++) {
		id_source_init(&src, times[i], entropy);

		struct str id = id_make(mem, &src, "a");

		CHECK(str_cmp(before, id) < 0);
		before = id;
	}
	CHECK_STR(str_head(before, 12), "a_7zzzzzzzzz");
}

TEST(hex_ids_have_the_asked_length)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct id_source src;

	id_source_init(&src, 1000, (const uint8_t[16]){ 0 });
	for (int i = 0; i < 1000; i++) {
		struct str trace = id_make_hex(mem, &src, 32), span = id_make_hex(mem, &src, 16);

		CHECK(trace.len == 32 && span.len == 16);
		CHECK(strspn(trace.ptr, "0123456789abcdef") == 32);
		CHECK(strspn(span.ptr, "0") < 16 && strspn(trace.ptr, "0") < 32);
	}
}

TEST(a_valid_id_is_short_and_plain)
{
	char longest[ID_MAX + 1];

	memset(longest, 'a', sizeof longest);
	CHECK(id_is_valid(STR("a")) && id_is_valid(STR("0")) && id_is_valid(STR("A_b.c:d-9")));
	CHECK(id_is_valid(str_of(longest, ID_MAX)));
	CHECK(!id_is_valid(str_of(longest, ID_MAX + 1)));
	CHECK(!id_is_valid(STR("")) && !id_is_valid(STR_NONE));
	CHECK(!id_is_valid(STR("_a")) && !id_is_valid(STR("-a")) && !id_is_valid(STR(".")));
	CHECK(!id_is_valid(STR("a b")) && !id_is_valid(STR("a/b")) && !id_is_valid(STR("a\0")));
	CHECK(!id_is_valid(STR("é")) && !id_is_valid(STR("a\n")));
}

TEST(a_prefix_ends_at_its_underscore)
{
	CHECK(id_has_prefix(STR("turn_1"), "turn"));
	CHECK(!id_has_prefix(STR("turn_"), "turn"));
	CHECK(!id_has_prefix(STR("turns_1"), "turn"));
	CHECK(!id_has_prefix(STR("turn"), "turn"));
	CHECK(!id_has_prefix(STR("tur_1"), "turn"));
	CHECK(!id_has_prefix(STR_NONE, "turn"));
}

TEST_MAIN()
