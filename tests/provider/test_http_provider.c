/* Providers of every dialect against tests/provider/simulator.py. */
#include "fixture.h"

#include "provider/http_config.h"

static const struct spoken {
	const struct dialect *dialect;
	const char *base;   /* behind the behaviour */
	bool has_fragments; /* of tool calls */
	bool has_thoughts;  /* that must come back */
} spoken[] = {
	{ &openai_chat_event_dialect, "/v1", true, false },
	{ &anthropic_event_dialect, "/v1", true, true },
	{ &openai_responses_event_dialect, "/v1", true, true },
	{ &ollama_dialect, "", false, false },
	{ &gemini_event_dialect, "/v1beta", false, true },
	{ &bedrock_event_dialect, "", true, true },
};
#define EACH_DIALECT(d) for (const struct spoken *d = spoken; d < spoken + COUNT_OF(spoken); d++)

static struct server sim;
static const struct spoken *now = spoken; /* the dialect that open_at() speaks */
static char script[1024];

static const char *source_root(void)
{
	const char *root = getenv("THOLE_SOURCE");

	return root ? root : ".";
}

/* One simulator for all tests. */
static void need_simulator(void)
{
	if (sim.port)
		return;
	snprintf(script, sizeof script, "%s/tests/provider/simulator.py", source_root());

	char *argv[] = { "python3", script, NULL };

	CHECK(server_start(&sim, argv, "port "));
}

__attribute__((destructor)) static void stop_simulator(void)
{
	if (sim.port)
		server_stop(&sim);
}

static void open_at(struct fixture *r, const char *behaviour, const struct http_provider_options *o)
{
	struct http_provider_options with = o ? *o : (struct http_provider_options){ 0 };
	char url[256];

	need_simulator();
	fixture_close_provider(r);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/%s%s", sim.port, behaviour, now->base);
	with.dialect = now->dialect;
	fixture_open(r, url, &with);
}

static void ask(struct fixture *r, struct seen *s, const char *behaviour,
                const struct http_provider_options *o)
{
	open_at(r, behaviour, o);
	fixture_start(r, s, NULL);
	UNTIL(r, s->ends);
}

/* ---- good answers ---- */

#define HELLO "Hello from the simulator, \xe2\x82\xacuro."

static void check_text(struct fixture *r, const char *way, bool has_usage)
{
	/* A busy machine may pause between two pieces; only these ways wait for the limit. */
	bool stalls = strstr(way, "stall") || strstr(way, "open-after");
	struct http_provider_options o = { .stall_ms = stalls ? 1000 : 30000 };
	bool is_apart = now->dialect == &openai_chat_event_dialect ||
	                now->dialect == &bedrock_event_dialect;
	struct seen s = { 0 };

	ask(r, &s, way, &o);
	if (s.end.failed)
		t_fail(__FILE__, __LINE__, "%.*s %s: %.*s", STR_ARG(now->dialect->word), way,
		       STR_ARG(s.end.message));
	CHECK_STR(buf_str(&s.text), HELLO);
	CHECK_INT(s.pieces, 5);
	CHECK_INT(s.end.stop, STOP_REASON_END_TURN);
	CHECK_INT(s.end.http_status, 200);
	/* only these have it in a separate event */
	CHECK_INT(s.end.usage.known, has_usage || !is_apart);
	if (s.end.usage.known) {
		CHECK_INT(s.end.usage.input, 19);
		CHECK_INT(s.end.usage.output, 10);
	}
	CHECK_HAS(s.end.raw, "\"x-request-id\":\"req_sim\"");
	CHECK_STR(s.end.provider_request_id, "req_sim");
	seen_done(&s);
}

TEST(text_comes_in_pieces_and_ends_with_its_usage)
{
	static const char *const ways[] = {
		"text",    "bytes",    "one-write",       "unknown",          "open-after-done",
		"no-done", "no-usage", "close-delimited", "cut-after-finish", "stall-after-finish"
	};
	struct fixture r = { 0 };

	EACH_DIALECT(d)
	{
		now = d;
		for (size_t i = 0; i < COUNT_OF(ways); i++)
			check_text(&r, ways[i], i < 6 || i == 7);
		if (d->dialect->framing == FRAMING_SSE)
			check_text(&r, "comments", true);
	}
	now = spoken;
	fixture_close(&r);
}

TEST(limits_of_the_provider_come_with_the_end)
{
	struct fixture r = { 0 };

	EACH_DIALECT(d)
	{
		struct seen s = { 0 };

		now = d;
		ask(&r, &s, "limits", NULL);
		CHECK(!s.end.failed);
		if (s.end.limit_count) {
			CHECK_STR(s.limits[0].kind, "requests");
			CHECK_INT(s.limits[0].limit, 60);
			CHECK_INT(s.limits[0].remaining, 0);
			CHECK_INT(s.limits[0].reset_ms, 60000);
		}
		seen_done(&s);
	}
	now = spoken;
	fixture_close(&r);
}

