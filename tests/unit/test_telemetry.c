/* The OTLP writer, the answers of collectors, and spans from events that are wrong or missing. */
#include "base/gen/limits.h"
#include "lib/t.h"
#include "telemetry/otlp_write.h"
#include "telemetry/span_content.h"
#include "telemetry/telemetry_reply.h"

TEST(an_attribute_has_the_bytes_of_the_protocol)
{
	static const char bytes[] = "\x0a\x09"          /* attributes, 9 bytes */
				    "\x0a\x01k"         /* key */
				    "\x12\x04"          /* value, 4 bytes */
				    "\x18\xac\x82\x01"; /* 16684 */
	struct buf out = { 0 };
	struct otlp o;

	otlp_init(&o, &out, OTLP_PROTOBUF);
	otlp_attr_int(&o, OTLP_RESOURCE_ATTRIBUTES, STR("k"), 16684);
	otlp_end(&o);
	CHECK(str_eq(buf_str(&out), str_of(bytes, sizeof bytes - 1)));
	buf_done(&out);
}

TEST(json_has_numbers_of_64_bits_as_text_and_lists_closed)
{
	struct buf out = { 0 };
	struct otlp o;

	otlp_init(&o, &out, OTLP_JSON);
	otlp_open(&o, OTLP_RESOURCE);
	otlp_attr_int(&o, OTLP_RESOURCE_ATTRIBUTES, STR("a"), INT64_MIN);
	otlp_attr_bool(&o, OTLP_RESOURCE_ATTRIBUTES, STR("b"), true);
	otlp_close(&o);
	otlp_str(&o, OTLP_SCHEMA_URL, STR("x"));
	otlp_end(&o);
	CHECK(str_eq(buf_str(&out),
	             STR("{\"resource\":{\"attributes\":["
	                 "{\"key\":\"a\",\"value\":{\"intValue\":\"-9223372036854775808\"}},"
	                 "{\"key\":\"b\",\"value\":{\"boolValue\":true}}]},\"schemaUrl\":\"x\"}")));
	buf_done(&out);
}

TEST(an_answer_says_how_much_was_rejected)
{
	static const char partial[] = "\x0a\x09\x08\x96\x01\x12\x04nope";
	struct telemetry_reply r;

	telemetry_reply_read(str_of(partial, sizeof partial - 1), OTLP_PROTOBUF, &r);
	CHECK(r.rejected == 150 && !strcmp(r.message, "nope"));
	telemetry_reply_read(STR("{\"partialSuccess\":{\"rejectedLogRecords\":7}}"), OTLP_JSON, &r);
	CHECK(r.rejected == 7);
	telemetry_reply_read(STR("{\"partialSuccess\":{\"rejectedSpans\":\"8\"}}"), OTLP_JSON, &r);
	CHECK(r.rejected == 8);
	CHECK(telemetry_reply_pause_ms(STR("5"), 0) == 5000);
	CHECK(telemetry_reply_pause_ms(STR("99999999"), 0) == 3600000);
	/* 2026-10-21T07:28:00Z */
	CHECK(telemetry_reply_pause_ms(STR("Wed, 21 Oct 2026 07:28:00 GMT"),
	                               1792567680000 - 9000) == 9000);
	CHECK(telemetry_reply_pause_ms(STR("Wed, 21 Oct 2026 07:28:00 GMT"), 1792567680001) == 0);
	CHECK(telemetry_reply_pause_ms(STR("Wed, 21 Xct 2026 07:28:00 GMT"), 0) == 0);
	CHECK(telemetry_reply_pause_ms(STR("soon"), 0) == 0);
}

