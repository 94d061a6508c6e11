/*
 * Ends of turns: from the inner objects to the outer ones, in one commit.
 * spec: GAP-09, GAP-40, GAP-41
 */
#include "core/budget/budget.h"
#include "core/approval/escalation.h"
#include "core/notice/notice.h"
#include "core/hook/hook.h"
#include "core/task/task.h"
#include "core/task/task_bounds.h"
#include "core/process/process.h"
#include "core/turn/queue.h"
#include "core/tool/tool_emit.h"
#include "core/tool/tool_args.h"
#include "core/turn/turn_emit.h"

/* `timeout` is the reason of a client whose user limited the time (thole run --timeout). */
static struct str stop_message(const struct st_turn *t)
{
	static const struct str by_client[] = {
		[INTERRUPT_REASON_TIMEOUT] = STR("stopped at the time limit of its command"),
		[INTERRUPT_REASON_CLIENT] = STR("stopped by its client program"),
		[INTERRUPT_REASON_CLIENT_ENDED] = STR("stopped because its client program ended"),
	};
	uint32_t word =
		str_is(t->stop_cause) ? rec_enum_read(&enum_interrupt_reason, t->stop_cause) : 0;

	if (!t->stop_by || t->stop_by->kind != ACTOR_KIND_USER)
		return STR("stopped by the runtime");
	return word > INTERRUPT_REASON_USER ? by_client[word] : STR("stopped by the owner");
}

/* The thread's status after the turn: its result, or queued when others wait. */
static void emit_thread_end(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            enum status outcome, struct str cause, struct str reason,
                            uint32_t queued)
{
	struct event *ev = decision_in_thread(
		EMIT(d, THREAD_UPDATED, thread_updated,
	             .profile_status = queued ? STATUS_QUEUED : outcome,
	             .last_outcome = KEPT(d, struct rec_last_outcome, .turn_id = t->turn_id,
	                                  .status = outcome),
	             .queued = queued, .has_queued = queued > 0, .cause = cause),
		th);

	ev->turn_id = t->turn_id;
	/* spec: STA-16 — a thread has nine words; the exact one is the profile's. */
	ev->status = queued                                                  ? STATUS_QUEUED
	             : outcome == STATUS_LOST || outcome == STATUS_TIMED_OUT ? STATUS_FAILED
	                                                                     : outcome;
	ev->status_reason = reason;
}

/*
 * A steer gets its own task when its target turn did not take it.  The steer shared the target's
 * task until here.  As a separate turn it needs a task and a run (GAP-12); ret_ids passes them to
 * the caller, because the queue event that moves the turn carries them.
 */
static void emit_steer_task(struct decision *d, const struct st_thread *th, const struct st_turn *s,
                            uint32_t position, struct st_turn *ret_ids)
{
	struct str id = decision_new_id(d, "task"),
		   title = str_is(s->input_preview) ? s->input_preview : STR("");
	struct event *ev = decision_in_thread(
		EMIT(d, TASK_CREATED, task_created, .objective = title, .implicit = true), th);

	ret_ids->task_id = id;
	ret_ids->run_id = decision_new_id(d, "run");
	ret_ids->attempt_id = decision_new_id(d, "att");
	ev->turn_id = s->turn_id;
	ev->task_id = id;
	ev->status = STATUS_DRAFT;
	ev->task = KEPT(d, struct rec_task, .task_id = id, .root_task_id = id,
	                .session_id = d->session_id, .thread_id = th->thread_id,
	                .turn_id = s->turn_id, .title = title, .objective = title,
	                .task_kind = STR("chat"), .task_family = STR("turn"),
	                .visibility = VISIBILITY_INTERNAL, .status = TASK_STATUS_DRAFT,
	                .priority = STR("normal"), .requested_by = decision_actor(d),
	                .owner = KEPT(d, struct rec_actor, .kind = ACTOR_KIND_RUNTIME,
	                              .runtime_id = d->settings->runtime_id),
	                .created_at = d->now);
	ev->task->acceptance.items = ARENA_ARRAY(d->mem, struct rec_criterion *, 1);
	ev = decision_in_thread(
		EMIT(d, TASK_ACCEPTED, task_accepted, .accepted_by = STR("runtime")), th);
	ev->turn_id = s->turn_id;
	ev->task_id = id;
	ev->status = STATUS_ACCEPTED;
	ev->task = KEPT(d, struct rec_task, .task_id = id, .status = TASK_STATUS_ACCEPTED);
	ev = decision_in_thread(EMIT(d, TASK_QUEUED, task_queued, .reason = STR("steer_came_late"),
	                             .position = position, .has_position = true),
	                        th);
	ev->turn_id = s->turn_id;
	ev->task_id = id;
	ev->status = STATUS_QUEUED;
	ev->task = KEPT(d, struct rec_task, .task_id = id, .status = TASK_STATUS_QUEUED);
}

