#ifndef TELEMETRY_OTLP_H
#define TELEMETRY_OTLP_H
/*
 * Writes OTLP messages, as protobuf or as JSON, by one table of fields.
 *
 *	otlp_init(&o, &buf, form);
 *	otlp_open(&o, OTLP_RESOURCE_SPANS);
 *	otlp_str(&o, OTLP_SPAN_NAME, name);
 *	otlp_close(&o);
 *	otlp_end(&o);
 *
 * Elements of one list are written one after the other.  In JSON, ids are
 * hexadecimal, 64-bit numbers are strings and enums are numbers, as the protocol
 * demands.
 */
#include "base/jw.h"

enum otlp_form { OTLP_PROTOBUF, OTLP_JSON };

enum otlp_field {
	OTLP_NONE,
	/* requests: one of each kind */
	OTLP_RESOURCE_SPANS,
	OTLP_RESOURCE_METRICS,
	OTLP_RESOURCE_LOGS,
	OTLP_RESOURCE, /* of all three */
	OTLP_RESOURCE_ATTRIBUTES,
	OTLP_SCOPE_SPANS,
	OTLP_SCOPE_METRICS,
	OTLP_SCOPE_LOGS,
	OTLP_SCHEMA_URL,
	OTLP_SCOPE,
	OTLP_SCOPE_NAME,
	OTLP_SCOPE_VERSION,
	OTLP_SPANS,
	OTLP_METRICS,
	OTLP_LOG_RECORDS,
	/* an attribute */
	OTLP_KEY,
	OTLP_VALUE,
	OTLP_STRING_VALUE,
	OTLP_BOOL_VALUE,
	OTLP_INT_VALUE,
	OTLP_DOUBLE_VALUE,
	OTLP_ARRAY_VALUE,
	OTLP_ARRAY_VALUES,
	/* a span */
	OTLP_SPAN_TRACE_ID,
	OTLP_SPAN_SPAN_ID,
	OTLP_SPAN_TRACE_STATE,
	OTLP_SPAN_PARENT,
	OTLP_SPAN_FLAGS,
	OTLP_SPAN_NAME,
	OTLP_SPAN_KIND,
	OTLP_SPAN_START,
	OTLP_SPAN_END,
	OTLP_SPAN_ATTRIBUTES,
	OTLP_SPAN_EVENTS,
	OTLP_SPAN_DROPPED_EVENTS,
	OTLP_SPAN_LINKS,
	OTLP_SPAN_STATUS,
	OTLP_EVENT_TIME,
	OTLP_EVENT_NAME,
	OTLP_EVENT_ATTRIBUTES,
	OTLP_LINK_TRACE_ID,
	OTLP_LINK_SPAN_ID,
	OTLP_LINK_ATTRIBUTES,
	OTLP_STATUS_MESSAGE,
	OTLP_STATUS_CODE,
	/* a log record */
	OTLP_LOG_TIME,
	OTLP_LOG_OBSERVED,
	OTLP_LOG_SEVERITY,
	OTLP_LOG_SEVERITY_TEXT,
	OTLP_LOG_BODY,
	OTLP_LOG_ATTRIBUTES,
	OTLP_LOG_FLAGS,
	OTLP_LOG_TRACE_ID,
	OTLP_LOG_SPAN_ID,
	OTLP_LOG_EVENT_NAME,
	/* a metric */
	OTLP_METRIC_NAME,
	OTLP_METRIC_DESCRIPTION,
	OTLP_METRIC_UNIT,
	OTLP_METRIC_GAUGE,
	OTLP_METRIC_SUM,
	OTLP_METRIC_HISTOGRAM,
	OTLP_DATA_POINTS, /* of all three */
	OTLP_TEMPORALITY,
	OTLP_IS_MONOTONIC,
	OTLP_POINT_ATTRIBUTES,
	OTLP_POINT_START,
	OTLP_POINT_TIME,
	OTLP_POINT_DOUBLE,
	OTLP_POINT_INT,
	OTLP_HISTOGRAM_ATTRIBUTES,
	OTLP_HISTOGRAM_COUNT,
	OTLP_HISTOGRAM_SUM,
	OTLP_HISTOGRAM_BUCKETS,
	OTLP_HISTOGRAM_BOUNDS,
	OTLP_HISTOGRAM_EXEMPLARS,
	OTLP_EXEMPLAR_TIME,
	OTLP_EXEMPLAR_DOUBLE,
	OTLP_EXEMPLAR_SPAN_ID,
	OTLP_EXEMPLAR_TRACE_ID,
	OTLP_FIELD_COUNT,
};

#define OTLP_DEPTH_MAX 12

struct otlp {
	struct buf *out;
	enum otlp_form form;
	struct json_writer json;
	unsigned depth;
	struct {
		size_t start;         /* protobuf: of the content of the message */
		enum otlp_field list; /* JSON: the list that is being written */
	} levels[OTLP_DEPTH_MAX];
};

void otlp_init(struct otlp *o, struct buf *out, enum otlp_form form);
void otlp_end(struct otlp *o);

/* A message, until otlp_close(). */
void otlp_open(struct otlp *o, enum otlp_field field);
void otlp_close(struct otlp *o);

/* Absent strings and ids are left out. */
void otlp_str(struct otlp *o, enum otlp_field field, struct str s);
void otlp_hex(struct otlp *o, enum otlp_field field, struct str hex); /* an id */
void otlp_int(struct otlp *o, enum otlp_field field, int64_t n);
void otlp_real(struct otlp *o, enum otlp_field field, double n);
/* Milliseconds since 1970, as nanoseconds. */
void otlp_time(struct otlp *o, enum otlp_field field, int64_t wall_ms);

/* ---- attributes ---- */

void otlp_attr_str(struct otlp *o, enum otlp_field list, struct str key, struct str s);
void otlp_attr_int(struct otlp *o, enum otlp_field list, struct str key, int64_t n);
void otlp_attr_real(struct otlp *o, enum otlp_field list, struct str key, double n);
void otlp_attr_bool(struct otlp *o, enum otlp_field list, struct str key, bool b);
/* A list with one text. */
void otlp_attr_one(struct otlp *o, enum otlp_field list, struct str key, struct str s);

#endif
