/* The dialect of OpenAI Responses: bodies out, streams in, errors. */
#define CASE_DIALECT (&openai_responses_event_dialect)
#include "provider/openai/openai_responses.h"
#include "image_message.h"

#include "answer_case.h"

#define EVENT(type, more)                                                                          \
	"event: " type "\ndata: {\"type\":\"" type "\",\"sequence_number\":1" more "}\n\n"
#define START EVENT("response.created", ",\"response\":{\"status\":\"in_progress\",\"error\":null}")
#define ADDED(index, item)                                                                         \
	EVENT("response.output_item.added", ",\"output_index\":" #index ",\"item\":{" item "}")
#define ENDED(index, item)                                                                         \
	EVENT("response.output_item.done", ",\"output_index\":" #index ",\"item\":{" item "}")
#define MESSAGE(index) ADDED(index, "\"type\":\"message\",\"id\":\"msg_1\",\"content\":[]")
#define TEXT(index, text)                                                                          \
	EVENT("response.output_text.delta", ",\"output_index\":" #index ",\"delta\":\"" text "\"")
#define ARGS(index, text)                                                                          \
	EVENT("response.function_call_arguments.delta",                                            \
	      ",\"output_index\":" #index ",\"delta\":\"" text "\"")
#define CALL(id, name, args)                                                                       \
	"\"type\":\"function_call\",\"id\":\"fc_" id "\",\"call_id\":\"" id "\",\"name\":\"" name  \
	"\",\"arguments\":\"" args "\""
#define USAGE                                                                                      \
	"\"usage\":{\"input_tokens\":19,\"input_tokens_details\":{\"cached_tokens\":11,"           \
	"\"cache_write_tokens\":5},\"output_tokens\":7,\"output_tokens_details\":{"                \
	"\"reasoning_tokens\":4},\"total_tokens\":26}"
#define END(status, more)                                                                          \
	EVENT("response." status, ",\"response\":{\"status\":\"" status "\"," more USAGE "}")
#define COMPLETED END("completed", "\"error\":null,\"incomplete_details\":null,")
#define USED " usage[19 11 5 7 4]"

TEST(text_comes_in_pieces)
{
	CHECK_STREAM(START MESSAGE(0) TEXT(0, "Hel") TEXT(0, "lo \xe2\x82\xac")
	                     EVENT("response.output_text.done",
	                           ",\"output_index\":0,\"text\":\"Hello \xe2\x82\xac\"")
	                             ENDED(0, "\"type\":\"message\",\"content\":[]") COMPLETED,
	             "T:Hel|T:lo \xe2\x82\xac|end_turn (completed)" USED);
}

TEST(arguments_in_fragments_become_calls_at_the_end)
{
	CHECK_STREAM(START ADDED(0, CALL("c1", "read", "")) ARGS(0, "{\\\"p\\\": ") ARGS(0, "1}")
	                     EVENT("response.function_call_arguments.done",
	                           ",\"output_index\":0,\"arguments\":\"{\\\"p\\\": 1}\"")
	                             ENDED(0, CALL("c1", "read", "{\\\"p\\\": 1}"))
	                                     ADDED(1, CALL("c2", "ls", ""))
	                                             ENDED(1, CALL("c2", "ls", "{}")) COMPLETED,
	             "A:{\"p\": |A:1}|A:{}|tool_use (completed) call[c1 read {\"p\": 1}] "
	             "call[c2 ls {}]" USED);
	/* nothing but the whole item */
	CHECK_STREAM(START ENDED(0, CALL("c", "ls", "{}")) COMPLETED,
	             "A:{}|tool_use (completed) call[c ls {}]" USED);
}

TEST(half_a_call_is_never_acted_on)
{
	CHECK_STREAM(START ADDED(0, CALL("c", "rm", "")) ARGS(0, "{\\\"p\\\":\\\"/")
	                     END("incomplete",
	                         "\"incomplete_details\":{\"reason\":\"max_output_tokens\"},"),
	             "A:{\"p\":\"/|max_tokens (max_output_tokens)" USED);
	CHECK_STREAM(
		START ADDED(0, CALL("c", "rm", "")) ARGS(0, "{\\\"p\\\":\\\"/"),
		"A:{\"p\":\"/|failed network retryable (sim: the stream ended before the answer "
		"was whole)");
}

TEST(encrypted_thoughts_are_the_state)
{
	CHECK_STREAM(
		START ADDED(0, "\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]")
			EVENT("response.reasoning_summary_text.delta",
	                      ",\"output_index\":0,\"delta\":\"Hm.\"")
				ENDED(0, "\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],"
	                                 "\"encrypted_content\":\"gAAA+/==\"") MESSAGE(1)
					TEXT(1, "Hi") ADDED(2, CALL("c", "ls", ""))
						ENDED(2, CALL("c", "ls", "{}")) COMPLETED,
		"R:Hm.|T:Hi|A:{}|tool_use (completed) call[c ls {}] "
		"state{\"dialect\":\"responses\",\"model\":\"m\",\"parts\":[{\"opaque\":{\"type\":"
		"\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"gAAA+/==\"}},"
		"{\"text\":2},{\"call\":\"c\"}]}" USED);
	/* what cannot be read again is not kept */
	CHECK_STREAM(START ENDED(0, "\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]")
	                     MESSAGE(1) TEXT(1, "Hi") COMPLETED,
	             "T:Hi|end_turn (completed)" USED);
}

TEST(every_way_to_stop_has_its_word)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ COMPLETED, "T:a|end_turn (completed)" USED },
		{ END("incomplete", "\"incomplete_details\":{\"reason\":\"content_filter\"},"),
		  "T:a|refusal (content_filter)" USED },
		{ END("incomplete", ""), "T:a|failed protocol retryable (sim: the answer is "
		                         "incomplete (no reason given))" USED },
		{ EVENT("response.refusal.delta", ",\"output_index\":0,\"delta\":\" No.\"")
		          COMPLETED,
		  "T:a|T: No.|refusal (completed)" USED },
		{ END("failed", "\"error\":{\"code\":\"server_error\",\"message\":\"Ow\"},"),
		  "T:a|failed server_error retryable (Ow)" USED },
		{ END("failed", "\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"Ow\"},"),
		  "T:a|failed rate_limited retryable (Ow)" USED },
		{ END("failed",
		      "\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"Ow\"},"),
		  "T:a|failed context_length (Ow)" USED },
		{ END("failed", ""),
		  "T:a|failed server_error retryable (sim ended the answer with \"failed\")" USED },
		{ EVENT("error",
		        ",\"code\":\"insufficient_quota\",\"message\":\"Ow\",\"param\":null"),
		  "T:a|failed quota (Ow)" },
		/* a server that names its events only inside */
		{ "data: {\"type\":\"error\",\"code\":null,\"message\":\"Ow\"}\n\n",
		  "T:a|failed server_error retryable (Ow)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		buf_add_c(&text, START MESSAGE(0) TEXT(0, "a"));
		buf_add_c(&text, rows[i].text);
		CHECK_ANSWER(rows[i].want, 200, SSE, buf_str(&text));
	}
}

#define NUMBERED(number, type, more)                                                               \
	"data: {\"type\":\"" type "\",\"sequence_number\":" #number more "}\n\n"
#define WORD(number, text)                                                                         \
	NUMBERED(number, "response.output_text.delta",                                             \
	         ",\"output_index\":0,\"content_index\":0,\"delta\":\"" text "\"")
#define FIRST NUMBERED(0, "response.created", ",\"response\":{\"status\":\"in_progress\"}")
#define OUTPUT(items) "\"output\":[" items "],"
#define SAYS(text)                                                                                 \
	"{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"status\":\"completed\","      \
	"\"content\":[{\"type\":\"output_text\",\"text\":\"" text "\"}]}"
#define LAST(number, type, more)                                                                   \
	NUMBERED(number, "response." type, ",\"response\":{\"status\":\"" type "\"," more USAGE "}")

TEST(events_are_taken_in_the_order_of_their_numbers)
{
	CHECK_STREAM(FIRST WORD(1, "a") WORD(3, "c") WORD(2, "b") WORD(5, "e") WORD(4, "d")
	                     LAST(6, "completed", OUTPUT(SAYS("abcde"))),
	             "T:a|T:b|T:c|T:d|T:e|end_turn (completed)" USED);
	/* The call's arguments before the call. */
	CHECK_STREAM(FIRST NUMBERED(2, "response.function_call_arguments.delta",
	                            ",\"output_index\":0,\"delta\":\"{}\"")
	                     NUMBERED(1, "response.output_item.added",
	                              ",\"output_index\":0,\"item\":{" CALL("c", "ls", "") "}")
	                             LAST(3, "completed", ""),
	             "A:{}|tool_use (completed) call[c ls {}]" USED);
	/* A number that never comes does not hold up the answer, nor does its end. */
	CHECK_STREAM(FIRST WORD(1, "a") WORD(3, "b") WORD(4, "c") WORD(5, "d") WORD(6, "e")
	                     WORD(7, "f") WORD(8, "g") WORD(9, "h") WORD(10, "i") WORD(11, "j")
	                             LAST(12, "completed", ""),
	             "T:a|T:b|T:c|T:d|T:e|T:f|T:g|T:h|T:i|T:j|end_turn (completed)" USED);
	CHECK_STREAM(FIRST WORD(1, "a") WORD(3, "b") LAST(4, "completed", ""),
	             "T:a|T:b|end_turn (completed)" USED);
}

TEST(what_stands_only_in_the_final_item_or_response_is_taken)
{
	CHECK_STREAM(FIRST LAST(1, "completed", OUTPUT(SAYS("all of it"))),
	             "T:all of it|end_turn (completed)" USED);
	CHECK_STREAM(FIRST LAST(1, "completed", OUTPUT("{" CALL("c", "ls", "{}") "}")),
	             "A:{}|tool_use (completed) call[c ls {}]" USED);
	CHECK_STREAM(FIRST WORD(1, "half ")
	                     LAST(2, "completed",
	                          OUTPUT(SAYS("half and half") ",{" CALL("c", "ls", "{}") "}")),
	             "T:half |T:and half|A:{}|tool_use (completed) call[c ls {}]" USED);
	CHECK_STREAM(FIRST WORD(1, "one ") NUMBERED(2, "response.output_item.done",
	                                            ",\"output_index\":0,\"item\":" SAYS("one two"))
	                     LAST(3, "completed", OUTPUT(SAYS("one two"))),
	             "T:one |T:two|end_turn (completed)" USED);
	/* The final arguments are the call's. */
	CHECK_STREAM(START ADDED(0, CALL("c1", "read", "")) ARGS(0, "{\\\"p\\\": ")
	                     ENDED(0, CALL("c1", "read", "{\\\"p\\\": 2}")) COMPLETED,
	             "A:{\"p\": |A:{\"p\": 2}|tool_use (completed) call[c1 read {\"p\": 2}]" USED);
	/* Blanks that a server trims are no contradiction, other words are. */
	CHECK_STREAM(FIRST WORD(1, " yes\\n") LAST(2, "completed", OUTPUT(SAYS("yes"))),
	             "T: yes\n|end_turn (completed)" USED);
	CHECK_STREAM(FIRST WORD(1, "yes") LAST(2, "completed", OUTPUT(SAYS("no"))),
	             "T:yes|failed protocol retryable (sim: the text of the stream is not that of "
	             "its final item)" USED);
}

TEST(an_incomplete_response_is_no_answer)
{
	CHECK_STREAM(FIRST WORD(1, "a")
	                     LAST(2, "incomplete",
	                          "\"incomplete_details\":{\"reason\":\"max_output_tokens\"},"),
	             "T:a|max_tokens (max_output_tokens)" USED);
	CHECK_STREAM(
		FIRST WORD(1, "a")
			LAST(2, "incomplete", "\"incomplete_details\":{\"reason\":\"weather\"},"),
		"T:a|failed protocol retryable (sim: the answer is incomplete (weather))" USED);
	CHECK_STREAM(FIRST WORD(1, "a") NUMBERED(2, "response.incomplete", ",\"response\":{}"),
	             "T:a|failed protocol retryable (sim: the answer is incomplete (no reason "
	             "given))");
}

TEST(a_server_that_does_not_stream_is_understood)
{
	CHECK_ANSWER(
		"R:hm|T:Hi|A:{}|tool_use (completed) call[c ls {}]" USED, 200, "application/json",
		STR("{\"object\":\"response\",\"status\":\"completed\",\"error\":null,\"output\":["
	            "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":"
	            "\"hm\"}]},{\"type\":\"message\",\"content\":[{\"type\":\"output_text\","
	            "\"text\":\"Hi\"}]},{" CALL("c", "ls", "{}") "}]," USAGE "}"));
}

/* ---- requests ---- */

static struct str body_of(struct arena *mem, const struct model_request *req,
                          const struct body_options *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json doc;
	struct error e;

	CHECK_OK(openai_responses_body_write(req, o, &out, &e), &e);
	CHECK_OK(json_read(mem, buf_str(&out), &doc, &e), &e);
	return arena_keep(mem, buf_str(&out));
}

#define TAIL "\"stream\":true,\"store\":false,\"include\":[\"reasoning.encrypted_content\"]"

TEST(a_request_holds_the_conversation_and_the_thoughts)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct model_call call = { STR("c"), STR("ls"), STR("{\"p\":1}") };
	struct message messages[] = {
		{ .role = ROLE_SYSTEM, .text = STR("Be brief.") },
		{ .role = ROLE_USER, .text = STR("hi") },
		{ .role = ROLE_ASSISTANT,
		  .text = STR("ok"),
		  .calls = &call,
		  .call_count = 1,
		  .state = STR(
			  "{\"dialect\":\"responses\",\"model\":\"m\",\"parts\":[{\"opaque\":{"
			  "\"type\":\"reasoning\",\"id\":\"rs_1\",\"encrypted_content\":\"g==\"}},"
			  "{\"text\":2},{\"call\":\"c\"}]}") },
		{ .role = ROLE_TOOL, .text = STR("data"), .call_id = STR("c") },
	};
	struct tool_spec tool = { STR("ls"), STR("Lists."), STR("{\"type\":\"object\"}") };
	struct model_request req = { .model = STR("m"),
		                     .messages = messages,
		                     .message_count = 4,
		                     .tools = &tool,
		                     .tool_count = 1,
		                     .max_output_tokens = 100 };

	CHECK_STR(body_of(mem, &req,
	                  &(struct body_options){ .extra_body = STR("{\"store\":true,"
	                                                            "\"reasoning\":{"
	                                                            "\"effort\":\"low\"}}") }),
	          "{\"model\":\"m\",\"input\":["
	          "{\"type\":\"message\",\"role\":\"developer\",\"content\":\"Be brief.\"},"
	          "{\"type\":\"message\",\"role\":\"user\",\"content\":\"hi\"},"
	          "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"encrypted_content\":\"g==\"},"
	          "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"ok\"},"
	          "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"ls\",\"arguments\":"
	          "\"{\\\"p\\\":1}\"},"
	          "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"data\"}],"
	          "\"tools\":[{\"type\":\"function\",\"name\":\"ls\",\"description\":\"Lists.\","
	          "\"parameters\":{\"type\":\"object\"},\"strict\":false}],"
	          "\"max_output_tokens\":100," TAIL ",\"reasoning\":{\"effort\":\"low\"}}");
}

TEST(schemas_and_images_have_their_places)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct message_image image = { STR("image/png"), STR("iVBO"), STR_NONE };
	struct message m = {
		.role = ROLE_USER, .text = STR("what?"), .images = &image, .image_count = 1
	};
	struct model_request req = {
		.model = STR("m"),
		.messages = &m,
		.message_count = 1,
		.output_schema =
			STR("{\"type\":\"object\",\"properties\":{},\"additionalProperties\":"
		            "false}")
	};

	CHECK_STR(
		body_of(mem, &req,
	                &(struct body_options){ .extra_body = STR("{\"text\":{"
	                                                          "\"verbosity\":"
	                                                          "\"low\"}}") }),
		"{\"model\":\"m\",\"input\":[{\"type\":\"message\",\"role\":\"user\",\"content\":[{"
		"\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,iVBO\"},{\"type\":"
		"\"input_text\",\"text\":\"what?\"}]}],\"text\":{\"verbosity\":\"low\",\"format\":{"
		"\"type\":\"json_schema\",\"name\":\"answer\",\"schema\":{\"type\":\"object\","
		"\"properties\":{},\"additionalProperties\":false},\"strict\":true}}," TAIL "}");
}

TEST(a_result_holds_its_image)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct image_message message;
	struct str body;

	image_message_init(&message);
	body = body_of(mem, &message.request, &(struct body_options){ 0 });

	CHECK(str_find(
		      body,
		      STR("{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":[{"
	                  "\"type\":"
	                  "\"input_image\",\"image_url\":\"data:image/png;base64,iVBO\"},{\"type\":"
	                  "\"input_text\",\"text\":\"one\"}]}")) >= 0);
}

TEST_MAIN()
