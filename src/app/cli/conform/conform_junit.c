/* The report as JUnit XML, for a CI system.  A row that is not shown or does not apply is skipped. */
#include "app/cli/conform/conform_log.h"

#include <stdio.h>

/* XML 1.0 has no control characters besides three blanks, and neither U+FFFE nor U+FFFF, not even escaped. */
static void add_text(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char ch = (unsigned char)s.ptr[i];

		if (str_starts(str_skip(s, i), STR("\xEF\xBF\xBE")) ||
		    str_starts(str_skip(s, i), STR("\xEF\xBF\xBF"))) {
			buf_add_char(out, '?');
			i += 2;
			continue;
		}

		if (ch == '&')
			buf_add_c(out, "&amp;");
		else if (ch == '<')
			buf_add_c(out, "&lt;");
		else if (ch == '>')
			buf_add_c(out, "&gt;");
		else if (ch == '"')
			buf_add_c(out, "&quot;");
		else
			buf_add_char(out, ch < 0x20 || ch == 0x7f ? ' ' : (char)ch);
	}
}

static void add_attribute(struct buf *out, const char *name, struct str value)
{
	buf_printf(out, " %s=\"", name);
	add_text(out, value);
	buf_add_char(out, '"');
}

static void add_case(struct buf *out, struct arena *mem, struct json row)
{
	struct json first = JSON_GET(row, "first");
	struct str result = json_str(JSON_GET(row, "result"));

	buf_add_c(out, "    <testcase");
	add_attribute(out, "classname", json_str(JSON_GET(row, "profile")));
	add_attribute(out, "name",
	              arena_printf(mem, "%.*s %.*s", STR_ARG(json_str(JSON_GET(row, "id"))),
	                           STR_ARG(json_str(JSON_GET(row, "statement")))));
	buf_add_char(out, '>');
	if (json_is(first)) {
		buf_add_c(out, "<failure");
		add_attribute(out, "type", json_str(JSON_GET(row, "clause")));
		add_attribute(out, "message",
		              arena_printf(mem, "%.*s: %.*s",
		                           STR_ARG(conform_table_place(mem, first)),
		                           STR_ARG(json_str(JSON_GET(first, "text")))));
		buf_add_c(out, "/>");
	} else if (!str_eq(result, STR("pass"))) {
		buf_add_c(out, "<skipped");
		add_attribute(out, "message", json_str(JSON_GET(row, "show")));
		buf_add_c(out, "/>");
	}
	buf_add_c(out, "</testcase>\n");
}

static void add_suite(struct buf *out, struct arena *mem, struct json report, struct json profile)
{
	struct json_iter it = json_iter(JSON_GET(report, "rows"));
	int64_t failed = json_int(JSON_GET(profile, "fail"), 0);
	int64_t skipped = json_int(JSON_GET(profile, "notShown"), 0) +
	                  json_int(JSON_GET(profile, "notApplicable"), 0);
	struct json row;
	struct str key;

	buf_add_c(out, "  <testsuite");
	add_attribute(out, "name", json_str(JSON_GET(profile, "profile")));
	buf_printf(out, " tests=\"%lld\" failures=\"%lld\" errors=\"0\" skipped=\"%lld\">\n",
	           (long long)(failed + skipped + json_int(JSON_GET(profile, "pass"), 0)),
	           (long long)failed, (long long)skipped);
	while (json_next(&it, &key, &row))
		if (json_equal(JSON_GET(row, "profile"), JSON_GET(profile, "profile")))
			add_case(out, mem, row);
	buf_add_c(out, "  </testsuite>\n");
}

void conform_junit_print(struct json report)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(JSON_GET(report, "profiles"));
	struct json profile;
	struct str key;

	buf_add_c(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"thole "
	                "conform\">\n");
	while (json_next(&it, &key, &profile))
		add_suite(&out, mem, report, profile);
	buf_add_c(&out, "</testsuites>\n");
	fwrite(out.ptr, 1, out.len, stdout);
}
