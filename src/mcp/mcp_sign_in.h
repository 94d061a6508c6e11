#ifndef MCP_MCP_SIGN_IN_H
#define MCP_MCP_SIGN_IN_H
/* Private to the files of src/mcp: a server and its login. */
#include "ports/tool.h"

struct mcp_server;

void mcp_sign_in_join(struct mcp_server *s); /* its login, if it can have one */
void mcp_sign_in_leave(struct mcp_server *s);
enum err mcp_sign_in_login(struct toolset *port, struct str server, struct tool_login *l,
                           struct error *e);
enum err mcp_sign_in_logout(struct toolset *port, struct str server, bool *ret, struct error *e);

#endif
