/*
 * Whether a session has open work: something that may still happen by itself
 * or by an answer.  The engine keeps such a session loaded and recovers it
 * after a restart, so every topic that can wait has to be asked here.
 */
#include "core/state.h"
#include "core/subagent/subagent_worktree.h"
#include "core/task/task.h"

bool state_is_open(const struct state *w)
{
	/* A channel that was connected has to be told gone after a crash. */
	for (uint32_t i = 0; i < w->s->channels.count; i++)
		if (w->s->channels.items[i]->status == STATUS_RUNNING)
			return true;
	for (uint32_t i = 0; i < w->s->deliveries.count; i++)
		if (w->s->deliveries.items[i]->record->state == DELIVERY_STATUS_PENDING)
			return true;
	if (subagent_worktree_next(w))
		return true;
	/* Between two items of a job nothing else may be under way. */
	for (uint32_t i = 0; i < w->s->jobs.count; i++)
		if (w->s->jobs.items[i]->record->status == JOB_STATUS_RUNNING)
			return true;
	/* It waits for room that other sessions have. */
	for (uint32_t i = 0; i < w->s->tasks.count; i++)
		if (task_lacks_shared_room(w->s->tasks.items[i]))
			return true;
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_thread *th = w->s->threads.items[i];

		if (str_is(th->active_turn_id) || th->order.count || th->compaction || th->rollback)
			return true;
		for (uint32_t n = 0; n < th->actions.count; n++)
			if (action_is_pending(th->actions.items[n]))
				return true;
		/* In the background: it has to be found again. */
		for (uint32_t n = 0; n < th->processes.count; n++)
			if (th->processes.items[n]->status == PROCESS_STATUS_RUNNING)
				return true;
	}
	return false;
}
