#ifndef CORE_CLOCK_H
#define CORE_CLOCK_H
/*
 * The clock of a session when the wall clock is set.
 *
 * An installation has a steady time: it started with the wall clock and counts
 * elapsed time.  A session stores its deadlines in wall time at a known offset
 * from that (clockOffsetMs), so its clock is steady time plus the offset, and a
 * deadline that is a duration keeps its length when the wall clock is set.  When
 * the offset changes, one event records it, and such deadlines move with it;
 * deadlines at a time of the wall clock (cron, `at`) stay.
 */
#include "core/decision.h"

/* The offset of the wall clock has changed; d->wall is its current time. */
void clock_was_set(struct decision *d, int64_t offset_ms);

#endif
