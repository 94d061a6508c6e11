/*
 * Reserves the estimated cost of a request against every cap, and records the
 * actual cost.  The header explains how caps add up and when a cost may exceed
 * one.
 */
#include "core/budget/budget.h"
#include "core/job/job.h"
#include "core/journal/asks.h"
#include "core/subagent/sampling_payer.h"
#include "core/subagent/subagent.h"

/* Twice the limit: links could make older trees that deep. */
#define TASK_CAPS_MAX (2 * LIMIT_TASK_DEPTH)
/* Request, turn and those above it, job, tasks up to the root, session, day and tenant. */
#define CAPS_MAX (TASK_CAPS_MAX + LIMIT_SUBAGENT_DEPTH + 7)

/* ---- prices ---- */

/* Computed in parts, so that no product exceeds 64 bits. */
int64_t budget_usd_of_tokens(int64_t tokens, int64_t per_mtok)
{
	const int64_t m = 1000000;
	int64_t millions = tokens / m, rest = tokens % m;

	return millions * per_mtok + rest * (per_mtok / m) + rest * (per_mtok % m) / m;
}

/* What applies to a request of that much input, cached or not. */
static struct model_price price_for(const struct model_price *p, int64_t input)
{
	struct model_price at = *p;

	if (!p->above_tokens || input <= p->above_tokens)
		return at;
	at.input = p->above_input;
	at.cached_input = p->above_cached_input;
	at.cache_write = p->above_cache_write;
	at.output = p->above_output;
	return at;
}

static struct rec_price_above *price_above(struct decision *d, const struct model_price *p)
{
	if (!p->above_tokens)
		return NULL;
	return KEPT(
		d, struct rec_price_above, .input_tokens = p->above_tokens,
		.input_per_mtok = p->above_input, .cached_input_per_mtok = p->above_cached_input,
		.cache_write_per_mtok = p->above_cache_write, .output_per_mtok = p->above_output);
}

struct rec_price *budget_price_of(struct decision *d, const struct model_info *m)
{
	const struct model_price *p = m ? decision_price_at(m, d->now) : NULL;

	if (!p)
		return NULL;
	return KEPT(d, struct rec_price, .above = price_above(d, p), .currency = STR("USD"),
	            .input_per_mtok = p->input, .cached_input_per_mtok = p->cached_input,
	            .has_cached_input_per_mtok = true, .cache_write_per_mtok = p->cache_write,
	            .has_cache_write_per_mtok = p->cache_write != p->input,
	            .output_per_mtok = p->output, .source = p->source, .effective_from = p->from);
}

/* By the price of a million output tokens: up to 20 dollars, up to 60, above. */
enum cost_class budget_cost_class_of(const struct model_info *m, int64_t now)
{
	const int64_t usd = 1000000000;
	const struct model_price *p = decision_price_at(m, now);

	if (!p)
		return COST_CLASS_UNKNOWN;
	return p->output <= 20 * usd   ? COST_CLASS_LOW
	       : p->output <= 60 * usd ? COST_CLASS_MEDIUM
	                               : COST_CLASS_HIGH;
}

/* Cached and newly cached input have their own prices; the reported input includes both. */
static int64_t cost_of(const struct model_price *price, const struct model_end *e)
{
	int64_t plain = MAX(e->usage.input - e->usage.cached_input - e->usage.cache_written, 0);
	struct model_price p = price_for(price, e->usage.input);

	return budget_usd_of_tokens(plain, p.input) +
	       budget_usd_of_tokens(e->usage.cached_input, p.cached_input) +
	       budget_usd_of_tokens(e->usage.cache_written, p.cache_write) +
	       budget_usd_of_tokens(e->usage.output, p.output);
}

/* ---- caps ---- */

/* One limit with what counts against it, in 1e-9 dollars. */
struct cap {
	enum limit_scope scope;
	int64_t cap, spent, reserved;
	int64_t reset_at;
	bool is_commanded; /* set by a command, not by a setting */
};

static void add_cap(struct cap *caps, size_t *count, enum limit_scope scope, int64_t cap,
                    int64_t spent, int64_t reserved, bool is_commanded)
{
	if (cap <= 0)
		return;
	assert(*count < CAPS_MAX);
	caps[(*count)++] = (struct cap){ .scope = scope,
		                         .cap = cap,
		                         .spent = spent,
		                         .reserved = reserved,
		                         .is_commanded = is_commanded };
}

static const struct st_task *parent_of(const struct state *w, const struct st_task *task)
{
	return str_is(task->record->parent_task_id) ? state_task(w, task->record->parent_task_id)
	                                            : NULL;
}

