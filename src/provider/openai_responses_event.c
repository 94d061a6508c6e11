/* What one event of a Responses answer means. */
#include "provider/openai_responses.h"

/* ---- items ---- */

static void begin_call(struct answer *a, int64_t index, struct json item)
{
	struct answer_call *c = answer_call_find(a, index);

	if (!c)
		c = answer_call(a, index);
	if (!c)
		return;
	answer_call_id(a, c, json_str(JSON_GET(item, "call_id")));
	answer_call_name(a, c, json_str(JSON_GET(item, "name")));
}

/* What was not told in fragments is told now; what was, is not repeated. */
static void end_call(struct answer *a, int64_t index, struct json args)
{
	struct answer_call *c = answer_call_find(a, index);

	if (c && !c->args.len)
		answer_call_args(a, c, args);
}

static bool is_kind(struct json item, const char *kind)
{
	return str_eq(json_str(JSON_GET(item, "type")), str_from(kind));
}

static void begin_item(struct answer *a, int64_t index, struct json item)
{
	if (is_kind(item, "function_call"))
		begin_call(a, index, item);
	else if (is_kind(item, "message"))
		answer_text_part(a);
}

/* Thoughts that nobody can read again need not be kept: without storage the id alone is void. */
static void end_item(struct answer *a, int64_t index, struct json item)
{
	if (is_kind(item, "function_call")) {
		begin_call(a, index, item);
		end_call(a, index, JSON_GET(item, "arguments"));
	} else if (is_kind(item, "reasoning") &&
	           json_str(JSON_GET(item, "encrypted_content")).len) {
		answer_opaque(a, item);
	}
}

/* ---- the end ---- */

static void read_usage(struct answer *a, struct json v)
{
	struct json in = JSON_GET(v, "input_tokens_details");

	if (json_type(v) != JSON_OBJ)
		return;
	answer_usage(a, (struct model_usage){
				.input = answer_tokens(v, STR("input_tokens")),
				.cached_input = answer_tokens(in, STR("cached_tokens")),
				.cache_written = answer_tokens(in, STR("cache_write_tokens")),
				.output = answer_tokens(v, STR("output_tokens")),
				.reasoning = answer_tokens(JSON_GET(v, "output_tokens_details"),
	                                                   STR("reasoning_tokens")),
			});
}

/* The response as a whole: its status is the finish, or the reason why it is not complete. */
static void read_response(struct answer *a, struct json response)
{
	struct json error = JSON_GET(response, "error");
	struct str status = json_str(JSON_GET(response, "status"));
	struct str reason = json_str(JSON_GET(JSON_GET(response, "incomplete_details"), "reason"));

	read_usage(a, JSON_GET(response, "usage"));
	if (json_type(error) == JSON_OBJ)
		answer_fail_by(a, error);
	else
		answer_finish(a, str_eq(status, STR("incomplete")) && reason.len ? reason : status);
}

/* ---- events ---- */

static void read_delta(struct answer *a, struct str type, int64_t index, struct json delta)
{
	struct answer_call *c;

	if (str_eq(type, STR("response.output_text.delta"))) {
		answer_piece(a, PIECE_TEXT, json_str(delta));
	} else if (str_eq(type, STR("response.refusal.delta"))) {
		answer_refuse(a, json_str(delta));
	} else if (str_eq(type, STR("response.reasoning_summary_text.delta")) ||
	           str_eq(type, STR("response.reasoning_text.delta"))) {
		answer_piece(a, PIECE_REASONING, json_str(delta));
	} else if (str_eq(type, STR("response.function_call_arguments.delta"))) {
		c = answer_call_find(a, index);
		if (c)
			answer_call_args(a, c, delta);
	}
}

static void on_event(struct answer *a, struct str event, struct json doc)
{
	struct str type = json_str(JSON_GET(doc, "type"));
	int64_t index = json_int(JSON_GET(doc, "output_index"), -1);

	if (!type.len)
		type = event;
	if (str_ends(type, STR(".delta"))) {
		read_delta(a, type, index, JSON_GET(doc, "delta"));
	} else if (str_eq(type, STR("response.output_item.added"))) {
		begin_item(a, index, JSON_GET(doc, "item"));
	} else if (str_eq(type, STR("response.function_call_arguments.done"))) {
		end_call(a, index, JSON_GET(doc, "arguments"));
	} else if (str_eq(type, STR("response.output_item.done"))) {
		end_item(a, index, JSON_GET(doc, "item"));
	} else if (str_eq(type, STR("response.completed")) ||
	           str_eq(type, STR("response.incomplete")) ||
	           str_eq(type, STR("response.failed"))) {
		read_response(a, JSON_GET(doc, "response"));
		answer_conclude(a);
	} else if (str_eq(type, STR("error"))) {
		answer_fail_by(a, doc);
	}
	/* The others say again what these have said. */
}

static void read_content(struct answer *a, struct json content)
{
	struct json_iter it = json_iter(content);
	struct json part;
	struct str key;

	answer_text_part(a);
	while (json_next(&it, &key, &part)) {
		answer_piece(a, PIECE_TEXT, json_str(JSON_GET(part, "text")));
		if (json_str(JSON_GET(part, "refusal")).len)
			answer_refuse(a, json_str(JSON_GET(part, "refusal")));
	}
}

static void on_whole(struct answer *a, struct json doc)
{
	struct json_iter it = json_iter(JSON_GET(doc, "output"));
	struct json item, part;
	struct str key, none;

	for (int64_t i = 0; json_next(&it, &key, &item); i++) {
		struct json_iter summary = json_iter(JSON_GET(item, "summary"));

		while (json_next(&summary, &none, &part))
			answer_piece(a, PIECE_REASONING, json_str(JSON_GET(part, "text")));
		if (is_kind(item, "message"))
			read_content(a, JSON_GET(item, "content"));
		else
			end_item(a, i, item);
	}
	read_response(a, doc);
}

static const struct finish_word finishes[] = {
	{ STR("completed"), STOP_END_TURN },
	{ STR("max_output_tokens"), STOP_MAX_TOKENS },
	{ STR("content_filter"), STOP_REFUSAL },
	{ STR("failed"), 0, ERROR_CATEGORY_SERVER_ERROR },
	{ STR("cancelled"), 0, ERROR_CATEGORY_SERVER_ERROR },
};

const struct dialect openai_responses_dialect = {
	.word = STR("responses"),
	.accept = STR("text/event-stream"),
	.path = responses_path,
	.write = responses_write,
	.on_event = on_event,
	.on_whole = on_whole,
	.finishes = finishes,
	.finish_count = COUNT_OF(finishes),
};
