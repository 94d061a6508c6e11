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
	struct str cwd;
};

/* Of the first argument, or @last.  Says so if there are none. */
int changes_read(struct cli *c, struct changes *ch);
/* Is the event of the turn that was named, if one was? */
bool changes_is_meant(const struct changes *ch, struct json e);
/* A ref of the event; absent: none. */
struct str changes_ref(struct json e, const char *name);
/* The whole output; absent when it cannot be read. */
struct str changes_output(struct cli *c, struct str ref);

#endif
