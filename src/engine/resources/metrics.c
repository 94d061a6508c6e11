/* Counts events (metrics.h). */
#include "engine/resources/metrics.h"

#include "base/memory.h"
#include "engine/engine_state.h"
#include "engine/resources/waits.h"

/* Series of one metric: label values are copied into one arena that lives as long as the engine. */
struct table {
	struct control_series *series;
	size_t count, cap;
};

struct metrics {
	struct arena *mem;
	struct table tables[METRIC_COUNT];
	const struct state *state; /* before the event that is being counted */
};

struct metrics *metrics_new(void)
{
	struct metrics *m = memory_zeroed(1, sizeof *m);

	m->mem = arena_new();
	return m;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < METRIC_COUNT; i++)
		memory_free(m->tables[i].series);
	arena_free(m->mem);
	memory_free(m);
}

/* ---- series ---- */

static bool is_same(const struct control_series *s, struct str a, struct str b)
{
	return str_eq(s->labels[0], a) && str_eq(s->labels[1], b);
}

/* The one series that may come above the bound. */
static bool is_other(struct str a, struct str b, size_t labels)
{
	return str_eq(a, STR("other")) && (labels < 2 || str_eq(b, STR("other")));
}

static struct control_series *find(struct metrics *m, enum metric metric, struct str a,
                                   struct str b)
{
	struct table *t = &m->tables[metric];
	size_t labels = metric_infos[metric].label_count;

	a = labels > 0 ? (str_is(a) ? a : STR("")) : STR_NONE;
	b = labels > 1 ? (str_is(b) ? b : STR("")) : STR_NONE;
	for (size_t i = 0; i < t->count; i++)
		if (is_same(&t->series[i], a, b))
			return &t->series[i];
	if (t->count >= METRIC_SERIES_MAX && !is_other(a, b, labels))
		return find(m, metric, STR("other"), STR("other"));
	if (t->count == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 4;
		t->series = memory_resize(t->series, t->cap * sizeof *t->series);
	}
	t->series[t->count] = (struct control_series){
		.labels = { str_is(a) ? arena_keep(m->mem, a) : STR_NONE,
		            str_is(b) ? arena_keep(m->mem, b) : STR_NONE },
	};
	return &t->series[t->count++];
}

static void count(struct metrics *m, enum metric metric, struct str a, struct str b, double value)
{
	struct control_series *s = find(m, metric, a, b);

	s->count++;
	s->sum += value;
}

static struct control_series *measure(struct metrics *m, enum metric metric, struct str a,
                                      struct str b, double seconds)
{
	const struct metric_info *info = &metric_infos[metric];
	struct control_series *s = find(m, metric, a, b);
	size_t at = 0;

	while (at < info->bound_count && seconds > info->bounds[at])
		at++;
	s->buckets[at]++;
	s->count++;
	s->sum += seconds;
	return s;
}

/*
 * With the trace of the turn, so that a slow measurement leads to its trace.  A trace whose spans
 * are not sent leads nowhere.
 */
static void measure_event(struct metrics *m, enum metric metric, struct str a, struct str b,
                          int64_t ms, const struct event *ev)
{
	struct control_series *s = measure(m, metric, a, b, (double)MAX(ms, 0) / 1e3);
	const struct st_turn *t;

	if (ev->trace_id.len != sizeof s->trace_id - 1)
		return;
	t = str_is(ev->turn_id) ? state_turn(m->state, ev->turn_id, NULL) : NULL;
	if (t && t->trace_unsampled)
		return;
	memcpy(s->trace_id, ev->trace_id.ptr, ev->trace_id.len);
	s->example = (double)MAX(ms, 0) / 1e3;
	s->example_at_ms = ev->timestamp;
}

/* ---- events ---- */

#define COMPLETED STR("completed")
#define FAILED STR("failed")

static void count_tokens(struct metrics *m, const struct rec_usage *u, struct str model)
{
	const struct {
		struct str kind;
		int64_t tokens;
	} rows[] = {
		{ STR("input"), u->input_tokens },
		{ STR("cached_input"), u->cached_input_tokens },
		{ STR("cache_written"), u->cache_write_tokens },
		{ STR("output"), u->output_tokens },
		{ STR("reasoning"), u->reasoning_tokens },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].tokens > 0)
			count(m, METRIC_TOKENS_TOTAL, rows[i].kind, model, (double)rows[i].tokens);
}

