#ifndef CORE_SCHEDULE_H
#define CORE_SCHEDULE_H
/*
 * Schedules: tasks that start at set times.
 *
 * A schedule is due by a cron expression in a time zone, at an interval, or
 * once.  The result is an ordinary task on the schedule's own thread; the event
 * that creates the task also holds the schedule's next time, so a crash neither
 * repeats nor loses a run.  When nothing is due, no event is written.
 *
 * Runs that were due while the runtime was down or the clock jumped are missed:
 * they are recorded, and made up for as the schedule demands.
 * spec: contracts/agent-task#design-pressure; JOB-06, NEG-07
 */
#include "core/decision.h"

STATE_CONST struct st_schedule *schedule_find(const struct state *w, struct str schedule_id);

/* The clock of a schedule: an interval counts elapsed time, the others follow the wall clock. */
static inline int64_t schedule_now(const struct decision *d, const struct rec_schedule *r)
{
	return r->has_every_ms ? d->now : d->wall;
}

/* When it is due after this moment; 0: never again.  False: its zone is unknown here. */
bool schedule_next(const struct decision *d, const struct rec_schedule *r, int64_t after,
                   int64_t *ret);

/* The stored arguments of create_task; false: they cannot be read. */
struct cmd_create_task;
bool schedule_task(struct decision *d, struct str text, struct cmd_create_task *ret,
                   struct error *e);

struct event *schedule_emit(struct decision *d, const struct rec_schedule *r,
                            enum policy_change change);

/* schedule_due.c: what is due at this time */
bool schedule_due_time(struct decision *d);
int64_t schedule_due_deadline(const struct state *w);

#endif
