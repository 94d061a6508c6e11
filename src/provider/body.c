/*
 * Parts of request bodies that all dialects share: schemas, tools, messages and
 * the extra members that settings add.
 */
#include "provider/body.h"

#include "base/hash/sha256.h"

#include "base/jw.h"
#include "provider/body_tools.h"

bool body_is_object(struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v;

	return json_read(mem, text, &v, NULL) == OK && json_type(v) == JSON_OBJ;
}

bool body_is_blank(struct str text)
{
	return !str_trim(text).len;
}

bool body_is_worth_sending(const struct message *m)
{
	return m->role == ROLE_TOOL || m->call_count || m->image_count || !body_is_blank(m->text);
}

/* ---- schemas ---- */

/*
 * Schemas come from tools and users and are written into the body as text, so each must
 * be JSON.  A list that was checked for the last request is not checked again.
 */
enum err body_check(const struct model_request *req, const struct body_options *o, struct error *e)
{
	bool is_known = body_tools_is_known(o, req);

	for (size_t i = 0; !is_known && i < req->tool_count; i++)
		if (req->tools[i].input_schema.len && !body_is_object(req->tools[i].input_schema))
			return fail(e, ERR_INVALID,
			            "the schema of the tool %.*s is not a JSON object",
			            STR_ARG(req->tools[i].name));
	if (req->output_schema.len && !body_is_object(req->output_schema))
		return fail(e, ERR_INVALID, "the schema of the answer is not a JSON object");
	return OK;
}

struct str body_tool_schema(const struct tool_spec *t)
{
	return t->input_schema.len ? t->input_schema
	                           : STR("{\"type\":\"object\",\"properties\":{}}");
}

static bool fits_strict(struct json schema);

static bool all_fit_strict(struct json schemas)
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
 * Keywords that OpenAI's strict mode refuses.  A schema with one of them is sent
 * without strict mode.
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
		    !requires_all(schema) || !all_fit_strict(JSON_GET(schema, "properties")))
			return false;
	if (json_is(JSON_GET(schema, "items")) && !fits_strict(JSON_GET(schema, "items")))
		return false;
	return all_fit_strict(JSON_GET(schema, "anyOf")) &&
	       all_fit_strict(JSON_GET(schema, "$defs"));
}

bool body_is_strict(struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json schema;

	return json_read(mem, text, &schema, NULL) == OK &&
	       str_eq(json_str(JSON_GET(schema, "type")), STR("object")) && fits_strict(schema);
}

/* ---- messages ---- */

/* The conversation in the order that servers require, see body_messages(). */
struct gathering {
	const struct model_request *req;
	struct message *out;
	size_t count;
	bool *is_taken;
};

/*
 * One result per call of the message `asked`, searched up to the next response.  A call
 * without a result was interrupted, by a crash or a cancellation; it gets one that says
 * so.
 */
static void add_results(struct gathering *g, size_t asked, size_t until)
{
	const struct message *m = &g->req->messages[asked];

	for (size_t n = 0; n < m->call_count; n++) {
		struct message *r = &g->out[g->count++];

		*r = (struct message){ .role = ROLE_TOOL,
			               .text = STR("No result: the call was interrupted."),
			               .turn_id = m->turn_id,
			               .call_id = m->calls[n].call_id,
			               .tool_name = m->calls[n].name,
			               .is_error = true };
		for (size_t i = asked + 1; i < until; i++) {
			const struct message *given = &g->req->messages[i];

			if (given->role != ROLE_TOOL || g->is_taken[i] ||
			    !str_eq(given->call_id, r->call_id))
				continue;
			*r = *given;
			r->tool_name = m->calls[n].name;
			g->is_taken[i] = true;
			break;
		}
	}
}

/*
 * Results of a turn may be recorded in another order than the calls, with messages of
 * the user between them.  Servers refuse that.
 */
