/*
 * The table of HTTP routes, and parameters of a path and a query as those of a
 * command.
 */
#include "serve/http/route.h"

#include "base/os/id.h"
#include "base/jw.h"

#include <assert.h>

static const struct route routes[] = {
	{ ROUTE_COMMAND, "POST", "/v1/commands/{name}" },
	{ ROUTE_RUN, "POST", "/v1/run" },
	{ ROUTE_EVENTS, "GET", "/v1/events" },
	{ ROUTE_RPC, "GET", "/v1/rpc" },
	{ ROUTE_OUTPUT, "GET", "/v1/outputs/{outputRef}", .takes_head = true },
	{ ROUTE_OUTPUT, "GET", "/v1/blobs/{outputRef}", .takes_head = true },
#define READ(path, name)                                                                           \
	{                                                                                          \
		ROUTE_READ, "GET", path, COMMAND_##name, .takes_head = true                        \
	}
	READ("/v1/capabilities", GET_CAPABILITIES),
	READ("/v1/sessions", LIST_SESSIONS),
	READ("/v1/sessions/{sessionId}", GET_SESSION),
	READ("/v1/sessions/{sessionId}/threads", LIST_THREADS),
	READ("/v1/sessions/{sessionId}/threads/{threadId}", GET_THREAD_READ),
	READ("/v1/sessions/{sessionId}/queue", LIST_QUEUE),
	READ("/v1/sessions/{sessionId}/tools", GET_TOOL_INVENTORY),
	READ("/v1/sessions/{sessionId}/tasks/{taskId}", GET_TASK),
	READ("/v1/tasks", LIST_TASKS),
	READ("/v1/actions", LIST_ACTIONS),
	READ("/v1/channels", LIST_CHANNELS),
#undef READ
	{ ROUTE_HEALTH, "GET", "/healthz", .takes_head = true },
	{ ROUTE_READY, "GET", "/readyz", .takes_head = true },
	{ ROUTE_METRICS, "GET", "/metrics", .takes_head = true },
	{ ROUTE_OPENAPI, "GET", "/openapi.json", .takes_head = true },
	{ ROUTE_ASYNCAPI, "GET", "/asyncapi.json", .takes_head = true },
	{ ROUTE_HOME, "GET", "/", .takes_head = true },
	{ ROUTE_CONSOLE_FILE, "GET", "/console/{name}", .takes_head = true },
	{ ROUTE_CONSOLE_SESSION, "GET", "/v1/console/session", .takes_head = true },
	{ ROUTE_SIGN_IN, "POST", "/v1/console/sign-in" },
	{ ROUTE_SIGN_OUT, "POST", "/v1/console/sign-out" },
	{ ROUTE_NODE, "POST", "/v1/node/call" },
	{ ROUTE_TRIGGER, "POST", "/v1/triggers/{name}" },
	{ ROUTE_MCP, "POST", "/mcp" },
	{ ROUTE_AGUI, "POST", "/ag-ui" },
	{ ROUTE_OPENAI, "POST", "/openai/v1/responses" },
	{ ROUTE_OPENAI, "POST", "/openai/v1/chat/completions" },
	{ ROUTE_OPENAI, "GET", "/openai/v1/models" },
	{ ROUTE_OPENAI, "POST", "/openai/v1/conversations" },
	{ ROUTE_A2A_CARD, "GET", "/.well-known/agent-card.json", .takes_head = true },
	{ ROUTE_A2A, "POST", "/a2a" },
	{ ROUTE_RESOURCE, "GET", "/.well-known/oauth-protected-resource", .takes_head = true },
};

/* Edges that read their own paths and methods. */
static const struct route below[] = {
	{ ROUTE_OPENAI, "", "/openai/v1/" },
	{ ROUTE_A2A, "", "/a2a/v1/" },
	{ ROUTE_RESOURCE, "", "/.well-known/oauth-protected-resource/", .takes_head = true },
};

/* ---- paths ---- */

/* Segment by segment; a segment in braces takes any text but an empty one. */
static bool matches(struct str pattern, struct str path, struct str values[ROUTE_VALUES_MAX])
{
	size_t count = 0;

	values[0] = values[1] = STR_NONE; /* what another pattern left */
	while (str_is(pattern) && str_is(path)) {
		struct str want = str_cut(&pattern, '/');
		struct str got = str_cut(&path, '/');

		if (want.len && want.ptr[0] == '{') {
			if (!got.len)
				return false;
			values[count++] = got;
		} else if (!str_eq(want, got)) {
			return false;
		}
	}
	return !str_is(pattern) && !str_is(path);
}

