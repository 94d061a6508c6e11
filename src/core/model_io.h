#ifndef CORE_MODEL_IO_H
#define CORE_MODEL_IO_H
/*
 * Reports of model requests: pieces, calls, usage, and how a request ended.
 *
 * A provider makes them (ports/provider.h), the core decides on them.  Strings
 * live as long as the call that reports them.
 */
#include "catalog/catalog.h"

/* Who speaks, in what a model is sent. */
enum message_role { ROLE_SYSTEM, ROLE_USER, ROLE_ASSISTANT, ROLE_TOOL };

enum model_piece { PIECE_TEXT, PIECE_REASONING, PIECE_TOOL_ARGS };

/* One tool call that the model asks for. */
struct model_call {
	struct str call_id; /* the provider's id, returned to it with the result */
	struct str name;
	struct str args; /* JSON text of an object; the runtime reports text that is not */
};

struct model_usage {
	bool known;
	int64_t input, cached_input, cache_written, output, reasoning;
};

/* One of the provider's limits, from the headers of a response. */
struct model_limit {
	struct str kind; /* requests, tokens, input_tokens, output_tokens */
	int64_t limit;   /* -1: not stated, here and below */
	int64_t remaining;
	int64_t reset_ms; /* from the start of the response until it is full again */
};

/* The tightest of them; -1: not stated. */
struct model_headroom {
	int64_t limit, left, reset_ms;
};

/*
 * How a model request ended.  A provider fills the first part; the engine adds
 * what it made of the pieces and headers.
 */
struct model_end {
	bool failed;
	/* On success. */
	enum stop_reason stop;  /* absent: end_turn */
	struct str native_stop; /* the provider's own word */
	const struct model_call *calls;
	size_t call_count;
	struct str reasoning_summary; /* the provider's own, or absent */
	/*
	 * What this provider expects back with the response in later requests: reasoning with
	 * signatures, and where it stood.  JSON, stored and never looked into; absent when text
	 * and calls are all.
	 */
	struct str state;
	/* On failure. */
	enum error_category category; /* absent: unknown */
	struct str message;           /* one sentence */
	int64_t http_status;          /* 0: none was received */
	bool retryable;
	int64_t retry_after_ms; /* -1: not stated */
	/* The message is about an image; the engine keeps it only if the request had images. */
	bool refuses_images;
	/* Either way. */
	struct model_usage usage;
	struct str
		raw; /* the provider's body or what stands for it, kept behind a ref; may be absent */
	int64_t bytes_received;
	struct str provider_request_id; /* for support requests; absent: not stated */
	const struct model_limit *limits;
	size_t limit_count;

	/* By the engine. */
	struct str text; /* of a summary; other responses arrive in pieces */
	struct str
		schema_error; /* why the response does not satisfy the turn's schema; absent: it does */
	struct model_headroom headroom;
};

#endif
