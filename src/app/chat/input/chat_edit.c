/*
 * Changes of the text and motions of the cursor.  Every change goes through
 * chat_edit_replace(), which keeps the step for undo; a run of typing is one step.
 */
#include "app/chat/input/chat_edit.h"

#include "app/chat/input/chat_text.h"
#include "base/memory.h"

#include <stdio.h>

#define FOLD_LINES 8    /* a paste of more lines is folded */
#define FOLD_BYTES 1000 /* or of more bytes */
#define LONG_BYTES (16u << 10)

void chat_edit_init(struct chat_edit *e)
{
	*e = (struct chat_edit){ .columns = 80 };
}

void chat_edit_done(struct chat_edit *e)
{
	buf_done(&e->text);
	buf_done(&e->killed);
	for (size_t i = 0; i < CHAT_UNDO_MAX; i++)
		buf_done(&e->undo[i].text);
	for (size_t i = 0; i < CHAT_PASTES_MAX; i++)
		buf_done(&e->pastes[i].text);
	chat_history_done(e);
}

/* ---- changes ---- */

static void keep_step(struct chat_edit *e)
{
	struct chat_undo *u;

	if (e->undo_count == CHAT_UNDO_MAX) {
		struct chat_undo oldest = e->undo[0];

		memmove(e->undo, e->undo + 1, sizeof e->undo - sizeof e->undo[0]);
		e->undo[--e->undo_count] = oldest;
	}
	u = &e->undo[e->undo_count++];
	buf_clear(&u->text);
	buf_add_str(&u->text, buf_str(&e->text));
	u->cursor = e->cursor;
}

void chat_edit_undo(struct chat_edit *e)
{
	struct chat_undo *u;

	if (!e->undo_count)
		return;
	u = &e->undo[--e->undo_count];
	buf_clear(&e->text);
	buf_add_str(&e->text, buf_str(&u->text));
	e->cursor = u->cursor;
}

static void splice(struct chat_edit *e, size_t from, size_t to, struct str text)
{
	CLEANUP(buf_done) struct buf rest = { 0 };

	buf_add_str(&rest, str_skip(buf_str(&e->text), to));
	e->text.len = from;
	buf_add_str(&e->text, text);
	e->cursor = e->text.len;
	buf_add_str(&e->text, buf_str(&rest));
}

void chat_edit_replace(struct chat_edit *e, size_t from, size_t to, struct str text)
{
	if (from == to && !text.len)
		return;
	keep_step(e);
	e->is_typing = false;
	splice(e, from, to, text);
}

void chat_edit_insert(struct chat_edit *e, struct str text)
{
	bool is_more = e->is_typing && !(text.len && text.ptr[0] == ' ');

	if (is_more)
		splice(e, e->cursor, e->cursor, text);
	else
		chat_edit_replace(e, e->cursor, e->cursor, text);
	e->is_typing = true;
}

void chat_edit_set(struct chat_edit *e, struct str text)
{
	chat_edit_replace(e, 0, e->text.len, text);
}

void chat_edit_clear(struct chat_edit *e)
{
	buf_clear(&e->text);
	e->cursor = e->undo_count = e->paste_count = 0;
	e->is_typing = e->is_killing = e->is_searching = e->is_normal = false;
	e->vi_operator = e->vi_count = 0;
	e->history_at = e->history_count;
}

/* ---- pastes ---- */

static size_t count_lines(struct str text)
{
	size_t count = 1;

	for (size_t i = 0; i + 1 < text.len; i++)
		count += text.ptr[i] == '\n';
	return count;
}

