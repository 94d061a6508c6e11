/*
 * One sender (telemetry_sender.h): reads events, collects a batch, sends it.
 *
 * What a collector answers decides, as OTLP says: it accepted the batch (2xx),
 * wants it again later (429, 502, 503, 504, no answer), does not know the signal
 * (404, 405, 501: the sender stops), does not know us (401, 403: again later,
 * because a person can mend it), or will never take it (any other status).
 */
#include "telemetry/telemetry_sender.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "telemetry/telemetry_cursor.h"
#include "telemetry/telemetry_post.h"
#include "telemetry/telemetry_reply.h"
#include "telemetry/telemetry_waiting.h"

#include <stdio.h>

/* The last span of a batch still fits into a buffer of 512 KiB, unless it has much content. */
#define BATCH_BYTES (496u << 10)
#define BATCH_AGE_MS 1000
#define READ_AFTER_MS 50 /* events wait so long, unless there are many */
#define PAUSE_FIRST_MS 1000
#define PAUSE_MAX_MS 60000
#define REPLY_KEPT (64u << 10) /* of an answer; the rest is not read */

enum sender_phase {
	SENDER_READING,
	SENDER_SENDING,
	SENDER_PAUSED, /* until the next try */
	SENDER_OFF,    /* the collector does not take this signal */
};

struct telemetry_sender {
	const struct telemetry_options *o;
	enum otlp_signal signal;
	const char *name; /* of the signal, for people */
	enum sender_phase phase;
	struct subscription *subscription;
	struct clock_timer timer;
	struct telemetry_waiting waiting;
	struct clock_timer read_timer; /* runs while events wait to be read */
	struct spans *spans;
	struct buf body; /* the batch */
	struct otlp writer;
	uint64_t items;
	int64_t since_ms; /* time of the first event of the batch */
	struct str cursor_path;
	struct telemetry_cursor cursor;
	uint64_t position; /* of the last event that was read */
	int64_t event_ms;  /* its time */
	struct http_client_call *call;
	struct buf response;
	int status;
	int64_t retry_after_ms, pause_ms;
	bool is_away; /* the last request failed, and a log line says so */
	bool must_resume;
	bool has_advice; /* the collector sent some, and a log line shows it */
	uint64_t sent, rejected, failures;
};

static void send_batch(struct telemetry_sender *t);

/* ---- the batch ---- */

/* Spans that were accepted before a restart are made again and not sent again. */
static struct otlp *batch_writer(struct telemetry_sender *t, enum otlp_signal signal)
{
	if (t->signal != signal || t->position <= t->cursor.acked)
		return NULL;
	if (!t->items++) {
		otlp_init(&t->writer, &t->body, t->o->form);
		otlp_write_begin(&t->writer, signal, &t->o->source);
		t->since_ms = t->event_ms;
	}
	return &t->writer;
}

static void on_span(void *owner, const struct span *x)
{
	struct otlp *w = batch_writer(owner, OTLP_TRACES);
	CLEANUP(arena_freep) struct arena *mem = w ? arena_new() : NULL;

	if (w)
		otlp_write_span(w, mem, x);
}

static void on_log(void *owner, const struct span_log *l)
{
	struct telemetry_sender *t = owner;
	struct otlp *w = batch_writer(t, OTLP_LOGS);

	if (w)
		otlp_write_log(w, l, t->o->clock->ops->wall_ms(t->o->clock));
}

static const struct spans_sink spans_sink = { .span = on_span, .log = on_log };

static void close_batch(struct telemetry_sender *t)
{
	otlp_write_end(&t->writer);
	otlp_end(&t->writer);
	t->phase = SENDER_SENDING;
}

/* ---- reading ---- */

static void read_event(struct telemetry_sender *t, const struct control_event *ev)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json root;

	t->position = ev->position;
	if (json_read_trusted(mem, bytes_str(ev->body), &root, NULL) != OK)
		return;
	(void)!clock_time_read(json_str(JSON_GET(root, "timestamp")), &t->event_ms);
	spans_event(t->spans, ev->type, ev->position, root);
}

