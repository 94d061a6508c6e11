/*
 * export html: a thread as one file, readable without scripts and without a
 * network.
 *
 * Events are read in pages and written at once, so a long thread needs no more
 * memory than its longest message.  What is shown is what the log holds; secrets
 * were removed before it was written.  Old contents of files (checkpoints) are
 * not redacted and therefore not read.
 */
#include "app/cli/export/export_html.h"

#include "app/cli/changes/changes.h"
#include "app/cli/connection.h"
#include "app/cli/export/html_markdown.h"
#include "app/cli/export/html_text.h"
#include "app/cli/print/out.h"
#include "app/cli/print/shown_event.h"
#include "base/gen/words.h"

#include <stdio.h>
#include <time.h>

#define PAGE 256
#define CALLS_MAX 32
#define TEXT_MAX (4u << 20)
#define SUMMARY_COLUMNS 160

static const char page_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"referrer\" content=\"no-referrer\">\n";

static const char page_style[] =
	"<style>\n"
	":root{color-scheme:light "
	"dark;--bg:#fff;--fg:#1b1f24;--dim:#5c6570;--line:#d5dae0;--box:#f4f6f8;"
	"--user:#e8f0fe;--add:#12662f;--del:#a3211b;--bad:#a3211b}\n"
	"@media "
	"(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e4e8ec;--dim:#9aa5b1;--line:#333a42;"
	"--box:#1d2126;--user:#1c2b41;--add:#6fd08c;--del:#f2938c;--bad:#f2938c}}\n"
	"body{background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,sans-serif;margin:0 "
	"auto;"
	"max-width:56rem;padding:1.5rem 1rem 4rem}\n"
	"h1{font-size:1.4rem;margin:0 0 .5rem}h2{font-size:1rem;margin:2.2rem 0 "
	".6rem;color:var(--dim);"
	"border-top:1px solid var(--line);padding-top:1rem}h4{margin:1rem 0 .3rem}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem "
	"1rem;margin:0;color:var(--dim)}"
	"dd{margin:0;overflow-wrap:anywhere}\n"
	".user{background:var(--user);border-radius:.6rem;padding:.6rem .9rem;white-space:pre-wrap;"
	"overflow-wrap:anywhere}\n"
	".answer{margin:.8rem "
	"0;overflow-wrap:anywhere}.note{color:var(--dim);font-size:.9rem;margin:.3rem "
	"0}.bad{color:var(--bad)}\n"
	"details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem "
	"0;background:var(--box)}"
	"summary{cursor:pointer;padding:.4rem .7rem;overflow-wrap:anywhere}\n"
	"details>div,details>pre{padding:.2rem .8rem .6rem;margin:0}\n"
	"pre{overflow-x:auto;background:var(--box);padding:.6rem .8rem;border-radius:.5rem;"
	"white-space:pre-wrap;overflow-wrap:anywhere}code,pre{font:.9em/1.45 "
	"ui-monospace,monospace}\n"
	".diff .add{color:var(--add)}.diff .del{color:var(--del)}.diff .at,.diff "
	".file{color:var(--dim)}\n"
	"</style>\n";

struct call {
	struct str id, name, detail;
};

struct html_export {
	struct cli *c;
	struct ref ref;
	struct str thread; /* whose events are written */
	struct arena *mem; /* of one event */
	struct buf out;
	struct buf text, reasoning; /* of the model request that runs */
	struct call calls[CALLS_MAX];
	size_t call_count, turns;
	bool has_head;
};

static void flush_out(struct html_export *x)
{
	fwrite(buf_str(&x->out).ptr, 1, x->out.len, stdout);
	buf_clear(&x->out);
}

/* ---- the head ---- */

static void add_member(struct html_export *x, const char *name, struct str value)
{
	if (!value.len)
		return;
	buf_printf(&x->out, "<dt>%s</dt><dd>", name);
	html_text_add(&x->out, value);
	buf_add_c(&x->out, "</dd>\n");
}

static void add_head(struct html_export *x, const struct shown_event *f)
{
	struct str title = shown_event_str(f, "title");

	if (!title.len)
		title = json_str(JSON_GET(x->ref.row, "title"));
	if (!title.len)
		title = x->ref.session;
	x->has_head = true;
	buf_add_c(&x->out, page_head);
	buf_add_c(&x->out, "<title>");
	html_text_add_line(&x->out, x->mem, title, 100);
	buf_add_c(&x->out, "</title>\n");
	buf_add_c(&x->out, page_style);
	buf_add_c(&x->out, "</head>\n<body>\n<main>\n<h1>");
	html_text_add_line(&x->out, x->mem, title, 200);
	buf_add_c(&x->out, "</h1>\n<dl>\n");
	add_member(x, "session", x->ref.session);
	add_member(x, "directory", shown_event_str(f, "cwd"));
	add_member(x, "model", shown_event_str(f, "model"));
	add_member(x, "begun", json_str(JSON_GET(f->v, "timestamp")));
	buf_add_c(&x->out, "</dl>\n");
}

