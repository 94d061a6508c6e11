/* Cron expressions and time zones: what is due when, through gaps and repeats. */
#include "core/schedule/cron.h"
#include "t.h"

#include <stdio.h>
#include <string.h>

/* ---- a zone made by hand: as in Berlin, by rule alone ---- */

static void put32(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> (24 - 8 * i));
}

/* A file with one type and no table; the footer says the rest. */
static struct str zone_file(struct arena *mem, int32_t offset, const char *rule)
{
	size_t head = 44, body = 6 + 4, len = 2 * (head + body) + strlen(rule) + 2;
	char *b = arena_alloc(mem, len);

	memset(b, 0, len);
	for (size_t at = 0; at <= head + body; at += head + body) {
		memcpy(b + at, "TZif2", 5);
		put32(b + at + 36, 1);
		put32(b + at + 40, 4);
		put32(b + at + head, (uint32_t)offset);
		memcpy(b + at + head + 6, "LMT", 3);
	}
	snprintf(b + 2 * (head + body), strlen(rule) + 3, "\n%s\n", rule);
	return str_of(b, 2 * (head + body) + strlen(rule) + 2);
}

static const struct tz *zone(struct arena *mem, int32_t offset, const char *rule)
{
	const struct tz *z = NULL;
	struct error e;

	CHECK(tz_read(mem, zone_file(mem, offset, rule), &z, &e) == OK);
	return z;
}

static int64_t at(int64_t year, int month, int day, int hour, int minute)
{
	return tz_days_of_date(year, month, day) * 86400 + hour * 3600 + minute * 60;
}

static int64_t next(const char *text, const struct tz *z, int64_t after)
{
	struct cron c;
	struct error e;

	CHECK(cron_read(str_from(text), &c, &e) == OK);
	return cron_next(&c, z, after);
}

#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"

TEST(the_calendar_goes_there_and_back)
{
	for (int64_t d = -800000; d < 800000; d += 37) {
		int64_t y;
		int m, day;

		tz_date_of_days(d, &y, &m, &day);
		CHECK(tz_days_of_date(y, m, day) == d);
	}
	CHECK(tz_days_of_date(1970, 1, 1) == 0);
	CHECK(tz_days_of_date(2000, 3, 1) - tz_days_of_date(2000, 2, 28) == 2);
	CHECK(tz_days_of_date(2100, 3, 1) - tz_days_of_date(2100, 2, 28) == 1);
}

TEST(plain_expressions_fall_due_when_they_say)
{
	int64_t t = at(2026, 11, 15, 8, 20); /* a Sunday */

	CHECK(next("* * * * *", &tz_utc, t) == t + 60);
	CHECK(next("* * * * *", &tz_utc, t + 59) == t + 60);
	CHECK(next("*/15 * * * *", &tz_utc, t) == at(2026, 11, 15, 8, 30));
	CHECK(next("5,50 9-17/4 * * *", &tz_utc, t) == at(2026, 11, 15, 9, 5));
	CHECK(next("0 8 * * *", &tz_utc, t) == at(2026, 11, 16, 8, 0));
	CHECK(next("30 4 * * mon", &tz_utc, t) == at(2026, 11, 16, 4, 30));
	CHECK(next("30 4 * * 7", &tz_utc, t) == at(2026, 11, 22, 4, 30));
	CHECK(next("0 0 1 JAN *", &tz_utc, t) == at(2027, 1, 1, 0, 0));
	CHECK(next("@monthly", &tz_utc, t) == at(2026, 12, 1, 0, 0));
	CHECK(next("0 0 29 2 *", &tz_utc, t) == at(2028, 2, 29, 0, 0));
	CHECK(next("0 12 13 * fri", &tz_utc, t) == at(2026, 11, 20, 12, 0));  /* either day */
	CHECK(next("0 12 */2 * fri", &tz_utc, t) == at(2026, 11, 27, 12, 0)); /* both */
	CHECK(next("0 0 31 2 *", &tz_utc, t) == 0);
	CHECK(next("0/20 * * * *", &tz_utc, t) == at(2026, 11, 15, 8, 40));
}

