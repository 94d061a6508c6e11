#include "mcp/mcp_http_message.h"
#include "t.h"

/* ---- the request ---- */

static struct json read_json(struct arena *mem, const char *text)
{
	struct json v = { NULL };
	struct error e;

	CHECK(json_read(mem, str_from(text), &v, &e) == OK);
	return v;
}

static struct str value_of(const struct http_client_header *at, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(at[i].name, str_from(name)))
			return at[i].value;
	return STR_NONE;
}

#define CALL_2026                                                                                  \
	"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"sql\","    \
	"\"arguments\":{\"region\":\"us\",\"deep\":{\"n\":-7,\"on\":true,\"none\":null}},"         \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}\n"
#define SCHEMA                                                                                     \
	"{\"type\":\"object\",\"properties\":{"                                                    \
	"\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"                            \
	"\"gone\":{\"type\":\"string\",\"x-mcp-header\":\"Gone\"},"                                \
	"\"deep\":{\"type\":\"object\",\"properties\":{"                                           \
	"\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"},"                                     \
	"\"none\":{\"type\":\"string\",\"x-mcp-header\":\"None\"},"                                \
	"\"on\":{\"type\":\"boolean\",\"x-mcp-header\":\"On\"}}}}}"

TEST(the_headers_of_the_newer_revision_come_from_the_body)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct http_client_header at[MCP_HTTP_HEADERS_MAX];
	struct mcp_http_context c = { .version = STR("2025-11-25"), .session = STR("s") };
	struct mcp_http_line line;
	size_t count;

	mcp_http_message_read_line(mem, STR(CALL_2026), &line);
	CHECK(line.id == 7 && !line.cancelled);
	count = mcp_http_message_headers(mem, &c, &line, read_json(mem, SCHEMA), at);
	CHECK(str_eq(value_of(at, count, "MCP-Protocol-Version"), STR("2026-07-28")));
	CHECK(str_eq(value_of(at, count, "Mcp-Method"), STR("tools/call")));
	CHECK(str_eq(value_of(at, count, "Mcp-Name"), STR("sql")));
	CHECK(str_eq(value_of(at, count, "Mcp-Param-Region"), STR("us")));
	CHECK(str_eq(value_of(at, count, "Mcp-Param-N"), STR("-7")));
	CHECK(str_eq(value_of(at, count, "Mcp-Param-On"), STR("true")));
	CHECK(!str_is(value_of(at, count, "Mcp-Param-Gone")));
	CHECK(!str_is(value_of(at, count, "Mcp-Param-None")));
	CHECK(!str_is(value_of(at, count, "Mcp-Session-Id")));
	CHECK(str_find(value_of(at, count, "Accept"), STR("text/event-stream")) > 0);
}

TEST(the_headers_of_the_older_revision_name_session_and_version)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct http_client_header at[MCP_HTTP_HEADERS_MAX];
	struct mcp_http_context c = { .version = STR("2025-06-18"),
		                      .session = STR("s"),
		                      .last_event_id = STR("e-9"),
		                      .is_get = true };
	struct mcp_http_line line = { .id = 0 };
	size_t count = mcp_http_message_headers(mem, &c, &line, (struct json){ NULL }, at);

	CHECK(count == 4);
	CHECK(str_eq(value_of(at, count, "Accept"), STR("text/event-stream")));
	CHECK(str_eq(value_of(at, count, "MCP-Protocol-Version"), STR("2025-06-18")));
	CHECK(str_eq(value_of(at, count, "Mcp-Session-Id"), STR("s")));
	CHECK(str_eq(value_of(at, count, "Last-Event-ID"), STR("e-9")));
}

TEST(a_cancellation_names_its_request)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct mcp_http_line line;

	mcp_http_message_read_line(
		mem,
		STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	            "\"params\":{\"requestId\":12,\"reason\":\"r\"}}\n"),
		&line);
	CHECK(!line.id && line.cancelled == 12);
	mcp_http_message_read_line(mem, STR("no JSON"), &line);
	CHECK(!str_is(line.method) && !line.id);
}

