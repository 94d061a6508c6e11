/* The tools of a script: how they are described, what they send, how they end. */
#include "test_scripted_call.h"

TEST(ask_user_always_ships)
{
	RIG(r, STR("{\"version\":1}"));
	CALL(c);
	const struct tool_info *tools;

	CHECK_INT(r.t->ops->tools(r.t, &tools), 1);
	CHECK_STR(tools[0].name, "ask_user");
	CHECK(tools[0].policy == TOOL_POLICY_ALLOWED);
	CHECK(tools[0].kind == ITEM_KIND_TOOL_CALL);
	CHECK(tools[0].asks_user && tools[0].is_read_only && !tools[0].is_destructive);
	CHECK_HAS(tools[0].input_schema, "\"required\":[\"question\"]");

	/* a person answers it, not this */
	call_start(&c, &r, "ask_user");
	fake_run(&r.clock);
	CHECK(c.end.failed && c.end.executed == EXECUTED_NO);
}

TEST(a_schema_of_the_script_is_valid_json)
{
	ARENA(mem);
	RIG(r, STR_NONE);
	const struct tool_info *tools;
	size_t count = r.t->ops->tools(r.t, &tools);

	CHECK_INT(count, 4);
	for (size_t i = 0; i < count; i++) {
		struct json v;
		struct error e;

		CHECK_OK(json_read(mem, tools[i].input_schema, &v, &e), &e);
		CHECK_OK(json_read(mem, tools[i].capabilities, &v, &e), &e);
		CHECK(json_type(v) == JSON_ARR);
	}
}

TEST(a_tool_is_described_as_the_script_says)
{
	RIG(r, STR("{\"version\":1,\"tools\":[{\"name\":\"plain\"},{\"name\":\"full\","
	           "\"description\":\"d\",\"inputSchema\":{\"type\":\"object\",\"required\":[]},"
	           "\"policy\":\"ask\",\"destructive\":true,\"concurrencySafe\":true,"
	           "\"capabilities\":[\"shell\",\"network\"],\"kind\":\"web_search\","
	           "\"interrupt\":\"finish\",\"timeoutMs\":5}]}"));
	const struct tool_info *t;

	CHECK_INT(r.t->ops->tools(r.t, &t), 3);
	CHECK_STR(t[1].input_schema, "{\"type\":\"object\"}");
	CHECK(t[1].policy == TOOL_POLICY_ALLOWED);
	CHECK(t[1].kind == ITEM_KIND_TOOL_CALL);
	CHECK(!t[1].is_read_only && !t[1].is_destructive && !t[1].is_concurrency_safe);
	CHECK(!t[1].asks_user && t[1].interrupt == INTERRUPT_BEHAVIOR_CANCEL && !t[1].timeout_ms);
	CHECK_STR(t[2].name, "full");
	CHECK_STR(t[2].description, "d");
	CHECK_STR(t[2].input_schema, "{\"type\":\"object\",\"required\":[]}");
	CHECK(t[2].policy == TOOL_POLICY_ASK);
	CHECK_STR(t[2].capabilities, "[\"shell\",\"network\"]");
	CHECK(t[2].kind == ITEM_KIND_WEB_SEARCH);
	CHECK_STR(t[2].owner, "local");
	CHECK(t[2].is_destructive && t[2].is_concurrency_safe && t[2].timeout_ms == 5);
	CHECK(t[2].interrupt == INTERRUPT_BEHAVIOR_WAIT);
}

TEST(output_and_progress_keep_their_times)
{
	EXAMPLE(r, "tools.json");
	CALL(c);

	call_start(&c, &r, "build");
	fake_run(&r.clock);
	CHECK_STR(buf_str(&c.trace),
	          "100 >compiling a.c\n|120 1 of 2 files 1/2|150 >compiling b.c\n|"
	          "170 2 of 2 files 2/2|200 >linking\n|");
	CHECK(c.end_ms == 200 && !c.end.failed && !c.end.is_error && c.end.has_exit_code);
	CHECK(c.end.exit_code == 0 && c.end.executed == EXECUTED_YES);
}

TEST(the_end_waits_for_the_last_progress)
{
	RIG(r, TOOL("{\"text\":\"out\",\"progress\":[{\"message\":\"a\"},"
	            "{\"message\":\"b\",\"afterMs\":70}]}"));
	CALL(c);

	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK_STR(buf_str(&c.trace), "0 a -1/-1|0 >out|70 b -1/-1|");
	CHECK_INT(c.end_ms, 70);
}

TEST(much_progress_is_spread_over_the_loop)
{
	CLEANUP(buf_done) struct buf script = { 0 };

	buf_add_c(&script, "{\"version\":1,\"tools\":[{\"name\":\"t\",\"result\":{\"progress\":[");
	for (int i = 0; i < 600; i++)
		buf_printf(&script, "%s{\"message\":\"m\"}", i ? "," : "");
	buf_add_c(&script, "]}}]}");
	RIG(r, buf_str(&script));
	CALL(c);
	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK(c.is_ended && c.callbacks == 600 && r.clock.turns == 3 && c.end_ms == 0);
}

