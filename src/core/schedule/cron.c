/*
 * Reads cron expressions and finds the next matching time, through the gaps and
 * repetitions of a time zone.
 */
#include "core/schedule/cron.h"

#include <string.h>

#define DAY 86400
#define YEARS 8 /* 29 February comes at least this often */

/* ---- reading ---- */

/* One field of an expression, with its bounds. */
struct field {
	const char *name;
	int low, high;
	const char *words; /* three letters each, from low on */
};

static const struct field fields[] = {
	{ "minute", 0, 59, "" },
	{ "hour", 0, 23, "" },
	{ "day of the month", 1, 31, "" },
	{ "month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
	{ "day of the week", 0, 7, "sunmontuewedthufrisat" },
};

/* 32 is the bit that makes an ASCII letter lower case. */
static bool is_word(struct str text, const char *word)
{
	for (size_t i = 0; i < 3; i++)
		if ((text.ptr[i] | 32) != word[i])
			return false;
	return true;
}

static bool read_value(struct str text, const struct field *f, int *ret)
{
	int64_t n;

	if (text.len == 3)
		for (int i = 0; f->words[(size_t)i * 3]; i++)
			if (is_word(text, f->words + (size_t)i * 3)) {
				*ret = f->low + i;
				return true;
			}
	if (!text.len || text.len > 4 || text.ptr[0] == '-' || text.ptr[0] == '+' ||
	    !str_to_i64(text, &n))
		return false;
	*ret = (int)n;
	return true;
}

static enum err fail_part(const struct field *f, struct str part, const char *why, struct error *e)
{
	return fail(e, ERR_INVALID, "%s: \"%.*s\" %s", f->name,
	            STR_ARG(str_head(part, MIN(part.len, 40))), why);
}

/*
 * One part of a list: *, a, a-b, each with an optional /step.  `a/n` means from a to the end in
 * steps of n.
 */
static enum err read_part(struct str part, const struct field *f, uint64_t *bits, struct error *e)
{
	struct str whole = part, step_text = STR_NONE;
	ptrdiff_t slash = str_find_char(part, '/'), dash;
	int from = f->low, to = f->high, step = 1;

	if (slash >= 0) {
		step_text = str_skip(part, (size_t)slash + 1);
		part = str_head(part, (size_t)slash);
		if (!read_value(step_text, &(struct field){ .words = "" }, &step) || step < 1)
			return fail_part(f, whole, "has no step above zero", e);
	}
	dash = str_find_char(part, '-');
	if (!str_eq(part, STR("*"))) {
		struct str first = dash >= 0 ? str_head(part, (size_t)dash) : part;

		if (!read_value(first, f, &from))
			return fail_part(f, whole, "is not a number, a name, a range or *", e);
		to = slash >= 0 && dash < 0 ? f->high : from;
		if (dash >= 0 && !read_value(str_skip(part, (size_t)dash + 1), f, &to))
			return fail_part(f, whole, "is not a range", e);
	}
	if (from < f->low || to > f->high)
		return fail_part(f, whole, "is out of bounds", e);
	if (from > to)
		return fail_part(f, whole, "runs backwards", e);
	for (int i = from; i <= to; i += step)
		*bits |= 1ull << i;
	return OK;
}

static enum err read_field(struct str text, const struct field *f, uint64_t *ret, struct error *e)
{
	*ret = 0;
	do {
		struct str part = str_cut(&text, ',');
		enum err code = read_part(part, f, ret, e);

		if (code)
			return code;
	} while (text.len);
	return OK;
}

static struct str expand_macro(struct str text)
{
	static const struct {
		const char *word, *means;
	} rows[] = { { "@hourly", "0 * * * *" },   { "@daily", "0 0 * * *" },
		     { "@midnight", "0 0 * * *" }, { "@weekly", "0 0 * * 0" },
		     { "@monthly", "0 0 1 * *" },  { "@yearly", "0 0 1 1 *" },
		     { "@annually", "0 0 1 1 *" } };

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_eq(text, str_from(rows[i].word)))
			return str_from(rows[i].means);
	return text;
}

/* The next word, without the blanks before it. */
static struct str take_word(struct str *rest)
{
	struct str word;
	size_t len = 0;

	while (rest->len && (rest->ptr[0] == ' ' || rest->ptr[0] == '\t'))
		*rest = str_skip(*rest, 1);
	while (len < rest->len && rest->ptr[len] != ' ' && rest->ptr[len] != '\t')
		len++;
	word = str_head(*rest, len);
	*rest = str_skip(*rest, len);
	return word;
}

enum err cron_read(struct str text, struct cron *ret, struct error *e)
{
	struct str rest = expand_macro(str_trim(text)), words[5];
	uint64_t bits[5];