/* spec: 2026-07-28, transports, Value Encoding: the examples of the page. */
TEST(values_that_a_header_cannot_carry_are_encoded)
{
	static const char *const pairs[][2] = {
		{ "us-west1", "us-west1" },
		{ "Hello, \xe4\xb8\x96\xe7\x95\x8c", "=?base64?SGVsbG8sIOS4lueVjA==?=" },
		{ " padded ", "=?base64?IHBhZGRlZCA=?=" },
		{ "line1\nline2", "=?base64?bGluZTEKbGluZTI=?=" },
		{ "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=" },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		CHECK(str_eq(mcp_http_message_value(mem, str_from(pairs[i][0])),
		             str_from(pairs[i][1])));
}

TEST(annotations_must_be_tokens_of_primitive_parameters)
{
	static const struct {
		const char *schema;
		bool is_valid;
	} cases[] = {
		{ SCHEMA, true },
		{ "{\"type\":\"object\"}", true },
		{ "{\"properties\":{\"x-mcp-header\":{\"type\":\"string\"}}}", true },
		{ "{\"properties\":{\"a\":{\"enum\":[{\"x-mcp-header\":\"A\"}]}}}", true },
		{ "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}}}", false },
		{ "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"a b\"}}}",
		  false },
		{ "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"a\\n\"}}}",
		  false },
		{ "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":7}}}", false },
		{ "{\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}", false },
		{ "{\"properties\":{\"a\":{\"type\":\"object\",\"x-mcp-header\":\"A\"}}}", false },
		{ "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},"
		  "\"b\":{\"type\":\"string\",\"x-mcp-header\":\"a\"}}}",
		  false },
		{ "{\"x-mcp-header\":\"A\"}", false },
		{ "{\"properties\":{\"a\":{\"items\":{\"x-mcp-header\":\"A\"}}}}", false },
		{ "{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"string\","
		  "\"x-mcp-header\":\"A\"}}}]}",
		  false },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct error e = { 0 };
		enum err code = mcp_http_message_check_schema(read_json(mem, cases[i].schema), &e);

		if ((code == OK) != cases[i].is_valid)
			fprintf(stderr, "%s: %s\n", cases[i].schema, e.message);
		CHECK((code == OK) == cases[i].is_valid);
	}
}

TEST(configured_headers_are_lines_that_the_transport_does_not_use)
{
	CHECK(mcp_http_message_is_header_name(STR("Authorization")));
	CHECK(!mcp_http_message_is_header_name(STR("")));
	CHECK(!mcp_http_message_is_header_name(STR("a b")));
	CHECK(!mcp_http_message_is_header_name(STR("Content-Length")));
	CHECK(!mcp_http_message_is_header_name(STR("HOST")));
	CHECK(!mcp_http_message_is_header_name(STR("mcp-session-id")));
	CHECK(mcp_http_message_is_header_value(STR("Bearer x\ty")));
	CHECK(!mcp_http_message_is_header_value(STR("a\r\nB: c")));
	CHECK(!mcp_http_message_is_header_value(STR("a\0b")));
	CHECK(mcp_http_message_is_session(STR("0-9a~")));
	CHECK(!mcp_http_message_is_session(STR("a b")));
	CHECK(!mcp_http_message_is_session(STR("")));
}

/* ---- the response ---- */

static void on_line(void *arg, struct str line)
{
	CHECK(line.len && line.ptr[line.len - 1] == '\n');
	CHECK(str_find_char(line, '\n') == (ptrdiff_t)line.len - 1);
	buf_add_str(arg, line);
}

/* The lines of a response that comes in pieces of this size, and the last event id. */
static void check_response(const char *type, struct str text, size_t piece, const char *lines,
                           const char *event_id)
{
	struct mcp_http_reader r = { .max = 1000 };
	struct buf seen = { 0 };

	mcp_http_message_begin(&r, str_from(type));
	while (text.len) {
		CHECK(mcp_http_message_feed(&r, str_head(text, MIN(piece, text.len)), on_line,
		                            &seen));
		text = str_skip(text, MIN(piece, text.len));
	}
	mcp_http_message_end(&r, on_line, &seen);
	CHECK(str_eq(buf_str(&seen), str_from(lines)));
	CHECK(str_eq(mcp_http_message_event_id(&r), str_from(event_id)));
	mcp_http_message_done(&r);
	buf_done(&seen);
}

