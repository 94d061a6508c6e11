/*
 * Switches to a fallback: a run ends, another begins on the next model of the
 * chain, with the same context, tool catalogue and candidates.
 * spec: GAP-33, GAP-48, GAP-66; golden routing-fallback 24-29
 */
#include "base/utf8.h"
#include "core/budget/budget.h"
#include "core/approval/model_consent.h"
#include "core/routing/route.h"
#include "core/session/session.h"
#include "core/turn/turn_emit.h"

/* Failures that another provider may not have; an invalid request is invalid everywhere. */
static bool is_providers_fault(enum error_category c)
{
	switch (c) {
	case ERROR_CATEGORY_RATE_LIMITED:
	case ERROR_CATEGORY_OVERLOADED:
	case ERROR_CATEGORY_SERVER_ERROR:
	case ERROR_CATEGORY_NETWORK:
	case ERROR_CATEGORY_TIMEOUT:
	case ERROR_CATEGORY_PROTOCOL:
	case ERROR_CATEGORY_QUOTA:
	case ERROR_CATEGORY_AUTH:
	case ERROR_CATEGORY_NOT_FOUND:
	case ERROR_CATEGORY_UNAVAILABLE:
		return true;
	default:
		return false;
	}
}

/* The turn's routing decision, read back. */
static struct rec_routing_decision *last_decision(struct decision *d, const struct st_turn *t)
{
	struct rec_routing_decision *rd = ARENA_NEW(d->mem, struct rec_routing_decision);
	struct json v;

	if (!str_is(t->decision) || json_read_trusted(d->mem, t->decision, &v, NULL) != OK ||
	    rec_read(d->mem, v, &rec_routing_decision_desc, REC_TRUSTED, rd, NULL) != OK)
		return NULL;
	return rd;
}

/*
 * The chain was fixed when the turn was routed; availability is checked again.  After a failure of
 * key or quota, other models of the same provider are skipped: they share both.
 */
const struct model_info *route_fallback_next_candidate(struct decision *d, const struct st_turn *t,
                                                       const struct model_end *e)
{
	struct rec_routing_decision *rd =
		is_providers_fault(e->category) ? last_decision(d, t) : NULL;

	for (uint32_t i = 0; rd && i < rd->fallback_chain.count; i++) {
		const struct rec_chain_entry *c = rd->fallback_chain.items[i];
		const struct model_info *m =
			decision_settings_model(d->settings, c->provider, c->model);
		bool is_same_door =
			m && str_eq(m->provider, t->provider) &&
			(e->category == ERROR_CATEGORY_AUTH || e->category == ERROR_CATEGORY_QUOTA);
		struct str detail;

		if (!c->tried && m && !is_same_door && !route_cannot_ask(d, m, &detail))
			return m;
	}
	return NULL;
}

/* "routing.fallback_chain names a, b, which no provider offers"; absent: all are offered. */
static struct str not_offered_text(struct decision *d)
{
	struct list_str names = route_chain_not_offered(d);
	struct str all = STR("");

	for (uint32_t i = 0; i < names.count; i++)
		all = arena_printf(d->mem, "%.*s%s%.*s", STR_ARG(all), i ? ", " : "",
		                   STR_ARG(names.items[i]));
	return names.count ? arena_printf(d->mem,
	                                  "routing.fallback_chain names %.*s, which no provider "
	                                  "offers",
	                                  STR_ARG(utf8_preview(d->mem, all, 200)))
	                   : STR_NONE;
}

static struct str key_remedy(struct decision *d, const struct st_turn *t)
{
	const struct model_info *m = decision_settings_model(d->settings, t->provider, t->model);

	if (m && str_is(m->remedy))
		return m->remedy;
	return arena_printf(d->mem,
	                    "look at the key of %.*s%s%.*s%s, or keep another with: "
	                    "thole auth add %.*s",
	                    STR_ARG(t->provider), m && str_is(m->key_name) ? " (" : "",
	                    STR_ARG(m && str_is(m->key_name) ? m->key_name : STR("")),
	                    m && str_is(m->key_name) ? ")" : "", STR_ARG(t->provider));
}

