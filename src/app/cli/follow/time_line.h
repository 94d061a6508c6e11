#ifndef APP_TIME_LINE_H
#define APP_TIME_LINE_H
/*
 * One line that says what took the time of a session or of a turn, for `why` and
 * `show`: "12 s: model 9 s, people 2 s, …".
 */
#include "app/cli/cli.h"

/* turn may be absent: the session.  NULL: nothing is known about it. */
const char *time_line_text(struct cli *c, struct str session, struct str turn);

#endif
