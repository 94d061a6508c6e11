/*
 * routing.unpriced: ask_unpriced — a person says whether a model may be asked
 * whose price nobody knows: once for a turn, and silence is no consent.
 * spec: contracts/model-routing-limits; GAP-56
 */
#include "core/budget.h"

static const struct st_action *asked_before(const struct st_thread *th, const struct st_turn *t)
{
	for (uint32_t i = th->actions.count; i-- > 0;)
		if (th->actions.items[i]->action_type == ACTION_TYPE_ESCALATION &&
		    str_eq(th->actions.items[i]->turn_id, t->turn_id))
			return th->actions.items[i];
	return NULL;
}

static void emit_wait(struct outcome *d, struct st_thread *th, struct st_turn *t,
                      struct str action_id, int64_t until, struct str why)
{
	struct event *ev = in_turn(EMIT(d, TASK_WAITING, task_waiting, .for_ = WAIT_FOR_PERMISSION,
	                                .action_id = action_id, .until = until),
	                           th, t);

	ev->action_id = action_id;
	ev->status = STATUS_WAITING_PERMISSION;
	ev->phase = PHASE_WAITING;
	ev->status_reason = why;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id,
	                .status = TASK_STATUS_WAITING_PERMISSION, .status_reason = why);
	ev = in_thread(EMIT(d, THREAD_UPDATED, thread_updated,
	                    .profile_status = STATUS_WAITING_PERMISSION, .active_turn_id = t->turn_id,
	                    .pending_action_ids = STRINGS(d, action_id), .cause = STR("action.required")),
	               th);
	ev->turn_id = t->turn_id;
	ev->status = STATUS_BLOCKED;
	ev->status_reason = why;
}

static void ask(struct outcome *d, struct st_thread *th, struct st_turn *t,
                const struct setup_model *m)
{
	int64_t until = d->now + d->setup->action_timeout_ms;
	struct str action_id = new_id(d, "act");
	struct str prompt = arena_printf(d->mem, "The price of %.*s/%.*s is not known. Ask it all the same?",
	                                 STR_ARG(m->provider), STR_ARG(m->model));
	struct ev_action_required p = {
		.action_type = ACTION_TYPE_ESCALATION,
		.decision_kind = DECISION_KIND_ALLOW_OR_DENY,
		.prompt = prompt,
		.scope = KEPT(d, struct rec_action_scope, .turn_id = t->turn_id),
		.wait = KEPT(d, struct rec_wait, .for_ = WAIT_FOR_PERMISSION, .since = d->now,
		             .until = until,
		             .ended_by = STRINGS(d, STR("respond_action"), STR("interrupt_turn"),
		                                 STR("expiry"))),
		.on_expiry = DECISION_DENY,
	};
	struct rec_decision_option *o = list_rec_add(d->mem, &p.decisions, &rec_decision_option_desc);
	struct event *ev;

	o->decision = DECISION_ALLOW;
	o = list_rec_add(d->mem, &p.decisions, &rec_decision_option_desc);
	o->decision = DECISION_DENY;
	o->may_give_reason = o->has_may_give_reason = true;
	ev = in_turn(emit_event(d, EV_ACTION_REQUIRED, &p), th, t);
	ev->action_id = action_id;
	ev->status = STATUS_WAITING_PERMISSION;
	emit_wait(d, th, t, action_id, until, prompt);
}

static void emit_refused(struct outcome *d, struct st_thread *th, struct st_turn *t,
                         struct str message)
{
	in_turn(EMIT(d, RUNTIME_ERROR, runtime_error, .category = ERROR_CATEGORY_PRICE_MISSING,
	             .message = message,
	             .remedy = STR("give its price in the setting prices, or ask another model")),
	        th, t)
		->status = STATUS_FAILED;
}

bool has_consent(struct outcome *d, struct st_thread *th, struct st_turn *t,
                 const struct setup_model *m)
{
	const struct st_action *a;

	if (price_at(m, d->now) || d->setup->unpriced != UNPRICED_POLICY_ASK_UNPRICED)
		return true;
	a = asked_before(th, t);
	if (a && action_is_pending(a))
		return false;
	if (a && a->decision == DECISION_ALLOW)
		return true;
	if (a)
		emit_refused(d, th, t, STR("A model without a known price was not allowed."));
	else if (!d->setup->is_interactive || !str_is(t->task_id))
		emit_refused(d, th, t, STR("The model's price is not known, and nobody can be asked."));
	else
		ask(d, th, t, m);
	return false;
}
