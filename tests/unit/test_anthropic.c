/* The dialect of Anthropic: bodies out, streams in, errors. */
#define CASE_DIALECT (&anthropic_event_dialect)
#include "provider/anthropic/anthropic.h"
#include "image_message.h"

#include "answer_case.h"

#define EVENT(type, more) "event: " type "\ndata: {\"type\":\"" type "\"" more "}\n\n"
#define START                                                                                      \
	EVENT("message_start",                                                                     \
	      ",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\","        \
	      "\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":3,"                 \
	      "\"cache_creation_input_tokens\":5,\"cache_read_input_tokens\":11,"                  \
	      "\"output_tokens\":1}}")
#define OPEN(index, block)                                                                         \
	EVENT("content_block_start", ",\"index\":" #index ",\"content_block\":{" block "}")
#define GROW(index, delta)                                                                         \
	EVENT("content_block_delta", ",\"index\":" #index ",\"delta\":{" delta "}")
#define CLOSE(index) EVENT("content_block_stop", ",\"index\":" #index)
#define TEXT(index, text) GROW(index, "\"type\":\"text_delta\",\"text\":\"" text "\"")
#define FINISH(reason)                                                                             \
	EVENT("message_delta",                                                                     \
	      ",\"delta\":{\"stop_reason\":\"" reason "\",\"stop_sequence\":null},"                \
	      "\"usage\":{\"output_tokens\":7}")
#define STOP EVENT("message_stop", "")
#define PING EVENT("ping", "")
#define OPEN_TEXT(index) OPEN(index, "\"type\":\"text\",\"text\":\"\"")
#define USED " usage[19 11 5 7 0]"

/* ---- streams ---- */

TEST(text_comes_in_pieces_between_pings)
{
	CHECK_STREAM(START OPEN_TEXT(0) PING TEXT(0, "Hel") PING TEXT(0, "lo \xe2\x82\xac") CLOSE(0)
	                     FINISH("end_turn") STOP,
	             "T:Hel|T:lo \xe2\x82\xac|end_turn (end_turn)" USED);
}

TEST(usage_adds_up_what_the_cache_read_and_wrote)
{
	CHECK_STREAM(START OPEN_TEXT(0) TEXT(0, "a") CLOSE(0)
	                     EVENT("message_delta",
	                           ",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"
	                           "\"input_tokens\":4,\"cache_creation_input_tokens\":0,"
	                           "\"cache_read_input_tokens\":20,\"output_tokens\":9,"
	                           "\"output_tokens_details\":{\"thinking_tokens\":6}}") STOP,
	             "T:a|end_turn (end_turn) usage[24 20 0 9 6]");
	/* without any it stays unknown */
	CHECK_STREAM(OPEN_TEXT(0) TEXT(0, "a")
	                     EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}")
	                             STOP,
	             "T:a|end_turn (end_turn)");
	CHECK_STREAM(EVENT("message_start", ",\"message\":{\"usage\":{\"input_tokens\":-4,"
	                                    "\"output_tokens\":1e30}}") OPEN_TEXT(0) TEXT(0, "a")
	                     EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}"),
	             "T:a|end_turn (end_turn)");
	CHECK_STREAM(OPEN_TEXT(0) TEXT(0, "a") FINISH("end_turn") STOP, "T:a|end_turn (end_turn)");
}

