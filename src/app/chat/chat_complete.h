#ifndef APP_CHAT_COMPLETE_H
#define APP_CHAT_COMPLETE_H
/*
 * Completion of the word at the cursor: "/" at the beginning of the input lists
 * commands, "@" lists files of the directory by fuzzy match.  Behind a command of a tool server
 * ("/SERVER:PROMPT ") the server's own suggestions are offered once they have come.
 *
 * The menu is open while there is something to offer.  Up, Down and Tab choose,
 * Enter or Tab takes, Escape closes it for this word.
 */
#include "app/chat/screen/chat_draw.h"

struct chat_complete {
	const char *dir;
	const char *(*command_name)(size_t i); /* NULL behind the last */
	const char *(*command_help)(size_t i);
	const struct str *more; /* further commands, those of files */
	const char *const *more_help;
	size_t more_count;
	struct chat_menu menu;
	size_t from;       /* where the word begins in the input */
	bool is_closed;    /* the user closed it; a new word opens it again */
	struct arena *mem; /* of the files */
	struct str *files;
	size_t file_count;
	bool has_files;
	/* Lists them into mem, instead of the directory here; false: they are not known yet. */
	bool (*list)(void *owner, struct arena *mem, struct str **ret, size_t *ret_count);
	void *owner;
	/* Suggestions for the words behind a prompt; NULL: none are asked for.  Must not wait. */
	void (*ask)(void *owner, struct str line);
	void *ask_owner;
	const struct str *values;
	size_t value_count;
	bool is_value; /* the menu shows them: Enter sends the line */
};

void chat_complete_init(struct chat_complete *c, const char *dir);
/* The commands that "/" offers; without this call none. */
void chat_complete_commands(struct chat_complete *c, const char *(*name)(size_t i),
                            const char *(*help)(size_t i));
void chat_complete_done(struct chat_complete *c);
/* After each change of the input. */
void chat_complete_update(struct chat_complete *c, struct chat_edit *e);
/* True: the key was for the menu. */
bool chat_complete_key(struct chat_complete *c, struct chat_edit *e, const struct chat_key *k);
void chat_complete_close(struct chat_complete *c);
/* NULL: it is not open. */
const struct chat_menu *chat_complete_menu(const struct chat_complete *c);
/* How well the letters of `what` occur in this order in `text`; -1: they do not. */
int chat_complete_score(struct str text, struct str what);

/* chat_files.c: files below dir that no ignore file names, relative to dir, at most max. */
size_t chat_files_list(struct arena *mem, const char *dir, struct str **ret, size_t max);
#define CHAT_FILES_MAX 20000

#endif
