/*
 * The operations of the protocol, each in a few steps.
 *
 *   SendMessage    new task:  submit_turn ─────────────────────────► follow
 *                  of a task: answer_question ─┬─ accepted ────────► follow
 *                                              └─ read ► submit_turn (steer) ► follow
 *   GetTask        read
 *   CancelTask     cancel_task ► follow to the end
 *   SubscribeToTask follow
 */
#include "a2a/a2a_id.h"
#include "a2a/a2a_input.h"
#include "serve/a2a/a2a_op.h"
#include "serve/a2a/a2a_place.h"
#include "serve/a2a/a2a_sign.h"

#define READ_EXTENSIONS "list_extensions"

/* ---- arguments ---- */

static struct json_writer begin_params(struct a2a_op *op)
{
	struct json_writer w;

	buf_clear(&op->params);
	jw_init(&w, &op->params);
	jw_obj(&w);
	return w;
}

/* The key of a message: of the principal, so that another peer's ids do not matter. */
static struct str key_of(struct a2a_op *op)
{
	return arena_printf(op->mem, "a2a:%.*s", STR_ARG(op->in->message.message_id));
}

static bool need_scope(struct a2a_op *op, enum scope scope)
{
	if (op->caller->scopes & SCOPE_BIT(scope))
		return true;
	a2a_op_fail(op, A2A_PERMISSION_DENIED,
	            arena_printf(op->mem, "This needs a token with the scope %.*s",
	                         STR_ARG(scope_word(scope))));
	return false;
}

/* ---- sending ---- */

static enum a2a_wait wait_of(const struct a2a_op *op)
{
	return op->in->method == A2A_SEND_STREAMING_MESSAGE ? A2A_WAIT_STREAM : A2A_WAIT_END;
}

static void follow_sent(struct a2a_op *op, struct str session_id, struct str task_id)
{
	struct a2a_error e;

	if (op->in->has_push && !a2a_push_add(op, session_id, task_id, &e)) {
		/* The message was taken; only the notifications were not. */
		a2a_op_fail(op, e.code, e.message);
		return;
	}
	a2a_op_follow(op, session_id, task_id, wait_of(op), NULL);
}

static void on_submitted(struct a2a_op *op, const struct control_answer *a)
{
	struct str session_id, task_id;
	struct json reply;

	if (a->code) {
		a2a_op_fail_answer(op, a);
		return;
	}
	if (json_read_trusted(op->mem, a->body, &reply, NULL) != OK) {
		a2a_op_fail(op, A2A_INTERNAL, STR_NONE);
		return;
	}
	session_id = json_str(JSON_GET(reply, "sessionId"));
	task_id = json_str(JSON_GET(reply, "taskId"));
	if (!str_is(op->in->message.task_id))
		a2a_place_learn(op->edge, session_id, task_id,
		                json_uint(JSON_GET(reply, "firstSequence"), 0));
	follow_sent(op, session_id, task_id);
}

/* The context was made up, or belongs to another principal: the answer is the same. */
static void on_submitted_to_context(struct a2a_op *op, const struct control_answer *a)
{
	if (a->code == ERROR_CODE_SESSION_NOT_FOUND || a->code == ERROR_CODE_THREAD_NOT_FOUND)
		a2a_op_fail_field(op, "message.contextId", STR("There is no such context"));
	else
		on_submitted(op, a);
}

/* What is active tells hooks and readers of the log how the metadata is meant. */
static void write_extensions(struct json_writer *w, struct str active)
{
	if (!str_is(active))
		return;
	JW_KEY(w, "extensions");
	jw_arr(w);
	while (str_is(active))
		jw_str(w, str_cut(&active, ','));
	jw_arr_end(w);
}

/* The peer's ids stay with the turn; our own are made by the runtime. */
static bool write_message(struct a2a_op *op, struct json_writer *w)
{
	const struct a2a_message *m = &op->in->message;
	struct a2a_error e;

	JW_KEY(w, "input");
	if (!a2a_input_write(op->mem, w, m, &op->edge->opt.rules, &e)) {
		if (e.code == A2A_INVALID_PARAMS)
			a2a_op_fail_field(op, "message.parts", e.message);
		else
			a2a_op_fail(op, e.code, e.message);
		return false;
	}
	JW_KSTR(w, "source", STR("a2a"));
	if (m->depth)
		JW_KINT(w, "delegationDepth", m->depth);
	JW_KEY(w, "metadata");
	jw_obj(w);
	JW_KEY(w, "a2a");
	jw_obj(w);
	JW_KSTR(w, "messageId", m->message_id);
	if (op->in->is_text_only)
		JW_KBOOL(w, "textOnly", true);
	if (json_is(m->metadata)) {
		JW_KEY(w, "metadata");
		jw_value(w, m->metadata);
	}
	write_extensions(w, op->in->extensions);
	jw_obj_end(w);
	jw_obj_end(w);
	return true;
}

