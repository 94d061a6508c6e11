/* One request of a peer: its replies, calls and subscriptions. */
#include "serve/a2a/a2a_op.h"
#include "serve/a2a/a2a_place.h"

#include "base/memory.h"
#include "net/http/sse.h"
#include "serve/http/cors.h"
#include "serve/http/problem.h"

#include <stdlib.h>

#define FINAL_MS 10000 /* how long CancelTask waits for the end */

static struct control *control_of(const struct a2a_op *op)
{
	return op->edge->serve->control;
}

static void unsubscribe(struct a2a_op *op)
{
	if (op->sub)
		control_of(op)->ops->unsubscribe(control_of(op), op->sub);
	op->sub = NULL;
}

static void op_free(struct a2a_op *op)
{
	unsubscribe(op);
	loop_timer_stop(&op->soon);
	keepalive_stop(&op->edge->serve->pulses, &op->keepalive);
	if (op->drop)
		op->drop(op);
	peers_left(&op->edge->peers, op->peer);
	if (op->task.mem || op->task.light)
		a2a_task_done(&op->task);
	buf_done(&op->params);
	memory_free(op->rpc_id);
	memory_free(op->session);
	arena_free(op->mem);
	memory_free(op);
}

/* ---- replies ---- */

/* The peer sees which of the extensions that it named are in use. */
static size_t add_extensions(const struct a2a_op *op, struct http_field *headers, size_t count)
{
	if (str_is(op->in->extensions))
		headers[count++] = (struct http_field){ STR("A2A-Extensions"), op->in->extensions };
	return count;
}

static void send_body(struct a2a_op *op, int status, struct str body)
{
	struct http_field headers[5 + CORS_HEADERS_MAX] = {
		{ STR("Content-Type"),
		  op->rpc_id ? STR("application/json") : STR("application/a2a+json") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
		{ STR("A2A-Version"), STR("1.0") },
	};
	size_t count = add_extensions(op, headers, 4);

	http_reply(op->req, status, headers, cors_headers(op->req, headers, count), body);
	op_free(op);
}

static void begin_rpc(struct a2a_op *op, struct json_writer *w, const char *key)
{
	jw_obj(w);
	JW_KSTR(w, "jsonrpc", STR("2.0"));
	JW_KEY(w, "id");
	jw_raw(w, str_from(op->rpc_id));
	jw_key(w, str_from(key));
}

static void send_error(struct a2a_op *op, const struct a2a_error *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	if (op->rpc_id) {
		begin_rpc(op, &w, "error");
		a2a_error_write_rpc(&w, e);
		jw_obj_end(&w);
	} else {
		a2a_error_write_http(&w, e);
	}
	send_body(op, op->rpc_id ? 200 : a2a_error_http(e->code), buf_str(&out));
}

void a2a_op_fail(struct a2a_op *op, enum a2a_code code, struct str message)
{
	send_error(op, &(struct a2a_error){ .code = code, .message = message });
}

void a2a_op_fail_field(struct a2a_op *op, const char *field, struct str message)
{
	send_error(op, &(struct a2a_error){ .code = A2A_INVALID_PARAMS,
	                                    .field = str_from(field),
	                                    .message = message });
}

static enum a2a_code code_of(enum error_code code, int http)
{
	switch (code) {
	case ERROR_CODE_SESSION_NOT_FOUND:
	case ERROR_CODE_THREAD_NOT_FOUND:
	case ERROR_CODE_TASK_NOT_FOUND:
		return A2A_TASK_NOT_FOUND;
	case ERROR_CODE_TURN_MISMATCH:
	case ERROR_CODE_ALREADY_ENDED:
		return A2A_UNSUPPORTED_OPERATION;
	case ERROR_CODE_FORBIDDEN:
	case ERROR_CODE_UNAUTHORIZED:
		return A2A_PERMISSION_DENIED;
	default:
		return http == 429   ? A2A_TOO_MANY
		       : http == 503 ? A2A_UNAVAILABLE
		       : http >= 500 ? A2A_INTERNAL
		                     : A2A_INVALID_PARAMS;
	}
}

/* Errors of the runtime itself are sent without details. */
void a2a_op_fail_answer(struct a2a_op *op, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	enum a2a_code code = code_of(a->code, a->http);
	struct str message = STR_NONE;
	struct json problem;

	if (a->code == ERROR_CODE_IDEMPOTENCY_CONFLICT)
		message = STR("This messageId was used for another message");
	else if (code != A2A_INTERNAL && code != A2A_TASK_NOT_FOUND &&
	         json_read_trusted(mem, a->body, &problem, NULL) == OK)
		message = json_str(JSON_GET(problem, "detail"));
	a2a_op_fail(op, code, message.len ? message : STR_NONE);
}

void a2a_op_reply(struct a2a_op *op, struct str result)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (!op->rpc_id) {
		send_body(op, 200, result);
		return;
	}
	jw_init(&w, &out);
	begin_rpc(op, &w, "result");
	jw_raw(&w, result);
	jw_obj_end(&w);
	send_body(op, 200, buf_str(&out));
}

