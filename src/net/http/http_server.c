/*
 * Connections of the HTTP server: accepting, reading requests one after the
 * other, timeouts, limits per peer, draining.
 */
#include "net/http/http_server.h"

#include "base/gen/limits.h"

#include "base/arena.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "net/http/http_conn.h"

#include <stdio.h>
#include <stdlib.h>

/* A client that sends requests and reads no replies is not read further above this. */
#define PIPELINE_PENDING_MAX ((size_t)256 * 1024)

/* ---- life of a connection ---- */

static void forget_peer(struct http_server *srv, struct peer *p)
{
	if (!p || --p->count)
		return;
	map_remove(&srv->peers, str_from(p->address));
	free(p);
}

/* Connections may outlive http_server_free(): their streams are closed by the loop later. */
static void server_unless_used(struct http_server *srv)
{
	if (!srv->is_freed || srv->count)
		return;
	map_done(&srv->peers);
	free(srv);
}

void http_server_conn_free(struct conn *c)
{
	struct http_server *srv = c->srv;

	loop_timer_stop(&c->timer);
	http_parse_done(&c->parser);
	buf_done(&c->ahead);
	list_remove(&c->node);
	forget_peer(srv, c->peer);
	free(c);
	srv->count--;
	server_unless_used(srv);
}

/* The struct waits for an open request, whose owner still holds a pointer into it. */
static void conn_on_closed(struct stream *s)
{
	struct conn *c = stream_user(s);

	c->s = NULL;
	loop_timer_stop(&c->timer);
	if (!c->req)
		http_server_conn_free(c);
	else if (!c->is_lost) { /* closed by loop_free() */
		c->is_lost = true;
		if (c->req->pub.on_closed)
			c->req->pub.on_closed(&c->req->pub);
	}
}

/* Drops everything at once.  The struct is freed in conn_on_closed(), or when its request ends. */
void http_server_conn_close(struct conn *c)
{
	c->is_lost = true;
	loop_timer_stop(&c->timer);
	buf_done(&c->ahead);
	http_parse_done(&c->parser);
	stream_close(c->s);
}

/* The peer is gone, or must be dropped.  May end the request, and free c. */
static void conn_lose(struct conn *c)
{
	if (c->is_lost)
		return;
	http_server_conn_close(c);
	if (c->req && c->req->pub.on_closed)
		c->req->pub.on_closed(&c->req->pub);
}

/* Accepts no further request; pending output is still sent. */
static void conn_finish(struct conn *c)
{
	c->is_ending = true;
	loop_timer_stop(&c->timer);
	buf_done(&c->ahead);
	http_parse_done(&c->parser);
	stream_finish(c->s, c->srv->opt.stall_ms, c->srv->opt.linger_ms);
}

static void refuse(struct conn *c, int status, const char *why)
{
	http_reply_write_refusal(c->srv, c->s, status, why);
	conn_finish(c);
}

/* ---- timers ---- */

static void on_idle_timer(struct loop_timer *t)
{
	struct conn *c = OWNER_OF(t, struct conn, timer);

	/*
	 * A slow reader of the last reply gets all the time it needs, a dead one does
	 * not.  Flush first: a turn may be long, and timers run before the flush.
	 */
	stream_write_flush(c->s);

	size_t pending = stream_write_pending(c->s);

	if (pending < c->last_pending) {
		c->last_pending = pending;
		loop_timer_start(c->srv->loop, t, c->srv->opt.idle_ms, on_idle_timer);
		return;
	}
	conn_lose(c);
}

/*
 * One deadline for the whole head and one for the whole body, not per byte: a client
 * that sends a byte now and then cannot hold a connection for ever.
 */
static void on_slow_timer(struct loop_timer *t)
{
	refuse(OWNER_OF(t, struct conn, timer), 408, "the request did not arrive in time");
}

static void wait_idle(struct conn *c)
{
	c->last_pending = stream_write_pending(c->s);
	loop_timer_start(c->srv->loop, &c->timer, c->srv->opt.idle_ms, on_idle_timer);
}

static bool is_waiting_idle(const struct conn *c)
{
	return loop_timer_is_running(&c->timer) && c->timer.cb == on_idle_timer;
}

