/*
 * Transitions of tasks without a command: ready ones start by priority and
 * fairness, cancelled ones end from the leaves up, deadlines expire.
 */
#include "core/task/task.h"

#include "core/process/process.h"
#include "core/task/task_report.h"
#include "core/session/session.h"
#include "core/turn/turn.h"
#include "core/turn/turn_emit.h"

static bool reaches_children(const struct st_task *t)
{
	return t->propagation == PROPAGATION_CHILDREN ||
	       t->propagation == PROPAGATION_CHILDREN_AND_PROCESSES;
}

/* ---- cancelled from the leaves up ---- */

/*
 * Ends from the leaves up: a cancelled task waits for its run, its processes and, if the
 * cancellation reaches them, its children.
 */
static bool step_cancelled(struct decision *d, const struct st_task *t)
{
	if (t->implicit || t->record->status != TASK_STATUS_CANCELLING || task_run(t) ||
	    task_turn(d->w, t, NULL) ||
	    (reaches_children(t) && task_has_open_child(d->w, t, NULL)) ||
	    process_stops_with_task(d->w, t->record->task_id))
		return false;
	task_end_emit_cancelled(d, t);
	task_graph_release(d, t, TASK_STATUS_CANCELLED);
	return true;
}

/* ---- done except for its children ---- */

/* The run has completed before; the last child's end makes the completion possible. */
static bool step_children(struct decision *d, const struct st_task *t)
{
	struct reconciliation r;

	if (t->record->status != TASK_STATUS_WAITING_RESOURCE || !t->wait ||
	    t->wait->for_ != WAIT_FOR_DEPENDENCY || task_has_open_child(d->w, t, NULL))
		return false;
	task_end_reconcile(d, t, NULL, &r);
	if (r.missing.count) {
		task_end_emit_unfinished(d, t, &r);
		return true;
	}
	task_end_emit_completed(d, t, &r, NULL, NULL);
	task_graph_release(d, t, TASK_STATUS_COMPLETED);
	return true;
}

/* ---- effects of other tasks ---- */

/* The end of an implicit task does not release the tasks that wait for it, so this step does. */
static bool step_released(struct decision *d, const struct st_task *t)
{
	enum task_status status = t->record->status;
	size_t before = d->count;

	if ((status != TASK_STATUS_QUEUED && status != TASK_STATUS_BLOCKED) || !t->wanted)
		return false;
	for (uint32_t i = 0; i < t->record->relationships.count && d->count == before; i++) {
		const struct rec_task_relationship *e = t->record->relationships.items[i];
		const struct st_task *other;

		if (e->kind != EDGE_KIND_BLOCKED_BY || e->status != EDGE_STATUS_ACTIVE)
			continue;
		other = state_task(d->w, e->target_id);
		if (other && (status == TASK_STATUS_QUEUED ||
		              other->record->status == TASK_STATUS_COMPLETED))
			task_graph_release(d, other, other->record->status);
	}
	return d->count > before;
}

/*
 * An interrupt cancels the tasks under the turn, one tree at a time. turn_emit_interrupt() marks
 * only the implicit task of the turn; tasks that were created below it follow here.
 */
static bool step_interrupted(struct decision *d, const struct st_task *t)
{
	const struct st_task *above;

	if (t->implicit || t->cancelled || !str_is(t->record->parent_task_id) ||
	    !task_table_allows(EV_TASK_CANCEL_REQUESTED, t->record->status))
		return false;
	above = state_task(d->w, t->record->parent_task_id);
	if (!above || !above->implicit ||
	    !(above->cancelled || above->record->status == TASK_STATUS_CANCELLED))
		return false;
	task_run_cancel_tree(d, t, STR("parent"), PROPAGATION_CHILDREN_AND_PROCESSES);
	return true;
}

/* ---- ready ---- */

/* An unknown word counts as normal. */
static int priority_weight(struct str priority)
{
	static const char *const words[] = { "low", "normal", "high", "urgent" };

	for (int i = 0; i < (int)COUNT_OF(words); i++)
		if (str_eq(priority, str_from(words[i])))
			return i;
	return 1;
}

/* Shared by all tasks that could start now. */
struct scene {
	struct str lacks;  /* what another agent's run lacks, or absent */
	struct str *roots; /* of running tasks */
	size_t count;
};

