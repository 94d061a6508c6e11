#ifndef APP_RESOURCE_REFS_H
#define APP_RESOURCE_REFS_H
/*
 * Resources of tool servers that a person names in a message: @SERVER:URI, such as
 * @tickets:ticket://12.  Only words that the person typed count, never a text that a file or a
 * server wrote.
 */
#include "app/cli/cli.h"

/* The context of submit_turn as JSON; absent: the message names none. */
struct str resource_refs_read(struct arena *mem, struct str message);

#endif
