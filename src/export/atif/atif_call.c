/*
 * The tool calls of the open step.  A call collects its events until the step
 * is written: arguments, decisions, sandbox, process, and what the model was
 * given as the result.
 *
 * Arguments are those without secrets (safeArgs); what a tool really received
 * may hold secrets and is never read here.
 */
#include "export/atif/atif_int.h"

#include <string.h>

struct atif_call *atif_call_find(struct atif *a, struct json ev)
{
	struct str id = atif_text(ev, "toolCallId");

	for (struct atif_call *c = a->step.first; c && str_is(id); c = c->next)
		if (str_eq(c->id, id))
			return c;
	return NULL;
}

/* ---- opening ---- */

static struct atif_call *call_new(struct atif *a, struct json ev)
{
	struct atif_call *c = ARENA_NEW(a->step.mem, struct atif_call);

	c->id = arena_keep(a->step.mem, atif_text(ev, "toolCallId"));
	c->name = arena_keep(a->step.mem, atif_text(JSON_GET(ev, "payload"), "toolName"));
	c->args.max = c->updated.max = c->extra.max = c->result.max = ATIF_TEXT_MAX;
	c->events.max = c->images.max = ATIF_TEXT_MAX;
	if (a->step.last)
		a->step.last->next = c;
	else
		a->step.first = c;
	a->step.last = c;
	return c;
}

static void keep_args(struct buf *to, struct json args)
{
	struct json_writer w;

	if (json_type(args) != JSON_OBJ)
		return;
	buf_clear(to);
	jw_init(&w, to);
	jw_value(&w, args);
}

void atif_call_started(struct atif *a, struct json ev)
{
	static const char *const kept[] = { "providerCallId", "policy", "runtimeOwner",
		                            "isReadOnly", "isDestructive" };
	struct json p = JSON_GET(ev, "payload");
	struct atif_call *c;

	if (!a->step.is_open || atif_call_find(a, ev))
		return;
	c = call_new(a, ev);
	keep_args(&c->args, JSON_GET(p, "safeArgs"));
	jw_init(&c->extra_w, &c->extra);
	jw_obj(&c->extra_w);
	for (size_t i = 0; i < COUNT_OF(kept); i++)
		atif_put(&c->extra_w, kept[i], json_get(p, str_from(kept[i])));
	atif_put(&c->extra_w, "stepId", JSON_GET(ev, "stepId"));
	atif_put(&c->extra_w, "sequence", JSON_GET(ev, "sequence"));
	jw_init(&c->events_w, &c->events);
	jw_arr(&c->events_w);
}

/* Arguments that are too long for their event are behind a ref. */
static void read_args(struct atif *a, struct buf *to, struct json p)
{
	CLEANUP(buf_done) struct buf text = { .max = ATIF_TEXT_MAX };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str ref = atif_text(p, "safeArgsRef");
	struct json v;

	if (json_is(JSON_GET(p, "safeArgs")))
		keep_args(to, JSON_GET(p, "safeArgs"));
	else if (str_is(ref) && atif_doc_read(a, ref, &text) &&
	         json_read_trusted(mem, buf_str(&text), &v, NULL) == OK)
		keep_args(to, v);
}

/* The arguments of the step are those that the model wrote; later ones are beside them. */
void atif_call_args(struct atif *a, struct json ev)
{
	struct json p = JSON_GET(ev, "payload");
	struct atif_call *c = atif_call_find(a, ev);
	bool is_final = str_eq(atif_text(p, "kind"), STR("final"));

	if (!c)
		return;
	read_args(a, is_final ? &c->args : &c->updated, p);
	if (!is_final)
		return;
	if (!json_bool(JSON_GET(p, "valid"), true))
		atif_put(&c->extra_w, "argumentErrors", JSON_GET(p, "errors"));
	if (json_bool(JSON_GET(p, "redacted"), false))
		jw_kbool(&c->extra_w, STR("argumentsRedacted"), true);
}

/* ---- on the way ---- */

static void put_each(struct json_writer *w, struct json from, const char *const *keys)
{
	for (; *keys; keys++)
		atif_put(w, *keys, json_get(from, str_from(*keys)));
}

/* permission.evaluated, permission.resolved, action.required, action.resolved */
void atif_call_decision(struct atif *a, struct json ev)
{
	static const char *const of_decision[] = { "decisionId",     "decision",  "decisionSource",
		                                   "decisionReason", "ruleRefs",  "scope",
		                                   "mode",           "expiresAt", NULL };
	static const char *const of_action[] = { "actionType", "prompt",   "decision", "scope",
		                                 "decidedBy",  "waitedMs", "reason",   NULL };
	struct atif_call *c = atif_call_find(a, ev);
	struct json d = JSON_GET(ev, "permissionDecision");

	if (!c)
		return;
	jw_obj(&c->events_w);
	JW_KSTR(&c->events_w, "event", atif_text(ev, "type"));
	atif_put(&c->events_w, "sequence", JSON_GET(ev, "sequence"));
	atif_put(&c->events_w, "actionId", JSON_GET(ev, "actionId"));
	put_each(&c->events_w, json_is(d) ? d : JSON_GET(ev, "payload"),
	         json_is(d) ? of_decision : of_action);
	jw_obj_end(&c->events_w);
}

