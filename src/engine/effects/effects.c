/*
 * Effects: work outside the engine, started when the event that authorises it
 * is durable, and tracked until it has ended.
 *
 * Recovery handles an open object without a live effect; this file guarantees
 * the reverse: no live effect without an open object.
 */
#include "engine/effects/effects.h"

#include "core/hook/hook.h"
#include "engine/resources/holders.h"
#include "engine/settings/project_tools.h"
#include "engine/engine_state.h"

/* Whether a callback of the store, the blobs, a toolset or a hook still comes back to this run. */
static bool is_awaited(const struct effect_run *x)
{
	return x->read.owner == x || x->tool || x->hook || x->is_sealing;
}

/*
 * A tool that was given up may end much later or never.  Its call is recorded, so a stop
 * of the engine does not wait for it.
 */
static void stop_counting(struct effect_run *x)
{
	if (x->is_uncounted)
		return;
	x->is_uncounted = true;
	x->engine->live_effects--;
}

/* Every resource of all kinds of effects; those that a kind does not use are zero. */
void effects_free_run(struct effect_run *x)
{
	struct clock *c = x->engine->ports.clock;

	list_remove(&x->node);
	list_remove(&x->all);
	c->ops->stop(c, &x->window);
	c->ops->stop(c, &x->patience);
	c->ops->stop(c, &x->tick);
	assemble_done(&x->assembly);
	buf_done(&x->pieces);
	buf_done(&x->whole);
	buf_done(&x->output);
	buf_done(&x->image);
	tool_sampling_free(x);
	redact_stream_done(&x->scrub);
	stop_counting(x);
	arena_free(x->end_mem);
	arena_free(x->mem);
}

void effects_end(struct effect_run *x)
{
	list_remove(&x->node);
	x->session = NULL;
	if (!is_awaited(x))
		effects_free_run(x);
	else if (x->tool && x->has_ended)
		stop_counting(x);
}

/* The session was dropped, or the turn stopped, during a read of the store. */
bool effects_is_late(struct effect_run *x)
{
	x->read.owner = NULL;
	if (x->session)
		return false;
	effects_end(x);
	return true;
}

/* ---- pausing ---- */

/* The adapter is paused once, whatever the number of reasons. */
void effects_pause(struct effect_run *x, enum pause why)
{
	bool was_paused = x->paused;

	x->paused |= why;
	if (was_paused)
		return;
	if (x->model)
		x->provider->ops->pause(x->provider, x->model);
	else if (x->tool)
		x->toolset->ops->pause(x->toolset, x->tool);
}

void effects_resume(struct effect_run *x, enum pause why)
{
	bool was_paused = x->paused;

	x->paused &= ~(unsigned)why;
	if (!was_paused || x->paused)
		return;
	if (x->model)
		x->provider->ops->resume(x->provider, x->model);
	else if (x->tool)
		x->toolset->ops->resume(x->toolset, x->tool);
}

void effects_throttle_changed(struct engine *e)
{
	LIST_EACH_SAFE (&e->runs, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, all);

		if (!x->model && !x->tool)
			continue;
		if (e->is_throttled)
			effects_pause(x, PAUSE_DISK);
		else
			effects_resume(x, PAUSE_DISK);
	}
}

/* ---- starting, stopping ---- */

#define LEASE_LOOK_MS 50

static void on_lease(struct clock_timer *t)
{
	effects_disk_has_room(OWNER_OF(t, struct engine, lease_timer));
}

/*
 * The object is looked up again, because the effect may have been held for minutes.
 * Arguments that the state does not hold, or holds redacted, are fetched from their blob.
 */
static void begin_run(struct effect_run *x)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(x->session->state, x->turn_id, &th);
	const struct st_call *call = t ? state_thread_call(th, x->object_id) : NULL;
	const struct st_hook *hook = x->kind == EFFECT_HOOK_RUN
	                                     ? hook_find(x->session->state, x->object_id, NULL)
	                                     : NULL;
	bool is_open = t && (x->kind == EFFECT_MODEL_REQUEST || (call && !call_is_over(call)) ||
	                     (hook && hook->run->status == HOOK_STATUS_RUNNING));

	if (!is_open) /* ended while it was held */
		effects_end(x);
	else if (x->kind == EFFECT_MODEL_REQUEST)
		model_start(x, th, t);
	else if (hook)
		hook_start_run(x, hook);
	else if (!str_is(call->args) || call->redacted)
		tool_fetch_args(x, call->args_ref);
	else
		tool_start_run(x, th, call);
}

