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
#include "app/cli/cli.h"

struct chat_pick_list {
	const char *title; /* what is picked */
	const char *enter; /* what Enter does */
	bool is_vi;        /* keys of vi */
	const char **rows; /* safe to print */
	struct str *names; /* what typing filters by */
	size_t count;
};

/* False: the user left, or the terminal cannot be set up. */
bool chat_pick_row(struct cli *c, const struct chat_pick_list *list, size_t *ret);
/* Lists sessions; the user picks one.  Absent: none. */
struct str chat_pick_session(struct cli *c, bool is_vi);

#endif
