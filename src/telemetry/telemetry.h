#ifndef TELEMETRY_TELEMETRY_H
#define TELEMETRY_TELEMETRY_H
/*
 * Sends traces, logs and metrics to an OpenTelemetry collector.
 *
 * The adapter follows the events of all sessions through ports/control.h and
 * holds the open spans and one batch.  While a batch is under way it reads
 * nothing, so a slow or absent collector costs lag and no memory.  The cursor is
 * a small file: after a restart reading continues with the first event of the
 * oldest open span, and spans that were accepted before are not sent again.
 *
 * Metrics are sums since the start; they are sent at intervals, and a request
 * that fails is not repeated, because the next one has the same sums and more.
 *
 * Everything runs on the loop thread.
 */
#include "net/http/http_client.h"
#include "ports/clock.h"
#include "ports/control.h"
#include "telemetry/otlp_write.h"
#include "telemetry/span_content.h"

struct telemetry;

struct telemetry_options {
	struct control *control;
	struct clock *clock;
	struct http_client *http_client;
	struct str urls[OTLP_SIGNAL_COUNT]; /* absent: this signal is not sent */
	const struct http_client_header *headers;
	size_t header_count;
	enum otlp_form form;
	bool is_gzipped;
	int64_t timeout_ms; /* of one request */
	int64_t metrics_ms; /* between two requests with metrics */
	struct otlp_source source;
	struct span_redactor redactor; /* of content; clean is NULL: none is sent */
	/* Files of the cursors of traces and logs; absent: nothing is kept. */
	struct str cursor_paths[OTLP_SIGNAL_COUNT];
};

/* Strings and headers are copied.  Reading begins with telemetry_start(). */
struct telemetry *telemetry_new(const struct telemetry_options *o);
/* The runtime takes commands now. */
void telemetry_start(struct telemetry *t);
/*
 * The runtime is about to end: what was read is sent now.  False: nothing is under way any more.
 * What is not sent in time is sent after the next start, if that has the same data directory.
 */
bool telemetry_flush(struct telemetry *t);
void telemetry_free(struct telemetry *t); /* NULL is fine */

/* The adapter's own figures, in the text format of Prometheus. */
void telemetry_write_metrics(const struct telemetry *t, struct buf *out);

#endif
