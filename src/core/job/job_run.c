/*
 * Items of a running job: on threads of the job, or at a worker.  An item ends
 * once; failed attempts are counted here.
 */
#include "core/job/job.h"
#include "core/session/session.h"
#include "core/task/task.h"
#include "core/turn/turn.h"
#include "core/turn/turn_emit.h"
#include "core/turn/turn_internal.h"

#include "base/utf8.h"

/* ---- end of an item ---- */

/* The companion record becomes the item's index row, which outlives the item in the state. */
void job_run_name_in(struct event *ev, struct decision *d, const struct st_job *j,
                     const struct st_job_item *i, enum job_item_status status)
{
	ev->job_id = j->record->job_id;
	ev->job_item_id = job_item_id(d->mem, j->record->job_id, i->index);
	if (str_is(i->thread_id))
		ev->thread_id = i->thread_id;
	ev->job_item = KEPT(d, struct rec_job_item, .job_item_id = ev->job_item_id,
	                    .index = i->index, .status = status, .attempt_count = i->attempts,
	                    .thread_id = i->thread_id, .turn_id = i->turn_id);
}

/* At most a hundred progress events per job, however many items it has. */
static void emit_progress(struct decision *d, const struct st_job *j, bool ended_well)
{
	struct rec_job_counts *c = decision_kept(d, j->record->progress, sizeof *c);
	int64_t settled, step = MAX(c->total / 100, 1);
	struct event *ev;

	c->running--;
	c->completed += ended_well;
	c->failed += !ended_well;
	settled = c->completed + c->failed;
	if (settled % step != 0 || settled == c->total || job_is_over(j))
		return;
	ev = EMIT(d, JOB_PROGRESS, job_progress, .progress = c,
	          .item_cursor = j->record->item_cursor);
	ev->job_id = j->record->job_id;
	ev->status = STATUS_RUNNING;
}

void job_run_emit_item_completed(struct decision *d, const struct st_job *j,
                                 const struct st_job_item *i, struct str output_ref,
                                 struct rec_actor *by, int64_t cost_usd)
{
	struct event *ev = EMIT(d, JOB_ITEM_COMPLETED, job_item_completed, .index = i->index,
	                        .attempt = i->attempts, .duration_ms = since(d, i->started_at),
	                        .has_duration_ms = true, .cost_usd = cost_usd,
	                        .has_cost_usd = cost_usd != 0, .reported_by = by);

	job_run_name_in(ev, d, j, i, by ? JOB_ITEM_STATUS_REPORTED : JOB_ITEM_STATUS_COMPLETED);
	ev->status = by ? STATUS_REPORTED : STATUS_COMPLETED;
	if (str_is(output_ref)) {
		ev->job_item->output_ref = output_ref;
		decision_add_ref(d, ev, STR("output"), output_ref);
	}
	emit_progress(d, j, true);
}

/* The item waits for another attempt while it has some left; a stopping job retries nothing. */
void job_run_emit_item_failed(struct decision *d, const struct st_job *j,
                              const struct st_job_item *i, enum error_category category,
                              struct str message, bool retryable, int64_t cost_usd)
{
	bool again = retryable && !j->stopping && i->attempts < j->record->max_attempts;
	struct event *ev =
		EMIT(d, JOB_ITEM_FAILED, job_item_failed, .index = i->index, .attempt = i->attempts,
	             .category = category, .message = utf8_preview(d->mem, message, 512),
	             .retryable = retryable, .assigned_thread_id = i->thread_id,
	             .cost_usd = cost_usd, .has_cost_usd = cost_usd != 0, .will_retry = again);

	job_run_name_in(ev, d, j, i, again ? JOB_ITEM_STATUS_PENDING : JOB_ITEM_STATUS_FAILED);
	ev->status = STATUS_FAILED;
	ev->status_reason = message;
	ev->job_item->retryable = retryable;
	ev->job_item->has_retryable = true;
	ev->job_item->last_error = KEPT(d, struct rec_last_error, .category = category,
	                                .message = utf8_preview(d->mem, message, 512));
	if (!again)
		emit_progress(d, j, false);
}

