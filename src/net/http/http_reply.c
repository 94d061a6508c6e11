/* Replies: heads, whole bodies, bodies in pieces, and the upgrade to a WebSocket. */
#include "net/http/http_conn.h"

#include "base/json.h"
#include "base/jw.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static struct request *of(struct http_request *req)
{
	return (struct request *)req;
}

/* ---- writing heads ---- */

static const struct {
	int status;
	const char *reason;
} reasons[] = {
	{ 100, "Continue" },
	{ 101, "Switching Protocols" },
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 204, "No Content" },
	{ 206, "Partial Content" },
	{ 301, "Moved Permanently" },
	{ 302, "Found" },
	{ 303, "See Other" },
	{ 304, "Not Modified" },
	{ 307, "Temporary Redirect" },
	{ 308, "Permanent Redirect" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" },
	{ 408, "Request Timeout" },
	{ 409, "Conflict" },
	{ 410, "Gone" },
	{ 412, "Precondition Failed" },
	{ 413, "Content Too Large" },
	{ 414, "URI Too Long" },
	{ 415, "Unsupported Media Type" },
	{ 416, "Range Not Satisfiable" },
	{ 417, "Expectation Failed" },
	{ 422, "Unprocessable Content" },
	{ 426, "Upgrade Required" },
	{ 429, "Too Many Requests" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 502, "Bad Gateway" },
	{ 503, "Service Unavailable" },
	{ 504, "Gateway Timeout" },
	{ 505, "HTTP Version Not Supported" },
	{ 507, "Insufficient Storage" },
};

static const char *reason_of(int status)
{
	for (size_t i = 0; i < COUNT_OF(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return ""; /* RFC 9112 section 4: the phrase may be empty */
}

/* RFC 9110, section 5.6.2. */
static bool is_token(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] <= ' ' || name.ptr[i] >= 0x7f ||
		    strchr("\"(),/:;<=>?@[\\]{}", name.ptr[i]))
			return false;
	return name.len > 0;
}

/* Framing is decided here, so a handler must not contradict it. */
static bool is_ours(struct str name)
{
	static const char *const ours[] = { "content-length", "transfer-encoding", "connection" };

	for (size_t i = 0; i < COUNT_OF(ours); i++)
		if (name.len == strlen(ours[i]) && !strncasecmp(name.ptr, ours[i], name.len))
			return true;
	return false;
}

/*
 * Values may come from events or files.  A line break in one would begin another
 * header, so control characters become spaces.
 */
static void add_header(struct buf *out, struct str name, struct str value)
{
	assert(is_token(name) && "a header's name is a token");
	if (!is_token(name))
		return;
	buf_add_str(out, name);
	buf_add(out, ": ", 2);
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];

		buf_add_char(out, (c < 0x20 && c != '\t') || c == 0x7f ? ' ' : (char)c);
	}
	buf_add(out, "\r\n", 2);
}

static void begin_head(struct buf *out, int status, const struct http_field *headers, size_t count)
{
	assert(status >= 100 && status <= 999);
	buf_printf(out, "HTTP/1.1 %d %s\r\n", status, reason_of(status));
	for (size_t i = 0; i < count; i++) {
		assert(!is_ours(headers[i].name) && "framing headers are set here");
		if (!is_ours(headers[i].name))
			add_header(out, headers[i].name, headers[i].value);
	}
}

static void write_head(struct conn *c, struct buf *out)
{
	buf_add(out, "\r\n", 2);
	stream_write(c->s, buf_str(out));
	buf_done(out);
}

/* ---- replies that the server writes itself ---- */

static void write_problem(struct buf *body, int status, const char *why)
{
	struct json_writer w;

	jw_init(&w, body);
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("about:blank"));
	JW_KSTR(&w, "title", str_from(reason_of(status)));
	JW_KINT(&w, "status", status);
	JW_KSTR(&w, "detail", str_from(why));
	jw_obj_end(&w);
}

/*
 * For requests that never reached a handler, so on_problem may give the body its usual
 * form.  The connection always ends: after a malformed request the next one cannot be
 * found.
 */
void http_reply_write_refusal(const struct http_server *srv, struct stream *s, int status,
                              const char *why)
{
	struct buf head = { 0 }, body = { 0 };
	struct str type = STR("application/problem+json");

	if (srv->handler->on_problem)
		srv->handler->on_problem(srv->user, status, why, &body, &type);
	if (!body.len)
		write_problem(&body, status, why);
	begin_head(&head, status, NULL, 0);
	add_header(&head, STR("Content-Type"), type);
	buf_printf(&head, "Content-Length: %zu\r\nConnection: close\r\n\r\n", body.len);
	stream_write(s, buf_str(&head));
	stream_write(s, buf_str(&body));
	buf_done(&head);
	buf_done(&body);
}

