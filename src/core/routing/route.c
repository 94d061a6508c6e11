/*
 * Finds the candidates for a turn, chooses one, and records why the others were
 * excluded.
 */
#include "core/routing/route.h"

#include "core/budget/budget.h"
#include "core/context/context.h"
#include "core/context/context_tokens.h"
#include "core/journal/asks.h"
#include "core/approval/model_consent.h"
#include "core/task/task_bounds.h"

/* ---- words and names ---- */

void route_add_words(struct decision *d, struct list_str *to, struct str json_words)
{
	struct json words, each;
	struct str key;

	if (json_read_trusted(d->mem, json_words, &words, NULL) != OK)
		return;
	struct json_iter it = json_iter(words);

	while (json_next(&it, &key, &each))
		rec_list_str_add(d->mem, to, json_str(each));
}

/* "provider/model", a model alone, or a provider alone where that is allowed. */
static bool is_named(const struct model_info *m, struct str name, bool by_provider)
{
	struct str rest = name;
	struct str provider = str_cut(&rest, '/');

	if (str_eq(m->model, name) || (by_provider && str_eq(m->provider, name)))
		return true;
	return str_is(rest) && str_eq(provider, m->provider) && str_eq(rest, m->model);
}

static bool is_in(const struct model_info *m, const struct config_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (is_named(m, names->items[i], true))
			return true;
	return false;
}

static bool has_key(const struct decision *d, const struct model_info *m)
{
	for (size_t i = 0; i < d->lent_count; i++)
		if (str_eq(d->lent[i], m->provider))
			return true;
	return m->has_credential;
}

/* ---- requirements of the task ---- */

static void add_once(struct decision *d, struct list_str *to, struct str word)
{
	if (rec_list_str_find(to, word) < 0)
		rec_list_str_add(d->mem, to, word);
}

static struct str kind_of(const struct decision *d, const struct st_turn *t)
{
	const struct st_task *task = str_is(t->task_id) ? state_task(d->w, t->task_id) : NULL;

	if (str_is(t->task_kind))
		return t->task_kind;
	return task && str_is(task->record->task_kind) ? task->record->task_kind : STR("chat");
}

static enum continuity continuity_of(const struct decision *d, const struct st_turn *t)
{
	const struct st_thread *th = NULL;

	if (t->run_number > 1)
		return CONTINUITY_RESUMED;
	return state_turn(d->w, t->turn_id, &th) && th->history.count ? CONTINUITY_THREAD
	                                                              : CONTINUITY_NEW;
}

/* Preferences of the task's creator count where the turn itself has none. */
static void take_wishes(struct decision *d, const struct st_turn *t, struct rec_task_profile *p)
{
	const struct st_task *task = str_is(t->task_id) ? state_task(d->w, t->task_id) : NULL;
	const struct rec_task_profile *wish = task ? task->record->task_profile : NULL;

	/* The model that an earlier run chose is no preference. */
	if (!wish || task->implicit || !str_eq(wish->settings_source, STR("task")))
		return;
	p->settings_source = STR("task");
	p->source = wish->source;
	if (!str_is(t->task_kind) && str_is(wish->kind))
		p->kind = wish->kind;
	p->budget_class = wish->budget_class;
	if (!t->latency)
		p->latency_target = wish->latency_target;
	if (!t->fallback)
		p->fallback_policy = wish->fallback_policy;
	for (uint32_t i = 0; i < wish->required_capabilities.count; i++)
		add_once(d, &p->required_capabilities, wish->required_capabilities.items[i]);
}

/*
 * What the turn demands of a model: its own options first, then those of its task, then the
 * settings.  Images and a schema add the capability that they need.
 */
struct rec_task_profile *route_profile_of(struct decision *d, const struct st_turn *t)
{
	bool says = str_is(t->task_kind) || t->requires.count || t->latency || t->fallback;
	bool has_cap = t->has_cap_usd || d->settings->caps.turn;
	struct rec_task_profile *p =
		KEPT(d, struct rec_task_profile, .kind = kind_of(d, t), .source = STR("user"),
	             .latency_target = t->latency ? t->latency : LATENCY_TARGET_INTERACTIVE,
	             .budget_class = has_cap ? BUDGET_CLASS_FIXED : BUDGET_CLASS_UNKNOWN,
	             .fallback_policy =
	                     t->fallback ? t->fallback : d->settings->config->routing_fallback,
	             .settings_source = says ? STR("turn") : STR("session"));