static struct str remedy_of(struct decision *d, const struct st_turn *t, const struct model_end *e)
{
	if (e->category == ERROR_CATEGORY_AUTH)
		return key_remedy(d, t);
	if (e->category == ERROR_CATEGORY_NOT_FOUND)
		return STR("list_models (thole models) shows what can be asked");
	return is_providers_fault(e->category) ? ROUTE_OTHER_MODEL : STR_NONE;
}

struct str route_fallback_remedy(struct decision *d, const struct st_turn *t,
                                 const struct model_end *e)
{
	struct str remedy = remedy_of(d, t, e), missing = not_offered_text(d);

	return str_is(remedy) && str_is(missing)
	               ? arena_printf(d->mem, "%.*s; %.*s", STR_ARG(remedy), STR_ARG(missing))
	               : remedy;
}

/* ---- for a summary ---- */

/*
 * Not bound to the turn's decision: a summary may use any model of the chain, and asks no one, so
 * policy ask excludes it.
 */
const struct model_info *route_fallback_next_for_summary(struct decision *d,
                                                         const struct st_turn *t,
                                                         const struct list_str *tried,
                                                         const struct model_end *e)
{
	struct rec_task_profile *profile = route_profile_of(d, t);

	for (size_t i = 0; is_providers_fault(e->category) && i < route_chain_length(d); i++) {
		const struct model_info *m = route_chain_at(d, i);
		bool is_same_door =
			m && str_eq(m->provider, t->provider) &&
			(str_eq(m->model, t->model) || e->category == ERROR_CATEGORY_AUTH ||
		         e->category == ERROR_CATEGORY_QUOTA);
		struct str detail;

		if (m && !is_same_door && route_may_step_in(d, profile, m) &&
		    !route_cannot_ask(d, m, &detail) &&
		    rec_list_str_find(tried, arena_printf(d->mem, "%.*s/%.*s", STR_ARG(m->provider),
		                                          STR_ARG(m->model))) < 0)
			return m;
	}
	return NULL;
}

static struct str reason_of(struct decision *d, const struct st_turn *t, const struct model_end *e);

/* The turn keeps its run and its model: only the summary comes from another one. */
void route_fallback_emit_for_summary(struct decision *d, const struct st_thread *th,
                                     const struct st_turn *t, const struct model_info *to,
                                     const struct model_end *e)
{
	struct event *ev = decision_in_turn(
		EMIT(d, ROUTING_FALLBACK_APPLIED, routing_fallback_applied,
	             .from = KEPT(d, struct rec_model_name, t->provider, t->model),
	             .to = KEPT(d, struct rec_model_name, to->provider, to->model),
	             .cause = e->category, .chain_position = th->compaction->tried.count + 1,
	             .switched_after_ms = 0),
		th, t);

	ev->model_request_id = t->model_request_id;
	ev->status_reason = reason_of(d, t, e);
}

/* ---- for a turn ---- */

/*
 * The chain in the decision is also the record of what was tried, which the fold keeps with the
 * turn.
 */
static void mark_tried(struct decision *d, struct rec_routing_decision *rd, struct str provider,
                       struct str model, enum error_category outcome)
{
	struct rec_chain_entry *e = NULL;

	for (uint32_t i = 0; i < rd->fallback_chain.count && !e; i++)
		if (str_eq(rd->fallback_chain.items[i]->provider, provider) &&
		    str_eq(rd->fallback_chain.items[i]->model, model))
			e = rd->fallback_chain.items[i];
	if (!e) {
		/* The first choice precedes the fallbacks in the chain. */
		rec_list_add(d->mem, &rd->fallback_chain, &rec_chain_entry_desc);
		for (uint32_t i = rd->fallback_chain.count - 1; i > 0; i--)
			*rd->fallback_chain.items[i] = *rd->fallback_chain.items[i - 1];
		e = rd->fallback_chain.items[0];
		*e = (struct rec_chain_entry){ .provider = provider, .model = model };
	}
	e->tried = true;
	if (outcome)
		e->outcome = outcome;
}

static struct str reason_of(struct decision *d, const struct st_turn *t, const struct model_end *e)
{
	if (e->category == ERROR_CATEGORY_RATE_LIMITED && e->retry_after_ms >= 0)
		return arena_printf(d->mem, "%.*s is rate limited for %lld s", STR_ARG(t->provider),
		                    (long long)(e->retry_after_ms + 999) / 1000);
	return arena_printf(d->mem, "%.*s/%.*s: %.*s", STR_ARG(t->provider), STR_ARG(t->model),
	                    STR_ARG(error_category_word(e->category)));
}