/* ---- start ---- */

static bool has_money(const struct st_job *j)
{
	return !j->has_budget_usd || j->spent_usd < j->budget_usd;
}

/* Retries go first, then the cursor. */
bool job_run_next(const struct st_job *j, int64_t *ret_index)
{
	if (j->record->status != JOB_STATUS_RUNNING || !has_money(j) ||
	    (int64_t)j->running.count >= j->record->concurrency)
		return false;
	if (j->waiting.count)
		*ret_index = j->waiting.items[0]->index;
	else
		*ret_index = j->record->item_cursor;
	return j->waiting.count || j->record->item_cursor < j->record->progress->total;
}

/*
 * An item at a worker has no thread; the session's main thread is named, because the event needs
 * one.
 */
int64_t job_run_emit_item_at_worker(struct decision *d, const struct st_job *j, int64_t index,
                                    struct rec_worker *worker)
{
	bool runs;
	const struct st_job_item *before = job_item_open(j, index, &runs);
	int64_t attempt = (before ? before->attempts : 0) + 1;
	struct event *ev =
		EMIT(d, JOB_ITEM_STARTED, job_item_started, .index = index, .attempt = attempt,
	             .assigned_thread_id = state_main_thread(d->w)->thread_id, .worker = worker);

	job_run_name_in(ev, d, j, &(struct st_job_item){ .index = index, .attempts = attempt },
	                JOB_ITEM_STATUS_RUNNING);
	ev->status = STATUS_RUNNING;
	return attempt;
}

bool job_run_is_free(const struct st_thread *th)
{
	return !str_is(th->active_turn_id) && !th->order.count;
}

struct str job_run_new_thread(struct decision *d)
{
	struct event *ev;

	if (d->w->s->threads.count >= LIMIT_THREADS_PER_SESSION)
		return STR_NONE;
	ev = EMIT(d, THREAD_STARTED, thread_started, .kind = THREAD_KIND_JOB, .cause = STR("job"));
	ev->thread_id = decision_new_id(d, "thr");
	ev->status = STATUS_IDLE;
	return ev->thread_id;
}

/*
 * Threads are reused; a job has at most as many as items run at once.  Absent: the session has too
 * many threads, and the item waits.
 */
static struct str free_thread(struct decision *d, const struct st_job *j)
{
	for (uint32_t i = 0; i < j->record->assigned_thread_ids.count; i++) {
		const struct st_thread *th =
			state_thread(d->w, j->record->assigned_thread_ids.items[i]);

		if (th && job_run_is_free(th))
			return th->thread_id;
	}
	return job_run_new_thread(d);
}

static struct rec_turn_options *options_of(struct decision *d, const struct st_job *j)
{
	if (!j->has_budget_usd && !str_is(j->output_schema))
		return NULL;
	return KEPT(d, struct rec_turn_options, .has_budget_usd = j->has_budget_usd,
	            .budget_usd = j->has_budget_usd ? j->budget_usd - j->spent_usd : 0,
	            .output_schema = j->output_schema);
}

void job_run_item(struct decision *d, struct str job_id, int64_t index, struct str text)
{
	int64_t next;
	const struct st_job *j = job_find(d->w, job_id);
	struct st_job_item i = { .index = index, .attempts = 1 };
	struct event *ev;

	if (!j || !job_run_next(j, &next) || next != index)
		return; /* it was assigned or cancelled while its text was read */
	if (j->waiting.count)
		i.attempts = j->waiting.items[0]->attempts + 1;
	i.thread_id = free_thread(d, j);
	if (!str_is(i.thread_id))
		return;
	ev = EMIT(d, JOB_ITEM_STARTED, job_item_started, .index = index, .attempt = i.attempts,
	          .assigned_thread_id = i.thread_id);
	job_run_name_in(ev, d, j, &i, JOB_ITEM_STATUS_RUNNING);
	ev->status = STATUS_RUNNING;
	turn_internal_emit(d, &(struct internal_turn){
				      .thread_id = i.thread_id,
				      .turn_id = decision_new_id(d, "turn"),
				      .kind = TURN_KIND_JOB,
				      .source = STR("job"),
				      .family = STR("job"),
				      .task_kind = STR("background_job"),
				      .text = text,
				      .options = options_of(d, j),
				      .job_id = j->record->job_id,
				      .job_item_id = ev->job_item_id,
			      });
}

