/*
 * routing.unpriced: ask_unpriced.  A person decides whether a turn may use a
 * model without a known price: once per turn, and no answer counts as denial.
 * spec: contracts/model-routing-limits; GAP-56
 */
#include "core/budget/budget.h"
#include "core/approval/model_consent.h"

static void emit_refused(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         struct str message)
{
	decision_in_turn(
		EMIT(d, RUNTIME_ERROR, runtime_error, .category = ERROR_CATEGORY_PRICE_MISSING,
	             .message = message,
	             .remedy = STR("give its price in the setting prices, or ask another model")),
		th, t)
		->status = STATUS_FAILED;
}

/*
 * One question per turn; the answer is found again by its rule, so it needs no field in the state.
 */
bool budget_ask_has_consent(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            const struct model_info *m)
{
	const struct st_action *a;

	if (decision_price_at(m, d->now) ||
	    d->settings->config->routing_unpriced != UNPRICED_POLICY_ASK_UNPRICED)
		return true;
	a = model_consent_plan(th, t, ASKED_BY_PRICE, 0);
	if (a && action_is_pending(a))
		return false;
	if (a && a->decision == APPROVAL_DECISION_ALLOW)
		return true;
	if (a)
		emit_refused(d, th, t, STR("A model without a known price was not allowed."));
	else if (!model_consent_is_allowed(d, t))
		emit_refused(d, th, t,
		             STR("The model's price is not known, and no person can be asked."));
	else
		model_consent_ask(
			d, th, t, ASKED_BY_PRICE,
			arena_printf(d->mem,
		                     "The price of %.*s/%.*s is not known. Ask it all the same?",
		                     STR_ARG(m->provider), STR_ARG(m->model)));
	return false;
}
