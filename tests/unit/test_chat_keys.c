#include "app/chat/input/chat_keys.h"

#include "lib/t.h"

/* The keys of some bytes, as text: names, C- A- S- before them, [text] for pastes. */
static void name_key(struct buf *out, const struct chat_key *k)
{
	static const char *const names[] = {
		"",         "Enter",  "Tab",    "Backspace", "Escape",  "Up",
		"Down",     "Left",   "Right",  "Home",      "End",     "PageUp",
		"PageDown", "Insert", "Delete", "Paste",     "FocusIn", "FocusOut",
	};

	buf_add_c(out, out->len ? " " : "");
	buf_add_c(out, k->mods & CHAT_CTRL ? "C-" : "");
	buf_add_c(out, k->mods & CHAT_ALT ? "A-" : "");
	buf_add_c(out, k->mods & CHAT_SHIFT ? "S-" : "");
	if (k->code == CHAT_KEY_PASTE)
		buf_printf(out, "[%.*s]", STR_ARG(k->text));
	else if (k->code >= CHAT_KEY_NAMED)
		buf_add_c(out, names[k->code - CHAT_KEY_NAMED]);
	else if (str_is(k->text))
		buf_add_str(out, k->text);
	else
		buf_printf(out, "%c", (int)k->code);
}

static void take(struct chat_keys *k, struct buf *out)
{
	struct chat_key key;

	while (chat_keys_next(k, &key))
		name_key(out, &key);
}

/* However the bytes are cut, the same keys come out. */
static void check(struct str bytes, const char *want)
{
	for (size_t step = 1; step <= bytes.len; step++) {
		struct chat_keys k = { 0 };
		struct buf out = { 0 };
		struct str rest = bytes;

		while (rest.len) {
			chat_keys_add(&k, str_head(rest, MIN(step, rest.len)));
			take(&k, &out);
			rest = str_skip(rest, MIN(step, rest.len));
		}
		chat_keys_flush(&k);
		take(&k, &out);
		CHECK_SAME(buf_str(&out), str_from(want));
		chat_keys_done(&k);
		buf_done(&out);
	}
}

#define KEYS(bytes, want) check(STR(bytes), want)

TEST(characters_are_typed)
{
	KEYS("ab", "a b");
	KEYS("\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80", "\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80");
	KEYS("a\xff"
	     "b",
	     "a \xef\xbf\xbd b");
	KEYS("\xe6\x97", "\xef\xbf\xbd \xef\xbf\xbd");
}

TEST(control_characters_are_keys)
{
	KEYS("\r\t\x7f\x08", "Enter Tab Backspace Backspace");
	KEYS("\x01\x1a\x1f\n", "C-a C-z C-_ C-j");
	check(str_of("\0", 1), "C- ");
}

TEST(sequences_are_keys)
{
	KEYS("\033[A\033[B\033[C\033[D", "Up Down Right Left");
	KEYS("\033OA\033OH\033OF", "Up Home End");
	KEYS("\033[1~\033[4~\033[3~\033[5~\033[6~", "Home End Delete PageUp PageDown");
	KEYS("\033[1;5C\033[1;3D\033[Z", "C-Right A-Left S-Tab");
	KEYS("\033[I\033[O", "FocusIn FocusOut");
}

TEST(keys_with_modifiers_come_in_two_forms)
{
	KEYS("\033[13;2u\033[97;5u\033[97u", "S-Enter C-a a");
	KEYS("\033[27;2;13~\033[27;5;65~", "S-Enter C-a");
	KEYS("\033[97;1:3u", ""); /* released */
	KEYS("\033[27u", "Escape");
}

TEST(escape_alone_is_a_key_after_a_pause)
{
	struct chat_keys k = { 0 };
	struct chat_key key;

	chat_keys_add(&k, STR("\033"));
	CHECK(!chat_keys_next(&k, &key));
	CHECK(chat_keys_is_waiting(&k));
	chat_keys_flush(&k);
	CHECK(chat_keys_next(&k, &key));
	CHECK(key.code == CHAT_KEY_ESCAPE && !chat_keys_is_waiting(&k));
	chat_keys_done(&k);
	KEYS("\033b\033\r\033\x7f", "A-b A-Enter A-Backspace");
}

TEST(pastes_are_one_key_and_hold_anything)
{
	KEYS("\033[200~two\nlines\033[201~x", "[two\nlines] x");
	KEYS("\033[200~\033[A\x03\033[201~", "[\033[A\x03]");
	KEYS("\033[200~\033[201~", "[]");
}

TEST(what_is_unknown_types_nothing)
{
	KEYS("\033[?1;2ca", "a");
	KEYS("\033[99~\033[1;2xa", "a");
	KEYS("\033]11;rgb:0000/0000/0000\033\\a", "a");
	KEYS("\033P>|xterm\033\\\033_x\033\\a", "a");
	KEYS("\033[[Aa", "a");
}

TEST_MAIN()