/*
 * The sums of a task include everything below it (fold).  The setting applies to the root of a
 * tree; a task below has a cap only if its constraints name one.
 */
static void add_task_caps(const struct decision *d, const struct st_turn *t, struct cap *caps,
                          size_t *count)
{
	struct str payer = sampling_payer(d->w, t);
	const struct st_task *task = str_is(payer) ? state_task(d->w, payer) : NULL;

	for (int depth = 0; task && depth < TASK_CAPS_MAX; depth++) {
		const struct rec_constraints *c = task->record->constraints;
		const struct st_task *parent = parent_of(d->w, task);
		int64_t own = c && c->has_cost_usd ? c->cost_usd : 0;
		int64_t cap = own ? own : !parent ? d->settings->caps.task : 0;

		add_cap(caps, count, LIMIT_SCOPE_TASK, cap, task->spent_usd, task->reserved_usd,
		        own);
		task = parent;
	}
}

/* Items of a job run at once, so each request reserves against what the others leave. */
static void add_job_cap(const struct decision *d, const struct st_turn *t, struct cap *caps,
                        size_t *count)
{
	const struct st_job *j = str_is(t->job_id) ? job_find(d->w, t->job_id) : NULL;
	int64_t reserved = 0;

	if (!j || !j->has_budget_usd)
		return;
	for (uint32_t i = 0; i < j->running.count; i++) {
		const struct st_turn *other =
			str_is(j->running.items[i]->turn_id)
				? state_turn(d->w, j->running.items[i]->turn_id, NULL)
				: NULL;

		reserved += other ? other->reserved_usd : 0;
	}
	add_cap(caps, count, LIMIT_SCOPE_JOB, j->budget_usd, j->spent_usd, reserved, true);
}

int64_t budget_turn_cap(const struct decision *d, const struct st_turn *t)
{
	return t->has_cap_usd ? t->cap_usd : d->settings->caps.turn;
}

static void add_turn_cap(const struct decision *d, const struct st_turn *t, struct cap *caps,
                         size_t *count)
{
	add_cap(caps, count, LIMIT_SCOPE_TURN, budget_turn_cap(d, t),
	        t->spent_usd + t->children_usd, t->reserved_usd + t->children_reserved_usd,
	        t->has_cap_usd);
}

/* A child agent spends what the turns above it may spend. */
static void add_turn_caps(const struct decision *d, const struct st_turn *t, struct cap *caps,
                          size_t *count)
{
	const struct st_thread *th = NULL;
	const struct st_subagent *s;

	add_turn_cap(d, t, caps, count);
	s = state_turn(d->w, t->turn_id, &th) ? subagent_of_thread(d->w, th->thread_id) : NULL;
	for (int depth = 0; s && depth <= LIMIT_SUBAGENT_DEPTH; depth++) {
		const struct st_turn *above =
			str_is(s->record->parent_turn_id)
				? state_turn(d->w, s->record->parent_turn_id, NULL)
				: NULL;

		if (above)
			add_turn_cap(d, above, caps, count);
		s = subagent_of_thread(d->w, s->record->parent_thread_id);
	}
}

static int64_t next_midnight(int64_t now)
{
	const int64_t day = 24 * 3600 * 1000;

	return (now / day + 1) * day;
}

/*
 * Every cap that applies to the next request, from the narrowest to the widest.  Without a ledger
 * view only those of the session are known.
 */
static size_t caps_of(const struct decision *d, const struct st_turn *t, struct cap caps[CAPS_MAX])
{
	const struct settings_caps *c = &d->settings->caps;
	const struct st_session *s = d->w->s;
	size_t count = 0;

	add_cap(caps, &count, LIMIT_SCOPE_REQUEST, c->request, 0, 0, false);
	add_turn_caps(d, t, caps, &count);
	add_job_cap(d, t, caps, &count);
	add_task_caps(d, t, caps, &count);
	add_cap(caps, &count, LIMIT_SCOPE_SESSION, s->has_cap_usd ? s->cap_usd : c->session,
	        s->spent_usd, s->reserved_usd, s->has_cap_usd);
	if (!d->ledger_view)
		return count;
	add_cap(caps, &count, LIMIT_SCOPE_DAY, c->day, d->ledger_view->day.spent,
	        d->ledger_view->day.reserved, false);
	if (count && caps[count - 1].scope == LIMIT_SCOPE_DAY)
		caps[count - 1].reset_at = next_midnight(d->now);
	add_cap(caps, &count, LIMIT_SCOPE_TENANT, c->tenant, d->ledger_view->tenant.spent,
	        d->ledger_view->tenant.reserved, false);
	return count;
}