static bool takes_method(const struct route *r, struct str method)
{
	return str_eq(method, str_from(r->method)) ||
	       (r->takes_head && str_eq(method, STR("HEAD")));
}

/* The first pattern that matches decides: a known path with another method is 405, not 404. */
enum error_code route_find(const struct http_message *m, struct route_match *ret)
{
	for (size_t i = 0; i < COUNT_OF(routes); i++) {
		if (!matches(str_from(routes[i].pattern), m->path, ret->values))
			continue;
		ret->route = &routes[i];
		return takes_method(&routes[i], m->method) ? 0 : ERROR_CODE_METHOD_NOT_ALLOWED;
	}
	for (size_t i = 0; i < COUNT_OF(below); i++)
		if (str_starts(m->path, str_from(below[i].pattern))) {
			ret->route = &below[i];
			return 0;
		}
	return ERROR_CODE_NOT_FOUND;
}

/* ---- queries ---- */

static const struct field *find_field(const struct rec_desc *d, struct str name)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (str_eq(field_name(&d->fields[i]), name) ||
		    (str_is(field_alias(&d->fields[i])) &&
		     str_eq(field_alias(&d->fields[i]), name)))
			return &d->fields[i];
	return NULL;
}

static bool write_bool(struct json_writer *w, struct str value)
{
	bool yes = str_eq(value, STR("true")) || str_eq(value, STR("1"));

	jw_bool(w, yes);
	return yes || str_eq(value, STR("false")) || str_eq(value, STR("0"));
}

static bool write_int(struct json_writer *w, struct str value)
{
	int64_t n = 0;
	bool is_number = str_to_i64(value, &n);

	jw_int(w, n);
	return is_number;
}

static bool write_list(struct json_writer *w, struct str value, bool is_int)
{
	bool ok = true;

	jw_arr(w);
	while (str_is(value) && ok) {
		struct str item = str_cut(&value, ',');

		if (is_int)
			ok = write_int(w, item);
		else
			jw_str(w, item);
	}
	jw_arr_end(w);
	return ok;
}

/* False when the value does not read as the field's type. */
static bool write_value(struct json_writer *w, const struct field *f, struct str value)
{
	switch (f->type) {
	case FIELD_STR:
	case FIELD_ID:
	case FIELD_ENUM:
	case FIELD_TIME:
		jw_str(w, value);
		return true;
	case FIELD_INT:
		return write_int(w, value);
	case FIELD_BOOL:
		return write_bool(w, value);
	case FIELD_LIST_STR:
	case FIELD_LIST_ID:
	case FIELD_LIST_INT:
		return write_list(w, value, f->type == FIELD_LIST_INT);
	default:
		return false; /* no read takes the others in a URL */
	}
}

/* The name inside the n-th pair of braces. */
static struct str name_of_value(struct str pattern, size_t n)
{
	for (;; n--) {
		str_cut(&pattern, '{');

		struct str name = str_cut(&pattern, '}');

		if (!n || !str_is(pattern))
			return name;
	}
}

/*
 * Path values and query parameters as one JSON object, by the field table of the
 * command, so that a read over HTTP and the command have one definition.  `seen` finds
 * a field that is given twice, also under its alias.
 */
enum error_code route_params(const struct route_match *match, const struct http_message *m,
                             struct buf *out, struct str *ret_bad)
{
	const struct rec_desc *args = command_classes[match->route->command].args;
	uint64_t seen[2] = { 0 };
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	for (size_t i = 0; i < ROUTE_VALUES_MAX && str_is(match->values[i]); i++) {
		struct str name = name_of_value(str_from(match->route->pattern), i);
		const struct field *f = find_field(args, name);
		assert(f && "patterns name arguments of their command");

		size_t at = (size_t)(f - args->fields);

		*ret_bad = name;
		if (!id_is_valid(match->values[i]))
			return ERROR_CODE_INVALID_ID;
		seen[at / 64] |= (uint64_t)1 << (at % 64);
		jw_kstr(&w, field_name(f), match->values[i]);
	}
	for (size_t i = 0; i < m->param_count; i++) {
		const struct field *f = find_field(args, m->params[i].name);

		*ret_bad = m->params[i].name;
		if (!f)
			return ERROR_CODE_UNKNOWN_FIELD;

		size_t at = (size_t)(f - args->fields);

		if (seen[at / 64] >> (at % 64) & 1)
			return ERROR_CODE_INVALID_REQUEST;
		seen[at / 64] |= (uint64_t)1 << (at % 64);
		jw_key(&w, field_name(f));
		if (!write_value(&w, f, m->params[i].value))
			return ERROR_CODE_INVALID_VALUE;
	}
	jw_obj_end(&w);
	return 0;
}
