/*
 * Headers and bodies of the Model Context Protocol over HTTP.  Servers are not trusted: what goes
 * into a header is encoded, and what comes back is bounded.
 */
#include "mcp/mcp_http_message.h"

#include "base/hash/base64.h"
#include "base/jw.h"
#include "base/utf8.h"

#include <strings.h>

#define SESSION_MAX 1024
#define DEPTH_MAX 16 /* of nested properties */
#define SAFE_INTEGER_MAX 9007199254740991LL
#define BODY_SHOWN 300
#define REFUSED_CODE -32000 /* for a response without an error of JSON-RPC */

/* ---- the request ---- */

void mcp_http_message_read_line(struct arena *mem, struct str line, struct mcp_http_line *ret)
{
	struct json v, params, meta;
	struct error e;

	*ret = (struct mcp_http_line){ .method = STR_NONE };
	if (json_read_wrapped(mem, line, &v, &e) != OK)
		return;
	params = JSON_GET(v, "params");
	meta = JSON_GET(params, "_meta");
	ret->method = json_str(JSON_GET(v, "method"));
	ret->version = json_str(JSON_GET(meta, "io.modelcontextprotocol/protocolVersion"));
	if (!str_is(ret->method))
		return;
	ret->id = json_int(JSON_GET(v, "id"), 0);
	if (str_eq(ret->method, STR("notifications/cancelled")))
		ret->cancelled = json_int(JSON_GET(params, "requestId"), 0);
	if (str_eq(ret->method, STR("resources/read")))
		ret->name = json_str(JSON_GET(params, "uri"));
	if (str_eq(ret->method, STR("prompts/get")))
		ret->name = json_str(JSON_GET(params, "name"));
	if (!str_eq(ret->method, STR("tools/call")))
		return;
	ret->name = json_str(JSON_GET(params, "name"));
	ret->args = JSON_GET(params, "arguments");
}

static bool is_visible(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~')
			return false;
	return s.len > 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A value that looks encoded is encoded, so that it is not decoded by mistake. */
static bool is_plain_value(struct str s)
{
	if (!s.len || is_blank(s.ptr[0]) || is_blank(s.ptr[s.len - 1]) ||
	    (str_starts(s, STR("=?base64?")) && str_ends(s, STR("?="))))
		return false;
	return mcp_http_message_is_header_value(s);
}

struct str mcp_http_message_value(struct arena *mem, struct str value)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (is_plain_value(value))
		return value;
	buf_add_c(&out, "=?base64?");
	base64_write(&out, value);
	buf_add_c(&out, "?=");
	return arena_keep(mem, buf_str(&out));
}

/* ---- parameters that are mirrored ---- */

struct mirror {
	struct arena *mem;
	struct http_client_header *at;
	size_t count;
};

/* Absent: the value has no text, and the header is left out. */
static struct str param_text(struct arena *mem, struct json v)
{
	switch (json_type(v)) {
	case JSON_STR:
		return json_str(v);
	case JSON_BOOL:
		return json_bool(v, false) ? STR("true") : STR("false");
	case JSON_INT:
		return arena_printf(mem, "%lld", (long long)json_int(v, 0));
	default:
		return STR_NONE;
	}
}

static void mirror_param(struct mirror *m, struct str name, struct json value)
{
	struct str text = param_text(m->mem, value);

	if (!str_is(text) || m->count == MCP_HTTP_PARAMS_MAX)
		return;
	m->at[m->count++] =
		(struct http_client_header){ arena_printf(m->mem, "Mcp-Param-%.*s", STR_ARG(name)),
		                             mcp_http_message_value(m->mem, text) };
}

/* Only through `properties`: a header is read at exactly the path of its property. */
static void mirror_object(struct mirror *m, struct json schema, struct json args, unsigned depth)
{
	struct json_iter it = json_iter(JSON_GET(schema, "properties"));
	struct json property;
	struct str key;

	if (depth == DEPTH_MAX || json_type(args) != JSON_OBJ)
		return;
	while (json_next(&it, &key, &property)) {
		struct str name = json_str(JSON_GET(property, "x-mcp-header"));

		if (str_is(name))
			mirror_param(m, name, json_get(args, key));
		else
			mirror_object(m, property, json_get(args, key), depth + 1);
	}
}

