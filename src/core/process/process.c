/*
 * Queries about processes, used by decisions, folds and views.  The process of
 * a call is in process_call.c, a background process in process_live.c.
 */
#include "core/process/process.h"
#include "core/task/task.h"

const struct st_process *process_in_thread(const struct st_thread *th, struct str process_id)
{
	for (uint32_t i = 0; str_is(process_id) && i < th->processes.count; i++)
		if (str_eq(th->processes.items[i]->process_id, process_id))
			return th->processes.items[i];
	return NULL;
}

bool process_left_by_call(const struct st_thread *th, const struct st_call *c)
{
	const struct st_process *p = process_in_thread(th, c->process_id);

	return p && p->background && !process_is_over(p);
}

bool process_is_of_task(const struct state *w, const struct st_process *s, struct str task_id,
                        bool or_below)
{
	const struct st_task *t = state_task(w, s->task_id);

	return str_is(s->task_id) && (str_eq(s->task_id, task_id) ||
	                              (or_below && t && task_is_under(w, t->record, task_id)));
}

/*
 * The end of a task waits for these: a cancelled task must not end while a command of it still
 * runs.
 */
bool process_stops_with_task(const struct state *w, struct str task_id)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++)
		for (uint32_t n = 0; n < w->s->threads.items[i]->processes.count; n++) {
			const struct st_process *s = w->s->threads.items[i]->processes.items[n];

			if (s->stop_by && !process_is_over(s) &&
			    process_is_of_task(w, s, task_id, true))
				return true;
		}
	return false;
}