TEST(arguments_in_fragments_become_calls_at_the_end)
{
	CHECK_STREAM(
		START OPEN_TEXT(0) TEXT(0, "Let me see.") CLOSE(0) OPEN(
			1,
			"\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"read\",\"input\":{}")
			GROW(1, "\"type\":\"input_json_delta\",\"partial_json\":\"\"")
				GROW(1, "\"type\":\"input_json_delta\",\"partial_json\":"
	                                "\"{\\\"p\\\": \"")
					GROW(1, "\"type\":\"input_json_delta\","
	                                        "\"partial_json\":\"\\\"x\\\"}\"") CLOSE(1)
		/* no arguments at all */
		OPEN(2, "\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"ls\",\"input\":{}")
			CLOSE(2) FINISH("tool_use") STOP,
		"T:Let me see.|A:{\"p\": |A:\"x\"}|tool_use (tool_use) "
		"call[toolu_1 read {\"p\": \"x\"}] call[toolu_2 ls {}]" USED);
	/* arguments that come with the start of the block */
	CHECK_STREAM(START OPEN(0, "\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"ls\",\"input\":{"
	                           "\"a\":1}") CLOSE(0) FINISH("tool_use") STOP,
	             "A:{\"a\":1}|tool_use (tool_use) call[t ls {\"a\":1}]" USED);
	/* the runtime reports invalid JSON of a complete response */
	CHECK_STREAM(
		START OPEN(0, "\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"ls\",\"input\":{}")
			GROW(0, "\"type\":\"input_json_delta\",\"partial_json\":\"{oops\"") CLOSE(0)
				FINISH("tool_use") STOP,
		"A:{oops|tool_use (tool_use) call[t ls {oops]" USED);
}

#define HALF_A_CALL                                                                                \
	START OPEN(0, "\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"rm\",\"input\":{}")           \
		GROW(0, "\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"p\\\":\\\"/\"")

TEST(half_a_call_is_never_acted_on)
{
	CHECK_STREAM(HALF_A_CALL FINISH("max_tokens") STOP,
	             "A:{\"p\":\"/|max_tokens (max_tokens)" USED);
	CHECK_STREAM(HALF_A_CALL STOP,
	             "A:{\"p\":\"/|failed protocol retryable (sim: the stream ended "
	             "without a finish reason) usage[19 11 5 1 0]");
	CHECK_STREAM(HALF_A_CALL,
	             "A:{\"p\":\"/|failed network retryable (sim: the stream ended before "
	             "the answer was whole) usage[19 11 5 1 0]");
	CHECK_ANSWER("A:{\"p\":\"/|failed network retryable (sim: it broke) usage[19 11 5 1 0]",
	             200, SSE, STR(HALF_A_CALL), .is_broken = true);
}

TEST(a_pause_is_not_the_end)
{
	CHECK_STREAM(START OPEN(0, "\"type\":\"text\",\"text\":\"a\"") FINISH("pause_turn") STOP,
	             "T:a|pause_turn (pause_turn)" USED);
	CHECK_STREAM(HALF_A_CALL FINISH("pause_turn") STOP,
	             "A:{\"p\":\"/|pause_turn (pause_turn)" USED);
}

#define SAY(text) GROW(0, "\"type\":\"text_delta\",\"text\":\"" text "\"")
#define THINK(text) GROW(0, "\"type\":\"thinking_delta\",\"thinking\":\"" text "\"")
#define GIVE(text) GROW(0, "\"type\":\"input_json_delta\",\"partial_json\":\"" text "\"")

