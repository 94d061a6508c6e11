/*
 * Folds what a turn waits for: tool calls, actions and the queue.
 */
#include "core/fold_part.h"
#include "base/jw.h"
#include "base/utf8.h"
#include "core/turn/turn_table.h"
#include "core/subagent/subagent.h"
#include "core/gen/tables.h"
#include "core/tool/todo.h"

/* ---- tool calls ---- */

static struct st_call *call_of(struct state *w, const struct event *ev)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	return th ? state_thread_call(th, ev->tool_call_id) : NULL;
}

/* Without a model there is no response whose end would do this. */
static void begin_acting(struct state *w, struct st_thread *th, struct st_turn *t)
{
	if (!t || t->kind != TURN_KIND_CALL || t->stage != TURN_STAGE_PREPARING)
		return;
	turn_table_move(w, t, TURN_STAGE_ACTING);
	t->prepared_run_id = t->run_id;
	t->status = STATUS_RUNNING;
	t->phase = PHASE_WORKING;
	th->profile_status = STATUS_RUNNING;
}

/*
 * executed is `no` until the dispatch mark: after a crash, an unmarked call has not run (GAP-36).
 */
void tool_on_tool_started(struct state *w, const struct event *ev, const struct ev_tool_started *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (!th)
		return;
	struct st_call *c = rec_list_add(w->mem, &th->calls, &st_call_desc);

	c->tool_call_id = KEEP(w, ev->tool_call_id);
	c->step_id = KEEP(w, ev->step_id);
	c->turn_id = KEEP(w, ev->turn_id);
	c->tool_name = KEEP(w, p->tool_name);
	c->provider_call_id = KEEP(w, p->provider_call_id);
	c->status = STATUS_QUEUED;
	c->policy = p->policy;
	c->read_only = p->is_read_only;
	c->destructive = p->is_destructive;
	c->concurrency_safe = p->is_concurrency_safe;
	c->executed = EXECUTED_NO;
	c->started_at = ev->timestamp;
	c->started_sequence = ev->sequence;
	c->span_id = KEEP(w, ev->span_id);
	if (ev->item) {
		c->kind = ev->item->kind;
		c->index = ev->item->index;
	}
	turn_fold_item(w, turn_fold_turn(w, ev), ev);
	begin_acting(w, th, turn_fold_turn(w, ev));
}

void tool_on_tool_args(struct state *w, const struct event *ev, const struct ev_tool_args *p)
{
	struct st_call *c = call_of(w, ev);

	if (!c)
		return;
	c->args = KEEP(w, p->safe_args);
	c->args_ref = KEEP(w, p->input_ref);
	c->shown_ref = KEEP(w, p->safe_args_ref);
	c->redacted = c->has_redacted = p->redacted;
	c->valid = p->valid;
	c->message = p->errors.count ? KEEP(w, p->errors.items[0]) : STR_NONE;
	if (p->updated_by != UPDATED_BY_HUMAN)
		return;
	/* Evaluated from the start by hooks and rules, as if the model had written it. */
	c->approved_ref = KEEP(w, p->input_ref);
	c->judged = false;
	c->pre_hooks = c->ask_hooks = 0;
	c->hook_decision = 0;
	c->hook_reason = STR_NONE;
	c->hook_failed = false;
}

void tool_on_permission_evaluated(struct state *w, const struct event *ev,
                                  const struct ev_permission_evaluated *p)
{
	struct st_call *c = call_of(w, ev);

	switch (p->decision) {
	case APPROVAL_DECISION_ALLOW:
	case APPROVAL_DECISION_SANDBOXED:
		w->s->allowed++;
		break;
	case APPROVAL_DECISION_ASK:
		w->s->asked++;
		break;
	default:
		w->s->denied++;
	}
	if (!c)
		return;
	c->judged = true;
	/*
	 * The run has ended; the question follows after the hooks.  A call that ran is evaluated
	 * again only when the sandbox denied it something (escalation on failure).
	 */
	if (c->dispatched && p->decision == APPROVAL_DECISION_ASK && !str_is(ev->action_id)) {
		c->dispatched = false;
		c->asks_more = true;
		c->message = KEEP(w, ev->status_reason);
	}
	if (ev->permission_decision)
		c->permission =
			rec_clone(w->mem, &rec_permission_decision_desc, ev->permission_decision);
	c->action_id = KEEP(w, ev->action_id);
}