/* ---- turns ---- */

static void flush_reasoning(struct html_export *x)
{
	if (!x->reasoning.len)
		return;
	buf_add_c(&x->out, "<details><summary>reasoning</summary><div>\n");
	html_markdown_add(&x->out, buf_str(&x->reasoning));
	buf_add_c(&x->out, "</div></details>\n");
	buf_clear(&x->reasoning);
}

static void flush_text(struct html_export *x)
{
	flush_reasoning(x);
	if (!x->text.len)
		return;
	buf_add_c(&x->out, "<div class=\"answer\">\n");
	html_markdown_add(&x->out, buf_str(&x->text));
	buf_add_c(&x->out, "</div>\n");
	if (x->text.overflowed)
		buf_add_c(&x->out,
		          "<p class=\"note\">The text is longer; the log has all of it.</p>\n");
	buf_done(&x->text);
	x->text = (struct buf){ .max = TEXT_MAX };
}

/* The event has the beginning of each part; the whole input is behind its ref. */
static struct json input_of(struct html_export *x, const struct shown_event *f)
{
	struct str text = changes_output(x->c, json_str(JSON_GET(f->payload, "inputRef")));
	struct json whole;

	if (str_is(text) && json_read_trusted(x->mem, text, &whole, NULL) == OK &&
	    json_type(whole) == JSON_ARR)
		return whole;
	return JSON_GET(f->payload, "input");
}

static void add_part(struct html_export *x, struct json part)
{
	struct str text = json_str(JSON_GET(part, "text"));

	if (str_eq(json_str(JSON_GET(part, "type")), STR("image")))
		buf_add_c(&x->out, "[image]");
	else
		html_text_add(&x->out, str_is(text) ? text : json_str(JSON_GET(part, "preview")));
}

static void on_submitted(struct html_export *x, const struct shown_event *f)
{
	struct json_iter it = json_iter(input_of(x, f));
	struct json part;
	struct str key;

	flush_text(x);
	buf_printf(&x->out, "<h2 id=\"turn-%zu\">Turn %zu <small>", x->turns + 1, x->turns + 1);
	html_text_add(&x->out, json_str(JSON_GET(f->v, "timestamp")));
	buf_add_c(&x->out, "</small></h2>\n<div class=\"user\">");
	x->turns++;
	while (json_next(&it, &key, &part))
		add_part(x, part);
	buf_add_c(&x->out, "</div>\n");
}

static void on_delta(struct html_export *x, const struct shown_event *f)
{
	if (str_eq(shown_event_str(f, "kind"), STR("text")))
		buf_add_str(&x->text, shown_event_str(f, "text"));
}

static void on_reasoning(struct html_export *x, const struct shown_event *f)
{
	buf_add_str(&x->reasoning, shown_event_str(f, "text"));
}

static void on_model_end(struct html_export *x, const struct shown_event *f)
{
	(void)f;
	flush_text(x);
}

static void add_note(struct html_export *x, bool is_bad, struct str text)
{
	buf_printf(&x->out, "<p class=\"note%s\">", is_bad ? " bad" : "");
	html_text_add(&x->out, text);
	buf_add_c(&x->out, "</p>\n");
}

/* A call with its result, which follows it somewhere. */
static void add_imported_call(struct html_export *x, struct json items, struct json call)
{
	struct json_iter it = json_iter(items);
	struct str id = json_str(JSON_GET(call, "sourceId")), key;
	struct json item;

	buf_add_c(&x->out, "<details><summary>");
	html_text_add_line(&x->out, x->mem, json_str(JSON_GET(call, "name")), SUMMARY_COLUMNS);
	buf_add_c(&x->out, " <code>");
	html_text_add_line(&x->out, x->mem, json_str(JSON_GET(call, "text")), SUMMARY_COLUMNS);
	buf_add_c(&x->out, "</code></summary>\n<pre>");
	html_text_add(&x->out, json_str(JSON_GET(call, "text")));
	buf_add_c(&x->out, "</pre>\n");
	while (json_next(&it, &key, &item))
		if (str_eq(json_str(JSON_GET(item, "kind")),
		           STR(WORD_IMPORT_ITEM_KIND_TOOL_RESULT)) &&
		    str_is(id) && str_eq(json_str(JSON_GET(item, "sourceId")), id)) {
			buf_add_c(&x->out, "<pre>");
			html_text_add(&x->out, json_str(JSON_GET(item, "text")));
			buf_add_c(&x->out, "</pre>\n");
		}
	buf_add_c(&x->out, "</details>\n");
}

