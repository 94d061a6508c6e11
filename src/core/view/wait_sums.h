#ifndef CORE_VIEW_WAIT_SUMS_H
#define CORE_VIEW_WAIT_SUMS_H
/*
 * How much of a session waits, for what, and since when: the gauges of
 * /metrics.
 *
 * Each wait counts once: a pending approval (and not the turn and the task that
 * wait because of it), a turn that waits for something else, a queued turn, a task
 * without a running turn.
 */
#include "core/state.h"

/* Words of wait_for, then those of queue_wait. */
#define WAIT_SUMS_QUEUED WAIT_FOR_COUNT
#define WAIT_SUMS_COUNT (WAIT_FOR_COUNT + QUEUE_WAIT_COUNT)

struct wait_sum {
	uint32_t count;
	int64_t since; /* of the oldest, ms; 0: none */
};

/* Adds to ret, which has WAIT_SUMS_COUNT members. */
void wait_sums_add(const struct state *w, struct wait_sum *ret);
/* Absent for places without a word. */
struct str wait_sums_word(size_t kind);

#endif