/* A full batch is sent at once. */
static void take_event(struct telemetry_sender *t, const struct control_event *ev)
{
	bool was_empty = !t->items;

	read_event(t, ev);
	if (t->body.len < BATCH_BYTES) {
		if (was_empty && t->items)
			t->o->clock->ops->start(t->o->clock, &t->timer, BATCH_AGE_MS);
		return;
	}
	t->o->clock->ops->stop(t->o->clock, &t->timer);
	close_batch(t);
	send_batch(t);
}

/* What does not fit into this batch waits for its end. */
static void take_waiting(struct telemetry_sender *t)
{
	struct control_event ev;

	while (t->phase == SENDER_READING && telemetry_waiting_next(&t->waiting, &ev)) {
		take_event(t, &ev);
		bytes_unref(ev.body);
	}
}

static void on_read_timer(struct clock_timer *timer)
{
	take_waiting(OWNER_OF(timer, struct telemetry_sender, read_timer));
}

static bool on_event(void *owner, const struct control_event *ev)
{
	struct telemetry_sender *t = owner;

	telemetry_waiting_add(&t->waiting, ev);
	if (telemetry_waiting_is_full(&t->waiting))
		take_waiting(t);
	else if (t->waiting.count == 1)
		t->o->clock->ops->start(t->o->clock, &t->read_timer, READ_AFTER_MS);
	t->must_resume = t->phase != SENDER_READING;
	return !t->must_resume;
}

static void on_gap(void *owner, uint64_t from, uint64_t to, struct str recovery_mode,
                   struct str snapshot)
{
	(void)owner, (void)from, (void)to, (void)recovery_mode, (void)snapshot;
}

static void on_stream_end(void *owner, enum stream_end why)
{
	struct telemetry_sender *t = owner;

	t->subscription = NULL;
	if (why == STREAM_UNREADABLE && t->phase == SENDER_READING && !t->items) {
		log_line(LOG_WARN, "telemetry", "events cannot be read now; %s wait", t->name);
		t->o->clock->ops->start(t->o->clock, &t->timer, PAUSE_MAX_MS);
	}
}

static const struct control_sink control_sink = { .event = on_event,
	                                          .gap = on_gap,
	                                          .end = on_stream_end };

static void subscribe(struct telemetry_sender *t)
{
	struct control_stream s = {
		.after = t->position, .follow = true, .sink = &control_sink, .owner = t
	};

	for (unsigned type = 1; type < EV_COUNT; type++)
		if (spans_wants(t->spans, (enum event_type)type))
			s.types[type / 64] |= 1ull << type % 64;
	t->subscription = t->o->control->ops->subscribe(t->o->control, &s);
}

static void unsubscribe(struct telemetry_sender *t)
{
	if (t->subscription)
		t->o->control->ops->unsubscribe(t->o->control, t->subscription);
	t->subscription = NULL;
	t->must_resume = false;
	/* They were not read, so the next stream begins with them. */
	telemetry_waiting_drop(&t->waiting);
}

static void read_on(struct telemetry_sender *t)
{
	t->phase = SENDER_READING;
	take_waiting(t);
	if (t->phase != SENDER_READING)
		return;
	if (!t->subscription)
		subscribe(t);
	else if (t->must_resume)
		t->o->control->ops->resume(t->o->control, t->subscription);
	t->must_resume = false;
}

/* ---- sending ---- */

static void keep_cursor(struct telemetry_sender *t)
{
	if (str_is(t->cursor_path) && !telemetry_cursor_write(t->cursor_path, &t->cursor))
		log_line(LOG_WARN, "telemetry",
		         "the cursor could not be written to %.*s; %s may be sent again or be lost",
		         STR_ARG(t->cursor_path), t->name);
}

/* The batch is done with: accepted, or never to be sent again. */
static void batch_done(struct telemetry_sender *t)
{
	uint64_t oldest = spans_oldest(t->spans);

	t->cursor.acked = t->position;
	t->cursor.from = oldest ? MIN(oldest - 1, t->position) : t->position;
	buf_clear(&t->body);
	t->items = 0;
	t->pause_ms = 0;
	keep_cursor(t);
}

