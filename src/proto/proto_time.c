/* Days are counted in the calendar that begins each year in March, so that leap days come last. */
#include "proto/proto_time.h"

#define DAY_S 86400
#define FIRST_S (-62135596800) /* 0001-01-01T00:00:00Z */
#define LAST_S 253402300799    /* 9999-12-31T23:59:59Z */
#define NANOS 1000000000

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month > 2 ? year : year - 1, era = floor_div(y, 400), of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void date_of(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
	int64_t z = days + 719468, era = floor_div(z, 146097), of_era = z - era * 146097;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;

	*day = of_year - (153 * m + 2) / 5 + 1;
	*month = m < 10 ? m + 3 : m - 9;
	*year = y + era * 400 + (*month <= 2);
}

struct str proto_time_text(struct arena *mem, struct proto_time t)
{
	int64_t year, month, day, rest = t.seconds - floor_div(t.seconds, DAY_S) * DAY_S;
	struct str date, fraction = STR("");

	if (t.seconds < FIRST_S || t.seconds > LAST_S || t.nanos < 0 || t.nanos >= NANOS)
		return STR_NONE;
	date_of(floor_div(t.seconds, DAY_S), &year, &month, &day);
	date = arena_printf(mem, "%04d-%02d-%02dT%02d:%02d:%02d", (int)year, (int)month, (int)day,
	                    (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60));
	if (t.nanos % 1000)
		fraction = arena_printf(mem, ".%09d", (int)t.nanos);
	else if (t.nanos % 1000000)
		fraction = arena_printf(mem, ".%06d", (int)(t.nanos / 1000));
	else if (t.nanos)
		fraction = arena_printf(mem, ".%03d", (int)(t.nanos / 1000000));
	return arena_printf(mem, "%.*s%.*sZ", STR_ARG(date), STR_ARG(fraction));
}

/* Exactly `count` digits, and `then` behind them unless that is 0. */
static bool take_digits(struct str *s, size_t count, char then, int64_t *ret)
{
	uint64_t value;

	if (s->len < count + (then != 0) || s->ptr[0] == '+' || s->ptr[0] == '-' ||
	    !str_to_u64(str_head(*s, count), &value))
		return false;
	if (then && s->ptr[count] != then)
		return false;
	*s = str_skip(*s, count + (then != 0));
	*ret = (int64_t)value;
	return true;
}

static bool take_fraction(struct str *s, int32_t *ret)
{
	int32_t value = 0;
	size_t count = 1;

	*ret = 0;
	if (!s->len || s->ptr[0] != '.')
		return true;
	for (; count < s->len && s->ptr[count] >= '0' && s->ptr[count] <= '9'; count++)
		if (count <= 9)
			value = value * 10 + (s->ptr[count] - '0');
	for (size_t i = count; i <= 9; i++)
		value *= 10;
	*s = str_skip(*s, count);
	*ret = value;
	return count > 1;
}

static bool take_offset(struct str s, int64_t *ret_seconds)
{
	int64_t hours, minutes, sign;

	*ret_seconds = 0;
	if (s.len == 1 && (s.ptr[0] == 'Z' || s.ptr[0] == 'z'))
		return true;
	if (s.len != 6 || (s.ptr[0] != '+' && s.ptr[0] != '-'))
		return false;
	sign = s.ptr[0] == '-' ? -1 : 1;
	s = str_skip(s, 1);
	if (!take_digits(&s, 2, ':', &hours) || !take_digits(&s, 2, 0, &minutes) || hours > 23 ||
	    minutes > 59)
		return false;
	*ret_seconds = sign * (hours * 3600 + minutes * 60);
	return true;
}

static int64_t month_days(int64_t year, int64_t month)
{
	static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && is_leap);
}

static bool take_date(struct str *s, int64_t *ret_days)
{
	int64_t year, month, day;

	if (!take_digits(s, 4, '-', &year) || !take_digits(s, 2, '-', &month) ||
	    !take_digits(s, 2, 0, &day) || !year || !month || month > 12 || !day ||
	    day > month_days(year, month))
		return false;
	*ret_days = days_of(year, month, day);
	return true;
}

bool proto_time_read(struct str s, struct proto_time *ret)
{
	int64_t days, hours, minutes, seconds, offset;
	int32_t nanos;

	if (!take_date(&s, &days) || !s.len || (s.ptr[0] != 'T' && s.ptr[0] != 't'))
		return false;
	s = str_skip(s, 1);
	if (!take_digits(&s, 2, ':', &hours) || !take_digits(&s, 2, ':', &minutes) ||
	    !take_digits(&s, 2, 0, &seconds) || hours > 23 || minutes > 59 || seconds > 59 ||
	    !take_fraction(&s, &nanos) || !take_offset(s, &offset))
		return false;
	seconds += days * DAY_S + hours * 3600 + minutes * 60 - offset;
	if (seconds < FIRST_S || seconds > LAST_S)
		return false;
	*ret = (struct proto_time){ seconds, nanos };
	return true;
}
