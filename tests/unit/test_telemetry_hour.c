/*
 * An hour of virtual time with a collector that is dead, slow, busy or half
 * willing, and a runtime that is killed meanwhile: every span arrives once, and
 * memory does not grow with what waits.
 */
#include "telemetry/telemetry.h"
#include "telemetry/telemetry_post.h"

#include "base/os/log.h"
#include "lib/t.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#define HOUR_MS 3600000
#define TURNS_PER_S 5
#define EVENTS_PER_TURN 4
#define SPANS_PER_TURN 2
#define TURNS (HOUR_MS / 1000 * TURNS_PER_S)
#define CATCH_UP_MS 600000
#define KILL_EVERY_MS 420000
#define BEGIN_MS 1767225600000

static struct {
	int64_t now; /* since the begin */
	struct clock_timer *timers[4];
	int64_t due[4];
	/* The log, of which this much was delivered. */
	const struct control_sink *sink;
	void *sink_owner;
	uint64_t position;
	bool is_paused;
	/* The request that is under way. */
	const struct http_client_sink *answer;
	void *answer_owner;
	int64_t answer_at;
	struct buf body;
	unsigned requests, refused;
	unsigned char arrived[TURNS];
} h;

/* ---- time ---- */

static int64_t wall_ms(struct clock *c)
{
	(void)c;
	return BEGIN_MS + h.now;
}

static int64_t mono_ms(struct clock *c)
{
	(void)c;
	return h.now;
}

static void timer_stop(struct clock *c, struct clock_timer *t)
{
	(void)c;
	for (size_t i = 0; i < COUNT_OF(h.timers); i++)
		if (h.timers[i] == t)
			h.timers[i] = NULL;
}

static void timer_start(struct clock *c, struct clock_timer *t, int64_t delay_ms)
{
	timer_stop(c, t);
	for (size_t i = 0; i < COUNT_OF(h.timers); i++)
		if (!h.timers[i]) {
			h.timers[i] = t;
			h.due[i] = h.now + delay_ms;
			return;
		}
	CHECK(!"more timers than expected");
}

static void fire_timers(void)
{
	for (size_t i = 0; i < COUNT_OF(h.timers); i++) {
		struct clock_timer *t = h.timers[i];

		if (!t || h.due[i] > h.now)
			continue;
		h.timers[i] = NULL;
		t->fire(t);
	}
}

/* ---- the log ---- */

static uint64_t last_position(void)
{
	return (uint64_t)MIN(h.now, HOUR_MS) / 1000 * TURNS_PER_S * EVENTS_PER_TURN;
}

/* Positions begin with 1; each turn has four events. */
static void deliver(uint64_t position)
{
	static const enum event_type types[] = { EV_TURN_SUBMITTED, EV_MODEL_REQUESTED,
		                                 EV_MODEL_COMPLETED, EV_TURN_COMPLETED };
	uint64_t turn = (position - 1) / EVENTS_PER_TURN;
	char text[400];
	struct control_event ev = { .seq = position,
		                    .position = position,
		                    .type = types[(position - 1) % EVENTS_PER_TURN] };
	int len = snprintf(text, sizeof text,
	                   "{\"sessionId\":\"s\",\"turnId\":\"t%llu\",\"modelRequestId\":\"m%llu\","
	                   "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"traceId\":\"%032llx\"}",
	                   (unsigned long long)turn, (unsigned long long)turn,
	                   (unsigned long long)turn + 1);

	ev.body = bytes_new(str_of(text, (size_t)len));
	h.is_paused = !h.sink->event(h.sink_owner, &ev);
	bytes_unref(ev.body);
}

static void deliver_all(void)
{
	while (h.sink && !h.is_paused && h.position < last_position())
		deliver(++h.position);
}

static struct subscription *subscribe(struct control *c, const struct control_stream *s)
{
	(void)c;
	h.sink = s->sink;
	h.sink_owner = s->owner;
	h.position = s->after;
	h.is_paused = false;
	return (struct subscription *)&h;
}

static void unsubscribe(struct control *c, struct subscription *s)
{
	(void)c, (void)s;
	h.sink = NULL;
}

static void resume(struct control *c, struct subscription *s)
{
	(void)c, (void)s;
	h.is_paused = false;
}

static void health(struct control *c, struct control_health *ret)
{
	(void)c;
	*ret = (struct control_health){ .runtime_id = STR("rt_1"),
		                        .last_position = last_position() };
}

/* ---- the collector ---- */

enum mood { WELL, DEAD, SLOW, BUSY, OVERLOADED, PARTIAL, MOODS };

static enum mood mood(void)
{
	return h.now >= HOUR_MS ? WELL : (enum mood)(h.now / 60000 % MOODS);
}

