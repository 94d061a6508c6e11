/* The body of a Chat Completions request. */
#include "provider/openai_chat_map.h"

/* ---- messages ---- */

static bool is_object(struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v;

	return json_read(mem, text, &v, NULL) == OK && json_type(v) == JSON_OBJ;
}

static void write_call(struct json_writer *w, const struct model_call_part *c)
{
	jw_obj(w);
	JW_KSTR(w, "id", c->call_id);
	JW_KSTR(w, "type", STR("function"));
	JW_KEY(w, "function");
	jw_obj(w);
	JW_KSTR(w, "name", c->name);
	/* Servers that render a template parse this; what the model got wrong is in the result. */
	JW_KSTR(w, "arguments", is_object(c->args) ? c->args : STR("{}"));
	jw_obj_end(w);
	jw_obj_end(w);
}

static void write_result(struct json_writer *w, struct str call_id, struct str text)
{
	jw_obj(w);
	JW_KSTR(w, "role", STR("tool"));
	JW_KSTR(w, "tool_call_id", call_id);
	JW_KSTR(w, "content", text);
	jw_obj_end(w);
}

static void write_message(struct json_writer *w, const struct message *m,
                          const struct chat_dialect *d)
{
	const struct str roles[] = {
		[ROLE_SYSTEM] = d->has_developer_role ? STR("developer") : STR("system"),
		[ROLE_USER] = STR("user"),
		[ROLE_ASSISTANT] = STR("assistant"),
	};

	if (m->role == ROLE_TOOL) {
		write_result(w, m->call_id, m->text);
		return;
	}
	jw_obj(w);
	JW_KSTR(w, "role", roles[m->role]);
	JW_KEY(w, "content");
	if (m->call_count && !m->text.len)
		jw_null(w);
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

static bool is_answered(const struct message *results, size_t count, struct str call_id)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(results[i].call_id, call_id))
			return true;
	return false;
}

static void write_messages(struct json_writer *w, const struct model_request *req,
                           const struct chat_dialect *d)
{
	jw_arr(w);
	for (size_t i = 0; i < req->message_count;) {
		const struct message *m = &req->messages[i++];
		const struct message *results = m + 1;
		size_t count = 0;

		write_message(w, m, d);
		if (!m->call_count)
			continue;
		while (i < req->message_count && req->messages[i].role == ROLE_TOOL) {
			write_message(w, &req->messages[i++], d);
			count++;
		}
		for (size_t n = 0; n < m->call_count; n++)
			if (!is_answered(results, count, m->calls[n].call_id))
				write_result(w, m->calls[n].call_id,
				             STR("No result: the call was interrupted."));
	}
	jw_arr_end(w);
}

/* ---- tools ---- */

static enum err write_tools(struct json_writer *w, const struct model_request *req, struct error *e)
{
	if (!req->tool_count)
		return OK;
	JW_KEY(w, "tools");
	jw_arr(w);
	for (size_t i = 0; i < req->tool_count; i++) {
		const struct tool_spec *t = &req->tools[i];

		if (t->input_schema.len && !is_object(t->input_schema))
			return fail(e, ERR_INVALID,
			            "the schema of the tool %.*s is not a JSON object",
			            STR_ARG(t->name));
		jw_obj(w);
		JW_KSTR(w, "type", STR("function"));
		JW_KEY(w, "function");
		jw_obj(w);
		JW_KSTR(w, "name", t->name);
		JW_KOPT(w, "description", t->description);
		JW_KEY(w, "parameters");
		jw_raw(w, t->input_schema.len ? t->input_schema
		                              : STR("{\"type\":\"object\",\"properties\":{}}"));
		jw_obj_end(w);
		jw_obj_end(w);
	}
	jw_arr_end(w);
	return OK;
}

/* ---- structured output ---- */

static bool fits_strict(struct json schema);

static bool all_fit(struct json schemas)
{
	struct json_iter it = json_iter(schemas);
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		if (!fits_strict(each))
			return false;
	return true;
}

static bool requires_all(struct json schema)
{
	struct json required = JSON_GET(schema, "required");
	struct json_iter it = json_iter(JSON_GET(schema, "properties"));
	struct json value, word;
	struct str key, none;

	while (json_next(&it, &key, &value)) {
		struct json_iter words = json_iter(required);
		bool is_there = false;

		while (!is_there && json_next(&words, &none, &word))
			is_there = str_eq(json_str(word), key);
		if (!is_there)
			return false;
	}
	return true;
}