/* A pattern is an id, or how it begins with * behind it. */
static bool is_direct(const struct a2a_op *op)
{
	const struct serve_a2a *o = &op->edge->opt;
	struct str id = op->in->message.message_id;

	for (size_t i = 0; i < o->direct_count; i++) {
		struct str p = o->direct[i];

		if (str_ends(p, STR("*")) ? str_starts(id, str_head(p, p.len - 1)) : str_eq(p, id))
			return !op->in->return_immediately && !op->in->has_push;
	}
	return false;
}

static void send_new(struct a2a_op *op)
{
	struct json_writer w = begin_params(op);
	struct str context = op->in->message.context_id, session_id, thread_id;
	bool is_known = str_is(context);

	if (is_known && !a2a_id_read(context, &session_id, &thread_id)) {
		a2a_op_fail_field(op, "message.contextId", STR("There is no such context"));
		return;
	}
	if (is_known) {
		JW_KSTR(&w, "sessionId", session_id);
		JW_KSTR(&w, "threadId", thread_id);
		JW_KSTR(&w, "create", STR("never"));
		JW_KSTR(&w, "delivery", STR("queue"));
	}
	if (!write_message(op, &w))
		return;
	jw_obj_end(&w);
	op->is_direct = is_direct(op);
	a2a_op_call(op, "submit_turn", key_of(op),
	            is_known ? on_submitted_to_context : on_submitted);
}

/* ---- messages for a task ---- */

/* The task is folded: it neither asks nor was this message taken before. */
static void steer(struct a2a_op *op)
{
	struct str session_id = arena_keep(op->mem, op->task.session_id);
	struct str task_id = arena_keep(op->mem, op->task.task_id);
	struct str thread_id = arena_keep(op->mem, op->task.thread_id);
	struct str turn_id = arena_keep(op->mem, op->task.turn_id);
	bool is_known = a2a_task_has_message(&op->task, op->in->message.message_id);
	bool is_final = a2a_state_is_final(op->task.state);
	struct str context = a2a_id_make(op->mem, session_id, thread_id);
	struct json_writer w;

	if (str_is(op->in->message.context_id) && !str_eq(op->in->message.context_id, context)) {
		a2a_op_fail_field(op, "message.contextId", STR("The task has another context"));
		return;
	}
	if (is_final && !is_known) {
		a2a_op_fail(op, A2A_UNSUPPORTED_OPERATION,
		            STR("The task has ended and takes no further messages"));
		return;
	}
	a2a_op_unfollow(op);
	if (is_known) {
		follow_sent(op, session_id, task_id);
		return;
	}
	w = begin_params(op);
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "threadId", thread_id);
	JW_KSTR(&w, "create", STR("never"));
	JW_KSTR(&w, "delivery", STR("steer"));
	if (turn_id.len)
		JW_KSTR(&w, "expectedTurnId", turn_id);
	if (!write_message(op, &w))
		return;
	jw_obj_end(&w);
	a2a_op_call(op, "submit_turn", key_of(op), on_submitted);
}

static bool read_task_id(struct a2a_op *op, struct str id, struct str *ret_session,
                         struct str *ret_task)
{
	if (a2a_id_read(id, ret_session, ret_task))
		return true;
	a2a_op_fail(op, A2A_TASK_NOT_FOUND, STR_NONE);
	return false;
}

static void on_answered(struct a2a_op *op, const struct control_answer *a)
{
	struct str session_id, task_id;

	if (!read_task_id(op, op->in->message.task_id, &session_id, &task_id))
		return;
	if (!a->code)
		follow_sent(op, session_id, task_id);
	else if (a->code == ERROR_CODE_ACTION_NOT_FOUND || a->code == ERROR_CODE_ALREADY_RESOLVED)
		a2a_op_follow(op, session_id, task_id, A2A_WAIT_READ, steer);
	else
		a2a_op_fail_answer(op, a);
}

static void answer(struct a2a_op *op)
{
	struct str session_id, task_id;
	struct json_writer w;

	if (!read_task_id(op, op->in->message.task_id, &session_id, &task_id))
		return;
	w = begin_params(op);
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "taskId", task_id);
	JW_KEY(&w, "answer");
	a2a_input_write_answer(&w, &op->in->message);
	jw_obj_end(&w);
	a2a_op_call(op, "answer_question", key_of(op), on_answered);
}