	for (uint32_t i = 0; i < t->requires.count; i++)
		rec_list_str_add(d->mem, &p->required_capabilities, t->requires.items[i]);
	if (str_is(t->output_schema))
		add_once(d, &p->required_capabilities, STR("structured_output"));
	if (t->images)
		add_once(d, &p->required_capabilities, STR("vision"));
	take_wishes(d, t, p);
	p->continuity = continuity_of(d, t);
	return p;
}

void route_emit_profile(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        struct rec_task_profile *profile)
{
	decision_in_turn(EMIT(d, TASK_PROFILE_RESOLVED, task_profile_resolved,
	                      .kind = profile->kind, .settings_source = profile->settings_source),
	                 th, t)
		->task_profile = profile;
}

/* ---- candidates ---- */

/* One pass over the models: filled by weigh_model(), read by choose_model() and by the events. */
struct routing {
	const struct st_turn *turn;
	struct rec_candidate_model_set *set;
	const struct rec_task_profile *profile;
	int64_t tokens;                        /* smallest possible input */
	const struct model_info *chosen;       /* NULL: no candidate */
	const struct model_info *wanted_model; /* the requested one, a candidate or not */
	enum exclusion_reason wanted_why;      /* why it is excluded */
	struct str wanted_detail;
	const struct model_info *keyless; /* one that lacks only its key */
	struct str wanted;                /* the requested name */
	struct str gap;                   /* the capability or model that no provider offers */
	enum routing_source source;
	struct str reason; /* when another one than requested was chosen */
	bool asks;         /* a person has to consent first */
};

/* A short limit does not exclude a model: the request may wait for it. */
static bool is_limited(const struct decision *d, const struct model_info *m, enum limit_kind kind,
                       int64_t longer_than_ms)
{
	const struct limit_entry *e = asks_limit(d, m->provider, kind);

	return e && (e->state == LIMIT_STATUS_LIMITED || e->state == LIMIT_STATUS_BLOCKED) &&
	       e->until && e->until - d->now > longer_than_ms;
}

/*
 * Independent of the turn, from the host's policy to momentary limits.  Rate limits count only if
 * they last longer than a request would wait.
 */
enum exclusion_reason route_cannot_ask(const struct decision *d, const struct model_info *m,
                                       struct str *ret_detail)
{
	*ret_detail = STR_NONE;
	if (is_in(m, &d->settings->config->routing_deny) ||
	    (d->settings->config->routing_allow.count &&
	     !is_in(m, &d->settings->config->routing_allow))) {
		*ret_detail = STR("the host's settings do not allow it");
		return EXCLUSION_REASON_POLICY_DENIED;
	}
	if (!has_key(d, m))
		return EXCLUSION_REASON_CREDENTIAL_MISSING;
	if (!decision_price_at(m, d->now) &&
	    d->settings->config->routing_unpriced == UNPRICED_POLICY_REFUSE_UNPRICED) {
		*ret_detail = STR("routing.unpriced is refuse_unpriced");
		return EXCLUSION_REASON_PRICE_MISSING;
	}
	if (is_limited(d, m, LIMIT_KIND_QUOTA, 0))
		return EXCLUSION_REASON_QUOTA_BLOCKED;
	if (is_limited(d, m, LIMIT_KIND_RATE, d->settings->retry_wait_max_ms))
		return EXCLUSION_REASON_RATE_LIMITED;
	return 0;
}

static bool has_word(struct decision *d, struct str json_words, struct str word)
{
	struct list_str words = { 0 };

	route_add_words(d, &words, json_words);
	return rec_list_str_find(&words, word) >= 0;
}

/*
 * Every exclusion is hard, except a provider's limit, which may be waited for.  `gap` remembers the
 * last missing capability, for the message when nothing is left.
 */