void chat_edit_paste(struct chat_edit *e, struct str text)
{
	CLEANUP(buf_done) struct buf clean = { 0 };
	struct chat_paste *p;
	size_t lines;

	chat_text_clean(&clean, text);
	lines = count_lines(buf_str(&clean));
	if ((lines <= FOLD_LINES && clean.len <= FOLD_BYTES) || e->paste_count == CHAT_PASTES_MAX) {
		chat_edit_replace(e, e->cursor, e->cursor, buf_str(&clean));
		return;
	}
	p = &e->pastes[e->paste_count++];
	buf_clear(&p->text);
	buf_add_str(&p->text, buf_str(&clean));
	if (lines > 1)
		snprintf(p->label, sizeof p->label, "[Pasted %zu lines #%zu]", lines,
		         e->paste_count);
	else
		snprintf(p->label, sizeof p->label, "[Pasted %zu bytes #%zu]", clean.len,
		         e->paste_count);
	chat_edit_replace(e, e->cursor, e->cursor, str_from(p->label));
}

void chat_edit_restore(struct chat_edit *e, struct str text)
{
	if (text.len <= LONG_BYTES) {
		chat_edit_set(e, text);
	} else {
		chat_edit_replace(e, 0, e->text.len, STR(""));
		chat_edit_paste(e, text);
	}
	/* Where letters are commands, they are about a character. */
	if (e->is_normal && e->cursor > chat_edit_line_begin(e))
		e->cursor = chat_edit_before(e);
}

/* The label that begins (or, with is_end, ends) at this offset. */
static struct chat_paste *paste_at(struct chat_edit *e, size_t at, bool is_end)
{
	for (size_t i = 0; i < e->paste_count; i++) {
		struct str label = str_from(e->pastes[i].label), s = buf_str(&e->text);

		if (is_end ? str_ends(str_head(s, at), label) : str_starts(str_skip(s, at), label))
			return &e->pastes[i];
	}
	return NULL;
}

void chat_edit_take(struct chat_edit *e, struct buf *out)
{
	struct str s = buf_str(&e->text);

	for (size_t at = 0; at < s.len;) {
		struct chat_paste *p = s.ptr[at] == '[' ? paste_at(e, at, false) : NULL;
		size_t len = p ? strlen(p->label) : 1;

		buf_add_str(out, p ? buf_str(&p->text) : str_of(s.ptr + at, 1));
		at += len;
	}
	chat_edit_clear(e);
}

void chat_edit_keep_label(struct chat_edit *e, struct str label)
{
	snprintf(e->labels[e->label_count++ % CHAT_LABELS_MAX], sizeof e->labels[0], "%.*s",
	         STR_ARG(label));
}

/* Bytes of the label that begins (or ends) at this offset; 0: there is none. */
static size_t label_at(struct chat_edit *e, size_t at, bool is_end)
{
	struct chat_paste *p = paste_at(e, at, is_end);
	struct str s = buf_str(&e->text);

	if (p)
		return strlen(p->label);
	for (size_t i = 0; i < MIN(e->label_count, CHAT_LABELS_MAX); i++) {
		struct str label = str_from(e->labels[i]);

		if (is_end ? str_ends(str_head(s, at), label) : str_starts(str_skip(s, at), label))
			return label.len;
	}
	return 0;
}

/* ---- motions ---- */

size_t chat_edit_before(struct chat_edit *e)
{
	size_t len = label_at(e, e->cursor, true);

	return len ? e->cursor - len : chat_text_prev(buf_str(&e->text), e->cursor);
}

size_t chat_edit_after(struct chat_edit *e)
{
	size_t len = label_at(e, e->cursor, false);

	return len ? e->cursor + len : chat_text_next(buf_str(&e->text), e->cursor);
}

size_t chat_edit_line_begin(const struct chat_edit *e)
{
	size_t at = e->cursor;

	while (at && e->text.ptr[at - 1] != '\n')
		at--;
	return at;
}

size_t chat_edit_line_end(const struct chat_edit *e)
{
	ptrdiff_t at = str_find_char(str_skip(buf_str(&e->text), e->cursor), '\n');

	return at < 0 ? e->text.len : e->cursor + (size_t)at;
}

/* The rows on the screen around the cursor: where the one of the cursor and its neighbours begin. */
struct rows {
	size_t above, here, below; /* (size_t)-1: there is none */
};