/* The parts are checked also where an answer uses only their text. */
static void send(struct a2a_op *op)
{
	CLEANUP(buf_done) struct buf ignored = { 0 };
	struct a2a_error e;
	struct json_writer w;

	if (!need_scope(op, SCOPE_WRITE))
		return;
	jw_init(&w, &ignored);
	if (!a2a_input_write(op->mem, &w, &op->in->message, &op->edge->opt.rules, &e)) {
		if (e.code == A2A_INVALID_PARAMS)
			a2a_op_fail_field(op, "message.parts", e.message);
		else
			a2a_op_fail(op, e.code, e.message);
		return;
	}
	if (op->in->has_push && !a2a_push_is_valid(op, &e))
		a2a_op_fail_field(op, "configuration.taskPushNotificationConfig", e.message);
	else if (str_is(op->in->message.task_id))
		answer(op);
	else
		send_new(op);
}

/* ---- reading and cancelling ---- */

static void reply_read(struct a2a_op *op)
{
	a2a_op_reply_task(op, NULL);
}

static void get_task(struct a2a_op *op)
{
	struct str session_id, task_id;

	if (need_scope(op, SCOPE_READ) && read_task_id(op, op->in->task_id, &session_id, &task_id))
		a2a_op_follow(op, session_id, task_id, A2A_WAIT_READ, reply_read);
}

static void subscribe_to_task(struct a2a_op *op)
{
	struct str session_id, task_id;

	if (need_scope(op, SCOPE_READ) && read_task_id(op, op->in->task_id, &session_id, &task_id))
		a2a_op_follow(op, session_id, task_id, A2A_WAIT_STREAM, NULL);
}

static void on_cancelled(struct a2a_op *op, const struct control_answer *a)
{
	struct str session_id, task_id;

	if (a->code == ERROR_CODE_ALREADY_ENDED)
		a2a_op_fail(op, A2A_TASK_NOT_CANCELABLE, STR_NONE);
	else if (a->code)
		a2a_op_fail_answer(op, a);
	else if (read_task_id(op, op->in->task_id, &session_id, &task_id))
		a2a_op_follow(op, session_id, task_id, A2A_WAIT_FINAL, NULL);
}

static void cancel_task(struct a2a_op *op)
{
	struct str session_id, task_id;
	struct json_writer w;

	if (!need_scope(op, SCOPE_WRITE) ||
	    !read_task_id(op, op->in->task_id, &session_id, &task_id))
		return;
	w = begin_params(op);
	JW_KSTR(&w, "sessionId", session_id);
	JW_KSTR(&w, "taskId", task_id);
	JW_KSTR(&w, "reason", STR("The peer canceled the task."));
	jw_obj_end(&w);
	a2a_op_call(op, "cancel_task", STR_NONE, on_cancelled);
}

/* ---- the extended card ---- */

static void on_extensions(struct a2a_op *op, const struct control_answer *a)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_card card = a2a_edge_describe(op->edge, op->mem, op->req);
	struct json_writer w;
	struct json reply;

	if (a->code || json_read_trusted(op->mem, a->body, &reply, NULL) != OK) {
		a2a_op_fail_answer(op, a);
		return;
	}
	card.tenant = op->in->tenant;
	card.extensions = JSON_GET(reply, "extensions");
	/* With a program that signs, only the public card waits for it. */
	if (op->edge->sign && !a2a_sign_card(op->edge->sign, op->mem, &card))
		card.signature = STR_NONE;
	jw_init(&w, &out);
	a2a_card_write(&w, &card);
	a2a_op_reply(op, buf_str(&out));
}

static void get_card(struct a2a_op *op)
{
	struct json_writer w;

	if (!need_scope(op, SCOPE_READ))
		return;
	w = begin_params(op);
	JW_KSTR(&w, "kind", STR("skill"));
	jw_obj_end(&w);
	a2a_op_call(op, READ_EXTENSIONS, STR_NONE, on_extensions);
}

void a2a_methods_begin(struct a2a_op *op)
{
	switch (op->in->method) {
	case A2A_SEND_MESSAGE:
	case A2A_SEND_STREAMING_MESSAGE:
		send(op);
		return;
	case A2A_GET_TASK:
		get_task(op);
		return;
	case A2A_LIST_TASKS:
		if (need_scope(op, SCOPE_READ))
			a2a_list_begin(op);
		return;
	case A2A_CANCEL_TASK:
		cancel_task(op);
		return;
	case A2A_SUBSCRIBE_TO_TASK:
		subscribe_to_task(op);
		return;
	case A2A_GET_EXTENDED_CARD:
		get_card(op);
		return;
	default:
		if (need_scope(op, SCOPE_WRITE))
			a2a_push_begin(op);
	}
}
