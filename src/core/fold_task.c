/*
 * Folding tasks: the record grows by what each fact carries, attempts are
 * kept whole, ended tasks stay in a window.
 */
#include "core/gen/tables.h"
#include "core/world.h"

/* A lost task may be resumed as long as its turn is the active one. */
static bool is_given_up(const struct world *w, const struct st_task *t)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_turn *turn = thread_active(w->s->threads.items[i]);

		if (turn && str_is(turn->task_id) && str_eq(turn->task_id, t->record->task_id))
			return false;
	}
	return true;
}

static bool is_ended(const struct world *w, const struct st_task *t)
{
	switch (t->record->status) {
	case TASK_STATUS_COMPLETED:
	case TASK_STATUS_FAILED:
	case TASK_STATUS_CANCELLED:
	case TASK_STATUS_TIMED_OUT:
	case TASK_STATUS_ARCHIVED:
		return true;
	case TASK_STATUS_LOST:
		return is_given_up(w, t);
	default:
		return false;
	}
}

static void trim(struct world *w)
{
	uint32_t ended = 0;

	for (uint32_t i = w->s->tasks.count; i-- > 0;)
		if (is_ended(w, w->s->tasks.items[i]) && ++ended > WINDOW_TASKS)
			list_rec_remove(&w->s->tasks, i);
}

/* Every task fact changes what its companion says, its status, and nothing else. */
static struct st_task *merge(struct world *w, const struct event *ev)
{
	struct st_task *t = world_task(w, ev->task_id);

	if (!t)
		return NULL;
	if (ev->task)
		rec_merge(w->mem, &rec_task_desc, t->record, ev->task);
	t->record->updated_at = ev->timestamp;
	return t;
}

void task_on_task_created(struct world *w, const struct event *ev, const struct ev_task_created *p)
{
	struct st_task *t;

	if (!ev->task)
		return;
	t = list_rec_add(w->mem, &w->s->tasks, &st_task_desc);
	t->record = rec_clone(w->mem, &rec_task_desc, ev->task);
	t->record->updated_at = ev->timestamp;
}

void task_on_task_accepted(struct world *w, const struct event *ev, const struct ev_task_accepted *p)
{
	merge(w, ev);
}

void task_on_task_queued(struct world *w, const struct event *ev, const struct ev_task_queued *p)
{
	merge(w, ev);
}

void task_on_task_started(struct world *w, const struct event *ev, const struct ev_task_started *p)
{
	struct st_task *t = merge(w, ev);

	if (t)
		t->started_sequence = ev->sequence;
}

void task_on_task_waiting(struct world *w, const struct event *ev, const struct ev_task_waiting *p)
{
	struct st_task *t = merge(w, ev);

	if (t)
		t->phase = PHASE_WAITING;
}

void task_on_task_resumed(struct world *w, const struct event *ev, const struct ev_task_resumed *p)
{
	struct st_task *t = merge(w, ev);

	if (!t)
		return;
	t->phase = PHASE_WORKING;
	t->record->status_reason = STR_NONE;
}

/* What is tried again no longer counts as ended. */
static void uncount(struct world *w, const struct st_task *t)
{
	switch (t->record->status) {
	case TASK_STATUS_FAILED:
		w->s->tasks_failed--;
		break;
	case TASK_STATUS_CANCELLED:
		w->s->tasks_cancelled--;
		break;
	case TASK_STATUS_LOST:
		w->s->tasks_lost--;
		break;
	default:
		break;
	}
}

void task_on_task_retrying(struct world *w, const struct event *ev, const struct ev_task_retrying *p)
{
	struct st_task *t = world_task(w, ev->task_id);

	if (t)
		uncount(w, t);
	merge(w, ev);

	if (!t)
		return;
	t->record->status_reason = STR_NONE;
	t->record->ended_at = 0;
	t->phase = PHASE_RETRYING;
}

void task_on_task_cancel_requested(struct world *w, const struct event *ev,
                                   const struct ev_task_cancel_requested *p)
{
	struct st_task *t = merge(w, ev);

	if (t)
		t->phase = PHASE_CANCELLING;
}

