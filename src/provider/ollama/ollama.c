/*
 * Ollama's own API: one document per line.
 *
 * Calls come as a whole and without ids, so they get ids here, and results refer
 * to their call by the name of the tool.
 */
#include "provider/body.h"
#include "base/jw.h"
#include "provider/body_tools.h"

/* ---- reading ---- */

static void read_call(struct response *a, struct json v)
{
	struct json function = JSON_GET(v, "function");
	struct response_call *c = response_part_call(a, -1);

	if (!c)
		return;
	response_part_call_id(a, c, json_str(JSON_GET(v, "id")));
	response_part_call_name(a, c, json_str(JSON_GET(function, "name")));
	response_part_call_args(a, c, JSON_GET(function, "arguments"));
}

/*
 * The last line has done: true, the counts and the reason, which older servers leave
 * out.  A missing count makes the usage unknown: the server may omit prompt_eval_count
 * when the prompt was cached.
 */
static void on_event(struct response *a, struct str event, struct json doc)
{
	struct json message = JSON_GET(doc, "message"), each;
	struct json_iter calls = json_iter(JSON_GET(message, "tool_calls"));
	struct str reason = json_str(JSON_GET(doc, "done_reason")), key;

	(void)event;
	response_part_piece(a, PIECE_REASONING, json_str(JSON_GET(message, "thinking")));
	response_part_piece(a, PIECE_TEXT, json_str(JSON_GET(message, "content")));
	while (!response_is_over(a) && json_next(&calls, &key, &each))
		read_call(a, each);
	if (!json_bool(JSON_GET(doc, "done"), false))
		return;
	if (json_is(JSON_GET(doc, "eval_count")) && json_is(JSON_GET(doc, "prompt_eval_count")))
		response_part_usage(
			a, (struct model_usage){
				   .input = response_part_tokens(doc, STR("prompt_eval_count")),
				   .output = response_part_tokens(doc, STR("eval_count")),
			   });
	response_part_finish(a, reason.len ? reason : STR("stop"));
	response_part_conclude(a);
}

static void on_whole(struct response *a, struct json doc)
{
	on_event(a, STR_NONE, doc);
}

static const struct finish_word finishes[] = {
	{ STR("stop"), STOP_REASON_END_TURN },
	{ STR("length"), STOP_REASON_MAX_TOKENS },
	/* The model was only loaded or unloaded. */
	{ STR("load"), 0, ERROR_CATEGORY_SERVER_ERROR },
	{ STR("unload"), 0, ERROR_CATEGORY_SERVER_ERROR },
};

/* ---- writing ---- */

static struct str path(struct arena *mem, const struct model_request *req)
{
	(void)mem, (void)req;
	return STR("/api/chat");
}

static void write_calls(struct json_writer *w, const struct message *m)
{
	if (!m->call_count)
		return;
	JW_KEY(w, "tool_calls");
	jw_arr(w);
	for (size_t i = 0; i < m->call_count; i++) {
		jw_obj(w);
		JW_KEY(w, "function");
		jw_obj(w);
		JW_KSTR(w, "name", m->calls[i].name);
		JW_KEY(w, "arguments");
		/* Invalid arguments are replaced; the result already reports them to the model. */
		jw_raw(w, body_is_object(m->calls[i].args) ? m->calls[i].args : STR("{}"));
		jw_obj_end(w);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void write_images(struct json_writer *w, const struct message *m)
{
	if (!m->image_count)
		return;
	JW_KEY(w, "images");
	jw_arr(w);
	for (size_t i = 0; i < m->image_count; i++)
		if (m->images[i].base64.len) /* Ollama fetches no URLs */
			jw_str(w, m->images[i].base64);
	jw_arr_end(w);
}

static void write_message(struct json_writer *w, const struct message *m)
{
	static const struct str roles[] = { [ROLE_SYSTEM] = STR("system"),
		                            [ROLE_USER] = STR("user"),
		                            [ROLE_ASSISTANT] = STR("assistant"),
		                            [ROLE_TOOL] = STR("tool") };

	jw_obj(w);
	JW_KSTR(w, "role", roles[m->role]);
	JW_KSTR(w, "content", m->text);
	if (m->role == ROLE_TOOL)
		JW_KSTR(w, "tool_name", m->tool_name);
	write_images(w, m);
	write_calls(w, m);
	jw_obj_end(w);
}

static void write_messages(struct json_writer *w, struct arena *mem,
                           const struct model_request *req)
{
	const struct message *messages;
	size_t count = body_messages_apart(mem, req, &messages);

	JW_KEY(w, "messages");
	jw_arr(w);
	for (size_t i = 0; i < count; i++)
		write_message(w, &messages[i]);
	jw_arr_end(w);
}

static void write_tools(struct json_writer *w, const struct model_request *req,
                        const struct body_options *o)
{
	(void)o;
	jw_arr(w);
	for (size_t i = 0; i < req->tool_count; i++) {
		jw_obj(w);
		JW_KSTR(w, "type", STR("function"));
		JW_KEY(w, "function");
		jw_obj(w);
		JW_KSTR(w, "name", req->tools[i].name);
		JW_KOPT(w, "description", req->tools[i].description);
		JW_KEY(w, "parameters");
		jw_raw(w, body_tool_schema(&req->tools[i]));
		jw_obj_end(w);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

/* Members of the settings are added to our limit. */
static void write_options(struct json_writer *w, struct arena *mem, const struct model_request *req,
                          const struct body_options *o)
{
	struct json extra = body_extra(mem, o, STR("options")), value;
	struct json_iter it = json_iter(extra);
	struct str key;

	if (req->max_output_tokens <= 0 && !json_is(extra))
		return;
	JW_KEY(w, "options");
	jw_obj(w);
	while (json_type(extra) == JSON_OBJ && json_next(&it, &key, &value)) {
		if (req->max_output_tokens > 0 && str_eq(key, STR("num_predict")))
			continue;
		jw_key(w, key);
		jw_value(w, value);
	}
	if (req->max_output_tokens > 0)
		JW_KINT(w, "num_predict", req->max_output_tokens);
	jw_obj_end(w);
}

/* `format` takes the schema itself, without a wrapper. */
static enum err write_body(const struct model_request *req, const struct body_options *o,
                           struct buf *out, struct error *e)
{
	static const struct str ours[] = { STR("model"), STR("messages"), STR("stream"),
		                           STR("tools"), STR("format"),   STR("options"),
		                           STR("think") };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_writer w;
	enum err err = body_check(req, o, e);

	if (err)
		return err;
	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "model", req->model);
	write_messages(&w, mem, req);
	body_tools_write(&w, req, o, write_tools);
	if (req->output_schema.len && !o->lacks_json_schema) {
		JW_KEY(&w, "format");
		jw_raw(&w, req->output_schema);
	}
	write_options(&w, mem, req, o);
	if (o->effort.len)
		JW_KSTR(&w, "think", o->effort);
	JW_KBOOL(&w, "stream", true);
	/* The last name comes from the settings unless the request says it. */
	body_write_extra(&w, o->extra_body, ours, COUNT_OF(ours) - !o->effort.len);
	jw_obj_end(&w);
	return OK;
}

const struct dialect ollama_dialect = {
	.word = STR("ollama"),
	.accept = STR("application/x-ndjson"),
	.framing = FRAMING_LINES,
	.path = path,
	.write = write_body,
	.on_event = on_event,
	.on_whole = on_whole,
	.finishes = finishes,
	.finish_count = COUNT_OF(finishes),
};
