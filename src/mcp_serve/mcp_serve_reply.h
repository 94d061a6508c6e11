#ifndef MCP_SERVE_REPLY_H
#define MCP_SERVE_REPLY_H
/* Replies and notifications for MCP clients, in the revision that they speak.  Pure. */
#include "base/jw.h"
#include "mcp_serve/mcp_serve_request.h"
#include "mcp_serve/mcp_serve_turn.h"

/* {"jsonrpc", "id", "result": {...  The members of the result follow. */
struct json_writer mcp_serve_reply_begin(struct buf *out, const struct mcp_serve_request *r,
                                         struct str result_type);
void mcp_serve_reply_end(struct json_writer *w, const struct mcp_serve_request *r,
                         struct str version);
/* Members of results that may be kept: for how long, and that they are the caller's own. */
void mcp_serve_reply_ttl(struct json_writer *w, const struct mcp_serve_request *r, int64_t ttl_ms);

void mcp_serve_reply_error(struct buf *out, struct json id, const struct mcp_serve_error *e);
/* Of server/discover or initialize; version: of this program. */
void mcp_serve_reply_hello(struct buf *out, const struct mcp_serve_request *r, struct str version);
/* The templates of our resources; inside an array. */
void mcp_serve_reply_templates(struct json_writer *w);
/* The turn asks something: the client answers and repeats its request. */
void mcp_serve_reply_input_required(struct buf *out, const struct mcp_serve_request *r,
                                    const struct mcp_serve_turn *t,
                                    const struct mcp_serve_wait *question, struct str version);
/* The same as a request to a client of an earlier revision. */
void mcp_serve_reply_ask(struct buf *out, const struct mcp_serve_turn *t,
                         const struct mcp_serve_wait *question);

/* ---- notifications ---- */

void mcp_serve_reply_progress(struct buf *out, const struct mcp_serve_request *r,
                              const struct mcp_serve_turn *t);
/* The newest message of the tool's server. */
void mcp_serve_reply_log(struct buf *out, const struct mcp_serve_turn *t);
/* The first message of a stream of changes: the resources that it follows. */
void mcp_serve_reply_listening(struct buf *out, const struct mcp_serve_request *r,
                               const struct str *uris, size_t count);
void mcp_serve_reply_updated(struct buf *out, const struct mcp_serve_request *r, struct str uri);

/* ---- tasks ---- */

/* The reply to a call whose result comes later. */
void mcp_serve_reply_task_created(struct buf *out, const struct mcp_serve_request *r,
                                  const struct mcp_serve_turn *t, struct str version);
/* Of tasks/get, and of tasks/cancel before 2026-07-28. */
void mcp_serve_reply_task(struct buf *out, const struct mcp_serve_request *r,
                          const struct mcp_serve_turn *t, struct str version);

#endif
