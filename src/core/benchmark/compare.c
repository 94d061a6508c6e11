/* The numbers of a comparison, and what makes two sides comparable. */
#include "core/benchmark/compare.h"

#include "core/benchmark/trial.h"

#define QUANTITY_MAX 1000000000000000ll

/* ---- sides ---- */

static bool is_of(const struct rec_trial_row *t, struct str configuration)
{
	return str_eq(t->benchmark->configuration_id, configuration);
}

static bool is_scored(const struct rec_trial_row *t)
{
	return t->reward && t->reward->has_value;
}

static bool is_compared(const struct compare *c, const struct rec_trial_row *t)
{
	return is_of(t, c->baseline) || is_of(t, c->candidate);
}

static const struct rec_trial_row *first_of(const struct compare *c, struct str configuration)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_of(c->trials[i], configuration))
			return c->trials[i];
	return NULL;
}

static const struct rec_trial_row *same_task(const struct compare *c, struct str configuration,
                                             struct str task)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_of(c->trials[i], configuration) &&
		    str_eq(c->trials[i]->benchmark->task_id, task))
			return c->trials[i];
	return NULL;
}

/* Absent is the same as absent only. */
static bool is_same(struct str a, struct str b)
{
	return str_is(a) == str_is(b) && (!str_is(a) || str_eq(a, b));
}

/* ---- what is compared ---- */

static enum error_code check_row(struct arena *mem, const struct compare *c,
                                 const struct rec_trial_row *t, struct str *ret_why)
{
	const struct rec_benchmark *own = t->benchmark;
	const struct rec_benchmark *first = first_of(c, c->baseline)->benchmark;
	bool is_base = is_of(t, c->baseline);
	const struct rec_trial_row *other =
		same_task(c, is_base ? c->candidate : c->baseline, own->task_id);

	if (!trial_is_over(t)) {
		*ret_why = arena_printf(mem, "%.*s is still running", STR_ARG(t->trial_id));
		return ERROR_CODE_TRIAL_RUNNING;
	}
	if (!is_same(own->dataset_id, first->dataset_id) ||
	    !is_same(own->dataset_version, first->dataset_version))
		*ret_why = arena_printf(mem, "%.*s is of another dataset or version",
		                        STR_ARG(t->trial_id));
	else if (!other)
		*ret_why = arena_printf(mem, "the task %.*s has trials on one side only",
		                        STR_ARG(own->task_id));
	return str_is(*ret_why) ? ERROR_CODE_TRIAL_MISMATCH : 0;
}

/* Every scored trial of a task against the first scored one.  Two that name no verifier may have had two. */
static bool has_other_verifier(const struct compare *c, const struct rec_trial_row *t)
{
	for (size_t i = 0; is_scored(t) && i < c->count; i++) {
		const struct rec_trial_row *o = c->trials[i];

		if (is_compared(c, o) && is_scored(o) &&
		    str_eq(o->benchmark->task_id, t->benchmark->task_id) &&
		    (!t->verifier_ref.len || !is_same(o->verifier_ref, t->verifier_ref)))
			return true;
	}
	return false;
}

static int64_t scored_of(const struct compare *c, struct str configuration)
{
	int64_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += is_of(c->trials[i], configuration) && is_scored(c->trials[i]);
	return count;
}

/* A trial may be listed once: twice it would count twice. */
static bool is_repeated(const struct compare *c, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (str_eq(c->trials[i]->trial_id, c->trials[at]->trial_id))
			return true;
	return false;
}

/* Rows may come from a file.  Sums over as many as a command takes must stay far below INT64_MAX. */
static bool is_quantity(int64_t n)
{
	return n >= 0 && n <= QUANTITY_MAX;
}

static bool has_quantities(const struct rec_trial_row *t)
{
	return is_quantity(t->duration_ms) && is_quantity(t->timeout_sec) &&
	       is_quantity(t->p0_qc_gate_regression_count) &&
	       (!t->has_cost_usd || is_quantity(t->cost_usd)) &&
	       (!t->tokens ||
	        (is_quantity(t->tokens->input_tokens) && is_quantity(t->tokens->output_tokens)));
}

