/*
 * The server: listeners, connections that have not named their protocol, and
 * the order of start, drain and end.  HTTP requests continue in http_api.c,
 * JSON-RPC in rpc.c; what those need of the server is in serve_state.c.
 */
#include "serve/a2a/a2a_edge.h"
#include "serve/mcp/mcp_edge.h"
#include "serve/mcp/mcp_lines.h"
#include "serve/serve.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/log.h"
#include "serve/rpc/rpc.h"
#include "serve/serve_int.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_BYTE_MS (LIMIT_HTTP_HEADER_S * 1000)
#define STALL_MS 60000
#define NODE_CALL_EXTRA 65536

/* ---- the moment ---- */

unsigned serve_connections(const struct serve *s)
{
	return serve_state_connections(s);
}

/*
 * An open connection counts as activity at this moment, so the result is exact only if
 * this is called often.
 */
int64_t serve_idle_since(struct serve *s)
{
	if (!s->opt.clock)
		return 0;
	if (serve_connections(s))
		serve_state_touch(s);
	return s->opt.clock->ops->mono_ms(s->opt.clock) - s->busy_ms;
}

/* ---- the Unix socket: the first byte selects the protocol ---- */

/*
 * A connection to the Unix socket before its first byte.  Both protocols share the
 * socket, so that one path in the file system suffices.
 */
struct fresh {
	struct list node;
	struct serve *serve; /* NULL: it is gone */
	struct stream *s;
	struct loop_timer timer;
};

static void fresh_detach(struct fresh *f)
{
	if (!f->serve)
		return;
	list_remove(&f->node);
	f->serve->fresh_count--;
	f->serve = NULL;
	loop_timer_stop(&f->timer);
}

/*
 * JSON begins a line of JSON-RPC, the word MCP a client of that protocol, anything else
 * is HTTP.  The kernel names the peer of a Unix socket: this user and root need no token, others
 * have to send one with `initialize`.
 */
static void fresh_on_read(struct stream *stream, struct str bytes)
{
	struct fresh *f = stream_user(stream);
	struct serve *s = f->serve;
	struct caller caller = { .via = STR("json_rpc") };

	if (!s)
		return;
	fresh_detach(f);
	free(f);
	if (bytes.ptr[0] == '{' || bytes.ptr[0] == '[') {
		if (auth_is_owner(stream))
			auth_owner(&caller);
		rpc_open_lines(s, stream, &caller, NULL, NULL);
	} else if (bytes.ptr[0] == MCP_LINES_PREFACE[0] && auth_is_owner(stream)) {
		auth_owner(&caller);
		mcp_lines_open(s->mcp, stream, &caller);
	} else {
		http_server_take(s->local.http, stream);
	}
	stream_deliver(stream, bytes);
}

static void fresh_on_gone(struct stream *stream)
{
	stream_close(stream);
}

static void fresh_on_closed(struct stream *stream)
{
	struct fresh *f = stream_user(stream);

	fresh_detach(f);
	free(f);
}

static void fresh_on_timer(struct loop_timer *t)
{
	stream_close(OWNER_OF(t, struct fresh, timer)->s);
}

static const struct stream_ops fresh_ops = {
	.on_read = fresh_on_read,
	.on_gone = fresh_on_gone,
	.on_closed = fresh_on_closed,
};

/*
 * A connection above the limit gets one JSON-RPC error and is closed: its protocol is
 * not known yet, and a person can read the text either way.
 */
