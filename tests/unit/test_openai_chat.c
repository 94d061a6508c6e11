/* The Chat Completions mapper: bodies out, streams in, errors. */
#include "provider/openai/openai_chat.h"
#include "image_message.h"

#include "answer_case.h"

#include "provider/keys/keys.h"
#include "provider/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A chunk as OpenAI writes it, around what is in the choice. */
#define CHUNK(choice, usage)                                                                       \
	"data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,"         \
	"\"model\":\"m\",\"choices\":[" choice "],\"usage\":" usage "}\n\n"
#define DELTA(delta) CHUNK("{\"index\":0,\"delta\":{" delta "},\"finish_reason\":null}", "null")
#define FINISH(word) CHUNK("{\"index\":0,\"delta\":{},\"finish_reason\":\"" word "\"}", "null")
#define USAGE(in, out)                                                                             \
	CHUNK("", "{\"prompt_tokens\":" #in ",\"completion_tokens\":" #out ",\"total_tokens\":0}")
#define DONE "data: [DONE]\n\n"

/* ---- streams ---- */

TEST(text_of_openai_comes_in_pieces)
{
	CHECK_STREAM(
		DELTA("\"role\":\"assistant\",\"content\":\"\",\"refusal\":null") DELTA(
			"\"content\":\"Hel\"") DELTA("\"content\":\"lo \xe2\x82\xac\"") FINISH("sto"
	                                                                                       "p")
			CHUNK("",
	                      "{\"prompt_tokens\":19,\"completion_tokens\":10,\"total_tokens\":29,"
	                      "\"prompt_tokens_details\":{\"cached_tokens\":16,\"cache_write_"
	                      "tokens\":2},"
	                      "\"completion_tokens_details\":{\"reasoning_tokens\":4}}") DONE,
		"T:Hel|T:lo \xe2\x82\xac|end_turn (stop) usage[19 16 2 10 4]");
}

TEST(tool_calls_are_gathered_by_index_until_they_are_whole)
{
	CHECK_STREAM(
		DELTA("\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,"
	              "\"id\":\"call_a\",\"type\":\"function\",\"function\":{\"name\":\"read\","
	              "\"arguments\":\"\"}}]") DELTA("\"tool_calls\":[{\"index\":0,\"function\":{"
	                                             "\"arguments\":\"{\\\"p\\\":\"}}]")
			DELTA("\"tool_calls\":[{\"index\":1,\"id\":\"call_b\",\"type\":"
	                      "\"function\","
	                      "\"function\":{\"name\":\"write\",\"arguments\":\"{}\"}}]")
				DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
	                              "\"\\\"x\\\"}\"}}]") FINISH("tool_calls") USAGE(5, 6) DONE,
		"A:{\"p\":|A:{}|A:\"x\"}|tool_use (tool_calls) call[call_a read {\"p\":\"x\"}] "
		"call[call_b write {}] usage[5 0 0 6 0]");
}

TEST(vllm_gives_every_fragment_an_id_and_every_chunk_its_usage)
{
	CHECK_STREAM(
		CHUNK("{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
	              "\"finish_reason\":null}",
	              "{\"prompt_tokens\":7,\"total_tokens\":7,"
	              "\"completion_tokens\":0}") CHUNK("{\"index\":0,\"delta\":{\"reasoning_"
	                                                "content\":\"hm\"},\"logprobs\":null,"
	                                                "\"finish_reason\":null}",
	                                                "{\"prompt_tokens\":7,\"completion_"
	                                                "tokens\":1}")
			CHUNK("{\"index\":0,\"delta\":{\"tool_calls\":[{\"id\":\"chatcmpl-tool-1\","
	                      "\"type\":\"function\",\"index\":0,\"function\":{\"name\":\"ls\"}}]}"
	                      "}",
	                      "{\"prompt_tokens\":7,\"completion_tokens\":2}")
				CHUNK("{\"index\":0,\"delta\":{\"tool_calls\":[{\"id\":\"chatcmpl-"
	                              "tool-2\","
	                              "\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\": "
	                              "1\"}}]}}",
	                              "{\"prompt_tokens\":7,\"completion_tokens\":3}")
					CHUNK("{\"index\":0,\"delta\":{\"tool_calls\":[{\"id\":"
	                                      "\"chatcmpl-tool-3\","
	                                      "\"index\":0,\"function\":{\"arguments\":\"}\"}}]},"
	                                      "\"finish_reason\":"
	                                      "\"tool_calls\",\"stop_reason\":null}",
	                                      "{\"prompt_tokens\":7,\"completion_tokens\":9}") DONE,
		"R:hm|A:{\"a\": 1|A:}|tool_use (tool_calls) call[chatcmpl-tool-1 ls {\"a\": 1}] "
		"usage[7 0 0 9 0]");
}

TEST(llama_cpp_sends_no_ids_and_may_forget_done)
{
	CHECK_STREAM(
		DELTA("\"role\":\"assistant\",\"content\":null") DELTA(
			"\"tool_calls\":[{\"index\":0,\"id\":\"\",\"type\":\"function\","
			"\"function\":"
			"{\"name\":\"get\",\"arguments\":\"{\"}}]")
			DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"\",\"function\":{"
	                      "\"arguments\":\"}\"}}]") "data: "
							"{\"choices\":[{\"finish_reason\":\"tool_"
							"calls\",\"index\":0,\"delta\":{}}],"
							"\"timings\":{\"prompt_n\":1}}\n\n",
		"A:{|A:}|tool_use (tool_calls) call[call_mreq_1_1 get {}]");
}

TEST(openrouter_sends_comments_and_reasons_under_two_names)
{
	CHECK_STREAM(": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" DELTA(
			     "\"role\":\"assistant\",\"content\":\"\",\"reasoning\":\"I think\","
			     "\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"I "
			     "think\"}]") DELTA("\"content\":\"\",\"reasoning\":\"!\",\"reasoning_"
	                                        "content\":\"!\"")
	                     DELTA("\"role\":\"assistant\",\"content\":\"Yes\",\"reasoning\":null")
	                             CHUNK("{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_"
	                                   "reason\":\"stop\","
	                                   "\"native_finish_reason\":\"STOP\"}",
	                                   "null") ": OPENROUTER PROCESSING\n\n" USAGE(3, 4) DONE,
	             "R:I think|R:!|T:Yes|end_turn (stop) usage[3 0 0 4 0]");
}

