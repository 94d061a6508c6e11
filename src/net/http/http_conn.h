#ifndef NET_HTTP_CONN_H
#define NET_HTTP_CONN_H
/* Shared by http_server.c (connections) and http_reply.c (replies). */
#include "base/map.h"
#include "net/http/http_server.h"

struct http_server {
	int64_t logged_at; /* when a refused connection was last logged; 0: never */
	struct loop *loop;
	struct http_options opt;
	const struct http_handler *handler;
	void *user;
	struct list conns;
	unsigned count;
	uint64_t taken;   /* connections since the start */
	struct map peers; /* struct peer by address, while it has a connection */
	bool is_draining;
	bool is_freed; /* waits for its last connection */
};

/* The number of connections from one address; kept only with a limit per peer. */
struct peer {
	unsigned count;
	char address[STREAM_PEER_MAX];
};

/*
 * One connection:
 *
 *   IDLE ──bytes──► READING ──whole──► OPEN ──ended──► IDLE ...
 *     │                │                │ └──upgraded──► a WebSocket's
 *     │ idle_ms        │ problem        │ ended, and no further request
 *     ▼                ▼                ▼
 *   closed ◄─────── ENDING: last bytes, linger
 *
 * The peer may go at any time; an open request then keeps the struct.
 */
struct conn {
	struct list node;
	struct http_server *srv;
	uint64_t number;   /* the first one is 1 */
	struct stream *s;  /* NULL: closed */
	struct peer *peer; /* NULL: not counted */
	struct request *req;
	struct ws *ws;
	struct http_parser parser;
	struct loop_timer timer;
	struct buf ahead;    /* read ahead, not yet parsed */
	size_t last_pending; /* when the idle timer last looked */
	bool is_running;     /* parsing; a reply given meanwhile must not start it again */
	bool is_blocked;     /* replies are pending: the next request waits for on_drain */
	bool is_eof;
	bool is_ending;
	bool is_lost;
};

struct request {
	struct http_request pub; /* first */
	struct conn *conn;
	struct peer *peer; /* whom it is counted for; NULL: its connection is counted */
	bool is_head;
	bool is_http_1_0;
	bool has_begun;
	bool has_no_body;
	bool is_chunked;
	bool keeps_alive;
};

/* ---- http_server.c ---- */

void http_server_conn_close(struct conn *c);
/* Lets the loop continue with what the peer has sent ahead. */
void http_server_conn_continue_soon(struct conn *c);
void http_server_conn_free(struct conn *c);
/* The reply is written, or the peer has gone. */
void http_server_request_end(struct request *r);

/* ---- http_answer.c ---- */

/* Writes an error reply of the server itself; the connection ends after it. */
void http_reply_write_refusal(const struct http_server *srv, struct stream *s, int status,
                              const char *why);

#endif
