/* The dialect of Bedrock: bodies out, messages in, exceptions. */
#define CASE_DIALECT (&bedrock_event_dialect)
#include "provider/bedrock/bedrock.h"

#include "answer_case.h"
#include "lib/eventstream_frame.h"

#define MESSAGES "application/vnd.amazon.eventstream"
#define USAGE                                                                                      \
	"{\"usage\":{\"inputTokens\":1,\"cacheReadInputTokens\":16,\"cacheWriteInputTokens\":2,"   \
	"\"outputTokens\":10,\"totalTokens\":29},\"metrics\":{\"latencyMs\":5}}"
#define USED " usage[19 16 2 10 0]"

struct sent {
	const char *type, *payload; /* a type with a capital or "Exception" is an exception */
};

static void check_sent(int line, const char *want, const struct sent *rows, size_t count)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	for (size_t i = 0; i < count; i++)
		frame_message(&body,
		              str_ends(str_from(rows[i].type), STR("Exception")) ? "exception"
		                                                                 : "event",
		              rows[i].type, rows[i].payload);
	check_answer(__FILE__, line, &(struct served){ 200, MESSAGES, buf_str(&body) }, want);
}

#define CHECK_SENT(want, ...)                                                                      \
	do {                                                                                       \
		static const struct sent rows[] = { __VA_ARGS__ };                                 \
		check_sent(__LINE__, want, rows, COUNT_OF(rows));                                  \
	} while (0)
#define START                                                                                      \
	{                                                                                          \
		"messageStart", "{\"role\":\"assistant\"}"                                         \
	}
#define TEXT(at, text)                                                                             \
	{                                                                                          \
		"contentBlockDelta", "{\"contentBlockIndex\":" #at ",\"delta\":{\"text\":\"" text  \
				     "\"},\"p\":\"abcd\"}"                                         \
	}
#define STOP(at)                                                                                   \
	{                                                                                          \
		"contentBlockStop", "{\"contentBlockIndex\":" #at "}"                              \
	}
#define END(reason)                                                                                \
	{                                                                                          \
		"messageStop", "{\"stopReason\":\"" reason "\"}"                                   \
	}
#define LAST                                                                                       \
	{                                                                                          \
		"metadata", USAGE                                                                  \
	}
#define THINK(at, member)                                                                          \
	{                                                                                          \
		"contentBlockDelta", "{\"contentBlockIndex\":" #at                                 \
				     ",\"delta\":{\"reasoningContent\":{" member "}}}"             \
	}
#define CALL(at, id, name)                                                                         \
	{                                                                                          \
		"contentBlockStart", "{\"contentBlockIndex\":" #at ",\"start\":{\"toolUse\":{"     \
				     "\"toolUseId\":\"" id "\",\"name\":\"" name "\"}}}"           \
	}
#define ARGS(at, text)                                                                             \
	{                                                                                          \
		"contentBlockDelta", "{\"contentBlockIndex\":" #at                                 \
				     ",\"delta\":{\"toolUse\":{\"input\":\"" text "\"}}}"          \
	}

TEST(text_comes_in_pieces_and_the_usage_after_the_end)
{
	CHECK_SENT("T:Hel|T:lo \xe2\x82\xac|end_turn (end_turn)" USED, START, TEXT(0, "Hel"),
	           TEXT(0, "lo \xe2\x82\xac"), STOP(0), END("end_turn"), LAST);
	/* Without the last message the answer is whole, and its usage is unknown. */
	CHECK_SENT("T:a|end_turn (end_turn)", START, TEXT(0, "a"), END("end_turn"));
	CHECK_SENT("T:a|failed network retryable (sim: the stream ended before the answer was "
	           "whole)",
	           START, TEXT(0, "a"));
}

