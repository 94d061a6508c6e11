#include "app/chat/input/chat_edit.h"
#include "app/chat/input/chat_text.h"

#include "app/chat/images/chat_image.h"
#include "lib/t.h"

/* Types a text in which ^X is Ctrl-X, ~X is Alt-X, and <Name> a named key. */
static void type(struct chat_edit *e, const char *keys)
{
	static const struct {
		const char *name;
		uint32_t code;
	} names[] = {
		{ "<Left>", CHAT_KEY_LEFT },    { "<Right>", CHAT_KEY_RIGHT },
		{ "<Up>", CHAT_KEY_UP },        { "<Down>", CHAT_KEY_DOWN },
		{ "<Home>", CHAT_KEY_HOME },    { "<End>", CHAT_KEY_END },
		{ "<Bs>", CHAT_KEY_BACKSPACE }, { "<Del>", CHAT_KEY_DELETE },
		{ "<Esc>", CHAT_KEY_ESCAPE },   { "<Enter>", CHAT_KEY_ENTER },
	};
	struct str rest = str_from(keys);

	while (rest.len) {
		struct chat_key k = { 0 };
		size_t used = 0;

		for (size_t i = 0; i < COUNT_OF(names); i++)
			if (str_starts(rest, str_from(names[i].name))) {
				k.code = names[i].code;
				used = strlen(names[i].name);
			}
		if (!used && (rest.ptr[0] == '^' || rest.ptr[0] == '~')) {
			k.mods = rest.ptr[0] == '^' ? CHAT_CTRL : CHAT_ALT;
			k.code = (unsigned char)rest.ptr[1];
			used = 2;
		} else if (!used) {
			used = chat_text_next(rest, 0);
			k.code = (unsigned char)rest.ptr[0] < 0x80 ? (uint32_t)rest.ptr[0] : 0xe9;
			k.text = str_head(rest, used);
		}
		chat_edit_key(e, &k);
		rest = str_skip(rest, used);
	}
}

/* The text with | at the cursor. */
static void check(const char *keys, const char *want)
{
	struct chat_edit e;
	struct buf shown = { 0 };

	chat_edit_init(&e);
	e.columns = 10;
	type(&e, keys);
	buf_add_str(&shown, str_head(buf_str(&e.text), e.cursor));
	buf_add_char(&shown, '|');
	buf_add_str(&shown, str_skip(buf_str(&e.text), e.cursor));
	CHECK_SAME(buf_str(&shown), str_from(want));
	buf_done(&shown);
	chat_edit_done(&e);
}

TEST(text_is_typed_at_the_cursor)
{
	check("abc", "abc|");
	check("abc<Left><Left>x", "ax|bc");
	check("abc^ax^e!", "xabc!|");
	check("ab<Bs>c<Home><Del>", "|c");
}

TEST(words_are_moved_over_and_killed)
{
	check("one two three~b~b", "one |two three");
	check("one two three^a~f", "one| two three");
	check("one two^w", "one |");
	check("one two^w^w^y", "one two|");
	check("one two^a~d^e^y", " twoone|");
	check("one two^a^k^y^y", "one twoone two|");
	check("ab^t", "ba|");
}

TEST(changes_are_undone_in_steps)
{
	check("one two^_", "one|");
	check("one^u^_", "one|");
	check("one^_^_^_", "|");
}

TEST(a_grapheme_is_one_character)
{
	check("a\xe6\x97\xa5"
	      "b<Left><Left><Bs>",
	      "|\xe6\x97\xa5"
	      "b");
	check("e\xcc\x81<Bs>", "|");
	check("x\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7<Bs>", "x|");
	CHECK(chat_text_width(STR("\xe6\x97\xa5\xe6\x9c\xac")) == 4);
	CHECK(chat_text_width(STR("e\xcc\x81")) == 1);
	CHECK(chat_text_width(STR("\033[1mab\033[0m")) == 2);
	CHECK(chat_text_width(STR("\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa")) == 2);
}

TEST(lines_are_moved_over)
{
	check("one^jtwo^jsix<Up>x", "one\ntwox|\nsix");
	check("one^jtwo<Up><Up>", "one|\ntwo");
	check("one^jtwo^a<Bs>", "one|two");
	check("a\\<Enter>b", "a\nb|");
	/* A line of 13 columns on rows of 10 is two rows. */
	check("one two three<Up>", "one t|wo three");
}

TEST(the_history_keeps_the_draft)
{
	struct chat_edit e;

	chat_edit_init(&e);
	chat_history_add(&e, STR("first"));
	chat_history_add(&e, STR("second"));
	chat_history_add(&e, STR("second"));
	type(&e, "draft<Up>");
	CHECK_SAME(buf_str(&e.text), STR("second"));
	type(&e, "<Up><Up>");
	CHECK_SAME(buf_str(&e.text), STR("first"));
	type(&e, "<Down><Down>");
	CHECK_SAME(buf_str(&e.text), STR("draft"));
	type(&e, "^rir");
	CHECK_SAME(buf_str(&e.text), STR("first"));
	type(&e, "<Esc>");
	CHECK_SAME(buf_str(&e.text), STR("draft"));
	type(&e, "^rzzz");
	CHECK(!e.is_found);
	chat_edit_done(&e);
}

