/*
 * One request at a time per connection (net/http); each has one call.  A stream begins with its first
 * item, or with the first comment that keeps it open; a call that fails before that gets a status of
 * HTTP, one that fails later an item with the error.
 */
#include "grpc/grpc_edge.h"

#include "base/gen/limits.h"
#include "base/jw.h"
#include "base/memory.h"
#include "grpc/grpc_head.h"
#include "grpc/grpc_remote.h"
#include "grpc/grpc_route.h"
#include "net/http/http_client.h"
#include "net/http/http_server.h"
#include "net/http/sse.h"
#include "net/listener.h"
#include "proto/proto_read.h"
#include "proto/proto_write.h"

#define CARD_PATH "/.well-known/agent-card.json"
#define CARD_MAX 1048576
#define CARD_MS 30000

struct grpc_edge {
	struct loop *loop;
	struct http_server *http;
	struct listener *listener;
	struct grpc_remote *remote;
	struct http_client *client;
	char *card;
};

struct op {
	struct grpc_edge *edge;
	struct http_request *req;
	struct grpc_ask *ask;
	struct http_client_call *fetch; /* of the card */
	const struct proto_method *method;
	struct buf reply;
	struct loop_timer ping;
	int http; /* of the fetch */
	bool is_card, is_begun;
};

/* ---- replies: each ends the op ---- */

static void free_op(struct op *op)
{
	loop_timer_stop(&op->ping);
	if (op->ask)
		grpc_remote_cancel(op->ask);
	if (op->fetch)
		http_client_cancel(op->fetch);
	buf_done(&op->reply);
	memory_free(op);
}

static void reply_json(struct http_request *req, int status, struct str body)
{
	struct http_field headers[] = { { STR("Content-Type"), STR("application/a2a+json") },
		                        { STR("Cache-Control"), STR("no-store") } };

	http_reply(req, status, headers, COUNT_OF(headers), body);
}

static void refuse(struct http_request *req, enum grpc_code code, const char *message)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	int status = grpc_status_to_http(
		&(struct grpc_status){ .code = code, .message = str_from(message) }, &out);

	reply_json(req, status, buf_str(&out));
}

static void finish_stream(struct op *op, const struct grpc_status *s)
{
	CLEANUP(buf_done) struct buf item = { 0 }, frame = { 0 };

	if (s->code) {
		grpc_status_to_item(s, &item);
		sse_event(&frame, STR_NONE, STR_NONE, buf_str(&item));
		http_reply_stream_write(op->req, buf_str(&frame));
	}
	http_reply_stream_end(op->req);
	free_op(op);
}

static void fail_op(struct op *op, const struct grpc_status *s)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	int status;

	if (op->is_begun) {
		finish_stream(op, s);
		return;
	}
	status = grpc_status_to_http(s, &out);
	reply_json(op->req, status, buf_str(&out));
	free_op(op);
}

static void fail_text(struct op *op, enum grpc_code code, const char *message)
{
	fail_op(op, &(struct grpc_status){ .code = code, .message = str_from(message) });
}

/* ---- the card ---- */

/* The tenant that the agent's own gRPC interface names is part of its address. */
static struct str tenant_of(struct json card)
{
	struct json all = JSON_GET(card, "supportedInterfaces"), each;
	struct json_iter it = json_iter(all);
	struct str key;

	while (json_type(all) == JSON_ARR && json_next(&it, &key, &each))
		if (str_eq(json_str(JSON_GET(each, "protocolBinding")), STR("GRPC")))
			return json_str(JSON_GET(each, "tenant"));
	return STR_NONE;
}

static void write_interface(struct json_writer *w, const struct op *op, struct json card)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str tenant = tenant_of(card);

	JW_KEY(w, "supportedInterfaces");
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "url",
	        arena_printf(mem, "http://%.*s", STR_ARG(listener_address(op->edge->listener))));
	JW_KSTR(w, "protocolBinding", STR("HTTP+JSON"));
	JW_KSTR(w, "protocolVersion", STR("1.0"));
	if (tenant.len)
		JW_KSTR(w, "tenant", tenant);
	jw_obj_end(w);
	jw_arr_end(w);
}

/* Signatures cover the interfaces and do not fit any more. */
static void reply_card(struct op *op, struct str text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json_iter it;
	struct json card, each;
	struct json_writer w;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str key;

	if (json_read(mem, text, &card, NULL) != OK || json_type(card) != JSON_OBJ) {
		fail_text(op, GRPC_UNAVAILABLE, "The card of the agent is no JSON object");
		return;
	}
	jw_init(&w, &out);
	jw_obj(&w);
	it = json_iter(card);
	while (json_next(&it, &key, &each)) {
		if (str_eq(key, STR("supportedInterfaces")) || str_eq(key, STR("signatures")))
			continue;
		jw_key(&w, key);
		jw_value(&w, each);
	}
	write_interface(&w, op, card);
	jw_obj_end(&w);
	reply_json(op->req, 200, buf_str(&out));
	free_op(op);
}