TEST(calls_come_in_fragments_and_thoughts_are_the_state)
{
	CHECK_SENT("R:Which |R:file?|T:Hi|A:{\"p\":|A:\"a\"}|tool_use (tool_use) "
	           "call[t1 read {\"p\":\"a\"}] call[t2 ls {}] "
	           "state{\"dialect\":\"bedrock\",\"model\":\"m\",\"parts\":["
	           "{\"thought\":\"Which file?\",\"signature\":\"c2ln\"},"
	           "{\"opaque\":{\"reasoningContent\":{\"redactedContent\":\"b3Bh\"}}},"
	           "{\"text\":2},{\"call\":\"t1\"},{\"call\":\"t2\"}]}" USED,
	           START, THINK(0, "\"text\":\"Which \""), THINK(0, "\"text\":\"file?\""),
	           THINK(0, "\"signature\":\"c2ln\""), STOP(0),
	           THINK(1, "\"redactedContent\":\"b3Bh\""), STOP(1), TEXT(2, "Hi"), STOP(2),
	           CALL(3, "t1", "read"), ARGS(3, ""), ARGS(3, "{\\\"p\\\":"),
	           ARGS(3, "\\\"a\\\"}"), STOP(3), CALL(4, "t2", "ls"), STOP(4), END("tool_use"),
	           LAST);
}

TEST(every_end_has_its_word)
{
	CHECK_SENT("T:a|max_tokens (max_tokens)" USED, TEXT(0, "a"), END("max_tokens"), LAST);
	CHECK_SENT("T:a|stop_sequence (stop_sequence)" USED, TEXT(0, "a"), END("stop_sequence"),
	           LAST);
	CHECK_SENT("T:a|refusal (guardrail_intervened)" USED, TEXT(0, "a"),
	           END("guardrail_intervened"), LAST);
	CHECK_SENT("T:a|refusal (content_filtered)" USED, TEXT(0, "a"), END("content_filtered"),
	           LAST);
	CHECK_SENT("T:a|context_full (model_context_window_exceeded)" USED, TEXT(0, "a"),
	           END("model_context_window_exceeded"), LAST);
	CHECK_SENT("T:a|failed protocol retryable (sim ended the answer with "
	           "\"malformed_tool_use\")" USED,
	           TEXT(0, "a"), END("malformed_tool_use"), LAST);
	CHECK_SENT("T:a|end_turn (novelty)" USED, TEXT(0, "a"), END("novelty"), LAST);
}

#define THROWN(type, text)                                                                         \
	{                                                                                          \
		type, "{\"message\":\"" text "\"}"                                                 \
	}

TEST(exceptions_inside_the_stream_are_errors_like_those_of_others)
{
	CHECK_SENT("T:a|failed rate_limited retryable (Too many tokens)", TEXT(0, "a"),
	           THROWN("throttlingException", "Too many tokens"));
	CHECK_SENT("failed server_error retryable (retry)",
	           THROWN("modelStreamErrorException", "retry"));
	CHECK_SENT("failed server_error retryable (oops)",
	           THROWN("internalServerException", "oops"));
	CHECK_SENT("failed overloaded retryable (busy)",
	           THROWN("serviceUnavailableException", "busy"));
	CHECK_SENT("failed timeout retryable (late)", THROWN("modelTimeoutException", "late"));
	CHECK_SENT("failed invalid_request (no)", THROWN("validationException", "no"));
	CHECK_SENT("failed context_length (Input is too long for requested model.)",
	           THROWN("validationException", "Input is too long for requested model."));
	CHECK_SENT("failed rate_limited retryable (sim reports an error without saying which)",
	           { "throttlingException", "" });
}