void atif_call_sandbox(struct atif *a, struct json ev)
{
	static const char *const kept[] = { "mode", "tier", "degraded", "reason", NULL };
	static const char *const of_violation[] = { "kind", "operation", "path",
		                                    "host", "blocked",   NULL };
	struct atif_call *c = atif_call_find(a, ev);
	bool is_violation = str_eq(atif_text(ev, "type"), STR("sandbox.violation"));

	if (!c)
		return;
	jw_obj(&c->events_w);
	JW_KSTR(&c->events_w, "event", atif_text(ev, "type"));
	atif_put(&c->events_w, "sequence", JSON_GET(ev, "sequence"));
	put_each(&c->events_w, JSON_GET(ev, "payload"), is_violation ? of_violation : kept);
	jw_obj_end(&c->events_w);
}

void atif_call_process(struct atif *a, struct json ev)
{
	static const char *const kept[] = { "commandSummary", "cwd",        "background",
		                            "exitCode",       "durationMs", "category",
		                            "reason",         "liveness",   NULL };
	struct atif_call *c = atif_call_find(a, ev);

	if (!c)
		return;
	jw_obj(&c->events_w);
	JW_KSTR(&c->events_w, "event", atif_text(ev, "type"));
	atif_put(&c->events_w, "sequence", JSON_GET(ev, "sequence"));
	atif_put(&c->events_w, "processId", JSON_GET(ev, "processId"));
	put_each(&c->events_w, JSON_GET(ev, "payload"), kept);
	jw_obj_end(&c->events_w);
}

/* ---- ending ---- */

/* As the model reads a call that failed: category, reason, advice. */
static struct str failure_text(struct atif *a, struct json ev)
{
	struct json p = JSON_GET(ev, "payload");
	struct str why = atif_text(ev, "statusReason"), advice = atif_text(p, "advice");
	bool is_sentence = why.len && strchr(".!?", why.ptr[why.len - 1]);

	return arena_printf(a->step.mem, "%.*s: %.*s%s%.*s", STR_ARG(atif_text(p, "category")),
	                    STR_ARG(why),
	                    !advice.len   ? ""
	                    : is_sentence ? " "
	                                  : ". ",
	                    STR_ARG(advice));
}

static bool is_named(struct json p, struct str child)
{
	return str_find(atif_text(p, "displayPreview"), child) >= 0;
}

/* The subagent that this call started is one that its result names. */
static struct str claim_child(struct atif *a, struct json p)
{
	for (size_t i = 0; i < a->unclaimed_count; i++) {
		struct str child = a->unclaimed[i];

		if (!is_named(p, child))
			continue;
		a->unclaimed[i] = a->unclaimed[--a->unclaimed_count];
		return child;
	}
	return STR_NONE;
}

static void keep_images(struct atif_call *c, struct json images)
{
	struct json_writer w;

	if (!json_count(images))
		return;
	jw_init(&w, &c->images);
	jw_value(&w, images);
}

void atif_call_ended(struct atif *a, struct json ev)
{
	static const char *const kept[] = { "exitCode",
		                            "durationMs",
		                            "isError",
		                            "category",
		                            "reason",
		                            "executed",
		                            "truncation",
		                            "outputBytes",
		                            "rawOutputRef",
		                            "errorRef",
		                            "permissionDecision",
		                            "decisionId",
		                            "sandboxMode",
		                            "artifactRefs",
		                            "violationRefs",
		                            "hookRunIds",
		                            "structuredContentRef",
		                            NULL };
	struct json p = JSON_GET(ev, "payload");
	struct atif_call *c = atif_call_find(a, ev);
	bool has_failed = str_eq(atif_text(ev, "type"), STR("tool.failed"));

	if (!c || c->is_ended)
		return;
	c->is_ended = true;
	c->content = has_failed ? failure_text(a, ev)
	                        : arena_keep(a->step.mem, atif_text(p, "displayPreview"));
	c->content_ref = arena_keep(a->step.mem, atif_text(JSON_GET(ev, "refs"), "modelText"));
	c->child = claim_child(a, p);
	keep_images(c, JSON_GET(p, "images"));
	jw_init(&c->result_w, &c->result);
	jw_obj(&c->result_w);
	atif_put(&c->result_w, "status", JSON_GET(ev, "status"));
	put_each(&c->result_w, p, kept);
	atif_put(&c->result_w, "sequence", JSON_GET(ev, "sequence"));
	jw_obj_end(&c->result_w);
}

