/*
 * The leases of a session's external workers, beside the folded state.
 * spec: contracts/agent-task#attempts-and-runs; GAP-61
 */
#include "core/task/lease.h"

#include "base/memory.h"
#include "core/job/job.h"

#include <stdio.h>

/* Few workers per session, so a linear search is enough. */
static struct lease *lease_find(const struct leases *l, struct str run_id)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (str_eq(str_from(l->items[i].run_id), run_id))
			return &l->items[i];
	return NULL;
}

void lease_done(struct leases *l)
{
	memory_free(l->items);
	*l = (struct leases){ 0 };
}

void lease_set(struct leases *l, struct str run_id, int64_t until)
{
	struct lease *found = lease_find(l, run_id);

	if (!found) {
		if (l->count == l->cap) {
			l->cap = l->cap ? 2 * l->cap : 4;
			l->items = memory_resize(l->items, l->cap * sizeof *l->items);
		}
		found = &l->items[l->count++];
		snprintf(found->run_id, sizeof found->run_id, "%.*s", STR_ARG(run_id));
	}
	found->until = until;
}

static void lease_end(struct leases *l, struct str run_id)
{
	struct lease *found = lease_find(l, run_id);

	if (found)
		memmove(found, &l->items[--l->count], sizeof *found);
}

/* logged 0: the run has no lease at all, so none may be invented for it. */
int64_t lease_until(const struct leases *l, struct str run_id, int64_t logged)
{
	const struct lease *found = l && logged ? lease_find(l, run_id) : NULL;

	return found ? found->until : logged;
}

static void lease_shift(struct leases *l, int64_t by)
{
	for (uint32_t i = 0; i < l->count; i++)
		l->items[i].until += by;
}

/*
 * The lease of a job's item is not started here: until its first heartbeat, the one in the log
 * applies.
 */
void lease_on_event(struct leases *l, const struct state *before, const struct event *ev)
{
	const struct ev_runtime_warning *warning = ev->payload;

	switch (ev->type) {
	case EV_TASK_ATTEMPT_STARTED:
		if (ev->worker && ev->worker->lease_until)
			lease_set(l, ev->run_id, ev->worker->lease_until);
		break;
	case EV_TASK_ATTEMPT_COMPLETED:
	case EV_TASK_ATTEMPT_FAILED:
		lease_end(l, ev->run_id);
		break;
	case EV_JOB_ITEM_COMPLETED:
	case EV_JOB_ITEM_FAILED:
		lease_end(l, ev->job_item_id);
		break;
	case EV_RUNTIME_WARNING:
		if (warning->has_clock_offset_ms)
			lease_shift(l, warning->clock_offset_ms - before->s->clock_offset_ms);
		break;
	default:
		break;
	}
}

/* A run may begin at a time ahead of the clock that measured its lease. */
static int64_t lease_length(int64_t from, int64_t until)
{
	return until - from < LIMIT_LEASE_MIN_MS ? LIMIT_LEASE_MS : until - from;
}

static void restart_items(struct leases *l, const struct st_job *j, int64_t now)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (uint32_t i = 0; i < j->running.count; i++) {
		const struct st_job_item *item = j->running.items[i];

		if (item->lease_until)
			lease_set(l, job_item_id(mem, j->record->job_id, item->index),
			          now + lease_length(item->started_at, item->lease_until));
	}
}

/* A worker must not be lost because the runtime was down: it could not send heartbeats then. */
void lease_restart(struct leases *l, const struct state *w, int64_t now)
{
	l->count = 0;
	for (uint32_t i = 0; i < w->s->tasks.count; i++) {
		const struct st_task *t = w->s->tasks.items[i];

		for (uint32_t n = 0; n < t->attempts.count; n++) {
			const struct rec_task_attempt *a = t->attempts.items[n];

			if (!a->ended_at && a->worker && a->worker->lease_until)
				lease_set(
					l, a->run_id,
					now + lease_length(a->started_at, a->worker->lease_until));
		}
	}
	for (uint32_t i = 0; i < w->s->jobs.count; i++)
		restart_items(l, w->s->jobs.items[i], now);
}
