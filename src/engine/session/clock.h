#ifndef ENGINE_SESSION_CLOCK_H
#define ENGINE_SESSION_CLOCK_H
/*
 * Steady time, and the clock of a session.
 */
#include "base/os/id.h"
#include "base/util.h"

struct engine;
struct session;

/* The largest difference between two clock readings when no clock was set. */
#define CLOCK_JITTER_MS 1000

struct engine_time {
	int64_t steady, boot; /* steady time at this reading of the boot clock */
	int64_t offset;       /* of the wall clock from steady time */
	int64_t rows_offset;  /* the one that the timer rows were written with */
	int64_t boot_ahead;   /* of the monotonic clock, at the last reading */
	bool is_kept;         /* the reference point is in the store */
	bool is_moving_rows;  /* sessions outside memory are loaded to update their rows */
};

/* Ids for this moment, from the clock and its entropy; for objects that no decision creates. */
struct id_source clock_ids(struct engine *e);
/* Wall clock of the first start, continued without jumps (clock.c). */
int64_t clock_steady(struct engine *e);
/* The current time on the session's clock. */
int64_t clock_of(struct session *s);
/* Records that the wall clock was set, if that is not recorded yet; true: it was. */
bool clock_align(struct session *s);
/* The same only in a session where something may be due. */
bool clock_align_open(struct session *s);

#endif
