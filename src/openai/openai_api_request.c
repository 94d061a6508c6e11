/* Reads the body of a request of either API. */
#include "openai/openai_api_request.h"

#include "base/gen/words.h"
#include "base/jw.h"
#include "openai/openai_api_id.h"

#define CONTEXT_BYTES 60000 /* of one item of context; a longer text is divided */
#define CONTEXT_ITEMS 32
#define MEMBER_MAX 64         /* bytes of a name in the list of ignored members */
#define IGNORED_MAX 1024      /* of the list */
#define NO_EFFORT STR("none") /* a word of the API */

enum role {
	ROLE_SYSTEM,
	ROLE_USER,
	ROLE_ASSISTANT,
	ROLE_CALL, /* a call that an earlier answer made */
	ROLE_RESULT,
	ROLE_APPROVAL,
	ROLE_NONE, /* nothing that counts here */
};

/* One entry of the conversation, in either API. */
struct said {
	enum role role;
	struct json content; /* text or parts */
	struct str id;       /* of a call or an approval */
	struct json value;   /* the entry itself */
};

struct reading {
	struct arena *mem;
	struct openai_api_request *out;
	struct said *said;
	size_t count;
	struct str instructions; /* of Responses */
};

static bool refuse(struct reading *r, struct str param, const char *why)
{
	r->out->param = param;
	r->out->wrong = str_from(why);
	return false;
}

static struct str place(struct reading *r, const char *list, size_t at, const char *member)
{
	return arena_printf(r->mem, "%s[%zu]%s%s", list, at, member[0] ? "." : "", member);
}

