/*
 * Questions of published tools, which the user of the client answers.
 *
 *   2026-07-28   the reply asks; the client repeats its call with requestState and inputResponses
 *   before       the stream of the call asks; the client sends a response
 */
#include "serve/mcp/mcp_op.h"

/* Writes the answer of an elicitation; false: it is none. */
static bool write_answer(struct mcp_op *o, const struct mcp_serve_task_id *id, struct str action_id,
                         struct json elicited)
{
	struct str word = json_str(JSON_GET(elicited, "action"));
	bool is_accepted = str_is(word) && str_eq(word, STR("accept"));
	struct json content = JSON_GET(elicited, "content");
	struct json_writer w;

	if (!str_is(word) || (is_accepted && json_type(content) != JSON_OBJ) ||
	    (!is_accepted && !str_eq(word, STR("decline")) && !str_eq(word, STR("cancel"))))
		return false;
	w = mcp_op_params(o);
	JW_KSTR(&w, "sessionId", id->session_id);
	JW_KSTR(&w, "taskId", id->task_id);
	JW_KSTR(&w, "actionId", action_id);
	if (is_accepted) {
		JW_KEY(&w, "answer");
		jw_value(&w, content);
	} else {
		JW_KBOOL(&w, "decline", true);
	}
	jw_obj_end(&w);
	return true;
}

/* ---- the call again ---- */

static void follow(struct mcp_op *o)
{
	struct mcp_serve_task_id id;
	struct str action_id;

	if (!mcp_serve_id_read_question(json_str(JSON_GET(o->in.params, "requestState")), &id,
	                                &action_id))
		return; /* it was read before */
	o->owns_turn = true;
	mcp_op_follow(o, &id, mcp_op_reply_turn);
}

/* An answer that is not taken leaves the question open, which is then asked again. */
static void answered(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);

	if (a->code && a->code != ERROR_CODE_ACTION_NOT_FOUND &&
	    a->code != ERROR_CODE_ALREADY_RESOLVED && a->code != ERROR_CODE_INVALID_ANSWER)
		mcp_op_fail_answer(o, a);
	else
		follow(o);
}

void mcp_edge_question_call_again(struct mcp_op *o)
{
	struct json responses = JSON_GET(o->in.params, "inputResponses");
	struct mcp_serve_task_id id;
	struct str action_id;

	if (!mcp_serve_id_read_question(json_str(JSON_GET(o->in.params, "requestState")), &id,
	                                &action_id))
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS,
		            STR("requestState is not what this server gave."));
	else if (write_answer(o, &id, action_id, json_get(responses, action_id)))
		turn_op_call(&o->op, "answer_question", STR_NONE, answered);
	else
		follow(o);
}

/* ---- a response ---- */

static void taken(struct turn_op *op, const struct control_answer *a)
{
	(void)a; /* what became of it is seen in the call that asked */
	mcp_op_reply(mcp_op_of(op), 202, STR(""));
}

/* A client that cannot ask its user declines. */
void mcp_edge_question_answer(struct mcp_op *o)
{
	struct json elicited = o->in.result;
	struct mcp_serve_task_id id;
	struct str action_id;

	bool is_known =
		json_is(elicited) ||
		json_read_trusted(o->op.mem, STR("{\"action\":\"cancel\"}"), &elicited, NULL) == OK;

	if (is_known && mcp_op_rights(o).may_write &&
	    mcp_serve_id_read_question(json_str(o->in.id), &id, &action_id) &&
	    write_answer(o, &id, action_id, elicited))
		turn_op_call(&o->op, "answer_question", STR_NONE, taken);
	else
		mcp_op_reply(o, 202, STR(""));
}