void tool_on_permission_resolved(struct state *w, const struct event *ev,
                                 const struct ev_permission_resolved *p)
{
	struct st_call *c = call_of(w, ev);

	if (p->decision == APPROVAL_DECISION_ALLOW)
		w->s->allowed++;
	else
		w->s->denied++;
	if (!c)
		return;
	if (ev->permission_decision)
		c->permission =
			rec_clone(w->mem, &rec_permission_decision_desc, ev->permission_decision);
	/* What the original input needed, an edited one may not need. */
	if (p->decision == APPROVAL_DECISION_ALLOW && c->wanted && !str_is(p->updated_input_ref))
		c->override = c->wanted;
	if (p->decision == APPROVAL_DECISION_ALLOW)
		c->wanted = NULL;
}

/* From this event on the call may have an effect: a crash makes its outcome unknown. */
static void fold_dispatch(struct state *w, struct st_call *c, const struct event *ev)
{
	c->dispatched = true;
	c->dispatched_sequence = ev->sequence;
	c->dispatched_at = ev->timestamp;
	c->status = STATUS_RUNNING;
	c->executed = EXECUTED_UNKNOWN;
	turn_fold_item(w, turn_fold_turn(w, ev), ev);
}

void tool_on_tool_progress(struct state *w, const struct event *ev,
                           const struct ev_tool_progress *p)
{
	struct st_call *c = call_of(w, ev);

	if (c && str_is(p->remote_task_ref))
		c->remote_task_ref = KEEP(w, p->remote_task_ref);
	if (!c || p->kind != TOOL_PROGRESS_KIND_DISPATCHED)
		return;
	c->output_ref = KEEP(w, ev->output_ref);
	c->by_runtime = p->by_runtime;
	c->by_client = p->by_client;
	c->until = p->until;
	fold_dispatch(w, c, ev);
}

void tool_on_sandbox_applied(struct state *w, const struct event *ev,
                             const struct ev_sandbox_applied *p)
{
	struct st_call *c = call_of(w, ev);

	if (!c)
		return;
	c->sandbox_mode = p->mode;
	c->process_id = KEEP(w, ev->process_id);
	c->output_ref = KEEP(w, ev->output_ref);
	/* An earlier denial does not apply to this sandbox. */
	c->violation_refs = (struct list_str){ 0 };
	c->needs = NULL;
	fold_dispatch(w, c, ev);
}

static void drop_oldest_call(struct st_thread *th)
{
	uint32_t over = 0;

	for (uint32_t i = th->calls.count; i-- > 0;)
		if (call_is_over(th->calls.items[i]) && ++over > WINDOW_CALLS)
			rec_list_remove(&th->calls, i);
}

/*
 * When all calls of a round have ended, step.c requests the model again.  The result is a message
 * of the conversation and counts towards its size.  The larger of preview and model_bytes is what
 * the model gets.
 */
static struct st_call *call_ended(struct state *w, const struct event *ev, struct str preview,
                                  int64_t model_bytes)
{
	struct st_call *c = call_of(w, ev);
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!c)
		return NULL;
	c->status = ev->status;
	c->ended_sequence = ev->sequence;
	c->output_ref = KEEP(w, ev->output_ref);
	c->preview = KEEP(w, str_head(preview, 200));
	turn_fold_item(w, t, ev);
	if (t && t->kind == TURN_KIND_CALL) {
		t->last_message_preview = KEEP(w, utf8_head(preview, 160));
		return c;
	}
	state_thread(w, ev->thread_id)->messages++;
	if (t)
		t->messages++;
	if (t)
		t->context_tokens +=
			(MAX((int64_t)preview.len, model_bytes) + (int64_t)c->args.len + 2) / 3;
	return c;
}

void tool_on_tool_result(struct state *w, const struct event *ev, const struct ev_tool_result *p)
{
	struct st_call *c = call_ended(w, ev, p->display_preview, p->model_bytes);

	if (!c)
		return;
	c->executed = EXECUTED_YES;
	c->is_error = p->is_error;
	if (turn_fold_turn(w, ev))
		turn_fold_turn(w, ev)->context_tokens += (int64_t)p->images.count * IMAGE_TOKENS;
	if (c->kind == ITEM_KIND_TODO && !p->is_error)
		todo_fold(w, state_thread(w, ev->thread_id), c);
	c->exit_code = p->exit_code;
	c->has_exit_code = p->has_exit_code;
	c->duration_ms = p->duration_ms;
	c->has_duration_ms = true;
	drop_oldest_call(state_thread(w, ev->thread_id));
}

