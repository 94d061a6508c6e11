/*
 * The runtime in figures, in the text format of Prometheus (0.0.4) or as OpenMetrics 1.0.
 *
 * Both are written by the same code.  OpenMetrics has exemplars, names a counter
 * without _total in its description, and ends with a mark.
 */
#include "serve/serve_int.h"

#include <stdio.h>

static void add_metric(struct buf *out, const char *name, const char *type, const char *help,
                       uint64_t value)
{
	buf_printf(out, "# HELP thole_%s %s\n# TYPE thole_%s %s\nthole_%s %llu\n", name, help, name,
	           type, name, (unsigned long long)value);
}

static void add_number(struct buf *out, const char *name, const char *type, const char *help,
                       double value)
{
	buf_printf(out, "# HELP thole_%s %s\n# TYPE thole_%s %s\nthole_%s %.6f\n", name, help, name,
	           type, name, value);
}

static void add_seconds(struct buf *out, const char *name, const char *help, double seconds)
{
	add_number(out, name, "gauge", help, seconds);
}

/* A label's value: backslash, quote and line break are escaped. */
static void add_label(struct buf *out, const char *name, struct str value)
{
	buf_printf(out, "%s=\"", name);
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] == '\n') {
			buf_add_c(out, "\\n");
			continue;
		}
		if (value.ptr[i] == '\\' || value.ptr[i] == '"')
			buf_add_char(out, '\\');
		buf_add_char(out, value.ptr[i]);
	}
	buf_add_char(out, '"');
}

static void add_info(struct buf *out, struct str version, struct str runtime_id)
{
	buf_add_c(out, "# HELP thole_build_info What runs here.\n"
	               "# TYPE thole_build_info gauge\nthole_build_info{");
	add_label(out, "version", version);
	buf_add_char(out, ',');
	add_label(out, "runtime", runtime_id);
	buf_add_c(out, "} 1\n");
}

/* ---- figures with labels (catalog/metrics.json) ---- */

/* {tool="shell",outcome="completed"}, with le at the end of a bucket. */
static void add_labels(struct buf *out, const struct metric_info *info,
                       const struct control_series *s, const char *bound)
{
	size_t count = 0;

	if (!info->label_count && !bound)
		return;
	buf_add_char(out, '{');
	for (; count < info->label_count; count++) {
		if (count)
			buf_add_char(out, ',');
		add_label(out, info->labels[count].ptr, s->labels[count]);
	}
	if (bound)
		buf_printf(out, "%sle=\"%s\"", count ? "," : "", bound);
	buf_add_char(out, '}');
}

static void add_value(struct buf *out, const struct metric_info *info,
                      const struct control_series *s, const char *suffix, const char *bound,
                      double value)
{
	buf_printf(out, "thole_%.*s%s", STR_ARG(info->name), suffix);
	add_labels(out, info, s, bound);
	buf_printf(out, " %.12g", value);
}

static void add_line(struct buf *out, const struct metric_info *info,
                     const struct control_series *s, const char *suffix, double value)
{
	add_value(out, info, s, suffix, NULL, value);
	buf_add_char(out, '\n');
}

/* In the line of the bucket that counted it. */
static void add_exemplar(struct buf *out, const struct metric_info *info,
                         const struct control_series *s, size_t bucket)
{
	bool is_above = bucket == 0 || s->example > info->bounds[bucket - 1];
	bool is_below = bucket == info->bound_count || s->example <= info->bounds[bucket];

	if (*s->trace_id && is_above && is_below)
		buf_printf(out, " # {trace_id=\"%s\"} %.12g %.3f", s->trace_id, s->example,
		           (double)s->example_at_ms / 1e3);
}

static void add_histogram(struct buf *out, const struct metric_info *info,
                          const struct control_series *s, bool is_open)
{
	uint64_t below = 0;
	char bound[32] = "+Inf";

	for (size_t i = 0; i <= info->bound_count; i++) {
		below += s->buckets[i];
		if (i < info->bound_count)
			snprintf(bound, sizeof bound, "%g", info->bounds[i]);
		else
			snprintf(bound, sizeof bound, "+Inf");
		add_value(out, info, s, "_bucket", bound, (double)below);
		if (is_open)
			add_exemplar(out, info, s, i);
		buf_add_char(out, '\n');
	}
	add_line(out, info, s, "_sum", s->sum);
	add_line(out, info, s, "_count", (double)s->count);
}