static void on_accept_unix(void *arg, struct stream *stream)
{
	struct serve *s = arg;
	struct fresh *f;

	serve_state_touch(s);
	if (s->fresh_count + s->line_count >= s->opt.connections_max) {
		int64_t now = clock_mono_ms();

		if (!s->logged_at || now - s->logged_at >= 60000) {
			s->logged_at = now;
			log_line(LOG_WARN, "serve",
			         "there are too many connections on the socket (%u); new ones are "
			         "refused",
			         s->fresh_count + s->line_count);
		}
		stream_write(stream,
		             STR("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32053,"
		                 "\"message\":\"there are too many connections\"}}\n"));
		stream_write_flush(stream);
		stream_own(stream, NULL, NULL);
		stream_close(stream);
		return;
	}
	f = memory_zeroed(1, sizeof *f);
	f->serve = s;
	f->s = stream;
	list_init(&f->node);
	list_add(&s->fresh, &f->node);
	s->fresh_count++;
	loop_timer_start(s->loop, &f->timer, FIRST_BYTE_MS, fresh_on_timer);
	stream_own(stream, &fresh_ops, f);
	stream_resume(stream);
}

/* ---- beginning ---- */

/*
 * Zero means the limit of the catalogue.  The low-water mark stays below the client's
 * buffer; otherwise a paused stream would never be resumed.
 */
static void keep_options(struct serve *s, const struct serve_options *o)
{
	s->opt = (struct serve_options){
		.has_openai = o->has_openai,
		.has_agui = o->has_agui,
		.has_mcp = o->has_mcp,
		.publish = o->publish,
		.triggers = o->triggers,
		.trigger_count = o->trigger_count,
		.issuers = o->issuers,
		.node = o->node,
		.version = arena_keep(s->mem, o->version),
		.clock = o->clock,
		.store = o->store,
		.more_metrics = o->more_metrics,
		.metrics_owner = o->metrics_owner,
		.credentials = o->credentials,
		.peer_max = o->peer_max,
#define OR(field, otherwise) .field = o->field ? o->field : (otherwise)
		OR(body_max, LIMIT_BODY_BYTES),
		OR(client_buffer_max, LIMIT_SSE_CLIENT_BUFFER_BYTES),
		OR(connections_max, LIMIT_CONNECTIONS),
		OR(in_flight_max, LIMIT_REQUESTS_IN_FLIGHT),
		OR(ping_ms, LIMIT_SSE_PING_S * 1000),
		OR(stall_ms, STALL_MS),
#undef OR
	};
	s->low_water = (uint32_t)MIN(s->opt.client_buffer_max / 2, (size_t)STREAM_LOW_WATER);
}

/*
 * TCP and the Unix socket have separate servers, because limits per peer and the check
 * of Host apply to TCP alone.
 */
static void open_http_server(struct serve *s, struct endpoint *f, bool is_unix)
{
	struct http_options opt = {
		/* A call of another node has more around the arguments than its caller sent. */
		.body_max = s->opt.body_max + (s->opt.node.seal ? NODE_CALL_EXTRA : 0),
		.connections_max = s->opt.connections_max,
		.peer_max = is_unix ? 0 : s->opt.peer_max,
		.header_ms = LIMIT_HTTP_HEADER_S * 1000,
		.body_ms = LIMIT_HTTP_BODY_S * 1000,
		.idle_ms = LIMIT_HTTP_IDLE_S * 1000,
		.low_water = s->low_water,
	};

	*f = (struct endpoint){ .serve = s, .is_unix = is_unix };
	f->http = http_server_new(s->loop, &opt, &http_api_handler, f);
}

/*
 * Refuses addresses that others could reach without being asked for, and TCP without a
 * token: unlike the Unix socket, TCP does not name the peer's user.
 */
static enum err check_address(const struct serve *s, const struct serve_options *o,
                              struct str address, struct error *e)
{
	if (str_find_char(address, ':') < 0)
		return fail(e, ERR_INVALID, "%.*s is no HOST:PORT such as 127.0.0.1:7433",
		            STR_ARG(address));
	if (!auth_is_loopback(address) && !o->allow_remote)
		return fail(
			e, ERR_INVALID,
			"%.*s can be reached from other machines, and everything sent there, "
			"tokens included, travels unencrypted; put a proxy with TLS in front of a "
			"loopback address, or say --allow-remote if you mean it",
			STR_ARG(address));
	if (!s->auth.token_count)
		return fail(e, ERR_INVALID,
		            "listening on %.*s needs a token, because any user of this machine can "
		            "connect there",
		            STR_ARG(address));
	return OK;
}

