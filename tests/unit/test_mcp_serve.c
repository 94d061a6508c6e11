/* The server's side of MCP without a socket: messages, ids, arguments, the fold of a turn. */
#include "t.h"

#include "mcp_serve/mcp_serve_template.h"
#include "mcp_serve/mcp_serve_id.h"
#include "mcp_serve/mcp_serve_publish.h"
#include "mcp_serve/mcp_serve_reply.h"
#include "mcp_serve/mcp_serve_tool.h"

#define META                                                                                       \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"

static struct arena *mem;

static int code_of(const char *body, const struct mcp_serve_headers *h)
{
	struct mcp_serve_request r;

	return mcp_serve_request_read(mem, str_from(body), h, &r) ? 0 : (int)r.error.code;
}

TEST(a_message_is_read_in_either_revision)
{
	struct mcp_serve_headers h = { STR("2026-07-28"), STR("tools/list"), STR_NONE };
	struct mcp_serve_request r;

	mem = arena_new();
	CHECK(mcp_serve_request_read(
		mem,
		STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META
	            "}}"),
		&h, &r));
	CHECK(r.is_modern && r.method == MCP_SERVE_TOOLS_LIST && !r.wants_task);
	CHECK(mcp_serve_request_read(
		mem, STR("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/list\"}"), NULL,
		&r));
	CHECK(!r.is_modern && str_eq(r.version, STR("2025-11-25")));
	CHECK(mcp_serve_request_read(mem, STR("{\"jsonrpc\":\"2.0\",\"method\":\"any\"}"), NULL,
	                             &r));
	CHECK(r.method == MCP_SERVE_NOTIFICATION);
	h.method = STR("tools/call");
	CHECK_INT(
		code_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META
	                "}}",
	                &h),
		MCP_SERVE_HEADER_MISMATCH);
	CHECK_INT(code_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nope\"}", NULL),
	          MCP_SERVE_METHOD_NOT_FOUND);
	CHECK_INT(code_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}", NULL),
	          MCP_SERVE_METHOD_NOT_FOUND);
	CHECK_INT(code_of("{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"ping\"}", NULL),
	          MCP_SERVE_INVALID_REQUEST);
	CHECK_INT(code_of("", NULL), MCP_SERVE_PARSE_ERROR);
	arena_free(mem);
}

TEST(ids_are_read_back)
{
	struct mcp_serve_task_id id = { STR("sess_1"), STR("task_2"), STR("turn_3"), 17 }, got;
	struct str a, b;
	enum mcp_serve_uri kind;

	mem = arena_new();
	CHECK(mcp_serve_id_read_task(mcp_serve_id_task(mem, &id), &got));
	CHECK(str_eq(got.turn_id, id.turn_id) && got.first_sequence == 17);
	CHECK(!mcp_serve_id_read_task(STR("sess_1~task_2~turn_3"), &got));
	CHECK(!mcp_serve_id_read_task(STR("sess_1~task_2~turn_3~0"), &got));
	CHECK(!mcp_serve_id_read_task(STR("sess_1~task_2~turn_3~1~2"), &got));
	CHECK(mcp_serve_id_read_pair(STR("sess_1~thr_2"), &a, &b) && str_eq(b, STR("thr_2")));
	CHECK(!mcp_serve_id_read_pair(STR("sess_1~"), &a, &b));
	CHECK(mcp_serve_id_read_uri(STR("thole://sessions/sess_1"), &kind, &a, &b));
	CHECK(kind == MCP_SERVE_URI_SESSION && !str_is(b));
	CHECK(mcp_serve_id_read_uri(STR("thole://sessions/sess_1/outputs/out_2"), &kind, &a, &b));
	CHECK(kind == MCP_SERVE_URI_OUTPUT && str_eq(b, STR("out_2")));
	CHECK(!mcp_serve_id_read_uri(STR("thole://sessions/sess_1/outputs/out_2/x"), &kind, &a,
	                             &b));
	CHECK(!mcp_serve_id_read_uri(STR("file:///etc/passwd"), &kind, &a, &b));
	arena_free(mem);
}