static void on_card_head(void *owner, const struct http_client_head *h)
{
	((struct op *)owner)->http = h->status;
}

static size_t on_card_body(void *owner, struct str bytes)
{
	buf_add_str(&((struct op *)owner)->reply, bytes);
	return bytes.len;
}

static void on_card_end(void *owner, const struct http_client_end *e)
{
	struct op *op = owner;

	op->fetch = NULL;
	if (e->result != HTTP_CLIENT_OK || op->http != 200)
		fail_text(op, GRPC_UNAVAILABLE, "The card of the agent cannot be read");
	else
		reply_card(op, buf_str(&op->reply));
}

static void fetch_card(struct op *op)
{
	static const struct http_client_sink sink = { on_card_head, on_card_body, on_card_end };
	struct http_client_request r = { .url = str_from(op->edge->card),
		                         .total_ms = CARD_MS,
		                         .response_max = CARD_MAX,
		                         .is_direct = true };

	op->fetch = http_client_send(op->edge->client, &r, &sink, op);
}

/* ---- what the agent says ---- */

static void on_ping(struct loop_timer *t);

static void begin_stream(struct op *op)
{
	const struct http_field headers[] = { { STR("Content-Type"), STR("text/event-stream") },
		                              { STR("Cache-Control"), STR("no-store") } };

	if (!op->is_begun)
		http_reply_stream_begin(op->req, 200, headers, COUNT_OF(headers));
	op->is_begun = true;
	loop_timer_start(op->edge->loop, &op->ping, LIMIT_SSE_PING_S * 1000, on_ping);
}

static void on_ping(struct loop_timer *t)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct op *op = OWNER_OF(t, struct op, ping);

	begin_stream(op);
	sse_comment(&out, STR(""));
	http_reply_stream_write(op->req, buf_str(&out));
}

static void send_item(struct op *op, struct str json)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	begin_stream(op);
	sse_event(&out, STR_NONE, STR_NONE, json);
	http_reply_stream_write(op->req, buf_str(&out));
	if (http_reply_pending(op->req) > LIMIT_GRPC_STREAM_BYTES)
		grpc_remote_pause(op->ask);
}

static void on_message(void *owner, struct str wire)
{
	CLEANUP(buf_done) struct buf json = { .max = LIMIT_GRPC_REPLY_BYTES };
	struct op *op = owner;

	if (!op->method->response) {
		buf_add_c(&json, "{}");
	} else if (proto_read(op->method->response, wire, &json, NULL) != OK || json.overflowed) {
		fail_text(op, GRPC_INTERNAL, "A message of the agent cannot be read");
		return;
	}
	if (op->method->streams) {
		send_item(op, buf_str(&json));
		return;
	}
	buf_clear(&op->reply);
	buf_add_str(&op->reply, buf_str(&json));
}

static void on_end(void *owner, const struct grpc_status *s)
{
	struct op *op = owner;

	op->ask = NULL;
	if (s->code) {
		fail_op(op, s);
	} else if (op->method->streams) {
		begin_stream(op);
		finish_stream(op, s);
	} else if (!op->reply.len) {
		fail_text(op, GRPC_INTERNAL, "The agent sent no reply");
	} else if (op->is_card) {
		reply_card(op, buf_str(&op->reply));
	} else {
		reply_json(op->req, 200, buf_str(&op->reply));
		free_op(op);
	}
}

/* ---- requests ---- */

/* The reader has gone: so has the call. */
static void on_reader_gone(struct http_request *req)
{
	struct op *op = req->user;

	if (op->is_begun)
		http_reply_stream_end(req);
	else
		http_reply_abort(req);
	free_op(op);
}

static void on_reader_ready(struct http_request *req)
{
	struct op *op = req->user;

	if (op->ask)
		grpc_remote_resume(op->ask);
}

static struct op *new_op(struct grpc_edge *g, struct http_request *req,
                         const struct proto_method *m)
{
	struct op *op = memory_zeroed(1, sizeof *op);

	op->edge = g;
	op->req = req;
	op->method = m;
	op->reply.max = LIMIT_GRPC_REPLY_BYTES;
	req->user = op;
	req->on_closed = on_reader_gone;
	req->on_drain = on_reader_ready;
	req->ends_at_eof = true;
	return op;
}

static void call_agent(struct op *op, struct str wire)
{
	static const struct grpc_remote_sink sink = { on_message, on_end };
	struct grpc_remote_field fields[GRPC_HEAD_PASSED];
	size_t count = 0;

	for (int i = 0; i < GRPC_HEAD_FORWARDED_FOR; i++) {
		struct str name = str_from(grpc_head_name((enum grpc_head_passed)i));
		struct str value = http_parse_find(&op->req->in, name);

		if (str_is(value))
			fields[count++] = (struct grpc_remote_field){ name, value };
	}
	op->ask = grpc_remote_call(op->edge->remote, op->method, fields, count, wire, &sink, op);
	if (op->method->streams)
		loop_timer_start(op->edge->loop, &op->ping, LIMIT_SSE_PING_S * 1000, on_ping);
}

