#ifndef NET_WEBSOCKET_H
#define NET_WEBSOCKET_H
/*
 * The server's side of a WebSocket (RFC 6455) after its handshake: text
 * messages both ways, pings, closing.  Made by http_reply_upgrade_websocket().
 *
 * A struct ws is valid until on_closed returns, which comes exactly once,
 * from the loop, whoever ended it.  Writing after websocket_close() does nothing.
 *
 * Refused by closing: text that is not UTF-8 (1007), a message above the
 * bound (1009), binary messages (1003), broken framing, unmasked frames,
 * unknown bits and opcodes (1002).  Fragments are put together here.  Every
 * ping_ms a ping goes out; a peer from which nothing at all came for two such
 * periods is dropped.
 *
 * wslay keeps two buffers of 4 KiB, so an idle WebSocket costs about 10 KiB,
 * unlike an idle event stream.
 */
#include "net/stream.h"

struct ws;

struct ws_ops {
	void (*on_text)(struct ws *w, struct str text); /* text lives until this returns */
	void (*on_drain)(struct ws *w);                 /* as in stream.h; may be NULL */
	/* code is what the peer sent, 1005 when it sent none, 1006 when it just went. */
	void (*on_closed)(struct ws *w, int code);
};

/* Zero means the default. */
struct ws_options {
	size_t message_max; /* 1 MiB */
	int ping_ms;        /* 30 s */
	int close_ms;       /* 5 s for the peer to answer our close */
};

void *websocket_user(const struct ws *w);
const struct stream *websocket_stream(const struct ws *w);

/* Must be UTF-8. */
void websocket_send_text(struct ws *w, struct str text);
/* Without copying. */
void websocket_send_text_bytes(struct ws *w, struct bytes *text);
size_t websocket_pending(const struct ws *w);
/* In on_closed: whether it was dropped because nothing came from the peer. */
bool websocket_was_silent(const struct ws *w);

/* 1000 normal, 1001 going away, 1008 policy, 1011 internal, 4000 to 4999 ours; reason <= 120 bytes. */
void websocket_close(struct ws *w, int code, struct str reason);

/* Stops and goes on reading, for a handler that cannot keep up. */
void websocket_pause(struct ws *w);
void websocket_resume(struct ws *w);

/* ---- for http_server.c ---- */

#define WS_ACCEPT_MAX 29 /* base64 of a SHA-1, and a NUL */
/* The answer to a Sec-WebSocket-Key; false when it is not base64 of 16 bytes. */
bool websocket_accept_key(struct str key, char out[WS_ACCEPT_MAX]) MUST_USE;

/* Takes the stream over.  `gone` is called last of all, after on_closed. */
struct ws *websocket_new(struct stream *s, const struct ws_options *opt, const struct ws_ops *ops,
                         void *user, void (*gone)(void *arg), void *gone_arg);
/* Closes without ceremony. */
void websocket_drop(struct ws *w);

#endif
