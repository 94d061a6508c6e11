#ifndef APP_SETTINGS_H
#define APP_SETTINGS_H
#include "app/cli/cli.h"

/*
 * The files of settings and what -c says, as two JSON objects in c->mem;
 * NULL when there is nothing.  THOLE_* stands between the two.
 */
int settings_text(struct cli *c, const char **ret_config, const char **ret_overrides);

/* "FILE:LINE" or "-c" of the setting that a message of thole_open() names; NULL: none of ours. */
const char *settings_where(const char *message);

/* The permission rules of all layers, as a list in JSON: each with its source. */
int settings_rules(struct cli *c, const char **ret);

#endif
