/*
 * What clients of earlier revisions say once and what they get for it: the level of messages, and
 * changes of resources.
 *
 *   subscribe ──► (which published server has it) ──► kept in the session
 *   the stream: events of our own sessions, and one ask_tool_server (watch_resources) for each server
 *
 * Over HTTP the stream is a GET; over lines it begins with the first subscription.
 */
#include "serve/mcp/mcp_op.h"

#include "base/gen/words.h"
#include "base/memory.h"

#define TOGETHER_MS 100 /* changes within this time are one */
#define AGAIN_MS 5000   /* after a server did not answer */

/* Waits for changes at one server. */
struct mcp_watch {
	struct list node; /* of the stream */
	struct mcp_op *o;
	struct control_call call;
	struct buf params;
	struct str server; /* in mem */
	struct arena *mem;
	struct loop_timer again;
	int64_t after; /* -1: not known yet */
	bool is_calling;
};

static struct mcp_session *session_of(struct mcp_op *o)
{
	struct mcp_session *s = o->session;

	if (s || !str_is(o->in.session) || o->in.session.len > MCP_SERVE_SESSION_MAX)
		return s;
	s = mcp_session_find(&o->edge->sessions, o->in.session, o->op.caller.principal);
	return s ? s : mcp_session_add(&o->edge->sessions, o->in.session, o->op.caller.principal);
}

