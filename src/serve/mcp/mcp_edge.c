/* MCP clients at /mcp: which method answers, and what is known without the runtime. */
#include "serve/mcp/mcp_edge.h"

#include "base/memory.h"
#include "serve/mcp/mcp_lines.h"
#include "serve/mcp/mcp_op.h"

static const struct peers_kind kind = { "mcp", "serve:mcp_clients", PEER_ROLE_CLIENT };

static void call_tool(struct mcp_op *o)
{
	struct mcp_serve_rights rights = mcp_op_rights(o);
	bool is_own = mcp_serve_tool_find(o->in.name, &rights, &o->tool);
	struct str wrong;

	if (!is_own && mcp_edge_publish_has_any(o))
		mcp_edge_publish_call(o);
	else if (!is_own)
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS, STR("There is no such tool."));
	else if (!mcp_serve_tool_read(o->op.mem, o->tool, JSON_GET(o->in.params, "arguments"),
	                              &o->args, &wrong))
		mcp_op_fail_tool(o, wrong);
	else
		mcp_edge_call(o);
}

static void say_hello(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	o->begins_session = !o->in.is_modern && o->in.can_elicit;
	if (o->lines)
		o->line_ops->greeted(o->lines, o->in.can_elicit);
	mcp_serve_reply_hello(&out, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

static void say_pong(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

static void dispatch(struct mcp_op *o)
{
	switch (o->in.method) {
	case MCP_SERVE_NOTIFICATION:
		mcp_op_reply(o, 202, STR(""));
		return;
	case MCP_SERVE_RESPONSE:
		mcp_edge_question_answer(o);
		return;
	case MCP_SERVE_DISCOVER:
	case MCP_SERVE_INITIALIZE:
		say_hello(o);
		return;
	case MCP_SERVE_PING:
		say_pong(o);
		return;
	case MCP_SERVE_TOOLS_LIST:
		mcp_edge_publish_list(o);
		return;
	case MCP_SERVE_TOOLS_CALL:
		call_tool(o);
		return;
	case MCP_SERVE_LISTEN:
		mcp_edge_listen(o);
		return;
	case MCP_SERVE_TASKS_GET:
	case MCP_SERVE_TASKS_RESULT:
	case MCP_SERVE_TASKS_UPDATE:
	case MCP_SERVE_TASKS_CANCEL:
		mcp_edge_task(o);
		return;
	default:
		mcp_edge_read(o);
	}
}

/* Everything here shows what turns say, so nothing but the greeting works without that right. */
static bool may_begin(const struct mcp_op *o)
{
	return o->in.method <= MCP_SERVE_PING || (o->op.caller.scopes & SCOPE_BIT(SCOPE_READ)) != 0;
}

static void begin(struct mcp_op *o, struct str message, const struct mcp_serve_headers *headers)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!mcp_serve_request_read(o->op.mem, message, headers, &o->in)) {
		mcp_serve_reply_error(&out, o->in.id, &o->in.error);
		mcp_op_reply(o, o->in.error.http, buf_str(&out));
	} else if (!may_begin(o)) {
		mcp_op_fail(o, MCP_SERVE_INVALID_REQUEST, STR("This token lacks the scope read."));
	} else {
		if (!o->in.is_modern)
			o->in.can_elicit |= o->was_greeted_to_elicit;
		dispatch(o);
	}
}

static void begin_line(struct mcp_op *o, struct str message)
{
	begin(o, message, NULL);
}

void mcp_edge_open(struct mcp_edge *edge, struct http_request *req, const struct caller *caller)
{
	struct mcp_serve_headers headers = {
		.version = http_parse_find(&req->in, STR("mcp-protocol-version")),
		.method = http_parse_find(&req->in, STR("mcp-method")),
		.name = http_parse_find(&req->in, STR("mcp-name")),
		.session = http_parse_find(&req->in, STR("mcp-session-id")),
	};

	begin(mcp_op_new(edge, req, NULL, caller), req->in.body, &headers);
}

/* ---- life ---- */

struct mcp_edge *mcp_edge_new(struct serve *s, struct error *e)
{
	struct mcp_edge *edge = memory_zeroed(1, sizeof *edge);

	edge->serve = s;
	list_init(&edge->lines);
	edge->begin = begin_line;
	edge->finish = mcp_edge_publish_finish;
	if (peers_init(&edge->peers, &kind, s->loop, s->control, s->opt.store, s->opt.clock, e) ==
	    OK)
		return edge;
	mcp_edge_free(edge);
	return NULL;
}

void mcp_edge_drain(struct mcp_edge *edge)
{
	LIST_EACH_SAFE (&edge->lines, node, next)
		mcp_lines_drain(LIST_ITEM(node, struct mcp_lines, node));
}

void mcp_edge_free(struct mcp_edge *edge)
{
	if (!edge)
		return;
	while (!list_is_empty(&edge->lines))
		mcp_lines_close(LIST_ITEM(edge->lines.next, struct mcp_lines, node));
	if (edge->peers.loop)
		peers_done(&edge->peers);
	memory_free(edge);
}