	for (size_t i = 0; i < 5; i++) {
		enum err code;

		words[i] = take_word(&rest);
		if (!words[i].len)
			return fail(e, ERR_INVALID, "the %s is missing: five fields are wanted",
			            fields[i].name);
		if (words[i].ptr[words[i].len - 1] == ',')
			return fail_part(&fields[i], words[i], "ends with a comma", e);
		code = read_field(words[i], &fields[i], &bits[i], e);
		if (code)
			return code;
	}
	if (str_trim(rest).len)
		return fail(e, ERR_INVALID, "there are more than five fields");
	*ret = (struct cron){
		.minutes = bits[0],
		.hours = (uint32_t)bits[1],
		.days = (uint32_t)bits[2],
		.months = (uint32_t)bits[3],
		/* Sunday may be written as 0 or 7; bit 7 is folded into bit 0. */
		.weekdays = (uint32_t)((bits[4] | bits[4] >> 7) & 0x7f),
		.any_day = words[2].ptr[0] == '*',
		.any_weekday = words[4].ptr[0] == '*',
		.every_hour = words[1].ptr[0] == '*',
	};
	return OK;
}

/* ---- the next time on a clock that never jumps ---- */

/*
 * The rule of cron: with both days restricted either is enough, with one restricted that one
 * counts. 1 January 1970 was a Thursday, so day 0 is weekday 4.
 */
static bool fits_day(const struct cron *c, int64_t day)
{
	int64_t year;
	int month, of_month, of_week = (int)(((day + 4) % 7 + 7) % 7);
	bool by_day, by_week;

	tz_date_of_days(day, &year, &month, &of_month);
	by_day = c->days >> of_month & 1;
	by_week = c->weekdays >> of_week & 1;
	if (!(c->months >> month & 1))
		return false;
	return c->any_day || c->any_weekday ? by_day && by_week : by_day || by_week;
}

static int next_bit(uint64_t bits, int from, int end)
{
	while (from < end && !(bits >> from & 1))
		from++;
	return from < end ? from : -1;
}

/*
 * The first moment of the day at or after this second; -1: none.  Seconds are rounded up to the
 * next minute.
 */
static int64_t next_in_day(const struct cron *c, int64_t second)
{
	int hour = (int)(second / 3600), minute = (int)((second % 3600 + 59) / 60);

	if (minute == 60) {
		minute = 0;
		hour++;
	}
	while (hour < 24) {
		int next = next_bit(c->hours, hour, 24);

		if (next < 0)
			return -1;
		if (next > hour)
			minute = 0;
		hour = next;
		next = next_bit(c->minutes, minute, 60);
		if (next >= 0)
			return (int64_t)hour * 3600 + next * 60;
		minute = 0;
		hour++;
	}
	return -1;
}

/* At or after `from` and before `to`, both in seconds on that clock. */
static bool next_on_clock(const struct cron *c, int64_t from, int64_t to, int64_t *ret)
{
	int64_t day = from / DAY - (from < 0 && from % DAY != 0);
	int64_t second = from - day * DAY;

	for (; day * DAY < to; day++, second = 0) {
		int64_t at = fits_day(c, day) ? next_in_day(c, second) : -1;

		if (at < 0)
			continue;
		*ret = day * DAY + at;
		return *ret < to;
	}
	return false;
}

/* ---- the next time on a clock that jumps ---- */

/* The latest time that the clock showed before it was put back, if that was recently. */
static int64_t shown_before(const struct tz *z, int64_t at)
{
	int64_t shown = INT64_MIN, until;

	for (int64_t t = at - DAY; t <= at; t = until) {
		int64_t offset = tz_offset(z, t, &until);

		if (until > at)
			break;
		shown = MAX(shown, until + offset);
	}
	return shown;
}

/*
 * Walks from one change of the offset to the next.  Between two changes the local clock runs
 * evenly, so the search there is plain; only the changes need rules: skipped times are due at the
 * end of the gap, repeated ones only the first time.
 */
int64_t cron_next(const struct cron *c, const struct tz *z, int64_t after)
{
	int64_t end = after + (int64_t)YEARS * 366 * DAY, at = after + 1;
	int64_t shown = shown_before(z, at), found;

	while (at < end) {
		int64_t until, ignored, offset = tz_offset(z, at, &until);
		int64_t stop = MIN(until, end), from = at + offset, next;

		/*
		 * A repeated time has passed already; only expressions with * for the hour match it
		 * again.
		 */
		if (!c->every_hour)
			from = MAX(from, shown);
		if (next_on_clock(c, from, stop + offset, &found))
			return found - offset;
		if (until >= end)
			break;
		shown = MAX(shown, until + offset);
		next = tz_offset(z, until, &ignored);
		/* A skipped time is due at the end of the gap. */
		if (!c->every_hour && next > offset &&
		    next_on_clock(c, until + offset, until + next, &found))
			return until;
		at = until;
	}
	return 0;
}
