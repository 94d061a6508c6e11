#ifndef MCP_SERVE_REQUEST_H
#define MCP_SERVE_REQUEST_H
/*
 * One message of an MCP client, in either revision.  Pure.
 *
 * Revision 2026-07-28 says its version in every request, in the body and in a header, and the two
 * must agree.  Earlier revisions begin with initialize; because nothing is kept between
 * requests, each of their messages is understood alone.
 */
#include "base/json.h"

#define MCP_SERVE_MODERN "2026-07-28"
#define MCP_SERVE_LEGACY "2025-11-25"
#define MCP_SERVE_META "io.modelcontextprotocol/"
#define MCP_SERVE_TASKS "io.modelcontextprotocol/tasks"
/*
 * The id of a session begins with what the client can do, a letter for each: clients of earlier
 * revisions say that only once, and repeat the id.  So it is known even after a restart.
 */
#define MCP_SERVE_SESSION_MAX 64

/* What a client answers when a tool asks for it. */
struct mcp_serve_can {
	bool elicit; /* it asks its user */
	bool sample; /* its model answers */
	bool roots;  /* it says which directories its user works in */
};

enum mcp_serve_method {
	MCP_SERVE_NOTIFICATION, /* of any kind; one that cancels has `cancelled` */
	MCP_SERVE_RESPONSE,     /* to a question that was sent to the client */
	MCP_SERVE_DISCOVER,
	MCP_SERVE_INITIALIZE,
	MCP_SERVE_PING,
	MCP_SERVE_TOOLS_LIST,
	MCP_SERVE_TOOLS_CALL,
	MCP_SERVE_RESOURCES_LIST,
	MCP_SERVE_TEMPLATES_LIST,
	MCP_SERVE_RESOURCES_READ,
	MCP_SERVE_PROMPTS_LIST,
	MCP_SERVE_PROMPTS_GET,
	MCP_SERVE_COMPLETE,
	MCP_SERVE_LISTEN,
	MCP_SERVE_SET_LEVEL,
	MCP_SERVE_SUBSCRIBE,
	MCP_SERVE_UNSUBSCRIBE,
	MCP_SERVE_TASKS_GET,
	MCP_SERVE_TASKS_RESULT,
	MCP_SERVE_TASKS_UPDATE,
	MCP_SERVE_TASKS_CANCEL,
};

enum mcp_serve_error_code {
	MCP_SERVE_PARSE_ERROR = -32700,
	MCP_SERVE_INVALID_REQUEST = -32600,
	MCP_SERVE_METHOD_NOT_FOUND = -32601,
	MCP_SERVE_INVALID_PARAMS = -32602,
	MCP_SERVE_INTERNAL = -32603,
	MCP_SERVE_NO_RESOURCE = -32002, /* before 2026-07-28 */
	MCP_SERVE_HEADER_MISMATCH = -32020,
	MCP_SERVE_MISSING_CAPABILITY = -32021,
	MCP_SERVE_UNSUPPORTED_VERSION = -32022,
};

struct mcp_serve_error {
	enum mcp_serve_error_code code;
	int http;
	struct str message;
	struct str data; /* JSON; absent: none */
};

/* What HTTP says besides the body; absent: the header was not sent. */
struct mcp_serve_headers {
	struct str version, method, name, session;
};

struct mcp_serve_request {
	bool is_modern;
	enum mcp_serve_method method;
	struct str version; /* that is spoken */
	struct json id;     /* of a request: a text or a number */
	struct json params;
	struct json capabilities;   /* of the client, where the request says them */
	struct json progress_token; /* JSON_NONE: progress is not wanted */
	struct str name; /* of a tool or prompt, the address of a resource, the id of a task */
	struct str cursor;
	bool wants_task; /* the client takes a task as the result of this call */
	struct mcp_serve_can can;
	struct str log_level; /* the least severe messages that are wanted; absent: none */
	struct str session;   /* of an earlier revision, over HTTP; absent: none */
	struct json result;   /* of a response; JSON_NONE: it is an error */
	struct json
		cancelled; /* of notifications/cancelled: the id of the request; else JSON_NONE */
	struct mcp_serve_error error;
};

/* False: ret->error says what is wrong, and ret->id which request it was, if that could be read. */
bool mcp_serve_request_read(struct arena *mem, struct str body, const struct mcp_serve_headers *h,
                            struct mcp_serve_request *ret) MUST_USE;

/* The beginning of a session's id, and what it says. */
struct str mcp_serve_request_session(struct arena *mem, const struct mcp_serve_can *can,
                                     struct str random);
struct mcp_serve_can mcp_serve_request_session_can(struct str session);
bool mcp_serve_request_is_level(struct str word);

#endif
