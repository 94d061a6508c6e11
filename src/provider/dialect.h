#ifndef PROVIDER_DIALECT_H
#define PROVIDER_DIALECT_H
/*
 * The protocol of a model API: how a request is written, and what the events of
 * a response mean.  Pure: no I/O, no clock.
 *
 * Everything that dialects share is in response.c (bytes, limits, the end) and
 * http_provider.c (keys, connections, callbacks).  A dialect reads one parsed
 * document at a time and reports what it found:
 *
 *   response_part_piece()   text, reasoning
 *   response_part_call()    a tool call begins; response_part_call_args() adds to it
 *   response_part_thought() reasoning that must be returned with its signature
 *   response_part_finish()  the server's finish reason
 *   response_part_fail()    the response has failed
 *
 * A finish reason makes a response complete; bytes after it may be lost.
 */
#include "provider/response.h"
#include "provider/gen/providers_table.h"

/* ---- what the settings say about bodies; zeroed: what most servers take ---- */

struct body_tools;

struct body_options {
	enum {
		MAX_TOKENS,            /* Chat: the old name, which other servers still use */
		MAX_COMPLETION_TOKENS, /* OpenAI's own */
		MAX_NONE,
	} max_key;
	bool has_developer_role;   /* Chat: system messages are sent as `developer` */
	bool lacks_stream_options; /* Chat: then usage stays unknown */
	bool lacks_json_schema;    /* the response schema is not sent */
	bool lacks_cache_marks;    /* Anthropic: no cache_control */
	struct body_tools *tools;  /* the list of the last request; NULL: none is kept */
	struct str effort;         /* of this request: how much to think; absent: not said */
	int64_t effort_tokens; /* the same for a model that takes a number; 0: it takes the word */
	enum providers_effort effort_form; /* Chat: how the word is written */
	struct str anthropic_version; /* Anthropic behind another API: it is in the body, and the
	                                 model in the path */
	struct str extra_body; /* JSON object: members put into every body that we do not write */
};

struct finish_word {
	struct str word;
	enum stop_reason stop;
	enum error_category failure; /* 0: no failure */
	bool is_final;               /* that failure is not worth another attempt */
};

struct dialect {
	struct str word;                  /* of the setting `dialect` */
	struct str accept;                /* media type of a stream */
	struct str key_header;            /* absent: "Authorization: Bearer KEY" */
	struct http_client_header header; /* sent with every request; absent: none */
	enum {
		FRAMING_SSE,
		FRAMING_LINES,    /* a document per line */
		FRAMING_MESSAGES, /* net/http/eventstream.h */
	} framing;

	/* The dialect that a model speaks, where that depends on it; else NULL, and the rest counts. */
	const struct dialect *(*of_model)(struct str model);
	/* Appended to the base URL; may end with a query. */
	struct str (*path)(struct arena *mem, const struct model_request *req);
	/*
	 * ERR_INVALID when a schema is not a JSON object; there is no other error.  Calls without
	 * a result get one that says so, because servers refuse a conversation with open calls.
	 */
	enum err (*write)(const struct model_request *req, const struct body_options *o,
	                  struct buf *out, struct error *e);

	/* One document of the stream; event is the name it came under, if any. */
	void (*on_event)(struct response *a, struct str event, struct json doc);
	/* The stream has ended; may be NULL. */
	void (*on_eof)(struct response *a);
	/* Frees what response_part_dialect_state() holds beside its own memory; may be NULL. */
	void (*on_free)(void *state);
	/* A response in one document, of a server that does not stream. */
	void (*on_whole)(struct response *a, struct json doc);
	/* The word for a normal end comes first; unknown words mean the same. */
	const struct finish_word *finishes;
	size_t finish_count;
};

/* The dialects themselves are declared in provider/gen/providers_table.h, from catalog/providers.json. */

/* ---- what a dialect may do with an answer ---- */

#define RESPONSE_ID_MAX 256 /* bytes of call ids and tool names */

struct response_call {
	int64_t index; /* the server's, -1: none was given */
	struct buf id, name, args;
};

/* Memory of the current document, and memory until the end. */
struct arena *response_mem(struct response *a);
struct arena *response_keep(struct response *a);
/* One document instead of a stream. */
bool response_is_whole(const struct response *a);
bool response_is_over(const struct response *a);

/* None of these does anything after the response has ended. */
void response_part_fail(struct response *a, enum error_category category, bool retryable,
                        struct str message);
/* The server violates the protocol; retryable if the error may be random. */
void response_part_fail_protocol(struct response *a, bool retryable, const char *what);
/* An error object of the server, classified by failure.h. */
void response_part_fail_by(struct response *a, struct json error);

/* Empty text is ignored. */
void response_part_piece(struct response *a, enum model_piece kind, struct str text);
/* The text of a refusal. */
void response_part_refuse(struct response *a, struct str text);

size_t response_part_call_count(const struct response *a);
struct response_call *response_part_call_at(struct response *a, size_t i);
struct response_call *response_part_call_find(struct response *a, int64_t index);
/* Begins a call; NULL: too many calls, and the response has failed. */
struct response_call *response_part_call(struct response *a, int64_t index);
void response_part_call_id(struct response *a, struct response_call *c, struct str id);
/* Servers send the name once, in parts, or with every fragment. */
void response_part_call_name(struct response *a, struct response_call *c, struct str name);
/* A string is a fragment of the text; an object comes whole. */
void response_part_call_args(struct response *a, struct response_call *c, struct json args);
/* Sets all arguments, replacing the fragments. */
void response_part_call_args_whole(struct response *a, struct response_call *c, struct str args);
/* The dialect's state of this response, zeroed at first; freed with the response. */
void *response_part_dialect_state(struct response *a, size_t size);

/*
 * Parts that are returned to the model unchanged, in their place between text
 * and calls.  A thought grows by its index; an opaque part comes as a whole.
 */
void response_part_thought(struct response *a, int64_t index, struct str text,
                           struct str signature);
void response_part_opaque(struct response *a, struct json part);
/* The next text begins a new part. */
void response_part_text(struct response *a);
/* Adds a signature to the last part, text or call; without one, adds an empty part. */
void response_part_sign(struct response *a, struct str signature);

void response_part_finish(struct response *a, struct str word);
/* The stream has ended: decides whether the response is complete. */
void response_part_conclude(struct response *a);

/* Corrects the counts: none is negative, and no part is larger than its total. */
void response_part_usage(struct response *a, struct model_usage u);
const struct model_usage *response_part_usage_so_far(const struct response *a);
/* A count of tokens; 0 when it is missing or invalid. */
int64_t response_part_tokens(struct json obj, struct str key);

#endif
