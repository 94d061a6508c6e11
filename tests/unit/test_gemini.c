/* The dialect of Gemini: bodies out, streams in, errors. */
#define CASE_DIALECT (&gemini_event_dialect)
#include "provider/gemini/gemini.h"

#include "answer_case.h"

#define USAGE                                                                                      \
	",\"usageMetadata\":{\"promptTokenCount\":19,\"cachedContentTokenCount\":11,"              \
	"\"candidatesTokenCount\":3,\"thoughtsTokenCount\":4,\"totalTokenCount\":26}"
#define EVENT(parts, more)                                                                         \
	"data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[" parts                \
	"]},\"index\":0" more "}]" USAGE "}\r\n\r\n"
#define TEXT(text) EVENT("{\"text\":\"" text "\"}", "")
#define END(reason) EVENT("{\"text\":\"\"}", ",\"finishReason\":\"" reason "\"")
#define USED " usage[19 11 0 7 4]"

TEST(text_and_thoughts_come_in_pieces)
{
	CHECK_STREAM(EVENT("{\"text\":\"Hm.\",\"thought\":true}", "") TEXT("Hel")
	                     TEXT("lo \xe2\x82\xac") END("STOP"),
	             "R:Hm.|T:Hel|T:lo \xe2\x82\xac|end_turn (STOP)" USED);
}

TEST(calls_come_whole_and_signatures_are_the_state)
{
	CHECK_STREAM(
		TEXT("Hi") EVENT(
			"{\"functionCall\":{\"name\":\"read\",\"args\":{\"p\":\"a\"}},"
			"\"thoughtSignature\":\"c2ln\"},{\"functionCall\":{\"id\":\"x\",\"name\":"
			"\"ls\",\"args\":{}}}",
			"") END("STOP"),
		"T:Hi|A:{\"p\":\"a\"}|A:{}|tool_use (STOP) call[call_mreq_1_1 read {\"p\":\"a\"}] "
		"call[x ls {}] "
		"state{\"dialect\":\"gemini\",\"model\":\"m\",\"parts\":[{\"text\":2},"
		"{\"call\":\"call_mreq_1_1\",\"signature\":\"c2ln\"},{\"call\":\"x\"}]}" USED);
	/* on text, and on nothing */
	CHECK_STREAM(TEXT("a") EVENT("{\"text\":\"bc\",\"thoughtSignature\":\"s1\"}", "") TEXT("d")
	                     EVENT("{\"text\":\"\",\"thoughtSignature\":\"s2\"}",
	                           ",\"finishReason\":\"STOP\""),
	             "T:a|T:bc|T:d|end_turn (STOP) state{\"dialect\":\"gemini\",\"model\":\"m\","
	             "\"parts\":[{\"text\":1},{\"text\":2,\"signature\":\"s1\"},{\"text\":1},"
	             "{\"text\":0,\"signature\":\"s2\"}]}" USED);
}

TEST(every_end_has_its_word)
{
	CHECK_STREAM(TEXT("a") END("MAX_TOKENS"), "T:a|max_tokens (MAX_TOKENS)" USED);
	CHECK_STREAM(TEXT("a") END("SAFETY"), "T:a|refusal (SAFETY)" USED);
	CHECK_STREAM(TEXT("a") END("RECITATION"), "T:a|refusal (RECITATION)" USED);
	CHECK_STREAM(TEXT("a") END("OTHER"), "T:a|end_turn (OTHER)" USED);
	CHECK_STREAM(TEXT("a") END("MALFORMED_FUNCTION_CALL"),
	             "T:a|failed protocol retryable (sim ended the answer with "
	             "\"MALFORMED_FUNCTION_CALL\")" USED);
	CHECK_STREAM(TEXT("a"),
	             "T:a|failed network retryable (sim: the stream ended before the answer "
	             "was whole)" USED);
	CHECK_STREAM("data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n",
	             "failed content_filter (the input was blocked: SAFETY)");
}

#define ERR(code, status, message, details)                                                        \
	"{\"error\":{\"code\":" #code ",\"message\":\"" message "\",\"status\":\"" status          \
	"\",\"details\":[" details "]}}"

