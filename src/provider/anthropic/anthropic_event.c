/* Reads one event of a Messages response. */
#include "provider/anthropic/anthropic.h"

/* ---- usage ---- */

/* A missing count keeps its earlier value: message_delta may leave out what message_start said. */
static int64_t tokens_or(struct json v, struct str key, int64_t before)
{
	return json_int(json_get(v, key), -1) >= 0 ? response_part_tokens(v, key) : before;
}

/*
 * Counts are cumulative: message_start has the input, message_delta the output
 * and all earlier counts again.  The server's input excludes cached tokens; ours
 * includes them.
 */
static void read_usage(struct response *a, struct json v)
{
	const struct model_usage *u = response_part_usage_so_far(a);
	int64_t plain = u->input - u->cached_input - u->cache_written;
	struct model_usage now = {
		.cached_input = tokens_or(v, STR("cache_read_input_tokens"), u->cached_input),
		.cache_written = tokens_or(v, STR("cache_creation_input_tokens"), u->cache_written),
		.output = tokens_or(v, STR("output_tokens"), u->output),
		.reasoning = tokens_or(JSON_GET(v, "output_tokens_details"), STR("thinking_tokens"),
		                       u->reasoning),
	};

	/* Without the input count the usage is unknown. */
	if (json_type(v) != JSON_OBJ ||
	    (!u->known && json_int(JSON_GET(v, "input_tokens"), -1) < 0))
		return;
	now.input = tokens_or(v, STR("input_tokens"), plain) + now.cached_input + now.cache_written;
	response_part_usage(a, now);
}

/* ---- blocks ---- */

static void begin_call(struct response *a, int64_t index, struct json block)
{
	struct json input = JSON_GET(block, "input");
	struct response_call *c = response_part_call(a, index);

	if (!c)
		return;
	response_part_call_id(a, c, json_str(JSON_GET(block, "id")));
	response_part_call_name(a, c, json_str(JSON_GET(block, "name")));
	if (json_count(input)) /* else the input comes in fragments */
		response_part_call_args(a, c, input);
}

/* Reads the start of a block; in a whole response that is the whole block. */
static void begin_block(struct response *a, int64_t index, struct json block)
{
	struct str type = json_str(JSON_GET(block, "type"));

	if (str_eq(type, STR("text"))) {
		response_part_text(a);
		response_part_piece(a, PIECE_TEXT, json_str(JSON_GET(block, "text")));
	} else if (str_eq(type, STR("thinking"))) {
		response_part_thought(a, index, json_str(JSON_GET(block, "thinking")),
		                      json_str(JSON_GET(block, "signature")));
	} else if (str_eq(type, STR("redacted_thinking"))) {
		response_part_opaque(a, block);
	} else if (str_eq(type, STR("tool_use"))) {
		begin_call(a, index, block);
	}
	/* Blocks of tools that the server runs itself are ignored. */
}

/* A signature arrives as the last fragment of its thought. */
static void grow_block(struct response *a, int64_t index, struct json delta)
{
	struct str type = json_str(JSON_GET(delta, "type"));
	struct response_call *c;

	if (str_eq(type, STR("text_delta"))) {
		response_part_piece(a, PIECE_TEXT, json_str(JSON_GET(delta, "text")));
	} else if (str_eq(type, STR("thinking_delta"))) {
		response_part_thought(a, index, json_str(JSON_GET(delta, "thinking")), STR_NONE);
	} else if (str_eq(type, STR("signature_delta"))) {
		response_part_thought(a, index, STR_NONE, json_str(JSON_GET(delta, "signature")));
	} else if (str_eq(type, STR("input_json_delta"))) {
		c = response_part_call_find(a, index);
		if (c)
			response_part_call_args(a, c, JSON_GET(delta, "partial_json"));
	}
}

/* ---- events ---- */

static void read_stop(struct response *a, struct json v)
{
	response_part_finish(a, json_str(JSON_GET(v, "stop_reason")));
}

/* The type in the document counts; the name of the SSE event is the fallback. */
static void on_event(struct response *a, struct str event, struct json doc)
{
	struct str type = json_str(JSON_GET(doc, "type"));
	int64_t index = json_int(JSON_GET(doc, "index"), -1);

	if (!type.len)
		type = event;
	if (str_eq(type, STR("message_start"))) {
		read_usage(a, JSON_GET(JSON_GET(doc, "message"), "usage"));
	} else if (str_eq(type, STR("content_block_start"))) {
		begin_block(a, index, JSON_GET(doc, "content_block"));
	} else if (str_eq(type, STR("content_block_delta"))) {
		grow_block(a, index, JSON_GET(doc, "delta"));
	} else if (str_eq(type, STR("message_delta"))) {
		read_stop(a, JSON_GET(doc, "delta"));
		read_usage(a, JSON_GET(doc, "usage"));
	} else if (str_eq(type, STR("message_stop"))) {
		response_part_conclude(a);
	}
	/* ping, content_block_stop and unknown events are ignored. */
}

static void on_whole(struct response *a, struct json doc)
{
	struct json_iter it = json_iter(JSON_GET(doc, "content"));
	struct json block;
	struct str key;

	for (int64_t i = 0; json_next(&it, &key, &block); i++)
		begin_block(a, i, block);
	read_stop(a, doc);
	read_usage(a, JSON_GET(doc, "usage"));
}

static const struct finish_word finishes[] = {
	{ STR("end_turn"), STOP_REASON_END_TURN },
	{ STR("tool_use"), STOP_REASON_TOOL_USE },
	{ STR("max_tokens"), STOP_REASON_MAX_TOKENS },
	{ STR("pause_turn"), STOP_REASON_PAUSE_TURN },
	{ STR("stop_sequence"), STOP_REASON_STOP_SEQUENCE },
	{ STR("refusal"), STOP_REASON_REFUSAL },
	{ STR("model_context_window_exceeded"), STOP_REASON_CONTEXT_FULL },
};

const struct dialect anthropic_event_dialect = {
	.word = STR("anthropic"),
	.accept = STR("text/event-stream"),
	.key_header = STR("x-api-key"),
	.header = { STR("anthropic-version"), STR("2023-06-01") },
	.path = anthropic_body_path,
	.write = anthropic_body_write,
	.on_event = on_event,
	.on_whole = on_whole,
	.finishes = finishes,
	.finish_count = COUNT_OF(finishes),
};
