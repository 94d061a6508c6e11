#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H
/* Writing and reading points in time; nothing here asks what time it is. */
#include "base/str.h"

#define TIME_TEXT_MAX 25 /* 2026-11-15T14:00:00.000Z and a NUL */

/* UTC, milliseconds, Z: the one form that leaves the runtime.  Kept within 1970 to 9999. */
void clock_time_write(int64_t wall_ms, char out[TIME_TEXT_MAX]);

/* Any RFC 3339 date-time; the offset is applied.  Leap second 60 counts as 59. */
bool clock_time_read(struct str s, int64_t *ret_wall_ms) MUST_USE;

/* The edge's clocks: only src/lib, src/net, src/store and tests may ask. */
int64_t clock_wall_ms(void);
int64_t clock_mono_ms(void);
int64_t clock_boot_ms(void); /* since the machine was started, its sleep included */
int64_t clock_mono_ns(void);

#endif
