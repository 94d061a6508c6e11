/*
 * Events that open an approval or a question: action.required, the channels
 * that may decide, and that the turn waits.
 * spec: contracts/control-plane#action-requests; GAP-56, GAP-63
 */
#include "core/approval/action_emit.h"
#include "core/channel/channel.h"
#include "core/subagent/subagent.h"

struct rec_wait *action_emit_wait(struct decision *d, enum wait_for what, int64_t until)
{
	return KEPT(d, struct rec_wait, .for_ = what, .since = d->now, .until = until,
	            .ended_by = STRINGS(d, STR("respond_action"), STR("interrupt_turn"),
	                                STR("expiry")));
}

/* spec: SUB-07 — the approver sees which child agent asks. */
struct str action_emit_asking_child(const struct decision *d, const struct st_thread *th)
{
	const struct st_subagent *s = subagent_of_thread(d->w, th->thread_id);

	return s ? s->record->subagent_id : STR_NONE;
}

/* spec: GAP-63 — one event per attached channel that may decide. */
static void emit_forwarded(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                           const struct st_call *c, struct str action_id, int64_t until)
{
	struct st_action asked = { .action_id = action_id, .expires_at = until };

	for (uint32_t i = 0; i < d->w->s->channels.count; i++)
		if (d->w->s->channels.items[i]->status == STATUS_RUNNING)
			channel_forward(d, d->w->s->channels.items[i]->record, th, t, c, &asked);
}

/* The thread is blocked by this action and by all pending ones. */
static void emit_thread_blocked(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t, struct str action_id, enum status status,
                                struct str why)
{
	struct ev_thread_updated p = { .profile_status = status,
		                       .active_turn_id = t->turn_id,
		                       .cause = STR("action.required") };
	struct event *ev;

	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i]))
			rec_list_str_add(d->mem, &p.pending_action_ids,
			                 th->actions.items[i]->action_id);
	rec_list_str_add(d->mem, &p.pending_action_ids, action_id);
	ev = decision_in_thread(decision_emit_event(d, EV_THREAD_UPDATED, &p), th);
	ev->turn_id = t->turn_id;
	ev->status = STATUS_BLOCKED;
	ev->status_reason = why;
}

static enum wait_for wait_of(enum status status)
{
	return status == STATUS_WAITING_INPUT      ? WAIT_FOR_INPUT
	       : status == STATUS_WAITING_RESOURCE ? WAIT_FOR_RESOURCE
	                                           : WAIT_FOR_PERMISSION;
}

static enum task_status task_status_of(enum status status)
{
	return status == STATUS_WAITING_INPUT      ? TASK_STATUS_WAITING_INPUT
	       : status == STATUS_WAITING_RESOURCE ? TASK_STATUS_WAITING_RESOURCE
	                                           : TASK_STATUS_WAITING_PERMISSION;
}

void action_emit_waiting(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                         const struct st_call *c, struct str action_id, enum status status,
                         int64_t until, struct str why)
{
	struct event *ev;

	emit_forwarded(d, th, t, c, action_id, until);
	ev = decision_in_turn(EMIT(d, TASK_WAITING, task_waiting, .for_ = wait_of(status),
	                           .action_id = action_id, .until = until),
	                      th, t);
	ev->action_id = action_id;
	ev->status = status;
	ev->phase = PHASE_WAITING;
	ev->status_reason = why;
	ev->task = KEPT(d, struct rec_task, .task_id = t->task_id, .status = task_status_of(status),
	                .status_reason = why);
	emit_thread_blocked(
		d, th, t, action_id, status,
		c ? arena_printf(d->mem, "waiting for a decision on %.*s", STR_ARG(action_id))
		  : why);
}

/*
 * The negative decision is the default at the deadline, so a question without an answer never
 * allows anything.
 */
struct str action_emit_required(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t, const struct st_call *c,
                                struct ev_action_required *p, enum approval_decision yes,
                                enum approval_decision no, enum status status)
{
	struct str action_id = decision_new_id(d, "act");
	struct rec_decision_option *o;
	struct event *ev;

	p->scope = KEPT(d, struct rec_action_scope, .turn_id = t->turn_id);
	p->on_expiry = no;
	if (c) {
		p->tool_name = c->tool_name;
		p->parent_thread_id = th->parent_thread_id;
		p->subagent_id = action_emit_asking_child(d, th);
	}
	o = rec_list_add(d->mem, &p->decisions, &rec_decision_option_desc);
	o->decision = yes;
	o = rec_list_add(d->mem, &p->decisions, &rec_decision_option_desc);
	o->decision = no;
	o->may_give_reason = o->has_may_give_reason = true;
	ev = decision_in_turn(decision_emit_event(d, EV_ACTION_REQUIRED, p), th, t);
	ev->action_id = action_id;
	ev->status = status;
	if (c) {
		decision_in_call(ev, th, t, c);
		ev->item = turn_item(d, c->step_id, c->kind, c->index, status);
	}
	action_emit_waiting(d, th, t, c, action_id, status, p->wait->until, p->prompt);
	return action_id;
}
