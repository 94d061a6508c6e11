/*
 * Turns the events of a running turn into text: the answer, and beside it
 * tool calls, approvals and notes.
 */
#include "app/cli/print/out.h"
#include "app/cli/follow/turn.h"
#include "base/os/clock.h"
#include "base/utf8.h"
#include "base/gen/words.h"

#include <stdarg.h>

#define THINKING_MS 1000 /* a faster answer needs no status line */

void show_init(struct show *s, const struct cli *c, struct sink sink)
{
	*s = (struct show){ .c = c, .sink = sink, .is_silent = c->opts.json, .columns = 100 };
	s->has_markdown = c->is_tty_out && !c->opts.plain;
	markdown_init(&s->markdown, &s->bytes, 0, c->color_out);
}

void show_done(struct show *s)
{
	markdown_done(&s->markdown);
	buf_done(&s->bytes);
}

/* ---- lines ---- */

static void put(struct show *s, enum pane pane, struct str bytes)
{
	s->sink.put(s->sink.arg, pane, bytes);
}

static void put_c(struct show *s, enum pane pane, const char *text)
{
	put(s, pane, str_from(text));
}

/* Hands the rendered bytes to the sink; markdown only appends to a buffer. */
static void put_markdown(struct show *s)
{
	if (s->bytes.len)
		put(s, PANE_ANSWER, buf_str(&s->bytes));
	buf_clear(&s->bytes);
	s->is_midline = !markdown_is_at_start(&s->markdown);
}

static void end_reasoning(struct show *s)
{
	if (s->is_reasoning)
		put(s, PANE_ASIDE, STR("\n"));
	s->is_reasoning = false;
}

void show_line(struct show *s)
{
	end_reasoning(s);
	/* On one terminal both streams share the same lines. */
	if (s->is_midline && s->c->is_tty_out && s->c->is_tty_err) {
		if (s->has_markdown) {
			markdown_pause(&s->markdown);
			put_markdown(s);
		} else {
			put(s, PANE_ANSWER, STR("\n"));
		}
		s->is_midline = false;
	}
	put(s, PANE_ASIDE, STR("")); /* clears the status line */
}

/* Prints a line on stderr, beside the answer. */
static void PRINTF_LIKE(3, 4) aside(struct show *s, enum tone tone, const char *fmt, ...)
{
	struct buf line = { 0 };
	va_list args;
	char text[4096];

	if (s->c->opts.quiet)
		return;
	show_line(s);
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	buf_add_c(&line, out_tone_on(s->c->color_err, tone));
	buf_add_c(&line, text);
	buf_add_c(&line, out_tone_off(s->c->color_err));
	buf_add_char(&line, '\n');
	put(s, PANE_ASIDE, buf_str(&line));
	buf_done(&line);
}

/* At least 20 columns, so that a narrow terminal shows some text and not none. */
static size_t room(const struct show *s, size_t taken)
{
	return s->columns > taken + 20 ? s->columns - taken : 20;
}

/* A symbol, or with --plain a word for screen readers. */
static const char *mark(const struct show *s, const char *sign, const char *word)
{
	return s->c->opts.plain ? word : sign;
}

/* ---- the answer ---- */

static void put_text(struct show *s, struct str text)
{
	struct buf plain = { 0 };

	if (s->has_markdown) {
		s->markdown.columns = s->columns;
		markdown_add(&s->markdown, text);
		put_markdown(s);
		return;
	}
	utf8_add_safe(&plain, text, true);
	put(s, PANE_ANSWER, buf_str(&plain));
	buf_done(&plain);
	s->is_midline = text.ptr[text.len - 1] != '\n';
}

/* Text of another model request starts on a new line: it is another answer. */
static void show_text(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct str text = shown_event_str(f, "text");
	struct str request = json_str(JSON_GET(f->v, "modelRequestId"));

	(void)mem;
	s->asked_at = 0;
	if (str_eq(shown_event_str(f, "kind"), STR("tool_arguments")) || !text.len)
		return;
	end_reasoning(s);
	if (!str_eq(request, str_from(s->request_id)))
		show_text_end(s);
	snprintf(s->request_id, sizeof s->request_id, "%.*s", STR_ARG(request));
	put_text(s, text);
}

