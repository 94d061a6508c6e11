#ifndef CORE_CRON_H
#define CORE_CRON_H
/*
 * Cron expressions: minute, hour, day of the month, month, day of the week;
 * or @hourly, @daily, @weekly, @monthly, @yearly.
 *
 * A field is * or a list of numbers, names (JAN, MON) and ranges a-b, each
 * with a step: *\/15, 8-18/2.  Sunday is 0 and 7.  When both days are
 * restricted, either is enough.
 *
 * Where clocks are put forward, a time that is left out falls due at the
 * end of the gap, once.  Where they are put back, a time that comes twice
 * falls due the first time only.  Expressions with * for the hour follow
 * the minutes as they pass, through both.
 */
#include "base/os/tz.h"

struct cron {
	uint64_t minutes;
	uint32_t hours, days, months, weekdays;
	bool any_day, any_weekday, every_hour;
};

/* The error says which field, and what is wrong with it. */
enum err cron_read(struct str text, struct cron *ret, struct error *e) MUST_USE;

/* The first moment after this one, in seconds; 0: there is none within eight years. */
int64_t cron_next(const struct cron *c, const struct tz *z, int64_t after_s);

#endif
