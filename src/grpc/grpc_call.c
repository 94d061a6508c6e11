/*
 * One call: its request is read whole, sent to the runtime, and the reply converted.  Server streams
 * come as Server-Sent Events and are converted item by item.
 */
#include "grpc/grpc_int.h"

#include "base/memory.h"
#include "grpc/grpc_route.h"
#include "proto/proto_read.h"
#include "proto/proto_write.h"

#define CONNECT_MS 10000
#define STALL_MS 60000 /* streams of the runtime have a comment every LIMIT_SSE_PING_S */
#define ERROR_BODY_MAX 65536

/* ---- the end ---- */

/* The HTTP client has freed the body of the request. */
static void forget_body(struct grpc_call *call)
{
	call->conn->server->held -= call->asked_bytes;
	call->held -= call->asked_bytes;
	call->asked_bytes = 0;
}

static void leave_runtime(struct grpc_call *call)
{
	loop_timer_stop(&call->timer);
	if (call->asked)
		http_client_cancel(call->asked);
	call->asked = NULL;
	forget_body(call);
	call->is_paused = false;
}

static void end_call(struct grpc_call *call, const struct grpc_status *s)
{
	leave_runtime(call);
	if (call->state != GRPC_CALL_ENDING)
		grpc_reply_end(call, s);
}

void grpc_call_fail(struct grpc_call *call, enum grpc_code code, const char *message)
{
	end_call(call, &(struct grpc_status){ .code = code, .message = str_from(message) });
}

static void fail_error(struct grpc_call *call, enum grpc_code code, const struct error *e)
{
	grpc_call_fail(call, code, e->message);
}

/* Counts what the call holds.  False: all calls together hold too much, and this one has ended. */
static bool count_held(struct grpc_call *call)
{
	struct grpc_server *s = call->conn->server;
	size_t now = call->frame.message.cap + call->asked_bytes + call->reply.cap + call->out.cap +
	             call->sse.data.cap;

	s->held = s->held - call->held + now;
	call->held = now;
	if (s->held <= LIMIT_GRPC_HELD_BYTES || call->state == GRPC_CALL_ENDING)
		return true;
	grpc_call_fail(call, GRPC_RESOURCE_EXHAUSTED,
	               "Too much data is under way; try again later");
	return false;
}

void grpc_call_free(struct grpc_call *call)
{
	leave_runtime(call);
	call->conn->server->held -= call->held;
	call->conn->call_count--;
	list_remove(&call->node);
	arena_free(call->mem);
	grpc_frame_done(&call->frame);
	sse_parser_done(&call->sse);
	buf_done(&call->reply);
	buf_done(&call->out);
	for (size_t i = 0; i < COUNT_OF(call->trailers); i++)
		memory_free(call->trailers[i]);
	memory_free(call->extensions);
	memory_free(call->challenge);
	memory_free(call);
}

/* ---- the reply of the runtime ---- */

/* Appends one message to call->out. */
static bool convert(struct grpc_call *call, struct str json)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct error e = { 0 };
	struct json v = { 0 };
	size_t begin = grpc_frame_begin(&call->out);
	enum err err = OK;

	if (call->method->response) {
		err = json_read_wrapped(mem, json, &v, &e);
		if (err == OK)
			err = proto_write(call->method->response, v, &call->out, &e);
	}
	grpc_frame_end(&call->out, begin);
	if (err == OK)
		return true;
	call->out.len = begin - GRPC_FRAME_HEAD;
	fail_error(call, GRPC_INTERNAL, &e);
	return false;
}

static char *keep_field(const struct http_client_head *h, struct str name)
{
	struct str value = http_client_head_get(h, name);

	return str_is(value) ? memory_strndup(value.ptr, value.len) : NULL;
}

static void on_head(void *owner, const struct http_client_head *h)
{
	struct grpc_call *call = owner;
	struct str type = http_client_head_get(h, STR("content-type"));

	call->http = h->status;
	call->extensions = keep_field(h, STR("a2a-extensions"));
	call->challenge = keep_field(h, STR("www-authenticate"));
	call->is_events = call->method->streams && h->status == 200 && str_is(type) &&
	                  str_starts(type, STR("text/event-stream"));
	call->reply.max = h->status == 200 ? LIMIT_GRPC_REPLY_BYTES : ERROR_BODY_MAX;
	if (!call->is_events)
		return;
	call->state = GRPC_CALL_ANSWERING;
	call->sse = (struct sse_parser){ .max = LIMIT_GRPC_REPLY_BYTES };
	grpc_reply_begin(call);
}

static void on_item(void *arg, const struct sse_message *m)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct grpc_call *call = arg;
	struct grpc_status s;

	if (call->state != GRPC_CALL_ANSWERING || !m->data.len)
		return;
	if (grpc_status_of_item(mem, m->data, &s))
		end_call(call, &s);
	else
		(void)convert(call, m->data);
}

