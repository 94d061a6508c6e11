/*
 * Any bytes as a terminal's: every key has a code, typed text is valid UTF-8,
 * and after a flush nothing is left.  The same bytes cut in two give the same
 * keys.  The keys drive an editor, whose cursor stays between characters.
 */
#include "app/chat/input/chat_edit.h"
#include "app/chat/input/chat_text.h"
#include "base/utf8.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

struct run {
	struct chat_keys keys;
	struct chat_edit edit;
	uint64_t sum; /* of all keys */
};

static void take(struct run *r)
{
	struct chat_key k;

	while (chat_keys_next(&r->keys, &k)) {
		struct str text = buf_str(&r->edit.text);

		MUST(k.code);
		MUST(!str_is(k.text) || k.code == CHAT_KEY_PASTE || utf8_is_valid(k.text));
		r->sum =
			r->sum * 31 + k.code * 8 + k.mods + (str_is(k.text) ? str_hash(k.text) : 0);
		if (chat_edit_key(&r->edit, &k) == CHAT_EDIT_SUBMIT)
			chat_edit_clear(&r->edit);
		text = buf_str(&r->edit.text);
		MUST(utf8_is_valid(text) && r->edit.cursor <= text.len);
		MUST(utf8_is_valid(str_head(text, r->edit.cursor)));
	}
}

static uint64_t run(struct str first, struct str second, bool is_vi)
{
	struct run r = { 0 };

	chat_edit_init(&r.edit);
	r.edit.columns = 12;
	r.edit.is_vi = is_vi;
	chat_keys_add(&r.keys, first);
	take(&r);
	if (second.len)
		chat_keys_add(&r.keys, second);
	take(&r);
	chat_keys_flush(&r.keys);
	take(&r);
	MUST(!chat_keys_is_waiting(&r.keys));
	chat_keys_done(&r.keys);
	chat_edit_done(&r.edit);
	return r.sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str all = str_of((const char *)data, size);

	for (int vi = 0; vi < 2 && size > 1; vi++)
		MUST(run(str_head(all, size / 2), str_skip(all, size / 2), vi) ==
		     run(all, STR(""), vi));
	return 0;
}
