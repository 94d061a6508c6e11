/* Writes the body of a generateContent request. */
#include "provider/body.h"
#include "base/jw.h"
#include "provider/body_tools.h"
#include "provider/gemini/gemini.h"

#include <ctype.h>

/* Names of models come from the settings, and still must not leave the path. */
struct str gemini_body_path(struct arena *mem, const struct model_request *req)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str name = req->model;

	if (str_starts(name, STR("models/")))
		name = str_skip(name, 7);
	buf_add_c(&out, "/models/");
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c <= ' ' || c > '~' || strchr("/?#%", c))
			buf_printf(&out, "%%%02X", (unsigned char)c);
		else
			buf_add_char(&out, c);
	}
	buf_add_c(&out, ":streamGenerateContent?alt=sse");
	return arena_keep(mem, buf_str(&out));
}

/* ---- parts ---- */

static void write_text(struct json_writer *w, struct str text, struct str signature)
{
	jw_obj(w);
	JW_KSTR(w, "text", text);
	if (signature.len)
		JW_KSTR(w, "thoughtSignature", signature);
	jw_obj_end(w);
}

/* The signature stands beside functionCall, in the same part. */
static void write_call(struct json_writer *w, const struct body_part *p)
{
	jw_obj(w);
	JW_KEY(w, "functionCall");
	jw_obj(w);
	JW_KSTR(w, "name", p->call->name);
	JW_KEY(w, "args");
	/* Invalid arguments are replaced; the result already reports them to the model. */
	jw_raw(w, body_is_object(p->call->args) ? p->call->args : STR("{}"));
	jw_obj_end(w);
	if (p->signature.len)
		JW_KSTR(w, "thoughtSignature", p->signature);
	jw_obj_end(w);
}

/* Results refer to their call by name; the id is optional in this API and is not sent. */
static void write_result(struct json_writer *w, const struct message *m)
{
	jw_obj(w);
	JW_KEY(w, "functionResponse");
	jw_obj(w);
	JW_KSTR(w, "name", m->tool_name);
	JW_KEY(w, "response");
	jw_obj(w);
	jw_kstr(w, m->is_error ? STR("error") : STR("result"), m->text);
	jw_obj_end(w);
	jw_obj_end(w);
	jw_obj_end(w);
}

static void write_image(struct json_writer *w, const struct message_image *i)
{
	bool is_here = !i->url.len;

	jw_obj(w);
	jw_key(w, is_here ? STR("inlineData") : STR("fileData"));
	jw_obj(w);
	JW_KOPT(w, "mimeType", i->media_type);
	jw_kstr(w, is_here ? STR("data") : STR("fileUri"), is_here ? i->base64 : i->url);
	jw_obj_end(w);
	jw_obj_end(w);
}

static void write_said(struct json_writer *w, struct arena *mem, const struct model_request *req,
                       const struct message *m)
{
	struct body_part *parts;
	size_t count = body_parts(mem, &gemini_event_dialect, req, m, &parts);

	for (size_t i = 0; i < count; i++) {
		if (parts[i].kind == SAID_CALL)
			write_call(w, &parts[i]);
		else if (parts[i].kind == SAID_TEXT)
			write_text(w, parts[i].text, parts[i].signature);
	}
}

static void write_parts(struct json_writer *w, struct arena *mem, const struct model_request *req,
                        const struct message *m)
{
	if (m->role == ROLE_ASSISTANT) {
		write_said(w, mem, req, m);
		return;
	}
	if (m->role == ROLE_TOOL) {
		write_result(w, m);
		for (size_t i = 0; i < m->image_count; i++)
			write_image(w, &m->images[i]);
		return;
	}
	for (size_t i = 0; i < m->image_count; i++)
		write_image(w, &m->images[i]);
	if (m->text.len)
		write_text(w, m->text, STR_NONE);
}

/* ---- contents ---- */

static bool is_worth_sending(const struct message *m)
{
	return m->role == ROLE_TOOL || m->call_count || m->image_count || m->text.len;
}