TEST(errors_before_the_stream_tell_by_their_status)
{
	static const struct {
		int status;
		const char *body, *want;
	} rows[] = {
		{ 400, "{\"message\":\"bad\"}", "failed invalid_request (bad)" },
		{ 403, "{\"Message\":\"not authorized\"}", "failed auth (not authorized)" },
		{ 403,
		  "{\"message\":\"Signature expired: 20260101T000000Z is now earlier than "
		  "20260101T001000Z\"}",
		  "failed auth (Signature expired: 20260101T000000Z is now earlier than "
		  "20260101T001000Z; the clock of this machine is wrong; to set it, run: "
		  "timedatectl set-ntp true)" },
		{ 403, "{\"message\":\"The security token included in the request is expired\"}",
		  "failed auth (The security token included in the request is expired; get new "
		  "credentials, for example with: aws sso login, then eval \"$(aws configure "
		  "export-credentials --format env)\")" },
		{ 424, "{\"message\":\"model\"}", "failed server_error retryable (model)" },
		{ 429, "{\"message\":\"slow\"}", "failed rate_limited retryable (slow)" },
		{ 503, "{\"message\":\"busy\"}", "failed overloaded retryable (busy)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		CHECK_ANSWER(rows[i].want, rows[i].status, "application/json",
		             str_from(rows[i].body));
}

TEST(damaged_bytes_and_too_long_messages_end_the_answer)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	frame_message(&body, "event", "contentBlockDelta",
	              "{\"contentBlockIndex\":0,\"delta\":{\"text\":\"a\"}}");
	body.ptr[body.len - 1] ^= 1;
	check_answer(__FILE__, __LINE__, &(struct served){ 200, MESSAGES, buf_str(&body) },
	             "failed protocol retryable (sim: the checksum of a message is wrong)");
	check_answer(__FILE__, __LINE__,
	             &(struct served){ 200, MESSAGES, buf_str(&body), .limits = { .line = 64 } },
	             "failed protocol retryable (sim: a message of the stream is longer than is "
	             "taken)");
}

TEST(an_answer_in_one_document_is_read_too)
{
	CHECK_ANSWER(
		"R:Hm.|T:Hi|A:{\"p\":1}|tool_use (tool_use) call[t1 ls {\"p\":1}] "
		"state{\"dialect\":\"bedrock\",\"model\":\"m\",\"parts\":[{\"thought\":\"Hm.\","
		"\"signature\":\"s\"},{\"text\":2},{\"call\":\"t1\"}]} usage[3 0 0 4 0]",
		200, "application/json",
		STR("{\"output\":{\"message\":{\"role\":\"assistant\",\"content\":["
	            "{\"reasoningContent\":{\"reasoningText\":{\"text\":\"Hm.\","
	            "\"signature\":\"s\"}}},{\"text\":\"Hi\"},{\"toolUse\":{"
	            "\"toolUseId\":\"t1\",\"name\":\"ls\",\"input\":{\"p\":1}}}]}},"
	            "\"stopReason\":\"tool_use\",\"usage\":{\"inputTokens\":3,"
	            "\"outputTokens\":4}}"));
}

TEST(the_model_is_one_segment_of_the_path)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(bedrock_body_path(mem,
	                            &(struct model_request){ .model = STR("us.anthropic.x-v1:0") }),
	          "/model/us.anthropic.x-v1%3A0/converse-stream");
	CHECK_STR(bedrock_body_path(
			  mem,
			  &(struct model_request){
				  .model = STR("arn:aws:bedrock:r:1:inference-profile/a b") }),
	          "/model/arn%3Aaws%3Abedrock%3Ar%3A1%3Ainference-profile%2Fa%20b/converse-stream");
}

/* ---- bodies ---- */

static struct str body_of(struct buf *out, const char *model, struct body_options o,
                          struct model_request req)
{
	struct error e;

	req.model = str_from(model);
	buf_clear(out);
	CHECK_OK(bedrock_body_write(&req, &o, out, &e), &e);
	return buf_str(out);
}

static struct model_call call = { STR("c.1"), STR("ls"), STR("{\"p\":1}") };
static struct message_image image = { STR("image/png"), STR("iVBO"), STR_NONE };

