/*
 * JSON-RPC lines: splits input into messages, collects the replies of a batch,
 * and guarantees exactly one reply per call.
 */
#include "net/jsonrpc.h"

#include "base/gen/limits.h"
#include "base/jw.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#define LINE_MAX_DEFAULT ((size_t)LIMIT_RPC_LINE_BYTES)
#define BATCH_MAX_DEFAULT 100
#define CALLS_MAX_DEFAULT 1024
#define ID_TEXT_MAX 1024

struct jsonrpc {
	struct jsonrpc_options opt;
	const struct jsonrpc_ops *ops;
	void *user;
	struct buf line; /* an incomplete line */
	struct list calls;
	size_t open_calls;
	bool is_failed;
};

/* Replies of one batch, gathered until the last has come. */
struct batch {
	struct jsonrpc *j; /* NULL when the connection has gone */
	size_t open;       /* missing replies, plus one while the batch is read */
	size_t count;
	struct str *replies; /* malloc'ed texts; absent: none yet, or none due */
};

struct jsonrpc_call {
	struct list node;
	struct jsonrpc *j;
	struct batch *batch;
	size_t slot;
	struct str id;
	char id_text[];
};

/* ---- writing ---- */

static void message_begin(struct json_writer *w, struct buf *out)
{
	jw_init(w, out);
	jw_obj(w);
	JW_KSTR(w, "jsonrpc", STR("2.0"));
}

static void add_raw(struct json_writer *w, struct str key, struct str json_text)
{
	jw_key(w, key);
	jw_raw(w, json_text);
}

void jsonrpc_write_call(struct buf *out, struct str id_json, struct str method,
                        struct str params_json)
{
	struct json_writer w;

	message_begin(&w, out);
	if (str_is(id_json))
		add_raw(&w, STR("id"), id_json);
	JW_KSTR(&w, "method", method);
	if (str_is(params_json))
		add_raw(&w, STR("params"), params_json);
	jw_obj_end(&w);
}

void jsonrpc_write_result(struct buf *out, struct str id_json, struct str result_json)
{
	struct json_writer w;

	message_begin(&w, out);
	add_raw(&w, STR("id"), id_json);
	add_raw(&w, STR("result"), result_json);
	jw_obj_end(&w);
}

void jsonrpc_write_error(struct buf *out, struct str id_json, int64_t code, struct str message,
                         struct str data_json)
{
	struct json_writer w;

	message_begin(&w, out);
	add_raw(&w, STR("id"), str_is(id_json) ? id_json : STR("null"));
	JW_KEY(&w, "error");
	jw_obj(&w);
	JW_KINT(&w, "code", code);
	JW_KSTR(&w, "message", message);
	if (str_is(data_json))
		add_raw(&w, STR("data"), data_json);
	jw_obj_end(&w);
	jw_obj_end(&w);
}

/* ---- answers ---- */

/* A batch of notifications has no replies, and JSON-RPC 2.0 then forbids an empty array. */
static void batch_send(struct batch *b)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < b->count; i++) {
		if (!str_is(b->replies[i]))
			continue;
		buf_add_char(&out, out.len ? ',' : '[');
		buf_add_str(&out, b->replies[i]);
	}
	if (out.len && b->j) {
		buf_add_char(&out, ']');
		b->j->ops->send(b->j->user, buf_str(&out));
	}
	buf_done(&out);
}

/*
 * `open` counts one more while the batch is read, so that replies inside on_message do
 * not end it early.
 */
static void batch_close(struct batch *b)
{
	if (--b->open)
		return;
	batch_send(b);
	for (size_t i = 0; i < b->count; i++)
		free((char *)b->replies[i].ptr);
	free(b->replies);
	free(b);
}

/* Puts a reply into its batch, or sends it directly. */
static void send_reply(struct jsonrpc *j, struct batch *b, size_t slot, struct buf *text)
{
	if (b) {
		struct str *r = &b->replies[slot];

		r->ptr = buf_take(text, &r->len);
	} else if (j) {
		j->ops->send(j->user, buf_str(text));
	}
	buf_done(text);
}