/*
 * Where a late steer enters the queue: in front of turns that were submitted after it, so that
 * messages run in the order in which they were sent.  A turn that interrupts stays the first.
 */
static uint32_t late_position(const struct st_thread *th, const struct list_str *order,
                              const struct st_turn *s)
{
	uint32_t at = order->count;

	for (; at; at--) {
		const struct st_turn *q = state_thread_turn(th, order->items[at - 1]);

		if (!q || q->submitted_sequence < s->submitted_sequence ||
		    q->delivery == DELIVERY_INTERRUPT)
			break;
	}
	return at;
}

/* Steers that came too late become ordinary queued turns (GAP-57).  Returns all that wait. */
static struct list_str emit_late_steers(struct decision *d, const struct st_thread *th,
                                        const struct st_turn *t)
{
	struct list_str order = decision_strings(d, th->order.count, th->order.items);
	struct st_turn q_ids = { 0 };

	for (uint32_t i = 0; i < t->steered.count; i++) {
		const struct st_turn *s = state_thread_turn(th, t->steered.items[i]);
		struct ev_queue_changed q = { .change = QUEUE_CHANGE_ADDED,
			                      .queued_turn_id = t->steered.items[i],
			                      .policy = queue_rules(d, th),
			                      .reason = STR(
						      "the turn that it was meant for has ended") };
		struct event *ev;
		uint32_t at;

		if (!s)
			continue;
		at = late_position(th, &order, s);
		emit_steer_task(d, th, s, at + 1, &q_ids);
		rec_list_str_insert(d->mem, &order, at, s->turn_id);
		q.order = decision_strings(d, order.count, order.items);
		q.position = at + 1;
		q.has_position = true;
		ev = decision_in_thread(decision_emit_event(d, EV_QUEUE_CHANGED, &q), th);
		ev->turn_id = s->turn_id;
		ev->task_id = q_ids.task_id;
		ev->run_id = q_ids.run_id;
		ev->attempt_id = q_ids.attempt_id;
		ev->queue_id = queue_id(d, th);
	}
	return order;
}

/* ---- completed ---- */

/* The task that outlives this turn; NULL: it has only its implicit one. */
static const struct st_task *real_task(const struct decision *d, const struct st_turn *t)
{
	const struct st_task *task = str_is(t->task_id) ? state_task(d->w, t->task_id) : NULL;

	return task && !task->implicit ? task : NULL;
}

/*
 * Task events that come from the turn also carry the turn's ids. task.retrying is left out: it
 * names the ids of the next run.
 */
static void place_in_turn(struct decision *d, size_t from, const struct st_thread *th,
                          const struct st_turn *t)
{
	for (size_t i = from; i < d->count; i++)
		if (str_eq(d->events[i]->task_id, t->task_id) && !str_is(d->events[i]->turn_id) &&
		    d->events[i]->type != EV_TASK_RETRYING)
			decision_in_turn(d->events[i], th, t);
}

