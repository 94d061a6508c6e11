#ifndef MCP_MCP_HTTP_MESSAGE_H
#define MCP_MCP_HTTP_MESSAGE_H
/*
 * Messages of the Model Context Protocol as HTTP carries them: the headers of a
 * request, and a response as messages.  Pure: texts in, texts out.
 *
 * A line of mcp_protocol.h is the body of one POST.  Its headers come from that
 * body, so the two cannot differ.  A response is one JSON text or a stream of
 * server-sent events; both become lines for mcp_protocol_feed().
 */
#include "base/json.h"
#include "net/http/http_client.h"
#include "net/http/sse.h"

/* ---- the request ---- */

/* What a line says about itself.  Strings live in the arena. */
struct mcp_http_line {
	struct str method;  /* absent: an answer to the server */
	struct str name;    /* of the tool or the prompt, or the address of the resource */
	struct str version; /* in _meta; absent before 2026-07-28 */
	struct json args;   /* of tools/call */
	int64_t id;         /* of a request; 0: none */
	int64_t cancelled;  /* of notifications/cancelled: the request; 0: none */
};

/* A line that is no message leaves ret empty. */
void mcp_http_message_read_line(struct arena *mem, struct str line, struct mcp_http_line *ret);

#define MCP_HTTP_PARAMS_MAX 32 /* x-mcp-header annotations of one tool */
#define MCP_HTTP_HEADERS_MAX (MCP_HTTP_PARAMS_MAX + 8)

/* What holds for the connection; absent strings are not sent. */
struct mcp_http_context {
	struct str version;       /* that initialize settled on */
	struct str session;       /* Mcp-Session-Id */
	struct str last_event_id; /* of a stream that is resumed */
	bool is_get;
};

/* Returns how many headers were written to ret, at most MCP_HTTP_HEADERS_MAX. */
size_t mcp_http_message_headers(struct arena *mem, const struct mcp_http_context *c,
                                const struct mcp_http_line *line, struct json input_schema,
                                struct http_client_header *ret);
/* ERR_INVALID: an x-mcp-header annotation is invalid, so the tool cannot be offered. */
enum err mcp_http_message_check_schema(struct json input_schema, struct error *e) MUST_USE;
/* The value as it is, or in base64 where a header could not carry it. */
struct str mcp_http_message_value(struct arena *mem, struct str value);

/* ---- the user's own headers ---- */

/* Whether a configured header may have this name: a token that the transport does not use. */
bool mcp_http_message_is_header_name(struct str name);
bool mcp_http_message_is_header_value(struct str value);
/* Visible ASCII, bounded. */
bool mcp_http_message_is_session(struct str id);

/* ---- the response ---- */

/* A zeroed struct with max set is ready. */
struct mcp_http_reader {
	size_t max; /* bytes of one message */
	bool is_stream;
	struct sse_parser sse;
	struct buf body;
	bool is_failed;
};

/* One message, as one line with its line break. */
typedef void mcp_http_on_line(void *arg, struct str line);

/* The response's Content-Type is known. */
void mcp_http_message_begin(struct mcp_http_reader *r, struct str content_type);
/* Events are reported as they come.  False: a message is larger than max, from then on. */
bool mcp_http_message_feed(struct mcp_http_reader *r, struct str bytes, mcp_http_on_line *cb,
                           void *arg) MUST_USE;
/* The response is complete: reports a JSON text.  A stream has nothing more to report. */
void mcp_http_message_end(struct mcp_http_reader *r, mcp_http_on_line *cb, void *arg);
/* The last event id of a stream; absent: none that a header can carry.  In the reader's memory. */
struct str mcp_http_message_event_id(const struct mcp_http_reader *r);
void mcp_http_message_done(struct mcp_http_reader *r);

/*
 * An error response as an answer to the request: the JSON-RPC error of its body, or one that names
 * the status.
 */
void mcp_http_message_write_refusal(struct buf *out, int64_t id, int status, struct str body);
/*
 * Whether this response to server/discover comes from a server of the older revision.  Silence, a
 * login, a redirect and a failing server say nothing about the revision.
 */
bool mcp_http_message_means_older(int status);
/* What the status means to a user, in a few words. */
struct str mcp_http_message_status(struct arena *mem, int status, struct str location);

#endif