/* ---- end of a job ---- */

static void emit_job_failed(struct decision *d, const struct st_job *j,
                            enum error_category category, struct str message)
{
	struct event *ev = EMIT(d, JOB_FAILED, job_failed, .category = category, .message = message,
	                        .retryable = true, .progress = j->record->progress);

	ev->job_id = j->record->job_id;
	ev->status = STATUS_FAILED;
	ev->status_reason = message;
}

void job_run_broken(struct decision *d, struct str job_id, struct str why)
{
	const struct st_job *j = job_find(d->w, job_id);

	if (j && !job_is_over(j))
		emit_job_failed(d, j, ERROR_CATEGORY_NOT_FOUND, why);
}

/*
 * Runs only between items: a budget that is spent ends the job when the running items have ended.
 */
static bool step_job(struct decision *d, const struct st_job *j)
{
	struct event *ev;

	if (j->record->status != JOB_STATUS_RUNNING || j->running.count)
		return false;
	if (!has_money(j) &&
	    (j->waiting.count || j->record->item_cursor < j->record->progress->total)) {
		emit_job_failed(d, j, ERROR_CATEGORY_BUDGET, STR("the budget of the job is spent"));
		return true;
	}
	if (j->waiting.count || j->record->item_cursor < j->record->progress->total)
		return false;
	/* Nothing was achieved: that is a failure of the job, not of single items. */
	if (j->record->progress->failed == j->record->progress->total) {
		emit_job_failed(d, j, ERROR_CATEGORY_DEPENDENCY_FAILED,
		                j->record->progress->total == 1
		                        ? STR("its only item failed")
		                        : arena_printf(d->mem, "all %lld items failed",
		                                       (long long)j->record->progress->total));
		return true;
	}
	ev = EMIT(d, JOB_COMPLETED, job_completed, .progress = j->record->progress,
	          .duration_ms = since(d, j->started_at), .has_duration_ms = true,
	          .cost_usd = j->spent_usd, .has_cost_usd = true);
	ev->job_id = j->record->job_id;
	ev->status = STATUS_COMPLETED;
	if (j->record->progress->failed)
		ev->status_reason = arena_printf(d->mem, "%lld of %lld items failed",
		                                 (long long)j->record->progress->failed,
		                                 (long long)j->record->progress->total);
	return true;
}

/* ---- end of an item's turn ---- */

static const struct rec_last_error *item_error(struct arena *mem, enum error_category category,
                                               struct str message, bool retryable)
{
	struct rec_last_error *e = ARENA_NEW(mem, struct rec_last_error);

	*e = (struct rec_last_error){ .category = category,
		                      .message = message,
		                      .retryable = retryable,
		                      .has_retryable = true };
	return e;
}

/* A cancelled turn is not retried: a person has stopped it. */
const struct rec_last_error *job_run_error_of(struct arena *mem, const struct st_turn *t)
{
	const struct rec_last_error *e = t->last_error;

	if (t->status == STATUS_COMPLETED)
		return NULL;
	if (t->status == STATUS_LOST)
		return item_error(mem, ERROR_CATEGORY_LOST,
		                  STR("the runtime stopped during this attempt"), true);
	if (t->status == STATUS_CANCELLED)
		return item_error(mem, ERROR_CATEGORY_CANCELLED,
		                  str_is(t->status_reason) ? t->status_reason : STR("stopped"),
		                  false);
	return e ? item_error(mem, e->category, e->message, e->retryable)
	         : item_error(mem, ERROR_CATEGORY_UNKNOWN, STR("the turn failed"), true);
}

