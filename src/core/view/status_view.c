/*
 * Where a thread stands, read off its active turn, its queue and its last
 * outcome.  The thread's own status words in the log say the same at the end
 * of each commit; derived, they also hold between them: while a request backs
 * off, while a turn is being stopped, when the last queued turn is removed.
 * spec: GAP-06, GAP-39, GAP-41
 */
#include "core/view/view_part.h"

/* A degraded recovery may have said that the thread is not to be trusted. */
static bool is_in_doubt(const struct st_thread *th)
{
	return th->status == THREAD_STATUS_STALE || th->status == THREAD_STATUS_UNKNOWN;
}

enum status view_profile_status(const struct st_thread *th)
{
	const struct st_turn *t = state_thread_active(th);

	if (t)
		return turn_wait_status(t);
	if (is_in_doubt(th))
		return th->status == THREAD_STATUS_STALE ? STATUS_STALE : STATUS_UNKNOWN;
	if (th->order.count)
		return STATUS_QUEUED;
	if (th->last_outcome)
		return th->last_outcome->status;
	return STATUS_IDLE;
}

enum thread_status view_thread_status(const struct st_thread *th)
{
	switch (view_profile_status(th)) {
	case STATUS_IDLE:
		return THREAD_STATUS_IDLE;
	case STATUS_ACCEPTED:
	case STATUS_QUEUED:
		return THREAD_STATUS_QUEUED;
	case STATUS_PREPARING:
	case STATUS_RUNNING:
	case STATUS_STREAMING:
	case STATUS_RETRYING:
	case STATUS_CANCELLING:
		return THREAD_STATUS_RUNNING;
	case STATUS_WAITING_INPUT:
	case STATUS_WAITING_PERMISSION:
	case STATUS_WAITING_RESOURCE:
	case STATUS_BLOCKED:
	case STATUS_PAUSED:
		return THREAD_STATUS_BLOCKED;
	case STATUS_LOST: /* waits for resume_thread, or was given up */
		return state_thread_active(th) ? THREAD_STATUS_BLOCKED : THREAD_STATUS_FAILED;
	case STATUS_COMPLETED:
		return THREAD_STATUS_COMPLETED;
	case STATUS_TIMED_OUT:
	case STATUS_FAILED:
		return THREAD_STATUS_FAILED;
	case STATUS_CANCELLED:
		return THREAD_STATUS_CANCELLED;
	case STATUS_STALE:
		return THREAD_STATUS_STALE;
	default:
		return THREAD_STATUS_UNKNOWN;
	}
}

/* The log's own sentence, as long as it is about the status that is shown. */
struct str view_reason(const struct st_thread *th)
{
	const struct st_turn *t = state_thread_active(th);

	if (th->profile_status == view_profile_status(th))
		return th->status_reason;
	if (t && t->stage == TURN_STAGE_BACKING_OFF && t->last_error)
		return t->last_error->message;
	return STR_NONE;
}
