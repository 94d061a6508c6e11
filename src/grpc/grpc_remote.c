/*
 * A link is one connection.  The remote has at most one that takes new calls; links that the agent
 * is closing live until their last call has ended.  A name is resolved when a link is opened.  That
 * blocks, and nothing else could be done meanwhile: all calls need the link.
 */
#include "grpc/grpc_remote.h"

#include "base/gen/limits.h"
#include "base/hash/base64.h"
#include "base/memory.h"
#include "grpc/grpc_frame.h"
#include "net/stream.h"

#include <errno.h>
#include <netdb.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_MS 10000
#define WRITE_HIGH ((size_t)65536)
#define FIELDS_MAX 16

struct link {
	struct list node;
	struct list asks;
	struct grpc_remote *remote;
	struct stream *stream;
	struct grpc_tls *tls; /* NULL: plain */
	nghttp2_session *session;
	struct loop_timer timer; /* for the greeting, then once per LIMIT_GRPC_PING_S */
	bool is_greeted, is_closing, is_silent, is_marked;
};

struct grpc_remote {
	struct loop *loop;
	struct net_host host;
	uint16_t port;
	struct grpc_tls_context *tls; /* NULL: links are plain */
	unsigned attempt;             /* selects one of several addresses */
	struct list links;
	struct link *current;
	struct loop_hook hook;
};

struct grpc_ask {
	struct list node;
	struct link *link; /* NULL: it could not be opened */
	const struct grpc_remote_sink *sink;
	void *owner;
	struct loop_timer timer; /* ends a call that has no link, from the loop */
	struct grpc_frame frame;
	struct buf body;
	size_t body_at;
	size_t unread; /* bytes that were taken while paused */
	struct arena *mem;
	struct str status, message, details; /* of the trailers */
	size_t head_bytes;
	int http;
	int32_t stream_id;
	bool is_paused;
};

/* ---- the end of a call ---- */

static void free_ask(struct grpc_ask *a)
{
	loop_timer_stop(&a->timer);
	list_remove(&a->node);
	grpc_frame_done(&a->frame);
	buf_done(&a->body);
	arena_free(a->mem);
	memory_free(a);
}

static void end_ask(struct grpc_ask *a, const struct grpc_status *s)
{
	const struct grpc_remote_sink *sink = a->sink;
	void *owner = a->owner;

	if (a->link && a->stream_id)
		nghttp2_session_set_stream_user_data(a->link->session, a->stream_id, NULL);
	/* The status may point into the memory of the call. */
	sink->end(owner, s);
	free_ask(a);
}

static void fail_ask(struct grpc_ask *a, enum grpc_code code, const char *message)
{
	end_ask(a, &(struct grpc_status){ .code = code, .message = str_from(message) });
}

static void mark(struct link *l)
{
	l->is_marked = true;
}

static void reset(struct grpc_ask *a)
{
	nghttp2_session_set_stream_user_data(a->link->session, a->stream_id, NULL);
	nghttp2_submit_rst_stream(a->link->session, NGHTTP2_FLAG_NONE, a->stream_id,
	                          NGHTTP2_CANCEL);
	mark(a->link);
}

/* Padding may be missing. */
static struct str read_details(struct grpc_ask *a)
{
	CLEANUP(buf_done) struct buf text = { 0 }, bytes = { 0 };

	if (!str_is(a->details))
		return STR_NONE;
	buf_add_str(&text, a->details);
	while (text.len % 4)
		buf_add_char(&text, '=');
	return base64_read(&bytes, buf_str(&text)) ? arena_keep(a->mem, buf_str(&bytes)) : STR_NONE;
}

static void end_with_trailers(struct grpc_ask *a)
{
	struct grpc_status s = { .message = STR("") };

	if (!str_is(a->status)) {
		fail_ask(a, a->http == 200 ? GRPC_INTERNAL : GRPC_UNAVAILABLE,
		         "The agent ended the call without a status");
		return;
	}
	s.code = grpc_status_code(a->status);
	if (str_is(a->message))
		s.message = grpc_status_decode(a->mem, a->message);
	s.details = read_details(a);
	if (s.code == GRPC_OK && !grpc_frame_is_whole(&a->frame))
		s = (struct grpc_status){ .code = GRPC_INTERNAL,
			                  .message = STR("A message of the agent is incomplete") };
	end_ask(a, &s);
}

/* ---- callbacks of nghttp2 ---- */

static struct grpc_ask *ask_of(nghttp2_session *session, int32_t stream_id)
{
	return nghttp2_session_get_stream_user_data(session, stream_id);
}

