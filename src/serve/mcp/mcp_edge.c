/* MCP clients at /mcp: which method answers, and what is known without the runtime. */
#include "serve/mcp/mcp_edge.h"

#include "base/memory.h"
#include "base/os/id.h"
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

static void begin_session(struct mcp_op *o)
{
	struct clock *clock = o->edge->serve->opt.clock;
	struct id_source source;
	uint8_t entropy[16];

	clock->ops->entropy(clock, entropy);
	id_source_init(&source, 0, entropy);
	o->new_session = mcp_serve_request_session(o->op.mem, &o->in.can,
	                                           id_make_hex(o->op.mem, &source, 32));
	mcp_session_add(&o->edge->sessions, o->new_session, o->op.caller.principal);
}

static void say_hello(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (o->lines)
		o->line_ops->greeted(o->lines, &o->in.can);
	else if (!o->in.is_modern)
		begin_session(o);
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

/* The open request that the client cancels: of the same principal and the same session. */
static struct mcp_op *find_request(const struct mcp_op *o, struct str id)
{
	LIST_EACH (&o->edge->requests, node) {
		struct mcp_op *x = LIST_ITEM(node, struct mcp_op, of_edge);

		if (x != o && json_is(x->in.id) && mcp_op_is_of_client(x, o) &&
		    str_eq(json_text(o->op.mem, x->in.id), id))
			return x;
	}
	return NULL;
}

static void cancel(struct mcp_op *o, struct str id)
{
	struct mcp_op *x = find_request(o, id);
	const struct mcp_session *s =
		mcp_session_find(&o->edge->sessions, o->in.session, o->op.caller.principal);
	const struct mcp_session_left *left = s ? mcp_session_find_left(s, id) : NULL;

	if (x)
		mcp_op_cancel(x);
	else if (left)
		mcp_op_cancel_turn(o, left->session_id, left->turn_id);
}

/*
 * In 2026-07-28 the end of its stream cancels a request.  Over lines, the connection has found the
 * request already.
 */
static void take_notification(struct mcp_op *o)
{
	if (!o->lines && !o->in.is_modern && json_is(o->in.cancelled))
		cancel(o, json_text(o->op.mem, o->in.cancelled));
	mcp_op_reply(o, 202, STR(""));
}

static void dispatch(struct mcp_op *o)
{
	switch (o->in.method) {
	case MCP_SERVE_NOTIFICATION:
		take_notification(o);
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
	case MCP_SERVE_SET_LEVEL:
	case MCP_SERVE_SUBSCRIBE:
	case MCP_SERVE_UNSUBSCRIBE:
		mcp_edge_session(o);
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

/* What a client of an earlier revision has said before. */
static void recall(struct mcp_op *o)
{
	const struct mcp_session *s = o->session
	                                      ? o->session
	                                      : mcp_session_find(&o->edge->sessions, o->in.session,
	                                                         o->op.caller.principal);

	if (o->lines && o->in.method != MCP_SERVE_INITIALIZE)
		o->in.can = o->greeted;
	if (s)
		o->in.log_level = arena_keep(o->op.mem, s->level);
}

/* The client has ended the session before; initialize begins another. */
static bool is_of_ended_session(const struct mcp_op *o)
{
	return !o->in.is_modern && o->in.method != MCP_SERVE_INITIALIZE &&
	       mcp_session_has_ended(&o->edge->sessions, o->in.session, o->op.caller.principal);
}

static void fail_ended(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct mcp_serve_error e = { .code = MCP_SERVE_INVALID_REQUEST,
		                     .message = STR("The session has ended. Begin another.") };

	mcp_serve_reply_error(&out, o->in.id, &e);
	mcp_op_reply(o, 404, buf_str(&out));
}

static void begin(struct mcp_op *o, struct str message, const struct mcp_serve_headers *headers)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!mcp_serve_request_read(o->op.mem, message, headers, &o->in)) {
		mcp_serve_reply_error(&out, o->in.id, &o->in.error);
		mcp_op_reply(o, o->in.error.http, buf_str(&out));
	} else if (is_of_ended_session(o)) {
		fail_ended(o);
	} else if (!may_begin(o)) {
		mcp_op_fail(o, MCP_SERVE_INVALID_REQUEST, STR("This token lacks the scope read."));
	} else {
		if (!o->in.is_modern)
			recall(o);
		dispatch(o);
	}
}

static void begin_line(struct mcp_op *o, struct str message)
{
	begin(o, message, NULL);
}

/* In the memory of the op: the headers go when its stream begins. */
static struct str header_of(struct mcp_op *o, const char *name)
{
	return arena_keep(o->op.mem, http_parse_find(&o->op.req->in, str_from(name)));
}

void mcp_edge_open(struct mcp_edge *edge, struct http_request *req, const struct caller *caller)
{
	struct mcp_op *o = mcp_op_new(edge, req, NULL, caller);
	struct mcp_serve_headers headers = {
		.version = header_of(o, "mcp-protocol-version"),
		.method = header_of(o, "mcp-method"),
		.name = header_of(o, "mcp-name"),
		.session = header_of(o, "mcp-session-id"),
	};

	begin(o, req->in.body, &headers);
}

void mcp_edge_open_session(struct mcp_edge *edge, struct http_request *req,
                           const struct caller *caller)
{
	struct mcp_op *o = mcp_op_new(edge, req, NULL, caller);
	bool is_end = str_eq(req->in.method, STR("DELETE"));

	o->in = (struct mcp_serve_request){ .version = STR(MCP_SERVE_LEGACY),
		                            .session = header_of(o, "mcp-session-id") };
	if (is_end)
		mcp_edge_session_end(o);
	else
		mcp_edge_session_stream(o);
}

/* ---- life ---- */

struct mcp_edge *mcp_edge_new(struct serve *s, struct error *e)
{
	struct mcp_edge *edge = memory_zeroed(1, sizeof *edge);

	edge->serve = s;
	list_init(&edge->lines);
	list_init(&edge->requests);
	edge->begin = begin_line;
	edge->finish = mcp_edge_publish_finish;
	edge->left = mcp_edge_session_left;
	mcp_session_init_all(&edge->sessions);
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
	mcp_session_done_all(&edge->sessions);
	memory_free(edge);
}