/* All results of one response are one content; so are consecutive messages of one role. */
static void write_contents(struct json_writer *w, struct arena *mem,
                           const struct model_request *req, const struct message *messages,
                           size_t count)
{
	bool is_open = false, is_model = false;

	JW_KEY(w, "contents");
	jw_arr(w);
	for (size_t i = 0; i < count; i++) {
		const struct message *m = &messages[i];
		bool by_model = m->role == ROLE_ASSISTANT;

		if (m->role == ROLE_SYSTEM || !is_worth_sending(m))
			continue;
		if (!is_open || by_model != is_model) {
			if (is_open) {
				jw_arr_end(w);
				jw_obj_end(w);
			}
			jw_obj(w);
			JW_KSTR(w, "role", by_model ? STR("model") : STR("user"));
			JW_KEY(w, "parts");
			jw_arr(w);
			is_open = true;
			is_model = by_model;
		}
		write_parts(w, mem, req, m);
	}
	if (is_open) {
		jw_arr_end(w);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void write_system(struct json_writer *w, const struct message *messages, size_t count)
{
	bool is_open = false;

	for (size_t i = 0; i < count; i++) {
		if (messages[i].role != ROLE_SYSTEM || !messages[i].text.len)
			continue;
		if (!is_open) {
			JW_KEY(w, "systemInstruction");
			jw_obj(w);
			JW_KEY(w, "parts");
			jw_arr(w);
			is_open = true;
		}
		write_text(w, messages[i].text, STR_NONE);
	}
	if (is_open) {
		jw_arr_end(w);
		jw_obj_end(w);
	}
}

/* ---- the rest ---- */

/* parametersJsonSchema takes JSON Schema as it is; the older `parameters` takes only a subset. */
static void write_tools(struct json_writer *w, const struct model_request *req,
                        const struct body_options *o)
{
	(void)o;
	jw_arr(w);
	jw_obj(w);
	JW_KEY(w, "functionDeclarations");
	jw_arr(w);
	for (size_t i = 0; i < req->tool_count; i++) {
		jw_obj(w);
		JW_KSTR(w, "name", req->tools[i].name);
		JW_KSTR(w, "description", req->tools[i].description);
		if (req->tools[i].input_schema.len) {
			JW_KEY(w, "parametersJsonSchema");
			jw_raw(w, req->tools[i].input_schema);
		}
		jw_obj_end(w);
	}
	jw_arr_end(w);
	jw_obj_end(w);
	jw_arr_end(w);
}

/* Newer models take a word, older ones a number of tokens. */
static void write_thinking(struct json_writer *w, const struct body_options *o)
{
	char word[16];
	size_t len = MIN(o->effort.len, sizeof word);

	if (!len)
		return;
	for (size_t i = 0; i < len; i++)
		word[i] = (char)toupper((unsigned char)o->effort.ptr[i]);
	JW_KEY(w, "thinkingConfig");
	jw_obj(w);
	JW_KBOOL(w, "includeThoughts", true);
	if (o->effort_tokens)
		JW_KINT(w, "thinkingBudget", o->effort_tokens);
	else
		JW_KSTR(w, "thinkingLevel", str_of(word, len));
	jw_obj_end(w);
}

/* Members of the settings are added to our limits. */
static void write_config(struct json_writer *w, struct arena *mem, const struct model_request *req,
                         const struct body_options *o)
{
	static const struct str ours[] = { STR("maxOutputTokens"), STR("responseMimeType"),
		                           STR("responseJsonSchema"), STR("thinkingConfig") };
	struct json extra = body_extra(mem, o, STR("generationConfig"));
	bool has_schema = req->output_schema.len && !o->lacks_json_schema;

	if (req->max_output_tokens <= 0 && !has_schema && !json_is(extra) && !o->effort.len)
		return;
	JW_KEY(w, "generationConfig");
	jw_obj(w);
	if (req->max_output_tokens > 0)
		JW_KINT(w, "maxOutputTokens", req->max_output_tokens);
	if (has_schema) {
		JW_KSTR(w, "responseMimeType", STR("application/json"));
		JW_KEY(w, "responseJsonSchema");
		jw_raw(w, req->output_schema);
	}
	write_thinking(w, o);
	/* The last name comes from the settings unless the request says it. */
	body_write_extra(w, json_text(mem, extra), ours, COUNT_OF(ours) - !o->effort.len);
	jw_obj_end(w);
}

/* The model is part of the path and not of the body. */
enum err gemini_body_write(const struct model_request *req, const struct body_options *o,
                           struct buf *out, struct error *e)
{
	static const struct str ours[] = { STR("contents"), STR("systemInstruction"), STR("tools"),
		                           STR("generationConfig") };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct message *messages;
	struct json_writer w;
	size_t count;
	enum err err = body_check(req, o, e);

	if (err)
		return err;
	count = body_messages(mem, req, &messages);
	jw_init(&w, out);
	jw_obj(&w);
	write_system(&w, messages, count);
	write_contents(&w, mem, req, messages, count);
	body_tools_write(&w, req, o, write_tools);
	write_config(&w, mem, req, o);
	body_write_extra(&w, o->extra_body, ours, COUNT_OF(ours));
	jw_obj_end(&w);
	return OK;
}