static void write_task(struct a2a_op *op, struct buf *out, const char *key)
{
	struct a2a_task_shown shown = { .history = op->in->has_history_length
		                                           ? op->in->history_length
		                                           : -1 };
	struct json_writer w;

	jw_init(&w, out);
	if (key) {
		jw_obj(&w);
		jw_key(&w, str_from(key));
	}
	a2a_task_write(&w, &op->task, &shown);
	if (key)
		jw_obj_end(&w);
}

void a2a_op_reply_task(struct a2a_op *op, const char *key)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	write_task(op, &out, key);
	a2a_op_reply(op, buf_str(&out));
}

/* ---- streams ---- */

static void write_text(struct a2a_op *op, struct str text)
{
	keepalive_wrote(&op->keepalive, text.len);
	http_reply_stream_write(op->req, text);
}

static void write_item(struct a2a_op *op, struct str item)
{
	CLEANUP(buf_done) struct buf json = { 0 }, out = { 0 };
	struct json_writer w;

	jw_init(&w, &json);
	if (op->rpc_id) {
		begin_rpc(op, &w, "result");
		jw_raw(&w, item);
		jw_obj_end(&w);
		item = buf_str(&json);
	}
	sse_event(&out, STR_NONE, STR_NONE, item);
	write_text(op, buf_str(&out));
}

static void open_stream(struct a2a_op *op)
{
	struct http_field headers[6 + CORS_HEADERS_MAX] = {
		{ STR("Content-Type"), STR("text/event-stream") },
		HEADER_NO_STORE,
		HEADER_NO_SNIFF,
		{ STR("X-Accel-Buffering"), STR("no") },
		{ STR("A2A-Version"), STR("1.0") },
	};
	size_t count = add_extensions(op, headers, 5);

	if (op->is_open)
		return;
	op->is_open = true;
	http_reply_stream_begin(op->req, 200, headers, cors_headers(op->req, headers, count));
}

/* The first item is the task as it is now.  From here on only changes are kept. */
static void begin_stream(struct a2a_op *op)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	open_stream(op);
	op->is_begun = true;
	write_task(op, &out, "task");
	write_item(op, buf_str(&out));
	a2a_task_lighten(&op->task);
	buf_done(&op->params);
	arena_free(op->mem);
	op->mem = NULL;
	op->in = NULL;
	op->caller = NULL;
	op->call = NULL;
}

static void end_stream(struct a2a_op *op)
{
	http_reply_stream_end(op->req);
	op_free(op);
}

/* Without the last chunk, so that the peer sees that more would have come. */
static void cut(struct a2a_op *op)
{
	struct http_request *req = op->req;

	if (op->is_calling)
		control_of(op)->ops->forget(control_of(op), op->call);
	op_free(op);
	http_reply_abort(req);
}

static void on_beat(struct keepalive *p)
{
	struct a2a_op *op = OWNER_OF(p, struct a2a_op, keepalive);
	size_t pending;

	if (!op->is_open)
		return;
	pending = http_reply_pending(op->req);
	if (keepalive_is_stalled(&op->edge->serve->pulses, p, pending))
		cut(op);
	else if (!pending)
		write_text(op, STR(": ping\n\n"));
}

/* ---- following ---- */

static void fail_end(struct a2a_op *op)
{
	switch (op->why) {
	case STREAM_NO_SESSION:
	case STREAM_DELETED:
		a2a_op_fail(op, A2A_TASK_NOT_FOUND, STR_NONE);
		return;
	case STREAM_TOO_MANY:
		a2a_op_fail(op, A2A_TOO_MANY, STR("Too many streams are open for this token"));
		return;
	case STREAM_REVOKED:
		a2a_op_fail(op, A2A_PERMISSION_DENIED, STR("The token is not valid any more"));
		return;
	default:
		a2a_op_fail(op, A2A_UNAVAILABLE, STR_NONE);
	}
}

/* True: the fold begins again, at the start of the session, because it was guessed where. */
static bool reads_again(struct a2a_op *op);

/* Instead of the task: the only item of a stream, or the result. */
static void reply_message(struct a2a_op *op)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "message");
	a2a_task_write_message(&w, &op->task);
	jw_obj_end(&w);
	if (op->wait != A2A_WAIT_STREAM) {
		a2a_op_reply(op, buf_str(&out));
		return;
	}
	open_stream(op);
	write_item(op, buf_str(&out));
	end_stream(op);
}

