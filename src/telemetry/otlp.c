/*
 * The table of OTLP fields, and the writer that follows it.  Numbers and names
 * are those of the protocol's published message definitions.
 */
#include "telemetry/otlp.h"

#include "base/util.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum kind {
	KIND_MESSAGE,
	KIND_STRING,
	KIND_ID,      /* bytes; hexadecimal in JSON */
	KIND_INT64,   /* varint; a string in JSON */
	KIND_ENUM,    /* varint; a number in JSON */
	KIND_BOOL,    /* varint */
	KIND_FIXED64, /* a string in JSON */
	KIND_FIXED32, /* a number in JSON */
	KIND_DOUBLE,
};

struct field {
	const char *name;
	enum kind kind;
	unsigned number;
	bool is_list;
};

#define MESSAGES(name, number)                                                                     \
	{                                                                                          \
		name, KIND_MESSAGE, number, true                                                   \
	}
#define MESSAGE(name, number)                                                                      \
	{                                                                                          \
		name, KIND_MESSAGE, number, false                                                  \
	}

static const struct field fields[OTLP_FIELD_COUNT] = {
	[OTLP_RESOURCE_SPANS] = MESSAGES("resourceSpans", 1),
	[OTLP_RESOURCE_METRICS] = MESSAGES("resourceMetrics", 1),
	[OTLP_RESOURCE_LOGS] = MESSAGES("resourceLogs", 1),
	[OTLP_RESOURCE] = MESSAGE("resource", 1),
	[OTLP_RESOURCE_ATTRIBUTES] = MESSAGES("attributes", 1),
	[OTLP_SCOPE_SPANS] = MESSAGES("scopeSpans", 2),
	[OTLP_SCOPE_METRICS] = MESSAGES("scopeMetrics", 2),
	[OTLP_SCOPE_LOGS] = MESSAGES("scopeLogs", 2),
	[OTLP_SCHEMA_URL] = { "schemaUrl", KIND_STRING, 3, false },
	[OTLP_SCOPE] = MESSAGE("scope", 1),
	[OTLP_SCOPE_NAME] = { "name", KIND_STRING, 1, false },
	[OTLP_SCOPE_VERSION] = { "version", KIND_STRING, 2, false },
	[OTLP_SPANS] = MESSAGES("spans", 2),
	[OTLP_METRICS] = MESSAGES("metrics", 2),
	[OTLP_LOG_RECORDS] = MESSAGES("logRecords", 2),

	[OTLP_KEY] = { "key", KIND_STRING, 1, false },
	[OTLP_VALUE] = MESSAGE("value", 2),
	[OTLP_STRING_VALUE] = { "stringValue", KIND_STRING, 1, false },
	[OTLP_BOOL_VALUE] = { "boolValue", KIND_BOOL, 2, false },
	[OTLP_INT_VALUE] = { "intValue", KIND_INT64, 3, false },
	[OTLP_DOUBLE_VALUE] = { "doubleValue", KIND_DOUBLE, 4, false },
	[OTLP_ARRAY_VALUE] = MESSAGE("arrayValue", 5),
	[OTLP_ARRAY_VALUES] = MESSAGES("values", 1),

	[OTLP_SPAN_TRACE_ID] = { "traceId", KIND_ID, 1, false },
	[OTLP_SPAN_SPAN_ID] = { "spanId", KIND_ID, 2, false },
	[OTLP_SPAN_TRACE_STATE] = { "traceState", KIND_STRING, 3, false },
	[OTLP_SPAN_PARENT] = { "parentSpanId", KIND_ID, 4, false },
	[OTLP_SPAN_FLAGS] = { "flags", KIND_FIXED32, 16, false },
	[OTLP_SPAN_NAME] = { "name", KIND_STRING, 5, false },
	[OTLP_SPAN_KIND] = { "kind", KIND_ENUM, 6, false },
	[OTLP_SPAN_START] = { "startTimeUnixNano", KIND_FIXED64, 7, false },
	[OTLP_SPAN_END] = { "endTimeUnixNano", KIND_FIXED64, 8, false },
	[OTLP_SPAN_ATTRIBUTES] = MESSAGES("attributes", 9),
	[OTLP_SPAN_EVENTS] = MESSAGES("events", 11),
	[OTLP_SPAN_DROPPED_EVENTS] = { "droppedEventsCount", KIND_ENUM, 12, false },
	[OTLP_SPAN_LINKS] = MESSAGES("links", 13),
	[OTLP_SPAN_STATUS] = MESSAGE("status", 15),
	[OTLP_EVENT_TIME] = { "timeUnixNano", KIND_FIXED64, 1, false },
	[OTLP_EVENT_NAME] = { "name", KIND_STRING, 2, false },
	[OTLP_EVENT_ATTRIBUTES] = MESSAGES("attributes", 3),
	[OTLP_LINK_TRACE_ID] = { "traceId", KIND_ID, 1, false },
	[OTLP_LINK_SPAN_ID] = { "spanId", KIND_ID, 2, false },
	[OTLP_LINK_ATTRIBUTES] = MESSAGES("attributes", 4),
	[OTLP_STATUS_MESSAGE] = { "message", KIND_STRING, 2, false },
	[OTLP_STATUS_CODE] = { "code", KIND_ENUM, 3, false },

	[OTLP_LOG_TIME] = { "timeUnixNano", KIND_FIXED64, 1, false },
	[OTLP_LOG_OBSERVED] = { "observedTimeUnixNano", KIND_FIXED64, 11, false },
	[OTLP_LOG_SEVERITY] = { "severityNumber", KIND_ENUM, 2, false },
	[OTLP_LOG_SEVERITY_TEXT] = { "severityText", KIND_STRING, 3, false },
	[OTLP_LOG_BODY] = MESSAGE("body", 5),
	[OTLP_LOG_ATTRIBUTES] = MESSAGES("attributes", 6),
	[OTLP_LOG_FLAGS] = { "flags", KIND_FIXED32, 8, false },
	[OTLP_LOG_TRACE_ID] = { "traceId", KIND_ID, 9, false },
	[OTLP_LOG_SPAN_ID] = { "spanId", KIND_ID, 10, false },
	[OTLP_LOG_EVENT_NAME] = { "eventName", KIND_STRING, 12, false },

	[OTLP_METRIC_NAME] = { "name", KIND_STRING, 1, false },
	[OTLP_METRIC_DESCRIPTION] = { "description", KIND_STRING, 2, false },
	[OTLP_METRIC_UNIT] = { "unit", KIND_STRING, 3, false },
	[OTLP_METRIC_GAUGE] = MESSAGE("gauge", 5),
	[OTLP_METRIC_SUM] = MESSAGE("sum", 7),
	[OTLP_METRIC_HISTOGRAM] = MESSAGE("histogram", 9),
	[OTLP_DATA_POINTS] = MESSAGES("dataPoints", 1),
	[OTLP_TEMPORALITY] = { "aggregationTemporality", KIND_ENUM, 2, false },
	[OTLP_IS_MONOTONIC] = { "isMonotonic", KIND_BOOL, 3, false },
	[OTLP_POINT_ATTRIBUTES] = MESSAGES("attributes", 7),
	[OTLP_POINT_START] = { "startTimeUnixNano", KIND_FIXED64, 2, false },
	[OTLP_POINT_TIME] = { "timeUnixNano", KIND_FIXED64, 3, false },
	[OTLP_POINT_DOUBLE] = { "asDouble", KIND_DOUBLE, 4, false },
	[OTLP_POINT_INT] = { "asInt", KIND_FIXED64, 6, false },
	[OTLP_HISTOGRAM_ATTRIBUTES] = MESSAGES("attributes", 9),
	[OTLP_HISTOGRAM_COUNT] = { "count", KIND_FIXED64, 4, false },
	[OTLP_HISTOGRAM_SUM] = { "sum", KIND_DOUBLE, 5, false },
	[OTLP_HISTOGRAM_BUCKETS] = { "bucketCounts", KIND_FIXED64, 6, true },
	[OTLP_HISTOGRAM_BOUNDS] = { "explicitBounds", KIND_DOUBLE, 7, true },
	[OTLP_HISTOGRAM_EXEMPLARS] = MESSAGES("exemplars", 8),
	[OTLP_EXEMPLAR_TIME] = { "timeUnixNano", KIND_FIXED64, 2, false },
	[OTLP_EXEMPLAR_DOUBLE] = { "asDouble", KIND_DOUBLE, 3, false },
	[OTLP_EXEMPLAR_SPAN_ID] = { "spanId", KIND_ID, 4, false },
	[OTLP_EXEMPLAR_TRACE_ID] = { "traceId", KIND_ID, 5, false },
};

