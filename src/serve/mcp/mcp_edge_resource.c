/*
 * resources/read of a published tool server: a call of its tool read_resource, so that rules,
 * approvals and the log are those of every other call.
 *
 *   several servers: ask_tool_server (lists) ──► one knows the address ──┐
 *   one server ──────────────────────────────────────────────────────────┴─► submit_turn (call)
 */
#include "serve/mcp/mcp_op.h"

#include "base/gen/words.h"

#define READ "read_resource"

static const struct mcp_serve_publish *publish_of(const struct mcp_op *o)
{
	return &o->edge->serve->opt.publish;
}

static size_t count_servers(const struct mcp_op *o)
{
	size_t count = 0;

	for (size_t i = 0; i < publish_of(o)->count; i++)
		count += str_is(publish_of(o)->items[i].server);
	return count;
}

static bool skip_to_server(struct mcp_op *o)
{
	while (o->server < publish_of(o)->count && !str_is(publish_of(o)->items[o->server].server))
		o->server++;
	return o->server < publish_of(o)->count;
}

/* ---- the read ---- */

static void reply_contents(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	JW_KEY(&w, "contents");
	jw_raw(&w, o->turn.content);
	mcp_serve_reply_ttl(&w, &o->in, 0);
	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

/* What a rule denies or a person has to approve is said; what the server does not have is missing. */
static void read_ended(struct mcp_op *o)
{
	if (o->turn.state == MCP_SERVE_COMPLETED && str_is(o->turn.content))
		reply_contents(o);
	else if (o->turn.state == MCP_SERVE_FAILED &&
	         str_eq(o->turn.error_code, STR(WORD_ERROR_CATEGORY_INVALID_INPUT)))
		o->after_servers(o);
	else if (str_is(o->turn.lost_code))
		mcp_op_fail(o, MCP_SERVE_INTERNAL, o->turn.lost_message);
	else if (o->turn.state == MCP_SERVE_COMPLETED)
		mcp_op_fail(o, MCP_SERVE_INTERNAL, STR("The resource has no content."));
	else
		mcp_op_fail(o, MCP_SERVE_INTERNAL,
		            o->turn.state == MCP_SERVE_FAILED
		                    ? o->turn.error_message
		                    : STR("Reading it waits for an approval, or takes too long."));
}

static void submit_read(struct mcp_op *o, struct str tool)
{
	struct str server = publish_of(o)->items[o->server].server;
	struct json_writer w = mcp_op_params(o);

	o->on_turn = read_ended;
	o->is_published = true; /* what its server asks, the client answers */
	o->in.wants_task = false;
	o->args.wait_ms = MCP_SERVE_WAIT_MS;
	JW_KSTR(&w, "input", arena_printf(o->op.mem, "Read a resource of %.*s", STR_ARG(server)));
	JW_KOPT(&w, "cwd", o->cwd);
	JW_KEY(&w, "call");
	jw_obj(&w);
	JW_KSTR(&w, "tool", tool);
	JW_KEY(&w, "arguments");
	jw_obj(&w);
	JW_KSTR(&w, "uri", o->in.name);
	jw_obj_end(&w);
	mcp_edge_publish_write_client(o, &w);
	jw_obj_end(&w);
	mcp_edge_call_submit(o, &w);
}

static void read_from(struct mcp_op *o, struct str server)
{
	if (!o->in.is_modern || !json_is(JSON_GET(o->in.params, "requestState"))) {
		submit_read(o, arena_printf(o->op.mem, "mcp__%.*s__" READ, STR_ARG(server)));
		return;
	}
	o->on_turn = read_ended;
	o->is_published = true;
	o->args.wait_ms = MCP_SERVE_WAIT_MS;
	mcp_edge_question_call_again(o);
}

/* ---- which server ---- */

static void ask_next(struct mcp_op *o);

/* By its address, or by what is before the first variable of a template. */
static bool knows(struct mcp_op *o, struct json result)
{
	struct json rows = json_get(result, o->pages ? STR("resourceTemplates") : STR("resources")),
		    row;
	struct json_iter it = json_iter(rows);
	struct str key, uri, rest;

	while (json_type(rows) == JSON_ARR && json_next(&it, &key, &row)) {
		uri = json_str(json_get(row, o->pages ? STR("uriTemplate") : STR("uri")));
		if (!str_is(uri))
			continue;
		rest = uri;
		if (o->pages ? str_starts(o->in.name, str_cut(&rest, '{'))
		             : str_eq(o->in.name, uri))
			return true;
	}
	return false;
}

static void asked(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct json reply;

	if (!a->code && json_read_trusted(o->op.mem, a->body, &reply, NULL) == OK &&
	    knows(o, JSON_GET(reply, "result"))) {
		o->found(o, publish_of(o)->items[o->server].server);
		return;
	}
	o->server += o->pages;
	o->pages = !o->pages;
	ask_next(o);
}

/* Its resources first, then its templates. */
static void ask_next(struct mcp_op *o)
{
	struct json_writer w;

	if (!skip_to_server(o)) {
		o->after_servers(o);
		return;
	}
	w = mcp_op_params(o);
	JW_KSTR(&w, "server", publish_of(o)->items[o->server].server);
	JW_KOPT(&w, "cwd", o->cwd);
	JW_KSTR(&w, "method",
	        o->pages ? STR(WORD_TOOL_SERVER_METHOD_LIST_TEMPLATES)
	                 : STR(WORD_TOOL_SERVER_METHOD_LIST_RESOURCES));
	jw_obj_end(&w);
	turn_op_call(&o->op, "ask_tool_server", STR_NONE, asked);
}

void mcp_edge_resource_find(struct mcp_op *o, void (*next)(struct mcp_op *o, struct str server),
                            void (*missing)(struct mcp_op *o))
{
	o->after_servers = missing;
	o->found = next;
	if (!mcp_edge_publish_has_any(o) || !skip_to_server(o))
		o->after_servers(o);
	else if (count_servers(o) == 1)
		o->found(o, publish_of(o)->items[o->server].server);
	else
		ask_next(o);
}

void mcp_edge_resource_read(struct mcp_op *o, void (*missing)(struct mcp_op *o))
{
	mcp_edge_resource_find(o, read_from, missing);
}