static void add_header(struct http_client_header *at, size_t *count, struct str name,
                       struct str value)
{
	if (str_is(value))
		at[(*count)++] = (struct http_client_header){ name, value };
}

size_t mcp_http_message_headers(struct arena *mem, const struct mcp_http_context *c,
                                const struct mcp_http_line *line, struct json input_schema,
                                struct http_client_header *ret)
{
	bool is_new = str_is(line->version);
	struct mirror m = { .mem = mem };
	size_t count = 0;

	add_header(ret, &count, STR("Accept"),
	           c->is_get ? STR("text/event-stream")
	                     : STR("application/json, text/event-stream"));
	add_header(ret, &count, STR("Content-Type"),
	           c->is_get ? STR_NONE : STR("application/json"));
	add_header(ret, &count, STR("MCP-Protocol-Version"), is_new ? line->version : c->version);
	add_header(ret, &count, STR("Mcp-Session-Id"), is_new ? STR_NONE : c->session);
	add_header(ret, &count, STR("Last-Event-ID"), c->last_event_id);
	if (!is_new)
		return count;
	add_header(ret, &count, STR("Mcp-Method"), line->method);
	if (!str_is(line->name))
		return count;
	add_header(ret, &count, STR("Mcp-Name"), mcp_http_message_value(mem, line->name));
	m.at = ret + count;
	mirror_object(&m, input_schema, line->args, 0);
	return count + m.count;
}

/* ---- annotations ---- */

static bool is_token(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      memchr("!#$%&'*+-.^_`|~", c, 15)))
			return false;
	}
	return s.len > 0 && s.len <= 128;
}

struct annotations {
	struct str names[MCP_HTTP_PARAMS_MAX];
	size_t count;
};

static bool is_taken_name(const struct annotations *a, struct str name)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->names[i].len == name.len &&
		    !strncasecmp(a->names[i].ptr, name.ptr, name.len))
			return true;
	return false;
}

static enum err check_annotation(struct json property, struct annotations *a, struct error *e)
{
	struct str name = json_str(JSON_GET(property, "x-mcp-header"));
	struct str type = json_str(JSON_GET(property, "type"));

	if (!is_token(name))
		return fail(e, ERR_INVALID, "an x-mcp-header of it is not the name of a header");
	if (!str_eq(type, STR("string")) && !str_eq(type, STR("integer")) &&
	    !str_eq(type, STR("boolean")))
		return fail(e, ERR_INVALID,
		            "the x-mcp-header %.*s is not on a string, integer or boolean",
		            STR_ARG(name));
	if (is_taken_name(a, name))
		return fail(e, ERR_INVALID, "two parameters have the x-mcp-header %.*s",
		            STR_ARG(name));
	if (a->count == MCP_HTTP_PARAMS_MAX)
		return fail(e, ERR_INVALID, "it has more than %d x-mcp-header annotations",
		            MCP_HTTP_PARAMS_MAX);
	a->names[a->count++] = name;
	return OK;
}

/* is_reachable: the chain from the root consists of `properties` only. */
static enum err check_node(struct json node, bool is_reachable, unsigned depth,
                           struct annotations *a, struct error *e);

/* The values of `properties` are schemas; a property may itself be called x-mcp-header. */
static enum err check_properties(struct json properties, bool is_reachable, unsigned depth,
                                 struct annotations *a, struct error *e)
{
	struct json_iter it = json_iter(properties);
	struct json v;
	struct str key;
	enum err code = OK;

	while (!code && json_type(properties) == JSON_OBJ && json_next(&it, &key, &v)) {
		bool has_name = json_type(v) == JSON_OBJ && json_is(JSON_GET(v, "x-mcp-header"));

		if (has_name && (!is_reachable || depth >= DEPTH_MAX))
			code = fail(e, ERR_INVALID,
			            "an x-mcp-header of it is below more than properties");
		else if (has_name)
			code = check_annotation(v, a, e);
		if (!code)
			code = check_node(v, is_reachable, depth + 1, a, e);
	}
	return code;
}