static enum exclusion_reason why_unfit(struct decision *d, struct routing *r,
                                       const struct model_info *m, struct str *ret_detail)
{
	enum exclusion_reason why = route_cannot_ask(d, m, ret_detail);
	struct str by = task_bounds_model(d, r->turn, m);

	if (str_is(by)) {
		*ret_detail = arena_printf(d->mem, "constraints.models of %.*s does not name it",
		                           STR_ARG(by));
		return EXCLUSION_REASON_POLICY_DENIED;
	}
	if (why)
		return why;
	for (uint32_t i = 0; i < r->profile->required_capabilities.count; i++) {
		struct str word = r->profile->required_capabilities.items[i];

		if (!has_word(d, m->capabilities, word)) {
			*ret_detail = r->gap = word;
			return EXCLUSION_REASON_CAPABILITY_MISSING;
		}
	}
	/* tokens is what no compaction can shorten, so a full history does not exclude a model. */
	if (m->window_tokens && r->tokens > m->window_tokens) {
		*ret_detail = arena_printf(d->mem, "about %lld tokens do not fit into %lld",
		                           (long long)r->tokens, (long long)m->window_tokens);
		return EXCLUSION_REASON_CONTEXT_TOO_SMALL;
	}
	return 0;
}

static void exclude_model(struct decision *d, struct routing *r, const struct model_info *m,
                          enum exclusion_reason reason, struct str detail)
{
	struct rec_exclusion *x = rec_list_add(d->mem, &r->set->excluded, &rec_exclusion_desc);

	*x = (struct rec_exclusion){ .provider = m->provider,
		                     .model = m->model,
		                     .reason = reason,
		                     .constraint = CONSTRAINT_STRENGTH_HARD,
		                     .detail = detail };
	if (reason == EXCLUSION_REASON_CREDENTIAL_MISSING)
		add_once(d, &r->set->gaps->credential, m->provider);
	if (reason == EXCLUSION_REASON_QUOTA_BLOCKED || reason == EXCLUSION_REASON_RATE_LIMITED)
		add_once(d, &r->set->gaps->quota, m->provider);
}

static enum limit_status limit_word(struct decision *d, const struct model_info *m)
{
	enum limit_status rate = budget_limit_part(d, m, LIMIT_KIND_RATE)->state;
	enum limit_status quota = budget_limit_part(d, m, LIMIT_KIND_QUOTA)->state;

	return quota == LIMIT_STATUS_LOW || quota == LIMIT_STATUS_BLOCKED ? quota : rate;
}

static void add_candidate(struct decision *d, struct routing *r, const struct model_info *m)
{
	struct rec_candidate *c = rec_list_add(d->mem, &r->set->candidates, &rec_candidate_desc);

	*c = (struct rec_candidate){ .provider = m->provider,
		                     .model = m->model,
		                     .cost_class = budget_cost_class_of(m, d->now),
		                     .price = budget_price_of(d, m),
		                     .limit_state = limit_word(d, m),
		                     .price_state =
		                             decision_price_at(m, d->now) ? 0 : HONESTY_UNKNOWN };
	route_add_words(d, &c->capabilities, m->capabilities);
}

/*
 * A turn that resumes after a restart keeps its model even during a provider's limit: its open
 * calls and questions come first, and the provider then reports whether the limit still holds.
 */
static bool resumes_with(const struct st_turn *t, const struct model_info *m)
{
	return t->run_number > 1 && str_is(t->provider) && str_eq(t->provider, m->provider) &&
	       str_eq(t->model, m->model);
}

/*
 * The catalogue and the lists of servers name many models: of those that the settings do not name,
 * only what can be asked or what was asked for counts.  The fallback chain asks for its models too.
 */
static bool is_named_in_chain(const struct decision *d, const struct model_info *m)
{
	const struct config_names *chain = &d->settings->config->routing_fallback_chain;

	for (size_t i = 0; i < chain->count; i++)
		if (is_named(m, chain->items[i], false))
			return true;
	return false;
}