/* ---- reading requests ---- */

/* No timer runs while a request is open: how long a reply takes is the handler's decision. */
static void open_request(struct conn *c)
{
	struct request *r = memory_zeroed(1, sizeof *r);

	loop_timer_stop(&c->timer);
	http_parse_take(&c->parser, &r->pub.in);
	r->conn = c;
	r->is_head = str_eq(r->pub.in.method, STR("HEAD"));
	r->is_http_1_0 = r->pub.in.is_http_1_0;
	r->keeps_alive = r->pub.in.wants_keep_alive;
	c->req = r;
	c->srv->handler->on_request(c->srv->user, &r->pub);
}

/* The handler states the body's limit by route, before 100 Continue invites the client to send. */
static void take_head(struct conn *c)
{
	const struct http_server *srv = c->srv;
	const struct http_message *head = http_parse_head(&c->parser);
	size_t max = srv->handler->body_max ? srv->handler->body_max(srv->user, head)
	                                    : srv->opt.body_max;

	if (!http_parse_body(&c->parser, max)) {
		refuse(c, c->parser.status, c->parser.why);
		return;
	}
	if (head->wants_continue)
		stream_write(c->s, STR("HTTP/1.1 100 Continue\r\n\r\n"));
	loop_timer_start(srv->loop, &c->timer, srv->opt.body_ms, on_slow_timer);
}

/* Parses one step; returns false when these bytes allow no further step now. */
static bool conn_parse_step(struct conn *c, struct str *bytes)
{
	switch (http_parse(&c->parser, bytes)) {
	case HTTP_WANTS_MORE:
		if (!http_parser_is_idle(&c->parser) && is_waiting_idle(c))
			loop_timer_start(c->srv->loop, &c->timer, c->srv->opt.header_ms,
			                 on_slow_timer);
		return false;
	case HTTP_HAS_HEAD:
		take_head(c);
		return !c->is_ending; /* a request without body is whole without further bytes */
	case HTTP_HAS_ALL:
		open_request(c);
		return bytes->len > 0;
	case HTTP_IS_BAD:
	default:
		refuse(c, c->parser.status, c->parser.why);
		return false;
	}
}

/* Keeps bytes that were read ahead. */
static void keep_ahead(struct conn *c, struct str bytes)
{
	buf_add_str(&c->ahead, bytes);
	stream_pause(c->s);
}

/*
 * Parses requests until one is open, the bytes are used up, or replies are pending.
 * Requests of one connection are answered one after the other (RFC 9112, section
 * 9.3.2), so the rest of the bytes is kept.
 *
 * is_running makes http_server_request_end() return here instead of continuing by
 * recursion: a client could otherwise exhaust the stack with pipelined requests that
 * are answered at once.
 */
static void conn_parse(struct conn *c, struct str bytes)
{
	bool has_more = bytes.len > 0;

	c->is_running = true;
	while (has_more && !c->req && !c->ws && !c->is_lost && !c->is_ending) {
		if (stream_write_pending(c->s) > MAX(PIPELINE_PENDING_MAX, c->srv->opt.low_water)) {
			c->is_blocked = true;
			break;
		}
		has_more = conn_parse_step(c, &bytes);
	}
	c->is_running = false;

	if (c->is_lost || c->is_ending)
		return;
	if (bytes.len) {
		keep_ahead(c, bytes);
		if (c->ws)
			http_server_conn_continue_soon(c);
	} else if (!c->req && !c->ws &&
	           (c->is_eof || (c->srv->is_draining && http_parser_is_idle(&c->parser)))) {
		conn_finish(c);
	} else {
		stream_resume(c->s);
	}
}

/*
 * Continues with the kept bytes: the next request, or a WebSocket's first frames.  The
 * buffer is taken out of the connection first, because conn_parse() may keep a part of it
 * again.
 */
static void conn_parse_ahead(struct conn *c)
{
	struct buf ahead = c->ahead;

	c->ahead = (struct buf){ 0 };
	c->is_blocked = false;
	if (c->ws) {
		stream_deliver(c->s, buf_str(&ahead));
		stream_resume(c->s);
	} else {
		conn_parse(c, buf_str(&ahead));
	}
	buf_done(&ahead);
}

