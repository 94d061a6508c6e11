#ifndef APP_CLI_CHANGE_PLACE_H
#define APP_CLI_CHANGE_PLACE_H
/*
 * The place of a changed file, by its open directory.  The agent may have placed
 * a symbolic link in the path since, to redirect the write; so no link is
 * followed below the session's directory.
 */
#include "app/cli/changes/changes.h"

enum change_kind { CHANGE_FILE, CHANGE_LINK, CHANGE_DIRECTORY };

struct change_place {
	const char *path; /* for people */
	const char *name;
	int dir;            /* -1: cannot be reached, with the reason in `why` */
	int why;            /* errno */
	struct json change; /* payload of the event */
	enum change_kind kind;
	bool is_created, is_deleted;
};

/* makes: directories on the way are made if they are missing. */
struct change_place change_place_of(const struct changes *ch, struct json e, bool makes);
void change_place_done(struct change_place *p);

/* Is it as the change left it? */
bool change_place_is_as_left(struct arena *mem, const struct change_place *p);
/* Was it reverted already?  before: the old content; absent: there was none, or it is not known. */
bool change_place_is_as_before(struct arena *mem, const struct change_place *p, struct str before);
/*
 * Whether the file has the content from before this change again, by undo or by hand.  The newest
 * change whose result is there now still counts, and so do those before it.
 */
bool change_place_is_undone(const struct changes *ch, size_t at);
/* Both return false with errno.  A directory that is not empty is not removed: ENOTEMPTY. */
bool change_place_remove(const struct change_place *p);
bool change_place_restore(struct arena *mem, const struct change_place *p, struct str before);
/* Hard links: what is restored is a file of its own, and the others keep what the turn wrote. */
bool change_place_has_other_names(const struct change_place *p);

#endif