void show_text_end(struct show *s)
{
	end_reasoning(s);
	if (s->has_markdown) {
		markdown_end(&s->markdown);
		put_markdown(s);
	} else if (s->is_midline) {
		put(s, PANE_ANSWER, STR("\n"));
	}
	s->is_midline = false;
}

static void text_end(struct show *s, struct arena *mem, const struct shown_event *f)
{
	(void)mem, (void)f;
	s->asked_at = 0;
	show_text_end(s);
}

static void show_reasoning(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct str text = shown_event_str(f, "text");
	struct buf safe_text = { 0 };

	(void)mem;
	s->asked_at = 0;
	if (!s->c->is_tty_err || s->c->opts.quiet || !text.len || s->hides_reasoning)
		return;
	if (!s->is_reasoning)
		show_line(s);
	s->is_reasoning = true;
	buf_add_c(&safe_text, out_tone_on(s->c->color_err, TONE_DIM));
	utf8_add_safe(&safe_text, text, true);
	buf_add_c(&safe_text, out_tone_off(s->c->color_err));
	put(s, PANE_ASIDE, buf_str(&safe_text));
	buf_done(&safe_text);
}

static void show_asked(struct show *s, struct arena *mem, const struct shown_event *f)
{
	snprintf(s->model, sizeof s->model, "%s",
	         out_safe_cut(mem, shown_event_str(f, "model"), 40));
	s->asked_at = f->at;
	s->retry_at = 0;
}

static void show_broken(struct show *s, struct arena *mem, const struct shown_event *f)
{
	s->asked_at = 0;
	/*
	 * The text above belongs to a failed request and is not the answer; a later event gives
	 * the reason.
	 */
	if (!str_eq(str_from(s->request_id), json_str(JSON_GET(f->v, "modelRequestId"))))
		return;
	show_text_end(s);
	if (str_eq(shown_event_str(f, "category"), STR("interrupted")))
		return;
	aside(s, TONE_BAD, "  %s the answer broke off: %s", mark(s, "…", "note:"),
	      shown_event_summary(mem, f));
}

/* ---- tools ---- */

/* What a call acts on: its command, its path, or all of its arguments. */
static struct str detail_of(struct arena *mem, struct json args)
{
	static const char *const telling[] = { "command", "path", "pattern", "url", "question" };

	for (size_t i = 0; i < COUNT_OF(telling); i++) {
		struct str value = json_str(json_get(args, str_from(telling[i])));

		if (value.len)
			return value;
	}
	return json_is(args) ? json_text(mem, args) : STR("");
}

/* Calls beyond SHOW_CALLS have no row: they are printed but not in the status line. */
static struct show_call *find_call(struct show *s, struct str id)
{
	for (size_t i = 0; i < s->call_count; i++)
		if (str_eq(str_from(s->calls[i].id), id))
			return &s->calls[i];
	return NULL;
}

static void forget_call(struct show *s, struct str id)
{
	struct show_call *call = find_call(s, id);

	if (call)
		*call = s->calls[--s->call_count];
}

static bool is_todo(const struct shown_event *f)
{
	return str_eq(json_str(shown_event_path(f->v, STR("item.kind"))), STR("todo"));
}

/* Prints the to-do list, one line per item. */
static void show_todo(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct str rest = shown_event_str(f, "displayPreview");

	while (!s->folds && rest.len)
		aside(s, TONE_DIM, "  %s", out_safe_cut(mem, str_cut(&rest, '\n'), room(s, 2)));
}

static void keep_detail(const struct show *s, struct arena *mem, struct show_call *call,
                        struct str detail)
{
	snprintf(call->detail, sizeof call->detail, "%s",
	         out_safe_cut(mem, detail, s->folds ? 96 : 24));
}

