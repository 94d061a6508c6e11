#ifndef MCP_SERVE_TEMPLATE_H
#define MCP_SERVE_TEMPLATE_H
/* Templates of addresses (RFC 6570), as far as it takes to tell whether one made an address.  Pure. */
#include "base/str.h"

#include <stdbool.h>

#define MCP_SERVE_TEMPLATE_MAX 2048 /* bytes of a template and of an address */

/*
 * How exactly the template describes the address: 1, and one more for each of its own characters.
 * 0: the address is not made from it, or one of the two is too long.
 */
unsigned mcp_serve_template_match(struct str template, struct str uri);

#endif
