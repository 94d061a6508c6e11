#ifndef PROVIDER_ANSWER_H
#define PROVIDER_ANSWER_H
/*
 * The answer of a model, from its bytes to pieces and one end, without any
 * I/O.  What the bytes mean is the dialect's business (dialect.h).
 *
 *   head ──► STREAM ──► events: pieces, fragments of calls, finish, usage ──► last event or EOF
 *        ├─► WHOLE      a server that does not stream: one document at EOF
 *        └─► ERROR      any status but 200
 *
 * A document becomes pieces in the answer's arena; they are handed out one by
 * one, and only when all are gone is the next line looked at.
 */
#include "base/err.h"
#include "catalog/gen/vocab.h"
#include "net/wire.h"
#include "ports/provider.h"

struct answer;
struct dialect;

/* Bounds in bytes unless said otherwise; zeroes are replaced by the defaults. */
struct answer_limits {
	size_t line;  /* 1 MiB: one line or event */
	size_t text;  /* 8 MiB: text and reasoning of an answer */
	size_t args;  /* 1 MiB: arguments of one call, signature of one thought */
	size_t calls; /* 64 calls */
	size_t whole; /* 4 MiB: an answer or error that is not a stream */
	size_t raw;   /* 32 KiB: what is kept of the body, three quarters from its beginning */
};

struct answer_options {
	const struct dialect *dialect;
	struct str provider;   /* for sentences */
	struct str model;      /* for whom the state is */
	struct str request_id; /* for ids of calls that the server gave none; unique per request */
	struct answer_limits limits;
};

struct answer *answer_new(const struct answer_options *o);
void answer_free(struct answer *a);

/* First of all: whether it is a stream, one document, or an error. */
void answer_head(struct answer *a, const struct wire_head *h);

struct answer_piece {
	enum model_piece kind;
	struct str text; /* until the next call */
};

enum answer_step {
	ANSWER_MORE,  /* all bytes are used up */
	ANSWER_PIECE, /* one piece; call again */
	ANSWER_END,   /* answer_end() says how */
};

/*
 * Pulls the next piece out of *bytes, which moves on.  Wherever the bytes are
 * cut, pieces and end are the same.  A caller may stop between any two pieces
 * and come back later with the rest.
 */
enum answer_step answer_next(struct answer *a, struct str *bytes, struct answer_piece *ret);

/* No bytes will follow.  Afterwards answer_next() gives what is left, then ANSWER_END. */
void answer_eof(struct answer *a);

/*
 * The connection failed instead.  An answer that said it was finished is whole
 * all the same; anything else fails with these words.
 */
void answer_break(struct answer *a, enum error_category category, bool retryable,
                  struct str message);

/* After ANSWER_END.  Views live until the answer is freed. */
void answer_end(struct answer *a, struct model_end *ret);

#endif