/* ---- reporting ---- */

/* A count that was not reported is unknown, not zero. */
const struct st_turn *budget_turn_settled(struct decision *d, const struct st_turn *t)
{
	struct st_turn *sum = decision_kept(d, t, sizeof *t);

	for (size_t i = 0; i < d->count; i++)
		if (d->events[i]->type == EV_COST_RECORDED &&
		    str_eq(d->events[i]->turn_id, t->turn_id))
			turn_cost_add(sum, d->events[i]->payload);
	return sum;
}

struct rec_tokens *budget_turn_tokens(struct decision *d, const struct st_turn *t)
{
	if (t->untold_usage && !t->told_usage)
		return NULL;
	return KEPT(d, struct rec_tokens, .input_tokens = t->input_tokens,
	            .cached_input_tokens = t->cached_input_tokens,
	            .cache_write_tokens = t->cache_write_tokens,
	            .has_cache_write_tokens = t->cache_write_tokens != 0,
	            .output_tokens = t->output_tokens, .reasoning_tokens = t->reasoning_tokens);
}

struct rec_limit_part *budget_limit_part(struct decision *d, const struct model_info *m,
                                         enum limit_kind kind)
{
	const struct limit_entry *e = m ? asks_limit(d, m->provider, kind) : NULL;

	if (!e)
		return KEPT(d, struct rec_limit_part,
		            .state = !m || m->is_local ? LIMIT_STATUS_NOT_APPLICABLE
		                                       : LIMIT_STATUS_UNKNOWN);
	return KEPT(d, struct rec_limit_part, .state = e->state, .provider = m->provider,
	            .until = e->until, .used = e->used, .has_used = e->has_used, .limit = e->limit,
	            .has_limit = e->has_limit);
}

/* Requests that end in this decision: the ledger counts them until the end is folded. */
static int64_t ended_here(const struct decision *d)
{
	int64_t count = 0;

	for (size_t i = 0; i < d->count; i++)
		count += d->events[i]->type == EV_MODEL_COMPLETED ||
		         d->events[i]->type == EV_MODEL_FAILED;
	return count;
}

static struct rec_limit_part *parallel_part(struct decision *d)
{
	int64_t limit = d->settings->config->limits_parallel_requests,
		used = d->ledger_view ? MAX(d->ledger_view->requests - ended_here(d), 0) : 0;

	return KEPT(d, struct rec_limit_part,
	            .state = used >= limit ? LIMIT_STATUS_LIMITED : LIMIT_STATUS_OK, .used = used,
	            .has_used = true, .limit = limit, .has_limit = true);
}

/* Unknown and not-applicable states say nothing and must not count as worse than ok. */
static enum limit_status strictest(const struct rec_limit_state *l)
{
	enum limit_status of[] = { l->rate->state, l->quota->state };
	enum limit_status worst = LIMIT_STATUS_OK;

	for (size_t i = 0; i < COUNT_OF(of); i++)
		if (of[i] == LIMIT_STATUS_LOW || of[i] == LIMIT_STATUS_LIMITED ||
		    of[i] == LIMIT_STATUS_BLOCKED)
			worst = MAX(worst, of[i]);
	return worst;
}

/* The cap of a single request is left out: nothing accumulates against it. */
struct rec_limit_state *budget_limit_state(struct decision *d, const struct st_turn *t)
{
	const struct model_info *m = turn_model(d, t);
	struct rec_limit_state *l = KEPT(
		d, struct rec_limit_state, .state = LIMIT_STATUS_OK, .host_access = STR("local"),
		.rate = budget_limit_part(d, m, LIMIT_KIND_RATE),
		.quota = budget_limit_part(d, m, LIMIT_KIND_QUOTA), .parallel = parallel_part(d));
	struct cap caps[CAPS_MAX];
	size_t count = caps_of(d, t, caps);

	l->state = strictest(l);
	for (size_t i = 0; i < count; i++) {
		struct rec_budget *b;

		if (caps[i].scope == LIMIT_SCOPE_REQUEST)
			continue;
		b = rec_list_add(d->mem, &l->budgets, &rec_budget_desc);
		*b = (struct rec_budget){ caps[i].scope, caps[i].cap, caps[i].spent,
			                  caps[i].reserved };
	}
	return l;
}

/* Once one request was estimated, the sum is an estimate. */
struct rec_cost_state *budget_cost_state(struct decision *d, const struct st_turn *t,
                                         enum cost_status state)
{
	const struct model_info *m = turn_model(d, t);

