#include "base/gen/limits.h"
#include "mcp/offer/mcp_sampling.h"
#include "t.h"

static const struct mcp_sampling settings = {
	.is_on = true, .asks = true, .budget_usd = 100000000, .max_tokens = 500
};

/* What is read of a request, in one line; or the reason why it is not. */
static struct str read_line(struct arena *mem, const char *text)
{
	struct sampling_request r;
	struct error e = { 0 };
	struct str stops = STR_NONE, line;
	struct json v;

	CHECK(json_read(mem, str_from(text), &v, NULL) == OK);
	if (mcp_sampling_read(mem, &settings, v, &r, &stops, &e) != OK)
		return arena_printf(mem, "%s", e.message);
	line = arena_printf(mem, "%lld %.*s", (long long)r.max_tokens,
	                    STR_ARG(str_is(r.system) ? r.system : STR("-")));
	for (size_t i = 0; i < r.part_count; i++)
		line = arena_printf(
			mem, "%.*s|%s:%.*s", STR_ARG(line), r.parts[i].is_assistant ? "a" : "u",
			STR_ARG(str_is(r.parts[i].text) ? r.parts[i].text : r.parts[i].media_type));
	return line;
}

static void check_read(const char *text, const char *line)
{
	struct arena *mem = arena_new();
	struct str got = read_line(mem, text);

	if (!str_eq(got, str_from(line)))
		fprintf(stderr, "%.*s\n", STR_ARG(got));
	CHECK(str_eq(got, str_from(line)));
	arena_free(mem);
}

#define TEXT(role, words)                                                                          \
	"{\"role\":\"" role "\",\"content\":{\"type\":\"text\",\"text\":\"" words "\"}}"
#define MESSAGES(list, more) "{\"messages\":[" list "]" more "}"

TEST(messages_of_one_role_are_joined_and_roles_kept)
{
	check_read(MESSAGES(TEXT("user", "a"), ",\"maxTokens\":10"), "10 -|u:a");
	check_read(MESSAGES(TEXT("user", "a") "," TEXT("user", "b") "," TEXT(
				    "assistant", "c") "," TEXT("user", "d"),
	                    ",\"maxTokens\":10,\"systemPrompt\":\"s\""),
	           "10 s|u:a\n\nb|a:c|u:d");
	check_read(MESSAGES("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
	                    "{\"type\":\"image\",\"data\":\"eA==\",\"mimeType\":\"image/png\"}]}",
	                    ""),
	           "500 -|u:image/png|u:a");
	check_read(MESSAGES("{\"role\":\"user\",\"content\":{\"type\":\"image\",\"data\":\"eA==\","
	                    "\"mimeType\":\"image/png\"}}",
	                    ""),
	           "500 -|u:image/png|u:(no text)");
}

TEST(the_settings_bound_the_tokens)
{
	check_read(MESSAGES(TEXT("user", "a"), ",\"maxTokens\":501"), "500 -|u:a");
	check_read(MESSAGES(TEXT("user", "a"), ",\"maxTokens\":1e300"), "500 -|u:a");
	check_read(MESSAGES(TEXT("user", "a"), ",\"maxTokens\":1.5"), "1 -|u:a");
	check_read(MESSAGES(TEXT("user", "a"), ",\"maxTokens\":0"),
	           "maxTokens is not a number above 0");
	check_read(MESSAGES(TEXT("user", "a"), ",\"maxTokens\":\"many\""),
	           "maxTokens is not a number above 0");
	check_read(MESSAGES(TEXT("user", "a"), ",\"maxTokens\":-1"),
	           "maxTokens is not a number above 0");
}

TEST(what_a_model_cannot_be_asked_is_refused)
{
	check_read("[]", "its params are not an object");
	check_read("{}", "it has no messages");
	check_read(MESSAGES("", ""), "it has no messages");
	check_read(MESSAGES(TEXT("assistant", "a"), ""), "its first message is not of the user");
	check_read(MESSAGES(TEXT("system", "a"), ""), "message 1 is of no role that exists");
	check_read(MESSAGES("7", ""), "message 1 is of no role that exists");
	check_read(MESSAGES(TEXT("user", "a"), ",\"tools\":[]"),
	           "this client offers no tools to the model");
	check_read(MESSAGES(TEXT("user", "a"), ",\"toolChoice\":{}"),
	           "this client offers no tools to the model");
	check_read(MESSAGES(TEXT("user", "a"), ",\"systemPrompt\":[]"),
	           "its systemPrompt is not a text");
	check_read(MESSAGES(TEXT("user", "a"), ",\"stopSequences\":[\"\"]"),
	           "a stop sequence has 1 to 256 bytes");
	check_read(MESSAGES(TEXT("user", "a") ",{\"role\":\"assistant\",\"content\":{\"type\":"
	                                      "\"image\",\"data\":\"eA==\",\"mimeType\":"
	                                      "\"image/png\"}}",
	                    ""),
	           "message 2 has something else than text, and images of the user");
	check_read(MESSAGES(TEXT("user", "a"), ",\"includeContext\":\"allServers\","
	                                       "\"temperature\":2,\"modelPreferences\":{}"),
	           "500 -|u:a");
}