TEST(deepseek_thinks_first_and_counts_its_cache_by_hits)
{
	CHECK_STREAM(
		": keep-alive\n\n" DELTA(
			"\"role\":\"assistant\",\"content\":null,\"reasoning_"
			"content\":\"\"") DELTA("\"content\":null,\"reasoning_"
	                                        "content\":\"Let me\"") DELTA("\"content\":\"42\","
	                                                                      "\"reasoning_"
	                                                                      "content\":null")
			CHUNK("{\"index\":0,\"delta\":{\"content\":\"\",\"reasoning_content\":null}"
	                      ","
	                      "\"finish_reason\":\"stop\"}",
	                      "{\"prompt_tokens\":12,\"completion_tokens\":30,\"total_tokens\":42,"
	                      "\"completion_tokens_details\":{\"reasoning_tokens\":25},"
	                      "\"prompt_cache_hit_tokens\":8,\"prompt_cache_miss_tokens\":4}") DONE,
		"R:Let me|T:42|end_turn (stop) usage[12 8 0 30 25]");
}

TEST(calls_without_index_or_with_the_same_index_stay_apart)
{
	/* Gemini's and Ollama's compatible faces: whole calls, no index */
	CHECK_STREAM(DELTA("\"tool_calls\":[{\"id\":\"\",\"type\":\"function\",\"function\":{"
	                   "\"name\":\"a\","
	                   "\"arguments\":\"{}\"}},{\"id\":\"\",\"type\":\"function\",\"function\":"
	                   "{\"name\":\"b\",\"arguments\":\"{\\\"x\\\":1}\"}}]") FINISH("stop")
	                     DONE,
	             "A:{}|A:{\"x\":1}|tool_use (stop) call[call_mreq_1_1 a {}] "
	             "call[call_mreq_1_2 b {\"x\":1}]");
	CHECK_STREAM(
		DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"a\","
	              "\"arguments\":\"{}\"}}]") DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c2\","
	                                               "\"function\":{\"name\":\"a\","
	                                               "\"arguments\":\"{}\"}}]")
			FINISH("tool_calls") DONE,
		"A:{}|A:{}|tool_use (tool_calls) call[c1 a {}] call[c2 a {}]");
	/* one id for two calls cannot be answered twice */
	CHECK_STREAM(
		DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"a\"}},"
	              "{\"index\":1,\"id\":\"c\",\"function\":{\"name\":\"b\"}}]")
			FINISH("tool_calls") DONE,
		"tool_use (tool_calls) call[c a {}] call[call_mreq_1_2 b {}]");
}

TEST(names_may_come_in_parts_or_again_and_again_and_arguments_as_an_object)
{
	CHECK_STREAM(
		DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"get_\"}}"
	              "]") DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"time\"}}]")
			DELTA("\"tool_calls\":[{\"index\":1,\"id\":\"d\",\"function\":{\"name\":"
	                      "\"ls\","
	                      "\"arguments\":\"{\"}}]") DELTA("\"tool_calls\":[{\"index\":1,\"id\":"
	                                                      "\"d\",\"function\":{\"name\":\"ls\","
	                                                      "\"arguments\":\"}\"}}]")
				DELTA("\"tool_calls\":[{\"index\":2,\"id\":\"e\",\"function\":{"
	                              "\"name\":\"o\","
	                              "\"arguments\":{\"k\":[1]}}}]") FINISH("tool_calls") DONE,
		"A:{|A:}|A:{\"k\":[1]}|tool_use (tool_calls) call[c get_time {}] call[d ls {}] "
		"call[e o {\"k\":[1]}]");
	CHECK_STREAM(DELTA("\"function_call\":{\"name\":\"old\",\"arguments\":\"{\\\"a\\\"\"}")
	                     DELTA("\"function_call\":{\"arguments\":\":1}\"}")
	                             FINISH("function_call") DONE,
	             "A:{\"a\"|A::1}|tool_use (function_call) call[call_mreq_1_1 old {\"a\":1}]");
}

TEST(only_the_first_choice_is_ours)
{
	CHECK_STREAM(CHUNK("{\"index\":1,\"delta\":{\"content\":\"other\"},\"finish_reason\":"
	                   "\"length\"},"
	                   "{\"index\":0,\"delta\":{\"content\":\"mine\"},\"finish_reason\":null}",
	                   "null") CHUNK("{\"index\":1,\"delta\":{},\"finish_reason\":\"length\"}",
	                                 "null") FINISH("stop") DONE,
	             "T:mine|end_turn (stop)");
}

TEST(content_may_be_a_list_of_parts)
{
	CHECK_STREAM(DELTA("\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\","
	                   "\"text\":\"so\"}]},{\"type\":\"text\",\"text\":\"Ja\"}]") FINISH("stop")
	                     DONE,
	             "R:so|T:Ja|end_turn (stop)");
}

TEST(every_way_to_stop_has_its_word)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ FINISH("stop"), "T:a|end_turn (stop)" },
		{ FINISH("length"), "T:a|max_tokens (length)" },
		{ FINISH("content_filter"), "T:a|refusal (content_filter)" },
		{ FINISH("tool_calls"), "T:a|end_turn (tool_calls)" },
		{ FINISH("stop_sequence"), "T:a|stop_sequence (stop_sequence)" },
		{ FINISH("model_length"), "T:a|context_full (model_length)" },
		{ FINISH("eos_token"), "T:a|end_turn (eos_token)" },
		{ FINISH("insufficient_system_resource"),
		  "T:a|failed overloaded retryable (sim ended the answer with "
		  "\"insufficient_system_resource\")" },
		{ FINISH("error"),
		  "T:a|failed server_error retryable (sim ended the answer with \"error\")" },
		{ DELTA("\"refusal\":\" No.\"") FINISH("stop"), "T:a|T: No.|refusal (stop)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		buf_add_c(&text, DELTA("\"content\":\"a\""));
		buf_add_c(&text, rows[i].text);
		buf_add_c(&text, DONE);
		CHECK_ANSWER(rows[i].want, 200, SSE, buf_str(&text));
	}
}