static void reply_empty(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

/* ---- the stream ---- */

static void on_flush(struct loop_timer *t)
{
	struct mcp_op *o = OWNER_OF(t, struct mcp_op, patience);
	struct mcp_session *s = o->session;

	for (size_t i = 0; i < s->uri_count; i++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		if (!s->uris[i].has_changed)
			continue;
		s->uris[i].has_changed = false;
		mcp_serve_reply_updated(&out, &o->in, s->uris[i].uri);
		mcp_op_add(o, buf_str(&out));
	}
	mcp_op_flush(o);
}

static void flush_soon(struct mcp_op *o)
{
	if (!loop_timer_is_running(&o->patience))
		loop_timer_start(o->edge->serve->loop, &o->patience, TOGETHER_MS, on_flush);
}

static void on_event(struct mcp_op *o, struct json event)
{
	struct mcp_session *s = o->session;
	bool is_any = false;

	for (size_t i = 0; i < s->uri_count; i++)
		if (mcp_edge_listen_concerns(s->uris[i].uri, event))
			is_any = s->uris[i].has_changed = true;
	if (is_any)
		flush_soon(o);
}

static void on_end(struct mcp_op *o)
{
	if (o->lines || !o->op.is_begun)
		turn_op_drop(&o->op);
	else
		turn_op_end_stream(&o->op);
}

static const struct mcp_op_listener listener = { .event = on_event, .end = on_end };

/* ---- changes at published servers ---- */

static void watch_begin(struct mcp_watch *x);

static void watch_free(struct mcp_watch *x)
{
	struct control *c = x->o->edge->serve->control;

	if (x->is_calling)
		c->ops->forget(c, &x->call);
	loop_timer_stop(&x->again);
	list_remove(&x->node);
	buf_done(&x->params);
	arena_free(x->mem);
	memory_free(x);
}

static void on_again(struct loop_timer *t)
{
	watch_begin(OWNER_OF(t, struct mcp_watch, again));
}

static void take_changes(struct mcp_watch *x, struct json uris)
{
	struct mcp_session *s = x->o->session;
	struct json_iter it = json_iter(uris);
	struct json each;
	struct str key;

	while (json_type(uris) == JSON_ARR && json_next(&it, &key, &each))
		for (size_t i = 0; i < s->uri_count; i++)
			if (str_is(json_str(each)) && str_eq(s->uris[i].uri, json_str(each)) &&
			    str_eq(s->uris[i].server, x->server)) {
				s->uris[i].has_changed = true;
				flush_soon(x->o);
			}
}

/* From the loop, because the runtime may have answered from inside the call. */
static void watched(struct control_call *call, const struct control_answer *a)
{
	struct mcp_watch *x = OWNER_OF(call, struct mcp_watch, call);
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json reply, result;
	int wait_ms = AGAIN_MS;

	x->is_calling = false;
	if (a->code == ERROR_CODE_TOO_MANY_OPEN) {
		/* Others took the places while the stream was not open: the client has to see that. */
		turn_op_conclude(&x->o->op);
		return;
	}
	if (!a->code && json_read_trusted(mem, a->body, &reply, NULL) == OK) {
		result = JSON_GET(reply, "result");
		x->after = json_int(JSON_GET(result, "after"), -1);
		take_changes(x, JSON_GET(result, "uris"));
		wait_ms = TOGETHER_MS;
	}
	loop_timer_start(x->o->edge->serve->loop, &x->again, wait_ms, on_again);
}

static void watch_begin(struct mcp_watch *x)
{
	const struct mcp_session *s = x->o->session;
	struct control *c = x->o->edge->serve->control;
	struct json_writer w;

	buf_clear(&x->params);
	jw_init(&w, &x->params);
	jw_obj(&w);
	JW_KSTR(&w, "server", x->server);
	JW_KOPT(&w, "cwd", x->o->cwd);
	JW_KSTR(&w, "method", STR(WORD_TOOL_SERVER_METHOD_WATCH_RESOURCES));
	JW_KEY(&w, "params");
	jw_obj(&w);
	if (x->after >= 0)
		JW_KINT(&w, "after", x->after);
	JW_KEY(&w, "uris");
	jw_arr(&w);
	for (size_t i = 0; i < s->uri_count; i++)
		if (str_is(s->uris[i].server) && str_eq(s->uris[i].server, x->server))
			jw_str(&w, s->uris[i].uri);
	jw_arr_end(&w);
	jw_obj_end(&w);
	jw_obj_end(&w);
	x->call = (struct control_call){ .caller = x->o->op.caller,
		                         .command = STR("ask_tool_server"),
		                         .params = buf_str(&x->params),
		                         .done = watched };
	x->is_calling = true;
	c->ops->call(c, &x->call);
}

static struct mcp_watch *find_watch(struct mcp_op *o, struct str server)
{
	LIST_EACH (&o->watches, node) {
		struct mcp_watch *x = LIST_ITEM(node, struct mcp_watch, node);

		if (str_eq(x->server, server))
			return x;
	}
	return NULL;
}

/* Asks again with the addresses of now; the number says what changed in between. */
static void watch_server(struct mcp_op *o, struct str server)
{
	struct mcp_watch *x = find_watch(o, server);
	struct control *c = o->edge->serve->control;

	if (!x) {
		x = memory_zeroed(1, sizeof *x);
		x->mem = arena_new_small();
		x->server = arena_keep(x->mem, server);
		x->o = o;
		x->after = -1;
		list_add(&o->watches, &x->node);
	}
	if (x->is_calling)
		c->ops->forget(c, &x->call);
	x->is_calling = false;
	loop_timer_start(o->edge->serve->loop, &x->again, 0, on_again);
}

static void watch_all(struct mcp_op *o)
{
	const struct mcp_session *s = o->session;

	for (size_t i = 0; i < s->uri_count; i++)
		if (str_is(s->uris[i].server))
			watch_server(o, s->uris[i].server);
}

static void begin_stream(struct mcp_op *o, struct mcp_session *s)
{
	o->listener = &listener;
	o->session = s;
	s->stream = o;
	mcp_op_begin_stream(o);
	mcp_op_flush(o);
	turn_op_listen(&o->op);
	watch_all(o);
}

void mcp_edge_session_left(struct mcp_op *o)
{
	LIST_EACH_SAFE (&o->watches, node, next)
		watch_free(LIST_ITEM(node, struct mcp_watch, node));
	if (o->session && o->session->stream == o)
		o->session->stream = NULL;
}

/* One stream of a session: a second one takes its place. */
void mcp_edge_session_stream(struct mcp_op *o)
{
	struct mcp_session *s =
		mcp_session_find(&o->edge->sessions, o->in.session, o->op.caller.principal);

	if (!s || !mcp_op_takes_stream(o)) {
		mcp_op_reply(o, s ? 406 : 404, STR(""));
		return;
	}
	if (s->stream)
		s->stream->listener->end(s->stream);
	begin_stream(o, s);
}

void mcp_edge_session_end(struct mcp_op *o)
{
	struct mcp_session *s =
		mcp_session_find(&o->edge->sessions, o->in.session, o->op.caller.principal);

	if (s && s->stream)
		s->stream->listener->end(s->stream);
	if (s)
		mcp_session_end(s);
	mcp_op_reply(o, s ? 204 : 404, STR(""));
}

/* ---- subscriptions ---- */

static void keep_subscription(struct mcp_op *o, struct str server)
{
	struct mcp_session *s = session_of(o);

	if (!mcp_session_subscribe(s, o->in.name, server)) {
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS,
		            STR("A session has at most 64 subscriptions, to addresses of at most "
		                "2048 bytes."));
		return;
	}
	if (!s->stream && o->lines)
		begin_stream(o->line_ops->beside(o->lines), s);
	else if (s->stream && str_is(server))
		watch_server(s->stream, server);
	reply_empty(o);
}

