#ifndef PROVIDER_OPENAI_CHAT_INT_H
#define PROVIDER_OPENAI_CHAT_INT_H
/*
 * The inside of the Chat reader: openai_chat_map.c has its bytes, beginning
 * and end, openai_chat_event.c what one event means.
 *
 *   head ──► STREAM ──► events: pieces, fragments of calls, finish, usage ──► [DONE] or EOF
 *        ├─► WHOLE      a server that does not stream: one document at EOF
 *        └─► ERROR      any status but 200
 *
 * An event becomes pieces in the reader's arena; they are handed out one by
 * one, and only when all are gone is the next line looked at.
 */
#include "net/sse.h"
#include "provider/openai_chat_map.h"
#include "provider/openai_error.h"
#include "provider/openai_raw.h"

#define CHAT_ID_MAX 256 /* of call ids and tool names */

enum chat_mode { MODE_STREAM, MODE_WHOLE, MODE_ERROR };

struct chat_call {
	int64_t index; /* the server's, -1: none was given */
	struct buf id, name, args;
};

struct chat_reader {
	struct arena *mem;  /* of the current event; NULL between events, when streams idle */
	struct arena *keep; /* until the end */
	struct str provider, request_id;
	struct chat_limits limits;
	enum chat_mode mode;
	int status;
	struct openai_hints hints;
	struct openai_raw raw;
	struct buf raw_text; /* the same as JSON, made at the end */
	struct sse_parser sse;
	struct buf whole;

	struct chat_piece *pieces;
	size_t piece_count, piece_cap, piece_at;

	struct chat_call *calls;
	size_t call_count, call_cap;
	size_t text_bytes;
	bool is_refused;
	struct buf finish; /* the server's word; empty: not finished */
	struct model_usage usage;

	bool is_eof;  /* bytes at the end may be half an event */
	bool is_over; /* nothing more is read */
	bool has_failed;
	struct openai_failure failure;
};

/* Made when it is needed. */
struct arena *chat_mem(struct chat_reader *r);

/* Both do nothing once it is over. */
void chat_fail(struct chat_reader *r, enum error_category category, bool retryable,
               struct str message);
/* The server does not keep to the protocol; asking again is worth it if chance had a hand in it. */
void chat_fail_protocol(struct chat_reader *r, bool retryable, const char *what);

/* One event of the stream; in the form of sse_on_message, arg is the reader. */
void chat_on_event(void *arg, const struct sse_message *m);
/* An answer in one document. */
void chat_read_whole(struct chat_reader *r, struct str text);
/* The server has nothing more to say: is it an answer? */
void chat_conclude(struct chat_reader *r);

/* What the word means that the server ended with. */
enum model_stop chat_stop(const struct chat_reader *r);

#endif