static void emit_attempt_done(struct decision *d, const struct st_thread *th,
                              const struct st_turn *t, struct str message_ref)
{
	struct rec_task_attempt *a =
		KEPT(d, struct rec_task_attempt, .run_id = t->run_id, .attempt_id = t->attempt_id,
	             .status = ATTEMPT_STATUS_COMPLETED, .attempt_count = t->run_number,
	             .ended_at = d->now, .completion_summary = t->last_message_preview);
	struct event *ev;

	if (str_is(message_ref)) {
		struct rec_ref_entry *r =
			rec_list_add(d->mem, &a->output_refs, &rec_ref_entry_desc);

		*r = (struct rec_ref_entry){ .kind = STR("agent_message"), .ref = message_ref };
	}
	ev = decision_in_turn(EMIT(d, TASK_ATTEMPT_COMPLETED, task_attempt_completed,
	                           .attempt = t->run_number, .status = ATTEMPT_STATUS_COMPLETED),
	                      th, t);
	ev->status = STATUS_COMPLETED;
	ev->task_attempt = a;
}

static void emit_turn_completed(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t, struct str message_ref)
{
	struct event *ev = decision_in_turn(
		EMIT(d, TURN_COMPLETED, turn_completed, .outcome = TURN_OUTCOME_COMPLETED,
	             .steps = t->step_count, .has_steps = true, .model_requests = t->request_number,
	             .has_model_requests = true, .usage = budget_turn_tokens(d, t),
	             .cost_usd = t->spent_usd, .has_cost_usd = !t->cost_unknown,
	             .children_usd = t->children_usd, .has_children_usd = t->children_usd > 0,
	             .amount_state = t->cost_unknown ? HONESTY_UNKNOWN : 0,
	             .usage_state = t->untold_usage ? HONESTY_UNKNOWN : 0,
	             .cost_status = t->cost_estimated ? COST_STATUS_ESTIMATED : 0,
	             .step_id = t->last_message_step_id),
		th, t);

	ev->status = STATUS_COMPLETED;
	if (str_is(message_ref))
		decision_add_ref(d, ev, STR("lastMessage"), message_ref);
}

static void emit_implicit_done(struct decision *d, const struct st_thread *th,
                               const struct st_turn *t)
{
	struct event *ev = decision_in_turn(
		EMIT(d, TASK_COMPLETED, task_completed,
	             .reconciled = KEPT(d, struct rec_reconciled,
	                                .acceptance = RECONCILE_STATUS_NOT_APPLICABLE,
	                                .artifacts = RECONCILE_STATUS_NOT_APPLICABLE,
	                                .evidence = RECONCILE_STATUS_NOT_APPLICABLE,
	                                .delivery = RECONCILE_STATUS_NOT_APPLICABLE)),
		th, t);

	ev->status = STATUS_COMPLETED;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id, .status = TASK_STATUS_COMPLETED,
	                .ended_at = d->now);
	ev->delivery_state =
		KEPT(d, struct rec_delivery_state, .state = DELIVERY_STATUS_NOT_APPLICABLE);
}

static void fail_acceptance(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            const struct st_task *task, const struct reconciliation *r);

/*
 * spec: STA-11 — the model stopped; whether the task is complete is verified.  The end of the turn
 * is only a claim that its task is done.  For a real task the claim is compared with what exists: a
 * checked criterion that does not hold fails the turn; something that is still missing, such as an
 * open child task, leaves the task waiting; otherwise the task completes.  All ends are one commit,
 * from the inner object to the outer (GAP-41).
 */
