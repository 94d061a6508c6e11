/* Commands, reads and outputs over HTTP. */
#include "test_serve_fixture.h"

#include "serve/http/content_negotiation.h"
#include "serve/http/assets.h"
#include "serve/http/console.h"

/* ---- commands and reads ---- */

TEST(a_command_is_called_with_body_key_and_trace)
{
	struct state w;

	state_init(&w, NULL);
	w.f->answers = answers;

	struct response r =
		POST(&w, "/v1/commands/submit_turn",
	             "Content-Type: application/json; charset=utf-8\r\nIdempotency-Key: k1\r\n"
	             "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n",
	             "{\"input\": 1.0}");

	CHECK_INT(r.status, 202);
	CHECK_HAS(r.body, "turn_1");
	CHECK_STR(header(&r, "content-type"), "application/json");
	CHECK(!str_is(header(&r, "idempotent-replayed")));
	CHECK_STR(w.f->command, "submit_turn");
	CHECK_STR(w.f->params, "{\"input\": 1.0}");
	CHECK_STR(w.f->key, "k1");
	CHECK_STR(w.f->trace, "0af7651916cd43dd8448eb211c80319c");
	CHECK_STR(w.f->via, "http");
	CHECK_STR(w.f->principal, "owner");

	r = POST(&w, "/v1/commands/create_session", "Thole-Client: cli\r\ntraceparent: 00-zz\r\n",
	         "");
	CHECK_INT(r.status, 200);
	CHECK_STR(header(&r, "idempotent-replayed"), "true");
	CHECK_STR(w.f->via, "cli");
	CHECK(!str_is(w.f->params) && !str_is(w.f->key) && !str_is(w.f->trace));

	r = POST(&w, "/v1/commands/respond_action", "", "{}");
	CHECK_PROBLEM(r, 409, "already_resolved");
	r = POST(&w, "/v1/commands/interrupt_turn", "", "{}");
	CHECK_PROBLEM(r, 503, "overloaded");
	CHECK_STR(header(&r, "retry-after"), "2");
	r = POST(&w, "/v1/commands/no_such_thing", "", "{}");
	CHECK_PROBLEM(r, 404, "unknown_command");
	state_done(&w);
}

TEST(plain_gets_are_read_commands)
{
	static const struct {
		const char *path, *command, *params;
	} rows[] = {
		{ "/v1/capabilities", "get_capabilities", "{}" },
		{ "/v1/sessions", "list_sessions", "{}" },
		{ "/v1/sessions?limit=5&archived=true&workspaceId=a%20b&cursor=", "list_sessions",
		  "{\"limit\":5,\"archived\":true,\"workspaceId\":\"a b\",\"cursor\":\"\"}" },
		{ "/v1/sessions?workspace_id=x&system=0", "list_sessions",
		  "{\"workspaceId\":\"x\",\"system\":false}" },
		{ "/v1/sessions/sess_1", "get_session", "{\"sessionId\":\"sess_1\"}" },
		{ "/v1/sessions/sess_1?window=3&sections=a,b", "get_session",
		  "{\"sessionId\":\"sess_1\",\"window\":3,\"sections\":[\"a\",\"b\"]}" },
		{ "/v1/sessions/s/threads", "list_threads", "{\"sessionId\":\"s\"}" },
		{ "/v1/sessions/s/threads/t", "get_thread_read",
		  "{\"sessionId\":\"s\",\"threadId\":\"t\"}" },
		{ "/v1/sessions/s/queue?threadId=t", "list_queue",
		  "{\"sessionId\":\"s\",\"threadId\":\"t\"}" },
		{ "/v1/sessions/s/tools?mode=plan", "get_tool_inventory",
		  "{\"sessionId\":\"s\",\"mode\":\"plan\"}" },
		{ "/v1/sessions/s/tasks/k", "get_task", "{\"sessionId\":\"s\",\"taskId\":\"k\"}" },
		{ "/v1/tasks?status=running", "list_tasks", "{\"status\":\"running\"}" },
		{ "/v1/actions?status=pending", "list_actions", "{\"status\":\"pending\"}" },
		{ "/v1/channels", "list_channels", "{}" },
		{ "/v1/events", "list_events", "{}" },
		{ "/v1/events?session=s&after=7&types=tool.*,turn.started&thread=t&turn=u&limit=9",
		  "list_events",
		  "{\"sessionId\":\"s\",\"after\":7,\"types\":[\"tool.*\",\"turn.started\"],"
		  "\"threadId\":\"t\",\"turnId\":\"u\",\"limit\":9}" },
		{ "/v1/events?after=p.12&follow=0", "list_events", "{\"cursor\":\"p.12\"}" },
	};
	struct state w;

	state_init(&w, NULL);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct response r = GET(&w, rows[i].path, "");

		if (r.status != 200)
			t_fail(__FILE__, __LINE__, "%s: %d %.*s", rows[i].path, r.status,
			       STR_ARG(r.body));
		CHECK_SAME(w.f->command, str_from(rows[i].command));
		CHECK_SAME(w.f->params, str_from(rows[i].params));
	}
	CHECK_INT(ask(&w, "HEAD /v1/sessions HTTP/1.1\r\nHost: localhost\r\n" AUTH "\r\n").status,
	          200);
	state_done(&w);
}