static void on_continue_timer(struct loop_timer *t)
{
	struct conn *c = OWNER_OF(t, struct conn, timer);

	if (!c->ws)
		wait_idle(c);
	conn_parse_ahead(c);
}

/* From the loop, so that the next request does not begin inside the reply of the last. */
void http_server_conn_continue_soon(struct conn *c)
{
	loop_timer_start(c->srv->loop, &c->timer, 0, on_continue_timer);
}

static void conn_on_read(struct stream *s, struct str bytes)
{
	struct conn *c = stream_user(s);

	if (c->req || c->ahead.len)
		keep_ahead(c, bytes);
	else
		conn_parse(c, bytes);
}

/*
 * A client may close its side after its request and still read the reply.  For a
 * streamed reply the end of input counts as the end of the client.
 */
static void conn_on_eof(struct stream *s)
{
	struct conn *c = stream_user(s);

	c->is_eof = true;
	if (c->req && (c->req->has_begun || c->req->pub.ends_at_eof))
		conn_lose(c);
	else if (!c->req && !c->ahead.len)
		conn_finish(c);
}

static void conn_on_gone(struct stream *s)
{
	conn_lose(stream_user(s));
}

static void conn_on_drain(struct stream *s)
{
	struct conn *c = stream_user(s);

	if (c->req && c->req->has_begun && c->req->pub.on_drain)
		c->req->pub.on_drain(&c->req->pub);
	else if (c->is_blocked && !c->req)
		conn_parse_ahead(c);
}

static const struct stream_ops conn_ops = {
	.on_read = conn_on_read,
	.on_eof = conn_on_eof,
	.on_gone = conn_on_gone,
	.on_drain = conn_on_drain,
	.on_closed = conn_on_closed,
};

/* ---- ending requests ---- */

/*
 * The reply is written: the connection is kept, closed or continued.  Called by every
 * reply function, from inside on_request or much later.
 */
void http_server_request_end(struct request *r)
{
	struct conn *c = r->conn;
	bool keeps_alive = r->keeps_alive && !c->srv->is_draining;

	http_parse_message_done(&r->pub.in);
	forget_peer(c->srv, r->peer);
	free(r);
	c->req = NULL;
	if (!c->s) {
		http_server_conn_free(c);
	} else if (c->is_lost) {
		return;
	} else if (!keeps_alive || (c->is_eof && !c->ahead.len && !c->is_running)) {
		conn_finish(c);
	} else if (c->is_running) {
		wait_idle(c);
	} else if (c->ahead.len) {
		/* not from here: the caller does not expect the next request inside its reply */
		http_server_conn_continue_soon(c);
	} else {
		wait_idle(c);
		stream_resume(c->s);
	}
}

/* ---- the server ---- */

/* Zero means default. */
static void set_defaults(struct http_options *o)
{
	static const struct http_options defaults = {
		.body_max = LIMIT_BODY_BYTES,
		.connections_max = 10000,
		.header_ms = 10000,
		.body_ms = 30000,
		.idle_ms = 75000,
		.stall_ms = 30000,
		.linger_ms = 2000,
		.low_water = STREAM_LOW_WATER,
	};

#define DEFAULT(field) o->field = o->field ? o->field : defaults.field
	DEFAULT(body_max);
	DEFAULT(connections_max);
	DEFAULT(header_ms);
	DEFAULT(body_ms);
	DEFAULT(idle_ms);
	DEFAULT(stall_ms);
	DEFAULT(linger_ms);
	DEFAULT(low_water);
#undef DEFAULT
}

struct http_server *http_server_new(struct loop *l, const struct http_options *opt,
                                    const struct http_handler *handler, void *user)
{
	struct http_server *srv = memory_zeroed(1, sizeof *srv);

	srv->loop = l;
	if (opt)
		srv->opt = *opt;
	set_defaults(&srv->opt);
	srv->handler = handler;
	srv->user = user;
	list_init(&srv->conns);
	return srv;
}