TEST(arguments_that_are_no_json_have_no_members)
{
	RIG(r, TOOL("{\"text\":\"[{{args.a}}]\"}"));
	CALL(c);

	call_start_in(&c, &r, "t", "{\"a\":", NULL);
	fake_run(&r.clock);
	CHECK_STR(buf_str(&c.out), "[]");
}

TEST(a_tool_without_a_result_just_ends)
{
	RIG(r, STR("{\"version\":1,\"tools\":[{\"name\":\"t\"}]}"));
	CALL(c);

	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK(c.is_ended && !c.end.failed && !c.pieces && c.end_ms == 0);
	CHECK(!c.end.has_exit_code && !str_is(c.end.structured));
}

TEST(a_structured_result_has_its_text_too)
{
	EXAMPLE(r, "tools.json");
	CALL(c);

	call_start(&c, &r, "weather");
	fake_run(&r.clock);
	CHECK_STR(c.end.structured, "{\"sky\":\"rain\",\"celsius\":11}");
	CHECK_STR(buf_str(&c.out), "{\"sky\":\"rain\",\"celsius\":11}");
}

TEST(an_error_of_a_tool_is_a_result_and_a_failure_is_not)
{
	EXAMPLE(r, "tools.json");
	CALL(linter);
	CALL(database);

	call_start(&linter, &r, "linter");
	call_start(&database, &r, "database");
	fake_run(&r.clock);
	CHECK(!linter.end.failed && linter.end.is_error && linter.end.exit_code == 2);
	CHECK(database.end.failed && database.end.retryable && database.end_ms == 30);
	CHECK(database.end.category == ERROR_CATEGORY_TOOL_FAILED);
	CHECK_STR(database.end.message, "The database does not answer.");
	CHECK_STR(database.end.advice, "Try again later.");
	CHECK(database.end.executed == EXECUTED_NO);
}

TEST(a_failure_says_how_far_it_came)
{
	RIG(r, TOOL("{\"text\":\"half\",\"fail\":{\"message\":\"m\"}}"));
	RIG(said, TOOL("{\"fail\":{\"message\":\"m\",\"executed\":\"unknown\"}}"));
	CALL(a);
	CALL(b);

	call_start(&a, &r, "t");
	call_start(&b, &said, "t");
	fake_run(&r.clock);
	fake_run(&said.clock);
	CHECK(a.end.executed == EXECUTED_PARTLY);
	CHECK(b.end.executed == EXECUTED_UNKNOWN);
}

TEST(an_unknown_tool_fails_with_its_name)
{
	RIG(r, STR("{\"version\":1}"));
	CALL(c);

	call_start(&c, &r, "nope");
	CHECK(!c.is_ended);
	fake_run(&r.clock);
	CHECK(c.end.failed && !c.end.retryable);
	CHECK(c.end.category == ERROR_CATEGORY_UNKNOWN_TOOL);
	CHECK_STR(c.end.message, "the script runs no tool of the name nope");
}

TEST(ten_mebibytes_come_in_pieces_and_are_never_in_memory)
{
	EXAMPLE(r, "tools.json");
	CALL(c);
	CLEANUP(buf_done) struct buf want = { 0 };
	size_t heap = heap_now();

	call_start(&c, &r, "dump");
	fake_run(&r.clock);
	CHECK(c.is_ended && c.bytes == 10485760 && c.largest <= 65536);
	CHECK(c.pieces >= 160 && r.clock.turns == c.pieces);
	CHECK_INT(c.end_ms, 0);
	if (c.most_heap)
		CHECK(c.most_heap < heap + 400000);

	for (int i = 1; want.len < 10485760; i++)
		buf_printf(&want, "line %d\n", i);
	want.len = 10485760;

	struct sha256 got = sha256_end(&c.hash), expected = sha256_of(buf_str(&want));

	CHECK(sha256_eq(&got, &expected));
}

TEST(repeated_output_of_any_size_is_exact)
{
	static const int sizes[] = { 1, 6, 7, 8, 65535, 65536, 65537, 131072, 200001 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		char script[200];

		snprintf(script, sizeof script,
		         "{\"version\":1,\"tools\":[{\"name\":\"t\",\"result\":{\"text\":"
		         "{\"repeat\":\"ab{{n}} \",\"bytes\":%d}}}]}",
		         sizes[i]);
		RIG(r, str_from(script));
		CALL(c);
		CLEANUP(buf_done) struct buf want = { 0 };

		call_start(&c, &r, "t");
		fake_run(&r.clock);
		for (int n = 1; want.len < (size_t)sizes[i]; n++)
			buf_printf(&want, "ab%d ", n);
		want.len = (size_t)sizes[i];

		struct sha256 got = sha256_end(&c.hash), expected = sha256_of(buf_str(&want));

		CHECK_INT(c.bytes, sizes[i]);
		CHECK(sha256_eq(&got, &expected) && c.largest <= 65536);
	}
}