TEST(bad_requests_are_refused_and_not_passed_on)
{
	static const struct {
		const char *method, *path, *headers, *body;
		int status;
		const char *code;
	} rows[] = {
		{ "GET", "/v1/nothing", "", "", 404, "not_found" },
		{ "GET", "/v1/sessions/", "", "", 404, "not_found" },
		{ "GET", "/v1/sessions//threads", "", "", 404, "not_found" },
		{ "GET", "/v1/sessions/s/threads/t/x", "", "", 404, "not_found" },
		{ "GET", "/V1/sessions", "", "", 404, "not_found" },
		{ "GET", "/v1/sessions/../../etc", "", "", 400, "invalid_request" },
		{ "GET", "/v1/sessions/a%20b", "", "", 400, "invalid_id" },
		{ "GET", "/v1/sessions?bogus=1", "", "", 400, "unknown_field" },
		{ "GET", "/v1/sessions?limit=many", "", "", 400, "invalid_value" },
		{ "GET", "/v1/sessions?limit=1&limit=2", "", "", 400, "invalid_request" },
		{ "GET", "/v1/sessions?archived=perhaps", "", "", 400, "invalid_value" },
		{ "GET", "/v1/sessions/s?sessionId=t", "", "", 400, "invalid_request" },
		{ "POST", "/v1/sessions", "", "", 405, "method_not_allowed" },
		{ "GET", "/v1/run", "", "", 405, "method_not_allowed" },
		{ "GET", "/v1/commands/submit_turn", "", "", 405, "method_not_allowed" },
		{ "HEAD", "/v1/events", "", "", 405, "" },
		{ "OPTIONS", "/v1/sessions", "", "", 405, "method_not_allowed" },
		{ "POST", "/v1/commands/submit_turn", "Content-Type: text/plain\r\n", "{}", 415,
		  "unsupported_media_type" },
		{ "POST", "/v1/commands/submit_turn",
		  "Content-Type: application/x-www-form-urlencoded\r\n", "a=b", 415,
		  "unsupported_media_type" },
		{ "POST", "/v1/commands/submit_turn?x=1", "", "{}", 400, "unknown_field" },
		{ "POST", "/v1/commands/submit_turn", "Idempotency-Key: \r\n", "{}", 400,
		  "invalid_value" },
		{ "POST", "/v1/run", "Accept: image/png\r\n", "{}", 406, "not_acceptable" },
		{ "GET", "/v1/events?types=no.such", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?types=tool.result,", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?bogus=1", "Accept: text/event-stream\r\n", "", 400,
		  "unknown_field" },
		{ "GET", "/v1/events?session=a%2Bb%3F", "", "", 400, "invalid_id" },
		{ "GET", "/v1/events?session=s&after=-1", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?session=s&after=p.3", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?after=3", "Accept: text/event-stream\r\n", "", 400,
		  "invalid_value" },
		{ "GET", "/v1/events?after=p.x", "Accept: text/event-stream\r\n", "", 400,
		  "invalid_value" },
		{ "GET", "/v1/events?follow=2", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?follow=1", "", "", 400, "invalid_value" },
		{ "GET", "/v1/events?limit=2", "Accept: text/event-stream\r\n", "", 400,
		  "invalid_value" },
		{ "GET", "/v1/events?session=s&session=s", "", "", 400, "invalid_request" },
		{ "GET", "/v1/events", "Accept: image/png\r\n", "", 406, "not_acceptable" },
		{ "GET", "/v1/events?session=s",
		  "Accept: text/event-stream\r\n"
		  "Last-Event-ID: x\r\n",
		  "", 400, "invalid_value" },
		{ "GET", "/v1/outputs/a%20b", "", "", 400, "invalid_id" },
		{ "GET", "/v1/outputs/o?x=1", "", "", 400, "unknown_field" },
		{ "GET", "/v1/rpc", "", "", 400, "invalid_request" },
		{ "GET", "/v1/sessions", "", "{}", 413, "payload_too_large" },
		{ "BREW", "/v1/sessions", "", "", 400, "invalid_request" },
		{ "TRACE", "/v1/sessions", "", "", 501, "invalid_request" },
		{ "GET", "/v1/sessions", "Host: again\r\n", "", 400, "invalid_request" },
		{ "POST", "/v1/commands/x", "Transfer-Encoding: chunked\r\n", "{}", 400,
		  "invalid_request" },
	};
	struct state w;

	state_init(&w, NULL);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct response r = ask(&w,
		                        "%s %s HTTP/1.1\r\nHost: localhost\r\n" AUTH
		                        "Content-Length: %zu\r\n%s\r\n%s",
		                        rows[i].method, rows[i].path, strlen(rows[i].body),
		                        rows[i].headers, rows[i].body);

		if (r.status != rows[i].status || str_find(r.body, str_from(rows[i].code)) < 0)
			t_fail(__FILE__, __LINE__, "%s %s %s: %d %.*s", rows[i].method,
			       rows[i].path, rows[i].headers, r.status, STR_ARG(r.body));
		if (r.status == 405)
			CHECK(str_is(header(&r, "allow")));
	}
	CHECK_INT(w.f->calls, 0);
	CHECK_INT(w.f->most_subs, 0);
	state_done(&w);
}