	if (state == COST_STATUS_RECORDED && t->cost_estimated)
		state = COST_STATUS_ESTIMATED;
	return KEPT(d, struct rec_cost_state, .state = state, .currency = STR("USD"),
	            .recorded_usd = t->spent_usd, .tokens = budget_turn_tokens(d, t),
	            .tokens_state = t->untold_usage ? HONESTY_UNKNOWN : 0,
	            .reason = t->cost_estimated ? STR("usage_unknown") : STR_NONE,
	            .price = budget_price_of(d, m));
}

/* ---- before the request ---- */

static struct str scope_name(enum limit_scope scope)
{
	static const struct str names[] = {
		[LIMIT_SCOPE_REQUEST] = STR("one request"),
		[LIMIT_SCOPE_TURN] = STR("the turn"),
		[LIMIT_SCOPE_TASK] = STR("the task"),
		[LIMIT_SCOPE_SESSION] = STR("the session"),
		[LIMIT_SCOPE_DAY] = STR("the day"),
		[LIMIT_SCOPE_TENANT] = STR("the tenant"),
		[LIMIT_SCOPE_JOB] = STR("the job"),
	};

	return names[scope];
}

static struct str remedy_for(enum limit_scope scope)
{
	switch (scope) {
	case LIMIT_SCOPE_TURN:
		return STR("submit it again with a higher budget");
	case LIMIT_SCOPE_SESSION:
		return STR("raise budgetUsd with update_session, or continue in another session");
	case LIMIT_SCOPE_TASK:
		return STR("raise the task's costUsd, or the setting budget.task_usd");
	case LIMIT_SCOPE_JOB:
		return STR("create a job with a higher budgetUsd for the remaining items");
	case LIMIT_SCOPE_REQUEST:
		return STR("ask a cheaper model, or raise the setting budget.request_usd");
	case LIMIT_SCOPE_DAY:
		return STR("wait for the next day, or raise the setting budget.day_usd");
	default:
		return STR("raise the setting budget.tenant_usd");
	}
}

/* The cap would be exceeded even if everything in flight cost nothing, so waiting does not help. */
static void emit_blocked(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct cap *c, int64_t amount)
{
	struct event *ev = decision_in_turn(
		EMIT(d, QUOTA_BLOCKED, quota_blocked, .scope = c->scope, .reason = STR("budget"),
	             .cap_usd = c->cap, .has_cap_usd = true, .spent_usd = c->spent,
	             .has_spent_usd = true, .needed_usd = amount, .has_needed_usd = true,
	             .reset_at = c->reset_at, .remedy = remedy_for(c->scope)),
		th, t);

	ev->limit_event =
		KEPT(d, struct rec_limit_event, .kind = LIMIT_EVENT_KIND_QUOTA_BLOCKED,
	             .source = c->is_commanded ? LIMIT_SOURCE_COMMAND : LIMIT_SOURCE_CONFIG,
	             .scope = c->scope, .reset_at = c->reset_at);
	ev->status_reason = arena_printf(
		d->mem,
		"the next request may cost $%.6f%.*s and only $%.6f of the budget for %.*s is left",
		(double)amount / 1e9, STR_ARG(budget_overrun_reckoning(d, t)),
		(double)MAX(c->cap - c->spent, 0) / 1e9, STR_ARG(scope_name(c->scope)));
	ev->limit_state = budget_limit_state(d, t);
	ev->limit_state->state = LIMIT_STATUS_BLOCKED;
}

