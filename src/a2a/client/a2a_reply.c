/* Reads replies: sizes and ids are checked here, so that nothing behind has to. */
#include "a2a/client/a2a_reply.h"

#include "base/utf8.h"

#define ERROR_MAX_BYTES 512
#define NAME_MAX_BYTES 1024
#define TYPE_MAX_BYTES 256

static bool wrong(struct str *ret_why, const char *what)
{
	*ret_why = str_from(what);
	return false;
}

/* A name or a media type; one that is too long or has line breaks is left out. */
static struct str plain(struct json v, size_t max)
{
	struct str s = json_str(v);

	if (!s.len || s.len > max)
		return STR_NONE;
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < 0x20 || s.ptr[i] == 0x7f)
			return STR_NONE;
	return s;
}

/* An id: present and of a bounded length; line breaks and control characters are refused. */
static bool read_id(struct json v, bool is_required, struct str *ret)
{
	*ret = plain(v, LIMIT_A2A_ID_BYTES);
	if (str_is(*ret))
		return true;
	return !is_required && !json_str(v).len;
}

/* ---- parts ---- */

static bool read_part(struct arena *mem, struct json v, struct a2a_part *ret)
{
	static const char *const members[] = { [A2A_PART_TEXT] = "text",
		                               [A2A_PART_RAW] = "raw",
		                               [A2A_PART_URL] = "url",
		                               [A2A_PART_DATA] = "data" };
	int found = 0;

	for (enum a2a_part_kind k = A2A_PART_TEXT; k <= A2A_PART_DATA; k++) {
		struct json m = json_get(v, str_from(members[k]));

		if (!json_is(m))
			continue;
		found++;
		ret->kind = k;
		ret->value = k == A2A_PART_DATA ? json_text(mem, m) : json_str(m);
	}
	ret->name = plain(json_get(v, STR("filename")), NAME_MAX_BYTES);
	ret->type = plain(json_get(v, STR("mediaType")), TYPE_MAX_BYTES);
	return found == 1 && str_is(ret->value);
}

static bool read_parts(struct arena *mem, struct json v, struct a2a_parts *ret)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	*ret = (struct a2a_parts){ 0 };
	if (json_type(v) != JSON_ARR || json_count(v) > LIMIT_PEER_PARTS)
		return false;
	ret->at = ARENA_ARRAY(mem, struct a2a_part, json_count(v) + 1);
	while (json_next(&it, &key, &each))
		if (!read_part(mem, each, &ret->at[ret->count++]))
			return false;
	return true;
}

/* The texts of a message, joined; what is no text is named, not followed. */
static struct str join_texts(struct arena *mem, const struct a2a_parts *p)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < p->count; i++) {
		if (out.len)
			buf_add_char(&out, '\n');
		if (p->at[i].kind == A2A_PART_RAW)
			buf_add_c(&out, "(a file)");
		else
			buf_add_str(&out, p->at[i].value);
	}
	return arena_keep(mem, utf8_head(buf_str(&out), LIMIT_PEER_TEXT_BYTES));
}

static bool read_message(struct arena *mem, struct json v, struct a2a_reply *ret)
{
	struct a2a_parts parts;

	if (json_type(v) != JSON_OBJ ||
	    !read_id(json_get(v, STR("messageId")), true, &ret->message_id) ||
	    !read_parts(mem, json_get(v, STR("parts")), &parts))
		return false;
	ret->text = join_texts(mem, &parts);
	return true;
}

/* ---- tasks ---- */

static bool read_status(struct arena *mem, struct json v, struct a2a_reply *ret)
{
	struct json message = json_get(v, STR("message"));

	ret->state_word = plain(json_get(v, STR("state")), 64);
	ret->state = a2a_state_read(str_is(ret->state_word) ? ret->state_word : STR(""));
	if (ret->state == A2A_STATE_NONE)
		return false;
	return !json_is(message) || json_type(message) == JSON_NULL ||
	       read_message(mem, message, ret);
}

static bool read_artifact(struct arena *mem, struct json v, struct a2a_got_artifact *ret)
{
	ret->name = plain(json_get(v, STR("name")), NAME_MAX_BYTES);
	return read_id(json_get(v, STR("artifactId")), true, &ret->id) &&
	       read_parts(mem, json_get(v, STR("parts")), &ret->parts);
}

static bool read_artifacts(struct arena *mem, struct json v, struct a2a_reply *ret)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_count(v) > LIMIT_PEER_ARTIFACTS)
		return false;
	ret->artifacts = ARENA_ARRAY(mem, struct a2a_got_artifact, json_count(v) + 1);
	while (json_next(&it, &key, &each))
		if (!read_artifact(mem, each, &ret->artifacts[ret->artifact_count++]))
			return false;
	return true;
}

static bool read_task(struct arena *mem, struct json v, struct a2a_reply *ret)
{
	ret->kind = A2A_REPLY_TASK;
	return read_id(json_get(v, STR("id")), true, &ret->task_id) &&
	       read_id(json_get(v, STR("contextId")), false, &ret->context_id) &&
	       read_status(mem, json_get(v, STR("status")), ret) &&
	       read_artifacts(mem, json_get(v, STR("artifacts")), ret);
}

static bool read_ids(struct json v, struct a2a_reply *ret)
{
	return read_id(json_get(v, STR("taskId")), true, &ret->task_id) &&
	       read_id(json_get(v, STR("contextId")), false, &ret->context_id);
}