static void watchable(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);

	if (a->code)
		mcp_op_fail_answer(o, a);
	else
		keep_subscription(o, o->edge->serve->opt.publish.items[o->server].server);
}

/* A first request to the server, which is answered at once, says whether it can be watched. */
static void subscribe(struct mcp_op *o, struct str server)
{
	struct json_writer w = mcp_op_params(o);

	JW_KSTR(&w, "server", server);
	JW_KOPT(&w, "cwd", o->cwd);
	JW_KSTR(&w, "method", STR(WORD_TOOL_SERVER_METHOD_WATCH_RESOURCES));
	JW_KEY(&w, "params");
	jw_obj(&w);
	JW_KEY(&w, "uris");
	jw_arr(&w);
	jw_str(&w, o->in.name);
	jw_arr_end(&w);
	jw_obj_end(&w);
	jw_obj_end(&w);
	turn_op_call(&o->op, "ask_tool_server", STR_NONE, watchable);
}

static void fail_missing(struct mcp_op *o)
{
	mcp_op_fail(o, MCP_SERVE_NO_RESOURCE, STR("Resource not found"));
}

static void begin_subscription(struct mcp_op *o)
{
	struct str session_id, of_session;
	enum mcp_serve_uri kind;

	if (!mcp_serve_id_read_uri(o->in.name, &kind, &session_id, &of_session))
		mcp_edge_resource_find(o, subscribe, fail_missing);
	else
		keep_subscription(o, STR_NONE);
}

static void set_level(struct mcp_op *o)
{
	if (!mcp_serve_request_is_level(o->in.name)) {
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS, STR("There is no such level."));
		return;
	}
	mcp_session_set_level(session_of(o), o->in.name);
	reply_empty(o);
}

void mcp_edge_session(struct mcp_op *o)
{
	if (!session_of(o)) {
		mcp_op_fail(o, MCP_SERVE_INVALID_REQUEST,
		            STR("It needs the session that initialize began (Mcp-Session-Id)."));
		return;
	}
	switch (o->in.method) {
	case MCP_SERVE_SET_LEVEL:
		set_level(o);
		return;
	case MCP_SERVE_SUBSCRIBE:
		begin_subscription(o);
		return;
	default:
		mcp_session_unsubscribe(session_of(o), o->in.name);
		reply_empty(o);
	}
}
