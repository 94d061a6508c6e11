/* One request of an MCP client: its replies and what it follows. */
#include "serve/mcp/mcp_op.h"

#include "base/gen/words.h"
#include "base/memory.h"

struct mcp_serve_rights mcp_op_rights(const struct mcp_op *o)
{
	unsigned scopes = o->op.caller.scopes;

	return (struct mcp_serve_rights){ .may_read = scopes & SCOPE_BIT(SCOPE_READ),
		                          .may_write = scopes & SCOPE_BIT(SCOPE_WRITE),
		                          .may_approve = scopes & SCOPE_BIT(SCOPE_APPROVE) };
}

/* ---- replies ---- */

void mcp_op_add(struct mcp_op *o, struct str message)
{
	if (o->lines) {
		o->line_ops->write(o->lines, message);
		return;
	}
	buf_add_str(&o->op.out, STR("event: message\ndata: "));
	buf_add_str(&o->op.out, message);
	buf_add_str(&o->op.out, STR("\n\n"));
}

void mcp_op_begin_stream(struct mcp_op *o)
{
	o->is_streaming = true;
	if (!o->lines)
		turn_op_begin_stream(&o->op, NULL, 0);
}

void mcp_op_flush(struct mcp_op *o)
{
	if (!o->lines)
		turn_op_flush(&o->op);
}

void mcp_op_reply(struct mcp_op *o, int status, struct str message)
{
	const struct http_field session = { STR("Mcp-Session-Id"), o->new_session };

	if (o->lines) {
		if (message.len)
			o->line_ops->write(o->lines, message);
		turn_op_drop(&o->op);
		return;
	}
	if (!o->op.is_begun) {
		turn_op_reply(&o->op, status, &session, str_is(o->new_session), message);
		return;
	}
	mcp_op_add(o, message);
	turn_op_end_stream(&o->op);
}

static void reply_error(struct mcp_op *o, const struct mcp_serve_error *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	mcp_serve_reply_error(&out, o->in.id, e);
	mcp_op_reply(o, o->in.is_modern ? e->http : 200, buf_str(&out));
}

void mcp_op_fail(struct mcp_op *o, enum mcp_serve_error_code code, struct str message)
{
	struct mcp_serve_error e = { .code = code,
		                     .http = code == MCP_SERVE_INTERNAL ? 500 : 400,
		                     .message = message };

	reply_error(o, &e);
}

struct str mcp_op_detail(struct mcp_op *o, const struct control_answer *a)
{
	struct json problem;
	struct str detail;

	if (json_read_trusted(o->op.mem, a->body, &problem, NULL) != OK)
		return a->title;
	detail = json_str(JSON_GET(problem, "detail"));
	return str_is(detail) && detail.len ? detail : a->title;
}

void mcp_op_fail_answer(struct mcp_op *o, const struct control_answer *a)
{
	struct mcp_serve_error e = { .code = a->http < 500 ? MCP_SERVE_INVALID_PARAMS
		                                           : MCP_SERVE_INTERNAL,
		                     .http = a->http,
		                     .message = mcp_op_detail(o, a),
		                     .data = arena_keep(o->op.mem, a->body) };

	reply_error(o, &e);
}

void mcp_op_fail_tool(struct mcp_op *o, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	JW_KEY(&w, "content");
	jw_arr(&w);
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("text"));
	JW_KSTR(&w, "text", text);
	jw_obj_end(&w);
	jw_arr_end(&w);
	JW_KBOOL(&w, "isError", true);
	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

void mcp_op_fail_tool_answer(struct mcp_op *o, const struct control_answer *a)
{
	mcp_op_fail_tool(o, mcp_op_detail(o, a));
}

/* The client may answer what the turn asks: a form, or what it said that it answers. */
static bool answers(const struct mcp_op *o, const struct mcp_serve_wait *question)
{
	return question && (str_is(question->requests) || o->in.can.elicit);
}

bool mcp_op_asks_again(const struct mcp_op *o)
{
	return o->is_published && o->in.is_modern && o->turn.state == MCP_SERVE_WAITING &&
	       answers(o, mcp_serve_turn_question(&o->turn));
}

/* spec: 2026-07-28, MissingRequiredClientCapabilityError; the tool did not run. */
static bool lacks_capability(const struct mcp_op *o)
{
	return o->in.is_modern && o->turn.state == MCP_SERVE_FAILED &&
	       str_eq(o->turn.error_code, STR(WORD_ERROR_CATEGORY_MISSING_CAPABILITY));
}

