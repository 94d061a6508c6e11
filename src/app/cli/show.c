/*
 * A turn as it happens: the answer on stdout, what leads to it on stderr.
 */
#include "app/cli/out.h"
#include "app/cli/turn.h"

#include <unistd.h>

void show_init(struct show *s, struct cli *c)
{
	*s = (struct show){ .c = c, .is_json = c->opts.json };
}

/* ---- lines ---- */

static void end_reasoning(struct show *s)
{
	if (s->is_reasoning)
		fprintf(stderr, "%s\n", tone_off(s->c->color_err));
	s->is_reasoning = false;
}

void show_line(struct show *s)
{
	end_reasoning(s);
	/* On one terminal the two streams share their lines. */
	if (s->is_midline && s->c->is_tty_out && s->c->is_tty_err) {
		putchar('\n');
		s->is_midline = false;
	}
	fflush(stdout);
}

static size_t room(const struct show *s, size_t taken)
{
	size_t columns = columns_of(s->c, STDERR_FILENO);

	return columns > taken + 20 ? columns - taken : 20;
}

/* ---- the answer ---- */

static void show_text(struct show *s, const struct fact *f)
{
	struct str text = fact_str(f, "text");
	struct str request = json_str(JSON_GET(f->v, "modelRequestId"));

	if (str_eq(fact_str(f, "kind"), STR("tool_arguments")) || !text.len)
		return;
	end_reasoning(s);
	if (!str_eq(request, str_from(s->request_id)) && s->is_midline) {
		putchar('\n');
		s->is_midline = false;
	}
	snprintf(s->request_id, sizeof s->request_id, "%.*s", STR_ARG(request));
	put_safe(stdout, text);
	fflush(stdout);
	s->has_text = true;
	s->is_midline = text.ptr[text.len - 1] != '\n';
}

void show_text_end(struct show *s)
{
	end_reasoning(s);
	if (s->is_midline)
		putchar('\n');
	s->is_midline = false;
	fflush(stdout);
}

static void show_reasoning(struct show *s, const struct fact *f)
{
	struct str text = fact_str(f, "text");

	if (!s->c->is_tty_err || s->c->opts.quiet || !text.len)
		return;
	if (!s->is_reasoning) {
		show_line(s);
		fputs(tone_on(s->c->color_err, TONE_DIM), stderr);
	}
	s->is_reasoning = true;
	put_safe(stderr, text);
}

static void show_broken(struct show *s, struct arena *mem, const struct fact *f)
{
	/* What follows says why; here it matters only that the text above is not the answer. */
	if (!str_eq(str_from(s->request_id), json_str(JSON_GET(f->v, "modelRequestId"))))
		return;
	show_text_end(s);
	if (str_eq(fact_str(f, "category"), STR("interrupted")))
		return;
	note(s->c, TONE_BAD, "  … the answer broke off: %s", fact_summary(mem, f));
}

/* ---- tools ---- */

static void show_call(struct show *s, struct arena *mem, const struct fact *f)
{
	struct str name = fact_str(f, "toolName");
	struct json args = JSON_GET(f->payload, "safeArgs");

	show_line(s);
	note(s->c, TONE_NAME, "  → %s %s", safe(mem, name),
	     json_is(args) ? safe_cut(mem, json_text(mem, args), room(s, name.len + 6)) : "");
}

static void show_progress(struct show *s, struct arena *mem, const struct fact *f)
{
	struct json total = JSON_GET(f->payload, "total");
	struct str message = fact_str(f, "message");

	if (!message.len && !json_is(total))
		return;
	show_line(s);
	note(s->c, TONE_DIM, "  … %s%s", message.len ? safe_cut(mem, message, room(s, 20)) : "",
	     json_is(total)
	             ? arena_printf(mem, " (%lld of %lld)",
	                            (long long)json_int(JSON_GET(f->payload, "completed"), 0),
	                            (long long)json_int(total, 0))
	                       .ptr
	             : "");
}

static void show_result(struct show *s, struct arena *mem, const struct fact *f)
{
	bool is_error = json_bool(JSON_GET(f->payload, "isError"), false);
	struct str name = fact_str(f, "toolName");

	show_line(s);
	note(s->c, is_error ? TONE_BAD : TONE_GOOD, "  %s %s  %s", is_error ? "✗" : "✓",
	     safe(mem, name), safe_cut(mem, fact_str(f, "displayPreview"), room(s, name.len + 8)));
}

static void show_tool_failed(struct show *s, struct arena *mem, const struct fact *f)
{
	struct str name = fact_str(f, "toolName"), preview = fact_str(f, "displayPreview");

	show_line(s);
	note(s->c, TONE_BAD, "  ✗ %s  %s: %s", safe(mem, name), safe(mem, fact_str(f, "category")),
	     safe_cut(mem, preview.len ? preview : fact_str(f, "reason"), room(s, name.len + 24)));
}