/* ---- whole answers ---- */

/*
 * RFC 9110: a reply to HEAD, 204 and 304 have no body.  HEAD still states the length
 * that GET would have.
 */
static bool is_bodyless(const struct request *r, int status)
{
	return r->is_head || status == 204 || status == 304;
}

/*
 * Keeping alive is the default of HTTP/1.1 and has to be said in HTTP/1.0.  A draining
 * server closes after this reply.
 */
static void add_connection(struct buf *head, const struct request *r)
{
	if (!r->keeps_alive || r->conn->srv->is_draining)
		buf_add_c(head, "Connection: close\r\n");
	else if (r->is_http_1_0)
		buf_add_c(head, "Connection: keep-alive\r\n");
}

static void add_challenge(struct buf *head, const struct request *r, int status)
{
	const struct http_server *srv = r->conn->srv;
	struct buf value = { 0 };

	if ((status != 401 && status != 403) || !srv->handler->on_refusal)
		return;
	srv->handler->on_refusal(srv->user, &r->pub, status, &value);
	if (value.len)
		add_header(head, STR("WWW-Authenticate"), buf_str(&value));
	buf_done(&value);
}

static void begin_reply(struct request *r, int status, const struct http_field *headers,
                        size_t count, size_t body_len)
{
	struct buf head = { 0 };

	begin_head(&head, status, headers, count);
	add_challenge(&head, r, status);
	if (status != 204 && status != 304)
		buf_printf(&head, "Content-Length: %zu\r\n", body_len);
	add_connection(&head, r);
	write_head(r->conn, &head);
}

void http_reply(struct http_request *req, int status, const struct http_field *headers,
                size_t count, struct str body)
{
	struct request *r = of(req);

	assert(status >= 200 && !r->has_begun);
	if (!r->conn->is_lost) {
		begin_reply(r, status, headers, count, body.len);
		if (!is_bodyless(r, status))
			stream_write(r->conn->s, body);
	}
	http_server_request_end(r);
}

void http_reply_bytes(struct http_request *req, int status, const struct http_field *headers,
                      size_t count, struct bytes *body)
{
	struct request *r = of(req);

	assert(status >= 200 && !r->has_begun);
	if (!r->conn->is_lost) {
		begin_reply(r, status, headers, count, body->len);
		if (!is_bodyless(r, status))
			stream_write_bytes(r->conn->s, body);
	}
	http_server_request_end(r);
}

/* ---- answers in pieces ---- */

/* The request is freed here: a stream may last for hours and needs only its connection. */
void http_reply_stream_begin(struct http_request *req, int status, const struct http_field *headers,
                             size_t count)
{
	struct request *r = of(req);
	struct buf head = { 0 };

	assert(status >= 200 && !r->has_begun);
	r->has_begun = true;
	r->has_no_body = is_bodyless(r, status);
	r->is_chunked = !r->is_http_1_0 && status != 204 && status != 304;
	if (r->is_http_1_0)
		r->keeps_alive = false; /* the end of the connection is the end of the body */
	if (!r->conn->is_lost) {
		begin_head(&head, status, headers, count);
		if (r->is_chunked)
			buf_add_c(&head, "Transfer-Encoding: chunked\r\n");
		add_connection(&head, r);
		write_head(r->conn, &head);
	}
	http_parse_message_done(&req->in);
}

static bool may_write(const struct request *r, size_t len)
{
	assert(r->has_begun);
	return len && !r->has_no_body && !r->conn->is_lost;
}

/* An empty chunk would end the body; may_write() has excluded it. */
static void begin_chunk(const struct request *r, size_t len)
{
	char line[24];

	if (r->is_chunked)
		stream_write(r->conn->s,
		             str_of(line, (size_t)snprintf(line, sizeof line, "%zx\r\n", len)));
}

static void end_chunk(const struct request *r)
{
	if (r->is_chunked)
		stream_write(r->conn->s, STR("\r\n"));
}

void http_reply_stream_write(struct http_request *req, struct str bytes)
{
	struct request *r = of(req);

	if (!may_write(r, bytes.len))
		return;
	begin_chunk(r, bytes.len);
	stream_write(r->conn->s, bytes);
	end_chunk(r);
}