static struct rows find_rows(const struct chat_edit *e)
{
	struct rows r = { (size_t)-1, 0, (size_t)-1 };
	struct str rest = buf_str(&e->text);
	size_t at = 0, used;

	while (rest.len) {
		size_t len = chat_text_row(rest, e->columns, &used);
		bool is_last = used == rest.len && used == len;

		if (e->cursor < at + used || is_last) {
			r.below = is_last ? (size_t)-1 : at + used;
			return r;
		}
		r.above = at;
		r.here = at += used;
		rest = str_skip(rest, used);
	}
	return r;
}

/* False: there is no row in this direction. */
static bool move_row(struct chat_edit *e, bool is_up)
{
	struct rows r = find_rows(e);
	size_t to = is_up ? r.above : r.below, used, len;
	size_t column = chat_text_width(chat_edit_part(e, r.here, e->cursor));
	struct str rest;

	if (!e->text.len || to == (size_t)-1)
		return false;
	rest = str_skip(buf_str(&e->text), to);
	len = chat_text_row(rest, e->columns, &used);
	if (len == used && len &&
	    len < rest.len) /* a row that was broken ends before its last character */
		len = chat_text_prev(rest, len);
	e->cursor = to + chat_text_head(str_head(rest, len), column).len;
	return true;
}

void chat_edit_row(struct chat_edit *e, bool is_up)
{
	if (!move_row(e, is_up))
		chat_history_move(e, is_up ? -1 : 1);
}

/* ---- killing ---- */

void chat_edit_kill_to(struct chat_edit *e, size_t to)
{
	size_t from = MIN(e->cursor, to), end = MAX(e->cursor, to);
	struct str gone = chat_edit_part(e, from, end);
	struct buf all = { 0 };

	if (from == end)
		return;
	buf_add_str(&all, to < e->cursor ? gone : STR(""));
	buf_add_str(&all, e->is_killing ? buf_str(&e->killed) : STR(""));
	buf_add_str(&all, to < e->cursor ? STR("") : gone);
	buf_done(&e->killed);
	e->killed = all;
	e->is_line = false;
	chat_edit_replace(e, from, end, STR(""));
	e->is_killing = true;
}

static void transpose(struct chat_edit *e)
{
	struct str s = buf_str(&e->text);
	size_t end = e->cursor == s.len ? s.len : chat_text_next(s, e->cursor);
	size_t mid = chat_text_prev(s, end), from = chat_text_prev(s, mid);
	CLEANUP(buf_done) struct buf swapped = { 0 };

	if (from == mid || mid == end)
		return;
	buf_add(&swapped, s.ptr + mid, end - mid);
	buf_add(&swapped, s.ptr + from, mid - from);
	chat_edit_replace(e, from, end, buf_str(&swapped));
}

/* ---- keys ---- */

static bool control(struct chat_edit *e, uint32_t code)
{
	struct str s = buf_str(&e->text);

	switch (code) {
	case 'a':
		return e->cursor = chat_edit_line_begin(e), true;
	case 'e':
		return e->cursor = chat_edit_line_end(e), true;
	case 'b':
		return e->cursor = chat_edit_before(e), true;
	case 'f':
		return e->cursor = chat_edit_after(e), true;
	case 'd':
		return chat_edit_replace(e, e->cursor, chat_edit_after(e), STR("")), true;
	case 'k':
		return chat_edit_kill_to(e, chat_edit_line_end(e) > e->cursor
		                                    ? chat_edit_line_end(e)
		                                    : chat_edit_after(e)),
		       true;
	case 'u':
		return chat_edit_kill_to(e, chat_edit_line_begin(e)), true;
	case 'w':
		return chat_edit_kill_to(e, chat_text_word_begin(s, e->cursor)), true;
	case 'y':
		return chat_edit_replace(e, e->cursor, e->cursor, buf_str(&e->killed)), true;
	case 't':
		return transpose(e), true;
	case '_':
	case 'z':
		return chat_edit_undo(e), true;
	case 'j':
		return chat_edit_insert(e, STR("\n")), true;
	case 'p':
		return chat_history_move(e, -1), true;
	case 'n':
		return chat_history_move(e, 1), true;
	case 'r':
		return chat_history_search(e), true;
	default:
		return false;
	}
}