size_t body_messages(struct arena *mem, const struct model_request *req, const struct message **ret)
{
	struct gathering g = { .req = req };
	size_t calls = 0;

	for (size_t i = 0; i < req->message_count; i++)
		calls += req->messages[i].call_count;
	g.out = ARENA_ARRAY(mem, struct message, req->message_count + calls + 1);
	g.is_taken = ARENA_ARRAY(mem, bool, req->message_count + 1);
	for (size_t i = 0; i < req->message_count; i++) {
		const struct message *m = &req->messages[i];
		size_t until = i + 1;

		if (m->role == ROLE_TOOL)
			continue; /* already placed after its call, or without a call */
		g.out[g.count++] = *m;
		while (until < req->message_count && req->messages[until].role != ROLE_ASSISTANT)
			until++;
		add_results(&g, i, until);
	}
	*ret = g.out;
	return g.count;
}

/* The images of the results from..until in one message. */
static struct message shown_apart(struct arena *mem, const struct message *from, size_t count)
{
	struct message m = { .role = ROLE_USER, .text = STR("What the tools show:") };
	size_t all = 0;

	for (size_t i = 0; i < count; i++)
		all += from[i].image_count;
	struct message_image *images = ARENA_ARRAY(mem, struct message_image, all + 1);

	for (size_t i = 0; i < count; i++)
		for (size_t n = 0; n < from[i].image_count; n++)
			images[m.image_count++] = from[i].images[n];
	m.images = images;
	return m;
}

/*
 * Each group of results is followed by at most one message with all its images: a
 * message between two results would be refused.
 */
size_t body_messages_apart(struct arena *mem, const struct model_request *req,
                           const struct message **ret)
{
	const struct message *all;
	size_t count = body_messages(mem, req, &all), given = 0, first = 0;
	struct message *out = ARENA_ARRAY(mem, struct message, 2 * count + 1);

	for (size_t i = 0; i < count; i++) {
		bool is_last = i + 1 == count || all[i + 1].role != ROLE_TOOL;

		out[given] = all[i];
		if (all[i].role == ROLE_TOOL)
			out[given].image_count = 0;
		else
			first = i + 1;
		given++;
		if (all[i].role != ROLE_TOOL || !is_last)
			continue;
		out[given] = shown_apart(mem, all + first, i + 1 - first);
		given += out[given].image_count > 0;
	}
	*ret = out;
	return given;
}

/* ---- what the settings add ---- */

/* Unparsable text was refused with the settings; members that the dialect writes itself win. */
void body_write_extra(struct json_writer *w, struct str extra, const struct str *ours, size_t count)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json doc, value;
	struct str key;

	if (!extra.len || json_read(mem, extra, &doc, NULL))
		return;

	struct json_iter it = json_iter(doc);

	while (json_next(&it, &key, &value)) {
		bool is_ours = !str_is(key);

		for (size_t i = 0; i < count; i++)
			is_ours |= str_eq(ours[i], key);
		if (is_ours)
			continue;
		jw_key(w, key);
		jw_value(w, value);
	}
}

struct json body_extra(struct arena *mem, const struct body_options *o, struct str key)
{
	struct json doc;

	if (!o->extra_body.len || json_read(mem, o->extra_body, &doc, NULL))
		return (struct json){ NULL };
	return json_get(doc, key);
}

/* ---- what the model said ---- */

static size_t plain_parts(struct arena *mem, const struct message *m, struct body_part **ret)
{
	struct body_part *out = ARENA_ARRAY(mem, struct body_part, m->call_count + 1);
	size_t count = 0;

	if (m->text.len)
		out[count++] = (struct body_part){ .kind = SAID_TEXT, .text = m->text };
	for (size_t i = 0; i < m->call_count; i++)
		out[count++] = (struct body_part){ .kind = SAID_CALL, .call = &m->calls[i] };
	*ret = out;
	return count;
}

static const struct model_call *call_of(const struct message *m, struct str id)
{
	for (size_t i = 0; i < m->call_count; i++)
		if (str_eq(m->calls[i].call_id, id))
			return &m->calls[i];
	return NULL;
}

