/*
 * Reads TZif files: the table of transitions, and the POSIX rule in the footer
 * for the time after it.  Every count is bounded, because files may be damaged.
 */
#include "base/os/tz.h"

#include <string.h>

#define DAY 86400
#define HEADER 44
/* Far above any real zone; a damaged count must not allocate more. */
#define TIMES_MAX 4096
#define TYPES_MAX 256

/* The start of standard or summer time in a rule. */
struct tz_turn {
	enum { TURN_MONTH, TURN_JULIAN, TURN_DAY } kind;
	int month, week, day;
	int32_t time; /* seconds after midnight, may be negative or beyond a day */
};

struct tz_rule {
	bool is_there, has_summer;
	int32_t standard, summer;
	struct tz_turn begin, end;
};

struct tz {
	size_t count;
	const int64_t *times;   /* ascending */
	const int32_t *offsets; /* from each of them on */
	int32_t first;          /* before all of them */
	struct tz_rule rule;
};

const struct tz tz_utc = { 0 };

/* ---- the calendar ---- */

int64_t tz_days_of_date(int64_t year, int month, int day)
{
	int64_t y = year - (month <= 2);
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void tz_date_of_days(int64_t days, int64_t *ret_year, int *ret_month, int *ret_day)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t of_era = z - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t mp = (5 * of_year + 2) / 153;

	*ret_day = (int)(of_year - (153 * mp + 2) / 5 + 1);
	*ret_month = (int)(mp < 10 ? mp + 3 : mp - 9);
	*ret_year = year + era * 400 + (*ret_month <= 2);
}

