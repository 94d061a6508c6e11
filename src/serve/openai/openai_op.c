/* One request of a client: its calls, the turn that it follows, and its reply. */
#include "serve/openai/openai_op.h"

#include "base/jw.h"
#include "base/memory.h"
#include "serve/http/problem.h"

static struct control *control_of(const struct openai_op *op)
{
	return op->serve->control;
}

static void op_free(struct openai_op *op)
{
	if (op->sub)
		control_of(op)->ops->unsubscribe(control_of(op), op->sub);
	loop_timer_stop(&op->soon);
	keepalive_stop(&op->serve->pulses, &op->keepalive);
	if (op->turn.mem)
		openai_api_turn_done(&op->turn);
	buf_done(&op->params);
	buf_done(&op->out);
	arena_free(op->mem);
	memory_free(op);
}

/* ---- replies ---- */

/* Headers that tell the client what it may continue, and what had no effect. */
static size_t add_headers(const struct openai_op *op, struct http_field *headers, size_t count)
{
	if (str_is(op->session_id))
		headers[count++] = (struct http_field){ STR("Thole-Session"), op->session_id };
	if (op->in.ignored.len)
		headers[count++] = (struct http_field){ STR("Thole-Ignored"), op->in.ignored };
	return count;
}

void openai_op_reply(struct openai_op *op, int status, struct str json)
{
	struct http_field headers[5] = {
		{ STR("Content-Type"), STR("application/json") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
	};

	http_reply(op->req, status, headers, add_headers(op, headers, 3), json);
	op_free(op);
}

void openai_op_fail(struct openai_op *op, int status, struct str message, struct str param,
                    struct str code)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const char *type = status == 429   ? "rate_limit_error"
	                   : status == 403 ? "permission_error"
	                   : status >= 500 ? "server_error"
	                                   : "invalid_request_error";

	openai_api_error_write(&out, message, type, param, code);
	openai_op_reply(op, status, buf_str(&out));
}

void openai_op_fail_answer(struct openai_op *op, const struct control_answer *a)
{
	struct str detail = STR_NONE, code = STR_NONE;
	struct json problem;

	if (json_read_trusted(op->mem, a->body, &problem, NULL) == OK) {
		detail = json_str(JSON_GET(problem, "detail"));
		code = json_str(JSON_GET(problem, "code"));
	}
	openai_op_fail(op, a->http, str_is(detail) && detail.len ? detail : a->title, STR_NONE,
	               code);
}

/* ---- the stream ---- */

static void begin_stream(struct openai_op *op)
{
	struct http_field headers[6] = {
		{ STR("Content-Type"), STR("text/event-stream") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
		{ STR("X-Accel-Buffering"), STR("no") },
	};

	op->is_begun = true;
	http_reply_stream_begin(op->req, 200, headers, add_headers(op, headers, 4));
}

static void flush(struct openai_op *op)
{
	if (!op->out.len)
		return;
	keepalive_wrote(&op->keepalive, op->out.len);
	http_reply_stream_write(op->req, buf_str(&op->out));
	op->out.len = 0;
}

/* The first frames name the model, so they wait for its request. */
static void begin_frames(struct openai_op *op)
{
	if (op->has_head || op->in.api != OPENAI_API_RESPONSES)
		return;
	op->has_head = true;
	openai_api_responses_begin(&op->stream);
}

static void on_step(void *owner, enum openai_api_step step, struct openai_api_item *item,
                    struct str piece)
{
	struct openai_op *op = owner;

	begin_frames(op);
	if (op->in.api == OPENAI_API_RESPONSES)
		openai_api_responses_step(&op->stream, step, item, piece);
	else
		openai_api_chat_step(&op->stream, step, item, piece);
}

/* Without the last chunk, so that the client sees that more would have come. */
static void cut(struct openai_op *op)
{
	struct http_request *req = op->req;

	if (op->is_calling)
		control_of(op)->ops->forget(control_of(op), &op->call);
	op_free(op);
	http_reply_abort(req);
}

static void end_stream(struct openai_op *op)
{
	begin_frames(op);
	if (op->in.api == OPENAI_API_RESPONSES)
		openai_api_responses_end(&op->stream);
	else
		openai_api_chat_end(&op->stream, op->in.wants_usage);
	flush(op);
	http_reply_stream_end(op->req);
	op_free(op);
}

static void on_beat(struct keepalive *p)
{
	struct openai_op *op = OWNER_OF(p, struct openai_op, keepalive);
	size_t pending;

	if (!op->is_begun)
		return;
	pending = http_reply_pending(op->req);
	if (keepalive_is_stalled(&op->serve->pulses, p, pending)) {
		cut(op);
	} else if (!pending) {
		keepalive_wrote(p, 8);
		http_reply_stream_write(op->req, STR(": ping\n\n"));
	}
}

/* ---- the end ---- */

static void reply_whole(struct openai_op *op)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	bool is_bad = op->turn.end == OPENAI_API_FAILED || op->turn.end == OPENAI_API_CANCELLED;

	if (op->in.api == OPENAI_API_RESPONSES) {
		openai_api_responses_whole(&out, &op->turn, op->in.previous_id);
		openai_op_reply(op, 200, buf_str(&out));
	} else if (is_bad) {
		openai_op_fail(op, openai_api_error_status(op->turn.error_code),
		               op->turn.error_message, STR_NONE, op->turn.error_code);
	} else {
		openai_api_chat_whole(&out, &op->turn);
		openai_op_reply(op, 200, buf_str(&out));
	}
}