static struct model_request conversation(void)
{
	static struct tool_spec tool = { STR("ls"), STR("Lists."), STR("{\"type\":\"object\"}") };
	static struct message messages[] = {
		{ .role = ROLE_SYSTEM, .text = STR("Be brief.") },
		{ .role = ROLE_USER, .text = STR("hi"), .images = &image, .image_count = 1 },
		{ .role = ROLE_ASSISTANT,
		  .text = STR("ok"),
		  .calls = &call,
		  .call_count = 1,
		  .state = STR("{\"dialect\":\"bedrock\",\"model\":\"anthropic.m\",\"parts\":["
		               "{\"thought\":\"Hm.\",\"signature\":\"c2ln\"},"
		               "{\"opaque\":{\"reasoningContent\":{\"redactedContent\":\"b3Bh\"}}},"
		               "{\"text\":2},{\"call\":\"c.1\"}]}") },
		{ .role = ROLE_TOOL, .call_id = STR("c.1"), .text = STR("data"), .is_error = true },
		{ .role = ROLE_USER, .text = STR("well?") },
	};

	return (struct model_request){ .messages = messages,
		                       .message_count = COUNT_OF(messages),
		                       .tools = &tool,
		                       .tool_count = 1,
		                       .max_output_tokens = 100 };
}

#define POINT "{\"cachePoint\":{\"type\":\"default\"}}"

TEST(a_request_for_claude_holds_thoughts_marks_and_the_effort)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct model_request req = conversation();

	req.output_schema = STR("{\"type\":\"object\"}");
	CHECK_STR(body_of(&out, "anthropic.m", (struct body_options){ .effort = STR("high") }, req),
	          "{\"system\":[{\"text\":\"Be brief.\"}," POINT "],\"messages\":["
	          "{\"role\":\"user\",\"content\":[{\"image\":{\"format\":\"png\",\"source\":{"
	          "\"bytes\":\"iVBO\"}}},{\"text\":\"hi\"}]},"
	          "{\"role\":\"assistant\",\"content\":[{\"reasoningContent\":{\"reasoningText\":{"
	          "\"text\":\"Hm.\",\"signature\":\"c2ln\"}}},{\"reasoningContent\":{"
	          "\"redactedContent\":\"b3Bh\"}},{\"text\":\"ok\"},{\"toolUse\":{\"toolUseId\":"
	          "\"c_1\",\"name\":\"ls\",\"input\":{\"p\":1}}}]},"
	          "{\"role\":\"user\",\"content\":[{\"toolResult\":{\"toolUseId\":\"c_1\","
	          "\"content\":[{\"text\":\"data\"}],\"status\":\"error\"}},{\"text\":\"well?\"}"
	          "," POINT
	          "]}],\"toolConfig\":{\"tools\":[{\"toolSpec\":{\"name\":\"ls\",\"description\":"
	          "\"Lists.\",\"inputSchema\":{\"json\":{\"type\":\"object\"}}}}," POINT "]},"
	          "\"inferenceConfig\":{\"maxTokens\":100},\"additionalModelRequestFields\":{"
	          "\"thinking\":{\"type\":\"adaptive\",\"display\":\"summarized\"},"
	          "\"output_config\":{\"effort\":\"high\"}},\"outputConfig\":{\"textFormat\":{"
	          "\"type\":\"json_schema\",\"structure\":{\"jsonSchema\":{\"name\":\"answer\","
	          "\"schema\":\"{\\\"type\\\":\\\"object\\\"}\"}}}}}");
}