TEST(an_hour_that_is_left_out_falls_due_at_its_end_once)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct tz *z = zone(mem, 3600, BERLIN);
	int64_t gap = at(2026, 3, 29, 1, 0); /* 02:00 becomes 03:00 */

	CHECK(next("30 2 * * *", z, gap - 7200) == gap);
	CHECK(next("30 2 * * *", z, gap) == at(2026, 3, 30, 0, 30));
	CHECK(next("0 3 * * *", z, gap - 7200) == gap);
	CHECK(next("*/30 * * * *", z, gap - 1) == gap);
	CHECK(next("*/30 * * * *", z, gap) == gap + 1800);
	CHECK(next("45 * * * *", z, gap - 900) ==
	      gap + 2700); /* nothing for the hour that was not */
}

TEST(an_hour_that_comes_twice_falls_due_the_first_time)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct tz *z = zone(mem, 3600, BERLIN);
	int64_t back = at(2026, 10, 25, 1, 0); /* 03:00 becomes 02:00 */

	CHECK(next("30 2 * * *", z, back - 7200) == back - 1800);
	CHECK(next("30 2 * * *", z, back - 1800) == at(2026, 10, 26, 1, 30));
	CHECK(next("30 2 * * *", z, back + 60) ==
	      at(2026, 10, 26, 1, 30)); /* asked in the second hour */
	CHECK(next("0 3 * * *", z, back - 60) == back + 3600);
	CHECK(next("30 * * * *", z, back - 1800) == back + 1800); /* as the minutes pass */
	CHECK(next("*/30 * * * *", z, back - 60) == back);
}

TEST(a_year_of_hours_is_the_year_of_the_zone)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const char *rules[] = {
		BERLIN,     "EST5EDT,M3.2.0,M11.1.0",      "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
		"IST-5:30", "NZST-12NZDT,M9.5.0,M4.1.0/3", "XXX3EDT4,0/0,J365/23"
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const struct tz *z = zone(mem, 0, rules[i]);
		int64_t t = at(2026, 1, 1, 0, 0), end = at(2027, 1, 1, 0, 0);
		int days = 0, halves = 0;

		for (int64_t n = t; (n = next("15 2 * * *", z, n)) < end;)
			days++;
		for (int64_t n = t - 1; (n = next("*/30 * * * *", z, n)) < end;)
			halves++;
		CHECK(days >= 364 && days <= 366);
		CHECK(halves == 365 * 48);
	}
}

TEST(what_is_no_expression_is_refused_with_its_field)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "minute" },
		{ "* * * *", "day of the week" },
		{ "* * * * * *", "more than five" },
		{ "60 * * * *", "minute" },
		{ "* 24 * * *", "hour" },
		{ "* * 0 * *", "day of the month" },
		{ "* * * 13 *", "month" },
		{ "* * * * 8", "day of the week" },
		{ "5-1 * * * *", "backwards" },
		{ "*/0 * * * *", "step" },
		{ "1,,2 * * * *", "minute" },
		{ "1, * * * *", "comma" },
		{ "-1 * * * *", "minute" },
		{ "a * * * *", "minute" },
		{ "* * * foo *", "month" },
		{ "1-2-3 * * * *", "range" },
		{ "@soon", "minute" },
		{ "*/ * * * *", "step" },
		{ "99999999999999999999 * * * *", "minute" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct cron c;
		struct error e = { 0 };

		CHECK(cron_read(str_from(rows[i].text), &c, &e) != OK);
		CHECK(strstr(e.message, rows[i].says) != NULL);
	}
}

TEST(a_damaged_zone_is_refused)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str whole = zone_file(mem, 3600, BERLIN);
	const struct tz *z;
	struct error e;

	for (size_t len = 0; len < whole.len; len++)
		CHECK(tz_read(mem, str_head(whole, len), &z, &e) != OK);
	CHECK(tz_read(mem, zone_file(mem, 0, "CET-1CEST,M13.5.0,M10.5.0"), &z, &e) != OK);
	CHECK(tz_read(mem, zone_file(mem, 0, "CET"), &z, &e) != OK);
	CHECK(tz_read(mem, zone_file(mem, 9999999, "CET-1"), &z, &e) != OK);
}

TEST_MAIN()