static struct str text_at(struct json v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

static bool is_text(struct json v, const char *name, const char *word)
{
	struct str text = text_at(v, name);

	return str_is(text) && str_eq(text, str_from(word));
}

/* ---- the conversation ---- */

static enum role role_of(struct str word)
{
	if (str_eq(word, STR("user")))
		return ROLE_USER;
	if (str_eq(word, STR("assistant")))
		return ROLE_ASSISTANT;
	if (str_eq(word, STR("system")) || str_eq(word, STR("developer")))
		return ROLE_SYSTEM;
	return ROLE_NONE;
}

static void add(struct reading *r, enum role role, struct json content, struct str id,
                struct json value)
{
	r->said[r->count++] =
		(struct said){ .role = role, .content = content, .id = id, .value = value };
}

static bool read_message(struct reading *r, struct json m, size_t at)
{
	struct str role = text_at(m, "role");
	struct json content = JSON_GET(m, "content"), call;
	struct json_iter it = json_iter(JSON_GET(m, "tool_calls"));
	struct str key;

	if (str_is(role) && str_eq(role, STR("tool"))) {
		add(r, ROLE_RESULT, content, text_at(m, "tool_call_id"), m);
		return true;
	}
	if (!str_is(role) || role_of(role) == ROLE_NONE)
		return refuse(r, place(r, "messages", at, "role"),
		              "system, developer, user, assistant or tool");
	add(r, role_of(role), content, STR_NONE, m);
	while (json_next(&it, &key, &call))
		add(r, ROLE_CALL, (struct json){ 0 }, text_at(call, "id"), call);
	return true;
}

static size_t count_entries(struct json list)
{
	struct json_iter it = json_iter(list);
	size_t count = 1;
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		count += 1 + json_count(JSON_GET(v, "tool_calls"));
	return count;
}

static bool read_messages(struct reading *r, struct json body)
{
	struct json list = JSON_GET(body, "messages"), m;
	struct json_iter it = json_iter(list);
	struct str key;
	size_t at = 0;

	if (json_type(list) != JSON_ARR || !json_count(list))
		return refuse(r, STR("messages"), "a list of messages, not empty");
	r->said = ARENA_ARRAY(r->mem, struct said, count_entries(list));
	while (json_next(&it, &key, &m))
		if (!read_message(r, m, at++))
			return false;
	return true;
}

static bool read_item(struct reading *r, struct json item, size_t at)
{
	struct str type = text_at(item, "type");
	struct str role = text_at(item, "role");

	if (!str_is(type) || str_eq(type, STR("message"))) {
		if (!str_is(role) || role_of(role) == ROLE_NONE)
			return refuse(r, place(r, "input", at, "role"),
			              "system, developer, user or assistant");
		add(r, role_of(role), JSON_GET(item, "content"), STR_NONE, item);
	} else if (str_eq(type, STR("function_call_output"))) {
		add(r, ROLE_RESULT, JSON_GET(item, "output"), text_at(item, "call_id"), item);
	} else if (str_eq(type, STR("function_call"))) {
		add(r, ROLE_CALL, (struct json){ 0 }, text_at(item, "call_id"), item);
	} else if (str_eq(type, STR("mcp_approval_response"))) {
		add(r, ROLE_APPROVAL, (struct json){ 0 }, text_at(item, "approval_request_id"),
		    item);
	} else if (str_eq(type, STR("mcp_approval_request"))) {
		add(r, ROLE_CALL, (struct json){ 0 }, text_at(item, "id"), item);
	} else if (str_eq(type, STR("reasoning")) || str_starts(type, STR("thole:"))) {
		add(r, ROLE_NONE, (struct json){ 0 }, STR_NONE, item);
	} else {
		return refuse(r, place(r, "input", at, "type"),
		              "message, function_call, function_call_output, "
		              "mcp_approval_response or reasoning");
	}
	return true;
}

static bool read_items(struct reading *r, struct json body)
{
	struct json list = JSON_GET(body, "input"), item;
	struct json_iter it = json_iter(list);
	struct str key;
	size_t at = 0;

	r->said = ARENA_ARRAY(r->mem, struct said, json_count(list) + 2);
	if (json_type(list) == JSON_STR) {
		add(r, ROLE_USER, list, STR_NONE, list);
		return true;
	}
	if (json_type(list) != JSON_ARR || !json_count(list))
		return refuse(r, STR("input"), "a text or a list of items, not empty");
	while (json_next(&it, &key, &item))
		if (!read_item(r, item, at++))
			return false;
	return true;
}

/* ---- texts and images ---- */

/* All text parts of an entry, with line breaks between. */
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
	while (json_next(&it, &key, &part)) {
		struct str text = text_at(part, "text");

		if (!str_is(text))
			text = text_at(part, "refusal");
		if (!str_is(text))
			continue;
		if (out.len)
			buf_add_char(&out, '\n');
		buf_add_str(&out, text);
	}
	return arena_keep(mem, buf_str(&out));
}

/* A data URL; other addresses are not fetched for a client. */
static bool write_image(struct reading *r, struct json_writer *w, struct str url)
{
	struct str rest = url, type;

	if (!str_is(url) || !str_starts(url, STR("data:")))
		return refuse(r, STR("image_url"),
		              "a data: URL with base64; addresses are not read");
	rest = str_skip(rest, 5);
	type = str_cut(&rest, ';');
	if (!str_is(rest) || !str_starts(rest, STR("base64,")))
		return refuse(r, STR("image_url"), "a data: URL with base64");
	jw_obj(w);
	JW_KSTR(w, "type", STR("image"));
	JW_KSTR(w, "mediaType", type);
	JW_KSTR(w, "data", str_skip(rest, 7));
	jw_obj_end(w);
	return true;
}

static bool write_part(struct reading *r, struct json_writer *w, struct json part)
{
	struct str type = text_at(part, "type");
	struct json url = JSON_GET(part, "image_url");

	if (str_is(type) && (str_eq(type, STR("text")) || str_eq(type, STR("input_text")))) {
		jw_obj(w);
		JW_KSTR(w, "type", STR("text"));
		JW_KSTR(w, "text", text_at(part, "text"));
		jw_obj_end(w);
		return true;
	}
	if (str_is(type) && (str_eq(type, STR("image_url")) || str_eq(type, STR("input_image"))))
		return write_image(
			r, w, json_type(url) == JSON_STR ? json_str(url) : text_at(url, "url"));
	return refuse(r, STR("content"), "parts are texts and images");
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
		return refuse(r, STR("content"), "a text or a list of parts, not empty");
	while (json_next(&it, &key, &part))
		if (!write_part(r, w, part))
			return false;
	return true;
}

