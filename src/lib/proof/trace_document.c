/*
 * Spans of events as one document (ports/trace.h), with the tables of telemetry/: a pack
 * shows the same spans that a collector gets.
 */
#include "lib/proof/trace_document.h"

#include "base/memory.h"
#include "telemetry/otlp_write.h"
#include "telemetry/spans.h"

struct trace_writer {
	struct trace_target target;
	struct spans *spans;
	struct otlp otlp;
	struct buf out;
	bool has_begun;
};

/* The writer of JSON does not look back, so what was written can leave. */
static void flush(struct trace_writer *w)
{
	w->target.write(w->target.arg, buf_str(&w->out));
	buf_clear(&w->out);
}

static void begin(struct trace_writer *w)
{
	struct otlp_source source = { .service = STR("thole"),
		                      .version = STR(THOLE_VERSION),
		                      .runtime_id = w->target.runtime_id };

	w->has_begun = true;
	otlp_init(&w->otlp, &w->out, OTLP_JSON);
	otlp_write_begin(&w->otlp, OTLP_TRACES, &source);
}

static void on_span(void *owner, const struct span *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct trace_writer *w = owner;

	if (!w->has_begun)
		begin(w);
	otlp_write_span(&w->otlp, mem, s);
	flush(w);
}

static void on_log(void *owner, const struct span_log *l)
{
}

static struct trace_writer *trace_open(const struct trace_target *target)
{
	static const struct spans_sink sink = { on_span, on_log };
	struct trace_writer *w = memory_zeroed(1, sizeof *w);

	w->target = *target;
	w->spans = spans_new(&sink, w);
	return w;
}

static void trace_event(struct trace_writer *w, enum event_type type, uint64_t sequence,
                        struct json ev)
{
	spans_event(w->spans, type, sequence, ev);
}

static bool trace_end(struct trace_writer *w)
{
	if (!w->has_begun)
		return false;
	otlp_write_end(&w->otlp);
	otlp_end(&w->otlp);
	buf_add_char(&w->out, '\n');
	flush(w);
	return true;
}

static void trace_free(struct trace_writer *w)
{
	if (!w)
		return;
	spans_free(w->spans);
	buf_done(&w->out);
	memory_free(w);
}

const struct trace_documents trace_document_ops = {
	.open = trace_open,
	.event = trace_event,
	.end = trace_end,
	.free = trace_free,
};
