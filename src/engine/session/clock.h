#ifndef ENGINE_SESSION_CLOCK_H
#define ENGINE_SESSION_CLOCK_H
/*
 * Steady time, and a session's own clock.
 */
#include "base/os/id.h"
#include "base/util.h"

struct engine;
struct session;

/* What two looks at two clocks may differ by without anybody having set one. */
#define CLOCK_JITTER_MS 1000

struct engine_time {
	int64_t steady, boot; /* steady time when the boot clock showed this */
	int64_t offset;       /* of the wall clock from steady time */
	int64_t rows_offset;  /* the one that the rows of timers were written for */
	int64_t boot_ahead;   /* of the monotonic clock, when it was looked at last */
	bool is_kept;         /* the anchor is in the store */
	bool is_moving_rows;  /* sessions that sleep are read for their rows */
};

/* Ids of this moment, from the clock and its entropy; for what no decision makes. */
struct id_source clock_ids(struct engine *e);
/* Wall clock of the first start, carried on without jumps (clock.c). */
int64_t clock_steady(struct engine *e);
/* The moment on the session's own clock. */
int64_t clock_of(struct session *s);
/* Records that the wall clock was set, if that is not recorded yet; true: it was. */
bool clock_align(struct session *s);
/* The same only where something may be due. */
bool clock_align_open(struct session *s);

#endif