TEST(repeated_output_never_splits_a_character)
{
	RIG(r, TOOL("{\"text\":{\"repeat\":\"€\",\"bytes\":10}}"));
	CALL(c);

	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK_STR(buf_str(&c.out), "€€€");
}

TEST(a_long_text_is_sent_in_pieces_too)
{
	CLEANUP(buf_done) struct buf script = { 0 };

	buf_add_c(&script, "{\"version\":1,\"tools\":[{\"name\":\"t\",\"result\":{\"text\":\"");
	for (int i = 0; i < 60000; i++)
		buf_add_c(&script, "€");
	buf_add_c(&script, "\"}}]}");
	RIG(r, buf_str(&script));
	CALL(c);
	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK(c.bytes == 180000 && c.pieces == 3 && c.largest <= 65536);
	CHECK_INT(r.clock.turns, 3);
}

TEST(a_paused_tool_sends_nothing)
{
	EXAMPLE(r, "tools.json");
	CALL(c);

	c.pause_in = 3;
	call_start(&c, &r, "dump");
	fake_run(&r.clock);
	CHECK(c.pieces == 3 && !c.is_ended);
	r.t->ops->resume(r.t, c.h);
	CHECK_INT(c.pieces, 3);
	fake_turn(&r.clock, EVER);
	CHECK_INT(c.pieces, 4);
	r.t->ops->pause(r.t, c.h);
	fake_pass(&r.clock, 1000);
	CHECK_INT(c.pieces, 4);
	r.t->ops->resume(r.t, c.h);
	fake_run(&r.clock);
	CHECK(c.is_ended && c.bytes == 10485760);
}

TEST(a_pause_in_the_last_output_holds_the_end_of_a_tool)
{
	RIG(r, TOOL("{\"text\":\"x\"}"));
	CALL(c);

	c.pause_in = 1;
	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK(c.pieces == 1 && !c.is_ended);
	r.t->ops->resume(r.t, c.h);
	fake_run(&r.clock);
	CHECK(c.is_ended && c.pieces == 1);
}

TEST(pausing_does_not_shorten_a_delay)
{
	RIG(r, TOOL("{\"text\":\"x\",\"delayMs\":100}"));
	CALL(c);

	call_start(&c, &r, "t");
	fake_pass(&r.clock, 10);
	r.t->ops->pause(r.t, c.h);
	fake_pass(&r.clock, 10);
	r.t->ops->resume(r.t, c.h);
	fake_run(&r.clock);
	CHECK_INT(c.end_ms, 100);
}

TEST(a_tool_can_be_cancelled_at_every_moment)
{
	for (int64_t at_ms = 0; at_ms < 200; at_ms += 10) {
		EXAMPLE(r, "tools.json");
		CALL(c);
		call_start(&c, &r, "build");
		if (at_ms)
			fake_pass(&r.clock, at_ms);

		size_t callbacks = c.callbacks;

		r.t->ops->cancel(r.t, c.h);
		CHECK(!c.is_ended); /* not from inside cancel */
		r.t->ops->cancel(r.t, c.h);
		fake_run(&r.clock);
		CHECK(c.is_ended && c.end.cancelled && c.callbacks == callbacks);
		CHECK_INT(c.end_ms, at_ms);
		CHECK(c.end.executed == (at_ms ? EXECUTED_PARTLY : EXECUTED_NO));
	}
}

TEST(a_tool_can_be_cancelled_in_any_callback)
{
	for (size_t in = 1; in <= 5; in++) {
		EXAMPLE(r, "tools.json");
		CALL(c);
		c.cancel_in = in;
		call_start(&c, &r, "build");
		fake_run(&r.clock);
		CHECK(c.end.cancelled && c.callbacks == in);
	}
}

TEST(a_tool_that_hangs_or_is_paused_can_be_cancelled)
{
	EXAMPLE(r, "tools.json");
	CALL(hanging);
	CALL(paused);

	call_start(&hanging, &r, "forever");
	call_start(&paused, &r, "dump");
	r.t->ops->pause(r.t, paused.h);
	fake_run(&r.clock);
	CHECK(hanging.pieces == 1 && !hanging.is_ended && !paused.pieces);
	r.t->ops->cancel(r.t, hanging.h);
	r.t->ops->cancel(r.t, paused.h);
	fake_run(&r.clock);
	CHECK(hanging.end.cancelled && paused.end.cancelled && !paused.pieces);
}

TEST(closing_the_toolset_drops_its_calls)
{
	EXAMPLE(r, "tools.json");
	CALL(a);
	CALL(b);

	call_start(&a, &r, "build");
	call_start(&b, &r, "dump");
	fake_turn(&r.clock, EVER);
	fixture_close(&r);
	fake_run(&r.clock);
	CHECK(!a.is_ended && !b.is_ended);
}

TEST(a_callback_may_close_the_toolset)
{
	EXAMPLE(r, "tools.json");
	CALL(c);

	r.p->ops->close(r.p);
	r.p = NULL;
	c.close_in = 2;
	call_start(&c, &r, "dump");
	fake_run(&r.clock);
	CHECK(!c.is_ended && c.pieces == 2);
}

TEST_MAIN()
