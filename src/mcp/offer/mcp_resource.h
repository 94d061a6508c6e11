#ifndef MCP_OFFER_MCP_RESOURCE_H
#define MCP_OFFER_MCP_RESOURCE_H
/*
 * Two more tools of a server that has resources: list_resources shows the list that this runtime
 * holds, read_resource asks the server.  Both names are ours whatever the server offers, so that
 * rules for them hold: a tool of the server with such a name gets another full name.
 */
#include "base/arena.h"
#include "ports/tool.h"

struct mcp_server;

enum mcp_resource_tool { MCP_RESOURCE_NONE, MCP_RESOURCE_LIST, MCP_RESOURCE_READ };
#define MCP_RESOURCE_TOOLS 2

/* Is it the name of one of them? */
bool mcp_resource_is_reserved(struct str tool);
/* The tools, behind each other; 0: the server has no resources. */
size_t mcp_resource_infos(struct arena *mem, const struct mcp_server *s, struct str owner,
                          bool is_online, struct tool_info ret[MCP_RESOURCE_TOOLS]);
enum mcp_resource_tool mcp_resource_find(const struct mcp_server *s, struct str tool);
/* A page of the list, as a model reads it. */
void mcp_resource_list(const struct mcp_server *s, struct str args, struct buf *out);
/* The params of resources/read; absent: the arguments name none. */
struct str mcp_resource_params(struct arena *mem, struct str args, struct str *ret_uri);

#endif