/*
 * The reply is sent before the batch is closed: closing the last one sends the array
 * and frees it.
 */
static void call_done(struct jsonrpc_call *call, struct buf *text)
{
	struct batch *b = call->batch;

	if (call->j)
		call->j->open_calls--;
	list_remove(&call->node);
	send_reply(call->j, b, call->slot, text);
	free(call);
	if (b)
		batch_close(b);
}

struct jsonrpc *jsonrpc_of(const struct jsonrpc_call *call)
{
	return call->j;
}

void jsonrpc_reply(struct jsonrpc_call *call, struct str result_json)
{
	struct buf text = { 0 };

	jsonrpc_write_result(&text, call->id, result_json);
	call_done(call, &text);
}

void jsonrpc_reply_error(struct jsonrpc_call *call, int64_t code, struct str message,
                         struct str data_json)
{
	struct buf text = { 0 };

	jsonrpc_write_error(&text, call->id, code, message, data_json);
	call_done(call, &text);
}

/* ---- raw texts ----
 *
 * The library gives values, not the text they came from.  These walk a text
 * that it has already found to be JSON, so they need not check anything.
 */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_space(struct str t, size_t at)
{
	while (at < t.len && is_space(t.ptr[at]))
		at++;
	return at;
}

static size_t skip_string(struct str t, size_t at)
{
	for (at++; at < t.len && t.ptr[at] != '"'; at++)
		if (t.ptr[at] == '\\')
			at++;
	return MIN(at + 1, t.len);
}

static bool ends_scalar(char c)
{
	return c == ',' || c == ']' || c == '}' || is_space(c);
}

/*
 * The index after the value that begins at `at`.  Brackets are counted and not matched:
 * the text is valid JSON.
 */
static size_t skip_value(struct str t, size_t at)
{
	size_t depth = 0;

	do {
		char c = t.ptr[at];

		if (c == '"') {
			at = skip_string(t, at);
			continue;
		}
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		at++;
		if (!depth && c != '}' && c != ']')
			while (at < t.len && !ends_scalar(t.ptr[at]))
				at++;
	} while (depth && at < t.len);
	return at;
}

/*
 * The raw value of a member; absent when the key was written with escapes.  An id must
 * be returned exactly as it came, and a number such as 1.0 or 1e400 would change on its
 * way through a value.
 */
static struct str raw_member(struct str obj, struct str key)
{
	size_t at = skip_space(obj, 0) + 1;

	for (;;) {
		at = skip_space(obj, at);
		if (at >= obj.len || obj.ptr[at] != '"')
			return STR_NONE;

		size_t end = skip_string(obj, at);
		struct str name = str_of(obj.ptr + at + 1, end - at - 2);

		at = skip_space(obj, skip_space(obj, end) + 1); /* past the colon */
		end = skip_value(obj, at);
		if (str_eq(name, key))
			return str_of(obj.ptr + at, end - at);
		at = skip_space(obj, end) + 1; /* past the comma */
	}
}

/* ---- reading ---- */

/* One message on its way through. */
struct reading {
	struct jsonrpc *j;
	struct arena *mem;
	struct batch *batch;
	size_t slot;
};

static void refuse(const struct reading *r, struct str id, int64_t code, const char *why)
{
	struct buf text = { 0 };

	jsonrpc_write_error(&text, id, code, str_from(why), STR_NONE);
	send_reply(r->j, r->batch, r->slot, &text);
}

/*
 * null is allowed, as in JSON-RPC 2.0: a call with "id": null gets a reply, a message
 * without id does not.
 */
static bool is_id(struct json v)
{
	enum json_type t = json_type(v);

	return t == JSON_STR || t == JSON_INT || t == JSON_UINT || t == JSON_REAL || t == JSON_NULL;
}

static struct jsonrpc_call *call_new(const struct reading *r, struct str id)
{
	struct jsonrpc_call *c = memory_alloc(sizeof *c + id.len);

