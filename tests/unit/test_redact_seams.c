#include "text/redact_seams.h"

#include "lib/t.h"

#define SECRET "correct-horse-battery"

static struct scrub *scrub_new(void)
{
	struct scrub *s = redact_new();

	redact_know(s, STR(SECRET));
	return s;
}

/* All pieces as they are shown, with every mark as one character. */
static struct str shown(struct scrub *scrub, struct arena *mem, const struct str *pieces,
                        size_t count, struct scrub_stream *counts)
{
	struct redact_seams *s = redact_seams_new(scrub);
	struct buf out = { 0 };
	struct str all;

	for (size_t i = 0; i < count; i++)
		redact_seams_add(s, STR("text"), i + 1, pieces[i]);
	redact_seams_end(s);
	for (size_t i = 0; i < count; i++) {
		struct str rest = redact_seams_clean(s, mem, i + 1, pieces[i], counts);
		ptrdiff_t at;

		for (; (at = str_find(rest, STR(SCRUB_MARK))) >= 0;
		     rest = str_skip(rest, (size_t)at + strlen(SCRUB_MARK))) {
			buf_add_str(&out, str_head(rest, (size_t)at));
			buf_add_char(&out, '#');
		}
		buf_add_str(&out, rest);
	}
	all = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	redact_seams_free(s);
	return all;
}

TEST(a_secret_in_three_pieces_is_found_wherever_it_is_divided)
{
	struct str text = STR("say " SECRET " to all");
	size_t from = 4, to = 4 + strlen(SECRET);
	struct scrub *scrub = scrub_new();
	struct arena *mem = arena_new();

	for (size_t a = from + 1; a < to; a++)
		for (size_t b = a; b < to; b++) {
			struct str pieces[] = { str_head(text, a), str_of(text.ptr + a, b - a),
				                str_skip(text, b) };
			struct scrub_stream counts = { 0 };

			CHECK_SAME(shown(scrub, mem, pieces, 3, &counts),
			           a == b ? STR("say ## to all") : STR("say ### to all"));
			CHECK_INT(counts.total, 1);
		}
	arena_free(mem);
	redact_free(scrub);
}

TEST(pieces_of_one_byte_hide_a_secret_and_keep_what_only_begins_like_one)
{
	struct str text = STR("correct-horse-bat " SECRET "!"), pieces[64];
	struct scrub *scrub = scrub_new();
	struct arena *mem = arena_new();
	struct scrub_stream counts = { 0 };

	for (size_t i = 0; i < text.len; i++)
		pieces[i] = str_of(text.ptr + i, 1);
	CHECK_SAME(shown(scrub, mem, pieces, text.len, &counts),
	           STR("correct-horse-bat #####################!"));
	arena_free(mem);
	redact_free(scrub);
}

TEST(a_secret_that_one_piece_holds_is_left_to_the_redactor_of_that_piece)
{
	struct str pieces[] = { STR("a " SECRET), STR(" b") };
	struct scrub *scrub = scrub_new();
	struct arena *mem = arena_new();
	struct scrub_stream counts = { 0 };

	CHECK_SAME(shown(scrub, mem, pieces, 2, &counts), STR("a " SECRET " b"));
	arena_free(mem);
	redact_free(scrub);
}

TEST(the_rest_of_a_token_whose_beginning_is_one_already_is_removed_too)
{
	struct str pieces[] = { STR("sk-0123456789abcdefghijklmn"), STR("-rest. And") };
	struct scrub *scrub = scrub_new();
	struct arena *mem = arena_new();
	struct scrub_stream counts = { 0 };

	CHECK_SAME(shown(scrub, mem, pieces, 2, &counts), STR("##. And"));
	arena_free(mem);
	redact_free(scrub);
}

TEST(texts_that_alternate_are_not_mixed)
{
	struct scrub *scrub = scrub_new();
	struct redact_seams *s = redact_seams_new(scrub);
	struct arena *mem = arena_new();
	struct scrub_stream counts = { 0 };

	static const struct str pieces[] = { STR("correct-"), STR("horse-"), STR("horse-"),
		                             STR("battery"), STR("battery.") };

	for (size_t i = 0; i < COUNT_OF(pieces); i++)
		redact_seams_add(s, i % 2 ? STR("b") : STR("a"), i + 1, pieces[i]);
	redact_seams_end(s);
	for (size_t i = 0; i < COUNT_OF(pieces); i++)
		CHECK_SAME(redact_seams_clean(s, mem, i + 1, pieces[i], &counts),
		           i % 2    ? pieces[i]
		           : i == 4 ? STR("[redacted].")
		                    : STR("[redacted]"));
	CHECK_INT(counts.total, 1);
	redact_seams_free(s);
	arena_free(mem);
	redact_free(scrub);
}

/* Two parts per secret. */
TEST(pieces_behind_more_parts_than_are_kept_are_replaced_whole)
{
	struct scrub *scrub = scrub_new();
	struct redact_seams *s = redact_seams_new(scrub);
	struct arena *mem = arena_new();
	struct scrub_stream counts = { 0 };
	uint64_t count = SEAMS_PARTS_MAX + 2;

	for (uint64_t i = 1; i <= count; i += 2) {
		redact_seams_add(s, STR("a"), i, STR(" correct-horse"));
		redact_seams_add(s, STR("a"), i + 1, STR("-battery "));
	}
	redact_seams_end(s);
	CHECK_SAME(redact_seams_clean(s, mem, count - 2, STR("-battery "), &counts),
	           STR("[redacted] "));
	CHECK_SAME(redact_seams_clean(s, mem, count - 1, STR(" correct-horse"), &counts),
	           STR("[redacted]"));
	CHECK_SAME(redact_seams_clean(s, mem, count + 9, STR("word"), &counts), STR("[redacted]"));
	redact_seams_free(s);
	arena_free(mem);
	redact_free(scrub);
}

TEST_MAIN()