/* The failure of the only call is that of the turn. */
static void keep_error(struct state *w, struct st_turn *t, const struct ev_tool_failed *p,
                       struct str message)
{
	if (!t || t->kind != TURN_KIND_CALL)
		return;
	t->last_error = ARENA_NEW(w->mem, struct rec_last_error);
	t->last_error->category = p->category;
	t->last_error->message = str_is(message) ? message : STR("The tool failed.");
	t->last_error->remedy = KEEP(w, p->advice);
	t->last_error->retryable = t->last_error->has_retryable = p->retryable;
}

void tool_on_tool_failed(struct state *w, const struct event *ev, const struct ev_tool_failed *p)
{
	struct st_call *c = call_ended(w, ev, p->display_preview, p->model_bytes);

	if (!c)
		return;
	c->executed = p->executed;
	c->exit_code = p->exit_code;
	c->has_exit_code = p->has_exit_code;
	c->duration_ms = p->duration_ms;
	c->has_duration_ms = p->has_duration_ms;
	c->category = p->category;
	c->message = KEEP(w, ev->status_reason);
	c->is_error = true;
	keep_error(w, turn_fold_turn(w, ev), p, c->message);
	drop_oldest_call(state_thread(w, ev->thread_id));
}

/* ---- actions ---- */

/* spec: SUB-07 — the approver sees which child agent asks, and for which work. */
static void keep_lineage(struct state *w, struct st_action *a, const struct ev_action_required *p)
{
	const struct st_subagent *s =
		str_is(p->subagent_id) ? subagent_find(w, p->subagent_id) : NULL;

	a->parent_thread_id = KEEP(w, p->parent_thread_id);
	a->subagent_id = KEEP(w, p->subagent_id);
	if (!s)
		return;
	a->parent_turn_id = KEEP(w, s->record->parent_turn_id);
	a->parent_task_id = KEEP(w, s->record->parent_task_id);
}

/*
 * The whole question is kept, so that lists and a late client can show it without reading the log.
 */
void action_on_action_required(struct state *w, const struct event *ev,
                               const struct ev_action_required *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!th)
		return;
	struct st_action *a = rec_list_add(w->mem, &th->actions, &st_action_desc);

	a->action_id = KEEP(w, ev->action_id);
	a->action_type = p->action_type;
	a->status = ACTION_STATUS_PENDING;
	a->thread_id = KEEP(w, ev->thread_id);
	a->turn_id = KEEP(w, ev->turn_id);
	a->task_id = KEEP(w, ev->task_id);
	a->step_id = KEEP(w, ev->step_id);
	a->tool_call_id = KEEP(w, ev->tool_call_id);
	a->tool_name = KEEP(w, p->tool_name);
	keep_lineage(w, a, p);
	a->prompt = KEEP(w, p->prompt);
	if (p->policy && p->policy->rule_refs.count)
		a->rule = KEEP(w, p->policy->rule_refs.items[0]);
	a->schema = KEEP(w, p->schema);
	a->decision_kind = p->decision_kind;
	a->input_ref = KEEP(w, p->input_ref);
	a->input_bytes = p->input_bytes;
	if (p->override)
		a->override = rec_clone(w->mem, &rec_sandbox_override_desc, p->override);
	a->on_expiry = p->on_expiry;
	a->mode_after = p->mode_after;
	a->requested_at = ev->timestamp;
	a->sequence = ev->sequence;
	if (p->wait) {
		a->expires_at = p->wait->until;
		for (uint32_t i = 0; i < p->wait->ended_by.count; i++)
			rec_list_str_add(w->mem, &a->ended_by, p->wait->ended_by.items[i]);
		th->wait = rec_clone(w->mem, &rec_wait_desc, p->wait);
	}
	struct buf out = { 0 };
	struct json_writer jw;

	jw_init(&jw, &out);
	jw_arr(&jw);
	for (uint32_t i = 0; i < p->decisions.count; i++)
		rec_write(&jw, &rec_decision_option_desc, p->decisions.items[i]);
	jw_arr_end(&jw);
	a->decisions = KEEP(w, buf_str(&out));
	buf_done(&out);
	struct st_call *c = call_of(w, ev);

	if (c) {
		c->status = ev->status;
		c->action_id = a->action_id;
		c->asks_more = false;
		if (p->override) {
			c->wanted = rec_clone(w->mem, &rec_sandbox_override_desc, p->override);
			c->dispatched = false; /* the run has ended; an approval starts it again */
		}
		/*
		 * A tool that runs, in a sandbox or at an address, has an output.  Without one the
		 * question is the whole call.
		 */
		c->asks_user = (p->action_type == ACTION_TYPE_STRUCTURED_INPUT ||
		                p->action_type == ACTION_TYPE_PLAN) &&
		               !c->sandbox_mode && !str_is(c->output_ref);
	}
	if (t) {
		t->status = ev->status;
		t->phase = PHASE_WAITING;
		turn_fold_item(w, t, ev);
	}
}

