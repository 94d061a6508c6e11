#ifndef PROVIDER_RESPONSE_H
#define PROVIDER_RESPONSE_H
/*
 * The answer of a model, from its bytes to pieces and one end, without any
 * I/O.  What the bytes mean is the dialect's business (dialect.h).
 *
 *   head ──► STREAM ──► events: pieces, fragments of calls, finish, usage ──► last event or EOF
 *        ├─► WHOLE      a server that does not stream: one document at EOF
 *        └─► ERROR      any status but 200
 *
 * A document becomes pieces in the answer's arena; they are delivered one by
 * one, and the next line is parsed only after the last of them.
 */
#include "base/err.h"
#include "catalog/gen/vocab.h"
#include "net/http/http_client.h"
#include "ports/provider.h"

struct response;
struct dialect;

/* Bounds in bytes unless said otherwise; zeroes are replaced by the defaults. */
struct response_limits {
	size_t line;  /* 1 MiB: one line or event */
	size_t text;  /* 8 MiB: text and reasoning of an answer */
	size_t args;  /* 1 MiB: arguments of one call, signature of one thought */
	size_t calls; /* 64 calls */
	size_t whole; /* 4 MiB: an answer or error that is not a stream */
	size_t raw;   /* 4 KiB: what is kept of the body, three quarters from its beginning */
};

struct response_options {
	const struct dialect *dialect;
	struct str provider;   /* for sentences */
	struct str model;      /* for whom the state is */
	struct str request_id; /* for ids of calls that the server gave none; unique per request */
	struct response_limits limits;
};

struct response *response_new(const struct response_options *o);
void response_free(struct response *a);

/* First of all: whether it is a stream, one document, or an error. */
void response_head(struct response *a, const struct http_client_head *h);

struct response_piece {
	enum model_piece kind;
	struct str text; /* until the next call */
};

enum response_step {
	RESPONSE_MORE,  /* all bytes are used up */
	RESPONSE_PIECE, /* one piece; call again */
	RESPONSE_END,   /* response_end() says how */
};

/*
 * Pulls the next piece out of *bytes, which advances.  Wherever the bytes are
 * cut, pieces and end are the same.  A caller may stop between any two pieces
 * and come back later with the rest.
 */
enum response_step response_next(struct response *a, struct str *bytes, struct response_piece *ret);

/* No bytes will follow.  Afterwards response_next() gives what is left, then RESPONSE_END. */
void response_eof(struct response *a);

/*
 * The connection failed instead.  A response with a finish reason is complete
 * anyway; any other fails with this message.
 */
void response_break(struct response *a, enum error_category category, bool retryable,
                    struct str message);

/* After RESPONSE_END.  Views live until the answer is freed. */
void response_end(struct response *a, struct model_end *ret);

#endif
