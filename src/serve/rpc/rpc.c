/*
 * One JSON-RPC connection: calls in flight, limits on them, and the order of its
 * end.  Subscriptions are in rpc_sub.c, the first call in rpc_init.c.
 */
#include "serve/rpc/rpc.h"

#include "base/memory.h"
#include "serve/http/console.h"
#include "serve/auth/lend.h"
#include "serve/auth/pair.h"

#include "serve/http/problem.h"

#include <stdlib.h>

#define STALL_MS 5000 /* of a connection that ends */
#define LINGER_MS 2000

/*
 * A command on its way through the control.  method and params are copied, because the
 * line they came from is freed before the reply.
 */
struct rpc_call {
	struct control_call call;
	struct list node;
	struct rpc *c;
	struct jsonrpc_call *reply; /* NULL: a notification */
	struct pair_offer *offer;   /* it is pair_device; NULL: another command */
	char text[];                /* method and params */
};

/* ---- writing ---- */

size_t rpc_pending(const struct rpc *c)
{
	return c->ws ? websocket_pending(c->ws) : c->s ? stream_write_pending(c->s) : 0;
}

void rpc_send(struct rpc *c, struct str text)
{
	keepalive_wrote(&c->keepalive, text.len);
	if (c->ws) {
		websocket_send_text(c->ws, text);
	} else if (c->s) {
		stream_write(c->s, text);
		stream_write(c->s, STR("\n"));
	}
}

#define EVENT_HEAD STR("{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":")
#define EVENT_TAIL STR("}")

/*
 * Over lines the stored bytes are shared and not copied; a WebSocket frame needs its
 * length first and is written in one piece.
 */
void rpc_send_event(struct rpc *c, struct bytes *body)
{
	if (c->ws) { /* one frame is one piece */
		struct buf text = { 0 };

		buf_add_str(&text, EVENT_HEAD);
		buf_add_str(&text, bytes_str(body));
		buf_add_str(&text, EVENT_TAIL);
		rpc_send(c, buf_str(&text));
		buf_done(&text);
	} else if (c->s) {
		keepalive_wrote(&c->keepalive, body->len);
		stream_write(c->s, EVENT_HEAD);
		stream_write_bytes(c->s, body);
		stream_write(c->s, STR("}\n"));
	}
}

void rpc_reply(struct jsonrpc_call *reply, struct buf *result)
{
	if (reply)
		jsonrpc_reply(reply, buf_str(result));
	buf_done(result);
}

void rpc_refuse(struct jsonrpc_call *reply, enum error_code code, struct str detail)
{
	struct buf problem = { 0 };

	if (!reply)
		return;
	problem_write(&problem, code, 0, detail);
	jsonrpc_reply_error(reply, error_infos[code].jsonrpc, error_infos[code].title,
	                    buf_str(&problem));
	buf_done(&problem);
}

/* ---- the end ---- */

/* The connection ends in order: replies that are written still go out. */
static void rpc_finish(struct rpc *c)
{
	if (c->is_ending)
		return;
	c->is_ending = true;
	loop_timer_stop(&c->again);
	buf_done(&c->ahead);
	if (c->ws)
		websocket_close(c->ws, 1001, STR("the runtime is stopping"));
	else if (c->s)
		stream_finish(c->s, STALL_MS, LINGER_MS);
}

/*
 * Whether nothing more will happen here.  Draining discards what was read ahead: those
 * calls have not begun.
 */
static bool is_done(const struct rpc *c)
{
	bool takes_no_more = c->is_eof || c->serve->is_draining;

	return takes_no_more && !c->call_count && !c->sub_count &&
	       (!c->ahead.len || c->serve->is_draining);
}

/* What the log records about the channel's end. */
static enum disconnect_cause why_gone(const struct rpc *c)
{
	if (c->serve->is_draining)
		return DISCONNECT_CAUSE_SHUTDOWN;
	if (c->is_lagging)
		return DISCONNECT_CAUSE_LAGGING;
	return c->ws && websocket_was_silent(c->ws) ? DISCONNECT_CAUSE_HEARTBEAT_MISSED
	                                            : DISCONNECT_CAUSE_CLOSED;
}

