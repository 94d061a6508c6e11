/* The dialect of Ollama: bodies out, lines in, errors. */
#define CASE_DIALECT (&ollama_dialect)
#include "answer_case.h"

#define LINES "application/x-ndjson"
#define LINE(message, more)                                                                        \
	"{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":"          \
	"\"assistant\"," message "}," more "}\n"
#define TEXT(text) LINE("\"content\":\"" text "\"", "\"done\":false")
#define LAST(reason)                                                                               \
	LINE("\"content\":\"\"", "\"done\":true,\"done_reason\":\"" reason "\","                   \
	                         "\"prompt_eval_count\":19,\"eval_count\":7")
#define CALLS(calls) LINE("\"content\":\"\",\"tool_calls\":[" calls "]", "\"done\":false")
#define CHECK_LINES(text, want) CHECK_ANSWER(want, 200, LINES, STR(text))
#define USED " usage[19 0 0 7 0]"

TEST(text_comes_by_the_line)
{
	CHECK_LINES(TEXT("Hel") TEXT("lo \xe2\x82\xac") LAST("stop"),
	            "T:Hel|T:lo \xe2\x82\xac|end_turn (stop)" USED);
	CHECK_LINES("\n\r\n" TEXT("a") "\n{\"novelty\":1}\n" LAST("stop"),
	            "T:a|end_turn (stop)" USED);
	/* the last line need not end */
	CHECK_LINES(TEXT("a") "{\"message\":{\"content\":\"b\"},\"done\":true}",
	            "T:a|T:b|end_turn (stop)");
	/* what follows the last line is not read */
	CHECK_LINES(TEXT("a") LAST("stop") "rubbish", "T:a|end_turn (stop)" USED);
}

TEST(thoughts_and_calls_come_whole)
{
	CHECK_LINES(
		LINE("\"content\":\"\",\"thinking\":\"Hm.\"", "\"done\":false")
			CALLS("{\"function\":{\"name\":\"read\",\"arguments\":{\"p\":\"a\"}}},"
	                      "{\"function\":{\"name\":\"ls\",\"arguments\":{}}}") LAST("stop"),
		"R:Hm.|A:{\"p\":\"a\"}|A:{}|tool_use (stop) call[call_mreq_1_1 read {\"p\":\"a\"}] "
		"call[call_mreq_1_2 ls {}]" USED);
	CHECK_LINES(CALLS("{\"id\":\"x\",\"function\":{\"name\":\"ls\"}}") LAST("stop"),
	            "tool_use (stop) call[x ls {}]" USED);
	CHECK_LINES(
		CALLS("{\"function\":{\"arguments\":{}}}") LAST("stop"),
		"A:{}|failed protocol retryable (sim: the answer asks for a tool without naming "
		"it)" USED);
}

TEST(every_end_has_its_word)
{
	CHECK_LINES(TEXT("a") LAST("length"), "T:a|max_tokens (length)" USED);
	CHECK_LINES(LAST("load"),
	            "failed server_error retryable (sim ended the answer with \"load\")" USED);
	CHECK_LINES(TEXT("a"),
	            "T:a|failed network retryable (sim: the stream ended before the answer "
	            "was whole)");
	CHECK_LINES(
		TEXT("a") "{\"error\":\"model runner has unexpectedly stopped\"}\n" LAST("stop"),
		"T:a|failed server_error retryable (model runner has unexpectedly stopped)");
	CHECK_LINES(TEXT("a") "rubbish\n" LAST("stop"),
	            "T:a|failed protocol retryable (sim: an event of the stream is not JSON)");
	CHECK_LINES(TEXT("a") "{\"half\": ",
	            "T:a|failed network retryable (sim: the stream ended before "
	            "the answer was whole)");
	CHECK_ANSWER("failed invalid_request (model \"x\" not found)", 404, "application/json",
	             STR("{\"error\":\"model \\\"x\\\" not found\"}"));
	CHECK_ANSWER(
		"T:a|end_turn (stop)", 200, "application/json",
		STR("{\"message\":{\"content\":\"a\"},\"done\":true,\"done_reason\":\"stop\"}"));
}

TEST(a_line_has_a_bound)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_add_c(&text, "{\"message\":{\"content\":\"");
	while (text.len < 200)
		buf_add_char(&text, 'x');
	CHECK_ANSWER("failed protocol (sim: a line of the stream is longer than is taken)", 200,
	             LINES, buf_str(&text), .limits.line = 100);
	buf_add_c(&text, "\"},\"done\":true}\n");
	CHECK_ANSWER("failed protocol (sim: a line of the stream is longer than is taken)", 200,
	             LINES, buf_str(&text), .limits.line = 100);
}

TEST(a_request_holds_the_conversation)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct message_image images[] = { { STR("image/png"), STR("iVBO"), STR_NONE },
		                          { STR_NONE, STR_NONE, STR("https://x/y.jpg") } };
	struct model_call calls[] = { { STR("c1"), STR("ls"), STR("{\"p\":1}") },
		                      { STR("c2"), STR("cat"), STR("{oops") } };
	struct message messages[] = {
		{ .role = ROLE_SYSTEM, .text = STR("Be brief.") },
		{ .role = ROLE_USER, .text = STR("hi"), .images = images, .image_count = 2 },
		{ .role = ROLE_ASSISTANT, .calls = calls, .call_count = 2 },
		{ .role = ROLE_TOOL,
		  .text = STR("data"),
		  .call_id = STR("c1"),
		  .images = images,
		  .image_count = 1 },
	};
	struct tool_spec tool = { STR("ls"), STR("Lists."), STR("{\"type\":\"object\"}") };
	struct model_request req = { .model = STR("m"),
		                     .messages = messages,
		                     .message_count = 4,
		                     .tools = &tool,
		                     .tool_count = 1,
		                     .output_schema = STR("{\"type\":\"object\"}"),
		                     .max_output_tokens = 100 };
	struct body_options o = { .extra_body =
		                          STR("{\"options\":{\"num_ctx\":8192,\"num_predict\":1},"
		                              "\"think\":true,\"stream\":false}") };
	struct json doc;
	struct error e;

	CHECK_OK(ollama_dialect.write(&req, &o, &out, &e), &e);
	CHECK_OK(json_read(mem, buf_str(&out), &doc, &e), &e);
	CHECK_STR(
		buf_str(&out),
		"{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},"
		"{\"role\":\"user\",\"content\":\"hi\",\"images\":[\"iVBO\"]},"
		"{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":"
		"\"ls\",\"arguments\":{\"p\":1}}},{\"function\":{\"name\":\"cat\",\"arguments\":{}}"
		"}]},"
		"{\"role\":\"tool\",\"content\":\"data\",\"tool_name\":\"ls\"},"
		"{\"role\":\"tool\",\"content\":\"No result: the call was interrupted.\","
		"\"tool_name\":\"cat\"},"
		"{\"role\":\"user\",\"content\":\"What the tools show:\",\"images\":[\"iVBO\"]}],"
		"\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"ls\",\"description\":"
		"\"Lists.\",\"parameters\":{\"type\":\"object\"}}}],"
		"\"format\":{\"type\":\"object\"},\"options\":{\"num_ctx\":8192,\"num_predict\":"
		"100},"
		"\"stream\":true,\"think\":true}");
}

TEST_MAIN()