TEST(nothing_of_an_answer_that_ran_out_of_tokens_is_acted_on_by_half)
{
	CHECK_STREAM(
		DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"rm\","
	              "\"arguments\":\"{\\\"path\\\":\\\"/tmp/a\"}}]") FINISH("length") USAGE(1, 2)
			DONE,
		"A:{\"path\":\"/tmp/a|max_tokens (length) usage[1 0 0 2 0]");
	CHECK_STREAM(DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"a\","
	                   "\"arguments\":\"{}\"}},{\"index\":1,\"id\":\"d\",\"function\":{"
	                   "\"name\":\"b\","
	                   "\"arguments\":\"{\"}}]") FINISH("length") DONE,
	             "A:{}|A:{|max_tokens (length)");
	CHECK_STREAM(DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"a\","
	                   "\"arguments\":\"{}\"}}]") FINISH("length") DONE,
	             "A:{}|tool_use (length) call[c a {}]");
	/* the runtime reports invalid JSON of a complete response */
	CHECK_STREAM(DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"a\","
	                   "\"arguments\":\"{oops\"}}]") FINISH("tool_calls") DONE,
	             "A:{oops|tool_use (tool_calls) call[c a {oops]");
}

TEST(a_stream_cut_short_has_failed_and_leaves_no_half_call)
{
	static const char cut[] = "failed network retryable (sim: the stream ended before the "
				  "answer was whole)";
	struct str stream = STR(DELTA("\"content\":\"ab\"") DELTA(
		"\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":"
		"{\"name\":\"a\",\"arguments\":\"{}\"}}]") FINISH("tool_calls") DONE);
	struct str last = STR("\"finish_reason\":\"tool_calls\"}],\"usage\":null}");
	size_t whole = (size_t)str_find(stream, last) + last.len;

	/* every prefix that lacks the end of the finishing chunk */
	for (size_t len = 0; len < stream.len; len++) {
		struct served a = { 200, SSE, str_head(stream, len) };
		CLEANUP(buf_done) struct buf out = { 0 };
		bool is_whole = len >= whole;

		play(&a, MAX(len, (size_t)1), 0, &out);
		if (!is_whole)
			CHECK(str_find(buf_str(&out), str_from(cut)) >= 0);
		CHECK(is_whole == (str_find(buf_str(&out), STR(" call[c a {}]")) > 0));
	}
	CHECK_ANSWER("T:a|failed network retryable (sim: it broke)", 200, SSE,
	             STR(DELTA("\"content\":\"a\"")), .is_broken = true);
	/* after the finish nothing is missing but perhaps the usage */
	CHECK_ANSWER("T:a|end_turn (stop)", 200, SSE,
	             STR(DELTA("\"content\":\"a\"") FINISH("stop")), .is_broken = true);
}

TEST(done_without_a_reason_is_taken_for_text_only)
{
	CHECK_STREAM(DELTA("\"content\":\"a\"") DONE, "T:a|end_turn ()");
	CHECK_STREAM(DONE,
	             "failed protocol retryable (sim: the stream ended without a finish reason)");
	CHECK_STREAM(DELTA("\"content\":\"a\",\"tool_calls\":[{\"index\":0,\"id\":\"c\","
	                   "\"function\":{\"name\":\"a\",\"arguments\":\"{}\"}}]") DONE,
	             "T:a|A:{}|failed protocol retryable (sim: the stream ended without a finish "
	             "reason)");
}

TEST(what_follows_done_is_not_looked_at)
{
	CHECK_STREAM(DELTA("\"content\":\"a\"") FINISH("stop") DONE
	             "data: garbage\n\n" DELTA("\"content\":\"b\""),
	             "T:a|end_turn (stop)");
}

TEST(an_error_inside_a_good_stream_is_an_error)
{
	CHECK_STREAM(DELTA("\"content\":\"a\"") "data: {\"error\":{\"message\":\"The server had an "
	                                        "error\",\"type\":"
	                                        "\"server_error\",\"param\":null,\"code\":null}}"
	                                        "\n\n" DONE,
	             "T:a|failed server_error retryable (The server had an error)");
	/* OpenRouter */
	CHECK_STREAM("data: {\"id\":\"x\",\"error\":{\"code\":429,\"message\":\"slow\\ndown\"},"
	             "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":"
	             "\"error\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":0}}\n\n",
	             "failed rate_limited retryable (slow down) usage[1 0 0 0 0]");
	CHECK_STREAM("event: error\ndata: {\"message\":\"no "
	             "credit\",\"code\":\"insufficient_quota\"}\n\n",
	             "failed quota (no credit)");
	CHECK_STREAM("data: {\"error\":\"model is loading\"}\n\n",
	             "failed server_error retryable (model is loading)");
	CHECK_STREAM("data: {\"error\":{\"message\":\"too "
	             "long\",\"code\":\"context_length_exceeded\"}}\n\n",
	             "failed context_length (too long)");
	CHECK_STREAM("data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"a\"},"
	             "\"finish_reason\":\"stop\"}]}\n\n" DONE,
	             "T:a|end_turn (stop)");
}

