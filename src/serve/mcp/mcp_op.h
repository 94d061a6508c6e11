#ifndef SERVE_MCP_OP_H
#define SERVE_MCP_OP_H
/* One request of an MCP client.  It is answered exactly once; then the op is freed. */
#include "mcp_serve/mcp_serve_id.h"
#include "mcp_serve/mcp_serve_reply.h"
#include "mcp_serve/mcp_serve_request.h"
#include "mcp_serve/mcp_serve_tool.h"
#include "mcp_serve/mcp_serve_turn.h"
#include "serve/mcp/mcp_edge.h"
#include "serve/mcp/mcp_session.h"
#include "serve/peers.h"
#include "serve/turn_op.h"

#define MCP_OP_URIS_MAX 64

struct mcp_op;
struct mcp_lines;
struct mcp_session;

struct mcp_edge {
	struct serve *serve;
	struct peers peers;
	struct list lines;    /* struct mcp_lines */
	struct list requests; /* struct mcp_op: all of them */
	struct mcp_sessions sessions;
	/* Reads a message that came without headers, and answers it. */
	void (*begin)(struct mcp_op *o, struct str message);
	/* What was followed is over: reads what the reply needs, then finishes. */
	void (*finish)(struct mcp_op *o);
	void (*left)(struct mcp_op *o); /* an op is being freed */
};

/* Where the messages of an op go if it did not come over HTTP. */
struct mcp_op_line_ops {
	void (*write)(struct mcp_lines *l, struct str message);
	void (*greeted)(struct mcp_lines *l, const struct mcp_serve_can *can);
	void (*ended)(struct mcp_lines *l, struct mcp_op *o); /* the op is being freed */
	struct mcp_op *(*beside)(struct mcp_lines *l);        /* an op that answers no request */
};

/* An op that follows no turn: its own events and its own end. */
struct mcp_op_listener {
	void (*event)(struct mcp_op *o, struct json event);
	void (*end)(struct mcp_op *o);
};

struct mcp_op {
	struct turn_op op;
	struct mcp_edge *edge;
	struct mcp_lines *lines; /* NULL: the request came over HTTP */
	const struct mcp_op_line_ops *line_ops;
	struct str cwd;                         /* that the client works in; absent: unknown */
	struct list node, of_edge;              /* of lines; of the edge */
	const struct mcp_op_listener *listener; /* NULL: it follows a turn */
	struct peer_channel *peer;              /* NULL: it could not be enrolled */
	struct mcp_serve_request in;
	enum mcp_serve_tool tool;
	struct mcp_serve_args args;
	struct mcp_serve_turn turn;
	uint64_t shown_steps;
	struct loop_timer patience;        /* of a call that waits for its turn */
	void (*finish)(struct mcp_op *o);  /* writes the reply when the following ends */
	bool waits_out;                    /* only the end of the turn ends the following */
	bool is_due;                       /* the client does not wait longer */
	bool is_streaming;                 /* notifications may go before the reply */
	bool is_submitting;                /* the turn of this request is being submitted */
	bool is_left;                      /* the client wants neither the reply nor the work */
	bool is_cancelled;                 /* it does not want the work, and its request is open */
	bool owns_turn;                    /* the turn began with this request */
	bool is_published;                 /* it calls a tool of the inventory */
	void (*on_turn)(struct mcp_op *o); /* writes the reply instead of that of a tool */
	struct str new_session;            /* its id goes with the reply; absent: none begins */
	struct mcp_serve_can greeted;      /* what its client said when the connection began */
	struct mcp_session *session;       /* of its connection, or whose stream it is; or NULL */
	struct list watches;               /* of such a stream (mcp_edge_session.c) */
	bool is_again;                     /* the turn was followed by an earlier request */
	uint64_t shown_logs;
	size_t server;            /* of the published ones: which is asked now */
	unsigned pages;           /* that it gave */
	struct str server_cursor; /* of the next page; absent: the first */
	bool in_templates;        /* of a search for a resource: no server lists it */
	unsigned best_match;      /* of the templates so far; 0: none */
	size_t best_server;       /* that has it */
	struct str server_error;  /* what the last one said that refused */
	const void *relay;        /* what they are asked (mcp_edge_relay.c) */
	void (*after_servers)(struct mcp_op *o);
	void (*found)(struct mcp_op *o, struct str server); /* that has a resource */
	struct str uris[MCP_OP_URIS_MAX];                   /* of a stream of changes */
	bool has_changed[MCP_OP_URIS_MAX];
	size_t uri_count;
	struct buf bytes;    /* of an output that is read in parts; rows of published servers */
	int64_t next_offset; /* of the output: what follows */
	struct str media_type;
};

/* Either req or lines is NULL. */
struct mcp_op *mcp_op_new(struct mcp_edge *edge, struct http_request *req, struct mcp_lines *lines,
                          const struct caller *caller);
struct mcp_serve_rights mcp_op_rights(const struct mcp_op *o);
/* Notifications may precede the reply from now on. */
void mcp_op_begin_stream(struct mcp_op *o);
/* Sends what was added. */
void mcp_op_flush(struct mcp_op *o);
/* Interrupts a turn that this request began. */
void mcp_op_cancel_turn(struct mcp_op *o, struct str session_id, struct str turn_id);
/* A client of an earlier revision cancels its request, which is open: it ends as its turn does. */
void mcp_op_cancel(struct mcp_op *o);
/* The client wants no reply any more; is_cancelled: nor the work. */
void mcp_op_leave(struct mcp_op *o, bool is_cancelled);

