/* The report as a table for a terminal. */
#include "app/cli/conform/conform_log.h"

#include "app/cli/print/out.h"

struct str conform_table_place(struct arena *mem, struct json first)
{
	struct str file = json_str(JSON_GET(first, "file")),
		   type = json_str(JSON_GET(first, "type"));
	int64_t line = json_int(JSON_GET(first, "line"), 0);
	int64_t sequence = json_int(JSON_GET(first, "sequence"), -1);
	struct buf text = { 0 };
	struct str kept;

	buf_add_str(&text, file);
	if (line)
		buf_printf(&text, ", line %lld", (long long)line);
	if (sequence >= 0)
		buf_printf(&text, ", event %lld", (long long)sequence);
	if (type.len)
		buf_printf(&text, " (%.*s)", STR_ARG(type));
	kept = arena_keep(mem, buf_str(&text));
	buf_done(&text);
	return kept;
}

struct str conform_table_result(struct arena *mem, struct json row)
{
	struct str word = arena_keep(mem, json_str(JSON_GET(row, "result")));

	for (char *at = (char *)(uintptr_t)word.ptr; at && *at; at++)
		if (*at == '_')
			*at = ' ';
	return word;
}

static enum tone tone_of(struct json row)
{
	struct str word = json_str(JSON_GET(row, "result"));

	return str_eq(word, STR("fail"))   ? TONE_BAD
	       : str_eq(word, STR("pass")) ? TONE_GOOD
	                                   : TONE_DIM;
}

static void print_missing(struct cli *c, struct json row)
{
	struct json_iter it = json_iter(JSON_GET(row, "missing"));
	const char *separator = " Missing: ";
	struct json pattern;
	struct str key;

	for (; json_next(&it, &key, &pattern); separator = ", ")
		printf("%s%s", separator, out_safe(c->mem, json_str(pattern)));
}

static void print_row(struct cli *c, struct json row)
{
	struct json first = JSON_GET(row, "first");
	const char *result = out_safe(c->mem, conform_table_result(c->mem, row));

	printf("%s%-14s%s  %-7s  %s\n", out_tone_on(c->color_out, tone_of(row)), result,
	       out_tone_off(c->color_out), out_field(c, row, "id"), out_field(c, row, "statement"));
	if (json_is(first)) {
		printf("%25s%s: %s\n", "", out_safe(c->mem, conform_table_place(c->mem, first)),
		       out_field(c, first, "text"));
		printf("%25s%s", "", out_field(c, row, "clause"));
		if (json_int(JSON_GET(row, "findings"), 0) > 1)
			printf("; %lld findings",
			       (long long)json_int(JSON_GET(row, "findings"), 0));
		putchar('\n');
	} else if (json_is(JSON_GET(row, "show"))) {
		printf("%25sTo show it: %s", "", out_field(c, row, "show"));
		print_missing(c, row);
		putchar('\n');
	}
}

static void print_rows(struct cli *c, struct json report, struct str profile)
{
	struct json_iter it = json_iter(JSON_GET(report, "rows"));
	struct json row;
	struct str key;

	while (json_next(&it, &key, &row))
		if (str_eq(json_str(JSON_GET(row, "profile")), profile))
			print_row(c, row);
}

static void print_profiles(struct cli *c, struct json report)
{
	struct json_iter it = json_iter(JSON_GET(report, "profiles"));
	struct json p;
	struct str key;

	while (json_next(&it, &key, &p)) {
		printf("%sprofile %s%s  %lld pass, %lld fail, %lld not shown, %lld not "
		       "applicable\n",
		       out_tone_on(c->color_out, TONE_BOLD), out_field(c, p, "profile"),
		       out_tone_off(c->color_out), (long long)json_int(JSON_GET(p, "pass"), 0),
		       (long long)json_int(JSON_GET(p, "fail"), 0),
		       (long long)json_int(JSON_GET(p, "notShown"), 0),
		       (long long)json_int(JSON_GET(p, "notApplicable"), 0));
		print_rows(c, report, json_str(JSON_GET(p, "profile")));
	}
}

static void print_logs(struct json report)
{
	struct json_iter it = json_iter(JSON_GET(report, "logs"));
	int64_t events = 0, unreadable = 0, redelivered = 0, logs = 0;
	struct json log;
	struct str key;

	for (; json_next(&it, &key, &log); logs++) {
		events += json_int(JSON_GET(log, "events"), 0);
		unreadable += json_int(JSON_GET(log, "unreadable"), 0);
		redelivered += json_int(JSON_GET(log, "redelivered"), 0);
	}
	printf("%lld events in %lld logs", (long long)events, (long long)logs);
	if (unreadable)
		printf(", %lld lines unreadable", (long long)unreadable);
	if (redelivered)
		printf(", %lld delivered twice", (long long)redelivered);
	putchar('\n');
}

static void print_unknown(struct cli *c, struct json report)
{
	struct json_iter it = json_iter(JSON_GET(report, "unknownKeys"));
	const char *separator = "members that the standard does not name: ";
	struct json count;
	struct str key;
	bool is_any = false;

	for (; json_next(&it, &key, &count); separator = ", ", is_any = true)
		printf("%s%s", separator, out_safe(c->mem, key));
	if (is_any)
		putchar('\n');
}

void conform_table_print(struct cli *c, struct json report)
{
	bool is_fine = str_eq(json_str(JSON_GET(report, "result")), STR("pass"));

	print_profiles(c, report);
	print_logs(report);
	print_unknown(c, report);
	printf("%s%s%s  %s: %s\n", out_tone_on(c->color_out, is_fine ? TONE_GOOD : TONE_BAD),
	       out_field(c, report, "result"), out_tone_off(c->color_out),
	       out_field(c, report, "standard"), out_field(c, report, "verdict"));
}