static void show_call(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct str name = shown_event_str(f, "toolName");
	struct str detail = detail_of(mem, JSON_GET(f->payload, "safeArgs"));
	struct show_call *call = s->call_count < SHOW_CALLS ? &s->calls[s->call_count++] : NULL;

	if (is_todo(f)) /* the result prints the list */
		detail = STR("");
	if (!s->folds)
		aside(s, TONE_NAME, "  %s %s  %s", mark(s, "→", "runs"), out_safe(mem, name),
		      out_safe_cut(mem, detail, room(s, name.len + 7)));
	if (!call)
		return;
	*call = (struct show_call){ .since = f->at };
	snprintf(call->id, sizeof call->id, "%.*s", STR_ARG(f->tool_call));
	snprintf(call->name, sizeof call->name, "%s", out_safe_cut(mem, name, 24));
	keep_detail(s, mem, call, detail);
}

/* A person or a hook changed what runs; the line of the call shows the new arguments. */
static void show_changed_args(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct show_call *call = find_call(s, f->tool_call);
	struct json args = JSON_GET(f->payload, "safeArgs");
	struct str by = shown_event_str(f, "updatedBy");

	if (!str_eq(shown_event_str(f, "kind"), STR(WORD_ARGS_KIND_UPDATED)))
		return;
	if (call)
		keep_detail(s, mem, call, detail_of(mem, args));
	aside(s, TONE_DIM, "  %s changed by %s: %s", mark(s, "…", "note:"),
	      str_eq(by, STR(WORD_UPDATED_BY_HUMAN))  ? "a person"
	      : str_eq(by, STR(WORD_UPDATED_BY_HOOK)) ? "a hook"
	                                              : "the runtime",
	      out_safe_cut(mem, json_text(mem, args), room(s, 30)));
}

static const char *progress_text(struct arena *mem, const struct shown_event *f)
{
	struct json total = JSON_GET(f->payload, "total");
	struct str message = shown_event_str(f, "message");

	if (!json_is(total))
		return out_safe_cut(mem, message, 60);
	return arena_printf(mem, "%s%s%lld of %lld", out_safe_cut(mem, message, 60),
	                    message.len ? ", " : "",
	                    (long long)json_int(JSON_GET(f->payload, "completed"), 0),
	                    (long long)json_int(total, 0))
	        .ptr;
}

/* On a terminal the status line shows it; otherwise it is a separate line. */
static void show_progress(struct show *s, struct arena *mem, const struct shown_event *f)
{
	const char *text = progress_text(mem, f);
	struct show_call *call = find_call(s, f->tool_call);

	if (!*text)
		return;
	if (call)
		snprintf(call->progress, sizeof call->progress, "%s", text);
	if (!s->folds && (!s->c->is_tty_err || s->c->opts.plain))
		aside(s, TONE_DIM, "  %s %s", mark(s, "…", "progress:"), text);
}

/* A diff is shown by its size only; `thole diff` prints it. */
static const char *preview_text(struct arena *mem, struct str preview, size_t columns)
{
	int added = 0, removed = 0;
	struct str rest = preview;

	if (!str_starts(preview, STR("--- ")))
		return out_safe_cut(mem, str_cut(&rest, '\n'), columns);
	while (str_is(rest)) {
		struct str line = str_cut(&rest, '\n');

		added += str_starts(line, STR("+")) && !str_starts(line, STR("+++"));
		removed += str_starts(line, STR("-")) && !str_starts(line, STR("---"));
	}
	return arena_printf(mem, "%d line%s added, %d removed", added, added == 1 ? "" : "s",
	                    removed)
	        .ptr;
}

#define FOLD_LINES 3 /* of output below a folded call */
#define FOLD_DIFF 24 /* of a diff */

static enum tone diff_tone(struct str line)
{
	return str_starts(line, STR("+++")) || str_starts(line, STR("---")) ? TONE_DIM
	       : str_starts(line, STR("+"))                                 ? TONE_GOOD
	       : str_starts(line, STR("-"))                                 ? TONE_BAD
	       : str_starts(line, STR("@@"))                                ? TONE_NAME
	                                                                    : TONE_PLAIN;
}

