/*
 * Folds one event into the state of a session: the order check first, then
 * every topic that listens, then what every event changes.  This file is above
 * all topics, state.c below them: a fold may look things up, and a look-up
 * never folds.
 */
#include "core/fold_part.h"
#include "core/state.h"
#include "core/fold.h"
#include "core/order_check.h"

/* Every event of its run counts as activity of a task with an inactivity limit. */
static void note_activity(struct state *w, const struct event *ev)
{
	struct st_task *t = str_is(ev->task_id) ? state_task(w, ev->task_id) : NULL;

	if (t && t->record->constraints && t->record->constraints->has_inactivity_ms)
		t->activity_at = ev->timestamp;
}

/*
 * The order check folds first: it opens and closes objects by the rules of the catalogue alone and
 * must not depend on what topics make of the event.
 */
void state_fold(struct state *w, const struct event *ev)
{
	order_check_fold(w, ev);
	fold_event(w, ev);
	w->s->sequence = (int64_t)ev->sequence;
	w->s->updated_at = ev->timestamp;
	if (str_is(ev->trace_id) && rec_list_str_find(&w->s->trace_ids, ev->trace_id) < 0) {
		if (w->s->trace_ids.count == 4)
			rec_list_str_remove(&w->s->trace_ids, w->s->trace_ids.items[0]);
		rec_list_str_add(w->mem, &w->s->trace_ids, ev->trace_id);
	}
	note_activity(w, ev);
}