static bool is_beside(const struct decision *d, const struct routing *r, const struct model_info *m)
{
	if ((str_is(r->wanted) && is_named(m, r->wanted, false)) || is_named_in_chain(d, m))
		return false;
	return m->by_request_only || (m->is_implicit && !has_key(d, m));
}

static void weigh_model(struct decision *d, struct routing *r, const struct model_info *m)
{
	struct str detail;
	enum exclusion_reason why;

	if (is_beside(d, r, m))
		return;
	why = why_unfit(d, r, m, &detail);
	if ((why == EXCLUSION_REASON_RATE_LIMITED || why == EXCLUSION_REASON_QUOTA_BLOCKED) &&
	    resumes_with(r->turn, m))
		why = 0;
	/* Of two models with the same name the first available one is meant. */
	if (str_is(r->wanted) && is_named(m, r->wanted, false) &&
	    (!r->wanted_model || r->wanted_why)) {
		r->wanted_model = m;
		r->wanted_why = why;
		r->wanted_detail = detail;
	}
	if (why == EXCLUSION_REASON_CREDENTIAL_MISSING)
		r->keyless = m;
	if (why)
		exclude_model(d, r, m, why, detail);
	else
		add_candidate(d, r, m);
}

/* ---- choice ---- */

/* The first preference counts: the turn's, the task's, the session's, the host's. */
static void find_wish(struct decision *d, const struct st_turn *t, struct routing *r)
{
	const struct st_task *task = str_is(t->task_id) ? state_task(d->w, t->task_id) : NULL;
	const struct rec_constraints *c = task ? task->record->constraints : NULL;

	if (str_is(t->requested_model)) {
		r->wanted = t->requested_model;
		r->source = ROUTING_SOURCE_EXPLICIT;
	} else if (c && c->models.count) {
		r->wanted = c->models.items[0];
		r->source = ROUTING_SOURCE_TASK_PREFERENCE;
	} else if (str_is(d->w->s->model)) {
		r->wanted = d->w->s->model;
		r->source = ROUTING_SOURCE_SESSION;
	} else if (str_is(d->settings->model)) {
		r->wanted = d->settings->model;
		r->source = ROUTING_SOURCE_HOST_POLICY;
	} else {
		r->source = ROUTING_SOURCE_POLICY_AUTO;
	}
}

static bool is_candidate(const struct routing *r, const struct model_info *m)
{
	for (uint32_t i = 0; i < r->set->candidates.count; i++)
		if (str_eq(r->set->candidates.items[i]->provider, m->provider) &&
		    str_eq(r->set->candidates.items[i]->model, m->model))
			return true;
	return false;
}

/* A model without a price counts as the most expensive. */
static int64_t price_sum(const struct decision *d, const struct model_info *m)
{
	const struct model_price *p = decision_price_at(m, d->now);

	return p ? p->input + p->output : INT64_MAX;
}

/*
 * Only what the owner named in routing.fallback_chain replaces another model, because each model has
 * its own price and its own provider.  With policy ask it is in the chain; a person decides whether
 * it is used.
 */
static bool is_in_chain(const struct decision *d, const struct rec_task_profile *p,
                        const struct model_info *m)
{
	if (p->fallback_policy == FALLBACK_POLICY_DENY ||
	    (p->fallback_policy == FALLBACK_POLICY_LOCAL_ONLY && !m->is_local))
		return false;
	return is_named_in_chain(d, m);
}

bool route_may_step_in(const struct decision *d, const struct rec_task_profile *p,
                       const struct model_info *m)
{
	return p->fallback_policy != FALLBACK_POLICY_ASK && is_in_chain(d, p, m);
}

const struct model_info *route_named(const struct decision *d, struct str name)
{
	for (size_t n = 0; n < d->settings->model_count; n++)
		if (is_named(&d->settings->models[n], name, false))
			return &d->settings->models[n];
	return NULL;
}

const struct model_info *route_chain_at(const struct decision *d, size_t i)
{
	struct config_names chain = d->settings->config->routing_fallback_chain;

	return i < chain.count ? route_named(d, chain.items[i]) : NULL;
}