static void fold_model(struct metrics *m, const struct st_turn *t, const struct event *ev)
{
	struct str provider = t ? t->provider : STR_NONE, model = t ? t->model : STR_NONE;

	if (ev->type == EV_MODEL_REQUESTED) {
		const struct ev_model_requested *p = ev->payload;

		if (p->attempt > 1)
			count(m, METRIC_MODEL_RETRIES_TOTAL, p->model, STR_NONE, 1);
	} else if (ev->type == EV_MODEL_COMPLETED) {
		const struct ev_model_completed *p = ev->payload;

		measure_event(m, METRIC_MODEL_REQUEST_SECONDS, model, COMPLETED, p->duration_ms,
		              ev);
		if (p->has_time_to_first_token_ms)
			measure_event(m, METRIC_MODEL_FIRST_TOKEN_SECONDS, provider, model,
			              p->time_to_first_token_ms, ev);
		if (p->usage)
			count_tokens(m, p->usage, model);
	} else {
		const struct ev_model_failed *p = ev->payload;

		measure_event(m, METRIC_MODEL_REQUEST_SECONDS, model, FAILED, p->duration_ms, ev);
		if (p->usage)
			count_tokens(m, p->usage, model);
	}
}

static void fold_turn_end(struct metrics *m, const struct st_turn *t, const struct event *ev)
{
	struct str outcome =
		ev->type == EV_TURN_COMPLETED
			? turn_outcome_word(
				  ((const struct ev_turn_completed *)ev->payload)->outcome)
			: turn_outcome_word(((const struct ev_turn_failed *)ev->payload)->outcome);

	if (t && t->submitted_at)
		measure_event(m, METRIC_TURN_SECONDS, outcome, STR_NONE,
		              ev->timestamp - t->submitted_at, ev);
}

static void fold_task_end(struct metrics *m, const struct state *w, const struct event *ev)
{
	const struct st_task *t = state_task(w, ev->task_id);

	if (t && t->record && t->record->created_at)
		measure_event(m, METRIC_TASK_SECONDS, status_word(ev->status), STR_NONE,
		              ev->timestamp - t->record->created_at, ev);
}

static void fold_tool_end(struct metrics *m, const struct event *ev)
{
	if (ev->type == EV_TOOL_RESULT) {
		const struct ev_tool_result *p = ev->payload;

		measure_event(m, METRIC_TOOL_SECONDS, p->tool_name,
		              p->is_error ? STR("error") : COMPLETED, p->duration_ms, ev);
	} else {
		const struct ev_tool_failed *p = ev->payload;

		/* A name that a model made up is text of the model. */
		measure_event(m, METRIC_TOOL_SECONDS,
		              p->category == ERROR_CATEGORY_UNKNOWN_TOOL ? STR("unknown")
		                                                         : p->tool_name,
		              FAILED, p->duration_ms, ev);
	}
}

static void fold_process_end(struct metrics *m, const struct event *ev)
{
	int64_t ms = ev->type == EV_PROCESS_COMPLETED
	                     ? ((const struct ev_process_completed *)ev->payload)->duration_ms
	             : ev->type == EV_PROCESS_FAILED
	                     ? ((const struct ev_process_failed *)ev->payload)->duration_ms
	                     : ((const struct ev_process_terminated *)ev->payload)->duration_ms;

	measure_event(m, METRIC_PROCESS_SECONDS, status_word(ev->status), STR_NONE, ms, ev);
}

static void fold_hook_end(struct metrics *m, const struct event *ev)
{
	if (ev->type == EV_HOOK_COMPLETED) {
		const struct ev_hook_completed *p = ev->payload;

		measure_event(m, METRIC_HOOK_SECONDS, hook_point_word(p->point), COMPLETED,
		              p->duration_ms, ev);
	} else {
		const struct ev_hook_failed *p = ev->payload;

		measure_event(m, METRIC_HOOK_SECONDS, hook_point_word(p->point), FAILED,
		              p->duration_ms, ev);
	}
}

