#ifndef SERVE_API_CALL_H
#define SERVE_API_CALL_H
/*
 * One command on behalf of an HTTP request.
 *
 * The call lives until its answer: finish() replies or hands the request on.
 * When the peer closes first, the control forgets the call and the request is
 * aborted.  Either way the call is freed here.  Loop thread only.
 */
#include "serve/serve_int.h"

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

struct api_call *api_call_new(struct serve *s, struct http_request *req,
                              const struct caller *caller, struct str command);
void api_call_free(struct api_call *c);
/* May finish at once. */
void api_call_send(struct api_call *c);
/* Replies with the control's answer and its headers. */
void api_call_answer(struct http_request *req, const struct control_answer *a);

/* Endpoints that take over a call which is filled but for finish. */

/* run.c: POST /v1/run; the call is filled but for finish */
void run_open(struct api_call *c);

/* reconnect.c */
bool reconnect_is_stream(const struct api_call *c);
void reconnect_open(struct api_call *c);

#endif