static struct scene collect_scene(struct decision *d)
{
	const struct st_session *s = d->w->s;
	struct scene f = { .lacks = task_run_lacks_room(d) };

	f.roots = ARENA_ARRAY(d->mem, struct str, s->tasks.count + 1);
	for (uint32_t i = 0; i < s->tasks.count; i++) {
		const struct rec_task *r = s->tasks.items[i]->record;

		if (str_is(r->root_task_id) &&
		    (r->status == TASK_STATUS_RUNNING || r->status == TASK_STATUS_PREPARING))
			f.roots[f.count++] = r->root_task_id;
	}
	return f;
}

/* Trees take turns: of two equal tasks the one whose tree has fewer running tasks starts first. */
static int running_of(const struct scene *f, struct str root)
{
	int count = 0;

	for (size_t i = 0; i < f->count; i++)
		count += str_eq(f->roots[i], root);
	return count;
}

/* Priority first, then fairness between trees, then the order in which they were queued. */
static bool starts_before(const struct scene *f, const struct st_task *a, const struct st_task *b)
{
	int x = priority_weight(a->record->priority), y = priority_weight(b->record->priority);

	if (x != y)
		return x > y;
	x = running_of(f, a->record->root_task_id);
	y = running_of(f, b->record->root_task_id);
	return x != y ? x < y : a->queued_sequence < b->queued_sequence;
}

/*
 * A retrying task counts as ready without a slot: the launch queues it then, which ends its
 * backoff.
 */
static bool is_ready(const struct decision *d, const struct scene *f, const struct st_task *t)
{
	if (t->implicit || task_graph_is_held(t))
		return false;
	if (t->record->status == TASK_STATUS_RETRYING)
		return t->retry_at <= d->now && !task_run(t) && str_is(t->next_run_id) &&
		       !task_turn(d->w, t, NULL);
	return t->record->status == TASK_STATUS_QUEUED && t->wanted &&
	       (task_is_external(t) || (!str_is(f->lacks) && task_run_has_thread(d, t)));
}

/* Only other sessions keep it from starting. */
static bool is_held_by_others(const struct decision *d, const struct st_task *t)
{
	return t->record->status == TASK_STATUS_QUEUED && t->wanted && !t->implicit &&
	       !task_graph_is_held(t) && !task_is_external(t) && task_run_has_thread(d, t);
}

/*
 * Chooses one task per step. wants_slot informs the engine that a task waits only for other
 * sessions, so that it puts the session into the shared queue for task slots.
 */
static bool step_ready(struct decision *d)
{
	struct scene f = collect_scene(d);
	const struct st_task *best = NULL, *held = NULL;
	bool is_shared = str_is(f.lacks) && task_room_is_shared(f.lacks);
	struct task_ids ids;

	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];

		if (is_ready(d, &f, t) && (!best || starts_before(&f, t, best)))
			best = t;
		else if (is_shared && is_held_by_others(d, t) &&
		         (!held || starts_before(&f, t, held)))
			held = t;
	}
	d->wants_slot = held;
	if (!best)
		return held && task_run_emit_lacks_room(d, held, f.lacks);
	task_run_launch(d, &(struct task_launch){ .task = best }, &ids);
	return true;
}

/* Ends precede starts: they free threads and slots. */
bool task_schedule_step(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];

		if (task_report_step(d, t) || step_cancelled(d, t) || step_children(d, t) ||
		    step_released(d, t) || step_interrupted(d, t))
			return true;
	}
	return step_ready(d);
}

/* ---- time ---- */

/* The earliest limit of a task, and what it means. */
struct limit {
	int64_t at;
	enum { LIMIT_LEASE, LIMIT_ATTEMPT, LIMIT_TASK, LIMIT_SILENCE, LIMIT_BACKOFF } what;
};

static void take_earlier(struct limit *best, int64_t at, int what)
{
	if (at && (!best->at || at < best->at))
		*best = (struct limit){ at, what };
}

/*
 * The next deadline of this task.  A turn that is stopping has met its limit already; without this
 * check the same deadline would fire again until the stop is complete.
 */