static void check_tools(struct fixture *r)
{
	struct seen s = { 0 }, t = { 0 };
	struct tool_spec tools[] = { { STR("get_time"), STR("The time."),
		                       STR("{\"type\":\"object\"}") },
		                     { STR("get_place"), STR("A place."), STR_NONE } };
	struct message messages[4] = { { .role = ROLE_USER, .text = STR("when and where?") } };
	struct model_request req = { .request_id = STR("mreq_1"),
		                     .model = STR("sim-1"),
		                     .messages = messages,
		                     .message_count = 1,
		                     .tools = tools,
		                     .tool_count = 2 };

	open_at(r, "tools", NULL);
	fixture_start(r, &s, &req);
	UNTIL(r, s.ends);
	CHECK(!s.end.failed);
	CHECK_INT(s.end.stop, STOP_REASON_TOOL_USE);
	CHECK_INT(s.end.call_count, 2);
	CHECK(s.calls[0].call_id.len && !str_eq(s.calls[0].call_id, s.calls[1].call_id));
	CHECK_STR(s.calls[0].name, "get_time");
	CHECK_SAME(s.calls[0].args,
	           now->has_fragments ? STR("{\"zone\": \"UTC\"}") : STR("{\"zone\":\"UTC\"}"));
	CHECK_STR(s.calls[1].name, "get_place");
	CHECK_STR(s.calls[1].args, "{}");

	messages[1] = (struct message){ .role = ROLE_ASSISTANT, .calls = s.calls, .call_count = 2 };
	messages[2] = (struct message){ .role = ROLE_TOOL,
		                        .call_id = s.calls[0].call_id,
		                        .text = STR("noon") };
	messages[3] = (struct message){ .role = ROLE_TOOL,
		                        .call_id = s.calls[1].call_id,
		                        .text = STR("here") };
	req.message_count = 4;
	fixture_start(r, &t, &req);
	UNTIL(r, t.ends);
	CHECK_STR(buf_str(&t.text), "noon and here");
	seen_done(&s);
	seen_done(&t);
}

TEST(a_round_of_tools_goes_there_and_back)
{
	struct fixture r = { 0 };

	EACH_DIALECT(d)
	{
		now = d;
		check_tools(&r);
	}
	now = spoken;
	fixture_close(&r);
}

/* The state as it came, lost, or of another model. */
static void check_thoughts(struct fixture *r, bool is_kept, struct str model)
{
	struct seen s = { 0 }, t = { 0 };
	struct message messages[3] = { { .role = ROLE_USER, .text = STR("when?") } };
	struct model_request req = { .request_id = STR("mreq_1"),
		                     .model = STR("sim-1"),
		                     .messages = messages,
		                     .message_count = 1 };

	open_at(r, "remember", NULL);
	fixture_start(r, &s, &req);
	UNTIL(r, s.ends);
	CHECK_INT(s.end.call_count, 1);
	CHECK_INT(str_is(s.end.state), now->has_thoughts);
	messages[1] = (struct message){ .role = ROLE_ASSISTANT,
		                        .text = buf_str(&s.text),
		                        .calls = s.calls,
		                        .call_count = 1,
		                        .state = is_kept ? s.end.state : STR_NONE };
	messages[2] = (struct message){ .role = ROLE_TOOL,
		                        .call_id = s.calls[0].call_id,
		                        .text = STR("noon") };
	req.message_count = 3;
	req.model = model;
	if ((now->dialect == &gemini_event_dialect || now->dialect == &bedrock_event_dialect) &&
	    !str_eq(model, STR("sim-1")))
		goto out; /* its model is part of the path */
	fixture_start(r, &t, &req);
	UNTIL(r, t.ends);
	CHECK_SAME(buf_str(&t.text), (is_kept && str_eq(model, STR("sim-1"))) || !now->has_thoughts
	                                     ? STR("unchanged")
	                                     : STR("changed"));
out:
	seen_done(&s);
	seen_done(&t);
}

TEST(thoughts_go_back_unchanged_to_the_model_that_had_them)
{
	struct fixture r = { 0 };

	EACH_DIALECT(d)
	{
		now = d;
		check_thoughts(&r, true, STR("sim-1"));
		check_thoughts(&r, false, STR("sim-1"));
		check_thoughts(&r, true, STR("sim-2"));
	}
	now = spoken;
	fixture_close(&r);
}