/* ---- results and approvals ---- */

static bool take_result(struct reading *r, const struct said *s)
{
	struct openai_api_given *g = &r->out->given[r->out->given_count];
	struct openai_api_id id;

	if (!openai_api_id_read(s->id, OPENAI_API_ID_CALL, &id) || str_is(id.rest))
		return refuse(r, STR("tool_call_id"), "no call of this runtime has this id");
	*g = (struct openai_api_given){ .session_id = id.session_id, .object_id = id.object_id };
	if (json_type(s->content) == JSON_ARR) {
		CLEANUP(buf_done) struct buf out = { 0 };
		struct json_writer w;

		jw_init(&w, &out);
		jw_str(&w, plain_text(r->mem, s->content));
		g->output = arena_keep(r->mem, buf_str(&out));
	} else {
		g->output = json_is(s->content) ? json_text(r->mem, s->content) : STR("\"\"");
	}
	r->out->given_count++;
	return true;
}

static bool take_approval(struct reading *r, const struct said *s)
{
	struct openai_api_given *g = &r->out->given[r->out->given_count];
	struct json approve = JSON_GET(s->value, "approve");
	struct openai_api_id id;

	if (!openai_api_id_read(s->id, OPENAI_API_ID_APPROVAL, &id) || !str_is(id.rest))
		return refuse(r, STR("approval_request_id"),
		              "no approval of this runtime has this id");
	if (json_type(approve) != JSON_BOOL)
		return refuse(r, STR("approve"), "true or false");
	*g = (struct openai_api_given){ .is_approval = true,
		                        .is_approved = json_bool(approve, false),
		                        .session_id = id.session_id,
		                        .object_id = id.object_id,
		                        .turn_id = id.rest,
		                        .reason = text_at(s->value, "reason") };
	r->out->given_count++;
	return true;
}

/* Entries behind the last answer are new; what is before it was said earlier. */
static size_t first_new(const struct reading *r)
{
	for (size_t i = r->count; i-- > 0;)
		if (r->said[i].role == ROLE_ASSISTANT || r->said[i].role == ROLE_CALL)
			return i + 1;
	return 0;
}

static bool take_given(struct reading *r, size_t from)
{
	r->out->given = ARENA_ARRAY(r->mem, struct openai_api_given, r->count + 1);
	for (size_t i = from; i < r->count; i++) {
		const struct said *s = &r->said[i];

		if (s->role == ROLE_RESULT && !take_result(r, s))
			return false;
		if (s->role == ROLE_APPROVAL && !take_approval(r, s))
			return false;
	}
	for (size_t i = 1; i < r->out->given_count; i++)
		if (!str_eq(r->out->given[i].session_id, r->out->given[0].session_id))
			return refuse(r, STR("input"), "the results belong to several sessions");
	return true;
}

/* The session of a call that an earlier answer made; absent: none is ours. */
static struct str known_session(const struct reading *r)
{
	struct openai_api_id id;

	for (size_t i = r->count; i-- > 0;)
		if (r->said[i].role == ROLE_CALL &&
		    (openai_api_id_read(r->said[i].id, OPENAI_API_ID_CALL, &id) ||
		     openai_api_id_read(r->said[i].id, OPENAI_API_ID_APPROVAL, &id)))
			return id.session_id;
	return STR_NONE;
}

/* ---- the turn ---- */

