#ifndef TELEMETRY_SPANS_H
#define TELEMETRY_SPANS_H
/*
 * Spans and log records, made from events in the order of the log.
 *
 * A span begins with the event that opens its object and is handed over with
 * the event that ends it.  Its id is the first eight bytes of
 * SHA-256(trace id ‖ object id), so a second reading gives the same spans.  Only
 * open spans are in memory.
 *
 * A trace id comes from the event.  An event without one has no correlation: it
 * makes no span, is not attached to another by its time, and is counted.
 */
#include "base/json.h"
#include "base/list.h"
#include "telemetry/span_attrs.h"

/* Something that happened during a span. */
struct span_note {
	int64_t at_ms;
	struct str name;   /* the event class; a constant */
	uint32_t from, to; /* its attributes, in span.note_attrs */
};

/* A span that this one follows: that of the request before a retry, or of the agent that spawned. */
struct span_link {
	char trace_id[33], span_id[17];
	const char *reason; /* retry, fallback, parent; NULL: there is no link */
};

struct span {
	struct list node; /* of the open ones, in the order of the log */
	enum span_kind kind;
	char trace_id[33], span_id[17], parent_id[17]; /* parent_id may be empty */
	int64_t start_ms, end_ms;
	uint64_t position; /* of the event that opened it */
	bool is_failed, is_sampled;
	struct span_attrs attrs, note_attrs;
	struct span_note *notes;
	uint32_t note_count, notes_dropped;
	struct span_link link;
	struct span_link last_request; /* of a turn: its newest model request */
	struct buf response;           /* content of a model request, or the newest of a turn */
	bool is_response_cut;
	char *key; /* in the map of open spans */
};

struct span_log {
	int64_t at_ms;
	struct str name; /* the event class; a constant */
	enum span_severity severity;
	const struct span_attrs *attrs;
	const char *trace_id, *span_id; /* may be empty */
	bool is_sampled;                /* the spans of its trace are sent */
};

struct spans_sink {
	void (*span)(void *owner, const struct span *s);
	void (*log)(void *owner, const struct span_log *l);
};

struct spans;
struct span_redactor;
struct spans *spans_new(const struct spans_sink *sink, void *owner);
void spans_free(struct spans *s); /* NULL is fine; open spans are dropped */
/* Spans show what people and models wrote (span_content.h).  The redactor lives as long as s. */
void spans_show_content(struct spans *s, const struct span_redactor *redactor);
/* Events of other classes change nothing. */
bool spans_wants(const struct spans *s, enum event_type type);

/* One event of the log; ev is its envelope. */
void spans_event(struct spans *s, enum event_type type, uint64_t position, struct json ev);

/* The position of the event that opened the oldest open span; 0: none is open. */
uint64_t spans_oldest(const struct spans *s);
size_t spans_open_count(const struct spans *s);
/* Events that would belong to a trace and name none. */
uint64_t spans_uncorrelated(const struct spans *s);

/* The name of a span: "chat demo", "execute_tool read_file". */
struct str spans_title(const struct span *s, struct arena *mem);

/* The id of a span: 16 hexadecimal digits. */
void spans_id_of(struct str trace_id, struct str object_id, char ret[17]);

#endif