static void ended(struct world *w, const struct event *ev, int64_t *counter)
{
	struct st_task *t = merge(w, ev);

	if (!t)
		return;
	(*counter)++;
	t->phase = PHASE_DELIVERING;
	trim(w);
}

void task_on_task_cancelled(struct world *w, const struct event *ev,
                            const struct ev_task_cancelled *p)
{
	ended(w, ev, &w->s->tasks_cancelled);
}

void task_on_task_failed(struct world *w, const struct event *ev, const struct ev_task_failed *p)
{
	ended(w, ev, &w->s->tasks_failed);
}

void task_on_task_lost(struct world *w, const struct event *ev, const struct ev_task_lost *p)
{
	if (merge(w, ev))
		w->s->tasks_lost++;
}

void task_on_task_completed(struct world *w, const struct event *ev,
                            const struct ev_task_completed *p)
{
	struct st_task *t = world_task(w, ev->task_id);

	if (t && ev->delivery_state)
		t->record->delivery_state =
			rec_clone(w->mem, &rec_delivery_state_desc, ev->delivery_state);
	ended(w, ev, &w->s->tasks_completed);
}

void task_on_task_profile_resolved(struct world *w, const struct event *ev,
                                   const struct ev_task_profile_resolved *p)
{
	struct st_task *t = world_task(w, ev->task_id);

	if (t && ev->task_profile)
		t->record->task_profile =
			rec_clone(w->mem, &rec_task_profile_desc, ev->task_profile);
}

static struct rec_task_attempt *attempt_of(struct st_task *t, struct str run_id)
{
	for (uint32_t i = t->attempts.count; i-- > 0;)
		if (str_eq(t->attempts.items[i]->run_id, run_id))
			return t->attempts.items[i];
	return NULL;
}

void task_on_task_attempt_started(struct world *w, const struct event *ev,
                                  const struct ev_task_attempt_started *p)
{
	struct st_task *t = world_task(w, ev->task_id);

	if (!t || !ev->task_attempt)
		return;
	struct rec_task_attempt *a = list_rec_add(w->mem, &t->attempts, &rec_task_attempt_desc);

	rec_keep(w->mem, &rec_task_attempt_desc, a, ev->task_attempt);
	if (ev->worker)
		a->worker = rec_clone(w->mem, &rec_worker_desc, ev->worker);
	t->runs++;
	t->record->current_run_id = a->run_id;
	t->record->status = TASK_STATUS_PREPARING;
	t->phase = PHASE_PREPARING;
}

static void attempt_ended(struct world *w, const struct event *ev)
{
	struct st_task *t = world_task(w, ev->task_id);
	struct rec_task_attempt *a = t ? attempt_of(t, ev->run_id) : NULL;

	if (a && ev->task_attempt)
		rec_merge(w->mem, &rec_task_attempt_desc, a, ev->task_attempt);
}

void task_on_task_attempt_completed(struct world *w, const struct event *ev,
                                    const struct ev_task_attempt_completed *p)
{
	attempt_ended(w, ev);
}

void task_on_task_attempt_failed(struct world *w, const struct event *ev,
                                 const struct ev_task_attempt_failed *p)
{
	attempt_ended(w, ev);
}

/* A task's status moves by task facts only, except here (GAP-39). */
void task_on_model_requested(struct world *w, const struct event *ev,
                             const struct ev_model_requested *p)
{
	struct st_task *t = world_task(w, ev->task_id);
	struct rec_task_attempt *a = t ? attempt_of(t, ev->run_id) : NULL;

	if (!t)
		return;
	t->model_requests++;
	if (t->record->status == TASK_STATUS_PREPARING)
		t->record->status = TASK_STATUS_RUNNING;
	if (a)
		a->status = ATTEMPT_STATUS_RUNNING;
	t->phase = PHASE_WORKING;
}

void task_on_tool_started(struct world *w, const struct event *ev, const struct ev_tool_started *p)
{
	struct st_task *t = world_task(w, ev->task_id);

	if (t)
		t->tool_calls++;
}
