/*
 * Times of a trajectory: ISO 8601, as far as Python's datetime.fromisoformat()
 * takes it, which is what readers of ATIF use.  A date, alone or with a time:
 *
 *	2026-01-31  20260131  2026-W05-6  2026W056  2026-W05
 *	T12  T12:30  T12:30:59  T123059  T12:30:59.25  T12:30:59,25
 *	Z  +01  +01:00  +0100  -05:30:15
 */
#include "app/cli/conform/conform.h"

/* What is left to read; is_wrong is sticky. */
struct time_text {
	struct str rest;
	bool is_wrong;
};

static bool take_char(struct time_text *t, char c)
{
	if (!t->rest.len || t->rest.ptr[0] != c)
		return false;
	t->rest = str_skip(t->rest, 1);
	return true;
}

static size_t digits(struct str s)
{
	size_t n = 0;

	while (n < s.len && s.ptr[n] >= '0' && s.ptr[n] <= '9')
		n++;
	return n;
}

/* A number of so many digits, within its limits. */
static int take_number(struct time_text *t, size_t width, int min, int max)
{
	int value = 0;

	if (digits(t->rest) < width) {
		t->is_wrong = true;
		return min;
	}
	for (size_t i = 0; i < width; i++)
		value = value * 10 + (t->rest.ptr[i] - '0');
	t->rest = str_skip(t->rest, width);
	t->is_wrong = t->is_wrong || value < min || value > max;
	return value;
}

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* 1 is Monday. */
static int weekday_of_new_year(int year)
{
	int before = year - 1;

	return (before + before / 4 - before / 100 + before / 400) % 7 + 1;
}

static int weeks_of(int year)
{
	int first = weekday_of_new_year(year);

	return first == 4 || (first == 3 && is_leap(year)) ? 53 : 52;
}

static void take_date(struct time_text *t)
{
	int year = take_number(t, 4, 1, 9999), month;
	bool has_dash = take_char(t, '-');

	if (t->is_wrong)
		return;
	if (take_char(t, 'W')) {
		take_number(t, 2, 1, weeks_of(year));
		if (has_dash ? take_char(t, '-') : digits(t->rest) == 1)
			take_number(t, 1, 1, 7);
		return;
	}
	month = take_number(t, 2, 1, 12);
	if (has_dash && !take_char(t, '-'))
		t->is_wrong = true;
	if (!t->is_wrong)
		take_number(t, 2, 1, days_of(year, month));
}

static void take_fraction(struct time_text *t)
{
	size_t n;

	if (!take_char(t, '.') && !take_char(t, ','))
		return;
	n = digits(t->rest);
	t->is_wrong = t->is_wrong || !n;
	t->rest = str_skip(t->rest, n);
}

/* Hours, minutes, seconds: all with colons or all without. */
static void take_clock(struct time_text *t)
{
	bool has_colon;

	take_number(t, 2, 0, 23);
	has_colon = take_char(t, ':');
	if (!has_colon && !digits(t->rest))
		return;
	take_number(t, 2, 0, 59);
	if (has_colon ? !take_char(t, ':') : !digits(t->rest))
		return;
	take_number(t, 2, 0, 59);
	take_fraction(t);
}

bool atif_time_is(struct str text)
{
	struct time_text t = { .rest = text };

	take_date(&t);
	if (t.is_wrong || !t.rest.len)
		return !t.is_wrong;
	if (!take_char(&t, 'T') && !take_char(&t, 't') && !take_char(&t, ' '))
		return false;
	take_clock(&t);
	if (take_char(&t, 'Z'))
		return !t.is_wrong && !t.rest.len;
	if (take_char(&t, '+') || take_char(&t, '-'))
		take_clock(&t);
	return !t.is_wrong && !t.rest.len;
}