static void write_context(struct json_writer *w, const char *kind, const char *ref, struct str text,
                          unsigned *items)
{
	while (text.len && *items < CONTEXT_ITEMS) {
		size_t len = MIN(text.len, (size_t)CONTEXT_BYTES);

		while (len < text.len && len > 1 && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
			len--;
		jw_obj(w);
		JW_KSTR(w, "kind", str_from(kind));
		JW_KSTR(w, "ref", str_from(ref));
		JW_KSTR(w, "text", str_head(text, len));
		jw_obj_end(w);
		text = str_skip(text, len);
		++*items;
	}
}

static void add_line(struct buf *out, const char *who, struct str text)
{
	if (!text.len)
		return;
	buf_add_str(out, str_from(who));
	buf_add_str(out, STR(": "));
	buf_add_str(out, text);
	buf_add_char(out, '\n');
}

/* Instructions, and the earlier words of a conversation that the session does not have. */
static void write_contexts(struct reading *r, struct json_writer *w, size_t from)
{
	CLEANUP(buf_done) struct buf told = { 0 }, earlier = { 0 };
	unsigned items = 0;

	if (r->instructions.len)
		buf_add_str(&told, r->instructions);
	for (size_t i = 0; i < r->count; i++) {
		struct str text = plain_text(r->mem, r->said[i].content);

		if (r->said[i].role == ROLE_SYSTEM && text.len) {
			if (told.len)
				buf_add_char(&told, '\n');
			buf_add_str(&told, text);
		} else if (i < from && r->said[i].role == ROLE_USER) {
			add_line(&earlier, "user", text);
		} else if (i < from && r->said[i].role == ROLE_ASSISTANT) {
			add_line(&earlier, "assistant", text);
		} else if (i < from && r->said[i].role == ROLE_RESULT) {
			add_line(&earlier, "tool", text);
		}
	}
	JW_KEY(w, "context");
	jw_arr(w);
	write_context(w, "instruction", "caller:instructions", buf_str(&told), &items);
	if (!str_is(r->out->session_id))
		write_context(w, "memory", "caller:earlier-messages", buf_str(&earlier), &items);
	jw_arr_end(w);
}

static bool write_tool(struct reading *r, struct json_writer *w, struct json tool, size_t at)
{
	struct json f = r->out->api == OPENAI_API_CHAT ? JSON_GET(tool, "function") : tool;
	struct json schema = JSON_GET(f, "parameters");

	if (!is_text(tool, "type", "function") || !str_is(text_at(f, "name")))
		return refuse(r, place(r, "tools", at, ""),
		              "tools of type function; the runtime has its own for the rest");
	jw_obj(w);
	JW_KSTR(w, "name", text_at(f, "name"));
	JW_KOPT(w, "description", text_at(f, "description"));
	if (json_type(schema) == JSON_OBJ) {
		JW_KEY(w, "inputSchema");
		jw_value(w, schema);
	}
	jw_obj_end(w);
	return true;
}

static bool write_tools(struct reading *r, struct json_writer *w, struct json body)
{
	struct json tools = JSON_GET(body, "tools"), choice = JSON_GET(body, "tool_choice"), tool;
	struct json_iter it = json_iter(tools);
	bool is_none = json_type(choice) == JSON_STR && is_text(body, "tool_choice", "none");
	struct str key;
	size_t at = 0;

	if (json_is(choice) && json_type(choice) != JSON_NULL && !is_none &&
	    !is_text(body, "tool_choice", "auto"))
		return refuse(r, STR("tool_choice"), "auto or none");
	if (json_type(tools) != JSON_ARR || is_none)
		return true;
	JW_KEY(w, "tools");
	jw_arr(w);
	while (json_next(&it, &key, &tool))
		if (!write_tool(r, w, tool, at++))
			return false;
	jw_arr_end(w);
	return true;
}

static bool write_format(struct reading *r, struct json_writer *w, struct json body)
{
	bool is_chat = r->out->api == OPENAI_API_CHAT;
	struct json format = is_chat ? JSON_GET(body, "response_format")
	                             : JSON_GET(JSON_GET(body, "text"), "format");
	struct json schema = JSON_GET(is_chat ? JSON_GET(format, "json_schema") : format, "schema");

	if (!json_is(format) || json_type(format) == JSON_NULL || is_text(format, "type", "text"))
		return true;
	if (!is_text(format, "type", "json_schema") || json_type(schema) != JSON_OBJ)
		return refuse(r, is_chat ? STR("response_format") : STR("text.format"),
		              "text, or json_schema with a schema");
	JW_KEY(w, "outputSchema");
	jw_value(w, schema);
	return true;
}

static bool write_effort(struct reading *r, struct json_writer *w, struct json body)
{
	static const char *const words[] = { WORD_EFFORT_MINIMAL, WORD_EFFORT_LOW,
		                             WORD_EFFORT_MEDIUM,  WORD_EFFORT_HIGH,
		                             WORD_EFFORT_XHIGH,   WORD_EFFORT_MAX };
	struct str effort = r->out->api == OPENAI_API_CHAT
	                            ? text_at(body, "reasoning_effort")
	                            : text_at(JSON_GET(body, "reasoning"), "effort");

	if (!str_is(effort) || str_eq(effort, NO_EFFORT))
		return true;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(effort, str_from(words[i]))) {
			JW_KSTR(w, "effort", effort);
			return true;
		}
	return refuse(r, STR("reasoning effort"), "minimal, low, medium, high, xhigh or max");
}