	*c = (struct jsonrpc_call){ .j = r->j, .batch = r->batch, .slot = r->slot };
	memcpy(c->id_text, id.ptr, id.len);
	c->id = str_of(c->id_text, id.len);
	list_add(&r->j->calls, &c->node);
	r->j->open_calls++;
	if (r->batch)
		r->batch->open++;
	return c;
}

/*
 * Refusals name the id if there is one.  A call beyond calls_max is refused here,
 * before the owner sees it, so that one connection cannot hold unbounded memory.
 */
static void take_request(const struct reading *r, struct json v, struct jsonrpc_message *m)
{
	enum json_type params = json_type(JSON_GET(v, "params"));

	m->method = json_str(JSON_GET(v, "method"));
	if (!str_is(m->method)) {
		refuse(r, m->id, JSONRPC_INVALID_REQUEST, "Invalid Request: method is no string");
		return;
	}
	if (params == JSON_OBJ || params == JSON_ARR) {
		m->params = JSON_GET(v, "params");
	} else if (params != JSON_NONE && params != JSON_NULL) {
		refuse(r, m->id, JSONRPC_INVALID_REQUEST,
		       "Invalid Request: params is neither object nor array");
		return;
	}
	m->kind = str_is(m->id) ? JSONRPC_CALL : JSONRPC_NOTIFICATION;
	if (m->kind == JSONRPC_CALL) {
		if (r->j->open_calls >= r->j->opt.calls_max) {
			refuse(r, m->id, JSONRPC_TOO_MANY_CALLS, "Too many calls are open");
			return;
		}
		m->call = call_new(r, m->id);
	}
	r->j->ops->on_message(r->j->user, m);
}

static void take_response(const struct reading *r, struct json v, struct jsonrpc_message *m)
{
	struct json err = JSON_GET(v, "error");

	m->kind = json_is(err) ? JSONRPC_ERROR : JSONRPC_RESULT;
	m->result = JSON_GET(v, "result");
	m->error_code = json_int(JSON_GET(err, "code"), JSONRPC_INTERNAL_ERROR);
	m->error_message = json_str(JSON_GET(err, "message"));
	m->error_data = JSON_GET(err, "data");
	r->j->ops->on_message(r->j->user, m);
}

/*
 * The order of checks decides which id a refusal carries: only a valid one is repeated.
 * A message with neither method nor result is treated as a request and refused as
 * such.
 */
static void take_message(const struct reading *r, struct json v, struct str text)
{
	struct jsonrpc_message m = { 0 };
	struct json id = JSON_GET(v, "id");

	if (json_type(v) != JSON_OBJ) {
		refuse(r, STR_NONE, JSONRPC_INVALID_REQUEST, "Invalid Request: not an object");
		return;
	}
	if (json_is(id)) {
		m.id = raw_member(text, STR("id"));
		if (!str_is(m.id))
			m.id = json_text(r->mem, id);
		if (!is_id(id) || m.id.len > ID_TEXT_MAX) {
			refuse(r, STR_NONE, JSONRPC_INVALID_REQUEST,
			       "Invalid Request: id is neither string nor number");
			return;
		}
	}
	if (!str_eq(json_str(JSON_GET(v, "jsonrpc")), STR("2.0"))) {
		refuse(r, m.id, JSONRPC_INVALID_REQUEST, "Invalid Request: jsonrpc is not \"2.0\"");
		return;
	}

	bool has_answer = json_is(JSON_GET(v, "result")) || json_is(JSON_GET(v, "error"));

	if (json_is(JSON_GET(v, "method")) || !has_answer)
		take_request(r, v, &m);
	else
		take_response(r, v, &m);
}

/*
 * Values and raw texts advance side by side, so that each message gets its own text for
 * the id.  An empty or oversized batch gets one error, not an array.
 */