/* The beginning of the output below a folded call; of a diff, more of it and in colour. */
static void show_preview(struct show *s, struct arena *mem, struct str preview)
{
	bool is_diff = str_starts(preview, STR("--- "));
	size_t left = is_diff ? FOLD_DIFF : FOLD_LINES, more = 0;

	preview = str_trim(preview);
	while (preview.len) {
		struct str line = str_cut(&preview, '\n');

		if (!left) {
			more++;
			continue;
		}
		left--;
		/* Blanks at the beginning mean something here. */
		line = utf8_head_columns(str_from(out_safe(mem, line)), room(s, 4));
		aside(s, is_diff ? diff_tone(line) : TONE_DIM, "    %.*s", STR_ARG(line));
	}
	if (more)
		aside(s, TONE_DIM, "    … %zu more line%s: Ctrl-O shows all", more,
		      more == 1 ? "" : "s");
}

/* One line for the whole call, with what it acted on, and its output below. */
static void show_folded(struct show *s, struct arena *mem, const struct shown_event *f,
                        const char *how, const char *detail)
{
	bool is_error = json_bool(JSON_GET(f->payload, "isError"), false);
	struct str name = shown_event_str(f, "toolName");

	aside(s, is_error ? TONE_BAD : TONE_GOOD, "  %s %s  %s  %s",
	      is_error ? mark(s, "✗", "failed") : mark(s, "✓", "done"), out_safe(mem, name),
	      out_safe_cut(mem, str_from(detail), room(s, name.len + strlen(how) + 8)), how);
	show_preview(s, mem, shown_event_str(f, "displayPreview"));
}

/* One line per call; `thole log` and `thole diff` have the rest. */
static void show_result(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct show_call *call = find_call(s, f->tool_call);
	const char *detail = call ? arena_printf(mem, "%s", call->detail).ptr : "";
	bool is_error = json_bool(JSON_GET(f->payload, "isError"), false);
	struct json exit_code = JSON_GET(f->payload, "exitCode");
	struct str name = shown_event_str(f, "toolName");
	const char *how =
		arena_printf(mem, "%s%s",
	                     out_span(mem, json_int(JSON_GET(f->payload, "durationMs"), 0)),
	                     json_is(exit_code) ? arena_printf(mem, ", exit %lld",
	                                                       (long long)json_int(exit_code, 0))
	                                                  .ptr
	                                        : "")
			.ptr;

	forget_call(s, f->tool_call);
	if (is_todo(f) && !is_error) {
		show_todo(s, mem, f);
		return;
	}
	if (s->folds) {
		show_folded(s, mem, f, how, detail);
		return;
	}
	aside(s, is_error ? TONE_BAD : TONE_GOOD, "  %s %s  %s  %s",
	      is_error ? mark(s, "✗", "failed") : mark(s, "✓", "done"), out_safe(mem, name), how,
	      preview_text(mem, shown_event_str(f, "displayPreview"),
	                   room(s, name.len + 8 + strlen(how))));
}

static void show_tool_failed(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct str name = shown_event_str(f, "toolName"),
		   preview = shown_event_str(f, "displayPreview");
	struct str category = shown_event_str(f, "category"),
		   why = json_str(JSON_GET(f->v, "statusReason"));

	forget_call(s, f->tool_call);
	if (!why.len)
		why = preview.len ? preview : shown_event_str(f, "reason");
	aside(s, TONE_BAD, "  %s %s  %s: %s", mark(s, "✗", "failed"), out_safe(mem, name),
	      out_safe(mem, category),
	      preview_text(mem, why, room(s, name.len + category.len + 10)));
}

/* ---- the rest ---- */

/* Reasons name a command of the protocol; a person types the verb. */
static const char *spoken(struct arena *mem, const char *reason)
{
	struct str text = str_from(reason), name = STR("resume_thread");
	ptrdiff_t at = str_find(text, name);

	if (at < 0)
		return reason;
	return arena_printf(mem, "%.*sthole resume%s", (int)at, reason, reason + at + name.len).ptr;
}

static void show_note(struct show *s, struct arena *mem, const struct shown_event *f)
{
	aside(s, TONE_DIM, "  %s %s", mark(s, "…", "note:"),
	      spoken(mem, shown_event_summary(mem, f)));
}

