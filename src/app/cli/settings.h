#ifndef APP_SETTINGS_H
#define APP_SETTINGS_H
#include "app/cli/cli.h"

/* The files of settings and -c as one JSON object in c->mem; NULL when there is nothing. */
int settings_text(struct cli *c, const char **ret);

/* "FILE:LINE" or "-c" of the setting that a message of thole_open() names; NULL: none of ours. */
const char *settings_where(const char *message);

#endif