TEST(a_large_paste_is_a_label_until_it_is_sent)
{
	struct chat_edit e;
	struct buf out = { 0 }, many = { 0 };

	for (int i = 0; i < 20; i++)
		buf_printf(&many, "line %d\r\n", i);
	chat_edit_init(&e);
	type(&e, "see ");
	chat_edit_paste(&e, buf_str(&many));
	CHECK_SAME(buf_str(&e.text), STR("see [Pasted 20 lines #1]"));
	type(&e, "<Left>");
	CHECK(e.cursor == 4);
	type(&e, "<Right>!");
	chat_edit_take(&e, &out);
	CHECK(str_starts(buf_str(&out), STR("see line 0\nline 1\n")));
	CHECK(str_ends(buf_str(&out), STR("line 19\n!")));
	CHECK(!e.text.len);
	chat_edit_paste(&e, STR("small\x1b[A\x07"));
	CHECK_SAME(buf_str(&e.text), STR("small[A"));
	buf_done(&out);
	buf_done(&many);
	chat_edit_done(&e);
}

/* The text with | at the cursor, with the keys of vi. */
static void check_vi(const char *keys, const char *want)
{
	struct chat_edit e;
	struct buf shown = { 0 };

	chat_edit_init(&e);
	e.is_vi = true;
	type(&e, keys);
	buf_add_str(&shown, str_head(buf_str(&e.text), e.cursor));
	buf_add_char(&shown, '|');
	buf_add_str(&shown, str_skip(buf_str(&e.text), e.cursor));
	CHECK_SAME(buf_str(&shown), str_from(want));
	buf_done(&shown);
	chat_edit_done(&e);
}

TEST(vi_moves_and_changes)
{
	check_vi("one two<Esc>", "one tw|o");
	check_vi("one two<Esc>0x", "|ne two");
	check_vi("one two three<Esc>0wdw", "one |three");
	check_vi("one two three<Esc>02dw", "|three");
	check_vi("one two<Esc>bcwsix", "one six|");
	check_vi("one two<Esc>0D", "|");
	check_vi("one^jtwo<Esc>dd", "|one");
	check_vi("one^jtwo<Esc>kdd", "|two");
	check_vi("one<Esc>dd", "|");
	check_vi("one<Esc>yyp", "one\n|one");
	check_vi("one^jtwo<Esc>kyyp", "one\n|one\ntwo");
	check_vi("one^jtwo<Esc>yyP", "one\n|two\ntwo");
	check_vi("one^jtwo^jsix<Esc>kk2ddp", "six\n|one\ntwo");
	check_vi("one^jtwo<Esc>9yy2p", "one\ntwo\n|two\ntwo");
	check_vi("ab<Esc>yyxp", "ab|");
	check_vi("ab<Esc>d<Esc>x", "|a");
	check_vi("one<Esc>ofour<Esc>kA!", "one!|\nfour");
	check_vi("one<Esc>0iAB<Esc>u", "|one");
	check_vi("one two<Esc>0yw$p", "one twoone |");
	check_vi("one two<Esc>0eaX", "oneX| two");
	check_vi("one<Esc>dh", "o|e");
}

TEST(pasted_image_paths_are_read_as_a_shell_would)
{
	struct arena *mem = arena_new();
	struct str paths[CHAT_IMAGE_PATHS];

	CHECK(chat_image_paths(mem, STR("'/a b.png' /c\\ d.JPG "), paths) == 2);
	CHECK_SAME(paths[0], STR("/a b.png"));
	CHECK_SAME(paths[1], STR("/c d.JPG"));
	CHECK(chat_image_paths(mem, STR("file:///a%20b.webp\r\n"), paths) == 1);
	CHECK_SAME(paths[0], STR("/a b.webp"));
	CHECK(chat_image_paths(mem, STR("/my pic.png"), paths) == 1);
	CHECK_SAME(paths[0], STR("/my pic.png"));
	CHECK(chat_image_paths(mem, STR("see a.png"), paths) == 0);
	CHECK(chat_image_paths(mem, STR("file://x"), paths) == 0);
	CHECK(chat_image_paths(mem, STR(""), paths) == 0);
	arena_free(mem);
}

TEST(sizes_of_images_are_read_and_short_ones_are_not)
{
	unsigned w = 0, h = 0;

	CHECK(chat_image_size(STR("GIF89a\x03\x01\x02\0"), &w, &h) && w == 259 && h == 2);
	CHECK(chat_image_size(STR("\xff\xd8\xff\xe0\0\x04..\xff\xc0\0\x0b\x08\0\x05\0\x06..."), &w,
	                      &h) &&
	      w == 6 && h == 5);
	CHECK(!chat_image_size(STR("\xff\xd8\xff\xe0\xff\xff"), &w, &h));
	CHECK(!chat_image_size(STR("RIFF....WEBPVP8 "), &w, &h));
	CHECK(!chat_image_size(STR("\x89PNG\r\n"), &w, &h));
	CHECK(!chat_image_size(STR(""), &w, &h));
}

TEST(rows_break_at_blanks)
{
	size_t used;

	CHECK(chat_text_row(STR("one two three"), 9, &used) == 8 && used == 8);
	CHECK(chat_text_row(STR("abcdefghij"), 4, &used) == 4);
	CHECK(chat_text_row(STR("ab\ncd"), 9, &used) == 2 && used == 3);
	CHECK(chat_text_row(STR("\xe6\x97\xa5\xe6\x9c\xac"), 3, &used) == 3);
}

TEST_MAIN()