static bool holds_data(struct str key)
{
	return str_eq(key, STR("const")) || str_eq(key, STR("enum")) ||
	       str_eq(key, STR("default")) || str_eq(key, STR("examples"));
}

static enum err check_node(struct json node, bool is_reachable, unsigned depth,
                           struct annotations *a, struct error *e)
{
	struct json_iter it = json_iter(node);
	bool is_object = json_type(node) == JSON_OBJ;
	struct json v;
	struct str key;
	enum err code = OK;

	while (!code && (is_object || json_type(node) == JSON_ARR) && json_next(&it, &key, &v)) {
		if (is_object && str_eq(key, STR("properties"))) {
			code = check_properties(v, is_reachable, depth, a, e);
			continue;
		}
		if (is_object && holds_data(key))
			continue;
		if (json_type(v) == JSON_OBJ && json_is(JSON_GET(v, "x-mcp-header")))
			code = fail(e, ERR_INVALID,
			            "an x-mcp-header of it is below more than properties");
		else
			code = check_node(v, false, depth + 1, a, e);
	}
	return code;
}

enum err mcp_http_message_check_schema(struct json input_schema, struct error *e)
{
	struct annotations a = { .count = 0 };

	if (json_is(JSON_GET(input_schema, "x-mcp-header")))
		return fail(e, ERR_INVALID, "its x-mcp-header is on no parameter");
	return check_node(input_schema, true, 0, &a, e);
}

/* ---- the user's own headers ---- */

/* Headers that this transport or HTTP itself sets. */
bool mcp_http_message_is_header_name(struct str name)
{
	static const char *const taken[] = {
		"accept", "connection", "content-length",    "content-type",
		"expect", "host",       "keep-alive",        "last-event-id",
		"te",     "trailer",    "transfer-encoding", "upgrade"
	};

	if (!is_token(name) || (name.len >= 4 && !strncasecmp(name.ptr, "mcp-", 4)))
		return false;
	for (size_t i = 0; i < COUNT_OF(taken); i++)
		if (strlen(taken[i]) == name.len && !strncasecmp(taken[i], name.ptr, name.len))
			return false;
	return true;
}

bool mcp_http_message_is_header_value(struct str value)
{
	for (size_t i = 0; i < value.len; i++)
		if ((value.ptr[i] < ' ' && value.ptr[i] != '\t') || value.ptr[i] > '~')
			return false;
	return true;
}

bool mcp_http_message_is_session(struct str id)
{
	return id.len <= SESSION_MAX && is_visible(id);
}

/* ---- the response ---- */

static bool is_type(struct str content_type, const char *type)
{
	size_t len = strlen(type);

	return content_type.len >= len && !strncasecmp(content_type.ptr, type, len) &&
	       (content_type.len == len || memchr("; \t", content_type.ptr[len], 3));
}

void mcp_http_message_begin(struct mcp_http_reader *r, struct str content_type)
{
	r->is_stream = is_type(content_type, "text/event-stream");
	r->sse.max = r->max;
}

/*
 * JSON has no line breaks inside of strings, so those between its tokens can become blanks: the
 * framing below is by lines.
 */
static void report_text(struct str text, mcp_http_on_line *cb, void *arg)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	text = str_trim(text);
	if (!text.len)
		return; /* an event that only carries an id */
	buf_add_str(&line, text);
	for (size_t i = 0; i < line.len; i++)
		if (line.ptr[i] == '\n' || line.ptr[i] == '\r')
			line.ptr[i] = ' ';
	buf_add_char(&line, '\n');
	cb(arg, buf_str(&line));
}

struct stream_sink {
	mcp_http_on_line *cb;
	void *arg;
};

static void on_event(void *arg, const struct sse_message *m)
{
	struct stream_sink *sink = arg;

	if (str_eq(m->event, STR("message")))
		report_text(m->data, sink->cb, sink->arg);
}

