#ifndef APP_HIDDEN_LINE_H
#define APP_HIDDEN_LINE_H
/* Reads a secret from the terminal without showing it. */
#include "app/cli/cli.h"

#define HIDDEN_LINE_MAX 8192

/* STR_NONE when it was interrupted.  The caller wipes the text. */
struct str hidden_line_read(struct cli *c, const char *prompt);

#endif