static void fold_wait(struct metrics *m, const struct event *ev)
{
	if (ev->type == EV_ACTION_RESOLVED) {
		const struct ev_action_resolved *p = ev->payload;

		measure_event(m, METRIC_APPROVAL_WAIT_SECONDS, approval_decision_word(p->decision),
		              STR_NONE, p->waited_ms, ev);
	} else {
		const struct ev_queue_changed *p = ev->payload;

		if (p->has_waited_ms)
			measure_event(m, METRIC_QUEUE_WAIT_SECONDS, STR_NONE, STR_NONE,
			              p->waited_ms, ev);
	}
}

static void fold_money(struct metrics *m, const struct st_turn *t, const struct event *ev)
{
	const struct ev_cost_recorded *p = ev->payload;

	if (p->has_amount_usd)
		count(m, METRIC_COST_USD_TOTAL, t ? t->model : STR_NONE, STR_NONE,
		      (double)p->amount_usd / 1e9);
}

static void fold_limit(struct metrics *m, const struct event *ev)
{
	switch (ev->type) {
	case EV_RATE_LIMIT_HIT:
		count(m, METRIC_RATE_LIMITS_TOTAL,
		      ((const struct ev_rate_limit_hit *)ev->payload)->provider, STR_NONE, 1);
		break;
	case EV_ROUTING_FALLBACK_APPLIED:
		count(m, METRIC_FALLBACKS_TOTAL,
		      error_category_word(
			      ((const struct ev_routing_fallback_applied *)ev->payload)->cause),
		      STR_NONE, 1);
		break;
	default:
		count(m, METRIC_QUOTA_EVENTS_TOTAL,
		      ev->type == EV_QUOTA_LOW ? STR("low") : STR("blocked"), STR_NONE, 1);
	}
}

void metrics_fold(struct session *s, const struct event *ev)
{
	struct metrics *m = s->engine->metrics;
	const struct st_turn *t;

	m->state = s->state;
	switch (ev->type) {
	case EV_MODEL_REQUESTED:
	case EV_MODEL_COMPLETED:
	case EV_MODEL_FAILED:
	case EV_TURN_COMPLETED:
	case EV_TURN_FAILED:
	case EV_COST_RECORDED:
		t = str_is(ev->turn_id) ? state_turn(s->state, ev->turn_id, NULL) : NULL;
		if (ev->type == EV_COST_RECORDED)
			fold_money(m, t, ev);
		else if (ev->type == EV_TURN_COMPLETED || ev->type == EV_TURN_FAILED)
			fold_turn_end(m, t, ev);
		else
			fold_model(m, t, ev);
		break;
	case EV_TASK_COMPLETED:
	case EV_TASK_FAILED:
	case EV_TASK_CANCELLED:
	case EV_TASK_TIMED_OUT:
	case EV_TASK_LOST:
		fold_task_end(m, s->state, ev);
		break;
	case EV_TOOL_RESULT:
	case EV_TOOL_FAILED:
		fold_tool_end(m, ev);
		break;
	case EV_PROCESS_COMPLETED:
	case EV_PROCESS_FAILED:
	case EV_PROCESS_TERMINATED:
		fold_process_end(m, ev);
		break;
	case EV_HOOK_COMPLETED:
	case EV_HOOK_FAILED:
		fold_hook_end(m, ev);
		break;
	case EV_ACTION_RESOLVED:
	case EV_QUEUE_CHANGED:
		fold_wait(m, ev);
		break;
	case EV_RATE_LIMIT_HIT:
	case EV_ROUTING_FALLBACK_APPLIED:
	case EV_QUOTA_LOW:
	case EV_QUOTA_BLOCKED:
		fold_limit(m, ev);
		break;
	default:
		break;
	}
}

void metrics_batch_done(struct engine *e, const struct error *why)
{
	struct store_stats st;

	if (why->code)
		return;
	e->ports.store->ops->stats(e->ports.store, &st);
	measure(e->metrics, METRIC_COMMIT_SECONDS, STR_NONE, STR_NONE,
	        (double)st.last_commit_us / 1e6);
}

