#ifndef APP_CHAT_PICK_H
#define APP_CHAT_PICK_H
/* A list on the alternate screen of which the user picks one.  It waits for the user. */
#include "app/cli/cli.h"

struct chat_pick_list {
	const char *title; /* with the keys */
	const char **rows; /* safe to print */
	struct str *names; /* what typing filters by */
	size_t count;
};

/* False: the user left, or the terminal cannot be set up. */
bool chat_pick_row(struct cli *c, const struct chat_pick_list *list, size_t *ret);
/* Lists sessions; the user picks one.  Absent: none. */
struct str chat_pick_session(struct cli *c);

#endif
