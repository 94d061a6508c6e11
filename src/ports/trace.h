#ifndef PORTS_TRACE_H
#define PORTS_TRACE_H
/*
 * Events of a log as spans of OpenTelemetry: one JSON document of OTLP (TracesData).
 *
 * The same events give the same bytes.  Only open spans are in memory.  Everything happens
 * in the calls, on the caller's thread.
 */
#include "base/json.h"
#include "catalog/catalog.h"

struct trace_writer;

struct trace_target {
	void (*write)(void *arg, struct str bytes); /* a piece of the document */
	void *arg;
	struct str runtime_id; /* lives as long as the writer */
};

struct trace_documents {
	struct trace_writer *(*open)(const struct trace_target *target);
	/* An envelope, in the order of the log; need not live longer than the call. */
	void (*event)(struct trace_writer *w, enum event_type type, uint64_t sequence,
	              struct json ev);
	/* Writes the end.  False: no span has ended, and nothing was written. */
	bool (*end)(struct trace_writer *w);
	void (*free)(struct trace_writer *w);
};

#endif
