/*
 * WebSockets over wslay: the handshake key, messages, pings and closing.  wslay
 * does the framing; this file connects it to a stream and its timers.
 */
#include "net/http/websocket.h"

#include "base/gen/limits.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <assert.h>
#include <nettle/base64.h>
#include <nettle/sha1.h>
#include <stdlib.h>
#include <wslay/wslay.h>

#define REASON_MAX 120
#define PENDING_MAX ((size_t)256 * 1024)

#define SILENT_PINGS 2 /* then the peer is dropped */

struct ws {
	struct stream *s;
	const struct ws_ops *ops;
	void *user;
	struct ws_options opt;
	wslay_event_context_ptr ctx;
	struct str input; /* bytes that wslay may still read */
	struct loop_timer timer;
	void (*gone)(void *arg);
	void *gone_arg;
	int silent;          /* pings since the last byte of the peer */
	size_t last_pending; /* at the last ping */
	bool is_closing;     /* our close is sent */
	bool is_held;        /* reading is stopped, because the peer does not read */
	bool is_paused;      /* by its owner */
};

/* ---- handshake ---- */

/*
 * The key is 16 bytes in base64 (RFC 6455, section 4.1).  Its value does not matter:
 * the reply proves that the server speaks WebSocket.
 */
bool websocket_accept_key(struct str key, char out[WS_ACCEPT_MAX])
{
	static const char magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	struct base64_decode_ctx decode;
	struct sha1_ctx sha;
	uint8_t nonce[BASE64_DECODE_LENGTH(24)], digest[SHA1_DIGEST_SIZE];
	size_t nonce_len = sizeof nonce;

	if (key.len != 24)
		return false;
	base64_decode_init(&decode);
	if (!base64_decode_update(&decode, &nonce_len, nonce, key.len, key.ptr) ||
	    !base64_decode_final(&decode) || nonce_len != 16)
		return false;

	sha1_init(&sha);
	sha1_update(&sha, key.len, (const uint8_t *)key.ptr);
	sha1_update(&sha, sizeof magic - 1, (const uint8_t *)magic);
	sha1_digest(&sha, sizeof digest, digest);
	base64_encode_raw(out, sizeof digest, digest);
	out[WS_ACCEPT_MAX - 1] = '\0';
	return true;
}

/* ---- between wslay and the stream ---- */

/* The stream takes everything, so wslay never holds a frame that is half sent. */
static ssize_t on_send(wslay_event_context_ptr ctx, const uint8_t *data, size_t len, int flags,
                       void *user)
{
	struct ws *w = user;

	(void)ctx;
	(void)flags;
	stream_write(w->s, str_of((const char *)data, len));
	return (ssize_t)len;
}

/*
 * wslay asks for bytes until there are none; WOULDBLOCK ends wslay_event_recv() without
 * an error.
 */
static ssize_t on_recv(wslay_event_context_ptr ctx, uint8_t *to, size_t len, int flags, void *user)
{
	struct ws *w = user;

	(void)flags;
	if (!w->input.len) {
		wslay_event_set_error(ctx, WSLAY_ERR_WOULDBLOCK);
		return -1;
	}
	len = MIN(len, w->input.len);
	memcpy(to, w->input.ptr, len);
	w->input = str_skip(w->input, len);
	return (ssize_t)len;
}

/*
 * Messages that arrive after our close frame are discarded.  Only text carries
 * JSON-RPC; a binary message ends the connection with the code for it.
 */
static void on_message(wslay_event_context_ptr ctx, const struct wslay_event_on_msg_recv_arg *m,
                       void *user)
{
	struct ws *w = user;

	(void)ctx;
	if (w->is_closing)
		return;
	if (m->opcode == WSLAY_TEXT_FRAME)
		w->ops->on_text(w, str_of(m->msg ? (const char *)m->msg : "", m->msg_length));
	else if (m->opcode == WSLAY_BINARY_FRAME)
		websocket_close(w, WSLAY_CODE_UNSUPPORTED_DATA, STR("text only"));
}

static const struct wslay_event_callbacks callbacks = {
	.recv_callback = on_recv,
	.send_callback = on_send,
	.on_msg_recv_callback = on_message,
};

/* ---- closing ---- */

/*
 * The closing handshake is over, or the framing is broken: pending frames are sent,
 * then the stream ends.
 */
static void websocket_finish(struct ws *w)
{
	loop_timer_stop(&w->timer);
	stream_finish(w->s, w->opt.close_ms, w->opt.close_ms);
}

static void on_close_timer(struct loop_timer *t)
{
	struct ws *w = OWNER_OF(t, struct ws, timer);

	stream_write_flush(w->s); /* after a long turn our close frame may still be unsent */
	stream_close(w->s);
}

void websocket_close(struct ws *w, int code, struct str reason)
{
	if (w->is_closing || stream_is_closing(w->s))
		return;
	w->is_closing = true;
	reason = utf8_head(reason, REASON_MAX); /* RFC 6455: UTF-8 */
	wslay_event_queue_close(w->ctx, (uint16_t)code, (const uint8_t *)reason.ptr, reason.len);
	wslay_event_send(w->ctx);
	/* Keep reading: the peer's close frame ends the connection in order. */
	loop_timer_start(stream_loop(w->s), &w->timer, w->opt.close_ms, on_close_timer);
	stream_resume(w->s);
}

void websocket_drop(struct ws *w)
{
	w->is_closing = true; /* ignore bytes that were already read */
	stream_close(w->s);
}