TEST(garbage_is_said_to_be_garbage)
{
	CHECK_STREAM("data: {\"choices\":[\n\n" DONE,
	             "failed protocol retryable (sim: an event of the stream is not JSON)");
	CHECK_STREAM("data: 7\n\n",
	             "failed protocol retryable (sim: an event of the stream is not JSON)");
	CHECK_STREAM(
		"\x16\x03\x01 what\n",
		"failed network retryable (sim: the stream ended before the answer was whole)");
	CHECK_STREAM(
		"", "failed network retryable (sim: the stream ended before the answer was whole)");
	CHECK_STREAM("data: {}\n\ndata: {\"object\":\"ping\"}\n\ndata: {\"choices\":7}\n\n"
	             "data: {\"choices\":[7,null]}\n\ndata: {\"choices\":[{\"delta\":[]}]}\n\n"
	             "data:\n\nevent: ping\ndata: {}\n\n" DELTA("\"content\":\"a\"") FINISH("stop"),
	             "T:a|end_turn (stop)");
	CHECK_STREAM(
		DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{}}]")
			FINISH("tool_calls") DONE,
		"failed protocol retryable (sim: the answer asks for a tool without naming it)");
	CHECK_ANSWER("failed protocol (sim answers with text/html and not with a stream; "
	             "is the base URL right?)",
	             200, "text/html", STR("<html>"));
}

TEST(bytes_that_are_no_text_do_not_end_an_answer)
{
	CHECK_STREAM("data: {\"choices\":[{\"delta\":{\"content\":\"a\xff\xe2\x82\"},"
	             "\"finish_reason\":\"stop\"}]}\n\n",
	             "T:a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|end_turn (stop)");
	CHECK_STREAM(
		"data: {\"choices\":[{\"index\":0,\"index\":0,\"delta\":{\"content\":\"twice\"},"
		"\"finish_reason\":\"stop\"}]}\n\n",
		"T:twice|end_turn (stop)");
}

TEST(lines_may_end_in_any_way)
{
	CHECK_STREAM(
		"\xef\xbb\xbf"
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\n"
		"data:{\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\r\r"
		"data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"c\"}}]}\n\n"
		"data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n",
		"T:a|T:b|T:c|end_turn (stop)");
	/* and the last one not at all */
	CHECK_STREAM(
		DELTA("\"content\":\"a\"") "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}",
		"T:a|end_turn (stop)");
	CHECK_STREAM(DELTA("\"content\":\"a\"") "data: [DONE]", "T:a|end_turn ()");
}

TEST(usage_is_made_plausible)
{
	static const struct {
		const char *usage, *want;
	} rows[] = {
		{ "{\"prompt_tokens\":5,\"completion_tokens\":2,\"prompt_tokens_details\":"
		  "{\"cached_tokens\":9}}",
		  "usage[5 5 0 2 0]" },
		{ "{\"prompt_tokens\":5,\"completion_tokens\":2,\"total_tokens\":107,"
		  "\"completion_tokens_details\":{\"reasoning_tokens\":100}}",
		  "usage[5 0 0 102 100]" },
		{ "{\"prompt_tokens\":5,\"completion_tokens\":200,\"total_tokens\":305,"
		  "\"completion_tokens_details\":{\"reasoning_tokens\":100}}",
		  "usage[5 0 0 300 100]" },
		/* a count that is missing or no count is unknown, not zero */
		{ "{\"prompt_tokens\":5,\"completion_tokens\":-2}", "" },
		{ "{\"prompt_tokens\":0,\"completion_tokens\":0}", "" },
		{ "{\"prompt_tokens\":5}", "" },
		{ "{\"prompt_tokens\":5,\"completion_tokens\":null,\"prompt_tokens_details\":null,"
		  "\"completion_tokens_details\":[]}",
		  "" },
		{ "{\"prompt_tokens\":1e30,\"completion_tokens\":1}", "" },
		{ "{\"prompt_tokens\":-1,\"completion_tokens\":1}", "" },
		{ "{}", "" },
		{ "null", "" },
		{ "[]", "" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		CLEANUP(buf_done) struct buf text = { 0 }, want = { 0 };

		buf_printf(&text, "%sdata: {\"choices\":[],\"usage\":%s}\n\n",
		           DELTA("\"content\":\"a\"") FINISH("stop"), rows[i].usage);
		buf_printf(&want, "T:a|end_turn (stop)%s%s", *rows[i].want ? " " : "",
		           rows[i].want);
		buf_add_char(&want, 0);
		CHECK_ANSWER(want.ptr, 200, SSE, buf_str(&text));
	}
	/* Moonshot puts it into the choice */
	CHECK_STREAM(
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\","
		"\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}]}\n\n",
		"T:a|end_turn (stop) usage[1 0 0 2 0]");
}

TEST(a_server_that_does_not_stream_is_understood)
{
	CHECK_ANSWER("R:hm|T:Hi|A:{\"a\":1}|A:{}|tool_use (tool_calls) call[c x {\"a\":1}] "
	             "call[call_mreq_1_2 x {}] usage[3 0 0 4 0]",
	             200, "application/json",
	             STR("{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
	                 "\"reasoning\":\"hm\",\"content\":\"Hi\",\"tool_calls\":[{\"id\":\"c\","
	                 "\"function\":{\"name\":\"x\",\"arguments\":\"{\\\"a\\\":1}\"}},{\"id\":"
	                 "\"c\",\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}}]},"
	                 "\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":3,"
	                 "\"completion_tokens\":4}}"));
	CHECK_ANSWER("failed server_error retryable (bad day)", 200, "application/json",
	             STR("{\"error\":{\"message\":\"bad day\"}}"));
	CHECK_ANSWER("failed protocol (sim: the answer is not what was asked for; is the base URL "
	             "right?)",
	             200, "application/json", STR("{\"hello\":1}"));
	CHECK_ANSWER("failed protocol retryable (sim: the answer is not JSON)", 200,
	             "application/json", STR("{\"choi"));
	CHECK_ANSWER("T:a|end_turn (stop)", 200, NULL,
	             STR(DELTA("\"content\":\"a\"") FINISH("stop")));
}

TEST(everything_has_a_bound)
{
	struct str stream =
		STR(DELTA("\"content\":\"0123456789\"") DELTA("\"content\":\"0123456789\"")
	                    DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":"
	                          "{\"name\":\"a\",\"arguments\":\"{    }\"}}]")
	                            DELTA("\"tool_calls\":[{\"index\":1,\"id\":\"d\",\"function\":"
	                                  "{\"name\":\"a\",\"arguments\":\"{}\"}}]")
	                                    FINISH("tool_calls") DONE);
	CLEANUP(buf_done) struct buf names = { 0 };

	CHECK_ANSWER("T:0123456789|failed protocol (sim: the answer has more text than is taken)",
	             200, SSE, stream, .limits.text = 15);
	CHECK_ANSWER("T:0123456789|T:0123456789|failed protocol (sim: the arguments of a tool call "
	             "are larger than is taken)",
	             200, SSE, stream, .limits.args = 5);
	CHECK_ANSWER("T:0123456789|T:0123456789|A:{    }|failed protocol (sim: the answer asks for "
	             "more tool calls than are taken)",
	             200, SSE, stream, .limits.calls = 1);
	CHECK_ANSWER("failed protocol (sim: a line of the stream is longer than is taken)", 200,
	             SSE, stream, .limits.line = 100);
	CHECK_ANSWER("failed protocol (sim: the answer is larger than is taken)", 200,
	             "application/json",
	             STR("{\"choices\":[{\"message\":{},\"finish_reason\":\"stop\"}]}"),
	             .limits.whole = 20);
	CHECK_ANSWER("failed server_error retryable (sim answers with status 500)", 500,
	             "application/json", STR("{\"error\":{\"message\":\"long and longer\"}}"),
	             .limits.whole = 20);
	buf_add_c(&names,
	          "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\","
	          "\"function\":{\"name\":\"");
	for (int i = 0; i < 300; i++)
		buf_add_char(&names, 'n');
	buf_add_c(&names, "\"}}]}}]}\n\n");
	CHECK_ANSWER(
		"failed protocol (sim: the id or name of a tool call is longer than 256 bytes)",
		200, SSE, buf_str(&names));
}