/* "fd:3": a descriptor that was bound before we came. */
static bool read_fd(struct str address, int *ret)
{
	uint64_t fd;

	if (!str_starts(address, STR("fd:")) || !str_to_u64(str_skip(address, 3), &fd) ||
	    fd > INT_MAX)
		return false;
	*ret = (int)fd;
	return true;
}

/* An inherited descriptor is checked after it is opened, because only then its address is known. */
static enum err listen_tcp(struct serve *s, const struct serve_options *o, struct str address,
                           struct listener **at, struct error *e)
{
	enum err err;
	int fd;

	if (!read_fd(address, &fd)) {
		err = check_address(s, o, address, e);
		return err ? err : listener_tcp(s->loop, address, serve_state_accept_tcp, s, at, e);
	}
	err = listener_fd(s->loop, fd, false, serve_state_accept_tcp, s, at, e);
	if (err)
		return err;
	err = check_address(s, o, listener_address(*at), e);
	if (err)
		listener_close(*at);
	return err;
}

static enum err listen_unix(struct serve *s, struct str path, struct listener **at, struct error *e)
{
	int fd;

	if (read_fd(path, &fd))
		return listener_fd(s->loop, fd, true, on_accept_unix, s, at, e);
	return listener_unix(s->loop, path, on_accept_unix, s, at, e);
}

/* Room for two more: the Unix socket, and the port that open_console may add later. */
static enum err listen_all(struct serve *s, const struct serve_options *o, struct error *e)
{
	s->listeners = ARENA_ARRAY(s->mem, struct listener *, o->listen_count + 2);
	for (size_t i = 0; i < o->listen_count; i++) {
		enum err err = listen_tcp(s, o, o->listen[i], &s->listeners[s->listener_count], e);

		if (err)
			return err;
		s->listener_count++;
		s->tcp_count++;
	}
	if (str_is(o->socket_path)) {
		enum err err = listen_unix(s, o->socket_path, &s->listeners[s->listener_count], e);

		if (err)
			return err;
		s->listener_count++;
	}
	return OK;
}

static enum err open_a2a(struct serve *s, const struct serve_a2a *o, struct error *e)
{
	if (o)
		s->a2a = a2a_edge_new(s, o, e);
	return !o || s->a2a ? OK : e->code;
}

static enum err open_mcp(struct serve *s, struct error *e)
{
	s->mcp = mcp_edge_new(s, e);
	return s->mcp ? OK : e->code;
}

/* Listeners come last: a connection may arrive as soon as one is open. */
struct serve *serve_new(struct loop *loop, struct control *control, const struct serve_options *o,
                        struct error *e)
{
	struct serve *s = memory_zeroed(1, sizeof *s);

	s->loop = loop;
	s->control = control;
	s->mem = arena_new();
	list_init(&s->fresh);
	list_init(&s->rpcs);
	list_init(&s->device_readers);
	keep_options(s, o);
	keepalive_init_all(&s->pulses, loop, s->opt.ping_ms, s->opt.stall_ms);
	open_http_server(s, &s->tcp, false);
	open_http_server(s, &s->local, true);
	serve_state_touch(s);
	if (auth_init(&s->auth, s->mem, control, o, e) || open_a2a(s, o->a2a, e) ||
	    open_mcp(s, e) || listen_all(s, o, e)) {
		serve_free(s);
		return NULL;
	}
	serve_state_open_devices(s);
	return s;
}

int serve_port(const struct serve *s)
{
	return serve_state_port(s);
}

/* ---- descriptors ---- */