static bool alt(struct chat_edit *e, uint32_t code)
{
	struct str s = buf_str(&e->text);

	switch (code) {
	case 'b':
	case CHAT_KEY_LEFT:
		return e->cursor = chat_text_word_begin(s, e->cursor), true;
	case 'f':
	case CHAT_KEY_RIGHT:
		return e->cursor = chat_text_word_end(s, e->cursor), true;
	case 'd':
	case CHAT_KEY_DELETE:
		return chat_edit_kill_to(e, chat_text_word_end(s, e->cursor)), true;
	case CHAT_KEY_BACKSPACE:
		return chat_edit_kill_to(e, chat_text_word_begin(s, e->cursor)), true;
	case CHAT_KEY_ENTER:
		return chat_edit_insert(e, STR("\n")), true;
	case '<':
		return e->cursor = 0, true;
	case '>':
		return e->cursor = s.len, true;
	default:
		return false;
	}
}

static bool named(struct chat_edit *e, uint32_t code)
{
	switch (code) {
	case CHAT_KEY_BACKSPACE:
		return chat_edit_replace(e, chat_edit_before(e), e->cursor, STR("")), true;
	case CHAT_KEY_DELETE:
		return chat_edit_replace(e, e->cursor, chat_edit_after(e), STR("")), true;
	case CHAT_KEY_LEFT:
		return e->cursor = chat_edit_before(e), true;
	case CHAT_KEY_RIGHT:
		return e->cursor = chat_edit_after(e), true;
	case CHAT_KEY_HOME:
		return e->cursor = chat_edit_line_begin(e), true;
	case CHAT_KEY_END:
		return e->cursor = chat_edit_line_end(e), true;
	case CHAT_KEY_UP:
		return chat_edit_row(e, true), true;
	case CHAT_KEY_DOWN:
		return chat_edit_row(e, false), true;
	default:
		return false;
	}
}

/* A backslash before Enter stands for a new line, where no other key can. */
static enum chat_edit_result enter(struct chat_edit *e)
{
	if (e->cursor && e->text.ptr[e->cursor - 1] == '\\') {
		chat_edit_replace(e, e->cursor - 1, e->cursor, STR("\n"));
		return CHAT_EDIT_DONE;
	}
	return CHAT_EDIT_SUBMIT;
}

enum chat_edit_result chat_edit_key(struct chat_edit *e, const struct chat_key *k)
{
	bool was_killing = e->is_killing, is_known;

	if (e->is_searching && chat_history_key(e, k))
		return CHAT_EDIT_DONE;
	if (e->is_vi && chat_vi_key(e, k))
		return CHAT_EDIT_DONE;
	if (k->code == CHAT_KEY_PASTE)
		return chat_edit_paste(e, k->text), CHAT_EDIT_DONE;
	if (k->code == CHAT_KEY_ENTER && !k->mods)
		return enter(e);
	if (k->code < CHAT_KEY_NAMED && str_is(k->text)) {
		chat_edit_insert(e, k->text);
		e->is_killing = false;
		return CHAT_EDIT_DONE;
	}
	e->is_typing = false;
	if ((k->mods & CHAT_ALT) || (k->code >= CHAT_KEY_NAMED && (k->mods & CHAT_CTRL)) ||
	    (k->code == CHAT_KEY_ENTER && (k->mods & CHAT_SHIFT)))
		is_known = alt(e, k->code);
	else if (k->mods & CHAT_CTRL)
		is_known = control(e, k->code);
	else
		is_known = named(e, k->code);
	/* Only two kills in a row add up. */
	if (was_killing && e->is_killing && !(k->mods & (CHAT_CTRL | CHAT_ALT)))
		e->is_killing = false;
	return is_known ? CHAT_EDIT_DONE : CHAT_EDIT_NONE;
}