TEST(a_request_of_many_bytes_or_parts_is_refused)
{
	struct arena *mem = arena_new();
	struct buf text = { 0 };

	buf_add_c(&text,
	          "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"");
	for (int i = 0; i < LIMIT_SAMPLING_BYTES; i++)
		buf_add_char(&text, 'x');
	buf_add_c(&text, "\"}}]}");
	CHECK(str_starts(read_line(mem, arena_keep(mem, buf_str(&text)).ptr), STR("it is longer")));
	buf_clear(&text);
	buf_add_c(&text, "{\"messages\":[");
	for (int i = 0; i < LIMIT_SAMPLING_PARTS + 1; i++)
		buf_printf(&text, "%s" TEXT("user", "a"), i ? "," : "");
	buf_add_c(&text, "]}");
	CHECK(str_starts(read_line(mem, arena_keep(mem, buf_str(&text)).ptr), STR("it has more")));
	buf_done(&text);
	arena_free(mem);
}

static void check_written(const char *answer, const char *stops, const char *line)
{
	struct buf out = { 0 };

	mcp_sampling_write(&out, str_from(answer), stops ? str_from(stops) : STR_NONE);
	if (!str_eq(buf_str(&out), str_from(line)))
		fprintf(stderr, "%.*s\n", STR_ARG(buf_str(&out)));
	CHECK(str_eq(buf_str(&out), str_from(line)));
	buf_done(&out);
}

TEST(an_answer_ends_before_the_first_stop_sequence)
{
	const char *answer =
		"{\"text\":\"one two three\",\"model\":\"m\",\"stopReason\":\"endTurn\"}";

	check_written(answer, NULL,
	              "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":"
	              "\"one two three\"},\"model\":\"m\",\"stopReason\":\"endTurn\"}");
	check_written(answer, "[\"three\",\"two\",\"four\"]",
	              "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":"
	              "\"one \"},\"model\":\"m\",\"stopReason\":\"stopSequence\"}");
}

static void check_setting(const char *text, const char *why)
{
	struct arena *mem = arena_new();
	struct mcp_sampling s;
	struct error e = { 0 };
	struct json v;

	CHECK(json_read(mem, str_from(text), &v, NULL) == OK);
	CHECK((mcp_sampling_settings(mem, v, &s, &e) == OK) == !why);
	CHECK(!why || str_find(str_from(e.message), str_from(why)) >= 0);
	arena_free(mem);
}

TEST(settings_have_small_defaults_and_bounds)
{
	struct arena *mem = arena_new();
	struct mcp_sampling s;
	struct json v;

	CHECK(json_read(mem, STR("{\"permission\":\"ask\"}"), &v, NULL) == OK);
	CHECK(mcp_sampling_settings(mem, v, &s, NULL) == OK);
	CHECK(s.is_on && s.asks && s.budget_usd == 100000000 && s.max_tokens == 2000);
	arena_free(mem);
	check_setting("{\"permission\":\"allow\",\"budget_usd\":0.5,\"model\":\"m\"}", NULL);
	check_setting("true", "is an object");
	check_setting("{}", "permission");
	check_setting("{\"permission\":\"yes\"}", "ask or allow");
	check_setting("{\"permission\":\"ask\",\"budget_usd\":0}", "above 0");
	check_setting("{\"permission\":\"ask\",\"budget_usd\":1001}", "at most");
	check_setting("{\"permission\":\"ask\",\"max_tokens\":0}", "from 1 to");
	check_setting("{\"permission\":\"ask\",\"model\":\"\"}", "sampling has");
	check_setting("{\"permission\":\"ask\",\"other\":1}", "sampling has");
}
TEST_MAIN()
