#ifndef APP_PIPED_INPUT_H
#define APP_PIPED_INPUT_H
/*
 * Text that comes on stdin.
 *
 * A pipe or a file on stdin may be meant for the command (git diff | thole run ...), or a parent
 * left it open.  So nothing is read from terminals and devices, a wait is announced, and text that
 * is only an addition is not awaited for ever.
 */
#include "app/cli/cli.h"

#define PIPED_INPUT_MAX (768u << 10) /* with the rest of the command below 1 MiB */

/* A pipe, or a file of which no other program has read. */
bool piped_input_is_there(void);
/* The same, unless it has ended already without a byte.  Takes up to a second. */
bool piped_input_has_text(void);
/*
 * Everything up to the end.  `awaits` waits as long as that takes; otherwise the text is absent if
 * none arrives in time.  Returns CODE_USAGE after saying what is wrong with the text.
 */
int piped_input_read(struct cli *c, bool awaits, struct str *ret);

#endif
