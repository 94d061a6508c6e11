/* cost: what all sessions used, and how long turns took, against the aims of the settings. */
#include "app/cli/print/table.h"
#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/verbs.h"
#include "base/jw.h"
#include "base/os/clock.h"

#include <string.h>

static const char *span_of(struct cli *c, struct json durations, const char *key)
{
	int64_t ms = json_int(json_get(durations, str_from(key)), -1);

	return ms < 0 ? "-" : out_span(c->mem, ms);
}

/* Of a model there is no turn, so its cells stay empty. */
static void add_row(struct table *t, struct json row, enum tone tone)
{
	struct cli *c = t->c;
	bool has_turns = json_is(JSON_GET(row, "completed"));
	int64_t bad = json_int(JSON_GET(row, "failed"), 0) + json_int(JSON_GET(row, "lost"), 0);
	struct json turns = JSON_GET(row, "turns"), first = JSON_GET(row, "firstDelta");
	const char *unknown = json_int(JSON_GET(row, "unknownCosts"), 0) ? "+" : "";
	const char *cells[] = {
		out_field(c, row, "key"),
		arena_printf(c->mem, "%s%s", out_usd(c->mem, JSON_GET(row, "spentUsd")), unknown)
			.ptr,
		out_count(c->mem, json_int(JSON_GET(row, "inputTokens"), 0)),
		out_count(c->mem, json_int(JSON_GET(row, "outputTokens"), 0)),
		has_turns ? out_count(c->mem, bad + json_int(JSON_GET(row, "completed"), 0)) : "-",
		has_turns ? out_count(c->mem, bad) : "-",
		span_of(c, first, "p95Ms"),
		span_of(c, turns, "p95Ms"),
	};

	table_row(t, tone, cells);
}

static void print_aim(const char *what, const char *is, const char *aim, bool is_met)
{
	printf("%s: %s, aim %s%s\n", what, is, aim, is_met ? "" : "  missed");
}

/* Aims hold for the whole time that is shown. */
static void print_aims(struct cli *c, struct json reply)
{
	struct json total = JSON_GET(reply, "total"), aims = JSON_GET(reply, "objectives");
	struct json first = JSON_GET(total, "firstDelta"), turns = JSON_GET(total, "turns");
	int64_t first_aim = json_int(JSON_GET(aims, "firstDeltaMs"), 0);
	int64_t turn_aim = json_int(JSON_GET(aims, "turnMs"), 0);
	int64_t percent = json_int(JSON_GET(aims, "failedPercent"), 0);
	int64_t bad = json_int(JSON_GET(total, "failed"), 0) + json_int(JSON_GET(total, "lost"), 0);
	int64_t all = bad + json_int(JSON_GET(total, "completed"), 0);

	if (first_aim)
		print_aim("first piece, 95 of 100", span_of(c, first, "p95Ms"),
		          out_span(c->mem, first_aim),
		          json_int(JSON_GET(first, "p95Ms"), 0) <= first_aim);
	if (turn_aim)
		print_aim("turns, 95 of 100", span_of(c, turns, "p95Ms"),
		          out_span(c->mem, turn_aim),
		          json_int(JSON_GET(turns, "p95Ms"), 0) <= turn_aim);
	if (percent)
		print_aim("failed or lost",
		          arena_printf(c->mem, "%lld of %lld", (long long)bad, (long long)all).ptr,
		          arena_printf(c->mem, "%lld %%", (long long)percent).ptr,
		          bad * 100 <= percent * all);
	if (json_is(JSON_GET(aims, "dayUsd")))
		printf("cap on a day: %s\n", out_usd(c->mem, JSON_GET(aims, "dayUsd")));
}

static void print_rows(struct cli *c, struct json reply)
{
	static const char *const heads[] = { "",       "COST",      "IN",       "OUT", "TURNS",
		                             "FAILED", "FIRST P95", "TURN P95", NULL };
	struct json rows = JSON_GET(reply, "rows"), row;
	struct json_iter it = json_iter(rows);
	int64_t waited = json_int(JSON_GET(JSON_GET(reply, "total"), "waitedMs"), 0);
	struct table t;
	struct str key;

	table_begin(&t, c, heads);
	while (json_next(&it, &key, &row))
		add_row(&t, row, TONE_PLAIN);
	if (json_count(rows) != 1)
		add_row(&t, JSON_GET(reply, "total"), TONE_BOLD);
	table_print(&t, stdout);
	if (json_int(JSON_GET(reply, "omitted"), 0))
		printf("%lld more; -o json shows up to 1,000 with --limit\n",
		       (long long)json_int(JSON_GET(reply, "omitted"), 0));
	if (waited)
		printf("questions waited %s for people\n", out_span(c->mem, waited));
	print_aims(c, reply);
}

#define FIRST "T00:00:00Z"
#define LAST "T23:59:59.999Z"

/* A day alone is a whole day. */
static struct str moment(struct cli *c, const char *text, const char *rest)
{
	struct str t = str_from(text);

	return t.len == strlen("2026-11-17") ? arena_printf(c->mem, "%s%s", text, rest) : t;
}

/* In words of the options; the command has other names. */
static int check_times(struct cli *c)
{
	int64_t from = INT64_MIN, to = INT64_MAX;

	if ((c->opts.from && !clock_time_read(moment(c, c->opts.from, FIRST), &from)) ||
	    (c->opts.to && !clock_time_read(moment(c, c->opts.to, LAST), &to)))
		return opt_usage(c,
		                 "%s is a day or a time in UTC: 2026-11-17 or "
		                 "2026-11-17T04:00:00Z.",
		                 from == INT64_MIN && c->opts.from ? "--from" : "--to");
	return from < to ? CODE_DONE : opt_usage(c, "--from is a time before --to.");
}

int verb_cost(struct cli *c)
{
	struct params p;
	struct json reply;
	int code = check_times(c);

	if (code)
		return code;
	params_begin(&p);
	if (c->opts.by)
		params_str(&p, "by", str_from(c->opts.by));
	if (c->opts.from)
		params_str(&p, "since", moment(c, c->opts.from, FIRST));
	if (c->opts.to)
		params_str(&p, "until", moment(c, c->opts.to, LAST));
	if (c->opts.has_limit)
		params_int(&p, "limit", c->opts.limit);
	code = connection_call(c, "get_usage", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else if (!json_count(JSON_GET(reply, "rows")))
		puts("nothing was used in this time");
	else
		print_rows(c, reply);
	return CODE_DONE;
}
