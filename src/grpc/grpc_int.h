#ifndef GRPC_INT_H
#define GRPC_INT_H
/*
 * Private to grpc_server.c, grpc_conn.c and grpc_call.c.
 *
 * A server has connections, a connection has calls.  Whatever happens only marks the connection;
 * what HTTP/2 has to send is taken from it once per turn of the loop, in the server's hook.  So no
 * call ends while one of its own functions runs, except in callbacks of nghttp2.
 */
#include "base/gen/limits.h"
#include "grpc/grpc_frame.h"
#include "grpc/grpc_head.h"
#include "grpc/grpc_server.h"
#include "grpc/grpc_status.h"
#include "net/http/http_client.h"
#include "net/http/sse.h"
#include "net/listener.h"
#include "proto/proto.h"

#include <nghttp2/nghttp2.h>

struct grpc_server {
	struct loop *loop;
	struct http_client *client;
	struct listener *listener;
	char *to;
	struct list conns;
	struct list marked; /* connections with something to send */
	struct loop_hook hook;
	struct loop_timer tick; /* once a second while there are connections */
	int idle_s;             /* seconds without connections */
	unsigned conn_count;
	size_t held; /* bytes of requests and replies */
	int drain_s; /* seconds left; 0: not draining */
	void (*on_done)(void *arg);
	void *arg;
};

struct grpc_conn {
	struct list node, mark;
	struct list calls;
	struct grpc_server *server;
	struct stream *stream;
	nghttp2_session *session;
	unsigned call_count;
	int budget;   /* control frames left */
	int silent_s; /* since the last byte from the peer */
	int stuck_s;  /* since output last moved */
	size_t pending;
	bool is_greeted, is_closing;
};

/*
 *   HEAD ──► BODY ──► ASKED ──► ANSWERING ──► ENDING
 *     │        │        │           │
 *     └────────┴────────┴───────────┴── error, deadline ──► ENDING
 *
 * The stream closes in any state: the call is freed, and the runtime's side with it.
 */
enum grpc_call_state {
	GRPC_CALL_HEAD,
	GRPC_CALL_BODY,
	GRPC_CALL_ASKED,
	GRPC_CALL_ANSWERING, /* a stream whose items are sent */
	GRPC_CALL_ENDING,    /* trailers are set; out may have data before them */
};

struct grpc_call {
	struct list node;
	struct grpc_conn *conn;
	struct arena *mem; /* of the head; NULL once the runtime was asked */
	struct grpc_head head;
	const struct proto_method *method;
	struct grpc_frame frame; /* the request */
	struct http_client_call *asked;
	size_t asked_bytes; /* of the body that it was given */
	struct sse_parser sse;
	struct buf reply; /* a reply that is no stream, or the body of an error */
	struct buf out;   /* frames for the caller */
	size_t out_at;    /* bytes of them that were sent */
	size_t held;      /* what server->held counts of this call */
	struct loop_timer timer;
	char *trailers[3]; /* values of grpc-status, grpc-message, grpc-status-details-bin */
	char *extensions, *challenge; /* a2a-extensions, www-authenticate of the reply */
	int http;
	int32_t stream_id;
	enum grpc_call_state state;
	bool has_request, is_ended_by_peer, is_paused, is_events, is_begun;
};

/* Something may be sent on this connection. */
static inline void grpc_int_mark(struct grpc_conn *c)
{
	list_remove(&c->mark);
	list_add(&c->server->marked, &c->mark);
}

/* ---- grpc_conn.c ---- */

/* Takes the stream. */
void grpc_conn_open(struct grpc_server *s, struct stream *stream);
/* Sends what HTTP/2 has to send. */
void grpc_conn_flush(struct grpc_conn *c);
/* A second has passed. */
void grpc_conn_tick(struct grpc_conn *c);
/* No new calls. */
void grpc_conn_drain(struct grpc_conn *c);
/* All calls end with this message. */
void grpc_conn_stop(struct grpc_conn *c, const char *why);
void grpc_conn_close(struct grpc_conn *c);

/* ---- grpc_call.c: inside callbacks of nghttp2 unless said otherwise ---- */

struct grpc_call *grpc_call_new(struct grpc_conn *c, int32_t stream_id);
void grpc_call_head(struct grpc_call *call);
void grpc_call_body(struct grpc_call *call, struct str bytes);
void grpc_call_body_end(struct grpc_call *call);
/* Ends the call with an error; anywhere. */
void grpc_call_fail(struct grpc_call *call, enum grpc_code code, const char *message);
void grpc_call_free(struct grpc_call *call);

/* ---- grpc_reply.c: what the caller gets ---- */

/* Begins the reply, if it has not begun. */
void grpc_reply_begin(struct grpc_call *call);
/* There is more in call->out. */
void grpc_reply_more(struct grpc_call *call);
/* The last thing, behind what call->out has. */
void grpc_reply_end(struct grpc_call *call, const struct grpc_status *s);
/* A reply of HTTP without anything of gRPC. */
void grpc_reply_refuse(struct grpc_call *call, const char *http_status);

#endif
