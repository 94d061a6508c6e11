#include "a2a/client/a2a_remote.h"
#include "net/http/sse.h"
#include "t.h"

#define CARD_URL STR("https://agent.example:8443/.well-known/agent-card.json")

static struct str card(struct arena *mem, const char *interface, const char *more)
{
	return arena_printf(mem,
	                    "{\"name\":\"agent\",\"version\":\"1\",\"supportedInterfaces\":[%s],"
	                    "\"capabilities\":{\"streaming\":true%s}}",
	                    interface, more);
}

static struct str interface(struct arena *mem, const char *url, const char *binding)
{
	return arena_printf(
		mem, "{\"url\":\"%s\",\"protocolBinding\":\"%s\",\"protocolVersion\":\"1.0\"}", url,
		binding);
}

static bool read_card(struct arena *mem, struct str text, struct a2a_agent *ret)
{
	struct host_rules none = { 0 };
	struct str why = STR_NONE;
	bool is_read = a2a_agent_read(mem, CARD_URL, text, &none, STR("urn:known"), ret, &why);

	CHECK(is_read || why.len);
	return is_read;
}

/* ---- cards ---- */

TEST(the_first_interface_that_is_spoken_is_taken)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_agent a;
	struct str all =
		arena_printf(mem, "%.*s,%.*s,%.*s",
	                     STR_ARG(interface(mem, "https://agent.example:8443/grpc", "GRPC")),
	                     STR_ARG(interface(mem, "https://agent.example:8443/v1/", "HTTP+JSON")),
	                     STR_ARG(interface(mem, "https://agent.example:8443/rpc", "JSONRPC")));

	CHECK(read_card(mem, card(mem, all.ptr, ""), &a));
	CHECK(a.binding == A2A_BINDING_HTTP && a.is_own_origin && a.is_streaming);
	CHECK_STR(a.url, "https://agent.example:8443/v1");
	CHECK_STR(a.name, "agent");
}

TEST(interfaces_inside_or_at_odd_addresses_are_refused)
{
	static const char *const wrong[] = { "http://10.0.0.1/",
		                             "http://127.0.0.1/",
		                             "http://[::1]/",
		                             "http://[::ffff:10.0.0.1]/",
		                             "http://2130706433/",
		                             "http://0x7f000001/",
		                             "http://localhost/",
		                             "http://169.254.169.254/",
		                             "file:///etc/passwd",
		                             "https://user@other.example/",
		                             "https://other.example/?q",
		                             "https://other.example/#f",
		                             "https://other.example/a b",
		                             "https://other.example/\\u0000x",
		                             "ftp://other.example/",
		                             "",
		                             NULL };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_agent a;

	for (size_t i = 0; wrong[i]; i++)
		CHECK(!read_card(mem, card(mem, interface(mem, wrong[i], "JSONRPC").ptr, ""), &a));
	CHECK(read_card(mem,
	                card(mem, interface(mem, "https://other.example/rpc", "JSONRPC").ptr, ""),
	                &a));
	CHECK(!a.is_own_origin);
	/* The host is the same, and the port is another. */
	CHECK(read_card(mem,
	                card(mem, interface(mem, "https://agent.example/rpc", "JSONRPC").ptr, ""),
	                &a));
	CHECK(!a.is_own_origin);
}

TEST(cards_that_are_no_cards_are_refused)
{
	static const char *const wrong[] = {
		"", "null", "[]", "{}", "{\"name\":\"a\"}", "{\"a", "\xff", "{\"name\":7}", NULL
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str good = interface(mem, "https://agent.example:8443/rpc", "JSONRPC");
	struct a2a_agent a;

	for (size_t i = 0; wrong[i]; i++)
		CHECK(!read_card(mem, str_from(wrong[i]), &a));
	CHECK(!read_card(mem, card(mem, interface(mem, "https://a.example", "JSONRPC/2").ptr, ""),
	                 &a));
	CHECK(!read_card(mem, card(mem, good.ptr, ",\"extensions\":[{\"required\":true}]"), &a));
	CHECK(read_card(mem, card(mem, good.ptr, ",\"extensions\":[{\"required\":false}]"), &a));
	CHECK(read_card(
		mem,
		card(mem, good.ptr, ",\"extensions\":[{\"uri\":\"urn:known\",\"required\":true}]"),
		&a));
	CHECK(!read_card(
		mem,
		card(mem, good.ptr, ",\"extensions\":[{\"uri\":\"urn:other\",\"required\":true}]"),
		&a));
}

TEST(the_hash_ignores_signatures_and_the_order_of_members)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str good = interface(mem, "https://agent.example:8443/rpc", "JSONRPC");
	struct a2a_agent a, b, c;

	CHECK(read_card(
		mem, arena_printf(mem, "{\"name\":\"n\",\"supportedInterfaces\":[%s]}", good.ptr),
		&a));
	CHECK(read_card(mem,
	                arena_printf(mem,
	                             "{\"signatures\":[1], \"supportedInterfaces\":[%s],"
	                             "\"name\":\"n\"}",
	                             good.ptr),
	                &b));
	CHECK(read_card(
		mem, arena_printf(mem, "{\"name\":\"m\",\"supportedInterfaces\":[%s]}", good.ptr),
		&c));
	CHECK(sha256_eq(&a.hash, &b.hash) && !sha256_eq(&a.hash, &c.hash));
}

