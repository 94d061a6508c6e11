/*
 * Queries about tasks, used by decisions, folds and views, and the scope and
 * status that every event of a task carries.
 *
 * A task that has ended leaves the state after a while.  A command that names
 * one brings it along (decision.recalled), so look-ups by id go through here.
 */
#include "core/task/task.h"

/* ---- queries ---- */

static const struct st_task *recalled(const struct decision *d, struct str task_id)
{
	for (size_t i = 0; i < d->recalled_count; i++)
		if (str_eq(d->recalled[i]->record->task_id, task_id))
			return d->recalled[i];
	return NULL;
}

const struct st_task *task_above(const struct decision *d, const struct st_task *t)
{
	struct str id = t->record->parent_task_id;
	const struct st_task *above = str_is(id) ? state_task(d->w, id) : NULL;

	return above || !str_is(id) ? above : recalled(d, id);
}

/* The engine has read the named task back from its index row if it had left the state. */
const struct st_task *task_named(struct decision *d, struct str task_id)
{
	const struct st_task *t = state_task(d->w, task_id);

	if (!t)
		t = recalled(d, task_id);
	if (!t)
		decision_refuse(d, ERROR_CODE_TASK_NOT_FOUND, "%.*s is not a task of this session",
		                STR_ARG(task_id));
	return t;
}

void task_refuse_ended(struct decision *d, const struct st_task *t)
{
	const struct rec_task *r = t->record;

	decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "%.*s has ended as %.*s", STR_ARG(r->task_id),
	                STR_ARG(task_status_word(r->status)));
	d->extra = arena_printf(d->mem, "{\"taskId\":\"%.*s\",\"taskStatus\":\"%.*s\"}",
	                        STR_ARG(r->task_id), STR_ARG(task_status_word(r->status)));
}

const struct st_task *task_open(struct decision *d, struct str task_id)
{
	const struct st_task *t = task_named(d, task_id);

	if (!t || !task_table_status_is_end(t->record->status))
		return t;
	task_refuse_ended(d, t);
	return NULL;
}

const struct rec_task_attempt *task_run(const struct st_task *t)
{
	for (uint32_t i = t->attempts.count; i-- > 0;)
		if (!t->attempts.items[i]->ended_at)
			return t->attempts.items[i];
	return NULL;
}

bool task_is_external(const struct st_task *t)
{
	return t->worker &&
	       (t->worker->kind == WORKER_KIND_EXTERNAL || t->worker->kind == WORKER_KIND_PEER);
}

/*
 * Only the active turn of a thread counts.  A task waits in its own queue, never in that of a
 * thread.
 */
const struct st_turn *task_turn(const struct state *w, const struct st_task *t,
                                const struct st_thread **ret_th)
{
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		const struct st_turn *turn = state_thread_active(w->s->threads.items[i]);

		if (!turn || !str_is(turn->task_id) || !str_eq(turn->task_id, t->record->task_id))
			continue;
		if (ret_th)
			*ret_th = w->s->threads.items[i];
		return turn;
	}
	return NULL;
}

/* The depth is bounded against circles in a damaged log. */
bool task_is_under(const struct state *w, const struct rec_task *r, struct str root)
{
	for (int depth = 0; str_is(r->parent_task_id) && depth < LIMIT_TASK_DEPTH; depth++) {
		const struct st_task *up = state_task(w, r->parent_task_id);

		if (str_eq(r->parent_task_id, root))
			return true;
		if (!up)
			return false;
		r = up->record;
	}
	return false;
}

bool task_has_open_child(const struct state *w, const struct st_task *t, struct str *ret_id)
{
	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		const struct rec_task *r = w->s->tasks.items[i]->record;

		if (!str_is(r->parent_task_id) || !str_eq(r->parent_task_id, t->record->task_id) ||
		    task_table_status_is_end(r->status))
			continue;
		if (ret_id)
			*ret_id = r->task_id;
		return true;
	}
	return false;
}

/* ---- scope and status of events ---- */

struct event *task_name_in(struct event *ev, const struct st_task *t)
{
	ev->thread_id = t->record->thread_id;
	ev->task_id = t->record->task_id;
	return ev;
}

struct event *task_name_run_in(struct event *ev, const struct st_task *t,
                               const struct rec_task_attempt *a)
{
	task_name_in(ev, t);
	ev->run_id = a->run_id;
	ev->attempt_id = a->attempt_id;
	return ev;
}

/* Words of tasks are a subset of those of the envelope, so the conversion always succeeds. */
struct rec_task *task_status(struct decision *d, struct event *ev, struct str task_id,
                             enum task_status status)
{
	ev->status = rec_enum_read(&enum_status, task_status_word(status));
	ev->task = KEPT(d, struct rec_task, .task_id = task_id, .status = status);
	return ev->task;
}

void task_reply(struct decision *d, const struct rec_desc *desc, const void *reply)
{
	d->reply = rec_text(d->mem, desc, reply);
}

/* ---- runs and task slots ---- */

/*
 * Reports name their run, so that a late report of an older run is not taken for one of the current
 * run.  Only the worker of an external run may report on it, so the name is required there.
 */
bool task_is_run(struct decision *d, const struct st_task *t, struct str run_id)
{
	const struct rec_task_attempt *a = task_run(t);

	if (!str_is(run_id)) {
		if (!task_is_external(t) || !t->attempts.count)
			return true;
		decision_refuse(d, ERROR_CODE_MISSING_FIELD,
		                "runId: an external worker names its run");
		return false;
	}
	if (a && str_eq(a->run_id, run_id))
		return true;
	decision_refuse(d, ERROR_CODE_STALE_RUN, "%.*s is not the run of %.*s%s%.*s",
	                STR_ARG(run_id), STR_ARG(t->record->task_id),
	                a ? "; that is " : ", which has none now",
	                STR_ARG(a ? a->run_id : STR("")));
	d->extra = arena_printf(d->mem, "{\"taskStatus\":\"%.*s\"%s%.*s%s}",
	                        STR_ARG(task_status_word(t->record->status)),
	                        a ? ",\"currentRunId\":\"" : "", STR_ARG(a ? a->run_id : STR("")),
	                        a ? "\"" : "");
	return false;
}

/*
 * An event about a task that had left memory carries its whole state, so that the fold restores it.
 */
struct str task_recalled(struct decision *d, const struct st_task *t)
{
	return state_task(d->w, t->record->task_id) ? STR_NONE : rec_text(d->mem, &st_task_desc, t);
}

bool task_room_is_shared(struct str reason)
{
	return str_eq(reason, STR("tenant_concurrency")) ||
	       str_eq(reason, STR("runtime_concurrency"));
}

bool task_lacks_shared_room(const struct st_task *t)
{
	return t->record->status == TASK_STATUS_QUEUED && str_is(t->queued_reason) &&
	       task_room_is_shared(t->queued_reason);
}

const struct st_task *task_cancelled_above(const struct decision *d, const struct st_task *t)
{
	const struct st_task *above = task_above(d, t);

	for (int depth = 0; above && depth < LIMIT_TASK_DEPTH; depth++) {
		if (above->cancelled)
			return above;
		above = task_above(d, above);
	}
	return NULL;
}

int64_t task_lease(const struct leases *l, const struct st_task *t)
{
	const struct rec_task_attempt *a = task_run(t);

	return a && a->worker ? lease_until(l, a->run_id, a->worker->lease_until) : 0;
}

bool task_wants_worker(const struct st_task *t)
{
	return t->record->status == TASK_STATUS_WAITING_RESOURCE && t->wait &&
	       t->wait->for_ == WAIT_FOR_WORKER;
}