static int64_t count_switches(const struct rec_routing_decision *rd)
{
	int64_t tried = 0;

	for (uint32_t i = 0; i < rd->fallback_chain.count; i++)
		tried += rd->fallback_chain.items[i]->tried;
	return tried - 1; /* the first choice is no switch */
}

/*
 * The attempt ends, the task retries, another attempt begins: three events, so that costs and
 * outcomes of both models stay apart (GAP-33).
 */
static void emit_new_run(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct model_end *e, struct str run_id, struct str attempt_id)
{
	struct event *ev = decision_in_turn(EMIT(d, TASK_ATTEMPT_FAILED, task_attempt_failed,
	                                         .status = STATUS_FAILED, .retryable = true,
	                                         .failure_category = e->category,
	                                         .next_attempt_policy = STR("fallback")),
	                                    th, t);

	ev->status = STATUS_FAILED;
	ev->task_attempt = KEPT(
		d, struct rec_task_attempt, .run_id = t->run_id, .attempt_id = t->attempt_id,
		.status = ATTEMPT_STATUS_FAILED, .attempt_count = t->run_number, .ended_at = d->now,
		.last_error = KEPT(d, struct rec_last_error, .category = e->category,
	                           .message = e->message, .model_request_id = t->model_request_id));
	ev = decision_in_turn(
		EMIT(d, TASK_RETRYING, task_retrying, .reason = STR("fallback"),
	             .previous_run_id = t->run_id, .attempt = t->run_number + 1,
	             .requested_by = KEPT(d, struct rec_actor, .kind = ACTOR_KIND_RUNTIME,
	                                  .policy = STR("fallback"))),
		th, t);
	ev->run_id = run_id;
	ev->attempt_id = attempt_id;
	ev->status = STATUS_RETRYING;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id, .status = TASK_STATUS_RETRYING,
	                .current_run_id = run_id);
	turn_emit_attempt(d, th, t, run_id, attempt_id, t->run_number + 1, ATTEMPT_CAUSE_FALLBACK);
}

/*
 * Context, tools and candidates are not resolved again: the new run takes over those of the old one
 * (GAP-66). routing.decided of the new run marks it as prepared.
 */
void route_fallback_emit(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct model_info *to, const struct model_end *e)
{
	struct rec_routing_decision *rd = last_decision(d, t);
	struct str missing = not_offered_text(d);
	struct str run_id = decision_new_id(d, "run"), attempt_id = decision_new_id(d, "att");
	struct st_turn chosen = *t;
	struct event *ev;

	chosen.provider = to->provider;
	chosen.model = to->model;
	mark_tried(d, rd, t->provider, t->model, e->category);
	mark_tried(d, rd, to->provider, to->model, 0);
	rd->decision_source = ROUTING_SOURCE_RUNTIME_FALLBACK;
	rd->decision_reason = reason_of(d, t, e);
	if (str_is(missing))
		rd->decision_reason = arena_printf(d->mem, "%.*s; %.*s",
		                                   STR_ARG(rd->decision_reason), STR_ARG(missing));
	rd->selected_provider = to->provider;
	rd->selected_model = to->model;
	rd->requires_user_override = false;
	rd->limit_state_snapshot = budget_limit_state(d, &chosen);
	ev = decision_in_turn(EMIT(d, ROUTING_FALLBACK_APPLIED, routing_fallback_applied,
	                           .from = KEPT(d, struct rec_model_name, t->provider, t->model),
	                           .to = KEPT(d, struct rec_model_name, to->provider, to->model),
	                           .cause = e->category, .chain_position = count_switches(rd),
	                           .switched_after_ms = 0),
	                      th, t);
	ev->model_request_id = t->model_request_id;
	ev->status_reason = rd->decision_reason;
	emit_new_run(d, th, t, e, run_id, attempt_id);
	ev = decision_in_turn(EMIT(d, ROUTING_DECIDED, routing_decided,
	                           .routing_mode = rd->routing_mode,
	                           .selected_provider = to->provider, .selected_model = to->model,
	                           .decision_source = rd->decision_source),
	                      th, t);
	ev->run_id = run_id;
	ev->attempt_id = attempt_id;
	ev->routing_decision = rd;
}

