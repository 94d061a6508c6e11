/*
 * One connection of HTTP/2.  nghttp2 reads and writes its frames; here are the limits that it does
 * not have, and the two callbacks of the stream below.
 */
#include "grpc/grpc_int.h"

#include "base/memory.h"

#define WRITE_HIGH                                                                                 \
	((size_t)65536) /* bytes that wait for the kernel before nghttp2 is asked for more */
#define LINGER_MS 2000
#define STUCK_S 60 /* output that does not move */
#define WINDOW 262144

/* ---- limits ---- */

static void terminate(struct grpc_conn *c, uint32_t code)
{
	nghttp2_session_terminate_session(c->session, code);
	grpc_int_mark(c);
}

/* Frames that carry no call cost the peer nothing and must not cost us much. */
static void spend(struct grpc_conn *c)
{
	if (c->budget > 0 && --c->budget == 0)
		terminate(c, NGHTTP2_ENHANCE_YOUR_CALM);
}

/* ---- callbacks of nghttp2 ---- */

static struct grpc_call *call_of(nghttp2_session *session, int32_t stream_id)
{
	return nghttp2_session_get_stream_user_data(session, stream_id);
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct grpc_conn *c = user;

	if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	nghttp2_session_set_stream_user_data(session, frame->hd.stream_id,
	                                     grpc_call_new(c, frame->hd.stream_id));
	return 0;
}

/*
 * A few bytes can stand for many fields.  What is too long is not kept and gets an error; what is
 * far too long is meant as an attack and ends the connection.
 */
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *user)
{
	struct grpc_call *call = call_of(session, frame->hd.stream_id);

	if (!call || call->state != GRPC_CALL_HEAD)
		return 0;
	grpc_head_add(&call->head, call->mem, str_of((const char *)name, name_len),
	              str_of((const char *)value, value_len), LIMIT_HTTP_HEADER_BYTES);
	if (call->head.bytes <= (size_t)LIMIT_HTTP_HEADER_BYTES * LIMIT_GRPC_HEADER_LIST_FACTOR)
		return 0;
	terminate(user, NGHTTP2_ENHANCE_YOUR_CALM);
	return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static void count_frame(struct grpc_conn *c, const nghttp2_frame *frame)
{
	switch (frame->hd.type) {
	case NGHTTP2_DATA:
		if (!frame->hd.length && !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
			spend(c);
		break;
	case NGHTTP2_PING:
	case NGHTTP2_SETTINGS:
		if (!(frame->hd.flags & NGHTTP2_FLAG_ACK))
			spend(c);
		break;
	case NGHTTP2_RST_STREAM:
	case NGHTTP2_PRIORITY:
		spend(c);
		break;
	default:
		break;
	}
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct grpc_call *call = call_of(session, frame->hd.stream_id);
	struct grpc_conn *c = user;

	c->is_greeted = true;
	count_frame(c, frame);
	if (!call || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA))
		return 0;
	if (call->state == GRPC_CALL_HEAD)
		grpc_call_head(call);
	if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
		grpc_call_body_end(call);
	return 0;
}

static int on_invalid_frame(nghttp2_session *session, const nghttp2_frame *frame, int code,
                            void *user)
{
	spend(user);
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream_id, const uint8_t *data,
                   size_t len, void *user)
{
	struct grpc_call *call = call_of(session, stream_id);

	if (call)
		grpc_call_body(call, str_of((const char *)data, len));
	return 0;
}

/* A caller that is still sending when it has its answer is asked to stop. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct grpc_call *call = call_of(session, frame->hd.stream_id);
	bool is_end = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
	              frame->hd.flags & NGHTTP2_FLAG_END_STREAM;

	if (call && is_end && !call->is_ended_by_peer)
		nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
		                          NGHTTP2_NO_ERROR);
	return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream_id, uint32_t code, void *user)
{
	struct grpc_call *call = call_of(session, stream_id);

	if (call)
		grpc_call_free(call);
	return 0;
}

/* ---- the session ---- */

static nghttp2_session_callbacks *new_callbacks(void)
{
	nghttp2_session_callbacks *cb;

	if (nghttp2_session_callbacks_new(&cb) < 0)
		memory_exhausted();
	nghttp2_session_callbacks_set_on_begin_headers_callback(cb, on_begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(cb, on_header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(cb, on_frame);
	nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(cb, on_invalid_frame);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data);
	nghttp2_session_callbacks_set_on_frame_send_callback(cb, on_sent);
	nghttp2_session_callbacks_set_on_stream_close_callback(cb, on_stream_close);
	return cb;
}

static void new_session(struct grpc_conn *c)
{
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, LIMIT_GRPC_STREAMS },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, LIMIT_HTTP_HEADER_BYTES },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW },
	};
	nghttp2_session_callbacks *cb = new_callbacks();

	if (nghttp2_session_server_new(&c->session, cb, c) < 0)
		memory_exhausted();
	nghttp2_session_callbacks_del(cb);
	nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings, COUNT_OF(settings));
	nghttp2_session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0, 4 * WINDOW);
}

