/* Folds schedules: created, changed, paused, and each task that one started. */
#include "core/fold_part.h"
#include "core/gen/tables.h"
#include "core/schedule/schedule.h"

/*
 * A schedule without a next time has ended: `at` has passed, or the expression never matches again.
 */
static void due_next(struct st_schedule *s, int64_t at)
{
	s->record->next_at = at;
	if (!at)
		s->record->status = SCHEDULE_STATUS_ENDED;
}

static void add_schedule(struct state *w, const struct event *ev, const struct rec_schedule *r)
{
	struct st_schedule *s = rec_list_add(w->mem, &w->s->schedules, &st_schedule_desc);

	s->record = rec_clone(w->mem, &rec_schedule_desc, r);
	s->created_at = ev->timestamp;
}

static void remove_schedule(struct state *w, struct str id)
{
	for (uint32_t i = 0; i < w->s->schedules.count; i++)
		if (str_eq(w->s->schedules.items[i]->record->schedule_id, id))
			rec_list_remove(&w->s->schedules, i--);
}

void schedule_on_policy_changed(struct state *w, const struct event *ev,
                                const struct ev_policy_changed *p)
{
	struct st_schedule *s = str_is(p->schedule_id) ? schedule_find(w, p->schedule_id) : NULL;

	if (p->change == POLICY_CHANGE_SCHEDULE_ADDED && p->schedule)
		add_schedule(w, ev, p->schedule);
	if (!s)
		return;
	switch (p->change) {
	case POLICY_CHANGE_SCHEDULE_PAUSED:
		s->record->status = SCHEDULE_STATUS_PAUSED;
		s->record->next_at = 0;
		break;
	case POLICY_CHANGE_SCHEDULE_RESUMED:
		s->record->status = SCHEDULE_STATUS_ACTIVE;
		due_next(s, p->next_at);
		break;
	case POLICY_CHANGE_SCHEDULE_MISSED:
		s->record->missed += p->missed;
		due_next(s, p->next_at);
		break;
	case POLICY_CHANGE_SCHEDULE_SKIPPED:
	case POLICY_CHANGE_SCHEDULE_FAILED:
		s->record->skipped += p->missed;
		due_next(s, p->next_at);
		break;
	case POLICY_CHANGE_SCHEDULE_REMOVED:
		remove_schedule(w, p->schedule_id);
		break;
	default:
		break;
	}
}

/* The task and the next time are one event, so a crash neither repeats nor loses a run. */
void schedule_on_task_created(struct state *w, const struct event *ev,
                              const struct ev_task_created *p)
{
	struct st_schedule *s = str_is(p->schedule_id) ? schedule_find(w, p->schedule_id) : NULL;

	if (!s)
		return;
	s->record->last_at = p->scheduled_for;
	s->record->last_task_id = KEEP(w, ev->task_id);
	s->record->runs++;
	s->record->missed += p->missed;
	due_next(s, p->next_at);
}
