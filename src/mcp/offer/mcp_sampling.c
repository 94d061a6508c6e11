/* Reads what a tool server asks of a model, and writes what it gets. */
#include "mcp/offer/mcp_sampling.h"

#include "base/gen/limits.h"
#include "base/gen/words.h"
#include "base/jw.h"
#include "base/util.h"

#define BUDGET_USD 100000000 /* 0.10 dollars */
#define BUDGET_MAX 1000      /* dollars */
#define TOKENS 2000
#define STOPS_MAX 16
#define STOP_BYTES 256

static bool is_word(struct str text, const char *word)
{
	return str_is(text) && str_eq(text, str_from(word));
}

/* ---- settings ---- */

static enum err read_setting(struct arena *mem, struct str key, struct json v,
                             struct mcp_sampling *ret, struct error *e)
{
	double usd = json_real(v, -1);

	if (str_eq(key, STR("permission"))) {
		ret->asks = !is_word(json_str(v), "allow");
		return is_word(json_str(v), "ask") || is_word(json_str(v), "allow")
		               ? OK
		               : fail(e, ERR_INVALID, "sampling.permission is ask or allow");
	}
	if (str_eq(key, STR("budget_usd"))) {
		ret->budget_usd = usd > 0 && usd <= BUDGET_MAX ? (int64_t)(usd * 1e9 + 0.5) : 0;
		return ret->budget_usd > 0
		               ? OK
		               : fail(e, ERR_INVALID,
		                      "sampling.budget_usd is above 0 and at most %d", BUDGET_MAX);
	}
	if (str_eq(key, STR(WORD_STOP_REASON_MAX_TOKENS))) { /* the same word */
		ret->max_tokens = json_int(v, 0);
		return ret->max_tokens >= 1 && ret->max_tokens <= LIMIT_OUTPUT_TOKENS
		               ? OK
		               : fail(e, ERR_INVALID, "sampling.max_tokens is from 1 to %lld",
		                      (long long)LIMIT_OUTPUT_TOKENS);
	}
	if (str_eq(key, STR("model")) && json_str(v).len) {
		ret->model = arena_keep(mem, json_str(v));
		return OK;
	}
	return fail(e, ERR_INVALID, "sampling has permission, budget_usd, max_tokens and model");
}

enum err mcp_sampling_settings(struct arena *mem, struct json v, struct mcp_sampling *ret,
                               struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;
	enum err code = OK;

	*ret = (struct mcp_sampling){
		.is_on = true, .asks = true, .budget_usd = BUDGET_USD, .max_tokens = TOKENS
	};
	if (json_type(v) != JSON_OBJ || !json_is(JSON_GET(v, "permission")))
		return fail(e, ERR_INVALID, "sampling is an object with permission: ask or allow");
	while (!code && json_next(&it, &key, &each))
		code = read_setting(mem, key, each, ret, e);
	return code;
}

/* ---- requests ---- */

/* Messages of one role that follow each other are one: first its images, then its text. */
struct reading {
	struct arena *mem;
	struct sampling_part *parts;
	size_t count;
	struct buf text;
	bool is_assistant, has_run; /* has_run: something of this role was read */
	int number;                 /* of the message */
	struct error *e;
};

static void end_run(struct reading *r)
{
	if (!r->has_run)
		return;
	r->parts[r->count++] = (struct sampling_part){
		.is_assistant = r->is_assistant,
		.text = r->text.len ? arena_keep(r->mem, buf_str(&r->text)) : STR("(no text)"),
	};
	buf_clear(&r->text);
	r->has_run = false;
}

static bool is_image_type(struct str type)
{
	return is_word(type, "image/png") || is_word(type, "image/jpeg") ||
	       is_word(type, "image/gif") || is_word(type, "image/webp");
}

static enum err read_content(struct reading *r, struct json v)
{
	struct str type = json_str(JSON_GET(v, "type")), text = json_str(JSON_GET(v, "text"));
	struct str data = json_str(JSON_GET(v, "data")), media = json_str(JSON_GET(v, "mimeType"));

	if (is_word(type, "text") && str_is(text)) {
		if (r->text.len && text.len)
			buf_add_c(&r->text, "\n\n");
		buf_add_str(&r->text, text);
		return OK;
	}
	if (!is_word(type, "image") || !data.len || !is_image_type(media) || r->is_assistant)
		return fail(r->e, ERR_INVALID,
		            "message %d has something else than text, and images of the user",
		            r->number);
	r->parts[r->count++] = (struct sampling_part){ .media_type = arena_keep(r->mem, media),
		                                       .base64 = arena_keep(r->mem, data) };
	return OK;
}

static enum err read_message(struct reading *r, struct json v)
{
	struct json content = JSON_GET(v, "content"), each;
	struct str role = json_str(JSON_GET(v, "role")), key;
	struct json_iter it = json_iter(content);
	bool is_assistant = is_word(role, "assistant");
	enum err code = OK;

	r->number++;
	if (!is_assistant && !is_word(role, "user"))
		return fail(r->e, ERR_INVALID, "message %d is of no role that exists", r->number);
	if (is_assistant && r->number == 1)
		return fail(r->e, ERR_INVALID, "its first message is not of the user");
	if (is_assistant != r->is_assistant)
		end_run(r);
	r->is_assistant = is_assistant;
	r->has_run = true;
	if (json_type(content) != JSON_ARR)
		return read_content(r, content);
	while (!code && json_next(&it, &key, &each))
		code = read_content(r, each);
	return code;
}