void turn_end_finish(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	const struct st_task *task = real_task(d, t);
	struct str message_ref;
	struct reconciliation r;
	size_t from;

	if (task)
		task_end_reconcile(d, task, NULL, &r);
	if (task && r.unmet.count) {
		fail_acceptance(d, th, t, task, &r);
		return;
	}
	/* A virtual output: the text of the last message is read back from its events. */
	message_ref = str_is(t->last_message_step_id) ? decision_new_id(d, "out") : STR_NONE;
	notice_end(d, th, t);
	emit_attempt_done(d, th, t, message_ref);
	from = d->count;
	if (!task)
		emit_implicit_done(d, th, t);
	else if (r.missing.count)
		task_end_emit_unfinished(d, task, &r);
	else
		task_end_emit_completed(d, task, &r, NULL, NULL);
	place_in_turn(d, from, th, t);
	emit_turn_completed(d, th, t, message_ref);
	if (task && !r.missing.count)
		task_graph_release(d, task, TASK_STATUS_COMPLETED);
	uint32_t queued = emit_late_steers(d, th, t).count;

	emit_thread_end(d, th, t, STATUS_COMPLETED, STR("turn.completed"), STR_NONE, queued);
	turn_emit_snapshot(d, th, t, RECOVERY_MODE_NONE);
}

/* ---- failed ---- */

/*
 * One description of an end that is not success, used for attempt, task and turn alike, so that the
 * three events cannot contradict each other.
 */
struct ending {
	enum status status; /* of turn and attempt */
	enum turn_outcome outcome;
	enum error_category category;
	struct str reason, message, remedy;
	bool retryable;
	const struct rec_actor *by;
};

static void emit_attempt_failed(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t, const struct ending *e)
{
	struct event *ev = decision_in_turn(EMIT(d, TASK_ATTEMPT_FAILED, task_attempt_failed,
	                                         .status = e->status, .retryable = e->retryable,
	                                         .failure_category = e->category,
	                                         .next_attempt_policy = STR("manual")),
	                                    th, t);

	ev->status = e->status;
	ev->task_attempt =
		KEPT(d, struct rec_task_attempt, .run_id = t->run_id, .attempt_id = t->attempt_id,
	             .status = e->status == STATUS_CANCELLED ? ATTEMPT_STATUS_CANCELLED
	                                                     : ATTEMPT_STATUS_FAILED,
	             .attempt_count = t->run_number, .ended_at = d->now,
	             .last_error = KEPT(d, struct rec_last_error, .category = e->category,
	                                .message = e->message, .remedy = e->remedy));
}

static void emit_turn_failed(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t, const struct ending *e)
{
	struct event *ev = decision_in_turn(
		EMIT(d, TURN_FAILED, turn_failed, .outcome = e->outcome, .category = e->category,
	             .reason = e->reason, .retryable = e->retryable, .message = e->message,
	             .remedy = e->remedy, .steps = t->step_count, .has_steps = true,
	             .model_requests = t->request_number, .has_model_requests = true,
	             .usage = budget_turn_tokens(d, t), .cost_usd = t->spent_usd,
	             .has_cost_usd = !t->cost_unknown, .children_usd = t->children_usd,
	             .has_children_usd = t->children_usd > 0,
	             .amount_state = t->cost_unknown ? HONESTY_UNKNOWN : 0,
	             .usage_state = t->untold_usage ? HONESTY_UNKNOWN : 0,
	             .cost_status = t->cost_estimated ? COST_STATUS_ESTIMATED : 0,
	             .provider = t->provider, .model = t->model,
	             .ended_by = e->by ? rec_clone(d->mem, &rec_actor_desc, e->by) : NULL),
		th, t);

	ev->status = e->status;
	ev->status_reason = e->message;
}

/*
 * The run of a real task failed.  Order: the attempt, the task, the turn; then tasks that waited
 * for this one. task_end_after_failure() decides whether the task retries, pauses or fails; the
 * returned status is what dependent tasks see.
 */
