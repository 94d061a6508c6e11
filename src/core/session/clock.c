/* Moves every deadline that is a duration when the wall clock was set. */
#include "core/fold_part.h"
#include "core/session/clock.h"

#include "core/gen/tables.h"
#include "core/task/task.h"

/* The largest difference between readings of two clocks without a jump. */
#define JITTER_MS 1000

/*
 * One event per session and change of the offset.  Timestamps of events never go back; the event
 * says for how long they stand still.
 */
void clock_was_set(struct decision *d, int64_t offset_ms)
{
	const struct st_session *s = d->w->s;
	const struct st_thread *th = state_main_thread(d->w);
	int64_t by = offset_ms - s->clock_offset_ms, ahead = s->updated_at - d->wall;
	struct str message = arena_printf(
		d->mem, "The wall clock was set %s by %lld seconds. Deadlines keep their length.",
		by < 0 ? "back" : "forward", (long long)(by < 0 ? -by : by) / 1000);
	struct event *ev;

	if (ahead > JITTER_MS)
		message = arena_printf(d->mem,
		                       "%.*s The newest event of this session is stamped %lld "
		                       "seconds ahead of it: timestamps stand still until then.",
		                       STR_ARG(message), (long long)ahead / 1000);
	ev = EMIT(d, RUNTIME_WARNING, runtime_warning, .category = WARNING_CATEGORY_CLOCK_JUMP,
	          .message = message, .clock_offset_ms = offset_ms, .has_clock_offset_ms = true,
	          .stamp_ahead_ms = ahead > JITTER_MS ? ahead : 0,
	          .has_stamp_ahead_ms = ahead > JITTER_MS);
	if (th)
		ev->thread_id = th->thread_id;
}

/* ---- fold: deadlines that are durations move with the clock ---- */

/* 0 means that there is no such deadline. */
static void move_time(int64_t *at, int64_t by)
{
	if (*at)
		*at += by;
}

static void move_wait(struct rec_wait *w, int64_t by)
{
	if (!w)
		return;
	move_time(&w->since, by);
	move_time(&w->until, by);
}

/* The time for retries and the deadline of a request count from when it was sent. */
static void move_turn(struct st_turn *t, int64_t by)
{
	move_time(&t->retry_at, by);
	move_time(&t->requested_at, by);
	move_time(&t->first_piece_at, by);
}

/* Only open objects have deadlines; the times of ended ones are records of what happened. */
static void move_thread(struct st_thread *th, int64_t by)
{
	move_wait(th->wait, by);
	for (uint32_t i = 0; i < th->turns.count; i++)
		if (!turn_is_over(th->turns.items[i]))
			move_turn(th->turns.items[i], by);
	for (uint32_t i = 0; i < th->actions.count; i++)
		if (action_is_pending(th->actions.items[i]))
			move_time(&th->actions.items[i]->expires_at, by);
	for (uint32_t i = 0; i < th->calls.count; i++)
		if (!call_is_over(th->calls.items[i]))
			move_time(&th->calls.items[i]->until, by);
}

static void move_task(struct st_task *t, int64_t by)
{
	if (task_table_status_is_end(t->record->status))
		return;
	move_time(&t->retry_at, by);
	move_time(&t->activity_at, by);
	move_time(&t->record->started_at, by);
	move_wait(t->wait, by);
	for (uint32_t i = 0; i < t->attempts.count; i++) {
		struct rec_task_attempt *a = t->attempts.items[i];

		if (a->ended_at)
			continue;
		move_time(&a->started_at, by);
		if (a->worker)
			move_time(&a->worker->lease_until, by);
	}
}

static void move_job(struct st_job *j, int64_t by)
{
	move_time(&j->started_at, by);
	for (uint32_t i = 0; i < j->running.count; i++) {
		move_time(&j->running.items[i]->started_at, by);
		move_time(&j->running.items[i]->lease_until, by);
	}
}

/*
 * Durations move, times of the wall clock stay: an absolute expiry, a cron expression and `at` are
 * meant as the user wrote them.
 */
void clock_on_runtime_warning(struct state *w, const struct event *ev,
                              const struct ev_runtime_warning *p)
{
	struct st_session *s = w->s;
	int64_t by = p->clock_offset_ms - s->clock_offset_ms;

	if (!p->has_clock_offset_ms)
		return;
	s->clock_offset_ms = p->clock_offset_ms;
	s->has_clock_offset_ms = p->clock_offset_ms != 0;
	for (uint32_t i = 0; i < s->threads.count; i++)
		move_thread(s->threads.items[i], by);
	for (uint32_t i = 0; i < s->tasks.count; i++)
		move_task(s->tasks.items[i], by);
	for (uint32_t i = 0; i < s->jobs.count; i++)
		move_job(s->jobs.items[i], by);
	for (uint32_t i = 0; i < s->deliveries.count; i++)
		move_time(&s->deliveries.items[i]->record->next_at, by);
	for (uint32_t i = 0; i < s->expiring.count; i++)
		move_time(&s->expiring.items[i]->at, by);
	for (uint32_t i = 0; i < s->schedules.count; i++)
		if (s->schedules.items[i]->record->has_every_ms)
			move_time(&s->schedules.items[i]->record->next_at, by);
}
