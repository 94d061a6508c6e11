/*
 * What a turn waits for, and its status during the wait: used by views, and by
 * the watchdog for long waits.
 */
#include "core/turn/turn_wait.h"

const struct st_action *turn_wait_pending(const struct st_thread *th, struct str turn_id,
                                          const struct st_action *after)
{
	bool is_after = after == NULL;

	for (uint32_t i = 0; i < th->actions.count; i++) {
		const struct st_action *a = th->actions.items[i];

		if (is_after && action_is_pending(a) &&
		    (!str_is(turn_id) || str_eq(a->turn_id, turn_id)))
			return a;
		is_after = is_after || a == after;
	}
	return NULL;
}

/*
 * A turn streams only while a request is open; after that it is running.  The fold leaves
 * `streaming` in place between the last piece and the end of the request.
 */
enum status turn_wait_status(const struct st_turn *t)
{
	if (t->status == STATUS_STREAMING && !str_is(t->model_request_id))
		return STATUS_RUNNING;
	return t->status ? t->status : STATUS_UNKNOWN;
}

enum wait_for turn_wait_for_action(const struct st_action *a)
{
	return a->action_type == ACTION_TYPE_STRUCTURED_INPUT ? WAIT_FOR_INPUT
	       : a->action_type == ACTION_TYPE_CREDENTIAL     ? WAIT_FOR_RESOURCE
	                                                      : WAIT_FOR_PERMISSION;
}

/* A pending action is the wait; of several the oldest. */
static bool wait_for_answer(const struct st_thread *th, const struct st_turn *t,
                            struct rec_wait *ret)
{
	const struct st_action *a = turn_wait_pending(th, t->turn_id, NULL);

	if (!a)
		return false;
	*ret = (struct rec_wait){
		.for_ = turn_wait_for_action(a),
		.since = a->requested_at,
		.until = a->expires_at,
		.deadline = a->expires_at ? STR_NONE : STR("none"),
		.ended_by = a->ended_by,
	};
	return true;
}

/*
 * th->wait may be older than the turn's status, so it counts only in stages that wait.  A pending
 * action is more precise and precedes it.
 */
bool turn_wait(const struct st_thread *th, struct rec_wait *ret)
{
	const struct st_turn *t = state_thread_active(th);

	if (!t)
		return false;
	switch (turn_wait_status(t)) {
	case STATUS_WAITING_INPUT:
	case STATUS_WAITING_PERMISSION:
	case STATUS_WAITING_RESOURCE:
	case STATUS_BLOCKED:
		if (wait_for_answer(th, t, ret))
			return true;
		break;
	case STATUS_RETRYING:
	case STATUS_CANCELLING:
	case STATUS_PAUSED:
	case STATUS_LOST:
		break;
	default:
		return false; /* it runs; its wait is over */
	}
	if (th->wait)
		*ret = *th->wait;
	return th->wait != NULL;
}
