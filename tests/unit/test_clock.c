#include "base/os/clock.h"

#include "lib/t.h"

#include <time.h>

static char text[TIME_TEXT_MAX];

static struct str written(int64_t wall_ms)
{
	clock_time_write(wall_ms, text);
	return str_from(text);
}

TEST(known_times_are_written)
{
	CHECK_STR(written(0), "1970-01-01T00:00:00.000Z");
	CHECK_STR(written(1), "1970-01-01T00:00:00.001Z");
	CHECK_STR(written(951782399999), "2000-02-28T23:59:59.999Z");
	CHECK_STR(written(951782400000), "2000-02-29T00:00:00.000Z");
	CHECK_STR(written(951868800000), "2000-03-01T00:00:00.000Z");
	CHECK_STR(written(4107542400000), "2100-03-01T00:00:00.000Z");
	CHECK_STR(written(4107542399999), "2100-02-28T23:59:59.999Z");
	CHECK_STR(written(1794733200123), "2026-11-15T09:00:00.123Z");
	CHECK_STR(written(253402300799999), "9999-12-31T23:59:59.999Z");
}

TEST(times_outside_are_kept_within_1970_and_9999)
{
	CHECK_STR(written(-1), "1970-01-01T00:00:00.000Z");
	CHECK_STR(written(INT64_MIN), "1970-01-01T00:00:00.000Z");
	CHECK_STR(written(253402300800000), "9999-12-31T23:59:59.999Z");
	CHECK_STR(written(INT64_MAX), "9999-12-31T23:59:59.999Z");
}

TEST(every_day_to_9999_agrees_with_the_c_library_and_reads_back)
{
	for (int64_t day = 0; day < 2932897; day++) {
		time_t t = (time_t)(day * 86400 + day % 86400);
		int64_t ms = (int64_t)t * 1000 + day % 1000, back = 0;
		struct tm tm;
		char want[80];

		if (day % 7 == 0 || day < 40000) {
			gmtime_r(&t, &tm);
			snprintf(want, sizeof want, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
			         tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
			         tm.tm_min, tm.tm_sec, (int)(day % 1000));
			CHECK_SAME(written(ms), str_from(want));
		}
		CHECK(clock_time_read(written(ms), &back) && back == ms);
	}
}

static int64_t got(struct str s)
{
	int64_t ms = 0;

	CHECK(clock_time_read(s, &ms));
	return ms;
}
#define GOT(literal) got(STR(literal))

TEST(any_rfc_3339_time_is_read)
{
	CHECK_INT(GOT("1970-01-01T00:00:00Z"), 0);
	CHECK_INT(GOT("1970-01-01t00:00:00z"), 0);
	CHECK_INT(GOT("1970-01-01T00:00:00.5Z"), 500);
	CHECK_INT(GOT("1970-01-01T00:00:00.1239999999999Z"), 123);
	CHECK_INT(GOT("1970-01-01T01:00:00+01:00"), 0);
	CHECK_INT(GOT("1969-12-31T18:30:00-05:30"), 0);
	CHECK_INT(GOT("1970-01-01T00:00:00-00:00"), 0);
	CHECK_INT(GOT("1969-12-31T23:59:59.999Z"), -1);
	CHECK_INT(GOT("0000-01-01T00:00:00Z"), -62167219200000);
	CHECK_INT(GOT("2000-02-29T00:00:00Z"), 951782400000);
}

TEST(a_leap_second_counts_as_the_one_before)
{
	CHECK_INT(GOT("2016-12-31T23:59:60Z"), GOT("2016-12-31T23:59:59Z"));
	CHECK_INT(GOT("1990-12-31T15:59:60-08:00"), GOT("1990-12-31T23:59:59Z"));
}

TEST(what_is_no_time_is_not_read)
{
	static const char *const wrong[] = {
		"",
		"2026-11-15",
		"2026-11-15T09:00:00",
		"2026-11-15 09:00:00Z",
		"2026-11-15T09:00Z",
		"2026-11-15T09:00:00.Z",
		"2026-11-15T09:00:00,5Z",
		"2026-00-15T09:00:00Z",
		"2026-13-15T09:00:00Z",
		"2026-11-00T09:00:00Z",
		"2026-11-31T09:00:00Z",
		"2026-02-29T09:00:00Z",
		"2100-02-29T09:00:00Z",
		"2026-11-15T24:00:00Z",
		"2026-11-15T09:60:00Z",
		"2026-11-15T09:00:61Z",
		"2026-11-15T09:00:00+24:00",
		"2026-11-15T09:00:00+01:60",
		"2026-11-15T09:00:00+0100",
		"2026-11-15T09:00:00+01",
		"2026-11-15T09:00:00Zx",
		" 2026-11-15T09:00:00Z",
		"+026-11-15T09:00:00Z",
		"20261115T090000Z",
	};
	int64_t ms = 77;

	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		if (clock_time_read(str_from(wrong[i]), &ms))
			t_fail(__FILE__, __LINE__, "read: %s", wrong[i]);
	CHECK(!clock_time_read(STR_NONE, &ms));
	CHECK(!clock_time_read(STR("2026-11-15T09:00:00\0"), &ms));
	CHECK(!clock_time_read(STR("2026-11-15\0"
	                           "09:00:00Z"),
	                       &ms));
	CHECK_INT(ms, 77);
}

TEST(every_cut_of_a_time_is_not_read)
{
	struct str whole = STR("2026-11-15T09:00:00.123+01:30");
	int64_t ms;

	for (size_t len = 0; len < whole.len; len++)
		CHECK(!clock_time_read(str_head(whole, len), &ms));
	CHECK(clock_time_read(whole, &ms));
}

TEST(the_clocks_run_forward_in_their_units)
{
	int64_t ns = clock_mono_ns(), ms = clock_mono_ms();

	CHECK(clock_mono_ns() >= ns && ms >= ns / 1000000);
	CHECK(clock_wall_ms() > 1577836800000); /* 2020 */
}

TEST_MAIN()