/* ---- requests ---- */

TEST(requests_have_the_form_of_their_binding)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_agent agent = { .url = STR("https://a.example/x"),
		                   .binding = A2A_BINDING_HTTP,
		                   .tenant = STR("t/1") };
	struct a2a_ask ask = { .kind = A2A_ASK_CANCEL, .task_id = STR("a/../b?c\n") };
	struct a2a_ask_http http;

	a2a_ask_write(mem, &agent, &ask, &http);
	CHECK_STR(http.url, "https://a.example/x/t%2F1/tasks/a%2F%2E%2E%2Fb%3Fc%0A:cancel");
	CHECK_STR(http.method, "POST");
	buf_done(&http.body);
	ask.kind = A2A_ASK_SUBSCRIBE;
	a2a_ask_write(mem, &agent, &ask, &http);
	CHECK(http.is_stream);
	CHECK_STR(http.method, "GET");
	buf_done(&http.body);
	agent.binding = A2A_BINDING_JSONRPC;
	agent.tenant = STR_NONE;
	ask = (struct a2a_ask){ .kind = A2A_ASK_STREAM,
		                .message_id = STR("run_1"),
		                .text = STR("do \"it\""),
		                .depth = 2 };
	a2a_ask_write(mem, &agent, &ask, &http);
	CHECK_STR(
		buf_str(&http.body),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendStreamingMessage\",\"params\":{"
		"\"message\":{\"messageId\":\"run_1\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":"
		"\"do \\\"it\\\"\"}],\"metadata\":{\"thole/delegationDepth\":2}}}}");
	buf_done(&http.body);
}

/* ---- replies ---- */

static bool read_reply(struct arena *mem, enum a2a_ask_kind kind, const char *text,
                       struct a2a_reply *ret)
{
	struct str why;

	return a2a_reply_read(mem, A2A_BINDING_HTTP, kind, 200, str_from(text), ret, &why);
}

