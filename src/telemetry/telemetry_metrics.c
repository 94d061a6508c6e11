/* Sends metrics at intervals (telemetry_metrics.h). */
#include "telemetry/telemetry_metrics.h"

#include "base/memory.h"
#include "base/os/log.h"
#include "telemetry/telemetry_post.h"
#include "telemetry/telemetry_reply.h"

struct telemetry_metrics {
	const struct telemetry_options *o;
	struct clock_timer timer;
	int64_t start_ms;
	struct http_client_call *call;
	int status;
	int64_t retry_after_ms;
	bool is_away; /* the last request failed, and a log line says so */
};

static void on_head(void *owner, const struct http_client_head *h)
{
	struct telemetry_metrics *m = owner;

	m->status = h->status;
	m->retry_after_ms = telemetry_reply_pause_ms(http_client_head_get(h, STR("retry-after")),
	                                             m->o->clock->ops->wall_ms(m->o->clock));
}

static size_t on_body(void *owner, struct str bytes)
{
	(void)owner;
	return bytes.len;
}

static void on_end(void *owner, const struct http_client_end *e)
{
	struct telemetry_metrics *m = owner;
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool is_away = e->result != HTTP_CLIENT_OK || m->status < 200 || m->status > 299;
	struct str why = e->result ? e->message : arena_printf(mem, "status %d", m->status);

	m->call = NULL;
	if (is_away && !m->is_away)
		log_line(LOG_WARN, "telemetry",
		         "the collector at %.*s does not accept metrics (%.*s)",
		         STR_ARG(telemetry_post_address(mem, m->o, OTLP_METRICS_SIGNAL)),
		         STR_ARG(why));
	m->is_away = is_away;
	if (m->retry_after_ms > m->o->metrics_ms)
		m->o->clock->ops->start(m->o->clock, &m->timer, m->retry_after_ms);
}

static const struct http_client_sink sink = { .head = on_head, .body = on_body, .end = on_end };

/* False: nothing was measured yet. */
static bool write_metrics(const struct telemetry_metrics *m, struct buf *out)
{
	struct control_metric metrics[METRIC_COUNT];
	struct otlp o;
	size_t count = 0;

	m->o->control->ops->metrics(m->o->control, metrics);
	for (size_t i = 0; i < METRIC_COUNT; i++)
		count += metrics[i].count;
	if (!count)
		return false;
	otlp_init(&o, out, m->o->form);
	otlp_write_begin(&o, OTLP_METRICS_SIGNAL, &m->o->source);
	for (size_t i = 0; i < METRIC_COUNT; i++)
		if (metrics[i].count)
			otlp_write_metric(&o, &metrics[i], m->start_ms,
			                  m->o->clock->ops->wall_ms(m->o->clock));
	otlp_write_end(&o);
	otlp_end(&o);
	return true;
}

/* A request that is still under way is left alone: the next one has its sums, too. */
static void on_timer(struct clock_timer *timer)
{
	struct telemetry_metrics *m = OWNER_OF(timer, struct telemetry_metrics, timer);
	CLEANUP(buf_done) struct buf body = { 0 };

	if (!m->call && write_metrics(m, &body)) {
		m->status = 0;
		m->retry_after_ms = 0;
		m->call = telemetry_post(m->o, OTLP_METRICS_SIGNAL, buf_str(&body), &sink, m);
	}
	m->o->clock->ops->start(m->o->clock, &m->timer, m->o->metrics_ms);
}

struct telemetry_metrics *telemetry_metrics_new(const struct telemetry_options *o, int64_t start_ms)
{
	struct telemetry_metrics *m = memory_zeroed(1, sizeof *m);

	m->o = o;
	m->start_ms = start_ms;
	m->timer.fire = on_timer;
	o->clock->ops->start(o->clock, &m->timer, o->metrics_ms);
	return m;
}

void telemetry_metrics_free(struct telemetry_metrics *m)
{
	if (!m)
		return;
	m->o->clock->ops->stop(m->o->clock, &m->timer);
	if (m->call)
		http_client_cancel(m->call);
	memory_free(m);
}