/*
 * Without disk space nothing begins.  Neither does it when other nodes may count this one as dead
 * and continue its work: after its lease, which the next heartbeat makes longer.
 */
static bool may_begin(struct engine *e)
{
	struct store *st = e->ports.store;
	struct clock *c = e->ports.clock;

	if (e->is_full)
		return false;
	if (!st->nodes || st->nodes->lease_until(st) > c->ops->mono_ms(c))
		return true;
	e->lease_timer.fire = on_lease;
	c->ops->start(c, &e->lease_timer, LEASE_LOOK_MS);
	return false;
}

/*
 * The event is durable.  Later events of the same or another batch may have ended the
 * object already; then nothing starts.  Tools that the runtime answers itself or that ask
 * the user have no effect.
 */
void effects_due(struct session *s, const struct due_effect *due)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(s->state, due->turn_id, &th);
	const struct st_call *call = t ? state_thread_call(th, due->object_id) : NULL;
	const struct st_hook *hook = NULL;
	struct effect_run *x;
	struct arena *mem;

	if (due->kind == EFFECT_OUTPUT_DROP) {
		if (s->engine->ports.blobs)
			s->engine->ports.blobs->ops->remove(s->engine->ports.blobs, due->object_id);
		return;
	}
	if (!t)
		return;
	if (due->kind == EFFECT_MODEL_REQUEST &&
	    !(str_is(t->model_request_id) && str_eq(t->model_request_id, due->object_id)))
		return; /* ended before it could start */
	if (due->kind == EFFECT_TOOL_RUN) {
		const struct tool_info *tool =
			call ? project_tools_of_session(s, call->tool_name) : NULL;

		if (!call || call_is_over(call) || call->by_runtime || call->by_client ||
		    (tool && tool->asks_user))
			return;
	}
	if (due->kind == EFFECT_HOOK_RUN) {
		hook = hook_find(s->state, due->object_id, NULL);
		if (!hook || hook->run->status != HOOK_STATUS_RUNNING)
			return;
	}
	mem = arena_new();
	x = ARENA_NEW(mem, struct effect_run);
	x->mem = mem;
	x->engine = s->engine;
	x->session = s;
	x->kind = due->kind;
	x->seq = due->seq;
	x->turn_id = arena_keep(mem, due->turn_id);
	x->object_id = arena_keep(mem, due->object_id);
	list_add(&s->effects, &x->node);
	list_add(&s->engine->runs, &x->all);
	s->engine->live_effects++;
	x->is_held = !may_begin(s->engine);
	if (!x->is_held)
		begin_run(x);
}

/*
 * Cancels live effects whose object has ended; stops the tools of a stopping turn once that intent
 * is durable.
 */
void effects_reconcile(struct session *s)
{
	if (s->applied != s->durable)
		return;
	LIST_EACH_SAFE (&s->effects, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, node);
		const struct st_thread *th;
		const struct st_turn *t = state_turn(s->state, x->turn_id, &th);

		/* A request is obsolete when the turn has another one or none. */
		if (x->kind == EFFECT_MODEL_REQUEST) {
			if (!t || !str_is(t->model_request_id) ||
			    !str_eq(t->model_request_id, x->object_id))
				model_cancel(x);
		} else if (t && t->stage == TURN_STAGE_STOPPING) {
			if (x->kind == EFFECT_HOOK_RUN)
				hook_cancel(x);
			else
				tool_cancel(x);
		} else if (x->has_answer) {
			tool_tell_answer(x);
		} else if (x->sample.stage == SAMPLE_DUE) {
			tool_sampling_advance(x);
		}
	}
}