static void end_item(struct decision *d, const struct st_job *j, const struct st_job_item *i,
                     const struct st_turn *t)
{
	const struct rec_last_error *e = job_run_error_of(d->mem, t);

	if (e)
		job_run_emit_item_failed(d, j, i, e->category, e->message, e->retryable, 0);
	else
		job_run_emit_item_completed(d, j, i, t->last_message_ref, NULL, 0);
}

static bool step_item(struct decision *d, const struct st_job *j, const struct st_job_item *i)
{
	const struct st_thread *th = state_thread(d->w, i->thread_id);
	const struct st_turn *t =
		th && str_is(i->turn_id) ? state_thread_turn(th, i->turn_id) : NULL;

	if (str_is(i->worker_id)) {
		if (!j->stopping)
			return false;
		job_run_emit_item_failed(d, j, i, ERROR_CATEGORY_CANCELLED,
		                         STR("the job was stopped"), false, 0);
		return true;
	}
	if (!t)
		return false;
	if (turn_is_over(t)) {
		end_item(d, j, i, t);
		return true;
	}
	/*
	 * A lost run is not resumed: the item is tried again from the start, or counted as failed.
	 */
	if (t->stage == TURN_STAGE_LOST || (j->stopping && t->stage != TURN_STAGE_STOPPING)) {
		turn_emit_interrupt(d, th, t,
		                    j->stopping ? STR("cancel_job") : STR("job_item_lost"),
		                    QUEUE_POLICY_CONTINUE);
		return true;
	}
	return false;
}

bool job_run_step(struct decision *d)
{
	for (uint32_t n = 0; n < d->w->s->jobs.count; n++) {
		const struct st_job *j = d->w->s->jobs.items[n];

		for (uint32_t i = 0; i < j->running.count; i++)
			if (step_item(d, j, j->running.items[i]))
				return true;
		if (step_job(d, j))
			return true;
	}
	return false;
}

/* ---- time ---- */

static int64_t runtime_end(const struct st_job *j)
{
	return j->record->status == JOB_STATUS_RUNNING && j->record->has_max_runtime_ms
	               ? j->started_at + j->record->max_runtime_ms
	               : 0;
}

/*
 * When the lease of its external worker expires; 0: it has none.  Heartbeats may have extended it.
 */
static int64_t item_lease(const struct leases *l, const struct st_job *j,
                          const struct st_job_item *i)
{
	int64_t index;

	for (uint32_t n = 0; l && i->lease_until && n < l->count; n++)
		if (job_item_index(j, str_from(l->items[n].run_id), &index) && index == i->index)
			return l->items[n].until;
	return i->lease_until;
}

int64_t job_run_deadline(const struct state *w, const struct leases *l)
{
	int64_t best = 0;

	for (uint32_t n = 0; n < w->s->jobs.count; n++) {
		const struct st_job *j = w->s->jobs.items[n];
		int64_t at = runtime_end(j);

		if (at && (!best || at < best))
			best = at;
		for (uint32_t i = 0; i < j->running.count; i++) {
			at = item_lease(l, j, j->running.items[i]);
			if (at && (!best || at < best))
				best = at;
		}
	}
	return best;
}

bool job_run_time(struct decision *d)
{
	for (uint32_t n = 0; n < d->w->s->jobs.count; n++) {
		const struct st_job *j = d->w->s->jobs.items[n];

		if (runtime_end(j) && runtime_end(j) <= d->now) {
			emit_job_failed(d, j, ERROR_CATEGORY_TIMEOUT,
			                STR("the job exceeded its time limit"));
			return true;
		}
		for (uint32_t i = 0; i < j->running.count; i++)
			if (j->running.items[i]->lease_until &&
			    item_lease(d->leases, j, j->running.items[i]) <= d->now) {
				job_run_emit_item_failed(
					d, j, j->running.items[i], ERROR_CATEGORY_WORKER_LOST,
					STR("its worker was silent longer than its lease"), true,
					0);
				return true;
			}
	}
	return false;
}