static void fail_capability(struct mcp_op *o)
{
	static const char *const known[] = { "elicitation", "sampling", "roots" };
	struct str said = buf_str(&o->turn.text);
	CLEANUP(buf_done) struct buf data = { 0 };
	struct json_writer w;
	struct mcp_serve_error e = { .code = MCP_SERVE_MISSING_CAPABILITY,
		                     .http = 400,
		                     .message = o->turn.error_message };

	jw_init(&w, &data);
	jw_obj(&w);
	JW_KEY(&w, "requiredCapabilities");
	jw_obj(&w);
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		if (str_find(said, str_from(known[i])) < 0)
			continue;
		jw_key(&w, str_from(known[i]));
		jw_raw(&w, STR("{}"));
	}
	jw_obj_end(&w);
	jw_obj_end(&w);
	e.data = buf_str(&data);
	reply_error(o, &e);
}

void mcp_op_reply_turn(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (o->on_turn && !mcp_op_asks_again(o)) {
		o->on_turn(o);
		return;
	}
	if (mcp_op_asks_again(o)) {
		mcp_serve_reply_input_required(&out, &o->in, &o->turn,
		                               mcp_serve_turn_question(&o->turn),
		                               o->edge->serve->opt.version);
		mcp_op_reply(o, 200, buf_str(&out));
		return;
	}
	if (o->is_published && lacks_capability(o)) {
		fail_capability(o);
		return;
	}
	w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));
	/* wait and stop say how a turn is; the caller of a tool gets what that returned. */
	if (o->turn.is_call && (o->is_published || o->in.method != MCP_SERVE_TOOLS_CALL))
		mcp_serve_turn_write_result(&o->turn, &w);
	else
		mcp_serve_turn_write(&o->turn, &w);
	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

/* ---- commands ---- */

struct json_writer mcp_op_params(struct mcp_op *o)
{
	struct json_writer w;

	buf_clear(&o->op.params);
	jw_init(&w, &o->op.params);
	jw_obj(&w);
	return w;
}

void mcp_op_call(struct mcp_op *o, const char *command,
                 void (*next)(struct turn_op *op, const struct control_answer *a))
{
	turn_op_call(&o->op, command,
	             o->op.req ? http_parse_find(&o->op.req->in, STR("idempotency-key")) : STR_NONE,
	             next);
}

bool mcp_op_read_reply(struct mcp_op *o, const struct control_answer *a, struct json *ret)
{
	if (a->code) {
		mcp_op_fail_answer(o, a);
		return false;
	}
	if (json_read_trusted(o->op.mem, a->body, ret, NULL) == OK)
		return true;
	mcp_op_fail(o, MCP_SERVE_INTERNAL, STR("The reply of the runtime cannot be read."));
	return false;
}

/* ---- following ---- */

bool mcp_op_takes_stream(const struct mcp_op *o)
{
	return o->lines || str_find(http_parse_find(&o->op.req->in, STR("accept")),
	                            STR("text/event-stream")) >= 0;
}

/* Clients of earlier revisions are asked while their call is open. */
static bool asks_client(const struct mcp_op *o)
{
	return o->is_published && !o->in.is_modern && o->turn.state == MCP_SERVE_WAITING &&
	       answers(o, mcp_serve_turn_question(&o->turn)) &&
	       (o->is_streaming || mcp_op_takes_stream(o));
}

static void ask_client(struct mcp_op *o)
{
	struct mcp_serve_wait *question = mcp_serve_turn_question(&o->turn);
	CLEANUP(buf_done) struct buf out = { 0 };

	if (question->is_sent)
		return;
	question->is_sent = true;
	if (!o->is_streaming)
		mcp_op_begin_stream(o);
	mcp_serve_reply_ask(&out, &o->turn, question);
	mcp_op_add(o, buf_str(&out));
}

/* What an earlier request of the client was shown is not shown again. */
static void show_log(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	o->shown_logs = o->turn.logs;
	if (!o->is_published || !str_is(o->in.log_level) || !o->is_streaming ||
	    (o->is_again && !o->op.is_caught_up))
		return;
	mcp_serve_reply_log(&out, &o->turn);
	mcp_op_add(o, buf_str(&out));
}

