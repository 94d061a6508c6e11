#include "app/cli/print/markdown.h"

#include "base/arena.h"
#include "lib/t.h"

#include <stdlib.h>

/* What comes out for a text that comes in pieces of `step` bytes. */
static struct str shown(struct arena *mem, const char *text, size_t columns, bool color,
                        size_t step)
{
	struct buf out = { 0 };
	struct markdown m;
	struct str rest = str_from(text), kept;

	markdown_init(&m, &out, columns, color);
	while (rest.len) {
		markdown_add(&m, str_head(rest, MIN(step, rest.len)));
		rest = str_skip(rest, MIN(step, rest.len));
	}
	markdown_end(&m);
	markdown_done(&m);
	kept = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return kept;
}

/* However the text is cut, the same must come out. */
static void check(const char *text, size_t columns, bool color, struct str want)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t step = 1; step <= strlen(text); step++)
		CHECK_SAME(shown(mem, text, columns, color, step), want);
}

#define PLAIN(text, columns, want) check(text, columns, false, STR(want))
#define COLOR(text, columns, want) check(text, columns, true, STR(want))

TEST(words_are_wrapped_to_the_width)
{
	PLAIN("one two three four", 9, "one two\nthree\nfour\n");
	PLAIN("one two three four", 0, "one two three four\n");
	PLAIN("exactly nine", 12, "exactly nine\n");
	PLAIN("averyveryverylongword and", 10, "averyveryverylongword and\n");
	PLAIN("中文 中文 中文", 9, "中文 中文\n中文\n");
	PLAIN("a\n\nb\n", 20, "a\n\nb\n");
	PLAIN("two  blanks stay", 40, "two  blanks stay\n");
	PLAIN("crlf\r\nlines\r\n", 40, "crlf\nlines\n");
}

TEST(spans_have_styles)
{
	COLOR("a **bold** b", 40, "a \033[1mbold\033[0m b\n");
	COLOR("a `code` b", 40, "a \033[36mcode\033[0m b\n");
	COLOR("an *em* and __bold__", 40, "an \033[3mem\033[0m and \033[1mbold\033[0m\n");
	COLOR("**bold `code` bold**", 40,
	      "\033[1mbold \033[0m\033[1m\033[36mcode\033[0m\033[1m bold\033[0m\n");
	COLOR("`` a`b ``", 40, " \033[36ma`b\033[0m\n");
	COLOR("\\*not\\* this", 40, "*not* this\n");
	COLOR("**wrapped bold words**", 12, "\033[1mwrapped bold\nwords\033[0m\n");
}

TEST(without_colour_the_marks_stay)
{
	PLAIN("# Head\n**bold** and `code`\n", 40, "# Head\n**bold** and `code`\n");
}

TEST(marks_that_are_none_are_text)
{
	COLOR("2*3*4 and a_b_c", 40, "2*3*4 and a_b_c\n");
	COLOR("**/*.c matches", 40, "**/*.c matches\n");
	COLOR("an `open tick", 40, "an `open tick\n");
	COLOR("a * b * c", 40, "a * b * c\n");
	COLOR("#no heading", 40, "#no heading\n");
	COLOR("ends with a star *", 40, "ends with a star *\n");
	COLOR("ends with a slash \\", 40, "ends with a slash \\\n");
	COLOR("1.5 is a number", 40, "1.5 is a number\n");
	COLOR("-5 degrees", 40, "-5 degrees\n");
}

TEST(an_open_mark_does_not_hold_a_text_for_ever)
{
	struct buf out = { 0 };
	struct markdown m;

	markdown_init(&m, &out, 0, true);
	markdown_add(&m, STR("**never closed "));
	CHECK_INT(out.len, 0);
	for (int i = 0; i < 100; i++)
		markdown_add(&m, STR("word word "));
	CHECK_HAS(buf_str(&out), "**never closed word");
	markdown_end(&m);
	markdown_done(&m);
	buf_done(&out);
}

