/* Reads one event of a Chat Completions response. */
#include "provider/openai/openai_chat.h"

/* ---- text ---- */

static void read_parts(struct response *a, enum model_piece kind, struct json parts);

/* A string, or a list of parts as Mistral sends with reasoning. */
static void read_text(struct response *a, enum model_piece kind, struct json v)
{
	if (json_type(v) == JSON_ARR)
		read_parts(a, kind, v);
	else
		response_part_piece(a, kind, json_str(v));
}

static void read_parts(struct response *a, enum model_piece kind, struct json parts)
{
	struct json_iter it = json_iter(parts);
	struct json part;
	struct str key;

	while (json_next(&it, &key, &part)) {
		struct json thinking = JSON_GET(part, "thinking");

		/* The depth of a document is bounded, and so is this. */
		if (json_is(thinking))
			read_text(a, PIECE_REASONING, thinking);
		else
			response_part_piece(a, kind, json_str(JSON_GET(part, "text")));
	}
}

static void read_reasoning(struct response *a, struct json delta)
{
	/* Some send the same under both names. */
	struct str text = json_str(JSON_GET(delta, "reasoning_content"));

	if (!text.len)
		text = json_str(JSON_GET(delta, "reasoning"));
	response_part_piece(a, PIECE_REASONING, text);
}

/* ---- tool calls ---- */

/*
 * A call of the same index continues, unless the fragment brings another id and a name:
 * then a server with a constant index has begun a new call.
 */
static struct response_call *call_at(struct response *a, int64_t index, struct str id,
                                     bool has_name)
{
	for (size_t i = response_part_call_count(a); i-- > 0;) {
		struct response_call *c = response_part_call_at(a, i);
		bool is_other = id.len && c->id.len && !str_eq(id, buf_str(&c->id));

		if (c->index == index)
			return is_other && has_name && c->name.len ? NULL : c;
	}
	return NULL;
}

/* By id, else the last call, unless a name says that a new one begins. */
static struct response_call *call_named(struct response *a, struct str id, bool has_name)
{
	size_t count = response_part_call_count(a);
	struct response_call *last = count ? response_part_call_at(a, count - 1) : NULL;

	for (size_t i = count; id.len && i-- > 0;)
		if (str_eq(buf_str(&response_part_call_at(a, i)->id), id))
			return response_part_call_at(a, i);
	return last && has_name && last->name.len ? NULL : last;
}

/*
 * Finds the call of a fragment by its index.  But some servers give every call
 * the index 0 and a different id, and others give one call a new id with every
 * fragment, and only the first of them a name.  Without an index the id counts,
 * and without both a name begins a new call.
 */
static struct response_call *find_call(struct response *a, int64_t index, struct str id,
                                       bool has_name)
{
	struct response_call *c =
		index >= 0 ? call_at(a, index, id, has_name) : call_named(a, id, has_name);

	return c ? c : response_part_call(a, index);
}

static void read_call(struct response *a, struct json v, int64_t index)
{
	struct json function = JSON_GET(v, "function");
	struct str id = json_str(JSON_GET(v, "id"));
	struct str name = json_str(JSON_GET(function, "name"));
	struct response_call *c = find_call(a, index, id, name.len > 0);

	if (!c)
		return;
	response_part_call_id(a, c, id);
	response_part_call_name(a, c, name);
	response_part_call_args(a, c, JSON_GET(function, "arguments"));
}

static void read_calls(struct response *a, struct json calls)
{
	struct json_iter it = json_iter(calls);
	struct json each;
	struct str key;

	/* A whole response has no fragments: the position is the index. */
	for (int64_t i = 0; !response_is_over(a) && json_next(&it, &key, &each); i++)
		read_call(a, each,
		          json_int(JSON_GET(each, "index"), response_is_whole(a) ? i : -1));
}

/* The single call of older servers. */
static void read_function_call(struct response *a, struct json function)
{
	struct response_call *c = find_call(a, 0, STR_NONE, false);

	if (!c)
		return;
	response_part_call_name(a, c, json_str(JSON_GET(function, "name")));
	response_part_call_args(a, c, JSON_GET(function, "arguments"));
}

/* ---- usage ---- */