/* The wait is reported once; later checks of a held turn emit nothing. */
static void emit_hold(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      const struct cap *c, bool is_elsewhere)
{
	enum wait_for why = c ? WAIT_FOR_QUOTA : WAIT_FOR_PARALLEL;
	struct str detail =
		c && is_elsewhere
			? arena_printf(d->mem, "other nodes hold the rest of the budget for %.*s",
	                               STR_ARG(scope_name(c->scope)))
		: c ? arena_printf(d->mem, "requests under way may use up the budget for %.*s",
	                           STR_ARG(scope_name(c->scope)))
		    : STR("as many model requests are under way as may be");
	struct rec_wait *wait =
		KEPT(d, struct rec_wait, .for_ = why, .since = d->now, .deadline = STR("none"),
	             .ended_by = STRINGS(d, STR("another request ends"), STR("interrupt_turn")));
	struct event *ev;

	if (t->stage == TURN_STAGE_WAITING)
		return;
	ev = decision_in_turn(
		EMIT(d, LIMIT_CHANGED, limit_changed,
	             .kind = c ? LIMIT_KIND_BUDGET : LIMIT_KIND_PARALLEL,
	             .scope = c ? c->scope : LIMIT_SCOPE_REQUEST, .source = LIMIT_SOURCE_CONFIG,
	             .after = KEPT(d, struct rec_limit_value, .state = LIMIT_STATUS_LIMITED,
	                           .cap_usd = c ? c->cap : 0, .has_cap_usd = c != NULL,
	                           .limit = d->settings->config->limits_parallel_requests,
	                           .has_limit = !c),
	             .reason = detail),
		th, t);
	ev->limit_state = budget_limit_state(d, t);
	ev->limit_state->state = LIMIT_STATUS_LIMITED;
	ev->limit_event =
		KEPT(d, struct rec_limit_event, .kind = LIMIT_EVENT_KIND_PARALLEL_BUDGET_REACHED,
	             .source = LIMIT_SOURCE_GOVERNOR, .scope = c ? c->scope : LIMIT_SCOPE_REQUEST,
	             .used = d->ledger_view ? d->ledger_view->requests : 0, .has_used = true,
	             .limit = d->settings->config->limits_parallel_requests, .has_limit = true);
	if (str_is(t->task_id)) {
		ev = decision_in_turn(
			EMIT(d, TASK_WAITING, task_waiting, .for_ = why, .wait = wait), th, t);
		ev->status = STATUS_WAITING_RESOURCE;
		ev->task = KEPT(d, struct rec_task, .task_id = t->task_id,
		                .status = TASK_STATUS_WAITING_RESOURCE, .status_reason = detail);
	}
	ev = decision_in_turn(EMIT(d, RUN_STATUS, run_status, .kind = RUN_STATUS_KIND_RESOURCE_WAIT,
	                           .title = STR("Waiting for room"), .detail = detail,
	                           .wait = wait),
	                      th, t);
	ev->status = STATUS_WAITING_RESOURCE;
	ev->phase = PHASE_WAITING;
}

void budget_emit_room(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      struct str timer)
{
	const struct st_task *task = str_is(t->task_id) ? state_task(d->w, t->task_id) : NULL;
	struct event *ev;

	if (!task)
		return;
	ev = decision_in_turn(
		EMIT(d, TASK_RESUMED, task_resumed, .from = task->record->status,
	             .cause = KEPT(d, struct rec_resume_cause,
	                           .command = d->call ? command_classes[d->call->command].name
	                                              : STR_NONE,
	                           .timer = d->call ? STR_NONE : timer)),
		th, t);
	ev->status = STATUS_RUNNING;
	ev->phase = PHASE_WORKING;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id, .status = TASK_STATUS_RUNNING);
}

/*
 * cost.estimated without an amount: the event still opens the request in the ledger, which counts
 * requests in parallel.
 */
static void emit_unpriced(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          struct str request_id, int64_t input, int64_t max_output)
{
	struct rec_cost_state *c = budget_cost_state(d, t, COST_STATUS_UNKNOWN);
	struct event *ev = EMIT(d, COST_ESTIMATED, cost_estimated, .cost_class = COST_CLASS_UNKNOWN,
	                        .input_tokens = input, .max_output_tokens = max_output,
	                        .amount_state = HONESTY_UNKNOWN, .reason = STR("price_missing"),
	                        .policy = d->settings->config->routing_unpriced);

	c->currency = STR_NONE;
	c->reason = STR("price_missing");
	decision_in_turn(ev, th, t)->model_request_id = request_id;
	ev->cost_state = c;
}

/*
 * The accounts are written into the event: the settlement uses the same ones, also when it happens
 * on another day.
 */
