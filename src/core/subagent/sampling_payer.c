/* The task that pays for a turn that answers a tool server: the one whose call asks. */
#include "core/subagent/sampling_payer.h"

#include "core/subagent/subagent.h"

struct str sampling_payer(const struct state *w, const struct st_turn *t)
{
	const struct st_thread *th = NULL;
	const struct st_subagent *s = t->sampling && state_turn(w, t->turn_id, &th)
	                                      ? subagent_of_thread(w, th->thread_id)
	                                      : NULL;

	return s && str_is(s->record->parent_task_id) ? s->record->parent_task_id : t->task_id;
}