static void free_calls(struct grpc_conn *c)
{
	LIST_EACH_SAFE (&c->calls, node, next)
		grpc_call_free(LIST_ITEM(node, struct grpc_call, node));
}

void grpc_conn_close(struct grpc_conn *c)
{
	c->is_closing = true;
	free_calls(c);
	list_remove(&c->mark);
	stream_close(c->stream);
}

/* What is left to send goes out first. */
static void finish(struct grpc_conn *c)
{
	c->is_closing = true;
	free_calls(c);
	stream_finish(c->stream, LINGER_MS, LINGER_MS);
}

void grpc_conn_flush(struct grpc_conn *c)
{
	const uint8_t *data;
	ssize_t len;

	list_remove(&c->mark);
	if (c->is_closing)
		return;
	while (stream_write_pending(c->stream) < WRITE_HIGH &&
	       (len = nghttp2_session_mem_send(c->session, &data)) > 0)
		stream_write(c->stream, str_of((const char *)data, (size_t)len));
	if (!nghttp2_session_want_read(c->session) && !nghttp2_session_want_write(c->session))
		finish(c);
}

/* ---- callbacks of the stream ---- */

static void on_read(struct stream *stream, struct str bytes)
{
	struct grpc_conn *c = stream_user(stream);
	ssize_t len;

	if (c->is_closing)
		return;
	c->silent_s = 0;
	len = nghttp2_session_mem_recv(c->session, (const uint8_t *)bytes.ptr, bytes.len);
	/* A peer that does not speak HTTP/2, or that lets its replies pile up. */
	if (len < 0)
		grpc_conn_close(c);
	else
		grpc_int_mark(c);
}

static void on_gone(struct stream *stream)
{
	struct grpc_conn *c = stream_user(stream);

	if (!c->is_closing)
		grpc_conn_close(c);
	else
		stream_close(stream);
}

static void on_drain(struct stream *stream)
{
	grpc_int_mark(stream_user(stream));
}

static void on_closed(struct stream *stream)
{
	struct grpc_conn *c = stream_user(stream);
	struct grpc_server *s = c->server;

	free_calls(c);
	nghttp2_session_del(c->session);
	list_remove(&c->mark);
	list_remove(&c->node);
	memory_free(c);
	s->conn_count--;
	if (!s->conn_count && s->drain_s)
		s->on_done(s->arg);
}

void grpc_conn_open(struct grpc_server *s, struct stream *stream)
{
	static const struct stream_ops ops = {
		.on_read = on_read, .on_gone = on_gone, .on_drain = on_drain, .on_closed = on_closed
	};
	struct grpc_conn *c = memory_zeroed(1, sizeof *c);

	*c = (struct grpc_conn){ .server = s,
		                 .stream = stream,
		                 .budget = LIMIT_GRPC_CONTROL_FRAMES };
	list_init(&c->mark);
	list_init(&c->calls);
	list_add(&s->conns, &c->node);
	s->conn_count++;
	new_session(c);
	stream_own(stream, &ops, c);
	stream_resume(stream);
	grpc_int_mark(c);
}

/* ---- time ---- */

static bool is_stuck(struct grpc_conn *c)
{
	size_t pending = stream_write_pending(c->stream);

	c->stuck_s = pending && pending == c->pending ? c->stuck_s + 1 : 0;
	c->pending = pending;
	return c->stuck_s >= STUCK_S;
}

void grpc_conn_tick(struct grpc_conn *c)
{
	if (c->is_closing)
		return;
	c->silent_s++;
	if (c->budget > 0)
		c->budget =
			MIN(c->budget + LIMIT_GRPC_CONTROL_FRAMES_PER_S, LIMIT_GRPC_CONTROL_FRAMES);
	if (is_stuck(c) || (!c->is_greeted && c->silent_s >= LIMIT_HTTP_HEADER_S) ||
	    (c->call_count && c->silent_s >= 2 * LIMIT_GRPC_PING_S)) {
		grpc_conn_close(c);
	} else if (!c->call_count && c->silent_s >= LIMIT_GRPC_IDLE_S) {
		terminate(c, NGHTTP2_NO_ERROR);
	} else if (c->call_count && c->silent_s == LIMIT_GRPC_PING_S) {
		nghttp2_submit_ping(c->session, NGHTTP2_FLAG_NONE, NULL);
		grpc_int_mark(c);
	}
}

void grpc_conn_drain(struct grpc_conn *c)
{
	if (c->is_closing)
		return;
	nghttp2_submit_goaway(c->session, NGHTTP2_FLAG_NONE,
	                      nghttp2_session_get_last_proc_stream_id(c->session), NGHTTP2_NO_ERROR,
	                      NULL, 0);
	grpc_int_mark(c);
}

void grpc_conn_stop(struct grpc_conn *c, const char *why)
{
	LIST_EACH_SAFE (&c->calls, node, next)
		grpc_call_fail(LIST_ITEM(node, struct grpc_call, node), GRPC_UNAVAILABLE, why);
}