/* Forgets calls and subscriptions; the control may still finish their work. */
static void call_free(struct rpc_call *rc)
{
	pair_offer_free(rc->offer);
	free(rc);
}

static void forget_all(struct rpc *c)
{
	struct control *control = c->serve->control;

	/* The peer first: replies from below are then dropped. */
	jsonrpc_free(c->peer);
	c->peer = NULL;
	while (!list_is_empty(&c->calls)) {
		struct rpc_call *call = LIST_ITEM(c->calls.next, struct rpc_call, node);

		control->ops->forget(control, &call->call);
		rpc_refuse(call->reply, ERROR_CODE_SHUTTING_DOWN, STR_NONE);
		list_remove(&call->node);
		call_free(call);
	}
	c->call_count = 0;
	rpc_sub_drop_all(c, false);
	if (c->channel)
		control->ops->leave(control, c->channel, why_gone(c));
	c->channel = NULL;
}

/*
 * Takes the connection out of the server while its stream or WebSocket still closes.
 * line_count was raised in rpc_open_websocket() too, until the upgrade succeeded.
 */
static void rpc_detach(struct rpc *c)
{
	if (!c->serve)
		return;
	forget_all(c);
	lend_end(c->serve, &c->caller);
	loop_timer_stop(&c->again);
	buf_done(&c->ahead);
	keepalive_stop(&c->serve->pulses, &c->keepalive);
	list_remove(&c->node);
	c->serve->line_count -= !c->ws;
	serve_state_touch(c->serve);
	c->serve = NULL;
}

/* The connection is closed for good. */
static void rpc_free(struct rpc *c)
{
	bool is_told = c->serve && c->on_gone;

	rpc_detach(c);
	if (is_told)
		c->on_gone(c->on_gone_arg);
	free(c);
}

void rpc_drop(struct rpc *c)
{
	rpc_detach(c);
	c->is_ending = true;
	if (c->s)
		stream_close(c->s);
	/* A WebSocket is the HTTP server's to close. */
}

/* ---- reading ---- */

/*
 * Two reasons to stop reading: too many calls without reply, or replies that the peer
 * does not read.
 */
static bool is_full(const struct rpc *c)
{
	return c->call_count >= c->serve->opt.in_flight_max ||
	       rpc_pending(c) > c->serve->opt.client_buffer_max;
}

/* Backpressure reaches the peer through the kernel: what is not read here fills its send buffer. */
static void set_reading(struct rpc *c)
{
	c->is_held = c->ahead.len || is_full(c) || c->serve->is_draining;
	if (c->ws)
		(c->is_held ? websocket_pause : websocket_resume)(c->ws);
	else
		(c->is_held ? stream_pause : stream_resume)(c->s);
}

void rpc_drain(struct rpc *c)
{
	if (is_done(c))
		rpc_finish(c);
	else if (!c->is_ending)
		set_reading(c);
}

/* The next whole line, or what there is. */
static struct str first_line(struct str bytes)
{
	ptrdiff_t end = str_find_char(bytes, '\n');

	return end < 0 ? bytes : str_head(bytes, (size_t)end + 1);
}

/* A WebSocket's messages are kept with their length before them. */
static struct str first_message(struct str bytes)
{
	uint32_t len;

	memcpy(&len, bytes.ptr, sizeof len);
	return str_of(bytes.ptr, sizeof len + len);
}

