#include "text/command_text.h"

#include "lib/t.h"

#define CHECK_EXPANDS(body, args, wanted)                                                          \
	do {                                                                                       \
		struct arena *mem_ = arena_new();                                                  \
		CHECK_STR(command_text_expand(mem_, STR(body), STR(args)), wanted);                \
		arena_free(mem_);                                                                  \
	} while (0)

TEST(arguments_replace_their_placeholders)
{
	CHECK_EXPANDS("Fix $ARGUMENTS now", "the bug", "Fix the bug now");
	CHECK_EXPANDS("$1 before $2, not $3.", "a b", "a before b, not .");
	CHECK_EXPANDS("[$1] [$2]", "\"two words\" 'and more'", "[two words] [and more]");
	CHECK_EXPANDS("[$1] [$2]", "it's fine", "[it's] [fine]");
	CHECK_EXPANDS("$9", "1 2 3 4 5 6 7 8 9 10", "9");
	CHECK_EXPANDS("$10 and $0 and $x and $", "a", "$10 and $0 and $x and $\n\na");
}

TEST(arguments_are_not_expanded_again)
{
	CHECK_EXPANDS("$1|$2", "$2 b", "$2|b");
	CHECK_EXPANDS("$ARGUMENTS", "$1", "$1");
}

TEST(a_text_without_placeholders_gets_the_arguments_at_its_end)
{
	CHECK_EXPANDS("Review it.\n", "src/a.c", "Review it.\n\nsrc/a.c");
	CHECK_EXPANDS("Review it.\n", "  ", "Review it.");
	CHECK_EXPANDS("Review $1.\n", "", "Review .");
	CHECK_EXPANDS("", "x", "x");
}

TEST_MAIN()
