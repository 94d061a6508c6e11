#ifndef NET_JSONRPC_H
#define NET_JSONRPC_H
/*
 * JSON-RPC 2.0 as lines: one JSON object, or one batch array, per line.
 *
 * A struct jsonrpc is one side of one connection and does no I/O.  Bytes go in
 * by jsonrpc_feed(), or whole messages (WebSocket) by jsonrpc_feed_message();
 * messages come out by on_message, and texts to send by `send`.
 *
 * A call is answered exactly once, now or later, in any order, by
 * jsonrpc_reply() or jsonrpc_reply_error(); that ends the struct
 * jsonrpc_call.  The rule also holds when the connection and its struct jsonrpc
 * are gone: then the reply is dropped.  Batches are handled here: their replies
 * are sent as one array, in the order of the calls, after the last one.
 *
 * An id is returned as exactly the text that came, so 1.0 stays 1.0 and big
 * numbers stay whole.  What is not JSON is answered with -32700, what is JSON
 * but no message with -32600, both here; the connection continues.  Only a line
 * longer than the bound ends it, because the end of that line is unknown.
 *
 * The caller that connects this to a stream stops reading while much is pending
 * there: a peer that sends calls and never reads would otherwise fill our
 * memory with replies.
 */
#include "base/json.h"
#include "base/list.h"

enum {
	JSONRPC_PARSE_ERROR = -32700,
	JSONRPC_INVALID_REQUEST = -32600,
	JSONRPC_METHOD_NOT_FOUND = -32601,
	JSONRPC_INVALID_PARAMS = -32602,
	JSONRPC_INTERNAL_ERROR = -32603,
	JSONRPC_TOO_MANY_CALLS = -32000,
};

enum jsonrpc_kind {
	JSONRPC_CALL,
	JSONRPC_NOTIFICATION,
	JSONRPC_RESULT, /* the peer's answers to calls of ours */
	JSONRPC_ERROR,
};

struct jsonrpc;
struct jsonrpc_call;

struct jsonrpc_message {
	enum jsonrpc_kind kind;
	struct str id;      /* raw JSON; absent in a notification */
	struct str method;  /* of a call or notification */
	struct json params; /* an object, an array or nothing */
	struct json result;
	int64_t error_code;
	struct str error_message;
	struct json error_data;
	struct jsonrpc_call *call; /* of a call: to be answered */
};

struct jsonrpc_ops {
	/* m and what it points to live until this returns, m->call until it is answered */
	void (*on_message)(void *user, const struct jsonrpc_message *m);
	/* One message without line break; lives until this returns. */
	void (*send)(void *user, struct str text);
};

struct jsonrpc_options {
	size_t line_max;  /* 0: 1 MiB */
	size_t batch_max; /* messages in one batch; 0: 100 */
	size_t calls_max; /* unanswered at one time; 0: 1024 */
};

/* opt may be NULL.  Not to be freed from inside on_message or send. */
struct jsonrpc *jsonrpc_new(const struct jsonrpc_options *opt, const struct jsonrpc_ops *ops,
                            void *user);
void jsonrpc_free(struct jsonrpc *j);

/* Takes bytes, cut anywhere.  False: the line is too long and the error is sent; close. */
bool jsonrpc_feed(struct jsonrpc *j, struct str bytes) MUST_USE;
/* The peer sends no more: a last line without line break counts too. */
void jsonrpc_feed_end(struct jsonrpc *j);
/* One whole message; line breaks inside are ordinary white space. */
void jsonrpc_feed_message(struct jsonrpc *j, struct str text);

/* The number of unanswered calls. */
size_t jsonrpc_open_calls(const struct jsonrpc *j);

/* Whose call it is; NULL when the connection has gone. */
struct jsonrpc *jsonrpc_of(const struct jsonrpc_call *call);
void jsonrpc_reply(struct jsonrpc_call *call, struct str result_json);
/* data_json may be absent. */
void jsonrpc_reply_error(struct jsonrpc_call *call, int64_t code, struct str message,
                         struct str data_json);

/* ---- texts, without line break ---- */

/* params_json may be absent; an absent id makes a notification. */
void jsonrpc_write_call(struct buf *out, struct str id_json, struct str method,
                        struct str params_json);
void jsonrpc_write_result(struct buf *out, struct str id_json, struct str result_json);
/* An absent id is written as null. */
void jsonrpc_write_error(struct buf *out, struct str id_json, int64_t code, struct str message,
                         struct str data_json);

#endif