TEST(a_character_that_was_cut_in_two_is_put_together)
{
	CHECK_STREAM(START OPEN(0, "\"type\":\"text\",\"text\":\"\"") SAY("a\\ud83d")
	                     SAY("\\ude00b") FINISH("end_turn") STOP,
	             "T:a|T:\xf0\x9f\x98\x80"
	             "b|end_turn (end_turn)" USED);
	/* Halves that find no other. */
	CHECK_STREAM(START OPEN(0, "\"type\":\"text\",\"text\":\"\"") SAY("a\\ud83d") SAY("b")
	                     FINISH("end_turn") STOP,
	             "T:a|T:\xef\xbf\xbd"
	             "b|end_turn (end_turn)" USED);
	CHECK_STREAM(START OPEN(0, "\"type\":\"text\",\"text\":\"\"") SAY("a\\ud83d")
	                     FINISH("end_turn") STOP,
	             "T:a|T:\xef\xbf\xbd|end_turn (end_turn)" USED);
	CHECK_STREAM(START OPEN(0, "\"type\":\"text\",\"text\":\"\"") SAY("\\ude00 \\\\ud83d")
	                     FINISH("end_turn") STOP,
	             "T:\xef\xbf\xbd \\ud83d|end_turn (end_turn)" USED);
	/* Halves of a thought and of a text, both open at once. */
	CHECK_STREAM(START OPEN(0, "\"type\":\"thinking\",\"thinking\":\"\"") THINK("a\\ud83d")
	                     OPEN_TEXT(1) TEXT(1, "b\\ud83d") FINISH("end_turn") STOP,
	             "R:a|T:b|T:\xef\xbf\xbd|R:\xef\xbf\xbd|end_turn (end_turn)" USED);
#define WRITE START OPEN(0, "\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"w\",\"input\":{}")
	/* In the text of the arguments, and in the JSON that it is. */
	CHECK_STREAM(WRITE GIVE("{\\\"p\\\":\\\"\\ud83d") GIVE("\\ude00\\\"}") FINISH("tool_use")
	                     STOP,
	             "A:{\"p\":\"|A:\xf0\x9f\x98\x80\"}|tool_use (tool_use) call[t w "
	             "{\"p\":\"\xf0\x9f\x98\x80\"}]" USED);
	CHECK_STREAM(WRITE GIVE("{\\\"p\\\":\\\"\\\\ud83d") GIVE("\\\\ude00\\\"}")
	                     FINISH("tool_use") STOP,
	             "A:{\"p\":\"\\ud83d|A:\\ude00\"}|tool_use (tool_use) call[t w "
	             "{\"p\":\"\\ud83d\\ude00\"}]" USED);
	CHECK_STREAM(WRITE GIVE("{\\\"p\\\":\\\"\\\\ud83d\\\"}") FINISH("tool_use") STOP,
	             "A:{\"p\":\"\\ud83d\"}|tool_use (tool_use) call[t w "
	             "{\"p\":\"\xef\xbf\xbd\"}]" USED);
}

TEST(calls_of_a_refused_answer_are_not_made)
{
	CHECK_STREAM(START OPEN(0, "\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"rm\","
	                           "\"input\":{\"a\":1}") CLOSE(0) FINISH("refusal") STOP,
	             "A:{\"a\":1}|refusal (refusal)" USED);
}

TEST(thoughts_and_their_signatures_are_the_state)
{
	CHECK_STREAM(
		START OPEN(0, "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"")
			GROW(0, "\"type\":\"thinking_delta\",\"thinking\":\"Hm \\\"a\\\". \"") GROW(
				0, "\"type\":\"thinking_delta\",\"thinking\":\"Yes.\"")
				GROW(0, "\"type\":\"signature_delta\",\"signature\":\"EqQ\"") GROW(
					0, "\"type\":\"signature_delta\",\"signature\":"
					   "\"B+/==\"") CLOSE(0)
					OPEN(1, "\"type\":\"redacted_thinking\",\"data\":\"b3Bh\"")
						CLOSE(1) OPEN_TEXT(2) TEXT(2, "On") TEXT(2, "e. ")
							CLOSE(2) OPEN_TEXT(3) TEXT(3,
	                                                                           "Two.") CLOSE(3)
								OPEN(4,
	                                                             "\"type\":\"tool_use\",\"id\":"
	                                                             "\"t\",\"name\":\"ls\","
	                                                             "\"input\":{}") CLOSE(4)
									FINISH("tool_use") STOP,
		"R:Hm \"a\". |R:Yes.|T:On|T:e. |T:Two.|tool_use (tool_use) call[t ls {}] "
		"state{\"dialect\":\"anthropic\",\"model\":\"m\",\"parts\":["
		"{\"thought\":\"Hm \\\"a\\\". Yes.\",\"signature\":\"EqQB+/==\"},"
		"{\"opaque\":{\"type\":\"redacted_thinking\",\"data\":\"b3Bh\"}},"
		"{\"text\":5},{\"text\":4},{\"call\":\"t\"}]}" USED);
}

TEST(every_way_to_stop_has_its_word)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ FINISH("end_turn"), "T:a|end_turn (end_turn)" USED },
		{ FINISH("max_tokens"), "T:a|max_tokens (max_tokens)" USED },
		{ FINISH("stop_sequence"), "T:a|stop_sequence (stop_sequence)" USED },
		{ FINISH("tool_use"), "T:a|end_turn (tool_use)" USED },
		{ FINISH("pause_turn"), "T:a|pause_turn (pause_turn)" USED },
		{ FINISH("refusal"), "T:a|refusal (refusal)" USED },
		{ FINISH("model_context_window_exceeded"),
		  "T:a|context_full (model_context_window_exceeded)" USED },
		{ FINISH("a_new_one"), "T:a|end_turn (a_new_one)" USED },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		buf_add_c(&text, START OPEN_TEXT(0) TEXT(0, "a") CLOSE(0));
		buf_add_c(&text, rows[i].text);
		CHECK_ANSWER(rows[i].want, 200, SSE,
		             buf_str(&text)); /* it is whole without the last */
		buf_add_c(&text, STOP);
		CHECK_ANSWER(rows[i].want, 200, SSE, buf_str(&text));
	}
}

