/* Runs of schedules that are due: counted, made up for or skipped, and turned into tasks. */
#include "core/schedule/schedule.h"

#include "core/gen/tables.h"
#include "core/task/task.h"

#define COUNT_MAX 10000 /* of missed runs; more are not counted */
/* When a zone cannot be found, the schedule is tried again after this time. */
#define ZONE_WAIT_MS 3600000

/* The times at which it was due, up to now. */
struct due {
	int64_t first, second, last; /* second: the one after the first, past or future */
	int64_t count;
	int64_t next; /* the first one in the future */
	int64_t kept; /* the first of the last few, for policies that make up for all */
};

/*
 * Counts all due times up to now.  Times beyond COUNT_MAX are skipped at once, so that a schedule
 * of every minute after years of downtime costs a bounded loop.  `kept` is a ring of the last due
 * times.
 */
static bool count_due(const struct decision *d, const struct rec_schedule *r, struct due *ret)
{
	int64_t at = r->next_at, kept[LIMIT_SCHEDULE_CATCH_UP] = { 0 };

	*ret = (struct due){ .first = at };
	while (at && at <= schedule_now(d, r) && ret->count < COUNT_MAX) {
		kept[ret->count++ % LIMIT_SCHEDULE_CATCH_UP] = at;
		ret->last = at;
		if (!schedule_next(d, r, at, &at))
			return false;
		if (ret->count == 1)
			ret->second = at;
	}
	ret->kept = kept[ret->count % LIMIT_SCHEDULE_CATCH_UP];
	if (at && at <= schedule_now(d, r) && !schedule_next(d, r, schedule_now(d, r), &at))
		return false;
	ret->next = at;
	return true;
}

static void emit_change(struct decision *d, const struct rec_schedule *r, enum policy_change change,
                        int64_t count, int64_t next, struct str why)
{
	struct event *ev = schedule_emit(d, r, change);
	struct ev_policy_changed *p = (struct ev_policy_changed *)ev->payload;

	p->missed = count;
	p->has_missed = true;
	p->next_at = next;
	p->reason = why;
}

static const struct st_task *task_before(const struct decision *d, const struct rec_schedule *r)
{
	const struct st_task *t =
		str_is(r->last_task_id) ? state_task(d->w, r->last_task_id) : NULL;

	return t && !task_table_status_is_end(t->record->status) ? t : NULL;
}

/* One run that begins: its due time, how many it replaces, and the next time of the schedule. */
struct run {
	int64_t at, missed, next;
};

/* One event creates the task and sets the schedule's next time. */
static void make_task(struct decision *d, const struct rec_schedule *r, const struct run *run)
{
	struct cmd_create_task cmd = { 0 };
	struct error e = { 0 };
	size_t count = d->count, blob_count = d->blob_count;

	if (schedule_task(d, r->task, &cmd, &e)) {
		cmd.session_id = d->session_id;
		cmd.thread_id = r->thread_id;
		cmd.start = cmd.has_start = true;
		decide_create_task(d, &cmd);
	} else {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "task: %s", e.message);
	}
	d->reply = STR_NONE;
	/*
	 * A task that cannot be created is an event of the schedule, not an error of a caller: the
	 * schedule continues with its next time.  A refusal drops all events; those that cancel the
	 * previous task stay.
	 */
	if (d->refusal) {
		struct str why = d->detail;

		d->refusal = 0;
		d->count = count;
		d->blob_count = blob_count;
		emit_change(d, r, POLICY_CHANGE_SCHEDULE_FAILED, 1, run->next, why);
		return;
	}
	for (size_t i = 0; i < d->count; i++) {
		struct ev_task_created *p = (struct ev_task_created *)d->events[i]->payload;

		if (d->events[i]->type != EV_TASK_CREATED)
			continue;
		p->schedule_id = r->schedule_id;
		p->scheduled_for = run->at;
		p->next_at = run->next;
		p->missed = run->missed;
		p->has_missed = true;
	}
}

/*
 * Overlap: the task of the previous run has not ended.  `skip` counts the run as skipped, `cancel`
 * replaces the task, `queue` lets the new one wait on the schedule's thread.
 */
static void begin_run(struct decision *d, const struct rec_schedule *r, const struct run *run)
{
	const struct st_task *before = task_before(d, r);

	if (before && r->overlap == OVERLAP_POLICY_SKIP) {
		emit_change(d, r, POLICY_CHANGE_SCHEDULE_SKIPPED, 1 + run->missed, run->next,
		            arena_printf(d->mem, "%.*s is still %.*s",
		                         STR_ARG(before->record->task_id),
		                         STR_ARG(task_status_word(before->record->status))));
		return;
	}
	if (before && r->overlap == OVERLAP_POLICY_CANCEL) {
		decide_cancel_task(d,
		                   &(struct cmd_cancel_task){
					   .session_id = d->session_id,
					   .task_id = before->record->task_id,
					   .reason = STR("the next run of its schedule is due") });
		d->refusal = 0; /* it is being cancelled already */
	}
	make_task(d, r, run);
}

/*
 * Missed policy: `skip` drops late runs, `once` makes up for all of them by one run, `all` by one
 * run each, up to a limit.  For `all`, next_at becomes the second due time, so that the following
 * call begins that one.
 */
static void handle_due(struct decision *d, const struct rec_schedule *r)
{
	struct due due;
	bool is_on_time;

	if (!count_due(d, r, &due)) {
		emit_change(d, r, POLICY_CHANGE_SCHEDULE_FAILED, 1,
		            schedule_now(d, r) + ZONE_WAIT_MS,
		            arena_printf(d->mem, "the time zone %.*s is not known here any more",
		                         STR_ARG(r->timezone)));
		return;
	}
	is_on_time = schedule_now(d, r) - due.last <= LIMIT_SCHEDULE_GRACE_MS;
	if (r->missed_policy == MISSED_POLICY_SKIP && !is_on_time)
		emit_change(d, r, POLICY_CHANGE_SCHEDULE_MISSED, due.count, due.next,
		            STR("the runtime was not running; the policy skips missed runs"));
	else if (r->missed_policy != MISSED_POLICY_ALL)
		begin_run(d, r, &(struct run){ due.last, due.count - 1, due.next });
	else if (due.count > LIMIT_SCHEDULE_CATCH_UP)
		emit_change(d, r, POLICY_CHANGE_SCHEDULE_MISSED,
		            due.count - LIMIT_SCHEDULE_CATCH_UP, due.kept,
		            STR("more than can be made up for"));
	else
		begin_run(d, r, &(struct run){ due.first, 0, due.second });
}

bool schedule_due_time(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->schedules.count; i++) {
		const struct rec_schedule *r = d->w->s->schedules.items[i]->record;

		if (r->status != SCHEDULE_STATUS_ACTIVE || !r->next_at ||
		    r->next_at > schedule_now(d, r))
			continue;
		handle_due(d, r);
		return true; /* one at a time: the next sees this one folded */
	}
	return false;
}

int64_t schedule_due_deadline(const struct state *w)
{
	int64_t best = 0;

	for (uint32_t i = 0; i < w->s->schedules.count; i++) {
		const struct rec_schedule *r = w->s->schedules.items[i]->record;

		if (r->status == SCHEDULE_STATUS_ACTIVE && r->next_at &&
		    (!best || r->next_at < best))
			best = r->next_at;
	}
	return best;
}
