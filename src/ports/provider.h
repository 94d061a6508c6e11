#ifndef PORTS_PROVIDER_H
#define PORTS_PROVIDER_H
/*
 * A model, as the engine sees it: one request, then pieces of the response,
 * then one end.
 *
 * start() is called on the loop thread and returns a handle at once; nothing of
 * the sink is called from inside start().  All callbacks come on the loop
 * thread.  After `end` (exactly one per request, unless cancelled) the handle
 * is gone. cancel() stops everything: no callback follows, and the handle is
 * gone too.
 *
 * Text, reasoning and tool-call arguments come in pieces in the order the model
 * produced them.  A tool call is run only from `end`, where it is complete; its
 * pieces are for display.
 *
 * pause() and resume() are backpressure: while paused a provider buffers what
 * it has and stops reading.
 */
#include "base/err.h"
#include "base/json.h"
#include "core/routing/model_info.h"
#include "core/model_io.h"

/* An image of a user message. */
struct message_image {
	struct str media_type; /* image/png, image/jpeg, image/gif, image/webp */
	struct str base64;     /* the bytes, or absent when there is a url */
	struct str url;
};

struct message {
	enum message_role role;
	struct str text;                    /* system, user, assistant, tool result */
	const struct message_image *images; /* user; placed before the text */
	size_t image_count;
	struct str turn_id;       /* which turn it belongs to; absent for system */
	struct str call_id;       /* tool: the call that it answers */
	struct str tool_name;     /* tool */
	bool is_error;            /* tool */
	struct model_call *calls; /* assistant */
	size_t call_count;
	/*
	 * assistant: model_end.state of this response, byte for byte.  Without it the model is sent
	 * its text and calls and no thoughts, which all providers take.
	 */
	struct str state;
};

struct tool_spec {
	struct str name, description;
	struct str input_schema; /* JSON text */
};

struct model_request {
	struct str request_id; /* mreq_... */
	struct str session_id, thread_id, turn_id;
	struct str provider, model;
	const struct message *messages;
	size_t message_count;
	const struct tool_spec *tools;
	size_t tool_count;
	int64_t max_output_tokens;
	bool is_summary;          /* asks for a summary of the conversation, not for an answer */
	uint32_t turn_number;     /* 1.. user turns of this thread */
	uint32_t request_number;  /* 1.. requests of this turn */
	uint32_t attempt;         /* 1.. attempts of this request at this candidate */
	struct str output_schema; /* JSON Schema for structured output, or absent */
	struct str trace_parent;  /* W3C header value, or absent */
};

struct model_sink {
	void (*piece)(void *owner, enum model_piece kind, struct str text);
	void (*end)(void *owner, const struct model_end *end);
};

struct model_handle;
struct provider;
struct provider_ops {
	struct str name;
	/* The models that are available now; the array lives until the provider is closed. */
	size_t (*models)(struct provider *p, const struct model_info **ret);
	struct model_handle *(*start)(struct provider *p, const struct model_request *req,
	                              const struct model_sink *sink, void *owner);
	void (*cancel)(struct provider *p, struct model_handle *h);
	void (*pause)(struct provider *p, struct model_handle *h);
	void (*resume)(struct provider *p, struct model_handle *h);
	void (*close)(struct provider *p);
};
struct provider {
	const struct provider_ops *ops;
};

#endif