static void finish(struct openai_op *op)
{
	openai_api_turn_show_calls(&op->turn);
	if (op->is_begun)
		end_stream(op);
	else
		reply_whole(op);
}

static void read_arguments(struct openai_op *op);

/* Arguments that cannot be read any more are empty: the client reports what is missing. */
static void arguments_read(struct openai_op *op, const struct control_answer *a)
{
	struct openai_api_item *item = openai_api_turn_wants(&op->turn);
	struct json reply;

	item->args = STR("{}");
	if (!a->code && json_read_trusted(op->mem, a->body, &reply, NULL) == OK &&
	    str_is(json_str(JSON_GET(reply, "text"))))
		item->args = arena_keep(op->turn.mem, json_str(JSON_GET(reply, "text")));
	read_arguments(op);
}

static void read_arguments(struct openai_op *op)
{
	struct openai_api_item *item = openai_api_turn_wants(&op->turn);
	struct json_writer w;

	if (!item) {
		finish(op);
		return;
	}
	op->params.len = 0;
	jw_init(&w, &op->params);
	jw_obj(&w);
	JW_KSTR(&w, "outputRef", item->args_ref);
	JW_KSTR(&w, "sessionId", op->session_id);
	JW_KINT(&w, "length", LIMIT_CALL_INPUT_BYTES);
	jw_obj_end(&w);
	openai_op_call(op, "get_output", STR_NONE, arguments_read);
}

static void fail_end(struct openai_op *op)
{
	switch (op->why) {
	case STREAM_NO_SESSION:
	case STREAM_DELETED:
		openai_op_fail(op, 404, STR("No response has this id."), STR_NONE,
		               STR("not_found"));
		return;
	case STREAM_TOO_MANY:
		openai_op_fail(op, 429, STR("Too many streams are open for this token."), STR_NONE,
		               STR("too_many_open"));
		return;
	case STREAM_REVOKED:
		openai_op_fail(op, 401, STR("The token is not valid any more."), STR_NONE,
		               STR("unauthorized"));
		return;
	default:
		openai_op_fail(op, 503, STR("The runtime is stopping; the turn continues."),
		               STR_NONE, STR("unavailable"));
	}
}

static void conclude(struct openai_op *op)
{
	if (op->sub)
		control_of(op)->ops->unsubscribe(control_of(op), op->sub);
	op->sub = NULL;
	if (op->turn.end || (op->is_read && op->why == STREAM_CAUGHT_UP && op->turn.created_s))
		read_arguments(op);
	else if (op->is_begun)
		cut(op);
	else if (op->is_read && op->why == STREAM_CAUGHT_UP)
		openai_op_fail(op, 404, STR("No response has this id."), STR_NONE,
		               STR("not_found"));
	else
		fail_end(op);
}

