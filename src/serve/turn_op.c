/* One request of a foreign protocol: its calls, the turn that it follows, and its reply. */
#include "serve/turn_op.h"

#include "base/memory.h"
#include "serve/http/cors.h"
#include "serve/http/problem.h"

#define EXTRA_MAX (4 + CORS_HEADERS_MAX)

static struct control *control_of(const struct turn_op *op)
{
	return op->serve->control;
}

static void unsubscribe(struct turn_op *op)
{
	if (op->sub)
		control_of(op)->ops->unsubscribe(control_of(op), op->sub);
	op->sub = NULL;
}

static void op_free(struct turn_op *op)
{
	unsubscribe(op);
	loop_timer_stop(&op->soon);
	if (op->req)
		keepalive_stop(&op->serve->pulses, &op->keepalive);
	buf_done(&op->params);
	buf_done(&op->out);
	arena_free(op->mem);
	op->protocol->free(op);
}

/* ---- replies ---- */

void turn_op_reply(struct turn_op *op, int status, const struct http_field *extra, size_t count,
                   struct str json)
{
	struct http_field headers[3 + EXTRA_MAX] = {
		{ STR("Content-Type"), STR("application/json") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
	};

	for (size_t i = 0; i < count; i++)
		headers[3 + i] = extra[i];
	http_reply(op->req, status, headers, cors_headers(op->req, headers, 3 + count), json);
	op_free(op);
}

void turn_op_begin_stream(struct turn_op *op, const struct http_field *extra, size_t count)
{
	struct http_field headers[4 + EXTRA_MAX] = {
		{ STR("Content-Type"), STR("text/event-stream") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
		{ STR("X-Accel-Buffering"), STR("no") },
	};

	for (size_t i = 0; i < count; i++)
		headers[4 + i] = extra[i];
	op->is_begun = true;
	http_reply_stream_begin(op->req, 200, headers, cors_headers(op->req, headers, 4 + count));
}

void turn_op_flush(struct turn_op *op)
{
	if (!op->is_begun || !op->out.len)
		return;
	keepalive_wrote(&op->keepalive, op->out.len);
	http_reply_stream_write(op->req, buf_str(&op->out));
	op->out.len = 0;
}

void turn_op_end_stream(struct turn_op *op)
{
	turn_op_flush(op);
	http_reply_stream_end(op->req);
	op_free(op);
}

void turn_op_drop(struct turn_op *op)
{
	if (op->is_calling)
		control_of(op)->ops->forget(control_of(op), &op->call);
	op_free(op);
}

void turn_op_detach(struct turn_op *op)
{
	if (!op->req)
		return;
	keepalive_stop(&op->serve->pulses, &op->keepalive);
	op->req->on_closed = NULL;
	op->req->on_drain = NULL;
	op->req = NULL;
}

void turn_op_cut(struct turn_op *op)
{
	struct http_request *req = op->req;

	turn_op_drop(op);
	http_reply_abort(req);
}

static void on_beat(struct keepalive *p)
{
	struct turn_op *op = OWNER_OF(p, struct turn_op, keepalive);
	size_t pending;

	if (!op->is_begun)
		return;
	pending = http_reply_pending(op->req);
	if (keepalive_is_stalled(&op->serve->pulses, p, pending)) {
		turn_op_cut(op);
	} else if (!pending) {
		keepalive_wrote(p, 8);
		http_reply_stream_write(op->req, STR(": ping\n\n"));
	}
}

int turn_op_why_status(enum stream_end why, const char **ret_code, const char **ret_message)
{
	switch (why) {
	case STREAM_NO_SESSION:
	case STREAM_DELETED:
	case STREAM_CAUGHT_UP:
		*ret_code = "not_found";
		*ret_message = "Nothing has this id.";
		return 404;
	case STREAM_TOO_MANY:
		*ret_code = "too_many_open";
		*ret_message = "Too many streams are open for this token.";
		return 429;
	case STREAM_REVOKED:
		*ret_code = "unauthorized";
		*ret_message = "The token is not valid any more.";
		return 401;
	default:
		*ret_code = "unavailable";
		*ret_message = "The runtime is stopping; the turn continues.";
		return 503;
	}
}

/* ---- following ---- */

static void on_soon(struct loop_timer *t)
{
	struct turn_op *op = OWNER_OF(t, struct turn_op, soon);

	unsubscribe(op);
	op->protocol->conclude(op);
}

static void conclude_soon(struct turn_op *op)
{
	op->is_concluding = true;
	loop_timer_start(op->serve->loop, &op->soon, 0, on_soon);
}

static bool on_event(void *owner, const struct control_event *ev)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct turn_op *op = owner;
	struct json event;

	if (op->is_concluding)
		return false;
	if (json_read_trusted(mem, str_of(ev->body->data, ev->body->len), &event, NULL) != OK)
		return true;
	op->has_seen = true;
	op->protocol->event(op, event);
	turn_op_flush(op);
	if (op->protocol->is_over(op)) {
		conclude_soon(op);
		return false;
	}
	op->is_paused =
		op->is_begun && http_reply_pending(op->req) > op->serve->opt.client_buffer_max;
	return !op->is_paused;
}

/* What retention removed cannot be folded. */
static void on_gap(void *owner, uint64_t from, uint64_t to, struct str mode, struct str snapshot)
{
	(void)owner;
	(void)from;
	(void)to;
	(void)mode;
	(void)snapshot;
}

/* The first event of the turn is durable before it is followed: without one there is no such turn. */
static void on_caught_up(void *owner, uint64_t seq)
{
	struct turn_op *op = owner;

	(void)seq;
	op->is_caught_up = true;
	if (op->is_concluding)
		return;
	if (!op->has_seen && str_is(op->turn_id))
		op->why = STREAM_NO_SESSION;
	else if (!op->protocol->is_over(op))
		return;
	conclude_soon(op);
}

static void on_end(void *owner, enum stream_end why)
{
	struct turn_op *op = owner;

	op->sub = NULL;
	op->why = why;
	if (!op->is_concluding)
		conclude_soon(op);
}

static const struct control_sink sink = {
	.event = on_event, .gap = on_gap, .caught_up = on_caught_up, .end = on_end
};

static void subscribe_to(struct turn_op *op, uint64_t after, const uint64_t types[2])
{
	struct control_stream ask = { .follow = !op->is_read,
		                      .after = after,
		                      .types = { types[0], types[1] },
		                      .session = op->session_id,
		                      .turn = op->turn_id,
		                      .reach = op->caller.reach,
		                      .token = op->caller.token,
		                      .until_ms = op->caller.until_ms,
		                      .sink = &sink,
		                      .owner = op };

	op->sub = control_of(op)->ops->subscribe(control_of(op), &ask);
	if (!op->sub && !op->is_concluding) {
		op->why = STREAM_SHUTDOWN;
		conclude_soon(op);
	}
}

static void subscribe(struct turn_op *op, uint64_t after)
{
	static const uint64_t all[2];

	subscribe_to(op, after, all);
}

void turn_op_read(struct turn_op *op, struct str session_id, const uint64_t types[2])
{
	op->session_id = arena_keep(op->mem, session_id);
	op->turn_id = STR_NONE;
	op->is_read = true;
	op->is_concluding = false;
	subscribe_to(op, 0, types);
}

void turn_op_follow(struct turn_op *op, struct str session_id, struct str turn_id,
                    uint64_t first_sequence)
{
	op->session_id = arena_keep(op->mem, session_id);
	op->turn_id = arena_keep(op->mem, turn_id);
	subscribe(op, first_sequence ? first_sequence - 1 : 0);
}

void turn_op_listen(struct turn_op *op)
{
	op->session_id = op->turn_id = STR_NONE;
	subscribe(op, control_of(op)->ops->last_place(control_of(op), op->caller.reach));
}

void turn_op_conclude(struct turn_op *op)
{
	if (!op->is_concluding)
		conclude_soon(op);
}

/* ---- calls ---- */

static void on_done(struct control_call *call, const struct control_answer *a)
{
	struct turn_op *op = OWNER_OF(call, struct turn_op, call);

	op->is_calling = false;
	op->next(op, a);
}

void turn_op_call(struct turn_op *op, const char *command, struct str key,
                  void (*next)(struct turn_op *op, const struct control_answer *a))
{
	turn_op_call_about(op, command, key, STR_NONE, next);
}

static void call(struct turn_op *op, const char *command, const struct control_call *about,
                 void (*next)(struct turn_op *op, const struct control_answer *a))
{
	op->next = next;
	op->is_calling = true;
	op->call = *about;
	op->call.caller = op->caller;
	op->call.command = str_from(command);
	op->call.params = buf_str(&op->params);
	op->call.done = on_done;
	op->call.owner = op;
	control_of(op)->ops->call(control_of(op), &op->call);
}

void turn_op_call_about(struct turn_op *op, const char *command, struct str key, struct str what,
                        void (*next)(struct turn_op *op, const struct control_answer *a))
{
	call(op, command, &(struct control_call){ .key = key, .what = what }, next);
}

void turn_op_look_up(struct turn_op *op, const char *command, struct str key,
                     void (*next)(struct turn_op *op, const struct control_answer *a))
{
	call(op, command, &(struct control_call){ .key = key, .is_lookup = true }, next);
}

/* ---- life ---- */

static void on_closed(struct http_request *req)
{
	struct turn_op *op = req->user;

	if (op->protocol->closed && op->protocol->closed(op)) {
		turn_op_detach(op);
		http_reply_abort(req);
		return;
	}
	turn_op_cut(op);
}

static void on_drain(struct http_request *req)
{
	struct turn_op *op = req->user;

	if (!op->is_paused || !op->sub || op->is_concluding)
		return;
	op->is_paused = false;
	control_of(op)->ops->resume(control_of(op), op->sub);
}

void turn_op_init(struct turn_op *op, const struct turn_op_protocol *protocol, struct serve *s,
                  struct http_request *req, const struct caller *caller, const char *via)
{
	op->protocol = protocol;
	op->serve = s;
	op->req = req;
	op->caller = *caller;
	op->caller.via = str_from(via);
	op->mem = arena_new();
	if (!req)
		return;
	req->user = op;
	req->on_closed = on_closed;
	req->on_drain = on_drain;
	req->ends_at_eof = true;
	keepalive_start(&s->pulses, &op->keepalive, on_beat);
}