static void feed_items(struct grpc_call *call, struct str bytes)
{
	if (!sse_feed(&call->sse, bytes, on_item, call))
		grpc_call_fail(call, GRPC_RESOURCE_EXHAUSTED, "An item of the stream is too large");
	if (!count_held(call) || call->state != GRPC_CALL_ANSWERING)
		return;
	if (call->out.len)
		grpc_reply_more(call);
	if (call->out.len - call->out_at > LIMIT_GRPC_STREAM_BYTES && !call->is_paused) {
		call->is_paused = true;
		http_client_pause(call->asked);
	}
}

static size_t on_body(void *owner, struct str bytes)
{
	struct grpc_call *call = owner;

	if (call->is_events) {
		feed_items(call, bytes);
		return bytes.len;
	}
	buf_add_str(&call->reply, bytes);
	if (call->reply.overflowed && call->http == 200)
		grpc_call_fail(call, GRPC_RESOURCE_EXHAUSTED, "The reply is too large");
	else
		(void)count_held(call);
	return bytes.len;
}

static enum grpc_code code_of_end(enum http_client_result r)
{
	switch (r) {
	case HTTP_CLIENT_TOO_LARGE:
		return GRPC_RESOURCE_EXHAUSTED;
	case HTTP_CLIENT_INVALID:
		return GRPC_INVALID_ARGUMENT;
	default:
		return GRPC_UNAVAILABLE;
	}
}

/* A call that the runtime was never asked about can be repeated; the code says so. */
static void fail_end(struct grpc_call *call, const struct http_client_end *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str why =
		arena_printf(mem, "The runtime cannot be reached: %.*s", STR_ARG(e->message));

	grpc_call_fail(call, code_of_end(e->result), why.ptr);
}

static void end_with_reply(struct grpc_call *call)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct grpc_status s = { .code = GRPC_OK, .message = STR("") };

	if (call->http != 200 && call->http != 204)
		grpc_status_of_http(mem, call->http, buf_str(&call->reply), &s);
	else if (!call->is_events && !convert(call, buf_str(&call->reply)))
		return;
	buf_done(&call->reply);
	if (count_held(call))
		end_call(call, &s);
}

static void on_end(void *owner, const struct http_client_end *e)
{
	struct grpc_call *call = owner;

	call->asked = NULL;
	forget_body(call);
	if (call->state == GRPC_CALL_ENDING)
		return;
	if (e->result != HTTP_CLIENT_OK)
		fail_end(call, e);
	else
		end_with_reply(call);
}

/* ---- asking the runtime ---- */

static void on_deadline(struct loop_timer *t)
{
	struct grpc_call *call = OWNER_OF(t, struct grpc_call, timer);

	grpc_call_fail(call, GRPC_DEADLINE_EXCEEDED, "The deadline of the call has passed");
}

/* The address of the caller is added to those that proxies before us have named. */
static struct str forwarded_for(struct grpc_call *call)
{
	char peer[STREAM_PEER_MAX];
	struct str before = call->head.passed[GRPC_HEAD_FORWARDED_FOR], address;
	char *port;

	stream_peer_text(call->conn->stream, peer);
	port = strrchr(peer, ':');
	address = port ? str_of(peer, (size_t)(port - peer)) : str_from(peer);
	if (address.len > 2 && address.ptr[0] == '[')
		address = str_of(address.ptr + 1, address.len - 2);
	return str_is(before)
	               ? arena_printf(call->mem, "%.*s, %.*s", STR_ARG(before), STR_ARG(address))
	               : arena_keep(call->mem, address);
}

static size_t add_headers(struct grpc_call *call, const struct grpc_route *route,
                          struct http_client_header *out)
{
	size_t count = 0;

	call->head.passed[GRPC_HEAD_FORWARDED_FOR] = forwarded_for(call);
	for (int i = 0; i < GRPC_HEAD_PASSED; i++)
		if (str_is(call->head.passed[i]))
			out[count++] = (struct http_client_header){
				str_from(grpc_head_name((enum grpc_head_passed)i)),
				call->head.passed[i]
			};
	if (str_is(route->body))
		out[count++] = (struct http_client_header){ STR("content-type"),
			                                    STR("application/a2a+json") };
	return count;
}

static void send_request(struct grpc_call *call, const struct grpc_route *route)
{
	static const struct http_client_sink sink = { on_head, on_body, on_end };
	struct http_client_header headers[GRPC_HEAD_PASSED + 1];
	struct grpc_server *s = call->conn->server;
	struct http_client_request r = {
		.method = route->verb,
		.url = arena_printf(call->mem, "%s%.*s", s->to, STR_ARG(route->target)),
		.headers = headers,
		.header_count = add_headers(call, route, headers),
		.connect_ms = CONNECT_MS,
		.stall_ms = STALL_MS,
		.is_direct = true,
		.is_secret = true,
		/* A repeated request would make a second configuration; all others are idempotent. */
		.is_once = str_starts(str_from(call->method->name), STR("Create")),
	};

	buf_add_str(&r.body, str_is(route->body) ? route->body : STR(""));
	call->state = GRPC_CALL_ASKED;
	call->asked_bytes = r.body.cap;
	call->asked = http_client_send(s->client, &r, &sink, call);
}

