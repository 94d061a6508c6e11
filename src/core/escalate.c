#include "core/escalate.h"

const struct st_action *escalation(const struct st_thread *th, const struct st_turn *t,
                                   struct str rule, int64_t after)
{
	for (uint32_t i = th->actions.count; i-- > 0;) {
		const struct st_action *a = th->actions.items[i];

		if (a->action_type == ACTION_TYPE_ESCALATION && a->sequence > after &&
		    str_eq(a->turn_id, t->turn_id) && str_eq(a->rule, rule))
			return a;
	}
	return NULL;
}

bool may_escalate(const struct outcome *d, const struct st_turn *t)
{
	return d->setup->is_interactive && str_is(t->task_id);
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
	ev = in_thread(
		EMIT(d, THREAD_UPDATED, thread_updated, .profile_status = STATUS_WAITING_PERMISSION,
	             .active_turn_id = t->turn_id, .pending_action_ids = STRINGS(d, action_id),
	             .cause = STR("action.required")),
		th);
	ev->turn_id = t->turn_id;
	ev->status = STATUS_BLOCKED;
	ev->status_reason = why;
}

void escalate(struct outcome *d, struct st_thread *th, struct st_turn *t, struct str rule,
              struct str prompt)
{
	int64_t until = d->now + d->setup->action_timeout_ms;
	struct str action_id = new_id(d, "act");
	struct ev_action_required p = {
		.action_type = ACTION_TYPE_ESCALATION,
		.decision_kind = DECISION_KIND_ALLOW_OR_DENY,
		.prompt = prompt,
		.scope = KEPT(d, struct rec_action_scope, .turn_id = t->turn_id),
		.policy = KEPT(d, struct rec_action_policy, .rule_refs = STRINGS(d, rule)),
		.wait = KEPT(d, struct rec_wait, .for_ = WAIT_FOR_PERMISSION, .since = d->now,
		             .until = until,
		             .ended_by = STRINGS(d, STR("respond_action"), STR("interrupt_turn"),
		                                 STR("expiry"))),
		.on_expiry = DECISION_DENY,
	};
	struct rec_decision_option *o =
		list_rec_add(d->mem, &p.decisions, &rec_decision_option_desc);
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
