#ifndef A2A_ERROR_H
#define A2A_ERROR_H
/*
 * Errors of A2A 1.0.1 in both bindings: an error object of JSON-RPC, and a status with details
 * (google.rpc.Status) of HTTP+JSON.  Pure.
 */
#include "base/jw.h"

enum a2a_code {
	A2A_OK,
	A2A_TASK_NOT_FOUND,
	A2A_TASK_NOT_CANCELABLE,
	A2A_PUSH_NOT_SUPPORTED,
	A2A_UNSUPPORTED_OPERATION,
	A2A_CONTENT_TYPE_NOT_SUPPORTED,
	A2A_INVALID_AGENT_RESPONSE,
	A2A_EXTENDED_CARD_NOT_CONFIGURED,
	A2A_EXTENSION_REQUIRED,
	A2A_VERSION_NOT_SUPPORTED,
	/* of JSON-RPC and of HTTP in general */
	A2A_PARSE,
	A2A_INVALID_REQUEST,
	A2A_METHOD_NOT_FOUND,
	A2A_INVALID_PARAMS,
	A2A_INTERNAL,
	A2A_PERMISSION_DENIED,
	A2A_TOO_MANY,
	A2A_UNAVAILABLE,
	A2A_CODES
};

/* What went wrong.  The strings live as long as the request that caused it. */
struct a2a_error {
	enum a2a_code code;
	struct str message; /* absent: the sentence of the code */
	struct str field;   /* of the parameters, "message.parts"; absent: none */
};

int a2a_error_http(enum a2a_code code);
int a2a_error_jsonrpc(enum a2a_code code);

/* {code, message, data}: the member `error` of a response. */
void a2a_error_write_rpc(struct json_writer *w, const struct a2a_error *e);
/* {"error": {code, status, message, details}}: a whole body. */
void a2a_error_write_http(struct json_writer *w, const struct a2a_error *e);

#endif
