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
 * When READY, the list of tools is fetched automatically, page by page, and
 * delivered by `listed`; after `changed` the owner requests it again.
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
#include "mcp/offer/mcp_question.h"
#include "mcp/offer/mcp_relay.h"
#include "mcp/offer/mcp_sampling.h"

struct mcp_protocol;
struct mcp_result;

/*
 * A request to the server, inside its owner's struct: the call of a tool, or another method.  The
 * owner keeps the strings until the end.
 */
struct mcp_call {
	struct list node;
	struct str tool, args;
	struct str method;  /* absent: tools/call */
	struct str params;  /* of another method: JSON of an object, without _meta */
	bool is_repeatable; /* it changes nothing: sent again when its exchange breaks */
	unsigned tries;     /* exchanges that broke */
	bool wants_task;    /* the server may run it as a task (offer/mcp_task.h) */
	bool is_aside;      /* no turn made it, so no person can be asked */
	const struct rec_call_client *client; /* what its caller answers; NULL: people do */
	struct str caller;                    /* who that is; absent: as for other such calls */
	/* Reports the end, instead of the owner's callback; or NULL. */
	void (*ended)(struct mcp_call *c, const struct mcp_result *r);
	struct trace_headers trace; /* or absent */
	bool is_open;
	int64_t id;         /* of the open request; 0: waits for our answers */
	unsigned rounds;    /* of questions */
	unsigned samplings; /* requests for answers of models of this runtime */
	struct str state;   /* requestState, to be returned */
	bool is_unsent;     /* the server did not know the session; sent again in the next one */
	bool was_again;     /* that has happened once */
	struct list questions;
	struct arena *mem; /* of state and questions; NULL: none */
};

struct mcp_result {
	/* The server refused the call: */
	bool is_refused;
	/* The connection broke before an answer came.  Only was_sent calls may have run. */
	bool is_lost, was_sent;
	int64_t code; /* of JSON-RPC */
	struct json error_data;
	struct str message;
	/* else: */
	bool is_error; /* the tool reports a failure */
	struct json content, structured;
	struct json whole; /* the result as it came, of any method */
};

/* What a server says it can do besides tools. */
struct mcp_abilities {
	bool has_resources, has_subscribe, has_prompts, has_completions, has_logging, has_tasks;
};

enum mcp_note {
	MCP_NOTE_RESOURCES, /* the list of resources, or of their templates, has changed */
	MCP_NOTE_PROMPTS,   /* that of prompts has */
	MCP_NOTE_UPDATED,   /* a resource that was subscribed to has changed: uri */
	MCP_NOTE_LOG,       /* level, logger, data */
};

struct mcp_protocol_ops {
	void (*send)(void *owner, struct str line); /* with its line break */
	void (*ready)(void *owner);
	/* Tools of the server in its order; they live until this returns. */
	void (*listed)(void *owner, const struct mcp_tool *tools, size_t count);
	void (*dropped)(void *owner, struct str tool, struct str why);
	void (*changed)(void *owner); /* the list has changed */
	void (*progress)(void *owner, struct mcp_call *c, struct str message, int64_t completed,
	                 int64_t total); /* -1: unknown */
	/* Answer with mcp_protocol_answer(), once, unless the call ends before. */
	void (*asked)(void *owner, struct mcp_call *c, const struct mcp_question *q);
	/* A message of the server for the caller of c; the params live until this returns. */
	void (*logged)(void *owner, struct mcp_call *c, struct json params);
	/*
	 * So many questions and messages have reached no caller, because it is not known whose they
	 * are.  May be NULL.
	 */
	void (*unclaimed)(void *owner, size_t count);
	/* The server no longer needs the answer: the question is settled, and none may follow. */
	void (*settled)(void *owner, struct mcp_call *c, bool is_done);
	/* The call has ended. */
	void (*ended)(void *owner, struct mcp_call *c, const struct mcp_result *r);
	/* The params live until this returns. */
	void (*noted)(void *owner, enum mcp_note note, struct json params);
	void (*broken)(void *owner, struct str why);
};

struct mcp_protocol_options {
	struct mcp_client client;
	enum mcp_version version; /* MCP_VERSION_NONE: any that the server supports */
	/*
	 * Start with initialize, because the server did not answer the probe before.  Only a
	 * reply selects the protocol; silence does not.
	 */
	bool greets_first;
	/* Tools with invalid x-mcp-header annotations are left out. */
	bool mirrors_params;
	bool has_streams; /* of requests: mcp_protocol_feed_of() */
	size_t line_max, tools_max;
	struct str server;            /* its name in the settings */
	struct mcp_sampling sampling; /* whether models of this runtime answer it */
};

struct mcp_protocol *mcp_protocol_new(const struct mcp_protocol_options *o,
                                      const struct mcp_protocol_ops *ops, void *owner);
void mcp_protocol_free(
	struct mcp_protocol *t); /* calls that are open are forgotten; NULL is fine */

void mcp_protocol_begin(struct mcp_protocol *t);
void mcp_protocol_feed(struct mcp_protocol *t, struct str bytes);
/* The same from the stream of one request: what the server asks there belongs to that. */
void mcp_protocol_feed_of(struct mcp_protocol *t, int64_t request_id, struct str bytes);
/* Whether the probe was sent and nothing has come from the server yet. */
bool mcp_protocol_is_probing(const struct mcp_protocol *t);
void mcp_protocol_list(struct mcp_protocol *t);
/* How long the server calls its last list fresh; 0: it does not say. */
int64_t mcp_protocol_list_ttl_ms(const struct mcp_protocol *t);

/* ---- for transports with one exchange per request ---- */

/* Whether the request with this id still waits for its answer. */
bool mcp_protocol_awaits(const struct mcp_protocol *t, int64_t id);
/*
 * The exchange of the request ended without an answer.  A call is lost; a list is fetched again,
 * a few times; a subscription ends; anything else ends the conversation.
 */
void mcp_protocol_lose(struct mcp_protocol *t, int64_t id, bool was_sent, struct str why);
/*
 * The server has forgotten the session of 2025-11-25 and did not act on the request with this id
 * (0: a message without one).  Starts the next session; a call is sent again there, once.
 */
void mcp_protocol_renew(struct mcp_protocol *t, int64_t id);
/* Subscribes again after the subscription has ended; does nothing if the server offers none. */
void mcp_protocol_listen(struct mcp_protocol *t);
/* The version that initialize settled on; absent before, and in 2026-07-28. */
struct str mcp_protocol_agreed(const struct mcp_protocol *t);

bool mcp_protocol_is_ready(const struct mcp_protocol *t);
enum mcp_version mcp_protocol_version(const struct mcp_protocol *t);
struct str mcp_protocol_server(const struct mcp_protocol *t); /* its name and version, or absent */

const struct mcp_abilities *mcp_protocol_abilities(const struct mcp_protocol *t);
/* The resources whose changes the server reports; replaces the earlier list.  Only when ready. */
void mcp_protocol_subscribe(struct mcp_protocol *t, const struct str *uris, size_t count);

/* Only when ready. */
void mcp_protocol_call(struct mcp_protocol *t, struct mcp_call *c);
/* Notifies the server; no further callback for the call. */
void mcp_protocol_cancel(struct mcp_protocol *t, struct mcp_call *c, struct str reason);
/*
 * Answers the call's first question.  action: accept (with content), decline, cancel.  For one to a
 * model the content is {"text", "model", "stopReason"}, or why there is no answer.
 */
void mcp_protocol_answer(struct mcp_protocol *t, struct mcp_call *c, struct str action,
                         struct str content);

#endif
