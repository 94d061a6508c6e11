#ifndef NET_SSE_H
#define NET_SSE_H
/*
 * Server-sent events (WHATWG HTML, "Server-sent events"): writing frames, and
 * an incremental parser for the streams of model providers.  No I/O.
 *
 * A frame is a few "field: value" lines and an empty line.  Data may hold line
 * breaks of any kind; each line becomes a separate data line, so the reader
 * sees \n for every one of them.  (Our envelopes are JSON and hold none.)
 */
#include "base/buf.h"

/*
 * id and event are left out when absent; a line break or NUL inside them
 * becomes a space.  Absent data gives a frame that only moves the reader's
 * last event id; empty data is an event with nothing in it.
 */
void sse_event(struct buf *out, struct str id, struct str event, struct str data);
/* ": text", which readers ignore; an empty one is a ping. */
void sse_comment(struct buf *out, struct str text);
/* How long the reader waits before it connects again. */
void sse_retry(struct buf *out, int64_t ms);

/* ---- reading ---- */

struct sse_message {
	struct str id;    /* the last event id so far; absent when none was ever sent */
	struct str event; /* "message" unless named */
	struct str data;
};

/*
 * Bytes may be cut anywhere: the messages are the same for every split.  A
 * message that is not closed by an empty line when the stream ends is dropped,
 * as the standard says.  A zeroed struct with max set is ready.
 */
struct sse_parser {
	size_t max;       /* bytes of one line, and of one message's data */
	int64_t retry_ms; /* the last one sent; 0: none */
	struct buf line, data, event, id;
	bool has_id, has_data;
	bool is_begun;    /* the first line is behind us, and with it the byte order mark */
	bool is_after_cr; /* a \n now belongs to the line that has ended */
	bool is_failed;
};

typedef void sse_on_message(void *arg, const struct sse_message *m);

/* False when a line or message is longer than max, from then on for ever. */
bool sse_feed(struct sse_parser *p, struct str bytes, sse_on_message *cb, void *arg) MUST_USE;
void sse_parser_done(struct sse_parser *p);

#endif
