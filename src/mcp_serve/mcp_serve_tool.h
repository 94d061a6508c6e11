#ifndef MCP_SERVE_TOOL_H
#define MCP_SERVE_TOOL_H
/* The tools that MCP clients are offered, and their arguments.  Pure. */
#include "base/json.h"
#include "base/jw.h"

#define MCP_SERVE_WAIT_MS 50000 /* clients give up after 60 s if nothing is said */

enum mcp_serve_tool {
	MCP_SERVE_RUN,
	MCP_SERVE_SEND,
	MCP_SERVE_WAIT,
	MCP_SERVE_STOP,
	MCP_SERVE_READ,
	MCP_SERVE_DECIDE,
	MCP_SERVE_TOOLS,
};

/* What of a client's rights a tool needs. */
struct mcp_serve_rights {
	bool may_read, may_write, may_approve;
};

struct mcp_serve_args {
	struct str prompt, cwd, title, model, thread, task, message, reason, action, decision;
	int64_t wait_ms; /* how long the call may wait for the end of the turn */
};

/* Is it the name of one of them? */
bool mcp_serve_tool_is_own(struct str name);
/* Inside an array; those that the client has no right to call are left out. */
void mcp_serve_tool_list(struct json_writer *w, const struct mcp_serve_rights *rights,
                         bool is_modern);
/* False: there is no such tool for this client. */
bool mcp_serve_tool_find(struct str name, const struct mcp_serve_rights *rights,
                         enum mcp_serve_tool *ret) MUST_USE;
/* False: *ret_wrong says which argument is wrong and what it must be. */
bool mcp_serve_tool_read(struct arena *mem, enum mcp_serve_tool tool, struct json arguments,
                         struct mcp_serve_args *ret, struct str *ret_wrong) MUST_USE;

#endif
