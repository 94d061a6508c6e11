#ifndef GRPC_STATUS_H
#define GRPC_STATUS_H
/*
 * The end of a call: its code, message and details, and the same as an error of the HTTP+JSON
 * binding (AIP-193), in both directions.  Pure.
 *
 * The reason of an error of A2A decides its code (section 5.4 of its specification); then the
 * word of the code that the error names; then the status of HTTP.
 */
#include "base/arena.h"
#include "base/buf.h"

enum grpc_code {
	GRPC_OK,
	GRPC_CANCELLED,
	GRPC_UNKNOWN,
	GRPC_INVALID_ARGUMENT,
	GRPC_DEADLINE_EXCEEDED,
	GRPC_NOT_FOUND,
	GRPC_ALREADY_EXISTS,
	GRPC_PERMISSION_DENIED,
	GRPC_RESOURCE_EXHAUSTED,
	GRPC_FAILED_PRECONDITION,
	GRPC_ABORTED,
	GRPC_OUT_OF_RANGE,
	GRPC_UNIMPLEMENTED,
	GRPC_INTERNAL,
	GRPC_UNAVAILABLE,
	GRPC_DATA_LOSS,
	GRPC_UNAUTHENTICATED,
	GRPC_CODES
};

struct grpc_status {
	enum grpc_code code;
	struct str message;
	struct str details; /* google.rpc.Status in wire form; absent: there are none */
};

/* What a reply of the HTTP+JSON binding with an error status means.  Views live in mem. */
void grpc_status_of_http(struct arena *mem, int http, struct str body, struct grpc_status *ret);
/* The same for an item of a stream that is an error; false: it is none. */
bool grpc_status_of_item(struct arena *mem, struct str item, struct grpc_status *ret);
/* The other direction: the status of HTTP, and the body appended to out. */
int grpc_status_to_http(const struct grpc_status *s, struct buf *out);
/* A stream of the HTTP+JSON binding has begun with 200 already: the error as its last item. */
void grpc_status_to_item(const struct grpc_status *s, struct buf *out);

/* grpc-message: UTF-8, percent-encoded but for printable ASCII. */
struct str grpc_status_encode(struct arena *mem, struct str message);
/* Damaged escapes stay as they are; what is not UTF-8 then becomes U+FFFD where it is written. */
struct str grpc_status_decode(struct arena *mem, struct str text);
/* grpc-status: GRPC_UNKNOWN for anything that is no code. */
enum grpc_code grpc_status_code(struct str text);

/* grpc-timeout: up to eight digits and a unit.  Rounded up, capped at a year. */
bool grpc_status_timeout(struct str text, int64_t *ret_ms) MUST_USE;

#endif
