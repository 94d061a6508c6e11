/* Writes the body of a ConverseStream request. */
#include "provider/bedrock/bedrock.h"
#include "base/jw.h"
#include "provider/body.h"
#include "provider/body_tools.h"
#include "provider/cloud/sigv4.h"

#define CACHE_POINT "{\"cachePoint\":{\"type\":\"default\"}}"
#define ID_MAX 64                  /* bytes of a toolUseId */
#define TOKENS_WITH_THINKING 16384 /* a number of tokens to think needs a larger limit */

/* The name may be an ARN; the path has it as one segment. */
struct str bedrock_body_path(struct arena *mem, const struct model_request *req)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_c(&out, "/model/");
	sigv4_encode(&out, req->model, "");
	buf_add_c(&out, "/converse-stream");
	return arena_keep(mem, buf_str(&out));
}

struct writing {
	struct arena *mem;
	struct json_writer w;
	const struct model_request *req;
	const struct body_options *o;
	const struct message *messages; /* as body_messages() returns them */
	size_t count;
	size_t mark_at; /* the message that a cache mark follows */
	bool is_claude, is_nova;
};

/* Other vendors' models refuse a request with marks. */
static bool has_marks(const struct writing *t)
{
	return !t->o->lacks_cache_marks && (t->is_claude || t->is_nova);
}

/* ---- blocks ---- */

static void write_text(struct writing *t, struct str text)
{
	jw_obj(&t->w);
	JW_KSTR(&t->w, "text", text);
	jw_obj_end(&t->w);
}

static void write_call(struct writing *t, const struct model_call *c)
{
	jw_obj(&t->w);
	JW_KEY(&t->w, "toolUse");
	jw_obj(&t->w);
	JW_KSTR(&t->w, "toolUseId", body_safe_id(t->mem, c->call_id, ID_MAX));
	JW_KSTR(&t->w, "name", c->name);
	JW_KEY(&t->w, "input");
	/* Invalid arguments are replaced; the result already reports them to the model. */
	jw_raw(&t->w, body_is_object(c->args) ? c->args : STR("{}"));
	jw_obj_end(&t->w);
	jw_obj_end(&t->w);
}

static void write_thought(struct writing *t, const struct body_part *p)
{
	jw_obj(&t->w);
	JW_KEY(&t->w, "reasoningContent");
	jw_obj(&t->w);
	JW_KEY(&t->w, "reasoningText");
	jw_obj(&t->w);
	JW_KSTR(&t->w, "text", p->text);
	JW_KSTR(&t->w, "signature", p->signature);
	jw_obj_end(&t->w);
	jw_obj_end(&t->w);
	jw_obj_end(&t->w);
}

/* The server fetches no addresses, so the model at least learns that there was a picture. */
static void write_image(struct writing *t, const struct message_image *i)
{
	struct str format = i->media_type;

	if (i->url.len) {
		write_text(t, arena_printf(t->mem, "[an image at %.*s]", STR_ARG(i->url)));
		return;
	}
	str_cut(&format, '/');
	jw_obj(&t->w);
	JW_KEY(&t->w, "image");
	jw_obj(&t->w);
	JW_KSTR(&t->w, "format", format.len ? format : STR("png"));
	JW_KEY(&t->w, "source");
	jw_obj(&t->w);
	JW_KSTR(&t->w, "bytes", i->base64);
	jw_obj_end(&t->w);
	jw_obj_end(&t->w);
	jw_obj_end(&t->w);
}

/* Only Claude and Nova know a status; the text of an error says what it is. */
static void write_result(struct writing *t, const struct message *m)
{
	jw_obj(&t->w);
	JW_KEY(&t->w, "toolResult");
	jw_obj(&t->w);
	JW_KSTR(&t->w, "toolUseId", body_safe_id(t->mem, m->call_id, ID_MAX));
	JW_KEY(&t->w, "content");
	jw_arr(&t->w);
	if (!body_is_blank(m->text) || !m->image_count)
		write_text(t, body_is_blank(m->text) ? STR("(no output)") : m->text);
	for (size_t i = 0; i < m->image_count; i++)
		write_image(t, &m->images[i]);
	jw_arr_end(&t->w);
	if (m->is_error && (t->is_claude || t->is_nova))
		JW_KSTR(&t->w, "status", STR("error"));
	jw_obj_end(&t->w);
	jw_obj_end(&t->w);
}

/* ---- messages ---- */

/* A thought without its signature would be refused, so it is left out. */
static void write_said(struct writing *t, const struct message *m)
{
	struct body_part *parts;
	size_t count = body_parts(t->mem, &bedrock_event_dialect, t->req, m, &parts);

	for (size_t i = 0; i < count; i++) {
		if (parts[i].kind == SAID_CALL)
			write_call(t, parts[i].call);
		else if (parts[i].kind == SAID_THOUGHT && parts[i].signature.len)
			write_thought(t, &parts[i]);
		else if (parts[i].kind == SAID_OPAQUE)
			jw_value(&t->w, parts[i].opaque);
		else if (parts[i].kind == SAID_TEXT && !body_is_blank(parts[i].text))
			write_text(t, parts[i].text);
	}
}