static void batch_accepted(struct telemetry_sender *t)
{
	struct telemetry_reply reply;

	telemetry_reply_read(buf_str(&t->response), t->o->form, &reply);
	reply.rejected = MIN(reply.rejected, t->items);
	/* A message without rejected items is advice, which some collectors repeat each time. */
	if (reply.rejected || (*reply.message && !t->has_advice))
		log_line(LOG_WARN, "telemetry", "the collector rejected %llu of %llu %s: %s",
		         (unsigned long long)reply.rejected, (unsigned long long)t->items, t->name,
		         reply.message);
	t->has_advice |= *reply.message != 0;
	t->rejected += reply.rejected;
	t->sent += t->items - reply.rejected;
	if (t->is_away)
		log_line(LOG_INFO, "telemetry", "the collector accepts %s again", t->name);
	t->is_away = false;
	batch_done(t);
	read_on(t);
}

static void batch_refused(struct telemetry_sender *t)
{
	t->rejected += t->items;
	t->failures++;
	log_line(LOG_ERROR, "telemetry",
	         "the collector refused %llu %s (status %d); they are not sent again",
	         (unsigned long long)t->items, t->name, t->status);
	batch_done(t);
	read_on(t);
}

/* Until the next start. */
static void signal_refused(struct telemetry_sender *t)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	t->failures++;
	t->rejected += t->items;
	log_line(LOG_WARN, "telemetry",
	         "the collector at %.*s does not take %s (status %d); none are sent until the next "
	         "start",
	         STR_ARG(telemetry_post_address(mem, t->o, t->signal)), t->name, t->status);
	batch_done(t);
	unsubscribe(t);
	t->phase = SENDER_OFF;
}

/* The same bytes again, later. */
static void batch_failed(struct telemetry_sender *t, struct str why)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	t->failures++;
	t->pause_ms = MIN(t->pause_ms ? t->pause_ms * 2 : PAUSE_FIRST_MS, PAUSE_MAX_MS);
	if (!t->is_away)
		log_line(LOG_WARN, "telemetry",
		         "the collector at %.*s does not accept %s (%.*s); trying again until it "
		         "does",
		         STR_ARG(telemetry_post_address(mem, t->o, t->signal)), t->name,
		         STR_ARG(why));
	t->is_away = true;
	t->phase = SENDER_PAUSED;
	t->o->clock->ops->start(t->o->clock, &t->timer, MAX(t->pause_ms, t->retry_after_ms));
}

static void on_head(void *owner, const struct http_client_head *h)
{
	struct telemetry_sender *t = owner;

	t->status = h->status;
	t->retry_after_ms = telemetry_reply_pause_ms(http_client_head_get(h, STR("retry-after")),
	                                             t->o->clock->ops->wall_ms(t->o->clock));
}

static size_t on_body(void *owner, struct str bytes)
{
	struct telemetry_sender *t = owner;

	if (t->response.len + bytes.len <= REPLY_KEPT)
		buf_add_str(&t->response, bytes);
	return bytes.len;
}

static void on_end(void *owner, const struct http_client_end *e)
{
	struct telemetry_sender *t = owner;
	bool has_status = e->result == HTTP_CLIENT_OK || e->result == HTTP_CLIENT_TOO_LARGE;
	char why[40];

	t->call = NULL;
	if (!has_status) {
		batch_failed(t, e->message);
		return;
	}
	switch (t->status) {
	case 200 ... 299:
		batch_accepted(t);
		break;
	case 404:
	case 405:
	case 501:
		signal_refused(t);
		break;
	case 401:
	case 403:
	case 429:
	case 502 ... 504:
		snprintf(why, sizeof why, "status %d", t->status);
		batch_failed(t, str_from(why));
		break;
	default:
		batch_refused(t);
	}
}

static const struct http_client_sink http_sink = { .head = on_head,
	                                           .body = on_body,
	                                           .end = on_end };

static void send_batch(struct telemetry_sender *t)
{
	t->phase = SENDER_SENDING;
	buf_clear(&t->response);
	t->status = 0;
	t->retry_after_ms = 0;
	t->call = telemetry_post(t->o, t->signal, buf_str(&t->body), &http_sink, t);
}