TEST(an_answer_that_is_cut_off_or_garbage_says_nothing_wrong)
{
	static const char partial[] = "\x0a\x09\x08\x96\x01\x12\x04nope\x7a\xff\xff\xff\xff\x0f";
	struct telemetry_reply r;
	char bytes[64];
	uint32_t seed = 1;

	for (size_t n = 0; n < sizeof partial; n++)
		telemetry_reply_read(str_of(partial, n), OTLP_PROTOBUF, &r);
	for (int round = 0; round < 20000; round++) {
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = (char)((seed = seed * 1664525u + 1013904223u) >> 24);
		telemetry_reply_read(str_of(bytes, (size_t)round % sizeof bytes), OTLP_PROTOBUF,
		                     &r);
		telemetry_reply_read(str_of(bytes, (size_t)round % sizeof bytes), OTLP_JSON, &r);
		CHECK(strlen(r.message) < sizeof r.message);
	}
}

/* ---- spans ---- */

struct seen {
	size_t spans, logs;
	char last[17], parent[17];
};

static void on_span(void *owner, const struct span *x)
{
	struct seen *s = owner;

	s->spans++;
	memcpy(s->last, x->span_id, sizeof s->last);
	memcpy(s->parent, x->parent_id, sizeof s->parent);
}

static void on_log(void *owner, const struct span_log *l)
{
	((struct seen *)owner)->logs++;
}

static const struct spans_sink sink = { .span = on_span, .log = on_log };

#define TRACE "\"traceId\":\"0af7651916cd43dd8448eb211c80319c\""
#define AT "\"sessionId\":\"s\",\"turnId\":\"t\",\"timestamp\":\"2026-01-01T00:00:00.000Z\""

static void feed(struct spans *s, enum event_type type, uint64_t position, const char *text)
{
	struct arena *mem = arena_new();
	struct json ev;

	CHECK(json_read(mem, str_from(text), &ev, NULL) == OK);
	spans_event(s, type, position, ev);
	arena_free(mem);
}

TEST(a_span_needs_a_trace_id_and_a_parent_that_is_open)
{
	struct seen seen = { 0 };
	struct spans *s = spans_new(&sink, &seen);

	feed(s, EV_TURN_SUBMITTED, 1, "{" AT "}");
	feed(s, EV_TURN_SUBMITTED, 2, "{" AT ",\"traceId\":\"00000000000000000000000000000000\"}");
	feed(s, EV_TURN_SUBMITTED, 3, "{" AT ",\"traceId\":\"short\"}");
	CHECK(spans_open_count(s) == 0 && spans_uncorrelated(s) == 3);
	feed(s, EV_TURN_SUBMITTED, 4, "{" AT "," TRACE "}");
	feed(s, EV_TURN_SUBMITTED, 5, "{" AT "," TRACE "}");
	CHECK(spans_open_count(s) == 1 && spans_oldest(s) == 4);
	/* The attempt has not begun, so the turn is the parent. */
	feed(s, EV_TOOL_STARTED, 6, "{" AT ",\"attemptId\":\"a\",\"toolCallId\":\"c\"}");
	feed(s, EV_TOOL_RESULT, 7, "{" AT ",\"attemptId\":\"a\",\"toolCallId\":\"c\"}");
	CHECK(seen.spans == 1 && strlen(seen.parent) == 16);
	feed(s, EV_TOOL_RESULT, 8, "{" AT ",\"toolCallId\":\"never\"}");
	feed(s, EV_TOOL_RESULT, 9, "{\"payload\":7,\"toolCallId\":3}");
	feed(s, EV_TURN_COMPLETED, 10, "{" AT "}");
	CHECK(seen.spans == 2 && spans_open_count(s) == 0 && spans_oldest(s) == 0);
	spans_free(s);
}

TEST(spans_are_below_the_callers_and_follow_its_sampling)
{
	struct seen seen = { 0 };
	struct spans *s = spans_new(&sink, &seen);

	feed(s, EV_TURN_SUBMITTED, 1,
	     "{" AT "," TRACE ",\"payload\":{\"trace\":{\"spanId\":\"b7ad6b7169203331\","
	     "\"sampled\":true}}}");
	feed(s, EV_TURN_COMPLETED, 2, "{" AT "}");
	CHECK(seen.spans == 1);
	CHECK_STR(str_from(seen.parent), "b7ad6b7169203331");
	feed(s, EV_TURN_SUBMITTED, 3,
	     "{" AT "," TRACE ",\"payload\":{\"trace\":{\"spanId\":\"b7ad6b7169203331\","
	     "\"sampled\":false}}}");
	feed(s, EV_TOOL_STARTED, 4, "{" AT ",\"toolCallId\":\"c\"}");
	feed(s, EV_TOOL_RESULT, 5, "{" AT ",\"toolCallId\":\"c\"}");
	feed(s, EV_TURN_COMPLETED, 6, "{" AT "}");
	CHECK(seen.spans == 1 && spans_open_count(s) == 0);
	spans_free(s);
}

