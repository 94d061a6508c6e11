/*
 * Reads one key after the other from the front of the bytes.  A reader returns
 * how many bytes it used; 0: the sequence is incomplete.  A sequence that makes
 * no key is used up all the same, so that its bytes are never typed.
 */
#include "app/chat/input/chat_keys.h"

#include "base/utf8.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define ESC 0x1b
#define SEQUENCE_MAX 64      /* a longer sequence is none */
#define PASTE_MAX (1u << 20) /* as much as one input may hold */
#define PASTE_BEGIN 200      /* CSI 200 ~ */
#define PASTE_END "\033[201~"
#define OTHER_KEY 27 /* CSI 27 ; modifiers ; code ~ */
#define PARAMS_MAX 4
#define RELEASED 3  /* event type of CSI u */
#define LOOK_MS 500 /* how often a caller can read the size of the window */

void chat_keys_done(struct chat_keys *k)
{
	buf_done(&k->bytes);
	buf_done(&k->paste);
}

void chat_keys_add(struct chat_keys *k, struct str bytes)
{
	buf_add_str(&k->bytes, bytes);
	k->is_flushed = false;
}

bool chat_keys_is_waiting(const struct chat_keys *k)
{
	return k->bytes.len && !k->is_pasting;
}

void chat_keys_flush(struct chat_keys *k)
{
	k->is_flushed = true;
}

/* The loop of the chat reads signals, and it does not run while a list or the pager is shown. */
static bool is_asked_to_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGHUP) == 1);
}

bool chat_keys_read(struct chat_keys *k, int fd)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	char bytes[256];
	ssize_t len;

	if (is_asked_to_end())
		return false;
	if (poll(&in, 1, chat_keys_is_waiting(k) ? CHAT_KEYS_ESCAPE_MS : LOOK_MS) == 0) {
		chat_keys_flush(k);
		return true;
	}
	len = read(fd, bytes, sizeof bytes);
	chat_keys_add(k, str_of(bytes, len > 0 ? (size_t)len : 0));
	return len > 0 || (len < 0 && (errno == EINTR || errno == EAGAIN));
}

/* ---- characters ---- */

static void put_character(struct chat_keys *k, struct chat_key *ret, struct str bytes)
{
	memcpy(k->typed, bytes.ptr, bytes.len);
	ret->text = str_of(k->typed, bytes.len);
}

static size_t write_utf8(char out[4], uint32_t c)
{
	if (c < 0x80)
		return out[0] = (char)c, 1;
	if (c < 0x800)
		return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 63)), 2;
	if (c < 0x10000)
		return out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 63)),
		       out[2] = (char)(0x80 | (c & 63)), 3;
	return out[0] = (char)(0xf0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 63)),
	       out[2] = (char)(0x80 | (c >> 6 & 63)), out[3] = (char)(0x80 | (c & 63)), 4;
}

static bool is_character(uint32_t code)
{
	return code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0) &&
	       !(code >= 0xd800 && code < 0xe000) && code < CHAT_KEY_NAMED;
}

static uint32_t lower(uint32_t code)
{
	return code >= 'A' && code <= 'Z' ? code + 32 : code;
}

/* A control character as the key that sends it. */
static void control_key(struct chat_key *ret, unsigned char byte)
{
	switch (byte) {
	case '\r':
		ret->code = CHAT_KEY_ENTER;
		return;
	case '\t':
		ret->code = CHAT_KEY_TAB;
		return;
	case 0x7f:
	case '\b':
		ret->code = CHAT_KEY_BACKSPACE;
		return;
	case ESC:
		ret->code = CHAT_KEY_ESCAPE;
		return;
	case 0:
		ret->code = ' ';
		break;
	default:
		ret->code = byte <= 26 ? (uint32_t)byte + 'a' - 1 : (uint32_t)byte + '@';
	}
	ret->mods |= CHAT_CTRL;
}

static size_t read_character(struct chat_keys *k, struct str s, struct chat_key *ret)
{
	unsigned char first = (unsigned char)s.ptr[0];
	size_t len;

	if (first < 0x20 || first == 0x7f)
		return control_key(ret, first), 1;
	len = utf8_read(s, &ret->code);
	if (!len && utf8_unfinished(s) == s.len && !k->is_flushed)
		return 0;
	if (!len || !is_character(ret->code)) {
		ret->code = 0xfffd;
		put_character(k, ret, STR("\xef\xbf\xbd"));
		return MAX(len, 1);
	}
	put_character(k, ret, str_head(s, len));
	return len;
}