TEST(tools_follow_the_rights)
{
	struct mcp_serve_rights reader = { .may_read = true }, none = { .may_write = true };
	struct mcp_serve_args args;
	enum mcp_serve_tool tool;
	struct str wrong;
	struct json given;

	mem = arena_new();
	CHECK(mcp_serve_tool_find(STR("read"), &reader, &tool) && tool == MCP_SERVE_READ);
	CHECK(!mcp_serve_tool_find(STR("run"), &reader, &tool));
	CHECK(!mcp_serve_tool_find(STR("decide"), &reader, &tool));
	CHECK(!mcp_serve_tool_find(STR("run"), &none, &tool));
	CHECK(json_read(mem, STR("{\"prompt\":\"x\",\"waitMs\":0}"), &given, NULL) == OK);
	CHECK(mcp_serve_tool_read(mem, MCP_SERVE_RUN, given, &args, &wrong) && args.wait_ms == 0);
	CHECK(!mcp_serve_tool_read(mem, MCP_SERVE_STOP, given, &args, &wrong));
	CHECK(json_read(mem, STR("{\"message\":\"x\"}"), &given, NULL) == OK);
	CHECK(!mcp_serve_tool_read(mem, MCP_SERVE_SEND, given, &args, &wrong));
	arena_free(mem);
}

static void feed(struct mcp_serve_turn *t, const char *type, const char *rest)
{
	struct json event;
	struct str text = arena_printf(
		mem,
		"{\"type\":\"%s\",\"turnId\":\"turn_1\",\"timestamp\":\"2026-01-01T00:00:00Z\",%s}",
		type, rest);

	CHECK(json_read(mem, text, &event, NULL) == OK);
	mcp_serve_turn_event(t, event);
}

TEST(a_turn_becomes_a_result)
{
	struct mcp_serve_turn t;

	mem = arena_new();
	mcp_serve_turn_init(&t, STR("sess_1"), STR("turn_1"), 4);
	feed(&t, "model.requested", "\"threadId\":\"thr_1\",\"taskId\":\"task_1\",\"payload\":{}");
	feed(&t, "model.delta", "\"payload\":{\"kind\":\"text\",\"text\":\"first\"}");
	feed(&t, "tool.started", "\"payload\":{\"toolName\":\"look\"}");
	CHECK(str_eq(t.doing, STR("runs the tool look")) && t.steps == 2);
	feed(&t, "action.required",
	     "\"actionId\":\"act_1\",\"payload\":{\"actionType\":\"structured_input\",\"prompt\":"
	     "\"?\",\"schema\":{}}");
	feed(&t, "action.required",
	     "\"actionId\":\"act_2\",\"payload\":{\"actionType\":\"tool_permission\",\"prompt\":\"!"
	     "\"}");
	CHECK(t.state == MCP_SERVE_WAITING && mcp_serve_turn_question(&t));
	feed(&t, "action.resolved", "\"actionId\":\"act_1\",\"payload\":{}");
	CHECK(t.state == MCP_SERVE_WAITING && !mcp_serve_turn_question(&t));
	feed(&t, "action.resolved", "\"actionId\":\"act_2\",\"payload\":{}");
	CHECK(t.state == MCP_SERVE_RUNNING);
	feed(&t, "model.requested", "\"payload\":{}");
	feed(&t, "model.delta", "\"payload\":{\"kind\":\"text\",\"text\":\"last\"}");
	feed(&t, "turn.completed", "\"payload\":{}");
	CHECK(t.state == MCP_SERVE_COMPLETED && str_eq(buf_str(&t.text), STR("last")));
	feed(&t, "turn.failed", "\"payload\":{}");
	CHECK(t.state == MCP_SERVE_COMPLETED);
	mcp_serve_turn_done(&t);
	arena_free(mem);
}

/* ---- published tools ---- */

static bool publishes(const char *setting, struct mcp_serve_publish *ret)
{
	struct error e;
	struct json v;

	CHECK(json_read(mem, str_from(setting), &v, NULL) == OK);
	return mcp_serve_publish_read(mem, v, ret, &e) == OK;
}

