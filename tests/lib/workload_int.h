#ifndef TESTS_WORKLOAD_INT_H
#define TESTS_WORKLOAD_INT_H
/* Shared by the workload*.c files only. */
#include "workload.h"

#define PICK(rng, array) ((array)[rng_below((rng), COUNT_OF(array))])

/* NULL: there is none yet. */
struct seen *some_session(struct crash_run *t);
const struct st_thread *some_thread(struct crash_run *t, struct seen *s);
/* NULL: without; old ones come again. */
const char *some_key(struct crash_run *t, bool may_be_old);
/* Inputs for a model. */
const char *some_input(struct crash_run *t);

/* Tasks, workers, jobs and child agents. */
void workload_task_step(struct crash_run *t);

#endif
