/* Chooses the trace of a new turn (trace.h). */
#include "core/session/trace.h"

#include "core/settings.h"

/* A record without the setting is older than it: all spans are sent. */
static double sample_ratio(const struct settings_config *config)
{
	return config->has_telemetry_sample_ratio ? config->telemetry_sample_ratio : 1;
}

static void new_trace(struct decision *d, struct trace_start *ret)
{
	double ratio = sample_ratio(d->settings->config);

	ret->trace_id = id_make_hex(d->mem, d->ids, 32);
	if (ratio < 1)
		ret->origin = KEPT(d, struct rec_trace_caller,
		                   .sampled = trace_context_in_share(ret->trace_id, ratio));
}

static void continue_trace(struct decision *d, const struct trace_context *from,
                           struct trace_start *ret)
{
	ret->trace_id = from->trace_id;
	ret->origin = KEPT(d, struct rec_trace_caller, .span_id = from->parent_id,
	                   .sampled = from->is_sampled, .state = from->state);
}

void trace_begin(struct decision *d, struct str turn_id, struct trace_start *ret)
{
	*ret = (struct trace_start){ 0 };
	if (!d->settings->config->trace)
		return;
	if (d->call && str_is(d->call->caller.trace.trace_id))
		continue_trace(d, &d->call->caller.trace, ret);
	else if (str_is(d->cause.trace_id))
		continue_trace(d, &d->cause, ret);
	else
		new_trace(d, ret);
	ret->span_id = trace_context_span(d->mem, ret->trace_id, turn_id);
}

void trace_set_cause(struct decision *d, const struct st_turn *t, struct str object_id)
{
	if (!t || !str_is(t->trace_id) || str_is(d->cause.trace_id))
		return;
	d->cause = (struct trace_context){
		.trace_id = t->trace_id,
		.parent_id = trace_context_span(d->mem, t->trace_id, object_id),
		.state = t->trace_state,
		.is_sampled = !t->trace_unsampled,
	};
}

struct trace_headers trace_about(struct decision *d, const struct event *ev)
{
	const struct st_turn *t = str_is(ev->turn_id) ? state_turn(d->w, ev->turn_id, NULL) : NULL;
	struct str object = str_is(ev->tool_call_id) ? ev->tool_call_id : ev->turn_id, span;

	if (!t || !str_is(t->trace_id))
		return (struct trace_headers){ 0 };
	span = trace_context_span(d->mem, t->trace_id, object);
	return (struct trace_headers){
		.parent = trace_context_text(d->mem, t->trace_id, span, !t->trace_unsampled),
		.state = t->trace_state,
	};
}

/* Events of a new turn come before it is folded: the decision has its turn.submitted. */
static const struct rec_trace_caller *origin_here(const struct decision *d, struct str turn_id)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->events[i]->type == EV_TURN_SUBMITTED &&
		    str_eq(d->events[i]->turn_id, turn_id))
			return ((const struct ev_turn_submitted *)d->events[i]->payload)->trace;
	return NULL;
}

void trace_mark(const struct decision *d, struct event *ev)
{
	const struct rec_trace_caller *origin;
	const struct st_turn *t;

	if (!str_is(ev->trace_id) || !str_is(ev->turn_id))
		return;
	t = state_turn(d->w, ev->turn_id, NULL);
	origin = t ? NULL : origin_here(d, ev->turn_id);
	if ((t && t->trace_unsampled) || (origin && !origin->sampled))
		ev->trace_flags = STR("00");
}
