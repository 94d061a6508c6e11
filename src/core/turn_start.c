/*
 * From accepted to the first request: the run begins, then everything that
 * the model will see, and why this model, is settled and said.
 * spec: GAP-31, GAP-48, GAP-66; golden routing-single-candidate 6-17
 */
#include "core/turn.h"

#include "core/session.h"

#define TOOL_LIST_MAX 8192 /* bytes of descriptions that stand inline (GAP-66) */

struct rec_item *item_of(struct outcome *d, struct str step_id, enum item_kind kind, int64_t index,
                         enum status status)
{
	return KEPT(d, struct rec_item, .item_id = step_id, .kind = kind, .index = index,
	            .status = status);
}

/* ---- the start ---- */

void emit_attempt(struct outcome *d, struct st_thread *th, struct st_turn *t, struct str run_id,
                  struct str attempt_id, int64_t number, enum attempt_cause cause)
{
	struct rec_task_attempt *a = KEPT(d, struct rec_task_attempt, .run_id = run_id,
	                                  .attempt_id = attempt_id,
	                                  .status = ATTEMPT_STATUS_PREPARING,
	                                  .attempt_count = number, .started_at = d->now);
	struct rec_ref_entry *input = list_rec_add(d->mem, &a->input_refs, &rec_ref_entry_desc);

	*input = (struct rec_ref_entry){ .kind = STR("turn_input"), .ref = t->input_ref };
	a->retry_policy = KEPT(d, struct rec_retry_policy, .max_attempts = d->setup->retry_max,
	                       .backoff = BACKOFF_EXPONENTIAL,
	                       .non_retryable = STRINGS(d, STR("permission"), STR("budget"),
	                                                STR("invalid_input")));
	struct event *ev = in_turn(EMIT(d, TASK_ATTEMPT_STARTED, task_attempt_started,
	                                .attempt = number, .cause = cause),
	                           th, t);

	ev->run_id = run_id;
	ev->attempt_id = attempt_id;
	ev->status = STATUS_PREPARING;
	ev->task_attempt = a;
	ev->worker = KEPT(d, struct rec_worker, .kind = WORKER_KIND_IN_PROCESS,
	                  .runtime_id = d->setup->runtime_id, .thread_id = th->thread_id);
}

static void emit_dequeued(struct outcome *d, struct st_thread *th, struct st_turn *t)
{
	struct ev_queue_changed q = {
		.change = QUEUE_CHANGE_STARTED,
		.queued_turn_id = t->turn_id,
		.policy = queue_rules(d, th),
		.waited_ms = d->now - t->submitted_at,
		.has_waited_ms = true,
	};
	struct event *ev;

	for (uint32_t i = 0; i < th->order.count; i++)
		if (!str_eq(th->order.items[i], t->turn_id))
			list_str_add(d->mem, &q.order, th->order.items[i]);
	ev = in_thread(emit_event(d, EV_QUEUE_CHANGED, &q), th);
	ev->turn_id = t->turn_id;
	ev->task_id = t->task_id;
	ev->queue_id = queue_id(d, th);
}

void start_turn(struct outcome *d, struct st_thread *th, struct st_turn *t, bool was_queued)
{
	struct event *ev;

	if (was_queued)
		emit_dequeued(d, th, t);
	ev = in_turn(EMIT(d, TASK_STARTED, task_started, .cause = STR_NONE), th, t);
	ev->status = STATUS_PREPARING;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id, .status = TASK_STATUS_PREPARING,
	                .current_run_id = t->run_id, .started_at = d->now);
	emit_attempt(d, th, t, t->run_id, t->attempt_id, 1, ATTEMPT_CAUSE_FIRST_ATTEMPT);
	ev = in_turn(EMIT(d, TURN_STARTED, turn_started,
	                  .environment_id = d->setup->environment->environment_id),
	             th, t);
	ev->status = STATUS_PREPARING;
	ev->phase = PHASE_PREPARING;
	ev->execution_environment =
		kept(d, d->setup->environment, sizeof *d->setup->environment);
	/* The session's own directory, and its workspace. */
	if (str_is(d->w->s->cwd))
		ev->execution_environment->cwd = d->w->s->cwd;
	if (str_is(d->w->s->workspace_id))
		ev->execution_environment->workspace_id = d->w->s->workspace_id;
	ev = in_thread(EMIT(d, THREAD_UPDATED, thread_updated, .active_turn_id = t->turn_id,
	                    .profile_status = STATUS_PREPARING, .cause = STR("turn.started")),
	               th);
	ev->turn_id = t->turn_id;
	ev->status = STATUS_RUNNING;
}