TEST(what_is_not_known_is_passed_over)
{
	CHECK_STREAM(START EVENT("novelty", ",\"index\":0") OPEN(0, "\"type\":\"server_tool_use\","
	                                                            "\"id\":\"s\",\"name\":\"web\","
	                                                            "\"input\":{}")
	                     GROW(0, "\"type\":\"input_json_delta\",\"partial_json\":\"{}\"")
	                             CLOSE(0) OPEN_TEXT(1) GROW(1, "\"type\":\"citations_delta\","
	                                                           "\"citation\":{}") TEXT(1, "a")
	                                     FINISH("end_turn") STOP,
	             "T:a|end_turn (end_turn)" USED);
}

TEST(an_error_may_come_in_the_middle_of_a_stream)
{
	static const struct {
		const char *type, *want;
	} rows[] = {
		{ "overloaded_error", "overloaded retryable" },
		{ "api_error", "server_error retryable" },
		{ "rate_limit_error", "rate_limited retryable" },
		{ "timeout_error", "timeout retryable" },
		{ "invalid_request_error", "invalid_request" },
		{ "authentication_error", "auth" },
		{ "permission_error", "auth" },
		{ "billing_error", "quota" },
		{ "request_too_large", "context_length" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 }, want = { 0 };

		buf_add_c(&text, START OPEN_TEXT(0) TEXT(0, "a"));
		buf_printf(&text,
		           "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"%s\","
		           "\"message\":\"Ow\"},\"request_id\":\"req_1\"}\n\n",
		           rows[i].type);
		buf_add_c(&text, TEXT(0, "never") STOP);
		buf_printf(&want, "T:a|failed %s (Ow) usage[19 11 5 1 0]", rows[i].want);
		buf_add_char(&want, 0);
		CHECK_ANSWER(want.ptr, 200, SSE, buf_str(&text));
	}
}

