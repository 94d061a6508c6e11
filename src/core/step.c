/*
 * The step driver: what follows from the folded state alone, and from time.
 *
 * Decisions on commands and inputs emit events; they never call what follows.
 * Once their events are folded, step_next() looks at the state and decides the
 * next group.  This file, recover.c and the tables are the only ones that know
 * all topics.
 */
#include "core/step.h"
#include "core/benchmark/trial.h"
#include "core/tool/agent_tool.h"
#include "core/tool/client_tool.h"
#include "core/context/compact.h"
#include "core/notify/delivery.h"
#include "core/hook/hook.h"
#include "core/job/job_work.h"
#include "core/routing/route.h"
#include "core/schedule/schedule.h"
#include "core/session/placement.h"
#include "core/subagent/subagent.h"
#include "core/subagent/subagent_worktree.h"
#include "core/task/task.h"
#include "core/task/task_bounds.h"
#include "core/turn/turn.h"
#include "core/turn/turn_call.h"
#include "core/overdue.h"
#include "base/path/path.h"

/*
 * The turn ends, unless a steer or a hook adds something.  Hooks that run after sampling and before
 * the stop may add messages.  Then the turn makes another request, as long as max_steps permits.
 */
static bool step_end(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	bool may_ask = t->request_number < d->settings->max_steps;
	enum hooks_state hooks = hook_step(d, th, t, NULL, HOOK_POINT_POST_SAMPLING);

	/* A steer that arrived during the last response gets a response too. */
	if (hooks == HOOKS_OVER && t->steered.count && may_ask)
		return turn_start_request_model(d, th, t);
	if (hooks == HOOKS_OVER)
		hooks = hook_step(d, th, t, NULL, HOOK_POINT_STOP);
	if (hooks != HOOKS_OVER)
		return hooks == HOOKS_STARTED;
	if (hook_puts_off_stop(t) && may_ask)
		return turn_start_request_model(d, th, t);
	turn_end_finish(d, th, t);
	return true;
}

/*
 * A turn that ends during a compaction ends the compaction first.  While the summary's request is
 * open, its end is awaited first; turn_end_stop() ends it for a stopping turn.
 */
static bool ends_compaction(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	bool is_stop = t->stage == TURN_STAGE_STOPPING;

	if (!turn_is_compacting(th, t) || str_is(t->model_request_id))
		return false;
	compact_emit_failed(d, th, t,
	                    is_stop         ? ERROR_CATEGORY_INTERRUPTED
	                    : t->last_error ? t->last_error->category
	                                    : ERROR_CATEGORY_INTERNAL,
	                    is_stop ? STR("The turn was stopped.") : STR("The turn failed."), true);
	return true;
}

/* A fallback model may still follow, if a person consents. */
static bool step_failing(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	enum fallback_step fallback = route_fallback_step(d, th, t);

	if (fallback == FALLBACK_NONE)
		turn_end_fail(d, th, t);
	return fallback != FALLBACK_WAITS;
}

/* A child agent without its worktree must not work in its parent's directory. */
static bool step_without_worktree(struct decision *d, const struct st_thread *th,
                                  const struct st_turn *t)
{
	struct str why = subagent_worktree_trouble(d->w, th);
	struct event *ev;

	if (!str_is(why))
		return false;
	ev = decision_in_turn(
		EMIT(d, RUNTIME_ERROR, runtime_error, .category = ERROR_CATEGORY_ENVIRONMENT,
	             .message = arena_printf(d->mem, "The worktree could not be made: %.*s",
	                                     STR_ARG(why))),
		th, t);
	ev->status = STATUS_FAILED;
	return true;
}

/* A session of an older version, or a schedule in it, may name the data directory. */
static bool step_without_directory(struct decision *d, const struct st_thread *th,
                                   const struct st_turn *t)
{
	struct str cwd = task_bounds_cwd(d->w, d->settings, t->turn_id);
	struct event *ev;

	if (!str_is(d->settings->data_dir) || !path_is_under(cwd, d->settings->data_dir))
		return false;
	ev = decision_in_turn(
		EMIT(d, RUNTIME_ERROR, runtime_error, .category = ERROR_CATEGORY_ENVIRONMENT,
	             .message = arena_printf(d->mem,
	                                     "%.*s belongs to the runtime; no work begins there. "
	                                     "Give the session a directory: update_session "
	                                     "with cwd",
	                                     STR_ARG(cwd))),
		th, t);
	ev->status = STATUS_FAILED;
	return true;
}