static void keep_field(struct grpc_ask *a, struct str name, struct str value)
{
	uint64_t http;

	if (str_eq(name, STR(":status")) && str_to_u64(value, &http))
		a->http = (int)http;
	else if (str_eq(name, STR("grpc-status")))
		a->status = arena_keep(a->mem, value);
	else if (str_eq(name, STR("grpc-message")))
		a->message = arena_keep(a->mem, value);
	else if (str_eq(name, STR("grpc-status-details-bin")))
		a->details = arena_keep(a->mem, value);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *user)
{
	struct grpc_ask *a = ask_of(session, frame->hd.stream_id);

	if (!a)
		return 0;
	a->head_bytes += name_len + value_len;
	if (a->head_bytes > LIMIT_HTTP_HEADER_BYTES)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	keep_field(a, str_of((const char *)name, name_len), str_of((const char *)value, value_len));
	return 0;
}

/* False: the call has ended, by its owner or by a message that is wrong. */
static bool feed(nghttp2_session *session, int32_t stream_id, struct str bytes)
{
	struct grpc_ask *a;

	while (bytes.len && (a = ask_of(session, stream_id)) != NULL) {
		enum grpc_frame_step step = grpc_frame_feed(&a->frame, &bytes);

		if (step == GRPC_FRAME_MESSAGE) {
			a->sink->message(a->owner, buf_str(&a->frame.message));
		} else if (step != GRPC_FRAME_MORE) {
			reset(a);
			fail_ask(a, GRPC_RESOURCE_EXHAUSTED,
			         "A message of the agent is too large or compressed");
		}
	}
	return ask_of(session, stream_id) != NULL;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream_id, const uint8_t *data,
                   size_t len, void *user)
{
	struct grpc_ask *a;

	nghttp2_session_consume_connection(session, len);
	mark(user);
	if (!feed(session, stream_id, str_of((const char *)data, len)))
		return 0;
	a = ask_of(session, stream_id);
	if (a->is_paused)
		a->unread += len;
	else
		nghttp2_session_consume_stream(session, stream_id, len);
	return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct link *l = user;

	if (frame->hd.type == NGHTTP2_SETTINGS)
		l->is_greeted = true;
	if (frame->hd.type == NGHTTP2_GOAWAY && l->remote->current == l)
		l->remote->current = NULL;
	return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream_id, uint32_t code, void *user)
{
	struct grpc_ask *a = ask_of(session, stream_id);

	if (!a)
		return 0;
	a->stream_id = 0;
	if (code == NGHTTP2_NO_ERROR || str_is(a->status))
		end_with_trailers(a);
	else if (code == NGHTTP2_REFUSED_STREAM || code == NGHTTP2_ENHANCE_YOUR_CALM)
		fail_ask(a, GRPC_UNAVAILABLE, "The agent refused the call; try again later");
	else
		fail_ask(a, GRPC_UNAVAILABLE, "The agent broke the call off");
	return 0;
}

static ssize_t read_body(nghttp2_session *session, int32_t stream_id, uint8_t *to, size_t length,
                         uint32_t *flags, nghttp2_data_source *source, void *user)
{
	struct grpc_ask *a = ask_of(session, stream_id);
	size_t count = a ? MIN(length, a->body.len - a->body_at) : 0;

	if (count)
		memcpy(to, a->body.ptr + a->body_at, count);
	if (a)
		a->body_at += count;
	if (!a || a->body_at == a->body.len) {
		*flags |= NGHTTP2_DATA_FLAG_EOF;
		if (a)
			buf_done(&a->body);
	}
	return (ssize_t)count;
}

/* ---- the link ---- */

static nghttp2_session *new_session(struct link *l)
{
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, LIMIT_HTTP_HEADER_BYTES },
	};
	nghttp2_session_callbacks *cb;
	nghttp2_option *option;
	nghttp2_session *session;

	if (nghttp2_session_callbacks_new(&cb) < 0 || nghttp2_option_new(&option) < 0)
		memory_exhausted();
	nghttp2_session_callbacks_set_on_header_callback(cb, on_header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(cb, on_frame);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(cb, on_stream_close);
	nghttp2_option_set_no_auto_window_update(option, 1);
	if (nghttp2_session_client_new2(&session, cb, l, option) < 0)
		memory_exhausted();
	nghttp2_option_del(option);
	nghttp2_session_callbacks_del(cb);
	nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, COUNT_OF(settings));
	return session;
}

static void close_link(struct link *l, const char *why)
{
	if (l->is_closing)
		return;
	l->is_closing = true;
	if (l->remote->current == l)
		l->remote->current = NULL;
	loop_timer_stop(&l->timer);
	while (!list_is_empty(&l->asks))
		fail_ask(LIST_ITEM(l->asks.next, struct grpc_ask, node), GRPC_UNAVAILABLE, why);
	stream_close(l->stream);
}