static void fail_task_turn(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_task *task, const struct ending *e,
                           const struct list_str *unmet)
{
	const struct rec_task_attempt *a = task_run(task);
	struct task_failure f = { e->status, e->category, e->message, e->remedy, e->retryable };
	size_t from = d->count;
	enum task_status now;

	if (a)
		task_end_emit_run_failed(d, task, a, &f);
	now = task_end_after_failure(d, task, &f, unmet);
	place_in_turn(d, from, th, t);
	emit_turn_failed(d, th, t, e);
	task_graph_release(d, task, now);
}

static void fail_acceptance(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            const struct st_task *task, const struct reconciliation *r)
{
	struct ending e = {
		.status = STATUS_FAILED,
		.outcome = TURN_OUTCOME_FAILED,
		.category = ERROR_CATEGORY_ACCEPTANCE_UNMET,
		.reason = r->unmet.items[0],
		.message = r->missing.items[0],
		.retryable = true,
	};
	uint32_t queued;

	fail_task_turn(d, th, t, task, &e, &r->unmet);
	queued = emit_late_steers(d, th, t).count;
	emit_thread_end(d, th, t, STATUS_FAILED, STR("turn.failed"), e.message, queued);
	turn_emit_snapshot(d, th, t, RECOVERY_MODE_NONE);
}

static void fail_implicit(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct ending *e)
{
	struct event *ev;

	/* A turn that fails before its run began has no attempt to end. */
	if (str_is(t->prepared_run_id) || t->started_at)
		emit_attempt_failed(d, th, t, e);
	ev = decision_in_turn(EMIT(d, TASK_FAILED, task_failed, .category = e->category,
	                           .retryable = e->retryable, .message = e->message,
	                           .remedy = e->remedy),
	                      th, t);
	ev->status = STATUS_FAILED;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id, .status = TASK_STATUS_FAILED,
	                .ended_at = d->now,
	                .last_error = KEPT(d, struct rec_last_error, .category = e->category,
	                                   .message = e->message, .remedy = e->remedy));
	emit_turn_failed(d, th, t, e);
}

/* ---- open calls and actions ---- */

/*
 * Calls that get no result any more.  tool.failed records for each of them whether it may have run.
 */
static void end_calls(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      enum error_category category, struct str reason, struct str message)
{
	struct tool_error error = { .category = error_category_word(category),
		                    .reason = reason,
		                    .message = message,
		                    .advice = tool_error_interrupted().advice };

	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];

		if (str_eq(c->turn_id, t->turn_id) && !call_is_over(c))
			tool_emit_failed(d, th, t, c, STATUS_CANCELLED, error);
	}
}

/* The turn was stopped or failed, so the action needs no answer any more. */
static void cancel_action(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          const struct st_action *a, struct str reason)
{
	struct rec_actor *by = t->stop_by ? rec_clone(d->mem, &rec_actor_desc, t->stop_by)
	                       : d->call  ? decision_actor(d)
	                                  : KEPT(d, struct rec_actor, .kind = ACTOR_KIND_RUNTIME);
	const struct st_call *c =
		str_is(a->tool_call_id) ? state_thread_call(th, a->tool_call_id) : NULL;
	struct event *ev = decision_in_turn(
		EMIT(d, ACTION_RESOLVED, action_resolved,
	             .decision =
	                     action_permits(a) ? APPROVAL_DECISION_DENY : APPROVAL_DECISION_CANCEL,
	             .decided_by = by, .waited_ms = since(d, a->requested_at), .reason = reason),
		th, t);

	ev->step_id = a->step_id;
	ev->tool_call_id = a->tool_call_id;
	ev->action_id = a->action_id;
	ev->status = STATUS_CANCELLED;
	if (!action_permits(a) || !c)
		return;
	ev = decision_in_call(EMIT(d, PERMISSION_RESOLVED, permission_resolved,
	                           .decision = APPROVAL_DECISION_DENY,
	                           .decision_source = DECISION_SOURCE_HUMAN),
	                      th, t, c);
	ev->action_id = a->action_id;
	ev->process_id = tool_args_process(d, c);
	ev->status = STATUS_CANCELLED;
	if (c->permission) {
		ev->permission_decision =
			rec_clone(d->mem, &rec_permission_decision_desc, c->permission);
		ev->permission_decision->decision = APPROVAL_DECISION_DENY;
		ev->permission_decision->decision_reason = STR("the turn ended before an answer");
	}
}

