/*
 * The invariants of work that outlives a turn: tasks follow their transition
 * table, one run at a time; a cancelled task and its descendants stay cancelled;
 * an item has one output, and its job counts what happened.
 */
#include "invariants_int.h"

#include "core/job/job.h"
#include "core/task/task.h"
#include "core/view/view_part.h"

/* ---- tasks ---- */

static bool is_cancelled_above(const struct invariant_log *g, const struct thing *t)
{
	for (int depth = 0; t->above && depth < LIMIT_TASK_DEPTH; depth++) {
		t = t->above;
		if (t->is_cancelled && t->spreads)
			return true;
	}
	return false;
}

static bool spreads(enum propagation p)
{
	return p == PROPAGATION_CHILDREN || p == PROPAGATION_CHILDREN_AND_PROCESSES;
}

/* 0: nowhere.  Runs that begin say it of themselves, and the first request of one says that it runs. */
static enum task_status goes_to(const struct event *ev, const struct thing *t)
{
	if (ev->type == EV_TASK_ATTEMPT_STARTED && ev->task_attempt)
		return ev->task_attempt->status == ATTEMPT_STATUS_RUNNING ? TASK_STATUS_RUNNING
		                                                          : TASK_STATUS_PREPARING;
	if (ev->type == EV_MODEL_REQUESTED && t && t->status == TASK_STATUS_PREPARING)
		return TASK_STATUS_RUNNING;
	return ev->task ? ev->task->status : 0;
}

static bool moved(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *t = invariant_find(g, THING_TASK, ev->task_id);
	enum task_status to = goes_to(ev, t);

	if (!t || !to)
		return true;
	if (!task_table_allows_move(ev->type, t->status, to))
		return invariant_broken(g, ev, e, "a task does not go from %.*s to %.*s",
		                        STR_ARG(task_status_word(t->status)),
		                        STR_ARG(task_status_word(to)));
	t->status = to;
	return true;
}

/* spec: contracts/agent-task#cancellation — the intent is sticky on the graph. */
static bool stays_cancelled(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *t = invariant_find(g, THING_TASK, ev->task_id);

	if (!t)
		return true;
	switch (ev->type) {
	case EV_TASK_CREATED:
		t->above = invariant_find(g, THING_TASK,
		                          ev->task ? ev->task->parent_task_id : STR_NONE);
		if (t->above && t->above->is_cancelled)
			return invariant_broken(g, ev, e, "under a task that was cancelled");
		return true;
	case EV_TASK_CANCEL_REQUESTED:
		t->is_cancelled = true;
		t->spreads = spreads(
			((const struct ev_task_cancel_requested *)ev->payload)->propagation);
		return true;
	case EV_TASK_RETRYING:
		if (t->above && is_cancelled_above(g, t))
			return invariant_broken(g, ev, e,
			                        "tried again under a task that was cancelled");
		t->is_cancelled = false;
		return true;
	case EV_TASK_ATTEMPT_STARTED:
	case EV_TASK_COMPLETED:
		if (t->is_cancelled && !t->is_implicit)
			return invariant_broken(g, ev, e, "it was cancelled");
		return true;
	default:
		return true;
	}
}

static bool runs_alone(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *t = invariant_find(g, THING_TASK, ev->task_id);
	struct thing *run = invariant_find(g, THING_RUN, ev->run_id);

	if (!t || !run)
		return true;
	if (ev->type == EV_TASK_ATTEMPT_STARTED) {
		if (t->run && !t->run->end)
			return invariant_broken(g, ev, e, "while run %.*s of it is open",
			                        STR_ARG(t->run->id));
		t->run = run;
	} else if (t->run != run) {
		return invariant_broken(g, ev, e, "run %.*s is not the one that stands",
		                        STR_ARG(run->id));
	}
	return true;
}

/* ---- jobs ---- */

static bool item_started(struct invariant_log *g, const struct event *ev, struct thing *job,
                         const struct ev_job_item_started *p, struct error *e)
{
	struct thing *i = invariant_thing(g, THING_ITEM, ev->job_item_id);

	if (i->is_dispatched)
		return invariant_broken(g, ev, e, "the item runs already");
	if (i->has_output)
		return invariant_broken(g, ev, e, "the item has its output");
	if (p->attempt != i->index + 1)
		return invariant_broken(g, ev, e, "attempt %lld follows %lld",
		                        (long long)p->attempt, (long long)i->index);
	if (i->has_failed)
		return invariant_broken(g, ev, e, "the item has failed for good");
	i->is_dispatched = true;
	i->index = p->attempt;
	return true;
}

