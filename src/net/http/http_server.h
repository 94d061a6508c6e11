#ifndef NET_HTTP_SERVER_H
#define NET_HTTP_SERVER_H
/*
 * HTTP/1.1 and 1.0, the server's side, on accepted streams.
 *
 * THE RULE.  Every request given to on_request is ended exactly once, by one of
 *
 *	http_reply() or http_reply_bytes()        the whole reply
 *	http_reply_stream_begin() ... http_reply_stream_end() a reply in pieces
 *	http_reply_upgrade_websocket()                  the connection becomes a WebSocket
 *	http_reply_abort()                              no reply; the connection is closed
 *
 * inside on_request or any time later.  Until then the pointer is valid in every
 * case; the ending call frees it.  If the peer goes away first, on_closed is
 * called once; the request must still be ended, and what is written to it is
 * dropped.
 *
 * The request (req->in) lives until the reply begins.  In particular
 * http_reply_stream_begin() frees it, so that thousands of event streams do not keep
 * their headers.
 *
 * A peer that closes its side after the request may still read: before the reply
 * begins this changes nothing.  During a reply in pieces it counts as gone,
 * because that is how the reader of an event stream leaves.
 *
 * Requests of one connection are handled one after the other, in order.  While
 * one is open nothing further is parsed; at most one read (64 KiB) of what the
 * peer sends ahead is kept.
 *
 * Callbacks come from the loop, never from inside a call of this header.
 */
#include "net/http/http_parse.h"
#include "net/stream.h"
#include "net/http/websocket.h"

struct http_server;

struct http_request {
	struct http_message in;
	/* For the handler to set. */
	void *user;
	void (*on_closed)(struct http_request *req);
	void (*on_drain)(struct http_request *req); /* as in stream.h; of an answer in pieces */
	bool ends_at_eof; /* a client that closes its side has gone: the reply may take long */
};

struct http_handler {
	void (*on_request)(void *user, struct http_request *req);
	/* The limit for this request's body, called before it is read; NULL: always body_max. */
	size_t (*body_max)(void *user, const struct http_message *head);
	/*
	 * Is this a connection of a proxy?  Those are not counted for their address; the requests are,
	 * by http_server_count_for().  NULL: none is.
	 */
	bool (*is_proxy)(void *user, const struct stream *s);
	/*
	 * Writes the value of WWW-Authenticate, called for every reply with 401 or 403; nothing
	 * written: no such header.  NULL: never.  The message is still there.
	 */
	void (*on_refusal)(void *user, const struct http_request *req, int status, struct buf *out);
	/*
	 * The body of a reply by the server itself: 400 malformed, 408, 413,
	 * 414, 417, 431, 501, 503, 505.  NULL, or nothing written: a short RFC 9457 problem.
	 */
	void (*on_problem)(void *user, int status, const char *why, struct buf *body,
	                   struct str *content_type);
};

/* Zero means the default. */
struct http_options {
	size_t body_max;          /* 1 MiB */
	unsigned connections_max; /* 10000; the next ones get 503.  Upgraded ones count. */
	unsigned peer_max;        /* the same from one address; 0: no such bound */
	int header_ms;            /* 10 s from a request's first byte to the end of its head */
	int body_ms;              /* 30 s from there to the end of its body */
	int idle_ms;              /* 75 s between requests, and before the first */
	int stall_ms;             /* 30 s without progress when the last bytes are written */
	int linger_ms;            /* 2 s, see stream_finish() */
	uint32_t low_water;       /* STREAM_LOW_WATER */
};

/* opt may be NULL. */
struct http_server *http_server_new(struct loop *l, const struct http_options *opt,
                                    const struct http_handler *handler, void *user);

/* The server owns the stream from now on, in every case. */
void http_server_take(struct http_server *srv, struct stream *s);

/* Accepts no further requests: idle connections close now, the others after their reply. */
void http_server_drain(struct http_server *srv);

/*
 * Closes every connection, WebSockets included.  on_closed is called for open
 * requests, from this call; they must still be ended.  on_request is not called
 * any more.  NULL is fine.
 */
void http_server_free(struct http_server *srv);

/*
 * Counts this request, until it ends, for the address of the client that a proxy names; a WebSocket
 * that it becomes is counted until it closes.  False: there are peer_max from there.
 */
bool http_server_count_for(struct http_request *req, struct str address) MUST_USE;

/* Connections since the start; the number of the last one. */
uint64_t http_server_taken(const struct http_server *srv);
/* Closes those up to this number, as http_server_free() does. */
void http_server_cut(struct http_server *srv, uint64_t upto);

/* Connections now open, upgraded ones included. */
unsigned http_server_connections(const struct http_server *srv);

/* ---- answers ----
 *
 * Content-Length, Transfer-Encoding and Connection are ours; headers must not
 * contain them.  Names are tokens (asserted); a control character in a value
 * becomes a space.  HEAD, 204 and 304 get no body whatever is given.
 */

void http_reply(struct http_request *req, int status, const struct http_field *headers,
                size_t count, struct str body);
/* Takes its own reference. */
void http_reply_bytes(struct http_request *req, int status, const struct http_field *headers,
                      size_t count, struct bytes *body);

void http_reply_stream_begin(struct http_request *req, int status, const struct http_field *headers,
                             size_t count);
void http_reply_stream_write(struct http_request *req, struct str bytes);
void http_reply_stream_write_bytes(struct http_request *req, struct bytes *b);
void http_reply_stream_end(struct http_request *req);

void http_reply_abort(struct http_request *req);

/* Bytes written but not yet taken by the kernel; 0 when the peer has gone. */
size_t http_reply_pending(const struct http_request *req);
bool http_reply_is_closed(const struct http_request *req);
/* For peer credentials and address; NULL when the peer has gone. */
const struct stream *http_reply_stream_of(const struct http_request *req);

/* ---- WebSocket ---- */

/* Is this a well-formed request for one (GET, 1.1, version 13, a key)? */
bool http_reply_wants_websocket(const struct http_request *req);

/*
 * Answers 101 and ends the request.  The WebSocket lives by the rules of
 * websocket.h.  protocol is the subprotocol to confirm, or absent.  When the
 * request is no good (400, or 426 for another version) or the peer has gone,
 * the request is ended too and NULL is returned.
 */
struct ws *http_reply_upgrade_websocket(struct http_request *req, struct str protocol,
                                        const struct ws_options *opt, const struct ws_ops *ops,
                                        void *user);

#endif
