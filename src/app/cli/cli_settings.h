#ifndef APP_CLI_SETTINGS_H
#define APP_CLI_SETTINGS_H
#include "app/cli/cli.h"

/*
 * The settings files, the project's file and -c, as JSON objects in c->mem;
 * NULL when empty.  THOLE_* variables apply before the last one.
 */
struct cli_settings {
	const char *config, *project, *overrides;
	const char *project_file;  /* NULL: there is none */
	const char *rule_files[4]; /* for thole_open() */
};
int cli_settings_read(struct cli *c, struct cli_settings *ret);

/* A file of settings that changed after the daemon of this directory had started; NULL: none. */
const char *cli_settings_unread(struct cli *c);
/* Prints a note about it with the command to run. */
void cli_settings_tell_unread(struct cli *c);

/* "FILE:LINE" or "-c" of the setting in a message of thole_open(); NULL: not from our layers. */
const char *cli_settings_where(const char *message);

/* Whether a runtime accepts them; if not, *ret_why names the setting, file and line. */
bool cli_settings_are_good(struct cli *c, const struct cli_settings *s, const char **ret_why);

/* The permission rules of all layers, as a list in JSON: each with its source. */
int cli_settings_rules(struct cli *c, const char **ret);
/* The value of a setting that is a word, from all layers and its variable; NULL: not set. */
const char *cli_settings_word(struct cli *c, const char *key, const char *variable);
/* The value of a setting that is a number, from all layers. */
int64_t cli_settings_number(struct cli *c, const char *key, int64_t otherwise);
/* The directory of worktrees: worktrees.dir, or beside the data directory. */
const char *cli_settings_worktrees(struct cli *c);
/* Turns --allow-hosts into a setting of the command line. */
int cli_settings_allow_hosts(struct cli *c);
/* Turns --store into a setting of the command line. */
int cli_settings_store(struct cli *c);
/* Whether the log is in a database; nothing of it is in the data directory then. */
bool cli_settings_has_store(struct cli *c);
/* The value of permission.default; NULL: not set. */
const char *cli_settings_default(struct cli *c);
/* sandbox.allow_hosts as JSON, or NULL: what commands in the sandbox can reach. */
const char *cli_settings_reachable(struct cli *c);

#endif
