/* Writes spans, log records and metrics as OTLP messages (otlp_write.h). */
#include "telemetry/otlp_write.h"

/* Of OpenTelemetry. */
enum { KIND_INTERNAL = 1, KIND_SERVER = 2, KIND_CLIENT = 3 };
enum { STATUS_CODE_OF_ERROR = 2 };
#define FLAG_SAMPLED 1

static const struct {
	enum otlp_field resource, scope, item;
} signals[OTLP_SIGNAL_COUNT] = {
	[OTLP_TRACES] = { OTLP_RESOURCE_SPANS, OTLP_SCOPE_SPANS, OTLP_SPANS },
	[OTLP_LOGS] = { OTLP_RESOURCE_LOGS, OTLP_SCOPE_LOGS, OTLP_LOG_RECORDS },
	[OTLP_METRICS_SIGNAL] = { OTLP_RESOURCE_METRICS, OTLP_SCOPE_METRICS, OTLP_METRICS },
};

/* One "key=value" per line. */
static void write_resource(struct otlp *o, struct str list)
{
	while (str_is(list)) {
		struct str value = str_cut(&list, '\n');
		struct str key = str_cut(&value, '=');

		otlp_attr_str(o, OTLP_RESOURCE_ATTRIBUTES, key, value);
	}
}

void otlp_write_begin(struct otlp *o, enum otlp_signal signal, const struct otlp_source *source)
{
	otlp_open(o, signals[signal].resource);
	otlp_open(o, OTLP_RESOURCE);
	otlp_attr_str(o, OTLP_RESOURCE_ATTRIBUTES, STR("service.name"), source->service);
	otlp_attr_str(o, OTLP_RESOURCE_ATTRIBUTES, STR("service.version"), source->version);
	otlp_attr_str(o, OTLP_RESOURCE_ATTRIBUTES, STR("service.instance.id"), source->runtime_id);
	write_resource(o, source->resource);
	otlp_close(o);
	otlp_open(o, signals[signal].scope);
	otlp_open(o, OTLP_SCOPE);
	otlp_str(o, OTLP_SCOPE_NAME, STR("thole"));
	otlp_str(o, OTLP_SCOPE_VERSION, source->version);
	otlp_close(o);
}

void otlp_write_end(struct otlp *o)
{
	otlp_close(o);
	otlp_close(o);
}

static void write_attrs(struct otlp *o, enum otlp_field list, const struct span_attrs *attrs,
                        uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct span_attr *a = &attrs->items[i];
		struct str key = str_from(a->key);

		if (a->type == SPAN_TEXT)
			otlp_attr_str(o, list, key, span_attrs_text(attrs, a));
		else if (a->type == SPAN_LIST_OF_ONE)
			otlp_attr_one(o, list, key, span_attrs_text(attrs, a));
		else if (a->type == SPAN_INT)
			otlp_attr_int(o, list, key, a->number);
		else if (a->type == SPAN_REAL)
			otlp_attr_real(o, list, key, a->real);
		else
			otlp_attr_bool(o, list, key, a->number);
	}
}

/* The attributes that the conventions demand of a kind of span. */
static void write_kind_attrs(struct otlp *o, enum span_kind kind)
{
	static const char *const operations[SPAN_KIND_COUNT] = {
		[SPAN_INTERACTION] = "invoke_agent",
		[SPAN_MODEL_REQUEST] = "chat",
		[SPAN_TOOL_CALL] = "execute_tool",
	};

	otlp_attr_str(o, OTLP_SPAN_ATTRIBUTES, STR("agentruntime.span"), span_table_name(kind));
	otlp_attr_str(o, OTLP_SPAN_ATTRIBUTES, STR("gen_ai.operation.name"),
	              str_from(operations[kind]));
	if (kind == SPAN_INTERACTION)
		otlp_attr_str(o, OTLP_SPAN_ATTRIBUTES, STR("gen_ai.agent.name"), STR("thole"));
}