void metrics_refused(struct engine *e, enum error_code code)
{
	count(e->metrics, METRIC_REFUSED_COMMANDS_TOTAL, error_code_word(code), STR_NONE, 1);
}

void metrics_answered(struct engine *e, enum command command, int64_t began_ms)
{
	int64_t now = e->ports.clock->ops->mono_ms(e->ports.clock);

	if (command == COMMAND_EXPORT_EVIDENCE || command == COMMAND_EXPORT_REPLAY ||
	    command == COMMAND_EXPORT_REVIEW || command == COMMAND_EXPORT_BENCHMARK_TRIAL)
		measure(e->metrics, METRIC_EXPORT_SECONDS, command_classes[command].name, STR_NONE,
		        (double)MAX(now - began_ms, 0) / 1e3);
}

void metrics_forwarded(struct engine *e, const char *outcome, int64_t began_ms)
{
	int64_t now = e->ports.clock->ops->mono_ms(e->ports.clock);

	measure(e->metrics, METRIC_FORWARD_SECONDS, str_from(outcome), STR_NONE,
	        (double)MAX(now - began_ms, 0) / 1e3);
}

void metrics_claimed(struct engine *e, bool is_orphan)
{
	count(e->metrics, METRIC_SESSIONS_CLAIMED_TOTAL, is_orphan ? STR("dead") : STR("free"),
	      STR_NONE, 1);
}

static void read_store(struct engine *e)
{
	int64_t now = e->ports.clock->ops->wall_ms(e->ports.clock);
	struct store_stats st;

	e->ports.store->ops->stats(e->ports.store, &st);
	find(e->metrics, METRIC_STORE_AWAY_SECONDS, STR_NONE, STR_NONE)->sum =
		st.is_away ? (double)MAX(now - st.away_since_ms, 0) / 1e3 : 0;
}

/* A store of one node has none of these. */
static void read_nodes(struct engine *e)
{
	struct store *st = e->ports.store;
	int64_t now = e->ports.clock->ops->mono_ms(e->ports.clock);
	struct store_versions versions;
	struct store_clock clock;

	if (!st->nodes)
		return;
	st->nodes->versions(st, &versions);
	st->nodes->clock(st, &clock);
	find(e->metrics, METRIC_NODES, STR_NONE, STR_NONE)->sum = (double)versions.others + 1;
	find(e->metrics, METRIC_LEASE_LEFT_SECONDS, STR_NONE, STR_NONE)->sum =
		(double)MAX(st->nodes->lease_until(st) - now, 0) / 1e3;
	find(e->metrics, METRIC_CLOCK_OFF_SECONDS, STR_NONE, STR_NONE)->sum =
		(double)clock.off_ms / 1e3;
}

/* Each kind has its line even if nothing waits, so that an alert can tell that from no answer. */
static void read_waits(struct engine *e)
{
	struct wait_sum sums[WAIT_SUMS_COUNT] = { 0 };
	int64_t now = e->ports.clock->ops->wall_ms(e->ports.clock);

	waits_sum(e->waits, sums);
	for (size_t i = 0; i < WAIT_SUMS_COUNT; i++) {
		struct str word = wait_sums_word(i);

		if (!str_is(word))
			continue;
		find(e->metrics, METRIC_WAITS, word, STR_NONE)->sum = sums[i].count;
		find(e->metrics, METRIC_OLDEST_WAIT_SECONDS, word, STR_NONE)->sum =
			sums[i].since ? (double)MAX(now - sums[i].since, 0) / 1e3 : 0;
	}
}

void metrics_read(struct control *c, struct control_metric ret[METRIC_COUNT])
{
	struct engine *e = OWNER_OF(c, struct engine, control);

	read_waits(e);
	read_store(e);
	read_nodes(e);
	for (size_t i = 0; i < METRIC_COUNT; i++)
		ret[i] = (struct control_metric){ .info = &metric_infos[i],
			                          .series = e->metrics->tables[i].series,
			                          .count = e->metrics->tables[i].count };
}
