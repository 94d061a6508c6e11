/*
 * Submits turns of the runtime itself, for items of jobs and for child agents.
 */
#include "core/turn/turn_internal.h"

#include "base/jw.h"
#include "base/utf8.h"
#include "core/session/trace.h"
#include "core/task/task.h"
#include "core/turn/turn.h"

/* spec: GAP-12 — every turn has a task; this one exists as long as its turn. */
static struct str emit_task(struct decision *d, const struct internal_turn *o)
{
	struct str id = decision_new_id(d, "task");
	struct rec_task *r =
		KEPT(d, struct rec_task, .task_id = id, .root_task_id = id,
	             .session_id = d->session_id, .thread_id = o->thread_id, .turn_id = o->turn_id,
	             .title = utf8_preview(d->mem, str_trim(o->text), 80),
	             .objective = utf8_preview(d->mem, o->text, 200), .task_kind = o->task_kind,
	             .task_family = o->family, .visibility = VISIBILITY_INTERNAL,
	             .status = TASK_STATUS_DRAFT, .priority = STR("normal"),
	             .requested_by = decision_actor(d),
	             .owner = KEPT(d, struct rec_actor, .kind = ACTOR_KIND_RUNTIME,
	                           .runtime_id = d->settings->runtime_id),
	             .created_at = d->now);
	struct event *ev =
		EMIT(d, TASK_CREATED, task_created, .objective = r->objective, .implicit = true);

	r->acceptance.items = ARENA_ARRAY(d->mem, struct rec_criterion *, 1);
	ev->thread_id = o->thread_id;
	ev->turn_id = o->turn_id;
	ev->task_id = id;
	ev->status = STATUS_DRAFT;
	ev->task = r;
	ev = EMIT(d, TASK_ACCEPTED, task_accepted, .accepted_by = STR("runtime"));
	ev->thread_id = o->thread_id;
	ev->turn_id = o->turn_id;
	ev->task_id = id;
	task_status(d, ev, id, TASK_STATUS_ACCEPTED);
	return id;
}

static void add_input(struct decision *d, const struct internal_turn *o,
                      struct ev_turn_submitted *p)
{
	struct rec_input_part text = { .type = STR("text"),
		                       .preview = utf8_preview(d->mem, o->text, LIMIT_PREVIEW),
		                       .bytes = (int64_t)o->text.len };

	if (!o->input)
		*(struct rec_input_part *)rec_list_add(d->mem, &p->input, &rec_input_part_desc) =
			text;
	for (uint32_t i = 0; o->input && i < o->input->count; i++)
		*(struct rec_input_part *)rec_list_add(d->mem, &p->input, &rec_input_part_desc) =
			*o->input->items[i];
}

/*
 * The caller has checked that the thread is free, so the turn is accepted, never queued.  Delivery
 * is recorded as `queue`, the default.
 */
struct str turn_internal_emit(struct decision *d, const struct internal_turn *o)
{
	struct ev_turn_submitted p = {
		.status = STATUS_ACCEPTED,
		.source = o->source,
		.kind = o->kind,
		.delivery = DELIVERY_QUEUE,
		.config_ref = d->settings->config_ref,
		.rules_ref = d->settings->rules_ref,
		.options =
			o->options ? rec_clone(d->mem, &rec_turn_options_desc, o->options) : NULL,
	};
	struct str task_id = emit_task(d, o);
	struct trace_start trace;
	struct event *ev;

	add_input(d, o, &p);
	p.input_ref =
		decision_new_blob(d, STR("application/json"),
	                          str_is(o->parts) ? o->parts : turn_input_text_part(d, o->text));
	trace_begin(d, o->turn_id, &trace);
	p.trace = trace.origin;
	ev = decision_emit_event(d, EV_TURN_SUBMITTED, &p);
	ev->thread_id = o->thread_id;
	ev->turn_id = o->turn_id;
	ev->task_id = task_id;
	ev->run_id = decision_new_id(d, "run");
	ev->attempt_id = decision_new_id(d, "att");
	ev->job_id = o->job_id;
	ev->job_item_id = o->job_item_id;
	ev->subagent_id = o->subagent_id;
	ev->status = STATUS_ACCEPTED;
	ev->step_id = decision_new_id(d, "step");
	ev->item = turn_item(d, ev->step_id, ITEM_KIND_USER_MESSAGE, 1, STATUS_COMPLETED);
	ev->trace_id = trace.trace_id;
	ev->span_id = trace.span_id;
	decision_add_ref(d, ev, STR("input"), p.input_ref);
	if (p.options && p.options->call)
		decision_add_ref(d, ev, STR("arguments"), p.options->call->arguments_ref);
	decision_add_ref(d, ev, STR("config"), d->settings->config_ref);
	return p.input_ref;
}