TEST(a_word_is_shown_as_soon_as_it_is_whole)
{
	struct buf out = { 0 };
	struct markdown m;

	markdown_init(&m, &out, 40, true);
	markdown_add(&m, STR("- one tw"));
	CHECK_STR(buf_str(&out), "\033[2m•\033[0m one");
	markdown_add(&m, STR("o "));
	CHECK_STR(buf_str(&out), "\033[2m•\033[0m one two");
	markdown_end(&m);
	markdown_done(&m);
	buf_done(&out);
}

TEST(lists_hang)
{
	PLAIN("- one two three\n  - four\n", 10, "• one two\n  three\n  • four\n");
	PLAIN("12. one two three\n", 12, "12. one two\n    three\n");
	PLAIN("* a\n+ b\n1) c\n", 40, "• a\n• b\n1) c\n");
	PLAIN("> quoted words go by\n", 14, "> quoted words\n  go by\n");
	COLOR("> said", 40, "\033[2m│\033[0m said\n");
}

TEST(headings_and_rules)
{
	COLOR("## A `b` c\ntext", 40,
	      "\033[1mA \033[0m\033[1m\033[36mb\033[0m\033[1m c\033[0m\ntext\n");
	PLAIN("---\n", 4, "────\n");
	PLAIN("* * *\n", 3, "───\n");
	PLAIN("--\n", 40, "--\n");
}

TEST(code_is_left_alone)
{
	COLOR("```c\nint *a; **b**\n  `x`\n```\nafter *em*", 8,
	      "\033[2m```c\033[0m\n\033[36mint *a; **b**\033[0m\n\033[36m  "
	      "`x`\033[0m\n\033[2m```\033[0m\nafter \033[3mem\033[0m\n");
	PLAIN("~~~\n```\n~~~\n", 40, "~~~\n```\n~~~\n");
	PLAIN("```\nunfinished", 40, "```\nunfinished\n");
	PLAIN("````\n```\n````\ntext", 40, "````\n```\n````\ntext\n");
	PLAIN("```a`b``` inline\n", 40, "```a`b``` inline\n");
}

TEST(tables_are_lined_up)
{
	PLAIN("| a | long |\n|---|:-:|\n| xyz | 1 |\n| q |\nafter", 40,
	      "| a   | long |\n|-----|------|\n| xyz |  1   |\n| q   |      |\nafter\n");
	COLOR("| a | n |\n|---|--:|\n| **b** | 10 |\n| `x\\|y` | 中文 |\n\n", 40,
	      "\033[1ma\033[0m    \033[2m│\033[0m    \033[1mn\033[0m\n"
	      "\033[2m─────┼─────\033[0m\n"
	      "\033[1mb\033[0m    \033[2m│\033[0m   10\n"
	      "\033[36mx\\|y\033[0m \033[2m│\033[0m 中文\n\n");
	PLAIN("  | a |\n  |---|\n  | b |", 40, "| a |\n|---|\n| b |\n");
	PLAIN("| a |\r\n|---|\r\n| b |\r\n", 40, "| a |\n|---|\n| b |\n");
	PLAIN("text\n| a |\n|---|\n| `b|c` |\n- item", 40,
	      "text\n| a     |\n|-------|\n| `b|c` |\n• item\n");
}

TEST(cells_of_a_table_that_is_too_wide_have_several_rows)
{
	PLAIN("| name | what it does |\n|---|---|\n| a | reads the whole file |\n| b | writes |\n",
	      24,
	      "| name | what it does  |\n|------|---------------|\n| a    | reads the     |\n"
	      "|      | whole file    |\n| b    | writes        |\n");
	PLAIN("| a | b |\n|---|---|\n| x | abcdefghijklmnop |\n", 18,
	      "| a | b          |\n|---|------------|\n| x | abcdefghij |\n|   | klmnop     |\n");
	COLOR("| a | b |\n|---|---|\n| x | **one two** three |\n\n", 12,
	      "\033[1ma\033[0m \033[2m│\033[0m \033[1mb\033[0m       \n\033[2m──┼─────────\033[0m\n"
	      "x \033[2m│\033[0m \033[1mone two\033[0m \n  \033[2m│\033[0m three   \n\n");
}

