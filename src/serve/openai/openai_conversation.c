/* Conversations and deletions, in steps. */
#include "serve/openai/openai_conversation.h"

#include "base/gen/limits.h"
#include "base/jw.h"
#include "base/os/clock.h"
#include "openai/openai_api_id.h"
#include "serve/openai/openai_items.h"

static struct openai_op *op_of(struct turn_op *op)
{
	return OWNER_OF(op, struct openai_op, op);
}

static void call_about_session(struct openai_op *o, const char *command,
                               void (*next)(struct turn_op *op, const struct control_answer *a))
{
	struct json_writer w;

	o->op.params.len = 0;
	jw_init(&w, &o->op.params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", o->op.session_id);
	jw_obj_end(&w);
	turn_op_call(&o->op, command, STR_NONE, next);
}

/* False: it is none of ours, and the request was answered. */
static bool take_conversation(struct openai_op *o, struct str id)
{
	struct str session_id;

	if (!openai_api_id_read_conversation(id, &session_id)) {
		openai_op_fail(o, 404, STR("No conversation has this id."), STR_NONE,
		               STR("not_found"));
		return false;
	}
	o->op.session_id = arena_keep(o->op.mem, session_id);
	return true;
}

/* False: the call was refused, and the request was answered. */
static bool take_reply(struct openai_op *o, const struct control_answer *a, struct json *ret)
{
	if (!a->code && json_read_trusted(o->op.mem, a->body, ret, NULL) == OK)
		return true;
	openai_op_fail_answer(o, a);
	return false;
}

/* ---- show and create ---- */

static void shown(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = op_of(op);
	struct json reply;
	int64_t created_ms = 0;

	if (!take_reply(o, a, &reply))
		return;
	if (!clock_time_read(json_str(JSON_GET(reply, "createdAt")), &created_ms))
		created_ms = 0;
	openai_items_show_conversation(o, created_ms);
}

static void created(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = op_of(op);
	struct json reply;

	if (!take_reply(o, a, &reply))
		return;
	o->op.session_id = arena_keep(op->mem, json_str(JSON_GET(reply, "sessionId")));
	call_about_session(o, "get_session", shown);
}

/* The limits of the API: clients rely on them elsewhere, too. */
static bool is_metadata(struct json metadata)
{
	struct json_iter it = json_iter(metadata);
	struct json v;
	struct str key;

	if (json_type(metadata) != JSON_OBJ || json_count(metadata) > LIMIT_OPENAI_METADATA_PAIRS)
		return false;
	while (json_next(&it, &key, &v))
		if (key.len > LIMIT_OPENAI_METADATA_KEY_BYTES || json_type(v) != JSON_STR ||
		    json_str(v).len > LIMIT_OPENAI_METADATA_VALUE_BYTES)
			return false;
	return true;
}

/* False: the body is refused, and the request was answered. */
static bool check_body(struct openai_op *o, struct json *ret_metadata)
{
	struct str text = o->op.req->in.body;
	struct json body = { 0 };
	struct error e;

	if (str_trim(text).len && json_read(o->op.mem, text, &body, &e) != OK) {
		openai_op_fail(o, 400, str_from(e.message), STR_NONE, STR("invalid_json"));
		return false;
	}
	if (json_count(JSON_GET(body, "items"))) {
		openai_op_fail(o, 400,
		               STR("items: a conversation begins empty; send them as input of its "
		                   "first response."),
		               STR("items"), STR("invalid_value"));
		return false;
	}
	*ret_metadata = JSON_GET(body, "metadata");
	if (json_is(*ret_metadata) && json_type(*ret_metadata) != JSON_NULL &&
	    !is_metadata(*ret_metadata)) {
		openai_op_fail(
			o, 400,
			arena_printf(o->op.mem,
		                     "metadata: an object of at most %d texts; names have at "
		                     "most %d bytes and texts %d.",
		                     LIMIT_OPENAI_METADATA_PAIRS, LIMIT_OPENAI_METADATA_KEY_BYTES,
		                     LIMIT_OPENAI_METADATA_VALUE_BYTES),
			STR("metadata"), STR("invalid_value"));
		return false;
	}
	return true;
}

void openai_conversation_create(struct openai_op *o)
{
	struct str cwd = http_parse_find(&o->op.req->in, STR("thole-cwd"));
	struct json metadata;
	struct json_writer w;

	if (!check_body(o, &metadata))
		return;
	jw_init(&w, &o->op.params);
	jw_obj(&w);
	JW_KOPT(&w, "cwd", cwd);
	if (json_type(metadata) == JSON_OBJ) {
		JW_KEY(&w, "metadata");
		jw_value(&w, metadata);
	}
	jw_obj_end(&w);
	turn_op_call(&o->op, "create_session",
	             http_parse_find(&o->op.req->in, STR("idempotency-key")), created);
}

void openai_conversation_get(struct openai_op *o, struct str id)
{
	if (take_conversation(o, id))
		call_about_session(o, "get_session", shown);
}

/* ---- update ---- */

static void updated(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = op_of(op);
	struct json reply;

	if (take_reply(o, a, &reply))
		call_about_session(o, "get_session", shown);
}

void openai_conversation_update(struct openai_op *o, struct str id)
{
	struct json metadata;
	struct json_writer w;

	if (!take_conversation(o, id) || !check_body(o, &metadata))
		return;
	if (json_type(metadata) != JSON_OBJ) {
		openai_op_fail(o, 400, STR("metadata: an object is expected"), STR("metadata"),
		               STR("invalid_value"));
		return;
	}
	jw_init(&w, &o->op.params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", o->op.session_id);
	JW_KEY(&w, "metadata");
	jw_value(&w, metadata);
	jw_obj_end(&w);
	turn_op_call(&o->op, "update_session",
	             http_parse_find(&o->op.req->in, STR("idempotency-key")), updated);
}

/* ---- delete ---- */

static void deleted(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = op_of(op);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (a->code) {
		openai_op_fail_answer(o, a);
		return;
	}
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "id", o->in.previous_id);
	JW_KSTR(&w, "object",
	        str_is(o->turn_id) ? STR("response.deleted") : STR("conversation.deleted"));
	JW_KBOOL(&w, "deleted", true);
	jw_obj_end(&w);
	openai_op_reply(o, 200, buf_str(&out));
}

void openai_conversation_delete(struct openai_op *o, struct str id)
{
	if (!take_conversation(o, id))
		return;
	o->in.previous_id = arena_keep(o->op.mem, id);
	call_about_session(o, "delete_session", deleted);
}

/* The id names a turn of the session, which has one turn only. */
static void turn_shown(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = op_of(op);
	struct json reply;

	if (!take_reply(o, a, &reply))
		return;
	if (str_eq(json_str(JSON_GET(json_at(JSON_GET(reply, "turns"), 0), "turnId")), o->turn_id))
		call_about_session(o, "delete_session", deleted);
	else
		openai_op_fail(o, 404, STR("No response has this id."), STR_NONE, STR("not_found"));
}

static void threads_listed(struct turn_op *op, const struct control_answer *a)
{
	struct openai_op *o = op_of(op);
	struct json reply, threads;

	if (!take_reply(o, a, &reply))
		return;
	threads = JSON_GET(reply, "threads");
	if (json_count(threads) == 1 && json_int(JSON_GET(json_at(threads, 0), "turns"), 0) == 1)
		call_about_session(o, "get_thread_read", turn_shown);
	else
		openai_op_fail(
			o, 409,
			arena_printf(op->mem,
		                     "Other responses build on the same log. Delete the "
		                     "conversation: %.*s",
		                     STR_ARG(openai_api_id_conversation(op->mem, op->session_id))),
			STR_NONE, STR("response_not_alone"));
}

void openai_conversation_delete_response(struct openai_op *o, struct str text)
{
	struct openai_api_id id;

	if (!openai_api_id_read(text, OPENAI_API_ID_RESPONSE, &id)) {
		openai_op_fail(o, 404, STR("No response has this id."), STR_NONE, STR("not_found"));
		return;
	}
	o->in.previous_id = arena_keep(o->op.mem, text);
	o->op.session_id = arena_keep(o->op.mem, id.session_id);
	o->turn_id = arena_keep(o->op.mem, id.object_id);
	call_about_session(o, "list_threads", threads_listed);
}
