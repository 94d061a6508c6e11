/* The pure parts of thole-grpc: messages in data, codes and errors, paths, header fields. */
#include "t.h"

#include "grpc/grpc_frame.h"
#include "grpc/grpc_head.h"
#include "grpc/grpc_route.h"
#include "grpc/grpc_status.h"

/* Feeds the bytes in two pieces and writes what was read to out. */
static enum grpc_frame_step feed(struct grpc_frame *f, struct str bytes, size_t cut,
                                 struct buf *out)
{
	enum grpc_frame_step step = GRPC_FRAME_MORE;
	struct str pieces[] = { str_head(bytes, cut), str_skip(bytes, cut) };

	for (size_t i = 0; i < COUNT_OF(pieces); i++)
		while (pieces[i].len) {
			step = grpc_frame_feed(f, &pieces[i]);
			if (step > GRPC_FRAME_MESSAGE)
				return step;
			if (step == GRPC_FRAME_MESSAGE)
				buf_printf(out, "[%.*s]", STR_ARG(buf_str(&f->message)));
		}
	return step;
}

TEST(messages_are_the_same_for_every_split)
{
	struct str bytes = STR("\0\0\0\0\2ab\0\0\0\0\0\0\0\0\0\3xyz");

	for (size_t cut = 0; cut <= bytes.len; cut++) {
		CLEANUP(buf_done) struct buf out = { 0 };
		struct grpc_frame f = { .max = 3 };

		CHECK(feed(&f, bytes, cut, &out) == GRPC_FRAME_MESSAGE);
		CHECK_STR(buf_str(&out), "[ab][][xyz]");
		CHECK(grpc_frame_is_whole(&f));
		grpc_frame_done(&f);
	}
}

TEST(wrong_frames_are_refused_for_every_split)
{
	static const struct {
		struct str bytes;
		enum grpc_frame_step step;
	} cases[] = { { { "\0\0\0\0\4abcd", 9 }, GRPC_FRAME_TOO_LARGE },
		      { { "\0\xff\xff\xff\xff", 5 }, GRPC_FRAME_TOO_LARGE },
		      { { "\1\0\0\0\1a", 6 }, GRPC_FRAME_COMPRESSED },
		      { { "\2\0\0\0\1a", 6 }, GRPC_FRAME_BAD },
		      { { "\0\0\0\0\2a", 6 }, GRPC_FRAME_MORE } };

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (size_t cut = 0; cut <= cases[i].bytes.len; cut++) {
			CLEANUP(buf_done) struct buf out = { 0 };
			struct grpc_frame f = { .max = 3 };

			CHECK(feed(&f, cases[i].bytes, cut, &out) == cases[i].step);
			CHECK(!out.len && !grpc_frame_is_whole(&f));
			grpc_frame_done(&f);
		}
}

TEST(a_written_frame_has_its_length)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t begin = grpc_frame_begin(&out);

	for (int i = 0; i < 300; i++)
		buf_add_char(&out, 'x');
	grpc_frame_end(&out, begin);
	CHECK(out.len == 305 && !memcmp(out.ptr, "\0\0\0\1\x2c", 5));
}

TEST(errors_of_a2a_keep_code_message_and_details)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf back = { 0 };
	struct str body =
		STR("{\"error\":{\"code\":400,\"status\":\"FAILED_PRECONDITION\",\"message\":"
	            "\"no\",\"details\":[{\"@type\":\"type.googleapis.com/google.rpc."
	            "ErrorInfo\",\"reason\":\"TASK_NOT_CANCELABLE\",\"domain\":"
	            "\"a2a-protocol.org\",\"metadata\":{\"a\":\"b\"}},{\"@type\":"
	            "\"type.googleapis.com/google.rpc.BadRequest\",\"fieldViolations\":[{"
	            "\"field\":\"f\",\"description\":\"d\"}]}]}}");
	struct grpc_status s;

	grpc_status_of_http(mem, 400, body, &s);
	CHECK(s.code == GRPC_FAILED_PRECONDITION);
	CHECK_STR(s.message, "no");
	CHECK(grpc_status_to_http(&s, &back) == 400);
	CHECK(str_eq(buf_str(&back), body));
}

TEST(the_reason_decides_over_the_word_and_the_word_over_the_status)
{
	static const struct {
		int http;
		const char *body;
		enum grpc_code code;
	} cases[] = {
		{ 400, "{\"error\":{\"details\":[{\"reason\":\"TASK_NOT_FOUND\"}]}}",
		  GRPC_NOT_FOUND },
		{ 400, "{\"error\":{\"status\":\"ABORTED\"}}", GRPC_ABORTED },
		{ 404, "{\"error\":{\"status\":\"NOT_FOUND\"}}", GRPC_NOT_FOUND },
		{ 404, "", GRPC_UNIMPLEMENTED },
		{ 401, "{\"title\":\"x\",\"detail\":\"y\"}", GRPC_UNAUTHENTICATED },
		{ 403, "<html>", GRPC_PERMISSION_DENIED },
		{ 413, "", GRPC_RESOURCE_EXHAUSTED },
		{ 429, "", GRPC_RESOURCE_EXHAUSTED },
		{ 500, "[]", GRPC_INTERNAL },
		{ 503, "", GRPC_UNAVAILABLE },
		{ 504, "", GRPC_DEADLINE_EXCEEDED },
		{ 418, "", GRPC_INVALID_ARGUMENT },
		{ 302, "", GRPC_UNKNOWN },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct grpc_status s;

		grpc_status_of_http(mem, cases[i].http, str_from(cases[i].body), &s);
		CHECK(s.code == cases[i].code);
		CHECK(s.message.len > 0);
	}
}

