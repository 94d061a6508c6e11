/* The report as one HTML page, readable without scripts and without a network. */
#include "app/cli/conform/conform_log.h"

#include "app/cli/export/html_text.h"

#include <stdio.h>

static const char page_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<title>Conformance</title>\n<style>\n"
	":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;"
	"max-width:64rem;padding:1.5rem 1rem}\n"
	"table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;"
	"padding:.3rem .6rem;border-bottom:1px solid #8884;overflow-wrap:anywhere}\n"
	"td:first-child,td:nth-child(2){white-space:nowrap}\n"
	".fail td:first-child{font-weight:bold;text-decoration:underline}small{opacity:.8}\n"
	"</style>\n</head>\n<body>\n<h1>Conformance</h1>\n";

static void add_tagged(struct buf *out, const char *open, struct str text, const char *close)
{
	buf_add_c(out, open);
	html_text_add(out, text);
	buf_add_c(out, close);
}

static void add_finding(struct buf *out, struct arena *mem, struct json row)
{
	struct json first = JSON_GET(row, "first");

	if (json_is(first)) {
		add_tagged(out, "<br><small>", conform_table_place(mem, first), ": ");
		add_tagged(out, "", json_str(JSON_GET(first, "text")), "<br>");
		add_tagged(out, "", json_str(JSON_GET(row, "clause")), "</small>");
	} else if (json_is(JSON_GET(row, "show"))) {
		add_tagged(out, "<br><small>To show it: ", json_str(JSON_GET(row, "show")),
		           "</small>");
	}
}

static void add_row(struct buf *out, struct arena *mem, struct json row)
{
	bool is_failed = json_is(JSON_GET(row, "first"));

	buf_add_c(out, is_failed ? "<tr class=\"fail\">" : "<tr>");
	add_tagged(out, "<td>", conform_table_result(mem, row), "</td>");
	add_tagged(out, "<td>", json_str(JSON_GET(row, "id")), "</td>");
	add_tagged(out, "<td>", json_str(JSON_GET(row, "statement")), "");
	add_finding(out, mem, row);
	buf_add_c(out, "</td></tr>\n");
}

static void add_profile(struct buf *out, struct arena *mem, struct json report, struct json profile)
{
	struct json_iter it = json_iter(JSON_GET(report, "rows"));
	struct json row;
	struct str key;

	add_tagged(out, "<h2>Profile ", json_str(JSON_GET(profile, "profile")), "</h2>\n");
	add_tagged(out, "<p>", json_str(JSON_GET(profile, "title")), ".</p>\n");
	buf_add_c(out, "<table>\n<thead><tr><th scope=\"col\">Result</th><th scope=\"col\">Row</th>"
	               "<th scope=\"col\">Requirement</th></tr></thead>\n<tbody>\n");
	while (json_next(&it, &key, &row))
		if (json_equal(JSON_GET(row, "profile"), JSON_GET(profile, "profile")))
			add_row(out, mem, row);
	buf_add_c(out, "</tbody>\n</table>\n");
}

void conform_html_print(struct json report)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(JSON_GET(report, "profiles"));
	struct json profile;
	struct str key;

	buf_add_c(&out, page_head);
	add_tagged(&out, "<p><strong>", json_str(JSON_GET(report, "standard")), "</strong>: ");
	add_tagged(&out, "", json_str(JSON_GET(report, "verdict")), ".</p>\n");
	while (json_next(&it, &key, &profile))
		add_profile(&out, mem, report, profile);
	buf_add_c(&out, "</body>\n</html>\n");
	fwrite(out.ptr, 1, out.len, stdout);
}