/* Line by line, so that no more calls start than the limit allows. */
static void rpc_feed(struct rpc *c, struct str bytes)
{
	bool is_bad = false;

	while (bytes.len && !is_full(c) && !c->is_ending && !is_bad) {
		struct str part = c->ws ? first_message(bytes) : first_line(bytes);

		if (c->ws)
			jsonrpc_feed_message(c->peer, str_skip(part, sizeof(uint32_t)));
		else
			is_bad = !jsonrpc_feed(c->peer, part);
		bytes = str_skip(bytes, part.len);
	}
	if (is_bad)
		rpc_finish(c); /* too long a line; the answer is written */
	else if (!c->is_ending)
		buf_add_str(&c->ahead, bytes);
}

/* Continues with what was read ahead, then decides whether to read on, wait or end. */
static void read_or_end(struct rpc *c)
{
	struct buf ahead = c->ahead;

	c->ahead = (struct buf){ 0 };
	rpc_feed(c, buf_str(&ahead));
	buf_done(&ahead);
	if (c->is_ending)
		return;
	if (c->is_eof && !c->ahead.len)
		jsonrpc_feed_end(c->peer); /* a last line without its end */
	if (is_done(c))
		rpc_finish(c);
	else if (!c->is_eof)
		set_reading(c);
}

static void on_again(struct loop_timer *t)
{
	read_or_end(OWNER_OF(t, struct rpc, again));
}

void rpc_settle(struct rpc *c)
{
	/* Not from here, because this may run inside a reply. */
	if ((c->is_held || c->is_eof) && !c->is_ending && !is_full(c))
		loop_timer_start(c->serve->loop, &c->again, 0, on_again);
}

/* ---- messages ---- */

static void response_offer(struct rpc_call *rc, struct str changed)
{
	struct buf reply = { 0 };

	pair_offer_reply(rc->c->serve, rc->offer, changed, &reply);
	rpc_reply(rc->reply, &reply);
	buf_done(&reply);
}

/*
 * A successful reconnect_channel also begins a subscription, so its reply is sent by
 * rpc_sub_follow().
 */
static void on_done(struct control_call *call, const struct control_answer *a)
{
	struct rpc_call *rc = OWNER_OF(call, struct rpc_call, call);
	struct rpc *c = rc->c;

	list_remove(&rc->node);
	c->call_count--;
	if (rc->reply && a->code)
		jsonrpc_reply_error(rc->reply, a->jsonrpc, a->title, a->body);
	else if (str_eq(call->command, command_classes[COMMAND_RECONNECT_CHANNEL].name) && !a->code)
		rpc_sub_follow(c, rc->reply, call->params, a->body);
	else if (rc->reply && rc->offer)
		response_offer(rc, a->body);
	else if (rc->reply)
		jsonrpc_reply(rc->reply, a->body);
	call_free(rc);
	rpc_settle(c);
}

/* Every other method is a command; the control refuses unknown names. */
/* Trace context of one call: a member of `_meta` of its params, as in MCP, or of the params. */
static struct str trace_member(struct json params, const char *name)
{
	struct json meta = JSON_GET(params, "_meta");
	struct str found = json_str(json_get(meta, str_from(name)));

	return str_is(found) ? found : json_str(json_get(params, str_from(name)));
}

/* Arguments of the command alone: an unknown one would be refused. */
static struct str without_trace(struct arena *mem, struct json params)
{
	static const struct str names[] = { STR("_meta"), STR("traceparent"), STR("tracestate") };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(params);
	struct json_writer w;
	struct json each;
	struct str key;

	jw_init(&w, &out);
	jw_obj(&w);
	while (json_next(&it, &key, &each)) {
		size_t i = 0;

		while (i < COUNT_OF(names) && !str_eq(key, names[i]))
			i++;
		if (i < COUNT_OF(names))
			continue;
		jw_key(&w, key);
		jw_raw(&w, json_text(mem, each));
	}
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

static bool has_trace(struct json params)
{
	return json_is(JSON_GET(params, "_meta")) || json_is(JSON_GET(params, "traceparent")) ||
	       json_is(JSON_GET(params, "tracestate"));
}

/* The next part of the call's own text. */
static struct str call_text(struct rpc_call *rc, size_t *at, struct str part)
{
	struct str kept = str_is(part) ? str_of(rc->text + *at, part.len) : STR_NONE;