/* The last usage counts: some servers send a growing one with every event. */
static void read_usage(struct response *a, struct json v)
{
	struct json in = JSON_GET(v, "prompt_tokens_details");
	struct json out = JSON_GET(v, "completion_tokens_details");
	struct model_usage u = {
		.input = response_part_tokens(v, STR("prompt_tokens")),
		.output = response_part_tokens(v, STR("completion_tokens")),
		.cached_input = response_part_tokens(in, STR("cached_tokens")),
		.cache_written = response_part_tokens(in, STR("cache_write_tokens")),
		.reasoning = response_part_tokens(out, STR("reasoning_tokens")),
	};

	if (json_type(v) != JSON_OBJ || json_int(JSON_GET(v, "prompt_tokens"), -1) < 0 ||
	    json_int(JSON_GET(v, "completion_tokens"), -1) < 0)
		return;
	if (!u.cached_input)
		u.cached_input =
			response_part_tokens(v, STR("prompt_cache_hit_tokens")); /* DeepSeek */
	/* Some servers count reasoning outside the completion; the total shows it. */
	if (u.reasoning > u.output ||
	    (u.reasoning &&
	     response_part_tokens(v, STR("total_tokens")) == u.input + u.output + u.reasoning))
		u.output += u.reasoning;
	response_part_usage(a, u);
}

/* ---- how it ended ---- */

/* Words of OpenAI and of servers that imitate it; the first is the normal end. */
static const struct finish_word finishes[] = {
	{ STR("stop"), STOP_REASON_END_TURN },
	{ STR("tool_calls"), STOP_REASON_TOOL_USE },
	{ STR("function_call"), STOP_REASON_TOOL_USE },
	{ STR("length"), STOP_REASON_MAX_TOKENS },
	{ STR("content_filter"), STOP_REASON_REFUSAL },
	{ STR("sensitive"), STOP_REASON_REFUSAL },                             /* Zhipu */
	{ STR("stop_sequence"), STOP_REASON_STOP_SEQUENCE },                   /* TGI */
	{ STR("model_length"), STOP_REASON_CONTEXT_FULL },                     /* Mistral */
	{ STR("error"), 0, ERROR_CATEGORY_SERVER_ERROR },                      /* OpenRouter */
	{ STR("abort"), 0, ERROR_CATEGORY_SERVER_ERROR },                      /* vLLM, SGLang */
	{ STR("network_error"), 0, ERROR_CATEGORY_SERVER_ERROR },              /* Zhipu */
	{ STR("insufficient_system_resource"), 0, ERROR_CATEGORY_OVERLOADED }, /* DeepSeek */
};

/* ---- events ---- */

/* delta of a stream and message of a whole answer have the same members. */
static void read_delta(struct response *a, struct json delta)
{
	struct str refusal = json_str(JSON_GET(delta, "refusal"));
	struct json function = JSON_GET(delta, "function_call");

	read_reasoning(a, delta);
	read_text(a, PIECE_TEXT, JSON_GET(delta, "content"));
	if (refusal.len)
		response_part_refuse(a, refusal);
	read_calls(a, JSON_GET(delta, "tool_calls"));
	if (json_type(function) == JSON_OBJ)
		read_function_call(a, function);
}

/* We ask for one; what others a server adds is not ours. */
static struct json our_choice(struct json choices)
{
	struct json_iter it = json_iter(choices);
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		if (json_int(JSON_GET(each, "index"), 0) == 0)
			return each;
	return (struct json){ NULL };
}

/* The order matters: text and calls before the finish reason, after which nothing is accepted. */
static void read_document(struct response *a, struct json doc, struct str delta_key)
{
	struct json choice = our_choice(JSON_GET(doc, "choices"));
	struct json usage = JSON_GET(doc, "usage");
	struct str finish = json_str(JSON_GET(choice, "finish_reason"));

	read_delta(a, json_get(choice, delta_key));
	response_part_finish(a, finish);
	read_usage(a, json_type(usage) == JSON_OBJ ? usage : JSON_GET(choice, "usage"));
}

static void on_event(struct response *a, struct str event, struct json doc)
{
	(void)event;
	read_document(a, doc, STR("delta"));
}

static void on_whole(struct response *a, struct json doc)
{
	read_document(a, doc, STR("message"));
}

const struct dialect openai_chat_event_dialect = {
	.word = STR("openai"),
	.accept = STR("text/event-stream"),
	.path = openai_chat_body_path,
	.write = openai_chat_body_write,
	.on_event = on_event,
	.on_whole = on_whole,
	.finishes = finishes,
	.finish_count = COUNT_OF(finishes),
};
