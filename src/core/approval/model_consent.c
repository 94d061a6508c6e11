/*
 * Asks a person whether a turn may use a model: one without a known price, or a
 * fallback for another.
 */
#include "core/approval/model_consent.h"

#include "core/approval/action_emit.h"

/* `after` separates this run's question from one that an earlier request of the turn has asked. */
const struct st_action *model_consent_plan(const struct st_thread *th, const struct st_turn *t,
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

/* A system turn has no task that could wait for the answer. */
bool model_consent_is_allowed(const struct decision *d, const struct st_turn *t)
{
	return d->settings->is_interactive && str_is(t->task_id);
}

void model_consent_ask(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       struct str rule, struct str prompt)
{
	struct ev_action_required p = {
		.action_type = ACTION_TYPE_ESCALATION,
		.decision_kind = DECISION_KIND_ALLOW_OR_DENY,
		.prompt = prompt,
		.policy = KEPT(d, struct rec_action_policy, .rule_refs = STRINGS(d, rule)),
		.wait = action_emit_wait(d, WAIT_FOR_PERMISSION,
		                         d->now + d->settings->action_timeout_ms),
	};

	action_emit_required(d, th, t, NULL, &p, APPROVAL_DECISION_ALLOW, APPROVAL_DECISION_DENY,
	                     STATUS_WAITING_PERMISSION);
}
