#include "app/chat/commands/chat_shell_text.h"
#include "lib/t.h"

/* The same text results from pieces of every size. */
static bool gives(const char *bytes, const char *text)
{
	struct str all = str_from(bytes);
	bool is_same = true;

	for (size_t size = 1; size <= all.len; size++) {
		struct chat_shell_text t = { .max = 1000 };

		for (size_t at = 0; at < all.len; at += size)
			chat_shell_text_add(&t,
			                    str_head(str_skip(all, at), MIN(size, all.len - at)));
		is_same = is_same && str_eq(buf_str(&t.text), str_from(text));
		chat_shell_text_done(&t);
	}
	return is_same;
}

TEST(colours_titles_and_motions_are_left_out)
{
	CHECK(gives("\033[1;32mgood\033[0m\r\nnext\r\n", "good\nnext\n"));
	CHECK(gives("\033]0;a title\aone\033]8;;http://x\033\\two", "onetwo"));
	CHECK(gives("\033(Bab\0337\033[2Kc", "abc"));
}

TEST(a_line_that_is_written_again_is_kept_as_it_was_last)
{
	CHECK(gives("before\r\n10 %\r50 %\r100 %\r\n", "before\n100 %\n"));
	CHECK(gives("ab\b\303\266\bx", "ax"));
	CHECK(gives("\b\b\nx\b\b", "\n"));
}

TEST(the_alternate_screen_is_left_out)
{
	struct chat_shell_text t = { .max = 100 };

	CHECK(gives("a\033[?1049h\033[H~\r\n~ editor\033[?1049lb\r\n", "ab\n"));
	chat_shell_text_add(&t, STR("\033[?1049hkilled"));
	CHECK(t.is_alternate && !t.text.len);
	chat_shell_text_done(&t);
}

TEST(only_the_beginning_is_kept)
{
	struct chat_shell_text t = { .max = 4 };

	chat_shell_text_add(&t, STR("abcd"));
	CHECK(!t.is_cut);
	chat_shell_text_add(&t, STR("e\rf\bg"));
	CHECK(t.is_cut);
	CHECK_STR(buf_str(&t.text), "abcd");
	chat_shell_text_done(&t);
}

TEST_MAIN()
