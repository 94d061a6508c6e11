/*
 * Recovery after a crash: an open object whose effect no longer runs is
 * reported as lost, once.  Objects that wait for an action, a timer or the
 * queue lost nothing and continue with the same ids.
 * spec: contracts/session-history-recovery; GAP-53; golden crash-recovery
 */
#include "core/budget/budget.h"
#include "core/channel/channel.h"
#include "core/context/compact.h"
#include "core/hook/hook.h"
#include "core/process/process.h"
#include "core/session/session.h"
#include "core/task/task.h"
#include "core/turn/turn_emit.h"

static void add_lost(struct decision *d, struct ev_history_reconstructed *p, struct str kind,
                     struct str id)
{
	struct rec_lost_thing *l = rec_list_add(d->mem, &p->lost, &rec_lost_thing_desc);

	*l = (struct rec_lost_thing){ kind, id };
}

/* Background processes: later events report whether they were found. */
static struct list_str open_processes(struct decision *d, const struct st_thread *th)
{
	struct list_str open = { 0 };

	for (uint32_t i = 0; i < th->processes.count; i++)
		if (th->processes.items[i]->background && !process_is_over(th->processes.items[i]))
			rec_list_str_add(d->mem, &open, th->processes.items[i]->process_id);
	return open;
}

/*
 * The first event of recovery lists everything that was open, in one place: what is lost, and what
 * continues.  The ends of the lost objects follow.
 */
static void emit_reconstructed(struct decision *d, const struct st_thread *th,
                               const struct st_turn *t, const struct recovered *r, bool is_lost)
{
	struct ev_history_reconstructed p = {
		.cause = HISTORY_CAUSE_RESTART,
		.through_sequence = d->w->s->sequence,
		.tail = LOG_TAIL_INTACT,
		.degraded = r->missing.count > 0,
		.missing = r->missing,
	};
	struct event *ev;

	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i]))
			rec_list_str_add(d->mem, &p.open_actions, th->actions.items[i]->action_id);
	for (uint32_t i = 0; i < th->order.count; i++)
		rec_list_str_add(d->mem, &p.queued_turns, th->order.items[i]);
	p.open_processes = open_processes(d, th);
	if (t && is_lost) {
		for (uint32_t i = 0; i < th->calls.count; i++) {
			const struct st_call *c = th->calls.items[i];
			const struct st_process *running = process_in_thread(th, c->process_id);

			if (!str_eq(c->turn_id, t->turn_id) || !turn_call_has_effect(c))
				continue;
			if (running && !process_is_over(running) && !running->background)
				add_lost(d, &p, STR("process"), c->process_id);
			add_lost(d, &p, STR("tool_call"), c->tool_call_id);
		}
		if (str_is(t->model_request_id))
			add_lost(d, &p, STR("model_request"), t->model_request_id);
		for (uint32_t i = 0; i < th->hooks.count; i++)
			if (th->hooks.items[i]->run->status == HOOK_STATUS_RUNNING)
				add_lost(d, &p, STR("hook"), th->hooks.items[i]->run->hook_run_id);
		if (t->kind != TURN_KIND_CALL)
			add_lost(d, &p, STR("run"), t->run_id);
	}
	ev = decision_in_thread(decision_emit_event(d, EV_HISTORY_RECONSTRUCTED, &p), th);
	if (t)
		ev->turn_id = t->turn_id;
	ev->history_boundary =
		KEPT(d, struct rec_history_boundary, .layer = HISTORY_LAYER_EVENT_LOG,
	             .through_sequence = d->w->s->sequence, .fold_version = FOLD_VERSION,
	             .has_fold_version = true);
}

/*
 * A task of a tool server continues without the runtime.  The turn follows it again if nothing else
 * of the turn was running; otherwise the whole run is lost.
 */
static bool follows_tasks(const struct st_thread *th, const struct st_turn *t)
{
	uint32_t count = 0;

	if (str_is(t->model_request_id) || hook_is_running(th, t) ||
	    t->stage == TURN_STAGE_STOPPING || t->stage == TURN_STAGE_LOST)
		return false;
	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];

		if (!str_eq(c->turn_id, t->turn_id) || !turn_call_has_effect(c))
			continue;
		if (!str_is(c->remote_task_ref))
			return false;
		count++;
	}
	return count;
}