TEST(a_server_that_does_not_stream_is_understood)
{
	CHECK_ANSWER(
		"R:hm|T:Hi|A:{\"a\":1}|tool_use (tool_use) call[t ls {\"a\":1}] "
		"state{\"dialect\":\"anthropic\",\"model\":\"m\",\"parts\":[{\"thought\":\"hm\","
		"\"signature\":\"s\"},{\"text\":2},{\"call\":\"t\"}]} usage[3 0 0 4 0]",
		200, "application/json",
		STR("{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":["
	            "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},"
	            "{\"type\":\"text\",\"text\":\"Hi\"},{\"type\":\"tool_use\",\"id\":\"t\","
	            "\"name\":\"ls\",\"input\":{\"a\":1}}],\"stop_reason\":\"tool_use\","
	            "\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}"));
	CHECK_ANSWER("failed protocol (sim: the answer is not what was asked for; is the base URL "
	             "right?)",
	             200, "application/json", STR("{\"hello\":\"world\"}"));
}

/* ---- errors by status ---- */

#define ERR(type, message)                                                                         \
	"{\"type\":\"error\",\"error\":{\"type\":\"" type "\",\"message\":\"" message "\"},"       \
	"\"request_id\":\"req_1\"}"

TEST(a_status_becomes_a_category)
{
	static const struct {
		int status;
		const char *body, *want;
	} rows[] = {
		{ 400, ERR("invalid_request_error", "no"), "failed invalid_request (no)" },
		{ 400,
		  ERR("invalid_request_error",
		      "prompt is too long: 210000 tokens > 200000 maximum"),
		  "failed context_length (prompt is too long: 210000 tokens > 200000 maximum)" },
		{ 400,
		  ERR("invalid_request_error", "Your credit balance is too low to access the API."),
		  "failed quota (Your credit balance is too low to access the API.)" },
		{ 401, ERR("authentication_error", "invalid x-api-key"),
		  "failed auth (invalid x-api-key)" },
		{ 402, ERR("billing_error", "pay"), "failed quota (pay)" },
		{ 403, ERR("permission_error", "no"), "failed auth (no)" },
		{ 404, ERR("not_found_error", "model: x"), "failed invalid_request (model: x)" },
		{ 413, ERR("request_too_large", "big"), "failed context_length (big)" },
		{ 429, ERR("rate_limit_error", "slow"), "failed rate_limited retryable (slow)" },
		{ 429,
		  "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":"
		  "\"cap\","
		  "\"details\":{\"error_code\":\"enforced_spend_limit_reached\"}}}",
		  "failed quota (cap)" },
		{ 500, ERR("api_error", "oops"), "failed server_error retryable (oops)" },
		{ 504, ERR("timeout_error", "late"), "failed timeout retryable (late)" },
		{ 529, ERR("overloaded_error", "busy"), "failed overloaded retryable (busy)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		CHECK_ANSWER(rows[i].want, rows[i].status, "application/json",
		             str_from(rows[i].body));
}

TEST(a_limit_that_is_used_up_says_how_long_to_wait)
{
	static const struct http_client_header headers[] = {
		{ STR("anthropic-ratelimit-input-tokens-limit"), STR("40000") },
		{ STR("anthropic-ratelimit-input-tokens-remaining"), STR("0") },
		{ STR("anthropic-ratelimit-input-tokens-reset"), STR("2026-01-01T00:00:31Z") },
		{ STR("date"), STR("Thu, 01 Jan 2026 00:00:01 GMT") },
	};

	CHECK_ANSWER("failed rate_limited retryable after 30000 (slow)", 429, "application/json",
	             STR(ERR("rate_limit_error", "slow")), .headers = headers, .header_count = 4);
	/* without a date there is nothing to measure it by */
	CHECK_ANSWER("failed rate_limited retryable (slow)", 429, "application/json",
	             STR(ERR("rate_limit_error", "slow")), .headers = headers, .header_count = 3);
}

/* ---- requests ---- */

static struct str body_of(struct arena *mem, const struct model_request *req,
                          const struct body_options *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json doc;
	struct error e;

	CHECK_OK(anthropic_body_write(req, o, &out, &e), &e);
	CHECK_OK(json_read(mem, buf_str(&out), &doc, &e), &e);
	return arena_keep(mem, buf_str(&out));
}

#define MARK ",\"cache_control\":{\"type\":\"ephemeral\"}"

TEST(a_request_holds_the_conversation_with_marks_for_the_cache)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct model_call calls[] = { { STR("functions.read:0"), STR("read"),
		                        STR("{\"p\":\"a\"}") },
		                      { STR("c2"), STR("ls"), STR("{broken") } };
	struct message messages[] = {
		{ .role = ROLE_SYSTEM, .text = STR("Be brief.") },
		{ .role = ROLE_SYSTEM, .text = STR("Be kind.") },
		{ .role = ROLE_USER, .text = STR("hi") },
		{ .role = ROLE_ASSISTANT, .text = STR("ok"), .calls = calls, .call_count = 2 },
		{ .role = ROLE_USER, .text = STR("and hurry") },
		{ .role = ROLE_TOOL, .text = STR("data"), .call_id = STR("functions.read:0") },
		{ .role = ROLE_ASSISTANT, .text = STR(" \n") },
		{ .role = ROLE_USER, .text = STR("well?") },
	};
	struct tool_spec tools[] = { { STR("read"), STR("Reads."), STR("{\"type\": \"object\"}") },
		                     { STR("ls"), STR_NONE, STR_NONE } };
	struct model_request req = { .model = STR("m"),
		                     .messages = messages,
		                     .message_count = 8,
		                     .tools = tools,
		                     .tool_count = 2,
		                     .max_output_tokens = 100 };

	CHECK_STR(body_of(mem, &req, &(struct body_options){ 0 }),
	          "{\"model\":\"m\",\"max_tokens\":100,\"stream\":true,\"tools\":["
	          "{\"name\":\"read\",\"description\":\"Reads.\",\"input_schema\":{\"type\": "
	          "\"object\"}},"
	          "{\"name\":\"ls\",\"input_schema\":{\"type\":\"object\",\"properties\":{}}" MARK
	          "}],"
	          "\"system\":[{\"type\":\"text\",\"text\":\"Be brief.\"},"
	          "{\"type\":\"text\",\"text\":\"Be kind.\"" MARK "}],"
	          "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":"
	          "\"hi\"}]},"
	          "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"ok\"},"
	          "{\"type\":\"tool_use\",\"id\":\"functions_read_0\",\"name\":\"read\",\"input\":{"
	          "\"p\":\"a\"}},"
	          "{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":\"ls\",\"input\":{}}]},"
	          "{\"role\":\"user\",\"content\":["
	          "{\"type\":\"tool_result\",\"tool_use_id\":\"functions_read_0\",\"content\":"
	          "\"data\"},"
	          "{\"type\":\"tool_result\",\"tool_use_id\":\"c2\",\"content\":\"No result: the "
	          "call "
	          "was interrupted.\",\"is_error\":true},"
	          "{\"type\":\"text\",\"text\":\"and hurry\"},"
	          "{\"type\":\"text\",\"text\":\"well?\"" MARK "}]}]}");

	struct str plain = body_of(mem, &req, &(struct body_options){ .lacks_cache_marks = true });

	CHECK(str_find(plain, STR("cache_control")) < 0);
}

TEST(thoughts_go_back_where_they_stood)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct model_call call = { STR("t"), STR("ls"), STR("{}") };
	struct message messages[] = {
		{ .role = ROLE_USER, .text = STR("hi") },
		{ .role = ROLE_ASSISTANT,
		  .text = STR("One. Two."),
		  .calls = &call,
		  .call_count = 1,
		  .state = STR("{\"dialect\":\"anthropic\",\"model\":\"m\",\"parts\":["
		               "{\"thought\":\"Hm \\\"a\\\"\",\"signature\":\"EqQB+/==\"},"
		               "{\"opaque\":{\"type\":\"redacted_thinking\",\"data\":\"b3Bh\"}},"
		               "{\"text\":5},{\"call\":\"t\"},"
		               "{\"thought\":\"\",\"signature\":\"Zm9v\"},{\"text\":4}]}") },
		{ .role = ROLE_TOOL, .text = STR("data"), .call_id = STR("t") },
	};
	struct model_request req = { .model = STR("m"), .messages = messages, .message_count = 3 };
	struct body_options o = {
		.extra_body = STR("{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}}")
	};

	CHECK_HAS(body_of(mem, &req, &o),
	          "\"content\":[{\"type\":\"thinking\",\"thinking\":\"Hm \\\"a\\\"\",\"signature\":"
	          "\"EqQB+/==\"},{\"type\":\"redacted_thinking\",\"data\":\"b3Bh\"},"
	          "{\"type\":\"text\",\"text\":\"One. \"},"
	          "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"ls\",\"input\":{}},"
	          "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"Zm9v\"},"
	          "{\"type\":\"text\",\"text\":\"Two.\"}]");
	CHECK_HAS(body_of(mem, &req, &o), "\"thinking\":{\"type\":\"enabled\"");

	/* of another model, or of another text: without them, and without thinking on */
	static const struct str others[] = {
		STR("{\"dialect\":\"anthropic\",\"model\":\"n\",\"parts\":[{\"thought\":\"x\","
		    "\"signature\":\"y\"},{\"text\":9},{\"call\":\"t\"}]}"),
		STR("{\"dialect\":\"gemini\",\"model\":\"m\",\"parts\":[{\"thought\":\"x\","
		    "\"signature\":\"y\"},{\"text\":9},{\"call\":\"t\"}]}"),
		STR("{\"dialect\":\"anthropic\",\"model\":\"m\",\"parts\":[{\"thought\":\"x\","
		    "\"signature\":\"y\"},{\"text\":8},{\"call\":\"t\"}]}"),
		STR("{\"dialect\":\"anthropic\",\"model\":\"m\",\"parts\":[{\"thought\":\"x\","
		    "\"signature\":\"y\"},{\"text\":10},{\"call\":\"t\"}]}"),
		STR("{\"dialect\":\"anthropic\",\"model\":\"m\",\"parts\":[{\"thought\":\"x\","
		    "\"signature\":\"y\"},{\"text\":9},{\"call\":\"u\"}]}"),
		STR("{\"dialect\":\"anthropic\",\"model\":\"m\",\"parts\":[{\"thought\":\"x\","
		    "\"signature\":\"y\"},{\"text\":9}]}"),
		STR("{\"dialect\":\"anthropic\",\"model\":\"m\",\"parts\":7}"),
		STR("nonsense"),
	};

	for (size_t i = 0; i < COUNT_OF(others); i++) {
		messages[1].state = others[i];
		CHECK_HAS(body_of(mem, &req, &o), "\"content\":[{\"type\":\"text\",\"text\":\"One. "
		                                  "Two.\"},{\"type\":\"tool_use\","
		                                  "\"id\":\"t\"");
		CHECK(str_find(body_of(mem, &req, &o), STR("\"thinking\"")) < 0);
	}
	/* once the round is over thinking continues */
	messages[2] = (struct message){ .role = ROLE_USER, .text = STR("more") };
	messages[1].call_count = 0;
	CHECK_HAS(body_of(mem, &req, &o), "\"thinking\":{\"type\":\"enabled\"");
}