TEST(indented_code_is_shown_as_it_is)
{
	COLOR("text\n\n    a **b** `c`\n\n      d\nend **x**\n", 40,
	      "text\n\n\033[36m    a **b** `c`\033[0m\n\n\033[36m      d\033[0m\nend "
	      "\033[1mx\033[0m\n");
	COLOR("text\n    still **text**\n", 40, "text\n    still \033[1mtext\033[0m\n");
	COLOR("- item\n\n    of **it**\n", 40, "\033[2m•\033[0m item\n\n    of \033[1mit\033[0m\n");
}

TEST(joiners_stay_inside_words_and_emoji)
{
	PLAIN("👩\u200d💻 می\u200cخواهم\n", 40, "👩\u200d💻 می\u200cخواهم\n");
	PLAIN("a\u200db \u200cx\n", 40, "a<U+200D>b <U+200C>x\n");
	PLAIN("end\u200d", 40, "end<U+200D>\n");
}

TEST(what_is_no_table_or_does_not_fit_stays_as_it_came)
{
	PLAIN("| a | b |\n|---|---|\n", 5, "| a | b |\n|---|---|\n");
	PLAIN("| a | b |\n|---|\n| c | d |\n", 40, "| a | b |\n|---|\n| c | d |\n");
	PLAIN("| only a head |\n", 40, "| only a head |\n");
	PLAIN("| not | ended", 40, "| not | ended\n");
	PLAIN("| a |\n|---|\n| b | c |\n", 40, "| a |\n|---|\n| b | c |\n");
	PLAIN("```\n| a |\n|---|\n| bcd |\n```\n", 40, "```\n| a |\n|---|\n| bcd |\n```\n");
	PLAIN("| a\033[31m |\n|---|\n| b |\n", 40, "| a^[[31m |\n|---------|\n| b       |\n");
}

TEST(a_table_that_is_interrupted_is_shown_so_far)
{
	struct buf out = { 0 };
	struct markdown m;

	markdown_init(&m, &out, 40, false);
	markdown_add(&m, STR("| a |\n|---|\n| bc |\n"));
	CHECK(out.len == 0);
	markdown_pause(&m);
	CHECK_STR(buf_str(&out), "| a  |\n|----|\n| bc |\n");
	markdown_end(&m);
	markdown_done(&m);
	buf_done(&out);
}

TEST(control_characters_are_made_visible)
{
	PLAIN("a\033[31mred\a", 40, "a^[[31mred^G\n");
	PLAIN("```\n\033]0;title\a\n```\n", 40, "```\n^[]0;title^G\n```\n");
	COLOR("`\033[2J`", 40, "\033[36m^[[2J\033[0m\n");
	PLAIN("a\rb\n", 40, "a^Mb\n");
	PLAIN("bad \xff byte", 40, "bad \xef\xbf\xbd byte\n");
}

/* Random texts of what is special, with and without end: nothing is lost without colour. */
TEST(every_visible_character_of_a_plain_text_comes_out)
{
	static const char letters[] = "ab *_`#->1.~\\\n";
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	srand(7);
	for (int round = 0; round < 3000; round++) {
		char text[64];
		size_t len = (size_t)rand() % (sizeof text - 1), seen = 0;
		struct str whole;

		for (size_t i = 0; i < len; i++)
			text[i] = letters[(size_t)rand() % (sizeof letters - 1)];
		text[len] = 0;
		whole = shown(mem, text, 20, false, 1);
		CHECK_SAME(shown(mem, text, 20, false, 7), whole);
		CHECK_SAME(shown(mem, text, 20, true, 3), shown(mem, text, 20, true, 64));
		for (size_t i = 0; i < len; i++)
			seen += text[i] == 'a' || text[i] == 'b';
		for (size_t i = 0; i < whole.len; i++)
			seen -= whole.ptr[i] == 'a' || whole.ptr[i] == 'b';
		CHECK_INT(seen, 0);
	}
}

TEST_MAIN()
