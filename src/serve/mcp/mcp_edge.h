#ifndef SERVE_MCP_EDGE_H
#define SERVE_MCP_EDGE_H
/* MCP clients at /mcp. */
#include "serve/serve_int.h"

struct mcp_edge;

/* NULL: e says why. */
struct mcp_edge *mcp_edge_new(struct serve *s, struct error *e) MUST_USE;
void mcp_edge_free(struct mcp_edge *edge); /* NULL is fine */
void mcp_edge_drain(struct mcp_edge *edge);
/* GET and DELETE with the id of a session: its stream, and its end. */
void mcp_edge_open_session(struct mcp_edge *edge, struct http_request *req,
                           const struct caller *caller);
void mcp_edge_open(struct mcp_edge *edge, struct http_request *req, const struct caller *caller);

#endif