/* The others end the turn, or wait. */
static bool begins_work(enum turn_stage stage)
{
	return stage == TURN_STAGE_COMPACTING || stage == TURN_STAGE_ACCEPTED ||
	       stage == TURN_STAGE_PREPARING || stage == TURN_STAGE_ACTING ||
	       stage == TURN_STAGE_WAITING;
}

/*
 * Instructions, rules, hooks and tools come from the directory.  What stops a turn, or fails it, needs
 * none of them; what is under way ends anywhere.
 */
static bool sees_files(enum turn_stage stage)
{
	return begins_work(stage) || stage == TURN_STAGE_FINISHING;
}

/*
 * One step of the active turn, by its stage.  Returns whether events were emitted.  Stages without
 * a case wait: for an input, a deadline or a command.
 */
static bool step_turn(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	enum hooks_state hooks;

	if (begins_work(t->stage) && decision_is_leaving(d))
		return false;
	if (sees_files(t->stage) && !placement_is_here(d))
		return placement_await(d, th, t);
	if (placement_arrive(d, th, t))
		return true;
	switch (t->stage) {
	case TURN_STAGE_COMPACTING:
		return compact_step(d, th, t);
	case TURN_STAGE_ACCEPTED:
		if (subagent_worktree_is_awaited(d->w, th))
			return false;
		hooks = hook_step_session_start(d, th);
		if (hooks == HOOKS_OVER)
			turn_start_begin(d, th, t, false);
		return hooks != HOOKS_RUNNING;
	/* The stage covers everything from the start of a run to its first request. */
	case TURN_STAGE_PREPARING:
		if (step_without_worktree(d, th, t) || step_without_directory(d, th, t))
			return true;
		/*
		 * Calls that did not run before a crash keep their place (GAP-36): they come first.
		 */
		if (str_is(t->prepared_run_id) && str_eq(t->prepared_run_id, t->run_id))
			return turn_tool_step_calls(d, th, t);
		if (t->kind == TURN_KIND_CALL)
			return turn_call_open(d, th, t);
		hooks = hook_step(d, th, t, NULL, HOOK_POINT_USER_PROMPT_SUBMIT);
		return hooks == HOOKS_OVER ? turn_start_prepare(d, th, t) : hooks == HOOKS_STARTED;
	case TURN_STAGE_ACTING:
		if (t->kind == TURN_KIND_CALL) /* no model was asked */
			return turn_tool_step_calls(d, th, t);
		hooks = hook_step(d, th, t, NULL, HOOK_POINT_POST_SAMPLING);
		return hooks == HOOKS_OVER ? turn_tool_step_calls(d, th, t)
		                           : hooks == HOOKS_STARTED;
	case TURN_STAGE_FINISHING:
		return step_end(d, th, t);
	case TURN_STAGE_WAITING:
		/* resume_thread continues a turn that waits for a model. */
		return t->waiting_for != WAIT_FOR_RESOURCE && turn_start_request_model(d, th, t);
	case TURN_STAGE_FAILING:
		return ends_compaction(d, th, t) || step_failing(d, th, t);
	case TURN_STAGE_STOPPING:
		return ends_compaction(d, th, t) || turn_end_stop(d, th, t);
	default:
		return false; /* waits for an input */
	}
}

/*
 * Work of the runtime on the thread (a compaction in a system turn, a rollback) precedes turns.  A
 * held queue starts nothing until resume_thread releases it.
 */
static bool step_thread(struct decision *d, const struct st_thread *th)
{
	const struct st_turn *t = state_thread_active(th);

	if (compact_step_system_turn(d, th) || history_step_rollback(d, th))
		return true;
	if (t)
		return step_turn(d, th, t);
	if (!th->order.count || th->held || subagent_worktree_is_awaited(d->w, th) ||
	    decision_is_leaving(d))
		return false;
	t = state_thread_turn(th, th->order.items[0]);
	if (!t)
		return false;
	turn_start_begin(d, th, t, true);
	return true;
}

/*
 * One group of events per call.  Bounds come first, because they stop runs that must not continue;
 * tasks come last, because they use threads that turns have left free.
 */
static void step_session(struct decision *d)
{
	if (task_bounds_step(d) || trial_step(d))
		return;
	for (uint32_t i = 0; i < d->w->s->threads.count; i++)
		if (step_thread(d, d->w->s->threads.items[i]))
			return;
	if (!decision_is_leaving(d) && !job_run_step(d) && !job_work_step(d) &&
	    !subagent_decide_step(d))
		task_schedule_step(d);
}