/* Texts and images of all messages. */
static size_t count_parts(struct json messages)
{
	struct json_iter it = json_iter(messages);
	size_t count = 0;
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		struct json content = JSON_GET(v, "content");

		count += json_type(content) == JSON_ARR ? json_count(content) : 1;
	}
	return count;
}

static enum err read_messages(struct arena *mem, struct json messages, struct sampling_request *ret,
                              struct error *e)
{
	struct reading r = { .mem = mem, .e = e };
	struct json_iter it = json_iter(messages);
	enum err code = OK;
	struct json v;
	struct str key;

	if (json_type(messages) != JSON_ARR || !json_count(messages))
		return fail(e, ERR_INVALID, "it has no messages");
	if (count_parts(messages) > LIMIT_SAMPLING_PARTS)
		return fail(e, ERR_TOO_LARGE, "it has more than %d parts", LIMIT_SAMPLING_PARTS);
	/* A message without text gets one. */
	r.parts = ARENA_ARRAY(mem, struct sampling_part,
	                      count_parts(messages) + json_count(messages));
	while (!code && json_next(&it, &key, &v))
		code = read_message(&r, v);
	end_run(&r);
	buf_done(&r.text);
	ret->parts = r.parts;
	ret->part_count = r.count;
	return code;
}

static enum err read_stops(struct arena *mem, struct json stops, struct str *ret, struct error *e)
{
	struct json_iter it = json_iter(stops);
	struct json v;
	struct str key;

	if (!json_is(stops))
		return OK;
	if (json_type(stops) != JSON_ARR || json_count(stops) > STOPS_MAX)
		return fail(e, ERR_INVALID, "stopSequences is a list of at most %d texts",
		            STOPS_MAX);
	while (json_next(&it, &key, &v))
		if (!json_str(v).len || json_str(v).len > STOP_BYTES)
			return fail(e, ERR_INVALID, "a stop sequence has 1 to %d bytes",
			            STOP_BYTES);
	*ret = json_text(mem, stops);
	return OK;
}

static bool is_set(struct json v)
{
	return json_is(v) && json_type(v) != JSON_NULL;
}

enum err mcp_sampling_read(struct arena *mem, const struct mcp_sampling *s, struct json params,
                           struct sampling_request *ret, struct str *ret_stops, struct error *e)
{
	struct json most = JSON_GET(params, "maxTokens"), system = JSON_GET(params, "systemPrompt");
	double wanted = is_set(most) ? json_real(most, 0) : (double)s->max_tokens;

	if (json_type(params) != JSON_OBJ)
		return fail(e, ERR_INVALID, "its params are not an object");
	if (json_text(mem, params).len > LIMIT_SAMPLING_BYTES)
		return fail(e, ERR_TOO_LARGE, "it is longer than %lld bytes",
		            (long long)LIMIT_SAMPLING_BYTES);
	/* spec: 2025-11-25 — an error if tools are sent to a client that did not declare them. */
	if (is_set(JSON_GET(params, "tools")) || is_set(JSON_GET(params, "toolChoice")))
		return fail(e, ERR_INVALID, "this client offers no tools to the model");
	if (!(wanted >= 1))
		return fail(e, ERR_INVALID, "maxTokens is not a number above 0");
	if (is_set(system) && json_type(system) != JSON_STR)
		return fail(e, ERR_INVALID, "its systemPrompt is not a text");
	*ret = (struct sampling_request){
		.asks = s->asks,
		.model = s->model,
		.budget_usd = s->budget_usd,
		.max_tokens = wanted < (double)s->max_tokens ? (int64_t)wanted : s->max_tokens,
		.system = json_str(system).len ? arena_keep(mem, json_str(system)) : STR_NONE,
	};
	if (read_stops(mem, JSON_GET(params, "stopSequences"), ret_stops, e) != OK)
		return e->code;
	return read_messages(mem, JSON_GET(params, "messages"), ret, e);
}

/* ---- results ---- */

/* Where the first of them begins; -1: none occurs. */
static ptrdiff_t find_stop(struct arena *mem, struct str text, struct str stops)
{
	ptrdiff_t first = -1;
	struct json list, v;
	struct str key;

	if (!str_is(stops) || json_read(mem, stops, &list, NULL) != OK)
		return -1;

	struct json_iter it = json_iter(list);

	while (json_next(&it, &key, &v)) {
		ptrdiff_t at = str_find(text, json_str(v));

		if (at >= 0 && (first < 0 || at < first))
			first = at;
	}
	return first;
}

void mcp_sampling_write(struct buf *out, struct str answer, struct str stops)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v = { 0 };
	struct json_writer w;
	struct str text;
	ptrdiff_t at;

	if (json_read(mem, answer, &v, NULL) != OK)
		v = (struct json){ 0 };
	text = json_str(JSON_GET(v, "text"));
	at = find_stop(mem, text, stops);
	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "role", STR("assistant"));
	JW_KEY(&w, "content");
	jw_obj(&w);
	JW_KSTR(&w, "type", STR("text"));
	JW_KSTR(&w, "text", at < 0 ? text : str_head(text, (size_t)at));
	jw_obj_end(&w);
	JW_KSTR(&w, "model", json_str(JSON_GET(v, "model")));
	JW_KSTR(&w, "stopReason",
	        at < 0 ? json_str(JSON_GET(v, "stopReason")) : STR("stopSequence"));
	jw_obj_end(&w);
}
