#ifndef PROVIDER_RESPONSE_INT_H
#define PROVIDER_RESPONSE_INT_H
/*
 * The inside of an answer: response.c has its bytes, beginning and end,
 * response_part.c what dialects put into it.
 */
#include "net/http/eventstream.h"
#include "net/http/sse.h"
#include "provider/dialect.h"
#include "provider/failure.h"
#include "provider/raw.h"

enum response_mode { MODE_STREAM, MODE_WHOLE, MODE_ERROR };

#define RESPONSE_PARTS_MAX ((size_t)1024)

/* What the model said, in its order; text and calls stand elsewhere and are only placed here. */
struct response_part {
	enum { PART_TEXT, PART_CALL, PART_THOUGHT, PART_OPAQUE } kind;
	int64_t index;   /* thought: the server's */
	size_t bytes;    /* text */
	size_t call;     /* call: its number */
	struct buf text; /* thought: its words; opaque: JSON */
	struct buf signature;
};

struct response {
	const struct dialect *dialect;
	struct arena *mem;  /* of the current document; NULL between documents, when streams idle */
	struct arena *keep; /* until the end */
	struct str provider, model, request_id;
	struct response_limits limits;
	enum response_mode mode;
	int status;
	struct failure_hints hints;
	struct str provider_request_id;
	const struct model_limit *model_limits;
	size_t model_limit_count;
	struct raw raw;
	struct buf raw_text;   /* the same as JSON, made at the end */
	struct buf state_text; /* made at the end */
	struct sse_parser sse;
	struct eventstream messages;
	struct buf line; /* of a stream of lines */
	struct buf whole;

	struct response_piece *pieces;
	size_t piece_count, piece_cap, piece_at;

	struct response_call *calls;
	size_t call_count, call_cap;
	struct response_part *parts;
	size_t part_count, part_cap;
	bool is_text_closed; /* the next text begins a new part */
	size_t text_bytes;   /* with reasoning */
	bool is_refused;
	struct buf finish; /* the server's word; empty: not finished */
	struct model_usage usage;

	bool has_halves; /* characters were cut in two, between events */
	/* by kind of piece: text that waits for the other half of its last character */
	struct buf half[PIECE_TOOL_ARGS + 1];
	void *dialect_state; /* in `keep` */

	bool is_eof;  /* bytes at the end may be half a document */
	bool is_over; /* nothing more is read */
	bool has_failed;
	struct failure failure;
};

/* What the word means that the server ended with. */
const struct finish_word *response_part_finish_word(const struct response *a);
/* The state for model_end; absent when text and calls are all there is. */
struct str response_part_state(struct response *a, const struct model_call *calls, size_t count);

#endif
