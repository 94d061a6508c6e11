#ifndef SERVE_SERVE_INT_H
#define SERVE_SERVE_INT_H
/* What the files of src/serve share. */
#include "net/http_server.h"
#include "net/listener.h"
#include "serve/auth.h"
#include "serve/pulse.h"
#include "serve/serve.h"

/* One HTTP server: TCP and the Unix socket have one each. */
struct face {
	struct serve *serve;
	struct http_server *http; /* NULL: nobody listens */
	bool is_unix;
};

struct serve {
	int64_t told_at; /* when it was last logged that there are too many connections */
	struct loop *loop;
	struct control *control;
	struct arena *mem;
	struct serve_options opt; /* numbers with their defaults; version, clock */
	uint32_t low_water; /* of what waits to be read, below the bound of a client's buffer */
	struct auth auth;
	struct face tcp, local;
	struct listener **listeners; /* TCP first, in the order of the options */
	size_t listener_count, tcp_count;
	struct list fresh;                /* connections to the Unix socket that said nothing yet */
	struct list rpcs;                 /* struct rpc */
	unsigned fresh_count, line_count; /* line_count: rpcs that are no WebSocket */
	struct pulses pulses;
	uint64_t requests;
	unsigned readers;           /* event streams over HTTP */
	struct list device_readers; /* those of them that paired devices have */
	struct loop_timer devices_rest;
	int64_t busy_ms;
	struct loop_timer quiet;
	uint64_t touches, touches_seen, touches_trimmed;
	bool is_draining;
};

/* One more TCP port, of this machine alone; only when there is none. */
enum err serve_listen_loopback(struct serve *s, struct str address, struct error *e) MUST_USE;

/* Of the last durable event: reading after it is what comes. */
uint64_t serve_last_position(const struct serve *s);

/* A paired device was: from now on it is looked whether it is still there. */
void serve_watch_devices(struct serve *s);

/* A connection was seen just now. */
void serve_touch(struct serve *s);

/*
 * One call on behalf of an HTTP request.  It ends with finish, or, when the
 * peer goes first, with the request aborted.
 */
struct api_call {
	struct control_call call;
	struct serve *serve;
	struct http_request *req;
	/* Ends the request or hands it on; the api_call is gone after. */
	void (*finish)(struct api_call *c, const struct control_answer *a);
	/* Before that, when the peer has gone; may be NULL. */
	void (*drop)(struct api_call *c);
	void *user;
	struct buf params; /* when they are made here */
};

/* http_api.c */
extern const struct http_handler api_handler;
struct api_call *api_call_new(struct serve *s, struct http_request *req,
                              const struct control_caller *caller, struct str command);
void api_call_free(struct api_call *c);
/* May finish at once. */
void api_call_send(struct api_call *c);
/* What a control says, as HTTP. */
void api_answer(struct http_request *req, const struct control_answer *a);

/* events.c: GET /v1/events */
void events_open(struct serve *s, struct http_request *req, const struct control_caller *caller);
/* run.c: POST /v1/run; the call is filled but for finish */
void run_open(struct api_call *c);

/* Somebody without a valid token was refused. */
static inline void serve_stranger_refused(struct serve *s, struct str via)
{
	if (s->control->ops->stranger)
		s->control->ops->stranger(s->control, via);
}

/* reconnect.c */
bool reconnect_is_stream(const struct api_call *c);
void reconnect_open(struct api_call *c);
/* http_output.c: GET /v1/outputs/{ref} */
void output_open(struct serve *s, struct http_request *req, const struct control_caller *caller,
                 struct str ref);
/* metrics.c */
void metrics_write(struct serve *s, struct buf *out);

#endif