static void check_others(struct fixture *r)
{
	struct seen s = { 0 };

	ask(r, &s, "reasoning", NULL);
	CHECK_STR(buf_str(&s.reasoning), "Hm. Yes.");
	CHECK_STR(buf_str(&s.text), "42");
	seen_done(&s);
	ask(r, &s, "whole", NULL);
	CHECK_STR(buf_str(&s.text), "Not streamed.");
	CHECK(s.end.usage.known);
	seen_done(&s);
	ask(r, &s, "refusal", NULL);
	CHECK_STR(buf_str(&s.text), "I will not.");
	CHECK(!s.end.failed);
	if (now->dialect->framing != FRAMING_LINES) /* Ollama has no word for it */
		CHECK_INT(s.end.stop, STOP_REASON_REFUSAL);
	seen_done(&s);
	ask(r, &s, "length", NULL);
	CHECK_INT(s.end.stop, now->has_fragments ? STOP_REASON_MAX_TOKENS : s.end.stop);
	CHECK_INT(s.end.call_count, now->has_fragments ? 0 : s.end.call_count);
	seen_done(&s);
	ask(r, &s, "content-filter", NULL);
	if (now->dialect->framing != FRAMING_LINES)
		CHECK_INT(s.end.stop, STOP_REASON_REFUSAL);
	seen_done(&s);
	if (now->has_fragments) {
		ask(r, &s, "bad-args", NULL);
		CHECK_INT(s.end.call_count, 1);
		CHECK_STR(s.calls[0].args, "{oops");
		seen_done(&s);
	}
}

TEST(other_good_answers_are_understood)
{
	struct fixture r = { 0 };

	EACH_DIALECT(d)
	{
		now = d;
		check_others(&r);
	}
	now = spoken;
	fixture_close(&r);
}

/* ---- requests ---- */

static size_t journal_head(void *owner, struct str bytes)
{
	buf_add_str(owner, bytes);
	return bytes.len;
}
static void journal_start(void *owner, const struct http_client_head *h)
{
	CHECK_INT(h->status, 200);
	buf_clear(owner);
}
static void journal_end(void *owner, const struct http_client_end *e)
{
	CHECK_INT(e->result, HTTP_CLIENT_OK);
	buf_add_char(owner, '\n');
}

/* The last request that the simulator was sent. */
static struct json last_request(struct fixture *r, struct arena *mem)
{
	static const struct http_client_sink sink = { journal_start, journal_head, journal_end };
	CLEANUP(buf_done) struct buf in = { 0 };
	char url[128];
	struct json doc;
	struct error e;

	snprintf(url, sizeof url, "http://127.0.0.1:%d/__sim/journal", sim.port);
	http_client_send(r->http_client, &(struct http_client_request){ .url = str_from(url) },
	                 &sink, &in);
	UNTIL(r, in.len && in.ptr[in.len - 1] == '\n');
	CHECK_OK(json_read(mem, buf_str(&in), &doc, &e), &e);
	return json_at(doc, json_count(doc) - 1);
}

TEST(key_trace_and_ids_go_out_with_the_request)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	static const struct http_client_header extra = { STR("OpenAI-Project"), STR("proj_1") };
	struct fixture r = { 0 };
	struct seen s = { 0 };
	struct http_provider_options o = { .headers = &extra, .header_count = 1 };

	ask(&r, &s, "text", &o);
	seen_done(&s);

	struct json sent = last_request(&r, mem), headers = JSON_GET(sent, "headers");

	CHECK_STR(json_str(JSON_GET(sent, "path")), "/text/v1/chat/completions");
	CHECK_STR(json_str(JSON_GET(headers, "authorization")), "Bearer " KEY);
	CHECK_STR(json_str(JSON_GET(headers, "content-type")), "application/json");
	CHECK_STR(json_str(JSON_GET(headers, "x-client-request-id")), "mreq_7");
	CHECK_STR(json_str(JSON_GET(headers, "openai-project")), "proj_1");
	CHECK_STR(json_str(JSON_GET(headers, "traceparent")),
	          "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
	CHECK_STR(json_str(JSON_GET(JSON_GET(sent, "body"), "model")), "sim-1");
	fixture_close(&r);
}

TEST(a_key_may_have_a_header_of_its_own_and_a_url_a_query)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct fixture r = { 0 };
	struct seen s = { 0 };
	struct http_provider_options o = { .key_header = STR("api-key") };
	char url[128];

	need_simulator();
	snprintf(url, sizeof url, "http://127.0.0.1:%d/text/v1/?api-version=1", sim.port);
	fixture_open(&r, url, &o);
	fixture_start(&r, &s, NULL);
	UNTIL(&r, s.ends);
	CHECK(!s.end.failed);
	seen_done(&s);

	struct json sent = last_request(&r, mem), headers = JSON_GET(sent, "headers");

	CHECK_STR(json_str(JSON_GET(sent, "path")), "/text/v1/chat/completions?api-version=1");
	CHECK_STR(json_str(JSON_GET(headers, "api-key")), KEY);
	CHECK(!json_is(JSON_GET(headers, "authorization")));
	fixture_close(&r);
}

