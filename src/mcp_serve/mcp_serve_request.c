/* Reads a message of an MCP client and compares it with its headers. */
#include "mcp_serve/mcp_serve_request.h"

#include "base/gen/words.h"
#include "base/hash/base64.h"
#include "base/jw.h"

static const struct method {
	const char *name;
	enum mcp_serve_method method;
	const char *about; /* the member that Mcp-Name repeats, or that names a task */
	bool is_modern, is_legacy;
} methods[] = {
	{ "server/discover", MCP_SERVE_DISCOVER, NULL, true, false },
	{ "initialize", MCP_SERVE_INITIALIZE, NULL, false, true },
	{ "ping", MCP_SERVE_PING, NULL, false, true },
	{ "tools/list", MCP_SERVE_TOOLS_LIST, NULL, true, true },
	{ "tools/call", MCP_SERVE_TOOLS_CALL, "name", true, true },
	{ "resources/list", MCP_SERVE_RESOURCES_LIST, NULL, true, true },
	{ "resources/templates/list", MCP_SERVE_TEMPLATES_LIST, NULL, true, true },
	{ "resources/read", MCP_SERVE_RESOURCES_READ, "uri", true, true },
	{ "prompts/list", MCP_SERVE_PROMPTS_LIST, NULL, true, true },
	{ "prompts/get", MCP_SERVE_PROMPTS_GET, "name", true, true },
	{ "completion/complete", MCP_SERVE_COMPLETE, NULL, true, true },
	{ "subscriptions/listen", MCP_SERVE_LISTEN, NULL, true, false },
	{ "logging/setLevel", MCP_SERVE_SET_LEVEL, "level", false, true },
	{ "resources/subscribe", MCP_SERVE_SUBSCRIBE, "uri", false, true },
	{ "resources/unsubscribe", MCP_SERVE_UNSUBSCRIBE, "uri", false, true },
	{ "tasks/get", MCP_SERVE_TASKS_GET, "taskId", true, true },
	{ "tasks/result", MCP_SERVE_TASKS_RESULT, "taskId", false, true },
	{ "tasks/update", MCP_SERVE_TASKS_UPDATE, "taskId", true, false },
	{ "tasks/cancel", MCP_SERVE_TASKS_CANCEL, "taskId", true, true },
};

static const char *const legacy_versions[] = { MCP_SERVE_LEGACY, "2025-06-18", "2025-03-26" };

static bool refuse(struct mcp_serve_request *r, int http, enum mcp_serve_error_code code,
                   struct str message)
{
	r->error = (struct mcp_serve_error){ .http = http, .code = code, .message = message };
	return false;
}

static bool is_legacy_version(struct str version)
{
	for (size_t i = 0; i < COUNT_OF(legacy_versions); i++)
		if (str_eq(version, str_from(legacy_versions[i])))
			return true;
	return false;
}

/* ---- versions ---- */

static bool fail_version(struct arena *mem, struct mcp_serve_request *r, struct str requested)
{
	struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "supported");
	jw_arr(&w);
	jw_str(&w, STR(MCP_SERVE_MODERN));
	for (size_t i = 0; i < COUNT_OF(legacy_versions); i++)
		jw_str(&w, str_from(legacy_versions[i]));
	jw_arr_end(&w);
	JW_KSTR(&w, "requested", requested);
	jw_obj_end(&w);
	refuse(r, 400, MCP_SERVE_UNSUPPORTED_VERSION, STR("Unsupported protocol version"));
	r->error.data = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return false;
}

/* Which revision the message is of: what the body says decides, and the header must not differ. */
static bool read_version(struct arena *mem, struct mcp_serve_request *r,
                         const struct mcp_serve_headers *h, struct json meta)
{
	struct str said = json_str(JSON_GET(meta, MCP_SERVE_META "protocolVersion"));

	if (str_is(said)) {
		r->version = said;
		r->is_modern = true;
		if (h && (!str_is(h->version) || !str_eq(h->version, said)))
			return refuse(
				r, 400, MCP_SERVE_HEADER_MISMATCH,
				STR("The header MCP-Protocol-Version and the version in _meta "
			            "differ."));
		return str_eq(said, STR(MCP_SERVE_MODERN)) || fail_version(mem, r, said);
	}
	r->version = STR(MCP_SERVE_LEGACY);
	if (!h || !str_is(h->version) || r->method == MCP_SERVE_INITIALIZE)
		return true;
	r->version = h->version;
	if (is_legacy_version(h->version))
		return true;
	r->is_modern = true;
	if (str_eq(h->version, STR(MCP_SERVE_MODERN)) && r->method > MCP_SERVE_RESPONSE)
		return refuse(r, 400, MCP_SERVE_INVALID_PARAMS,
		              STR("params._meta lacks " MCP_SERVE_META "protocolVersion."));
	return str_eq(h->version, STR(MCP_SERVE_MODERN)) || fail_version(mem, r, h->version);
}

