/*
 * The id and rules of a thread's queue, and how a turn leaves it before it
 * begins.
 * spec: contracts/control-plane#queue; GAP-34, GAP-40
 */
#include "core/turn/queue.h"

/*
 * One queue per thread, named after it.  The fixed derivation lets views compute the same id before
 * the first queue.changed exists (write_queue_id() in queue_view.c).
 */
struct str queue_id(struct decision *d, const struct st_thread *th)
{
	struct str body = th->thread_id;

	if (str_is(th->queue_id))
		return th->queue_id;
	if (id_has_prefix(body, "thr"))
		body = str_skip(body, 4);
	return arena_printf(d->mem, "que_%.*s", STR_ARG(body));
}

/*
 * The thread's own rules, taken from its last queue.changed, precede those of the settings.  Every
 * queue.changed repeats them, so that a reader needs no other event.
 */
struct rec_queue_rules *queue_rules(struct decision *d, const struct st_thread *th)
{
	enum on_busy busy = th->on_busy;

	if (!busy)
		busy = rec_enum_read(&enum_on_busy, delivery_word(d->settings->on_busy));
	return KEPT(d, struct rec_queue_rules, .on_busy = busy ? busy : ON_BUSY_QUEUE,
	            .on_interrupt = th->on_interrupt ? th->on_interrupt
	                                             : d->settings->config->queue_on_interrupt);
}

/* Ends a turn that never began: its implicit task is cancelled with it. */
void queue_end_unbegun(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                       struct str reason)
{
	struct event *ev;

	/*
	 * A steer that was not merged has no separate task: its task_id is the target's (GAP-57).
	 */
	if (t->stage != TURN_STAGE_MERGING) {
		ev = decision_in_turn(EMIT(d, TASK_CANCELLED, task_cancelled, .reason = reason,
		                           .cancelled_by = decision_actor(d)),
		                      th, t);
		ev->status = STATUS_CANCELLED;
		ev->task = KEPT(d, struct rec_task, .task_id = t->task_id,
		                .status = TASK_STATUS_CANCELLED, .ended_at = d->now);
	}
	ev = decision_in_turn(EMIT(d, TURN_FAILED, turn_failed, .outcome = TURN_OUTCOME_CANCELLED,
	                           .category = ERROR_CATEGORY_CANCELLED, .reason = reason,
	                           .retryable = true,
	                           .message = STR("Removed from the queue before it began."),
	                           .ended_by = decision_actor(d)),
	                      th, t);
	ev->status = STATUS_CANCELLED;
}

/* Takes one turn out of the queue and ends it. */
void queue_drop(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                struct str reason)
{
	struct ev_queue_changed q = {
		.change = QUEUE_CHANGE_REMOVED,
		.queued_turn_id = t->turn_id,
		.policy = queue_rules(d, th),
		.requested_by = decision_actor(d),
		.reason = reason,
	};
	struct event *ev;

	for (uint32_t i = 0; i < th->order.count; i++)
		if (!str_eq(th->order.items[i], t->turn_id))
			rec_list_str_add(d->mem, &q.order, th->order.items[i]);
	ev = decision_in_turn(decision_emit_event(d, EV_QUEUE_CHANGED, &q), th, t);
	ev->queue_id = queue_id(d, th);
	queue_end_unbegun(d, th, t, reason);
}

void queue_clear(struct decision *d, const struct st_thread *th)
{
	struct ev_queue_changed q = { .change = QUEUE_CHANGE_CLEARED,
		                      .order = decision_strings(d, 0, NULL),
		                      .policy = queue_rules(d, th),
		                      .requested_by = decision_actor(d),
		                      .reason = STR("cleared") };

	if (th->order.count)
		decision_in_thread(decision_emit_event(d, EV_QUEUE_CHANGED, &q), th)->queue_id =
			queue_id(d, th);
	for (uint32_t i = 0; i < th->order.count; i++) {
		const struct st_turn *t = state_thread_turn(th, th->order.items[i]);

		if (t)
			queue_end_unbegun(d, th, t, STR("cleared"));
	}
}