static bool item_ended(struct invariant_log *g, const struct event *ev, struct thing *job,
                       struct error *e)
{
	struct thing *i = invariant_find(g, THING_ITEM, ev->job_item_id);
	bool is_good = ev->type == EV_JOB_ITEM_COMPLETED;

	if (!i || !i->is_dispatched)
		return invariant_broken(g, ev, e, "the item does not run");
	i->is_dispatched = false;
	i->has_output = is_good;
	i->has_failed = !is_good && !((const struct ev_job_item_failed *)ev->payload)->will_retry;
	job->completed += is_good;
	job->failed += i->has_failed;
	return true;
}

/* From now on it counts among those that wait. */
static void item_retried(struct invariant_log *g, const struct event *ev, struct thing *job,
                         const struct ev_job_started *p)
{
	struct thing *i = p->has_retry_item
	                          ? invariant_find(g, THING_ITEM,
	                                           job_item_id(g->mem, ev->job_id, p->retry_item))
	                          : NULL;

	if (!i || !i->has_failed)
		return;
	i->has_failed = false;
	job->failed--;
}

static bool adds_up(struct invariant_log *g, const struct event *ev, const struct thing *job,
                    const struct rec_job_counts *c, struct error *e)
{
	if (c->completed == job->completed && c->failed == job->failed)
		return true;
	return invariant_broken(g, ev, e,
	                        "%lld and %lld items are said to have ended, %lld and %lld have",
	                        (long long)c->completed, (long long)c->failed,
	                        (long long)job->completed, (long long)job->failed);
}

static bool job_moved(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *job = invariant_thing(g, THING_JOB, ev->job_id);

	if (!job)
		return true;
	switch (ev->type) {
	case EV_JOB_CREATED:
		if (job->has_begun)
			return invariant_broken(g, ev, e, "the job was made before");
		job->has_begun = true;
		return true;
	case EV_JOB_STARTED:
		if (job->end == EV_JOB_CANCELLED)
			return invariant_broken(g, ev, e, "the job was cancelled");
		job->end = 0;
		item_retried(g, ev, job, ev->payload);
		return true;
	case EV_JOB_ITEM_STARTED:
		if (job->end)
			return invariant_broken(g, ev, e, "the job has ended");
		return item_started(g, ev, job, ev->payload, e);
	case EV_JOB_ITEM_COMPLETED:
	case EV_JOB_ITEM_FAILED:
		return item_ended(g, ev, job, e);
	case EV_JOB_PROGRESS:
		return adds_up(g, ev, job, ((const struct ev_job_progress *)ev->payload)->progress,
		               e);
	case EV_JOB_COMPLETED:
	case EV_JOB_FAILED:
	case EV_JOB_CANCELLED:
		if (job->end)
			return invariant_broken(g, ev, e, "the job has ended by %.*s",
			                        STR_ARG(event_type_word(job->end)));
		job->end = ev->type;
		return ev->type != EV_JOB_COMPLETED ||
		       adds_up(g, ev, job, ((const struct ev_job_completed *)ev->payload)->progress,
		               e);
	default:
		return true;
	}
}

/* ---- child agents ---- */

static bool child_moved(struct invariant_log *g, const struct event *ev, struct error *e)
{
	struct thing *c = invariant_thing(g, THING_CHILD, ev->subagent_id);

	if (!c || ev->type == EV_TASK_DELEGATED)
		return true;
	if (ev->type == EV_SUBAGENT_SPAWNED) {
		if (c->has_begun)
			return invariant_broken(g, ev, e, "the child was made before");
		c->has_begun = true;
		return true;
	}
	if (!c->has_begun && str_starts(event_type_word(ev->type), STR("subagent.")))
		return invariant_broken(g, ev, e, "the child was not made");
	if (c->end && str_starts(event_type_word(ev->type), STR("subagent.")))
		return invariant_broken(g, ev, e, "the child was closed");
	if (ev->type == EV_SUBAGENT_CLOSED)
		c->end = ev->type;
	return true;
}

bool invariant_work(struct invariant_log *g, const struct event *ev, struct error *e)
{
	if (str_is(ev->job_id) && str_starts(event_type_word(ev->type), STR("job.")) &&
	    !job_moved(g, ev, e))
		return false;
	if (str_is(ev->subagent_id) && !child_moved(g, ev, e))
		return false;
	if (ev->type == EV_TASK_ATTEMPT_STARTED || ev->type == EV_TASK_ATTEMPT_COMPLETED ||
	    ev->type == EV_TASK_ATTEMPT_FAILED)
		if (!runs_alone(g, ev, e))
			return false;
	return !str_is(ev->task_id) || (moved(g, ev, e) && stays_cancelled(g, ev, e));
}

