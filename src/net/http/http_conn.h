#ifndef NET_HTTP_CONN_H
#define NET_HTTP_CONN_H
/* What http_server.c (connections) and http_answer.c (answers) share. */
#include "base/map.h"
#include "net/http/http_server.h"

struct http_server {
	int64_t told_at; /* when it was last logged that somebody was turned away; 0: never */
	struct loop *loop;
	struct http_options opt;
	const struct http_handler *handler;
	void *user;
	struct list conns;
	unsigned count;
	struct map peers; /* struct peer by address, while somebody is connected from there */
	bool is_draining;
	bool is_freed; /* waits for its last connection */
};

/* How many connections come from one address; kept only where that is bounded. */
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
	struct stream *s;  /* NULL: closed for good */
	struct peer *peer; /* NULL: not counted */
	struct request *req;
	struct ws *ws;
	struct http_parser parser;
	struct loop_timer timer;
	struct buf ahead;    /* read, but not its turn yet */
	size_t last_pending; /* when the idle timer last looked */
	bool is_running;     /* parsing; an answer given meanwhile must not start it again */
	bool is_blocked;     /* answers pile up: the next request waits for on_drain */
	bool is_eof;
	bool is_ending;
	bool is_lost;
};

struct request {
	struct http_request pub; /* first */
	struct conn *conn;
	bool is_head;
	bool is_http_1_0;
	bool has_begun;
	bool has_no_body;
	bool is_chunked;
	bool keeps_alive;
};

/* ---- http_server.c ---- */

void http_server_conn_close(struct conn *c);
/* Goes on, from the loop, with what the peer sent ahead. */
void http_server_conn_continue_soon(struct conn *c);
void http_server_conn_free(struct conn *c);
/* The answer is written, or there is nobody to write it to. */
void http_server_request_end(struct request *r);

/* ---- http_answer.c ---- */

/* An answer of our own, after which the connection ends. */
void http_reply_write_refusal(const struct http_server *srv, struct stream *s, int status,
                              const char *why);

#endif
