#ifndef APP_CLI_CHANGES_H
#define APP_CLI_CHANGES_H
/*
 * The changes of files in a session or a turn, oldest first.
 *
 * Each is an event (artifact.changed) with the hash of the new content, a diff,
 * and behind the ref `checkpoint` the old content.
 */
#include "app/cli/cli.h"
#include "app/cli/ref.h"
#include "base/map.h"

#define CHANGES_FILE_MAX (64u << 20)

struct change_events {
	struct json *items;
	size_t count, cap;
};

struct changes {
	struct cli *c;
	struct ref ref;
	struct change_events found; /* of all turns: a later one may have changed the same file */
	size_t meant;               /* so many of them are of the turn or session that was named */
	struct change_events warnings; /* runtime.warning: what undo does not cover */
	bool has_command;              /* a command ran */
	struct map undone; /* sequences of changes that were undone; values are not used */
	struct str cwd;
};

/* Of the first argument, or @last.  Says so if there are none. */
int changes_read(struct cli *c, struct changes *ch);
void changes_add(struct changes *ch, struct change_events *l, struct json e);
/* Takes the note of an earlier undo out of an event (changes_undone.c). */
void changes_undone_take(struct changes *ch, struct json e);
/* Is the event of the turn that was named, if one was? */
bool changes_is_meant(const struct changes *ch, struct json e);
/* Was this change undone? Then what is there now is not of the turn, even if it looks the same. */
bool changes_undone_has(const struct changes *ch, struct json e);
/* Remembers in the log that these changes were undone. */
int changes_undone_record(struct changes *ch, const struct change_events *undone);
void changes_done(struct changes *ch);
/* A ref of the event; absent: none. */
struct str changes_ref(struct json e, const char *name);
/* Where the change was made: the path behind links that the log has, else the path itself. */
struct str changes_path(struct json e);
/* The whole output; absent when it cannot be read. */
struct str changes_output(struct cli *c, struct str ref);

#endif