/* ---- what the model will see ---- */

static int64_t history_tokens(const struct st_thread *th, const struct st_turn *t)
{
	int64_t sum = t->context_tokens;

	for (uint32_t i = 0; i < th->history.count; i++)
		sum += th->history.items[i]->tokens;
	return sum;
}

static int64_t tool_tokens(const struct setup *s)
{
	size_t bytes = 0;

	for (size_t i = 0; i < s->tool_count; i++)
		bytes += s->tools[i].name.len + s->tools[i].description.len +
		         s->tools[i].input_schema.len;
	return (int64_t)bytes / 3;
}

/* Conservative: three bytes a token, and something for the frame of each message. */
static int64_t estimated_tokens(const struct outcome *d, const struct st_thread *th,
                                const struct st_turn *t)
{
	return history_tokens(th, t) + tool_tokens(d->setup) + 64 + 8 * th->messages;
}

/* spec: GAP-52 — said by the command that leaves older turns outside, never by a read. */
static void emit_window(struct outcome *d, struct st_thread *th, struct st_turn *t,
                        const struct rec_history_range *h)
{
	struct event *ev = in_thread(
		EMIT(d, HISTORY_WINDOW_LOADED, history_window_loaded, .cause = WINDOW_CAUSE_SUBMIT,
	             .from_sequence = h->from_sequence, .to_sequence = d->w->s->sequence,
	             .turns = h->turns, .older_turns = h->omitted_turns),
		th);

	ev->turn_id = t->turn_id;
	ev->history_boundary = KEPT(d, struct rec_history_boundary,
	                            .layer = HISTORY_LAYER_CONTEXT_BOUNDARY,
	                            .through_sequence = h->from_sequence - 1);
}

static void emit_context(struct outcome *d, struct st_thread *th, struct st_turn *t)
{
	const struct setup_model *m = d->setup->model_count ? &d->setup->models[0] : NULL;
	int64_t from = th->history.count ? th->history.items[0]->from_sequence :
	                                   t->submitted_sequence;
	struct ev_context_resolved p = {
		.hook_context_refs = th->hook_context_refs,
		.instruction_refs = STRINGS(d, STR("instruction:system")),
		.policy_facts = STRINGS(d, arena_printf(d->mem, "mode:%.*s",
	                                                STR_ARG(permission_mode_word(d->setup->mode)))),
		.history = KEPT(d, struct rec_history_range, .turns = th->history.count,
	                        .from_sequence = from,
	                        .omitted_turns = th->ended_turns - th->history.count,
	                        .has_omitted_turns = th->ended_turns > th->history.count),
		.budget = KEPT(d, struct rec_context_budget, .window_tokens = m ? m->window_tokens : 0,
	                       .estimated_tokens = estimated_tokens(d, th, t),
	                       .estimate = STR("conservative")),
	};

	if (p.history->has_omitted_turns)
		emit_window(d, th, t, p.history);
	in_turn(emit_event(d, EV_CONTEXT_RESOLVED, &p), th, t);
}

static struct rec_inventory_tool *inventory_entry(struct outcome *d, const struct setup_tool *tool)
{
	struct rec_inventory_tool *r = ARENA_NEW(d->mem, struct rec_inventory_tool);
	struct json words;