/* What TLS has to say, such as its greeting, goes out with the rest. */
static void send_tls(struct link *l)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!l->tls)
		return;
	grpc_tls_out(l->tls, &out);
	if (out.len)
		stream_write(l->stream, buf_str(&out));
}

static void write_link(struct link *l, struct str plain)
{
	if (!l->tls) {
		stream_write(l->stream, plain);
		return;
	}
	grpc_tls_write(l->tls, plain);
	send_tls(l);
}

static void flush_link(struct link *l)
{
	const uint8_t *data;
	ssize_t len;

	l->is_marked = false;
	if (l->is_closing)
		return;
	while (stream_write_pending(l->stream) < WRITE_HIGH &&
	       (len = nghttp2_session_mem_send(l->session, &data)) > 0)
		write_link(l, str_of((const char *)data, (size_t)len));
	send_tls(l);
	if ((!nghttp2_session_want_read(l->session) && !nghttp2_session_want_write(l->session)) ||
	    (l != l->remote->current && list_is_empty(&l->asks)))
		close_link(l, "The agent closed the connection");
}

static bool before_sleep(struct loop_hook *h)
{
	struct grpc_remote *r = OWNER_OF(h, struct grpc_remote, hook);

	LIST_EACH_SAFE (&r->links, node, next) {
		struct link *l = LIST_ITEM(node, struct link, node);

		if (l->is_marked)
			flush_link(l);
	}
	return false;
}

static void take_plain(void *owner, struct str bytes)
{
	struct link *l = owner;

	if (!l->is_closing &&
	    nghttp2_session_mem_recv(l->session, (const uint8_t *)bytes.ptr, bytes.len) < 0)
		close_link(l, "The agent does not speak HTTP/2");
}

static void on_read(struct stream *stream, struct str bytes)
{
	struct link *l = stream_user(stream);
	const char *why = NULL;

	if (l->is_closing)
		return;
	l->is_silent = false;
	if (l->tls)
		why = grpc_tls_take(l->tls, bytes);
	else
		take_plain(l, bytes);
	if (why)
		close_link(l, why);
	mark(l);
}

static void on_gone(struct stream *stream)
{
	struct link *l = stream_user(stream);

	close_link(l, l->is_greeted ? "The connection to the agent broke"
	                            : "The agent cannot be reached");
}

static void on_drain(struct stream *stream)
{
	mark(stream_user(stream));
}

static void on_closed(struct stream *stream)
{
	struct link *l = stream_user(stream);

	list_remove(&l->node);
	loop_timer_stop(&l->timer);
	nghttp2_session_del(l->session);
	grpc_tls_free(l->tls);
	memory_free(l);
}

/* A link with calls that says nothing, not even to a ping, is dead. */
static void on_tick(struct loop_timer *t)
{
	struct link *l = OWNER_OF(t, struct link, timer);

	if (!l->is_greeted || l->is_silent) {
		close_link(l, l->is_greeted ? "The agent does not answer any more"
		                            : "The agent did not answer in time");
		return;
	}
	l->is_silent = !list_is_empty(&l->asks);
	if (l->is_silent)
		nghttp2_submit_ping(l->session, NGHTTP2_FLAG_NONE, NULL);
	mark(l);
	loop_timer_start(l->remote->loop, t, LIMIT_GRPC_PING_S * 1000, on_tick);
}

/* The socket is still connecting: what is written waits, and a failure comes as on_gone. */
static int dial(struct grpc_remote *r)
{
	struct addrinfo want = { .ai_socktype = SOCK_STREAM }, *all, *each;
	unsigned skip = 0, count = 0;
	char port[8];
	int fd = -1;

	snprintf(port, sizeof port, "%u", (unsigned)r->port);
	if (getaddrinfo(r->host.text, port, &want, &all))
		return -1;
	for (each = all; each; each = each->ai_next)
		count++;
	skip = r->attempt++ % MAX(count, 1u);
	for (each = all; each && skip; each = each->ai_next)
		skip--;
	if (each)
		fd = socket(each->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, each->ai_addr, each->ai_addrlen) < 0 && errno != EINPROGRESS) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(all);
	return fd;
}

/* NULL: the agent cannot be reached at all. */
static struct link *open_link(struct grpc_remote *r)
{
	static const struct stream_ops ops = {
		.on_read = on_read, .on_gone = on_gone, .on_drain = on_drain, .on_closed = on_closed
	};
	struct stream *stream;
	struct link *l;
	int fd = dial(r);

