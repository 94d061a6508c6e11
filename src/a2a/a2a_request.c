/*
 * Both bindings end in read_params(): HTTP+JSON makes an object of path and query first, so that
 * a parameter has one meaning and one check.
 */
#include "a2a/a2a_request.h"

#include "a2a/client/a2a_ask.h"

#include "base/gen/limits.h"
#include "base/os/clock.h"

/* What a request is read from. */
struct params {
	struct arena *mem;
	struct json v;
	struct a2a_error *e;
	bool is_query; /* all values are strings */
	bool is_bad;   /* e has the first error */
};

static bool refuse(struct a2a_error *e, enum a2a_code code, struct str field, struct str message)
{
	*e = (struct a2a_error){ .code = code, .field = field, .message = message };
	return false;
}

/* ---- members ---- */

/* "history_length" of "historyLength". */
static struct str snake(struct arena *mem, struct str name)
{
	struct buf out = { 0 };
	struct str text;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c >= 'A' && c <= 'Z') {
			buf_add_char(&out, '_');
			c = (char)(c - 'A' + 'a');
		}
		buf_add_char(&out, c);
	}
	text = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return text;
}

static struct json member(struct params *p, const char *name)
{
	struct json v = json_get(p->v, str_from(name));

	if (!json_is(v))
		v = json_get(p->v, snake(p->mem, str_from(name)));
	return json_type(v) == JSON_NULL ? (struct json){ 0 } : v;
}

static void bad(struct params *p, const char *name, const char *what)
{
	if (p->is_bad)
		return;
	p->is_bad = true;
	refuse(p->e, A2A_INVALID_PARAMS, str_from(name),
	       arena_printf(p->mem, "%s: %s", name, what));
}

/* Absent: it is not there, or empty, which ProtoJSON takes for the same. */
static struct str text(struct params *p, const char *name, size_t max)
{
	struct json v = member(p, name);
	struct str s = json_str(v);

	if (json_is(v) && !str_is(s))
		bad(p, name, "a string is expected");
	if (s.len > max)
		bad(p, name, "the text is too long");
	return s.len ? s : STR_NONE;
}

static struct str need_text(struct params *p, const char *name, size_t max)
{
	struct str s = text(p, name, max);

	if (!str_is(s))
		bad(p, name, "it is required");
	return s;
}

static bool flag(struct params *p, const char *name)
{
	struct json v = member(p, name);
	struct str s = json_str(v);

	if (!json_is(v))
		return false;
	if (json_type(v) == JSON_BOOL)
		return json_bool(v, false);
	if (!p->is_query || !(str_eq(s, STR("true")) || str_eq(s, STR("false"))))
		bad(p, name, "true or false is expected");
	return str_eq(s, STR("true"));
}

/* ProtoJSON also accepts an integer as a string. */
static bool number(struct params *p, const char *name, int64_t *ret)
{
	struct json v = member(p, name);
	struct str s = json_str(v);
	int64_t n = json_int(v, INT64_MIN);

	if (!json_is(v))
		return false;
	if ((str_is(s) && !str_to_i64(s, &n)) || n < INT32_MIN || n > INT32_MAX) {
		bad(p, name, "a whole number is expected");
		return false;
	}
	*ret = n;
	return true;
}

static struct params inner(struct params *p, const char *name)
{
	struct params in = *p;

	in.v = member(p, name);
	if (json_is(in.v) && json_type(in.v) != JSON_OBJ)
		bad(p, name, "an object is expected");
	in.is_bad = p->is_bad;
	return in;
}

/* ---- messages ---- */

