/* Folds trials: one row for each, from its start to its score and its pack. */
#include "core/fold_part.h"
#include "core/benchmark/trial.h"
#include "core/gen/tables.h"

/* Running trials stay; of the ended ones the oldest leaves. */
static void drop_oldest(struct state *w)
{
	uint32_t ended = 0, oldest = UINT32_MAX;

	for (uint32_t i = 0; i < w->s->trials.count; i++) {
		if (!trial_is_over(w->s->trials.items[i]))
			continue;
		if (oldest == UINT32_MAX)
			oldest = i;
		ended++;
	}
	if (ended > WINDOW_TRIALS)
		rec_list_remove(&w->s->trials, oldest);
}

static struct rec_trial_row *row_of(struct state *w, const struct event *ev)
{
	return ev->benchmark && str_is(ev->benchmark->trial_id)
	               ? trial_find(w, ev->benchmark->trial_id)
	               : NULL;
}

/* Later events add refs.  What is known stays: an export names copies of stored outputs. */
static void take_refs(struct state *w, struct rec_trial_row *t, const struct event *ev)
{
	for (uint32_t i = 0; i < ev->refs.count; i++)
		if (!str_eq(ev->refs.items[i].key, STR("pack")) &&
		    !str_is(rec_dict_get(&t->refs, ev->refs.items[i].key)))
			rec_dict_put(w->mem, &t->refs, KEEP(w, ev->refs.items[i].key),
			             KEEP(w, ev->refs.items[i].value));
}

static void take_trajectory(struct state *w, struct rec_trial_row *t, const struct event *ev)
{
	if (ev->trajectory)
		t->trajectory = rec_clone(w->mem, &rec_trajectory_desc, ev->trajectory);
}

void trial_on_benchmark_trial_started(struct state *w, const struct event *ev,
                                      const struct ev_benchmark_trial_started *p)
{
	struct rec_trial_row *t;

	if (!ev->benchmark || !str_is(ev->benchmark->trial_id) || row_of(w, ev))
		return;
	t = rec_list_add(w->mem, &w->s->trials, &rec_trial_row_desc);
	t->trial_id = KEEP(w, ev->benchmark->trial_id);
	t->benchmark = rec_clone(w->mem, &rec_benchmark_desc, ev->benchmark);
	t->status = STATUS_RUNNING;
	t->session_id = KEEP(w, ev->session_id);
	t->thread_id = KEEP(w, ev->thread_id);
	t->turn_id = KEEP(w, ev->turn_id);
	t->task_id = KEEP(w, ev->task_id);
	t->run_id = KEEP(w, ev->run_id);
	t->trace_id = KEEP(w, ev->trace_id);
	if (p->configuration)
		t->configuration =
			rec_clone(w->mem, &rec_trial_configuration_desc, p->configuration);
	t->attempt = p->attempt;
	t->timeout_sec = p->timeout_sec;
	t->budget_usd = p->budget_usd;
	t->has_budget_usd = p->has_budget_usd;
	t->sandbox_mode = p->sandbox_mode;
	t->permission_mode = p->permission_mode;
	t->started_at = ev->timestamp;
	t->denied_before = w->s->denied;
	t->has_denied_before = true;
	take_refs(w, t, ev);
}

static void trial_ended(struct state *w, struct rec_trial_row *t, const struct event *ev,
                        enum status status, int64_t duration_ms)
{
	t->status = status;
	t->ended_at = ev->timestamp;
	t->duration_ms = duration_ms;
	t->has_duration_ms = true;
	t->has_timed_out = true;
	take_refs(w, t, ev);
	take_trajectory(w, t, ev);
}

#define TAKE_USE(w, t, p)                                                                          \
	do {                                                                                       \
		(t)->cleanup = KEEP((w), (p)->cleanup);                                            \
		(t)->timed_out = (p)->timed_out;                                                   \
		(t)->artifact_count = (p)->artifact_count;                                         \
		(t)->has_artifact_count = true;                                                    \
		(t)->denied_count = (p)->denied_count;                                             \
		(t)->has_denied_count = (p)->has_denied_count;                                     \
		if ((p)->tokens)                                                                   \
			(t)->tokens = rec_clone((w)->mem, &rec_tokens_desc, (p)->tokens);          \
		(t)->cost_usd = (p)->cost_usd;                                                     \
		(t)->has_cost_usd = (p)->has_cost_usd;                                             \
		(t)->amount_state = (p)->amount_state;                                             \
	} while (0)

void trial_on_benchmark_trial_completed(struct state *w, const struct event *ev,
                                        const struct ev_benchmark_trial_completed *p)
{
	struct rec_trial_row *t = row_of(w, ev);

	if (!t)
		return;
	trial_ended(w, t, ev, STATUS_COMPLETED, p->duration_ms);
	TAKE_USE(w, t, p);
	t->failure_category = KEEP(w, STR("none"));
	drop_oldest(w);
}

void trial_on_benchmark_trial_failed(struct state *w, const struct event *ev,
                                     const struct ev_benchmark_trial_failed *p)
{
	struct rec_trial_row *t = row_of(w, ev);

	if (!t)
		return;
	trial_ended(w, t, ev, STATUS_FAILED, p->has_duration_ms ? p->duration_ms : 0);
	TAKE_USE(w, t, p);
	t->failure_category = KEEP(w, p->failure_category);
	t->category = p->category;
	t->message = KEEP(w, p->message);
	drop_oldest(w);
}

void trial_on_benchmark_reward_recorded(struct state *w, const struct event *ev,
                                        const struct ev_benchmark_reward_recorded *p)
{
	struct rec_trial_row *t = row_of(w, ev);

	if (!t)
		return;
	if (ev->reward)
		t->reward = rec_clone(w->mem, &rec_reward_desc, ev->reward);
	t->reward_sha256 = KEEP(w, p->sha256);
	t->details_kind = p->details_kind;
	t->verifier_status = KEEP(w, p->verifier_status);
	t->verifier_ref = KEEP(w, p->verifier_ref);
	t->separate_verifier = p->separate_verifier;
	t->has_separate_verifier = p->has_separate_verifier;
	t->trajectory_transferred = p->trajectory_transferred;
	t->has_trajectory_transferred = p->has_trajectory_transferred;
	t->oracle_sanity = KEEP(w, p->oracle_sanity);
	t->drift = KEEP(w, p->drift);
	take_refs(w, t, ev);
	take_trajectory(w, t, ev);
}

void trial_on_benchmark_comparison_completed(struct state *w, const struct event *ev,
                                             const struct ev_benchmark_comparison_completed *p)
{
	if (ev->comparison)
		w->s->comparison = rec_clone(w->mem, &rec_comparison_desc, ev->comparison);
}

/* Only the pack of a trial names a benchmark. */
void trial_on_evidence_changed(struct state *w, const struct event *ev,
                               const struct ev_evidence_changed *p)
{
	struct rec_trial_row *t = row_of(w, ev);

	if (!t)
		return;
	t->pack_ref = KEEP(w, p->pack_ref);
	t->evidence_complete = trial_pack_is_complete(&p->known_gaps);
	t->has_evidence_complete = true;
	t->p0_qc_gate_regression_count = p->p0_qc_gate_regression_count;
	t->has_p0_qc_gate_regression_count = p->has_p0_qc_gate_regression_count;
	take_refs(w, t, ev);
	take_trajectory(w, t, ev);
}
