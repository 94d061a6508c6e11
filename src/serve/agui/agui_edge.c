/*
 * One run of AG-UI.
 *
 * The front end chooses the id of its thread.  The session behind it is created under a key made of
 * that id, so the same id leads to the same session, for the same principal and across restarts.
 * The id of a session itself is accepted too.
 */
#include "serve/agui/agui_edge.h"

#include "agui/agui_input.h"
#include "agui/agui_messages.h"
#include "agui/agui_run.h"
#include "base/jw.h"
#include "base/memory.h"
#include "serve/turn_op.h"

/* Events that messages are made of. */
#define IN(word, type) ((type) / 64 == (word) ? (uint64_t)1 << ((type) % 64) : 0)
#define OF_MESSAGES(word)                                                                          \
	(IN(word, EV_TURN_SUBMITTED) | IN(word, EV_MODEL_DELTA) | IN(word, EV_TOOL_STARTED) |      \
	 IN(word, EV_TOOL_PROGRESS) | IN(word, EV_TOOL_RESULT) | IN(word, EV_TOOL_FAILED) |        \
	 IN(word, EV_MODEL_FAILED) | IN(word, EV_HISTORY_ROLLBACK_COMPLETED))

static const uint64_t message_types[2] = { OF_MESSAGES(0), OF_MESSAGES(1) };

struct agui_op {
	struct turn_op op;
	struct agui_input in;
	struct agui_run run;
	struct agui_messages messages; /* of a thread that is shown */
	size_t given;                  /* how many results and answers were given */
	uint64_t first_sequence;
	struct str session_id, turn_id;
};

static struct agui_op *op_of(struct turn_op *op)
{
	return OWNER_OF(op, struct agui_op, op);
}

/* ---- errors before the run begins ---- */

static void refuse(struct agui_op *a, int status, struct str message, struct str code)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "error");
	jw_obj(&w);
	JW_KSTR(&w, "message", message);
	JW_KSTR(&w, "code", code);
	jw_obj_end(&w);
	jw_obj_end(&w);
	turn_op_reply(&a->op, status, NULL, 0, buf_str(&out));
}

static void refuse_answer(struct agui_op *a, const struct control_answer *answer)
{
	struct str detail = STR_NONE, code = STR_NONE;
	struct json problem;

	if (json_read_trusted(a->op.mem, answer->body, &problem, NULL) == OK) {
		detail = json_str(JSON_GET(problem, "detail"));
		code = json_str(JSON_GET(problem, "code"));
	}
	refuse(a, answer->http, str_is(detail) && detail.len ? detail : answer->title, code);
}

/* ---- the run ---- */

static void begin_run(struct agui_op *a)
{
	struct http_field session = { STR("Thole-Session"), a->session_id };

	a->run = (struct agui_run){ .mem = a->op.mem,
		                    .out = &a->op.out,
		                    .thread_id = a->in.thread_id,
		                    .run_id = a->in.run_id,
		                    .turn_id = a->turn_id };
	turn_op_begin_stream(&a->op, &session, str_is(a->session_id));
	agui_run_begin(&a->run);
	turn_op_flush(&a->op);
}

/* All events of the session: those of child agents and tasks have other turns, or none. */
static void follow(struct agui_op *a)
{
	begin_run(a);
	turn_op_follow(&a->op, a->session_id, STR_NONE, a->first_sequence);
}

static void on_event(struct turn_op *op, struct json event)
{
	struct agui_op *a = op_of(op);

	if (a->messages.mem)
		agui_messages_event(&a->messages, event);
	else
		agui_run_event(&a->run, event);
}

static bool is_over(const struct turn_op *op)
{
	return OWNER_OF(op, const struct agui_op, op)->run.end != AGUI_RUN_RUNNING;
}

