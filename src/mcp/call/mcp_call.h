#ifndef MCP_CALL_MCP_CALL_H
#define MCP_CALL_MCP_CALL_H
/* Private to the files of src/mcp: calls of the tools of servers. */
#include "mcp/mcp_protocol.h"
#include "ports/tool.h"

struct mcp_set;
struct mcp_server;

struct tool_handle *mcp_call_start(struct toolset *port, const struct tool_start *start,
                                   const struct tool_sink *sink, void *owner);
void mcp_call_cancel(struct toolset *port, struct tool_handle *h);
/* Its task continues on the server. */
void mcp_call_leave(struct toolset *port, struct tool_handle *h);
void mcp_call_pause(struct toolset *port, struct tool_handle *h);
void mcp_call_answer(struct toolset *port, struct tool_handle *h, enum tool_answer action,
                     struct str content);
/* Callbacks of the protocol about a call. */
void mcp_call_end_progress(struct mcp_call *c, struct str message, int64_t completed,
                           int64_t total);
void mcp_call_end_log(struct mcp_call *c, struct json params);
void mcp_call_asked(struct mcp_call *c, const struct mcp_question *q);
void mcp_call_settled(struct mcp_call *c, bool is_done);
void mcp_call_ended(struct mcp_call *c, const struct mcp_result *r);
/* All violations before the answer have been reported. */
void mcp_call_end_tell_all(struct mcp_server *s);
/* Reports a violation; it is assigned to a call only if exactly one is open. */
void mcp_call_violated(struct mcp_server *s, const struct tool_violation *v);
/* The server is gone: ends all open calls as lost, but those that it runs as tasks. */
void mcp_call_lose_all(struct mcp_server *s, struct str why);
void mcp_call_drop_all(struct mcp_set *s); /* no further callbacks */

/* ---- logins ---- */

/* The open call with this id waits until a person has signed in.  False: it is none. */
bool mcp_call_login_wanted(struct mcp_server *s, int64_t id);
/* The server's login has changed: asks, continues or ends the calls that wait for it. */
void mcp_call_login_changed(struct mcp_server *s);
/* The server is ready: calls that waited for its login begin, and tasks are followed again. */
void mcp_call_login_ready(struct mcp_server *s);

#endif