/* ---- the raw body ---- */

static struct str raw_of(struct arena *mem, const struct served *a)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	ptrdiff_t at;

	play(a, MAX(a->body.len, (size_t)1), 0, &out);
	at = str_find(buf_str(&out), STR(" raw "));
	return arena_keep(mem, str_skip(buf_str(&out), (size_t)at + 5));
}

TEST(the_raw_body_is_kept_within_its_bound)
{
	static const struct http_client_header headers[] = {
		{ STR("X-Request-Id"), STR("req_7") },
		{ STR("Set-Cookie"), STR("secret") },
		{ STR("x-ratelimit-remaining-tokens"), STR("12") },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf long_one = { 0 };
	struct served a = { 200, SSE, STR("data: x\n\n"), .headers = headers, .header_count = 3 };
	struct json doc;

	CHECK_STR(raw_of(mem, &a),
	          "{\"status\":200,\"headers\":{\"Content-Type\":\"text/event-stream; "
	          "charset=utf-8\","
	          "\"X-Request-Id\":\"req_7\",\"x-ratelimit-remaining-tokens\":\"12\"},\"bytes\":9,"
	          "\"body\":\"data: x\\n\\n\"}");
	for (int i = 0; i < 1000; i++)
		buf_printf(&long_one, ": comment %d\n", i);
	a = (struct served){ 200, SSE, buf_str(&long_one), .limits.raw = 1000 };

	struct str raw = raw_of(mem, &a);
	struct error e;

	CHECK_OK(json_read(mem, raw, &doc, &e), &e);
	CHECK_INT(json_int(JSON_GET(doc, "bytes"), 0), (long long)long_one.len);
	CHECK_INT(json_int(JSON_GET(doc, "leftOut"), 0), (long long)long_one.len - 1000);
	CHECK_SAME(json_str(JSON_GET(doc, "head")), str_head(a.body, 750));
	CHECK_SAME(json_str(JSON_GET(doc, "tail")), str_skip(a.body, a.body.len - 250));
	for (size_t max = 1; max < 40; max++)
		for (size_t len = 0; len < 90; len += 7) {
			a = (struct served){ 500, NULL, str_head(buf_str(&long_one), len),
				             .limits.raw = max };
			raw = raw_of(mem, &a);
			CHECK_OK(json_read(mem, raw, &doc, &e), &e);
			CHECK(str_eq(json_str(JSON_GET(doc, "body")), a.body) == (len <= max));
		}
}

TEST(an_address_in_the_raw_headers_has_no_secret)
{
	static const char *const all[][2] = {
		{ "https://h/p?token=s", "https://h/p" },
		{ "https://h/p#s", "https://h/p" },
		{ "https://me:s@h/p@q", "h/p@q" },
		{ "//me:s@h", "h" },
		{ "/p?s", "/p" },
		{ "https://h/p", "https://h/p" },
		{ "?//s@t", "" },
		{ "", "" },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(all); i++) {
		struct http_client_header to = { STR("Location"), str_from(all[i][0]) };
		struct served a = { 302, SSE, STR("data: x\n\n"), .headers = &to,
			            .header_count = 1 };
		struct json doc;

		CHECK_INT(json_read_trusted(mem, raw_of(mem, &a), &doc, NULL), OK);
		CHECK_SAME(json_str(JSON_GET(JSON_GET(doc, "headers"), "Location")),
		           str_from(all[i][1]));
	}
}

/* ---- errors by status ---- */

#define ERR(message, type, code)                                                                   \
	"{\"error\":{\"message\":\"" message "\",\"type\":\"" type                                 \
	"\",\"param\":null,\"code\":" code "}}"

TEST(a_status_and_a_code_become_a_category)
{
	static const struct {
		int status;
		const char *body, *want;
	} rows[] = {
		{ 401, ERR("bad key", "invalid_request_error", "\"invalid_api_key\""),
		  "failed auth (bad key)" },
		{ 403, ERR("not here", "x", "null"), "failed auth (not here)" },
		{ 400, ERR("no", "invalid_request_error", "null"), "failed invalid_request (no)" },
		{ 404, ERR("no model", "invalid_request_error", "\"model_not_found\""),
		  "failed invalid_request (no model)" },
		{ 422, "{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"field required\"}]}",
		  "failed invalid_request (field required)" },
		{ 400, ERR("too long", "invalid_request_error", "\"context_length_exceeded\""),
		  "failed context_length (too long)" },
		{ 400,
		  "{\"object\":\"error\",\"message\":\"This model's maximum context length is 4096 "
		  "tokens.\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400}",
		  "failed context_length (This model's maximum context length is 4096 tokens.)" },
		{ 400,
		  ERR("the request exceeds the available context size", "exceed_context_size_error",
		      "400"),
		  "failed context_length (the request exceeds the available context size)" },
		{ 400, ERR("filtered", "x", "\"content_filter\""),
		  "failed content_filter (filtered)" },
		{ 402, ERR("Insufficient Balance", "unknown_error", "\"invalid_request_error\""),
		  "failed quota (Insufficient Balance)" },
		{ 429, ERR("slow", "requests", "\"rate_limit_exceeded\""),
		  "failed rate_limited retryable (slow)" },
		{ 429, ERR("pay", "insufficient_quota", "\"insufficient_quota\""),
		  "failed quota (pay)" },
		{ 429,
		  "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":"
		  "\"cap\","
		  "\"details\":{\"error_code\":\"enforced_spend_limit_reached\"}}}",
		  "failed quota (cap)" },
		{ 500, ERR("oops", "server_error", "null"),
		  "failed server_error retryable (oops)" },
		{ 502, "<html>Bad gateway</html>",
		  "failed server_error retryable (sim answers with status 502)" },
		{ 503, "", "failed overloaded retryable (sim answers with status 503)" },
		{ 504, "", "failed timeout retryable (sim answers with status 504)" },
		{ 529, ERR("busy", "overloaded_error", "null"),
		  "failed overloaded retryable (busy)" },
		{ 408, "", "failed timeout retryable (sim answers with status 408)" },
		{ 409, "", "failed server_error retryable (sim answers with status 409)" },
		{ 413, ERR("big", "tokens", "\"rate_limit_exceeded\""),
		  "failed invalid_request (big)" },
		{ 308, "",
		  "failed protocol (sim answers with a redirect (308), which is not followed; "
		  "correct the base URL)" },
		{ 204, "", "failed protocol (sim answers with status 204)" },
		{ 500, "{\"error\":\"model runner has stopped\"}",
		  "failed server_error retryable (model runner has stopped)" },
		{ 429,
		  "[{\"error\":{\"code\":429,\"message\":\"quota\",\"status\":\"RESOURCE_"
		  "EXHAUSTED\"}}]",
		  "failed rate_limited retryable (quota)" },
		{ 400, "{\"error\":{\"message\":\"a\\u0007b\\nc\"}}",
		  "failed invalid_request (a^Gb c)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		CHECK_ANSWER(rows[i].want, rows[i].status, "application/json",
		             str_from(rows[i].body));
	/* a truncated error is classified by what has arrived */
	CHECK_ANSWER("failed overloaded retryable (sim answers with status 503)", 503,
	             "application/json", STR("{\"err"), .is_broken = true);
}

TEST(headers_say_how_long_to_wait)
{
	static const struct {
		struct http_client_header headers[3];
		const char *want;
	} rows[] = {
		{ { { STR("Retry-After"), STR("20") } },
		  "failed rate_limited retryable after 20000" },
		{ { { STR("retry-after"), STR("0.5") } },
		  "failed rate_limited retryable after 500" },
		{ { { STR("retry-after-ms"), STR("1250.5") }, { STR("retry-after"), STR("9") } },
		  "failed rate_limited retryable after 1251" },
		{ { { STR("retry-after"), STR("Sun, 06 Nov 1994 08:50:07 GMT") },
		    { STR("date"), STR("Sun, 06 Nov 1994 08:49:37 GMT") } },
		  "failed rate_limited retryable after 30000" },
		{ { { STR("retry-after"), STR("Tue, 01 Mar 2028 00:00:01 GMT") },
		    { STR("date"), STR("Tue, 29 Feb 2028 23:59:59 GMT") } },
		  "failed rate_limited retryable after 2000" },
		{ { { STR("retry-after"), STR("Sun, 06 Nov 1994 08:50:07 GMT") } },
		  "failed rate_limited retryable" },
		{ { { STR("retry-after"), STR("soon") } }, "failed rate_limited retryable" },
		{ { { STR("retry-after"), STR("99999999") } },
		  "failed rate_limited retryable after 86400000" },
		{ { { STR("x-ratelimit-remaining-requests"), STR("0") },
		    { STR("x-ratelimit-reset-requests"), STR("6m0s") } },
		  "failed rate_limited retryable after 360000" },
		{ { { STR("x-ratelimit-remaining-tokens"), STR("10") },
		    { STR("x-ratelimit-reset-tokens"), STR("6m0s") } },
		  "failed rate_limited retryable" },
		{ { { STR("x-should-retry"), STR("false") }, { STR("retry-after"), STR("1") } },
		  "failed rate_limited after 1000" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct served a = { 429, "application/json", STR(ERR("x", "y", "null")),
			            .headers = rows[i].headers, .header_count = 0 };
		CLEANUP(buf_done) struct buf want = { 0 };

		while (a.header_count < 3 && rows[i].headers[a.header_count].name.len)
			a.header_count++;
		buf_printf(&want, "%s (x)", rows[i].want);
		buf_add_char(&want, 0);
		check_answer(__FILE__, __LINE__, &a, want.ptr);
	}

	static const struct http_client_header yes = { STR("x-should-retry"), STR("true") };

	CHECK_ANSWER("failed invalid_request retryable (x)", 400, "application/json",
	             STR(ERR("x", "y", "null")), .headers = &yes, .header_count = 1);
	CHECK_ANSWER("failed quota (x)", 429, "application/json",
	             STR(ERR("x", "insufficient_quota", "null")), .headers = &yes,
	             .header_count = 1);
}

TEST(durations_are_read_as_go_writes_them)
{
	int64_t ms = 7;

	CHECK(failure_duration(STR("1s"), &ms) && ms == 1000);
	CHECK(failure_duration(STR("6m0s"), &ms) && ms == 360000);
	CHECK(failure_duration(STR("20ms"), &ms) && ms == 20);
	CHECK(failure_duration(STR("1h2m3.5s"), &ms) && ms == 3723500);
	CHECK(failure_duration(STR("2d"), &ms) && ms == FAILURE_WAIT_MAX_MS);
	CHECK(failure_duration(STR("0s"), &ms) && ms == 0);
	ms = 7;
	CHECK(!failure_duration(STR(""), &ms) && !failure_duration(STR("5"), &ms));
	CHECK(!failure_duration(STR("s"), &ms) && !failure_duration(STR("1x"), &ms));
	CHECK(!failure_duration(STR("1.2.3s"), &ms) && !failure_duration(STR_NONE, &ms));
	CHECK(!failure_duration(STR("99999999999999999999s"), &ms) && ms == 7);
}

/* ---- requests ---- */

static struct str body_of(struct arena *mem, const struct model_request *req,
                          const struct body_options *d)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json doc;
	struct error e;

	CHECK_OK(openai_chat_body_write(req, d, &out, &e), &e);
	CHECK_OK(json_read(mem, buf_str(&out), &doc, &e), &e);
	return arena_keep(mem, buf_str(&out));
}

#define TAIL "\"stream\":true,\"stream_options\":{\"include_usage\":true}}"

TEST(a_request_holds_the_conversation_the_tools_and_the_bounds)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct model_call calls[] = { { STR("c1"), STR("read"), STR("{\"p\":\"a\"}") },
		                      { STR("c2"), STR("ls"), STR("{broken") },
		                      { STR("c3"), STR("ls"), STR_NONE } };
	struct message messages[] = {
		{ .role = ROLE_SYSTEM, .text = STR("Be \"brief\".") },
		{ .role = ROLE_USER, .text = STR("hi") },
		{ .role = ROLE_ASSISTANT, .text = STR("ok"), .calls = calls, .call_count = 1 },
		{ .role = ROLE_TOOL, .text = STR("data"), .call_id = STR("c1") },
		{ .role = ROLE_ASSISTANT, .calls = calls + 1, .call_count = 2 },
		{ .role = ROLE_TOOL, .call_id = STR("c3"), .text = STR("") },
		{ .role = ROLE_ASSISTANT, .text = STR("done") },
	};
	struct tool_spec tools[] = { { STR("read"), STR("Reads."), STR("{\"type\": \"object\"}") },
		                     { STR("ls"), STR_NONE, STR_NONE } };
	struct model_request req = { .model = STR("m"),
		                     .messages = messages,
		                     .message_count = 7,
		                     .tools = tools,
		                     .tool_count = 2,
		                     .max_output_tokens = 100 };
	struct body_options d = { .max_key = MAX_COMPLETION_TOKENS };

	CHECK_STR(
		body_of(mem, &req, &d),
		"{\"model\":\"m\",\"messages\":["
		"{\"role\":\"system\",\"content\":\"Be \\\"brief\\\".\"},"
		"{\"role\":\"user\",\"content\":\"hi\"},"
		"{\"role\":\"assistant\",\"content\":\"ok\",\"tool_calls\":[{\"id\":\"c1\","
		"\"type\":"
		"\"function\",\"function\":{\"name\":\"read\",\"arguments\":\"{\\\"p\\\":\\\"a\\\"}"
		"\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"data\"},"
		"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c2\",\"type\":"
		"\"function\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}},{\"id\":\"c3\","
		"\"type\":"
		"\"function\",\"function\":{\"name\":\"ls\",\"arguments\":\"{}\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"c2\",\"content\":\"No result: the call was "
		"interrupted.\"},"
		"{\"role\":\"tool\",\"tool_call_id\":\"c3\",\"content\":\"\"},"
		"{\"role\":\"assistant\",\"content\":\"done\"}],"
		"\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"read\",\"description\":"
		"\"Reads.\",\"parameters\":{\"type\": "
		"\"object\"}}},{\"type\":\"function\",\"function\":"
		"{\"name\":\"ls\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}],"
		"\"max_completion_tokens\":100," TAIL);
}

TEST(a_dialect_changes_what_servers_disagree_about)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct message system = { .role = ROLE_SYSTEM, .text = STR("s") };
	struct model_request req = { .model = STR("m"),
		                     .messages = &system,
		                     .message_count = 1,
		                     .max_output_tokens = 9,
		                     .output_schema = STR("{}") };
	struct body_options d = {
		.has_developer_role = true,
		.lacks_stream_options = true,
		.lacks_json_schema = true,
		.extra_body =
			STR("{\"reasoning_effort\":\"low\",\"model\":\"x\",\"n\":3,\"top_k\":1}")
	};

	CHECK_STR(body_of(mem, &req, &d),
	          "{\"model\":\"m\",\"messages\":[{\"role\":\"developer\",\"content\":\"s\"}],"
	          "\"max_tokens\":9,\"stream\":true,\"reasoning_effort\":\"low\",\"top_k\":1}");
	d = (struct body_options){ .max_key = MAX_NONE };
	req.output_schema = STR_NONE;
	CHECK(str_find(body_of(mem, &req, &d), STR("max_")) < 0);
	req.max_output_tokens = 0;
	d.max_key = MAX_TOKENS;
	CHECK(str_find(body_of(mem, &req, &d), STR("max_")) < 0);
}

