/* Reports waits without a deadline that have lasted too long. */
#include "core/overdue.h"

#include "core/task/task.h"
#include "core/turn/turn_wait.h"

/*
 * When the wait becomes overdue; 0: it cannot, or that was reported.  A wait with a deadline needs
 * no warning: its end is an event.
 */
static int64_t overdue_at(const struct rec_wait *w)
{
	return w && !w->until && !w->overdue_at ? w->since + LIMIT_WAIT_OVERDUE_MS : 0;
}

/* The wait of an implicit task is that of its turn, which thread_overdue() reports. */
static int64_t task_overdue(const struct st_task *t)
{
	switch (t->record->status) {
	case TASK_STATUS_WAITING_INPUT:
	case TASK_STATUS_WAITING_PERMISSION:
	case TASK_STATUS_WAITING_RESOURCE:
	case TASK_STATUS_BLOCKED:
		return t->implicit ? 0 : overdue_at(t->wait);
	default:
		return 0;
	}
}

/*
 * The wait of its turn; an action has its own deadline. turn_wait() may report a pending action
 * instead of th->wait; comparing the start tells which of them it is.
 */
static int64_t thread_overdue(const struct st_thread *th)
{
	struct rec_wait now;

	return turn_wait(th, &now) && th->wait && now.since == th->wait->since && !now.until
	               ? overdue_at(th->wait)
	               : 0;
}

static struct event *emit_overdue(struct decision *d, const struct rec_wait *wait)
{
	struct rec_wait *told = rec_clone(d->mem, &rec_wait_desc, wait);
	struct str who = wait->ended_by.count ? wait->ended_by.items[0]
	                                      : STR("nothing ends this wait by itself");

	told->overdue_at = d->now;
	return EMIT(d, RUNTIME_WARNING, runtime_warning, .category = WARNING_CATEGORY_OVERDUE_WAIT,
	            .message = arena_printf(d->mem, "It has waited for %.*s for %lld hours.",
	                                    STR_ARG(wait_for_word(wait->for_)),
	                                    (long long)since(d, wait->since) / 3600000),
	            .cause = STR("watchdog"), .remedy = who, .wait = told);
}

bool overdue_report(struct decision *d)
{
	for (uint32_t i = 0; i < d->w->s->tasks.count; i++) {
		const struct st_task *t = d->w->s->tasks.items[i];
		int64_t at = task_overdue(t);

		if (!at || at > d->now)
			continue;
		task_name_in(emit_overdue(d, t->wait), t);
		return true; /* one at a time: the next sees this one folded */
	}
	for (uint32_t i = 0; i < d->w->s->threads.count; i++) {
		const struct st_thread *th = d->w->s->threads.items[i];
		int64_t at = thread_overdue(th);

		if (!at || at > d->now)
			continue;
		decision_in_thread(emit_overdue(d, th->wait), th)->turn_id = th->active_turn_id;
		return true;
	}
	return false;
}

int64_t overdue_deadline(const struct state *w)
{
	int64_t best = 0;

	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		int64_t at = task_overdue(w->s->tasks.items[i]);

		if (at && (!best || at < best))
			best = at;
	}
	for (uint32_t i = 0; i < w->s->threads.count; i++) {
		int64_t at = thread_overdue(w->s->threads.items[i]);

		if (at && (!best || at < best))
			best = at;
	}
	return best;
}
