/* Resources: sessions, threads and outputs.  Prompts: skills and commands. */
#include "serve/mcp/mcp_op.h"

#include "base/gen/words.h"
#include "base/hash/base64.h"

#define LIST_MAX 50
#define OUTPUT_MAX (4u << 20) /* of an output in one reply */

static void end_reply(struct mcp_op *o, struct json_writer *w, struct buf *out)
{
	mcp_serve_reply_end(w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(out));
}

/* ---- lists of resources ---- */

static void write_session(struct mcp_op *o, struct json_writer *w, struct json row)
{
	struct str id = json_str(JSON_GET(row, "sessionId")),
		   title = json_str(JSON_GET(row, "title"));

	jw_obj(w);
	JW_KSTR(w, "uri", arena_printf(o->op.mem, "thole://sessions/%.*s", STR_ARG(id)));
	JW_KSTR(w, "name", id);
	if (str_is(title) && title.len)
		JW_KSTR(w, "title", title);
	JW_KSTR(w, "mimeType", STR("application/json"));
	jw_obj_end(w);
}

static void listed(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct json_iter it;
	struct json reply, row;
	struct str key;

	if (!mcp_op_read_reply(o, a, &reply))
		return;
	w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));
	JW_KEY(&w, "resources");
	jw_arr(&w);
	mcp_edge_relay_write_rows(o, &w);
	it = json_iter(JSON_GET(reply, "sessions"));
	while (json_next(&it, &key, &row))
		write_session(o, &w, row);
	jw_arr_end(&w);
	JW_KOPT(&w, "nextCursor", json_str(JSON_GET(reply, "nextCursor")));
	mcp_serve_reply_ttl(&w, &o->in, 0);
	end_reply(o, &w, &out);
}

static void list_sessions(struct mcp_op *o)
{
	struct json_writer w = mcp_op_params(o);

	JW_KINT(&w, "limit", LIST_MAX);
	JW_KOPT(&w, "cursor", o->in.cursor);
	jw_obj_end(&w);
	mcp_op_call(o, "list_sessions", listed);
}

/* Resources of published servers come with the first page. */
static void list_resources(struct mcp_op *o)
{
	if (str_is(o->in.cursor))
		list_sessions(o);
	else
		mcp_edge_relay_collect(o, WORD_TOOL_SERVER_METHOD_LIST_RESOURCES, list_sessions);
}

static void list_templates(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	JW_KEY(&w, "resourceTemplates");
	jw_arr(&w);
	mcp_edge_relay_write_rows(o, &w);
	mcp_serve_reply_templates(&w);
	jw_arr_end(&w);
	mcp_serve_reply_ttl(&w, &o->in, 300000);
	end_reply(o, &w, &out);
}

/* ---- one resource ---- */

static void fail_missing(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf data = { 0 }, out = { 0 };
	struct mcp_serve_error e = { .code = o->in.is_modern ? MCP_SERVE_INVALID_PARAMS
		                                             : MCP_SERVE_NO_RESOURCE,
		                     .message = STR("Resource not found") };
	struct json_writer w;

	jw_init(&w, &data);
	jw_obj(&w);
	JW_KSTR(&w, "uri", o->in.name);
	jw_obj_end(&w);
	e.data = buf_str(&data);
	mcp_serve_reply_error(&out, o->in.id, &e);
	mcp_op_reply(o, o->in.is_modern ? 400 : 200, buf_str(&out));
}

/* A missing resource and one of another principal are the same. */
static bool read_found(struct mcp_op *o, const struct control_answer *a, struct json *ret)
{
	if (a->http != 404)
		return mcp_op_read_reply(o, a, ret);
	fail_missing(o);
	return false;
}

static void reply_contents(struct mcp_op *o, struct str media_type, struct str text, bool is_text)
{
	CLEANUP(buf_done) struct buf out = { 0 }, blob = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	JW_KEY(&w, "contents");
	jw_arr(&w);
	jw_obj(&w);
	JW_KSTR(&w, "uri", o->in.name);
	JW_KOPT(&w, "mimeType", media_type);
	if (!is_text)
		base64_write(&blob, text);
	jw_kstr(&w, is_text ? STR("text") : STR("blob"), is_text ? text : buf_str(&blob));
	jw_obj_end(&w);
	jw_arr_end(&w);
	mcp_serve_reply_ttl(&w, &o->in, 0);
	end_reply(o, &w, &out);
}

static void snapshot_read(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct json reply;

	if (read_found(o, a, &reply))
		reply_contents(o, STR("application/json"), a->body, true);
}

static void read_part(struct mcp_op *o);

