#ifndef SERVE_SERVE_INT_H
#define SERVE_SERVE_INT_H
/* What the files of src/serve share. */
#include "net/http/http_server.h"
#include "net/listener.h"
#include "ports/credentials.h"
#include "serve/auth/auth.h"
#include "serve/stream/keepalive.h"
#include "serve/serve.h"

/* One HTTP server: TCP and the Unix socket have one each. */
struct endpoint {
	struct serve *serve;
	struct http_server *http; /* NULL: does not listen */
	bool is_unix;
};

struct a2a_edge;
struct mcp_edge;

struct serve {
	struct a2a_edge *a2a; /* NULL: peers are not served */
	struct mcp_edge *mcp;
	int64_t logged_at; /* when it was last logged that there are too many connections */
	struct loop *loop;
	struct control *control;
	struct arena *mem;
	struct serve_options opt; /* numbers with their defaults; version, clock */
	uint32_t low_water; /* of what waits to be read, below the bound of a client's buffer */
	struct auth auth;
	struct endpoint tcp, local;
	struct listener **listeners; /* TCP first, in the order of the options */
	size_t listener_count, tcp_count;
	struct list fresh;                /* connections to the Unix socket that said nothing yet */
	struct list rpcs;                 /* struct rpc */
	unsigned fresh_count, line_count; /* line_count: rpcs that are no WebSocket */
	struct pulses pulses;
	uint64_t requests;
	uint64_t lenders;           /* connections that may lend keys, numbered from 1 */
	unsigned readers;           /* event streams over HTTP */
	struct list device_readers; /* those of them that paired devices have */
	struct loop_timer devices_rest, devices_gone;
	struct loop_timer token_gone; /* runs after the owner's token was replaced */
	uint64_t token_upto;          /* connections that may have used the one before */
	int64_t busy_ms;
	struct loop_timer quiet;
	uint64_t touches, touches_seen, touches_trimmed;
	bool is_draining;
};

/* ---- serve_state.c ---- */

/* Opens one TCP port for this machine alone; only when there is none. */
enum err serve_state_listen_loopback(struct serve *s, struct str address, struct error *e) MUST_USE;
/* Of a TCP listener: arg is the server. */
void serve_state_accept_tcp(void *arg, struct stream *stream);
/* 0: no TCP port is open. */
int serve_state_port(const struct serve *s);
/*
 * "http://127.0.0.1:40123" in text: where programs of this machine reach the
 * index-th TCP listener, with the port that was bound.  STR_NONE past the last one.
 */
#define SERVE_URL_MAX 96
struct str serve_state_url(const struct serve *s, size_t index, char text[SERVE_URL_MAX]);
unsigned serve_state_connections(const struct serve *s);
/* From now on the control says which devices are paired; at the end it stops. */
void serve_state_open_devices(struct serve *s);
void serve_state_close_devices(struct serve *s);
/* The owner's token was replaced: its devices go, and a moment later its connections. */
void serve_state_token_gone(struct serve *s);
/* Checks from now on whether paired devices are still connected. */
void serve_state_watch_devices(struct serve *s);
/* Notes that a connection was active just now. */
void serve_state_touch(struct serve *s);
/* Reports that a client without a valid token was refused.  req: its request, or NULL. */
void serve_state_refused(struct serve *s, struct str via, const struct http_request *req);

/* http_api.c */
extern const struct http_handler http_api_handler;
/* events.c: GET /v1/events */
void events_open(struct serve *s, struct http_request *req, const struct caller *caller);

/* http_output.c: GET /v1/outputs/{ref} */
void http_output_open(struct serve *s, struct http_request *req, const struct caller *caller,
                      struct str ref);
/* metrics.c */
void metrics_write(struct serve *s, bool is_open, struct buf *out); /* is_open: OpenMetrics */

#endif