/* The server asks its question again when it is asked for the task. */
static void continue_tasks(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];

		if (!str_eq(c->turn_id, t->turn_id) || !turn_call_has_effect(c))
			continue;
		action_withdraw(d, th, t, c, STR("the runtime was started again"));
		decision_in_call(EMIT(d, TOOL_PROGRESS, tool_progress,
		                      .kind = TOOL_PROGRESS_KIND_CONTINUED,
		                      .message = STR("The runtime was started again and follows "
		                                     "the task of the tool server"),
		                      .remote_task_ref = c->remote_task_ref),
		                 th, t, c);
	}
}

static const struct tool_end *printed_by(const struct recovered *r, const struct st_call *c)
{
	for (size_t i = 0; i < r->output_count; i++)
		if (str_eq(r->outputs[i].call_id, c->tool_call_id))
			return &r->outputs[i].end;
	return NULL;
}

/*
 * Returns whether a call was running.  Whether it had its effect is unknown, so it is never
 * repeated (GAP-36).  A model request has no effect outside; its loss costs the estimate.
 */
static bool end_lost_effects(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t, const struct recovered *r)
{
	bool lost_call = false;
	struct event *ev;

	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];

		if (!str_eq(c->turn_id, t->turn_id) || !turn_call_has_effect(c))
			continue;
		turn_result_lose_call(d, th, t, c, printed_by(r, c));
		lost_call = true;
	}
	if (str_is(t->model_request_id)) {
		turn_emit_reasoning_end(d, th, t, STR_NONE);
		ev = decision_in_turn(
			EMIT(d, MODEL_FAILED, model_failed, .category = ERROR_CATEGORY_LOST,
		             .retryable = true, .attempt = t->attempt, .provider = t->provider,
		             .model = t->model,
		             .message = STR("the runtime stopped while the model answered"),
		             .bytes_received = t->text_bytes + t->reasoning_bytes,
		             .usage_state = HONESTY_UNKNOWN,
		             .duration_ms = since(d, t->requested_at),
		             .reason = STR("runtime_restart")),
			th, t);
		ev->model_request_id = t->model_request_id;
		ev->status = STATUS_LOST;
		if (str_is(t->text_step_id)) {
			ev->step_id = t->text_step_id;
			ev->item = turn_item(d, t->text_step_id, ITEM_KIND_AGENT_MESSAGE,
			                     t->text_index, STATUS_LOST);
		}
		budget_cost_recorded(d, th, t, COST_BASIS_ESTIMATE, NULL);
	}
	if (!lost_call)
		return false;
	ev = decision_in_thread(
		EMIT(d, RUNTIME_WARNING, runtime_warning, .category = WARNING_CATEGORY_PROCESS_LOST,
	             .message = STR("A tool was running when the runtime stopped. It is not run "
	                            "again by itself."),
	             .cause = STR("restart")),
		th);
	ev->turn_id = t->turn_id;
	return true;
}

/*
 * The run has ended, the turn has not: resume_thread starts another run of it.  The order of
 * GAP-53: attempt, task, run.status with the resume token, thread, snapshot.
 */
static void emit_turn_lost(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           bool in_flight)
{
	struct str why = STR("the runtime stopped during this attempt");
	struct event *ev = decision_in_turn(EMIT(d, TASK_ATTEMPT_FAILED, task_attempt_failed,
	                                         .status = STATUS_LOST, .retryable = true,
	                                         .failure_category = ERROR_CATEGORY_LOST,
	                                         .next_attempt_policy = STR("resume_thread")),
	                                    th, t);

	ev->status = STATUS_LOST;
	ev->native_status = STR("lost");
	ev->task_attempt =
		KEPT(d, struct rec_task_attempt, .run_id = t->run_id, .attempt_id = t->attempt_id,
	             .status = ATTEMPT_STATUS_UNKNOWN, .native_status = STR("lost"),
	             .attempt_count = t->run_number, .ended_at = d->now,
	             .last_error = KEPT(d, struct rec_last_error, .category = ERROR_CATEGORY_LOST,
	                                .message = why));
	ev = decision_in_turn(EMIT(d, TASK_LOST, task_lost, .reason = STR("runtime_restart"),
	                           .worker = WORKER_KIND_IN_PROCESS, .effect_in_flight = in_flight,
	                           .has_effect_in_flight = in_flight),
	                      th, t);
	ev->status = STATUS_LOST;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id, .status = TASK_STATUS_LOST,
	                .status_reason = why);
	ev = decision_in_turn(
		EMIT(d, RUN_STATUS, run_status, .kind = RUN_STATUS_KIND_RESUME_REQUIRED,
	             .title = STR("Interrupted by a restart"),
	             .detail = STR("Running work is lost. resume_thread continues from here."),
	             .wait = KEPT(
			     d, struct rec_wait, .for_ = WAIT_FOR_RESUME, .since = d->now,
			     .deadline = STR("none"), .resume_token = turn_resume_token(d->mem, t),
			     .ended_by = STRINGS(d, STR("resume_thread"), STR("interrupt_turn"),
	                                         STR("submit_turn with delivery interrupt")))),
		th, t);
	ev->status = STATUS_LOST;
	ev->phase = PHASE_WAITING;
	ev = decision_in_thread(EMIT(d, THREAD_UPDATED, thread_updated,
	                             .active_turn_id = t->turn_id, .profile_status = STATUS_LOST,
	                             .cause = STR("history.reconstructed")),
	                        th);
	ev->turn_id = t->turn_id;
	ev->status = STATUS_BLOCKED;
	ev->status_reason = STR("a restart interrupted the turn; resume_thread continues it");
	turn_emit_snapshot(d, th, t, RECOVERY_MODE_RESTART);
}

