#ifndef APP_EXPAND_COMMAND_H
#define APP_EXPAND_COMMAND_H
/*
 * A message "/name words" whose first word names a command as a Markdown file.
 * "/etc/hosts is wrong" names none and stays a message.
 */
#include "app/cli/cli.h"
#include "base/json.h"

enum expand_command {
	EXPAND_COMMAND_NONE,    /* the message names no command */
	EXPAND_COMMAND_DONE,    /* the reply has the text */
	EXPAND_COMMAND_REFUSED, /* the reply is the problem */
};

/* Asks the daemon, if the first word can be a name.  cwd may be NULL: the current directory. */
enum expand_command expand_command(struct cli *c, const char *cwd, struct str message,
                                   struct json *ret);
/* Where the text comes from, and what of it is not used; safe to print. */
const char *expand_command_origin(struct cli *c, struct json reply);

#endif
