/* The body of a Responses request. */
#include "provider/body.h"
#include "base/jw.h"
#include "provider/body_tools.h"
#include "provider/openai/openai_responses.h"

struct str openai_responses_body_path(struct arena *mem, const struct model_request *req)
{
	(void)mem, (void)req;
	return STR("/responses");
}

/* ---- items ---- */

static void write_image(struct json_writer *w, const struct message_image *i)
{
	CLEANUP(buf_done) struct buf data = { 0 };

	if (!i->url.len)
		buf_printf(&data, "data:%.*s;base64,", STR_ARG(i->media_type));
	buf_add_str(&data, i->url.len ? i->url : i->base64);
	jw_obj(w);
	JW_KSTR(w, "type", STR("input_image"));
	JW_KSTR(w, "image_url", buf_str(&data));
	jw_obj_end(w);
}

static void write_parts(struct json_writer *w, const struct message *m)
{
	jw_arr(w);
	for (size_t i = 0; i < m->image_count; i++)
		write_image(w, &m->images[i]);
	if (m->text.len) {
		jw_obj(w);
		JW_KSTR(w, "type", STR("input_text"));
		JW_KSTR(w, "text", m->text);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

/* Content that is only text is a string, which the server accepts for both roles. */
static void write_message(struct json_writer *w, struct str role, const struct message *m,
                          struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("message"));
	JW_KSTR(w, "role", role);
	JW_KEY(w, "content");
	if (m->image_count)
		write_parts(w, m);
	else
		jw_str(w, text);
	jw_obj_end(w);
}

static void write_call(struct json_writer *w, const struct model_call *c)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("function_call"));
	JW_KSTR(w, "call_id", c->call_id);
	JW_KSTR(w, "name", c->name);
	/* What the model got wrong is in the result. */
	JW_KSTR(w, "arguments", body_is_object(c->args) ? c->args : STR("{}"));
	jw_obj_end(w);
}

static void write_result(struct json_writer *w, const struct message *m)
{
	jw_obj(w);
	JW_KSTR(w, "type", STR("function_call_output"));
	JW_KSTR(w, "call_id", m->call_id);
	JW_KEY(w, "output");
	if (m->image_count)
		write_parts(w, m);
	else
		jw_str(w, m->text);
	jw_obj_end(w);
}

/*
 * A reasoning item is returned exactly as it came (opaque), before the calls that
 * followed from it.  Thoughts without encrypted content were not kept.
 */
static void write_said(struct json_writer *w, struct arena *mem, const struct model_request *req,
                       const struct message *m)
{
	struct body_part *parts;
	size_t count = body_parts(mem, &openai_responses_event_dialect, req, m, &parts);

	for (size_t i = 0; i < count; i++) {
		if (parts[i].kind == SAID_CALL)
			write_call(w, parts[i].call);
		else if (parts[i].kind == SAID_OPAQUE)
			jw_value(w, parts[i].opaque);
		else if (parts[i].kind == SAID_TEXT)
			write_message(w, STR("assistant"), m, parts[i].text);
	}
}

/* The system role is called developer here. */
static void write_input(struct json_writer *w, struct arena *mem, const struct model_request *req)
{
	const struct message *messages;
	size_t count = body_messages(mem, req, &messages);

	JW_KEY(w, "input");
	jw_arr(w);
	for (size_t i = 0; i < count; i++) {
		const struct message *m = &messages[i];

		if (m->role == ROLE_ASSISTANT)
			write_said(w, mem, req, m);
		else if (m->role == ROLE_TOOL)
			write_result(w, m);
		else
			write_message(w, m->role == ROLE_USER ? STR("user") : STR("developer"), m,
			              m->text);
	}
	jw_arr_end(w);
}

/* ---- the rest ---- */

static void write_tools(struct json_writer *w, const struct model_request *req,
                        const struct body_options *o)
{
	(void)o;
	jw_arr(w);
	for (size_t i = 0; i < req->tool_count; i++) {
		const struct tool_spec *t = &req->tools[i];

		jw_obj(w);
		JW_KSTR(w, "type", STR("function"));
		JW_KSTR(w, "name", t->name);
		JW_KOPT(w, "description", t->description);
		JW_KEY(w, "parameters");
		jw_raw(w, body_tool_schema(t));
		/* Said either way: here the default is to hold the model to it. */
		JW_KBOOL(w, "strict", body_is_strict(body_tool_schema(t)));
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

/* The settings may put the verbosity beside our schema. */
static void write_text(struct json_writer *w, struct arena *mem, const struct model_request *req,
                       const struct body_options *o)
{
	struct json extra = body_extra(mem, o, STR("text")), value;
	struct json_iter it = json_iter(extra);
	bool has_schema = req->output_schema.len && !o->lacks_json_schema;
	struct str key;

	if (!has_schema && !json_is(extra))
		return;
	JW_KEY(w, "text");
	jw_obj(w);
	while (json_type(extra) == JSON_OBJ && json_next(&it, &key, &value)) {
		if (has_schema && str_eq(key, STR("format")))
			continue;
		jw_key(w, key);
		jw_value(w, value);
	}
	if (has_schema) {
		JW_KEY(w, "format");
		jw_obj(w);
		JW_KSTR(w, "type", STR("json_schema"));
		JW_KSTR(w, "name", STR("answer"));
		JW_KEY(w, "schema");
		jw_raw(w, req->output_schema);
		JW_KBOOL(w, "strict", body_is_strict(req->output_schema));
		jw_obj_end(w);
	}
	jw_obj_end(w);
}

/* The settings may put the summary beside the effort. */
static void write_reasoning(struct json_writer *w, struct arena *mem, const struct body_options *o)
{
	static const struct str ours[] = { STR("effort") };
	struct json extra = body_extra(mem, o, STR("reasoning"));

	if (!o->effort.len && !json_is(extra))
		return;
	JW_KEY(w, "reasoning");
	jw_obj(w);
	if (o->effort.len)
		JW_KSTR(w, "effort", o->effort);
	body_write_extra(w, json_text(mem, extra), ours, o->effort.len ? 1 : 0);
	jw_obj_end(w);
}

/*
 * store: false keeps the conversation out of the vendor's storage; encrypted reasoning
 * is requested instead, so that the next request can return it.  Server-side
 * conversations (previous_response_id, background) are left out of extraBody, because
 * the log here is the conversation.
 */
enum err openai_responses_body_write(const struct model_request *req, const struct body_options *o,
                                     struct buf *out, struct error *e)
{
	static const struct str ours[] = { STR("model"),      STR("input"),
		                           STR("stream"),     STR("tools"),
		                           STR("text"),       STR("max_output_tokens"),
		                           STR("store"),      STR("include"),
		                           STR("background"), STR("previous_response_id"),
		                           STR("reasoning") };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_writer w;
	enum err err = body_check(req, o, e);

	if (err)
		return err;
	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "model", req->model);
	write_input(&w, mem, req);
	body_tools_write(&w, req, o, write_tools);
	write_text(&w, mem, req, o);
	if (req->max_output_tokens > 0)
		JW_KINT(&w, "max_output_tokens", req->max_output_tokens);
	JW_KBOOL(&w, "stream", true);
	JW_KBOOL(&w, "store", false);
	JW_KEY(&w, "include");
	jw_arr(&w);
	jw_str(&w, STR("reasoning.encrypted_content"));
	jw_arr_end(&w);
	write_reasoning(&w, mem, o);
	body_write_extra(&w, o->extra_body, ours, COUNT_OF(ours));
	jw_obj_end(&w);
	return OK;
}
