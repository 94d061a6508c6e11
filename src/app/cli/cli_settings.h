#ifndef APP_CLI_SETTINGS_H
#define APP_CLI_SETTINGS_H
#include "app/cli/cli.h"

/*
 * The files of settings, the project's own, and what -c says, as JSON objects
 * in c->mem; NULL when there is nothing.  THOLE_* stands before the last one.
 */
struct cli_settings {
	const char *config, *project, *overrides;
	const char *project_file;  /* NULL: there is none */
	const char *rule_files[4]; /* for thole_open() */
};
int cli_settings_read(struct cli *c, struct cli_settings *ret);

/* A file of settings that changed after the daemon of this directory had started; NULL: none. */
const char *cli_settings_unread(struct cli *c);
/* Says so, and what to type. */
void cli_settings_tell_unread(struct cli *c);

/* "FILE:LINE" or "-c" of the setting that a message of thole_open() names; NULL: none of ours. */
const char *cli_settings_where(const char *message);

/* Would a runtime take them?  If not, *ret_why says which one not, in which file and line. */
bool cli_settings_are_good(struct cli *c, const struct cli_settings *s, const char **ret_why);

/* The permission rules of all layers, as a list in JSON: each with its source. */
int cli_settings_rules(struct cli *c, const char **ret);
/* What permission.default says; NULL: nothing. */
const char *cli_settings_default(struct cli *c);

#endif
