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
#include "base/hash/trace_context.h"
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
	struct str turn_id;         /* which turn it belongs to; absent for system */
	struct str peer_message_id; /* user: what another program calls it; absent: nothing */
	struct str call_id;         /* tool: the call that it answers */
	struct str tool_name;       /* tool */
	bool is_error;              /* tool */
	struct model_call *calls;   /* assistant */
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
	bool is_summary;            /* asks for a summary of the conversation, not for an answer */
	uint32_t turn_number;       /* 1.. user turns of this thread */
	uint32_t request_number;    /* 1.. requests of this turn */
	uint32_t attempt;           /* 1.. attempts of this request at this candidate */
	struct str output_schema;   /* JSON Schema for structured output, or absent */
	struct trace_headers trace; /* of the request's span; absent: no trace */
	enum effort effort;         /* how much to think; 0: as the model does by itself */
};

struct model_sink {
	void (*piece)(void *owner, enum model_piece kind, struct str text);
	void (*end)(void *owner, const struct model_end *end);
};

/*
 * A request for the server's list of models.  done comes once, on the loop thread and not from
 * inside list(), unless the provider is closed before.
 */
struct provider_listing {
	uint64_t connection; /* whose lent key may be used; 0: none */
	bool is_for_missing; /* not wanted from a server whose list is known */
	bool is_test;        /* only asks whether the key is accepted */
	bool is_named;       /* the provider was asked for by its name */
	void (*done)(struct provider_listing *l);
	void *owner;
	bool failed;
	char message[256]; /* one sentence on failure */
};

/* What a provider tells about itself; strings live as long as it. */
struct provider_about {
	struct str base_url;
	struct str variables[2]; /* that may hold its key; absent: none */
	const struct str *lent;  /* further variables that clients lend with the key */
	size_t lent_count;
	struct str default_model;
	enum key_origin key_from; /* 0: there is no key */
	struct str key_name;
	struct str remedy; /* as in struct model_info */
	bool has_credential, needs_no_key, is_implicit, is_local;
};

/* Where requests of one client go; strings live in the caller's arena. */
struct provider_address {
	struct str base_url;
	struct str variable; /* that it comes from; absent: the settings or the catalogue */
};

struct model_handle;
struct provider;
struct provider_ops {
	struct str name;
	/* The models that are available now; the array lives until the provider is closed. */
	size_t (*models)(struct provider *p, const struct model_info **ret);
	/* Counts changes of that array.  NULL: it never changes. */
	uint64_t (*version)(struct provider *p);
	/* Offers a model that was asked for by name; false: it does not.  May be NULL. */
	bool (*admit)(struct provider *p, struct str provider, struct str model);
	/*
	 * Asks the server for its models; false: there is no key, nothing listens on the port of a
	 * local server, or the list is known and that is enough.  May be NULL.
	 */
	bool (*list)(struct provider *p, struct provider_listing *l);
	/* May be NULL: nothing leaves the process. */
	void (*about)(struct provider *p, struct provider_about *ret);
	/* For the client of this connection, which may have lent an address.  May be NULL. */
	struct provider_address (*address)(struct provider *p, struct arena *mem,
	                                   uint64_t connection);
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
