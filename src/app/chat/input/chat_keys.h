#ifndef APP_CHAT_KEYS_H
#define APP_CHAT_KEYS_H
/*
 * Bytes of a terminal become keys.
 *
 *   chat_keys_add ──► chat_keys_next, until it returns false
 *                        │ chat_keys_is_waiting: a sequence is incomplete
 *                        ▼ after a pause
 *                     chat_keys_flush: what is there is all that comes
 *
 * Known are UTF-8, control characters, CSI and SS3 sequences, CSI u and
 * modifyOtherKeys, bracketed paste, focus reports and Alt as a leading Escape.
 * Unknown sequences and answers of the terminal to questions are dropped whole.
 *
 * Pure: bytes in, keys out; time comes from the caller.
 */
#include "base/buf.h"

/* Names stand where Unicode ends, so that one number tells every key. */
enum chat_key_code {
	CHAT_KEY_NAMED = 0x110000,
	CHAT_KEY_ENTER,
	CHAT_KEY_TAB,
	CHAT_KEY_BACKSPACE,
	CHAT_KEY_ESCAPE,
	CHAT_KEY_UP,
	CHAT_KEY_DOWN,
	CHAT_KEY_LEFT,
	CHAT_KEY_RIGHT,
	CHAT_KEY_HOME,
	CHAT_KEY_END,
	CHAT_KEY_PAGE_UP,
	CHAT_KEY_PAGE_DOWN,
	CHAT_KEY_INSERT,
	CHAT_KEY_DELETE,
	CHAT_KEY_PASTE, /* text holds it */
	CHAT_KEY_FOCUS_IN,
	CHAT_KEY_FOCUS_OUT,
};

enum { CHAT_SHIFT = 1, CHAT_ALT = 2, CHAT_CTRL = 4 };

struct chat_key {
	uint32_t code; /* a character, lower case with Ctrl, or a name */
	unsigned mods;
	struct str
		text; /* what is typed or pasted, valid UTF-8, until the next call; else absent */
	bool is_cut;  /* the paste was longer than its limit */
};

struct chat_keys {
	struct buf bytes; /* not read yet */
	struct buf paste;
	char typed[4];
	bool is_pasting, is_flushed, is_cut; /* is_cut: the paste was longer than its limit */
};

void chat_keys_done(struct chat_keys *k);
void chat_keys_add(struct chat_keys *k, struct str bytes);
bool chat_keys_next(struct chat_keys *k, struct chat_key *ret);
bool chat_keys_is_waiting(const struct chat_keys *k);
void chat_keys_flush(struct chat_keys *k);
/* An Escape that nothing follows for this time is the key. */
#define CHAT_KEYS_ESCAPE_MS 30
/* Waits for bytes, at most half a second, and adds them; false: the input has ended, or a signal says so. */
bool chat_keys_read(struct chat_keys *k, int fd);

#endif