/* A retry can take long, so a terminal user sees how to stop the turn. */
static void show_status(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct str until = json_str(JSON_GET(JSON_GET(f->payload, "wait"), "until"));
	bool is_retry = str_eq(shown_event_str(f, "kind"), STR("model_retry")) &&
	                clock_time_read(until, &s->retry_at);

	if (!is_retry)
		s->retry_at = 0;
	aside(s, is_retry ? TONE_ASK : TONE_DIM, "  %s %s%s", mark(s, "…", "note:"),
	      spoken(mem, shown_event_summary(mem, f)),
	      is_retry && s->c->is_tty_in ? ". Ctrl-C stops the turn" : "");
}

static void show_refused(struct show *s, struct arena *mem, const struct shown_event *f)
{
	aside(s, TONE_ASK, "  %s the sandbox refused: %s", mark(s, "!", "warning:"),
	      shown_event_summary(mem, f));
}

/* Full access was requested; every client that follows the turn shows a warning. */
static void show_sandbox(struct show *s, struct arena *mem, const struct shown_event *f)
{
	(void)mem;
	if (str_eq(shown_event_str(f, "mode"), STR("danger_full_access")))
		aside(s, TONE_BAD,
		      "  %s no sandbox: the command can do everything that the runtime can",
		      mark(s, "!", "warning:"));
}

static void show_warning(struct show *s, struct arena *mem, const struct shown_event *f)
{
	s->tests_failed |=
		str_eq(shown_event_str(f, "category"), STR(WORD_WARNING_CATEGORY_TESTS_FAILED));
	aside(s, TONE_ASK, "  %s %s", mark(s, "!", "warning:"),
	      spoken(mem, out_safe(mem, shown_event_str(f, "message"))));
}

static void show_answered(struct show *s, struct arena *mem, const struct shown_event *f)
{
	bool is_yes = str_eq(shown_event_str(f, "decision"), STR("allow")) ||
	              str_eq(shown_event_str(f, "decision"), STR("answer"));
	struct show_call *call = find_call(s, f->tool_call);

	/* The status line counts the time of the tool, not that of the approval. */
	if (call)
		call->since = f->at;
	/* Cancelled because the turn stops, which is shown elsewhere. */
	if (str_eq(shown_event_str(f, "decision"), STR("cancel")) ||
	    str_eq(json_str(JSON_GET(f->v, "status")), STR("cancelled")))
		return;
	aside(s, is_yes ? TONE_GOOD : TONE_BAD, "  %s %s",
	      is_yes ? mark(s, "✓", "answered:") : mark(s, "✗", "answered:"),
	      shown_event_summary(mem, f));
}

static void show_started(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct json waited = JSON_GET(f->payload, "waitedMs");

	if (!str_eq(shown_event_str(f, "change"), STR("started")))
		return;
	aside(s, TONE_DIM, "  %s started after %s in the queue", mark(s, "…", "note:"),
	      out_span(mem, json_int(waited, 0)));
}

static void show_imported_item(struct show *s, struct arena *mem, struct json item)
{
	struct str kind = json_str(JSON_GET(item, "kind")), text = json_str(JSON_GET(item, "text"));
	struct str name = json_str(JSON_GET(item, "name"));

	if (str_eq(kind, STR(WORD_IMPORT_ITEM_KIND_TEXT)) && text.len) {
		put_text(s, text);
		show_text_end(s);
	} else if (str_eq(kind, STR(WORD_IMPORT_ITEM_KIND_TOOL_CALL))) {
		aside(s, TONE_DIM, "  %s %s  %s", mark(s, "·", "call"), out_safe(mem, name),
		      out_safe_cut(mem, text, room(s, name.len + 8)));
	} else if (json_bool(JSON_GET(item, "isError"), false)) {
		aside(s, TONE_BAD, "  %s %s", mark(s, "✗", "failed"),
		      out_safe_cut(mem, text, room(s, 6)));
	}
}

/* A turn that another program ran: its end has all that is shown of it. */
static void show_imported(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct json imported = JSON_GET(f->payload, "imported"), item;
	struct json_iter it = json_iter(JSON_GET(imported, "items"));
	int64_t more = json_int(JSON_GET(imported, "omittedItems"), 0);
	struct str key;

	while (json_next(&it, &key, &item))
		show_imported_item(s, mem, item);
	if (more)
		aside(s, TONE_DIM, "  … %lld more of this turn: thole export html %s",
		      (long long)more, out_safe(mem, f->turn));
}