static void read_message(struct params *p, struct a2a_message *ret)
{
	struct params m = inner(p, "message");
	struct str role;

	if (!json_is(m.v))
		bad(&m, "message", "it is required");
	ret->message_id = need_text(&m, "messageId", LIMIT_A2A_MESSAGE_ID_BYTES);
	ret->context_id = text(&m, "contextId", LIMIT_A2A_ID_BYTES);
	ret->task_id = text(&m, "taskId", LIMIT_A2A_ID_BYTES);
	ret->parts = member(&m, "parts");
	ret->metadata = member(&m, "metadata");
	role = need_text(&m, "role", 32);
	if (str_is(role) && !str_eq(role, STR("ROLE_USER")))
		bad(&m, "message.role", "a request has the role ROLE_USER");
	if (json_type(ret->parts) != JSON_ARR || !json_count(ret->parts))
		bad(&m, "message.parts", "at least one part is required");
	else if (json_count(ret->parts) > LIMIT_INPUT_PARTS)
		bad(&m, "message.parts", "there are too many parts");
	if (json_is(ret->metadata) && json_type(ret->metadata) != JSON_OBJ)
		bad(&m, "message.metadata", "an object is expected");
	/* A chain of agents that delegate to each other ends here, if it is too long. */
	ret->depth = json_int(json_get(ret->metadata, STR(A2A_ASK_DEPTH)), 0);
	if (ret->depth < 0 || ret->depth > LIMIT_DELEGATION_DEPTH)
		bad(&m, "message.metadata", "too many delegations have led to this message");
	p->is_bad = m.is_bad;
}

static void read_push(struct params *p, struct a2a_push *ret)
{
	struct params auth;

	ret->id = text(p, "id", LIMIT_ID_BYTES);
	ret->url = need_text(p, "url", LIMIT_A2A_URL_BYTES);
	ret->token = text(p, "token", LIMIT_A2A_SECRET_BYTES);
	auth = inner(p, "authentication");
	if (json_is(auth.v)) {
		ret->scheme = need_text(&auth, "scheme", 64);
		ret->credentials = text(&auth, "credentials", LIMIT_A2A_SECRET_BYTES);
	}
	p->is_bad = auth.is_bad;
}

/* No mode at all means that each is accepted. */
static bool is_text_only(struct json modes)
{
	struct json_iter it = json_iter(modes);
	struct json mode;
	struct str key;

	if (json_type(modes) != JSON_ARR || !json_count(modes))
		return false;
	while (json_next(&it, &key, &mode)) {
		struct str m = json_str(mode);

		if (str_starts(m, STR("application/json")) || str_eq(m, STR("application/*")) ||
		    str_eq(m, STR("*/*")))
			return false;
	}
	return true;
}

static void read_send(struct params *p, struct a2a_request *ret)
{
	struct params c, push;

	read_message(p, &ret->message);
	c = inner(p, "configuration");
	ret->return_immediately = flag(&c, "returnImmediately");
	ret->is_text_only = is_text_only(JSON_GET(c.v, "acceptedOutputModes"));
	ret->has_history_length = number(&c, "historyLength", &ret->history_length);
	push = inner(&c, "taskPushNotificationConfig");
	ret->has_push = json_is(push.v);
	if (ret->has_push)
		read_push(&push, &ret->push);
	p->is_bad = push.is_bad;
}

static void read_list(struct params *p, struct a2a_request *ret)
{
	struct str after = text(p, "statusTimestampAfter", 64);

	ret->context_id = text(p, "contextId", LIMIT_A2A_ID_BYTES);
	ret->status = text(p, "status", 64);
	ret->page_token = text(p, "pageToken", LIMIT_A2A_ID_BYTES);
	ret->include_artifacts = flag(p, "includeArtifacts");
	ret->has_history_length = number(p, "historyLength", &ret->history_length);
	if (number(p, "pageSize", &ret->page_size) &&
	    (ret->page_size < 1 || ret->page_size > LIMIT_A2A_PAGE))
		bad(p, "pageSize", "1 to 100 are possible");
	if (str_is(after) && !clock_time_read(after, &ret->status_after_ms))
		bad(p, "statusTimestampAfter", "a time such as 2026-01-31T12:00:00Z is expected");
}