TEST(a_call_that_was_stopped_is_sent_with_its_thought)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct model_call call = { STR("t"), STR("ls"), STR("{}") };
	struct message messages[] = {
		{ .role = ROLE_USER, .text = STR("hi") },
		{ .role = ROLE_ASSISTANT,
		  .text = STR(""),
		  .calls = &call,
		  .call_count = 1,
		  .state = STR("{\"dialect\":\"anthropic\",\"model\":\"m\",\"parts\":["
		               "{\"thought\":\"Hm\",\"signature\":\"Zm9v\"},{\"call\":\"t\"}]}") },
		{ .role = ROLE_TOOL,
		  .text = STR("stopped"),
		  .call_id = STR("t"),
		  .is_error = true },
		{ .role = ROLE_USER, .text = STR("something else") },
	};
	struct model_request req = { .model = STR("m"), .messages = messages, .message_count = 4 };
	struct body_options o = {
		.extra_body = STR("{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}}")
	};

	CHECK_HAS(body_of(mem, &req, &o),
	          "[{\"type\":\"thinking\",\"thinking\":\"Hm\",\"signature\":\"Zm9v\"},"
	          "{\"type\":\"tool_use\",\"id\":\"t\"");
	CHECK_HAS(body_of(mem, &req, &o), "\"thinking\":{\"type\":\"enabled\"");
	/* The thought is lost, or has no signature: the request is valid without thinking alone. */
	messages[1].state = STR_NONE;
	CHECK(str_find(body_of(mem, &req, &o), STR("\"thinking\"")) < 0);
	messages[1].state = STR("{\"dialect\":\"anthropic\",\"model\":\"m\",\"parts\":["
	                        "{\"thought\":\"Hm\"},{\"call\":\"t\"}]}");
	CHECK(str_find(body_of(mem, &req, &o), STR("\"thinking\"")) < 0);
	/* An answer followed: those calls are over. */
	messages[2] = (struct message){ .role = ROLE_ASSISTANT, .text = STR("done") };
	CHECK_HAS(body_of(mem, &req, &o), "\"thinking\":{\"type\":\"enabled\"");
}

