/*
 * Writes and reads points in time (RFC 3339, milliseconds), and reads the wall,
 * monotonic and boot clocks of the system.
 */
#include "base/os/clock.h"

#include <time.h>

#define DAY_MS 86400000
/* RFC 3339 has four digits for the year. */
#define LAST_MS 253402300799999 /* 9999-12-31T23:59:59.999Z */

/*
 * Between a date and its distance from the epoch, by the arithmetic of Howard
 * Hinnant's "chrono-compatible low-level date algorithms": years begin in
 * March, so that the leap day comes last, and repeat every 400 years.
 */
static int64_t days_from_date(int year, int month, int day)
{
	int64_t y = year - (month <= 2);
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return era * 146097 + day_of_era - 719468;
}

static void date_from_days(uint32_t days, uint32_t *ret_year, uint32_t *ret_month,
                           uint32_t *ret_day)
{
	uint32_t z = days + 719468;
	uint32_t era = z / 146097;
	uint32_t day_of_era = z % 146097;
	uint32_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	uint32_t day_of_year =
		day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	uint32_t march_month = (5 * day_of_year + 2) / 153;

	*ret_day = day_of_year - (153 * march_month + 2) / 5 + 1;
	*ret_month = march_month < 10 ? march_month + 3 : march_month - 9;
	*ret_year = year_of_era + era * 400 + (*ret_month <= 2);
}

static void put2(char *at, uint32_t n)
{
	at[0] = (char)('0' + n / 10);
	at[1] = (char)('0' + n % 10);
}

/* By hand: every event has a timestamp, and its form must not depend on the locale. */
void clock_time_write(int64_t wall_ms, char out[TIME_TEXT_MAX])
{
	uint64_t ms = (uint64_t)MIN(MAX(wall_ms, 0), LAST_MS);
	uint32_t in_day = (uint32_t)(ms % DAY_MS);
	uint32_t year, month, day;

	date_from_days((uint32_t)(ms / DAY_MS), &year, &month, &day);
	memcpy(out, "0000-00-00T00:00:00.000Z", TIME_TEXT_MAX);
	put2(out, year / 100);
	put2(out + 2, year % 100);
	put2(out + 5, month);
	put2(out + 8, day);
	put2(out + 11, in_day / 3600000);
	put2(out + 14, in_day / 60000 % 60);
	put2(out + 17, in_day / 1000 % 60);
	put2(out + 20, in_day % 1000 / 10);
	out[22] = (char)('0' + in_day % 10);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* `count` digits at the front of s, and nothing else: -1. */
static int take_digits(struct str *s, size_t count)
{
	int n = 0;

	if (s->len < count)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (!is_digit(s->ptr[i]))
			return -1;
		n = n * 10 + (s->ptr[i] - '0');
	}
	*s = str_skip(*s, count);
	return n;
}

static bool take_char(struct str *s, const char *one_of)
{
	if (!s->len || !s->ptr[0] || !strchr(one_of, s->ptr[0]))
		return false;
	*s = str_skip(*s, 1);
	return true;
}

static int days_in_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && is_leap);
}

static bool take_date(struct str *s, int64_t *ret_days)
{
	int year = take_digits(s, 4);
	int month = year >= 0 && take_char(s, "-") ? take_digits(s, 2) : -1;
	int day = month >= 1 && month <= 12 && take_char(s, "-") ? take_digits(s, 2) : -1;

	if (day < 1 || day > days_in_month(year, month))
		return false;
	*ret_days = days_from_date(year, month, day);
	return true;
}

/* Digits past the third are dropped. */
static bool take_fraction(struct str *s, int *ret_ms)
{
	int scale = 100;

	*ret_ms = 0;
	if (!take_char(s, "."))
		return true;
	if (!s->len || !is_digit(s->ptr[0]))
		return false;
	for (int digit; (digit = take_digits(s, 1)) >= 0; scale /= 10)
		*ret_ms += digit * scale;
	return true;
}

static bool take_clock(struct str *s, int64_t *ret_ms)
{
	int hour = take_digits(s, 2);
	int minute = hour >= 0 && take_char(s, ":") ? take_digits(s, 2) : -1;
	int second = minute >= 0 && take_char(s, ":") ? take_digits(s, 2) : -1;
	int ms;

	if (second < 0 || hour > 23 || minute > 59 || second > 60 || !take_fraction(s, &ms))
		return false;
	*ret_ms = ((hour * 60 + minute) * 60 + MIN(second, 59)) * (int64_t)1000 + ms;
	return true;
}

static bool take_offset(struct str *s, int64_t *ret_ms)
{
	int sign = s->len && s->ptr[0] == '-' ? -1 : 1;

	*ret_ms = 0;
	if (take_char(s, "Zz"))
		return true;

	int hour = take_char(s, "+-") ? take_digits(s, 2) : -1;
	int minute = hour >= 0 && take_char(s, ":") ? take_digits(s, 2) : -1;

	if (minute < 0 || hour > 23 || minute > 59)
		return false;
	*ret_ms = sign * (hour * 60 + minute) * (int64_t)60000;
	return true;
}

/* The whole text must be consumed. */
bool clock_time_read(struct str s, int64_t *ret_wall_ms)
{
	int64_t days, in_day, offset;

	if (!take_date(&s, &days) || !take_char(&s, "Tt") || !take_clock(&s, &in_day) ||
	    !take_offset(&s, &offset) || s.len)
		return false;
	*ret_wall_ms = days * DAY_MS + in_day - offset;
	return true;
}

static int64_t now_ns(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_wall_ms(void)
{
	return now_ns(CLOCK_REALTIME) / 1000000;
}

int64_t clock_mono_ms(void)
{
	return now_ns(CLOCK_MONOTONIC) / 1000000;
}

int64_t clock_boot_ms(void)
{
	return now_ns(CLOCK_BOOTTIME) / 1000000;
}

int64_t clock_mono_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}