struct list_str route_chain_not_offered(struct decision *d)
{
	struct config_names chain = d->settings->config->routing_fallback_chain;
	struct list_str out = { 0 };

	for (size_t i = 0; i < chain.count; i++)
		if (!route_chain_at(d, i) && rec_list_str_find(&out, chain.items[i]) < 0)
			rec_list_str_add(d->mem, &out, chain.items[i]);
	return out;
}

size_t route_chain_length(const struct decision *d)
{
	return d->settings->config->routing_fallback_chain.count;
}

/* A name of the chain that no provider offers is listed, because no turn can use it. */
static void exclude_not_offered(struct decision *d, struct routing *r)
{
	struct list_str names = route_chain_not_offered(d);

	for (uint32_t i = 0; i < names.count; i++) {
		struct str model = names.items[i], provider = str_cut(&model, '/');
		struct rec_exclusion *x =
			rec_list_add(d->mem, &r->set->excluded, &rec_exclusion_desc);

		*x = (struct rec_exclusion){ .provider = str_is(model) ? provider : STR("any"),
			                     .model = str_is(model) ? model : provider,
			                     .reason = EXCLUSION_REASON_NOT_OFFERED,
			                     .constraint = CONSTRAINT_STRENGTH_HARD,
			                     .detail = STR("routing.fallback_chain names it, and "
			                                   "no provider offers it") };
	}
}

/*
 * The model of choice has reached a limit: a fallback replaces it at once where that is allowed, or
 * after a person's consent.  Only a limit lets another model replace the requested one; a missing
 * key or a denied model is reported instead.
 */
static void choose_fallback(struct decision *d, struct routing *r)
{
	bool rests = r->wanted_why == EXCLUSION_REASON_RATE_LIMITED ||
	             r->wanted_why == EXCLUSION_REASON_QUOTA_BLOCKED;
	bool asks = r->profile->fallback_policy == FALLBACK_POLICY_ASK &&
	            model_consent_is_allowed(d, r->turn);

	for (size_t i = 0; rests && i < route_chain_length(d); i++) {
		const struct model_info *m = route_chain_at(d, i);

		if (!m || !is_candidate(r, m) ||
		    !(asks ? is_in_chain(d, r->profile, m) : route_may_step_in(d, r->profile, m)))
			continue;
		r->chosen = m;
		r->asks = asks;
		r->source = ROUTING_SOURCE_RUNTIME_FALLBACK;
		r->reason = arena_printf(d->mem, "%.*s is %s", STR_ARG(r->wanted_model->provider),
		                         r->wanted_why == EXCLUSION_REASON_QUOTA_BLOCKED
		                                 ? "out of quota"
		                                 : "rate limited");
		return;
	}
}

/* 0: it is no candidate for another reason than a limit of its provider, or it is a candidate. */
static enum exclusion_reason limit_of(const struct routing *r, const struct model_info *m)
{
	for (uint32_t i = 0; i < r->set->excluded.count; i++) {
		const struct rec_exclusion *x = r->set->excluded.items[i];

		if (str_eq(x->provider, m->provider) && str_eq(x->model, m->model) &&
		    (x->reason == EXCLUSION_REASON_RATE_LIMITED ||
		     x->reason == EXCLUSION_REASON_QUOTA_BLOCKED))
			return x->reason;
	}
	return 0;
}

/*
 * Work without a waiting user gets the cheapest model, all other work the first.  A limit does not
 * change the choice: as with a requested model, only the chain replaces it.
 */
static void choose_freely(struct decision *d, struct routing *r)
{
	const struct model_info *best = NULL;
	bool by_price = r->profile->latency_target != LATENCY_TARGET_INTERACTIVE;

	rec_list_str_add(d->mem, &r->set->preferences, by_price ? STR("price") : STR("order"));
	for (size_t i = 0; i < d->settings->model_count; i++) {
		const struct model_info *m = &d->settings->models[i];

		if (m->by_request_only || (!is_candidate(r, m) && !limit_of(r, m)))
			continue;
		if (!best || (best->is_stand_in && !m->is_stand_in) ||
		    (by_price && !m->is_stand_in && price_sum(d, m) < price_sum(d, best)))
			best = m;
	}
	r->wanted_why = best ? limit_of(r, best) : 0;
	r->wanted_model = r->wanted_why ? best : NULL;
	r->chosen = r->wanted_why ? NULL : best;
	if (r->wanted_why)
		choose_fallback(d, r);
}