bool mcp_http_message_feed(struct mcp_http_reader *r, struct str bytes, mcp_http_on_line *cb,
                           void *arg)
{
	struct stream_sink sink = { cb, arg };

	if (r->is_failed)
		return false;
	if (r->is_stream) {
		r->is_failed = !sse_feed(&r->sse, bytes, on_event, &sink);
		return !r->is_failed;
	}
	if (r->body.len + bytes.len > r->max) {
		r->is_failed = true;
		buf_done(&r->body);
		return false;
	}
	buf_add_str(&r->body, bytes);
	return true;
}

void mcp_http_message_end(struct mcp_http_reader *r, mcp_http_on_line *cb, void *arg)
{
	if (!r->is_failed && !r->is_stream)
		report_text(buf_str(&r->body), cb, arg);
}

struct str mcp_http_message_event_id(const struct mcp_http_reader *r)
{
	struct str id = buf_str(&r->sse.id);

	return r->sse.has_id && mcp_http_message_is_session(id) ? id : STR_NONE;
}

void mcp_http_message_done(struct mcp_http_reader *r)
{
	sse_parser_done(&r->sse);
	buf_done(&r->body);
}

struct str mcp_http_message_status(struct arena *mem, int status, struct str location)
{
	if (status == 401)
		return STR("it requires another login than the one in its headers (HTTP 401)");
	if (status == 403)
		return STR("it refuses access (HTTP 403)");
	if (status >= 300 && status < 400)
		return arena_printf(mem,
		                    "it redirects to %.*s (HTTP %d), and redirects are not "
		                    "followed; set that url if you trust it",
		                    STR_ARG(utf8_preview(mem, str_head(location, 800), 200)),
		                    status);
	return arena_printf(mem, "it answered with HTTP %d", status);
}

bool mcp_http_message_means_older(int status)
{
	return status >= 400 && status < 500 && status != 401 && status != 403 && status != 407 &&
	       status != 408 && status != 429;
}

static void write_refusal(struct buf *out, int64_t id, int64_t code, struct str message,
                          struct json data)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "jsonrpc", STR("2.0"));
	JW_KINT(&w, "id", id);
	JW_KEY(&w, "error");
	jw_obj(&w);
	JW_KINT(&w, "code", code);
	JW_KSTR(&w, "message", message);
	if (json_is(data)) {
		JW_KEY(&w, "data");
		jw_raw(&w, json_text(mem, data));
	}
	jw_obj_end(&w);
	jw_obj_end(&w);
	buf_add_char(out, '\n');
}

struct found {
	struct arena *mem;
	struct json error; /* JSON_NONE: none yet */
};

static void take_error(void *arg, struct str line)
{
	struct found *f = arg;
	struct json v, error;

	if (json_read(f->mem, str_trim(line), &v, NULL) != OK)
		return;
	error = JSON_GET(v, "error");
	if (json_type(JSON_GET(error, "code")) == JSON_INT)
		f->error = error;
}

/* The JSON-RPC error of a body: one JSON text, or a stream of events. */
static struct json error_of(struct arena *mem, struct str body)
{
	struct mcp_http_reader r = { .max = body.len + 1 };
	struct found f = { .mem = mem };

	take_error(&f, body);
	if (!json_is(f.error)) {
		mcp_http_message_begin(&r, STR("text/event-stream"));
		if (mcp_http_message_feed(&r, body, take_error, &f))
			(void)!mcp_http_message_feed(&r, STR("\n\n"), take_error, &f);
	}
	mcp_http_message_done(&r);
	return f.error;
}

void mcp_http_message_write_refusal(struct buf *out, int64_t id, int status, struct str body)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str said = mcp_http_message_status(mem, status, STR_NONE);
	struct json error = error_of(mem, body);

	if (json_is(error)) {
		write_refusal(out, id, json_int(JSON_GET(error, "code"), 0),
		              str_is(json_str(JSON_GET(error, "message")))
		                      ? json_str(JSON_GET(error, "message"))
		                      : said,
		              JSON_GET(error, "data"));
		return;
	}
	body = utf8_preview(mem, str_head(str_trim(body), 4096), BODY_SHOWN);
	if (body.len)
		said = arena_printf(mem, "%.*s: %.*s", STR_ARG(said), STR_ARG(body));
	write_refusal(out, id, REFUSED_CODE, said, (struct json){ NULL });
}
