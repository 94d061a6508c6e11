#ifndef MCP_MCP_REDIRECT_H
#define MCP_MCP_REDIRECT_H
/*
 * The loopback address that the browser is redirected to at the end of a login
 * (RFC 8252 section 7.3).  It is open only while a login waits for a person,
 * accepts only requests that name it as their host, and shows a short page.
 */
#include "base/err.h"
#include "net/loop.h"

#define MCP_REDIRECT_PATH "/callback"

struct mcp_redirect;

/* The browser came to that address.  Returns why it was not accepted; absent: it was. */
typedef struct str mcp_redirect_arrived(void *owner, struct str url);

/* port 0: any free one. */
enum err mcp_redirect_open(struct loop *loop, int port, mcp_redirect_arrived *cb, void *owner,
                           struct mcp_redirect **ret, struct error *e) MUST_USE;
struct str mcp_redirect_uri(const struct mcp_redirect *r);
/*
 * No further callbacks; a page that is being sent is finished, then *at becomes NULL.  May be called
 * from the callback.
 */
void mcp_redirect_leave(struct mcp_redirect *r, struct mcp_redirect **at);
void mcp_redirect_free(struct mcp_redirect *r); /* at once, not from the callback; NULL is fine */

#endif