/*
 * A thread that a real model has answered is not continued by the stand-in: that model answers if
 * it can be asked, though this turn does not name it; otherwise the turn says what is missing.
 */
static void stay_with_model(struct decision *d, struct routing *r)
{
	const struct st_thread *th = NULL;

	if (!r->chosen || !r->chosen->is_stand_in || !state_turn(d->w, r->turn->turn_id, &th) ||
	    !str_is(th->last_model))
		return;
	for (size_t i = 0; i < d->settings->model_count; i++) {
		const struct model_info *m = &d->settings->models[i];

		if (m->is_stand_in || !is_named(m, th->last_model, false) ||
		    (has_key(d, m) && !m->by_request_only))
			continue;
		r->wanted_model = m;
		r->wanted_why = why_unfit(d, r, m, &r->wanted_detail);
		r->chosen = r->wanted_why ? NULL : m;
		if (r->chosen)
			add_candidate(d, r, m);
		return;
	}
}

/* Without a wish any candidate serves.  A wish is never replaced silently. */
static void choose_model(struct decision *d, struct routing *r)
{
	if (!str_is(r->wanted)) {
		choose_freely(d, r);
		stay_with_model(d, r);
	} else if (r->wanted_model && !r->wanted_why) {
		r->chosen = r->wanted_model;
	} else if (r->wanted_model) {
		choose_fallback(d, r);
	} else {
		r->gap = r->wanted;
	}
}

/*
 * The requested model has reached a limit, no fallback is allowed, and the limit ends before the
 * turn's wait would: it is a candidate after all.  The provider then reports how long it takes.
 */
static void wait_for_limited(struct decision *d, struct routing *r)
{
	for (uint32_t i = 0; i < r->set->excluded.count; i++) {
		const struct rec_exclusion *x = r->set->excluded.items[i];
		const struct model_info *m =
			decision_settings_model(d->settings, x->provider, x->model);

		if (x->reason != EXCLUSION_REASON_RATE_LIMITED ||
		    (r->wanted_model && m != r->wanted_model) || !m ||
		    is_limited(d, m, LIMIT_KIND_RATE, d->settings->retry_budget_ms))
			continue;
		rec_list_remove(&r->set->excluded, i);
		add_candidate(d, r, m);
		r->chosen = m;
		r->reason =
			arena_printf(d->mem, "%.*s is rate limited, and the turn may wait for it",
		                     STR_ARG(m->provider));
		return;
	}
}

/*
 * Pure and repeatable: route_choice() runs the same code ahead of the events, and both must agree
 * within one decision.
 */
static void route_turn(struct decision *d, const struct st_turn *t, struct routing *r)
{
	find_wish(d, t, r);
	r->set = KEPT(d, struct rec_candidate_model_set,
	              .hard_constraints = STRINGS(d, STR("credential")),
	              .gaps = ARENA_NEW(d->mem, struct rec_gaps));
	for (uint32_t i = 0; i < r->profile->required_capabilities.count; i++)
		rec_list_str_add(d->mem, &r->set->hard_constraints,
		                 r->profile->required_capabilities.items[i]);
	for (size_t i = 0; i < d->settings->model_count; i++)
		weigh_model(d, r, &d->settings->models[i]);
	exclude_not_offered(d, r);
	r->set->candidate_count = r->set->candidates.count;
	r->set->single_candidate = r->set->candidates.count == 1;
	choose_model(d, r);
	if (!r->chosen)
		wait_for_limited(d, r);
	r->set->candidate_count = r->set->candidates.count;
	r->set->single_candidate = r->set->candidates.count == 1;
	if (r->chosen)
		r->gap = STR_NONE;
}

/* ---- events ---- */

static struct str why_chosen(struct decision *d, const struct routing *r)
{
	const struct model_info *m = r->chosen;