/* ---- the rest ---- */

static void show_note(struct show *s, struct arena *mem, const struct fact *f)
{
	show_line(s);
	note(s->c, TONE_DIM, "  … %s", fact_summary(mem, f));
}

static void show_warning(struct show *s, struct arena *mem, const struct fact *f)
{
	show_line(s);
	note(s->c, TONE_ASK, "  ! %s", safe(mem, fact_str(f, "message")));
}

static void show_answered(struct show *s, struct arena *mem, const struct fact *f)
{
	bool is_yes = str_eq(fact_str(f, "decision"), STR("allow")) ||
	              str_eq(fact_str(f, "decision"), STR("answer"));

	/* Withdrawn, because the turn is being stopped: that is said elsewhere. */
	if (str_eq(fact_str(f, "decision"), STR("cancel")) ||
	    str_eq(json_str(JSON_GET(f->v, "status")), STR("cancelled")))
		return;
	show_line(s);
	note(s->c, is_yes ? TONE_GOOD : TONE_BAD, "  %s %s", is_yes ? "✓" : "✗",
	     fact_summary(mem, f));
}

static void show_started(struct show *s, struct arena *mem, const struct fact *f)
{
	struct json waited = JSON_GET(f->payload, "waitedMs");

	if (!str_eq(fact_str(f, "change"), STR("started")))
		return;
	show_line(s);
	note(s->c, TONE_DIM, "  … started after %s in the queue",
	     span_text(mem, json_int(waited, 0)));
}

static void text_end(struct show *s, struct arena *mem, const struct fact *f)
{
	(void)mem, (void)f;
	show_text_end(s);
}

static void text(struct show *s, struct arena *mem, const struct fact *f)
{
	(void)mem;
	show_text(s, f);
}

static void reasoning(struct show *s, struct arena *mem, const struct fact *f)
{
	(void)mem;
	show_reasoning(s, f);
}

static const struct {
	const char *type;
	void (*show)(struct show *s, struct arena *mem, const struct fact *f);
} shown[] = {
	{ "model.delta", text },
	{ "model.completed", text_end },
	{ "model.failed", show_broken },
	{ "reasoning.delta", reasoning },
	{ "tool.started", show_call },
	{ "tool.progress", show_progress },
	{ "tool.result", show_result },
	{ "tool.failed", show_tool_failed },
	{ "action.resolved", show_answered },
	{ "run.status", show_note },
	{ "queue.changed", show_started },
	{ "runtime.warning", show_warning },
	{ "runtime.error", show_warning },
	{ "sandbox.violation", show_note },
	{ "rate_limit.hit", show_note },
	{ "routing.fallback.applied", show_note },
	{ "artifact.changed", show_note },
};

void show_fact(struct show *s, struct arena *mem, const struct fact *f)
{
	if (!s->began_at)
		s->began_at = f->at;
	if (s->is_json)
		return;
	for (size_t i = 0; i < COUNT_OF(shown); i++)
		if (fact_is(f, shown[i].type))
			shown[i].show(s, mem, f);
}

/* ---- the end ---- */

static const char *cost_text(struct arena *mem, const struct fact *f)
{
	struct json cost = JSON_GET(f->payload, "costUsd");

	if (json_is(cost))
		return usd_text(mem, cost);
	return json_is(JSON_GET(f->payload, "amountState")) ? "cost unknown" : "no cost";
}

void show_end(struct show *s, struct arena *mem, const struct fact *f)
{
	struct cli *c = s->c;
	struct str message = fact_str(f, "message"), remedy = fact_str(f, "remedy");
	const char *log =
		c->is_temporary ? ""
				: arena_printf(mem, " · thole log %s", id_text(c, f->session)).ptr;
	const char *spent = arena_printf(mem, "%s · %s%s", span_text(mem, f->at - s->began_at),
	                                 cost_text(mem, f), log)
	                            .ptr;

	if (s->is_json)
		return;
	show_text_end(s);
	if (fact_is(f, "turn.completed")) {
		note(c, TONE_DIM, "%s", spent);
		return;
	}
	if (str_ends(message, STR(".")))
		message = str_head(message, message.len - 1);
	if (str_eq(fact_str(f, "outcome"), STR("cancelled"))) {
		note(c, TONE_PLAIN, "%s", safe(mem, message));
		note(c, TONE_DIM, "%s", spent);
		return;
	}
	complain(c, "%s (%s).", safe(mem, message), safe(mem, fact_str(f, "category")));
	if (remedy.len)
		fprintf(stderr, "  %s\n", safe(mem, remedy));
	note(c, TONE_DIM, "%s", spent);
}