	*r = (struct rec_inventory_tool){
		.tool_name = tool->name,
		.description = tool->description,
		.policy = tool->policy,
		.runtime_owner = tool->owner,
		.is_read_only = tool->is_read_only,
		.is_concurrency_safe = tool->is_concurrency_safe,
		.is_destructive = tool->is_destructive,
		.interrupt_behavior = tool->interrupt,
		.input_schema_ref = arena_printf(d->mem, "schema:tool:%.*s:1", STR_ARG(tool->name)),
	};
	if (json_read_own(d->mem, tool->capabilities, &words, NULL) == OK) {
		struct json_iter it = json_iter(words);
		struct json word;
		struct str key;

		while (json_next(&it, &key, &word))
			list_str_add(d->mem, &r->capabilities, json_str(word));
	}
	return r;
}

/* spec: GAP-05 — the catalogue has a step and a reserved call id of its own. */
static void emit_inventory(struct outcome *d, struct st_thread *th, struct st_turn *t)
{
	struct ev_tool_catalog_resolved p = { .tool_count = (int64_t)d->setup->tool_count,
		                              .mode = d->setup->mode };
	struct str step_id = new_id(d, "step");
	size_t bytes = 0;
	struct event *ev;

	p.tools.items = ARENA_ARRAY(d->mem, struct rec_inventory_tool *, d->setup->tool_count + 1);
	for (size_t i = 0; i < d->setup->tool_count; i++) {
		bytes += d->setup->tools[i].description.len + 300;
		if (bytes > TOOL_LIST_MAX) {
			p.tools_truncated = p.has_tools_truncated = true;
			break;
		}
		p.tools.items[p.tools.count++] = inventory_entry(d, &d->setup->tools[i]);
	}
	ev = in_turn(emit_event(d, EV_TOOL_CATALOG_RESOLVED, &p), th, t);
	ev->step_id = step_id;
	ev->tool_call_id = arena_printf(d->mem, "catalog_%.*s", STR_ARG(step_id));
	ev->item = item_of(d, step_id, ITEM_KIND_CATALOG, t->step_count + 1, STATUS_COMPLETED);
	if (str_is(d->setup->inventory_ref))
		add_ref(d, ev, STR("inventory"), d->setup->inventory_ref);
}

/* ---- which model, and why ---- */

static struct rec_task_profile *profile_of(struct outcome *d, const struct st_turn *t)
{
	struct rec_task_profile *p =
		KEPT(d, struct rec_task_profile, .kind = STR("chat"), .source = STR("user"),
	             .latency_target = LATENCY_TARGET_INTERACTIVE,
	             .budget_class = t->has_cap_usd ? BUDGET_CLASS_FIXED : BUDGET_CLASS_UNKNOWN,
	             .fallback_policy = FALLBACK_POLICY_ALLOW, .settings_source = STR("session"));

	if (str_is(t->output_schema))
		list_str_add(d->mem, &p->required_capabilities, STR("structured_output"));
	return p;
}

static struct rec_price *price_of(struct outcome *d, const struct setup_model *m)
{
	if (!m || !m->priced)
		return NULL;
	return KEPT(d, struct rec_price, .currency = STR("USD"), .input_per_mtok = m->input_per_mtok,
	            .cached_input_per_mtok = m->cached_input_per_mtok,
	            .has_cached_input_per_mtok = true, .output_per_mtok = m->output_per_mtok,
	            .source = m->price_source, .effective_from = m->price_from);
}

static enum cost_class cost_class_of(const struct setup_model *m)
{
	const int64_t usd = 1000000000;

	if (!m->priced)
		return COST_CLASS_UNKNOWN;
	return m->output_per_mtok <= 20 * usd ? COST_CLASS_LOW :
	       m->output_per_mtok <= 60 * usd ? COST_CLASS_MEDIUM : COST_CLASS_HIGH;
}

static bool has_word(struct outcome *d, struct str json_words, struct str word)
{
	struct json words, each;
	struct str key;

	if (json_read_own(d->mem, json_words, &words, NULL) != OK)
		return false;
	struct json_iter it = json_iter(words);

	while (json_next(&it, &key, &each))
		if (str_eq(json_str(each), word))
			return true;
	return false;
}

static bool is_asked_for(const struct setup_model *m, struct str wanted)
{
	struct str rest = wanted;
	struct str provider = str_cut(&rest, '/');

	if (!str_is(wanted))
		return true;
	if (str_eq(m->model, wanted))
		return true;
	return str_is(rest) && str_eq(provider, m->provider) && str_eq(rest, m->model);
}

