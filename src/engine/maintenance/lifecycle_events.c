/*
 * The node's session: events about this runtime itself, not about its work.
 */
#include "engine/maintenance/lifecycle_events.h"

#include "core/gen/inputs.h"
#include "core/runtime_events.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/engine_state.h"

/* The failure of the earlier run is recorded here, because that run could not write any more. */
static void record_start(struct session *s, void *arg)
{
	struct engine *e = arg;
	bool store_failed = str_is(e->options.previous_failure);
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE)
		return;
	/* Two decisions: each makes sure that the session exists. */
	if (store_failed) {
		d = apply_begin(s, NULL);
		input_runtime_events_error(d, STR("previous_run_store_failed"),
		                           e->options.previous_failure);
		apply_end(s, d);
	}
	if (str_is(e->options.version)) {
		d = apply_begin(s, NULL);
		input_runtime_events_started(d, e->options.version, store_failed,
		                             (int64_t)e->recovery.total);
		apply_end(s, d);
	}
	e->is_start_told = true;
}

void lifecycle_events_started(struct engine *e)
{
	if (str_is(e->options.version) || str_is(e->options.previous_failure))
		request_job(e, session_place_node(e, e->mem), true, record_start, e);
}

static void record_leave(struct session *s, void *arg)
{
	struct engine *e = arg;
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE)
		return;
	d = apply_begin(s, NULL);
	input_runtime_events_leaving(d, e->options.version);
	apply_end(s, d);
}

void lifecycle_events_leaving(struct engine *e)
{
	if (e->is_start_told && str_is(e->options.version))
		request_job(e, session_place_node(e, e->mem), false, record_leave, e);
}

static void record_stop(struct session *s, void *arg)
{
	struct engine *e = arg;
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE)
		return;
	d = apply_begin(s, NULL);
	input_runtime_events_stopped(d, e->options.version);
	apply_end(s, d);
}

/* A run that never recorded its start records no stop. */
void lifecycle_events_stopping(struct engine *e)
{
	if (e->is_start_told && !e->is_stopping && !e->has_failed && str_is(e->options.version))
		request_job(e, session_place_node(e, e->mem), false, record_stop, e);
}

static void record_jump(struct session *s, void *arg)
{
	struct engine *e = arg;
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE)
		return;
	d = apply_begin(s, NULL);
	input_runtime_events_warning(d, WARNING_CATEGORY_CLOCK_JUMP,
	                             arena_printf(d->mem, "the wall clock jumped by %lld seconds",
	                                          (long long)(e->jumped_ms / 1000)));
	apply_end(s, d);
}

void lifecycle_events_jumped(struct engine *e)
{
	request_job(e, session_place_node(e, e->mem), true, record_jump, e);
}