	if (part.len)
		memcpy(rc->text + *at, part.ptr, part.len);
	*at += part.len;
	return kept;
}

/* It has its reply, command and params, and perhaps a trace. */
static void send_call(struct rpc *c, struct rpc_call *rc)
{
	struct trace_context trace = rc->call.caller.trace;

	rc->c = c;
	rc->call.caller = c->caller;
	rc->call.caller.trace = trace;
	rc->call.done = on_done;
	rc->call.owner = rc;
	list_init(&rc->node);
	list_add(&c->calls, &rc->node);
	c->call_count++;
	c->serve->control->ops->call(c->serve->control, &rc->call);
}

static void call_command(struct rpc *c, const struct jsonrpc_message *m)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str params =
		has_trace(m->params) ? without_trace(mem, m->params) : json_text(mem, m->params);
	struct str parent = trace_member(m->params, "traceparent");
	struct str state = trace_member(m->params, "tracestate");
	size_t at = 0;
	struct rpc_call *rc =
		memory_zeroed(1, sizeof *rc + m->method.len + params.len + parent.len + state.len);

	rc->reply = m->call;
	rc->call.command = call_text(rc, &at, m->method);
	rc->call.params = call_text(rc, &at, params);
	parent = call_text(rc, &at, parent);
	trace_context_read(parent, call_text(rc, &at, state), &rc->call.caller.trace);
	send_call(c, rc);
}

static void response_ping(struct rpc *c, struct jsonrpc_call *reply, struct json params)
{
	(void)c;
	(void)params;
	if (reply)
		jsonrpc_reply(reply, STR("{}"));
}

static void response_open_console(struct rpc *c, struct jsonrpc_call *reply, struct json params)
{
	struct buf result = { 0 };
	struct error detail;
	enum error_code code = console_open(c->serve, &c->caller, &result, &detail);

	(void)params;
	if (code)
		rpc_refuse(reply, code, str_from(detail.message));
	else if (reply)
		rpc_reply(reply, &result);
	buf_done(&result);
}

static void response_lend_keys(struct rpc *c, struct jsonrpc_call *reply, struct json params)
{
	struct buf result = { 0 };
	struct error detail = { 0 };
	enum error_code code = lend_take(c->serve, &c->caller, params, &result, &detail);

	if (code)
		rpc_refuse(reply, code, str_from(detail.message));
	else if (reply)
		rpc_reply(reply, &result);
	buf_done(&result);
}

static void response_list_issuers(struct rpc *c, struct jsonrpc_call *reply, struct json params)
{
	struct buf result = { 0 };
	struct error detail = { 0 };
	enum error_code code = pair_list(c->serve, &c->caller, params, &result, &detail);

	if (code)
		rpc_refuse(reply, code, str_from(detail.message));
	else if (reply)
		rpc_reply(reply, &result);
	buf_done(&result);
}

static void response_pair_device(struct rpc *c, struct jsonrpc_call *reply, struct json params)
{
	struct error detail = { 0 };
	struct pair_offer *offer;
	enum error_code code = pair_offer_new(c->serve, &c->caller, params, &offer, &detail);
	struct rpc_call *rc;

	if (code) {
		rpc_refuse(reply, code, str_from(detail.message));
		return;
	}
	rc = memory_zeroed(1, sizeof *rc);
	rc->reply = reply;
	rc->offer = offer;
	rc->call.command = command_classes[COMMAND_CHANGE_DEVICE].name;
	rc->call.params = offer->params;
	rc->call.is_own = true;
	send_call(c, rc);
}

/* Of `thole rpc`, which joins its stdin and stdout to our socket: so the peer is on stdio. */
static void take_via(struct rpc *c, struct jsonrpc_call *reply, struct json params)
{
	bool is_stdio = str_eq(json_str(JSON_GET(params, "via")), STR("stdio"));

	if (!is_stdio || c->ws || c->is_initialized) {
		rpc_refuse(reply, ERROR_CODE_INVALID_VALUE, STR("via: stdio, before initialize"));
		return;
	}
	c->caller.via = STR("stdio");
	response_ping(c, reply, params);
}

