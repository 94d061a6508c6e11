#ifndef MCP_OFFER_MCP_SAMPLING_H
#define MCP_OFFER_MCP_SAMPLING_H
/*
 * A request of a tool server for an answer of a model of this runtime (sampling/createMessage).
 * Pure.
 *
 * A server is not trusted: only what its settings permit is read, and the request is checked before a
 * person or a model sees it.  It gets no tools, no context and no choice of the model.
 */
#include "base/err.h"
#include "base/json.h"
#include "ports/tool.h"

/* What the user's settings of a server permit. */
struct mcp_sampling {
	bool is_on;
	bool asks;          /* a person allows each request */
	struct str model;   /* absent: that of the turn */
	int64_t budget_usd; /* of one turn, in 1e-9 dollars */
	int64_t max_tokens; /* of one answer */
};

/* The member "sampling" of a server's settings; strings live in mem. */
enum err mcp_sampling_settings(struct arena *mem, struct json v, struct mcp_sampling *ret,
                               struct error *e) MUST_USE;
/*
 * Reads the params of a request.  ERR_INVALID, ERR_TOO_LARGE: no model is asked this; the error says
 * why.  ret_stops: JSON of its stop sequences, or absent.  Strings live in mem.
 */
enum err mcp_sampling_read(struct arena *mem, const struct mcp_sampling *s, struct json params,
                           struct sampling_request *ret, struct str *ret_stops,
                           struct error *e) MUST_USE;
/*
 * The result for the server.  answer: {"text", "model", "stopReason"}.  The text ends before the first
 * stop sequence.
 */
void mcp_sampling_write(struct buf *out, struct str answer, struct str stops);

#endif