	if (fd < 0 || stream_open_fd(r->loop, fd, &stream, NULL) != OK)
		return NULL;
	l = memory_zeroed(1, sizeof *l);
	l->remote = r;
	l->stream = stream;
	list_init(&l->asks);
	list_add(&r->links, &l->node);
	l->session = new_session(l);
	if (r->tls)
		l->tls = grpc_tls_new(r->tls, r->host.text, take_plain, l);
	stream_own(stream, &ops, l);
	stream_resume(stream);
	loop_timer_start(r->loop, &l->timer, CONNECT_MS, on_tick);
	return l;
}

struct grpc_remote *grpc_remote_new(struct loop *l, const struct net_host *host, uint16_t port,
                                    struct grpc_tls_context *tls)
{
	struct grpc_remote *r = memory_zeroed(1, sizeof *r);

	r->loop = l;
	r->host = *host;
	r->port = port;
	r->tls = tls;
	list_init(&r->links);
	loop_before_sleep(l, &r->hook, before_sleep);
	return r;
}

void grpc_remote_free(struct grpc_remote *r)
{
	if (!r)
		return;
	LIST_EACH_SAFE (&r->links, node, next) {
		struct link *l = LIST_ITEM(node, struct link, node);

		while (!list_is_empty(&l->asks))
			free_ask(LIST_ITEM(l->asks.next, struct grpc_ask, node));
		close_link(l, "");
	}
	while (!list_is_empty(&r->links))
		loop_run_once(r->loop, 0);
	loop_hook_stop(&r->hook);
	memory_free(r);
}

/* ---- calls ---- */

static void on_unreachable(struct loop_timer *t)
{
	struct grpc_ask *a = OWNER_OF(t, struct grpc_ask, timer);

	fail_ask(a, GRPC_UNAVAILABLE, "The agent cannot be reached");
}

#define NV(field, text)                                                                            \
	((nghttp2_nv){ (uint8_t *)(field).ptr, (uint8_t *)(text).ptr, (field).len, (text).len,     \
	               NGHTTP2_NV_FLAG_NONE })

static void submit(struct grpc_ask *a, const struct proto_method *m,
                   const struct grpc_remote_field *fields, size_t count)
{
	struct grpc_remote *r = a->link->remote;
	nghttp2_data_provider provider = { .read_callback = read_body };
	nghttp2_nv nv[FIELDS_MAX];
	size_t n = 0;
	struct str path = arena_printf(a->mem, "/%s/%s", proto_service, m->name);
	struct str authority = arena_printf(a->mem, strchr(r->host.text, ':') ? "[%s]:%u" : "%s:%u",
	                                    r->host.text, r->port);

	nv[n++] = NV(STR(":method"), STR("POST"));
	nv[n++] = NV(STR(":scheme"), r->tls ? STR("https") : STR("http"));
	nv[n++] = NV(STR(":path"), path);
	nv[n++] = NV(STR(":authority"), authority);
	nv[n++] = NV(STR("content-type"), STR("application/grpc"));
	nv[n++] = NV(STR("te"), STR("trailers"));
	nv[n++] = NV(STR("user-agent"), STR("thole-grpc"));
	for (size_t i = 0; i < count && n < FIELDS_MAX; i++)
		nv[n++] = NV(fields[i].name, fields[i].value);
	a->stream_id = nghttp2_submit_request(a->link->session, NULL, nv, n, &provider, a);
	mark(a->link);
}

struct grpc_ask *grpc_remote_call(struct grpc_remote *r, const struct proto_method *m,
                                  const struct grpc_remote_field *fields, size_t count,
                                  struct str wire, const struct grpc_remote_sink *sink, void *owner)
{
	struct grpc_ask *a = memory_zeroed(1, sizeof *a);
	size_t begin = grpc_frame_begin(&a->body);

	buf_add_str(&a->body, wire);
	grpc_frame_end(&a->body, begin);
	a->sink = sink;
	a->owner = owner;
	a->mem = arena_new_small();
	a->frame.max = LIMIT_GRPC_REPLY_BYTES;
	list_init(&a->node);
	if (!r->current)
		r->current = open_link(r);
	a->link = r->current;
	if (a->link) {
		list_add(&a->link->asks, &a->node);
		submit(a, m, fields, count);
	}
	if (!a->link || a->stream_id < 0) {
		a->stream_id = 0;
		loop_timer_start(r->loop, &a->timer, 0, on_unreachable);
	}
	return a;
}

void grpc_remote_cancel(struct grpc_ask *a)
{
	if (a->link && a->stream_id)
		reset(a);
	free_ask(a);
}

void grpc_remote_pause(struct grpc_ask *a)
{
	a->is_paused = true;
}

void grpc_remote_resume(struct grpc_ask *a)
{
	a->is_paused = false;
	if (a->link && a->stream_id && a->unread) {
		nghttp2_session_consume_stream(a->link->session, a->stream_id, a->unread);
		mark(a->link);
	}
	a->unread = 0;
}