TEST(a_body_above_the_bound_is_refused_before_it_is_read)
{
	struct state w;
	struct response r;

	state_init(&w, NULL);
	r = ask(&w, "POST /v1/commands/x HTTP/1.1\r\nHost: localhost\r\n" AUTH
	            "Content-Length: 1048577\r\n\r\n");
	CHECK_PROBLEM(r, 413, "payload_too_large");
	r = ask(&w,
	        "POST /v1/commands/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n\r\n");
	CHECK_PROBLEM(r, 413, "payload_too_large"); /* less without a token */
	r = ask(&w,
	        "POST /v1/commands/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
	CHECK_PROBLEM(r, 401, "unauthorized");
	CHECK_INT(w.f->calls, 0);
	state_done(&w);
}

TEST(health_readiness_metrics_and_pages)
{
	struct state w;
	struct response r;

	state_init(&w, NULL);
	CHECK_STR(GET(&w, "/healthz", "").body, "{\"status\":\"ok\"}");
	r = GET(&w, "/readyz", "");
	CHECK_INT(r.status, 200);
	w.f->is_not_ready = true;
	r = GET(&w, "/readyz", "");
	CHECK_INT(r.status, 503);
	CHECK_HAS(r.body, "the store is being read");
	r = GET(&w, "/metrics", "");
	CHECK_INT(r.status, 200);
	CHECK_STR(header(&r, "content-type"), "text/plain; version=0.0.4; charset=utf-8");
	CHECK_HAS(r.body, "# HELP thole_commands_total Commands taken.\n"
	                  "# TYPE thole_commands_total counter\nthole_commands_total 0\n");
	CHECK_HAS(r.body, "thole_build_info{version=\"9.8.7\",runtime=\"rt_1\"} 1\n");
	CHECK_HAS(r.body, "thole_ready 0\n");
	CHECK_HAS(r.body, "thole_last_commit_seconds 0.001500\n");
	CHECK_HAS(r.body, "thole_http_requests_total 4\n");
	r = GET(&w, "/asyncapi.json", "");
	CHECK(str_starts(r.body, STR("{\"asyncapi\":\"3.0.")));
	CHECK_INT(r.body.len, asyncapi_asset.plain_len);
	r = GET(&w, "/openapi.json", "");
	CHECK(str_starts(r.body, STR("{\"openapi\":\"3.1.")));
	CHECK_INT(r.body.len, openapi_asset.plain_len);
	CHECK_STR(header(&r, "content-type"), "application/json");
	r = GET(&w, "/openapi.json", "Accept-Encoding: gzip\r\n");
	CHECK_STR(header(&r, "content-encoding"), "gzip");
	CHECK_INT(r.body.len, openapi_asset.gzip.len);

	r = GET(&w, "/", "");
	CHECK_INT(r.status, 200);
	CHECK_HAS(r.body, "Thole</");
	CHECK_HAS(header(&r, "content-security-policy"), "default-src 'none'");
	CHECK_STR(header(&r, "x-content-type-options"), "nosniff");
	r = ask(&w, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	CHECK_INT(r.status, console_is_here() ? 200 : 401);
	CHECK_HAS(r.body, "Thole</");
	state_done(&w);
}

/* ---- outputs ---- */

static void check_output(struct response *r, int status, int64_t from, size_t len,
                         const char *range)
{
	CHECK_INT(r->status, status);
	CHECK(r->is_whole);
	CHECK_INT(r->body.len, len);
	for (size_t i = 0; i < len; i++)
		if (r->body.ptr[i] != output_byte(from + (int64_t)i))
			t_fail(__FILE__, __LINE__, "byte %zu differs", i);
	CHECK_STR(header(r, "content-type"), "text/plain");
	CHECK_STR(header(r, "content-disposition"), "attachment");
	if (range)
		CHECK_SAME(header(r, "content-range"), str_from(range));
}

TEST(outputs_are_read_whole_and_by_range)
{
	struct state w;
	struct response r;

	state_init(&w, NULL);
	w.f->hook_answer = response_output;
	r = GET(&w, "/v1/outputs/out_1", "");
	check_output(&r, 200, 0, OUTPUT_SIZE, NULL);
	CHECK_INT(w.f->calls, 3);
	r = GET(&w, "/v1/blobs/out_1", "Range: bytes=10-19\r\n");
	check_output(&r, 206, 10, 10, "bytes 10-19/600000");
	CHECK_STR(header(&r, "content-length"), "10");
	r = GET(&w, "/v1/outputs/out_1", "Range: bytes=100-\r\n");
	check_output(&r, 206, 100, OUTPUT_SIZE - 100, "bytes 100-599999/600000");
	r = GET(&w, "/v1/outputs/out_1", "Range: bytes=300000-299999999\r\n");
	check_output(&r, 206, 300000, 300000, "bytes 300000-599999/600000");
	r = GET(&w, "/v1/outputs/out_1", "Range: bytes=-5\r\n");
	check_output(&r, 206, OUTPUT_SIZE - 5, 5, "bytes 599995-599999/600000");
	r = GET(&w, "/v1/outputs/out_1", "Range: bytes=600000-\r\n");
	CHECK_PROBLEM(r, 416, "range_not_satisfiable");
	CHECK_STR(header(&r, "content-range"), "bytes */600000");
	r = GET(&w, "/v1/outputs/out_1", "Range: bytes=1-2,5-6\r\n");
	check_output(&r, 200, 0, OUTPUT_SIZE, NULL);
	r = ask(&w, "HEAD /v1/outputs/out_1 HTTP/1.1\r\nHost: localhost\r\n" AUTH "\r\n");
	CHECK_INT(r.status, 200);
	CHECK_INT(r.body.len, 0);
	state_done(&w);
}

TEST(an_output_that_breaks_off_is_not_taken_for_whole)
{
	struct state w;

	state_init(&w, NULL);
	w.f->hook_answer = response_output;

	struct response r = GET(&w, "/v1/outputs/out_broken", "");

	CHECK_INT(r.status, 200);
	CHECK(!r.is_whole);

	/* and a reader that leaves in the middle leaves nothing behind */
	struct client c = client_tcp(w.port), d = client_tcp(w.port);
	int small = 4096;

	setsockopt(c.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	send_get(&w, &c, "/v1/outputs/out_1", "");
	UNTIL(w.l, client_has(&c, STR("abcdef")));
	client_done(&c);
	w.f->is_async = true;
	send_get(&w, &d, "/v1/outputs/out_1", "");
	UNTIL(w.l, w.f->waiting_count == 1);
	fake_answer_one(w.f);
	client_done(&d);
	UNTIL(w.l, !serve_connections(w.s));
	state_done(&w);
}

/* ---- small readings ---- */

TEST(ranges_traces_and_media_types_are_read)
{
	struct range r;

	CHECK(content_negotiation_range(STR("bytes=0-0"), &r) && r.first == 0 && r.count == 1);
	CHECK(content_negotiation_range(STR("Bytes = 5-"), &r) && r.first == 5 && r.count == -1);
	CHECK(content_negotiation_range(STR("bytes=-7"), &r) && r.first == -7 && r.count == 7);
	CHECK(!content_negotiation_range(STR("bytes=7-5"), &r));
	CHECK(!content_negotiation_range(STR("bytes=-0"), &r));
	CHECK(!content_negotiation_range(STR("bytes="), &r));
	CHECK(!content_negotiation_range(STR("bytes=a-b"), &r));
	CHECK(!content_negotiation_range(STR("items=1-2"), &r));
	CHECK(!content_negotiation_range(STR("bytes=9223372036854775807-9223372036854775807"), &r));
	CHECK(!content_negotiation_range(STR("bytes=1-9223372036854775808"), &r));
	CHECK(!content_negotiation_range(STR_NONE, &r));

	CHECK(content_negotiation_events(STR_NONE) == MEDIA_JSON);
	CHECK(content_negotiation_events(STR("text/html, text/event-stream;q=0.5")) == MEDIA_SSE);
	CHECK(content_negotiation_events(STR("*/*")) == MEDIA_JSON);
	CHECK(content_negotiation_events(STR("text/html")) == MEDIA_NONE);
	CHECK(content_negotiation_events(
		      STR("application/json;q=0.5, text/event-stream ; Q=0.7")) == MEDIA_SSE);
	CHECK(content_negotiation_events(STR("text/event-stream;q=0, */*;q=0.1")) == MEDIA_JSON);
	CHECK(content_negotiation_events(STR("text/event-stream;q=0")) == MEDIA_NONE);
	CHECK(content_negotiation_stream(STR("application/json")) == MEDIA_NDJSON);
	CHECK(content_negotiation_is_json(STR("APPLICATION/JSON;charset=utf-8")));
	CHECK(!content_negotiation_is_json(STR("application/jsonx")));
}

TEST(metrics_have_the_form_of_the_highest_quality)
{
	static const struct {
		const char *accept;
		bool is_open;
	} cases[] = {
		{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		  "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  true },
		{ "application/openmetrics-text;q=0.3, text/plain;q=0.5", false },
		{ "text/plain;q=0.5, application/openmetrics-text; q=0.501", true },
		{ "application/openmetrics-text, text/plain", true },
		{ "text/plain, application/openmetrics-text", false },
		{ "application/openmetrics-text;q=0", false },
		{ "application/openmetrics-text;q=0.000, */*", false },
		{ "application/openmetrics-text;q=x, text/plain;q=0.1", false },
		{ "application/openmetrics-text;q=0.2, */*;q=0.9", false },
		{ "*/*", false },
		{ "", false },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		CHECK(content_negotiation_open_metrics(str_from(cases[i].accept)) ==
		      cases[i].is_open);
	CHECK(!content_negotiation_open_metrics(STR_NONE));
}

TEST_MAIN()
