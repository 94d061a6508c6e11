#ifndef APP_WHOLE_TEXT_H
#define APP_WHOLE_TEXT_H
/*
 * Text that a person decides about, such as the command line of a hook.
 *
 * A line break ends a command as much as a semicolon does, so it is never shown
 * as a blank.  Hidden characters are shown by their number.
 */
#include "app/cli/cli.h"
#include "app/cli/print/out.h"

/* On stderr, unless --quiet: "HEAD: text", or HEAD and each line of the text behind a mark. */
void whole_text_note(const struct cli *c, enum tone tone, const char *head, struct str text);

/* On one line, for a cell of a table: a sign where a line ends. */
const char *whole_text_line(struct arena *mem, struct str text);

#endif