TEST(what_is_published_is_found_by_its_name)
{
	static const char *const wrong[] = { "{\"tools\":[\"run\"]}",
		                             "{\"tools\":[\"a\",\"a\"]}",
		                             "{\"tools\":[{\"tool\":\"a\"}]}",
		                             "{\"tools\":{\"a\":1}}",
		                             "{\"servers\":[7]}",
		                             "{\"servers\":[\"a\",\"a\"]}",
		                             "{\"tool\":[]}" };
	struct mcp_serve_publish p;
	struct json tools;

	mem = arena_new();
	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		CHECK(!publishes(wrong[i], &p) && !p.count);
	CHECK(publishes("{}", &p) && !p.count);
	CHECK(publishes("{\"tools\":[\"look\",{\"tool\":\"mcp__a__x\",\"as\":\"y\"}],"
	                "\"servers\":[\"b\"]}",
	                &p));
	CHECK(json_read(mem,
	                STR("[{\"toolName\":\"look\",\"runtimeOwner\":\"local\"},"
	                    "{\"toolName\":\"mcp__a__x\",\"nativeName\":\"x\","
	                    "\"runtimeOwner\":\"mcp:a\"},"
	                    "{\"toolName\":\"mcp__b__look\",\"nativeName\":\"look\","
	                    "\"runtimeOwner\":\"mcp:b\"},"
	                    "{\"toolName\":\"mcp__b__run\",\"nativeName\":\"run\","
	                    "\"runtimeOwner\":\"mcp:b\"},"
	                    "{\"toolName\":\"mcp__b__z\",\"nativeName\":\"z\","
	                    "\"runtimeOwner\":\"mcp:b\"},"
	                    "{\"toolName\":\"mcp__b__login\",\"nativeName\":\"login\","
	                    "\"runtimeOwner\":\"mcp:b\",\"isAdded\":true}]"),
	                &tools, NULL) == OK);
	CHECK(str_eq(mcp_serve_publish_find(&p, tools, STR("look")), STR("look")));
	CHECK(str_eq(mcp_serve_publish_find(&p, tools, STR("y")), STR("mcp__a__x")));
	CHECK(str_eq(mcp_serve_publish_find(&p, tools, STR("z")), STR("mcp__b__z")));
	CHECK(!str_is(mcp_serve_publish_find(&p, tools, STR("x"))));
	CHECK(!str_is(mcp_serve_publish_find(&p, tools, STR("run"))));
	CHECK(!str_is(mcp_serve_publish_find(&p, tools, STR("login"))));
	CHECK(!str_is(mcp_serve_publish_find(&p, tools, STR("mcp__b__z"))));
	arena_free(mem);
}

TEST(a_published_tool_asks_for_no_headers)
{
	struct mcp_serve_publish p;
	struct buf out = { 0 };
	struct json_writer w;
	struct json tools;

	mem = arena_new();
	CHECK(publishes("{\"tools\":[\"look\"]}", &p));
	CHECK(json_read(mem,
	                STR("[{\"toolName\":\"look\",\"description\":\"\",\"inputSchema\":{"
	                    "\"properties\":{\"a\":{\"enum\":[1,{}],\"x-mcp-header\":\"A\"},"
	                    "\"x-mcp-header\":{\"type\":\"string\"}}}}]"),
	                &tools, NULL) == OK);
	jw_init(&w, &out);
	jw_arr(&w);
	mcp_serve_publish_list(&p, tools, true, &w);
	jw_arr_end(&w);
	CHECK(str_find(buf_str(&out), STR("{\"properties\":{\"a\":{\"enum\":[1,{}]},"
	                                  "\"x-mcp-header\":{\"type\":\"string\"}}}")) > 0);
	buf_done(&out);
	arena_free(mem);
}

static struct str result_of(const struct mcp_serve_turn *t)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	jw_init(&w, &out);
	jw_obj(&w);
	mcp_serve_turn_write_result(t, &w);
	jw_obj_end(&w);
	text = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return text;
}

static void begin_call(struct mcp_serve_turn *t)
{
	mcp_serve_turn_init(t, STR("sess_1"), STR("turn_1"), 4);
	feed(t, "turn.submitted",
	     "\"threadId\":\"thr_1\",\"taskId\":\"task_1\",\"payload\":{\"kind\":\"call\"}");
	feed(t, "tool.started", "\"payload\":{\"toolName\":\"look\"}");
}