TEST(a_long_conversation_goes_out_whole)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct fixture r = { 0 };
	struct message m = { .role = ROLE_USER };
	struct model_request req = { .model = STR("sim-1"), .messages = &m, .message_count = 1 };

	while (text.len < 3000000)
		buf_add_c(&text, "All work and no play. ");
	open_at(&r, "count", NULL);
	for (size_t len = 1; len < text.len; len = len * 9 + 1) {
		struct seen s = { 0 };

		m.text = str_head(buf_str(&text), len);
		fixture_start(&r, &s, &req);
		UNTIL(&r, s.ends);
		CHECK(!s.end.failed);
		CHECK_INT(atoll(arena_keep(s.mem, buf_str(&s.text)).ptr), (long long)len);
		seen_done(&s);
	}
	fixture_close(&r);
}

/* ---- trouble ---- */

static const struct trouble {
	const char *behaviour, *category, *message;
	int status;
	bool retryable;
	int64_t after;
	int64_t first_byte_ms, stall_ms, total_ms;
	const char *text; /* that came before */
} troubles[] = {
	{ "silent", "timeout", "sim: no answer within 60 ms", 0, true, -1, .first_byte_ms = 60 },
	{ "head-only", "timeout", "sim: no answer within 400 ms", 200, true, -1,
	  .first_byte_ms = 400 },
	{ "stall", "timeout", "sim: the answer stalled: nothing for 1000 ms", 200, true, -1,
	  .stall_ms = 1000, .text = "Hello from " },
	{ "stall", "timeout", "sim: the answer was not whole after 400 ms", 200, true, -1,
	  .total_ms = 400, .text = "Hello from " },
	{ "nothing", "network", "sim: Empty reply from server", 0, true, -1 },
	{ "cut", "network", "sim: the connection broke after", 200, true, -1,
	  .text = "Hello from " },
	{ "cut-in-event", "network", "sim: the connection broke after", 200, true, -1,
	  .text = "Hello " },
	{ "cut-in-call", "network", "sim: the connection broke after", 200, true, -1 },
	{ "cut-clean", "network", "sim: the stream ended before the answer was whole", 200, true,
	  -1, .text = "Hello from " },
	{ "reset", "network", "sim: the connection broke after", 200, true, -1 },
	{ "lies-about-length", "network", "sim: the connection broke after", 200, true, -1,
	  .text = "Hello from " },
	{ "noise", "protocol", "sim: what answers there does not speak HTTP", 0, false, -1 },
	{ "rate-limited", "rate_limited", "Rate limit reached for sim-1.", 429, true, 2000 },
	{ "rate-limited-ms", "rate_limited", "Slow down.", 429, true, 150 },
	{ "rate-limited-reset", "rate_limited", "Slow down.", 429, true, 360000 },
	{ "rate-limited-bare", "rate_limited", "Slow down.", 429, true, -1 },
	{ "quota", "quota", "You exceeded your current quota", 429, false, -1 },
	{ "context", "context_length", "This model's maximum", 400, false, -1 },
	{ "error=400", "invalid_request", "simulated 400", 400, false, -1 },
	{ "error=401", "auth", "simulated 401", 401, false, -1 },
	{ "error=403", "auth", "simulated 403", 403, false, -1 },
	{ "error=404", "invalid_request", "simulated 404", 404, false, -1 },
	{ "error=422", "invalid_request", "simulated 422", 422, false, -1 },
	{ "error=500", "server_error", "simulated 500", 500, true, -1 },
	{ "error=502", "server_error", "simulated 502", 502, true, -1 },
	{ "error=503", "overloaded", "simulated 503", 503, true, -1 },
	{ "error=529", "overloaded", "simulated 529", 529, true, -1 },
	{ "should-not-retry", "server_error", "Broken for good.", 500, false, -1 },
	{ "error-event", "server_error", "The server had an error.", 200, true, -1,
	  .text = "Hello from " },
	{ "overloaded-event", "overloaded", "Busy.", 200, true, -1, .text = "Hello " },
	{ "numbered-event", "overloaded", "Busy.", 200, true, -1, .text = "Hello " },
	{ "garbage", "protocol", "sim: an event of the stream is not JSON", 200, true, -1,
	  .text = "Hello " },
	{ "html", "protocol", "sim answers with text/html", 200, false, -1 },
	{ "redirect", "protocol", "sim answers with a redirect (307)", 307, false, -1 },
	{ "huge-line", "protocol", "sim: a line of the stream is longer", 200, false, -1 },
	{ "endless-text", "protocol", "sim: the answer has more text", 200, false, -1 },
	{ "huge-args", "protocol", "sim: the arguments of a tool call", 200, false, -1 },
	{ "no-such-thing", "invalid_request", "no such path", 404, false, -1 },
};