static struct limit limit_of(const struct state *w, const struct leases *leases,
                             const struct st_task *t)
{
	const struct rec_constraints *c = t->record->constraints;
	const struct rec_task_attempt *a;
	const struct st_turn *turn;
	struct limit best = { 0 };

	if (t->implicit || task_table_status_is_end(t->record->status))
		return best;
	a = task_run(t);
	take_earlier(&best, task_lease(leases, t), LIMIT_LEASE);
	if (a && t->retry_policy && t->retry_policy->has_timeout_ms)
		take_earlier(&best, a->started_at + t->retry_policy->timeout_ms, LIMIT_ATTEMPT);
	if (t->record->started_at && c && c->has_time_ms)
		take_earlier(&best, t->record->started_at + c->time_ms, LIMIT_TASK);
	/*
	 * A task that waits for a person or a resource is not inactive: that wait has its own
	 * limits.
	 */
	if (a && c && c->has_inactivity_ms &&
	    (t->record->status == TASK_STATUS_RUNNING ||
	     t->record->status == TASK_STATUS_PREPARING))
		take_earlier(&best, MAX(t->activity_at, a->started_at) + c->inactivity_ms,
		             LIMIT_SILENCE);
	if (t->record->status == TASK_STATUS_RETRYING)
		take_earlier(&best, t->retry_at, LIMIT_BACKOFF);
	if (!best.at)
		return best;
	turn = task_turn(w, t, NULL);
	return turn && turn->stage == TURN_STAGE_STOPPING ? (struct limit){ 0 } : best;
}

/*
 * An agent's run is stopped first; its end names the reason.  External workers and lost turns have
 * nothing to stop: their run fails at once.
 */
static void stop_for_time(struct decision *d, const struct st_task *t, int what)
{
	bool is_whole_task = what == LIMIT_TASK;
	struct task_failure f = {
		.status = STATUS_TIMED_OUT,
		.category = ERROR_CATEGORY_TIMEOUT,
		.message = what == LIMIT_SILENCE ? TASK_SILENT
		           : is_whole_task ? STR("the task took longer than its constraints allow")
		                           : STR("the attempt took longer than its policy allows"),
		.retryable = !is_whole_task,
	};
	const struct rec_task_attempt *a = task_run(t);
	const struct st_thread *th;
	const struct st_turn *turn = task_turn(d->w, t, &th);

	if (turn && turn->stage != TURN_STAGE_LOST) {
		turn_emit_interrupt(d, th, turn,
		                    what == LIMIT_SILENCE ? STR("inactivity_limit")
		                    : is_whole_task       ? STR("time_limit")
		                                          : STR("attempt_limit"),
		                    QUEUE_POLICY_CONTINUE);
		return;
	}
	if (a)
		task_end_emit_run_failed(d, t, a, &f);
	task_graph_release(d, t, task_end_after_failure(d, t, &f, NULL));
}

static void lose_worker(struct decision *d, const struct st_task *t)
{
	const struct rec_task_attempt *a = task_run(t);
	struct task_failure f = {
		.status = STATUS_LOST,
		.category = ERROR_CATEGORY_WORKER_LOST,
		.message = arena_printf(d->mem, "worker %.*s was silent longer than its lease",
		                        STR_ARG(a->worker->worker_id)),
		.retryable = true,
	};

	task_end_emit_run_failed(d, t, a, &f);
	task_graph_release(d, t, task_end_after_failure(d, t, &f, NULL));
}

bool task_schedule_time(struct decision *d)
{
	struct task_ids ids;

	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];
		struct limit l = limit_of(d->w, d->leases, t);

		if (!l.at || l.at > d->now)
			continue;
		switch (l.what) {
		case LIMIT_LEASE:
			lose_worker(d, t);
			break;
		case LIMIT_ATTEMPT:
		case LIMIT_TASK:
		case LIMIT_SILENCE:
			stop_for_time(d, t, (int)l.what);
			break;
		case LIMIT_BACKOFF:
			task_run_launch(d, &(struct task_launch){ .task = t }, &ids);
			break;
		}
		return true; /* one at a time: the next sees this one folded */
	}
	return false;
}

int64_t task_schedule_deadline(const struct state *w, const struct leases *l)
{
	int64_t best = 0;

	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		int64_t at = limit_of(w, l, w->s->tasks.items[i]).at;

		if (at && (!best || at < best))
			best = at;
	}
	return best;
}