static bool write_input(struct reading *r, struct json_writer *w, size_t from)
{
	JW_KEY(w, "input");
	jw_arr(w);
	for (size_t i = from; i < r->count; i++)
		if (r->said[i].role == ROLE_USER && !write_content(r, w, r->said[i].content))
			return false;
	jw_arr_end(w);
	return true;
}

static bool has_input(const struct reading *r, size_t from)
{
	for (size_t i = from; i < r->count; i++)
		if (r->said[i].role == ROLE_USER)
			return true;
	return false;
}

static bool write_params(struct reading *r, struct json body, size_t from)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str model = text_at(body, "model");
	struct json metadata = JSON_GET(body, "metadata");
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	if (!write_input(r, &w, from))
		return false;
	JW_KSTR(&w, "source",
	        r->out->api == OPENAI_API_CHAT ? STR("openai.chat") : STR("openai.responses"));
	if (str_is(model) && model.len && !str_eq(model, STR("thole")))
		JW_KSTR(&w, "model", model);
	if (json_type(metadata) == JSON_OBJ && json_count(metadata)) {
		JW_KEY(&w, "metadata");
		jw_value(&w, metadata);
	}
	write_contexts(r, &w, from);
	if (!write_tools(r, &w, body) || !write_format(r, &w, body) || !write_effort(r, &w, body))
		return false;
	jw_obj_end(&w);
	r->out->params = arena_keep(r->mem, buf_str(&out));
	return true;
}

/* ---- members of both APIs ---- */

/* Members that are read, by either API. */
static bool is_known(struct str name)
{
	static const char *const known[] = {
		"model",
		"messages",
		"input",
		"stream",
		"tools",
		"tool_choice",
		"metadata",
		"response_format",
		"text",
		"reasoning",
		"instructions",
		"reasoning_effort",
		"background",
		"stream_options",
		"n",
		"previous_response_id",
		"conversation",
	};

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (str_eq(name, str_from(known[i])))
			return true;
	return false;
}

/* Names go into a header, so others than those of the API are left out. */
static bool is_plain(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] != '_' && !(name.ptr[i] >= 'a' && name.ptr[i] <= 'z'))
			return false;
	return name.len > 0 && name.len <= MEMBER_MAX;
}

/* All others have no effect, and the client is shown their names. */
static void note_ignored(struct reading *r, struct json body)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	struct json_iter it = json_iter(body);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		if (is_known(key) || json_type(v) == JSON_NULL || !is_plain(key) ||
		    names.len > IGNORED_MAX)
			continue;
		buf_add_str(&names, names.len ? STR(", ") : STR(""));
		buf_add_str(&names, key);
	}
	r->out->ignored = arena_keep(r->mem, buf_str(&names));
}

