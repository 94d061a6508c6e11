#ifndef A2A_REQUEST_H
#define A2A_REQUEST_H
/*
 * Requests of a peer, read from either binding into one struct.  Peers are not trusted: a member of
 * the wrong type is an error that names it.  Members that the protocol does not know are ignored,
 * as it asks.  JSON is ProtoJSON: both spellings of a name are read, and null is absent.  Pure.
 */
#include "a2a/a2a_error.h"
#include "base/json.h"

enum a2a_method {
	A2A_SEND_MESSAGE = 1,
	A2A_SEND_STREAMING_MESSAGE,
	A2A_GET_TASK,
	A2A_LIST_TASKS,
	A2A_CANCEL_TASK,
	A2A_SUBSCRIBE_TO_TASK,
	A2A_CREATE_PUSH_CONFIG,
	A2A_GET_PUSH_CONFIG,
	A2A_LIST_PUSH_CONFIGS,
	A2A_DELETE_PUSH_CONFIG,
	A2A_GET_EXTENDED_CARD,
	A2A_METHODS
};

struct a2a_message {
	struct str message_id, context_id, task_id;
	struct json parts;
	struct json metadata;
	int64_t depth; /* delegations that have led to it, as its sender says; 0: none are known */
};

/* Where updates of a task are sent.  Its token and credentials are secrets of the peer. */
struct a2a_push {
	struct str id, url, token, scheme, credentials;
};

struct a2a_request {
	enum a2a_method method;
	struct str rpc_id; /* JSON text; absent: the binding is HTTP+JSON */
	struct str tenant;
	struct str task_id, context_id;
	struct a2a_message message;
	bool has_push; /* of SendMessage: the configuration is part of it */
	struct a2a_push push;
	bool return_immediately, has_history_length, include_artifacts;
	bool is_text_only; /* of SendMessage: the modes of output that it accepts have no JSON */
	int64_t history_length, page_size; /* page_size 0: not given */
	struct str page_token, status;     /* status: the A2A word */
	int64_t status_after_ms;
	struct str extensions; /* of the protocol that are active, with commas; absent: none */
};

/* A2A-Version: the header or, without one, the query parameter.  Absent means 0.3. */
bool a2a_request_is_version(struct str version);

/* A body of JSON-RPC.  After a failure rpc_id is what could be read of it, or "null". */
bool a2a_request_read_rpc(struct arena *mem, struct str body, struct a2a_request *ret,
                          struct a2a_error *e) MUST_USE;

struct a2a_query {
	struct str name, value;
};

/* path: behind the address of the interface, "/tasks/ID:cancel". */
struct a2a_http {
	struct str method, path, body;
	const struct a2a_query *query;
	size_t query_count;
};

bool a2a_request_read_http(struct arena *mem, const struct a2a_http *in, struct a2a_request *ret,
                           struct a2a_error *e) MUST_USE;

#endif