/* The batch is old enough, or the pause after a failure is over. */
static void on_timer(struct clock_timer *timer)
{
	struct telemetry_sender *t = OWNER_OF(timer, struct telemetry_sender, timer);

	if (t->phase == SENDER_PAUSED)
		send_batch(t);
	else if (t->phase == SENDER_READING && t->items)
		(void)telemetry_sender_flush(t);
	else if (t->phase == SENDER_READING && !t->subscription)
		subscribe(t);
}

bool telemetry_sender_flush(struct telemetry_sender *t)
{
	take_waiting(t);
	if (t->phase == SENDER_READING && t->items) {
		/* Nothing is read while it is under way. */
		unsubscribe(t);
		close_batch(t);
		send_batch(t);
	}
	return t->phase == SENDER_SENDING;
}

/* ---- its life ---- */

/* Without a cursor of this log, sending begins with new events. */
static void begin_cursor(struct telemetry_sender *t, const struct control_health *h)
{
	bool is_known = str_is(t->cursor_path) && telemetry_cursor_read(t->cursor_path, &t->cursor);

	if (is_known && str_eq(str_from(t->cursor.runtime_id), h->runtime_id) &&
	    t->cursor.acked <= h->last_position)
		return;
	if (is_known)
		log_line(LOG_WARN, "telemetry",
		         "the cursor %.*s belongs to another log; %s begin with new events",
		         STR_ARG(t->cursor_path), t->name);
	t->cursor =
		(struct telemetry_cursor){ .acked = h->last_position, .from = h->last_position };
	snprintf(t->cursor.runtime_id, sizeof t->cursor.runtime_id, "%.*s", STR_ARG(h->runtime_id));
	keep_cursor(t);
}

struct telemetry_sender *telemetry_sender_new(const struct telemetry_options *o,
                                              enum otlp_signal signal)
{
	struct telemetry_sender *t = memory_zeroed(1, sizeof *t);
	struct control_health h = { 0 };

	t->o = o;
	t->signal = signal;
	t->name = signal == OTLP_TRACES ? "spans" : "log records";
	t->cursor_path = o->cursor_paths[signal];
	t->timer.fire = on_timer;
	t->read_timer.fire = on_read_timer;
	t->spans = spans_new(&spans_sink, t);
	if (signal == OTLP_TRACES && o->redactor.clean)
		spans_show_content(t->spans, &o->redactor);
	o->control->ops->health(o->control, &h);
	begin_cursor(t, &h);
	t->position = t->cursor.from;
	subscribe(t);
	return t;
}

void telemetry_sender_free(struct telemetry_sender *t)
{
	if (!t)
		return;
	t->o->clock->ops->stop(t->o->clock, &t->timer);
	t->o->clock->ops->stop(t->o->clock, &t->read_timer);
	if (t->call)
		http_client_cancel(t->call);
	unsubscribe(t);
	buf_done(&t->body);
	buf_done(&t->response);
	spans_free(t->spans);
	memory_free(t);
}

void telemetry_sender_write_metrics(const struct telemetry_sender *t, struct buf *out)
{
	int64_t now = t->o->clock->ops->wall_ms(t->o->clock);
	const char *what = t->signal == OTLP_TRACES ? "spans" : "logs";
	const struct {
		const char *name, *type, *help;
		double value;
	} rows[] = {
		{ "lag_seconds", "gauge", "Age of the oldest event that waits to be sent.",
		  t->items ? (double)MAX(now - t->since_ms, 0) / 1e3 : 0 },
		{ "sent_total", "counter", "Accepted by the collector.", (double)t->sent },
		{ "rejected_total", "counter", "Refused by the collector and not sent again.",
		  (double)t->rejected },
		{ "failures_total", "counter", "Requests that failed.", (double)t->failures },
		{ "uncorrelated_total", "counter", "Events without a trace id.",
		  (double)spans_uncorrelated(t->spans) },
		{ "open", "gauge", "Spans that have not ended.",
		  (double)spans_open_count(t->spans) },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		buf_printf(out,
		           "# HELP thole_telemetry_%s_%s %s\n# TYPE thole_telemetry_%s_%s %s\n"
		           "thole_telemetry_%s_%s %.12g\n",
		           what, rows[i].name, rows[i].help, what, rows[i].name, rows[i].type, what,
		           rows[i].name, rows[i].value);
}
