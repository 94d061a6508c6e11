#ifndef MCP_OFFER_MCP_ASK_H
#define MCP_OFFER_MCP_ASK_H
/*
 * What a person wants from a server outside of any turn: prompts, completions and resources, for
 * the functions `prompts` and `ask` of ports/tool.h.
 */
#include "ports/tool.h"

struct mcp_server;

size_t mcp_ask_prompts(struct toolset *port, struct arena *mem, const struct tool_prompt **ret);
bool mcp_ask_start(struct toolset *port, struct tool_ask *a);
/* A resource has changed: ends the requests that wait for that. */
void mcp_ask_changed(struct mcp_server *s);
/* The connection ends: all that wait for it fail. */
void mcp_ask_lose_all(struct mcp_server *s, struct str why);
/* The runtime is gone: no further callbacks. */
void mcp_ask_drop_all(struct mcp_server *s);

#endif
