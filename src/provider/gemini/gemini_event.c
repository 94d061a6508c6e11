/* Reads one event of a generateContent response. */
#include "provider/gemini/gemini.h"

/* ---- parts ---- */

static void read_call(struct response *a, struct json call)
{
	struct response_call *c = response_part_call(a, -1);

	if (!c)
		return;
	response_part_call_id(a, c, json_str(JSON_GET(call, "id")));
	response_part_call_name(a, c, json_str(JSON_GET(call, "name")));
	response_part_call_args(a, c, JSON_GET(call, "args"));
}

static void read_part(struct response *a, struct json part)
{
	struct json call = JSON_GET(part, "functionCall");
	struct str text = json_str(JSON_GET(part, "text"));
	struct str signature = json_str(JSON_GET(part, "thoughtSignature"));

	if (json_type(call) == JSON_OBJ) {
		read_call(a, call);
		response_part_sign(a, signature);
		return;
	}
	if (json_bool(JSON_GET(part, "thought"), false)) {
		response_part_piece(a, PIECE_REASONING, text);
		return;
	}
	/* Text with a signature is not joined with text without. */
	if (signature.len)
		response_part_text(a);
	response_part_piece(a, PIECE_TEXT, text);
	if (signature.len) {
		response_part_sign(a, signature);
		response_part_text(a);
	}
}

/* ---- usage ---- */

static void read_usage(struct response *a, struct json v)
{
	int64_t thoughts = response_part_tokens(v, STR("thoughtsTokenCount"));

	if (json_type(v) != JSON_OBJ || !json_is(JSON_GET(v, "promptTokenCount")))
		return;
	/* Thoughts are counted beside the candidates. */
	response_part_usage(
		a,
		(struct model_usage){
			.input = response_part_tokens(v, STR("promptTokenCount")) +
	                         response_part_tokens(v, STR("toolUsePromptTokenCount")),
			.cached_input = response_part_tokens(v, STR("cachedContentTokenCount")),
			.output = response_part_tokens(v, STR("candidatesTokenCount")) + thoughts,
			.reasoning = thoughts,
		});
}

/* ---- events ---- */

/* A blocked prompt has no candidate and no finish reason, only a reason for the block. */
static void read_document(struct response *a, struct json doc)
{
	struct json candidate = json_at(JSON_GET(doc, "candidates"), 0), part;
	struct json_iter it = json_iter(JSON_GET(JSON_GET(candidate, "content"), "parts"));
	struct str blocked = json_str(JSON_GET(JSON_GET(doc, "promptFeedback"), "blockReason"));
	struct str key;

	while (!response_is_over(a) && json_next(&it, &key, &part))
		read_part(a, part);
	read_usage(a, JSON_GET(doc, "usageMetadata"));
	response_part_finish(a, json_str(JSON_GET(candidate, "finishReason")));
	if (blocked.len)
		response_part_fail(a, ERROR_CATEGORY_CONTENT_FILTER, false,
		                   arena_printf(response_keep(a), "the input was blocked: %.*s",
		                                STR_ARG(str_head(blocked, 80))));
}

static void on_event(struct response *a, struct str event, struct json doc)
{
	(void)event;
	read_document(a, doc);
}

/* Without alt=sse the events come as one list. */
static void on_whole(struct response *a, struct json doc)
{
	struct json_iter it = json_iter(doc);
	struct json each;
	struct str key;

	if (json_type(doc) != JSON_ARR) {
		read_document(a, doc);
		return;
	}
	while (json_next(&it, &key, &each))
		read_document(a, each);
}

static const struct finish_word finishes[] = {
	{ STR("STOP"), STOP_REASON_END_TURN },
	{ STR("MAX_TOKENS"), STOP_REASON_MAX_TOKENS },
	{ STR("SAFETY"), STOP_REASON_REFUSAL },
	{ STR("RECITATION"), STOP_REASON_REFUSAL },
	{ STR("LANGUAGE"), STOP_REASON_REFUSAL },
	{ STR("BLOCKLIST"), STOP_REASON_REFUSAL },
	{ STR("PROHIBITED_CONTENT"), STOP_REASON_REFUSAL },
	{ STR("SPII"), STOP_REASON_REFUSAL },
	{ STR("IMAGE_SAFETY"), STOP_REASON_REFUSAL },
	/* The model tried to call a tool with invalid syntax. */
	{ STR("MALFORMED_FUNCTION_CALL"), 0, ERROR_CATEGORY_PROTOCOL },
	{ STR("UNEXPECTED_TOOL_CALL"), 0, ERROR_CATEGORY_PROTOCOL },
	{ STR("MALFORMED_RESPONSE"), 0, ERROR_CATEGORY_PROTOCOL },
	{ STR("MISSING_THOUGHT_SIGNATURE"), 0, ERROR_CATEGORY_INVALID_REQUEST, true },
	{ STR("TOO_MANY_TOOL_CALLS"), 0, ERROR_CATEGORY_INVALID_REQUEST, true },
};

const struct dialect gemini_event_dialect = {
	.word = STR("gemini"),
	.accept = STR("text/event-stream"),
	.key_header = STR("x-goog-api-key"),
	.path = gemini_body_path,
	.write = gemini_body_write,
	.on_event = on_event,
	.on_whole = on_whole,
	.finishes = finishes,
	.finish_count = COUNT_OF(finishes),
};
