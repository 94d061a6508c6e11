/* Which reply a request gets, and how it fails. */
#include "test_scripted_fixture.h"

/* ---- matching ---- */

static void check_reply(struct fixture *r, const char *want)
{
	ANSWER(a);

	response_start(&a, r);
	fake_run(&r->clock);
	CHECK(a.is_ended);
	CHECK_SAME(buf_str(&a.text), str_from(want));
}

TEST(the_first_rule_that_matches_wins)
{
	RIG(r, STR("{\"version\":1,\"rules\":["
	           "{\"when\":{\"text\":{\"equals\":\"one\"}},\"reply\":{\"text\":\"equals\"}},"
	           "{\"when\":{\"text\":\"one\"},\"reply\":{\"text\":\"contains\"}},"
	           "{\"when\":{\"text\":{\"regex\":\"^t.o$\"}},\"reply\":{\"text\":\"regex\"}},"
	           "{\"when\":{\"text\":\"t\",\"turn\":3},\"reply\":{\"text\":\"both\"}},"
	           "{\"when\":{\"turn\":{\"min\":2,\"max\":3}},\"reply\":{\"text\":\"turn\"}},"
	           "{\"when\":{\"attempt\":{\"min\":2}},\"reply\":{\"text\":\"attempt\"}},"
	           "{\"when\":{\"request\":{\"max\":1}},\"reply\":{\"text\":\"request\"}}],"
	           "\"default\":{\"text\":\"default\"}}"));

	fixture_user(&r, "one");
	check_reply(&r, "equals");
	fixture_user(&r, "someone");
	check_reply(&r, "contains");
	fixture_user(&r, "One");
	check_reply(&r, "request");
	fixture_user(&r, "two");
	check_reply(&r, "regex");
	r.req.turn_number = 3;
	fixture_user(&r, "that");
	check_reply(&r, "both");
	fixture_user(&r, "x");
	check_reply(&r, "turn");
	r.req.turn_number = 4;
	r.req.attempt = 2;
	check_reply(&r, "attempt");
	r.req.attempt = 1;
	r.req.request_number = 2;
	check_reply(&r, "default");
}

TEST(ids_of_turn_and_message_can_be_asked_for)
{
	RIG(r, STR("{\"version\":1,\"rules\":["
	           "{\"when\":{\"messageId\":\"turn_steer\"},\"reply\":{\"text\":\"steered\"}},"
	           "{\"when\":{\"turnId\":\"turn_1\"},\"reply\":{\"text\":\"first\"}}],"
	           "\"default\":{\"text\":\"other\"}}"));

	fixture_user(&r, "go");
	check_reply(&r, "first");
	fixture_says(&r, (struct message){ .role = ROLE_USER,
	                                   .text = STR("no, left"),
	                                   .turn_id = STR("turn_steer") });
	check_reply(&r, "steered");
	r.message_count = 1;
	r.req.turn_id = STR("turn_2");
	check_reply(&r, "other");
}

TEST(tool_results_of_the_turn_can_be_asked_for)
{
	RIG(r, STR("{\"version\":1,\"rules\":["
	           "{\"when\":{\"afterTool\":\"b\"},\"reply\":{\"text\":\"after b\"}},"
	           "{\"when\":{\"toolResult\":{\"name\":\"b\",\"contains\":\"good\"}},"
	           "\"reply\":{\"text\":\"b was good\"}},"
	           "{\"when\":{\"toolResult\":{\"isError\":true}},\"reply\":{\"text\":\"error\"}},"
	           "{\"when\":{\"toolResult\":{}},\"reply\":{\"text\":\"some\"}}],"
	           "\"default\":{\"text\":\"none\"}}"));

	fixture_user(&r, "go");
	check_reply(&r, "none");
	fixture_result(&r, "a", "fine", false);
	check_reply(&r, "some");
	fixture_result(&r, "b", "very good", false);
	check_reply(&r, "after b");
	fixture_user(&r, "steer");
	check_reply(&r, "b was good");
	r.message_count = 2;
	fixture_result(&r, "c", "bad", true);
	check_reply(&r, "error");
	r.req.turn_id = STR("turn_2");
	check_reply(&r, "none");
}

TEST(replies_follow_the_requests_of_a_turn)
{
	EXAMPLE(r, "approval.json");
	ANSWER(a);

	ask(&a, &r, "deploy it");
	CHECK_INT(a.end.call_count, 1);
	CHECK_STR(a.end.calls[0].call_id, "call_deploy");
	r.req.request_number = 2;
	fixture_result(&r, "deploy", "deployed to staging", false);
	check_reply(&r, "The tool said: deployed to staging");
	r.req.request_number = 3;
	check_reply(&r, "Say deploy.");
}

TEST(a_session_remembers_how_often_and_old_ones_are_forgotten)
{
	RIG(r, STR("{\"version\":1,\"rules\":["
	           "{\"when\":{\"times\":2},\"reply\":{\"text\":\"a\"}},"
	           "{\"when\":{\"times\":1},\"reply\":{\"text\":\"b\"}}],"
	           "\"default\":{\"text\":\"c\"}}"));
	char id[1100][12];

	fixture_user(&r, "x");
	check_reply(&r, "a");
	check_reply(&r, "a");
	check_reply(&r, "b");
	check_reply(&r, "c");
	for (int i = 0; i < 1100; i++) {
		snprintf(id[i], sizeof id[i], "s%d", i);
		r.req.session_id = str_from(id[i]);
		check_reply(&r, "a");
	}
	r.req.session_id = STR("s1099");
	check_reply(&r, "a");
	check_reply(&r, "b");
	r.req.session_id = STR("sess_1"); /* longest unused */
	check_reply(&r, "a");
}