/* The members of a method, in a struct that is zero. */
static bool read_params(struct params *p, struct a2a_request *ret)
{
	ret->tenant = text(p, "tenant", LIMIT_ID_BYTES);
	switch (ret->method) {
	case A2A_SEND_MESSAGE:
	case A2A_SEND_STREAMING_MESSAGE:
		read_send(p, ret);
		break;
	case A2A_LIST_TASKS:
		read_list(p, ret);
		break;
	case A2A_GET_TASK:
		ret->has_history_length = number(p, "historyLength", &ret->history_length);
		/* fall through */
	case A2A_CANCEL_TASK:
	case A2A_SUBSCRIBE_TO_TASK:
		ret->task_id = need_text(p, "id", LIMIT_A2A_ID_BYTES);
		break;
	case A2A_CREATE_PUSH_CONFIG:
		read_push(p, &ret->push);
		ret->task_id = need_text(p, "taskId", LIMIT_A2A_ID_BYTES);
		break;
	case A2A_GET_PUSH_CONFIG:
	case A2A_DELETE_PUSH_CONFIG:
		ret->push.id = need_text(p, "id", LIMIT_ID_BYTES);
		/* fall through */
	case A2A_LIST_PUSH_CONFIGS:
		ret->task_id = need_text(p, "taskId", LIMIT_A2A_ID_BYTES);
		break;
	default:
		break;
	}
	if (ret->has_history_length && ret->history_length < 0)
		bad(p, "historyLength", "it is not negative");
	return !p->is_bad;
}

bool a2a_request_is_version(struct str version)
{
	struct str v = str_is(version) ? str_trim(version) : STR_NONE;

	return str_is(v) && (str_eq(v, STR("1.0")) || str_starts(v, STR("1.0.")));
}

/* ---- JSON-RPC ---- */

static const struct {
	const char *name;
	enum a2a_method method;
} methods[] = {
	{ "SendMessage", A2A_SEND_MESSAGE },
	{ "SendStreamingMessage", A2A_SEND_STREAMING_MESSAGE },
	{ "GetTask", A2A_GET_TASK },
	{ "ListTasks", A2A_LIST_TASKS },
	{ "CancelTask", A2A_CANCEL_TASK },
	{ "SubscribeToTask", A2A_SUBSCRIBE_TO_TASK },
	{ "CreateTaskPushNotificationConfig", A2A_CREATE_PUSH_CONFIG },
	{ "GetTaskPushNotificationConfig", A2A_GET_PUSH_CONFIG },
	{ "ListTaskPushNotificationConfigs", A2A_LIST_PUSH_CONFIGS },
	{ "DeleteTaskPushNotificationConfig", A2A_DELETE_PUSH_CONFIG },
	{ "GetExtendedAgentCard", A2A_GET_EXTENDED_CARD },
};

/* False: it is missing, or not a string, a number or null. */
static bool read_rpc_id(struct arena *mem, struct json v, struct str *ret)
{
	enum json_type type = json_type(v);

	if (type != JSON_STR && type != JSON_INT && type != JSON_UINT && type != JSON_REAL &&
	    type != JSON_NULL)
		return false;
	if (json_str(v).len > LIMIT_ID_BYTES)
		return false;
	*ret = json_text(mem, v);
	return true;
}

static bool read_method(struct str name, enum a2a_method *ret)
{
	for (size_t i = 0; i < COUNT_OF(methods); i++)
		if (str_eq(name, str_from(methods[i].name))) {
			*ret = methods[i].method;
			return true;
		}
	return false;
}

bool a2a_request_read_rpc(struct arena *mem, struct str body, struct a2a_request *ret,
                          struct a2a_error *e)
{
	struct params p = { .mem = mem, .e = e };
	struct json v;
	struct str method;

	*ret = (struct a2a_request){ .rpc_id = STR("null") };
	if (json_read(mem, body, &v, NULL) != OK)
		return refuse(e, A2A_PARSE, STR_NONE, STR_NONE);
	if (json_type(v) != JSON_OBJ || !read_rpc_id(mem, JSON_GET(v, "id"), &ret->rpc_id))
		return refuse(e, A2A_INVALID_REQUEST, STR_NONE,
		              STR("One request object with an id is expected"));
	if (!str_eq(json_str(JSON_GET(v, "jsonrpc")), STR("2.0")))
		return refuse(e, A2A_INVALID_REQUEST, STR_NONE, STR("jsonrpc must be \"2.0\""));
	method = json_str(JSON_GET(v, "method"));
	if (!str_is(method))
		return refuse(e, A2A_INVALID_REQUEST, STR_NONE, STR("method must be a string"));
	if (!read_method(method, &ret->method))
		return refuse(e, A2A_METHOD_NOT_FOUND, STR_NONE, STR_NONE);
	p.v = JSON_GET(v, "params");
	if (json_is(p.v) && json_type(p.v) != JSON_OBJ && json_type(p.v) != JSON_NULL)
		return refuse(e, A2A_INVALID_PARAMS, STR_NONE, STR("params must be an object"));
	return read_params(&p, ret);
}

