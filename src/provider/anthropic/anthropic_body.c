/* Writes the body of a Messages request. */
#include "provider/anthropic/anthropic.h"
#include "base/jw.h"
#include "provider/body.h"
#include "provider/body_tools.h"

#define TOKENS_WHEN_NOT_SAID 8192 /* a limit is required; every model accepts this */
#define ID_MAX 256                /* bytes of the id of a call; any that a server gave fits */
#define EPHEMERAL "{\"type\":\"ephemeral\"}"

struct str anthropic_body_path(struct arena *mem, const struct model_request *req)
{
	(void)mem, (void)req;
	return STR("/messages");
}

struct writing {
	struct arena *mem;
	struct json_writer w;
	const struct model_request *req;
	const struct body_options *o;
	const struct message *messages; /* as body_messages() returns them */
	size_t count;
	size_t mark_at; /* the message whose last block gets the cache mark */
};

/*
 * The server caches everything up to a marked block.  Four marks are allowed; three are
 * used: after the tools, the system text and the last message of the user.
 */
static void write_mark(struct json_writer *w, const struct body_options *o, bool is_here)
{
	if (!is_here || o->lacks_cache_marks)
		return;
	JW_KEY(w, "cache_control");
	jw_raw(w, STR(EPHEMERAL));
}

/* ---- blocks ---- */

static void write_text(struct writing *t, struct str text, bool is_marked)
{
	jw_obj(&t->w);
	JW_KSTR(&t->w, "type", STR("text"));
	JW_KSTR(&t->w, "text", text);
	write_mark(&t->w, t->o, is_marked);
	jw_obj_end(&t->w);
}

static void write_call(struct writing *t, const struct model_call *c)
{
	jw_obj(&t->w);
	JW_KSTR(&t->w, "type", STR("tool_use"));
	JW_KSTR(&t->w, "id", body_safe_id(t->mem, c->call_id, ID_MAX));
	JW_KSTR(&t->w, "name", c->name);
	JW_KEY(&t->w, "input");
	/* Invalid arguments are replaced; the result already reports them to the model. */
	jw_raw(&t->w, body_is_object(c->args) ? c->args : STR("{}"));
	jw_obj_end(&t->w);
}

static void write_thought(struct writing *t, const struct body_part *p)
{
	jw_obj(&t->w);
	JW_KSTR(&t->w, "type", STR("thinking"));
	JW_KSTR(&t->w, "thinking", p->text);
	JW_KSTR(&t->w, "signature", p->signature);
	jw_obj_end(&t->w);
}

static void write_image(struct writing *t, const struct message_image *i)
{
	jw_obj(&t->w);
	JW_KSTR(&t->w, "type", STR("image"));
	JW_KEY(&t->w, "source");
	jw_obj(&t->w);
	JW_KSTR(&t->w, "type", i->url.len ? STR("url") : STR("base64"));
	if (i->url.len) {
		JW_KSTR(&t->w, "url", i->url);
	} else {
		JW_KSTR(&t->w, "media_type", i->media_type);
		JW_KSTR(&t->w, "data", i->base64);
	}
	jw_obj_end(&t->w);
	jw_obj_end(&t->w);
}

/* The mark is a member of the result block itself, not of the text inside it. */
static void write_result(struct writing *t, const struct message *m, bool is_marked)
{
	jw_obj(&t->w);
	JW_KSTR(&t->w, "type", STR("tool_result"));
	JW_KSTR(&t->w, "tool_use_id", body_safe_id(t->mem, m->call_id, ID_MAX));
	if (m->image_count) {
		JW_KEY(&t->w, "content");
		jw_arr(&t->w);
		if (!body_is_blank(m->text))
			write_text(t, m->text, false);
		for (size_t i = 0; i < m->image_count; i++)
			write_image(t, &m->images[i]);
		jw_arr_end(&t->w);
	} else if (m->text.len) {
		JW_KSTR(&t->w, "content", m->text);
	}
	if (m->is_error)
		JW_KBOOL(&t->w, "is_error", true);
	write_mark(&t->w, t->o, is_marked);
	jw_obj_end(&t->w);
}

