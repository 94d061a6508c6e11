/*
 * Every dialect against @copilotkit/aimock, an independent implementation:
 * errors that we and our own simulator share show here.  Skipped where it is not
 * installed; npm ci in tests/provider installs it.
 */
#include "fixture.h"

static struct server mock;

static const struct spoken {
	const struct dialect *dialect;
	const char *base;
} spoken[] = {
	{ &openai_chat_event_dialect, "/v1" },      { &anthropic_event_dialect, "/v1" },
	{ &openai_responses_event_dialect, "/v1" }, { &ollama_dialect, "" },
	{ &gemini_event_dialect, "/v1beta" },
};
static const struct spoken *now = spoken; /* the dialect that open_mock() speaks */
#define EACH_DIALECT                                                                               \
	for (now = spoken; now < spoken + COUNT_OF(spoken) || (now = spoken, false); now++)

/* False where it cannot run. */
static bool have_mock(void)
{
	static char program[1024], fixtures[1024];
	const char *root = getenv("THOLE_SOURCE");

	if (mock.port)
		return true;
	snprintf(program, sizeof program, "%s/tests/provider/node_modules/.bin/llmock",
	         root ? root : ".");
	snprintf(fixtures, sizeof fixtures, "%s/tests/provider/aimock.json", root ? root : ".");
	if (access(program, X_OK) != 0)
		return false;

	char *argv[] = { program, "-p", "0", "-f", fixtures, "--strict", "-c", "7", NULL };

	return server_start(&mock, argv, "listening on http://127.0.0.1:");
}

__attribute__((destructor)) static void stop_mock(void)
{
	if (mock.port)
		server_stop(&mock);
}

static void open_mock(struct fixture *r)
{
	char url[64];

	if (!have_mock())
		skip();
	fixture_close_provider(r);
	snprintf(url, sizeof url, "http://127.0.0.1:%d%s", mock.port, now->base);
	fixture_open(r, url, &(struct http_provider_options){ .dialect = now->dialect });
}

static void ask(struct fixture *r, struct seen *s, const char *text)
{
	struct message m = { .role = ROLE_USER, .text = str_from(text) };
	struct model_request req = { .request_id = STR("mreq_1"),
		                     .model = STR("gpt-x"),
		                     .messages = &m,
		                     .message_count = 1,
		                     .max_output_tokens = 100 };

	fixture_start(r, s, &req);
	UNTIL(r, s->ends);
}

static void say(struct str what)
{
	t_fail(__FILE__, __LINE__, "%.*s: %.*s", STR_ARG(now->dialect->word), STR_ARG(what));
}

TEST(text_comes_with_its_usage)
{
	struct fixture r = { 0 };

	EACH_DIALECT
	{
		struct seen s = { 0 };

		open_mock(&r);
		ask(&r, &s, "hello");
		if (s.end.failed)
			say(s.end.message);
		CHECK_STR(buf_str(&s.text),
		          "Hello from aimock, €uro and 😀, in more than one piece.");
		CHECK(s.pieces > 3);
		CHECK_INT(s.end.stop, STOP_REASON_END_TURN);
		/* It counts for one dialect; the zeros that it sends for the others are no count. */
		CHECK_INT(s.end.usage.known, now->dialect == &openai_chat_event_dialect);
		seen_done(&s);
		ask(&r, &s, "think");
		/* It has another name for Ollama's thoughts than Ollama has. */
		if (now->dialect != &ollama_dialect)
			CHECK_STR(buf_str(&s.reasoning), "Let me see.");
		CHECK_STR(buf_str(&s.text), "Done.");
		seen_done(&s);
	}
	fixture_close(&r);
}

TEST(a_round_of_tools_goes_there_and_back)
{
	struct fixture r = { 0 };
	struct tool_spec tools[] = { { STR("get_weather"), STR("Weather."),
		                       STR("{\"type\":\"object\"}") },
		                     { STR("get_time"), STR("Time."), STR_NONE } };

	EACH_DIALECT
	{
		struct seen s = { 0 }, t = { 0 };
		struct message m[4] = { { .role = ROLE_USER, .text = STR("weather") } };
		struct model_request req = { .request_id = STR("mreq_1"),
			                     .model = STR("gpt-x"),
			                     .messages = m,
			                     .message_count = 1,
			                     .tools = tools,
			                     .tool_count = 2 };

		open_mock(&r);
		fixture_start(&r, &s, &req);
		UNTIL(&r, s.ends);
		if (s.end.failed)
			say(s.end.message);
		CHECK_INT(s.end.stop, STOP_REASON_TOOL_USE);
		CHECK_INT(s.end.call_count, 2);
		CHECK_STR(s.calls[0].args, "{\"city\":\"Bern\"}");
		CHECK_STR(s.calls[1].name, "get_time");
		m[1] = (struct message){ .role = ROLE_ASSISTANT,
			                 .calls = s.calls,
			                 .call_count = 2,
			                 .state = s.end.state };
		m[2] = (struct message){ .role = ROLE_TOOL,
			                 .call_id = s.calls[0].call_id,
			                 .text = STR("sun") };
		m[3] = (struct message){ .role = ROLE_TOOL,
			                 .call_id = s.calls[1].call_id,
			                 .text = STR("12") };
		req.message_count = 4;
		fixture_start(&r, &t, &req);
		UNTIL(&r, t.ends);
		if (t.end.failed)
			say(t.end.message);
		CHECK_STR(buf_str(&t.text), "Sunny at noon.");
		seen_done(&s);
		seen_done(&t);
	}
	fixture_close(&r);
}

TEST(a_schema_is_asked_for)
{
	struct fixture r = { 0 };
	struct seen s = { 0 };
	struct message m = { .role = ROLE_USER, .text = STR("structured") };
	struct model_request req = { .model = STR("gpt-x"),
		                     .messages = &m,
		                     .message_count = 1,
		                     .output_schema = STR("{\"type\":\"object\"}") };

	open_mock(&r);
	fixture_start(&r, &s, &req);
	UNTIL(&r, s.ends);
	CHECK_STR(buf_str(&s.text), "{\"answer\":42}");
	seen_done(&s);
	fixture_close(&r);
}

TEST(trouble_has_its_category)
{
	static const struct {
		const char *text, *category;
		int status;
		bool retryable;
	} rows[] = {
		{ "limit", "rate_limited", 429, true }, { "overload", "overloaded", 529, true },
		{ "crash", "server_error", 500, true }, { "cut", "network", 200, true },
		{ "broken", "protocol", 200, true },    { "gone", "network", 0, true },
	};
	struct fixture r = { 0 };

	EACH_DIALECT
	{
		open_mock(&r);
		for (size_t i = 0; i < COUNT_OF(rows); i++) {
			struct seen s = { 0 };

			ask(&r, &s, rows[i].text);
			if (!s.end.failed ||
			    !str_eq(error_category_word(s.end.category),
			            str_from(rows[i].category)) ||
			    s.end.http_status != rows[i].status ||
			    s.end.retryable != rows[i].retryable)
				t_fail(__FILE__, __LINE__, "%.*s %s: %d %.*s (%.*s)",
				       STR_ARG(now->dialect->word), rows[i].text,
				       (int)s.end.http_status,
				       STR_ARG(error_category_word(s.end.category)),
				       STR_ARG(s.end.message));
			if (s.end.http_status == 429)
				CHECK(s.end.retry_after_ms >= 0);
			seen_done(&s);
		}
	}
	fixture_close(&r);
}

TEST_MAIN()
