/*
 * Models without a known price.  An explicit cap refuses them.  Else, with
 * routing.unpriced: ask_unpriced, a person decides whether a turn may use such a
 * model: once per turn, and no answer counts as denial.
 * spec: contracts/model-routing-limits; GAP-56
 */
#include "core/budget/budget.h"
#include "core/approval/model_consent.h"

static void emit_refused(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         enum error_category category, struct str message)
{
	decision_in_turn(
		EMIT(d, RUNTIME_ERROR, runtime_error, .category = category, .message = message,
	             .remedy = STR("give its price in the setting prices, or ask another model")),
		th, t)
		->status = STATUS_FAILED;
}

/* A cap that a person or a client set.  Without a price it could not be kept. */
static bool has_explicit_cap(const struct decision *d, const struct st_turn *t)
{
	return (t->has_cap_usd && t->cap_usd > 0) || (d->w->s->has_cap_usd && d->w->s->cap_usd > 0);
}

/*
 * One question per turn; the answer is found again by its rule, so it needs no field in the state.
 */
bool budget_ask_has_consent(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            const struct model_info *m)
{
	const struct st_action *a;

	if (decision_price_at(m, d->now))
		return true;
	if (has_explicit_cap(d, t)) {
		emit_refused(
			d, th, t, ERROR_CATEGORY_BUDGET,
			arena_printf(d->mem,
		                     "The price of %.*s/%.*s is not known, so the cap cannot be "
		                     "kept.",
		                     STR_ARG(m->provider), STR_ARG(m->model)));
		return false;
	}
	if (d->settings->config->routing_unpriced != UNPRICED_POLICY_ASK_UNPRICED)
		return true;
	a = model_consent_plan(th, t, ASKED_BY_PRICE, 0);
	if (a && action_is_pending(a))
		return false;
	if (a && a->decision == APPROVAL_DECISION_ALLOW)
		return true;
	if (a)
		emit_refused(d, th, t, ERROR_CATEGORY_PRICE_MISSING,
		             STR("A model without a known price was not allowed."));
	else if (!model_consent_is_allowed(d, t))
		emit_refused(d, th, t, ERROR_CATEGORY_PRICE_MISSING,
		             STR("The model's price is not known, and no person can be asked."));
	else
		model_consent_ask(
			d, th, t, ASKED_BY_PRICE,
			arena_printf(d->mem,
		                     "The price of %.*s/%.*s is not known. Ask it all the same?",
		                     STR_ARG(m->provider), STR_ARG(m->model)));
	return false;
}