static void emit_reserved(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          struct str request_id, int64_t input, int64_t max_output, int64_t amount,
                          const struct cap *caps, size_t count)
{
	struct rec_reservation *r =
		KEPT(d, struct rec_reservation, .amount_usd = amount, .key = request_id);
	int64_t percent = budget_overrun_reckoned_percent(d, turn_model(d, t));
	struct event *ev;
	bool has_session = false;

	for (size_t i = 0; i < count; i++) {
		rec_list_str_add(d->mem, &r->against, limit_scope_word(caps[i].scope));
		has_session |= caps[i].scope == LIMIT_SCOPE_SESSION;
	}
	if (!has_session)
		rec_list_str_add(d->mem, &r->against, limit_scope_word(LIMIT_SCOPE_SESSION));
	rec_list_str_add(d->mem, &r->accounts, ledger_view_day(d->mem, d->now));
	rec_list_str_add(d->mem, &r->accounts, ledger_view_tenant(d->mem, ledger_view_payer(d->w)));
	ev = decision_in_turn(EMIT(d, COST_ESTIMATED, cost_estimated,
	                           .cost_class = budget_cost_class_of(turn_model(d, t), d->now),
	                           .input_tokens = input, .max_output_tokens = max_output,
	                           .estimated_usd = amount, .has_estimated_usd = true,
	                           .reckoned_percent = percent,
	                           .has_reckoned_percent = percent != 100, .reservation = r),
	                      th, t);
	ev->model_request_id = request_id;
	ev->cost_state = budget_cost_state(d, t, COST_STATUS_ESTIMATED);
	ev->cost_state->estimated_usd = ev->cost_state->reserved_usd = amount;
	ev->cost_state->has_estimated_usd = ev->cost_state->has_reserved_usd = true;
}

/*
 * Waits only if something is in flight: alone, a request may always use what is left.  The second
 * condition keeps `overrun` times everything in flight below the cap (see budget.h).
 */
static bool must_hold(const struct decision *d, const struct cap *c, int64_t amount)
{
	int64_t under_way = c->reserved + amount;

	if (c->scope == LIMIT_SCOPE_REQUEST || !c->reserved)
		return false;
	return c->spent + under_way > c->cap ||
	       under_way > (c->cap - c->spent) / d->settings->caps.overrun;
}

/*
 * All input newly cached, all output used.  An estimate that may be too low by the model's percentage
 * has the higher price as soon as the input may be above the border.
 */
static int64_t worst_of(const struct model_price *price, int64_t input, int64_t max_output,
                        int64_t percent)
{
	struct model_price p = price_for(price, budget_overrun_usd(input, percent));

	return budget_usd_of_tokens(input, MAX(p.input, p.cache_write)) +
	       budget_usd_of_tokens(max_output, p.output);
}

int64_t budget_estimate(const struct decision *d, const struct model_info *m, int64_t input,
                        int64_t max_output)
{
	const struct model_price *p = decision_price_at(m, d->now);
	int64_t percent = budget_overrun_reckoned_percent(d, m);

	return p ? budget_overrun_usd(worst_of(p, input, max_output, percent), percent) : 0;
}

bool budget_has_room(const struct decision *d, const struct st_turn *t, int64_t amount)
{
	struct cap caps[CAPS_MAX];
	size_t count = caps_of(d, t, caps);

	for (size_t i = 0; i < count; i++)
		if (caps[i].spent + amount > caps[i].cap)
			return false;
	return true;
}

/* ---- what other nodes hold ---- */

static enum ledger_room room_below(const struct decision *d, struct str account, int64_t cap,
                                   int64_t amount, int64_t overrun)
{
	const struct ledger_view *l = d->ledger_view;

	return l && l->room && cap > 0
	               ? l->room(l->owner,
	                         &(const struct ledger_question){ account, cap, amount, overrun })
	               : LEDGER_HAS_ROOM;
}

/*
 * Sets `ret` to the cap of which other nodes hold the rest; NULL is the number of requests.  All are
 * asked for at once.
 */
static enum ledger_room room_here(const struct decision *d, const struct cap *caps, size_t count,
                                  int64_t amount, const struct cap **ret)
{
	enum ledger_room worst = room_below(d, REQUESTS_ACCOUNT,
	                                    d->settings->config->limits_parallel_requests, 1, 1);

	*ret = NULL;
	for (size_t i = 0; i < count; i++) {
		bool is_day = caps[i].scope == LIMIT_SCOPE_DAY;
		enum ledger_room room;

		if (!is_day && caps[i].scope != LIMIT_SCOPE_TENANT)
			continue;
		room = room_below(d,
		                  is_day ? d->ledger_view->day.name : d->ledger_view->tenant.name,
		                  caps[i].cap, amount, d->settings->caps.overrun);
		if (room > LEDGER_HAS_ROOM && room >= worst)
			*ret = &caps[i];
		worst = MAX(worst, room);
	}
	return worst;
}

/*
 * Two loops: a cap that blocks for good must win over one that only asks to wait, whatever their
 * order.
 */
enum room budget_reserve(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         struct str request_id, int64_t input, int64_t max_output)
{
	const struct model_info *m = turn_model(d, t);
	const struct model_price *p = decision_price_at(m, d->now);
	struct cap caps[CAPS_MAX];
	size_t count = caps_of(d, t, caps);
	int64_t amount = budget_estimate(d, m, input, max_output);
	const struct cap *held;

