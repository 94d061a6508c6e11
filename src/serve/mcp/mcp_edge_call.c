/*
 * Calls of tools.
 *
 *   run                submit_turn ──► follow
 *   send to a thread   submit_turn ──► follow
 *   send to a task     answer_question ─┬─ accepted ──► follow
 *                                       └─ asks nothing ──► get_task ──► submit_turn (steer) ──► follow
 *   wait               follow
 *   stop               interrupt_turn ──► follow to the end
 *   read, decide       one command
 */
#include "serve/mcp/mcp_op.h"

#include "base/gen/words.h"

static void finish_created(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	mcp_serve_reply_task_created(&out, &o->in, &o->turn, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

static bool read_task(struct mcp_op *o, struct mcp_serve_task_id *ret)
{
	if (mcp_serve_id_read_task(o->args.task, ret))
		return true;
	mcp_op_fail_tool(o, STR("There is no such task."));
	return false;
}

/* ---- run and send ---- */

/* The client has cancelled meanwhile. */
static void leave(struct mcp_op *o, const struct control_answer *a)
{
	struct json reply;

	if (!a->code && json_read_trusted(o->op.mem, a->body, &reply, NULL) == OK)
		mcp_op_cancel_turn(o, json_str(JSON_GET(reply, "sessionId")),
		                   json_str(JSON_GET(reply, "turnId")));
	turn_op_drop(&o->op);
}

/* A client that takes tasks gets one at once: its call cannot be lost with the connection. */
static void submitted(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct mcp_serve_task_id id;
	struct json reply;

	o->is_submitting = false;
	if (o->is_left) {
		leave(o, a);
		return;
	}
	if (a->code) {
		mcp_op_fail_tool_answer(o, a);
		return;
	}
	if (!mcp_op_read_reply(o, a, &reply))
		return;
	/* A message that steers is part of the turn of the task. */
	if (str_is(o->args.task)) {
		if (read_task(o, &id))
			mcp_op_follow(o, &id, mcp_op_reply_turn);
		return;
	}
	id = (struct mcp_serve_task_id){
		.session_id = json_str(JSON_GET(reply, "sessionId")),
		.task_id = json_str(JSON_GET(reply, "taskId")),
		.turn_id = json_str(JSON_GET(reply, "turnId")),
		.first_sequence = json_uint(JSON_GET(reply, "firstSequence"), 1),
	};
	if (o->in.wants_task) {
		mcp_op_look(o, &id, finish_created);
		return;
	}
	o->owns_turn = true;
	o->waits_out |= o->is_cancelled;
	mcp_op_follow(o, &id, mcp_op_reply_turn);
	if (o->is_cancelled)
		mcp_op_cancel_turn(o, id.session_id, id.turn_id);
}

/* Who asks, as it names itself; the principal is known from its token. */
static void write_client(struct mcp_op *o, struct json_writer *w)
{
	struct json client = JSON_GET(JSON_GET(o->in.params, "_meta"), MCP_SERVE_META "clientInfo");

	JW_KSTR(w, "source", STR("mcp"));
	if (json_type(client) != JSON_OBJ || json_text(o->op.mem, client).len > 2048)
		return;
	JW_KEY(w, "metadata");
	jw_obj(w);
	JW_KEY(w, "mcp");
	jw_obj(w);
	JW_KEY(w, "client");
	jw_value(w, client);
	jw_obj_end(w);
	jw_obj_end(w);
}

void mcp_edge_call_submit(struct mcp_op *o, struct json_writer *w)
{
	if (o->is_cancelled) {
		mcp_op_fail(o, MCP_SERVE_INTERNAL, STR("The client has cancelled the request."));
		return;
	}
	write_client(o, w);
	jw_obj_end(w);
	o->is_submitting = true;
	mcp_op_call(o, "submit_turn", submitted);
}

static void run(struct mcp_op *o)
{
	struct json_writer w = mcp_op_params(o);

	JW_KSTR(&w, "input", o->args.prompt);
	JW_KOPT(&w, "cwd", str_is(o->args.cwd) ? o->args.cwd : o->cwd);
	JW_KOPT(&w, "title", o->args.title);
	JW_KOPT(&w, "model", o->args.model);
	mcp_edge_call_submit(o, &w);
}

static void send_to_thread(struct mcp_op *o)
{
	struct str session_id, thread_id;
	struct json_writer w;

	if (!mcp_serve_id_read_pair(o->args.thread, &session_id, &thread_id)) {
		mcp_op_fail_tool(o, STR("There is no such thread."));
		return;
	}
	w = mcp_op_params(o);
	JW_KSTR(&w, "input", o->args.message);
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "threadId", thread_id);
	JW_KSTR(&w, "create", STR("never"));
	JW_KSTR(&w, "delivery", STR("queue"));
	mcp_edge_call_submit(o, &w);
}

static void steer(struct mcp_op *o, const struct mcp_serve_task_id *id)
{
	struct json_writer w = mcp_op_params(o);

	JW_KSTR(&w, "input", o->args.message);
	JW_KSTR(&w, "sessionId", id->session_id);
	JW_KSTR(&w, "expectedTurnId", id->turn_id);
	JW_KSTR(&w, "create", STR("never"));
	JW_KSTR(&w, "delivery", STR("steer"));
	write_client(o, &w);
	jw_obj_end(&w);
	mcp_op_call(o, "submit_turn", submitted);
}

/* Who steers the work of another could then decide what that work asks for. */
static void task_read(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct mcp_serve_task_id id;
	struct json reply;
	struct str by;

	if (a->code) {
		mcp_op_fail_tool_answer(o, a);
		return;
	}
	if (!mcp_op_read_reply(o, a, &reply) || !read_task(o, &id))
		return;
	by = json_str(JSON_GET(JSON_GET(JSON_GET(reply, "task"), "requestedBy"), "principal"));
	if (str_is(by) && str_eq(by, o->op.caller.principal))
		steer(o, &id);
	else
		mcp_op_fail_tool(
			o, STR("Another client began this task. Send to its thread instead."));
}

static void answered(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct mcp_serve_task_id id;
	struct json_writer w;

	if (!read_task(o, &id))
		return;
	if (!a->code) {
		mcp_op_follow(o, &id, mcp_op_reply_turn);
		return;
	}
	if (a->code != ERROR_CODE_ACTION_NOT_FOUND && a->code != ERROR_CODE_ALREADY_RESOLVED) {
		mcp_op_fail_tool_answer(o, a);
		return;
	}
	w = mcp_op_params(o);
	JW_KSTR(&w, "sessionId", id.session_id);
	JW_KSTR(&w, "taskId", id.task_id);
	jw_obj_end(&w);
	turn_op_call(&o->op, "get_task", STR_NONE, task_read);
}

static void send_to_task(struct mcp_op *o)
{
	struct mcp_serve_task_id id;
	struct json_writer w;

	if (!read_task(o, &id))
		return;
	w = mcp_op_params(o);
	JW_KSTR(&w, "sessionId", id.session_id);
	JW_KSTR(&w, "taskId", id.task_id);
	JW_KSTR(&w, "answer", o->args.message);
	jw_obj_end(&w);
	mcp_op_call(o, "answer_question", answered);
}

/* ---- wait and stop ---- */

static void wait_for(struct mcp_op *o)
{
	struct mcp_serve_task_id id;

	if (read_task(o, &id))
		mcp_op_follow(o, &id, mcp_op_reply_turn);
}

static void stopped(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct mcp_serve_task_id id;

	/* A turn that has ended is what was wanted. */
	if (a->code && a->code != ERROR_CODE_TURN_NOT_FOUND &&
	    a->code != ERROR_CODE_TURN_MISMATCH) {
		mcp_op_fail_tool_answer(o, a);
		return;
	}
	o->waits_out = true;
	if (read_task(o, &id))
		mcp_op_follow(o, &id, mcp_op_reply_turn);
}

static void stop(struct mcp_op *o)
{
	struct mcp_serve_task_id id;
	struct json_writer w;

	if (!read_task(o, &id))
		return;
	w = mcp_op_params(o);
	JW_KSTR(&w, "sessionId", id.session_id);
	JW_KSTR(&w, "turnId", id.turn_id);
	JW_KSTR(&w, "reason",
	        str_is(o->args.reason) ? o->args.reason : STR(WORD_INTERRUPT_REASON_CLIENT));
	jw_obj_end(&w);
	mcp_op_call(o, "interrupt_turn", stopped);
}

/* ---- read and decide ---- */

/* The reply of the command is the result, as an object and as text. */
static void reply_object(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (a->code) {
		mcp_op_fail_tool_answer(o, a);
		return;
	}
	w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));
	JW_KEY(&w, "content");
	jw_arr(&w);
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("text"));
	JW_KSTR(&w, "text", a->body);
	jw_obj_end(&w);
	jw_arr_end(&w);
	JW_KEY(&w, "structuredContent");
	jw_raw(&w, a->body);
	JW_KBOOL(&w, "isError", false);
	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