/* ---- headers ---- */

/* As the body has it: a value that no header can carry comes in base64. */
static bool header_text(struct arena *mem, struct str value, struct str *ret)
{
	struct str head = STR("=?base64?"), tail = STR("?=");
	struct buf out = { 0 };
	bool is_good;

	*ret = value;
	if (value.len < head.len + tail.len || !str_starts(value, head) ||
	    !str_eq(str_skip(value, value.len - tail.len), tail))
		return true;
	is_good = base64_read(&out, str_of(value.ptr + head.len, value.len - head.len - tail.len));
	*ret = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return is_good;
}

static bool check_headers(struct arena *mem, struct mcp_serve_request *r,
                          const struct mcp_serve_headers *h, struct str method)
{
	bool is_named = r->method == MCP_SERVE_TOOLS_CALL || r->method == MCP_SERVE_PROMPTS_GET ||
	                r->method == MCP_SERVE_RESOURCES_READ;
	struct str name;

	if (!str_is(h->method) || !str_eq(h->method, method))
		return refuse(r, 400, MCP_SERVE_HEADER_MISMATCH,
		              STR("The header Mcp-Method and the method of the message differ."));
	if (!is_named && !str_is(h->name))
		return true;
	if (!str_is(h->name) || !header_text(mem, h->name, &name) || !str_is(r->name) ||
	    !str_eq(name, r->name))
		return refuse(r, 400, MCP_SERVE_HEADER_MISMATCH,
		              STR("The header Mcp-Name and the name in the message differ."));
	return true;
}

/* ---- the message ---- */

static const struct method *find_method(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(methods); i++)
		if (str_eq(name, str_from(methods[i].name)))
			return &methods[i];
	return NULL;
}

static bool is_response(struct json message)
{
	return json_is(JSON_GET(message, "id")) && !json_is(JSON_GET(message, "method")) &&
	       (json_type(JSON_GET(message, "result")) == JSON_OBJ ||
	        json_type(JSON_GET(message, "error")) == JSON_OBJ);
}

static bool read_envelope(struct mcp_serve_request *r, struct json message)
{
	enum json_type id = json_type(JSON_GET(message, "id"));

	if (json_type(message) != JSON_OBJ)
		return refuse(r, 400, MCP_SERVE_INVALID_REQUEST,
		              STR("The body is one JSON-RPC message."));
	if (id == JSON_STR || id == JSON_INT || id == JSON_UINT || id == JSON_REAL)
		r->id = JSON_GET(message, "id");
	else if (id != JSON_NONE)
		return refuse(r, 400, MCP_SERVE_INVALID_REQUEST, STR("id is a text or a number."));
	r->result = JSON_GET(message, "result");
	if (!str_eq(json_str(JSON_GET(message, "jsonrpc")), STR("2.0")) ||
	    (!str_is(json_str(JSON_GET(message, "method"))) && !is_response(message)))
		return refuse(r, 400, MCP_SERVE_INVALID_REQUEST,
		              STR("A message has jsonrpc \"2.0\" and a method."));
	r->params = JSON_GET(message, "params");
	if (json_is(r->params) && json_type(r->params) != JSON_OBJ)
		return refuse(r, 400, MCP_SERVE_INVALID_PARAMS, STR("params is an object."));
	return true;
}

/* With a form; a client that only opens pages cannot answer. */
static bool elicits(struct json capabilities)
{
	struct json can = JSON_GET(capabilities, "elicitation");

	return json_type(can) == JSON_OBJ &&
	       (!json_is(JSON_GET(can, "url")) || json_is(JSON_GET(can, "form")));
}

static struct mcp_serve_can can_of(struct json capabilities)
{
	return (struct mcp_serve_can){
		.elicit = elicits(capabilities),
		.sample = json_type(JSON_GET(capabilities, "sampling")) == JSON_OBJ,
		.roots = json_type(JSON_GET(capabilities, "roots")) == JSON_OBJ,
	};
}

struct str mcp_serve_request_session(struct arena *mem, const struct mcp_serve_can *can,
                                     struct str random)
{
	return arena_printf(mem, "can%s%s%s-%.*s", can->elicit ? "E" : "", can->sample ? "S" : "",
	                    can->roots ? "R" : "", STR_ARG(random));
}

struct mcp_serve_can mcp_serve_request_session_can(struct str session)
{
	struct str rest = session, head;