TEST(the_result_of_a_call_is_that_of_its_tool)
{
	struct mcp_serve_turn t;

	mem = arena_new();
	begin_call(&t);
	CHECK(t.is_call && !t.steps);
	CHECK(str_find(result_of(&t), STR("\"isError\":true")) > 0);
	feed(&t, "tool.progress",
	     "\"payload\":{\"kind\":\"progress\",\"completed\":5,\"total\":9}");
	CHECK(t.is_moving && t.progress == 5 && t.total == 9);
	feed(&t, "tool.result",
	     "\"payload\":{\"displayPreview\":\"short\",\"isError\":false,\"contentRef\":"
	     "\"out_1\",\"rawOutputRef\":\"out_2\",\"structuredContentRef\":\"out_3\"}");
	feed(&t, "turn.completed", "\"payload\":{}");
	CHECK(str_eq(mcp_serve_turn_next_ref(&t), STR("out_1")));
	mcp_serve_turn_take(&t, STR("[{\"type\":\"text\",\"text\":\"a\"}]"));
	CHECK(str_eq(mcp_serve_turn_next_ref(&t), STR("out_3")));
	mcp_serve_turn_take(&t, STR("{\"b\":1}"));
	CHECK(!str_is(mcp_serve_turn_next_ref(&t)));
	CHECK(str_eq(result_of(&t), STR("{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],"
	                                "\"structuredContent\":{\"b\":1},\"isError\":false}")));
	mcp_serve_turn_done(&t);

	/* What cannot be read leaves what the event has. */
	begin_call(&t);
	feed(&t, "tool.result", "\"payload\":{\"displayPreview\":\"short\",\"contentRef\":\"o\"}");
	feed(&t, "turn.completed", "\"payload\":{}");
	mcp_serve_turn_take(&t, STR("not json"));
	CHECK(str_find(result_of(&t), STR("\"text\":\"short\"")) > 0);
	mcp_serve_turn_done(&t);

	/* Bytes that are no text. */
	begin_call(&t);
	feed(&t, "tool.result", "\"payload\":{\"displayPreview\":\"\",\"rawOutputRef\":\"out_9\"}");
	feed(&t, "turn.completed", "\"payload\":{}");
	mcp_serve_turn_take(&t, str_of("\xff\xfe", 2));
	CHECK(str_find(result_of(&t), STR("\"blob\":\"//4=\"")) > 0);
	mcp_serve_turn_done(&t);

	begin_call(&t);
	feed(&t, "tool.failed",
	     "\"statusReason\":\"denied by a rule\",\"payload\":{\"category\":\"permission\","
	     "\"displayPreview\":\"\"}");
	feed(&t, "turn.failed", "\"payload\":{\"outcome\":\"failed\",\"category\":\"permission\"}");
	CHECK(str_find(result_of(&t), STR("denied by a rule")) > 0);
	mcp_serve_turn_done(&t);
	arena_free(mem);
}

static bool prefers(const char *uri, const char *template, const char *other)
{
	return mcp_serve_template_match(str_from(template), str_from(uri)) >
	       mcp_serve_template_match(str_from(other), str_from(uri));
}

TEST(a_template_describes_the_addresses_that_it_makes)
{
	static const char *const good[][2] = {
		{ "a://{id}", "a://7" },
		{ "a://{id}/data", "a://7/data" },
		{ "a://b", "a://b" },
		{ "a://{+path}", "a://b/c?d#e" },
		{ "{+all}", "a://b" },
		{ "a://x{/path}", "a://x/y/z" },
		{ "a://x{/path}", "a://x" },
		{ "a://x{?q,r}", "a://x?q=1&r=2" },
		{ "a://x{?q}", "a://x" },
		{ "a://{a}-{b}", "a://1-2-3" },
		{ "a://{a}/{b}/c", "a://1/2/c" },
	};
	static const char *const bad[][2] = {
		{ "a://{id}", "a://7/8" },          { "a://{id}", "a://" }, { "a://{id}", "b://7" },
		{ "a://{id}/data", "a://7" },       { "a://b", "a://bc" },  { "a://{id", "a://7" },
		{ "a://{id}/data", "a://7/datax" }, { "", "a://b" },        { "a://b{", "a://b{" },
	};
	struct buf many = { 0 }, any = { 0 };

	for (size_t i = 0; i < COUNT_OF(good); i++)
		CHECK(mcp_serve_template_match(str_from(good[i][0]), str_from(good[i][1])));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		CHECK(!mcp_serve_template_match(str_from(bad[i][0]), str_from(bad[i][1])));
	CHECK(prefers("a://b/c", "a://b/{x}", "a://{+x}") && prefers("a://b", "a://{x}", "{+all}"));
	for (int i = 0; i < 2048; i++)
		buf_add_char(&any, 'x');
	for (int i = 0; i < 17; i++)
		buf_add_c(&many, "{+a}");
	CHECK(mcp_serve_template_match(STR("{+a}{+b}{+c}"), buf_str(&any)) == 1);
	CHECK(!mcp_serve_template_match(buf_str(&many), buf_str(&any)));
	buf_add_char(&any, 'x');
	CHECK(!mcp_serve_template_match(STR("{+a}"), buf_str(&any)));
	buf_done(&many);
	buf_done(&any);
}