static void on_soon(struct loop_timer *t)
{
	conclude(OWNER_OF(t, struct openai_op, soon));
}

static void end_soon(struct openai_op *op)
{
	op->is_over = true;
	loop_timer_start(op->serve->loop, &op->soon, 0, on_soon);
}

/* ---- following ---- */

static bool on_event(void *owner, const struct control_event *ev)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct openai_op *op = owner;
	struct json event;

	if (op->is_over)
		return false;
	if (json_read_trusted(mem, str_of(ev->body->data, ev->body->len), &event, NULL) != OK)
		return true;
	openai_api_turn_event(&op->turn, event);
	if (op->is_begun && str_is(op->turn.model))
		begin_frames(op);
	if (op->is_begun)
		flush(op);
	if (op->turn.end) {
		end_soon(op);
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

static void on_end(void *owner, enum stream_end why)
{
	struct openai_op *op = owner;

	op->sub = NULL;
	op->why = why;
	if (!op->is_over)
		end_soon(op);
}

static const struct control_sink sink = { .event = on_event, .gap = on_gap, .end = on_end };

void openai_op_follow(struct openai_op *op, struct str session_id, struct str turn_id,
                      uint64_t first_sequence)
{
	struct control_stream ask = { .follow = !op->is_read,
		                      .after = first_sequence ? first_sequence - 1 : 0,
		                      .reach = op->caller.reach,
		                      .token = op->caller.token,
		                      .sink = &sink,
		                      .owner = op };

	op->session_id = arena_keep(op->mem, session_id);
	op->turn_id = arena_keep(op->mem, turn_id);
	ask.session = op->session_id;
	ask.turn = op->turn_id;
	openai_api_turn_init(&op->turn, session_id, turn_id, first_sequence);
	op->stream.turn = &op->turn;
	op->stream.out = &op->out;
	op->stream.previous_id = op->in.previous_id;
	if (op->in.is_stream) {
		op->turn.step = on_step;
		op->turn.owner = op;
		begin_stream(op);
	}
	op->sub = control_of(op)->ops->subscribe(control_of(op), &ask);
	if (!op->sub && !op->is_over) {
		op->why = STREAM_SHUTDOWN;
		end_soon(op);
	}
}

/* ---- calls ---- */

static void on_done(struct control_call *call, const struct control_answer *a)
{
	struct openai_op *op = OWNER_OF(call, struct openai_op, call);

	op->is_calling = false;
	op->next(op, a);
}

void openai_op_call(struct openai_op *op, const char *command, struct str key,
                    void (*next)(struct openai_op *op, const struct control_answer *a))
{
	op->next = next;
	op->is_calling = true;
	op->call = (struct control_call){ .caller = op->caller,
		                          .command = str_from(command),
		                          .params = buf_str(&op->params),
		                          .key = key,
		                          .done = on_done,
		                          .owner = op };
	control_of(op)->ops->call(control_of(op), &op->call);
}

/* ---- life ---- */

static void on_closed(struct http_request *req)
{
	cut(req->user);
}

static void on_drain(struct http_request *req)
{
	struct openai_op *op = req->user;

	if (!op->is_paused || !op->sub || op->is_over)
		return;
	op->is_paused = false;
	control_of(op)->ops->resume(control_of(op), op->sub);
}

struct openai_op *openai_op_new(struct serve *s, struct http_request *req,
                                const struct caller *caller, enum openai_api api)
{
	struct openai_op *op = memory_zeroed(1, sizeof *op);

	op->serve = s;
	op->req = req;
	op->caller = *caller;
	op->caller.via = STR("openai");
	op->mem = arena_new();
	op->in.api = api;
	op->stream.shown_after = -1;
	req->user = op;
	req->on_closed = on_closed;
	req->on_drain = on_drain;
	keepalive_start(&s->pulses, &op->keepalive, on_beat);
	return op;
}