TEST(notes_of_one_span_are_bounded)
{
	struct seen seen = { 0 };
	struct spans *s = spans_new(&sink, &seen);

	feed(s, EV_TURN_SUBMITTED, 1, "{" AT "," TRACE "}");
	for (uint64_t i = 2; i < 5000; i++)
		feed(s, EV_RUNTIME_WARNING, i, "{" AT ",\"payload\":{\"category\":\"other\"}}");
	CHECK(seen.logs == 4998 && spans_open_count(s) == 1);
	spans_free(s); /* with an open span */
}

/* ---- content ---- */

static struct str mark_cut(void *owner, struct arena *mem, struct str text, bool is_cut)
{
	(void)owner;
	return arena_printf(mem, "%.*s%s", STR_ARG(text), is_cut ? "<cut>" : "");
}

/* The newest span with this attribute. */
static void keep_output(void *owner, const struct span *x)
{
	struct buf *kept = owner;

	for (uint32_t i = 0; i < x->attrs.count; i++)
		if (!strcmp(x->attrs.items[i].key, "gen_ai.output.messages")) {
			buf_clear(kept);
			buf_add_str(kept, span_attrs_text(&x->attrs, &x->attrs.items[i]));
		}
}

TEST(content_is_bounded_and_passes_the_redactor)
{
	static const struct spans_sink outputs = { .span = keep_output, .log = on_log };
	static const struct span_redactor redactor = { .clean = mark_cut };
	CLEANUP(buf_done) struct buf kept = { 0 }, delta = { 0 };
	struct spans *s = spans_new(&outputs, &kept);
	size_t piece = 5000, fits = LIMIT_TELEMETRY_CONTENT_BYTES / piece * piece;

	CHECK(!spans_wants(s, EV_MODEL_DELTA));
	spans_show_content(s, &redactor);
	CHECK(spans_wants(s, EV_MODEL_DELTA));
	buf_printf(&delta,
	           "{" AT ",\"modelRequestId\":\"m\",\"payload\":{\"kind\":\"text\",\"text\":\"");
	for (size_t i = 0; i < piece; i++)
		buf_add_char(&delta, 'x');
	buf_printf(&delta, "\"}}");
	buf_add_char(&delta, 0);
	feed(s, EV_TURN_SUBMITTED, 1,
	     "{" AT "," TRACE ",\"payload\":{\"input\":[7,{},{\"type\":\"image\"}]}}");
	feed(s, EV_MODEL_REQUESTED, 2, "{" AT ",\"modelRequestId\":\"m\"}");
	for (uint64_t i = 0; i < 20; i++)
		feed(s, EV_MODEL_DELTA, 3 + i, delta.ptr);
	feed(s, EV_MODEL_DELTA, 30, "{" AT ",\"modelRequestId\":\"none\",\"payload\":7}");
	feed(s, EV_TOOL_ARGS, 31, "{" AT ",\"toolCallId\":\"none\"}");
	feed(s, EV_MODEL_COMPLETED, 32, "{" AT ",\"modelRequestId\":\"m\"}");
	CHECK(kept.len > fits && kept.len < fits + 200);
	CHECK_HAS(buf_str(&kept), "x<cut>\"");
	buf_clear(&kept);
	feed(s, EV_TURN_COMPLETED, 33, "{" AT "}");
	CHECK(kept.len > fits && kept.len < fits + 200);
	spans_free(s);
}

TEST_MAIN()