/* ---- sequences ---- */

struct sequence {
	int params[PARAMS_MAX];
	size_t count;
	int event; /* of the second parameter: pressed, repeated, released */
	char final;
	bool is_private;
};

/* The numbers between CSI and the final byte; sub-parameters count only as the event. */
static void read_params(struct sequence *q, struct str s)
{
	bool is_sub = false;

	for (size_t i = 0; i < s.len; i++) {
		char ch = s.ptr[i];

		if (ch == ';') {
			is_sub = false;
			q->count++;
		} else if (ch == ':') {
			is_sub = true;
			q->event = q->count == 1 ? 0 : q->event;
		} else if (ch < '0' || ch > '9') {
			q->is_private = true;
		} else if (is_sub && q->count == 1) {
			q->event = MIN(q->event * 10 + ch - '0', 1000);
		} else if (!is_sub && q->count < PARAMS_MAX) {
			q->params[q->count] =
				MIN(q->params[q->count] * 10 + ch - '0', CHAT_KEY_NAMED);
		}
	}
}

static uint32_t tilde_code(int number)
{
	static const struct {
		int number;
		uint32_t code;
	} rows[] = {
		{ 1, CHAT_KEY_HOME }, { 2, CHAT_KEY_INSERT },  { 3, CHAT_KEY_DELETE },
		{ 4, CHAT_KEY_END },  { 5, CHAT_KEY_PAGE_UP }, { 6, CHAT_KEY_PAGE_DOWN },
		{ 7, CHAT_KEY_HOME }, { 8, CHAT_KEY_END },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].number == number)
			return rows[i].code;
	return 0;
}

static uint32_t letter_code(char final)
{
	switch (final) {
	case 'A':
		return CHAT_KEY_UP;
	case 'B':
		return CHAT_KEY_DOWN;
	case 'C':
		return CHAT_KEY_RIGHT;
	case 'D':
		return CHAT_KEY_LEFT;
	case 'H':
		return CHAT_KEY_HOME;
	case 'F':
		return CHAT_KEY_END;
	case 'M':
		return CHAT_KEY_ENTER;
	case 'Z':
		return CHAT_KEY_TAB;
	case 'I':
		return CHAT_KEY_FOCUS_IN;
	case 'O':
		return CHAT_KEY_FOCUS_OUT;
	default:
		return 0;
	}
}

/* A key by its Unicode code, as CSI u and modifyOtherKeys send it. */
static void unicode_key(struct chat_keys *k, struct chat_key *ret, uint32_t code)
{
	char bytes[4];

	if (code < 0x20 || code == 0x7f) {
		unsigned mods = ret->mods;

		control_key(ret, (unsigned char)code);
		ret->mods |= mods;
		return;
	}
	if (!is_character(code)) {
		ret->code = 0;
		return;
	}
	ret->code = ret->mods & CHAT_CTRL ? lower(code) : code;
	if (!(ret->mods & (CHAT_CTRL | CHAT_ALT)))
		put_character(k, ret, str_of(bytes, write_utf8(bytes, code)));
}

static void sequence_key(struct chat_keys *k, const struct sequence *q, struct chat_key *ret)
{
	int mods = q->count >= 1 && q->params[1] ? q->params[1] - 1 : 0;

	ret->mods = (unsigned)mods & (CHAT_SHIFT | CHAT_ALT | CHAT_CTRL);
	if (q->is_private || q->event == RELEASED)
		return;
	if (q->final == '~' && q->params[0] == PASTE_BEGIN)
		k->is_pasting = true;
	else if (q->final == '~' && q->params[0] == OTHER_KEY && q->count >= 2)
		unicode_key(k, ret, (uint32_t)q->params[2]);
	else if (q->final == '~')
		ret->code = tilde_code(q->params[0]);
	else if (q->final == 'u')
		unicode_key(k, ret, (uint32_t)q->params[0]);
	else
		ret->code = letter_code(q->final);
	if (q->final == 'Z')
		ret->mods |= CHAT_SHIFT;
}

