#ifndef CORE_JOB_WORK_H
#define CORE_JOB_WORK_H
/*
 * Items of a job that other nodes work on.
 *
 *   the job's session                            the other node
 *   offer (a row of the store) ────────────────► looks for offers
 *   job.item.started, with a lease ◄──────────── take_job_item
 *                                                work_job_item: a turn in a session of its own
 *   (the lease is extended) ◄─────────────────── heartbeat_job_item
 *   job.item.completed or .failed ◄───────────── end_job_item
 *
 * The session of the other node is no part of the job: when it is recovered, no one waits for its
 * turns any more, because the job tries again what the end of a node, or a lease that ran out, lost.
 */
#include "core/job/job.h"

/* Why a turn was stopped that no one waits for. */
#define JOB_WORK_OVER STR("job_item_over")

/* May other nodes work on it?  What they need. */
bool job_work_is_offered(const struct state *w, const struct st_job *j);
const struct st_job_offer *job_work_offer(struct arena *mem, const struct state *w,
                                          const struct st_job *j);
/* Of all jobs together that a node works on: it has sessions of its own, too. */
#define JOB_WORK_ITEMS_MAX 16
/* How many items each of several nodes may run at once. */
int64_t job_work_share(const struct st_job *j, uint32_t nodes);
/* The name of a worker that is one start of a node. */
struct str job_work_worker(struct arena *mem, struct str node, uint64_t incarnation);
/* Items that run at a worker; that run here. */
int64_t job_work_at(const struct st_job *j, struct str worker_id);
int64_t job_work_own(const struct st_job *j);
/* Is it an item of a job of another session? */
bool job_work_is_foreign(const struct state *w, const struct st_turn *t);
/* Emits what follows from the state: a lost attempt at such an item ends. */
bool job_work_step(struct decision *d);
/* The worker has ended: one of its items is tried again. */
void job_work_lost(struct decision *d, struct str worker_id);
/* No one waits for the turn any more. */
void job_work_over(struct decision *d, struct str turn_id);

#endif
