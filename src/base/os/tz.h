#ifndef BASE_TZ_H
#define BASE_TZ_H
/*
 * Time zones as the system's database describes them (TZif, RFC 9636): what
 * is added to universal time at a moment, and until when.  Reading is pure;
 * where the bytes come from is the caller's business, and nothing of the
 * process (TZ, localtime) is touched.
 *
 * Behind the table the file's footer goes on for ever: a rule such as
 * CET-1CEST,M3.5.0,M10.5.0/3.
 */
#include "base/arena.h"
#include "base/err.h"

#define TZ_FOR_EVER INT64_MAX

struct tz;

extern const struct tz tz_utc;

/* The result lives in mem; the bytes need not. */
enum err tz_read(struct arena *mem, struct str bytes, const struct tz **ret,
                 struct error *e) MUST_USE;

/* Seconds east of universal time at this moment; *ret_until: when that changes next. */
int32_t tz_offset(const struct tz *z, int64_t at_s, int64_t *ret_until);

/* Days since 1970-01-01 of a date of the Gregorian calendar, and back. */
int64_t tz_days_of_date(int64_t year, int month, int day);
void tz_date_of_days(int64_t days, int64_t *ret_year, int *ret_month, int *ret_day);

#endif
