/* The server's side of MCP without a socket: messages, ids, arguments, the fold of a turn. */
#include "t.h"

#include "mcp_serve/mcp_serve_id.h"
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

TEST_MAIN()
