#ifndef MCP_SERVE_PUBLISH_H
#define MCP_SERVE_PUBLISH_H
/*
 * The setting mcp.publish: what MCP clients are offered besides our own tools.  Pure.
 *
 *   { "tools": ["read_file", {"tool": "mcp__files__stat", "as": "stat"}], "servers": ["docs"] }
 *
 * A tool has its own name or the one of "as".  A server offers all its tools under the names that it
 * gives them, and its resources and prompts.  Of two things of one name the first is offered; our own
 * tools come first.
 */
#include "base/err.h"
#include "base/json.h"
#include "base/jw.h"

#define MCP_SERVE_PUBLISH_MAX 256 /* of tools, and of servers */

struct mcp_serve_published {
	struct str tool, as; /* of a tool */
	struct str server;   /* or of a server */
};

struct mcp_serve_publish {
	const struct mcp_serve_published *items;
	size_t count;
};

/* Texts live in the arena. */
enum err mcp_serve_publish_read(struct arena *mem, struct json setting,
                                struct mcp_serve_publish *ret, struct error *e) MUST_USE;
/* The member "names" of the arguments of list_tools. */
void mcp_serve_publish_names(const struct mcp_serve_publish *p, struct json_writer *w);
/* The tools of the reply of list_tools, as the protocol lists them; inside an array. */
void mcp_serve_publish_list(const struct mcp_serve_publish *p, struct json tools, bool is_modern,
                            struct json_writer *w);
/* The name in the inventory of what a client calls by that name; absent: nothing. */
struct str mcp_serve_publish_find(const struct mcp_serve_publish *p, struct json tools,
                                  struct str name);

#endif
