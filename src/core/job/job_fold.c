/* Folds jobs: every event about an item changes the counts. */

#include "core/fold_part.h"
#include "base/gen/limits.h"
#include "core/gen/tables.h"
#include "core/job/job.h"

#define WINDOW_JOBS LIMIT_TERMINAL_WINDOW

/* A job that still stops items stays, whatever its age. */
static void drop_oldest_jobs(struct state *w)
{
	uint32_t ended = 0;

	for (uint32_t i = w->s->jobs.count; i-- > 0;)
		if (job_is_over(w->s->jobs.items[i]) && !w->s->jobs.items[i]->running.count &&
		    ++ended > WINDOW_JOBS)
			rec_list_remove(&w->s->jobs, i);
}

void job_on_job_created(struct state *w, const struct event *ev, const struct ev_job_created *p)
{
	struct st_job *j = rec_list_add(w->mem, &w->s->jobs, &st_job_desc);

	j->record = rec_clone(w->mem, &rec_job_desc, ev->job);
	j->input_ref = KEEP(w, p->input_ref);
	j->output_schema = KEEP(w, p->output_schema);
	j->budget_usd = p->budget_usd;
	j->has_budget_usd = p->has_budget_usd;
	j->created_at = ev->timestamp;
	j->created_sequence = ev->sequence;
}

static struct st_job *job_of(struct state *w, const struct event *ev)
{
	return job_find(w, ev->job_id);
}

/* Also reopens an ended job, for one more attempt at an item. */
void job_on_job_started(struct state *w, const struct event *ev, const struct ev_job_started *p)
{
	struct st_job *j = job_of(w, ev);

	if (!j)
		return;
	j->record->status = JOB_STATUS_RUNNING;
	j->started_at = p->started_at ? p->started_at : ev->timestamp;
	j->ended_at = 0;
	j->stopping = false;
	if (!p->has_retry_item)
		return;
	struct st_job_item *i = rec_list_add(w->mem, &j->waiting, &st_job_item_desc);

	i->index = p->retry_item;
	i->attempts = p->retry_attempts;
	/* The item counted as failed before. */
	j->record->progress->failed--;
	j->record->progress->pending++;
}

void job_on_job_progress(struct state *w, const struct event *ev, const struct ev_job_progress *p)
{
	(void)w; /* the counts are folded from the items themselves */
}

static bool drop_item(void *list, struct st_job_item **items, uint32_t count, int64_t index)
{
	for (uint32_t i = 0; i < count; i++)
		if (items[i]->index == index) {
			rec_list_remove(list, i);
			return true;
		}
	return false;
}

void job_on_job_item_started(struct state *w, const struct event *ev,
                             const struct ev_job_item_started *p)
{
	struct st_job *j = job_of(w, ev);

	if (!j)
		return;
	/* An item from the waiting list is a retry and lies behind the cursor already. */
	if (!drop_item(&j->waiting, j->waiting.items, j->waiting.count, p->index))
		j->record->item_cursor = MAX(j->record->item_cursor, p->index + 1);
	struct st_job_item *i = rec_list_add(w->mem, &j->running, &st_job_item_desc);

	i->index = p->index;
	i->attempts = p->attempt;
	i->thread_id = KEEP(w, p->assigned_thread_id);
	i->started_at = ev->timestamp;
	if (p->worker) {
		i->worker_id = KEEP(w, p->worker->worker_id);
		i->lease_until = p->worker->lease_until;
	} else if (rec_list_str_find(&j->record->assigned_thread_ids, p->assigned_thread_id) < 0) {
		rec_list_str_add(w->mem, &j->record->assigned_thread_ids, p->assigned_thread_id);
	}
	j->record->progress->pending--;
	j->record->progress->running++;
}

/* The turn of an item follows its start event. */
void job_on_turn_submitted(struct state *w, const struct event *ev,
                           const struct ev_turn_submitted *p)
{
	struct st_job *j = str_is(ev->job_id) ? job_of(w, ev) : NULL;
	struct st_turn *t = turn_fold_turn(w, ev);

	if (!str_is(ev->job_id) || !t)
		return;
	t->job_id = KEEP(w, ev->job_id);
	t->job_item_id = KEEP(w, ev->job_item_id);
	/* The job may be that of another session: job_work.h. */
	for (uint32_t i = 0; j && i < j->running.count; i++)
		if (str_eq(j->running.items[i]->thread_id, ev->thread_id) &&
		    !str_is(j->running.items[i]->turn_id))
			j->running.items[i]->turn_id = t->turn_id;
}

void job_on_cost_recorded(struct state *w, const struct event *ev, const struct ev_cost_recorded *p)
{
	struct st_turn *t = turn_fold_turn(w, ev);
	struct st_job *j = t && str_is(t->job_id) ? job_find(w, t->job_id) : NULL;

	if (j && p->has_amount_usd)
		j->spent_usd += p->amount_usd;
}

void job_on_job_item_completed(struct state *w, const struct event *ev,
                               const struct ev_job_item_completed *p)
{
	struct st_job *j = job_of(w, ev);

	if (!j || !drop_item(&j->running, j->running.items, j->running.count, p->index))
		return;
	j->record->progress->running--;
	j->record->progress->completed++;
	j->spent_usd += p->cost_usd;
}

void job_on_job_item_failed(struct state *w, const struct event *ev,
                            const struct ev_job_item_failed *p)
{
	struct st_job *j = job_of(w, ev);

	/* An item that is not running has ended before: the event changes nothing. */
	if (!j || !drop_item(&j->running, j->running.items, j->running.count, p->index))
		return;
	j->record->progress->running--;
	j->spent_usd += p->cost_usd;
	if (!p->will_retry) {
		j->record->progress->failed++;
		return;
	}
	struct st_job_item *i = rec_list_add(w->mem, &j->waiting, &st_job_item_desc);

	i->index = p->index;
	i->attempts = p->attempt;
	j->record->progress->pending++;
}

/* stopping: items that still run are to be ended. */
static void fold_end(struct state *w, const struct event *ev, enum job_status status, bool stopping)
{
	struct st_job *j = job_of(w, ev);

	if (!j)
		return;
	j->record->status = status;
	j->ended_at = ev->timestamp;
	j->stopping = stopping;
	drop_oldest_jobs(w);
}

void job_on_job_completed(struct state *w, const struct event *ev, const struct ev_job_completed *p)
{
	fold_end(w, ev, JOB_STATUS_COMPLETED, false);
}

void job_on_job_failed(struct state *w, const struct event *ev, const struct ev_job_failed *p)
{
	fold_end(w, ev, JOB_STATUS_FAILED, true);
}

void job_on_job_cancelled(struct state *w, const struct event *ev, const struct ev_job_cancelled *p)
{
	fold_end(w, ev, JOB_STATUS_CANCELLED, true);
}