/*
 * Methods that concern the connection or the server and not a session.  Strangers may
 * use those that let them authenticate.
 */
static const struct {
	const char *name;
	void (*response)(struct rpc *c, struct jsonrpc_call *reply, struct json params);
	bool is_for_strangers;
} methods[] = {
	{ "initialize", rpc_init_connection, true },
	{ "ping", response_ping, true },
	{ "via", take_via, true },
	{ "subscribe_events", rpc_sub_subscribe, false },
	{ "unsubscribe_events", rpc_sub_unsubscribe, false },
	{ "open_console", response_open_console, false },
	{ "lend_keys", response_lend_keys, false },
	{ "pair_device", response_pair_device, false },
	{ "list_issuers", response_list_issuers, false },
};

/*
 * A stranger gets the same refusal for every method but those meant for strangers, so
 * that it cannot find out which methods exist.
 */
static void on_message(void *user, const struct jsonrpc_message *m)
{
	struct rpc *c = user;
	size_t i = 0;

	if (m->kind == JSONRPC_RESULT || m->kind == JSONRPC_ERROR)
		return; /* we have sent no request */
	if (json_type(m->params) == JSON_ARR) {
		rpc_refuse(m->call, ERROR_CODE_INVALID_TYPE, STR("params must be an object"));
		return;
	}
	while (i < COUNT_OF(methods) && !str_eq(m->method, str_from(methods[i].name)))
		i++;
	if (c->serve->control->ops->is_usable &&
	    !c->serve->control->ops->is_usable(c->serve->control, &c->caller))
		rpc_refuse(m->call, ERROR_CODE_UNAUTHORIZED,
		           STR("the token was revoked or has expired"));
	else if (!c->is_known && !(i < COUNT_OF(methods) && methods[i].is_for_strangers))
		rpc_refuse(m->call, ERROR_CODE_UNAUTHORIZED,
		           STR("call initialize with {\"token\": ...} first"));
	else if (i < COUNT_OF(methods))
		methods[i].response(c, m->call, m->params);
	else
		call_command(c, m);
}

static void on_send(void *user, struct str text)
{
	rpc_send(user, text);
}

static const struct jsonrpc_ops peer_ops = { .on_message = on_message, .send = on_send };

/* ---- the connection ---- */

static void on_drain(struct rpc *c)
{
	if (!c->serve || c->is_ending)
		return;
	rpc_sub_resume_all(c);
	rpc_settle(c);
}

/*
 * A peer that reads nothing for stall_ms is disconnected; its pending replies would
 * otherwise stay in memory.  A WebSocket's close frame waits behind the unread bytes,
 * so it gets close_ms more.
 */
static void on_beat(struct keepalive *p)
{
	struct rpc *c = OWNER_OF(p, struct rpc, keepalive);

	if (!keepalive_is_stalled(&c->serve->pulses, p, rpc_pending(c))) {
		rpc_sub_tick(c);
		return;
	}
	c->is_lagging = true;
	if (c->s) {
		stream_close(c->s);
	} else if (!c->is_ending) {
		c->is_ending = true; /* its close waits behind what is not read: give it close_ms */
		websocket_close(c->ws, 1008, STR("too slow"));
	}
}

static struct rpc *rpc_new(struct serve *s, const struct caller *caller)
{
	struct rpc *c = memory_zeroed(1, sizeof *c);
	struct jsonrpc_options opt = {
		.line_max = s->opt.body_max,
		.batch_max = LIMIT_REQUESTS_IN_FLIGHT,
		/* A batch may begin when all but one are in flight; it is never refused. */
		.calls_max = s->opt.in_flight_max + LIMIT_REQUESTS_IN_FLIGHT +
		             LIMIT_SUBSCRIPTIONS_PER_CONNECTION,
	};