	if (decision_is_leaving(d))
		return ROOM_HOLD;
	for (size_t i = 0; p && i < count; i++)
		if (caps[i].spent + amount > caps[i].cap) {
			emit_blocked(d, th, t, &caps[i], amount);
			return ROOM_BLOCKED;
		}
	for (size_t i = 0; p && i < count; i++)
		if (must_hold(d, &caps[i], amount)) {
			emit_hold(d, th, t, &caps[i], false);
			return ROOM_HOLD;
		}
	if (d->ledger_view &&
	    d->ledger_view->requests >= d->settings->config->limits_parallel_requests) {
		emit_hold(d, th, t, NULL, false);
		return ROOM_HOLD;
	}
	switch (room_here(d, caps, p ? count : 0, amount, &held)) {
	case LEDGER_ASKS:
		d->awaits_room = true;
		/* Its deadline has passed, and only an event ends that. */
		if (t->stage == TURN_STAGE_BACKING_OFF)
			emit_hold(d, th, t, held, true);
		return ROOM_HOLD;
	case LEDGER_ELSEWHERE:
		d->awaits_room = true;
		emit_hold(d, th, t, held, true);
		return ROOM_HOLD;
	case LEDGER_HAS_ROOM:
		break;
	}
	if (t->stage == TURN_STAGE_WAITING)
		budget_emit_room(d, th, t, STR("room"));
	if (p)
		emit_reserved(d, th, t, request_id, input, max_output, amount, caps, count);
	else
		emit_unpriced(d, th, t, request_id, input, max_output);
	return ROOM_YES;
}

/* ---- after the request ---- */

static void emit_low(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                     const struct cap *c, int64_t spent, struct rec_limit_state *now)
{
	struct event *ev = decision_in_turn(
		EMIT(d, QUOTA_LOW, quota_low, .scope = c->scope, .cap_usd = c->cap,
	             .has_cap_usd = true, .remaining_usd = MAX(c->cap - spent, 0),
	             .has_remaining_usd = true, .threshold_percent = d->settings->caps.low_percent,
	             .reset_at = c->reset_at),
		th, t);

	ev->limit_event =
		KEPT(d, struct rec_limit_event, .kind = LIMIT_EVENT_KIND_QUOTA_LOW,
	             .source = LIMIT_SOURCE_GOVERNOR, .scope = c->scope, .reset_at = c->reset_at);
	ev->limit_state = decision_kept(d, now, sizeof *now);
	ev->limit_state->state = LIMIT_STATUS_LOW;
}

/* Reported once: when spending passes the share. */
static void emit_lows(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      int64_t amount, struct rec_limit_state *now)
{
	struct cap caps[CAPS_MAX];
	size_t count = caps_of(d, t, caps);

	for (size_t i = 0; amount && i < count; i++) {
		int64_t mark = caps[i].cap / 100 * d->settings->caps.low_percent;

		if (caps[i].scope != LIMIT_SCOPE_REQUEST && caps[i].spent < mark &&
		    caps[i].spent + amount >= mark)
			emit_low(d, th, t, &caps[i], caps[i].spent + amount, now);
	}
}

static void add_usage(struct decision *d, struct ev_cost_recorded *p, struct rec_cost_state *c,
                      const struct model_end *end)
{
	p->input_tokens = end->usage.input;
	p->cached_input_tokens = end->usage.cached_input;
	p->cache_write_tokens = end->usage.cache_written;
	p->output_tokens = end->usage.output;
	p->reasoning_tokens = end->usage.reasoning;
	p->has_input_tokens = p->has_cached_input_tokens = true;
	p->has_cache_write_tokens = end->usage.cache_written != 0;
	p->has_output_tokens = p->has_reasoning_tokens = true;
	if (!c->tokens)
		c->tokens = ARENA_NEW(d->mem, struct rec_tokens);
	c->tokens->input_tokens += end->usage.input;
	c->tokens->cached_input_tokens += end->usage.cached_input;
	c->tokens->cache_write_tokens += end->usage.cache_written;
	c->tokens->has_cache_write_tokens = c->tokens->cache_write_tokens != 0;
	c->tokens->output_tokens += end->usage.output;
	c->tokens->reasoning_tokens += end->usage.reasoning;
}

/*
 * The price when the request was sent, or a price that is known by now; a reservation always has a
 * price.
 */
