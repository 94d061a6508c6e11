#ifndef GRPC_HEAD_H
#define GRPC_HEAD_H
/*
 * The head of a call: the header fields that mean something to gRPC, and those that are passed on
 * to the runtime.  All others are ignored.  Pure.
 */
#include "base/arena.h"

/* What is passed on as a header of HTTP, with the same name and value. */
enum grpc_head_passed {
	GRPC_HEAD_AUTHORIZATION,
	GRPC_HEAD_VERSION,
	GRPC_HEAD_EXTENSIONS,
	GRPC_HEAD_TRACEPARENT,
	GRPC_HEAD_TRACESTATE,
	GRPC_HEAD_BAGGAGE,
	GRPC_HEAD_FORWARDED_FOR,
	GRPC_HEAD_PASSED
};

struct grpc_head {
	struct str method, path, content_type, encoding, timeout;
	struct str passed[GRPC_HEAD_PASSED];
	size_t bytes;         /* of all fields, as HTTP/2 counts them */
	const char *repeated; /* a field that may come once and came twice */
};

/* Views are copied to mem.  Fields beyond max bytes are counted and not kept. */
void grpc_head_add(struct grpc_head *h, struct arena *mem, struct str name, struct str value,
                   size_t max);
const char *grpc_head_name(enum grpc_head_passed which);
/* "application/grpc", with "+proto" or parameters behind it. */
bool grpc_head_is_grpc(struct str content_type);

#endif
