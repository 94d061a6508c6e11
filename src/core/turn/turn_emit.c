/*
 * Events of a turn that several topics emit: a run begins, a turn is stopped
 * or resumed, its reasoning ends, a snapshot is due.
 */
#include "core/turn/turn_emit.h"
#include "core/process/process.h"
#include "core/task/task.h"
#include "core/turn/turn.h"
#include "base/utf8.h"

/* What a rollback of the attempt can return to: the log before it, and the turn before it. */
static void add_checkpoints(struct decision *d, const struct st_thread *th,
                            struct rec_task_attempt *a)
{
	struct rec_ref_entry *at = rec_list_add(d->mem, &a->checkpoint_refs, &rec_ref_entry_desc);

	*at = (struct rec_ref_entry){ .kind = STR("log"),
		                      .ref = d->session_id,
		                      .offset = d->w->s->sequence,
		                      .has_offset = true };
	if (!th->history.count)
		return;
	at = rec_list_add(d->mem, &a->checkpoint_refs, &rec_ref_entry_desc);
	*at = (struct rec_ref_entry){ .kind = STR("turn"),
		                      .ref = th->history.items[th->history.count - 1]->turn_id };
}

/*
 * A run and its attempt begin together and have one number (GAP-33).  Without a real task, the
 * policy shown is the one by which model requests are repeated.
 */
void turn_emit_attempt(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       struct str run_id, struct str attempt_id, int64_t number,
                       enum attempt_cause cause)
{
	struct rec_task_attempt *a = KEPT(
		d, struct rec_task_attempt, .run_id = run_id, .attempt_id = attempt_id,
		.status = ATTEMPT_STATUS_PREPARING, .attempt_count = number, .started_at = d->now);
	struct rec_ref_entry *input = rec_list_add(d->mem, &a->input_refs, &rec_ref_entry_desc);

	*input = (struct rec_ref_entry){ .kind = STR("turn_input"), .ref = t->input_ref };
	add_checkpoints(d, th, a);
	const struct st_task *task = str_is(t->task_id) ? state_task(d->w, t->task_id) : NULL;

	a->retry_policy =
		task && task->retry_policy
			? rec_clone(d->mem, &rec_retry_policy_desc, task->retry_policy)
			: KEPT(d, struct rec_retry_policy, .max_attempts = d->settings->retry_max,
	                       .backoff = BACKOFF_EXPONENTIAL,
	                       .non_retryable = STRINGS(d, STR("permission"), STR("budget"),
	                                                STR("invalid_input")));
	struct event *ev = decision_in_turn(EMIT(d, TASK_ATTEMPT_STARTED, task_attempt_started,
	                                         .attempt = number, .cause = cause),
	                                    th, t);

	ev->run_id = run_id;
	ev->attempt_id = attempt_id;
	ev->status = STATUS_PREPARING;
	ev->task_attempt = a;
	ev->worker = KEPT(d, struct rec_worker, .kind = WORKER_KIND_IN_PROCESS,
	                  .runtime_id = d->settings->runtime_id, .thread_id = th->thread_id);
}

static void add_thing(struct decision *d, struct ev_run_status *p, struct str kind, struct str id)
{
	struct rec_thing *t = rec_list_add(d->mem, &p->stopping, &rec_thing_desc);

	*t = (struct rec_thing){ kind, id };
}

/* A client that stops a turn by itself, and not for a person, says so in the reason. */
static struct str why_stopped(const struct decision *d, struct str reason)
{
	static const struct str by_client[] = {
		[INTERRUPT_REASON_TIMEOUT] = STR("The time for this turn is over."),
		[INTERRUPT_REASON_CLIENT] = STR("The client program stops this turn."),
		[INTERRUPT_REASON_CLIENT_ENDED] = STR("The client program of this turn ends."),
	};
	uint32_t word = rec_enum_read(&enum_interrupt_reason, reason);

	if (!d->call)
		return STR("The runtime asked to stop this turn.");
	return word > INTERRUPT_REASON_USER ? by_client[word]
	                                    : STR("The owner asked to stop this turn.");
}