/*
 * The steps of one commit do not end, which is a bug.  The turn of the next step fails, so that the
 * error is visible and the session can continue; without a turn only the error is emitted.
 */
static void emit_endless(struct decision *d)
{
	const struct event *next = d->events[0];
	const struct st_thread *th =
		str_is(next->thread_id) ? state_thread(d->w, next->thread_id) : NULL;
	const struct st_turn *t =
		th && str_is(next->turn_id) ? state_thread_turn(th, next->turn_id) : NULL;
	struct str what = event_type_word(next->type);
	struct event *ev;

	d->count = d->blob_count = 0;
	ev = EMIT(d, RUNTIME_ERROR, runtime_error, .category = ERROR_CATEGORY_INTERNAL,
	          .message = arena_printf(d->mem,
	                                  "More than %d steps followed from one input; "
	                                  "%.*s was to be the next.",
	                                  STEP_MAX, STR_ARG(what)),
	          .remedy = STR("report this with the session's log"));
	if (t && !turn_is_over(t)) {
		decision_in_turn(ev, th, t);
		ev->status = STATUS_FAILED;
	} else if (th) {
		decision_in_thread(ev, th);
	}
}

/*
 * After STEP_MAX steps one error is emitted; the remaining steps are for the end of that turn.
 * Beyond them the chain is cut, so that the daemon stays responsive.
 */
void step_next(struct decision *d)
{
	if (d->step < STEP_MAX + STEP_END_MAX)
		step_session(d);
	if (d->step == STEP_MAX && d->count)
		emit_endless(d);
}

/* ---- time ---- */

static void take_earlier(int64_t *best, int64_t at)
{
	if (at && (!*best || at < *best))
		*best = at;
}

/*
 * Every wait that step_time() ends must be listed here as well: the engine sets its timer by this
 * value, and a missing one would sleep until some other event.
 */
int64_t step_deadline(const struct state *w, const struct leases *l)
{
	int64_t best = task_schedule_deadline(w, l);

	take_earlier(&best, job_run_deadline(w, l));
	take_earlier(&best, schedule_due_deadline(w));
	take_earlier(&best, delivery_deadline(w));
	take_earlier(&best, overdue_deadline(w));
	take_earlier(&best, trial_step_deadline(w));
	take_earlier(&best, agent_tool_deadline(w));
	take_earlier(&best, client_tool_deadline(w));
	for (uint32_t i = 0; i < w->s->expiring.count; i++)
		take_earlier(&best, w->s->expiring.items[i]->at);

	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];
		const struct st_turn *t = turn_in_backoff(th);

		if (t)
			take_earlier(&best, t->retry_at);
		for (uint32_t n = 0; n < th->actions.count; n++)
			if (action_is_pending(th->actions.items[n]))
				take_earlier(&best, th->actions.items[n]->expires_at);
	}
	return best;
}

/* Removes expired outputs and reports them. */
static bool expire_outputs(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->expiring.count; i++) {
		const struct st_expiring *x = d->w->s->expiring.items[i];

		if (x->at <= d->now)
			EMIT(d, OUTPUT_EXPIRED, output_expired, .reason = EXPIRY_REASON_AGE,
			     .size_bytes = x->size_bytes, .sha256 = x->sha256)
				->output_ref = x->output_ref;
	}
	return d->count > 0;
}

/*
 * Handles one expired deadline per call; the engine folds and calls again while a deadline is due.
 */
void step_time(struct decision *d)
{
	if (task_schedule_time(d) || job_run_time(d) || schedule_due_time(d) || delivery_time(d) ||
	    overdue_report(d) || trial_step_time(d) || agent_tool_time(d) || client_tool_time(d) ||
	    expire_outputs(d))
		return;
	for (uint32_t i = 0; i < d->w->s->threads.count; i++) {
		const struct st_thread *th = d->w->s->threads.items[i];
		const struct st_turn *t = turn_in_backoff(th);

		for (uint32_t n = 0; n < th->actions.count; n++)
			if (action_is_pending(th->actions.items[n]) &&
			    th->actions.items[n]->expires_at &&
			    th->actions.items[n]->expires_at <= d->now) {
				action_expire(d, th, th->actions.items[n]);
				return; /* one at a time: the next sees this one folded */
			}
		if (t && t->retry_at <= d->now) {
			turn_start_request_model(d, th, t);
			return;
		}
	}
}