	c->serve = s;
	c->caller = *caller;
	/* of the request that opened it, not of its calls */
	c->caller.trace = (struct trace_context){ 0 };
	c->is_known = caller->scopes != 0;
	list_init(&c->calls);
	list_init(&c->subs);
	list_init(&c->node);
	list_add(&s->rpcs, &c->node);
	c->peer = jsonrpc_new(&opt, &peer_ops, c);
	keepalive_start(&s->pulses, &c->keepalive, on_beat);
	return c;
}

static void line_on_read(struct stream *s, struct str bytes)
{
	struct rpc *c = stream_user(s);

	if (c->is_ending)
		return;
	if (c->ahead.len)
		buf_add_str(&c->ahead, bytes);
	else
		rpc_feed(c, bytes);
	if (!c->is_ending)
		set_reading(c);
}

/*
 * The peer may have closed only its side, as a client with piped input does: open calls
 * still get their replies.  Followers end, because a reader that is gone could not be
 * noticed.
 */
static void line_on_eof(struct stream *s)
{
	struct rpc *c = stream_user(s);

	c->is_eof = true;
	rpc_sub_drop_all(c, true); /* its leaving could not be noticed any more */
	read_or_end(c);
}

static void line_on_gone(struct stream *s)
{
	stream_close(s);
}

static void line_on_drain(struct stream *s)
{
	on_drain(stream_user(s));
}

static void line_on_closed(struct stream *s)
{
	struct rpc *c = stream_user(s);

	c->s = NULL;
	rpc_free(c);
}

static const struct stream_ops line_ops = {
	.on_read = line_on_read,
	.on_eof = line_on_eof,
	.on_gone = line_on_gone,
	.on_drain = line_on_drain,
	.on_closed = line_on_closed,
};

void rpc_open_lines(struct serve *s, struct stream *stream, const struct caller *caller,
                    void (*on_gone)(void *arg), void *arg)
{
	struct rpc *c = rpc_new(s, caller);

	/* Known without a token: the owner's own process, by the kernel's word. */
	if (caller->scopes)
		c->caller.connection = ++s->lenders;
	c->s = stream;
	c->on_gone = on_gone;
	c->on_gone_arg = arg;
	s->line_count++;
	stream_low_water(stream, s->low_water);
	stream_own(stream, &line_ops, c);
	stream_resume(stream);
}

static void ws_on_text(struct ws *w, struct str text)
{
	struct rpc *c = websocket_user(w);
	uint32_t len = (uint32_t)text.len;

	if (!c->serve || c->is_ending)
		return;
	if (c->ahead.len || is_full(c)) {
		buf_add(&c->ahead, &len, sizeof len);
		buf_add_str(&c->ahead, text);
	} else {
		jsonrpc_feed_message(c->peer, text);
	}
	set_reading(c);
}

static void ws_on_drain(struct ws *w)
{
	on_drain(websocket_user(w));
}

static void ws_on_closed(struct ws *w, int code)
{
	struct rpc *c = websocket_user(w);

	(void)code;
	rpc_free(c);
}

static const struct ws_ops ws_ops = {
	.on_text = ws_on_text,
	.on_drain = ws_on_drain,
	.on_closed = ws_on_closed,
};

/* rpc_new() comes before the upgrade, because the WebSocket needs its owner. */
void rpc_open_websocket(struct serve *s, struct http_request *req, const struct caller *caller)
{
	struct ws_options opt = { .message_max = s->opt.body_max };
	struct rpc *c = rpc_new(s, caller);

	c->caller.via = STR("websocket");
	s->line_count++; /* rpc_detach() takes it back if there is no WebSocket */
	c->ws = http_reply_upgrade_websocket(req, STR_NONE, &opt, &ws_ops, c);
	if (c->ws)
		s->line_count--;
	else
		rpc_free(c);
}