static void read(struct mcp_op *o)
{
	struct str session_id, thread_id;
	struct json_writer w = mcp_op_params(o);

	if (!str_is(o->args.thread)) {
		JW_KINT(&w, "limit", 20);
		jw_obj_end(&w);
		mcp_op_call(o, "list_sessions", reply_object);
		return;
	}
	if (!mcp_serve_id_read_pair(o->args.thread, &session_id, &thread_id)) {
		mcp_op_fail_tool(o, STR("There is no such thread."));
		return;
	}
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "threadId", thread_id);
	JW_KINT(&w, "window", 20);
	jw_obj_end(&w);
	mcp_op_call(o, "get_thread_read", reply_object);
}

static void decide(struct mcp_op *o)
{
	struct str session_id, action_id;
	struct json_writer w = mcp_op_params(o);

	if (!mcp_serve_id_read_pair(o->args.action, &session_id, &action_id)) {
		mcp_op_fail_tool(o, STR("There is no such action."));
		return;
	}
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "actionId", action_id);
	JW_KSTR(&w, "decision", o->args.decision);
	JW_KOPT(&w, "reason", o->args.reason);
	jw_obj_end(&w);
	mcp_op_call(o, "respond_action", reply_object);
}

void mcp_edge_call(struct mcp_op *o)
{
	switch (o->tool) {
	case MCP_SERVE_RUN:
		run(o);
		return;
	case MCP_SERVE_SEND:
		if (str_is(o->args.task))
			send_to_task(o);
		else
			send_to_thread(o);
		return;
	case MCP_SERVE_WAIT:
		wait_for(o);
		return;
	case MCP_SERVE_STOP:
		stop(o);
		return;
	case MCP_SERVE_READ:
		read(o);
		return;
	default:
		decide(o);
	}
}