/* The same id under the name that the conventions have for it. */
static void write_aliases(struct otlp *o, const struct span *x)
{
	for (uint32_t i = 0; i < x->attrs.count; i++) {
		const struct span_attr *a = &x->attrs.items[i];
		struct str text = a->type == SPAN_TEXT ? span_attrs_text(&x->attrs, a) : STR_NONE;

		if (!strcmp(a->key, "agentruntime.session_id"))
			otlp_attr_str(o, OTLP_SPAN_ATTRIBUTES, STR("gen_ai.conversation.id"), text);
		else if (!strcmp(a->key, "agentruntime.tool_call_id") && x->kind == SPAN_TOOL_CALL)
			otlp_attr_str(o, OTLP_SPAN_ATTRIBUTES, STR("gen_ai.tool.call.id"), text);
	}
}

static void write_notes(struct otlp *o, const struct span *x)
{
	for (uint32_t i = 0; i < x->note_count; i++) {
		const struct span_note *n = &x->notes[i];

		otlp_open(o, OTLP_SPAN_EVENTS);
		otlp_time(o, OTLP_EVENT_TIME, n->at_ms);
		otlp_str(o, OTLP_EVENT_NAME, n->name);
		write_attrs(o, OTLP_EVENT_ATTRIBUTES, &x->note_attrs, n->from, n->to);
		otlp_close(o);
	}
	if (x->notes_dropped)
		otlp_int(o, OTLP_SPAN_DROPPED_EVENTS, x->notes_dropped);
}

static void write_link(struct otlp *o, const struct span_link *link)
{
	if (!link->reason)
		return;
	otlp_open(o, OTLP_SPAN_LINKS);
	otlp_hex(o, OTLP_LINK_TRACE_ID, str_from(link->trace_id));
	otlp_hex(o, OTLP_LINK_SPAN_ID, str_from(link->span_id));
	otlp_attr_str(o, OTLP_LINK_ATTRIBUTES, STR("agentruntime.link"), str_from(link->reason));
	otlp_close(o);
}

static int kind_of(enum span_kind kind)
{
	return kind == SPAN_INTERACTION     ? KIND_SERVER
	       : kind == SPAN_MODEL_REQUEST ? KIND_CLIENT
	                                    : KIND_INTERNAL;
}

void otlp_write_span(struct otlp *o, struct arena *mem, const struct span *x)
{
	otlp_open(o, OTLP_SPANS);
	otlp_hex(o, OTLP_SPAN_TRACE_ID, str_from(x->trace_id));
	otlp_hex(o, OTLP_SPAN_SPAN_ID, str_from(x->span_id));
	if (*x->parent_id)
		otlp_hex(o, OTLP_SPAN_PARENT, str_from(x->parent_id));
	otlp_int(o, OTLP_SPAN_FLAGS, FLAG_SAMPLED);
	otlp_str(o, OTLP_SPAN_NAME, spans_title(x, mem));
	otlp_int(o, OTLP_SPAN_KIND, kind_of(x->kind));
	otlp_time(o, OTLP_SPAN_START, x->start_ms);
	otlp_time(o, OTLP_SPAN_END, x->end_ms);
	write_kind_attrs(o, x->kind);
	write_attrs(o, OTLP_SPAN_ATTRIBUTES, &x->attrs, 0, x->attrs.count);
	write_aliases(o, x);
	write_notes(o, x);
	write_link(o, &x->link);
	if (x->is_failed) {
		otlp_open(o, OTLP_SPAN_STATUS);
		otlp_int(o, OTLP_STATUS_CODE, STATUS_CODE_OF_ERROR);
		otlp_close(o);
	}
	otlp_close(o);
}

static struct str severity_word(enum span_severity severity)
{
	return severity >= SEVERITY_ERROR  ? STR("ERROR")
	       : severity >= SEVERITY_WARN ? STR("WARN")
	                                   : STR("INFO");
}

void otlp_write_log(struct otlp *o, const struct span_log *l, int64_t observed_ms)
{
	otlp_open(o, OTLP_LOG_RECORDS);
	otlp_time(o, OTLP_LOG_TIME, l->at_ms);
	otlp_time(o, OTLP_LOG_OBSERVED, observed_ms);
	otlp_int(o, OTLP_LOG_SEVERITY, l->severity);
	otlp_str(o, OTLP_LOG_SEVERITY_TEXT, severity_word(l->severity));
	otlp_open(o, OTLP_LOG_BODY);
	otlp_str(o, OTLP_STRING_VALUE, l->name);
	otlp_close(o);
	write_attrs(o, OTLP_LOG_ATTRIBUTES, l->attrs, 0, l->attrs->count);
	if (*l->trace_id) {
		otlp_int(o, OTLP_LOG_FLAGS, l->is_sampled ? FLAG_SAMPLED : 0);
		otlp_hex(o, OTLP_LOG_TRACE_ID, str_from(l->trace_id));
		otlp_hex(o, OTLP_LOG_SPAN_ID, str_from(l->span_id));
	}
	otlp_str(o, OTLP_LOG_EVENT_NAME, l->name);
	otlp_close(o);
}

