#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H
/*
 * The clock of a session when the wall clock is set.
 *
 * An installation has a steady time: it began with the wall clock and counts
 * what really passes.  A session writes its deadlines for the wall clock at
 * a known distance from that (clockOffsetMs), so its own clock is steady time
 * plus that distance, and a deadline that is a duration keeps its length
 * whatever happens to the wall clock.  When the distance has changed, one
 * fact says so, and such deadlines move with it; what was written for a
 * moment of the wall clock (cron, `at`) stays.
 */
#include "core/decision.h"

/* The wall clock's distance has changed; d->wall is what it shows now. */
void clock_was_set(struct decision *d, int64_t offset_ms);

#endif