/* Members that change what the answer is, and that cannot be kept, are refused. */
static bool read_members(struct reading *r, struct json body)
{
	static const char *const refused[] = { "stop",       "logprobs",   "top_logprobs",
		                               "logit_bias", "modalities", "audio",
		                               "prediction", "functions",  "function_call",
		                               "prompt" };

	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		struct json v = json_get(body, str_from(refused[i]));

		if (json_is(v) && json_type(v) != JSON_NULL &&
		    !(json_type(v) == JSON_BOOL && !json_bool(v, true)))
			return refuse(r, str_from(refused[i]), "this runtime does not support it");
	}
	if (json_int(JSON_GET(body, "n"), 1) != 1)
		return refuse(r, STR("n"), "one answer is given");
	note_ignored(r, body);
	return true;
}

static bool read_previous(struct reading *r, struct json body)
{
	struct str previous = text_at(body, "previous_response_id");
	struct openai_api_id id;

	if (!str_is(previous))
		return true;
	if (!openai_api_id_read(previous, OPENAI_API_ID_RESPONSE, &id))
		return refuse(r, STR("previous_response_id"),
		              "no response of this runtime has this id");
	r->out->previous_id = previous;
	r->out->session_id = id.session_id;
	return true;
}

/* Its id, or an object with it.  A thread is continued by one of the two members, not by both. */
static bool read_conversation(struct reading *r, struct json body)
{
	struct json v = JSON_GET(body, "conversation");
	struct str id = json_type(v) == JSON_OBJ ? text_at(v, "id") : json_str(v);

	if (!json_is(v) || json_type(v) == JSON_NULL)
		return true;
	if (r->out->api != OPENAI_API_RESPONSES)
		return refuse(r, STR("conversation"), "Chat Completions have none");
	if (str_is(r->out->previous_id))
		return refuse(r, STR("conversation"), "it excludes previous_response_id");
	if (!openai_api_id_read_conversation(id, &r->out->session_id))
		return refuse(r, STR("conversation"),
		              "no conversation of this runtime has this id");
	return true;
}

static bool read_body(struct reading *r, struct json body)
{
	struct openai_api_request *out = r->out;

	if (json_type(body) != JSON_OBJ)
		return refuse(r, STR(""), "an object is wanted");
	out->is_stream = json_bool(JSON_GET(body, "stream"), false);
	if (!read_members(r, body))
		return false;
	if (out->api == OPENAI_API_CHAT && !read_conversation(r, body))
		return false;
	if (out->api == OPENAI_API_CHAT) {
		out->wants_usage = json_bool(
			JSON_GET(JSON_GET(body, "stream_options"), "include_usage"), false);
		return read_messages(r, body);
	}
	out->is_background = json_bool(JSON_GET(body, "background"), false);
	r->instructions = text_at(body, "instructions");
	return read_previous(r, body) && read_conversation(r, body) && read_items(r, body);
}

bool openai_api_request_read(struct arena *mem, enum openai_api api, struct json body,
                             struct str session_id, struct openai_api_request *ret)
{
	struct reading r = { .mem = mem, .out = ret };
	size_t from;

	*ret = (struct openai_api_request){ .api = api, .session_id = session_id };
	if (!read_body(&r, body))
		return false;
	from = first_new(&r);
	if (!take_given(&r, from))
		return false;
	if (!str_is(ret->session_id))
		ret->session_id = ret->given_count ? ret->given[0].session_id : known_session(&r);
	if (!ret->given_count && !has_input(&r, from))
		return refuse(&r, api == OPENAI_API_CHAT ? STR("messages") : STR("input"),
		              "the last entry is from the user, or a result");
	if (ret->given_count && has_input(&r, from))
		return refuse(&r, api == OPENAI_API_CHAT ? STR("messages") : STR("input"),
		              "results come alone; send the message after the answer");
	return ret->given_count || write_params(&r, body, from);
}