TEST(messages_are_percent_encoded)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = STR("50% \xc3\xa4\r\n~");

	CHECK_STR(grpc_status_encode(mem, text), "50%25 %C3%A4%0D%0A~");
	CHECK(str_eq(grpc_status_decode(mem, STR("50%25 %c3%A4%0D%0A~")), text));
	CHECK_STR(grpc_status_decode(mem, STR("%zz %4")), "%zz %4");
}

TEST(timeouts_have_a_unit)
{
	static const struct {
		const char *text;
		int64_t ms;
	} cases[] = {
		{ "1S", 1000 },   { "100m", 100 }, { "1n", 1 },
		{ "1u", 1 },      { "2500u", 3 },  { "2H", 7200000 },
		{ "3M", 180000 }, { "0S", 0 },     { "99999999H", (int64_t)366 * 86400 * 1000 }
	};
	int64_t ms;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		CHECK(grpc_status_timeout(str_from(cases[i].text), &ms));
		CHECK(ms == cases[i].ms);
	}
	CHECK(!grpc_status_timeout(STR("S"), &ms) && !grpc_status_timeout(STR("1"), &ms));
	CHECK(!grpc_status_timeout(STR("-1S"), &ms) && !grpc_status_timeout(STR("1s"), &ms));
	CHECK(!grpc_status_timeout(STR("123456789S"), &ms) && !grpc_status_timeout(STR_NONE, &ms));
}

static void routed(const char *method, const char *request, const char *verb, const char *target,
                   const char *body)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str path = arena_printf(mem, "/%s/%s", proto_service, method);
	struct grpc_route r;
	struct error e = { 0 };

	CHECK(grpc_route_method(path) != NULL);
	if (grpc_route_request(mem, grpc_route_method(path), str_from(request), &r, &e) != OK)
		printf("%s\n", e.message);
	CHECK(str_eq(r.verb, str_from(verb)));
	CHECK(str_eq(r.target, str_from(target)));
	CHECK(body ? str_eq(r.body, str_from(body)) : !str_is(r.body));
}

TEST(calls_become_requests)
{
	routed("SendMessage", "{\"message\":{\"messageId\":\"m\"}}", "POST", "/message:send",
	       "{\"message\":{\"messageId\":\"m\"}}");
	routed("SendMessage", "{\"tenant\":\"red\",\"message\":{}}", "POST", "/red/message:send",
	       "{\"message\":{}}");
	routed("GetTask", "{\"id\":\"a~b\",\"historyLength\":2}", "GET",
	       "/tasks/a~b?historyLength=2", NULL);
	routed("ListTasks", "{\"contextId\":\"a b&c\",\"includeArtifacts\":true}", "GET",
	       "/tasks?contextId=a%20b%26c&includeArtifacts=true", NULL);
	routed("CancelTask", "{\"id\":\"x\",\"metadata\":{\"a\":1}}", "POST", "/tasks/x:cancel",
	       "{\"metadata\":{\"a\":1}}");
	routed("SubscribeToTask", "{\"id\":\"x\",\"tenant\":\"t\"}", "GET", "/t/tasks/x:subscribe",
	       NULL);
	routed("CreateTaskPushNotificationConfig", "{\"taskId\":\"x\",\"id\":\"c\",\"url\":\"u\"}",
	       "POST", "/tasks/x/pushNotificationConfigs", "{\"id\":\"c\",\"url\":\"u\"}");
	routed("DeleteTaskPushNotificationConfig", "{\"taskId\":\"x\",\"id\":\"c\"}", "DELETE",
	       "/tasks/x/pushNotificationConfigs/c", NULL);
	routed("GetExtendedAgentCard", "{}", "GET", "/extendedAgentCard", NULL);
}