static enum error_code check_rows(struct arena *mem, const struct compare *c, struct str *ret_why)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct rec_trial_row *t = c->trials[i];
		enum error_code code;

		if (!is_compared(c, t))
			continue;
		if (is_repeated(c, i)) {
			*ret_why = arena_printf(mem, "%.*s is listed twice", STR_ARG(t->trial_id));
			return ERROR_CODE_INVALID_VALUE;
		}
		if (t->reward && t->reward->has_value &&
		    !trial_reward_is_bounded(t->reward->value)) {
			*ret_why = arena_printf(mem, "the reward of %.*s is not from -1e12 to 1e12",
			                        STR_ARG(t->trial_id));
			return ERROR_CODE_INVALID_VALUE;
		}
		if (!has_quantities(t)) {
			*ret_why = arena_printf(mem, "a number of %.*s is negative or too large",
			                        STR_ARG(t->trial_id));
			return ERROR_CODE_INVALID_VALUE;
		}
		code = check_row(mem, c, t, ret_why);
		if (code)
			return code;
		if (has_other_verifier(c, t)) {
			*ret_why = arena_printf(
				mem,
				t->verifier_ref.len
					? "trials of %.*s were scored by different verifiers"
					: "a score of %.*s does not name its verifier",
				STR_ARG(t->benchmark->task_id));
			return ERROR_CODE_TRIAL_MISMATCH;
		}
	}
	return 0;
}

enum error_code compare_check(struct arena *mem, const struct compare *c, struct str *ret_why)
{
	struct str sides[] = { c->baseline, c->candidate };
	struct list_str changes;
	enum error_code code;

	*ret_why = STR_NONE;
	if (str_eq(c->baseline, c->candidate)) {
		*ret_why = STR("baseline and candidate are the same configuration");
		return ERROR_CODE_INVALID_VALUE;
	}
	for (size_t i = 0; i < COUNT_OF(sides); i++)
		if (!scored_of(c, sides[i])) {
			*ret_why = arena_printf(mem, "there is no scored trial of %.*s",
			                        STR_ARG(sides[i]));
			return ERROR_CODE_TRIAL_NOT_FOUND;
		}
	code = check_rows(mem, c, ret_why);
	if (code)
		return code;
	changes = compare_changes(mem, c);
	if (changes.count > 1) {
		*ret_why = arena_printf(mem,
		                        "the sides differ in more than one variable: %.*s and %.*s",
		                        STR_ARG(changes.items[0]), STR_ARG(changes.items[1]));
		return ERROR_CODE_TRIAL_MISMATCH;
	}
	return 0;
}

/* ---- what differs ---- */

static void note_change(struct arena *mem, struct list_str *l, bool differs, struct str name)
{
	if (differs && rec_list_str_find(l, name) < 0)
		rec_list_str_add(mem, l, name);
}

static void note_profiles(struct arena *mem, struct list_str *l, const struct rec_trial_profiles *a,
                          const struct rec_trial_profiles *b)
{
	static const struct rec_trial_profiles none;

	a = a ? a : &none;
	b = b ? b : &none;
	note_change(mem, l, !is_same(a->agent, b->agent), STR("agent"));
	note_change(mem, l, !is_same(a->prompt_profile, b->prompt_profile), STR("promptProfile"));
	note_change(mem, l, !is_same(a->tool_profile, b->tool_profile), STR("toolProfile"));
	note_change(mem, l, !is_same(a->context_profile, b->context_profile),
	            STR("contextProfile"));
	note_change(mem, l, !is_same(a->routing_profile, b->routing_profile),
	            STR("routingProfile"));
}

static void note_configuration(struct arena *mem, struct list_str *l, const struct rec_trial_row *a,
                               const struct rec_trial_row *b)
{
	static const struct rec_trial_configuration none;
	const struct rec_trial_configuration *x = a->configuration ? a->configuration : &none;
	const struct rec_trial_configuration *y = b->configuration ? b->configuration : &none;

	note_change(mem, l, !is_same(x->runtime_version, y->runtime_version),
	            STR("runtimeVersion"));
	note_change(mem, l, !is_same(x->model, y->model), STR("model"));
	note_change(mem, l, !is_same(x->effort, y->effort), STR("effort"));
	note_change(mem, l, !is_same(x->fallback, y->fallback), STR("fallback"));
	note_profiles(mem, l, x->profiles, y->profiles);
	note_change(mem, l, a->sandbox_mode != b->sandbox_mode, STR("sandboxMode"));
	note_change(mem, l, a->permission_mode != b->permission_mode, STR("permissionMode"));
	note_change(mem, l,
	            a->has_budget_usd != b->has_budget_usd || a->budget_usd != b->budget_usd,
	            STR("budgetUsd"));
}

