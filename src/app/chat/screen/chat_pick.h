#ifndef APP_CHAT_PICK_H
#define APP_CHAT_PICK_H
/*
 * A list on the alternate screen of which the user picks one.  It waits for the user.
 *
 * Typing filters the list.  With the keys of vi, letters move until / begins a filter, and Esc
 * first ends the filter:
 *
 *   MOVING ──/──► FILTERING ──Esc──► MOVING ──Esc q──► left
 */
#include "app/chat/input/chat_keys.h"
#include "app/cli/cli.h"

struct chat_pick_list {
	const char *title; /* what is picked */
	const char *enter; /* what Enter does */
	bool is_vi;        /* keys of vi */
	const char **rows; /* safe to print */
	struct str *names; /* what typing filters by */
	size_t count;
};

/*
 * False: the user left.  The caller has taken the terminal over (chat_screen_open, chat_screen_clear).
 * keys: of the caller.  What was typed before the list appears is for the list, and what is typed
 * behind the key that leaves it is for the caller.
 */
bool chat_pick_row(struct cli *c, struct chat_keys *keys, const struct chat_pick_list *list,
                   size_t *ret);
/* Lists sessions; the user picks one.  Absent: none. */
struct str chat_pick_session(struct cli *c, struct chat_keys *keys, bool is_vi);

#endif