/* Without the state the run ends all the same. */
static void state_read(struct turn_op *op, const struct control_answer *answer)
{
	struct agui_op *a = op_of(op);
	struct json thread;

	if (!answer->code && json_read_trusted(op->mem, answer->body, &thread, NULL) == OK)
		agui_run_state(&a->run, a->in.state, a->session_id, thread);
	agui_run_close(&a->run);
	turn_op_end_stream(op);
}

static void show_state(struct agui_op *a)
{
	struct json_writer w;

	a->op.params.len = 0;
	jw_init(&w, &a->op.params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", a->session_id);
	jw_obj_end(&w);
	turn_op_call(&a->op, "get_thread_read", STR_NONE, state_read);
}

static void ask_output(struct agui_op *a, struct str ref,
                       void (*next)(struct turn_op *op, const struct control_answer *answer))
{
	struct json_writer w;

	a->op.params.len = 0;
	jw_init(&w, &a->op.params);
	jw_obj(&w);
	JW_KSTR(&w, "outputRef", ref);
	JW_KSTR(&w, "sessionId", a->session_id);
	JW_KINT(&w, "length", LIMIT_CALL_INPUT_BYTES);
	jw_obj_end(&w);
	turn_op_call(&a->op, "get_output", STR_NONE, next);
}

static void read_arguments(struct agui_op *a);

/* Arguments that cannot be read any more are empty: the front end reports what is missing. */
static void arguments_read(struct turn_op *op, const struct control_answer *answer)
{
	struct agui_op *a = op_of(op);
	struct agui_call *call = agui_run_wants(&a->run);
	struct json reply;

	call->args = STR("{}");
	if (!answer->code && json_read_trusted(op->mem, answer->body, &reply, NULL) == OK &&
	    str_is(json_str(JSON_GET(reply, "text"))))
		call->args = json_str(JSON_GET(reply, "text"));
	read_arguments(a);
}

static void read_arguments(struct agui_op *a)
{
	struct agui_call *call = agui_run_wants(&a->run);

	if (!call) {
		agui_run_finish_calls(&a->run);
		show_state(a);
		return;
	}
	ask_output(a, call->args_ref, arguments_read);
}

/* ---- the thread as it is ---- */

static void read_texts(struct agui_op *a);

static void text_read(struct turn_op *op, const struct control_answer *answer)
{
	struct agui_op *a = op_of(op);
	struct str text = STR_NONE;
	struct json reply;

	if (!answer->code && json_read_trusted(op->mem, answer->body, &reply, NULL) == OK)
		text = json_str(JSON_GET(reply, "text"));
	agui_messages_give(&a->messages, agui_messages_wants(&a->messages), text);
	read_texts(a);
}

static void read_texts(struct agui_op *a)
{
	struct agui_message *message = agui_messages_wants(&a->messages);

	if (message) {
		ask_output(a, message->ref, text_read);
		return;
	}
	agui_messages_write(&a->op.out, &a->messages);
	turn_op_flush(&a->op);
	agui_run_finish(&a->run);
	show_state(a);
}

static void show_thread(struct agui_op *a)
{
	agui_messages_init(&a->messages);
	begin_run(a);
	turn_op_read(&a->op, a->session_id, message_types);
}

/* The stream has begun, so an end before that of the turn is an error of the run. */
static void conclude(struct turn_op *op)
{
	struct agui_op *a = op_of(op);
	const char *code, *message;

	if (a->run.end == AGUI_RUN_CALLS) {
		read_arguments(a);
		return;
	}
	if (a->messages.mem && op->why == STREAM_CAUGHT_UP) {
		read_texts(a);
		return;
	}
	if (a->run.end == AGUI_RUN_RUNNING) {
		turn_op_why_status(op->why, &code, &message);
		agui_run_fail(&a->run, str_from(message), str_from(code));
	}
	if (str_is(a->run.last))
		show_state(a);
	else
		turn_op_end_stream(op);
}

static void on_free(struct turn_op *op)
{
	if (op_of(op)->messages.mem)
		agui_messages_done(&op_of(op)->messages);
	memory_free(op_of(op));
}

static const struct turn_op_protocol protocol = {
	.event = on_event, .is_over = is_over, .conclude = conclude, .free = on_free
};

/* ---- results and answers ---- */

static void give_next(struct agui_op *a);

static void given(struct turn_op *op, const struct control_answer *answer)
{
	struct agui_op *a = op_of(op);
	struct json reply;

	if (answer->code || json_read_trusted(op->mem, answer->body, &reply, NULL) != OK) {
		refuse_answer(a, answer);
		return;
	}
	if (!a->first_sequence)
		a->first_sequence = json_uint(JSON_GET(reply, "firstSequence"), 0);
	/* An answer names the turn of its run itself: a child may have asked, in a turn of its own. */
	if (!a->in.given[a->given].is_answer && str_is(json_str(JSON_GET(reply, "turnId"))))
		a->turn_id = json_str(JSON_GET(reply, "turnId"));
	if (++a->given < a->in.given_count)
		give_next(a);
	else if (!answer->is_replay && json_int(JSON_GET(reply, "waiting"), 0) > 0)
		refuse(a, 400,
		       STR("Other calls of this run have no result yet; send all results "
		           "together."),
		       STR("missing_results"));
	else
		follow(a);
}

/* False: the payload does not say what was decided.  Nothing is allowed by default. */
static bool write_decision(struct agui_op *a, struct json_writer *w, const struct agui_given *g,
                           enum agui_interrupt kind)
{
	struct json payload = { 0 }, approved;

	if (kind == AGUI_INTERRUPT_INPUT) {
		JW_KSTR(w, "decision", g->is_cancelled ? STR("decline") : STR("answer"));
		if (!g->is_cancelled && str_is(g->payload)) {
			JW_KEY(w, "payload");
			jw_raw(w, g->payload);
		}
		return true;
	}
	if (str_is(g->payload) && json_read(a->op.mem, g->payload, &payload, NULL) != OK)
		return false;
	approved = json_type(payload) == JSON_OBJ ? JSON_GET(payload, "approved") : payload;
	if (!g->is_cancelled && json_type(approved) != JSON_BOOL)
		return false;
	JW_KSTR(w, "decision",
	        !g->is_cancelled && json_bool(approved, false) ? STR("allow") : STR("deny"));
	return true;
}

static void give_answer(struct agui_op *a, const struct agui_given *g, struct str key)
{
	enum agui_interrupt kind;
	struct json_writer w;
	struct str action;

	if (!agui_run_read_interrupt(g->id, &action, &a->turn_id, &kind)) {
		refuse(a, 404, STR("No interrupt has this id."), STR("not_found"));
		return;
	}
	jw_init(&w, &a->op.params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", a->session_id);
	JW_KSTR(&w, "actionId", action);
	if (!write_decision(a, &w, g, kind)) {
		refuse(a, 400,
		       STR("resume: the payload is {\"approved\": true} or {\"approved\": false}"),
		       STR("invalid_value"));
		return;
	}
	jw_obj_end(&w);
	turn_op_call(&a->op, "respond_action", key, given);
}

/* The key is made of the call's id: a front end that repeats its request gets the stored reply. */
static void give_next(struct agui_op *a)
{
	const struct agui_given *g = &a->in.given[a->given];
	struct str key = arena_printf(a->op.mem, "ag-ui:%.*s", STR_ARG(g->id));
	struct json_writer w;

	a->op.params.len = 0;
	if (g->is_answer) {
		give_answer(a, g, key);
		return;
	}
	jw_init(&w, &a->op.params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", a->session_id);
	JW_KSTR(&w, "toolCallId", g->id);
	JW_KEY(&w, "output");
	jw_raw(&w, g->payload);
	JW_KBOOL(&w, "isError", g->is_error);
	jw_obj_end(&w);
	turn_op_call(&a->op, "complete_tool_call", key, given);
}

/* ---- a turn ---- */

static void submitted(struct turn_op *op, const struct control_answer *answer)
{
	struct agui_op *a = op_of(op);
	struct json reply;

	if (answer->code || json_read_trusted(op->mem, answer->body, &reply, NULL) != OK) {
		refuse_answer(a, answer);
		return;
	}
	a->turn_id = json_str(JSON_GET(reply, "turnId"));
	a->first_sequence = json_uint(JSON_GET(reply, "firstSequence"), 0);
	follow(a);
}

/* The id of the run is the key: the same run is one turn. */
static void work(struct agui_op *a, bool is_fresh)
{
	if (a->in.is_read) {
		show_thread(a);
		return;
	}
	if (a->in.given_count) {
		give_next(a);
		return;
	}
	a->op.params.len = 0;
	buf_add_str(&a->op.params, agui_input_params(a->op.mem, &a->in, a->session_id, is_fresh));
	turn_op_call(&a->op, "submit_turn",
	             arena_printf(a->op.mem, "ag-ui:%.*s", STR_ARG(a->in.run_id)), submitted);
}

static void session_found(struct turn_op *op, const struct control_answer *answer)
{
	struct agui_op *a = op_of(op);
	struct json reply;

	if (answer->code || json_read_trusted(op->mem, answer->body, &reply, NULL) != OK) {
		refuse_answer(a, answer);
		return;
	}
	a->session_id = json_str(JSON_GET(reply, "sessionId"));
	work(a, !answer->is_replay);
}

static void create_session(struct agui_op *a, struct str key)
{
	struct str cwd = http_parse_find(&a->op.req->in, STR("thole-cwd"));
	struct json_writer w;

	jw_init(&w, &a->op.params);
	jw_obj(&w);
	JW_KOPT(&w, "cwd", cwd);
	jw_obj_end(&w);
	turn_op_call(&a->op, "create_session", key, session_found);
}

/* Nothing was said in this thread yet.  A page that is opened must not leave a session behind. */
static void show_nothing(struct agui_op *a)
{
	agui_messages_init(&a->messages);
	begin_run(a);
	agui_messages_write(&a->op.out, &a->messages);
	agui_run_finish(&a->run);
	agui_run_close(&a->run);
	turn_op_end_stream(&a->op);
}

static void session_looked_up(struct turn_op *op, const struct control_answer *answer)
{
	if (answer->code == ERROR_CODE_NOT_FOUND)
		show_nothing(op_of(op));
	else
		session_found(op, answer);
}

static void find_session(struct agui_op *a)
{
	struct str key;

	if (str_starts(a->in.thread_id, STR("sess_"))) {
		a->session_id = a->in.thread_id;
		work(a, false);
		return;
	}
	key = arena_printf(a->op.mem, "ag-ui:%.*s", STR_ARG(a->in.thread_id));
	if (a->in.is_read)
		turn_op_look_up(&a->op, "create_session", key, session_looked_up);
	else
		create_session(a, key);
}

void agui_edge_open(struct serve *s, struct http_request *req, const struct caller *caller)
{
	struct agui_op *a = memory_zeroed(1, sizeof *a);
	struct error e;
	struct json body;

	turn_op_init(&a->op, &protocol, s, req, caller, "ag-ui");
	if (!(caller->scopes & SCOPE_BIT(SCOPE_READ)))
		refuse(a, 403, STR("This token lacks the scope read."), STR("forbidden"));
	else if (json_read(a->op.mem, req->in.body, &body, &e) != OK)
		refuse(a, 400, str_from(e.message), STR("invalid_json"));
	else if (!agui_input_read(a->op.mem, body, &a->in))
		refuse(a, 400,
		       arena_printf(a->op.mem, "%.*s: %.*s", STR_ARG(a->in.param),
		                    STR_ARG(a->in.wrong)),
		       STR("invalid_value"));
	else
		find_session(a);
}