/* The reply that the request waits for is due. */
static void conclude(struct a2a_op *op)
{
	bool is_send = op->method == A2A_SEND_MESSAGE || op->method == A2A_SEND_STREAMING_MESSAGE;

	if (op->is_begun) {
		end_stream(op);
		return;
	}
	if (op->is_caught_up && !op->task.is_found && reads_again(op))
		return;
	if (op->method == A2A_LIST_TASKS) {
		op->then(op);
		return;
	}
	if (!op->is_caught_up) {
		fail_end(op);
		return;
	}
	if (!op->task.is_found) {
		a2a_op_fail(op, A2A_TASK_NOT_FOUND, STR_NONE);
		return;
	}
	a2a_place_learn(op->edge, op->task.session_id, op->task.task_id, op->task.first_sequence);
	if (op->wait == A2A_WAIT_READ) {
		op->then(op);
	} else if (op->is_direct && a2a_task_is_plain(&op->task)) {
		reply_message(op);
	} else if (op->wait != A2A_WAIT_STREAM) {
		a2a_op_reply_task(op, is_send ? "task" : NULL);
	} else if (op->method == A2A_SUBSCRIBE_TO_TASK && a2a_state_is_final(op->task.state)) {
		a2a_op_fail(op, A2A_UNSUPPORTED_OPERATION,
		            STR("The task has ended; GetTask shows its result"));
	} else {
		begin_stream(op);
		if (a2a_state_is_final(op->task.state) || op->is_ended) {
			end_stream(op);
			return;
		}
		op->is_over = false;
		/* A stream that was held back began with an event; more events follow it. */
		if (op->is_stopped && op->sub)
			control_of(op)->ops->resume(control_of(op), op->sub);
		op->is_stopped = false;
	}
}

static void on_soon(struct loop_timer *t)
{
	conclude(OWNER_OF(t, struct a2a_op, soon));
}

/* Returns false: the subscription pauses.  Not at once: this runs inside a callback of the control. */
static bool end_soon(struct a2a_op *op)
{
	op->is_over = true;
	loop_timer_start(op->edge->serve->loop, &op->soon, 0, on_soon);
	return false;
}

static bool is_due(const struct a2a_op *op)
{
	enum a2a_state s = op->task.state;

	switch (op->wait) {
	case A2A_WAIT_READ:
		return true;
	case A2A_WAIT_END:
		return a2a_state_is_final(s) || a2a_state_is_interrupted(s) ||
		       op->in->return_immediately || !op->task.is_found;
	case A2A_WAIT_FINAL:
		return a2a_state_is_final(s) || !op->task.is_found;
	case A2A_WAIT_STREAM:
		if (op->is_begun)
			return a2a_state_is_final(s);
		/* Until it is known whether a message can be the reply, nothing is shown. */
		return !op->is_direct || a2a_state_is_final(s) || a2a_state_is_interrupted(s) ||
		       op->task.has_file || !op->task.is_found;
	}
	return true;
}

static bool on_event(void *owner, const struct control_event *ev)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_op *op = owner;
	struct a2a_change change;
	struct json_writer w;
	struct json event;

	if (op->is_over && op->is_begun)
		return false;
	if (json_read_trusted(mem, str_of(ev->body->data, ev->body->len), &event, NULL) != OK)
		return true;
	a2a_task_event(&op->task, mem, event, &change);
	/* Before the reply is written, its task still takes what happens. */
	if (!op->is_caught_up || !change.kind || op->is_over)
		return true;
	if (op->is_begun) {
		jw_init(&w, &out);
		a2a_task_write_change(&w, &op->task, &change);
		write_item(op, buf_str(&out));
	}
	if (is_due(op)) {
		op->is_stopped = true;
		return end_soon(op);
	}
	op->is_paused = op->is_begun &&
	                http_reply_pending(op->req) > op->edge->serve->opt.client_buffer_max;
	return !op->is_paused;
}

/* What retention removed cannot be folded; the task is then not found. */
static void on_gap(void *owner, uint64_t from, uint64_t to, struct str mode, struct str snapshot)
{
	(void)owner;
	(void)from;
	(void)to;
	(void)mode;
	(void)snapshot;
}

static void on_caught_up(void *owner, uint64_t seq)
{
	struct a2a_op *op = owner;

	(void)seq;
	op->is_caught_up = true;
	if (is_due(op))
		end_soon(op);
	else if (op->wait == A2A_WAIT_STREAM && !op->is_begun)
		open_stream(op);
}

static void on_end(void *owner, enum stream_end why)
{
	struct a2a_op *op = owner;

	op->sub = NULL;
	op->why = why;
	op->is_ended = true;
	op->is_caught_up |= why == STREAM_CAUGHT_UP;
	if (!op->is_over)
		end_soon(op);
}

