/* Reads a RunAgentInput. */
#include "agui/agui_input.h"

#include "base/jw.h"

#define ID_MAX 256
/* Words of the protocol. */
#define RESUME_RESOLVED STR("resolved")
#define RESUME_CANCELLED STR("cancelled")
#define CONTEXT_BYTES 60000 /* of one item of context; a longer text is divided */

struct reading {
	struct arena *mem;
	struct agui_input *out;
	struct json *messages;
	size_t count, from; /* from: the first message behind the last answer */
};

static bool refuse(struct reading *r, const char *param, const char *why)
{
	r->out->param = str_from(param);
	r->out->wrong = str_from(why);
	return false;
}

static struct str text_at(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

static bool is_role(struct json message, const char *role)
{
	struct str word = text_at(message, "role");

	return str_is(word) && str_eq(word, str_from(role));
}

static bool is_id(struct str id)
{
	return str_is(id) && id.len && id.len <= ID_MAX;
}

/* ---- texts ---- */

static struct str plain_text(struct arena *mem, struct json content)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(content);
	struct json part;
	struct str key;

	if (json_type(content) == JSON_STR)
		return json_str(content);
	if (json_type(content) != JSON_ARR)
		return STR("");
	while (json_next(&it, &key, &part))
		if (str_is(text_at(part, "text")))
			buf_add_str(&out, text_at(part, "text"));
	return arena_keep(mem, buf_str(&out));
}

/* Bytes of an image are taken; addresses are not read for a front end. */
static bool write_part(struct reading *r, struct json_writer *w, struct json part)
{
	struct str type = text_at(part, "type");
	struct json source = JSON_GET(part, "source");

	if (!str_is(type))
		return refuse(r, "messages", "a part has a type");
	jw_obj(w);
	if (str_eq(type, STR("text"))) {
		JW_KSTR(w, "type", STR("text"));
		JW_KSTR(w, "text", text_at(part, "text"));
	} else if (str_eq(type, STR("image")) && str_is(text_at(source, "value")) &&
	           str_eq(text_at(source, "type"), STR("data"))) {
		JW_KSTR(w, "type", STR("image"));
		JW_KSTR(w, "mediaType", text_at(source, "mimeType"));
		JW_KSTR(w, "data", text_at(source, "value"));
	} else {
		return refuse(r, "messages", "parts are texts and images with their data");
	}
	jw_obj_end(w);
	return true;
}

static bool write_content(struct reading *r, struct json_writer *w, struct json content)
{
	struct json_iter it = json_iter(content);
	struct json part;
	struct str key;

	if (json_type(content) == JSON_STR) {
		jw_obj(w);
		JW_KSTR(w, "type", STR("text"));
		JW_KSTR(w, "text", json_str(content));
		jw_obj_end(w);
		return true;
	}
	if (json_type(content) != JSON_ARR || !json_count(content))
		return refuse(r, "messages", "content is a text or a list of parts, not empty");
	while (json_next(&it, &key, &part))
		if (!write_part(r, w, part))
			return false;
	return true;
}

/* ---- what is given ---- */

static struct str json_string(struct arena *mem, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_str(&w, text);
	return arena_keep(mem, buf_str(&out));
}

static bool take_result(struct reading *r, struct json message)
{
	struct str id = text_at(message, "toolCallId"), error = text_at(message, "error");
	bool is_error = str_is(error) && error.len;

	if (!is_id(id))
		return refuse(r, "messages", "a result names its toolCallId");
	r->out->given[r->out->given_count++] = (struct agui_given){
		.id = id,
		.is_error = is_error,
		.payload = json_string(r->mem,
		                       is_error ? error
		                                : plain_text(r->mem, JSON_GET(message, "content"))),
	};
	return true;
}

static bool take_answer(struct reading *r, struct json entry)
{
	struct str id = text_at(entry, "interruptId"), status = text_at(entry, "status");
	struct json payload = JSON_GET(entry, "payload");

	if (!is_id(id) || !str_is(status) ||
	    (!str_eq(status, RESUME_RESOLVED) && !str_eq(status, RESUME_CANCELLED)))
		return refuse(r, "resume", "interruptId, and status resolved or cancelled");
	r->out->given[r->out->given_count++] =
		(struct agui_given){ .is_answer = true,
		                     .is_cancelled = str_eq(status, RESUME_CANCELLED),
		                     .id = id,
		                     .payload = json_is(payload) ? json_text(r->mem, payload)
		                                                 : STR_NONE };
	return true;
}

static bool take_given(struct reading *r, struct json body)
{
	struct json resume = JSON_GET(body, "resume"), entry;
	struct json_iter it = json_iter(resume);
	struct str key;

	r->out->given = ARENA_ARRAY(r->mem, struct agui_given, r->count + json_count(resume) + 1);
	while (json_type(resume) == JSON_ARR && json_next(&it, &key, &entry))
		if (!take_answer(r, entry))
			return false;
	if (r->out->given_count)
		return true;
	for (size_t i = r->from; i < r->count; i++) {
		struct json message = r->messages[i];

		if (is_role(message, "tool") && !take_result(r, message))
			return false;
	}
	return true;
}

/* ---- the turn ---- */

static void add_line(struct buf *out, struct str who, struct str text)
{
	if (!text.len)
		return;
	buf_add_str(out, who);
	buf_add_str(out, STR(": "));
	buf_add_str(out, text);
	buf_add_char(out, '\n');
}

