#ifndef CORE_JOB_H
#define CORE_JOB_H
/*
 * Jobs: the same instruction for every item of a list.
 *
 * The state holds what is open: a cursor, counts, and records of the items that
 * run or wait for another attempt.  Every item before the cursor that is in
 * neither list has ended, and its index row holds the result.  Items run as
 * turns on a few threads of the job, each with a fresh context, or at an
 * external worker.  The engine reads the text of an item when the item is about
 * to begin; it is an input of the decision, never a part of the state.
 */
#include "core/decision.h"

STATE_CONST struct st_job *job_find(const struct state *w, struct str job_id);
bool job_is_over(const struct st_job *j);

/* Of this session, or the command is refused. */
const struct st_job *job_find_named(struct decision *d, struct str job_id);
bool job_item_named(struct decision *d, const struct st_job *j, struct str item_id, int64_t *ret);
void job_refuse_over(struct decision *d, const struct st_job *j);
/* How long a worker may be silent: what it said, if it said something, within the limits. */
bool job_lease_read(struct decision *d, bool has, int64_t said, int64_t otherwise, int64_t *ret);

/* item_<job>_<n>, and the reverse; false: not of this job. */
struct str job_item_id(struct arena *mem, struct str job_id, int64_t index);
bool job_item_index(const struct st_job *j, struct str item_id, int64_t *ret);

/*
 * May an item of the job begin now, and which?  The engine reads its text and calls job_run_item(),
 * which asks again, because the state may have changed meanwhile.
 */
bool job_run_next(const struct st_job *j, int64_t *ret_index);
/* The text of an item was read; starts it. */
void job_run_item(struct decision *d, struct str job_id, int64_t index, struct str text);
/* The items cannot be read; fails the job. */
void job_run_broken(struct decision *d, struct str job_id, struct str why);

/* Emits what follows from the state, and from time. */
bool job_run_step(struct decision *d);
bool job_run_time(struct decision *d);
int64_t job_run_deadline(const struct state *w, const struct leases *l);

/* job_run.c */
void job_run_name_in(struct event *ev, struct decision *d, const struct st_job *j,
                     const struct st_job_item *i, enum job_item_status status);
void job_run_emit_item_completed(struct decision *d, const struct st_job *j,
                                 const struct st_job_item *i, struct str output_ref,
                                 struct rec_actor *by, int64_t cost_usd);
void job_run_emit_item_failed(struct decision *d, const struct st_job *j,
                              const struct st_job_item *i, enum error_category category,
                              struct str message, bool retryable, int64_t cost_usd);
/* How the turn of an item ended; NULL: it completed. */
const struct rec_last_error *job_run_error_of(struct arena *mem, const struct st_turn *t);
/* The next attempt at an item, at a worker; which one. */
int64_t job_run_emit_item_at_worker(struct decision *d, const struct st_job *j, int64_t index,
                                    struct rec_worker *worker);
/* Each turn of an item begins without a history, so any thread for items will do. */
bool job_run_is_free(const struct st_thread *th);
/* Absent: the session has too many. */
struct str job_run_new_thread(struct decision *d);

/* The record of an item that runs or waits; NULL: it has ended or has not begun. */
const struct st_job_item *job_item_open(const struct st_job *j, int64_t index, bool *ret_runs);

#endif