/* ---- messages ---- */

/* A thought without its signature would be refused, so it is left out. */
static void write_said(struct writing *t, const struct message *m)
{
	struct body_part *parts;
	size_t count = body_parts(t->mem, &anthropic_event_dialect, t->req, m, &parts);

	for (size_t i = 0; i < count; i++) {
		if (parts[i].kind == SAID_CALL)
			write_call(t, parts[i].call);
		else if (parts[i].kind == SAID_THOUGHT && parts[i].signature.len)
			write_thought(t, &parts[i]);
		else if (parts[i].kind == SAID_OPAQUE)
			jw_value(&t->w, parts[i].opaque);
		else if (parts[i].kind == SAID_TEXT && !body_is_blank(parts[i].text))
			write_text(t, parts[i].text, false);
	}
}

static void write_blocks(struct writing *t, size_t i)
{
	const struct message *m = &t->messages[i];
	bool is_marked = i == t->mark_at;

	if (m->role == ROLE_ASSISTANT) {
		write_said(t, m);
		return;
	}
	if (m->role == ROLE_TOOL) {
		write_result(t, m, is_marked);
		return;
	}
	for (size_t n = 0; n < m->image_count; n++)
		write_image(t, &m->images[n]);
	if (!body_is_blank(m->text))
		write_text(t, m->text, is_marked);
}

/* Results and the user's text are one message; results must come first, directly after the calls. */
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
			if (is_open) {
				jw_arr_end(&t->w);
				jw_obj_end(&t->w);
			}
			jw_obj(&t->w);
			JW_KSTR(&t->w, "role", by_user ? STR("user") : STR("assistant"));
			JW_KEY(&t->w, "content");
			jw_arr(&t->w);
			is_open = true;
			is_user = by_user;
		}
		write_blocks(t, i);
	}
	if (is_open) {
		jw_arr_end(&t->w);
		jw_obj_end(&t->w);
	}
	jw_arr_end(&t->w);
}

/* System text is not a message in this API.  The last block carries the cache mark. */
static void write_system(struct writing *t)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < t->count; i++)
		if (t->messages[i].role == ROLE_SYSTEM && !body_is_blank(t->messages[i].text))
			last = i;
	if (last == SIZE_MAX)
		return;
	JW_KEY(&t->w, "system");
	jw_arr(&t->w);
	for (size_t i = 0; i <= last; i++)
		if (t->messages[i].role == ROLE_SYSTEM && !body_is_blank(t->messages[i].text))
			write_text(t, t->messages[i].text, i == last);
	jw_arr_end(&t->w);
}

/* ---- the rest ---- */