/* The whole turn of another program is behind its ref. */
static void add_imported(struct html_export *x, const struct shown_event *f)
{
	struct json items = shown_event_path(f->payload, STR("imported.items")), whole, item;
	struct str text, key;

	if (!json_is(items))
		return;
	text = changes_output(x->c, changes_ref(f->v, "transcript"));
	if (str_is(text) && json_read_trusted(x->mem, text, &whole, NULL) == OK)
		items = JSON_GET(whole, "items");
	struct json_iter it = json_iter(items);

	while (json_next(&it, &key, &item)) {
		struct str kind = json_str(JSON_GET(item, "kind"));

		if (str_eq(kind, STR(WORD_IMPORT_ITEM_KIND_TEXT))) {
			buf_add_str(&x->text, json_str(JSON_GET(item, "text")));
			flush_text(x);
		} else if (str_eq(kind, STR(WORD_IMPORT_ITEM_KIND_TOOL_CALL))) {
			add_imported_call(x, items, item);
		}
	}
}

static void on_ended(struct html_export *x, const struct shown_event *f)
{
	flush_text(x);
	add_imported(x, f);
	add_note(x, shown_event_is(f, "turn.failed"), str_from(shown_event_summary(x->mem, f)));
}

static void on_line(struct html_export *x, const struct shown_event *f)
{
	flush_text(x);
	add_note(x, false, str_from(shown_event_summary(x->mem, f)));
}

/* ---- calls ---- */

static struct str detail_of(struct html_export *x, struct json args)
{
	static const char *const keys[] = { "command", "path", "pattern", "url", "query" };

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		struct str text = json_str(json_get(args, str_from(keys[i])));

		if (text.len)
			return arena_keep(x->c->mem, text);
	}
	return json_is(args) ? json_text(x->c->mem, args) : STR("");
}

static void on_call(struct html_export *x, const struct shown_event *f)
{
	struct call *at = &x->calls[x->call_count++ % CALLS_MAX];

	flush_text(x);
	*at = (struct call){ .id = arena_keep(x->c->mem, f->tool_call),
		             .name = arena_keep(x->c->mem, shown_event_str(f, "toolName")),
		             .detail = detail_of(x, JSON_GET(f->payload, "safeArgs")) };
}

static const struct call *call_of(const struct html_export *x, struct str id)
{
	for (size_t i = 0; i < MIN(x->call_count, CALLS_MAX); i++)
		if (str_eq(x->calls[i].id, id))
			return &x->calls[i];
	return NULL;
}

static void add_call_summary(struct html_export *x, const struct shown_event *f,
                             const struct call *call)
{
	struct json code = JSON_GET(f->payload, "exitCode");
	bool is_bad = shown_event_is(f, "tool.failed") || json_int(code, 0) != 0;

	buf_printf(&x->out, "<details><summary%s>", is_bad ? " class=\"bad\"" : "");
	html_text_add(&x->out, shown_event_str(f, "toolName"));
	if (call && call->detail.len) {
		buf_add_c(&x->out, " <code>");
		html_text_add_line(&x->out, x->mem, call->detail, SUMMARY_COLUMNS);
		buf_add_c(&x->out, "</code>");
	}
	if (json_is(code))
		buf_printf(&x->out, " exit %lld", (long long)json_int(code, 0));
	if (json_is(JSON_GET(f->payload, "durationMs")))
		buf_printf(&x->out, " · %s",
		           out_span(x->mem, json_int(JSON_GET(f->payload, "durationMs"), 0)));
	buf_add_c(&x->out, "</summary>\n");
}

static void on_call_end(struct html_export *x, const struct shown_event *f)
{
	const struct call *call = call_of(x, f->tool_call);
	struct str shown = shown_event_str(f, "displayPreview");
	struct str reason = json_str(JSON_GET(f->v, "statusReason"));
	struct str ref = json_str(JSON_GET(f->payload, "rawOutputRef"));

	add_call_summary(x, f, call);
	if (call && call->detail.len) {
		buf_add_c(&x->out, "<pre>");
		html_text_add(&x->out, call->detail);
		buf_add_c(&x->out, "</pre>\n");
	}
	if (reason.len)
		add_note(x, true, reason);
	if (shown.len) {
		buf_add_c(&x->out, "<pre>");
		html_text_add(&x->out, shown);
		buf_add_c(&x->out, "</pre>\n");
	}
	if (str_is(ref))
		add_note(x, false,
		         arena_printf(x->mem, "The output is longer: thole show %.*s",
		                      STR_ARG(ref)));
	buf_add_c(&x->out, "</details>\n");
}

