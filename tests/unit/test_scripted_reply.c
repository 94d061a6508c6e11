/* The content of a reply, piece by piece. */
#include "test_scripted_fixture.h"

#include "base/utf8.h"

/* ---- the built-in script ---- */

TEST(the_built_in_script_is_the_example)
{
	ARENA(mem);

	if (!str_eq(scripted_builtin(), source(mem, "examples/scripts/builtin.json")))
		t_fail(__FILE__, __LINE__,
		       "builtin.json and scripted_builtin.c differ; the latter "
		       "says how to make them equal");
}

TEST(the_built_in_script_answers_anything_at_once)
{
	RIG(r, STR_NONE);
	ANSWER(a);

	ask(&a, &r, "anything");
	CHECK(a.is_ended && !a.end.failed && a.end.stop == STOP_REASON_END_TURN);
	CHECK_INT(a.end_ms, 0);
	CHECK_HAS(buf_str(&a.text), "You wrote: anything\n");
	CHECK_HAS(buf_str(&a.text), "thole run approve");
	CHECK(a.pieces > 50 && a.end.usage.known && a.end.usage.output > 0);
	CHECK_STR(a.end.raw, "{\"script\":\"built-in\",\"model\":\"demo\",\"rule\":null,\"turn\":1,"
	                     "\"request\":1,\"attempt\":1}");

	r.req.turn_number = 2;
	ask(&a, &r, "more");
	CHECK_HAS(buf_str(&a.text), "That was turn 2 of this thread");
}

TEST(the_built_in_script_does_not_quote_what_is_long)
{
	RIG(r, STR_NONE);
	ANSWER(a);
	char text[2000];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	ask(&a, &r, text);
	CHECK(a.text.len < 500 && str_find(buf_str(&a.text), STR("xxx")) < 0);
}

TEST(a_word_inside_a_sentence_is_no_demo)
{
	RIG(r, STR_NONE);
	ANSWER(a);
	const char *texts[] = { "why does my program hang?",
		                "hang on",
		                "please approve this",
		                "it fails",
		                "longing",
		                "Hangup",
		                "" };

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		ask(&a, &r, texts[i]);
		CHECK(a.is_ended && !a.end.failed && !a.end.call_count);
		CHECK_HAS(buf_str(&a.text), "You wrote: ");
	}
}

TEST(every_demo_word_that_the_answer_names_is_there)
{
	RIG(r, STR_NONE);
	ANSWER(a);
	const char *words[] = { "approve", "question", "long", "big",
		                "slow",    "retry",    "fail", "hang" };

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		ask(&a, &r, words[i]);
		CHECK(str_find(buf_str(&a.text), STR("You wrote")) < 0);
		if (a.h && !a.is_ended)
			r.p->ops->cancel(r.p, a.h);
	}
}

/* ---- texts and pieces ---- */