/*
 * Three cases.  A turn without a running effect (it waited for an answer, a timer, the queue)
 * continues untouched.  A turn with one is lost, unless it was stopping: then its stop is complete.
 * A turn that an earlier start has reported as lost is not reported again.
 */
static void recover_thread(struct decision *d, const struct st_thread *th,
                           const struct recovered *r)
{
	const struct st_turn *t = state_thread_active(th);
	bool follows = t && follows_tasks(th, t);
	bool is_lost = t && t->stage != TURN_STAGE_LOST && !follows && turn_has_effect(th, t);

	/* A compaction in a separate system turn; inside a turn it is lost with that turn. */
	if (th->compaction && (!t || !turn_is_compacting(th, t)))
		compact_lose(d, th);
	bool has_process = open_processes(d, th).count > 0, in_flight;

	if (t && t->stage == TURN_STAGE_LOST && !th->order.count && !has_process)
		return; /* reported before, and unchanged since */
	if (!t && !th->order.count && !has_process)
		return;
	emit_reconstructed(d, th, t, r, is_lost);
	hook_step_lose(d, th, state_thread_turn(th, d->w->s->start_turn_id));
	/* The settings may have changed: a turn that waits for a model checks again. */
	if (t && t->stage == TURN_STAGE_WAITING && t->waiting_for == WAIT_FOR_RESOURCE)
		budget_emit_room(d, th, t, STR("room"));
	if (follows)
		continue_tasks(d, th, t);
	if (!is_lost)
		return;
	in_flight = end_lost_effects(d, th, t, r);
	if (turn_is_compacting(th, t))
		compact_lose(d, th);
	hook_step_lose(d, th, t);
	/*
	 * A stopping turn continues to stop: none of its effects runs any more.  A turn without a
	 * model ends with its call, because nothing could follow from a result that is lost.
	 */
	if (t->stage != TURN_STAGE_STOPPING && t->kind != TURN_KIND_CALL)
		emit_turn_lost(d, th, t, in_flight);
}

/*
 * Connections of channels end with the process, so each channel that was connected is reported as
 * disconnected.
 */
void recover_session(struct decision *d, const struct recovered *r)
{
	channel_recover(d);
	for (uint32_t i = 0; i < d->w->s->threads.count; i++)
		recover_thread(d, d->w->s->threads.items[i], r);
}

void recover_repaired(struct decision *d)
{
	const struct st_thread *th = state_main_thread(d->w);
	struct event *ev =
		EMIT(d, SNAPSHOT_REPAIRED, snapshot_repaired,
	             .models = STRINGS(d, STR("session_snapshot")),
	             .reason = STR("the stored snapshot could not be read; the log was "
	                           "folded from its beginning"),
	             .reflects_sequence = d->w->s->sequence, .recovery_mode = RECOVERY_MODE_REPAIR);

	if (th)
		ev->thread_id = th->thread_id;
}

/*
 * A turn below a cancelled task is left alone: resuming it would continue work that a person has
 * stopped.
 */
void recover_resume(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->threads.count; i++) {
		const struct st_thread *th = d->w->s->threads.items[i];
		const struct st_turn *t = state_thread_active(th);

		const struct st_task *task = t ? state_task(d->w, t->task_id) : NULL;

		if (t && t->stage == TURN_STAGE_LOST && !(task && task_cancelled_above(d, task)))
			turn_emit_resume(d, th, t, STR("recovery.resume"));
	}
}
