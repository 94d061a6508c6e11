/* The paths below /openai/v1/, and the commands that each begins with. */
#include "serve/openai/openai_edge.h"

#include "base/gen/words.h"
#include "base/jw.h"
#include "openai/openai_api_id.h"
#include "serve/openai/openai_conversation.h"
#include "serve/openai/openai_items.h"
#include "serve/openai/openai_op.h"

#define PREFIX "/openai/v1/"

/* ---- Responses and Chat Completions ---- */

static void follow_reply(struct openai_op *o, struct json reply, struct str session_id)
{
	struct str turn_id = json_str(JSON_GET(reply, "turnId"));
	uint64_t first = json_uint(JSON_GET(reply, "firstSequence"), 0);

	if (o->in.is_background && !o->in.is_stream)
		o->op.is_read = true;
	openai_op_follow(o, session_id, turn_id, o->first_sequence ? o->first_sequence : first);
}

static void submitted(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = OWNER_OF(op, struct openai_op, op);
	struct json reply;

	if (a->code)
		openai_op_fail_answer(o, a);
	else if (json_read_trusted(o->op.mem, a->body, &reply, NULL) != OK)
		openai_op_fail(o, 500, STR("submit_turn named no turn"), STR_NONE, STR("internal"));
	else
		follow_reply(o, reply, json_str(JSON_GET(reply, "sessionId")));
}

static void submit(struct openai_op *o)
{
	struct str session = o->in.session_id;
	struct str cwd = http_parse_find(&o->op.req->in, STR("thole-cwd"));
	struct str params =
		str_is(session) ? json_text_add_str(o->op.mem, o->in.params, "sessionId", session)
				: o->in.params;

	/* A new session works in the directory that the client names, else in that of its token. */
	if (!str_is(session) && str_is(cwd))
		params = json_text_add_str(o->op.mem, params, "cwd", cwd);
	/* A session that the client names must be there: it thinks that it continues it. */
	if (str_is(session))
		params = json_text_add_str(o->op.mem, params, "create", STR("never"));
	buf_add_str(&o->op.params, params);
	turn_op_call(&o->op, "submit_turn", http_parse_find(&o->op.req->in, STR("idempotency-key")),
	             submitted);
}

static void give_next(struct openai_op *o);

static void given(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = OWNER_OF(op, struct openai_op, op);
	const struct openai_api_given *g = &o->in.given[o->given];
	struct json reply;

	if (a->code) {
		openai_op_fail_answer(o, a);
		return;
	}
	if (json_read_trusted(o->op.mem, a->body, &reply, NULL) != OK) {
		openai_op_fail(o, 500, STR("the reply cannot be read"), STR_NONE, STR("internal"));
		return;
	}
	if (!o->first_sequence)
		o->first_sequence = json_uint(JSON_GET(reply, "firstSequence"), 0);
	o->turn_id = arena_keep(o->op.mem, json_str(JSON_GET(reply, "turnId")));
	if (++o->given < o->in.given_count) {
		give_next(o);
		return;
	}
	if (!a->is_replay && json_int(JSON_GET(reply, "waiting"), 0) > 0) {
		openai_op_fail(
			o, 400,
			STR("Other calls of this answer have no result yet; send all results "
		            "together."),
			STR("tool_call_id"), STR("missing_results"));
		return;
	}
	openai_op_follow(o, g->session_id, o->turn_id, o->first_sequence);
}

