/* One request of a client of the OpenAI APIs: what is sent while the turn runs, and its reply. */
#include "serve/openai/openai_op.h"

#include "base/jw.h"
#include "base/memory.h"

static struct openai_op *op_of(struct turn_op *op)
{
	return OWNER_OF(op, struct openai_op, op);
}

/* ---- replies ---- */

/* Headers that tell the client what it may continue, and what had no effect. */
static size_t extra_headers(const struct openai_op *o, struct http_field headers[2])
{
	size_t count = 0;

	if (str_is(o->op.session_id))
		headers[count++] = (struct http_field){ STR("Thole-Session"), o->op.session_id };
	if (o->in.ignored.len)
		headers[count++] = (struct http_field){ STR("Thole-Ignored"), o->in.ignored };
	return count;
}

void openai_op_reply(struct openai_op *o, int status, struct str json)
{
	struct http_field headers[2];

	turn_op_reply(&o->op, status, headers, extra_headers(o, headers), json);
}

void openai_op_fail(struct openai_op *o, int status, struct str message, struct str param,
                    struct str code)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	const char *type = status == 429   ? "rate_limit_error"
	                   : status == 403 ? "permission_error"
	                   : status >= 500 ? "server_error"
	                                   : "invalid_request_error";

	openai_api_error_write(&out, message, type, param, code);
	openai_op_reply(o, status, buf_str(&out));
}

void openai_op_fail_answer(struct openai_op *o, const struct control_answer *a)
{
	struct str detail = STR_NONE, code = STR_NONE;
	struct json problem;

	if (json_read_trusted(o->op.mem, a->body, &problem, NULL) == OK) {
		detail = json_str(JSON_GET(problem, "detail"));
		code = json_str(JSON_GET(problem, "code"));
	}
	openai_op_fail(o, a->http, str_is(detail) && detail.len ? detail : a->title, STR_NONE,
	               code);
}

/* ---- frames ---- */

/* The first frames name the model, so they wait for its request. */
static void begin_frames(struct openai_op *o)
{
	if (o->has_head || o->in.api != OPENAI_API_RESPONSES)
		return;
	o->has_head = true;
	openai_api_responses_begin(&o->stream);
}

static void on_step(void *owner, enum openai_api_step step, struct openai_api_item *item,
                    struct str piece)
{
	struct openai_op *o = owner;

	begin_frames(o);
	if (o->in.api == OPENAI_API_RESPONSES)
		openai_api_responses_step(&o->stream, step, item, piece);
	else
		openai_api_chat_step(&o->stream, step, item, piece);
}

static void end_stream(struct openai_op *o)
{
	begin_frames(o);
	if (o->in.api == OPENAI_API_RESPONSES)
		openai_api_responses_end(&o->stream);
	else
		openai_api_chat_end(&o->stream, o->in.wants_usage);
	turn_op_end_stream(&o->op);
}

/* ---- the end ---- */

static void reply_whole(struct openai_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	bool is_bad = o->turn.end == OPENAI_API_FAILED || o->turn.end == OPENAI_API_CANCELLED;

	if (o->in.api == OPENAI_API_RESPONSES) {
		openai_api_responses_whole(&out, &o->turn, o->in.previous_id);
		openai_op_reply(o, 200, buf_str(&out));
	} else if (is_bad) {
		openai_op_fail(o, openai_api_error_status(o->turn.error_code),
		               o->turn.error_message, STR_NONE, o->turn.error_code);
	} else {
		openai_api_chat_whole(&out, &o->turn);
		openai_op_reply(o, 200, buf_str(&out));
	}
}

static void read_arguments(struct openai_op *o);

/* Arguments that cannot be read any more are empty: the client reports what is missing. */
static void arguments_read(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = op_of(op);
	struct openai_api_item *item = openai_api_turn_wants(&o->turn);
	struct json reply;

	item->args = STR("{}");
	if (!a->code && json_read_trusted(op->mem, a->body, &reply, NULL) == OK &&
	    str_is(json_str(JSON_GET(reply, "text"))))
		item->args = arena_keep(o->turn.mem, json_str(JSON_GET(reply, "text")));
	read_arguments(o);
}

