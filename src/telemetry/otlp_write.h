#ifndef TELEMETRY_OTLP_WRITE_H
#define TELEMETRY_OTLP_WRITE_H
/*
 * Spans, log records and metrics as OTLP messages.
 *
 * A request is written piece by piece: otlp_write_begin(), any number of items of
 * one kind, otlp_write_end().
 */
#include "base/arena.h"
#include "ports/control.h"
#include "telemetry/otlp.h"
#include "telemetry/spans.h"

enum otlp_signal { OTLP_TRACES, OTLP_LOGS, OTLP_METRICS_SIGNAL, OTLP_SIGNAL_COUNT };

/* What the runtime calls itself; the strings live as long as the user of them. */
struct otlp_source {
	struct str service;    /* service.name */
	struct str version;    /* service.version */
	struct str runtime_id; /* service.instance.id */
	struct str resource;   /* further attributes, "key=value" per line; may be absent */
};

void otlp_write_begin(struct otlp *o, enum otlp_signal signal, const struct otlp_source *source);
void otlp_write_span(struct otlp *o, struct arena *mem, const struct span *x);
void otlp_write_log(struct otlp *o, const struct span_log *l, int64_t observed_ms);
void otlp_write_metric(struct otlp *o, const struct control_metric *m, int64_t start_ms,
                       int64_t now_ms);
void otlp_write_end(struct otlp *o);

#endif
