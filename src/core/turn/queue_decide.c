/*
 * Commands on the queue of a thread: remove, promote, move.  The runtime owns
 * the order, which survives a restart.
 * spec: contracts/control-plane#queue; GAP-34
 */
#include "core/turn/queue.h"
#include "core/gen/tables.h"
#include "core/session/session.h"
#include "core/turn/turn.h"

/*
 * The named turn while it still waits; NULL after a refusal.  A turn that has begun is refused like
 * an unknown one: it has left the queue, and interrupt_turn stops it.
 */
static const struct st_turn *find_queued(struct decision *d, struct str thread_id,
                                         struct str turn_id, const struct st_thread **ret)
{
	const struct st_turn *t = state_turn(d->w, turn_id, ret);

	if (str_is(thread_id) && !state_thread(d->w, thread_id)) {
		decision_refuse(d, ERROR_CODE_THREAD_NOT_FOUND, "there is no such thread here");
		return NULL;
	}
	if (t && t->stage == TURN_STAGE_QUEUED &&
	    (!str_is(thread_id) || str_eq(thread_id, (*ret)->thread_id)))
		return t;
	decision_refuse(d, ERROR_CODE_QUEUED_TURN_NOT_FOUND,
	                "%.*s does not wait in a queue of this session", STR_ARG(turn_id));
	return NULL;
}

/* Moves one entry; position counts from 0. */
static void emit_moved(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       enum queue_change change, uint32_t position, struct list_str *ret_order)
{
	struct ev_queue_changed q = {
		.change = change,
		.queued_turn_id = t->turn_id,
		.policy = queue_rules(d, th),
		.position = position + 1,
		.has_position = true,
		.requested_by = decision_actor(d),
	};
	struct event *ev;

	q.order = decision_strings(d, th->order.count, th->order.items);
	rec_list_str_remove(&q.order, t->turn_id);
	/* The position counts in the list without the moved entry. */
	rec_list_str_insert(d->mem, &q.order, MIN(position, q.order.count), t->turn_id);
	ev = decision_in_thread(decision_emit_event(d, EV_QUEUE_CHANGED, &q), th);
	ev->turn_id = t->turn_id;
	ev->task_id = t->task_id;
	ev->queue_id = queue_id(d, th);
	*ret_order = q.order;
}

void decide_remove_queued_turn(struct decision *d, const struct cmd_remove_queued_turn *cmd)
{
	const struct st_thread *th;
	const struct st_turn *t = find_queued(d, cmd->thread_id, cmd->queued_turn_id, &th);

	if (!t)
		return;
	struct reply_remove_queued_turn r = { .queued_turn_id = t->turn_id };

	queue_drop(d, th, t, str_is(cmd->reason) ? cmd->reason : STR("remove_queued_turn"));
	/* The events are not folded yet, so the reply computes the order itself. */
	r.order = decision_strings(d, th->order.count, th->order.items);
	rec_list_str_remove(&r.order, t->turn_id);
	d->reply = rec_text(d->mem, &reply_remove_queued_turn_desc, &r);
}

void decide_promote_queued_turn(struct decision *d, const struct cmd_promote_queued_turn *cmd)
{
	const struct st_thread *th;
	const struct st_turn *t = find_queued(d, cmd->thread_id, cmd->queued_turn_id, &th);

	if (!t)
		return;
	struct reply_promote_queued_turn r = { .queued_turn_id = t->turn_id };

	emit_moved(d, th, t, QUEUE_CHANGE_PROMOTED, 0, &r.order);
	d->reply = rec_text(d->mem, &reply_promote_queued_turn_desc, &r);
}

void decide_move_queued_turn(struct decision *d, const struct cmd_move_queued_turn *cmd)
{
	const struct st_thread *th;
	const struct st_turn *t = find_queued(d, cmd->thread_id, cmd->queued_turn_id, &th);

	if (!t)
		return;
	if (cmd->position < 1 || cmd->position > th->order.count) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "position: 1 to %u", th->order.count);
		return;
	}
	struct reply_move_queued_turn r = { .queued_turn_id = t->turn_id };

	emit_moved(d, th, t, QUEUE_CHANGE_MOVED, (uint32_t)cmd->position - 1, &r.order);
	d->reply = rec_text(d->mem, &reply_move_queued_turn_desc, &r);
}