static void cancel_actions(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           struct str reason)
{
	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i]) &&
		    str_eq(th->actions.items[i]->turn_id, t->turn_id))
			cancel_action(d, th, t, th->actions.items[i], reason);
}

/*
 * Called again after each fold until nothing inside the turn is open: the first pass ends calls and
 * actions, the second the turn.
 */
void turn_end_fail(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	const struct st_task *task = real_task(d, t);
	const struct rec_last_error *err = t->last_error;
	struct ending e = {
		.status = STATUS_FAILED,
		.outcome = TURN_OUTCOME_FAILED,
		.category = err ? err->category : ERROR_CATEGORY_INTERNAL,
		.reason = error_category_word(err ? err->category : ERROR_CATEGORY_INTERNAL),
		.message = err ? err->message : STR("The turn failed."),
		.remedy = err ? err->remedy : STR_NONE,
		.retryable = err && err->retryable,
	};
	uint32_t queued;

	/*
	 * Calls that did not run before a crash may have kept their place (GAP-36): they are folded
	 * first.
	 */
	end_calls(d, th, t, e.category, e.reason, e.message);
	cancel_actions(d, th, t, STR("turn.failed"));
	if (d->count)
		return;
	if (task)
		fail_task_turn(d, th, t, task, &e, NULL);
	else
		fail_implicit(d, th, t, &e);
	queued = emit_late_steers(d, th, t).count;
	emit_thread_end(d, th, t, STATUS_FAILED, STR("turn.failed"), e.message, queued);
	turn_emit_snapshot(d, th, t, RECOVERY_MODE_NONE);
}

/* ---- stopped ---- */

/* Ends every queued turn and every steer that was not taken. */
static void clear_queue(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	queue_clear(d, th);
	for (uint32_t i = 0; i < t->steered.count; i++) {
		const struct st_turn *steer = state_thread_turn(th, t->steered.items[i]);

		if (steer)
			queue_end_unbegun(d, th, steer, STR("cleared"));
	}
}

/*
 * spec: GAP-40 — keep holds the queue, clear empties it, continue starts the next turn.  Returns
 * how many turns wait, for the thread's status.  Late steers enter the queue before it is held, so
 * that resume_thread finds all of them.
 */
static uint32_t settle_queue(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t)
{
	struct ev_queue_changed q = { .change = QUEUE_CHANGE_HELD, .policy = queue_rules(d, th) };

	if (t->queue_policy == QUEUE_POLICY_CLEAR) {
		clear_queue(d, th, t);
		return 0;
	}
	q.order = emit_late_steers(d, th, t);
	if (!q.order.count || t->queue_policy == QUEUE_POLICY_CONTINUE)
		return q.order.count;
	q.reason = STR("the previous turn was stopped; resume_thread continues the queue");
	decision_in_thread(decision_emit_event(d, EV_QUEUE_CHANGED, &q), th)->queue_id =
		queue_id(d, th);
	return q.order.count;
}

/* Cancels the implicit task with its turn. */
static void cancel_with_turn(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t, const struct ending *e)
{
	struct event *ev;

	if (str_is(t->prepared_run_id) || t->started_at)
		emit_attempt_failed(d, th, t, e);
	ev = decision_in_turn(
		EMIT(d, TASK_CANCELLED, task_cancelled, .reason = STR("interrupt"),
	             .cancelled_by = t->stop_by ? rec_clone(d->mem, &rec_actor_desc, t->stop_by)
	                                        : decision_actor(d)),
		th, t);
	ev->status = STATUS_CANCELLED;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id, .status = TASK_STATUS_CANCELLED,
	                .status_reason = e->message, .ended_at = d->now);
}