/* ---- protobuf ---- */

enum wire { WIRE_VARINT, WIRE_64, WIRE_LENGTH, WIRE_32 = 5 };

static size_t varint(char *to, uint64_t n)
{
	size_t len = 0;

	for (; n > 0x7f; n >>= 7)
		to[len++] = (char)(n | 0x80);
	to[len++] = (char)n;
	return len;
}

static void put_varint(struct otlp *o, uint64_t n)
{
	char text[10];

	buf_add(o->out, text, varint(text, n));
}

static void put_tag(struct otlp *o, enum otlp_field field, enum wire wire)
{
	put_varint(o, (uint64_t)fields[field].number << 3 | wire);
}

/* Little-endian on every machine. */
static void put_fixed(struct otlp *o, uint64_t n, size_t bytes)
{
	char text[8];

	for (size_t i = 0; i < bytes; i++)
		text[i] = (char)(n >> (8 * i));
	buf_add(o->out, text, bytes);
}

/* The content is there already; its length belongs in front of it. */
static void insert_length(struct otlp *o, size_t start)
{
	char text[10];
	size_t content = o->out->len - start, len = varint(text, content);

	if (!buf_reserve(o->out, len))
		return;
	memmove(o->out->ptr + start + len, o->out->ptr + start, content);
	memcpy(o->out->ptr + start, text, len);
	o->out->len += len;
}

