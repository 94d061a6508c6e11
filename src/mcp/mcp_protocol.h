#ifndef MCP_MCP_PROTOCOL_H
#define MCP_MCP_PROTOCOL_H
/*
 * One conversation with a tool server, without any I/O or clock: bytes of the
 * server go in by mcp_protocol_feed(), lines for it come out by `send`.
 *
 *   NEW ──► PROBING ──► READY            2026-07-28: server/discover was answered
 *    │         │ an error, or silence
 *    └────────►└──► GREETING ──► READY   2025-11-25: initialize, initialized
 *
 *   from anywhere ──► BROKEN             nothing but `broken` comes any more
 *
 * When READY, the list of tools is fetched by itself, page by page, and told
 * by `listed`; after `changed` the owner asks for it again when it likes.
 *
 * Whatever the server sends, memory stays bounded: a line by line_max, tools
 * and pages by their limits, and calls by the owner.  Lines that are no
 * messages are counted, and many of them end the conversation.
 *
 * Callbacks come from inside mcp_protocol_feed() and from what is called here.
 * They may call anything but mcp_protocol_free().
 */
#include "base/list.h"
#include "mcp/mcp_message.h"

struct mcp_protocol;

/* A call of a tool, inside its owner's struct.  The strings are the owner's until it ended. */
struct mcp_call {
	struct list node;
	struct str tool, args;
	bool is_open;
	int64_t id;       /* of the request under way; 0: it waits for answers of ours */
	unsigned rounds;  /* of questions */
	struct str state; /* requestState, to be given back */
	struct list questions;
	struct arena *mem; /* of state and questions; NULL: none */
};

struct mcp_question {
	struct list node;
	struct mcp_call *call;
	struct str key;      /* in inputRequests; absent: a request of the server's own */
	struct str message;  /* to the person */
	struct str schema;   /* JSON Schema of an object */
	bool is_login;       /* a person is to open an address; no schema */
	struct str response; /* of this round, once there is one */
	void *request;       /* of the server's own */
};

struct mcp_result {
	/* The server could not or would not do it: */
	bool is_refused;
	int64_t code; /* of JSON-RPC */
	struct str message;
	/* else: */
	bool is_error; /* the tool's own word */
	struct json content, structured;
};

struct mcp_protocol_ops {
	void (*send)(void *owner, struct str line); /* with its line break */
	void (*ready)(void *owner);
	/* Tools of the server in its order; they live until this returns. */
	void (*listed)(void *owner, const struct mcp_tool *tools, size_t count);
	void (*dropped)(void *owner, struct str tool, struct str why);
	void (*changed)(void *owner); /* the list is another one now */
	void (*progress)(void *owner, struct mcp_call *c, struct str message, int64_t completed,
	                 int64_t total); /* -1: not told */
	/* To be answered by mcp_protocol_answer(), once, unless the call ends before. */
	void (*asked)(void *owner, struct mcp_call *c, const struct mcp_question *q);
	/* The call is not open any more. */
	void (*ended)(void *owner, struct mcp_call *c, const struct mcp_result *r);
	void (*broken)(void *owner, struct str why);
};

struct mcp_protocol_options {
	struct mcp_client client;
	enum mcp_version version; /* MCP_VERSION_NONE: whichever the server speaks */
	/*
	 * Asked in the older way first, because an earlier conversation with it got no answer
	 * to the probe.  Which protocol is spoken, an answer says; silence never does.
	 */
	bool greets_first;
	size_t line_max, tools_max;
};

struct mcp_protocol *mcp_protocol_new(const struct mcp_protocol_options *o,
                                      const struct mcp_protocol_ops *ops, void *owner);
void mcp_protocol_free(
	struct mcp_protocol *t); /* calls that are open are forgotten; NULL is fine */

void mcp_protocol_begin(struct mcp_protocol *t);
void mcp_protocol_feed(struct mcp_protocol *t, struct str bytes);
/* Nothing was heard of the server yet, and it was asked in the newer way. */
bool mcp_protocol_is_probing(const struct mcp_protocol *t);
void mcp_protocol_list(struct mcp_protocol *t);

bool mcp_protocol_is_ready(const struct mcp_protocol *t);
enum mcp_version mcp_protocol_version(const struct mcp_protocol *t);
struct str mcp_protocol_server(const struct mcp_protocol *t); /* its name and version, or absent */

/* When it is ready. */
void mcp_protocol_call(struct mcp_protocol *t, struct mcp_call *c);
/* The server is told; nothing more comes of the call. */
void mcp_protocol_cancel(struct mcp_protocol *t, struct mcp_call *c, struct str reason);
/* The question at the head of the call's.  action: accept (with content), decline, cancel. */
void mcp_protocol_answer(struct mcp_protocol *t, struct mcp_call *c, struct str action,
                         struct str content);

#endif