static void ask_runtime(struct grpc_call *call)
{
	CLEANUP(buf_done) struct buf json = { .max = LIMIT_BODY_BYTES };
	struct grpc_route route;
	struct error e = { 0 };
	int64_t ms;

	loop_timer_stop(&call->timer);
	if (proto_read(call->method->request, buf_str(&call->frame.message), &json, &e) != OK) {
		fail_error(call, GRPC_INVALID_ARGUMENT, &e);
		return;
	}
	if (json.overflowed) {
		grpc_call_fail(call, GRPC_RESOURCE_EXHAUSTED,
		               "The message is larger than the runtime takes");
		return;
	}
	if (grpc_route_request(call->mem, call->method, buf_str(&json), &route, &e) != OK) {
		fail_error(call, GRPC_INVALID_ARGUMENT, &e);
		return;
	}
	if (grpc_status_timeout(call->head.timeout, &ms))
		loop_timer_start(call->conn->server->loop, &call->timer, ms, on_deadline);
	send_request(call, &route);
	grpc_frame_done(&call->frame);
	arena_free(call->mem);
	call->mem = NULL;
	call->head = (struct grpc_head){ 0 };
	(void)count_held(call);
}

/* ---- the request ---- */

static void on_slow_request(struct loop_timer *t)
{
	struct grpc_call *call = OWNER_OF(t, struct grpc_call, timer);

	grpc_call_fail(call, GRPC_DEADLINE_EXCEEDED, "The request did not arrive in time");
}

struct grpc_call *grpc_call_new(struct grpc_conn *c, int32_t stream_id)
{
	struct grpc_call *call = memory_zeroed(1, sizeof *call);

	call->conn = c;
	call->stream_id = stream_id;
	call->mem = arena_new_small();
	call->frame.max = LIMIT_GRPC_MESSAGE_BYTES;
	list_add(&c->calls, &call->node);
	c->call_count++;
	loop_timer_start(c->server->loop, &call->timer, LIMIT_GRPC_REQUEST_S * 1000,
	                 on_slow_request);
	return call;
}

static bool is_identity(struct str encoding)
{
	return !str_is(encoding) || str_eq(encoding, STR("identity"));
}

static bool is_timeout(struct str timeout)
{
	int64_t ms;

	return !str_is(timeout) || grpc_status_timeout(timeout, &ms);
}

void grpc_call_head(struct grpc_call *call)
{
	const struct grpc_head *h = &call->head;

	call->state = GRPC_CALL_BODY;
	call->method = grpc_route_method(h->path);
	if (h->bytes > LIMIT_HTTP_HEADER_BYTES)
		grpc_call_fail(call, GRPC_RESOURCE_EXHAUSTED,
		               "The metadata of the call is too large");
	else if (!str_is(h->method) || !str_eq(h->method, STR("POST")))
		grpc_reply_refuse(call, "405");
	else if (!grpc_head_is_grpc(h->content_type))
		grpc_reply_refuse(call, "415");
	else if (h->repeated)
		grpc_call_fail(call, GRPC_INVALID_ARGUMENT,
		               "A header that may come once came twice");
	else if (!call->method)
		grpc_call_fail(call, GRPC_UNIMPLEMENTED, "There is no such method");
	else if (!is_identity(h->encoding))
		grpc_call_fail(call, GRPC_UNIMPLEMENTED,
		               "Compressed messages are not supported; send identity");
	else if (!is_timeout(h->timeout))
		grpc_call_fail(call, GRPC_INVALID_ARGUMENT, "grpc-timeout is not valid");
}

static void fail_frame(struct grpc_call *call, enum grpc_frame_step step)
{
	if (step == GRPC_FRAME_TOO_LARGE)
		grpc_call_fail(call, GRPC_RESOURCE_EXHAUSTED, "The message is too large");
	else if (step == GRPC_FRAME_COMPRESSED)
		grpc_call_fail(call, GRPC_INTERNAL, "A message is compressed without an encoding");
	else
		grpc_call_fail(call, GRPC_INTERNAL, "A message has an unknown flag");
}

void grpc_call_body(struct grpc_call *call, struct str bytes)
{
	enum grpc_frame_step step = GRPC_FRAME_MORE;

	while (call->state == GRPC_CALL_BODY && bytes.len) {
		if (call->has_request) {
			grpc_call_fail(call, GRPC_INVALID_ARGUMENT, "The call has two messages");
			return;
		}
		step = grpc_frame_feed(&call->frame, &bytes);
		if (step == GRPC_FRAME_MESSAGE)
			call->has_request = true;
		else if (step != GRPC_FRAME_MORE)
			fail_frame(call, step);
		if (!count_held(call))
			return;
	}
}

/* An empty message that ends with its head needs no further bytes. */
void grpc_call_body_end(struct grpc_call *call)
{
	call->is_ended_by_peer = true;
	if (call->state != GRPC_CALL_BODY)
		return;
	if (!call->has_request)
		grpc_call_fail(call, GRPC_INVALID_ARGUMENT, "The call has no complete message");
	else
		ask_runtime(call);
}