TEST(a_string_comes_in_words)
{
	RIG(r, ALWAYS("{\"text\":\"  one two\\n\\nthree \"}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK_STR(buf_str(&a.trace),
	          "0 0   |0 0 one |0 0 two\n\n|0 0 three |0 end end_turn {\"script\":\"given\","
	          "\"model\":\"demo\",\"rule\":null,\"turn\":1,\"request\":1,\"attempt\":1}");
}

TEST(chunks_count_characters_not_bytes)
{
	EXAMPLE(r, "pacing.json");
	ANSWER(a);

	ask(&a, &r, "chunks");
	CHECK_STR(buf_str(&a.text), "Größe zählt nicht.");
	CHECK_INT(a.pieces, 4);
	CHECK_HAS(buf_str(&a.trace), "0 0 Größe|0 0  zähl|0 0 t nic|0 0 ht.|");
}

TEST(a_list_comes_piece_by_piece)
{
	EXAMPLE(r, "pacing.json");
	ANSWER(a);

	ask(&a, &r, "pieces");
	CHECK_HAS(buf_str(&a.trace), "0 0 a|100 0 bc|200 0 def\n|200 end");
}

TEST(a_piece_that_expands_to_nothing_is_left_out)
{
	RIG(r, ALWAYS("{\"text\":[\"\",\"{{toolResult}}\",\"x\",\"\"],\"delayMs\":5}"));
	ANSWER(a);

	ask(&a, &r, "q");
	CHECK_INT(a.pieces, 1);
	CHECK_INT(a.end_ms, 0);
}

TEST(an_empty_reply_ends_at_once)
{
	RIG(r, ALWAYS("{}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK(a.is_ended && !a.end.failed && !a.pieces && a.end.stop == STOP_REASON_END_TURN);
	CHECK_INT(r.clock.turns, 1);
}

TEST(twenty_thousand_pieces_do_not_hold_up_the_loop)
{
	EXAMPLE(r, "pacing.json");
	ANSWER(a);
	CLEANUP(buf_done) struct buf want = { 0 };

	for (int i = 1; i <= 20000; i++)
		buf_printf(&want, "word %d ", i);
	ask(&a, &r, "flood");
	CHECK_INT(a.pieces, 20000);
	CHECK(str_eq(buf_str(&a.text), buf_str(&want)));
	CHECK_INT(a.most_per_turn, 256);
	CHECK_INT(r.clock.turns, (20000 + 255) / 256);
	CHECK_INT(a.end_ms, 0);
	CHECK_INT(a.end.bytes_received, (long long)want.len);
}

TEST(large_pieces_share_no_turn_of_the_loop)
{
	RIG(r, ALWAYS("{\"text\":{\"repeat\":\"{{input}}\",\"count\":100}}"));
	ANSWER(a);
	static char text[40001];

	memset(text, 'y', sizeof text - 1);
	ask(&a, &r, text);
	CHECK_INT(a.text.len, 100 * 40000);
	CHECK_INT(a.most_per_turn, 2);
}

TEST(a_word_without_end_is_cut)
{
	RIG(r, ALWAYS("{\"text\":\"{{input}}\"}"));
	ANSWER(a);
	CLEANUP(buf_done) struct buf text = { 0 };

	for (int i = 0; i < 3000; i++)
		buf_add_c(&text, "€");
	buf_add_char(&text, '\0');
	ask(&a, &r, text.ptr);
	CHECK_INT(a.text.len, 9000);
	CHECK_INT(a.pieces, 3);
	CHECK(utf8_is_valid(buf_str(&a.text)));
}

/* ---- pacing ---- */

TEST(pacing_is_exact)
{
	EXAMPLE(r, "pacing.json");
	ANSWER(a);

	ask(&a, &r, "steady");
	CHECK_STR(buf_str(&a.kinds), "rrtttttt");
	for (int i = 0; i < 8; i++)
		CHECK_INT(a.at_ms[i], 500 + 20 * i);
	CHECK_INT(a.end_ms, 500 + 20 * 7);
}

TEST(the_first_delay_also_holds_an_answer_without_pieces)
{
	RIG(r, ALWAYS("{\"firstDelayMs\":300,\"delayMs\":50}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK_INT(a.end_ms, 300);
}

TEST(long_is_paced_as_documented)
{
	RIG(r, STR_NONE);
	ANSWER(a);

	ask(&a, &r, "Long, please");
	CHECK(a.pieces > 150 && a.reasoning.len && !a.end.failed);
	CHECK_INT(a.at_ms[0], 200);
	CHECK_INT(a.end_ms, 200 + 20 * ((long long)a.pieces - 1));
}

/* ---- what a reply may hold ---- */

TEST(reasoning_comes_before_text_and_text_before_arguments)
{
	RIG(r,
	    STR("{\"version\":1,\"rules\":[{\"when\":{\"request\":1},\"reply\":{\"toolCalls\":["
	        "{\"name\":\"a\",\"args\":{\"x\":[1,2.5,null]}},{\"name\":\"b\",\"id\":\"my-id\"},"
	        "{\"name\":\"c\",\"rawArgs\":\"{oops\"}],\"text\":\"t\",\"reasoning\":\"r\","
	        "\"reasoningSummary\":\"about {{input}}\"}}]}"));
	ANSWER(a);

	ask(&a, &r, "boats");
	CHECK_STR(buf_str(&a.kinds), "rtaaa");
	CHECK_STR(buf_str(&a.args), "{\"x\":[1,2.5,null]}{}{oops");
	CHECK(a.end.stop == STOP_REASON_TOOL_USE && a.end.call_count == 3);
	CHECK_STR(a.end.native_stop, "tool_use");
	CHECK_STR(a.end.calls[0].call_id, "call_1_1_1");
	CHECK_STR(a.end.calls[0].name, "a");
	CHECK_STR(a.end.calls[0].args, "{\"x\":[1,2.5,null]}");
	CHECK_STR(a.end.calls[1].call_id, "my-id");
	CHECK_STR(a.end.calls[1].args, "{}");
	CHECK_STR(a.end.calls[2].args, "{oops");
	CHECK_STR(a.end.reasoning_summary, "about boats");
}

TEST(structured_output_is_text_without_templates)
{
	RIG(r, ALWAYS("{\"structured\":{\"a\":\"{{input}} and so on and on and on\",\"b\":1.5}}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK_STR(buf_str(&a.text), "{\"a\":\"{{input}} and so on and on and on\",\"b\":1.5}");
	CHECK_INT(a.pieces, 3);
}

TEST(usage_is_estimated_unless_the_script_says_it)
{
	RIG(r, ALWAYS("{\"text\":\"123456789\",\"reasoning\":\"12345\"}"));
	ANSWER(a);
	struct tool_spec tool = { STR("abcd"), STR("efgh"), STR("{}") };

	r.req.tools = &tool;
	r.req.tool_count = 1;
	ask(&a, &r, "12345678901");
	CHECK(a.end.usage.known && a.end.usage.cached_input == 0);
	CHECK_INT(a.end.usage.input, 6);     /* 11 + 10 bytes */
	CHECK_INT(a.end.usage.output, 4);    /* 14 bytes */
	CHECK_INT(a.end.usage.reasoning, 2); /* 5 bytes */

	struct model_call call = { STR("id"), STR("name"), STR("{ 123 }") };

	fixture_says(&r,
	             (struct message){ .role = ROLE_ASSISTANT, .calls = &call, .call_count = 1 });
	r.req.session_id = STR_NONE;

	ANSWER(b);

	response_start(&b, &r);
	fake_run(&r.clock);
	CHECK_INT(b.end.usage.input, 8); /* 11 more */
}

TEST(usage_can_be_given_in_whole_or_in_part)
{
	EXAMPLE(r, "conversation.json");
	RIG(part, ALWAYS("{\"text\":\"12345678\",\"usage\":{\"cached\":50,\"cacheWritten\":7}}"));
	RIG(none, ALWAYS("{\"text\":\"12345678\",\"usage\":\"unknown\"}"));
	ANSWER(a);

	ask(&a, &r, "hello");
	CHECK(a.end.usage.known && a.end.usage.input == 1000 && a.end.usage.cached_input == 900 &&
	      a.end.usage.output == 20 && a.end.usage.reasoning == 8);
	ask(&a, &part, "x");
	CHECK(a.end.usage.known && a.end.usage.input == 50 && a.end.usage.cached_input == 50 &&
	      a.end.usage.cache_written == 7 && a.end.usage.output == 2);
	ask(&a, &none, "x");
	CHECK(a.is_ended && !a.end.usage.known);
}

TEST(every_stop_reason_can_be_had)
{
	static const struct {
		const char *word;
		enum stop_reason stop;
	} rows[] = {
		{ "end_turn", STOP_REASON_END_TURN },
		{ "tool_use", STOP_REASON_TOOL_USE },
		{ "max_tokens", STOP_REASON_MAX_TOKENS },
		{ "stop_sequence", STOP_REASON_STOP_SEQUENCE },
		{ "refusal", STOP_REASON_REFUSAL },
		{ "context_full", STOP_REASON_CONTEXT_FULL },
		{ "pause_turn", STOP_REASON_PAUSE_TURN },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char script[100];

		snprintf(script, sizeof script, "{\"version\":1,\"default\":{\"stop\":\"%s\"}}",
		         rows[i].word);
		RIG(r, str_from(script));
		ANSWER(a);
		ask(&a, &r, "x");
		CHECK(a.end.stop == rows[i].stop);
		CHECK_SAME(a.end.native_stop, str_from(rows[i].word));
	}
}

TEST(the_conversation_example_does_what_it_says)
{
	EXAMPLE(r, "conversation.json");
	ANSWER(a);
	const struct model_info *m;

	CHECK_INT(r.p->ops->models(r.p, &m), 1);
	CHECK_STR(m->provider, "scripted");
	CHECK_STR(m->model, "storyteller");
	CHECK(m->price_count == 1 && m->has_credential && m->window_tokens == 32000);
	CHECK(m->prices->input == 1000000000 && m->prices->cached_input == 100000000 &&
	      m->prices->cache_write == 1000000000 && m->prices->output == 5000000000);
	CHECK_STR(m->prices->from, "2026-01-01");
	CHECK(m->prices->source == PRICE_SOURCE_SCRIPT);
	CHECK_STR(m->capabilities, "[\"tool_use\",\"reasoning\",\"structured_output\"]");

	ask(&a, &r, "hello");
	CHECK_STR(buf_str(&a.text), "Good morning.");
	CHECK_STR(buf_str(&a.reasoning), "They say hello. I say hello.");
	CHECK_STR(a.end.reasoning_summary, "A greeting.");

	r.req.turn_number = 2;
	ask(&a, &r, "cities As JSON");
	CHECK_STR(buf_str(&a.text), "{\"city\":\"Leith\",\"population\":51000}");
	ask(&a, &r, "a poem");
	CHECK(a.end.stop == STOP_REASON_MAX_TOKENS);
	ask(&a, &r, "stop");
	CHECK(a.end.stop == STOP_REASON_REFUSAL);
	ask(&a, &r, "stop it");
	CHECK_STR(buf_str(&a.text), "This is turn 2.");
	ask(&a, &r, "a joke");
	CHECK_HAS(buf_str(&a.text), "no thole");
	ask(&a, &r, "a joke");
	CHECK_STR(buf_str(&a.text), "You know it already.");
	r.req.session_id = STR("sess_2");
	ask(&a, &r, "a joke");
	CHECK_HAS(buf_str(&a.text), "no thole");
}

/* ---- templates ---- */

TEST(what_a_template_brings_is_not_a_template)
{
	RIG(r, ALWAYS("{\"text\":\"{{{input}}} {{turn}}{{turn}} {{}} {{ {{\"}"));
	ANSWER(a);

	r.req.turn_number = 41;
	ask(&a, &r, "{{turn}} {{nonsense}}");
	CHECK_STR(buf_str(&a.text), "{{{turn}} {{nonsense}}} 4141 {{}} {{ {{");
}

TEST(a_tool_result_is_shown_by_its_first_two_hundred_bytes)
{
	RIG(r, ALWAYS("{\"text\":[\"<{{toolResult}}>\"]}"));
	ANSWER(a);
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_add_c(&text, "x");
	for (int i = 0; i < 100; i++)
		buf_add_c(&text, "€");
	buf_add_char(&text, '\0');
	fixture_user(&r, "q");
	fixture_result(&r, "first", "not this one", false);
	fixture_result(&r, "last", text.ptr, false);
	response_start(&a, &r);
	fake_run(&r.clock);
	CHECK_INT(a.text.len, 2 + 199); /* x and 66 characters of three bytes */
	CHECK(utf8_is_valid(buf_str(&a.text)));
}

TEST(templates_know_nothing_of_other_turns)
{
	RIG(r, ALWAYS("{\"text\":[\"<{{toolResult}}>\"]}"));
	ANSWER(a);

	fixture_says(&r, (struct message){ .role = ROLE_TOOL,
	                                   .text = STR("old"),
	                                   .tool_name = STR("t"),
	                                   .turn_id = STR("turn_0") });
	fixture_user(&r, "q");
	response_start(&a, &r);
	fake_run(&r.clock);
	CHECK_STR(buf_str(&a.text), "<>");
}

TEST_MAIN()