TEST(errors_tell_by_their_details)
{
	static const struct {
		int status;
		const char *body, *want;
	} rows[] = {
		{ 400, ERR(400, "INVALID_ARGUMENT", "no", ""), "failed invalid_request (no)" },
		{ 400,
		  ERR(400, "INVALID_ARGUMENT", "API key not valid.",
		      "{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":"
		      "\"API_KEY_INVALID\"}"),
		  "failed auth (API key not valid.)" },
		{ 400,
		  ERR(400, "INVALID_ARGUMENT",
		      "The input token count (9) exceeds the maximum number of tokens allowed (8).",
		      ""),
		  "failed context_length (The input token count (9) exceeds the maximum number of "
		  "tokens "
		  "allowed (8).)" },
		{ 403, ERR(403, "PERMISSION_DENIED", "no", ""), "failed auth (no)" },
		{ 429,
		  ERR(429, "RESOURCE_EXHAUSTED", "slow",
		      "{\"@type\":\"type.googleapis.com/"
		      "google.rpc.RetryInfo\",\"retryDelay\":\"23.5s\"}"),
		  "failed rate_limited retryable after 23500 (slow)" },
		{ 429,
		  ERR(429, "RESOURCE_EXHAUSTED", "spent",
		      "{\"violations\":[{\"quotaId\":\"GenerateRequestsPerDayPerProjectPerModel\"}]"
		      "},"
		      "{\"retryDelay\":\"23s\"}"),
		  "failed quota (spent)" },
		{ 503, ERR(503, "UNAVAILABLE", "busy", ""), "failed overloaded retryable (busy)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		CHECK_ANSWER(rows[i].want, rows[i].status, "application/json",
		             str_from(rows[i].body));
	CHECK_STREAM(TEXT("a") "data: " ERR(503, "UNAVAILABLE", "busy", "") "\n\n",
	             "T:a|failed overloaded retryable (busy)" USED);
}

TEST(without_a_stream_the_events_come_as_a_list)
{
	CHECK_ANSWER("T:a|T:b|end_turn (STOP)", 200, "application/json",
	             STR("[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]},"
	                 "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},"
	                 "\"finishReason\":\"STOP\"}]}]"));
}

TEST(the_model_is_part_of_the_path)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(gemini_body_path(mem, &(struct model_request){ .model = STR("gemini-x") }),
	          "/models/gemini-x:streamGenerateContent?alt=sse");
	CHECK_STR(gemini_body_path(mem, &(struct model_request){ .model = STR("models/gemini-x") }),
	          "/models/gemini-x:streamGenerateContent?alt=sse");
	CHECK_STR(gemini_body_path(mem, &(struct model_request){ .model = STR("../a?b#c% d") }),
	          "/models/..%2Fa%3Fb%23c%25%20d:streamGenerateContent?alt=sse");
}

TEST(a_request_holds_the_conversation_and_the_signatures)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct message_image image = { STR("image/png"), STR("iVBO"), STR_NONE };
	struct model_call call = { STR("c1"), STR("ls"), STR("{\"p\":1}") };
	struct message messages[] = {
		{ .role = ROLE_SYSTEM, .text = STR("Be brief.") },
		{ .role = ROLE_USER, .text = STR("hi"), .images = &image, .image_count = 1 },
		{ .role = ROLE_ASSISTANT,
		  .text = STR("ok"),
		  .calls = &call,
		  .call_count = 1,
		  .state = STR("{\"dialect\":\"gemini\",\"model\":\"m\",\"parts\":[{\"text\":2},"
		               "{\"call\":\"c1\",\"signature\":\"c2ln\"}]}") },
		{ .role = ROLE_TOOL,
		  .text = STR("data"),
		  .call_id = STR("c1"),
		  .images = &image,
		  .image_count = 1 },
		{ .role = ROLE_USER, .text = STR("well?") },
	};
	struct tool_spec tool = { STR("ls"), STR("Lists."), STR("{\"type\":\"object\"}") };
	struct model_request req = { .model = STR("m"),
		                     .messages = messages,
		                     .message_count = 5,
		                     .tools = &tool,
		                     .tool_count = 1,
		                     .output_schema = STR("{\"type\":\"object\"}"),
		                     .max_output_tokens = 100 };
	struct body_options o = { .extra_body =
		                          STR("{\"generationConfig\":{\"maxOutputTokens\":1,"
		                              "\"thinkingConfig\":{\"includeThoughts\":true}}}") };
	struct json doc;
	struct error e;

	CHECK_OK(gemini_body_write(&req, &o, &out, &e), &e);
	CHECK_OK(json_read(mem, buf_str(&out), &doc, &e), &e);
	CHECK_STR(
		buf_str(&out),
		"{\"systemInstruction\":{\"parts\":[{\"text\":\"Be brief.\"}]},\"contents\":["
		"{\"role\":\"user\",\"parts\":[{\"inlineData\":{\"mimeType\":\"image/"
		"png\",\"data\":"
		"\"iVBO\"}},{\"text\":\"hi\"}]},"
		"{\"role\":\"model\",\"parts\":[{\"text\":\"ok\"},{\"functionCall\":{\"name\":"
		"\"ls\","
		"\"args\":{\"p\":1}},\"thoughtSignature\":\"c2ln\"}]},"
		"{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"ls\",\"response\":"
		"{"
		"\"result\":\"data\"}}},{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":"
		"\"iVBO\"}},{\"text\":\"well?\"}]}],"
		"\"tools\":[{\"functionDeclarations\":[{\"name\":\"ls\",\"description\":\"Lists.\","
		"\"parametersJsonSchema\":{\"type\":\"object\"}}]}],"
		"\"generationConfig\":{\"maxOutputTokens\":100,\"responseMimeType\":"
		"\"application/json\",\"responseJsonSchema\":{\"type\":\"object\"},"
		"\"thinkingConfig\":{\"includeThoughts\":true}}}");
}

TEST_MAIN()