static void on_event(struct turn_op *op, struct json event)
{
	struct mcp_op *o = mcp_op_of(op);
	CLEANUP(buf_done) struct buf out = { 0 };

	if (o->listener) {
		o->listener->event(o, event);
		return;
	}
	mcp_serve_turn_event(&o->turn, event);
	if (asks_client(o))
		ask_client(o);
	if (o->turn.logs != o->shown_logs)
		show_log(o);
	if (!json_is(o->in.progress_token) || !o->is_streaming || o->turn.steps == o->shown_steps)
		return;
	o->shown_steps = o->turn.steps;
	mcp_serve_reply_progress(&out, &o->in, &o->turn);
	mcp_op_add(o, buf_str(&out));
}

/* A question that was answered since ends nothing, so the whole past is read first. */
static bool is_over(const struct turn_op *op)
{
	const struct mcp_op *o = OWNER_OF(op, const struct mcp_op, op);

	if (o->listener || mcp_serve_turn_has_ended(&o->turn))
		return mcp_serve_turn_has_ended(&o->turn);
	return op->is_caught_up && !o->waits_out && o->turn.state == MCP_SERVE_WAITING &&
	       !asks_client(o);
}

static void conclude(struct turn_op *op)
{
	struct mcp_op *o = mcp_op_of(op);
	const char *code, *message;
	bool is_fine = is_over(op) || o->is_due ||
	               (op->is_read && op->why == STREAM_CAUGHT_UP && str_is(o->turn.created_at));

	loop_timer_stop(&o->patience);
	if (o->listener) {
		o->listener->end(o);
	} else if (is_fine) {
		o->edge->finish(o);
	} else {
		turn_op_why_status(op->why, &code, &message);
		mcp_op_fail(o,
		            op->why == STREAM_NO_SESSION ? MCP_SERVE_INVALID_PARAMS
		                                         : MCP_SERVE_INTERNAL,
		            str_from(message));
	}
}

static void on_patience(struct loop_timer *t)
{
	struct mcp_op *o = OWNER_OF(t, struct mcp_op, patience);

	o->is_due = true;
	turn_op_conclude(&o->op);
}

static void begin(struct mcp_op *o, const struct mcp_serve_task_id *id,
                  void (*finish)(struct mcp_op *o))
{
	o->finish = finish;
	mcp_serve_turn_init(&o->turn, id->session_id, id->turn_id, id->first_sequence);
	o->turn.task_id = arena_keep(o->turn.mem, id->task_id);
}

void mcp_op_look(struct mcp_op *o, const struct mcp_serve_task_id *id,
                 void (*finish)(struct mcp_op *o))
{
	begin(o, id, finish);
	o->op.is_read = true;
	turn_op_follow(&o->op, id->session_id, id->turn_id, id->first_sequence);
}

void mcp_op_follow(struct mcp_op *o, const struct mcp_serve_task_id *id,
                   void (*finish)(struct mcp_op *o))
{
	if (!o->waits_out && !o->args.wait_ms) {
		o->is_due = true;
		mcp_op_look(o, id, finish);
		return;
	}
	begin(o, id, finish);
	if (!o->waits_out)
		loop_timer_start(o->edge->serve->loop, &o->patience, (int)o->args.wait_ms,
		                 on_patience);
	if ((json_is(o->in.progress_token) || (o->is_published && str_is(o->in.log_level))) &&
	    mcp_op_takes_stream(o))
		mcp_op_begin_stream(o);
	turn_op_follow(&o->op, id->session_id, id->turn_id, id->first_sequence);
}

/* ---- cancelling ---- */

static bool is_same(struct str a, struct str b)
{
	return str_is(a) ? str_is(b) && str_eq(a, b) : !str_is(b);
}

bool mcp_op_is_of_client(const struct mcp_op *o, const struct mcp_op *other)
{
	return o->lines == other->lines && o->in.is_modern == other->in.is_modern &&
	       str_eq(o->op.caller.principal, other->op.caller.principal) &&
	       is_same(o->in.session, other->in.session);
}

/* A call without a request: it outlives the one that makes it. */
struct last_call {
	struct control_call call;
	struct buf params;
	struct arena *mem;
};

static void last_call_done(struct control_call *call, const struct control_answer *a)
{
	struct last_call *l = OWNER_OF(call, struct last_call, call);

	(void)a;
	buf_done(&l->params);
	arena_free(l->mem);
	memory_free(l);
}