static void part_read(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct str text, base64;
	struct json reply, output;
	bool is_text;

	if (!read_found(o, a, &reply))
		return;
	output = JSON_GET(reply, "output");
	text = json_str(JSON_GET(reply, "text"));
	base64 = json_str(JSON_GET(reply, "base64"));
	is_text = !str_eq(json_str(JSON_GET(output, "encoding")), STR("binary"));
	o->media_type = json_str(JSON_GET(output, "mediaType"));
	if (str_is(text))
		buf_add_str(&o->bytes, text);
	else if (!str_is(base64) || !base64_read(&o->bytes, base64)) {
		mcp_op_fail(o, MCP_SERVE_INTERNAL, STR("The output cannot be read."));
		return;
	}
	o->next_offset =
		json_int(JSON_GET(reply, "offset"), 0) + json_int(JSON_GET(reply, "bytes"), 0);
	if (o->bytes.len > OUTPUT_MAX)
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS,
		            STR("The output is larger than 4 MiB; read it at /v1/outputs."));
	else if (json_bool(JSON_GET(reply, "eof"), true) || !json_int(JSON_GET(reply, "bytes"), 0))
		reply_contents(o, o->media_type, buf_str(&o->bytes), is_text);
	else
		read_part(o);
}

static void read_part(struct mcp_op *o)
{
	struct str session_id, output_ref;
	enum mcp_serve_uri kind;
	struct json_writer w = mcp_op_params(o);

	if (!mcp_serve_id_read_uri(o->in.name, &kind, &session_id, &output_ref)) {
		fail_missing(o);
		return;
	}
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "outputRef", output_ref);
	JW_KINT(&w, "offset", o->next_offset);
	JW_KINT(&w, "length", 1 << 20);
	jw_obj_end(&w);
	mcp_op_call(o, "get_output", part_read);
}

static void read_resource(struct mcp_op *o)
{
	struct str session_id, of_session;
	enum mcp_serve_uri kind;
	struct json_writer w;

	if (!mcp_serve_id_read_uri(o->in.name, &kind, &session_id, &of_session)) {
		mcp_edge_resource_read(o, fail_missing);
		return;
	}
	if (kind == MCP_SERVE_URI_OUTPUT) {
		read_part(o);
		return;
	}
	w = mcp_op_params(o);
	JW_KSTR(&w, "sessionId", session_id);
	JW_KOPT(&w, "threadId", of_session);
	jw_obj_end(&w);
	mcp_op_call(o, kind == MCP_SERVE_URI_SESSION ? "get_session" : "get_thread_read",
	            snapshot_read);
}

/* ---- prompts ---- */

/* Where the client works; of a token that is bound to directories the first one. */
static struct str place_of(const struct mcp_op *o)
{
	const struct list_str *bound = o->op.caller.directories;

	return str_is(o->cwd) ? o->cwd : bound && bound->count ? bound->items[0] : STR_NONE;
}

static bool is_prompt(struct json row)
{
	struct str kind = json_str(JSON_GET(row, "kind"));

	return json_bool(JSON_GET(row, "isTrusted"), false) &&
	       !str_is(json_str(JSON_GET(row, "error"))) &&
	       (str_eq(kind, STR("skill")) || str_eq(kind, STR("command")));
}

static void write_prompt(struct json_writer *w, struct json row)
{
	struct str hint = json_str(JSON_GET(row, "argumentHint"));

	jw_obj(w);
	JW_KSTR(w, "name", json_str(JSON_GET(row, "name")));
	JW_KSTR(w, "description", json_str(JSON_GET(row, "description")));
	JW_KEY(w, "arguments");
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "name", STR("arguments"));
	JW_KSTR(w, "description",
	        str_is(hint) && hint.len ? hint : STR("What it is to be used for."));
	JW_KBOOL(w, "required", false);
	jw_obj_end(w);
	jw_arr_end(w);
	jw_obj_end(w);
}

/* A command and a skill of one name are one prompt: the command. */
static bool is_first(struct json rows, struct json row)
{
	struct json_iter it = json_iter(rows);
	struct json other;
	struct str key;

	if (str_eq(json_str(JSON_GET(row, "kind")), STR("command")))
		return true;
	while (json_next(&it, &key, &other))
		if (is_prompt(other) && str_eq(json_str(JSON_GET(other, "kind")), STR("command")) &&
		    str_eq(json_str(JSON_GET(other, "name")), json_str(JSON_GET(row, "name"))))
			return false;
	return true;
}