struct routing {
	struct rec_candidate_model_set *set;
	const struct setup_model *chosen; /* NULL: not possible */
	struct str wanted;
	const struct setup_model *keyless; /* what was asked for, but its provider has no key */
	struct str gap;    /* the capability or model that nobody offers */
	struct str remedy;
	enum routing_source source;
};

static void exclude(struct outcome *d, struct routing *r, const struct setup_model *m,
                    enum exclusion_reason reason, struct str detail)
{
	struct rec_exclusion *x = list_rec_add(d->mem, &r->set->excluded, &rec_exclusion_desc);

	*x = (struct rec_exclusion){ .provider = m->provider, .model = m->model, .reason = reason,
		                     .constraint = CONSTRAINT_STRENGTH_HARD, .detail = detail };
}

static void weigh(struct outcome *d, struct routing *r, const struct setup_model *m,
                  const struct rec_task_profile *profile)
{
	if (!m->has_credential) {
		exclude(d, r, m, EXCLUSION_REASON_CREDENTIAL_MISSING, STR_NONE);
		if (str_is(r->wanted) && is_asked_for(m, r->wanted))
			r->keyless = m;
		if (list_str_find(&r->set->gaps->credential, m->provider) < 0)
			list_str_add(d->mem, &r->set->gaps->credential, m->provider);
		return;
	}
	for (uint32_t i = 0; i < profile->required_capabilities.count; i++) {
		struct str word = profile->required_capabilities.items[i];

		if (!has_word(d, m->capabilities, word)) {
			exclude(d, r, m, EXCLUSION_REASON_CAPABILITY_MISSING, word);
			r->gap = word;
			return;
		}
	}
	struct rec_candidate *c = list_rec_add(d->mem, &r->set->candidates, &rec_candidate_desc);
	struct json words, each;
	struct str key;

	*c = (struct rec_candidate){ .provider = m->provider, .model = m->model,
		                     .cost_class = cost_class_of(m), .price = price_of(d, m),
		                     .limit_state = LIMIT_STATUS_NOT_APPLICABLE,
		                     .price_state = m->priced ? 0 : HONESTY_UNKNOWN };
	if (json_read_own(d->mem, m->capabilities, &words, NULL) == OK) {
		struct json_iter it = json_iter(words);

		while (json_next(&it, &key, &each))
			list_str_add(d->mem, &c->capabilities, json_str(each));
	}
	if (!r->chosen && is_asked_for(m, r->wanted))
		r->chosen = m;
}

static void route(struct outcome *d, const struct st_turn *t,
                  const struct rec_task_profile *profile, struct routing *r)
{
	r->wanted = str_is(t->requested_model) ? t->requested_model :
	            str_is(d->w->s->model)     ? d->w->s->model :
	                                         d->setup->model;
	r->source = str_is(t->requested_model) ? ROUTING_SOURCE_EXPLICIT :
	            str_is(r->wanted)          ? ROUTING_SOURCE_SESSION :
	                                         ROUTING_SOURCE_POLICY_AUTO;
	r->set = KEPT(d, struct rec_candidate_model_set,
	              .hard_constraints = STRINGS(d, STR("credential")),
	              .gaps = ARENA_NEW(d->mem, struct rec_gaps));
	for (uint32_t i = 0; i < profile->required_capabilities.count; i++)
		list_str_add(d->mem, &r->set->hard_constraints, profile->required_capabilities.items[i]);
	for (size_t i = 0; i < d->setup->model_count; i++)
		weigh(d, r, &d->setup->models[i], profile);
	r->set->candidate_count = r->set->candidates.count;
	r->set->single_candidate = r->set->candidates.count == 1;
	if (!r->chosen && !str_is(r->gap) && str_is(r->wanted) && r->set->candidate_count)
		r->gap = r->wanted;
}

