#ifndef APP_CHAT_PLAIN_H
#define APP_CHAT_PLAIN_H
/* A chat without a screen: one message per line. */
#include "app/cli/cli.h"

/* session: NUL-terminated; absent: a new one.  Returns the exit code. */
int chat_plain_run(struct cli *c, struct str session, struct str thread);

#endif