/* ---- metrics ---- */

#define CUMULATIVE 2 /* aggregation temporality: since the start */

static void write_labels(struct otlp *o, enum otlp_field list, const struct metric_info *info,
                         const struct control_series *s)
{
	for (size_t i = 0; i < info->label_count; i++)
		otlp_attr_str(o, list, info->labels[i], s->labels[i]);
}

static void write_exemplar(struct otlp *o, const struct control_series *s)
{
	if (!*s->trace_id)
		return;
	otlp_open(o, OTLP_HISTOGRAM_EXEMPLARS);
	otlp_time(o, OTLP_EXEMPLAR_TIME, s->example_at_ms);
	otlp_real(o, OTLP_EXEMPLAR_DOUBLE, s->example);
	otlp_hex(o, OTLP_EXEMPLAR_TRACE_ID, str_from(s->trace_id));
	otlp_close(o);
}

static void write_histogram(struct otlp *o, const struct metric_info *info,
                            const struct control_series *s)
{
	write_labels(o, OTLP_HISTOGRAM_ATTRIBUTES, info, s);
	otlp_int(o, OTLP_HISTOGRAM_COUNT, (int64_t)s->count);
	otlp_real(o, OTLP_HISTOGRAM_SUM, s->sum);
	for (size_t i = 0; i <= info->bound_count; i++)
		otlp_int(o, OTLP_HISTOGRAM_BUCKETS, (int64_t)s->buckets[i]);
	for (size_t i = 0; i < info->bound_count; i++)
		otlp_real(o, OTLP_HISTOGRAM_BOUNDS, info->bounds[i]);
	write_exemplar(o, s);
}

static struct str unit_of(const struct metric_info *info)
{
	return str_ends(info->name, STR("_seconds"))       ? STR("s")
	       : str_eq(info->name, STR("cost_usd_total")) ? STR("{USD}")
	       : str_eq(info->name, STR("tokens_total"))   ? STR("{token}")
	                                                   : STR("1");
}

void otlp_write_metric(struct otlp *o, const struct control_metric *m, int64_t start_ms,
                       int64_t now_ms)
{
	static const enum otlp_field forms[] = { [METRIC_COUNTER] = OTLP_METRIC_SUM,
		                                 [METRIC_HISTOGRAM] = OTLP_METRIC_HISTOGRAM,
		                                 [METRIC_GAUGE] = OTLP_METRIC_GAUGE };
	const struct metric_info *info = m->info;

	otlp_open(o, OTLP_METRICS);
	otlp_str(o, OTLP_METRIC_NAME, info->otel_name);
	otlp_str(o, OTLP_METRIC_DESCRIPTION, info->doc);
	otlp_str(o, OTLP_METRIC_UNIT, unit_of(info));
	otlp_open(o, forms[info->kind]);
	for (size_t i = 0; i < m->count; i++) {
		otlp_open(o, OTLP_DATA_POINTS);
		if (info->kind != METRIC_GAUGE)
			otlp_time(o, OTLP_POINT_START, start_ms);
		otlp_time(o, OTLP_POINT_TIME, now_ms);
		if (info->kind == METRIC_HISTOGRAM) {
			write_histogram(o, info, &m->series[i]);
		} else {
			write_labels(o, OTLP_POINT_ATTRIBUTES, info, &m->series[i]);
			otlp_real(o, OTLP_POINT_DOUBLE, m->series[i].sum);
		}
		otlp_close(o);
	}
	if (info->kind != METRIC_GAUGE)
		otlp_int(o, OTLP_TEMPORALITY, CUMULATIVE);
	if (info->kind == METRIC_COUNTER)
		otlp_int(o, OTLP_IS_MONOTONIC, 1);
	otlp_close(o);
	otlp_close(o);
}
