/* The cached list of tools is sent as long as the list is the same, and no longer. */
#include "lib/t.h"

#include "provider/body_tools.h"

#define SCHEMA "{\"type\":\"object\"}"

static const struct dialect *const dialects[] = {
	&openai_chat_event_dialect,
	&openai_responses_event_dialect,
	&anthropic_event_dialect,
	&gemini_event_dialect,
	&ollama_dialect,
};

static struct buf body_of(const struct dialect *d, const struct body_options *o,
                          const struct tool_spec *tools, size_t count)
{
	struct message said = { .role = ROLE_USER, .text = STR("go") };
	struct model_request req = { .model = STR("m"),
		                     .messages = &said,
		                     .message_count = 1,
		                     .tools = tools,
		                     .tool_count = count };
	struct buf out = { 0 };
	struct error e;

	CHECK_INT(d->write(&req, o, &out, &e), OK);
	return out;
}

/* The body with a list that is kept is the body without one. */
static void check_same(const struct dialect *d, struct body_tools *kept,
                       const struct tool_spec *tools, size_t count)
{
	struct body_options plain = { 0 }, with = { .tools = kept };
	struct buf a = body_of(d, &plain, tools, count), b = body_of(d, &with, tools, count);

	CHECK(str_eq(buf_str(&a), buf_str(&b)));
	buf_done(&a);
	buf_done(&b);
}

TEST(every_change_of_the_list_is_sent)
{
	const struct tool_spec lists[][2] = {
		{ { STR("read"), STR("Reads."), STR(SCHEMA) },
		  { STR("write"), STR("W."), STR(SCHEMA) } },
		{ { STR("read"), STR("Reads!"), STR(SCHEMA) },
		  { STR("write"), STR("W."), STR(SCHEMA) } },
		{ { STR("rea"), STR("dReads!"), STR(SCHEMA) },
		  { STR("write"), STR("W."), STR(SCHEMA) } },
		{ { STR("read"), STR_NONE, STR(SCHEMA) },
		  { STR("write"), STR("W."), STR(SCHEMA) } },
		{ { STR("read"), STR(""), STR(SCHEMA) }, { STR("write"), STR("W."), STR(SCHEMA) } },
		{ { STR("read"), STR("Reads."), STR_NONE },
		  { STR("write"), STR("W."), STR(SCHEMA) } },
		{ { STR("write"), STR("W."), STR(SCHEMA) },
		  { STR("read"), STR("Reads."), STR(SCHEMA) } },
	};

	for (size_t i = 0; i < COUNT_OF(dialects); i++) {
		struct body_tools kept = { 0 };

		for (size_t n = 0; n < COUNT_OF(lists); n++) {
			check_same(dialects[i], &kept, lists[n], 2);
			check_same(dialects[i], &kept, lists[n], 2);
			check_same(dialects[i], &kept, lists[n], 1);
			check_same(dialects[i], &kept, lists[n], 0);
			check_same(dialects[i], &kept, lists[n], 2);
		}
		body_tools_done(&kept);
	}
}

TEST(a_list_with_a_wrong_schema_is_refused_every_time)
{
	const struct tool_spec good = { STR("read"), STR("Reads."), STR(SCHEMA) };
	const struct tool_spec bad = { STR("read"), STR("Reads."), STR("[") };
	struct body_tools kept = { 0 };
	struct body_options with = { .tools = &kept };
	struct model_request req = { .model = STR("m"), .tools = &bad, .tool_count = 1 };
	struct error e;

	check_same(&openai_chat_event_dialect, &kept, &good, 1);
	for (int i = 0; i < 3; i++) {
		struct buf out = { 0 };

		CHECK_INT(openai_chat_event_dialect.write(&req, &with, &out, &e), ERR_INVALID);
		buf_done(&out);
	}
	check_same(&openai_chat_event_dialect, &kept, &good, 1);
	body_tools_done(&kept);
}

TEST_MAIN()
