/* The adapter (telemetry.h): one sender per signal, and the metrics. */
#include "telemetry/telemetry.h"

#include "telemetry/telemetry_metrics.h"
#include "telemetry/telemetry_sender.h"

struct telemetry {
	struct telemetry_options o;
	struct arena *mem;
	struct telemetry_sender *senders[2]; /* traces and logs; NULL: not sent */
	struct telemetry_metrics *metrics;   /* NULL: not sent */
};

struct telemetry *telemetry_new(const struct telemetry_options *o)
{
	struct arena *mem = arena_new();
	struct telemetry *t = ARENA_NEW(mem, struct telemetry);
	struct http_client_header *headers =
		ARENA_ARRAY(mem, struct http_client_header, o->header_count + 1);

	t->o = *o;
	t->mem = mem;
	for (size_t i = 0; i < o->header_count; i++)
		headers[i] = (struct http_client_header){ arena_keep(mem, o->headers[i].name),
			                                  arena_keep(mem, o->headers[i].value) };
	t->o.headers = headers;
	for (size_t i = 0; i < OTLP_SIGNAL_COUNT; i++) {
		t->o.urls[i] = arena_keep(mem, o->urls[i]);
		t->o.cursor_paths[i] = arena_keep(mem, o->cursor_paths[i]);
	}
	t->o.source.service = arena_keep(mem, o->source.service);
	t->o.source.version = arena_keep(mem, o->source.version);
	t->o.source.runtime_id = arena_keep(mem, o->source.runtime_id);
	t->o.source.resource = arena_keep(mem, o->source.resource);
	return t;
}

void telemetry_start(struct telemetry *t)
{
	struct control_health h = { 0 };

	t->o.control->ops->health(t->o.control, &h);
	if (!str_is(t->o.source.runtime_id))
		t->o.source.runtime_id = arena_keep(t->mem, h.runtime_id);
	for (size_t i = 0; i < COUNT_OF(t->senders); i++)
		if (str_is(t->o.urls[i]))
			t->senders[i] = telemetry_sender_new(&t->o, (enum otlp_signal)i);
	if (str_is(t->o.urls[OTLP_METRICS_SIGNAL]))
		t->metrics = telemetry_metrics_new(&t->o, h.started_ms);
}

bool telemetry_flush(struct telemetry *t)
{
	bool is_sending = false;

	for (size_t i = 0; i < COUNT_OF(t->senders); i++)
		if (t->senders[i])
			is_sending |= telemetry_sender_flush(t->senders[i]);
	return is_sending;
}

void telemetry_free(struct telemetry *t)
{
	if (!t)
		return;
	telemetry_metrics_free(t->metrics);
	for (size_t i = 0; i < COUNT_OF(t->senders); i++)
		telemetry_sender_free(t->senders[i]);
	arena_free(t->mem);
}

void telemetry_write_metrics(const struct telemetry *t, struct buf *out)
{
	for (size_t i = 0; i < COUNT_OF(t->senders); i++)
		if (t->senders[i])
			telemetry_sender_write_metrics(t->senders[i], out);
}