static void check_trouble(struct fixture *r, const struct trouble *t)
{
	struct http_provider_options o = { .first_byte_ms = t->first_byte_ms,
		                           .stall_ms = t->stall_ms,
		                           .total_ms = t->total_ms };
	struct seen s = { 0 };

	ask(r, &s, t->behaviour, &o);
	if (!s.end.failed || !str_eq(error_category_word(s.end.category), str_from(t->category)) ||
	    !str_starts(s.end.message, str_from(t->message)) || s.end.retryable != t->retryable ||
	    s.end.http_status != t->status || s.end.retry_after_ms != t->after)
		t_fail(__FILE__, __LINE__, "%.*s %s: %d %.*s%s after %lld (%.*s)",
		       STR_ARG(now->dialect->word), t->behaviour, (int)s.end.http_status,
		       STR_ARG(error_category_word(s.end.category)),
		       s.end.retryable ? " retryable" : "", (long long)s.end.retry_after_ms,
		       STR_ARG(s.end.message));
	CHECK_INT(s.end.call_count, 0);
	if (t->text)
		CHECK_SAME(buf_str(&s.text), str_from(t->text));
	CHECK(str_is(s.end.raw) == (t->status != 0));
	seen_done(&s);
}

/* Some need frames, words or headers that a dialect does not have. */
static bool is_sent_by(const struct spoken *d, const char *behaviour)
{
	if (d->dialect == &openai_chat_event_dialect)
		return true;
	if (!strcmp(behaviour, "rate-limited-reset") || !strcmp(behaviour, "numbered-event"))
		return false;
	if (d->dialect == &ollama_dialect &&
	    (!strcmp(behaviour, "quota") || !strcmp(behaviour, "overloaded-event")))
		return false;
	if (d->dialect->framing == FRAMING_MESSAGES &&
	    (!strcmp(behaviour, "quota") || !strcmp(behaviour, "huge-line") ||
	     !strcmp(behaviour, "garbage")))
		return false; /* test_bedrock.c has damaged and too long messages */
	return d->has_fragments || strcmp(behaviour, "huge-args");
}

TEST(every_trouble_has_its_category_and_its_sentence)
{
	struct fixture r = { 0 };

	EACH_DIALECT(d)
	{
		now = d;
		for (size_t i = 0; i < COUNT_OF(troubles); i++)
			if (is_sent_by(d, troubles[i].behaviour))
				check_trouble(&r, &troubles[i]);
	}
	now = spoken;
	fixture_close(&r);
}

TEST(a_refused_connection_is_a_network_failure)
{
	struct fixture r = { 0 };
	struct seen s = { 0 };

	fixture_open(&r, "http://127.0.0.1:1/v1", NULL);
	fixture_start(&r, &s, NULL);
	UNTIL(&r, s.ends);
	CHECK(s.end.failed && s.end.retryable && s.end.http_status == 0);
	CHECK(s.end.category == ERROR_CATEGORY_NETWORK);
	CHECK_HAS(s.end.message, "127.0.0.1");
	CHECK(!str_is(s.end.raw));
	seen_done(&s);
	fixture_close(&r);
}

TEST(a_second_attempt_may_do_what_the_first_could_not)
{
	struct fixture r = { 0 };
	char path[64];

	snprintf(path, sizeof path, "flaky=3-%d", getpid());
	open_at(&r, path, NULL);
	for (int i = 0; i < 4; i++) {
		struct seen s = { 0 };

		fixture_start(&r, &s, NULL);
		UNTIL(&r, s.ends);
		CHECK_INT(s.end.failed, i < 3);
		CHECK_INT(s.end.retryable, i < 3);
		seen_done(&s);
	}
	fixture_close(&r);
}

/* ---- keys ---- */

TEST(a_key_that_the_server_quotes_does_not_come_through)
{
	struct fixture r = { 0 };
	struct seen s = { 0 };

	EACH_DIALECT(d)
	{
		now = d;
		ask(&r, &s, "echo-key", NULL);
		CHECK(s.end.category == ERROR_CATEGORY_AUTH);
		CHECK_STR(s.end.message, "Incorrect API key provided: [key].");
		CHECK(str_find(s.end.raw, STR(KEY)) < 0);
		CHECK_HAS(s.end.raw, "[key]");
		seen_done(&s);
	}
	now = spoken;
	fixture_close(&r);
}