/* Its prompts have names of their own, above. */
static bool is_of_published(const struct mcp_op *o, struct json row)
{
	struct str path = json_str(JSON_GET(row, "path"));

	return str_eq(json_str(JSON_GET(row, "source")), STR(WORD_EXTENSION_SOURCE_TOOL_SERVER)) &&
	       str_is(path) && str_starts(path, STR("mcp:")) &&
	       mcp_edge_relay_is_of(o, str_skip(path, 4));
}

static void prompts_listed(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct json_iter it;
	struct json reply, rows, row;
	struct str key;

	if (!mcp_op_read_reply(o, a, &reply))
		return;
	rows = JSON_GET(reply, "extensions");
	w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));
	JW_KEY(&w, "prompts");
	jw_arr(&w);
	mcp_edge_relay_write_rows(o, &w);
	it = json_iter(rows);
	while (json_next(&it, &key, &row))
		if (is_prompt(row) && is_first(rows, row) && !is_of_published(o, row))
			write_prompt(&w, row);
	jw_arr_end(&w);
	mcp_serve_reply_ttl(&w, &o->in, 0);
	end_reply(o, &w, &out);
}

static void expand(struct mcp_op *o, const char *kind,
                   void (*next)(struct turn_op *op, const struct control_answer *a))
{
	struct json_writer w = mcp_op_params(o);

	JW_KSTR(&w, "name", o->in.name);
	JW_KSTR(&w, "kind", str_from(kind));
	JW_KOPT(&w, "cwd", place_of(o));
	JW_KOPT(&w, "arguments",
	        json_str(JSON_GET(JSON_GET(o->in.params, "arguments"), "arguments")));
	jw_obj_end(&w);
	mcp_op_call(o, "expand_command", next);
}

static void expanded(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct json reply;

	if (a->http == 404) {
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS,
		            str_is(o->server_error) ? o->server_error
		                                    : STR("There is no such prompt."));
		return;
	}
	if (!mcp_op_read_reply(o, a, &reply))
		return;
	w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));
	JW_KSTR(&w, "description", json_str(JSON_GET(JSON_GET(reply, "command"), "description")));
	JW_KEY(&w, "messages");
	jw_arr(&w);
	jw_obj(&w);
	JW_KSTR(&w, "role", STR("user"));
	JW_KEY(&w, "content");
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("text"));
	JW_KSTR(&w, "text", json_str(JSON_GET(reply, "text")));
	jw_obj_end(&w);
	jw_obj_end(&w);
	jw_arr_end(&w);
	end_reply(o, &w, &out);
}

static void command_expanded(struct turn_op *op, const struct control_answer *a)
{
	if (a->http == 404)
		expand(mcp_op_of(op), "skill", expanded);
	else
		expanded(op, a);
}

static void list_prompts(struct mcp_op *o)
{
	struct json_writer w = mcp_op_params(o);

	JW_KOPT(&w, "cwd", place_of(o));
	jw_obj_end(&w);
	mcp_op_call(o, "list_extensions", prompts_listed);
}

static void get_prompt(struct mcp_op *o)
{
	expand(o, "command", command_expanded);
}

/* Our own prompts and resources have no values to suggest. */
static void suggest_nothing(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	JW_KEY(&w, "completion");
	jw_raw(&w, STR("{\"values\":[]}"));
	end_reply(o, &w, &out);
}

static void complete(struct mcp_op *o)
{
	if (json_type(JSON_GET(o->in.params, "ref")) != JSON_OBJ ||
	    json_type(JSON_GET(o->in.params, "argument")) != JSON_OBJ)
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS,
		            STR("params has a ref and an argument, both objects."));
	else
		mcp_edge_relay_ask(o, WORD_TOOL_SERVER_METHOD_COMPLETE, suggest_nothing);
}

void mcp_edge_read(struct mcp_op *o)
{
	switch (o->in.method) {
	case MCP_SERVE_RESOURCES_LIST:
		list_resources(o);
		return;
	case MCP_SERVE_TEMPLATES_LIST:
		mcp_edge_relay_collect(o, WORD_TOOL_SERVER_METHOD_LIST_TEMPLATES, list_templates);
		return;
	case MCP_SERVE_RESOURCES_READ:
		read_resource(o);
		return;
	case MCP_SERVE_PROMPTS_LIST:
		mcp_edge_relay_collect(o, WORD_TOOL_SERVER_METHOD_LIST_PROMPTS, list_prompts);
		return;
	case MCP_SERVE_COMPLETE:
		complete(o);
		return;
	default:
		mcp_edge_relay_ask(o, WORD_TOOL_SERVER_METHOD_GET_PROMPT, get_prompt);
	}
}