/* spec: GAP-40 — the intent is an event before anything is stopped. */
void turn_emit_interrupt(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         struct str reason, enum queue_policy policy)
{
	struct ev_run_status p = {
		.kind = RUN_STATUS_KIND_INTERRUPT_REQUESTED,
		.title = STR("Stopping"),
		.detail = why_stopped(d, reason),
		.requested_by = decision_actor(d),
		.reason = reason,
		.queue_policy = policy,
		.wait = KEPT(d, struct rec_wait, .for_ = WAIT_FOR_CLEANUP, .since = d->now,
		             .until = d->now + LIMIT_STOP_WAIT_MS,
		             .ended_by =
		                     STRINGS(d, STR("everything stopped"), STR("kill after 5 s"))),
	};
	const struct st_task *task = state_task(d->w, t->task_id);
	struct event *ev;

	for (uint32_t i = 0; i < th->calls.count; i++)
		if (!call_is_over(th->calls.items[i]) && th->calls.items[i]->dispatched)
			add_thing(d, &p, STR("tool_call"), th->calls.items[i]->tool_call_id);
	/*
	 * Background processes of a plain turn end with it; those of a real task outlive one turn.
	 */
	for (uint32_t i = 0; task && task->implicit && i < th->processes.count; i++)
		if (th->processes.items[i]->background &&
		    !process_is_over(th->processes.items[i]) &&
		    str_eq(th->processes.items[i]->task_id, t->task_id))
			add_thing(d, &p, STR("process"), th->processes.items[i]->process_id);
	if (str_is(t->model_request_id))
		add_thing(d, &p, STR("model_request"), t->model_request_id);
	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i]))
			add_thing(d, &p, STR("action"), th->actions.items[i]->action_id);
	ev = decision_in_turn(decision_emit_event(d, EV_RUN_STATUS, &p), th, t);
	ev->status = STATUS_CANCELLING;
	ev->phase = PHASE_CANCELLING;
	/* A real task outlives the stopped turn; only cancel_task cancels it. */
	if (!str_is(t->task_id) || t->stage == TURN_STAGE_LOST || !task || !task->implicit ||
	    !task_table_allows(EV_TASK_CANCEL_REQUESTED, task->record->status))
		return;
	ev = decision_in_turn(EMIT(d, TASK_CANCEL_REQUESTED, task_cancel_requested,
	                           .reason = STR("interrupt"), .requested_by = decision_actor(d),
	                           .propagation = PROPAGATION_CHILDREN_AND_PROCESSES),
	                      th, t);
	ev->status = STATUS_CANCELLING;
	ev->task =
		KEPT(d, struct rec_task, .task_id = t->task_id, .status = TASK_STATUS_CANCELLING);
}

/*
 * The crash has ended the earlier attempt (task.attempt.failed, task.lost); the turn itself stayed
 * open.  The fold of task.attempt.started moves it back to PREPARING.
 */
void turn_emit_resume(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      struct str cause)
{
	struct str run_id = decision_new_id(d, "run"), attempt_id = decision_new_id(d, "att");
	struct event *ev = decision_in_turn(
		EMIT(d, TASK_RETRYING, task_retrying, .reason = STR("crash_recovery"),
	             .previous_run_id = t->run_id, .attempt = t->run_number + 1,
	             .requested_by = decision_actor(d)),
		th, t);

	ev->run_id = run_id;
	ev->attempt_id = attempt_id;
	ev->status = STATUS_RETRYING;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id, .status = TASK_STATUS_RETRYING,
	                .current_run_id = run_id);
	turn_emit_attempt(d, th, t, run_id, attempt_id, t->run_number + 1,
	                  ATTEMPT_CAUSE_CRASH_RECOVERY);
	ev = decision_in_thread(EMIT(d, THREAD_UPDATED, thread_updated,
	                             .active_turn_id = t->turn_id,
	                             .profile_status = STATUS_PREPARING, .cause = cause),
	                        th);
	ev->turn_id = t->turn_id;
	ev->status = STATUS_RUNNING;
}

struct event *turn_emit_in_request(struct event *ev, const struct st_thread *th,
                                   const struct st_turn *t)
{
	decision_in_turn(ev, th, t)->model_request_id = t->model_request_id;
	return ev;
}

/*
 * Each reasoning step ends with exactly one summary.  The source is the provider's summary or the
 * beginning of the text; no model is asked to write one (GAP-45).
 */
void turn_emit_reasoning_end(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t, struct str summary)
{
	struct str preview = str_is(summary) ? utf8_preview(d->mem, summary, 400)
	                                     : utf8_preview(d->mem, t->reasoning_preview, 160);
	struct event *ev;

	if (!str_is(t->reasoning_step_id))
		return;
	ev = turn_emit_in_request(
		EMIT(d, REASONING_SUMMARY, reasoning_summary,
	             .source = str_is(summary) ? SUMMARY_SOURCE_PROVIDER : SUMMARY_SOURCE_RUNTIME,
	             .preview = preview, .bytes = t->reasoning_bytes,
	             .truncation = (size_t)t->reasoning_bytes > preview.len && !str_is(summary)
	                                   ? TRUNCATION_HEAD
	                                   : TRUNCATION_NONE,
	             .redaction = REDACTION_NONE),
		th, t);
	ev->step_id = t->reasoning_step_id;
	ev->item = turn_item(d, t->reasoning_step_id, ITEM_KIND_REASONING, t->reasoning_index,
	                     STATUS_COMPLETED);
	decision_add_ref(d, ev, STR("text"), decision_new_id(d, "out"));
}

void turn_emit_snapshot(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        enum recovery_mode mode)
{
	struct event *ev = decision_in_thread(
		EMIT(d, SNAPSHOT_UPDATED, snapshot_updated,
	             .models = STRINGS(d, STR("session_snapshot"), STR("thread_read_model"),
	                               STR("task_snapshot")),
	             .reflects_sequence = d->w->s->sequence + (int64_t)d->count,
	             .fold_version = FOLD_VERSION, .recovery_mode = mode),
		th);

	ev->turn_id = t->turn_id;
	decision_add_ref(d, ev, STR("snapshot"), decision_new_id(d, "out"));
}