static const struct control_sink sink = {
	.event = on_event, .gap = on_gap, .caught_up = on_caught_up, .end = on_end
};

static void on_late(struct loop_timer *t)
{
	struct a2a_op *op = OWNER_OF(t, struct a2a_op, soon);

	op->is_over = true;
	conclude(op);
}

static void subscribe(struct a2a_op *op, uint64_t after)
{
	op->ask = (struct control_stream){ .session = str_from(op->session),
		                           .after = after,
		                           .follow = op->wait != A2A_WAIT_READ,
		                           .reach = op->caller->reach,
		                           .token = op->caller->token,
		                           .until_ms = op->caller->until_ms,
		                           .sink = &sink,
		                           .owner = op };
	for (size_t i = 0; i < COUNT_OF(op->ask.types); i++)
		op->ask.types[i] = a2a_place_types[i];
	op->is_hinted = after > 0;
	op->is_caught_up = op->is_over = op->is_ended = op->is_paused = op->is_stopped = false;
	op->sub = control_of(op)->ops->subscribe(control_of(op), &op->ask);
	if (!op->sub && !op->is_ended) {
		op->why = STREAM_SHUTDOWN;
		op->is_ended = true;
		end_soon(op);
	}
}

void a2a_op_unfollow(struct a2a_op *op)
{
	unsubscribe(op);
	loop_timer_stop(&op->soon);
	if (op->task.mem || op->task.light)
		a2a_task_done(&op->task);
	memory_free(op->session);
	op->session = NULL;
}

static void fold_from(struct a2a_op *op, struct str session_id, struct str task_id, uint64_t after)
{
	struct str url = a2a_place_url(op->edge, op->mem, op->req);

	op->session = memory_strndup(session_id.ptr, session_id.len);
	a2a_task_init(&op->task, session_id, task_id,
	              arena_printf(op->mem, "%.*s/v1/outputs/", STR_ARG(url)));
	subscribe(op, after);
}

static bool reads_again(struct a2a_op *op)
{
	struct str session_id, task_id;

	if (!op->is_hinted)
		return false;
	session_id = arena_keep(op->mem, op->task.session_id);
	task_id = arena_keep(op->mem, op->task.task_id);
	a2a_op_unfollow(op);
	fold_from(op, session_id, task_id, 0);
	return true;
}

void a2a_op_follow(struct a2a_op *op, struct str session_id, struct str task_id, enum a2a_wait wait,
                   void (*then)(struct a2a_op *op))
{
	op->wait = wait;
	op->then = then;
	fold_from(op, session_id, task_id, a2a_place_of(op->edge, session_id, task_id));
	if (wait == A2A_WAIT_FINAL && !op->is_over)
		loop_timer_start(op->edge->serve->loop, &op->soon, FINAL_MS, on_late);
}

/* ---- calls ---- */

static void on_done(struct control_call *call, const struct control_answer *a)
{
	struct a2a_op *op = call->owner;

	op->is_calling = false;
	op->next(op, a);
}

void a2a_op_call(struct a2a_op *op, const char *command, struct str key,
                 void (*next)(struct a2a_op *op, const struct control_answer *a))
{
	op->next = next;
	op->is_calling = true;
	op->call = ARENA_NEW(op->mem, struct control_call);
	*op->call = (struct control_call){ .caller = *op->caller,
		                           .command = str_from(command),
		                           .params = buf_str(&op->params),
		                           .key = key,
		                           .done = on_done,
		                           .owner = op };
	control_of(op)->ops->call(control_of(op), op->call);
}

/* ---- life ---- */

static void on_closed(struct http_request *req)
{
	cut(req->user);
}

static void on_drain(struct http_request *req)
{
	struct a2a_op *op = req->user;

	if (!op->is_paused || !op->sub || op->is_over)
		return;
	op->is_paused = false;
	control_of(op)->ops->resume(control_of(op), op->sub);
}

struct a2a_op *a2a_op_new(struct a2a_edge *edge, struct http_request *req,
                          const struct caller *caller, struct peer_channel *peer, struct arena *mem,
                          const struct a2a_request *in)
{
	struct a2a_op *op = memory_zeroed(1, sizeof *op);

	op->edge = edge;
	op->req = req;
	op->peer = peer;
	op->mem = mem;
	op->caller = ARENA_NEW(mem, struct caller);
	*op->caller = *caller;
	op->in = ARENA_NEW(mem, struct a2a_request);
	*op->in = *in;
	op->method = in->method;
	if (str_is(in->rpc_id))
		op->rpc_id = memory_strndup(in->rpc_id.ptr, in->rpc_id.len);
	req->user = op;
	req->on_closed = on_closed;
	req->on_drain = on_drain;
	req->ends_at_eof = true;
	keepalive_start(&edge->serve->pulses, &op->keepalive, on_beat);
	return op;
}