/* An event class without a row is not shown; `thole log` shows all. */
static const struct {
	const char *type;
	void (*show)(struct show *s, struct arena *mem, const struct shown_event *f);
} shown[] = {
	{ "model.requested", show_asked },
	{ "model.delta", show_text },
	{ "model.completed", text_end },
	{ "model.failed", show_broken },
	{ "reasoning.delta", show_reasoning },
	{ "tool.started", show_call },
	{ "tool.args", show_changed_args },
	{ "tool.progress", show_progress },
	{ "tool.result", show_result },
	{ "tool.failed", show_tool_failed },
	{ "action.resolved", show_answered },
	{ "run.status", show_status },
	{ "queue.changed", show_started },
	{ "runtime.warning", show_warning },
	{ "runtime.error", show_warning },
	{ "sandbox.applied", show_sandbox },
	{ "sandbox.violation", show_refused },
	{ "rate_limit.hit", show_note },
	{ "routing.fallback.applied", show_note },
	{ "artifact.changed", show_note },
	{ "turn.completed", show_imported },
};

void show_event(struct show *s, struct arena *mem, const struct shown_event *f)
{
	if (!s->began_at)
		s->began_at = f->at;
	if (s->is_silent)
		return;
	for (size_t i = 0; i < COUNT_OF(shown); i++)
		if (shown_event_is(f, shown[i].type))
			shown[i].show(s, mem, f);
}

/* ---- the status line ---- */

static const char *live_calls(const struct show *s, struct arena *mem, int64_t now)
{
	const struct show_call *c = &s->calls[s->call_count - 1];
	const char *more =
		s->call_count > 1 ? arena_printf(mem, " and %zu more", s->call_count - 1).ptr : "";

	return arena_printf(mem, "  ⋯ %s %s%s%s%s · %s", c->name, *c->progress ? "" : c->detail,
	                    *c->progress ? "· " : "", c->progress, more,
	                    out_span(mem, now - c->since))
	        .ptr;
}

bool show_is_busy(const struct show *s)
{
	return !s->is_silent && (s->call_count || s->asked_at || s->retry_at);
}

/* No status line while text is in the middle of a line: overwriting would destroy it. */
const char *show_live(const struct show *s, struct arena *mem, int64_t now)
{
	if (s->is_silent || s->is_midline || s->is_reasoning)
		return NULL;
	if (s->call_count)
		return live_calls(s, mem, now);
	if (s->retry_at > now)
		return arena_printf(mem, "  ⋯ trying again in %s · Ctrl-C stops the turn",
		                    out_span(mem, s->retry_at - now))
		        .ptr;
	if (s->asked_at && now - s->asked_at >= THINKING_MS)
		return arena_printf(mem, "  ⋯ %s · %s", s->model, out_span(mem, now - s->asked_at))
		        .ptr;
	return NULL;
}

/* ---- the end ---- */

/*
 * "cost unknown" and "no cost" differ: amountState says that an amount exists but is not known.
 */
static const char *cost_text(struct arena *mem, const struct shown_event *f)
{
	struct json cost = JSON_GET(f->payload, "costUsd");

	if (json_is(cost) && str_eq(shown_event_str(f, "costStatus"), STR("estimated")))
		return arena_printf(mem, "%s by estimate", out_usd(mem, cost)).ptr;
	if (json_is(cost))
		return out_usd(mem, cost);
	return json_is(JSON_GET(f->payload, "amountState")) ? "cost unknown" : "no cost";
}

/* What others spent for the turn: child agents, and models that tool servers asked. */
static const char *others_text(struct arena *mem, const struct shown_event *f)
{
	struct json cost = JSON_GET(f->payload, "childrenUsd");

	return json_is(cost) ? arena_printf(mem, " and %s by child agents and tool servers",
	                                    out_usd(mem, cost))
	                               .ptr
	                     : "";
}