/* A body has at most a megabyte, so its parts fit into the items that a turn may have. */
static void write_context(struct json_writer *w, const char *kind, const char *ref, struct str text)
{
	while (text.len) {
		size_t len = MIN(text.len, (size_t)CONTEXT_BYTES);

		while (len < text.len && len > 1 && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
			len--;
		jw_obj(w);
		JW_KSTR(w, "kind", str_from(kind));
		JW_KSTR(w, "ref", str_from(ref));
		JW_KSTR(w, "text", str_head(text, len));
		jw_obj_end(w);
		text = str_skip(text, len);
	}
}

/* Instructions and context of the front end; for a new session also the earlier conversation. */
static struct str contexts(struct reading *r, struct json body, bool is_fresh)
{
	CLEANUP(buf_done) struct buf told = { 0 }, around = { 0 }, earlier = { 0 }, out = { 0 };
	struct json_iter it = json_iter(JSON_GET(body, "context"));
	struct json_writer w;
	struct json entry;
	struct str key;

	while (json_next(&it, &key, &entry))
		add_line(&around, text_at(entry, "description"), text_at(entry, "value"));
	for (size_t i = 0; i < r->count; i++) {
		struct json message = r->messages[i];
		struct str text = plain_text(r->mem, JSON_GET(message, "content"));

		if (is_role(message, "system") || is_role(message, "developer"))
			add_line(&told, STR("instruction"), text);
		else if (i < r->from && (is_role(message, "user") || is_role(message, "assistant")))
			add_line(&earlier, text_at(message, "role"), text);
	}
	jw_init(&w, &out);
	jw_arr(&w);
	write_context(&w, "instruction", "caller:instructions", buf_str(&told));
	write_context(&w, "knowledge", "caller:context", buf_str(&around));
	if (is_fresh)
		write_context(&w, "memory", "caller:earlier-messages", buf_str(&earlier));
	jw_arr_end(&w);
	return arena_keep(r->mem, buf_str(&out));
}

static bool read_tools(struct reading *r, struct json body)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(JSON_GET(body, "tools"));
	struct json_writer w;
	struct json tool;
	struct str key;

	jw_init(&w, &out);
	jw_arr(&w);
	while (json_next(&it, &key, &tool)) {
		struct json schema = JSON_GET(tool, "parameters");

		if (!str_is(text_at(tool, "name")))
			return refuse(r, "tools", "a tool has a name");
		jw_obj(&w);
		JW_KSTR(&w, "name", text_at(tool, "name"));
		JW_KOPT(&w, "description", text_at(tool, "description"));
		if (json_type(schema) == JSON_OBJ && json_count(schema)) {
			JW_KEY(&w, "inputSchema");
			jw_value(&w, schema);
		}
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	r->out->tools = arena_keep(r->mem, buf_str(&out));
	return true;
}

static bool read_input(struct reading *r)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_arr(&w);
	for (size_t i = r->from; i < r->count; i++)
		if (is_role(r->messages[i], "user") &&
		    !write_content(r, &w, JSON_GET(r->messages[i], "content")))
			return false;
	jw_arr_end(&w);
	r->out->input = arena_keep(r->mem, buf_str(&out));
	return true;
}

struct str agui_input_params(struct arena *mem, const struct agui_input *in, struct str session_id,
                             bool is_fresh)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "create", STR("never"));
	JW_KSTR(&w, "source", STR("ag-ui"));
	JW_KEY(&w, "input");
	jw_raw(&w, in->input);
	JW_KEY(&w, "tools");
	jw_raw(&w, in->tools);
	JW_KEY(&w, "context");
	jw_raw(&w, is_fresh ? in->fresh : in->context);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

static size_t first_new(const struct reading *r)
{
	for (size_t i = r->count; i-- > 0;)
		if (is_role(r->messages[i], "assistant"))
			return i + 1;
	return 0;
}

static bool has_user(const struct reading *r)
{
	for (size_t i = r->from; i < r->count; i++)
		if (is_role(r->messages[i], "user"))
			return true;
	return false;
}

static void list_messages(struct reading *r, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json message;
	struct str key;

	r->messages = ARENA_ARRAY(r->mem, struct json, json_count(list) + 1);
	while (json_next(&it, &key, &message))
		r->messages[r->count++] = message;
}

static bool read_body(struct reading *r, struct json body)
{
	if (json_type(body) != JSON_OBJ)
		return refuse(r, "", "an object is wanted");
	r->out->thread_id = text_at(body, "threadId");
	r->out->run_id = text_at(body, "runId");
	if (!is_id(r->out->thread_id))
		return refuse(r, "threadId", "a text of 1 to 256 bytes");
	if (!is_id(r->out->run_id))
		return refuse(r, "runId", "a text of 1 to 256 bytes");
	if (json_type(JSON_GET(body, "messages")) != JSON_ARR)
		return refuse(r, "messages", "a list of messages");
	list_messages(r, JSON_GET(body, "messages"));
	r->out->state = JSON_GET(body, "state");
	r->from = first_new(r);
	return take_given(r, body);
}

bool agui_input_read(struct arena *mem, struct json body, struct agui_input *ret)
{
	struct reading r = { .mem = mem, .out = ret };

	*ret = (struct agui_input){ 0 };
	if (!read_body(&r, body))
		return false;
	if (ret->given_count)
		return true;
	ret->is_read = !r.count;
	if (ret->is_read)
		return true;
	if (!has_user(&r))
		return refuse(&r, "messages", "the last entry is from the user, or a result");
	ret->context = contexts(&r, body, false);
	ret->fresh = contexts(&r, body, true);
	return read_input(&r) && read_tools(&r, body);
}