/*
 * The task was declared complete while the agent still worked on it. decide_complete_task() has
 * checked the criteria and stored the claim before it stopped the agent, so the reconciliation
 * finds them met.
 */
static void complete_stopped(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t, const struct st_task *task)
{
	struct reconciliation r;
	size_t from;

	task_end_reconcile(d, task, NULL, &r);
	emit_attempt_done(d, th, t, STR_NONE);
	from = d->count;
	task_end_emit_completed(d, task, &r, NULL, t->stop_by);
	place_in_turn(d, from, th, t);
	emit_turn_completed(d, th, t, STR_NONE);
	task_graph_release(d, task, TASK_STATUS_COMPLETED);
	uint32_t queued = settle_queue(d, th, t);

	emit_thread_end(d, th, t, STATUS_COMPLETED, STR("turn.completed"), STR_NONE, queued);
	turn_emit_snapshot(d, th, t, RECOVERY_MODE_NONE);
}

/* The run has ended, the task has not: resume_task starts its next run. */
static void pause_with_turn(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            const struct st_task *task, const struct ending *e)
{
	const struct rec_task_attempt *a = task_run(task);
	struct task_failure f = { e->status, e->category, e->message, e->remedy, e->retryable };
	size_t from = d->count;

	if (a)
		task_end_emit_run_failed(d, task, a, &f);
	task_run_emit_paused(d, task, t->stop_cause, t->stop_by);
	place_in_turn(d, from, th, t);
	emit_turn_failed(d, th, t, e);
}

/*
 * spec: GAP-40, GAP-68 — the reason of the stop decides what it means for the task; a plain
 * interrupt pauses it.  True: the end was emitted completely.
 */
static bool stop_task_turn(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_task *task, struct ending *e)
{
	const struct rec_last_error *err = task->record->last_error;

	e->reason = t->stop_cause;
	if (str_eq(t->stop_cause, STR("complete_task")) && !task->cancelled) {
		complete_stopped(d, th, t, task);
		return true;
	}
	bool is_silent = str_eq(t->stop_cause, STR("inactivity_limit"));

	if (str_eq(t->stop_cause, STR("time_limit")) || is_silent ||
	    str_eq(t->stop_cause, STR("attempt_limit"))) {
		e->status = STATUS_TIMED_OUT;
		e->outcome = TURN_OUTCOME_TIMED_OUT;
		e->category = ERROR_CATEGORY_TIMEOUT;
		e->message = is_silent ? TASK_SILENT : STR("it exceeded its time limit");
		/*
		 * The time limit covers the task as a whole, so another attempt would have no time.
		 * The other two limit one attempt.
		 */
		e->retryable = !str_eq(t->stop_cause, STR("time_limit"));
	} else if (str_eq(t->stop_cause, TASK_BOUNDS_OUTPUT)) {
		e->status = STATUS_FAILED;
		e->outcome = TURN_OUTCOME_FAILED;
		e->category = ERROR_CATEGORY_OUTPUT_LIMIT;
		e->message = STR("it left more output than constraints.outputBytes allows");
		e->retryable = false;
	} else if (str_eq(t->stop_cause, STR("fail_task")) && err) {
		e->status = STATUS_FAILED;
		e->outcome = TURN_OUTCOME_FAILED;
		e->category = err->category;
		e->message = err->message;
		e->retryable = false;
	} else if (!task->cancelled) {
		pause_with_turn(d, th, t, task, e);
		return false;
	}
	fail_task_turn(d, th, t, task, e, NULL);
	return false;
}

/*
 * Ends the open model request.  It needs no confirmation: its end here makes the engine cancel it,
 * and late pieces are dropped.  The usage stays unknown, so the estimate counts as spent (GAP-49).
 */
