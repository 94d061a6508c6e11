#ifndef APP_CLI_MCP_ADD_H
#define APP_CLI_MCP_ADD_H
/* mcp add, add-json and remove: tool servers in the user's settings, or in a project's .mcp.json. */
#include "app/cli/cli.h"

/* c->args: add NAME [COMMAND ARGS...], or add-json NAME JSON. */
int cli_mcp_add(struct cli *c);
/* c->args: remove NAME. */
int cli_mcp_add_undo(struct cli *c);

/* ---- cli_mcp_entry.c ---- */

/* Whether words and options go together; CODE_DONE, or CODE_USAGE after printing the error. */
int cli_mcp_entry_check(struct cli *c);
/* The entry as JSON on one line; is_project: it is for a file that others read too. */
int cli_mcp_entry_read(struct cli *c, bool is_project, struct str *ret);

/* ---- cli_mcp_try.c ---- */

/*
 * Starts the server of this entry with the user's settings, in a runtime of this process, and prints
 * its tools or why it does not run.  Returns the exit code.
 */
int cli_mcp_try(struct cli *c, struct str name, struct str entry);
/* {KEY: VALUE} as text; value is JSON. */
const char *cli_mcp_try_object(struct cli *c, struct str key, struct str value);

/* ---- cli_mcp.c ---- */

/* The tools of a row of list_tool_servers, a line each, from get_tool_inventory. */
void cli_mcp_print_tools(struct cli *c, struct json inventory, struct json row);

#endif