TEST(values_that_would_change_the_path_are_refused)
{
	static const char *const ids[] = { "",         ".",      "..",    "a/b",
		                           "x:cancel", "a\\\\b", "a\\nb", "\\u007f" };
	const struct proto_method *m = grpc_route_method(STR("/lf.a2a.v1.A2AService/GetTask"));
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct grpc_route r;
	struct error e;

	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		CHECK(grpc_route_request(mem, m, arena_printf(mem, "{\"id\":\"%s\"}", ids[i]), &r,
		                         &e) != OK);
		CHECK(!ids[i][0] ||
		      grpc_route_request(
			      mem, m, arena_printf(mem, "{\"id\":\"x\",\"tenant\":\"%s\"}", ids[i]),
			      &r, &e) != OK);
	}
	CHECK(grpc_route_request(mem, m, STR("{}"), &r, &e) != OK);
	CHECK(!grpc_route_method(STR("/lf.a2a.v1.A2AService/Other")));
	CHECK(!grpc_route_method(STR("/lf.a2a.v1.A2AServiceXGetTask")));
	CHECK(!grpc_route_method(STR("")) && !grpc_route_method(STR_NONE));
}

static void found(const char *verb, const char *path, const char *body, const char *method,
                  const char *request)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct grpc_route_param params[] = { { STR("historyLength"), STR("3") } };
	struct grpc_route_http in = { str_from(verb), str_from(path), str_from(body), params, 1 };
	const struct proto_method *m;
	struct str text = STR_NONE;
	struct error e;

	m = grpc_route_find(mem, &in, &text, &e);
	if (method && !str_eq(text, str_from(request)))
		printf("%s %s: %.*s\n", verb, path, STR_ARG(text));
	CHECK(method ? m && !strcmp(m->name, method) : !m);
	if (method)
		CHECK(str_eq(text, str_from(request)));
}

TEST(requests_become_calls)
{
	found("POST", "/message:send", "{\"message\":{}}", "SendMessage", "{\"message\":{}}");
	found("POST", "/t/message:stream", "{}", "SendStreamingMessage", "{\"tenant\":\"t\"}");
	found("GET", "/tasks/tasks", "", "ListTasks",
	      "{\"tenant\":\"tasks\",\"historyLength\":\"3\"}");
	found("GET", "/tasks/tasks/a", "", "GetTask",
	      "{\"tenant\":\"tasks\",\"id\":\"a\",\"historyLength\":\"3\"}");
	found("GET", "/tasks/a:b", "", "GetTask", "{\"id\":\"a:b\",\"historyLength\":\"3\"}");
	found("GET", "/tasks/a:subscribe", "", "SubscribeToTask",
	      "{\"id\":\"a\",\"historyLength\":\"3\"}");
	found("POST", "/tasks/a:subscribe", "{}", "SubscribeToTask",
	      "{\"id\":\"a\",\"historyLength\":\"3\"}");
	found("POST", "/t/tasks/a:cancel", "{\"id\":\"other\"}", "CancelTask",
	      "{\"tenant\":\"t\",\"id\":\"a\"}");
	found("GET", "/tasks/a/pushNotificationConfigs/c", "", "GetTaskPushNotificationConfig",
	      "{\"taskId\":\"a\",\"id\":\"c\",\"historyLength\":\"3\"}");
	found("DELETE", "/tasks/a", "", NULL, NULL);
	found("GET", "/tasks/", "", NULL, NULL);
	found("GET", "/", "", NULL, NULL);
	found("GET", "", "", NULL, NULL);
	found("POST", "/message:send", "[]", NULL, NULL);
}

TEST(only_known_fields_are_passed_on)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct grpc_head h = { 0 };

	grpc_head_add(&h, mem, STR("authorization"), STR("Bearer x"), 1000);
	grpc_head_add(&h, mem, STR("a2a-extensions"), STR("a"), 1000);
	grpc_head_add(&h, mem, STR("a2a-extensions"), STR("b"), 1000);
	grpc_head_add(&h, mem, STR("cookie"), STR("c"), 1000);
	grpc_head_add(&h, mem, STR(":path"), STR("/p"), 1000);
	CHECK_STR(h.passed[GRPC_HEAD_AUTHORIZATION], "Bearer x");
	CHECK_STR(h.passed[GRPC_HEAD_EXTENSIONS], "a, b");
	CHECK_STR(h.path, "/p");
	CHECK(!h.repeated);
	grpc_head_add(&h, mem, STR("authorization"), STR("Bearer y"), 1000);
	CHECK(h.repeated != NULL);
	CHECK_STR(h.passed[GRPC_HEAD_AUTHORIZATION], "Bearer x");
	grpc_head_add(&h, mem, STR("traceparent"), STR("long"), h.bytes);
	CHECK(!str_is(h.passed[GRPC_HEAD_TRACEPARENT]));
}

TEST(content_types_of_other_protocols_are_not_grpc)
{
	CHECK(grpc_head_is_grpc(STR("application/grpc")));
	CHECK(grpc_head_is_grpc(STR("application/grpc+proto")));
	CHECK(grpc_head_is_grpc(STR("application/grpc;charset=utf-8")));
	CHECK(!grpc_head_is_grpc(STR("application/grpc-web")));
	CHECK(!grpc_head_is_grpc(STR("application/grpc+json")));
	CHECK(!grpc_head_is_grpc(STR("application/json")) && !grpc_head_is_grpc(STR_NONE));
}

TEST_MAIN()