void mcp_op_cancel_turn(struct mcp_op *o, struct str session_id, struct str turn_id)
{
	struct control *control = o->edge->serve->control;
	struct last_call *l = memory_zeroed(1, sizeof *l);
	struct json_writer w;

	l->mem = arena_new_small();
	jw_init(&w, &l->params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "turnId", turn_id);
	JW_KSTR(&w, "reason", STR(WORD_INTERRUPT_REASON_CLIENT));
	jw_obj_end(&w);
	l->call = (struct control_call){ .caller = o->op.caller,
		                         .command = STR("interrupt_turn"),
		                         .params = buf_str(&l->params),
		                         .done = last_call_done };
	l->call.caller.principal = arena_keep(l->mem, o->op.caller.principal);
	l->call.caller.channel_id = arena_keep(l->mem, o->op.caller.channel_id);
	l->call.caller.token = arena_keep(l->mem, o->op.caller.token);
	l->call.caller.reach = arena_keep(l->mem, o->op.caller.reach);
	l->call.caller.home = arena_keep(l->mem, o->op.caller.home);
	control->ops->call(control, &l->call);
}

/* True: the op stays until the runtime has said which turn it is. */
static bool cancel_own_turn(struct mcp_op *o)
{
	if (o->owns_turn && o->turn.mem && !mcp_serve_turn_has_ended(&o->turn))
		mcp_op_cancel_turn(o, o->turn.session_id, o->turn.turn_id);
	return o->is_left = o->is_submitting;
}

/* The client may still cancel the turn, which continues. */
static void note_left(struct mcp_op *o)
{
	struct mcp_session_left left = { .session_id = o->turn.session_id,
		                         .turn_id = o->turn.turn_id };
	struct mcp_session *s;

	if (!o->owns_turn || !o->turn.mem || mcp_serve_turn_has_ended(&o->turn))
		return;
	s = mcp_session_find(&o->edge->sessions, o->in.session, o->op.caller.principal);
	left.id = json_text(o->op.mem, o->in.id);
	if (s)
		mcp_session_leave(s, &left);
}

/*
 * In 2026-07-28 a client cancels a call by closing its stream.  Before, a connection that ends
 * says nothing, and the turn continues.
 */
static bool on_closed(struct turn_op *op)
{
	struct mcp_op *o = mcp_op_of(op);

	if (!o->in.is_modern)
		note_left(o);
	return o->in.is_modern && !o->in.wants_task && cancel_own_turn(o);
}

/* One that follows the turn of another ends with what that has come to. */
void mcp_op_cancel(struct mcp_op *o)
{
	o->is_cancelled = true; /* before the turn begins: mcp_edge_call_submit() and its reply */
	if (!o->turn.mem || o->listener || mcp_serve_turn_has_ended(&o->turn))
		return;
	if (o->owns_turn) {
		o->waits_out = true;
		loop_timer_stop(&o->patience);
		mcp_op_cancel_turn(o, o->turn.session_id, o->turn.turn_id);
	} else {
		o->is_due = true;
		turn_op_conclude(&o->op);
	}
}

void mcp_op_leave(struct mcp_op *o, bool is_cancelled)
{
	if (!is_cancelled || !cancel_own_turn(o)) {
		turn_op_drop(&o->op);
		return;
	}
	o->line_ops->ended(o->lines, o);
	/* What it borrowed from the connection goes with that. */
	o->lines = NULL;
	o->session = NULL;
	o->cwd = STR_NONE;
}

/* ---- life ---- */

static void on_free(struct turn_op *op)
{
	struct mcp_op *o = mcp_op_of(op);

	loop_timer_stop(&o->patience);
	o->edge->left(o);
	if (o->lines)
		o->line_ops->ended(o->lines, o);
	list_remove(&o->of_edge);
	peers_left(&o->edge->peers, o->peer);
	if (o->turn.mem)
		mcp_serve_turn_done(&o->turn);
	buf_done(&o->bytes);
	memory_free(o);
}

static const struct turn_op_protocol protocol = { .event = on_event,
	                                          .is_over = is_over,
	                                          .conclude = conclude,
	                                          .closed = on_closed,
	                                          .free = on_free };

struct mcp_op *mcp_op_new(struct mcp_edge *edge, struct http_request *req, struct mcp_lines *lines,
                          const struct caller *caller)
{
	struct mcp_op *o = memory_zeroed(1, sizeof *o);

	list_init(&o->node);
	list_init(&o->watches);
	o->lines = lines;

	turn_op_init(&o->op, &protocol, edge->serve, req, caller, "mcp");
	o->edge = edge;
	/* Other requests are compared with it. */
	o->op.caller.principal = arena_keep(o->op.mem, caller->principal);
	list_add(&edge->requests, &o->of_edge);
	o->peer = peers_seen(&edge->peers, caller);
	if (o->peer)
		o->op.caller.channel_id = o->peer->channel_id;
	return o;
}
