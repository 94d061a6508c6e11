/* Writes the body of a Chat Completions request. */
#include "provider/body.h"
#include "base/jw.h"
#include "provider/body_tools.h"
#include "provider/openai/openai_chat.h"

struct str openai_chat_body_path(struct arena *mem, const struct model_request *req)
{
	(void)mem, (void)req;
	return STR("/chat/completions");
}

/* ---- messages ---- */

static void write_call(struct json_writer *w, const struct model_call *c)
{
	jw_obj(w);
	JW_KSTR(w, "id", c->call_id);
	JW_KSTR(w, "type", STR("function"));
	JW_KEY(w, "function");
	jw_obj(w);
	JW_KSTR(w, "name", c->name);
	/* Servers with templates parse this, so invalid arguments are replaced; the result reports them. */
	JW_KSTR(w, "arguments", body_is_object(c->args) ? c->args : STR("{}"));
	jw_obj_end(w);
	jw_obj_end(w);
}

static void write_image(struct json_writer *w, const struct message_image *i)
{
	CLEANUP(buf_done) struct buf data = { 0 };

	if (!i->url.len)
		buf_printf(&data, "data:%.*s;base64,", STR_ARG(i->media_type));
	buf_add_str(&data, i->url.len ? i->url : i->base64);
	jw_obj(w);
	JW_KSTR(w, "type", STR("image_url"));
	JW_KEY(w, "image_url");
	jw_obj(w);
	JW_KSTR(w, "url", buf_str(&data));
	jw_obj_end(w);
	jw_obj_end(w);
}

/* Images come before the text that refers to them. */
static void write_parts(struct json_writer *w, const struct message *m)
{
	jw_arr(w);
	for (size_t i = 0; i < m->image_count; i++)
		write_image(w, &m->images[i]);
	if (m->text.len) {
		jw_obj(w);
		JW_KSTR(w, "type", STR("text"));
		JW_KSTR(w, "text", m->text);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

/*
 * Content is null and not empty for a response that only calls tools, as the vendor's
 * API returns it.
 */
static void write_message(struct json_writer *w, const struct message *m,
                          const struct body_options *o)
{
	const struct str roles[] = {
		[ROLE_SYSTEM] = o->has_developer_role ? STR("developer") : STR("system"),
		[ROLE_USER] = STR("user"),
		[ROLE_ASSISTANT] = STR("assistant"),
		[ROLE_TOOL] = STR("tool"),
	};

	jw_obj(w);
	JW_KSTR(w, "role", roles[m->role]);
	if (m->role == ROLE_TOOL)
		JW_KSTR(w, "tool_call_id", m->call_id);
	JW_KEY(w, "content");
	if (m->call_count && !m->text.len)
		jw_null(w);
	else if (m->image_count)
		write_parts(w, m);
	else
		jw_str(w, m->text);
	if (m->call_count) {
		JW_KEY(w, "tool_calls");
		jw_arr(w);
		for (size_t i = 0; i < m->call_count; i++)
			write_call(w, &m->calls[i]);
		jw_arr_end(w);
	}
	jw_obj_end(w);
}

static void write_messages(struct json_writer *w, const struct model_request *req,
                           const struct body_options *o)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct message *messages;
	size_t count = body_messages_apart(mem, req, &messages);

	JW_KEY(w, "messages");
	jw_arr(w);
	for (size_t i = 0; i < count; i++)
		write_message(w, &messages[i], o);
	jw_arr_end(w);
}

/* ---- tools ---- */

static void write_tools(struct json_writer *w, const struct model_request *req,
                        const struct body_options *o)
{
	(void)o;
	jw_arr(w);
	for (size_t i = 0; i < req->tool_count; i++) {
		const struct tool_spec *t = &req->tools[i];

		jw_obj(w);
		JW_KSTR(w, "type", STR("function"));
		JW_KEY(w, "function");
		jw_obj(w);
		JW_KSTR(w, "name", t->name);
		JW_KOPT(w, "description", t->description);
		JW_KEY(w, "parameters");
		jw_raw(w, body_tool_schema(t));
		jw_obj_end(w);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

/* Strict mode is requested only where the schema allows it; the server refuses it elsewhere. */
static void write_format(struct json_writer *w, const struct model_request *req,
                         const struct body_options *o)
{
	if (!req->output_schema.len || o->lacks_json_schema)
		return;
	JW_KEY(w, "response_format");
	jw_obj(w);
	JW_KSTR(w, "type", STR("json_schema"));
	JW_KEY(w, "json_schema");
	jw_obj(w);
	JW_KSTR(w, "name", STR("answer"));
	JW_KEY(w, "schema");
	jw_raw(w, req->output_schema);
	if (body_is_strict(req->output_schema))
		JW_KBOOL(w, "strict", true);
	jw_obj_end(w);
	jw_obj_end(w);
}

/* OpenRouter wants an object, and DeepSeek thinks only on request. */
static void write_effort(struct json_writer *w, const struct body_options *o)
{
	if (!o->effort.len)
		return;
	if (o->effort_form == PROVIDERS_EFFORT_OBJECT) {
		JW_KEY(w, "reasoning");
		jw_obj(w);
		JW_KSTR(w, "effort", o->effort);
		jw_obj_end(w);
		return;
	}
	if (o->effort_form == PROVIDERS_EFFORT_THINKING) {
		JW_KEY(w, "thinking");
		jw_obj(w);
		JW_KSTR(w, "type", STR("enabled"));
		jw_obj_end(w);
	}
	JW_KSTR(w, "reasoning_effort", o->effort);
}

/* ---- the body ---- */

/*
 * Members of the settings' extraBody are added unless this function writes them itself
 * (`ours`); `n` is left out because one choice is read.  Without stream_options most
 * servers send no usage.
 */
enum err openai_chat_body_write(const struct model_request *req, const struct body_options *o,
                                struct buf *out, struct error *e)
{
	static const struct str ours[] = {
		STR("model"),      STR("messages"),
		STR("stream"),     STR("stream_options"),
		STR("tools"),      STR("response_format"),
		STR("max_tokens"), STR("max_completion_tokens"),
		STR("n"),          STR("reasoning_effort"),
		STR("reasoning"),  STR("thinking"),
	};
	/* The last three come from the settings unless the request says them. */
	size_t ours_count = COUNT_OF(ours) - (o->effort.len ? 0 : 3);
	struct json_writer w;
	enum err err = body_check(req, o, e);

	if (err)
		return err;
	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "model", req->model);
	write_messages(&w, req, o);
	body_tools_write(&w, req, o, write_tools);
	write_format(&w, req, o);
	write_effort(&w, o);
	if (req->max_output_tokens > 0 && o->max_key == MAX_TOKENS)
		JW_KINT(&w, "max_tokens", req->max_output_tokens);
	else if (req->max_output_tokens > 0 && o->max_key == MAX_COMPLETION_TOKENS)
		JW_KINT(&w, "max_completion_tokens", req->max_output_tokens);
	JW_KBOOL(&w, "stream", true);
	if (!o->lacks_stream_options) {
		JW_KEY(&w, "stream_options");
		jw_obj(&w);
		JW_KBOOL(&w, "include_usage", true);
		jw_obj_end(&w);
	}
	body_write_extra(&w, o->extra_body, ours, ours_count);
	jw_obj_end(&w);
	return OK;
}
