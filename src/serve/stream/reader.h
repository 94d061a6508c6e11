#ifndef SERVE_READER_H
#define SERVE_READER_H
/*
 * One reader of events over HTTP, as SSE or as NDJSON.
 *
 *   ASKED ──first event, gap or caught_up──► BEGUN ──end──► gone
 *     │                                        │ ▲
 *     └─end: a problem instead of a stream     ▼ │ drained: control.resume
 *                                            PAUSED
 *
 * The answer begins only when the control has something to say, so that a
 * session that does not exist is a 404 and not an empty stream.
 *
 * SSE:    id: the cursor to continue from, event: the class, data: the stored bytes (or
 *         class and record of the form that was asked for);
 *         `event: gap` with {from, to, recoveryMode, snapshot}, `event: end` with
 *         {reason} when the runtime stops; a comment every ping_ms.
 * NDJSON: the stored bytes, one envelope per line; {"gap":{...}} and
 *         {"end":{"reason":...}} stand in the same places.
 *
 * Thousands of these sit idle, so the struct is small and owns no buffer.
 */
#include "serve/serve_int.h"

struct run;

struct reader {
	struct keepalive keepalive;
	struct serve *serve;
	struct http_request *req;
	struct subscription *sub;
	struct run *run;             /* of /v1/run; NULL otherwise */
	const struct device *device; /* whose it is; NULL: no paired device's */
	struct list of_devices;
	bool is_sse, is_begun, is_paused;
	bool tells_place; /* SSE: the place it begins at comes first, as an id without an event */
	struct control_stream ask; /* its views point to text */
	char text[];
};

/* ask without sink and owner; its strings are copied.  The request is the reader's from now on. */
struct reader *reader_new(struct serve *s, struct http_request *req, const struct caller *caller,
                          const struct control_stream *ask, bool is_sse);
/* False: the control takes no more; the request was answered and the reader is gone. */
bool reader_subscribe(struct reader *r) MUST_USE;
void reader_unsubscribe(struct reader *r);
/* Begins the answer, unless it has. */
void reader_begin(struct reader *r, const struct http_field *extra, size_t count);
/* Something that is no event, on a stream that has begun: `event: name`, or {"name": ...}. */
void reader_notice(struct reader *r, struct str id, struct str name, struct str json);
/* Ends the answer and the reader. */
void reader_end(struct reader *r);

/* Cuts every stream of a device that was revoked; how many there were. */
unsigned reader_cut_device(struct serve *s, const struct device *device);

/* ---- run.c, for readers that have a run ---- */

/* After it was written.  False: no more. */
bool run_continues(struct reader *r, enum event_type type);
void run_free(struct run *run);

#endif
