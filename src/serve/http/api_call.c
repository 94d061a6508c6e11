/*
 * One command on behalf of an HTTP request: from the request to the control,
 * and the control's answer back as a response.
 */
#include "serve/http/api_call.h"

#include "base/memory.h"
#include "serve/http/problem.h"

#include <stdio.h>
#include <stdlib.h>

/* Retry-After is rounded up: a client that comes back early would be refused again. */
void api_call_answer(struct http_request *req, const struct control_answer *a)
{
	struct http_field headers[5] = {
		{ STR("Content-Type"), a->code ? PROBLEM_TYPE : STR("application/json") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
	};
	size_t count = 3;
	char seconds[24];

	if (a->is_replay)
		headers[count++] = (struct http_field){ STR("Idempotent-Replayed"), STR("true") };
	if (a->retry_after_ms > 0) {
		snprintf(seconds, sizeof seconds, "%lld",
		         (long long)((a->retry_after_ms + 999) / 1000));
		headers[count++] = (struct http_field){ STR("Retry-After"), str_from(seconds) };
	}
	http_reply(req, a->http, headers, count, a->body);
}

static void on_done(struct control_call *call, const struct control_answer *a)
{
	struct api_call *c = OWNER_OF(call, struct api_call, call);

	c->finish(c, a);
	api_call_free(c);
}

/* The client is gone.  The command itself is not cancelled: forget() only gives up the reply. */
static void on_closed(struct http_request *req)
{
	struct api_call *c = req->user;

	c->serve->control->ops->forget(c->serve->control, &c->call);
	if (c->drop)
		c->drop(c);
	api_call_free(c);
	http_reply_abort(req);
}

struct api_call *api_call_new(struct serve *s, struct http_request *req,
                              const struct caller *caller, struct str command)
{
	struct api_call *c = memory_zeroed(1, sizeof *c);

	c->serve = s;
	c->req = req;
	c->call.caller = *caller;
	c->call.command = command;
	c->call.done = on_done;
	c->call.owner = c;
	return c;
}

void api_call_free(struct api_call *c)
{
	buf_done(&c->params);
	free(c);
}

/* The request's callbacks belong to the call until it is answered. */
void api_call_send(struct api_call *c)
{
	c->req->user = c;
	c->req->on_closed = on_closed;
	c->req->on_drain = NULL;
	if (c->params.len)
		c->call.params = buf_str(&c->params);
	c->serve->control->ops->call(c->serve->control, &c->call);
}