TEST(a_missing_key_is_said_and_looked_for_again)
{
	struct fixture r = { 0 };
	struct seen s = { 0 };
	struct http_provider_options o = { .key_variable = STR("THOLE_TEST_NO_KEY") };
	const struct model_info *models;
	int64_t begun = clock_mono_ms();

	open_at(&r, "text", &o);
	CHECK_INT(r.provider->ops->models(r.provider, &models), 1);
	CHECK(!models[0].has_credential);
	CHECK_STR(models[0].provider, "sim");
	fixture_start(&r, &s, NULL);
	UNTIL(&r, s.ends);
	CHECK(s.end.category == ERROR_CATEGORY_AUTH);
	CHECK_STR(s.end.message,
	          "sim: there is no key; set THOLE_TEST_NO_KEY or run: thole auth add sim");
	CHECK(!s.end.retryable && clock_mono_ms() - begun < 1000);
	seen_done(&s);

	setenv("THOLE_TEST_NO_KEY", "sk-late", 1);
	CHECK_INT(r.provider->ops->models(r.provider, &models), 1);
	CHECK(models[0].has_credential);
	fixture_start(&r, &s, NULL);
	UNTIL(&r, s.ends);
	CHECK(!s.end.failed);
	unsetenv("THOLE_TEST_NO_KEY");
	seen_done(&s);

	o.needs_no_key = true;
	open_at(&r, "text", &o);
	r.provider->ops->models(r.provider, &models);
	CHECK(models[0].has_credential);
	fixture_start(&r, &s, NULL);
	UNTIL(&r, s.ends);
	CHECK(!s.end.failed);
	seen_done(&s);
	fixture_close(&r);
}

TEST(a_request_that_cannot_be_written_ends_on_the_next_turn)
{
	struct fixture r = { 0 };
	struct seen s = { 0 }, t = { 0 };
	struct model_request req = { .model = STR("m"), .output_schema = STR("nonsense") };

	open_at(&r, "text", NULL);
	fixture_start(&r, &s, &req);
	r.provider->ops->pause(r.provider, s.h);
	s.is_paused = true;
	fixture_start(&r, &t, &req);
	UNTIL(&r, t.ends);
	CHECK_INT(s.ends, 0);
	s.is_paused = false;
	r.provider->ops->resume(r.provider, s.h);
	CHECK_INT(s.ends, 0);
	UNTIL(&r, s.ends);
	CHECK(s.end.category == ERROR_CATEGORY_INVALID_REQUEST);
	seen_done(&s);
	seen_done(&t);
	fixture_start(&r, &s, &req);
	r.provider->ops->cancel(r.provider, s.h);
	loop_run_once(r.loop, 0);
	CHECK_INT(s.ends, 0);
	fixture_close(&r);
}

/* ---- pause, cancel, close ---- */

TEST(a_paused_stream_waits_with_what_it_has)
{
	static const char *const ways[] = { "text", "one-write", "whole", "no-done" };
	struct fixture r = { 0 };

	for (size_t w = 0; w < COUNT_OF(ways); w++)
		for (int at = 1; at <= 5; at++) {
			struct seen s = { .pause_at = at };
			int pieces = w == 2 ? 1 : 5;

			open_at(&r, ways[w], NULL);
			fixture_start(&r, &s, NULL);
			UNTIL(&r, s.pieces == MIN(at, pieces));
			for (int i = 0; i < 5; i++)
				loop_run_once(r.loop, 5);
			if (at <= pieces) {
				CHECK(s.is_paused && s.pieces == at && !s.ends);
				s.is_paused = false;
				r.provider->ops->resume(r.provider, s.h);
				CHECK(s.pieces == at && !s.ends);
			}
			UNTIL(&r, s.ends);
			CHECK(!s.end.failed && s.pieces == pieces);
			seen_done(&s);
		}
	fixture_close(&r);
}

TEST(a_cancelled_stream_is_silent)
{
	struct fixture r = { 0 };

	for (int at = 0; at <= 5; at++) {
		struct seen s = { .cancel_at = at }, last = { 0 };

		open_at(&r, "one-write", NULL);
		fixture_start(&r, &s, NULL);
		if (!at)
			r.provider->ops->cancel(r.provider, s.h);
		fixture_start(&r, &last, NULL);
		UNTIL(&r, last.ends && s.pieces == at);
		CHECK_INT(s.ends, 0);
		seen_done(&s);
		seen_done(&last);
	}
	fixture_close(&r);
}