	if (str_is(r->reason))
		return r->reason;
	if (r->set->single_candidate)
		return arena_printf(d->mem, "%.*s/%.*s is the only candidate", STR_ARG(m->provider),
		                    STR_ARG(m->model));
	return arena_printf(d->mem, "%.*s/%.*s is %s", STR_ARG(m->provider), STR_ARG(m->model),
	                    str_is(r->wanted) ? "what was asked for"
	                    : r->profile->latency_target != LATENCY_TARGET_INTERACTIVE
	                            ? "the cheapest that fits"
	                            : "the first that fits");
}

/* The most useful reason: a missing key is easy to fix, so it precedes the others. */
static struct str why_no_model(struct decision *d, const struct routing *r)
{
	const struct model_info *m = r->wanted_model ? r->wanted_model : r->keyless;

	if (m &&
	    (r->wanted_model ? r->wanted_why : EXCLUSION_REASON_CREDENTIAL_MISSING) ==
	            EXCLUSION_REASON_CREDENTIAL_MISSING &&
	    !str_is(r->gap))
		return arena_printf(d->mem, "%.*s has no key for %.*s", STR_ARG(m->provider),
		                    STR_ARG(m->model));
	if (r->wanted_model)
		return arena_printf(d->mem, "%.*s/%.*s cannot be asked: %.*s%s%.*s",
		                    STR_ARG(m->provider), STR_ARG(m->model),
		                    STR_ARG(exclusion_reason_word(r->wanted_why)),
		                    str_is(r->wanted_detail) ? ": " : "",
		                    STR_ARG(str_is(r->wanted_detail) ? r->wanted_detail : STR("")));
	if (str_is(r->gap))
		return arena_printf(d->mem, "no model offers %.*s", STR_ARG(r->gap));
	if (!d->settings->model_count)
		return STR("no model is configured");
	return STR("no model can be asked now");
}

static struct str remedy_of(const struct decision *d, const struct routing *r)
{
	enum exclusion_reason why = r->wanted_model ? r->wanted_why : 0;
	const struct model_info *m = r->wanted_model ? r->wanted_model : r->keyless;

	if (why == EXCLUSION_REASON_CREDENTIAL_MISSING || (!why && r->keyless && !str_is(r->gap)))
		return str_is(m->remedy)
		               ? m->remedy
		               : arena_printf(d->mem,
		                              "type the command again with the key in %.*s, or "
		                              "keep it with: "
		                              "thole auth add %.*s",
		                              STR_ARG(str_is(m->key_name)
		                                              ? m->key_name
		                                              : STR("its environment variable")),
		                              STR_ARG(m->provider));
	if (why == EXCLUSION_REASON_PRICE_MISSING)
		return STR("give its price in the setting prices, or set routing.unpriced");
	if (why == EXCLUSION_REASON_POLICY_DENIED)
		return STR("ask for a model that routing.allow and routing.deny leave");
	if (why == EXCLUSION_REASON_RATE_LIMITED || why == EXCLUSION_REASON_QUOTA_BLOCKED)
		return ROUTE_OTHER_MODEL;
	return STR("list_models (thole models) shows what can be asked");
}

static void add_chain(struct decision *d, const struct routing *r, struct rec_routing_decision *rd)
{
	for (size_t i = 0; r->chosen && i < route_chain_length(d); i++) {
		const struct model_info *m = route_chain_at(d, i);
		struct rec_chain_entry *e;

		if (!m || m == r->chosen || !is_candidate(r, m) || !is_in_chain(d, r->profile, m))
			continue;
		e = rec_list_add(d->mem, &rd->fallback_chain, &rec_chain_entry_desc);
		*e = (struct rec_chain_entry){ .provider = m->provider, .model = m->model };
	}
}

/*
 * A name without a slash is a model, one with a slash is provider/model; str_cut() leaves `rest`
 * absent in the first case.
 */