void action_on_channel_permission_forwarded(struct state *w, const struct event *ev,
                                            const struct ev_channel_permission_forwarded *p)
{
	struct st_action *a = state_action(w, ev->action_id, NULL);

	if (a && rec_list_str_find(&a->forwarded_to, ev->channel_id) < 0)
		rec_list_str_add(w->mem, &a->forwarded_to, ev->channel_id);
}

static bool has_pending(const struct st_thread *th, struct str turn_id)
{
	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i]) &&
		    str_eq(th->actions.items[i]->turn_id, turn_id))
			return true;
	return false;
}

/* Of several pending actions the turn waits for all.  Only the last answer ends its wait. */
void action_on_action_resolved(struct state *w, const struct event *ev,
                               const struct ev_action_resolved *p)
{
	struct st_thread *th = NULL;
	struct st_action *a = state_action(w, ev->action_id, &th);
	struct st_turn *t = turn_fold_turn(w, ev);
	uint32_t over = 0;

	if (!a)
		return;
	a->status = ev->status == STATUS_TIMED_OUT   ? ACTION_STATUS_TIMED_OUT
	            : ev->status == STATUS_CANCELLED ? ACTION_STATUS_CANCELLED
	                                             : ACTION_STATUS_RESOLVED;
	a->decision = p->decision;
	a->scope = p->scope;
	a->resolved_at = ev->timestamp;
	a->reason = KEEP(w, p->reason);
	if (p->decided_by)
		a->decided_by = rec_clone(w->mem, &rec_actor_desc, p->decided_by);
	if (t && !has_pending(th, a->turn_id)) {
		if (t->stage != TURN_STAGE_STOPPING) {
			t->status = STATUS_RUNNING;
			t->phase = PHASE_WORKING;
		}
		th->wait = NULL;
	}
	struct st_call *c = call_of(w, ev);

	if (c && c->dispatched && !c->asks_user && !call_is_over(c))
		c->status = STATUS_RUNNING;
	for (uint32_t i = th->actions.count; i-- > 0;)
		if (!action_is_pending(th->actions.items[i]) && ++over > WINDOW_ACTIONS)
			rec_list_remove(&th->actions, i);
}

/* ---- the queue ---- */

/*
 * The event carries the whole order after the change, so the fold copies it and computes nothing
 * (GAP-34).
 */
void queue_on_queue_changed(struct state *w, const struct event *ev,
                            const struct ev_queue_changed *p)
{
	struct st_thread *th = state_thread(w, ev->thread_id);

	if (!th)
		return;
	th->queue_id = KEEP(w, ev->queue_id);
	th->order = (struct list_str){ 0 };
	for (uint32_t i = 0; i < p->order.count; i++)
		rec_list_str_add(w->mem, &th->order, p->order.items[i]);
	/* The queue is empty, so nothing is held: the next turn starts at once. */
	if (!th->order.count)
		th->held = false;
	if (p->policy) {
		th->on_busy = p->policy->on_busy;
		th->on_interrupt = p->policy->on_interrupt;
	}
	switch (p->change) {
	case QUEUE_CHANGE_HELD:
		th->held = true;
		break;
	case QUEUE_CHANGE_RELEASED:
	case QUEUE_CHANGE_STARTED:
		th->held = false;
		break;
	case QUEUE_CHANGE_ADDED: {
		struct st_turn *t = state_thread_turn(th, p->queued_turn_id);

		/* A steer that its target did not take becomes an ordinary queued turn. */
		if (t && t->stage == TURN_STAGE_MERGING) {
			turn_table_move(w, t, TURN_STAGE_QUEUED);
			t->status = STATUS_QUEUED;
			t->merged_into = STR_NONE;
			t->task_id = KEEP(w, ev->task_id);
			t->run_id = KEEP(w, ev->run_id);
			t->attempt_id = KEEP(w, ev->attempt_id);
			th->turn_count++;
			w->s->turn_count++;
			t->user_turn = th->turn_count;
		}
		break;
	}
	default:
		break;
	}
	if (p->change == QUEUE_CHANGE_STARTED) {
		struct st_turn *t = state_thread_turn(th, p->queued_turn_id);

		if (t) {
			turn_table_move(w, t, TURN_STAGE_ACCEPTED);
			th->active_turn_id = t->turn_id;
		}
	}
}
