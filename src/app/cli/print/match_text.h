#ifndef CLI_MATCH_TEXT_H
#define CLI_MATCH_TEXT_H
/*
 * What a rule or a grant matches, as one line of text.
 */
#include "base/arena.h"
#include "base/json.h"

/* `command ["npm","test"], cwd /home/me/project`; safe to print.  Lives in mem. */
const char *match_text(struct arena *mem, struct json match);

#endif