void http_reply_stream_write_bytes(struct http_request *req, struct bytes *b)
{
	struct request *r = of(req);

	if (!may_write(r, b->len))
		return;
	begin_chunk(r, b->len);
	stream_write_bytes(r->conn->s, b);
	end_chunk(r);
}

void http_reply_stream_end(struct http_request *req)
{
	struct request *r = of(req);

	assert(r->has_begun);
	if (r->is_chunked && !r->has_no_body && !r->conn->is_lost)
		stream_write(r->conn->s, STR("0\r\n\r\n"));
	http_server_request_end(r);
}

/*
 * For a reply that has begun and cannot be completed: closing without the last chunk is
 * the only way to say so.
 */
void http_reply_abort(struct http_request *req)
{
	struct request *r = of(req);

	if (!r->conn->is_lost)
		http_server_conn_close(r->conn);
	http_server_request_end(r);
}

size_t http_reply_pending(const struct http_request *req)
{
	const struct conn *c = ((const struct request *)req)->conn;

	return c->is_lost ? 0 : stream_write_pending(c->s);
}

bool http_reply_is_closed(const struct http_request *req)
{
	return ((const struct request *)req)->conn->is_lost;
}

const struct stream *http_reply_stream_of(const struct http_request *req)
{
	const struct conn *c = ((const struct request *)req)->conn;

	return c->is_lost ? NULL : c->s;
}

/* ---- WebSocket ---- */

static struct str ws_header(const struct http_request *req, const char *name)
{
	return http_parse_find(&req->in, str_from(name));
}

/* RFC 6455, section 4.2.1. */
bool http_reply_wants_websocket(const struct http_request *req)
{
	char accept[WS_ACCEPT_MAX];

	return req->in.wants_upgrade && !req->in.is_http_1_0 && !req->in.body.len &&
	       str_eq(req->in.method, STR("GET")) &&
	       http_parse_has_token(ws_header(req, "upgrade"), STR("websocket")) &&
	       str_eq(ws_header(req, "sec-websocket-version"), STR("13")) &&
	       websocket_accept_key(ws_header(req, "sec-websocket-key"), accept);
}

/* 426 with the supported version, if the client asked for another one (RFC 6455, section 4.4). */
static void refuse_websocket(struct http_request *req)
{
	struct http_field version = { STR("Sec-WebSocket-Version"), STR("13") };
	struct str asked = ws_header(req, "sec-websocket-version");
	int status = str_is(asked) && !str_eq(asked, STR("13")) ? 426 : 400;
	struct buf body = { 0 };

	write_problem(&body, status, "this is not a WebSocket handshake of version 13");
	http_reply(req, status, &version, 1, buf_str(&body));
	buf_done(&body);
}

/* The WebSocket owned the stream, which is closed here. */
static void ws_is_gone(void *arg)
{
	struct conn *c = arg;

	c->ws = NULL;
	c->s = NULL;
	http_server_conn_free(c);
}

/*
 * From here on the stream belongs to the WebSocket; the connection's struct stays for
 * the limits of the server and is freed by ws_is_gone().
 */
struct ws *http_reply_upgrade_websocket(struct http_request *req, struct str protocol,
                                        const struct ws_options *opt, const struct ws_ops *ops,
                                        void *user)
{
	struct request *r = of(req);
	struct conn *c = r->conn;
	char accept[WS_ACCEPT_MAX];

	assert(!r->has_begun);
	if (c->is_lost || c->is_eof) { /* a peer that has closed its side cannot answer a ping */
		http_reply_abort(req);
		return NULL;
	}
	if (!http_reply_wants_websocket(req) ||
	    !websocket_accept_key(ws_header(req, "sec-websocket-key"), accept)) {
		refuse_websocket(req);
		return NULL;
	}

	struct buf head = { 0 };

	begin_head(&head, 101, NULL, 0);
	buf_add_c(&head, "Upgrade: websocket\r\nConnection: Upgrade\r\n");
	add_header(&head, STR("Sec-WebSocket-Accept"), str_from(accept));
	if (str_is(protocol))
		add_header(&head, STR("Sec-WebSocket-Protocol"), protocol);
	write_head(c, &head);
	http_parse_message_done(&req->in);
	if (r->peer)
		c->peer = r->peer; /* the connection is a proxy's: it was not counted */
	free(r);
	c->req = NULL;
	c->ws = websocket_new(c->s, opt, ops, user, ws_is_gone, c);
	/* Bytes that were read ahead are delivered from the loop; inside conn_parse() that happens anyway. */
	if (!c->is_running && c->ahead.len)
		http_server_conn_continue_soon(c);
	else if (!c->is_running)
		stream_resume(c->s);
	return c->ws;
}
