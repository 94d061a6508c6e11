#ifndef CORE_SCHEDULE_H
#define CORE_SCHEDULE_H
/*
 * Schedules: tasks by the clock.
 *
 * A schedule falls due by a cron form in a time zone, at an interval, or
 * once.  What comes of it is a task like any other, on the schedule's own
 * thread; the fact that makes the task also says when the schedule is due
 * next, so that a crash repeats and loses nothing.  A moment at which
 * nothing is due leaves nothing.
 *
 * Runs that nobody was there for (the runtime was down, the clock jumped)
 * are missed: told, and made up for as the schedule says.
 * spec: contracts/agent-task#design-pressure; JOB-06, NEG-07
 */
#include "core/decision.h"

STATE_CONST struct st_schedule *schedule_find(const struct state *w, struct str schedule_id);

/* Its moment: an interval counts time that passes, the others follow the wall clock. */
static inline int64_t schedule_now(const struct decision *d, const struct rec_schedule *r)
{
	return r->has_every_ms ? d->now : d->wall;
}

/* When it is due after this moment; 0: never again.  False: its zone is not known here. */
bool schedule_next(const struct decision *d, const struct rec_schedule *r, int64_t after,
                   int64_t *ret);

/* The arguments of create_task that it keeps; false: they cannot be read. */
struct cmd_create_task;
bool schedule_task(struct decision *d, struct str text, struct cmd_create_task *ret,
                   struct error *e);

struct event *schedule_emit(struct decision *d, const struct rec_schedule *r,
                            enum policy_change change);

/* schedule_due.c: what time brings */
bool schedule_due_time(struct decision *d);
int64_t schedule_due_deadline(const struct state *w);

#endif
