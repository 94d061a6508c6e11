/*
 * The node's own session: what concerns this runtime and none of its work.
 */
#include "core/node.h"
#include "engine/internal.h"

#define NODE STR("sess_node_local")

static void say_started(struct session *s, void *arg)
{
	struct engine *e = arg;
	bool store_failed = str_is(e->settings.previous_failure);
	struct outcome *d;

	if (!s || s->state != SESSION_LIVE)
		return;
	d = run_begin(s, NULL);
	if (store_failed)
		input_node_error(d, STR("previous_run_store_failed"), e->settings.previous_failure);
	if (str_is(e->settings.version))
		input_node_started(d, e->settings.version, store_failed,
		                   (int64_t)e->recovery.total);
	run_end(s, d);
	e->is_start_told = true;
}

void node_started(struct engine *e)
{
	if (str_is(e->settings.version) || str_is(e->settings.previous_failure))
		request_job(e, NODE, true, say_started, e);
}

static void say_stopped(struct session *s, void *arg)
{
	struct engine *e = arg;
	struct outcome *d;

	if (!s || s->state != SESSION_LIVE)
		return;
	d = run_begin(s, NULL);
	input_node_stopped(d, e->settings.version);
	run_end(s, d);
}

void node_stopping(struct engine *e)
{
	if (e->is_start_told && !e->is_stopping && !e->has_failed && str_is(e->settings.version))
		request_job(e, NODE, false, say_stopped, e);
}

static void say_jump(struct session *s, void *arg)
{
	struct engine *e = arg;
	struct outcome *d;

	if (!s || s->state != SESSION_LIVE)
		return;
	d = run_begin(s, NULL);
	input_node_warning(d, WARNING_CATEGORY_CLOCK_JUMP,
	                   arena_printf(d->mem, "the wall clock jumped by %lld seconds",
	                                (long long)(e->jumped_ms / 1000)));
	run_end(s, d);
}

void node_jumped(struct engine *e)
{
	request_job(e, NODE, true, say_jump, e);
}
