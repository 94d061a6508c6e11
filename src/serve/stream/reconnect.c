/*
 * POST /v1/commands/reconnect_channel with an Accept of a stream: the reply,
 * with its snapshot, is the first frame, and the session's events from its
 * fromSequence on follow in the same response.  Without such an Accept the
 * command is answered like any other.
 */
#include "serve/http/content_negotiation.h"
#include "serve/http/api_call.h"
#include "serve/http/problem.h"
#include "serve/stream/reader.h"

#include <stdlib.h>

bool reconnect_is_stream(const struct api_call *c)
{
	enum media media = content_negotiation_events(http_parse_find(&c->req->in, STR("accept")));

	return str_eq(c->call.command, command_classes[COMMAND_RECONNECT_CHANNEL].name) &&
	       (media == MEDIA_SSE || media == MEDIA_NDJSON);
}

/* The control has validated the params; here only the id is needed again. */
static struct str session_of(struct arena *mem, const struct api_call *c)
{
	struct json params;
	struct str id;

	if (!str_is(c->call.params) || json_read(mem, c->call.params, &params, NULL) != OK)
		return STR_NONE;
	id = json_str(JSON_GET(params, "sessionId"));
	return str_is(id) ? id : json_str(JSON_GET(params, "session_id"));
}

static void reconnect_begin(struct api_call *c, struct str session, uint64_t from, struct str reply)
{
	struct control_stream ask = { .session = session, .after = from - 1, .follow = true };
	bool is_sse = content_negotiation_stream(http_parse_find(&c->req->in, STR("accept"))) ==
	              MEDIA_SSE;
	struct reader *r = reader_new(c->serve, c->req, &c->call.caller, &ask, is_sse);

	reader_begin(r, NULL, 0);
	reader_notice(r, STR_NONE, STR("reconnected"), reply);
	if (!reader_subscribe(r))
		return; /* it has ended */
}

/*
 * Every reply that cannot become a stream is sent as it is: a refusal, a reply without
 * a place, or a caller that may not read.
 */
static void reconnect_finish(struct api_call *c, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str session = session_of(mem, c);
	struct json reply = { 0 };
	int64_t from;

	if (!a->code && json_read_trusted(mem, a->body, &reply, NULL) != OK)
		reply = (struct json){ 0 };
	from = json_int(JSON_GET(reply, "fromSequence"), 0);
	if (a->code || from < 1 || !str_is(session) ||
	    !(c->call.caller.scopes & SCOPE_BIT(SCOPE_READ)))
		api_call_answer(c->req, a);
	else
		reconnect_begin(c, session, (uint64_t)from, a->body);
}

void reconnect_open(struct api_call *c)
{
	c->finish = reconnect_finish;
	api_call_send(c);
}
