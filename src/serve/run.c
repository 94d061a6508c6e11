/*
 * POST /v1/run: submit_turn and the events of that turn, to its end, in one
 * response.  It ends with the snapshot.updated that follows the turn's end,
 * or a little after the end when none follows.
 *
 * The reply of submit_turn names the turn's first event, and reading begins
 * there.  A reply that an older program stored names none: the session is
 * then read from its start.
 */
#include "serve/http/content_negotiation.h"
#include "base/memory.h"
#include "serve/http/api_call.h"
#include "serve/http/problem.h"
#include "serve/stream/reader.h"

#include <stdlib.h>

#define AFTER_END_MS 2000

struct run {
	struct loop_timer timer; /* ends the response */
	struct reader *reader;
	bool has_ended;
};

static void start_timer(struct run *run, int delay_ms, void (*cb)(struct loop_timer *t))
{
	loop_timer_start(run->reader->serve->loop, &run->timer, delay_ms, cb);
}

static void on_over(struct loop_timer *t)
{
	reader_end(OWNER_OF(t, struct run, timer)->reader);
}

/* The reader is ended from the timer and not from here, because this runs inside its callback. */
bool run_continues(struct reader *r, enum event_type type)
{
	struct run *run = r->run;

	if (type == EV_TURN_COMPLETED || type == EV_TURN_FAILED) {
		run->has_ended = true;
		start_timer(run, AFTER_END_MS, on_over);
	} else if (type == EV_SNAPSHOT_UPDATED && run->has_ended) {
		start_timer(run, 0, on_over);
		return false;
	}
	return true;
}

void run_free(struct run *run)
{
	if (run)
		loop_timer_stop(&run->timer);
	free(run);
}

/* ---- opening ---- */

/*
 * The reader follows the session from the turn's first event on.  Clients see the ids
 * in the headers, before any event.
 */
static void run_begin(struct api_call *c, const struct control_answer *a, struct json reply)
{
	struct control_stream ask = {
		.session = json_str(JSON_GET(reply, "sessionId")),
		.turn = json_str(JSON_GET(reply, "turnId")),
		.follow = true,
	};
	uint64_t first = json_uint(JSON_GET(reply, "firstSequence"), 0);
	bool is_sse = content_negotiation_stream(http_parse_find(&c->req->in, STR("accept"))) ==
	              MEDIA_SSE;
	struct http_field extra[] = {
		{ STR("Thole-Session"), ask.session },
		{ STR("Thole-Turn"), ask.turn },
		{ STR("Idempotent-Replayed"), STR("true") },
	};

	ask.after = first ? first - 1 : 0;

	struct reader *r = reader_new(c->serve, c->req, &c->call.caller, &ask, is_sse);

	r->run = memory_zeroed(1, sizeof *r->run);
	r->run->reader = r;
	reader_begin(r, extra, a->is_replay ? 3 : 2);
	if (!reader_subscribe(r))
		return; /* it has ended */
}

/* A device may have been revoked while submit_turn waited; its stream must not begin then. */
static void run_finish(struct api_call *c, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json reply;
	struct error e;

	if (a->code) {
		api_call_answer(c->req, a);
	} else if (devices_is_gone(&c->serve->auth.devices, c->call.caller.principal)) {
		problem_reply(c->req, ERROR_CODE_UNAUTHORIZED, "this device was revoked");
	} else if (json_read_trusted(mem, a->body, &reply, &e) != OK ||
	           !str_is(json_str(JSON_GET(reply, "turnId"))) ||
	           !str_is(json_str(JSON_GET(reply, "sessionId")))) {
		problem_reply(c->req, ERROR_CODE_INTERNAL, "submit_turn named no turn");
	} else {
		run_begin(c, a, reply);
	}
}

void run_open(struct api_call *c)
{
	if (content_negotiation_stream(http_parse_find(&c->req->in, STR("accept"))) == MEDIA_NONE) {
		problem_reply(c->req, ERROR_CODE_NOT_ACCEPTABLE,
		              "application/x-ndjson or text/event-stream");
		api_call_free(c);
		return;
	}
	c->finish = run_finish;
	api_call_send(c);
}