static bool add_amount(struct decision *d, const struct st_turn *t, const struct model_info *m,
                       const struct model_end *end, struct ev_cost_recorded *p)
{
	const struct model_price *price = m ? decision_price_at(m, t->requested_at) : NULL;

	if (!price && !t->reserved_usd)
		return false;
	p->amount_usd = p->basis == COST_BASIS_REFUSED_BEFORE_OUTPUT     ? 0
	                : p->basis == COST_BASIS_PROVIDER_USAGE && price ? cost_of(price, end)
	                                                                 : t->reserved_usd;
	p->has_amount_usd = true;
	p->released_usd = MAX(t->reserved_usd - p->amount_usd, 0);
	p->has_released_usd = true;
	if (p->basis == COST_BASIS_PROVIDER_USAGE && m)
		p->overrun = budget_overrun_of(d, m, t, p->amount_usd);
	return true;
}

/*
 * Every request is settled by exactly one call, whatever its end.  Without usage the reservation
 * counts as spent; without a price the amount is unknown, and so are the sums (GAP-47, GAP-49).
 * The limit state in the event is that after the settlement, although the fold has not happened
 * yet.
 */
void budget_cost_recorded(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          enum cost_basis basis, const struct model_end *end)
{
	bool has_usage = end && end->usage.known;
	struct ev_cost_recorded p = { .basis = basis };
	struct rec_cost_state *c = budget_cost_state(d, t, COST_STATUS_RECORDED);
	struct rec_limit_state *limits = budget_limit_state(d, t);
	struct event *ev;

	if (basis == COST_BASIS_PROVIDER_USAGE && !has_usage)
		p.basis = COST_BASIS_ESTIMATE;
	if (has_usage)
		add_usage(d, &p, c, end);
	if (p.basis == COST_BASIS_ESTIMATE) {
		p.usage_state = c->tokens_state = HONESTY_UNKNOWN;
		c->state = COST_STATUS_ESTIMATED;
		c->reason = STR("usage_unknown");
		if (!t->told_usage)
			c->tokens = NULL;
	}
	if (add_amount(d, t, turn_model(d, t), end, &p)) {
		c->recorded_usd += p.amount_usd;
	} else if (p.basis != COST_BASIS_REFUSED_BEFORE_OUTPUT) {
		p.amount_state = HONESTY_UNKNOWN;
		p.reason = STR("price_missing");
		c->state = COST_STATUS_UNKNOWN;
		c->currency = STR_NONE;
		c->reason = STR("price_missing");
	}
	c->reserved_usd = 0;
	c->has_reserved_usd = true;
	ev = decision_in_turn(decision_emit_event(d, EV_COST_RECORDED, &p), th, t);
	ev->model_request_id = t->model_request_id;
	ev->cost_state = c;
	ev->limit_state = limits;
	/* To match the cost with records of other systems about the same request. */
	ev->correlation =
		KEPT(d, struct rec_correlation, .turn_id = t->turn_id, .run_id = t->run_id,
	             .request_id = t->request_id, .trace_id = t->trace_id);
	for (uint32_t i = 0; i < limits->budgets.count; i++) {
		limits->budgets.items[i]->spent_usd += p.amount_usd;
		limits->budgets.items[i]->reserved_usd =
			MAX(limits->budgets.items[i]->reserved_usd - t->reserved_usd, 0);
	}
	emit_lows(d, th, t, p.amount_usd, limits);
}

/* ---- caps by command ---- */

void budget_emit_session_cap(struct decision *d, int64_t cap_usd)
{
	struct st_turn none = { 0 };
	struct event *ev = EMIT(
		d, LIMIT_CHANGED, limit_changed, .kind = LIMIT_KIND_BUDGET,
		.scope = LIMIT_SCOPE_SESSION, .source = LIMIT_SOURCE_COMMAND,
		.before = d->w->s->has_cap_usd
	                          ? KEPT(d, struct rec_limit_value, .cap_usd = d->w->s->cap_usd,
	                                 .has_cap_usd = true)
	                          : NULL,
		.after = KEPT(d, struct rec_limit_value, .cap_usd = cap_usd, .has_cap_usd = true));
	struct rec_budget *b = NULL;

	ev->limit_state = budget_limit_state(d, &none);
	for (uint32_t i = 0; i < ev->limit_state->budgets.count; i++)
		if (ev->limit_state->budgets.items[i]->scope == LIMIT_SCOPE_SESSION)
			b = ev->limit_state->budgets.items[i];
	if (!b)
		b = rec_list_add(d->mem, &ev->limit_state->budgets, &rec_budget_desc);
	*b = (struct rec_budget){ LIMIT_SCOPE_SESSION, cap_usd, d->w->s->spent_usd,
		                  d->w->s->reserved_usd };
}