TEST(without_a_match_and_a_default_the_request_fails_with_a_reason)
{
	RIG(r, STR("{\"version\":1,\"rules\":[{\"when\":{\"turn\":7},\"reply\":{}}]}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK(a.end.failed && !a.end.retryable && !a.end.usage.known);
	CHECK(a.end.category == ERROR_CATEGORY_INVALID_REQUEST);
	CHECK_STR(a.end.message, "no rule of the script matches request 1 (attempt 1) of turn 1, "
	                         "and it has no default");
}

TEST(a_pattern_that_takes_too_long_fails_the_request)
{
	RIG(r, STR("{\"version\":1,\"rules\":[{\"when\":{\"text\":{\"regex\":\"^(a+)+$\"}},"
	           "\"reply\":{}}],\"default\":{}}"));
	ANSWER(a);
	char text[10000];

	memset(text, 'a', sizeof text);
	text[sizeof text - 2] = 'b';
	text[sizeof text - 1] = '\0';
	ask(&a, &r, text);
	CHECK(a.end.failed && !a.end.retryable);
	CHECK_HAS(a.end.message, "rules[0].when.text.regex took too many steps");
}

TEST(a_request_without_messages_is_answered_too)
{
	RIG(r,
	    STR("{\"version\":1,\"rules\":[{\"when\":{\"text\":{\"regex\":\".*\"}},\"reply\":{}}]"
	        ",\"default\":{\"text\":\"[{{input}}]\"}}"));

	check_reply(&r, "[]");
}

/* ---- errors ---- */

TEST(a_status_has_its_usual_meaning)
{
	static const struct {
		int status;
		const char *category;
		bool retryable;
	} rows[] = {
		{ 400, "invalid_request", false },
		{ 401, "auth", false },
		{ 403, "auth", false },
		{ 408, "timeout", true },
		{ 422, "invalid_request", false },
		{ 429, "rate_limited", true },
		{ 500, "server_error", true },
		{ 502, "server_error", true },
		{ 503, "overloaded", true },
		{ 504, "timeout", true },
		{ 529, "overloaded", true },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char script[120];

		snprintf(script, sizeof script,
		         "{\"version\":1,\"default\":{\"error\":{\"status\":%d}}}", rows[i].status);
		RIG(r, str_from(script));
		ANSWER(a);
		ask(&a, &r, "x");
		CHECK(a.end.failed && !a.pieces && !a.end.usage.known);
		CHECK_INT(a.end.http_status, rows[i].status);
		CHECK_SAME(error_category_word(a.end.category), str_from(rows[i].category));
		CHECK(a.end.retryable == rows[i].retryable);
		CHECK_INT(a.end.retry_after_ms, -1);
		CHECK_HAS(a.end.message, "the script answers with status");
	}
}

TEST(an_error_says_what_the_script_says)
{
	RIG(r, ALWAYS("{\"error\":{\"category\":\"content_filter\",\"message\":\"No.\","
	              "\"retryable\":true,\"retryAfterMs\":70},\"firstDelayMs\":9,"
	              "\"usage\":{\"input\":5,\"output\":0}}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK(a.end.failed && a.end.retryable && a.end.retry_after_ms == 70);
	CHECK(a.end.http_status == 0 && a.end_ms == 9);
	CHECK(a.end.category == ERROR_CATEGORY_CONTENT_FILTER);
	CHECK_STR(a.end.message, "No.");
	CHECK(a.end.usage.known && a.end.usage.input == 5 && a.end.usage.output == 0);
}

TEST(the_errors_example_does_what_it_says)
{
	EXAMPLE(r, "errors.json");
	ANSWER(a);

	for (r.req.attempt = 1; r.req.attempt <= 2; r.req.attempt++) {
		ask(&a, &r, "busy");
		CHECK(a.end.failed && a.end.http_status == 429 && a.end.retry_after_ms == 250);
	}
	ask(&a, &r, "busy");
	CHECK_STR(buf_str(&a.text), "Now I have time.");
	r.req.attempt = 1;

	ask(&a, &r, "cut");
	CHECK_STR(buf_str(&a.text), "one two three ");
	CHECK(a.end.failed && a.end.retryable && a.end.http_status == 200 && a.end_ms == 20);
	CHECK(a.end.category == ERROR_CATEGORY_NETWORK);
	CHECK_INT(a.end.bytes_received, 14);

	ask(&a, &r, "key");
	CHECK(a.end.category == ERROR_CATEGORY_AUTH);

	ask(&a, &r, "hang");
	CHECK(!a.is_ended && !a.pieces && fake_is_idle(&r.clock));
	r.p->ops->cancel(r.p, a.h);
	ask(&a, &r, "hang later");
	CHECK(!a.is_ended && a.pieces == 2 && fake_is_idle(&r.clock));
	r.p->ops->pause(r.p, a.h);
	r.p->ops->resume(r.p, a.h);
	fake_run(&r.clock);
	CHECK(!a.is_ended && a.pieces == 2);
	r.p->ops->cancel(r.p, a.h);

	ask(&a, &r, "garble");
	CHECK_STR(a.end.calls[0].args, "{\"path\": ");
	ask(&a, &r, "invent");
	CHECK_STR(a.end.calls[0].name, "teleport");
}

TEST(an_error_without_a_count_comes_behind_all_pieces)
{
	RIG(r, ALWAYS("{\"text\":\"a b c\",\"error\":{\"status\":500}}"));
	RIG(none, ALWAYS("{\"text\":\"a b c\",\"error\":{\"status\":500,\"afterPieces\":0}}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK(a.end.failed && a.pieces == 3);
	ask(&a, &none, "x");
	CHECK(a.end.failed && a.pieces == 0);
}

TEST_MAIN()