TEST(schemas_images_and_extras_have_their_places)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct message_image images[] = { { STR("image/png"), STR("iVBO"), STR_NONE },
		                          { STR_NONE, STR_NONE, STR("https://x/y.jpg") } };
	struct message m = {
		.role = ROLE_USER, .text = STR("what is this?"), .images = images, .image_count = 2
	};
	struct model_request req = { .model = STR("m"),
		                     .messages = &m,
		                     .message_count = 1,
		                     .output_schema = STR("{\"type\":\"object\"}") };
	struct body_options o = { .extra_body = STR(
					  "{\"output_config\":{\"effort\":\"low\",\"format\":1},"
					  "\"top_k\":5,\"stream\":false}"),
		                  .lacks_cache_marks = true };

	CHECK_STR(
		body_of(mem, &req, &o),
		"{\"model\":\"m\",\"max_tokens\":8192,\"stream\":true,\"messages\":[{\"role\":"
		"\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\","
		"\"media_type\":\"image/png\",\"data\":\"iVBO\"}},{\"type\":\"image\",\"source\":{"
		"\"type\":\"url\",\"url\":\"https://x/y.jpg\"}},{\"type\":\"text\",\"text\":\"what "
		"is this?\"}]}],\"output_config\":{\"effort\":\"low\",\"format\":{\"type\":"
		"\"json_schema\",\"schema\":{\"type\":\"object\"}}},\"top_k\":5}");
	o.lacks_json_schema = true;
	CHECK_HAS(body_of(mem, &req, &o), "\"output_config\":{\"effort\":\"low\",\"format\":1}");
}

