/* What an export keeps in memory: its bound, and what happens beyond it. */
#include "engine/evidence/evidence_keep.h"

#include "lib/t.h"

#define PIECE (1u << 20)

static struct str piece_of(struct arena *mem, char c)
{
	char *bytes = arena_alloc_raw(mem, PIECE);

	memset(bytes, c, PIECE);
	return str_of(bytes, PIECE);
}

TEST(a_file_that_fits_is_handed_over_up_to_its_size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct evidence_keep k = { .mem = mem };
	struct kept_file f = { 0 };
	struct buf out = { 0 };

	evidence_keep_add(&k, &f, STR("counted"));
	evidence_keep_add(&k, &f, STR(" and behind the mark"));
	CHECK(!evidence_keep_take(&k, &f, 100, &out));
	CHECK(!out.ptr);
	CHECK(evidence_keep_take(&k, &f, 7, &out));
	CHECK(str_eq(buf_str(&out), STR("counted")));
	CHECK_INT(k.bytes, 0);
	CHECK(!evidence_keep_take(&k, &f, 0, &out)); /* once */
	buf_done(&out);
}

TEST(a_file_that_does_not_fit_leaves_nothing)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct evidence_keep k = { .mem = mem };
	struct kept_file large = { 0 }, small = { 0 };
	struct buf out = { 0 };

	evidence_keep_add(&k, &small, STR("small"));
	for (int i = 0; i < 5; i++)
		evidence_keep_add(&k, &large, piece_of(mem, 'x'));
	CHECK(large.is_dropped);
	CHECK(!large.text.ptr);
	CHECK_INT(k.bytes, 5);
	CHECK(!evidence_keep_take(&k, &large, 0, &out));
	evidence_keep_drop(&k, &small);
	CHECK_INT(k.bytes, 0);
}

TEST(thousands_of_texts_are_found_and_the_last_ones_are_not_kept)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct evidence_keep k = { .mem = mem };
	const struct kept_text *found;

	struct str text = str_head(piece_of(mem, 'a'), 1024);

	for (int i = 0; i < 5000; i++)
		evidence_keep_text(&k, arena_printf(mem, "out_%d", i), text);
	for (int i = 0; i < 5000; i++) {
		found = evidence_keep_find(&k, arena_printf(mem, "out_%d", i));
		CHECK(found);
		CHECK(str_is(found->text) == (i < 4096));
	}
	CHECK(!evidence_keep_find(&k, STR("out_5000")));
	CHECK_INT(k.bytes, KEEP_BYTES);
	map_done(&k.texts);
}

TEST_MAIN()
