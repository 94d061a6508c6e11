#ifndef PROVIDER_OPENAI_CHAT_MAP_H
#define PROVIDER_OPENAI_CHAT_MAP_H
/*
 * OpenAI Chat Completions, without any I/O: from a request to the bytes of its
 * body, and from the bytes of an answer to pieces and one end.
 *
 * The same dialect is spoken by vLLM, llama.cpp, Ollama, OpenRouter, DeepSeek
 * and many others, each with habits of its own; the reader takes them all, and
 * the writer has a switch where they disagree.
 */
#include "base/err.h"
#include "catalog/gen/vocab.h"
#include "net/wire.h"
#include "ports/provider.h"

/* ---- writing ---- */

/* Zeroed: what most compatible servers take. */
struct chat_dialect {
	enum {
		CHAT_MAX_TOKENS,            /* the old name, which others still use */
		CHAT_MAX_COMPLETION_TOKENS, /* OpenAI's own */
		CHAT_NO_MAX,
	} max_key;
	bool has_developer_role;   /* system messages are sent as `developer` */
	bool lacks_stream_options; /* then usage stays unknown */
	bool lacks_json_schema;    /* response_format is not sent */
	struct str extra_body; /* JSON object: members put into every body that we do not write */
};

/*
 * ERR_INVALID when a schema is not a JSON object; nothing else can be wrong.
 * Calls that the history left without a result get one that says so, because
 * servers refuse such a history for ever.
 */
enum err chat_write_request(const struct model_request *req, const struct chat_dialect *d,
                            struct buf *out, struct error *e) MUST_USE;

/* ---- reading ---- */

struct chat_reader;

/* Bounds in bytes unless said otherwise; zeroes are replaced by the defaults. */
struct chat_limits {
	size_t line;  /* 1 MiB: one line or event */
	size_t text;  /* 8 MiB: text and reasoning of an answer */
	size_t args;  /* 1 MiB: arguments of one call */
	size_t calls; /* 64 calls */
	size_t whole; /* 4 MiB: an answer or error that is not a stream */
	size_t raw;   /* 32 KiB: what is kept of the body, three quarters from its beginning */
};

struct chat_reader_options {
	struct str provider;   /* for sentences */
	struct str request_id; /* for ids of calls that the server gave none; unique per request */
	struct chat_limits limits;
};

struct chat_reader *chat_reader_new(const struct chat_reader_options *o);
void chat_reader_free(struct chat_reader *r);

/* First of all: whether it is a stream, one document, or an error. */
void chat_reader_head(struct chat_reader *r, const struct wire_head *h);

struct chat_piece {
	enum model_piece kind;
	struct str text; /* until the next call */
};

enum chat_step {
	CHAT_MORE,  /* all bytes are used up */
	CHAT_PIECE, /* one piece; call again */
	CHAT_END,   /* chat_reader_end() says how */
};

/*
 * Pulls the next piece out of *bytes, which moves on.  Wherever the bytes are
 * cut, pieces and end are the same.  A caller may stop between any two pieces
 * and come back later with the rest.
 */
enum chat_step chat_reader_next(struct chat_reader *r, struct str *bytes, struct chat_piece *ret);

/* No bytes will follow.  Afterwards chat_reader_next() gives what is left, then CHAT_END. */
void chat_reader_eof(struct chat_reader *r);

/*
 * The connection failed instead.  An answer that said it was finished is whole
 * all the same; anything else fails with these words.
 */
void chat_reader_fail(struct chat_reader *r, enum error_category category, bool retryable,
                      struct str message);

/* After CHAT_END.  Views live until the reader is freed. */
void chat_reader_end(struct chat_reader *r, struct model_end *ret);

#endif