TEST(another_vendors_model_gets_neither_marks_nor_thoughts_nor_effort)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct body_options o = { .effort = STR("high"),
		                  .extra_body = STR("{\"guardrailConfig\":{\"trace\":\"enabled\"},"
		                                    "\"inferenceConfig\":{\"maxTokens\":1,"
		                                    "\"topP\":0.5}}") };

	CHECK_STR(body_of(&out, "meta.llama", o, conversation()),
	          "{\"system\":[{\"text\":\"Be brief.\"}],\"messages\":["
	          "{\"role\":\"user\",\"content\":[{\"image\":{\"format\":\"png\",\"source\":{"
	          "\"bytes\":\"iVBO\"}}},{\"text\":\"hi\"}]},"
	          "{\"role\":\"assistant\",\"content\":[{\"text\":\"ok\"},{\"toolUse\":{"
	          "\"toolUseId\":\"c_1\",\"name\":\"ls\",\"input\":{\"p\":1}}}]},"
	          "{\"role\":\"user\",\"content\":[{\"toolResult\":{\"toolUseId\":\"c_1\","
	          "\"content\":[{\"text\":\"data\"}]}},{\"text\":\"well?\"}]}],"
	          "\"toolConfig\":{\"tools\":[{\"toolSpec\":{\"name\":\"ls\",\"description\":"
	          "\"Lists.\",\"inputSchema\":{\"json\":{\"type\":\"object\"}}}}]},"
	          "\"inferenceConfig\":{\"maxTokens\":100,\"topP\":0.5},"
	          "\"guardrailConfig\":{\"trace\":\"enabled\"}}");
	/* Nova takes marks, but not behind tools. */
	body_of(&out, "us.amazon.nova-pro-v1:0", (struct body_options){ 0 }, conversation());
	CHECK(str_find(buf_str(&out), STR("\"Be brief.\"}," POINT)) >= 0);
	CHECK(str_find(buf_str(&out), STR("}}}}]}")) >= 0);
}

/* The server refuses a conversation with calls and without a list of tools. */
TEST(a_request_without_tools_names_those_that_were_called)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct model_request req = conversation();

	req.tool_count = 0;
	CHECK_HAS(body_of(&out, "m", (struct body_options){ 0 }, req),
	          "\"toolConfig\":{\"tools\":[{\"toolSpec\":{\"name\":\"ls\",\"inputSchema\":");
	req.message_count = 2;
	CHECK(str_find(body_of(&out, "m", (struct body_options){ 0 }, req), STR("toolConfig")) < 0);
}

TEST(a_number_of_tokens_to_think_stays_below_the_limit)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct body_options o = { .effort = STR("high"), .effort_tokens = 16384 };
	struct model_request req = conversation();

	CHECK_HAS(body_of(&out, "anthropic.m", o, req), "\"budget_tokens\":50}");
	req.max_output_tokens = 0;
	CHECK_HAS(body_of(&out, "anthropic.m", o, req), "\"maxTokens\":16384");
	/* The thought that led to an open call is lost: thinking is not asked for. */
	req.message_count = 4;
	CHECK(str_find(body_of(&out, "anthropic.other", o, req), STR("thinking")) < 0);
}

TEST(ids_are_short_and_results_are_never_empty)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct model_call long_call = {
		STR("call_0123456789012345678901234567890123456789012345678901234567890123456789"),
		STR("ls"), STR("nonsense")
	};
	struct message messages[] = {
		{ .role = ROLE_USER, .text = STR("hi") },
		{ .role = ROLE_ASSISTANT, .calls = &long_call, .call_count = 1 },
		{ .role = ROLE_TOOL, .call_id = long_call.call_id, .text = STR(" ") },
	};
	struct model_request req = { .messages = messages, .message_count = 3 };
	struct str body = body_of(&out, "m", (struct body_options){ 0 }, req);

	CHECK_HAS(body, "\"toolUseId\":\"call_0123456789012345678901234567890123456789012");
	CHECK_HAS(body, "\"input\":{}");
	CHECK_HAS(body, "\"content\":[{\"text\":\"(no output)\"}]");
	for (struct str rest = body; rest.len;) {
		ptrdiff_t at = str_find(rest, STR("\"toolUseId\":\""));

		if (at < 0)
			break;
		rest = str_skip(rest, (size_t)at + 13);
		CHECK_INT(str_find_char(rest, '"'), 64);
	}
}

TEST_MAIN()