/* "12.3k tokens in (11k cached), 800 out · "; empty when the model reported none. */
static const char *tokens_text(struct arena *mem, const struct shown_event *f)
{
	struct json usage = JSON_GET(f->payload, "usage");
	int64_t in = json_int(JSON_GET(usage, "inputTokens"), 0);
	int64_t cached = json_int(JSON_GET(usage, "cachedInputTokens"), 0);
	int64_t out = json_int(JSON_GET(usage, "outputTokens"), 0);

	if (!in && !out)
		return "";
	return arena_printf(mem, "%s tokens in%s, %s out · ", out_count(mem, in),
	                    cached ? arena_printf(mem, " (%s cached)", out_count(mem, cached)).ptr
	                           : "",
	                    out_count(mem, out))
	        .ptr;
}

/* Time, tokens, cost, and the command that shows the turn again. */
static const char *spent_text(const struct show *s, struct arena *mem, const struct shown_event *f)
{
	const char *took = arena_printf(mem, "%s%s", s->tests_failed ? "tests failed · " : "",
	                                out_span(mem, f->at - s->began_at))
	                           .ptr;
	const char *id = out_id(s->c, f->session), *again;
	bool is_wide;

	took = arena_printf(mem, "%s · %s%s%s", took, tokens_text(mem, f), cost_text(mem, f),
	                    others_text(mem, f))
	               .ptr;
	if (s->c->is_temporary || s->folds)
		return took;
	if (s->c->opts.here)
		return arena_printf(mem, "%s · thole log %s", took, id).ptr;
	again = arena_printf(mem, "thole log %s · thole open %s", id, id).ptr;
	is_wide = s->c->is_tty_err && out_width(took) + 3 + out_width(again) > s->columns;
	return arena_printf(mem, "%s%s%s", took, is_wide ? "\n" : " · ", again).ptr;
}

/* The next command for failures whose event has no remedy. */
static const char *remedy_of(struct str category)
{
	static const struct {
		const char *category, *remedy;
	} rows[] = {
		{ "auth", "`thole auth ls` shows where credentials come from; `thole setup` asks "
		          "for others." },
		{ WORD_ERROR_CATEGORY_CONTEXT_LENGTH, "`thole compact SESSION` makes room." },
		{ WORD_ERROR_CATEGORY_RATE_LIMITED,
		  "Try again later, or ask another model: `thole models` lists them." },
		{ "overloaded",
		  "Try again later, or ask another model: `thole models` lists them." },
		{ WORD_ERROR_CATEGORY_SERVER_ERROR,
		  "Try again later, or ask another model: `thole models` lists them." },
		{ "network", "`thole doctor --online` tries to reach the providers." },
		{ "timeout", "`thole doctor --online` tries to reach the providers." },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (str_eq(str_from(rows[i].category), category))
			return rows[i].remedy;
	return NULL;
}

/* Prints what failed, why, the event, and the next command. */
static void show_failure(struct show *s, struct arena *mem, const struct shown_event *f)
{
	struct str message = shown_event_str(f, "message"), remedy = shown_event_str(f, "remedy");
	bool color = s->c->color_err;

	if (!remedy.len)
		remedy = str_from(remedy_of(shown_event_str(f, "category")));
	if (str_ends(message, STR(".")))
		message = str_head(message, message.len - 1);
	put_c(s, PANE_ASIDE,
	      arena_printf(mem, "%sthole:%s %s (%s).\n", out_tone_on(color, TONE_BAD),
	                   out_tone_off(color), out_safe(mem, message),
	                   out_safe(mem, shown_event_str(f, "category")))
	              .ptr);
	if (remedy.len)
		put_c(s, PANE_ASIDE, arena_printf(mem, "  %s\n", out_safe(mem, remedy)).ptr);
	if (!s->c->is_temporary)
		put_c(s, PANE_ASIDE,
		      arena_printf(mem, "  event %lld; what led to it: thole log %s\n",
		                   (long long)f->sequence, out_id(s->c, f->turn))
		              .ptr);
}

void show_end(struct show *s, struct arena *mem, const struct shown_event *f)
{
	if (s->is_silent)
		return;
	show_text_end(s);
	if (shown_event_is(f, "turn.failed")) {
		if (str_eq(shown_event_str(f, "outcome"), STR("cancelled")))
			aside(s, TONE_PLAIN, "%s", out_safe(mem, shown_event_str(f, "message")));
		else
			show_failure(s, mem, f);
	}
	aside(s, TONE_DIM, "%s", spent_text(s, mem, f));
}