/* ---- HTTP+JSON ---- */

#define SEGMENTS_MAX 5

struct place {
	struct str at[SEGMENTS_MAX];
	size_t count;
	struct str verb; /* behind the last colon of the last segment; absent: none */
};

/* False: it has empty segments, or more than any address has. */
static bool split_path(struct str path, struct place *ret)
{
	struct str rest = str_skip(path, 1), *last;
	ptrdiff_t colon;

	*ret = (struct place){ 0 };
	if (!str_starts(path, STR("/")))
		return false;
	while (str_is(rest)) {
		struct str segment = str_cut(&rest, '/');

		if (!segment.len || ret->count == SEGMENTS_MAX)
			return false;
		ret->at[ret->count++] = segment;
	}
	if (!ret->count)
		return false;
	last = &ret->at[ret->count - 1];
	colon = str_find_char(*last, ':');
	if (colon >= 0) {
		ret->verb = str_skip(*last, (size_t)colon + 1);
		*last = str_head(*last, (size_t)colon);
	}
	return true;
}

struct binding {
	enum a2a_method method;
	const char *http;
	size_t count;
	const char *first, *third, *verb;
	bool has_body;
};

static const struct binding bindings[] = {
	{ A2A_SEND_MESSAGE, "POST", 1, "message", NULL, "send", true },
	{ A2A_SEND_STREAMING_MESSAGE, "POST", 1, "message", NULL, "stream", true },
	{ A2A_LIST_TASKS, "GET", 1, "tasks", NULL, NULL, false },
	{ A2A_GET_TASK, "GET", 2, "tasks", NULL, NULL, false },
	{ A2A_CANCEL_TASK, "POST", 2, "tasks", NULL, "cancel", true },
	/* The protocol's text says POST, its definition GET. */
	{ A2A_SUBSCRIBE_TO_TASK, "GET", 2, "tasks", NULL, "subscribe", false },
	{ A2A_SUBSCRIBE_TO_TASK, "POST", 2, "tasks", NULL, "subscribe", true },
	{ A2A_CREATE_PUSH_CONFIG, "POST", 3, "tasks", "pushNotificationConfigs", NULL, true },
	{ A2A_LIST_PUSH_CONFIGS, "GET", 3, "tasks", "pushNotificationConfigs", NULL, false },
	{ A2A_GET_PUSH_CONFIG, "GET", 4, "tasks", "pushNotificationConfigs", NULL, false },
	{ A2A_DELETE_PUSH_CONFIG, "DELETE", 4, "tasks", "pushNotificationConfigs", NULL, false },
	{ A2A_GET_EXTENDED_CARD, "GET", 1, "extendedAgentCard", NULL, NULL, false },
};

static bool is_word(struct str s, const char *word)
{
	return word ? str_is(s) && str_eq(s, str_from(word)) : !str_is(s);
}

/* skip: 1 if the first segment is a tenant. */
static const struct binding *find_binding(const struct place *at, struct str http, size_t skip)
{
	for (size_t i = 0; i < COUNT_OF(bindings); i++) {
		const struct binding *b = &bindings[i];
		const struct str *segment = at->at + skip;

		if (at->count == b->count + skip && is_word(http, b->http) &&
		    is_word(segment[0], b->first) && is_word(at->verb, b->verb) &&
		    (b->count < 3 || is_word(segment[2], b->third)))
			return b;
	}
	return NULL;
}