static void write_blocks(struct writing *t, size_t i)
{
	const struct message *m = &t->messages[i];

	if (m->role == ROLE_ASSISTANT) {
		write_said(t, m);
		return;
	}
	if (m->role == ROLE_TOOL) {
		write_result(t, m);
	} else {
		for (size_t n = 0; n < m->image_count; n++)
			write_image(t, &m->images[n]);
		if (!body_is_blank(m->text))
			write_text(t, m->text);
	}
	if (i == t->mark_at && has_marks(t))
		jw_raw(&t->w, STR(CACHE_POINT));
}

static void close_message(struct writing *t)
{
	jw_arr_end(&t->w);
	jw_obj_end(&t->w);
}

/* Results and the user's text are one message; roles alternate. */
static void write_messages(struct writing *t)
{
	bool is_open = false, is_user = false;

	JW_KEY(&t->w, "messages");
	jw_arr(&t->w);
	for (size_t i = 0; i < t->count; i++) {
		const struct message *m = &t->messages[i];
		bool by_user = m->role != ROLE_ASSISTANT;

		if (m->role == ROLE_SYSTEM || !body_is_worth_sending(m))
			continue;
		if (!is_open || by_user != is_user) {
			if (is_open)
				close_message(t);
			jw_obj(&t->w);
			JW_KSTR(&t->w, "role", by_user ? STR("user") : STR("assistant"));
			JW_KEY(&t->w, "content");
			jw_arr(&t->w);
			is_open = true;
			is_user = by_user;
		}
		write_blocks(t, i);
	}
	if (is_open)
		close_message(t);
	jw_arr_end(&t->w);
}

static void write_system(struct writing *t)
{
	bool is_open = false;

	for (size_t i = 0; i < t->count; i++) {
		if (t->messages[i].role != ROLE_SYSTEM || body_is_blank(t->messages[i].text))
			continue;
		if (!is_open) {
			JW_KEY(&t->w, "system");
			jw_arr(&t->w);
			is_open = true;
		}
		write_text(t, t->messages[i].text);
	}
	if (!is_open)
		return;
	if (has_marks(t))
		jw_raw(&t->w, STR(CACHE_POINT));
	jw_arr_end(&t->w);
}

/* ---- tools ---- */

static void write_tool(struct json_writer *w, struct str name, struct str description,
                       struct str schema)
{
	jw_obj(w);
	JW_KEY(w, "toolSpec");
	jw_obj(w);
	JW_KSTR(w, "name", name);
	if (description.len)
		JW_KSTR(w, "description", description);
	JW_KEY(w, "inputSchema");
	jw_obj(w);
	JW_KEY(w, "json");
	jw_raw(w, schema);
	jw_obj_end(w);
	jw_obj_end(w);
	jw_obj_end(w);
}

static void write_tools(struct json_writer *w, const struct model_request *req,
                        const struct body_options *o)
{
	(void)o;
	jw_arr(w);
	for (size_t i = 0; i < req->tool_count; i++)
		write_tool(w, req->tools[i].name, req->tools[i].description,
		           body_tool_schema(&req->tools[i]));
	jw_arr_end(w);
}

static bool is_written(const struct writing *t, size_t message, size_t call, struct str name)
{
	for (size_t i = 0; i <= message; i++)
		for (size_t n = 0; n < (i == message ? call : t->messages[i].call_count); n++)
			if (str_eq(t->messages[i].calls[n].name, name))
				return true;
	return false;
}

/*
 * A conversation with calls needs a list of tools, even where none may be called, as for a
 * summary: then the tools that were called are listed by name.
 */
static void write_called_tools(struct writing *t, struct json_writer *w)
{
	static const struct tool_spec none = { 0 };
	bool is_open = false;

	for (size_t i = 0; i < t->count; i++)
		for (size_t n = 0; n < t->messages[i].call_count; n++) {
			struct str name = t->messages[i].calls[n].name;

			if (is_written(t, i, n, name))
				continue;
			if (!is_open) {
				JW_KEY(w, "tools");
				jw_arr(w);
				is_open = true;
			}
			write_tool(w, name, STR_NONE, body_tool_schema(&none));
		}
	if (is_open)
		jw_arr_end(w);
}

/* The list itself is kept between requests (body_tools.h); Claude's cache mark is added behind it. */
static void write_tool_config(struct writing *t)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	if (t->req->tool_count)
		body_tools_write(&w, t->req, t->o, write_tools);
	else
		write_called_tools(t, &w);
	jw_obj_end(&w);
	if (text.len <= 2) /* {} */
		return;
	if (t->is_claude && has_marks(t)) {
		text.len -= 2; /* ]} */
		buf_add_c(&text, "," CACHE_POINT "]}");
	}
	JW_KEY(&t->w, "toolConfig");
	jw_raw(&t->w, buf_str(&text));
}