static void stop_request(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct event *ev;

	turn_emit_reasoning_end(d, th, t, STR_NONE);
	ev = decision_in_turn(
		EMIT(d, MODEL_FAILED, model_failed, .category = ERROR_CATEGORY_INTERRUPTED,
	             .retryable = true, .attempt = t->attempt, .provider = t->provider,
	             .model = t->model, .message = stop_message(t),
	             .bytes_received = t->text_bytes + t->reasoning_bytes,
	             .usage_state = HONESTY_UNKNOWN, .duration_ms = since(d, t->requested_at),
	             .reason = STR("interrupt_turn")),
		th, t);
	ev->model_request_id = t->model_request_id;
	ev->status = STATUS_CANCELLED;
	if (str_is(t->text_step_id)) {
		ev->step_id = t->text_step_id;
		ev->item = turn_item(d, t->text_step_id, ITEM_KIND_AGENT_MESSAGE, t->text_index,
		                     STATUS_CANCELLED);
	}
	budget_cost_recorded(d, th, t, COST_BASIS_ESTIMATE, NULL);
}

/* A call, a hook or a process of the turn still runs; the turn ends after it. */
static bool stop_is_awaited(const struct decision *d, const struct st_thread *th,
                            const struct st_turn *t)
{
	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];

		if (str_eq(c->turn_id, t->turn_id) && turn_call_has_effect(c))
			return true;
	}
	return hook_is_running(th, t) || process_stops_with_task(d->w, t->task_id);
}

/*
 * An object ends after everything that it started: false while an effect still runs.  The engine
 * cancels the tools and hooks of a stopping turn once the intent is durable; each result is an
 * input, after which step.c calls this function again.  The passes: wait for the effects; end
 * calls, actions and the model request; end the task and the turn.
 */
bool turn_end_stop(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	/*
	 * A crash has ended the task's run already (task.lost), or the turn has no task: then only
	 * the turn ends.
	 */
	bool was_lost = !str_is(t->task_id) ||
	                (state_task(d->w, t->task_id) &&
	                 state_task(d->w, t->task_id)->record->status == TASK_STATUS_LOST);
	struct str why = stop_message(t);
	struct ending e = {
		.status = was_lost ? STATUS_LOST : STATUS_CANCELLED,
		.outcome = was_lost ? TURN_OUTCOME_LOST : TURN_OUTCOME_CANCELLED,
		.category = was_lost ? ERROR_CATEGORY_LOST : ERROR_CATEGORY_INTERRUPTED,
		.reason = STR("interrupt_turn"),
		.message = why,
		.retryable = true,
		.by = t->stop_by,
	};
	const struct st_task *task;
	uint32_t queued;

	if (stop_is_awaited(d, th, t)) {
		/*
		 * The request does not wait: an answer that arrives during the wait would move the
		 * turn on, and the stop would be lost.
		 */
		if (!str_is(t->model_request_id))
			return false;
		stop_request(d, th, t);
		return true;
	}
	end_calls(d, th, t, ERROR_CATEGORY_INTERRUPTED, STR("interrupt_turn"), why);
	cancel_actions(d, th, t, STR("interrupt_turn"));
	if (str_is(t->model_request_id))
		stop_request(d, th, t);
	/* The turn's end sums up their costs, so they are folded first. */
	if (d->count)
		return true;
	task = was_lost ? NULL : real_task(d, t);
	if (task && stop_task_turn(d, th, t, task, &e))
		return true;
	if (!was_lost && !task)
		cancel_with_turn(d, th, t, &e);
	if (!task)
		emit_turn_failed(d, th, t, &e);
	queued = settle_queue(d, th, t);
	emit_thread_end(d, th, t, e.status, STR("turn.failed"), e.message, queued);
	turn_emit_snapshot(d, th, t, RECOVERY_MODE_NONE);
	return true;
}
