#ifndef APP_CLI_MCP_LOGIN_H
#define APP_CLI_MCP_LOGIN_H
/* `thole mcp login`, `logout` and `client-metadata`: signing in at tool servers. */
#include "app/cli/cli.h"
#include "base/json.h"

/* row: the server, as list_tool_servers has it. */
int cli_mcp_login_begin(struct cli *c, struct json row);
int cli_mcp_login_forget(struct cli *c, struct json row);
/* Needs no daemon. */
int cli_mcp_login_document(struct cli *c);

#endif