static bool is_leap(int64_t y)
{
	return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

static int weekday(int64_t days)
{
	int64_t w = (days + 4) % 7;

	return (int)(w < 0 ? w + 7 : w);
}

static int days_in_month(int64_t year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* ---- the rule at the end of a file ---- */

static bool take_char(struct str *s, char c)
{
	if (!s->len || s->ptr[0] != c)
		return false;
	*s = str_skip(*s, 1);
	return true;
}

static bool take_number(struct str *s, int max, int *ret)
{
	int n = 0;
	size_t used = 0;

	while (used < s->len && s->ptr[used] >= '0' && s->ptr[used] <= '9' && used < 4)
		n = n * 10 + (s->ptr[used++] - '0');
	if (!used || n > max)
		return false;
	*s = str_skip(*s, used);
	*ret = n;
	return true;
}

/* Names are skipped: only offsets count. */
static bool take_name(struct str *s)
{
	size_t used = 0;
	bool is_quoted = take_char(s, '<');

	while (used < s->len &&
	       (is_quoted ? s->ptr[used] != '>'
	                  : (s->ptr[used] | 32) >= 'a' && (s->ptr[used] | 32) <= 'z'))
		used++;
	*s = str_skip(*s, used);
	return used > 0 && (!is_quoted || take_char(s, '>'));
}

static bool take_time(struct str *s, int32_t *ret)
{
	bool is_negative = take_char(s, '-');
	int hours, minutes = 0, seconds = 0;

	if (!is_negative)
		take_char(s, '+');
	if (!take_number(s, 167, &hours))
		return false;
	if (take_char(s, ':') &&
	    (!take_number(s, 59, &minutes) || (take_char(s, ':') && !take_number(s, 59, &seconds))))
		return false;
	*ret = (hours * 60 + minutes) * 60 + seconds;
	if (is_negative)
		*ret = -*ret;
	return true;
}

/* Mm.w.d, Jn or n, then an optional time of day, 02:00 by default (POSIX.1, TZ). */
static bool take_turn(struct str *s, struct tz_turn *ret)
{
	ret->time = 7200;
	if (take_char(s, 'M')) {
		ret->kind = TURN_MONTH;
		if (!take_number(s, 12, &ret->month) || !ret->month || !take_char(s, '.') ||
		    !take_number(s, 5, &ret->week) || !ret->week || !take_char(s, '.') ||
		    !take_number(s, 6, &ret->day))
			return false;
	} else if (take_char(s, 'J')) {
		ret->kind = TURN_JULIAN;
		if (!take_number(s, 365, &ret->day) || !ret->day)
			return false;
	} else {
		ret->kind = TURN_DAY;
		if (!take_number(s, 365, &ret->day))
			return false;
	}
	return !take_char(s, '/') || take_time(s, &ret->time);
}

/* Offsets of a POSIX rule are positive to the west. */
static bool read_rule(struct str s, struct tz_rule *ret)
{
	int32_t west;

	if (!s.len)
		return true;
	if (!take_name(&s) || !take_time(&s, &west))
		return false;
	ret->standard = -west;
	ret->is_there = true;
	if (!s.len)
		return true;
	if (!take_name(&s))
		return false;
	west -= 3600;
	if (s.len && s.ptr[0] != ',' && !take_time(&s, &west))
		return false;
	ret->summer = -west;
	ret->has_summer = true;
	return take_char(&s, ',') && take_turn(&s, &ret->begin) && take_char(&s, ',') &&
	       take_turn(&s, &ret->end) && !s.len;
}

/* Week 5 means the last one, which may be the fourth. */
static int64_t day_of_turn(const struct tz_turn *t, int64_t year)
{
	int64_t first = tz_days_of_date(year, 1, 1);

	if (t->kind == TURN_DAY)
		return first + t->day;
	if (t->kind == TURN_JULIAN) /* 29 February is never counted */
		return first + t->day - 1 + (is_leap(year) && t->day >= 60);
	first = tz_days_of_date(year, t->month, 1);
	int64_t day = (t->day - weekday(first) + 7) % 7 + 7 * (t->week - 1);

	if (day >= days_in_month(year, t->month))
		day -= 7;
	return first + day;
}

/*
 * The changes of the year before and after are needed too: in the southern hemisphere
 * summer time spans the new year.
 */
static int32_t rule_offset(const struct tz_rule *r, int64_t at, int64_t *ret_until)
{
	int64_t year, until = TZ_FOR_EVER, latest = INT64_MIN;
	int month, day;
	int32_t offset = r->standard;

	*ret_until = TZ_FOR_EVER;
	if (!r->has_summer)
		return offset;
	tz_date_of_days((at + r->standard) / DAY - (at + r->standard < 0), &year, &month, &day);
	for (int64_t y = year - 1; y <= year + 1; y++) {
		int64_t begin = day_of_turn(&r->begin, y) * DAY + r->begin.time - r->standard;
		int64_t end = day_of_turn(&r->end, y) * DAY + r->end.time - r->summer;

		/* Permanent summer time has both changes at one moment; the later rule applies. */
		if (end <= at && end > latest) {
			latest = end;
			offset = r->standard;
		}
		if (begin <= at && begin >= latest) {
			latest = begin;
			offset = r->summer;
		}
		if (begin > at && begin < until)
			until = begin;
		if (end > at && end < until)
			until = end;
	}
	*ret_until = until;
	return offset;
}

/* ---- the file ---- */

static uint32_t be32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

static int64_t be64(const char *p)
{
	return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

struct counts {
	uint32_t isut, isstd, leap, time, type, chars;
};

/* Counts come from the file and are multiplied below: bounded here, no product overflows. */
static bool read_header(struct str b, struct counts *ret)
{
	if (b.len < HEADER || memcmp(b.ptr, "TZif", 4) != 0)
		return false;
	*ret = (struct counts){ be32(b.ptr + 20), be32(b.ptr + 24), be32(b.ptr + 28),
		                be32(b.ptr + 32), be32(b.ptr + 36), be32(b.ptr + 40) };
	return ret->time <= TIMES_MAX && ret->type <= TYPES_MAX && ret->type &&
	       ret->leap <= TIMES_MAX && ret->chars <= TIMES_MAX && ret->isut <= TYPES_MAX &&
	       ret->isstd <= TYPES_MAX;
}

/*
 * RFC 9636, section 3.2: transition times and types, local time types of 6 bytes, names,
 * leap seconds, and two lists of flags.
 */
static size_t body_size(const struct counts *n, size_t time_size)
{
	return n->time * (time_size + 1) + n->type * 6 + n->chars + n->leap * (time_size + 4) +
	       n->isstd + n->isut;
}

/*
 * Bounds were checked against the length of the file; the order and the indices are
 * checked here.
 */
static enum err read_body(struct arena *mem, struct str b, const struct counts *n, struct tz *z,
                          struct error *e)
{
	const char *types = b.ptr + n->time * 8, *infos = types + n->time;
	int64_t *times = ARENA_ARRAY(mem, int64_t, n->time + 1);
	int32_t *offsets = ARENA_ARRAY(mem, int32_t, n->time + 1);

	for (uint32_t i = 0; i < n->time; i++) {
		unsigned type = (unsigned char)types[i];

		times[i] = be64(b.ptr + (size_t)i * 8);
		if (type >= n->type || (i && times[i] <= times[i - 1]))
			return fail(e, ERR_INVALID, "the table of the time zone is damaged");
		offsets[i] = (int32_t)be32(infos + type * 6);
		if (offsets[i] < -2 * DAY || offsets[i] > 2 * DAY)
			return fail(e, ERR_INVALID, "an offset of the time zone is out of bounds");
	}
	z->first = (int32_t)be32(infos);
	if (z->first < -2 * DAY || z->first > 2 * DAY)
		return fail(e, ERR_INVALID, "an offset of the time zone is out of bounds");
	z->count = n->time;
	z->times = times;
	z->offsets = offsets;
	return OK;
}

enum err tz_read(struct arena *mem, struct str bytes, const struct tz **ret, struct error *e)
{
	struct tz *z = ARENA_NEW(mem, struct tz);
	struct counts n;
	struct str footer;
	ptrdiff_t end;
	enum err code;

	/* The first body has times of 32 bits, for old readers; the second one is read. */
	if (!read_header(bytes, &n) || bytes.ptr[4] < '2' || bytes.len < HEADER + body_size(&n, 4))
		return fail(e, ERR_INVALID,
		            "not a file of the time zone database, version 2 or later");
	bytes = str_skip(bytes, HEADER + body_size(&n, 4));
	if (!read_header(bytes, &n) || bytes.len < HEADER + body_size(&n, 8))
		return fail(e, ERR_INVALID, "the file of the time zone is cut short");
	bytes = str_skip(bytes, HEADER);
	code = read_body(mem, bytes, &n, z, e);
	if (code)
		return code;
	footer = str_skip(bytes, body_size(&n, 8));
	if (!take_char(&footer, '\n') || (end = str_find_char(footer, '\n')) < 0 ||
	    !read_rule(str_head(footer, (size_t)end), &z->rule))
		return fail(e, ERR_INVALID, "the rule of the time zone cannot be read");
	*ret = z;
	return OK;
}

/* ret_until lets a schedule step from change to change instead of testing every hour. */
int32_t tz_offset(const struct tz *z, int64_t at, int64_t *ret_until)
{
	size_t low = 0, high = z->count;

	while (low < high) { /* the first that is later */
		size_t mid = (low + high) / 2;

		if (z->times[mid] > at)
			high = mid;
		else
			low = mid + 1;
	}
	if (low == z->count && z->rule.is_there)
		return rule_offset(&z->rule, at, ret_until);
	*ret_until = low < z->count ? z->times[low] : TZ_FOR_EVER;
	return low ? z->offsets[low - 1] : z->first;
}
