/* Tasks: the results of calls that come later. */
#include "serve/mcp/mcp_op.h"

#include "base/gen/words.h"

static void reply_task(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	mcp_serve_reply_task(&out, &o->in, &o->turn, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

/* Of tasks/cancel and tasks/update in 2026-07-28: that it was taken. */
static void reply_taken(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

static bool read_id(struct mcp_op *o, struct mcp_serve_task_id *ret)
{
	if (mcp_serve_id_read_task(o->in.name, ret))
		return true;
	mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS, STR("There is no such task."));
	return false;
}

static void cancelled(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct mcp_serve_task_id id;

	if (a->code) {
		mcp_op_fail_answer(o, a);
	} else if (o->in.is_modern) {
		reply_taken(o);
	} else if (read_id(o, &id)) {
		o->waits_out = true;
		mcp_op_follow(o, &id, reply_task);
	}
}

static void cancel(struct mcp_op *o, const struct mcp_serve_task_id *id)
{
	struct json_writer w = mcp_op_params(o);

	JW_KSTR(&w, "sessionId", id->session_id);
	JW_KSTR(&w, "turnId", id->turn_id);
	JW_KSTR(&w, "reason", STR(WORD_INTERRUPT_REASON_CLIENT));
	jw_obj_end(&w);
	mcp_op_call(o, "interrupt_turn", cancelled);
}

static void updated(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);

	if (a->code)
		mcp_op_fail_answer(o, a);
	else
		reply_taken(o);
}

/* Of one form: what the user entered; of more: all responses.  JSON_NONE: it is no answer. */
static struct json answer_of(const struct mcp_serve_wait *q, struct json responses)
{
	struct json one = json_get(responses, q->key);

	if (q->is_keyed)
		return json_is(one) ? responses : (struct json){ 0 };
	if (!str_is(json_str(JSON_GET(one, "action"))) ||
	    !str_eq(json_str(JSON_GET(one, "action")), STR("accept")) ||
	    json_type(JSON_GET(one, "content")) != JSON_OBJ)
		return (struct json){ 0 };
	return JSON_GET(one, "content");
}

/*
 * The task is read first, because the keys of the answers are those of its question.  Declining is a
 * decision of a person.
 */
static void update(struct mcp_op *o)
{
	const struct mcp_serve_wait *q = mcp_serve_turn_question(&o->turn);
	struct json responses = JSON_GET(o->in.params, "inputResponses"),
		    answer = q ? answer_of(q, responses) : (struct json){ 0 };
	struct json_writer w;

	if (!json_is(answer)) {
		mcp_op_fail(
			o, MCP_SERVE_INVALID_PARAMS,
			q ? STR("inputResponses has an answer for each request, by its key; one of "
		                "a user has the action accept and its content; cancel the task to "
		                "refuse.")
			  : STR("The task asks nothing."));
		return;
	}
	w = mcp_op_params(o);
	JW_KSTR(&w, "sessionId", o->turn.session_id);
	JW_KSTR(&w, "taskId", o->turn.task_id);
	JW_KSTR(&w, "actionId", q->action_id);
	JW_KEY(&w, "answer");
	jw_value(&w, answer);
	jw_obj_end(&w);
	mcp_op_call(o, "answer_question", updated);
}

static bool may_change(struct mcp_op *o)
{
	if (o->op.caller.scopes & SCOPE_BIT(SCOPE_WRITE))
		return true;
	mcp_op_fail(o, MCP_SERVE_INVALID_REQUEST, STR("This token lacks the scope write."));
	return false;
}

/* The methods are for clients that say in each request that they know tasks. */
static void fail_undeclared(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct mcp_serve_error e = {
		.code = MCP_SERVE_MISSING_CAPABILITY,
		.message = STR("The client did not declare the extension " MCP_SERVE_TASKS "."),
		.data = STR("{\"requiredCapabilities\":{\"extensions\":{\"" MCP_SERVE_TASKS
		            "\":{}}}}"),
	};

	mcp_serve_reply_error(&out, o->in.id, &e);
	mcp_op_reply(o, 400, buf_str(&out));
}

void mcp_edge_task(struct mcp_op *o)
{
	struct mcp_serve_task_id id;

	if (o->in.is_modern && !o->in.wants_task) {
		fail_undeclared(o);
		return;
	}
	if (!read_id(o, &id))
		return;
	switch (o->in.method) {
	case MCP_SERVE_TASKS_GET:
		mcp_op_look(o, &id, reply_task);
		return;
	case MCP_SERVE_TASKS_RESULT:
		o->waits_out = true;
		mcp_op_follow(o, &id, mcp_op_reply_turn);
		return;
	case MCP_SERVE_TASKS_CANCEL:
		if (may_change(o))
			cancel(o, &id);
		return;
	default:
		if (may_change(o))
			mcp_op_look(o, &id, update);
	}
}