static void open_card(struct grpc_edge *g, struct http_request *req)
{
	struct op *op = new_op(
		g, req, grpc_route_method(STR("/lf.a2a.v1.A2AService/GetExtendedAgentCard")));

	op->is_card = true;
	if (g->card)
		fetch_card(op);
	else
		call_agent(op, STR(""));
}

/* Pages of a browser have no business here: other hosts and origins, and forms. */
static bool is_foreign(const struct grpc_edge *g, const struct http_request *req)
{
	struct str address = listener_address(g->listener), host = req->in.host;
	struct str port = str_skip(address, (size_t)str_find(address, STR(":")));

	if (str_is(http_parse_find(&req->in, STR("origin"))))
		return true;
	return !str_eq(host, address) &&
	       !(str_starts(host, STR("localhost")) && str_eq(str_skip(host, 9), port));
}

static bool is_json(const struct http_request *req)
{
	struct str type = http_parse_find(&req->in, STR("content-type"));

	return !req->in.body.len ||
	       (str_is(type) && (str_starts(type, STR("application/json")) ||
	                         str_starts(type, STR("application/a2a+json"))));
}

static void open_call(struct grpc_edge *g, struct http_request *req)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	CLEANUP(buf_done) struct buf wire = { .max = LIMIT_GRPC_MESSAGE_BYTES };
	struct grpc_route_http in = { req->in.method, req->in.path, req->in.body,
		                      .param_count = req->in.param_count };
	struct grpc_route_param params[HTTP_PARAMS_MAX];
	const struct proto_method *m;
	struct error e = { 0 };
	struct str request;
	struct json v;

	for (size_t i = 0; i < in.param_count; i++)
		params[i] = (struct grpc_route_param){ req->in.params[i].name,
			                               req->in.params[i].value };
	in.params = params;
	m = grpc_route_find(mem, &in, &request, &e);
	if (!m) {
		refuse(req, e.code == ERR_NOT_FOUND ? GRPC_NOT_FOUND : GRPC_INVALID_ARGUMENT,
		       e.message);
		return;
	}
	if (json_read(mem, request, &v, &e) != OK || proto_write(m->request, v, &wire, &e) != OK ||
	    wire.overflowed) {
		refuse(req, GRPC_INVALID_ARGUMENT, e.message);
		return;
	}
	call_agent(new_op(g, req, m), buf_str(&wire));
}

static void on_request(void *user, struct http_request *req)
{
	struct grpc_edge *g = user;

	if (is_foreign(g, req))
		refuse(req, GRPC_PERMISSION_DENIED, "Requests of web pages are refused");
	else if (!is_json(req))
		refuse(req, GRPC_INVALID_ARGUMENT, "The body must be JSON");
	else if (str_eq(req->in.path, STR(CARD_PATH)) && str_eq(req->in.method, STR("GET")))
		open_card(g, req);
	else
		open_call(g, req);
}

static void on_accept(void *arg, struct stream *stream)
{
	http_server_take(((struct grpc_edge *)arg)->http, stream);
}

enum err grpc_edge_new(const struct grpc_edge_options *o, struct grpc_edge **ret, struct error *e)
{
	static const struct http_handler handler = { .on_request = on_request };
	struct http_options http = { .body_max = LIMIT_GRPC_MESSAGE_BYTES,
		                     .connections_max = LIMIT_GRPC_CONNECTIONS };
	struct grpc_edge *g = memory_zeroed(1, sizeof *g);
	enum err err;

	g->loop = o->loop;
	if (str_is(o->card))
		g->card = memory_strndup(o->card.ptr, o->card.len);
	g->remote = grpc_remote_new(o->loop, &o->agent, o->port, o->tls);
	g->http = http_server_new(o->loop, &http, &handler, g);
	g->client = http_client_new(
		&(struct http_client_options){ .loop = o->loop, .user_agent = STR("thole-grpc") });
	err = g->client ? listener_tcp(o->loop, o->listen, on_accept, g, &g->listener, e)
	                : fail(e, ERR_IO, "the HTTP client cannot start");
	if (err != OK) {
		grpc_edge_free(g);
		return err;
	}
	*ret = g;
	return OK;
}

struct str grpc_edge_address(const struct grpc_edge *g)
{
	return listener_address(g->listener);
}

/* Open requests end with the server, as if their readers had gone. */
void grpc_edge_free(struct grpc_edge *g)
{
	if (!g)
		return;
	listener_close(g->listener);
	http_server_free(g->http);
	grpc_remote_free(g->remote);
	http_client_free(g->client);
	memory_free(g->card);
	memory_free(g);
}