TEST(replies_that_are_none_are_refused)
{
	static const char *const wrong[] = {
		"",
		"null",
		"[]",
		"{}",
		"{\"task\":null}",
		"{\"task\":{}}",
		"{\"task\":{\"id\":\"a\"}}",
		"{\"task\":{\"id\":\"a\",\"status\":{\"state\":\"DONE\"}}}",
		"{\"task\":{\"id\":\"\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}",
		"{\"task\":{\"id\":\"a\\nb\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}",
		"{\"task\":{\"id\":\"a\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}},\"x\":1}",
		"{\"message\":{\"messageId\":\"m\",\"parts\":[{}]}}",
		"{\"message\":{\"messageId\":\"m\",\"parts\":[{\"text\":\"a\",\"url\":\"b\"}]}}",
		"{\"message\":{\"messageId\":\"m\",\"parts\":7}}",
		"{\"message\":{\"parts\":[{\"text\":\"a\"}]}}",
		NULL
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_reply r;

	for (size_t i = 0; wrong[i]; i++)
		CHECK(!read_reply(mem, A2A_ASK_SEND, wrong[i], &r));
}

TEST(errors_say_what_to_do)
{
	static const struct {
		enum a2a_binding binding;
		int http;
		const char *text;
		enum a2a_fault fault;
	} cases[] = {
		{ A2A_BINDING_JSONRPC, 200, "{\"error\":{\"code\":-32001,\"message\":\"m\"}}",
		  A2A_FAULT_MISSING },
		{ A2A_BINDING_JSONRPC, 200, "{\"error\":{\"code\":-32601}}",
		  A2A_FAULT_UNSUPPORTED },
		{ A2A_BINDING_JSONRPC, 200, "{\"error\":{\"code\":-32602}}", A2A_FAULT_REFUSED },
		{ A2A_BINDING_JSONRPC, 200, "{\"error\":{\"code\":-32603}}", A2A_FAULT_LATER },
		{ A2A_BINDING_JSONRPC, 401, "", A2A_FAULT_AUTH },
		{ A2A_BINDING_JSONRPC, 502, "<html>", A2A_FAULT_LATER },
		{ A2A_BINDING_HTTP, 404,
		  "{\"error\":{\"details\":[{\"reason\":\"TASK_NOT_FOUND\"}]}}",
		  A2A_FAULT_MISSING },
		{ A2A_BINDING_HTTP, 400,
		  "{\"error\":{\"details\":[{\"reason\":\"UNSUPPORTED_OPERATION\"}]}}",
		  A2A_FAULT_UNSUPPORTED },
		{ A2A_BINDING_HTTP, 403, "", A2A_FAULT_AUTH },
		{ A2A_BINDING_HTTP, 400, "", A2A_FAULT_REFUSED },
		{ A2A_BINDING_HTTP, 429, "", A2A_FAULT_LATER },
		{ A2A_BINDING_HTTP, 302, "", A2A_FAULT_LATER },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct a2a_reply r;
		struct str why;

		CHECK(a2a_reply_read(mem, cases[i].binding, A2A_ASK_GET, cases[i].http,
		                     str_from(cases[i].text), &r, &why));
		CHECK_INT(r.kind, A2A_REPLY_ERROR);
		CHECK_INT(r.fault, cases[i].fault);
	}
}

/* ---- the remote task ---- */

static enum a2a_remote_change apply(struct a2a_remote *r, const char *text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_reply reply;

	CHECK(read_reply(mem, A2A_ASK_STREAM, text, &reply));
	return a2a_remote_apply(r, &reply);
}

#define STATUS(id, state)                                                                          \
	"{\"statusUpdate\":{\"taskId\":\"" id "\",\"contextId\":\"c\",\"status\":{\"state\":"      \
	"\"TASK_STATE_" state "\"}}}"

TEST(an_end_is_final_and_nothing_goes_back)
{
	struct a2a_remote r;

	a2a_remote_init(&r);
	CHECK_INT(apply(&r, STATUS("t", "SUBMITTED")), A2A_REMOTE_CHANGED);
	CHECK_INT(apply(&r, STATUS("t", "WORKING")), A2A_REMOTE_CHANGED);
	CHECK_INT(apply(&r, STATUS("t", "WORKING")), A2A_REMOTE_SAME);
	CHECK_INT(apply(&r, STATUS("t", "SUBMITTED")), A2A_REMOTE_SAME);
	CHECK_INT(apply(&r, STATUS("u", "COMPLETED")), A2A_REMOTE_FOREIGN);
	CHECK_INT(apply(&r, STATUS("t", "INPUT_REQUIRED")), A2A_REMOTE_CHANGED);
	CHECK_INT(apply(&r, STATUS("t", "WORKING")), A2A_REMOTE_CHANGED);
	CHECK_INT(apply(&r, STATUS("t", "COMPLETED")), A2A_REMOTE_CHANGED);
	CHECK_INT(apply(&r, STATUS("t", "WORKING")), A2A_REMOTE_SAME);
	CHECK_INT(apply(&r, STATUS("t", "FAILED")), A2A_REMOTE_SAME);
	CHECK_INT(r.state, A2A_STATE_COMPLETED);
	CHECK_STR(r.task_id, "t");
	a2a_remote_done(&r);
}

TEST(artifacts_come_in_pieces_and_a_task_has_all_of_them)
{
	struct a2a_remote r;

	a2a_remote_init(&r);
	apply(&r, "{\"artifactUpdate\":{\"taskId\":\"t\",\"artifact\":{\"artifactId\":\"a\","
	          "\"parts\":[{\"text\":\"one \"}]}}}");
	apply(&r, "{\"artifactUpdate\":{\"taskId\":\"t\",\"append\":true,\"artifact\":{"
	          "\"artifactId\":\"a\",\"parts\":[{\"text\":\"two\"},{\"url\":\"u\"}]}}}");
	CHECK_INT(r.artifact_count, 1);
	CHECK_INT(r.artifacts[0].count, 2);
	CHECK_STR(r.artifacts[0].parts[0].value, "one two");
	apply(&r, "{\"task\":{\"id\":\"t\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"},"
	          "\"artifacts\":[{\"artifactId\":\"b\",\"parts\":[{\"data\":{\"n\":1}}]}]}}");
	CHECK_INT(r.artifact_count, 1);
	CHECK_STR(r.artifacts[0].parts[0].value, "{\"n\":1}");
	CHECK_INT(apply(&r, "{\"artifactUpdate\":{\"taskId\":\"t\",\"artifact\":{\"artifactId\":"
	                    "\"late\",\"parts\":[{\"text\":\"x\"}]}}}"),
	          A2A_REMOTE_SAME);
	CHECK_INT(r.artifact_count, 1);
	a2a_remote_done(&r);
}

