#ifndef CORE_STEP_H
#define CORE_STEP_H
/*
 * The step driver: decides what follows from the state, and from time.
 *
 *   command or input ─► events ─► fold ─► step_next() ─► events ─► fold ...
 *
 * The engine folds what comes back and calls again, until nothing comes:
 * that is one commit.  Nothing here remembers anything between two calls.
 */
#include "core/decision.h"

/*
 * After STEP_MAX steps in one commit the chain counts as endless: its turn
 * fails with a runtime.error.  STEP_END_MAX more may follow to end the turn,
 * then nothing.
 */
#define STEP_MAX 10000
#define STEP_END_MAX 1000

/* The next group of events that follows from the state alone, or nothing. */
void step_next(struct decision *d);
/* The earliest wall time at which step_time() would do something, or 0. */
int64_t step_deadline(const struct state *w, const struct leases *l);
/* A point in time passed: questions expire, requests that backed off are made again. */
void step_time(struct decision *d);

#endif