/*
 * Every trial against the baseline's first: a side whose own trials differ has more than one
 * variable.  Timeouts belong to tasks and are compared within each.
 */
struct list_str compare_changes(struct arena *mem, const struct compare *c)
{
	const struct rec_trial_row *base = first_of(c, c->baseline);
	struct list_str l = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		const struct rec_trial_row *t = c->trials[i];
		const struct rec_trial_row *twin;

		if (!is_compared(c, t))
			continue;
		note_configuration(mem, &l, base, t);
		twin = same_task(c, c->baseline, t->benchmark->task_id);
		note_change(mem, &l, twin && twin->timeout_sec != t->timeout_sec,
		            STR("timeoutSec"));
	}
	return l;
}

/* Names that a comparison sees; others are words of the caller. */
static bool is_seen(struct str name)
{
	static const char *const names[] = {
		"runtimeVersion", "model",       "effort",         "fallback",       "agent",
		"promptProfile",  "toolProfile", "contextProfile", "routingProfile", "sandboxMode",
		"permissionMode", "budgetUsd",   "timeoutSec",
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(name, str_from(names[i])))
			return true;
	return false;
}

enum error_code compare_check_named(struct arena *mem, const struct compare *c, struct str said,
                                    struct str *ret_why)
{
	struct list_str l = compare_changes(mem, c);

	if (!said.len || (l.count ? str_eq(said, l.items[0]) : !is_seen(said)))
		return 0;
	*ret_why = l.count ? arena_printf(mem, "the sides differ in %.*s, not in %.*s",
	                                  STR_ARG(l.items[0]), STR_ARG(str_head(said, 64)))
	                   : arena_printf(mem, "the sides do not differ in %.*s", STR_ARG(said));
	return ERROR_CODE_TRIAL_MISMATCH;
}

/* ---- numbers ---- */

struct side {
	int64_t trials, scored, timed_out, failed, complete;
	double mean; /* of the means of the tasks */
	double sum, squares;
	int64_t cost, tokens, duration;
	bool has_cost, has_tokens;
};

/* Newton's method: libm is not among the calls of core. */
double compare_root(double x)
{
	double r = x > 1 ? x : 1;

	for (int i = 0; i < 200 && x > 0; i++)
		r = (r + x / r) / 2;
	return x > 0 ? r : 0;
}

static double mean_of_task(const struct compare *c, struct str configuration, struct str task,
                           bool *ret_scored)
{
	double sum = 0;
	int64_t count = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct rec_trial_row *t = c->trials[i];

		if (!is_of(t, configuration) || !is_scored(t) ||
		    !str_eq(t->benchmark->task_id, task))
			continue;
		sum += t->reward->value;
		count++;
	}
	*ret_scored = count > 0;
	return count ? sum / (double)count : 0;
}

/* Over tasks that both sides have a score of: another task must not move one side only. */
static void take_means(const struct compare *c, struct side *base, struct side *cand,
                       int64_t *ret_tasks)
{
	int64_t tasks = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct rec_trial_row *t = c->trials[i];
		bool has_base, has_cand;
		double x, y;

		if (t != same_task(c, c->baseline, t->benchmark->task_id))
			continue;
		x = mean_of_task(c, c->baseline, t->benchmark->task_id, &has_base);
		y = mean_of_task(c, c->candidate, t->benchmark->task_id, &has_cand);
		if (!has_base || !has_cand)
			continue;
		base->mean += x;
		cand->mean += y;
		tasks++;
	}
	base->mean /= tasks ? (double)tasks : 1;
	cand->mean /= tasks ? (double)tasks : 1;
	*ret_tasks = tasks;
}