/* ---- fallback: ask ---- */

bool route_fallback_asks_first(struct decision *d, const struct st_turn *t)
{
	return route_profile_of(d, t)->fallback_policy == FALLBACK_POLICY_ASK;
}

/* A person who lets another model step in pays its price, so the question names it. */
static struct str price_text(struct decision *d, const struct model_info *m)
{
	const struct model_price *p = decision_price_at(m, d->now);

	if (!p)
		return STR("Its price is not known.");
	return arena_printf(d->mem, "A million tokens cost $%.10g of input and $%.10g of output.",
	                    (double)p->input / 1e9, (double)p->output / 1e9);
}

static void ask_for(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                    const struct model_info *to, struct str reason)
{
	model_consent_ask(d, th, t, ASKED_BY_FALLBACK,
	                  arena_printf(d->mem, "%.*s. Ask %.*s/%.*s instead? %.*s", STR_ARG(reason),
	                               STR_ARG(to->provider), STR_ARG(to->model),
	                               STR_ARG(price_text(d, to))));
}

/* Without a person the question is not asked, and the turn fails as it would without a fallback. */
void route_fallback_ask(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct model_info *to, const struct model_end *e)
{
	if (model_consent_is_allowed(d, t))
		ask_for(d, th, t, to, reason_of(d, t, e));
}

static void emit_not_allowed(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t, struct rec_routing_decision *rd)
{
	struct event *ev = decision_in_turn(
		EMIT(d, ROUTING_NOT_POSSIBLE, routing_not_possible,
	             .candidate_count = rd->candidate_count, .capability_gap = rd->capability_gap,
	             .decision_source = rd->decision_source,
	             .remedy = STR("submit the turn again later, or ask for another model")),
		th, t);

	rd->routing_mode = ROUTING_MODE_NO_CANDIDATE;
	rd->decision_reason =
		arena_printf(d->mem, "%.*s, and %.*s/%.*s was not allowed to step in",
	                     STR_ARG(rd->decision_reason), STR_ARG(rd->selected_provider),
	                     STR_ARG(rd->selected_model));
	rd->selected_provider = rd->selected_model = STR_NONE;
	ev->status = STATUS_BLOCKED;
	ev->status_reason = rd->decision_reason;
	ev->routing_decision = rd;
}

/*
 * Before the first request: the requested model is limited, and the decision has named a
 * replacement that needs consent.  Called before every request; the answer is found in the folded
 * actions.
 */
bool route_fallback_may_stand_in(struct decision *d, const struct st_thread *th,
                                 const struct st_turn *t, const struct model_info *m)
{
	struct rec_routing_decision *rd =
		route_fallback_asks_first(d, t) ? last_decision(d, t) : NULL;
	const struct st_action *a;

	if (!rd || !rd->requires_user_override)
		return true;
	a = model_consent_plan(th, t, ASKED_BY_FALLBACK, 0);
	if (!a)
		ask_for(d, th, t, m, rd->decision_reason);
	else if (!action_is_pending(a) && a->decision != APPROVAL_DECISION_ALLOW)
		emit_not_allowed(d, th, t, rd);
	return a && a->decision == APPROVAL_DECISION_ALLOW;
}

/*
 * After a failed request: `request_sequence` limits the search to the question about that failure.
 * The failure is read back from the turn, because the input that reported it is gone.
 */
enum fallback_step route_fallback_step(struct decision *d, const struct st_thread *th,
                                       const struct st_turn *t)
{
	const struct st_action *a =
		model_consent_plan(th, t, ASKED_BY_FALLBACK, t->request_sequence);
	struct model_end e = { .failed = true, .retry_after_ms = -1 };
	const struct model_info *next;

	if (!a || !t->last_error)
		return FALLBACK_NONE;
	if (action_is_pending(a))
		return FALLBACK_WAITS;
	e.category = t->last_error->category;
	e.message = t->last_error->message;
	next = a->decision == APPROVAL_DECISION_ALLOW ? route_fallback_next_candidate(d, t, &e)
	                                              : NULL;
	if (!next)
		return FALLBACK_NONE;
	route_fallback_emit(d, th, t, next, &e);
	return FALLBACK_APPLIED;
}
