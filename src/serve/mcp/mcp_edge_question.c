/*
 * Questions of published tools, which the user of the client answers.
 *
 *   2026-07-28   the reply asks; the client repeats its call with requestState and inputResponses
 *   before       the stream of the call asks; the client sends a response
 */
#include "serve/mcp/mcp_op.h"

static struct json_writer begin_answer(struct mcp_op *o, const struct mcp_serve_question_id *id)
{
	struct json_writer w = mcp_op_params(o);

	JW_KSTR(&w, "sessionId", id->task.session_id);
	JW_KSTR(&w, "taskId", id->task.task_id);
	JW_KSTR(&w, "actionId", id->action_id);
	return w;
}

/* Writes the answer of an elicitation; false: it is none. */
static bool write_form(struct mcp_op *o, const struct mcp_serve_question_id *id,
                       struct json elicited)
{
	struct str word = json_str(JSON_GET(elicited, "action"));
	bool is_accepted = str_is(word) && str_eq(word, STR("accept"));
	struct json content = JSON_GET(elicited, "content");
	struct json_writer w;

	if (!str_is(word) || (is_accepted && json_type(content) != JSON_OBJ) ||
	    (!is_accepted && !str_eq(word, STR("decline")) && !str_eq(word, STR("cancel"))))
		return false;
	w = begin_answer(o, id);
	if (is_accepted) {
		JW_KEY(&w, "answer");
		jw_value(&w, content);
	} else {
		JW_KBOOL(&w, "decline", true);
	}
	jw_obj_end(&w);
	return true;
}

/* The responses of the client by their keys; false: there are none. */
static bool write_responses(struct mcp_op *o, const struct mcp_serve_question_id *id,
                            struct json responses)
{
	struct json_writer w;

	if (json_type(responses) != JSON_OBJ)
		return false;
	w = begin_answer(o, id);
	JW_KEY(&w, "answer");
	jw_value(&w, responses);
	jw_obj_end(&w);
	return true;
}

/* The one response to a request; an error of the client declines. */
static bool write_response(struct mcp_op *o, const struct mcp_serve_question_id *id,
                           struct json result)
{
	struct json_writer w;

	if (!id->is_keyed && json_is(result))
		return write_form(o, id, result);
	w = begin_answer(o, id);
	if (json_is(result)) {
		JW_KEY(&w, "answer");
		jw_obj(&w);
		jw_key(&w, id->key);
		jw_value(&w, result);
		jw_obj_end(&w);
	} else {
		JW_KBOOL(&w, "decline", true);
	}
	jw_obj_end(&w);
	return true;
}

static bool read_state(struct mcp_op *o, struct mcp_serve_question_id *ret)
{
	return mcp_serve_id_read_state(o->op.mem, json_str(JSON_GET(o->in.params, "requestState")),
	                               o->in.name, ret);
}

/* ---- the call again ---- */

static void follow(struct mcp_op *o)
{
	struct mcp_serve_question_id id;

	if (!read_state(o, &id))
		return; /* it was read before */
	o->owns_turn = o->is_again = true;
	mcp_op_follow(o, &id.task, mcp_op_reply_turn);
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
	struct mcp_serve_question_id id;

	if (!read_state(o, &id))
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS,
		            STR("requestState is not what this server gave."));
	else if (id.is_keyed ? write_responses(o, &id, responses)
	                     : write_form(o, &id, json_get(responses, id.key)))
		turn_op_call(&o->op, "answer_question", STR_NONE, answered);
	else
		follow(o);
}

/* ---- a response ---- */

/* The call that asked ends with that code: its request has had its one response. */
static void end_call(struct mcp_op *o, const struct mcp_serve_question_id *id, struct str code,
                     struct str message)
{
	LIST_EACH (&o->edge->requests, node) {
		struct mcp_op *x = LIST_ITEM(node, struct mcp_op, of_edge);

		if (!x->owns_turn || !x->turn.mem || !mcp_op_is_of_client(x, o) ||
		    !str_eq(x->turn.session_id, id->task.session_id) ||
		    !str_eq(x->turn.turn_id, id->task.turn_id))
			continue;
		mcp_serve_turn_lose(&x->turn, code, message);
		mcp_op_cancel(x);
		return;
	}
}

/* spec: 2025-11-25, Streamable HTTP: input that is not accepted gets an error without an id. */
static void refuse(struct mcp_op *o, const struct mcp_serve_question_id *id, struct str code,
                   struct str message)
{
	CLEANUP(buf_done) struct buf out = { 0 }, data = { 0 };
	struct mcp_serve_error e = { .code = MCP_SERVE_INVALID_PARAMS, .message = message };
	struct json_writer w;

	end_call(o, id, code, message);
	jw_init(&w, &data);
	jw_obj(&w);
	JW_KSTR(&w, "code", code);
	jw_obj_end(&w);
	e.data = buf_str(&data);
	mcp_serve_reply_error(&out, (struct json){ 0 }, &e);
	mcp_op_reply(o, 400, o->lines ? STR("") : buf_str(&out));
}

static bool read_response(struct mcp_op *o, struct mcp_serve_question_id *ret)
{
	return mcp_op_rights(o).may_write &&
	       mcp_serve_id_read_question(o->op.mem, json_str(o->in.id), ret);
}

/* Of a question that is over, or of another's, nothing is said. */
static void taken(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct mcp_serve_question_id id;

	if ((a->code == ERROR_CODE_INVALID_ANSWER || a->code == ERROR_CODE_TOO_LARGE) &&
	    read_response(o, &id))
		refuse(o, &id, error_code_word(a->code), mcp_op_detail(o, a));
	else
		mcp_op_reply(o, 202, STR(""));
}

void mcp_edge_question_answer(struct mcp_op *o)
{
	struct mcp_serve_question_id id;

	if (!read_response(o, &id))
		mcp_op_reply(o, 202, STR(""));
	else if (write_response(o, &id, o->in.result))
		turn_op_call(&o->op, "answer_question", STR_NONE, taken);
	else
		refuse(o, &id, error_code_word(ERROR_CODE_INVALID_ANSWER),
		       STR("An answer of a user has an action, and with accept its content."));
}
