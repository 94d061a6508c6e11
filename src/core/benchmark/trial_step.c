/* The end of trials: a trial ends with its turn, and its turn is stopped at the timeout. */
#include "core/benchmark/trial.h"

#include "core/budget/budget.h"
#include "core/gen/tables.h"
#include "core/process/process.h"
#include "core/turn/turn.h"
#include "core/turn/turn_emit.h"

#define TIMEOUT_CAUSE STR("trial_timeout")

static int64_t deadline_of(const struct rec_trial_row *t)
{
	return t->started_at + t->timeout_sec * 1000;
}

/* ---- what a trial leaves ---- */

/* A background command may outlive its turn. */
static struct str cleanup_of(const struct st_thread *th, struct str turn_id)
{
	for (uint32_t i = 0; th && i < th->processes.count; i++)
		if (str_eq(th->processes.items[i]->turn_id, turn_id) &&
		    !process_is_over(th->processes.items[i]))
			return STR("processes_left");
	return STR("clean");
}

static int64_t artifacts_of(const struct state *w, struct str turn_id)
{
	int64_t count = 0;

	for (uint32_t i = 0; i < w->s->artifacts.count; i++)
		count += str_is(w->s->artifacts.items[i]->turn_id) &&
		         str_eq(w->s->artifacts.items[i]->turn_id, turn_id);
	return count;
}

static struct rec_trajectory *pending_trajectory(struct decision *d, const struct rec_trial_row *t)
{
	return KEPT(d, struct rec_trajectory, .schema = STR("ATIF-v1.7"),
	            .ref = rec_dict_get(&t->refs, STR("trajectoryRef")),
	            .export_status = STR("pending"));
}

/* ---- the end ---- */

static void emit_completed(struct decision *d, const struct rec_trial_row *t,
                           const struct st_thread *th, const struct st_turn *turn)
{
	struct event *ev =
		EMIT(d, BENCHMARK_TRIAL_COMPLETED, benchmark_trial_completed,
	             .duration_ms = since(d, t->started_at), .timed_out = false,
	             .artifact_count = artifacts_of(d->w, t->turn_id),
	             .denied_count = d->w->s->denied - t->denied_before, .has_denied_count = true,
	             .cleanup = cleanup_of(th, t->turn_id), .tokens = budget_turn_tokens(d, turn),
	             .cost_usd = turn->spent_usd, .has_cost_usd = !turn->cost_unknown,
	             .amount_state = turn->cost_unknown ? HONESTY_UNKNOWN : 0);

	trial_emit_in(d, ev, t)->status = STATUS_COMPLETED;
	ev->trajectory = pending_trajectory(d, t);
}

struct failure {
	bool timed_out;
	enum error_category category;
	struct str word, message;
};

static struct failure failure_of(struct decision *d, const struct rec_trial_row *t,
                                 const struct st_turn *turn)
{
	struct failure f = { .category = ERROR_CATEGORY_UNKNOWN };

	f.timed_out = turn && str_is(turn->stop_cause) && str_eq(turn->stop_cause, TIMEOUT_CAUSE);
	if (f.timed_out)
		f.category = ERROR_CATEGORY_TIMEOUT;
	else if (turn && str_is(turn->stop_cause))
		f.category = ERROR_CATEGORY_INTERRUPTED;
	else if (turn && turn->last_error)
		f.category = turn->last_error->category;
	f.word = error_category_word(f.category);
	f.message = f.timed_out
	                    ? arena_printf(d->mem, "The trial reached its timeout of %lld seconds.",
	                                   (long long)t->timeout_sec)
	            : turn && turn->status_reason.len ? turn->status_reason
	            : turn                            ? STR("The turn did not complete.")
	                   : STR("The turn is no longer part of the session.");
	return f;
}

static void emit_failed(struct decision *d, const struct rec_trial_row *t,
                        const struct st_thread *th, const struct st_turn *turn)
{
	struct failure f = failure_of(d, t, turn);
	struct event *ev = EMIT(
		d, BENCHMARK_TRIAL_FAILED, benchmark_trial_failed, .failure_category = f.word,
		.category = f.category, .message = f.message,
		.duration_ms = since(d, t->started_at), .has_duration_ms = true,
		.timed_out = f.timed_out, .cleanup = cleanup_of(th, t->turn_id),
		.artifact_count = artifacts_of(d->w, t->turn_id), .has_artifact_count = true,
		.denied_count = d->w->s->denied - t->denied_before, .has_denied_count = true,
		.tokens = turn ? budget_turn_tokens(d, turn) : NULL,
		.cost_usd = turn ? turn->spent_usd : 0, .has_cost_usd = turn && !turn->cost_unknown,
		.amount_state = !turn || turn->cost_unknown ? HONESTY_UNKNOWN : 0);

	trial_emit_in(d, ev, t)->status = STATUS_FAILED;
	ev->status_reason = f.message;
	ev->trajectory = pending_trajectory(d, t);
}

bool trial_step(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->trials.count; i++) {
		const struct rec_trial_row *t = d->w->s->trials.items[i];
		const struct st_thread *th = NULL;
		const struct st_turn *turn;

		if (trial_is_over(t))
			continue;
		turn = state_turn(d->w, t->turn_id, &th);
		if (turn && !turn_is_over(turn))
			continue;
		if (turn && turn->status == STATUS_COMPLETED)
			emit_completed(d, t, th, turn);
		else
			emit_failed(d, t, th, turn);
		return true;
	}
	return false;
}

/* ---- the timeout ---- */

/* The turn that the timeout would stop; NULL: it has ended or is being stopped. */
static const struct st_turn *stoppable(const struct state *w, const struct rec_trial_row *t,
                                       const struct st_thread **ret_th)
{
	const struct st_turn *turn = trial_is_over(t) ? NULL : state_turn(w, t->turn_id, ret_th);

	return turn && !turn_is_over(turn) && turn->stage != TURN_STAGE_STOPPING ? turn : NULL;
}

int64_t trial_step_deadline(const struct state *w)
{
	int64_t best = 0;

	for (uint32_t i = 0; i < w->s->trials.count; i++) {
		const struct rec_trial_row *t = w->s->trials.items[i];
		const struct st_thread *th;

		if (stoppable(w, t, &th) && (!best || deadline_of(t) < best))
			best = deadline_of(t);
	}
	return best;
}

bool trial_step_time(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->trials.count; i++) {
		const struct rec_trial_row *t = d->w->s->trials.items[i];
		const struct st_thread *th;
		const struct st_turn *turn = stoppable(d->w, t, &th);

		if (!turn || deadline_of(t) > d->now)
			continue;
		turn_emit_interrupt(d, th, turn, TIMEOUT_CAUSE, QUEUE_POLICY_CONTINUE);
		return true;
	}
	return false;
}