/* s begins with ESC [ */
static size_t read_csi(struct chat_keys *k, struct str s, struct chat_key *ret)
{
	struct sequence q = { 0 };
	size_t at = 2;

	while (at < s.len && at < SEQUENCE_MAX && s.ptr[at] >= 0x20 && s.ptr[at] < 0x40)
		at++;
	if (at == s.len && at < SEQUENCE_MAX) {
		if (!k->is_flushed)
			return 0;
		*ret = (struct chat_key){ .code = '[', .mods = CHAT_ALT };
		return at;
	}
	if (at == SEQUENCE_MAX || s.ptr[at] < 0x40 || s.ptr[at] > 0x7e)
		return at; /* another sequence begins, or there is none */
	q.final = s.ptr[at];
	if (q.final == '[') /* function keys of the Linux console have one byte more */
		return at + 1 < s.len || k->is_flushed ? MIN(at + 2, s.len) : 0;
	read_params(&q, str_of(s.ptr + 2, at - 2));
	sequence_key(k, &q, ret);
	return at + 1;
}

/* s begins with ESC O */
static size_t read_ss3(struct chat_keys *k, struct str s, struct chat_key *ret)
{
	if (s.len == 2) {
		if (!k->is_flushed)
			return 0;
		*ret = (struct chat_key){ .code = 'O', .mods = CHAT_ALT };
		return 2;
	}
	ret->code = s.ptr[2] == 'I' || s.ptr[2] == 'O' ? 0 : letter_code(s.ptr[2]);
	return 3;
}

/* An answer of the terminal (OSC, DCS, APC), up to ST or BEL. */
static size_t read_answer(struct chat_keys *k, struct str s)
{
	for (size_t at = 2; at < s.len; at++) {
		if (s.ptr[at] == '\a')
			return at + 1;
		if (s.ptr[at] == ESC && at + 1 < s.len)
			return s.ptr[at + 1] == '\\' ? at + 2 : at;
	}
	return k->is_flushed || s.len > PASTE_MAX ? s.len : 0;
}

static size_t read_escape(struct chat_keys *k, struct str s, struct chat_key *ret)
{
	size_t len;

	if (s.len == 1) {
		ret->code = CHAT_KEY_ESCAPE;
		return k->is_flushed ? 1 : 0;
	}
	switch (s.ptr[1]) {
	case '[':
		return read_csi(k, s, ret);
	case 'O':
		return read_ss3(k, s, ret);
	case ']':
	case 'P':
	case '_':
		return read_answer(k, s);
	case ESC:
		ret->code = CHAT_KEY_ESCAPE;
		return 1;
	default:
		len = read_character(k, str_skip(s, 1), ret);
		ret->mods |= CHAT_ALT;
		ret->text = STR_NONE;
		return len ? len + 1 : 0;
	}
}

/* ---- pastes ---- */

static void keep_paste(struct chat_keys *k, struct str bytes)
{
	size_t room = PASTE_MAX - MIN(k->paste.len, PASTE_MAX);

	k->is_cut = k->is_cut || bytes.len > room;
	buf_add_str(&k->paste, utf8_head(bytes, MIN(room, bytes.len)));
}

/* Whether the paste has ended.  The end mark may be cut anywhere. */
static bool read_paste(struct chat_keys *k, struct chat_key *ret)
{
	struct str s = buf_str(&k->bytes), end = STR(PASTE_END);
	ptrdiff_t at = str_find(s, end);
	size_t held = MIN(s.len, end.len - 1);

	if (at < 0) {
		/* Bytes that may begin the end mark, or be half a character, wait for more. */
		keep_paste(k, str_head(s, s.len - held));
		buf_drop(&k->bytes, s.len - held);
		return false;
	}
	keep_paste(k, str_head(s, (size_t)at));
	buf_drop(&k->bytes, (size_t)at + end.len);
	*ret = (struct chat_key){ .code = CHAT_KEY_PASTE,
		                  .text = buf_str(&k->paste),
		                  .is_cut = k->is_cut };
	k->is_pasting = k->is_cut = false;
	return true;
}

bool chat_keys_next(struct chat_keys *k, struct chat_key *ret)
{
	if (!k->is_pasting)
		buf_clear(&k->paste); /* the previous call has handed it out */
	while (k->bytes.len) {
		struct str s = buf_str(&k->bytes);
		size_t used;

		if (k->is_pasting)
			return read_paste(k, ret);
		*ret = (struct chat_key){ 0 };
		used = s.ptr[0] == ESC ? read_escape(k, s, ret) : read_character(k, s, ret);
		if (!used)
			return false;
		buf_drop(&k->bytes, used);
		if (ret->code)
			return true;
	}
	return false;
}