/* A hook may replace what the model is given of a result. */
void atif_call_hook(struct atif *a, struct json ev)
{
	struct atif_call *c = atif_call_find(a, ev);
	struct str after = atif_text(JSON_GET(ev, "refs"), "outputAfter");

	if (c && c->is_ended && str_is(after))
		c->content_ref = arena_keep(a->step.mem, after);
}

/* ---- writing ---- */

static void write_call(struct atif *a, struct atif_call *c)
{
	bool has_args = c->args.len && !c->args.overflowed;

	jw_obj(&a->w);
	JW_KSTR(&a->w, "tool_call_id", c->id);
	JW_KSTR(&a->w, "function_name", c->name);
	JW_KEY(&a->w, "arguments");
	jw_raw(&a->w, has_args ? buf_str(&c->args) : STR("{}"));
	if (c->updated.len && !c->updated.overflowed) {
		JW_KEY(&c->extra_w, "updatedArguments");
		jw_raw(&c->extra_w, buf_str(&c->updated));
	}
	jw_arr_end(&c->events_w);
	if (!c->events.overflowed) {
		JW_KEY(&c->extra_w, "events");
		jw_raw(&c->extra_w, buf_str(&c->events));
	}
	jw_obj_end(&c->extra_w);
	if (!c->extra.overflowed) {
		JW_KEY(&a->w, "extra");
		jw_raw(&a->w, buf_str(&c->extra));
	}
	jw_obj_end(&a->w);
}

static void write_child_ref(struct atif *a, struct str child)
{
	JW_KEY(&a->w, "subagent_trajectory_ref");
	jw_arr(&a->w);
	jw_obj(&a->w);
	JW_KSTR(&a->w, "trajectory_id", child);
	JW_KSTR(&a->w, "session_id", a->session);
	jw_obj_end(&a->w);
	jw_arr_end(&a->w);
}

static void write_images(struct atif *a, const struct atif_call *c)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json list = { 0 }, image;
	struct json_iter it;
	struct str key;

	if (json_read_trusted(mem, buf_str(&c->images), &list, NULL) != OK)
		return;
	it = json_iter(list);
	while (json_next(&it, &key, &image))
		atif_put_part(&a->w, image);
}

/* What the model was given: the stored text if there is one, else the preview. */
static void write_content(struct atif *a, const struct atif_call *c)
{
	CLEANUP(buf_done) struct buf text = { .max = ATIF_TEXT_MAX };
	bool is_read = str_is(c->content_ref) && atif_doc_read(a, c->content_ref, &text);

	JW_KEY(&a->w, "content");
	if (!c->images.len || c->images.overflowed) {
		jw_str(&a->w, is_read ? buf_str(&text) : c->content);
		return;
	}
	jw_arr(&a->w);
	atif_put_text_part(&a->w, is_read ? buf_str(&text) : c->content);
	write_images(a, c);
	jw_arr_end(&a->w);
}

static void write_result(struct atif *a, const struct atif_call *c)
{
	jw_obj(&a->w);
	JW_KSTR(&a->w, "source_call_id", c->id);
	write_content(a, c);
	if (str_is(c->child))
		write_child_ref(a, c->child);
	if (!c->result.overflowed) {
		JW_KEY(&a->w, "extra");
		jw_raw(&a->w, buf_str(&c->result));
	}
	jw_obj_end(&a->w);
}

static bool has_results(const struct atif *a)
{
	for (const struct atif_call *c = a->step.first; c; c = c->next)
		if (c->is_ended)
			return true;
	return a->unclaimed_count > 0;
}

/* The members "tool_calls" and "observation" of the open step. */
void atif_call_write_all(struct atif *a)
{
	if (a->step.first) {
		JW_KEY(&a->w, "tool_calls");
		jw_arr(&a->w);
		for (struct atif_call *c = a->step.first; c; c = c->next)
			write_call(a, c);
		jw_arr_end(&a->w);
	}
	if (!has_results(a))
		return;
	JW_KEY(&a->w, "observation");
	jw_obj(&a->w);
	JW_KEY(&a->w, "results");
	jw_arr(&a->w);
	for (const struct atif_call *c = a->step.first; c; c = c->next)
		if (c->is_ended)
			write_result(a, c);
	for (size_t i = 0; i < a->unclaimed_count; i++) {
		jw_obj(&a->w);
		write_child_ref(a, a->unclaimed[i]);
		jw_obj_end(&a->w);
	}
	jw_arr_end(&a->w);
	jw_obj_end(&a->w);
}

void atif_call_free_all(struct atif *a)
{
	for (struct atif_call *c = a->step.first; c; c = c->next) {
		buf_done(&c->args);
		buf_done(&c->updated);
		buf_done(&c->extra);
		buf_done(&c->result);
		buf_done(&c->events);
		buf_done(&c->images);
	}
	a->step.first = a->step.last = NULL;
	a->unclaimed_count = 0;
}