/* The key is the call's own: a client that repeats its request gets the stored reply. */
static void give_next(struct openai_op *o)
{
	const struct openai_api_given *g = &o->in.given[o->given];
	struct str key = arena_printf(o->op.mem, "openai:%.*s", STR_ARG(g->object_id));
	struct json_writer w;

	o->op.params.len = 0;
	jw_init(&w, &o->op.params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", g->session_id);
	if (g->is_approval) {
		JW_KSTR(&w, "actionId", g->object_id);
		JW_KSTR(&w, "decision", g->is_approved ? STR("allow") : STR("deny"));
		JW_KOPT(&w, "reason", g->reason);
	} else {
		JW_KSTR(&w, "toolCallId", g->object_id);
		JW_KEY(&w, "output");
		jw_raw(&w, g->output);
	}
	jw_obj_end(&w);
	turn_op_call(&o->op, g->is_approval ? "respond_action" : "complete_tool_call", key, given);
}

static void begin(struct serve *s, struct http_request *req, const struct caller *caller,
                  enum openai_api api)
{
	struct openai_op *o = openai_op_new(s, req, caller, api);
	struct str session = http_parse_find(&req->in, STR("thole-session"));
	struct error e;
	struct json body;

	if (json_read(o->op.mem, req->in.body, &body, &e) != OK)
		openai_op_fail(o, 400, str_from(e.message), STR_NONE, STR("invalid_json"));
	else if (!openai_api_request_read(
			 o->op.mem, api, body,
			 str_is(session) ? arena_keep(o->op.mem, session) : session, &o->in))
		openai_op_fail(o, 400,
		               arena_printf(o->op.mem, "%.*s: %.*s", STR_ARG(o->in.param),
		                            STR_ARG(o->in.wrong)),
		               o->in.param, STR("invalid_value"));
	else if (o->in.given_count)
		give_next(o);
	else
		submit(o);
}

/* ---- one response ---- */

static bool read_id(struct openai_op *o, struct str text, struct openai_api_id *ret,
                    uint64_t *ret_sequence)
{
	int64_t sequence;

	if (!openai_api_id_read(text, OPENAI_API_ID_RESPONSE, ret) || !str_is(ret->rest) ||
	    !str_to_i64(ret->rest, &sequence) || sequence < 1) {
		openai_op_fail(o, 404, STR("No response has this id."), STR_NONE, STR("not_found"));
		return false;
	}
	*ret_sequence = (uint64_t)sequence;
	return true;
}

static void get_response(struct serve *s, struct http_request *req, const struct caller *caller,
                         struct str text)
{
	struct openai_op *o = openai_op_new(s, req, caller, OPENAI_API_RESPONSES);
	struct str after = openai_op_query(o, "starting_after");
	struct str stream = openai_op_query(o, "stream");
	struct openai_api_id id;
	uint64_t sequence;

	if (!read_id(o, text, &id, &sequence))
		return;
	o->in.is_stream = str_is(stream) && str_eq(stream, STR("true"));
	if (str_is(after) && !str_to_i64(after, &o->stream.shown_after)) {
		openai_op_fail(o, 400, STR("starting_after: a number"), STR("starting_after"),
		               STR("invalid_value"));
		return;
	}
	o->op.is_read = !o->in.is_stream;
	openai_op_follow(o, id.session_id, id.object_id, sequence);
}

static void cancelled(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = OWNER_OF(op, struct openai_op, op);
	if (a->code)
		openai_op_fail_answer(o, a);
	else
		openai_op_follow(o, o->op.session_id, o->turn_id, o->first_sequence);
}

static void cancel_response(struct serve *s, struct http_request *req, const struct caller *caller,
                            struct str text)
{
	struct openai_op *o = openai_op_new(s, req, caller, OPENAI_API_RESPONSES);
	struct openai_api_id id;
	struct json_writer w;

	if (!read_id(o, text, &id, &o->first_sequence))
		return;
	o->op.session_id = arena_keep(o->op.mem, id.session_id);
	o->turn_id = arena_keep(o->op.mem, id.object_id);
	o->is_cancel = true;
	jw_init(&w, &o->op.params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", o->op.session_id);
	JW_KSTR(&w, "turnId", o->turn_id);
	JW_KSTR(&w, "reason", STR(WORD_INTERRUPT_REASON_CLIENT));
	jw_obj_end(&w);
	turn_op_call(&o->op, "interrupt_turn", STR_NONE, cancelled);
}

/* ---- models ---- */

static void models_listed(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = OWNER_OF(op, struct openai_op, op);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json reply, row;
	struct json_iter it;
	struct json_writer w;
	struct str key;

	if (a->code || json_read_trusted(o->op.mem, a->body, &reply, NULL) != OK) {
		openai_op_fail_answer(o, a);
		return;
	}
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "object", STR("list"));
	JW_KEY(&w, "data");
	jw_arr(&w);
	it = json_iter(JSON_GET(reply, "models"));
	while (json_next(&it, &key, &row)) {
		struct str provider = json_str(JSON_GET(row, "provider"));

		jw_obj(&w);
		JW_KSTR(&w, "id",
		        arena_printf(o->op.mem, "%.*s/%.*s", STR_ARG(provider),
		                     STR_ARG(json_str(JSON_GET(row, "model")))));
		JW_KSTR(&w, "object", STR("model"));
		JW_KINT(&w, "created", 0);
		JW_KSTR(&w, "owned_by", provider);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
	openai_op_reply(o, 200, buf_str(&out));
}

/* ---- paths ---- */

static bool open_items(struct serve *s, struct http_request *req, const struct caller *caller,
                       struct str id, struct str rest)
{
	struct openai_op *o = openai_op_new(s, req, caller, OPENAI_API_RESPONSES);

	if (openai_items_open(o, id, rest))
		return true;
	openai_op_fail(o, 404, STR("A conversation has items, and no other path."), STR_NONE,
	               STR("not_found"));
	return true;
}

/* Paths with an id.  False: there is no such path, or no such method there. */
static bool open_object(struct serve *s, struct http_request *req, const struct caller *caller,
                        struct str path)
{
	struct str rest = path, first = str_cut(&rest, '/'), id, more;
	bool is_get = str_eq(req->in.method, STR("GET"));
	bool is_delete = str_eq(req->in.method, STR("DELETE"));
	bool is_post = str_eq(req->in.method, STR("POST"));
	bool is_response = str_eq(first, STR("responses"));

	id = str_is(rest) ? str_cut(&rest, '/') : STR_NONE;
	more = rest;
	if (!str_is(id) || !id.len || (!is_response && !str_eq(first, STR("conversations"))))
		return false;
	if (str_is(more) && !is_response)
		return open_items(s, req, caller, id, more);
	if (str_is(more)) {
		if (!str_eq(more, STR("cancel")) || !is_post)
			return false;
		cancel_response(s, req, caller, id);
	} else if (is_post && !is_response) {
		openai_conversation_update(openai_op_new(s, req, caller, OPENAI_API_RESPONSES), id);
	} else if (is_response && is_get) {
		get_response(s, req, caller, id);
	} else if (is_get) {
		openai_conversation_get(openai_op_new(s, req, caller, OPENAI_API_RESPONSES), id);
	} else if (is_delete && is_response) {
		openai_conversation_delete_response(
			openai_op_new(s, req, caller, OPENAI_API_RESPONSES), id);
	} else if (is_delete) {
		openai_conversation_delete(openai_op_new(s, req, caller, OPENAI_API_RESPONSES), id);
	} else {
		return false;
	}
	return true;
}

void openai_edge_open(struct serve *s, struct http_request *req, const struct caller *caller)
{
	struct str path = str_skip(req->in.path, sizeof PREFIX - 1);
	bool is_post = str_eq(req->in.method, STR("POST"));

	/* Each path shows what a turn says, so nothing begins without that right. */
	if (!(caller->scopes & SCOPE_BIT(SCOPE_READ))) {
		openai_op_fail(openai_op_new(s, req, caller, OPENAI_API_CHAT), 403,
		               STR("This token lacks the scope read."), STR_NONE, STR("forbidden"));
		return;
	}
	if (is_post && str_eq(path, STR("responses"))) {
		begin(s, req, caller, OPENAI_API_RESPONSES);
		return;
	}
	if (is_post && str_eq(path, STR("chat/completions"))) {
		begin(s, req, caller, OPENAI_API_CHAT);
		return;
	}
	if (is_post && str_eq(path, STR("conversations"))) {
		openai_conversation_create(openai_op_new(s, req, caller, OPENAI_API_RESPONSES));
		return;
	}
	if (str_eq(req->in.method, STR("GET")) && str_eq(path, STR("models"))) {
		turn_op_call(&openai_op_new(s, req, caller, OPENAI_API_CHAT)->op, "list_models",
		             STR_NONE, models_listed);
		return;
	}
	if (!open_object(s, req, caller, path))
		openai_op_fail(openai_op_new(s, req, caller, OPENAI_API_CHAT), 404,
		               STR("There is no such path; /openai/v1/ has responses, "
		                   "conversations, chat/completions and models."),
		               STR_NONE, STR("not_found"));
}