static void read_arguments(struct openai_op *o)
{
	struct openai_api_item *item = openai_api_turn_wants(&o->turn);
	struct json_writer w;

	if (!item) {
		openai_api_turn_show_calls(&o->turn);
		if (o->op.is_begun)
			end_stream(o);
		else
			reply_whole(o);
		return;
	}
	o->op.params.len = 0;
	jw_init(&w, &o->op.params);
	jw_obj(&w);
	JW_KSTR(&w, "outputRef", item->args_ref);
	JW_KSTR(&w, "sessionId", o->op.session_id);
	JW_KINT(&w, "length", LIMIT_CALL_INPUT_BYTES);
	jw_obj_end(&w);
	turn_op_call(&o->op, "get_output", STR_NONE, arguments_read);
}

static void conclude(struct turn_op *op)
{
	struct openai_op *o = op_of(op);
	const char *code, *message;
	bool is_all_read = op->is_read && op->why == STREAM_CAUGHT_UP && o->turn.created_s;

	if (o->items && (o->items->is_over || op->why == STREAM_CAUGHT_UP)) {
		o->show(o);
	} else if (o->turn.end || is_all_read) {
		read_arguments(o);
	} else if (op->is_begun) {
		turn_op_cut(op);
	} else {
		int status = turn_op_why_status(op->why, &code, &message);

		openai_op_fail(o, status, str_from(message), STR_NONE, str_from(code));
	}
}

/* ---- following ---- */

static void on_event(struct turn_op *op, struct json event)
{
	struct openai_op *o = op_of(op);

	if (o->items) {
		openai_api_items_event(o->items, event);
		return;
	}
	openai_api_turn_event(&o->turn, event);
	if (op->is_begun && str_is(o->turn.model))
		begin_frames(o);
}

static bool is_over(const struct turn_op *op)
{
	const struct openai_op *o = OWNER_OF(op, const struct openai_op, op);

	return o->items ? o->items->is_over : o->turn.end != OPENAI_API_RUNNING;
}

static void on_free(struct turn_op *op)
{
	struct openai_op *o = op_of(op);

	if (o->turn.mem)
		openai_api_turn_done(&o->turn);
	if (o->items)
		openai_api_items_done(o->items);
	memory_free(o->items);
	memory_free(o);
}

static const struct turn_op_protocol protocol = {
	.event = on_event, .is_over = is_over, .conclude = conclude, .free = on_free
};

void openai_op_follow(struct openai_op *o, struct str session_id, struct str turn_id,
                      uint64_t first_sequence)
{
	struct http_field headers[2];

	openai_api_turn_init(&o->turn, session_id, turn_id, first_sequence);
	o->turn.waits_out = o->is_cancel;
	o->stream.turn = &o->turn;
	o->stream.out = &o->op.out;
	o->stream.previous_id = o->in.previous_id;
	o->op.session_id = arena_keep(o->op.mem, session_id);
	if (o->in.is_stream) {
		o->turn.step = on_step;
		o->turn.owner = o;
		turn_op_begin_stream(&o->op, headers, extra_headers(o, headers));
	}
	turn_op_follow(&o->op, session_id, turn_id, first_sequence);
}

struct str openai_op_query(const struct openai_op *o, const char *name)
{
	const struct http_request *req = o->op.req;

	for (size_t i = 0; i < req->in.param_count; i++)
		if (str_eq(req->in.params[i].name, str_from(name)))
			return req->in.params[i].value;
	return STR_NONE;
}

struct openai_op *openai_op_new(struct serve *s, struct http_request *req,
                                const struct caller *caller, enum openai_api api)
{
	struct openai_op *o = memory_zeroed(1, sizeof *o);

	turn_op_init(&o->op, &protocol, s, req, caller, "openai");
	o->in.api = api;
	o->stream.shown_after = -1;
	return o;
}
