#ifndef PROVIDER_DIALECT_H
#define PROVIDER_DIALECT_H
/*
 * One way to speak with models over HTTP: how a request is written, and what
 * the events of an answer mean.  Pure: no I/O, no clock.
 *
 * Everything that dialects have in common is in answer.c (bytes, bounds, the
 * end) and http_provider.c (keys, connections, callbacks).  A dialect reads
 * one parsed document at a time and says what it found:
 *
 *   response_part_piece()   text, reasoning
 *   response_part_call()    a tool call begins; response_part_call_args() adds to it
 *   response_part_thought() a thought that must go back with its signature
 *   response_part_finish()  the server's word for how it ended
 *   response_part_fail()    it will not end well
 *
 * A finish word makes an answer whole; bytes after it may be lost.
 */
#include "provider/response.h"
#include "provider/gen/providers_table.h"

/* ---- what the settings say about bodies; zeroed: what most servers take ---- */

struct body_tools;

struct body_options {
	enum {
		MAX_TOKENS,            /* Chat: the old name, which others still use */
		MAX_COMPLETION_TOKENS, /* OpenAI's own */
		MAX_NONE,
	} max_key;
	bool has_developer_role;   /* Chat: system messages are sent as `developer` */
	bool lacks_stream_options; /* Chat: then usage stays unknown */
	bool lacks_json_schema;    /* a schema of the answer is not sent */
	bool lacks_cache_marks;    /* Anthropic: no cache_control */
	struct body_tools *tools;  /* the list of the last request; NULL: none is kept */
	struct str extra_body; /* JSON object: members put into every body that we do not write */
};

struct finish_word {
	struct str word;
	enum stop_reason stop;
	enum error_category failure; /* 0: it is none */
	bool is_final;               /* that failure is not worth another attempt */
};

struct dialect {
	struct str word;                  /* of the setting `dialect` */
	struct str accept;                /* media type of a stream */
	struct str key_header;            /* absent: "Authorization: Bearer KEY" */
	struct http_client_header header; /* sent with every request; absent: none */
	bool is_lines;                    /* a document per line instead of server-sent events */

	/* Behind the base URL; may end with a query. */
	struct str (*path)(struct arena *mem, const struct model_request *req);
	/*
	 * ERR_INVALID when a schema is not a JSON object; nothing else can be wrong.  Calls that
	 * the history left without a result get one that says so, because servers refuse such a
	 * history for ever.
	 */
	enum err (*write)(const struct model_request *req, const struct body_options *o,
	                  struct buf *out, struct error *e);

	/* One document of the stream; event is the name it came under, if any. */
	void (*on_event)(struct response *a, struct str event, struct json doc);
	/* No event follows; may be NULL. */
	void (*on_eof)(struct response *a);
	/* Frees what response_part_dialect_state() holds beside its own memory; may be NULL. */
	void (*on_free)(void *state);
	/* An answer in one document, by a server that does not stream. */
	void (*on_whole)(struct response *a, struct json doc);
	/* What an ordinary end is called comes first; words that are not here mean the same. */
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

/* The first does nothing once it is over; neither does any of the others. */
void response_part_fail(struct response *a, enum error_category category, bool retryable,
                        struct str message);
/* The server does not keep to the protocol; asking again is worth it if chance had a hand in it. */
void response_part_fail_protocol(struct response *a, bool retryable, const char *what);
/* An error object of the server; its words are looked up. */
void response_part_fail_by(struct response *a, struct json error);

/* Empty text is none. */
void response_part_piece(struct response *a, enum model_piece kind, struct str text);
/* Text that says no. */
void response_part_refuse(struct response *a, struct str text);

size_t response_part_call_count(const struct response *a);
struct response_call *response_part_call_at(struct response *a, size_t i);
struct response_call *response_part_call_find(struct response *a, int64_t index);
/* A new one; NULL when there are too many, and then the answer has failed. */
struct response_call *response_part_call(struct response *a, int64_t index);
void response_part_call_id(struct response *a, struct response_call *c, struct str id);
/* Whole at first, or in parts, or whole again with every fragment. */
void response_part_call_name(struct response *a, struct response_call *c, struct str name);
/* A string is a fragment of the text; an object comes whole. */
void response_part_call_args(struct response *a, struct response_call *c, struct json args);
/* All of them, whatever the fragments were. */
void response_part_call_args_whole(struct response *a, struct response_call *c, struct str args);
/* What the dialect remembers of this answer, zeroed at first; freed with it. */
void *response_part_dialect_state(struct response *a, size_t size);

/*
 * Parts that go back to the model as they came, in their place between text
 * and calls.  A thought grows by its index; an opaque part comes whole.
 */
void response_part_thought(struct response *a, int64_t index, struct str text,
                           struct str signature);
void response_part_opaque(struct response *a, struct json part);
/* The next text begins a part of its own. */
void response_part_text(struct response *a);
/* A signature for the part that came last, text or call; where that is none, a part without text. */
void response_part_sign(struct response *a, struct str signature);

void response_part_finish(struct response *a, struct str word);
/* The server has nothing more to say: is it an answer? */
void response_part_conclude(struct response *a);

/* Bounded and mended: nothing is negative, and parts are no larger than their whole. */
void response_part_usage(struct response *a, struct model_usage u);
const struct model_usage *response_part_usage_so_far(const struct response *a);
/* A count of tokens; 0 when it is missing or nonsense. */
int64_t response_part_tokens(struct json obj, struct str key);

#endif