TEST(a_provider_may_be_closed_in_the_middle_of_a_piece)
{
	struct fixture r = { 0 };
	struct seen s = { .close_at = 2 }, other = { 0 };

	open_at(&r, "one-write", NULL);
	fixture_start(&r, &s, NULL);
	fixture_start(&r, &other, NULL);
	UNTIL(&r, s.pieces == 2);
	r.provider = NULL; /* it is gone */
	for (int i = 0; i < 5; i++)
		loop_run_once(r.loop, 5);
	CHECK_INT(s.pieces, 2);
	CHECK_INT(s.ends, 0);
	if (!other.ends) /* then it went with the provider */
		CHECK(other.pieces < 5);
	seen_done(&s);
	seen_done(&other);
	fixture_close(&r);
}

TEST(many_streams_at_once_do_not_mix)
{
	enum { MANY = 100 };
	static struct seen s[MANY];
	struct fixture r = { 0 };
	int ends = 0;

	open_at(&r, "bytes", NULL);
	for (int i = 0; i < MANY; i++)
		fixture_start(&r, &s[i], NULL);
	for (int64_t until = clock_mono_ms() + PATIENCE_MS; ends < MANY;) {
		CHECK(clock_mono_ms() < until);
		loop_run_once(r.loop, 50);
		ends = 0;
		for (int i = 0; i < MANY; i++)
			ends += s[i].ends;
	}
	for (int i = 0; i < MANY; i++) {
		CHECK_STR(buf_str(&s[i].text), HELLO);
		seen_done(&s[i]);
	}
	fixture_close(&r);
}

/* ---- TLS ---- */

static bool make_certificate(const char *dir)
{
	char command[1024];

	snprintf(command, sizeof command,
	         "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
	         "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout %s/key.pem "
	         "-out %s/cert.pem >/dev/null 2>&1",
	         dir, dir);
	return system(command) == 0;
}

TEST(certificates_are_verified)
{
	char dir[] = "/tmp/thole-tls-XXXXXX", cert[64], key[64], url[64];
	struct server tls = { 0 };
	struct fixture r = { 0 };
	struct seen s = { 0 };

	CHECK(mkdtemp(dir));
	snprintf(cert, sizeof cert, "%s/cert.pem", dir);
	snprintf(key, sizeof key, "%s/key.pem", dir);
	need_simulator();
	if (!make_certificate(dir)) {
		rmdir(dir);
		skip(); /* there is no openssl here */
	}

	char *argv[] = { "python3", script, "--cert", cert, "--key", key, NULL };

	CHECK(server_start(&tls, argv, "port "));
	snprintf(url, sizeof url, "https://127.0.0.1:%d/text/v1", tls.port);

	/* unknown to the system */
	fixture_open(&r, url, NULL);
	fixture_start(&r, &s, NULL);
	UNTIL(&r, s.ends);
	CHECK(s.end.failed && !s.end.retryable);
	CHECK(s.end.category == ERROR_CATEGORY_NETWORK);
	CHECK_HAS(s.end.message, "certificate");
	seen_done(&s);
	fixture_close(&r);

	/* known to us */
	r.loop = loop_new();
	r.http_client = http_client_new(
		&(struct http_client_options){ .loop = r.loop, .ca_file = str_from(cert) });
	fixture_open(&r, url, NULL);
	fixture_start(&r, &s, NULL);
	UNTIL(&r, s.ends);
	CHECK(!s.end.failed);
	CHECK_STR(buf_str(&s.text), HELLO);
	seen_done(&s);

	/* by another name */
	fixture_close_provider(&r);
	snprintf(url, sizeof url, "https://127.0.0.2:%d/text/v1", tls.port);
	fixture_open(&r, url, NULL);
	fixture_start(&r, &s, NULL);
	UNTIL(&r, s.ends);
	CHECK(s.end.failed);
	seen_done(&s);
	fixture_close(&r);
	server_stop(&tls);
	unlink(cert);
	unlink(key);
	rmdir(dir);
}

/* ---- settings ---- */

static enum err open_config(struct fixture *r, const char *name, const char *text, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json doc;
	struct http_provider_options o = { .loop = r->loop, .http_client = r->http_client };

	CHECK_OK(json_read_config(mem, str_from(text), &doc, e), e);

	enum err err = http_config_apply(mem, str_from(name), doc, &o, e);

	return err ? err : http_provider_open(&o, &r->provider, e);
}