/* ---- rest ---- */

void invariant_room(struct invariant_log *g, bool has_room)
{
	g->has_room = has_room;
}

/* What a task that may start waits for; NULL: for nothing known. */
static const char *is_held_by(const struct invariant_log *g, const struct st_task *t)
{
	const struct state *w = g->state;
	const struct st_thread *th = state_thread(w, t->record->thread_id);
	unsigned running = 0;

	for (uint32_t i = 0; i < t->record->relationships.count; i++) {
		const struct rec_task_relationship *r = t->record->relationships.items[i];
		const struct thing *other;

		if (r->kind != EDGE_KIND_BLOCKED_BY || r->status != EDGE_STATUS_ACTIVE)
			continue;
		other = invariant_find(g, THING_TASK, r->target_id);
		if (other && !other->end)
			return "a blocker";
	}
	/* Of those that lack the same room the first says so. */
	for (uint32_t i = 0; i < w->s->tasks.count && !g->has_room; i++)
		if (task_lacks_shared_room(w->s->tasks.items[i]))
			return "other sessions";
	if (th && (str_is(th->active_turn_id) || th->order.count))
		return "its thread";
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_turn *turn = state_thread_active(w->s->threads.items[i]);

		running += turn && turn->kind == TURN_KIND_TASK;
	}
	return running >= LIMIT_PARALLEL_TASKS ? "other tasks" : NULL;
}

static bool has_open_child(const struct invariant_log *g, const struct thing *t)
{
	for (const struct thing *o = g->all[THING_TASK]; o; o = o->next)
		if (o->above == t && o->has_begun && !o->end)
			return true;
	/* One that was put below it later. */
	for (uint32_t i = 0; i < g->state->s->tasks.count; i++) {
		const struct st_task *child = g->state->s->tasks.items[i];

		if (str_eq(child->record->parent_task_id, t->id) &&
		    !task_view_is_over(g->state, child))
			return true;
	}
	return false;
}

static bool task_rests(struct invariant_log *g, const struct st_task *t, struct error *e)
{
	const struct thing *own = invariant_find(g, THING_TASK, t->record->task_id);
	bool runs = own->run && !own->run->end;

	switch (t->record->status) {
	case TASK_STATUS_QUEUED:
		return is_held_by(g, t) ||
		       invariant_broken(g, NULL, e, "%.*s is queued behind nothing",
		                        STR_ARG(own->id));
	case TASK_STATUS_PREPARING:
	case TASK_STATUS_RUNNING:
		return runs || invariant_broken(g, NULL, e, "%.*s is running without a run",
		                                STR_ARG(own->id));
	case TASK_STATUS_WAITING_INPUT:
	case TASK_STATUS_WAITING_PERMISSION:
	case TASK_STATUS_WAITING_RESOURCE:
	case TASK_STATUS_BLOCKED:
	case TASK_STATUS_PAUSED:
		return runs || (t->wait && t->wait->ended_by.count) ||
		       invariant_broken(g, NULL, e, "%.*s waits, and does not say for what",
		                        STR_ARG(own->id));
	case TASK_STATUS_CANCELLING:
		return runs || has_open_child(g, own) || task_turn(g->state, t, NULL) ||
		       invariant_broken(g, NULL, e,
		                        "%.*s is being cancelled, and nothing is left of it",
		                        STR_ARG(own->id));
	default:
		return true;
	}
}

bool invariant_work_rests(struct invariant_log *g, enum invariant_rest how, struct error *e)
{
	/* An example may stop where it has shown its point. */
	for (uint32_t i = 0; i < g->state->s->tasks.count && !g->invariants->is_foreign; i++) {
		const struct st_task *t = g->state->s->tasks.items[i];

		if (!t->implicit && !task_table_status_is_end(t->record->status) &&
		    !task_rests(g, t, e))
			return false;
	}
	for (const struct thing *j = g->all[THING_JOB]; j && how == INVARIANT_OVER; j = j->next)
		if (j->has_begun && !j->end)
			return invariant_broken(g, NULL, e, "job %.*s has not ended",
			                        STR_ARG(j->id));
	for (const struct thing *i = g->all[THING_ITEM]; i && how == INVARIANT_OVER; i = i->next)
		if (i->is_dispatched)
			return invariant_broken(g, NULL, e, "item %.*s still runs", STR_ARG(i->id));
	return true;
}