/* The holder of the descriptor got it from this user, so the peer is the owner. */
static void attach(struct serve *s, struct stream *stream, struct str via,
                   void (*on_gone)(void *arg), void *arg)
{
	struct caller caller = { .via = via };

	serve_state_touch(s);
	auth_owner(&caller);
	rpc_open_lines(s, stream, &caller, on_gone, arg);
}

enum err serve_attach_fd(struct serve *s, int fd, void (*on_gone)(void *arg), void *arg,
                         struct error *e)
{
	struct stream *stream;
	enum err err = stream_open_fd(s->loop, fd, &stream, e);

	if (!err)
		attach(s, stream, STR("c_api"), on_gone, arg);
	return err;
}

enum err serve_attach_stdio(struct serve *s, int in_fd, int out_fd, void (*on_gone)(void *arg),
                            void *arg, struct error *e)
{
	struct stream *stream;
	enum err err = stream_open_pair(s->loop, in_fd, out_fd, &stream, e);

	if (!err)
		attach(s, stream, STR("stdio"), on_gone, arg);
	return err;
}

/* ---- ending ---- */

/*
 * No new connections, and none that has not said what it wants.  The Unix socket's file
 * is removed here, so that a successor can bind it.
 */
static void close_listeners(struct serve *s)
{
	for (size_t i = 0; i < s->listener_count; i++)
		listener_close(s->listeners[i]);
	s->listener_count = s->tcp_count = 0;
	while (!list_is_empty(&s->fresh)) {
		struct fresh *f = LIST_ITEM(s->fresh.next, struct fresh, node);

		fresh_detach(f);
		stream_close(f->s);
	}
}

/*
 * Readers and rpcs with subscriptions stay until the control ends these; serve.h has
 * the order of stopping.
 */
void serve_drain(struct serve *s)
{
	if (s->is_draining)
		return;
	s->is_draining = true;
	loop_timer_stop(&s->devices_rest);
	close_listeners(s);
	http_server_drain(s->tcp.http);
	http_server_drain(s->local.http);
	mcp_edge_drain(s->mcp);
	LIST_EACH_SAFE (&s->rpcs, node, next)
		rpc_drain(LIST_ITEM(node, struct rpc, node));
}

void serve_remove_issuer(struct serve *s, struct str name)
{
	if (!s->auth.issuers || !issuers_remove(s->auth.issuers, name))
		return;
	if (s->control->ops->issuer_changed)
		s->control->ops->issuer_changed(s->control, name, STR_NONE, ISSUER_CHANGE_REMOVED);
}

void serve_set_token(struct serve *s, struct str token)
{
	if (!s->auth.token_count)
		return;
	auth_set_token(&s->auth, s->mem, token);
	serve_state_token_gone(s);
}

bool serve_set_issuer(struct serve *s, const struct issuer_options *o)
{
	struct issuers *is = s->auth.issuers;
	bool is_known;

	if (!is || s->opt.issuers->count == ISSUERS_MAX)
		return false;
	is_known = issuers_remove(is, o->name);
	if (!issuers_add(is, o))
		return false;
	if (s->control->ops->issuer_changed)
		s->control->ops->issuer_changed(s->control, o->name, o->url,
		                                is_known ? ISSUER_CHANGE_CHANGED
		                                         : ISSUER_CHANGE_ADDED);
	return true;
}

/*
 * Connections first: their last callbacks use the server.  Streams are closed by the
 * loop afterwards.
 */
void serve_free(struct serve *s)
{
	if (!s)
		return;
	s->is_draining = true;
	close_listeners(s);
	while (!list_is_empty(&s->rpcs))
		rpc_drop(LIST_ITEM(s->rpcs.next, struct rpc, node));
	http_server_free(s->tcp.http);
	http_server_free(s->local.http);
	a2a_edge_free(s->a2a);
	mcp_edge_free(s->mcp);
	issuers_free(s->auth.issuers);
	keepalive_done_all(&s->pulses);
	loop_timer_stop(&s->quiet);
	serve_state_close_devices(s);
	arena_free(s->mem);
	free(s);
}