static struct rec_routing_decision *decision_of(struct outcome *d, const struct st_turn *t,
                                                const struct routing *r)
{
	const struct setup_model *m = r->chosen;
	struct rec_routing_decision *rd = ARENA_NEW(d->mem, struct rec_routing_decision);
	struct str rest = r->wanted;
	struct str before = str_is(rest) ? str_cut(&rest, '/') : STR_NONE;

	*rd = (struct rec_routing_decision){
		.routing_mode = !m ? ROUTING_MODE_NO_CANDIDATE :
		                r->set->single_candidate ? ROUTING_MODE_SINGLE_CANDIDATE :
		                                           ROUTING_MODE_MULTI_CANDIDATE,
		.decision_source = r->source,
		.candidate_count = r->set->candidate_count,
		.capability_gap = str_is(r->gap) ? r->gap : STR("none"),
		.requires_user_override = !m,
		.limit_state_snapshot = limit_state(d, t),
		.requested_provider = str_is(rest) ? before : STR_NONE,
		.requested_model = str_is(rest) ? rest : before,
	};
	if (m) {
		rd->selected_provider = m->provider;
		rd->selected_model = m->model;
		rd->decision_reason =
			r->set->single_candidate ?
				arena_printf(d->mem, "%.*s/%.*s is the only candidate",
		                             STR_ARG(m->provider), STR_ARG(m->model)) :
				arena_printf(d->mem, "%.*s/%.*s is %s", STR_ARG(m->provider),
		                             STR_ARG(m->model),
		                             str_is(r->wanted) ? "what was asked for" :
		                                                 "the first that fits");
	} else if (r->keyless) {
		rd->decision_reason = arena_printf(d->mem, "%.*s has no key for %.*s",
		                                   STR_ARG(r->keyless->provider),
		                                   STR_ARG(r->keyless->model));
	} else if (str_is(r->gap)) {
		rd->decision_reason = arena_printf(d->mem, "no model offers %.*s", STR_ARG(r->gap));
	} else {
		rd->decision_reason = STR("no model has a credential");
	}
	return rd;
}

static bool emit_routing(struct outcome *d, struct st_thread *th, struct st_turn *t,
                         const struct rec_task_profile *profile)
{
	struct routing r = { 0 };
	struct rec_routing_decision *rd;
	struct event *ev;

	route(d, t, profile, &r);
	rd = decision_of(d, t, &r);
	ev = in_turn(EMIT(d, ROUTING_CANDIDATES_RESOLVED, routing_candidates_resolved,
	                  .candidate_count = r.set->candidate_count,
	                  .excluded_count = r.set->excluded.count),
	             th, t);
	ev->candidate_model_set = r.set;
	if (!r.chosen) {
		ev = in_turn(EMIT(d, ROUTING_NOT_POSSIBLE, routing_not_possible,
		                  .candidate_count = r.set->candidate_count,
		                  .capability_gap = rd->capability_gap,
		                  .decision_source = rd->decision_source,
		                  .remedy = r.keyless ?
		                                    STR("set the key's environment variable for the "
		                                        "daemon, or write it to keys/PROVIDER in the "
		                                        "data directory (0600)") :
		                                    STR("get_capabilities lists the models that can be "
		                                        "used")),
		             th, t);
		ev->status = STATUS_BLOCKED;
		ev->status_reason = rd->decision_reason;
		ev->routing_decision = rd;
		return false;
	}
	if (r.set->single_candidate)
		in_turn(EMIT(d, ROUTING_SINGLE_CANDIDATE, routing_single_candidate,
		             .task_kind = profile->kind, .candidate_count = 1,
		             .selected_model = r.chosen->model, .decision_source = rd->decision_source,
		             .capability_gap = rd->capability_gap,
		             .decision_reason = rd->decision_reason,
		             .cost_class = cost_class_of(r.chosen), .limit_state = LIMIT_STATUS_OK),
		        th, t);
	ev = in_turn(EMIT(d, ROUTING_DECIDED, routing_decided, .routing_mode = rd->routing_mode,
	                  .selected_provider = rd->selected_provider,
	                  .selected_model = rd->selected_model,
	                  .decision_source = rd->decision_source),
	             th, t);
	ev->routing_decision = rd;
	return true;
}

