#ifndef OPENAI_API_WRITE_H
#define OPENAI_API_WRITE_H
/*
 * A response as the client reads it: whole, or as the data of server-sent events.  Pure.
 *
 * Each function adds frames ("data: …", for Responses with "event: …" before it) or one JSON value
 * to `out`.
 */
#include "openai/openai_api_turn.h"

struct openai_api_stream {
	struct openai_api_turn *turn;
	struct buf *out;
	struct str previous_id; /* of Responses; may be absent */
	int64_t number;         /* of the next frame of Responses */
	int64_t shown_after;    /* frames up to this number are left out; -1: none */
	bool has_begun;         /* Chat: the role was sent */
	size_t calls;           /* Chat: tool calls that were sent */
};

/* ---- Chat Completions: openai_api_chat.c ---- */

void openai_api_chat_step(struct openai_api_stream *s, enum openai_api_step step,
                          struct openai_api_item *item, struct str piece);
/* The last chunk, the usage where it is wanted, and the end mark. */
void openai_api_chat_end(struct openai_api_stream *s, bool wants_usage);
void openai_api_chat_whole(struct buf *out, struct openai_api_turn *t);

/* ---- Responses: openai_api_responses.c ---- */

void openai_api_responses_begin(struct openai_api_stream *s);
void openai_api_responses_step(struct openai_api_stream *s, enum openai_api_step step,
                               struct openai_api_item *item, struct str piece);
void openai_api_responses_end(struct openai_api_stream *s);
void openai_api_responses_whole(struct buf *out, struct openai_api_turn *t, struct str previous_id);

/* ---- both: openai_api_error.c ---- */

/* {"error": {message, type, param, code}} */
void openai_api_error_write(struct buf *out, struct str message, const char *type, struct str param,
                            struct str code);
/* The HTTP status of a turn that failed for this reason. */
int openai_api_error_status(struct str category);

#endif