static void add_series(struct serve *s, struct buf *out, bool is_open)
{
	static const char *const types[] = { [METRIC_COUNTER] = "counter",
		                             [METRIC_HISTOGRAM] = "histogram",
		                             [METRIC_GAUGE] = "gauge" };
	struct control_metric metrics[METRIC_COUNT];

	s->control->ops->metrics(s->control, metrics);
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		const struct metric_info *info = metrics[i].info;

		buf_printf(out, "# HELP thole_%.*s %.*s\n# TYPE thole_%.*s %s\n",
		           STR_ARG(info->name), STR_ARG(info->doc), STR_ARG(info->name),
		           types[info->kind]);
		for (size_t k = 0; k < metrics[i].count; k++)
			if (info->kind == METRIC_HISTOGRAM)
				add_histogram(out, info, &metrics[i].series[k], is_open);
			else
				add_line(out, info, &metrics[i].series[k], "",
				         metrics[i].series[k].sum);
	}
}

/* # TYPE thole_events_total counter: there the name has no _total. */
static void add_described(struct buf *out, struct str line)
{
	struct str rest = line, mark = str_cut(&rest, ' '), word = str_cut(&rest, ' ');
	struct str name = str_cut(&rest, ' ');

	if (str_ends(name, STR("_total")))
		name = str_head(name, name.len - strlen("_total"));
	buf_printf(out, "%.*s %.*s %.*s %.*s\n", STR_ARG(mark), STR_ARG(word), STR_ARG(name),
	           STR_ARG(rest));
}

static void add_as_open_metrics(struct buf *out, struct str text)
{
	while (str_is(text) && text.len) {
		struct str line = str_cut(&text, '\n');

		if (str_starts(line, STR("#"))) {
			add_described(out, line);
			continue;
		}
		buf_add_str(out, line);
		buf_add_char(out, '\n');
	}
	buf_add_c(out, "# EOF\n");
}

/* Names and types are an interface: dashboards and alerts refer to them. */
static void add_all(struct serve *s, struct buf *out, bool is_open)
{
	struct control_health h = { 0 };

	s->control->ops->health(s->control, &h);
	add_info(out, str_is(h.version) ? h.version : s->opt.version, h.runtime_id);
	add_metric(out, "ready", "gauge", "1 when commands are taken.", h.ready && !s->is_draining);
	add_seconds(out, "start_time_seconds", "When the runtime started, in Unix time.",
	            (double)h.started_ms / 1e3);
	add_metric(out, "live_sessions", "gauge", "Sessions in memory.", h.live_sessions);
	add_metric(out, "session_bytes", "gauge", "What sessions in memory hold.", h.session_bytes);
	add_metric(out, "unrecovered_sessions", "gauge",
	           "Sessions with open work that are not recovered since the start.",
	           h.recovery_left);
	add_metric(out, "live_effects", "gauge", "Model requests, tools and processes under way.",
	           h.live_effects);
	add_metric(out, "subscriptions", "gauge", "Readers of events, over all transports.",
	           h.subscriptions);
	add_metric(out, "pending_calls", "gauge", "Commands that wait for their answer.",
	           h.pending_calls);
	add_metric(out, "commands_total", "counter", "Commands taken.", h.commands);
	add_metric(out, "refusals_total", "counter", "Commands refused.", h.refusals);
	add_metric(out, "hook_runs_total", "counter", "Hooks that ended.", h.hook_runs);
	add_metric(out, "hook_failures_total", "counter", "Hooks that failed.", h.hook_failures);
	add_number(out, "hook_seconds_total", "counter", "Time that hooks took.",
	           (double)h.hook_ms / 1e3);
	add_metric(out, "events_total", "counter", "Events appended.", h.events);
	add_metric(out, "commits_total", "counter", "Commits of the store.", h.commits);
	add_metric(out, "waiting_bytes", "gauge", "Bytes that wait for a commit.", h.waiting_bytes);
	add_seconds(out, "last_commit_seconds", "How long the last commit took.",
	            (double)h.last_commit_us / 1e6);
	add_metric(out, "stored_events", "gauge", "Events in the store.", h.stored_events);
	add_metric(out, "stored_bytes", "gauge", "Size of the store.", h.stored_bytes);
	add_metric(out, "event_bytes_total", "counter", "Bytes of events written.", h.event_bytes);
	add_metric(out, "wal_bytes_total", "counter", "Bytes written to the write-ahead log.",
	           h.wal_bytes);
	add_metric(out, "connections", "gauge", "Open connections.", serve_state_connections(s));
	add_metric(out, "event_streams", "gauge", "Event streams over HTTP.", s->readers);
	add_metric(out, "http_requests_total", "counter", "Requests over HTTP.", s->requests);
	if (s->control->ops->metrics)
		add_series(s, out, is_open);
	if (s->opt.more_metrics)
		s->opt.more_metrics(s->opt.metrics_owner, out);
}

void metrics_write(struct serve *s, bool is_open, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	add_all(s, is_open ? &text : out, is_open);
	if (is_open)
		add_as_open_metrics(out, buf_str(&text));
}