static void take_batch(struct reading *r, struct json arr, struct str text)
{
	size_t count = json_count(arr);

	if (!count || count > r->j->opt.batch_max) {
		refuse(r, STR_NONE, JSONRPC_INVALID_REQUEST,
		       count ? "Invalid Request: too many messages in one batch"
		             : "Invalid Request: empty batch");
		return;
	}

	struct batch *b = memory_zeroed(1, sizeof *b);
	struct json_iter it = json_iter(arr);
	struct str key;
	struct json v;
	size_t at = skip_space(text, 0) + 1;

	*b = (struct batch){ .j = r->j,
		             .open = 1,
		             .count = count,
		             .replies = memory_zeroed(count, sizeof *b->replies) };
	r->batch = b;
	for (r->slot = 0; json_next(&it, &key, &v); r->slot++) {
		at = skip_space(text, at);

		size_t end = skip_value(text, at);

		take_message(r, v, str_of(text.ptr + at, end - at));
		at = skip_space(text, end) + 1;
	}
	batch_close(b);
}

/* Blank lines are ignored. */
void jsonrpc_feed_message(struct jsonrpc *j, struct str text)
{
	if (skip_space(text, 0) == text.len)
		return;

	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct reading r = { .j = j, .mem = mem };
	struct json v;
	struct error e;

	if (json_read(mem, text, &v, &e) != OK) {
		struct str why = arena_printf(mem, "Parse error: %s", e.message);

		refuse(&r, STR_NONE, JSONRPC_PARSE_ERROR, why.ptr);
	} else if (json_type(v) == JSON_ARR) {
		take_batch(&r, v, text);
	} else {
		take_message(&r, v, text);
	}
}

/* ---- lines ---- */

/*
 * The rest of the line cannot be found again without reading it, so the connection ends
 * after this error.
 */
static bool too_long(struct jsonrpc *j)
{
	struct reading r = { .j = j };

	j->is_failed = true;
	buf_done(&j->line);
	refuse(&r, STR_NONE, JSONRPC_INVALID_REQUEST, "Invalid Request: the line is too long");
	return false;
}

/* A whole line inside `bytes` is parsed in place; only a split line is copied. */
bool jsonrpc_feed(struct jsonrpc *j, struct str bytes)
{
	while (bytes.len && !j->is_failed) {
		ptrdiff_t end = str_find_char(bytes, '\n');
		struct str part = end < 0 ? bytes : str_head(bytes, (size_t)end);

		if (j->line.len + part.len > j->opt.line_max)
			return too_long(j);
		if (end < 0) {
			buf_add_str(&j->line, part);
			break;
		}
		if (j->line.len) {
			buf_add_str(&j->line, part);
			jsonrpc_feed_message(j, buf_str(&j->line));
			buf_done(&j->line); /* idle connections own no buffer */
		} else {
			jsonrpc_feed_message(j, part);
		}
		bytes = str_skip(bytes, (size_t)end + 1);
	}
	return !j->is_failed;
}

void jsonrpc_feed_end(struct jsonrpc *j)
{
	if (!j->is_failed)
		jsonrpc_feed_message(j, buf_str(&j->line));
	buf_done(&j->line);
}

/* ---- life ---- */

struct jsonrpc *jsonrpc_new(const struct jsonrpc_options *opt, const struct jsonrpc_ops *ops,
                            void *user)
{
	struct jsonrpc *j = memory_zeroed(1, sizeof *j);

	if (opt)
		j->opt = *opt;
	if (!j->opt.line_max)
		j->opt.line_max = LINE_MAX_DEFAULT;
	if (!j->opt.batch_max)
		j->opt.batch_max = BATCH_MAX_DEFAULT;
	if (!j->opt.calls_max)
		j->opt.calls_max = CALLS_MAX_DEFAULT;
	j->ops = ops;
	j->user = user;
	list_init(&j->calls);
	return j;
}

/*
 * Calls outlive the connection: their owners still reply once each, and the replies are
 * discarded.
 */
void jsonrpc_free(struct jsonrpc *j)
{
	if (!j)
		return;
	while (!list_is_empty(&j->calls)) {
		struct jsonrpc_call *c = LIST_ITEM(j->calls.next, struct jsonrpc_call, node);

		list_remove(&c->node);
		c->j = NULL;
		if (c->batch)
			c->batch->j = NULL;
	}
	buf_done(&j->line);
	free(j);
}

size_t jsonrpc_open_calls(const struct jsonrpc *j)
{
	return j->open_calls;
}