/*
 * Whether the server can hold the model to this schema: closed objects with
 * all members required, and none of the keywords it does not take.  Asking
 * for it with any other schema is an error there.
 */
static bool fits_strict(struct json schema)
{
	static const struct str foreign[] = {
		STR("allOf"),
		STR("oneOf"),
		STR("not"),
		STR("if"),
		STR("then"),
		STR("else"),
		STR("dependentRequired"),
		STR("dependentSchemas"),
		STR("patternProperties"),
		STR("unevaluatedProperties"),
		STR("propertyNames"),
		STR("prefixItems"),
		STR("contains"),
		STR("uniqueItems"),
		STR("minProperties"),
		STR("maxProperties"),
		STR("default"),
	};
	struct json closed = JSON_GET(schema, "additionalProperties");

	if (json_type(schema) != JSON_OBJ)
		return false;
	for (size_t i = 0; i < COUNT_OF(foreign); i++)
		if (json_is(json_get(schema, foreign[i])))
			return false;
	if (json_is(JSON_GET(schema, "properties")) ||
	    str_eq(json_str(JSON_GET(schema, "type")), STR("object")))
		if (json_type(closed) != JSON_BOOL || json_bool(closed, true) ||
		    !requires_all(schema) || !all_fit(JSON_GET(schema, "properties")))
			return false;
	if (json_is(JSON_GET(schema, "items")) && !fits_strict(JSON_GET(schema, "items")))
		return false;
	return all_fit(JSON_GET(schema, "anyOf")) && all_fit(JSON_GET(schema, "$defs"));
}

static enum err write_format(struct json_writer *w, const struct model_request *req,
                             const struct chat_dialect *d, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json schema;

	if (!req->output_schema.len)
		return OK;
	if (json_read(mem, req->output_schema, &schema, NULL) || json_type(schema) != JSON_OBJ)
		return fail(e, ERR_INVALID, "the schema of the answer is not a JSON object");
	if (d->lacks_json_schema)
		return OK;
	JW_KEY(w, "response_format");
	jw_obj(w);
	JW_KSTR(w, "type", STR("json_schema"));
	JW_KEY(w, "json_schema");
	jw_obj(w);
	JW_KSTR(w, "name", STR("answer"));
	JW_KEY(w, "schema");
	jw_raw(w, req->output_schema);
	if (str_eq(json_str(JSON_GET(schema, "type")), STR("object")) && fits_strict(schema))
		JW_KBOOL(w, "strict", true);
	jw_obj_end(w);
	jw_obj_end(w);
	return OK;
}

/* ---- the body ---- */

static void write_extra(struct json_writer *w, struct str extra)
{
	static const struct str ours[] = {
		STR("model"),      STR("messages"),
		STR("stream"),     STR("stream_options"),
		STR("tools"),      STR("response_format"),
		STR("max_tokens"), STR("max_completion_tokens"),
		STR("n"),
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json doc, value;
	struct str key;

	if (!extra.len || json_read(mem, extra, &doc, NULL))
		return;

	struct json_iter it = json_iter(doc);

	while (json_next(&it, &key, &value)) {
		bool is_ours = !str_is(key);

		for (size_t i = 0; i < COUNT_OF(ours); i++)
			is_ours |= str_eq(ours[i], key);
		if (is_ours)
			continue;
		jw_key(w, key);
		jw_value(w, value);
	}
}

enum err chat_write_request(const struct model_request *req, const struct chat_dialect *d,
                            struct buf *out, struct error *e)
{
	struct json_writer w;
	enum err err;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "model", req->model);
	JW_KEY(&w, "messages");
	write_messages(&w, req, d);
	err = write_tools(&w, req, e);
	if (!err)
		err = write_format(&w, req, d, e);
	if (err)
		return err;
	if (req->max_output_tokens > 0 && d->max_key == CHAT_MAX_TOKENS)
		JW_KINT(&w, "max_tokens", req->max_output_tokens);
	else if (req->max_output_tokens > 0 && d->max_key == CHAT_MAX_COMPLETION_TOKENS)
		JW_KINT(&w, "max_completion_tokens", req->max_output_tokens);
	JW_KBOOL(&w, "stream", true);
	if (!d->lacks_stream_options) {
		JW_KEY(&w, "stream_options");
		jw_obj(&w);
		JW_KBOOL(&w, "include_usage", true);
		jw_obj_end(&w);
	}
	write_extra(&w, d->extra_body);
	jw_obj_end(&w);
	return OK;
}