static void add_row(struct side *s, const struct rec_trial_row *t)
{
	s->trials++;
	s->timed_out += t->timed_out;
	s->failed += t->status == STATUS_FAILED;
	s->complete += t->has_evidence_complete && t->evidence_complete;
	s->duration += t->duration_ms;
	s->has_cost = s->has_cost && t->has_cost_usd;
	s->cost += t->has_cost_usd ? t->cost_usd : 0;
	s->has_tokens = s->has_tokens && t->tokens;
	s->tokens += t->tokens ? t->tokens->input_tokens + t->tokens->output_tokens : 0;
	if (!is_scored(t))
		return;
	s->scored++;
	s->sum += t->reward->value;
}

static struct side side_of(const struct compare *c, struct str configuration)
{
	struct side s = { .has_cost = true, .has_tokens = true };
	double mean;

	for (size_t i = 0; i < c->count; i++)
		if (is_of(c->trials[i], configuration))
			add_row(&s, c->trials[i]);
	mean = s.scored ? s.sum / (double)s.scored : 0;
	for (size_t i = 0; i < c->count; i++) {
		const struct rec_trial_row *t = c->trials[i];

		if (is_of(t, configuration) && is_scored(t))
			s.squares += (t->reward->value - mean) * (t->reward->value - mean);
	}
	return s;
}

static double variance_of(const struct side *s)
{
	return s->scored > 1 ? s->squares / (double)(s->scored - 1) : 0;
}

static double share(int64_t part, const struct side *s)
{
	return s->trials ? (double)part / (double)s->trials : 0;
}

static void take_rewards(struct rec_comparison *r, const struct side *b, const struct side *n)
{
	r->mean_reward_delta = n->mean - b->mean;
	r->has_mean_reward_delta = true;
	r->baseline_mean_reward = b->mean;
	r->has_baseline_mean_reward = true;
	r->candidate_mean_reward = n->mean;
	r->has_candidate_mean_reward = true;
	r->baseline_reward_std_dev = compare_root(variance_of(b));
	r->has_baseline_reward_std_dev = b->scored > 1;
	r->candidate_reward_std_dev = compare_root(variance_of(n));
	r->has_candidate_reward_std_dev = n->scored > 1;
	r->has_mean_reward_delta_std_err = b->scored > 1 && n->scored > 1;
	if (r->has_mean_reward_delta_std_err)
		r->mean_reward_delta_std_err = compare_root(variance_of(b) / (double)b->scored +
		                                            variance_of(n) / (double)n->scored);
}

static void take_counts(struct rec_comparison *r, const struct side *b, const struct side *n)
{
	r->baseline_trials = b->trials;
	r->has_baseline_trials = true;
	r->candidate_trials = n->trials;
	r->has_candidate_trials = true;
	r->baseline_unscored = b->trials - b->scored;
	r->has_baseline_unscored = true;
	r->candidate_unscored = n->trials - n->scored;
	r->has_candidate_unscored = true;
	r->timeout_rate_delta = share(n->timed_out, n) - share(b->timed_out, b);
	r->has_timeout_rate_delta = true;
	r->failure_rate_delta = share(n->failed, n) - share(b->failed, b);
	r->has_failure_rate_delta = true;
	r->evidence_completeness_rate = share(n->complete, n);
	r->has_evidence_completeness_rate = true;
	r->baseline_evidence_completeness_rate = share(b->complete, b);
	r->has_baseline_evidence_completeness_rate = true;
}

static void take_use(struct rec_comparison *r, const struct side *b, const struct side *n)
{
	r->has_cost_delta_usd = b->has_cost && n->has_cost;
	if (r->has_cost_delta_usd)
		r->cost_delta_usd = n->cost / n->trials - b->cost / b->trials;
	r->has_tokens_delta = b->has_tokens && n->has_tokens;
	if (r->has_tokens_delta)
		r->tokens_delta = share(n->tokens, n) - share(b->tokens, b);
	r->duration_delta_ms = share(n->duration, n) - share(b->duration, b);
	r->has_duration_delta_ms = true;
}

void compare_result(struct arena *mem, const struct compare *c, struct rec_comparison *ret)
{
	struct side b = side_of(c, c->baseline), n = side_of(c, c->candidate);

	*ret = (struct rec_comparison){ .changed_variables = compare_changes(mem, c) };
	take_means(c, &b, &n, &ret->tasks);
	ret->has_tasks = true;
	take_rewards(ret, &b, &n);
	take_counts(ret, &b, &n);
	take_use(ret, &b, &n);
}
