#ifndef MCP_MCP_REDACT_H
#define MCP_MCP_REDACT_H
/*
 * Words of a server for people and for the diagnostic log: without the values of its own settings (env,
 * headers, a client's secret) and without what the redactor knows.  A text is redacted before it is
 * cut, because a part of a value is not recognised.
 */
#include "base/arena.h"

struct mcp_server;

/* The result is in mem. */
struct str mcp_redact(const struct mcp_server *s, struct arena *mem, struct str text);

#endif