/* ---- JSON ---- */

/* Ends the list that was being written, if this field is not part of it. */
static void leave_list(struct otlp *o, enum otlp_field next)
{
	enum otlp_field *list = &o->levels[o->depth].list;

	if (*list != OTLP_NONE && *list != next) {
		jw_arr_end(&o->json);
		*list = OTLP_NONE;
	}
}

static void begin_field(struct otlp *o, enum otlp_field field)
{
	enum otlp_field *list = &o->levels[o->depth].list;

	leave_list(o, field);
	if (*list == field)
		return;
	jw_key(&o->json, str_from(fields[field].name));
	if (fields[field].is_list) {
		jw_arr(&o->json);
		*list = field;
	}
}

static void put_digits(struct otlp *o, uint64_t n, bool is_negative)
{
	char text[24];
	int len = snprintf(text, sizeof text, "%s%llu", is_negative ? "-" : "",
	                   (unsigned long long)n);

	jw_str(&o->json, str_of(text, (size_t)len));
}

/* ---- the writer ---- */

void otlp_init(struct otlp *o, struct buf *out, enum otlp_form form)
{
	*o = (struct otlp){ .out = out, .form = form };
	if (form == OTLP_JSON) {
		jw_init(&o->json, out);
		jw_obj(&o->json);
	}
}

void otlp_end(struct otlp *o)
{
	assert(!o->depth);
	if (o->form == OTLP_JSON) {
		leave_list(o, OTLP_NONE);
		jw_obj_end(&o->json);
	}
}

void otlp_open(struct otlp *o, enum otlp_field field)
{
	assert(fields[field].kind == KIND_MESSAGE && o->depth + 1 < OTLP_DEPTH_MAX);
	if (o->form == OTLP_JSON) {
		begin_field(o, field);
		jw_obj(&o->json);
	} else {
		put_tag(o, field, WIRE_LENGTH);
	}
	o->depth++;
	o->levels[o->depth].start = o->out->len;
	o->levels[o->depth].list = OTLP_NONE;
}

void otlp_close(struct otlp *o)
{
	assert(o->depth);
	if (o->form == OTLP_JSON) {
		leave_list(o, OTLP_NONE);
		jw_obj_end(&o->json);
	} else {
		insert_length(o, o->levels[o->depth].start);
	}
	o->depth--;
}

void otlp_str(struct otlp *o, enum otlp_field field, struct str s)
{
	assert(fields[field].kind == KIND_STRING);
	if (!str_is(s))
		return;
	if (o->form == OTLP_JSON) {
		begin_field(o, field);
		jw_str(&o->json, s);
		return;
	}
	put_tag(o, field, WIRE_LENGTH);
	put_varint(o, s.len);
	buf_add_str(o->out, s);
}