TEST(a_schema_of_the_answer_is_strict_when_it_can_be)
{
	static const struct {
		const char *schema;
		bool is_strict;
	} rows[] = {
		{ "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":["
		  "\"a\"],"
		  "\"additionalProperties\":false}",
		  true },
		{ "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":["
		  "],"
		  "\"additionalProperties\":false}",
		  false },
		{ "{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[\"a\"]}", false },
		{ "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{"
		  "\"type\":"
		  "\"object\",\"properties\":{}}}},\"required\":[\"a\"],\"additionalProperties\":"
		  "false}",
		  false },
		{ "{\"type\":\"object\",\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"null\"},{\"$"
		  "ref\":"
		  "\"#/$defs/"
		  "x\"}]}},\"required\":[\"a\"],\"additionalProperties\":false,\"$defs\":{\"x\":"
		  "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}}}",
		  true },
		{ "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false,\"allOf\":"
		  "[]}",
		  false },
		{ "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", false },
		{ "{}", false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct model_request req = { .model = STR("m"),
			                     .output_schema = str_from(rows[i].schema) };
		struct body_options d = { 0 };
		struct str body = body_of(mem, &req, &d);

		CHECK_HAS(body, "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":"
		                "{\"name\":\"answer\",\"schema\":{");
		CHECK(str_find(body, req.output_schema) > 0);
		CHECK((str_find(body, STR(",\"strict\":true}")) > 0) == rows[i].is_strict);
	}
}

TEST(schemas_that_are_no_objects_are_refused)
{
	struct tool_spec tool = { STR("bad"), STR("x"), STR("[1]") };
	struct model_request by_tool = { .model = STR("m"), .tools = &tool, .tool_count = 1 };
	struct model_request by_answer = { .model = STR("m"), .output_schema = STR("{") };
	struct body_options d = { 0 };
	struct error e;
	struct buf out = { 0 };

	CHECK(openai_chat_body_write(&by_tool, &d, &out, &e) == ERR_INVALID);
	CHECK(!strcmp(e.message, "the schema of the tool bad is not a JSON object"));
	buf_clear(&out);
	CHECK(openai_chat_body_write(&by_answer, &d, &out, &e) == ERR_INVALID);
	buf_done(&out);
}

/* ---- keys ---- */

static const char *make_dir(char path[64])
{
	snprintf(path, 64, "/tmp/thole-keys-XXXXXX");
	CHECK(mkdtemp(path));
	return path;
}

TEST(a_key_is_found_saved_and_removed)
{
	char dir[64], path[128];
	struct key_source k = { STR("acme"), STR("THOLE_TEST_ACME_KEY"), str_from(make_dir(dir)) };
	struct secret *key = keys_secret_new(STR("  sk-123\n")), *found = NULL;
	struct error e;
	struct stat st;

	CHECK_OK(keys_find(&k, &found, &e), &e);
	CHECK(!found);
	CHECK_OK(keys_save(&k, key, &e), &e);
	CHECK_OK(keys_save(&k, key, &e), &e); /* again */
	snprintf(path, sizeof path, "%s/keys/acme", dir);
	CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK_OK(keys_find(&k, &found, &e), &e);
	CHECK_STR(keys_secret_for_header(found), "sk-123");
	keys_secret_free(found);

	/* open to others, it is not used, and the sentence says what to do */
	chmod(path, 0640);
	CHECK(keys_find(&k, &found, &e) == ERR_INVALID);
	CHECK(strstr(e.message, "chmod 600"));

	/* the environment comes first */
	setenv("THOLE_TEST_ACME_KEY", "sk-env", 1);
	CHECK_OK(keys_find(&k, &found, &e), &e);
	CHECK_STR(keys_secret_for_header(found), "sk-env");
	keys_secret_free(found);
	unsetenv("THOLE_TEST_ACME_KEY");

	CHECK_OK(keys_remove(&k, &e), &e);
	CHECK_OK(keys_remove(&k, &e), &e);

	/* a credential of systemd */
	snprintf(path, sizeof path, "%s/acme", dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);

	CHECK(write(fd, "sk-sys\n", 7) == 7);
	close(fd);
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	CHECK_OK(keys_find(&k, &found, &e), &e);
	CHECK_STR(keys_secret_for_header(found), "sk-sys");
	keys_secret_free(found);
	unsetenv("CREDENTIALS_DIRECTORY");

	k.name = STR("../x");
	CHECK(keys_save(&k, key, &e) == ERR_INVALID);
	keys_secret_free(key);
	unlink(path);
	snprintf(path, sizeof path, "%s/keys", dir);
	CHECK(rmdir(path) == 0 && rmdir(dir) == 0);
}

TEST(what_cannot_be_a_key_is_none)
{
	CHECK(!keys_secret_new(STR("")) && !keys_secret_new(STR(" \n ")) &&
	      !keys_secret_new(STR_NONE));
	CHECK(!keys_secret_new(STR("a b")) && !keys_secret_new(STR("a\r\nX: y")) &&
	      !keys_secret_new(STR("\xc3\xa4")));
	CHECK(!keys_secret_new(STR("a\"b")) && !keys_secret_new(STR("a\\b")));
	keys_secret_free(NULL);
}

TEST(a_secret_is_hidden_wherever_it_shows)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct secret *key = keys_secret_new(STR("sk-1"));

	CHECK_STR(keys_secret_hide(key, mem, STR("bad sk-1, sk-1sk-1.")), "bad [key], [key][key].");
	CHECK_STR(keys_secret_hide(key, mem, STR("nothing")), "nothing");
	CHECK_STR(keys_secret_hide(NULL, mem, STR("sk-1")), "sk-1");
	CHECK(!str_is(keys_secret_hide(key, mem, STR_NONE)));
	keys_secret_free(key);
}

TEST(images_of_results_follow_behind_them)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct image_message message;
	struct str body;

	image_message_init(&message);
	body = body_of(mem, &message.request, &(struct body_options){ 0 });

	CHECK(str_find(body, STR("\"tool_call_id\":\"c2\",\"content\":\"two\"},{\"role\":\"user\","
	                         "\"content\":[{"
	                         "\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/"
	                         "png;base64,iVBO\"}},"
	                         "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/"
	                         "png;base64,iVBO\"}},"
	                         "{\"type\":\"text\",\"text\":\"What the tools show:\"}]}]")) >= 0);
}

TEST_MAIN()