/* An agent that repeats or replaces an artifact without end costs a bounded amount of memory. */
TEST(floods_of_pieces_are_bounded)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct a2a_remote r;

	a2a_remote_init(&r);
	buf_add_c(&text, "{\"artifactUpdate\":{\"taskId\":\"t\",\"artifact\":{\"artifactId\":\"a\","
	                 "\"parts\":[{\"text\":\"");
	for (int i = 0; i < 500000; i++)
		buf_add_char(&text, 'x');
	buf_add_c(&text, "\"}]}}}");
	buf_add_char(&text, 0);
	for (int i = 0; i < 100; i++)
		apply(&r, text.ptr);
	CHECK(r.is_overflow);
	CHECK(arena_held(r.stock) < (size_t)64 << 20);
	a2a_remote_done(&r);
}

TEST(a_text_of_many_pieces_is_taken_whole)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct a2a_remote r;

	a2a_remote_init(&r);
	buf_add_c(&text, "{\"artifactUpdate\":{\"taskId\":\"t\",\"append\":true,\"artifact\":{"
	                 "\"artifactId\":\"a\",\"parts\":[{\"text\":\"");
	for (int i = 0; i < 1000; i++)
		buf_add_char(&text, 'x');
	buf_add_c(&text, "\"}]}}}");
	buf_add_char(&text, 0);
	for (int i = 0; i < 1000; i++)
		apply(&r, text.ptr);
	CHECK(!r.is_overflow);
	CHECK(r.artifact_count == 1 && r.artifacts[0].count == 1);
	CHECK(r.artifacts[0].parts[0].value.len == 1000000);
	CHECK(arena_held(r.stock) < (size_t)8 << 20);
	a2a_remote_done(&r);
}

static void on_item(void *arg, const struct sse_message *m)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_reply reply;
	struct str why;

	CHECK(a2a_reply_read(mem, A2A_BINDING_HTTP, A2A_ASK_STREAM, 200, m->data, &reply, &why));
	a2a_remote_apply(arg, &reply);
}

TEST(a_stream_gives_the_same_task_for_every_split)
{
	static const char stream[] =
		"data: {\"task\":{\"id\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":"
		"\"TASK_STATE_SUBMITTED\"}}}\r\n\r\n: ping\n\n"
		"data: {\"artifactUpdate\":{\"taskId\":\"t\",\"artifact\":{\"artifactId\":\"a\","
		"\"parts\":[{\"text\":\"caf\xc3\xa9\"}]}}}\n\n"
		"data: " STATUS("t", "COMPLETED") "\n\n";
	struct str all = str_of(stream, sizeof stream - 1);

	for (size_t cut = 0; cut <= all.len; cut++) {
		struct sse_parser p = { .max = 4096 };
		struct a2a_remote r;

		a2a_remote_init(&r);
		CHECK(sse_feed(&p, str_head(all, cut), on_item, &r));
		CHECK(sse_feed(&p, str_skip(all, cut), on_item, &r));
		CHECK_INT(r.state, A2A_STATE_COMPLETED);
		CHECK_STR(r.artifacts[0].parts[0].value, "caf\xc3\xa9");
		a2a_remote_done(&r);
		sse_parser_done(&p);
	}
}

TEST_MAIN()
