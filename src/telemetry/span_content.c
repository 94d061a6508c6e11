/* Content of spans (span_content.h). */
#include "telemetry/span_content.h"

#include "base/gen/limits.h"
#include "base/jw.h"

#define INPUT "gen_ai.input.messages"
#define OUTPUT "gen_ai.output.messages"
#define ARGUMENTS "gen_ai.tool.call.arguments"
#define RESULT "gen_ai.tool.call.result"

bool span_content_wants(enum event_type type)
{
	return type == EV_MODEL_DELTA || type == EV_TOOL_ARGS;
}

/* The last one counts. */
static void put_text(struct span *x, const char *key, struct str text)
{
	struct span_attr_rule rule[] = { { "", key, SPAN_TEXT }, { NULL, NULL, SPAN_TEXT } };

	span_attrs_drop(&x->attrs, rule);
	span_attrs_add_text(&x->attrs, key, SPAN_TEXT, text);
}

/* ---- messages ---- */

static void begin_message(struct json_writer *w, struct buf *out, struct str role)
{
	jw_init(w, out);
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "role", role);
	jw_key(w, STR("parts"));
	jw_arr(w);
}

static void write_text_part(struct json_writer *w, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("text"));
	JW_KSTR(w, "content", text);
	jw_obj_end(w);
}

static void end_message(struct json_writer *w, struct str finish_reason)
{
	jw_arr_end(w);
	if (str_is(finish_reason))
		JW_KSTR(w, "finish_reason", finish_reason);
	jw_obj_end(w);
	jw_arr_end(w);
}

/* Images and files are named by their kind alone. */
static void add_prompt(const struct span_redactor *r, struct arena *mem, struct span *x,
                       struct json payload)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json parts = JSON_GET(payload, "input");
	struct json_writer w;

	begin_message(&w, &out, STR("user"));
	for (size_t i = 0; i < json_count(parts); i++) {
		struct json part = json_at(parts, i);
		struct str type = json_str(JSON_GET(part, "type")),
			   text = json_str(JSON_GET(part, "preview"));
		bool is_cut = (int64_t)text.len < json_int(JSON_GET(part, "bytes"), 0);

		if (str_eq(type, STR("text")) && str_is(text)) {
			write_text_part(&w, r->clean(r->owner, mem, text, is_cut));
			continue;
		}
		jw_obj(&w);
		JW_KSTR(&w, "type", type);
		jw_obj_end(&w);
	}
	end_message(&w, STR_NONE);
	put_text(x, INPUT, buf_str(&out));
}

/* Calls of tools have spans of their own; they are not repeated here. */
static void add_response(const struct span_redactor *r, struct arena *mem, struct span *x,
                         struct str finish_reason)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (!x->response.len)
		return;
	begin_message(&w, &out, STR("assistant"));
	write_text_part(&w, r->clean(r->owner, mem, buf_str(&x->response), x->is_response_cut));
	end_message(&w, finish_reason);
	put_text(x, OUTPUT, buf_str(&out));
}

static void add_piece(struct span *x, struct json payload)
{
	struct str text = json_str(JSON_GET(payload, "text"));

	if (str_eq(json_str(JSON_GET(payload, "kind")), STR("tool_arguments")) ||
	    x->is_response_cut)
		return;
	if (x->response.len + text.len > LIMIT_TELEMETRY_CONTENT_BYTES)
		x->is_response_cut = true;
	else
		buf_add_str(&x->response, text);
}

void span_content_pass(struct span *turn, const struct span *request)
{
	if (!request->response.len)
		return;
	buf_clear(&turn->response);
	buf_add_str(&turn->response, buf_str(&request->response));
	turn->is_response_cut = request->is_response_cut;
}

/* ---- calls of tools ---- */

/* Each string by itself: in JSON a secret may be written with escapes. */
static void write_clean(const struct span_redactor *r, struct arena *mem, struct json_writer *w,
                        struct json v)
{
	bool is_object = json_type(v) == JSON_OBJ;
	struct json_iter it;
	struct json each;
	struct str key;

	if (json_type(v) == JSON_STR) {
		jw_str(w, r->clean(r->owner, mem, json_str(v), false));
		return;
	}
	if (!is_object && json_type(v) != JSON_ARR) {
		jw_raw(w, json_text(mem, v));
		return;
	}
	is_object ? jw_obj(w) : jw_arr(w);
	for (it = json_iter(v); json_next(&it, &key, &each);) {
		if (is_object)
			jw_key(w, r->clean(r->owner, mem, key, false));
		write_clean(r, mem, w, each);
	}
	is_object ? jw_obj_end(w) : jw_arr_end(w);
}

static void add_arguments(const struct span_redactor *r, struct arena *mem, struct span *x,
                          struct json payload)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json args = JSON_GET(payload, "safeArgs");
	struct json_writer w;

	if (!json_is(args))
		return;
	jw_init(&w, &out);
	write_clean(r, mem, &w, args);
	put_text(x, ARGUMENTS, buf_str(&out));
}

/* Redacted before it was recorded, so the end of what is shown begins no secret. */
static void add_result(const struct span_redactor *r, struct arena *mem, struct span *x,
                       struct json payload)
{
	struct str text = json_str(JSON_GET(payload, "displayPreview"));

	if (str_is(text))
		put_text(x, RESULT, r->clean(r->owner, mem, text, false));
}

void span_content_event(const struct span_redactor *r, struct span *x, enum event_type type,
                        struct json ev)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json payload = JSON_GET(ev, "payload");

	if (type == EV_TURN_SUBMITTED)
		add_prompt(r, mem, x, payload);
	else if (type == EV_MODEL_DELTA)
		add_piece(x, payload);
	else if (type == EV_MODEL_COMPLETED)
		add_response(r, mem, x, json_str(JSON_GET(payload, "stopReason")));
	else if (type == EV_MODEL_FAILED || type == EV_TURN_FAILED)
		add_response(r, mem, x, STR("error"));
	else if (type == EV_TURN_COMPLETED)
		add_response(r, mem, x, STR("stop"));
	else if (type == EV_TOOL_STARTED || type == EV_TOOL_ARGS)
		add_arguments(r, mem, x, payload);
	else if (type == EV_TOOL_RESULT)
		add_result(r, mem, x, payload);
}