static bool read_update(struct arena *mem, struct json v, struct a2a_reply *ret)
{
	ret->kind = A2A_REPLY_STATUS;
	return read_ids(v, ret) && read_status(mem, json_get(v, STR("status")), ret);
}

static bool read_piece(struct arena *mem, struct json v, struct a2a_reply *ret)
{
	ret->kind = A2A_REPLY_ARTIFACT;
	ret->artifacts = ARENA_ARRAY(mem, struct a2a_got_artifact, 1);
	ret->artifact_count = 1;
	ret->artifacts[0].is_append = json_bool(json_get(v, STR("append")), false);
	ret->artifacts[0].is_last = json_bool(json_get(v, STR("lastChunk")), false);
	return read_ids(v, ret) &&
	       read_artifact(mem, json_get(v, STR("artifact")), &ret->artifacts[0]);
}

static bool read_direct(struct arena *mem, struct json v, struct a2a_reply *ret)
{
	ret->kind = A2A_REPLY_MESSAGE;
	return read_id(json_get(v, STR("taskId")), false, &ret->task_id) &&
	       read_id(json_get(v, STR("contextId")), false, &ret->context_id) &&
	       read_message(mem, v, ret);
}

/* ---- errors ---- */

static enum a2a_fault fault_of_code(int64_t code)
{
	switch (code) {
	case -32001:
		return A2A_FAULT_MISSING;
	case -32004:
	case -32601:
		return A2A_FAULT_UNSUPPORTED;
	case -32603:
		return A2A_FAULT_LATER;
	default:
		return A2A_FAULT_REFUSED;
	}
}

/* The reason of google.rpc.ErrorInfo, which is exact where the status is not. */
static struct str reason_of(struct json error)
{
	struct json_iter it = json_iter(json_get(error, STR("details")));
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		if (str_is(json_str(json_get(each, STR("reason")))))
			return json_str(json_get(each, STR("reason")));
	return STR("");
}

static enum a2a_fault fault_of_http(int http, struct json error)
{
	struct str reason = reason_of(error);

	if (str_eq(reason, STR("TASK_NOT_FOUND")))
		return A2A_FAULT_MISSING;
	if (str_eq(reason, STR("UNSUPPORTED_OPERATION")))
		return A2A_FAULT_UNSUPPORTED;
	if (http == 401 || http == 403)
		return A2A_FAULT_AUTH;
	if (http == 405 || http == 501)
		return A2A_FAULT_UNSUPPORTED;
	if (http == 404)
		return A2A_FAULT_MISSING;
	return http >= 400 && http < 500 && http != 408 && http != 425 && http != 429
	               ? A2A_FAULT_REFUSED
	               : A2A_FAULT_LATER;
}

static bool read_error(struct arena *mem, enum a2a_binding binding, int http, struct json error,
                       struct a2a_reply *ret)
{
	ret->kind = A2A_REPLY_ERROR;
	ret->fault = http == 401 || http == 403 ? A2A_FAULT_AUTH
	             : binding == A2A_BINDING_JSONRPC && json_is(error)
	                     ? fault_of_code(json_int(json_get(error, STR("code")), 0))
	                     : fault_of_http(http, error);
	ret->error = utf8_preview(mem, json_str(json_get(error, STR("message"))), ERROR_MAX_BYTES);
	return true;
}

/* ---- the whole ---- */

/* GetTask and CancelTask have a plain task; everything else wraps one of four. */
static bool read_result(struct arena *mem, enum a2a_ask_kind asked, struct json v,
                        struct a2a_reply *ret)
{
	static bool (*const readers[])(struct arena *, struct json,
	                               struct a2a_reply *) = { read_task, read_direct, read_update,
		                                               read_piece };
	static const char *const members[] = { "task", "message", "statusUpdate",
		                               "artifactUpdate" };

	if (asked == A2A_ASK_GET || asked == A2A_ASK_CANCEL)
		return read_task(mem, v, ret);
	for (size_t i = 0; i < COUNT_OF(members); i++) {
		struct json m = json_get(v, str_from(members[i]));

		if (json_type(m) == JSON_OBJ)
			return json_count(v) == 1 && readers[i](mem, m, ret);
	}
	return false;
}

bool a2a_reply_read(struct arena *mem, enum a2a_binding binding, enum a2a_ask_kind asked, int http,
                    struct str text, struct a2a_reply *ret, struct str *ret_why)
{
	struct a2a_reply r = { 0 };
	struct json v = { 0 }, error;
	struct error e;
	bool is_json = text.len <= LIMIT_PEER_ITEM_BYTES && json_read(mem, text, &v, &e) == OK &&
	               json_type(v) == JSON_OBJ;

	error = json_get(v, STR("error"));
	*ret = r;
	if (http < 200 || http >= 300 || (is_json && json_type(error) == JSON_OBJ)) {
		read_error(mem, binding, http, error, &r);
		*ret = r;
		return true;
	}
	if (!is_json)
		return wrong(ret_why, "The reply is no JSON object, too large or too deep");
	if (binding == A2A_BINDING_JSONRPC)
		v = json_get(v, STR("result"));
	if (!read_result(mem, asked, v, &r))
		return wrong(ret_why, "The reply is not what the protocol says");
	*ret = r;
	return true;
}
