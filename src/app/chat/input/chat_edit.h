#ifndef APP_CHAT_EDIT_H
#define APP_CHAT_EDIT_H
/*
 * The input editor: text of several lines, a cursor, undo, one kill buffer,
 * history with search, and folded pastes.
 *
 * A large paste is shown in the text as a label, "[Pasted 120 lines #1]".  The
 * label moves and goes as one; chat_edit_take() puts the pasted text in its place.
 *
 * Keys are those of emacs and readline, or with is_vi those of vi.  Pure: the caller stores the history
 * and knows the terminal.
 */
#include "app/chat/input/chat_keys.h"

#define CHAT_UNDO_MAX 64
#define CHAT_PASTES_MAX 16
#define CHAT_LABELS_MAX 8

struct chat_paste {
	char label[64];
	struct buf text;
};

struct chat_undo {
	struct buf text;
	size_t cursor;
};

enum chat_edit_result {
	CHAT_EDIT_NONE,   /* no key of the editor */
	CHAT_EDIT_DONE,   /* handled */
	CHAT_EDIT_SUBMIT, /* Enter: the text is complete */
};

struct chat_edit {
	struct buf text;
	size_t cursor;
	size_t columns; /* of a row of text on the screen, for Up and Down */

	struct chat_undo undo[CHAT_UNDO_MAX];
	size_t undo_count;
	bool is_typing; /* the last change was typing, so more of it is the same step */

	struct buf killed;
	bool is_line;    /* of vi: it holds whole lines, without the last newline */
	bool is_killing; /* the last key killed, so the next kill adds to it */

	struct chat_paste pastes[CHAT_PASTES_MAX];
	size_t paste_count;
	char labels[CHAT_LABELS_MAX][160]; /* further text that moves and goes as one, and stays */
	size_t label_count;                /* of all so far; the oldest is replaced */

	struct str *history; /* oldest first; memory of its own */
	size_t history_count, history_room;
	size_t history_at; /* == history_count: the draft */
	struct buf draft;

	bool is_vi;           /* keys of vi */
	bool is_normal;       /* of vi: letters are commands */
	uint32_t vi_operator; /* that waits for a motion; 0: none */
	unsigned vi_count;

	bool is_searching;
	struct buf search;
	size_t search_at; /* the entry that is shown */
	bool is_found;
};

void chat_edit_init(struct chat_edit *e);
void chat_edit_done(struct chat_edit *e);

enum chat_edit_result chat_edit_key(struct chat_edit *e, const struct chat_key *k);
void chat_edit_insert(struct chat_edit *e, struct str text);
/* Replaces the bytes between two offsets; the cursor goes behind the new text. */
void chat_edit_replace(struct chat_edit *e, size_t from, size_t to, struct str text);
/* Replaces everything; the cursor goes to the end.  One step of undo. */
void chat_edit_set(struct chat_edit *e, struct str text);
/* The same for a message that comes back; a very long one as a paste. */
void chat_edit_restore(struct chat_edit *e, struct str text);
/* Moves the text out, with pastes in place, and empties the editor. */
void chat_edit_take(struct chat_edit *e, struct buf *out);
void chat_edit_clear(struct chat_edit *e);
/* Adds pasted text, as a label if it is large. */
void chat_edit_paste(struct chat_edit *e, struct str text);
/* From now on this text moves and goes as one. */
void chat_edit_keep_label(struct chat_edit *e, struct str label);
/* The newest entry; the same text twice in a row is one entry. */
void chat_history_add(struct chat_edit *e, struct str text);

/* Motions: where the cursor would be. */
size_t chat_edit_before(struct chat_edit *e);
size_t chat_edit_after(struct chat_edit *e);
size_t chat_edit_line_begin(const struct chat_edit *e);
size_t chat_edit_line_end(const struct chat_edit *e);
/* One row up or down; beyond the text, the history. */
void chat_edit_row(struct chat_edit *e, bool is_up);
/* Moves the text between the cursor and `to` to the kill buffer. */
void chat_edit_kill_to(struct chat_edit *e, size_t to);
void chat_edit_undo(struct chat_edit *e);

/* chat_vi.c.  True: the key was a command of vi. */
bool chat_vi_key(struct chat_edit *e, const struct chat_key *k);

/* chat_history.c */
bool chat_history_key(struct chat_edit *e, const struct chat_key *k);
void chat_history_move(struct chat_edit *e, int by);
void chat_history_search(struct chat_edit *e);
void chat_history_done(struct chat_edit *e);

/* A part of the text; an empty text has no memory to point into. */
static inline struct str chat_edit_part(const struct chat_edit *e, size_t from, size_t to)
{
	return from < to ? str_of(e->text.ptr + from, to - from) : STR("");
}

#endif