TEST(a_response_gives_the_same_lines_however_it_is_cut)
{
	static const char events[] = "\xef\xbb\xbfid: 1\ndata:\n\n: keepalive\r\n\r\nretry: 70\n"
				     "id: 2\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\n"
				     "event: other\ndata: {}\n\nevent: message\ndata: {\"b\":2}\n\n"
				     "data: {\"cut";
	static const char json[] = " {\n \"a\":\r\n 1}\n";

	for (size_t piece = 1; piece < sizeof events; piece++)
		check_response("text/event-stream; charset=utf-8", str_from(events), piece,
		               "{\"a\": 1}\n{\"b\":2}\n", "2");
	for (size_t piece = 1; piece < sizeof json; piece++)
		check_response("application/json", str_from(json), piece, "{  \"a\":   1}\n", NULL);
	check_response("application/json", STR(""), 1, "", NULL);
}

TEST(an_event_id_that_no_header_can_carry_is_none)
{
	check_response("Text/Event-Stream", STR("id: a b\ndata: 1\n\n"), 3, "1\n", NULL);
}

TEST(a_message_is_bounded)
{
	static const char *const types[] = { "application/json", "text/event-stream" };

	for (size_t i = 0; i < COUNT_OF(types); i++) {
		struct mcp_http_reader r = { .max = 100 };
		struct buf seen = { 0 };
		bool is_fine = true;

		mcp_http_message_begin(&r, str_from(types[i]));
		for (int n = 0; n < 200 && is_fine; n++)
			is_fine = mcp_http_message_feed(&r, STR("data: x"), on_line, &seen);
		CHECK(!is_fine && !seen.len);
		CHECK(!mcp_http_message_feed(&r, STR("\n\n"), on_line, &seen));
		mcp_http_message_end(&r, on_line, &seen);
		CHECK(!seen.len);
		mcp_http_message_done(&r);
	}
}

static void check_refusal(int status, const char *body, const char *line)
{
	struct buf out = { 0 };

	mcp_http_message_write_refusal(&out, 3, status, str_from(body));
	if (!str_eq(buf_str(&out), str_from(line)))
		fprintf(stderr, "%.*s", STR_ARG(buf_str(&out)));
	CHECK(str_eq(buf_str(&out), str_from(line)));
	buf_done(&out);
}

TEST(an_error_status_becomes_an_answer_to_the_request)
{
	check_refusal(400,
	              "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32022,"
	              "\"message\":\"m\",\"data\":{\"supported\":[\"x\"]}}}",
	              "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32022,\"message\":\"m\","
	              "\"data\":{\"supported\":[\"x\"]}}}\n");
	check_refusal(400,
	              "id: 1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"error\":"
	              "{\"code\":-32021,\"message\":\"m\"}}\n",
	              "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32021,\"message\":"
	              "\"m\"}}\n");
	check_refusal(400, "data: x\n\n",
	              "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32000,"
	              "\"message\":\"it answered with HTTP 400: data: x\"}}\n");
	check_refusal(500, " a \"page\"\n",
	              "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32000,"
	              "\"message\":\"it answered with HTTP 500: a \\\"page\\\"\"}}\n");
	check_refusal(404, "",
	              "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32000,"
	              "\"message\":\"it answered with HTTP 404\"}}\n");
}

TEST(only_some_refusals_mean_the_older_revision)
{
	static const int older[] = { 400, 404, 405, 406, 415 };
	static const int neither[] = { 200, 301, 307, 401, 403, 408, 429, 500, 503 };

	for (size_t i = 0; i < COUNT_OF(older); i++)
		CHECK(mcp_http_message_means_older(older[i]));
	for (size_t i = 0; i < COUNT_OF(neither); i++)
		CHECK(!mcp_http_message_means_older(neither[i]));
}
TEST_MAIN()