/* ---- each ends the op ---- */

/* A whole JSON-RPC message. */
void mcp_op_reply(struct mcp_op *o, int status, struct str message);
void mcp_op_fail(struct mcp_op *o, enum mcp_serve_error_code code, struct str message);
/* What the runtime says about a refusal. */
struct str mcp_op_detail(struct mcp_op *o, const struct control_answer *a);
/* A JSON-RPC error that says what the runtime refused. */
void mcp_op_fail_answer(struct mcp_op *o, const struct control_answer *a);
/* The result of a tool that could not do it: the model that called it reads the text. */
void mcp_op_fail_tool(struct mcp_op *o, struct str text);
void mcp_op_fail_tool_answer(struct mcp_op *o, const struct control_answer *a);
/* The reply asks the client, which repeats its request with the answers. */
bool mcp_op_asks_again(const struct mcp_op *o);
/* What the turn has come to is the result of the tool. */
void mcp_op_reply_turn(struct mcp_op *o);

/* ---- steps ---- */

/* An object for the arguments of the next command. */
struct json_writer mcp_op_params(struct mcp_op *o);
void mcp_op_call(struct mcp_op *o, const char *command,
                 void (*next)(struct turn_op *op, const struct control_answer *a));
static inline struct mcp_op *mcp_op_of(struct turn_op *op)
{
	return OWNER_OF(op, struct mcp_op, op);
}
/* The reply of a command; false: the op has failed. */
bool mcp_op_read_reply(struct mcp_op *o, const struct control_answer *a, struct json *ret);

/* Follows a turn until it ends, asks something or the time is over; then finish. */
void mcp_op_follow(struct mcp_op *o, const struct mcp_serve_task_id *id,
                   void (*finish)(struct mcp_op *o));
/* Reads what there is of a turn; then finish. */
void mcp_op_look(struct mcp_op *o, const struct mcp_serve_task_id *id,
                 void (*finish)(struct mcp_op *o));
/* Adds a message to the stream of the reply. */
void mcp_op_add(struct mcp_op *o, struct str message);
bool mcp_op_takes_stream(const struct mcp_op *o);

/* ---- what the methods do ---- */

void mcp_edge_publish_list(struct mcp_op *o);
void mcp_edge_call(struct mcp_op *o); /* tools/call of our own */
/* Are there others that this client may call? */
bool mcp_edge_publish_has_any(const struct mcp_op *o);
void mcp_edge_publish_call(struct mcp_op *o);
/* What was followed is over: reads the outputs of a call, then finishes. */
void mcp_edge_publish_finish(struct mcp_op *o);
/* Collects what the published servers list, for mcp_edge_relay_write_rows(); then `next`. */
void mcp_edge_relay_collect(struct mcp_op *o, const char *method, void (*next)(struct mcp_op *o));
void mcp_edge_relay_write_rows(const struct mcp_op *o, struct json_writer *w);
/* Asks the published servers one after the other; the first that knows it is the reply, else `next`. */
void mcp_edge_relay_ask(struct mcp_op *o, const char *method, void (*next)(struct mcp_op *o));
/* Is it one of those whose prompts have names of their own? */
bool mcp_edge_relay_is_of(const struct mcp_op *o, struct str server);
void mcp_edge_question_answer(struct mcp_op *o); /* a response of the client */
/* Do both come from the same client: its principal, and its connection or session? */
bool mcp_op_is_of_client(const struct mcp_op *o, const struct mcp_op *other);
/* tools/call with the answer to what the first one asked. */
void mcp_edge_question_call_again(struct mcp_op *o);
/* resources/read of a published server; if none has it: `missing`. */
void mcp_edge_resource_read(struct mcp_op *o, void (*missing)(struct mcp_op *o));
/* Submits the turn that the arguments so far describe, and follows it. */
void mcp_edge_call_submit(struct mcp_op *o, struct json_writer *w);
void mcp_edge_task(struct mcp_op *o);   /* tasks/... */
void mcp_edge_read(struct mcp_op *o);   /* resources/... and prompts/... */
void mcp_edge_listen(struct mcp_op *o); /* subscriptions/listen */
/* logging/setLevel, resources/subscribe, resources/unsubscribe */
void mcp_edge_session(struct mcp_op *o);
/* The stream of a session: changes of the resources that it is subscribed to. */
void mcp_edge_session_stream(struct mcp_op *o);
void mcp_edge_session_end(struct mcp_op *o);
/* The op is being freed. */
void mcp_edge_session_left(struct mcp_op *o);
/* Whether the event changes what is at the address, which is one of ours. */
bool mcp_edge_listen_concerns(struct str uri, struct json event);
/* Finds the published server of the resource o->in.name: o->server; then `next`, or `missing`. */
void mcp_edge_resource_find(struct mcp_op *o, void (*next)(struct mcp_op *o, struct str server),
                            void (*missing)(struct mcp_op *o));
/* What the caller of a published tool answers itself: a member of `call`. */
void mcp_edge_publish_write_client(const struct mcp_op *o, struct json_writer *w);

#endif
