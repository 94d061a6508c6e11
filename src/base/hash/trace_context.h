#ifndef BASE_HASH_TRACE_CONTEXT_H
#define BASE_HASH_TRACE_CONTEXT_H
/*
 * W3C Trace Context: what a caller sends (traceparent, tracestate), and what is
 * sent on.
 *
 * The id of a span follows from the trace and from the object that the span
 * describes, so that events, requests and exports agree without a table.
 */
#include "base/arena.h"

struct trace_context {
	struct str trace_id;  /* 32 hex digits; absent: there is no trace */
	struct str parent_id; /* 16 hex digits: the span of the caller */
	struct str state;     /* a tracestate; may be absent */
	bool is_sampled;      /* the caller records its part */
};

/* What is sent on with one request or to one process; absent: nothing. */
struct trace_headers {
	struct str parent; /* traceparent, whose span is that of the request */
	struct str state;  /* tracestate; may be absent */
};

/*
 * Reads both headers; strings point into them.  An invalid traceparent is no error: as the standard
 * says, the trace begins again, so ret is empty.  An invalid or long tracestate is left out.
 */
void trace_context_read(struct str traceparent, struct str tracestate, struct trace_context *ret);

/* The first eight bytes of SHA-256(trace id ‖ object id), as 16 hex digits. */
struct str trace_context_span(struct arena *mem, struct str trace_id, struct str object_id);

/*
 * Whether a trace belongs to this share of all traces.  The last 56 bits of its id decide, as
 * OpenTelemetry has it: every runtime with the same ratio gives the same answer.
 */
bool trace_context_in_share(struct str trace_id, double ratio);

/* A traceparent of version 00. */
struct str trace_context_text(struct arena *mem, struct str trace_id, struct str span_id,
                              bool is_sampled);

struct trace_headers trace_context_keep(struct arena *mem, struct trace_headers h);

/* Appends TRACEPARENT=... and TRACESTATE=... as far as there are any, and returns the new count. */
#define TRACE_CONTEXT_VARIABLES 2
size_t trace_context_variables(struct arena *mem, struct trace_headers h, struct str *out,
                               size_t count);

#endif