struct http_client_call *telemetry_post(const struct telemetry_options *o, enum otlp_signal signal,
                                        struct str body, const struct http_client_sink *sink,
                                        void *owner)
{
	(void)o, (void)signal;
	CHECK(!h.answer);
	h.answer = sink;
	h.answer_owner = owner;
	h.answer_at = h.now + (mood() == SLOW ? 8000 : 10);
	buf_clear(&h.body);
	buf_add_str(&h.body, body);
	h.requests++;
	return NULL;
}

struct str telemetry_post_address(struct arena *mem, const struct telemetry_options *o,
                                  enum otlp_signal signal)
{
	(void)mem, (void)o, (void)signal;
	return STR("http://collector");
}

/* Each span names its turn once. */
static void take_spans(void)
{
	static const char mark[] = "\"agentruntime.turn_id\",\"value\":{\"stringValue\":\"t";
	struct str rest = buf_str(&h.body);
	ptrdiff_t at;

	while ((at = str_find(rest, str_from(mark))) >= 0) {
		struct str number;
		uint64_t turn = TURNS;

		rest = str_skip(rest, (size_t)at + strlen(mark));
		number = str_cut(&rest, '"');
		CHECK(str_to_u64(number, &turn) && turn < TURNS);
		CHECK(++h.arrived[turn] <= SPANS_PER_TURN);
	}
}

static void answer_request(void)
{
	static const struct {
		int status;
		const char *body;
	} answers[MOODS] = {
		[WELL] = { 200, "{}" },
		[SLOW] = { 200, "" },
		[BUSY] = { 429, "later" },
		[OVERLOADED] = { 503, "\xff\xff garbage" },
		[PARTIAL] = { 200, "{\"partialSuccess\":{\"errorMessage\":\"near the limit\"}}" },
	};
	const struct http_client_sink *sink = h.answer;
	const struct http_client_header pause = { STR("Retry-After"), STR("5") };
	enum mood now = mood();
	struct http_client_head head = { .status = answers[now].status,
		                         .headers = &pause,
		                         .header_count = now == BUSY };
	struct http_client_end end = { .result = now == DEAD ? HTTP_CLIENT_CONNECT : HTTP_CLIENT_OK,
		                       .message = STR("no answer") };

	if (!sink || h.answer_at > h.now)
		return;
	h.answer = NULL;
	if (now != DEAD) {
		sink->head(h.answer_owner, &head);
		sink->body(h.answer_owner, str_from(answers[now].body));
	}
	if (now != DEAD && head.status == 200)
		take_spans();
	else
		h.refused++;
	sink->end(h.answer_owner, &end);
}

/* ---- the hour ---- */

static struct telemetry *begin_adapter(const struct telemetry_options *o)
{
	struct telemetry *t = telemetry_new(o);

	telemetry_start(t);
	return t;
}

/* What was under way is gone; the collector has not taken it. */
static struct telemetry *kill_adapter(struct telemetry *t, const struct telemetry_options *o)
{
	telemetry_free(t);
	h.answer = NULL;
	h.sink = NULL;
	return begin_adapter(o);
}

static size_t used_bytes(void)
{
	return mallinfo2().uordblks;
}

TEST(nothing_is_lost_and_memory_is_flat_while_a_collector_is_unwell)
{
	static const struct clock_ops clock_ops = {
		.wall_ms = wall_ms, .mono_ms = mono_ms, .start = timer_start, .stop = timer_stop
	};
	static const struct control_ops control_ops = { .subscribe = subscribe,
		                                        .unsubscribe = unsubscribe,
		                                        .resume = resume,
		                                        .health = health };
	struct clock clock = { &clock_ops };
	struct control control = { &control_ops };
	char path[64];
	struct telemetry_options o = { .control = &control,
		                       .clock = &clock,
		                       .urls = { [OTLP_TRACES] =
		                                         STR("http://collector/v1/traces") },
		                       .form = OTLP_JSON,
		                       .source = { .service = STR("thole") } };
	struct telemetry *t;
	size_t before, most = 0;

	log_level(LOG_ERROR);
	snprintf(path, sizeof path, "/tmp/thole-telemetry-hour-%d", (int)getpid());
	o.cursor_paths[OTLP_TRACES] = str_from(path);
	buf_reserve(&h.body, 2u << 20);
	before = used_bytes();
	t = begin_adapter(&o);
	for (h.now = 0; h.now < HOUR_MS + CATCH_UP_MS; h.now += 10) {
		if (h.now && h.now % KILL_EVERY_MS == 0)
			t = kill_adapter(t, &o);
		fire_timers();
		answer_request();
		deliver_all();
		most = MAX(most, used_bytes());
	}
	for (size_t i = 0; i < TURNS; i++)
		if (h.arrived[i] != SPANS_PER_TURN)
			t_fail(__FILE__, __LINE__, "%u spans of turn %zu arrived", h.arrived[i], i);
	CHECK(h.refused > 100);
	/* One batch; all that waits while the collector is dead would be more. */
	CHECK(most < before + (1u << 20));
	telemetry_free(t);
	buf_done(&h.body);
	unlink(path);
}

TEST_MAIN()