TEST(a_provider_comes_from_its_settings)
{
	struct fixture r = { .loop = loop_new() };
	struct seen s = { 0 };
	struct error e;
	const struct model_info *m;
	char text[1024];

	need_simulator();
	r.http_client = http_client_new(&(struct http_client_options){ .loop = r.loop });
	setenv("THOLE_TEST_KEY", KEY, 1);
	snprintf(text, sizeof text,
	         "{\"baseUrl\": \"http://127.0.0.1:%d/text/v1\", \"keyEnv\": \"THOLE_TEST_KEY\","
	         "\"headers\": {\"X-Team\": \"a\"}, \"timeouts\": {\"connectMs\": 5000},"
	         "\"models\": [{\"model\": \"sim-1\", \"capabilities\": [\"tool_use\", \"vision\"],"
	         "\"windowTokens\": 128000, \"maxOutputTokens\": 4096, \"price\": "
	         "{\"inputPerMTok\": 2.5,"
	         "\"cachedInputPerMTok\": 1.25, \"cacheWritePerMTok\": 3.75,"
	         "\"outputPerMTok\": 10, \"effectiveFrom\": "
	         "\"2026-01-01\"}}, \"sim-2\"]}",
	         sim.port);
	CHECK_OK(open_config(&r, "acme", text, &e), &e);
	CHECK_STR(r.provider->ops->name, "acme");
	CHECK_INT(r.provider->ops->models(r.provider, &m), 2);
	CHECK_STR(m[0].provider, "acme");
	CHECK_STR(m[0].model, "sim-1");
	CHECK_STR(m[0].capabilities, "[\"tool_use\",\"vision\"]");
	CHECK(m[0].price_count == 1 && m[0].has_credential);
	CHECK_INT(m[0].prices->input, 2500000000);
	CHECK_INT(m[0].prices->cached_input, 1250000000);
	CHECK_INT(m[0].prices->cache_write, 3750000000);
	CHECK_INT(m[0].prices->output, 10000000000);
	CHECK_INT(m[0].window_tokens, 128000);
	CHECK_STR(m[1].model, "sim-2");
	CHECK(!m[1].price_count);
	fixture_start(&r, &s, NULL);
	UNTIL(&r, s.ends);
	CHECK(!s.end.failed);
	seen_done(&s);
	fixture_close(&r);
}

TEST(well_known_servers_need_only_their_models)
{
	struct fixture r = { .loop = loop_new() };
	struct error e;
	const struct model_info *m;

	r.http_client = http_client_new(&(struct http_client_options){ .loop = r.loop });
	unsetenv("OPENAI_API_KEY");
	CHECK_OK(open_config(&r, "openai", "{\"models\": [\"gpt-x\"]}", &e), &e);
	CHECK_INT(r.provider->ops->models(r.provider, &m), 1);
	CHECK(!m[0].has_credential);
	fixture_close_provider(&r);
	CHECK_OK(open_config(&r, "ollama", "{\"models\": [\"qwen3\"]}", &e), &e);
	CHECK_INT(r.provider->ops->models(r.provider, &m), 1);
	CHECK(m[0].has_credential);
	fixture_close(&r);
}

TEST(bad_settings_are_named)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "{}", "providers.acme.baseUrl is missing" },
		{ "[]", "providers.acme is not an object" },
		{ "{\"baseUrl\": 7}", "providers.acme.baseUrl is not a string" },
		{ "{\"baseUrl\": \"ftp://x\"}",
		  "the base URL of acme does not begin with http:// or https://" },
		{ "{\"baseUrl\": \"http://x\", \"colour\": 1}",
		  "providers.acme.colour is not known" },
		{ "{\"baseUrl\": \"http://x\", \"models\": [7]}",
		  "providers.acme.models[0] is neither a name nor an object" },
		{ "{\"baseUrl\": \"http://x\", \"models\": [{}]}",
		  "providers.acme.models[0].model is missing" },
		{ "{\"baseUrl\": \"http://x\", \"models\": [{\"model\": \"a\", \"price\": "
		  "{\"inputPerMTok\": -1, "
		  "\"outputPerMTok\": 1}}]}",
		  "providers.acme.models[0].price.inputPerMTok is not a price" },
		{ "{\"baseUrl\": \"http://x\", \"dialect\": \"klingon\"}",
		  "providers.acme.dialect is not known; there are compatible, openai, responses, "
		  "anthropic, gemini, ollama, bedrock, vertex" },
		{ "{\"baseUrl\": \"http://x\", \"key\": \"sk-1\"}",
		  "providers.acme.key: keys do not belong into settings; set keyEnv or run: thole "
		  "auth "
		  "add acme" },
		{ "{\"baseUrl\": \"http://x\", \"extraBody\": 3}",
		  "providers.acme.extraBody is not an object" },
	};
	struct fixture r = { .loop = loop_new() };
	struct error e;

	r.http_client = http_client_new(&(struct http_client_options){ .loop = r.loop });
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		CHECK(open_config(&r, "acme", rows[i].text, &e) == ERR_INVALID);
		CHECK_SAME(str_from(e.message), str_from(rows[i].message));
	}
	fixture_close(&r);
}

TEST_MAIN()
