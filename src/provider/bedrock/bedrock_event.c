/* Reads one message of a ConverseStream response. */
#include "provider/bedrock/bedrock.h"

/* ---- usage ---- */

/* The server's input excludes cached tokens; ours includes them. */
static void read_usage(struct response *a, struct json v)
{
	struct model_usage u = {
		.cached_input = response_part_tokens(v, STR("cacheReadInputTokens")),
		.cache_written = response_part_tokens(v, STR("cacheWriteInputTokens")),
		.output = response_part_tokens(v, STR("outputTokens")),
	};

	if (json_type(v) != JSON_OBJ || json_int(JSON_GET(v, "inputTokens"), -1) < 0)
		return;
	u.input = response_part_tokens(v, STR("inputTokens")) + u.cached_input + u.cache_written;
	response_part_usage(a, u);
}

/* ---- blocks ---- */

struct bedrock_state {
	bool has_text;
	int64_t text_index; /* of the block that text belongs to */
};

/* Text blocks have no start of their own: another index begins another. */
static void read_text(struct response *a, int64_t index, struct json text)
{
	struct bedrock_state *s = response_part_dialect_state(a, sizeof *s);

	if (!s->has_text || s->text_index != index)
		response_part_text(a);
	s->has_text = true;
	s->text_index = index;
	response_part_piece(a, PIECE_TEXT, json_str(text));
}

static void begin_call(struct response *a, int64_t index, struct json call)
{
	struct response_call *c = response_part_call(a, index);

	if (!c)
		return;
	response_part_call_id(a, c, json_str(JSON_GET(call, "toolUseId")));
	response_part_call_name(a, c, json_str(JSON_GET(call, "name")));
	if (json_count(JSON_GET(call, "input"))) /* a response that is not streamed */
		response_part_call_args(a, c, JSON_GET(call, "input"));
}

/* block: the delta or the block around `v`, which is returned as it is when it is redacted. */
static void read_reasoning(struct response *a, int64_t index, struct json block, struct json v)
{
	struct json whole = JSON_GET(v, "reasoningText");

	if (json_is(JSON_GET(v, "redactedContent")))
		response_part_opaque(a, block);
	else if (json_is(whole))
		response_part_thought(a, index, json_str(JSON_GET(whole, "text")),
		                      json_str(JSON_GET(whole, "signature")));
	else
		response_part_thought(a, index, json_str(JSON_GET(v, "text")),
		                      json_str(JSON_GET(v, "signature")));
}

static void grow_block(struct response *a, int64_t index, struct json delta)
{
	struct json call = JSON_GET(delta, "toolUse"),
		    thought = JSON_GET(delta, "reasoningContent");
	struct response_call *c = json_is(call) ? response_part_call_find(a, index) : NULL;

	if (c)
		response_part_call_args(a, c, JSON_GET(call, "input"));
	else if (json_is(thought))
		read_reasoning(a, index, delta, thought);
	else if (json_is(JSON_GET(delta, "text")))
		read_text(a, index, JSON_GET(delta, "text"));
}

/* ---- messages ---- */

/* The usage follows the end, in the last message. */
static void on_event(struct response *a, struct str event, struct json doc)
{
	int64_t index = json_int(JSON_GET(doc, "contentBlockIndex"), -1);
	struct json call = JSON_GET(JSON_GET(doc, "start"), "toolUse");

	if (str_eq(event, STR("contentBlockStart")) && json_is(call)) {
		begin_call(a, index, call);
	} else if (str_eq(event, STR("contentBlockDelta"))) {
		grow_block(a, index, JSON_GET(doc, "delta"));
	} else if (str_eq(event, STR("messageStop"))) {
		response_part_finish(a, json_str(JSON_GET(doc, "stopReason")));
	} else if (str_eq(event, STR("metadata"))) {
		read_usage(a, JSON_GET(doc, "usage"));
		response_part_conclude(a);
	}
}

/* The response of Converse, which a gateway may give instead of a stream. */
static void on_whole(struct response *a, struct json doc)
{
	struct json content = JSON_GET(JSON_GET(JSON_GET(doc, "output"), "message"), "content");
	struct json_iter it = json_iter(content);
	struct json block;
	struct str key;

	for (int64_t i = 0; json_next(&it, &key, &block); i++) {
		if (json_is(JSON_GET(block, "toolUse")))
			begin_call(a, i, JSON_GET(block, "toolUse"));
		else
			grow_block(a, i, block);
	}
	read_usage(a, JSON_GET(doc, "usage"));
	response_part_finish(a, json_str(JSON_GET(doc, "stopReason")));
}

static const struct finish_word finishes[] = {
	{ STR("end_turn"), STOP_REASON_END_TURN },
	{ STR("tool_use"), STOP_REASON_TOOL_USE },
	{ STR("max_tokens"), STOP_REASON_MAX_TOKENS },
	{ STR("stop_sequence"), STOP_REASON_STOP_SEQUENCE },
	{ STR("guardrail_intervened"), STOP_REASON_REFUSAL },
	{ STR("content_filtered"), STOP_REASON_REFUSAL },
	{ STR("model_context_window_exceeded"), STOP_REASON_CONTEXT_FULL },
	{ STR("malformed_model_output"), 0, ERROR_CATEGORY_PROTOCOL },
	{ STR("malformed_tool_use"), 0, ERROR_CATEGORY_PROTOCOL },
};

const struct dialect bedrock_event_dialect = {
	.word = STR("bedrock"),
	.accept = STR("application/vnd.amazon.eventstream"),
	.framing = FRAMING_MESSAGES,
	.path = bedrock_body_path,
	.write = bedrock_body_write,
	.on_event = on_event,
	.on_whole = on_whole,
	.finishes = finishes,
	.finish_count = COUNT_OF(finishes),
};