/* Best effort, immediately: connections above the limit must cost nothing. */
static void refuse_connection(struct http_server *srv, struct stream *s, const char *why)
{
	int64_t now = clock_mono_ms();

	/* Once a minute, so that a flood of connections does not flood the log. */
	if (!srv->is_draining && (!srv->logged_at || now - srv->logged_at >= 60000)) {
		srv->logged_at = now;
		log_line(LOG_WARN, "net", "%s (%u are open); new ones are answered with 503", why,
		         srv->count);
	}
	http_reply_write_refusal(srv, s, 503, why);
	stream_write_flush(s);
	stream_own(s, NULL, NULL);
	stream_close(s);
}

/* One more of this address; NULL: there are as many as may be. */
static struct peer *count_peer(struct http_server *srv, struct str address)
{
	struct peer *p = map_get(&srv->peers, address);

	if (p && p->count >= srv->opt.peer_max)
		return NULL;
	if (!p) {
		p = memory_zeroed(1, sizeof *p);
		snprintf(p->address, sizeof p->address, "%.*s", STR_ARG(address));
		map_put(&srv->peers, str_from(p->address), p);
	}
	p->count++;
	return p;
}

/* The address without its port.  All connections over Unix sockets count as one peer. */
static struct peer *count_stream(struct http_server *srv, const struct stream *s)
{
	char text[STREAM_PEER_MAX];

	stream_peer_text(s, text);
	*(strrchr(text, ':') ? strrchr(text, ':') : text) = '\0';
	return count_peer(srv, str_from(text));
}

bool http_server_count_for(struct http_request *req, struct str address)
{
	struct request *r = OWNER_OF(req, struct request, pub);
	struct http_server *srv = r->conn->srv;

	if (!srv->opt.peer_max || r->peer)
		return true;
	r->peer = count_peer(srv, str_head(address, STREAM_PEER_MAX - 1));
	return r->peer != NULL;
}

/* Limits come before the allocation: a refused connection costs one write. */
void http_server_take(struct http_server *srv, struct stream *s)
{
	struct peer *peer = NULL;

	if (srv->is_draining || srv->count >= srv->opt.connections_max) {
		refuse_connection(srv, s, "there are too many connections");
		return;
	}
	if (srv->opt.peer_max &&
	    !(srv->handler->is_proxy && srv->handler->is_proxy(srv->user, s))) {
		peer = count_stream(srv, s);
		if (!peer) {
			refuse_connection(srv, s,
			                  "there are too many connections from this address");
			return;
		}
	}

	struct conn *c = memory_zeroed(1, sizeof *c);

	c->srv = srv;
	c->s = s;
	c->peer = peer;
	list_add(&srv->conns, &c->node);
	srv->count++;
	c->number = ++srv->taken;
	stream_low_water(s, srv->opt.low_water);
	stream_own(s, &conn_ops, c);
	wait_idle(c);
	stream_resume(s);
}

unsigned http_server_connections(const struct http_server *srv)
{
	return srv->count;
}

/* Closes connections that are between requests; the others end with their current reply. */
void http_server_drain(struct http_server *srv)
{
	srv->is_draining = true;
	LIST_EACH (&srv->conns, node) {
		struct conn *c = LIST_ITEM(node, struct conn, node);

		if (!c->req && !c->ws && !c->is_lost && !c->is_ending && !c->ahead.len &&
		    http_parser_is_idle(&c->parser))
			conn_finish(c);
	}
}

/* A connection that still needs its on_closed. */
static struct conn *next_to_close(struct http_server *srv, uint64_t upto)
{
	LIST_EACH (&srv->conns, node) {
		struct conn *c = LIST_ITEM(node, struct conn, node);

		if (!c->is_lost && c->number <= upto)
			return c;
	}
	return NULL;
}

uint64_t http_server_taken(const struct http_server *srv)
{
	return srv->taken;
}

void http_server_cut(struct http_server *srv, uint64_t upto)
{
	/* on_closed may end requests, and that frees connections: start over each time */
	for (struct conn *c; (c = next_to_close(srv, upto));) {
		if (c->ws) {
			c->is_lost = true;
			websocket_drop(c->ws);
		} else {
			conn_lose(c);
		}
	}
}

void http_server_free(struct http_server *srv)
{
	if (!srv)
		return;
	srv->is_draining = true;
	http_server_cut(srv, UINT64_MAX);
	srv->is_freed = true;
	server_unless_used(srv);
}