void prepare_turn(struct outcome *d, struct st_thread *th, struct st_turn *t)
{
	struct rec_task_profile *profile = profile_of(d, t);

	emit_context(d, th, t);
	emit_inventory(d, th, t);
	if (!str_is(t->profile)) {
		struct event *ev = in_turn(EMIT(d, TASK_PROFILE_RESOLVED, task_profile_resolved,
		                                .kind = profile->kind,
		                                .settings_source = profile->settings_source),
		                           th, t);

		ev->task_profile = profile;
	}
	emit_routing(d, th, t, profile);
}

/* ---- money and the request ---- */

const struct setup_model *turn_model(const struct outcome *d, const struct st_turn *t)
{
	for (size_t i = 0; i < d->setup->model_count; i++)
		if (str_eq(d->setup->models[i].provider, t->provider) &&
		    str_eq(d->setup->models[i].model, t->model))
			return &d->setup->models[i];
	return NULL;
}

struct rec_tokens *turn_tokens(struct outcome *d, const struct st_turn *t)
{
	return KEPT(d, struct rec_tokens, .input_tokens = t->input_tokens,
	            .cached_input_tokens = t->cached_input_tokens, .output_tokens = t->output_tokens,
	            .reasoning_tokens = t->reasoning_tokens);
}

struct rec_limit_state *limit_state(struct outcome *d, const struct st_turn *t)
{
	struct rec_limit_part *none =
		KEPT(d, struct rec_limit_part, .state = LIMIT_STATUS_NOT_APPLICABLE);
	struct rec_limit_state *l = KEPT(d, struct rec_limit_state, .state = LIMIT_STATUS_OK,
	                                 .host_access = STR("local"), .rate = none, .quota = none,
	                                 .parallel = none);

	if (t->has_cap_usd) {
		struct rec_budget *b = list_rec_add(d->mem, &l->budgets, &rec_budget_desc);

		*b = (struct rec_budget){ LIMIT_SCOPE_TURN, t->cap_usd, t->spent_usd, t->reserved_usd };
	}
	return l;
}

struct rec_cost_state *cost_state(struct outcome *d, const struct st_turn *t, enum cost_status state)
{
	const struct setup_model *m = turn_model(d, t);

	return KEPT(d, struct rec_cost_state, .state = state, .currency = STR("USD"),
	            .recorded_usd = t->spent_usd, .tokens = turn_tokens(d, t), .price = price_of(d, m));
}

/* False when a cap stands against it: then the turn ends with quota.blocked. */
static bool emit_estimate(struct outcome *d, struct st_thread *th, struct st_turn *t,
                          struct str request_id, int64_t max_output)
{
	const struct setup_model *m = turn_model(d, t);
	int64_t input = estimated_tokens(d, th, t);
	struct event *ev;

	if (!m->priced) {
		struct rec_cost_state *c = cost_state(d, t, COST_STATUS_UNKNOWN);

		c->currency = STR_NONE;
		c->reason = STR("price_missing");
		ev = EMIT(d, COST_ESTIMATED, cost_estimated, .cost_class = COST_CLASS_UNKNOWN,
		          .input_tokens = input, .max_output_tokens = max_output,
		          .amount_state = HONESTY_UNKNOWN, .reason = STR("price_missing"),
		          .policy = UNPRICED_POLICY_ALLOW_UNPRICED);
		in_turn(ev, th, t)->model_request_id = request_id;
		ev->cost_state = c;
		return true;
	}
	int64_t amount = usd_of_tokens(input, m->input_per_mtok) + usd_of_tokens(max_output, m->output_per_mtok);

	if (t->has_cap_usd && t->spent_usd + amount > t->cap_usd) {
		ev = in_turn(EMIT(d, QUOTA_BLOCKED, quota_blocked, .scope = LIMIT_SCOPE_TURN,
		                  .reason = STR("budget"), .cap_usd = t->cap_usd, .has_cap_usd = true,
		                  .spent_usd = t->spent_usd, .has_spent_usd = true,
		                  .needed_usd = amount, .has_needed_usd = true,
		                  .remedy = STR("submit it again with a higher budget")),
		             th, t);
		ev->limit_event = KEPT(d, struct rec_limit_event, .kind = LIMIT_EVENT_KIND_QUOTA_BLOCKED,
		                       .source = LIMIT_SOURCE_COMMAND, .scope = LIMIT_SCOPE_TURN);
		ev->status_reason = arena_printf(
			d->mem, "the next request may cost $%.6f and only $%.6f of the turn's budget is left",
			(double)amount / 1e9, (double)(t->cap_usd - t->spent_usd) / 1e9);
		ev->limit_state = limit_state(d, t);
		ev->limit_state->state = LIMIT_STATUS_BLOCKED;
		return false;
	}
	struct rec_reservation *r = KEPT(d, struct rec_reservation, .amount_usd = amount);