static struct json query_object(struct arena *mem, const struct a2a_http *in)
{
	struct json v = { 0 };
	struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	for (size_t i = 0; i < in->query_count; i++)
		jw_kstr(&w, in->query[i].name, in->query[i].value);
	jw_obj_end(&w);
	/* A name that comes twice is refused by the reader. */
	if (json_read(mem, arena_keep(mem, buf_str(&out)), &v, NULL) != OK)
		v = (struct json){ 0 };
	buf_done(&out);
	return v;
}

/* The path decides; a body that says something else is an error. */
static bool take(struct params *p, struct str *field, struct str of_path, const char *name)
{
	if (str_is(*field) && !str_eq(*field, of_path)) {
		bad(p, name, "the path says something else");
		return false;
	}
	*field = of_path;
	return true;
}

/* Writes what the path has into the object that read_params() reads. */
static struct json with_path(struct arena *mem, struct json v, const struct binding *b,
                             const struct str *segment, struct params *p)
{
	const char *task = b->count == 2 ? "id" : "taskId";
	struct str task_id, config_id = STR_NONE;
	struct json both = { 0 };
	struct json_iter it = json_iter(v);
	struct json_writer w;
	struct buf out = { 0 };
	struct str key;
	struct json each;

	if (b->count < 2)
		return v;
	task_id = text(p, task, LIMIT_A2A_ID_BYTES);
	if (b->count == 4)
		config_id = text(p, "id", LIMIT_ID_BYTES);
	if (!take(p, &task_id, segment[1], task) ||
	    (b->count == 4 && !take(p, &config_id, segment[3], "id")))
		return v;
	jw_init(&w, &out);
	jw_obj(&w);
	jw_kstr(&w, str_from(task), task_id);
	if (b->count == 4)
		JW_KSTR(&w, "id", config_id);
	while (json_type(v) == JSON_OBJ && json_next(&it, &key, &each)) {
		if (str_eq(key, str_from(task)) || str_eq(key, snake(mem, str_from(task))) ||
		    (b->count == 4 && str_eq(key, STR("id"))))
			continue;
		jw_key(&w, key);
		jw_value(&w, each);
	}
	jw_obj_end(&w);
	if (json_read(mem, arena_keep(mem, buf_str(&out)), &both, NULL) != OK)
		both = v;
	buf_done(&out);
	return both;
}

static bool read_body(struct arena *mem, struct str body, struct json *ret, struct a2a_error *e)
{
	if (!str_trim(body).len)
		return true;
	if (json_read(mem, body, ret, NULL) != OK)
		return refuse(e, A2A_PARSE, STR_NONE, STR_NONE);
	return json_type(*ret) == JSON_OBJ ||
	       refuse(e, A2A_INVALID_REQUEST, STR_NONE, STR("The body must be an object"));
}

bool a2a_request_read_http(struct arena *mem, const struct a2a_http *in, struct a2a_request *ret,
                           struct a2a_error *e)
{
	struct params p = { .mem = mem, .e = e };
	const struct binding *b, *below;
	struct place at;
	size_t skip = 0;

	*ret = (struct a2a_request){ 0 };
	if (!split_path(in->path, &at))
		return refuse(e, A2A_METHOD_NOT_FOUND, STR_NONE, STR_NONE);
	b = find_binding(&at, in->method, 0);
	below = at.count > 1 ? find_binding(&at, in->method, 1) : NULL;
	/* /tasks/tasks is the list of the tenant `tasks`: no task has the name of an operation. */
	if (below && (!b || at.count == 2)) {
		skip = 1;
		b = below;
	}
	if (!b)
		return refuse(e, A2A_METHOD_NOT_FOUND, STR_NONE,
		              STR("There is no such operation at this path"));
	p.is_query = !b->has_body;
	if (b->has_body) {
		if (!read_body(mem, in->body, &p.v, e))
			return false;
	} else {
		p.v = query_object(mem, in);
		if (!json_is(p.v))
			return refuse(e, A2A_INVALID_PARAMS, STR_NONE,
			              STR("A parameter is given twice"));
	}
	p.v = with_path(mem, p.v, b, at.at + skip, &p);
	ret->method = b->method;
	if (p.is_bad || !read_params(&p, ret))
		return false;
	return !skip || take(&p, &ret->tenant, at.at[0], "tenant");
}
