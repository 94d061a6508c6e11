#ifndef CORE_JOB_H
#define CORE_JOB_H
/*
 * Jobs: the same instruction for every item of a list.
 *
 * The world holds what is open: a cursor, counts, and records of the items
 * that run or wait for another attempt.  Everything before the cursor that
 * is in neither list is settled, and its row says how.  Items run as turns
 * on a few threads of the job's own, each with a fresh context, or at an
 * external worker that it was assigned to.  The text of an item is read by
 * the engine when the item is about to begin; it is an input to the
 * decision, never a part of the state.
 */
#include "core/decision.h"

STATE_CONST struct st_job *job_find(const struct state *w, struct str job_id);
bool job_is_over(const struct st_job *j);

/* item_<job>_<n>, and back; false: not of this job. */
struct str job_item_id(struct arena *mem, struct str job_id, int64_t index);
bool job_item_index(const struct st_job *j, struct str item_id, int64_t *ret);

/* The next item that may begin now; NULL: none. */
const struct st_job *job_run_next(const struct state *w, int64_t *ret_index);
/* Its text was read. */
void job_run_item(struct decision *d, struct str job_id, int64_t index, struct str text);
/* The items cannot be read. */
void job_run_broken(struct decision *d, struct str job_id, struct str why);

/* What follows from the state, and from time. */
bool job_run_step(struct decision *d);
bool job_run_time(struct decision *d);
int64_t job_run_deadline(const struct state *w, const struct leases *l);

/* job_run.c */
void job_run_name_in(struct event *ev, struct decision *d, const struct st_job *j,
                     const struct st_job_item *i, enum job_item_status status);
void job_run_emit_item_completed(struct decision *d, const struct st_job *j,
                                 const struct st_job_item *i, struct str output_ref,
                                 struct rec_actor *by);
void job_run_emit_item_failed(struct decision *d, const struct st_job *j,
                              const struct st_job_item *i, enum error_category category,
                              struct str message, bool retryable);

/* What is known of an item that runs or waits; NULL: it is settled, or has not begun. */
const struct st_job_item *job_item_open(const struct st_job *j, int64_t index, bool *ret_runs);

#endif