/* ---- the rest ---- */

static bool thinks(struct writing *t)
{
	return t->is_claude && t->o->effort.len &&
	       !(t->o->effort_tokens &&
	         body_lost_thought(t->mem, &bedrock_event_dialect, t->req, t->messages, t->count));
}

static int64_t token_limit(struct writing *t)
{
	int64_t limit = MAX(t->req->max_output_tokens, 0);

	return !limit && thinks(t) && t->o->effort_tokens ? TOKENS_WITH_THINKING : limit;
}

static void write_limits(struct writing *t)
{
	struct json extra = body_extra(t->mem, t->o, STR("inferenceConfig"));
	static const struct str ours[] = { STR("maxTokens") };
	int64_t limit = token_limit(t);

	if (!limit && !json_is(extra))
		return;
	JW_KEY(&t->w, "inferenceConfig");
	jw_obj(&t->w);
	if (limit)
		JW_KINT(&t->w, "maxTokens", limit);
	if (json_is(extra))
		body_write_extra(&t->w, json_text(t->mem, extra), ours, limit != 0);
	jw_obj_end(&t->w);
}

/* Claude's own members, as in anthropic_body.c. */
static void write_thinking(struct writing *t)
{
	JW_KEY(&t->w, "thinking");
	jw_obj(&t->w);
	if (t->o->effort_tokens) {
		JW_KSTR(&t->w, "type", STR("enabled"));
		JW_KINT(&t->w, "budget_tokens", MIN(t->o->effort_tokens, token_limit(t) / 2));
	} else {
		JW_KSTR(&t->w, "type", STR("adaptive"));
		JW_KSTR(&t->w, "display", STR("summarized"));
	}
	jw_obj_end(&t->w);
	if (t->o->effort_tokens)
		return;
	JW_KEY(&t->w, "output_config");
	jw_obj(&t->w);
	JW_KSTR(&t->w, "effort", t->o->effort);
	jw_obj_end(&t->w);
}

static void write_additional(struct writing *t)
{
	static const struct str ours[] = { STR("thinking"), STR("output_config") };
	struct json extra = body_extra(t->mem, t->o, STR("additionalModelRequestFields"));
	bool is_thinking = thinks(t);

	if (!is_thinking && !json_is(extra))
		return;
	JW_KEY(&t->w, "additionalModelRequestFields");
	jw_obj(&t->w);
	if (is_thinking)
		write_thinking(t);
	if (json_is(extra))
		body_write_extra(&t->w, json_text(t->mem, extra), ours,
		                 is_thinking ? COUNT_OF(ours) : 0);
	jw_obj_end(&t->w);
}

/* The schema is the text of a JSON document, not the document. */
static void write_format(struct writing *t)
{
	if (!t->req->output_schema.len || t->o->lacks_json_schema)
		return;
	JW_KEY(&t->w, "outputConfig");
	jw_obj(&t->w);
	JW_KEY(&t->w, "textFormat");
	jw_obj(&t->w);
	JW_KSTR(&t->w, "type", STR("json_schema"));
	JW_KEY(&t->w, "structure");
	jw_obj(&t->w);
	JW_KEY(&t->w, "jsonSchema");
	jw_obj(&t->w);
	JW_KSTR(&t->w, "name", STR("answer"));
	JW_KSTR(&t->w, "schema", t->req->output_schema);
	jw_obj_end(&t->w);
	jw_obj_end(&t->w);
	jw_obj_end(&t->w);
	jw_obj_end(&t->w);
}

enum err bedrock_body_write(const struct model_request *req, const struct body_options *o,
                            struct buf *out, struct error *e)
{
	static const struct str ours[] = {
		STR("messages"),     STR("system"),          STR("toolConfig"),
		STR("outputConfig"), STR("inferenceConfig"), STR("additionalModelRequestFields")
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct writing t = { .mem = mem,
		             .req = req,
		             .o = o,
		             .mark_at = SIZE_MAX,
		             .is_claude = str_find(req->model, STR("anthropic.")) >= 0,
		             .is_nova = str_find(req->model, STR("amazon.nova")) >= 0 };
	enum err err = body_check(req, o, e);

	if (err)
		return err;
	t.count = body_messages(mem, req, &t.messages);
	for (size_t i = 0; i < t.count; i++)
		if (t.messages[i].role == ROLE_TOOL ||
		    (t.messages[i].role == ROLE_USER && body_is_worth_sending(&t.messages[i])))
			t.mark_at = i;
	jw_init(&t.w, out);
	jw_obj(&t.w);
	write_system(&t);
	write_messages(&t);
	write_tool_config(&t);
	write_limits(&t);
	write_additional(&t);
	write_format(&t);
	body_write_extra(&t.w, o->extra_body, ours, COUNT_OF(ours));
	jw_obj_end(&t.w);
	return OK;
}