TEST(a_question_is_named_by_its_state)
{
	struct mcp_serve_question_id id = { .task = { STR("sess_1"), STR("task_2"), STR("turn_3"),
		                                      17 },
		                            .action_id = STR("act_4"),
		                            .key = STR("a~ key") },
				     got;
	struct mcp_serve_headers h = { STR("2025-11-25"), STR_NONE, STR_NONE, STR("canER-12ab") };
	struct mcp_serve_request r;
	struct str state;

	mem = arena_new();
	CHECK(mcp_serve_id_read_question(mem, mcp_serve_id_question(mem, &id), &got));
	CHECK(str_eq(got.action_id, STR("act_4")) && str_eq(got.task.turn_id, STR("turn_3")) &&
	      got.task.first_sequence == 17 && !got.is_keyed && str_eq(got.key, STR("a~ key")));
	id.is_keyed = true;
	id.key = STR("");
	CHECK(mcp_serve_id_read_question(mem, mcp_serve_id_question(mem, &id), &got));
	CHECK(got.is_keyed && str_eq(got.key, STR("")));
	state = mcp_serve_id_state(mem, &id, STR("a tool"));
	CHECK(mcp_serve_id_read_state(mem, state, STR("a tool"), &got));
	CHECK(got.is_keyed && got.task.first_sequence == 17);
	CHECK(!mcp_serve_id_read_state(mem, state, STR("another"), &got));
	CHECK(!mcp_serve_id_read_state(mem, mcp_serve_id_question(mem, &id), STR("a tool"), &got));
	CHECK(!mcp_serve_id_read_state(mem, STR("~"), STR("a tool"), &got));
	CHECK(!mcp_serve_id_read_state(mem, STR_NONE, STR("a tool"), &got));
	CHECK(!mcp_serve_id_read_question(mem, STR("act_4~form~sess_1~task_2~turn_3~17-x"), &got));
	CHECK(!mcp_serve_id_read_question(mem, STR("act_4~form6~sess_1~task_2~turn_3~17"), &got));
	CHECK(!mcp_serve_id_read_question(mem, STR("act_4~formxx~sess_1~task_2~turn_3~17"), &got));
	CHECK(!mcp_serve_id_read_question(mem, STR("act_4~other~sess_1~task_2~turn_3~17"), &got));
	CHECK(!mcp_serve_id_read_question(mem, STR("sess_1~task_2~turn_3~17"), &got));
	CHECK(!mcp_serve_id_read_question(mem, STR_NONE, &got));
	CHECK(mcp_serve_request_read(
		mem, STR("{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"action\":\"accept\"}}"),
		&h, &r));
	CHECK(r.method == MCP_SERVE_RESPONSE && json_is(r.result));
	CHECK_INT(code_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}", &h),
	          MCP_SERVE_INVALID_REQUEST);
	CHECK_INT(code_of("{\"jsonrpc\":\"2.0\",\"result\":{}}", &h), MCP_SERVE_INVALID_REQUEST);
	CHECK(mcp_serve_request_read(
		mem, STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"), &h, &r));
	CHECK(r.can.elicit && r.can.roots && !r.can.sample);
	arena_free(mem);
}

TEST_MAIN()
