/* Folds the warning about an overdue wait, so that it is given once. */
#include "core/fold_part.h"
#include "core/gen/tables.h"

/* The start identifies the wait: the task may wait for something else by now. */
static void mark_overdue(struct rec_wait *wait, const struct rec_wait *told)
{
	if (wait && wait->since == told->since)
		wait->overdue_at = told->overdue_at;
}

void overdue_on_runtime_warning(struct state *w, const struct event *ev,
                                const struct ev_runtime_warning *p)
{
	struct st_task *t = str_is(ev->task_id) ? state_task(w, ev->task_id) : NULL;
	struct st_thread *th = str_is(ev->thread_id) ? state_thread(w, ev->thread_id) : NULL;

	if (!p->wait)
		return;
	if (t)
		mark_overdue(t->wait, p->wait);
	else if (th)
		mark_overdue(th->wait, p->wait);
}