/* The last callback of the owner, then of the HTTP connection, whose struct `gone` frees. */
static void ws_on_closed(struct stream *s)
{
	struct ws *w = stream_user(s);

	loop_timer_stop(&w->timer);
	w->ops->on_closed(w, wslay_event_get_status_code_received(w->ctx));
	wslay_event_context_free(w->ctx);
	w->gone(w->gone_arg);
	free(w);
}

static void ws_on_gone(struct stream *s)
{
	stream_close(s);
}

/* ---- reading ---- */

/* Reading is never stopped while closing, or the peer's close frame would not arrive. */
static void set_reading(struct ws *w)
{
	if ((w->is_held || w->is_paused) && !w->is_closing)
		stream_pause(w->s);
	else
		stream_resume(w->s);
}

static void ws_on_read(struct stream *s, struct str bytes)
{
	struct ws *w = stream_user(s);

	w->silent = 0;
	w->input = bytes;

	int rc = wslay_event_recv(w->ctx);

	w->input = STR_NONE;
	if (rc == 0) /* pongs, the answer to a close, a close for what was said */
		wslay_event_send(w->ctx);
	else if (!w->is_closing) /* broken framing, for which wslay would close without a code */
		stream_write(w->s, STR("\x88\x02\x03\xea"));
	if (rc != 0 || !wslay_event_get_read_enabled(w->ctx)) {
		w->is_closing = true;
		websocket_finish(w);
	} else if (stream_write_pending(s) > PENDING_MAX) {
		/* A peer that sends pings and never reads the pongs must not fill our memory. */
		w->is_held = true;
		set_reading(w);
	}
}

static void ws_on_drain(struct stream *s)
{
	struct ws *w = stream_user(s);

	w->is_held = false;
	set_reading(w);
	if (w->ops->on_drain && !w->is_closing)
		w->ops->on_drain(w);
}

static const struct stream_ops ws_stream_ops = {
	.on_read = ws_on_read,
	.on_gone = ws_on_gone,
	.on_drain = ws_on_drain,
	.on_closed = ws_on_closed,
};

void websocket_pause(struct ws *w)
{
	w->is_paused = true;
	set_reading(w);
}

void websocket_resume(struct ws *w)
{
	w->is_paused = false;
	set_reading(w);
}

/* ---- writing ---- */

/*
 * The header of an unmasked text frame: two to ten bytes.  Not by wslay's
 * queue, which would copy every message, and once more into the stream.
 */
static void write_header(struct ws *w, uint64_t len)
{
	uint8_t head[10] = { 0x80 | WSLAY_TEXT_FRAME };
	unsigned extra = len < 126 ? 0 : len <= UINT16_MAX ? 2 : 8;

	head[1] = extra == 0 ? (uint8_t)len : extra == 2 ? 126 : 127;
	for (unsigned i = 0; i < extra; i++)
		head[2 + i] = (uint8_t)(len >> (8 * (extra - 1 - i)));
	stream_write(w->s, str_of((const char *)head, 2 + extra));
}

void websocket_send_text(struct ws *w, struct str text)
{
	if (w->is_closing)
		return;
	write_header(w, text.len);
	stream_write(w->s, text);
}

void websocket_send_text_bytes(struct ws *w, struct bytes *text)
{
	if (w->is_closing)
		return;
	write_header(w, text->len);
	stream_write_bytes(w->s, text);
}

size_t websocket_pending(const struct ws *w)
{
	return stream_write_pending(w->s);
}

bool websocket_was_silent(const struct ws *w)
{
	return w->silent > SILENT_PINGS;
}

/* ---- life ---- */

/*
 * Two pings without any byte in return, nor progress of our output: the peer is gone.
 * Proxies also close connections that stay silent, and pings prevent that.
 */
static void on_ping_timer(struct loop_timer *t)
{
	struct ws *w = OWNER_OF(t, struct ws, timer);

	if (stream_write_pending(w->s) < w->last_pending)
		w->silent = 0; /* the peer reads, which is also a sign of life */
	w->last_pending = stream_write_pending(w->s);
	if (w->silent++ >= SILENT_PINGS) {
		stream_close(w->s);
		return;
	}
	wslay_event_queue_msg(w->ctx, &(struct wslay_event_msg){ .opcode = WSLAY_PING });
	wslay_event_send(w->ctx);
	loop_timer_start(stream_loop(w->s), t, w->opt.ping_ms, on_ping_timer);
}

struct ws *websocket_new(struct stream *s, const struct ws_options *opt, const struct ws_ops *ops,
                         void *user, void (*gone)(void *arg), void *gone_arg)
{
	struct ws *w = memory_zeroed(1, sizeof *w);

	*w = (struct ws){ .s = s, .ops = ops, .user = user, .gone = gone, .gone_arg = gone_arg };
	if (opt)
		w->opt = *opt;
	if (!w->opt.message_max)
		w->opt.message_max = LIMIT_WS_FRAME_BYTES;
	if (!w->opt.ping_ms)
		w->opt.ping_ms = 30000;
	if (!w->opt.close_ms)
		w->opt.close_ms = 5000;
	/* Its only failure is out of memory, which ends us anywhere else too. */
	if (wslay_event_context_server_init(&w->ctx, &callbacks, w) != 0)
		abort();
	wslay_event_config_set_max_recv_msg_length(w->ctx, w->opt.message_max);
	stream_own(s, &ws_stream_ops, w);
	loop_timer_start(stream_loop(s), &w->timer, w->opt.ping_ms, on_ping_timer);
	return w;
}

void *websocket_user(const struct ws *w)
{
	return w->user;
}

const struct stream *websocket_stream(const struct ws *w)
{
	return w->s;
}
