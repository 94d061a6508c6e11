/*
 * What happens to tasks by itself: ready ones start by priority and
 * fairness, cancelled ones end from the leaves up, deadlines fall due.
 */
#include "core/task.h"

#include "core/process.h"
#include "core/session.h"
#include "core/turn.h"

static bool spreads(const struct st_task *t)
{
	return t->propagation == PROPAGATION_CHILDREN ||
	       t->propagation == PROPAGATION_CHILDREN_AND_PROCESSES;
}

/* ---- cancelled from the leaves up ---- */

static bool step_cancelled(struct outcome *d, const struct st_task *t)
{
	if (t->implicit || t->record->status != TASK_STATUS_CANCELLING || task_run(t) ||
	    task_turn(d->w, t, NULL) || (spreads(t) && task_has_open_child(d->w, t, NULL)) ||
	    task_stops_process(d->w, t->record->task_id))
		return false;
	emit_task_cancelled(d, t);
	task_release(d, t, TASK_STATUS_CANCELLED);
	return true;
}

/* ---- done but for its children ---- */

static bool step_children(struct outcome *d, const struct st_task *t)
{
	struct reconciliation r;

	if (t->record->status != TASK_STATUS_WAITING_RESOURCE || !t->wait ||
	    t->wait->for_ != WAIT_FOR_DEPENDENCY || task_has_open_child(d->w, t, NULL))
		return false;
	task_reconcile(d, t, NULL, &r);
	if (r.missing.count) {
		emit_unfinished(d, t, &r);
		return true;
	}
	emit_task_completed(d, t, &r, NULL, NULL);
	task_release(d, t, TASK_STATUS_COMPLETED);
	return true;
}

/* ---- ready ---- */

static int weight(struct str priority)
{
	static const char *const words[] = { "low", "normal", "high", "urgent" };

	for (int i = 0; i < (int)COUNT_OF(words); i++)
		if (str_eq(priority, str_from(words[i])))
			return i;
	return 1;
}

/* Trees take turns: of two equals the one whose tree has less under way goes first. */
static int running_of(const struct world *w, struct str root)
{
	int count = 0;

	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		const struct rec_task *r = w->s->tasks.items[i]->record;

		count += str_is(r->root_task_id) && str_eq(r->root_task_id, root) &&
		         (r->status == TASK_STATUS_RUNNING || r->status == TASK_STATUS_PREPARING);
	}
	return count;
}

static bool goes_before(const struct world *w, const struct st_task *a, const struct st_task *b)
{
	int x = weight(a->record->priority), y = weight(b->record->priority);

	if (x != y)
		return x > y;
	x = running_of(w, a->record->root_task_id);
	y = running_of(w, b->record->root_task_id);
	return x != y ? x < y : a->queued_sequence < b->queued_sequence;
}

static bool is_ready(const struct outcome *d, const struct st_task *t)
{
	bool is_due = t->record->status == TASK_STATUS_RETRYING && t->retry_at <= d->now &&
	              !task_run(t) && str_is(t->next_run_id) && !task_turn(d->w, t, NULL);

	if (t->implicit || task_is_held(t))
		return false;
	return is_due || (t->record->status == TASK_STATUS_QUEUED && t->wanted &&
	                  (task_is_external(t) || task_can_run(d, t)));
}

static bool step_ready(struct outcome *d)
{
	const struct st_task *best = NULL;
	struct task_ids ids;

	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];

		if (is_ready(d, t) && (!best || goes_before(d->w, t, best)))
			best = t;
	}
	if (!best)
		return false;
	task_launch(d, &(struct task_launch){ .task = best }, &ids);
	return true;
}

bool task_step(struct outcome *d)
{
	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];

		if (step_cancelled(d, t) || step_children(d, t))
			return true;
	}
	return step_ready(d);
}

/* ---- time ---- */

struct limit {
	int64_t at;
	enum { LIMIT_LEASE, LIMIT_ATTEMPT, LIMIT_TASK, LIMIT_BACKOFF } what;
};

static void earlier(struct limit *best, int64_t at, int what)
{
	if (at && (!best->at || at < best->at))
		*best = (struct limit){ at, what };
}

/* What falls due next for this task. */
static struct limit limit_of(const struct world *w, const struct st_task *t)
{
	const struct rec_task_attempt *a = task_run(t);
	const struct rec_constraints *c = t->record->constraints;
	const struct st_turn *turn = task_turn(w, t, NULL);
	struct limit best = { 0 };

	if (t->implicit || task_status_is_end(t->record->status) ||
	    (turn && turn->stage == TURN_STAGE_STOPPING))
		return best;
	earlier(&best, task_lease(w, t), LIMIT_LEASE);
	if (a && t->retry_policy && t->retry_policy->has_timeout_ms)
		earlier(&best, a->started_at + t->retry_policy->timeout_ms, LIMIT_ATTEMPT);
	if (t->record->started_at && c && c->has_time_ms)
		earlier(&best, t->record->started_at + c->time_ms, LIMIT_TASK);
	if (t->record->status == TASK_STATUS_RETRYING)
		earlier(&best, t->retry_at, LIMIT_BACKOFF);
	return best;
}

/* An agent's run is stopped first; its end says what the stop was for. */
static void stop_for_time(struct outcome *d, const struct st_task *t, bool is_whole_task)
{
	struct task_failure f = {
		.status = STATUS_TIMED_OUT,
		.category = ERROR_CATEGORY_TIMEOUT,
		.message = is_whole_task ? STR("the task took longer than its constraints allow")
		                         : STR("the attempt took longer than its policy allows"),
		.retryable = !is_whole_task,
	};
	const struct rec_task_attempt *a = task_run(t);
	struct st_thread *th;
	struct st_turn *turn = task_turn(d->w, t, &th);

	if (turn && turn->stage != TURN_STAGE_LOST) {
		emit_interrupt(d, th, turn,
		               is_whole_task ? STR("time_limit") : STR("attempt_limit"),
		               QUEUE_POLICY_CONTINUE);
		return;
	}
	if (a)
		emit_run_failed(d, t, a, &f);
	task_release(d, t, task_after_failure(d, t, &f, NULL));
}

static void lose_worker(struct outcome *d, const struct st_task *t)
{
	const struct rec_task_attempt *a = task_run(t);
	struct task_failure f = {
		.status = STATUS_LOST,
		.category = ERROR_CATEGORY_WORKER_LOST,
		.message = arena_printf(d->mem, "worker %.*s was silent longer than its lease",
		                        STR_ARG(a->worker->worker_id)),
		.retryable = true,
	};

	emit_run_failed(d, t, a, &f);
	task_release(d, t, task_after_failure(d, t, &f, NULL));
}

bool task_time(struct outcome *d)
{
	struct task_ids ids;

	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];
		struct limit l = limit_of(d->w, t);

		if (!l.at || l.at > d->now)
			continue;
		switch (l.what) {
		case LIMIT_LEASE:
			lose_worker(d, t);
			break;
		case LIMIT_ATTEMPT:
		case LIMIT_TASK:
			stop_for_time(d, t, l.what == LIMIT_TASK);
			break;
		case LIMIT_BACKOFF:
			task_launch(d, &(struct task_launch){ .task = t }, &ids);
			break;
		}
		return true; /* one at a time: the next sees this one folded */
	}
	return false;
}

int64_t task_deadline(const struct world *w)
{
	int64_t best = 0;

	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		int64_t at = limit_of(w, w->s->tasks.items[i]).at;

		if (at && (!best || at < best))
			best = at;
	}
	return best;
}