	if (t->has_cap_usd)
		list_str_add(d->mem, &r->against, STR("turn"));
	list_str_add(d->mem, &r->against, STR("session"));
	ev = in_turn(EMIT(d, COST_ESTIMATED, cost_estimated, .cost_class = cost_class_of(m),
	                  .input_tokens = input, .max_output_tokens = max_output,
	                  .estimated_usd = amount, .has_estimated_usd = true, .reservation = r),
	             th, t);
	ev->model_request_id = request_id;
	ev->cost_state = cost_state(d, t, COST_STATUS_ESTIMATED);
	ev->cost_state->estimated_usd = ev->cost_state->reserved_usd = amount;
	ev->cost_state->has_estimated_usd = ev->cost_state->has_reserved_usd = true;
	return true;
}

/* spec: GAP-57 — a steer is merged in the commit of the request that carries it. */
static void emit_merged(struct outcome *d, struct st_thread *th, struct st_turn *t,
                        struct str request_id, struct str step_id)
{
	for (uint32_t i = 0; i < t->steered.count; i++) {
		struct st_turn *s = thread_turn(th, t->steered.items[i]);
		struct event *ev;

		if (!s)
			continue;
		ev = in_turn(EMIT(d, TURN_COMPLETED, turn_completed, .outcome = TURN_OUTCOME_MERGED,
		                  .merged_into = t->turn_id, .model_request_id = request_id,
		                  .step_id = step_id),
		             th, s);
		ev->status = STATUS_COMPLETED;
	}
}

void request_model(struct outcome *d, struct st_thread *th, struct st_turn *t)
{
	const struct setup_model *m = turn_model(d, t);
	struct str request_id = new_id(d, "mreq");
	struct ev_model_requested p = {
		.provider = t->provider,
		.model = t->model,
		.attempt = t->stage == TURN_STAGE_BACKING_OFF ? t->attempt + 1 : 1,
		.request_number = t->request_number + 1,
		.message_count = 1 + th->messages + t->steered.count,
		.tool_count = (int64_t)d->setup->tool_count,
		.stream = true,
	};
	struct event *ev;

	if (!m) {
		/* The configuration changed under a turn that waited. */
		ev = in_turn(EMIT(d, ROUTING_NOT_POSSIBLE, routing_not_possible, .candidate_count = 0,
		                  .capability_gap = t->model, .decision_source = ROUTING_SOURCE_HOST_POLICY,
		                  .remedy = STR("submit the turn again with another model")),
		             th, t);
		ev->status = STATUS_BLOCKED;
		ev->status_reason = STR("the model of this turn is no longer configured");
		return;
	}
	p.max_output_tokens = m->max_output_tokens;
	if (!emit_estimate(d, th, t, request_id, p.max_output_tokens))
		return;
	for (uint32_t i = 0; i < t->steered.count; i++)
		list_str_add(d->mem, &p.merged_turn_ids, t->steered.items[i]);
	ev = in_turn(emit_event(d, EV_MODEL_REQUESTED, &p), th, t);
	ev->model_request_id = request_id;
	ev->status = STATUS_RUNNING;
	if (t->steered.count) {
		ev->step_id = new_id(d, "step");
		ev->item = item_of(d, ev->step_id, ITEM_KIND_USER_MESSAGE, t->step_count + 1,
		                   STATUS_COMPLETED);
		emit_merged(d, th, t, request_id, ev->step_id);
	}
	add_ref(d, ev, STR("input"), new_id(d, "out"));
}