TEST(a_schema_that_is_none_is_refused)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct tool_spec tool = { STR("t"), STR_NONE, STR("[]") };
	struct model_request by_tool = { .model = STR("m"), .tools = &tool, .tool_count = 1 };
	struct model_request by_answer = { .model = STR("m"), .output_schema = STR("7") };
	struct error e;

	CHECK(anthropic_body_write(&by_tool, &(struct body_options){ 0 }, &out, &e) == ERR_INVALID);
	CHECK_SAME(str_from(e.message), STR("the schema of the tool t is not a JSON object"));
	CHECK(anthropic_body_write(&by_answer, &(struct body_options){ 0 }, &out, &e) ==
	      ERR_INVALID);
	CHECK_INT(out.len, 0);
}

TEST(a_result_holds_its_image)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct image_message message;
	struct str body;

	image_message_init(&message);
	body = body_of(mem, &message.request, &(struct body_options){ 0 });

	CHECK(str_find(body,
	               STR("\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c1\","
	                   "\"content\":[{\"type\":"
	                   "\"text\",\"text\":\"one\"},{\"type\":\"image\",\"source\":{\"type\":"
	                   "\"base64\",\"media_type\":\"image/png\",\"data\":\"iVBO\"}}]},")) >= 0);
}

TEST_MAIN()
