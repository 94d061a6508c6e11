/* Nothing is hidden in text that a user decides about. */
#include "base/os/reveal.h"
#include "lib/t.h"

static struct str shown(struct arena *mem, const char *text)
{
	return reveal(mem, str_from(text), false);
}

TEST(ordinary_text_is_shown_as_it_is)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(shown(mem, "git commit -m 'größer: 日本語 ✓'"),
	          "git commit -m 'größer: 日本語 ✓'");
	CHECK_STR(reveal(mem, STR("a\n\tb\n\n\nc"), true), "a\n\tb\n\n\nc");
	CHECK_STR(shown(mem, ""), "");
}

/* Each of them would be a blank, or nothing at all, on a screen. */
TEST(what_looks_like_a_blank_is_named)
{
	static const struct {
		const char *text, *name;
	} hidden[] = {
		{ "\u00a0", "<U+00A0>" },      { "\u115f", "<U+115F>" },
		{ "\u1160", "<U+1160>" },      { "\u3164", "<U+3164>" },
		{ "\uffa0", "<U+FFA0>" },      { "\u2800", "<U+2800>" },
		{ "\u3000", "<U+3000>" },      { "\u2003", "<U+2003>" },
		{ "\u200b", "<U+200B>" },      { "\u200d", "<U+200D>" },
		{ "\u202e", "<U+202E>" },      { "\u2066", "<U+2066>" },
		{ "\ufe0f", "<U+FE0F>" },      { "\u180b", "<U+180B>" },
		{ "\u17b4", "<U+17B4>" },      { "\u034f", "<U+034F>" },
		{ "\u00ad", "<U+00AD>" },      { "\ufeff", "<U+FEFF>" },
		{ "\U000e0100", "<U+E0100>" }, { "\U000e0041", "<U+E0041>" },
		{ "\U0001d159", "<U+1D159>" }, { "\U0001d173", "<U+1D173>" },
		{ "\x1b", "<U+001B>" },        { "\r", "<U+000D>" },
		{ "\x7f", "<U+007F>" },        { "\n", "<U+000A>" },
		{ "\xff", "\xef\xbf\xbd" },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(hidden); i++) {
		struct str line = shown(mem, arena_printf(mem, "rm%sx", hidden[i].text).ptr);

		CHECK(str_eq(line, arena_printf(mem, "rm%sx", hidden[i].name)));
	}
}

TEST(a_run_of_blanks_does_not_push_the_rest_off_the_screen)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_add_c(&text, "rm -rf ~");
	for (int i = 0; i < 3000; i++)
		buf_add_c(&text, i % 2 ? " " : "\t");
	buf_add_c(&text, "# tidy");
	CHECK_STR(reveal(mem, buf_str(&text), false), "rm -rf ~ <3000 blanks> # tidy");
	buf_clear(&text);
	buf_add_c(&text, "rm -rf ~\n");
	for (int i = 0; i < 500; i++)
		buf_add_c(&text, "  \n");
	buf_add_c(&text, "ls");
	CHECK_STR(reveal(mem, buf_str(&text), true), "rm -rf ~\n<500 empty lines>\nls");
}

TEST_MAIN()