/* Returns false if it does not match the message. */
static bool read_part(const struct message *m, struct json v, size_t *text_at,
                      struct body_part *ret)
{
	struct json text = JSON_GET(v, "text"), thought = JSON_GET(v, "thought");
	int64_t bytes = json_int(text, -1);

	*ret = (struct body_part){ .opaque = JSON_GET(v, "opaque"),
		                   .signature = json_str(JSON_GET(v, "signature")) };
	if (json_is(text)) {
		if (bytes < 0 || (uint64_t)bytes > m->text.len - *text_at)
			return false;
		ret->kind = SAID_TEXT;
		ret->text = str_head(str_skip(m->text, *text_at), (size_t)bytes);
		*text_at += (size_t)bytes;
		return true;
	}
	if (json_is(thought)) {
		ret->kind = SAID_THOUGHT;
		ret->text = json_str(thought);
		return true;
	}
	if (json_is(ret->opaque)) {
		ret->kind = SAID_OPAQUE;
		return true;
	}
	ret->kind = SAID_CALL;
	ret->call = call_of(m, json_str(JSON_GET(v, "call")));
	return ret->call != NULL;
}

/*
 * The stored state counts only if it is of the same dialect and model, covers the whole
 * text and names every call: the conversation may have been edited or moved to another
 * model since.  Otherwise plain parts are sent, without signatures.
 */
size_t body_parts(struct arena *mem, const struct dialect *d, const struct model_request *req,
                  const struct message *m, struct body_part **ret)
{
	struct json doc, v;
	struct str key;
	size_t count = 0, calls = 0, text_at = 0;

	if (!m->state.len || json_read_trusted(mem, m->state, &doc, NULL) != OK ||
	    !str_eq(json_str(JSON_GET(doc, "dialect")), d->word) ||
	    !str_eq(json_str(JSON_GET(doc, "model")), req->model))
		return plain_parts(mem, m, ret);

	struct json parts = JSON_GET(doc, "parts");
	struct json_iter it = json_iter(parts);
	struct body_part *out = ARENA_ARRAY(mem, struct body_part, json_count(parts) + 1);

	while (json_next(&it, &key, &v)) {
		if (!read_part(m, v, &text_at, &out[count]))
			return plain_parts(mem, m, ret);
		calls += out[count++].kind == SAID_CALL;
	}
	if (text_at != m->text.len || calls != m->call_count)
		return plain_parts(mem, m, ret);
	*ret = out;
	return count;
}

/*
 * Thinking must be the first block of the response that called the tools.  Without its signature it
 * is not sent.
 */
static bool begins_with_thought(struct arena *mem, const struct dialect *d,
                                const struct model_request *req, const struct message *m)
{
	struct body_part *parts;
	size_t count = body_parts(mem, d, req, m, &parts);

	return count && ((parts[0].kind == SAID_THOUGHT && parts[0].signature.len) ||
	                 parts[0].kind == SAID_OPAQUE);
}

bool body_lost_thought(struct arena *mem, const struct dialect *d, const struct model_request *req,
                       const struct message *messages, size_t count)
{
	size_t i = count;

	/* A turn that was stopped during its calls is followed by words of the user. */
	while (i > 0 && messages[i - 1].role != ROLE_ASSISTANT)
		i--;
	return i > 0 && messages[i - 1].call_count &&
	       !begins_with_thought(mem, d, req, &messages[i - 1]);
}

#define HASH_DIGITS 16

struct str body_safe_id(struct arena *mem, struct str id, size_t max)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str kept = id.len > max ? str_head(id, max - HASH_DIGITS) : id;

	for (size_t i = 0; i < kept.len; i++) {
		char c = kept.ptr[i];
		bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		               (c >= '0' && c <= '9') || c == '_' || c == '-';

		buf_add_char(&out, is_word ? c : '_');
	}
	if (kept.len < id.len) {
		struct sha256 h = sha256_of(id);

		buf_add_str(&out, str_head(sha256_hex(mem, &h), HASH_DIGITS));
	}
	return arena_keep(mem, buf_str(&out));
}