static unsigned hex_digit(char c)
{
	return c <= '9' ? (unsigned)c - '0' : ((unsigned)c | 0x20) - 'a' + 10;
}

void otlp_hex(struct otlp *o, enum otlp_field field, struct str hex)
{
	assert(fields[field].kind == KIND_ID);
	if (!str_is(hex))
		return;
	if (o->form == OTLP_JSON) {
		begin_field(o, field);
		jw_str(&o->json, hex);
		return;
	}
	put_tag(o, field, WIRE_LENGTH);
	put_varint(o, hex.len / 2);
	for (size_t i = 0; i + 1 < hex.len; i += 2)
		buf_add_char(o->out,
		             (char)(hex_digit(hex.ptr[i]) << 4 | hex_digit(hex.ptr[i + 1])));
}

static void put_json_int(struct otlp *o, enum otlp_field field, int64_t n)
{
	enum kind kind = fields[field].kind;

	begin_field(o, field);
	if (kind == KIND_BOOL)
		jw_bool(&o->json, n);
	else if (kind == KIND_ENUM || kind == KIND_FIXED32)
		jw_int(&o->json, n);
	else
		put_digits(o, n < 0 ? (uint64_t)0 - (uint64_t)n : (uint64_t)n, n < 0);
}

void otlp_int(struct otlp *o, enum otlp_field field, int64_t n)
{
	if (o->form == OTLP_JSON) {
		put_json_int(o, field, n);
		return;
	}
	switch (fields[field].kind) {
	case KIND_FIXED64:
		put_tag(o, field, WIRE_64);
		put_fixed(o, (uint64_t)n, 8);
		break;
	case KIND_FIXED32:
		put_tag(o, field, WIRE_32);
		put_fixed(o, (uint64_t)n, 4);
		break;
	default:
		put_tag(o, field, WIRE_VARINT);
		put_varint(o, (uint64_t)n);
	}
}

void otlp_real(struct otlp *o, enum otlp_field field, double n)
{
	uint64_t bits;

	assert(fields[field].kind == KIND_DOUBLE);
	if (o->form == OTLP_JSON) {
		begin_field(o, field);
		jw_real(&o->json, n);
		return;
	}
	memcpy(&bits, &n, sizeof bits);
	put_tag(o, field, WIRE_64);
	put_fixed(o, bits, 8);
}

void otlp_time(struct otlp *o, enum otlp_field field, int64_t wall_ms)
{
	otlp_int(o, field, wall_ms * 1000000);
}

/* ---- attributes ---- */

static void attr_open(struct otlp *o, enum otlp_field list, struct str key)
{
	otlp_open(o, list);
	otlp_str(o, OTLP_KEY, key);
	otlp_open(o, OTLP_VALUE);
}

static void attr_close(struct otlp *o)
{
	otlp_close(o);
	otlp_close(o);
}

void otlp_attr_str(struct otlp *o, enum otlp_field list, struct str key, struct str s)
{
	if (!str_is(s))
		return;
	attr_open(o, list, key);
	otlp_str(o, OTLP_STRING_VALUE, s);
	attr_close(o);
}

void otlp_attr_int(struct otlp *o, enum otlp_field list, struct str key, int64_t n)
{
	attr_open(o, list, key);
	otlp_int(o, OTLP_INT_VALUE, n);
	attr_close(o);
}

void otlp_attr_real(struct otlp *o, enum otlp_field list, struct str key, double n)
{
	attr_open(o, list, key);
	otlp_real(o, OTLP_DOUBLE_VALUE, n);
	attr_close(o);
}

void otlp_attr_bool(struct otlp *o, enum otlp_field list, struct str key, bool b)
{
	attr_open(o, list, key);
	otlp_int(o, OTLP_BOOL_VALUE, b);
	attr_close(o);
}

void otlp_attr_one(struct otlp *o, enum otlp_field list, struct str key, struct str s)
{
	if (!str_is(s))
		return;
	attr_open(o, list, key);
	otlp_open(o, OTLP_ARRAY_VALUE);
	otlp_open(o, OTLP_ARRAY_VALUES);
	otlp_str(o, OTLP_STRING_VALUE, s);
	otlp_close(o);
	otlp_close(o);
	attr_close(o);
}
