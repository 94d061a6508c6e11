/* The table of errors, and their two forms. */
#include "a2a/a2a_error.h"

struct error_row {
	int jsonrpc, http;
	struct str status; /* the word of google.rpc.Code */
	struct str reason; /* of ErrorInfo; absent: the error is not one of A2A's own */
	struct str message;
};

#define ROW(number, http_status, word, why, text)                                                  \
	{                                                                                          \
		.jsonrpc = (number), .http = (http_status), .status = { word, sizeof(word) - 1 },  \
		.reason = { why, sizeof(why) - 1 }, .message = {                                   \
			text,                                                                      \
			sizeof(text) - 1                                                           \
		}                                                                                  \
	}

static const struct error_row rows[A2A_CODES] = {
	[A2A_TASK_NOT_FOUND] = ROW(-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND", "Task not found"),
	[A2A_TASK_NOT_CANCELABLE] = ROW(-32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE",
	                                "The task has ended and cannot be canceled"),
	[A2A_PUSH_NOT_SUPPORTED] =
		ROW(-32003, 400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED",
	            "Push notifications are not supported"),
	[A2A_UNSUPPORTED_OPERATION] = ROW(-32004, 400, "FAILED_PRECONDITION",
	                                  "UNSUPPORTED_OPERATION", "Unsupported operation"),
	[A2A_CONTENT_TYPE_NOT_SUPPORTED] =
		ROW(-32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED",
	            "The type of this content is not supported"),
	[A2A_INVALID_AGENT_RESPONSE] = ROW(-32006, 500, "INTERNAL", "INVALID_AGENT_RESPONSE",
	                                   "The agent gave an invalid response"),
	[A2A_EXTENDED_CARD_NOT_CONFIGURED] =
		ROW(-32007, 400, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
	            "There is no extended agent card"),
	[A2A_EXTENSION_REQUIRED] = ROW(-32008, 400, "FAILED_PRECONDITION",
	                               "EXTENSION_SUPPORT_REQUIRED", "An extension is required"),
	[A2A_VERSION_NOT_SUPPORTED] =
		ROW(-32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED",
	            "This version of A2A is not supported; send A2A-Version: 1.0"),
	[A2A_PARSE] = ROW(-32700, 400, "INVALID_ARGUMENT", "", "Invalid JSON payload"),
	[A2A_INVALID_REQUEST] =
		ROW(-32600, 400, "INVALID_ARGUMENT", "", "Request payload validation error"),
	[A2A_METHOD_NOT_FOUND] = ROW(-32601, 404, "NOT_FOUND", "", "Method not found"),
	[A2A_INVALID_PARAMS] = ROW(-32602, 400, "INVALID_ARGUMENT", "", "Invalid parameters"),
	[A2A_INTERNAL] = ROW(-32603, 500, "INTERNAL", "", "Internal error"),
	[A2A_PERMISSION_DENIED] =
		ROW(-32051, 403, "PERMISSION_DENIED", "", "The token does not allow this"),
	[A2A_TOO_MANY] = ROW(-32052, 429, "RESOURCE_EXHAUSTED", "",
	                     "Too many requests are under way; try again later"),
	[A2A_UNAVAILABLE] =
		ROW(-32053, 503, "UNAVAILABLE", "", "The runtime is not available; try again"),
};

int a2a_error_http(enum a2a_code code)
{
	return rows[code].http;
}

int a2a_error_jsonrpc(enum a2a_code code)
{
	return rows[code].jsonrpc;
}

static struct str message_of(const struct a2a_error *e)
{
	return str_is(e->message) ? e->message : rows[e->code].message;
}

static void write_violation(struct json_writer *w, const struct a2a_error *e)
{
	jw_obj(w);
	JW_KSTR(w, "@type", STR("type.googleapis.com/google.rpc.BadRequest"));
	JW_KEY(w, "fieldViolations");
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "field", e->field);
	JW_KSTR(w, "description", message_of(e));
	jw_obj_end(w);
	jw_arr_end(w);
	jw_obj_end(w);
}

/* The same for both bindings; an error of A2A always has its reason. */
static void write_details(struct json_writer *w, const struct a2a_error *e)
{
	jw_arr(w);
	if (rows[e->code].reason.len) {
		jw_obj(w);
		JW_KSTR(w, "@type", STR("type.googleapis.com/google.rpc.ErrorInfo"));
		JW_KSTR(w, "reason", rows[e->code].reason);
		JW_KSTR(w, "domain", STR("a2a-protocol.org"));
		jw_obj_end(w);
	}
	if (str_is(e->field))
		write_violation(w, e);
	jw_arr_end(w);
}

void a2a_error_write_rpc(struct json_writer *w, const struct a2a_error *e)
{
	jw_obj(w);
	JW_KINT(w, "code", rows[e->code].jsonrpc);
	JW_KSTR(w, "message", message_of(e));
	if (rows[e->code].reason.len || str_is(e->field)) {
		JW_KEY(w, "data");
		write_details(w, e);
	}
	jw_obj_end(w);
}

void a2a_error_write_http(struct json_writer *w, const struct a2a_error *e)
{
	jw_obj(w);
	JW_KEY(w, "error");
	jw_obj(w);
	JW_KINT(w, "code", rows[e->code].http);
	JW_KSTR(w, "status", rows[e->code].status);
	JW_KSTR(w, "message", message_of(e));
	if (rows[e->code].reason.len || str_is(e->field)) {
		JW_KEY(w, "details");
		write_details(w, e);
	}
	jw_obj_end(w);
	jw_obj_end(w);
}