static void write_tools(struct json_writer *w, const struct model_request *req,
                        const struct body_options *o)
{
	jw_arr(w);
	for (size_t i = 0; i < req->tool_count; i++) {
		const struct tool_spec *tool = &req->tools[i];

		jw_obj(w);
		JW_KSTR(w, "name", tool->name);
		JW_KOPT(w, "description", tool->description);
		JW_KEY(w, "input_schema");
		jw_raw(w, body_tool_schema(tool));
		write_mark(w, o, i + 1 == req->tool_count);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static bool has_effort_word(const struct body_options *o)
{
	return o->effort.len && !o->effort_tokens;
}

/* The settings may add the effort to our schema; that of the request counts before it. */
static void write_output(struct writing *t)
{
	struct json extra = body_extra(t->mem, t->o, STR("output_config")), value;
	struct json_iter it = json_iter(extra);
	bool has_schema = t->req->output_schema.len && !t->o->lacks_json_schema;
	struct str key;

	if (!has_schema && !json_is(extra) && !has_effort_word(t->o))
		return;
	JW_KEY(&t->w, "output_config");
	jw_obj(&t->w);
	if (has_effort_word(t->o))
		JW_KSTR(&t->w, "effort", t->o->effort);
	while (json_type(extra) == JSON_OBJ && json_next(&it, &key, &value)) {
		if ((has_schema && str_eq(key, STR("format"))) ||
		    (has_effort_word(t->o) && str_eq(key, STR("effort"))))
			continue;
		jw_key(&t->w, key);
		jw_value(&t->w, value);
	}
	if (has_schema) {
		JW_KEY(&t->w, "format");
		jw_obj(&t->w);
		JW_KSTR(&t->w, "type", STR("json_schema"));
		JW_KEY(&t->w, "schema");
		jw_raw(&t->w, t->req->output_schema);
		jw_obj_end(&t->w);
	}
	jw_obj_end(&t->w);
}

/*
 * While tool calls are open, the server expects the thinking blocks that led to
 * them.  If those are lost, the request must disable thinking.
 */
static bool must_stop_thinking(struct writing *t)
{
	struct json thinking = body_extra(t->mem, t->o, STR("thinking"));

	if (!t->o->effort_tokens && !str_eq(json_str(JSON_GET(thinking, "type")), STR("enabled")))
		return false;
	return body_lost_thought(t->mem, &anthropic_event_dialect, t->req, t->messages, t->count);
}

/* Newer models decide themselves how long they think; older ones are given a number of tokens. */
static void write_thinking(struct writing *t, int64_t max_tokens)
{
	if (!t->o->effort.len)
		return;
	JW_KEY(&t->w, "thinking");
	jw_obj(&t->w);
	if (has_effort_word(t->o)) {
		JW_KSTR(&t->w, "type", STR("adaptive"));
		JW_KSTR(&t->w, "display", STR("summarized"));
	} else {
		JW_KSTR(&t->w, "type", STR("enabled"));
		JW_KINT(&t->w, "budget_tokens", MIN(t->o->effort_tokens, max_tokens / 2));
	}
	jw_obj_end(&t->w);
}

/*
 * mark_at is the last message that can carry the mark: with every request the cached
 * prefix grows by one turn.
 */
enum err anthropic_body_write(const struct model_request *req, const struct body_options *o,
                              struct buf *out, struct error *e)
{
	static const struct str ours[] = { STR("model"),         STR("messages"), STR("system"),
		                           STR("max_tokens"),    STR("stream"),   STR("tools"),
		                           STR("output_config"), STR("thinking") };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct writing t = { .mem = mem, .req = req, .o = o, .mark_at = SIZE_MAX };
	int64_t max_tokens =
		req->max_output_tokens > 0 ? req->max_output_tokens : TOKENS_WHEN_NOT_SAID;
	enum err err = body_check(req, o, e);
	bool is_stopped;

	if (err)
		return err;
	t.count = body_messages(mem, req, &t.messages);
	for (size_t i = 0; i < t.count; i++)
		if (t.messages[i].role == ROLE_TOOL ||
		    (t.messages[i].role == ROLE_USER && !body_is_blank(t.messages[i].text)))
			t.mark_at = i;
	jw_init(&t.w, out);
	jw_obj(&t.w);
	if (o->anthropic_version.len)
		JW_KSTR(&t.w, "anthropic_version", o->anthropic_version);
	else
		JW_KSTR(&t.w, "model", req->model);
	JW_KINT(&t.w, "max_tokens", max_tokens);
	JW_KBOOL(&t.w, "stream", true);
	body_tools_write(&t.w, req, o, write_tools);
	write_system(&t);
	write_messages(&t);
	write_output(&t);
	is_stopped = must_stop_thinking(&t);
	if (!is_stopped)
		write_thinking(&t, max_tokens);
	/*
	 * The last name, `thinking`, comes from the settings unless thinking must be disabled or
	 * the request says its own.
	 */
	body_write_extra(&t.w, o->extra_body, ours,
	                 COUNT_OF(ours) - !(is_stopped || o->effort.len));
	jw_obj_end(&t.w);
	return OK;
}