	if (!str_is(session) || session.len > MCP_SERVE_SESSION_MAX ||
	    !str_starts(session, STR("can")))
		return (struct mcp_serve_can){ 0 };
	head = str_cut(&rest, '-');
	return (struct mcp_serve_can){ .elicit = str_find_char(head, 'E') >= 0,
		                       .sample = str_find_char(head, 'S') >= 0,
		                       .roots = str_find_char(head, 'R') >= 0 };
}

bool mcp_serve_request_is_level(struct str word)
{
	static const char *const words[] = { WORDS_TOOL_LOG_LEVEL };

	for (size_t i = 0; str_is(word) && i < COUNT_OF(words); i++)
		if (str_eq(word, str_from(words[i])))
			return true;
	return false;
}

/* What every request of a revision may say. */
static bool read_common(struct mcp_serve_request *r, const struct mcp_serve_headers *h,
                        struct json meta)
{
	struct json token = JSON_GET(meta, "progressToken"), task = JSON_GET(r->params, "task");
	enum json_type type = json_type(token);

	r->cursor = json_str(JSON_GET(r->params, "cursor"));
	if (type == JSON_STR || type == JSON_INT || type == JSON_UINT)
		r->progress_token = token;
	if (!r->is_modern) {
		r->capabilities = JSON_GET(r->params, "capabilities");
		r->wants_task = json_type(task) == JSON_OBJ;
		r->session = h ? h->session : STR_NONE;
		r->can = r->method == MCP_SERVE_INITIALIZE
		                 ? can_of(r->capabilities)
		                 : mcp_serve_request_session_can(r->session);
		return true;
	}
	r->capabilities = JSON_GET(meta, MCP_SERVE_META "clientCapabilities");
	if (json_type(r->capabilities) != JSON_OBJ)
		return refuse(r, 400, MCP_SERVE_INVALID_PARAMS,
		              STR("params._meta lacks " MCP_SERVE_META "clientCapabilities."));
	r->wants_task = json_type(JSON_GET(JSON_GET(r->capabilities, "extensions"),
	                                   MCP_SERVE_TASKS)) == JSON_OBJ;
	r->can = can_of(r->capabilities);
	r->log_level = json_str(JSON_GET(meta, MCP_SERVE_META "logLevel"));
	if (str_is(r->log_level) && !mcp_serve_request_is_level(r->log_level))
		return refuse(r, 400, MCP_SERVE_INVALID_PARAMS,
		              STR("params._meta: the log level is not one of the protocol."));
	return true;
}

static bool read_request(struct arena *mem, struct mcp_serve_request *r, const struct method *m,
                         const struct mcp_serve_headers *h, struct str name)
{
	struct json meta = JSON_GET(r->params, "_meta");

	if (m)
		r->method = m->method;
	if (!read_version(mem, r, h, meta))
		return false;
	if (!m || !(r->is_modern ? m->is_modern : m->is_legacy)) {
		refuse(r, r->is_modern ? 404 : 200, MCP_SERVE_METHOD_NOT_FOUND,
		       STR("Method not found"));
		return false;
	}
	if (m->about)
		r->name = json_str(json_get(r->params, str_from(m->about)));
	if (r->is_modern && h && !check_headers(mem, r, h, name))
		return false;
	if (m->about && !str_is(r->name))
		return refuse(r, r->is_modern ? 400 : 200, MCP_SERVE_INVALID_PARAMS,
		              arena_printf(mem, "params.%s is missing.", m->about));
	return read_common(r, h, meta);
}

bool mcp_serve_request_read(struct arena *mem, struct str body, const struct mcp_serve_headers *h,
                            struct mcp_serve_request *ret)
{
	struct json message;
	struct str name;

	*ret = (struct mcp_serve_request){ .version = STR(MCP_SERVE_LEGACY) };
	if (json_read(mem, body, &message, NULL) != OK)
		return refuse(ret, 400, MCP_SERVE_PARSE_ERROR, STR("The body is not JSON."));
	if (!read_envelope(ret, message))
		return false;
	name = json_str(JSON_GET(message, "method"));
	if (is_response(message)) {
		ret->method = MCP_SERVE_RESPONSE;
		ret->session = h ? h->session : STR_NONE;
		return read_version(mem, ret, h, (struct json){ 0 });
	}
	if (json_is(ret->id))
		return read_request(mem, ret, find_method(name), h, name);
	ret->method = MCP_SERVE_NOTIFICATION;
	ret->session = h ? h->session : STR_NONE;
	if (str_eq(name, STR("notifications/cancelled")))
		ret->cancelled = JSON_GET(ret->params, "requestId");
	return read_version(mem, ret, h, JSON_GET(ret->params, "_meta"));
}