static struct rec_routing_decision *decision_of(struct decision *d, const struct st_turn *t,
                                                const struct routing *r)
{
	const struct model_info *m = r->chosen;
	struct rec_routing_decision *rd = ARENA_NEW(d->mem, struct rec_routing_decision);
	struct str rest = r->wanted;
	struct str before = str_is(rest) ? str_cut(&rest, '/') : STR_NONE;
	struct st_turn chosen = *t;

	/* The limits of the chosen model, not of the one before it. */
	chosen.provider = m ? m->provider : STR_NONE;
	chosen.model = m ? m->model : STR_NONE;
	*rd = (struct rec_routing_decision){
		.routing_mode = !m                         ? ROUTING_MODE_NO_CANDIDATE
		                : r->set->single_candidate ? ROUTING_MODE_SINGLE_CANDIDATE
		                                           : ROUTING_MODE_MULTI_CANDIDATE,
		.decision_source = r->source,
		.decision_reason = m ? why_chosen(d, r) : why_no_model(d, r),
		.selected_provider = m ? m->provider : STR_NONE,
		.selected_model = m ? m->model : STR_NONE,
		.candidate_count = r->set->candidate_count,
		.capability_gap = str_is(r->gap) ? r->gap : STR("none"),
		.requires_user_override = !m || r->asks,
		.limit_state_snapshot = budget_limit_state(d, &chosen),
		.requested_provider = str_is(rest) ? before : STR_NONE,
		.requested_model = str_is(rest) ? rest : before,
	};
	add_chain(d, r, rd);
	return rd;
}

static void emit_not_possible(struct decision *d, const struct st_thread *th,
                              const struct st_turn *t, const struct routing *r,
                              struct rec_routing_decision *rd)
{
	struct event *ev = decision_in_turn(EMIT(d, ROUTING_NOT_POSSIBLE, routing_not_possible,
	                                         .candidate_count = r->set->candidate_count,
	                                         .capability_gap = rd->capability_gap,
	                                         .decision_source = rd->decision_source,
	                                         .remedy = remedy_of(d, r)),
	                                    th, t);

	ev->status = STATUS_BLOCKED;
	ev->status_reason = rd->decision_reason;
	ev->routing_decision = rd;
}

const struct model_info *route_choice(struct decision *d, const struct st_thread *th,
                                      const struct st_turn *t,
                                      const struct rec_task_profile *profile)
{
	struct routing r = { .turn = t,
		             .profile = profile,
		             .tokens = context_tokens_least(d, th, t) };

	route_turn(d, t, &r);
	return r.chosen;
}

/*
 * The events: candidates, single_candidate if there is only one, the decision; without a choice
 * only candidates and routing.not_possible (GAP-48).
 */
bool route_emit_routing(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct rec_task_profile *profile)
{
	struct routing r = { .turn = t,
		             .profile = profile,
		             .tokens = context_tokens_least(d, th, t) };
	struct rec_routing_decision *rd;
	struct event *ev;

	route_turn(d, t, &r);
	rd = decision_of(d, t, &r);
	ev = decision_in_turn(EMIT(d, ROUTING_CANDIDATES_RESOLVED, routing_candidates_resolved,
	                           .candidate_count = r.set->candidate_count,
	                           .excluded_count = r.set->excluded.count),
	                      th, t);
	ev->candidate_model_set = r.set;
	if (!r.chosen) {
		emit_not_possible(d, th, t, &r, rd);
		return false;
	}
	if (r.set->single_candidate)
		decision_in_turn(EMIT(d, ROUTING_SINGLE_CANDIDATE, routing_single_candidate,
		                      .task_kind = profile->kind, .candidate_count = 1,
		                      .selected_model = r.chosen->model,
		                      .decision_source = rd->decision_source,
		                      .capability_gap = rd->capability_gap,
		                      .decision_reason = rd->decision_reason,
		                      .cost_class = budget_cost_class_of(r.chosen, d->now),
		                      .limit_state = rd->limit_state_snapshot->state),
		                 th, t);
	ev = decision_in_turn(
		EMIT(d, ROUTING_DECIDED, routing_decided, .routing_mode = rd->routing_mode,
	             .selected_provider = rd->selected_provider,
	             .selected_model = rd->selected_model, .decision_source = rd->decision_source),
		th, t);
	ev->routing_decision = rd;
	return true;
}
