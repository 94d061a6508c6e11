/* Collects the result of a turn from its events, and prints it as one line of JSON. */
#include "app/cli/follow/turn_result.h"

#include "app/cli/print/out.h"
#include "base/gen/words.h"
#include "base/jw.h"

#include <stdio.h>

#define ANSWER_MAX (4u << 20)
#define LIST_MAX (1u << 20)

/* Text of another model request is another answer. */
static void take_text(struct turn_result *r, const struct shown_event *f)
{
	struct str request = json_str(JSON_GET(f->v, "modelRequestId"));

	if (!str_eq(shown_event_str(f, "kind"), STR("text")))
		return;
	if (!str_eq(request, str_from(r->request_id))) {
		buf_clear(&r->answer);
		snprintf(r->request_id, sizeof r->request_id, "%.*s", STR_ARG(request));
	}
	r->answer.max = ANSWER_MAX;
	buf_add_str(&r->answer, shown_event_str(f, "text"));
}

static void take_change(struct turn_result *r, const struct shown_event *f)
{
	struct json_writer w;

	r->changes.max = LIST_MAX;
	if (r->changes.len)
		buf_add_char(&r->changes, ',');
	jw_init(&w, &r->changes);
	jw_obj(&w);
	JW_KSTR(&w, "path", shown_event_str(f, "path"));
	JW_KSTR(&w, "change", shown_event_str(f, "change"));
	JW_KSTR(&w, "kind", shown_event_str(f, "kind"));
	jw_obj_end(&w);
}

static void take_approval(struct turn_result *r, const struct shown_event *f)
{
	struct json_writer w;

	r->approvals.max = LIST_MAX;
	if (r->approvals.len)
		buf_add_char(&r->approvals, ',');
	jw_init(&w, &r->approvals);
	jw_obj(&w);
	JW_KSTR(&w, "actionId", f->action);
	JW_KOPT(&w, "prompt", shown_event_str(f, "prompt"));
	jw_obj_end(&w);
}

void turn_result_event(struct turn_result *r, struct arena *mem, const struct shown_event *f)
{
	if (!r->began_at)
		r->began_at = f->at;
	r->ended_at = f->at;
	if (shown_event_is(f, "model.delta"))
		take_text(r, f);
	else if (shown_event_is(f, "artifact.changed"))
		take_change(r, f);
	else if (shown_event_is(f, "action.required"))
		take_approval(r, f);
	else if (shown_event_is(f, "action.resolved"))
		buf_clear(&r->approvals); /* one at a time */
	if (shown_event_is(f, "tool.result")) {
		r->output_ref = arena_keep(mem, shown_event_str(f, "rawOutputRef"));
		r->preview = arena_keep(mem, shown_event_str(f, "displayPreview"));
	}
	if (shown_event_is(f, "turn.completed") || shown_event_is(f, "turn.failed")) {
		r->end = json_text(mem, f->payload);
		r->end_type = arena_keep(mem, f->type);
	}
}

static struct str status_of(const struct turn_result *r, int code, struct json end)
{
	struct str outcome = json_str(JSON_GET(end, "outcome"));

	if (str_is(outcome) && code != CODE_TIMEOUT)
		return outcome;
	return code == CODE_TIMEOUT       ? STR("timed_out")
	       : code == CODE_DECISION    ? STR("needs_approval")
	       : code == CODE_INTERRUPTED ? STR("cancelled")
	       : str_is(r->turn)          ? STR("unknown")
	                                  : STR("refused");
}

static void write_error(struct json_writer *w, struct json end, struct json problem)
{
	struct json from = json_is(problem) ? problem : end;
	struct str message = json_str(JSON_GET(from, "message"));

	if (!str_is(message))
		message = json_str(JSON_GET(from, "detail"));
	JW_KEY(w, "error");
	jw_obj(w);
	JW_KOPT(w, "code", json_str(JSON_GET(from, "code")));
	JW_KOPT(w, "category", json_str(JSON_GET(from, "category")));
	JW_KOPT(w, "message", message);
	jw_obj_end(w);
}

static void write_list(struct json_writer *w, const char *key, const struct buf *list,
                       struct arena *mem)
{
	jw_key(w, str_from(key));
	jw_raw(w, arena_printf(mem, "[%.*s]", STR_ARG(buf_str(list))));
}

static void write_figures(struct json_writer *w, const struct turn_result *r, struct json end)
{
	struct json usage = JSON_GET(end, "usage"), cost = JSON_GET(end, "costUsd");

	if (r->ended_at > r->began_at)
		JW_KINT(w, "durationMs", r->ended_at - r->began_at);
	if (json_is(cost)) {
		JW_KEY(w, "costUsd");
		jw_value(w, cost);
	}
	if (json_is(usage)) {
		JW_KEY(w, "usage");
		jw_value(w, usage);
	}
}

/* A list above its bound would be no JSON any more, so it is left out as a whole. */
void turn_result_print(struct cli *c, struct turn_result *r, int code)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json end = { 0 }, problem = { 0 };
	struct json_writer w;

	if (str_is(r->end) && json_read_trusted(c->mem, r->end, &end, NULL) != OK)
		end = (struct json){ 0 };
	if (str_is(r->problem) && json_read_trusted(c->mem, r->problem, &problem, NULL) != OK)
		problem = (struct json){ 0 };
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("result"));
	JW_KSTR(&w, "status", status_of(r, code, end));
	JW_KINT(&w, "exitCode", code);
	JW_KOPT(&w, "sessionId", r->session);
	JW_KOPT(&w, "threadId", r->thread);
	JW_KOPT(&w, "turnId", r->turn);
	JW_KSTR(&w, "answer", buf_str(&r->answer));
	if (code != CODE_DONE && (json_is(end) || json_is(problem)))
		write_error(&w, end, problem);
	write_figures(&w, r, end);
	if (!r->changes.overflowed)
		write_list(&w, "changes", &r->changes, c->mem);
	if (r->approvals.len && !r->approvals.overflowed)
		write_list(&w, "approvals", &r->approvals, c->mem);
	jw_obj_end(&w);
	buf_add_char(&out, '\n');
	fwrite(out.ptr, 1, out.len, stdout);
	fflush(stdout);
}

void turn_result_done(struct turn_result *r)
{
	buf_done(&r->answer);
	buf_done(&r->changes);
	buf_done(&r->approvals);
}
