/*
 * Earlier inputs: Up and Down walk through them, Ctrl-R searches backwards.
 * What was being written stays as the newest entry until it is sent.
 */
#include "app/chat/input/chat_edit.h"

#include "base/memory.h"
#include "app/chat/input/chat_text.h"

#define HISTORY_MAX 2000

void chat_history_done(struct chat_edit *e)
{
	for (size_t i = 0; i < e->history_count; i++)
		memory_free((char *)e->history[i].ptr);
	memory_free(e->history);
	buf_done(&e->draft);
	buf_done(&e->search);
}

void chat_history_add(struct chat_edit *e, struct str text)
{
	char *copy;

	if (!text.len || (e->history_count && str_eq(e->history[e->history_count - 1], text)))
		return;
	if (e->history_count == HISTORY_MAX) {
		memory_free((char *)e->history[0].ptr);
		memmove(e->history, e->history + 1, --e->history_count * sizeof *e->history);
	}
	if (e->history_count == e->history_room) {
		e->history_room = MAX(64, e->history_room * 2);
		e->history = memory_resize(e->history, e->history_room * sizeof *e->history);
	}
	copy = memory_alloc(text.len + 1);
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = 0;
	e->history[e->history_count++] = str_of(copy, text.len);
	e->history_at = e->history_count;
}

void chat_history_move(struct chat_edit *e, int by)
{
	size_t to = e->history_at + (size_t)by;

	if (by < 0 ? !e->history_at : e->history_at >= e->history_count)
		return;
	if (e->history_at == e->history_count) {
		buf_clear(&e->draft);
		buf_add_str(&e->draft, buf_str(&e->text));
	}
	e->history_at = to;
	chat_edit_set(e, to == e->history_count ? buf_str(&e->draft) : e->history[to]);
	e->cursor = e->text.len;
}

/* ---- searching ---- */

/* The newest entry below `from` that holds the searched text. */
static void find(struct chat_edit *e, size_t from)
{
	struct str what = buf_str(&e->search);

	e->is_found = false;
	for (size_t i = from; i > 0 && !e->is_found; i--)
		if (str_find(e->history[i - 1], what) >= 0) {
			e->search_at = i - 1;
			e->is_found = true;
		}
	if (e->is_found)
		chat_edit_set(e, e->history[e->search_at]);
}

void chat_history_search(struct chat_edit *e)
{
	buf_clear(&e->draft);
	buf_add_str(&e->draft, buf_str(&e->text));
	buf_clear(&e->search);
	e->search_at = e->history_count;
	e->is_searching = true;
	e->is_found = true;
}

static void cancel_search(struct chat_edit *e)
{
	chat_edit_set(e, buf_str(&e->draft));
	e->is_searching = false;
}

bool chat_history_key(struct chat_edit *e, const struct chat_key *k)
{
	bool is_control = k->mods & CHAT_CTRL;

	if (is_control && k->code == 'r') {
		find(e, e->search_at);
		return true;
	}
	if (k->code == CHAT_KEY_ESCAPE || (is_control && (k->code == 'g' || k->code == 'c'))) {
		cancel_search(e);
		return true;
	}
	if (k->code == CHAT_KEY_BACKSPACE && e->search.len) {
		e->search.len = chat_text_prev(buf_str(&e->search), e->search.len);
		find(e, e->history_count);
		return true;
	}
	if (k->code < CHAT_KEY_NAMED && str_is(k->text)) {
		buf_add_str(&e->search, k->text);
		find(e, e->search_at == e->history_count ? e->history_count : e->search_at + 1);
		return true;
	}
	/* Any other key takes the entry and acts on it. */
	e->is_searching = false;
	return false;
}