/* The commit is durable: buffered pieces continue. */
void effects_durable(struct session *s)
{
	LIST_EACH_SAFE (&s->effects, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, node);

		if (x->kind != EFFECT_MODEL_REQUEST || !x->model || x->is_summary)
			continue;
		if (x->pieces.len && !x->window_is_open && !s->slice && !s->in_flight) {
			model_flush(x, false);
			model_open_window(x);
		}
		if (x->pieces.len < LIMIT_STREAM_BUFFER_BYTES / 2)
			effects_resume(x, PAUSE_BUFFER);
	}
}

/*
 * The session's uncommitted events are gone, so results have no place any more.  A model
 * request is ended at once; a tool may still have side effects, and is only asked to end.
 */
void effects_drop(struct session *s)
{
	LIST_EACH_SAFE (&s->effects, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, node);

		if (x->kind == EFFECT_MODEL_REQUEST) {
			model_cancel(x);
			continue;
		}
		/*
		 * The end of a tool or hook comes later: it finds no session and frees the
		 * run.  A run that is held for disk space has nothing to wait for.
		 */
		list_remove(&x->node);
		x->session = NULL;
		if (x->tool && x->is_remote)
			x->toolset->ops->leave(x->toolset, x->tool);
		else if (x->tool)
			x->toolset->ops->cancel(x->toolset, x->tool);
		else if (x->hook)
			hook_cancel(x);
		else
			effects_end(x);
	}
}

/* The runtime stops: tasks of tool servers continue, and the next start follows them. */
void effects_leave_tasks(struct engine *e)
{
	LIST_EACH_SAFE (&e->runs, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, all);

		if (!x->session || !x->tool || !x->is_remote || x->has_ended || x->is_cancelling)
			continue;
		list_remove(&x->node);
		x->session = NULL;
		x->toolset->ops->leave(x->toolset, x->tool);
	}
}

/* Models are stopped; tools run to their end, because their side effects must be recorded. */
void effects_disk_full(struct engine *e)
{
	LIST_EACH_SAFE (&e->runs, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, all);

		if (!x->session || !x->model)
			continue;
		x->provider->ops->cancel(x->provider, x->model);
		model_ended(x, &(struct model_end){ .failed = true,
		                                    .category = ERROR_CATEGORY_STORAGE_FULL,
		                                    .message = STR("the disk is full"),
		                                    .retry_after_ms = -1 });
	}
}

/* Effects whose event became durable while nothing could begin start now, in that order. */
void effects_disk_has_room(struct engine *e)
{
	LIST_EACH_SAFE (&e->runs, node, tmp) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, all);

		if (!x->is_held || !x->session || x->is_cancelling)
			continue;
		if (!may_begin(e))
			return;
		x->is_held = false;
		begin_run(x);
	}
}

/* At shutdown: no callback comes any more. */
void effects_free(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->lease_timer);
	while (!list_is_empty(&e->runs))
		effects_free_run(LIST_ITEM(e->runs.next, struct effect_run, all));
}

/*
 * Includes the few held-back bytes that redaction may show, so that a prompt without a
 * newline is visible.
 */
bool effects_peek(struct request *r, struct str output_ref, struct str *ret)
{
	LIST_EACH (&r->engine->runs, node) {
		struct effect_run *x = LIST_ITEM(node, struct effect_run, all);

		if (x->kind != EFFECT_TOOL_RUN || x->writer || x->has_ended ||
		    !str_is(x->output_ref) || !str_eq(x->output_ref, output_ref) ||
		    !holders_reaches(&r->caller, x->session->id))
			continue;
		struct str all = buf_str(&x->output), held = redact_glimpse(&x->scrub);

		*ret = arena_printf(r->mem, "%.*s%.*s", STR_ARG(all), STR_ARG(held));
		return true;
	}
	return false;
}

struct trace_headers effects_trace(struct arena *mem, const struct st_turn *t, struct str object_id)
{
	struct str span;

	if (!t || !str_is(t->trace_id) || !str_is(object_id))
		return (struct trace_headers){ 0 };
	span = trace_context_span(mem, t->trace_id, object_id);
	return (struct trace_headers){
		.parent = trace_context_text(mem, t->trace_id, span, !t->trace_unsampled),
		.state = arena_keep(mem, t->trace_state),
	};
}