static void on_changed(struct html_export *x, const struct shown_event *f)
{
	struct str ref = changes_ref(f->v, "diff");
	struct str diff = str_is(ref) ? changes_output(x->c, ref) : STR_NONE;

	flush_text(x);
	if (!diff.len) {
		add_note(x, false, str_from(shown_event_summary(x->mem, f)));
		return;
	}
	buf_add_c(&x->out, "<details><summary>");
	html_text_add(&x->out, shown_event_str(f, "change"));
	buf_add_c(&x->out, " <code>");
	html_text_add_line(&x->out, x->mem, shown_event_str(f, "path"), SUMMARY_COLUMNS);
	buf_add_c(&x->out, "</code></summary>\n");
	html_text_add_diff(&x->out, diff);
	buf_add_c(&x->out, "</details>\n");
}

static void on_question(struct html_export *x, const struct shown_event *f)
{
	flush_text(x);
	add_note(x, false,
	         arena_printf(x->mem, "Asked: %.*s", STR_ARG(shown_event_str(f, "prompt"))));
}

static void on_decided(struct html_export *x, const struct shown_event *f)
{
	add_note(x, false,
	         arena_printf(x->mem, "Decided: %.*s %.*s", STR_ARG(shown_event_str(f, "decision")),
	                      STR_ARG(shown_event_str(f, "reason"))));
}

/* ---- reading ---- */

static const struct {
	const char *type;
	void (*add)(struct html_export *x, const struct shown_event *f);
} rows[] = {
	{ "turn.submitted", on_submitted },
	{ "model.delta", on_delta },
	{ "reasoning.delta", on_reasoning },
	{ "model.completed", on_model_end },
	{ "model.failed", on_line },
	{ "tool.started", on_call },
	{ "tool.result", on_call_end },
	{ "tool.failed", on_call_end },
	{ "artifact.changed", on_changed },
	{ "action.required", on_question },
	{ "action.resolved", on_decided },
	{ "runtime.warning", on_line },
	{ "runtime.error", on_line },
	{ "history.rollback.completed", on_line },
	{ "context.compaction.completed", on_line },
	{ "turn.completed", on_ended },
	{ "turn.failed", on_ended },
};

/* Without a thread of its own, that of the session which came first. */
static bool is_meant(struct html_export *x, const struct shown_event *f)
{
	if (!str_is(x->thread) && shown_event_is(f, "thread.started"))
		x->thread = arena_keep(x->c->mem, f->thread);
	return str_is(f->thread) && str_eq(f->thread, x->thread) &&
	       (!str_is(x->ref.turn) || str_eq(f->turn, x->ref.turn));
}

static void take_event(struct html_export *x, struct json e)
{
	struct shown_event f;

	arena_reset(x->mem);
	if (!shown_event_read(x->mem, json_text(x->mem, e), &f))
		return;
	if (!x->has_head)
		add_head(x, &f);
	if (!is_meant(x, &f))
		return;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (shown_event_is(&f, rows[i].type))
			rows[i].add(x, &f);
	flush_out(x);
}

static int read_page(struct html_export *x, int64_t *after, bool *ret_more)
{
	struct json reply = { 0 }, e;
	struct params p;
	struct str key;
	int64_t count = 0;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", x->ref.session);
	params_int(&p, "after", *after);
	params_int(&p, "limit", PAGE);
	code = connection_call(x->c, "list_events", &p, &reply);
	struct json_iter it = json_iter(JSON_GET(reply, "events"));

	while (!code && json_next(&it, &key, &e)) {
		*after = json_int(JSON_GET(e, "sequence"), *after);
		take_event(x, e);
		count++;
	}
	*ret_more = count == PAGE;
	return code;
}

static void add_foot(struct html_export *x)
{
	flush_text(x);
	if (!x->turns)
		add_note(x, false, STR("There is no turn here."));
	buf_add_c(&x->out,
	          "</main>\n<footer class=\"note\"><p>Exported by thole. Texts of models and tools "
	          "are shown "
	          "as they were recorded, without secrets that were found in them.</p></footer>\n"
	          "</body>\n</html>\n");
	flush_out(x);
}

int export_html(struct cli *c, const struct ref *ref)
{
	struct html_export x = { .c = c,
		                 .ref = *ref,
		                 .thread = ref->kind == REF_SESSION ? STR_NONE : ref->thread,
		                 .mem = arena_new(),
		                 .text = { .max = TEXT_MAX },
		                 .reasoning = { .max = TEXT_MAX } };
	int64_t after = 0;
	bool more = true;
	int code = CODE_DONE;

	while (!code && more)
		code = read_page(&x, &after, &more);
	if (!code)
		add_foot(&x);
	fflush(stdout);
	buf_done(&x.out);
	buf_done(&x.text);
	buf_done(&x.reasoning);
	arena_free(x.mem);
	return code;
}
