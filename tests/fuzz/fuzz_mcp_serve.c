/*
 * An MCP client that sends arbitrary bytes.  The first byte selects what they are: a message with or
 * without headers, events of a turn by lines, or an id.  What is refused has a reason and a code, and
 * all that is written is JSON.
 */
#include "mcp_serve/mcp_serve_id.h"
#include "mcp_serve/mcp_serve_reply.h"
#include "mcp_serve/mcp_serve_tool.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void must_be_object(struct arena *mem, struct str text)
{
	struct json v;

	MUST(json_read_wrapped(mem, text, &v, NULL) == OK && json_type(v) == JSON_OBJ);
}

static void try_tool(struct arena *mem, const struct mcp_serve_request *r)
{
	struct mcp_serve_rights all = { true, true, true };
	struct mcp_serve_args args;
	enum mcp_serve_tool tool;
	struct str wrong = STR_NONE;

	if (r->method != MCP_SERVE_TOOLS_CALL || !mcp_serve_tool_find(r->name, &all, &tool))
		return;
	if (mcp_serve_tool_read(mem, tool, JSON_GET(r->params, "arguments"), &args, &wrong))
		MUST(args.wait_ms >= 0);
	else
		MUST(str_is(wrong) && wrong.len);
}

static void try_message(struct arena *mem, struct str text, bool has_headers)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct mcp_serve_headers h = { STR(MCP_SERVE_MODERN), STR("tools/call"),
		                       STR("=?base64?cnVu?=") };
	struct mcp_serve_request r;

	if (!mcp_serve_request_read(mem, text, has_headers ? &h : NULL, &r)) {
		MUST(r.error.code < 0 && r.error.http >= 200 && r.error.message.len);
		mcp_serve_reply_error(&out, r.id, &r.error);
		must_be_object(mem, buf_str(&out));
		return;
	}
	MUST(json_is(r.id) || r.method == MCP_SERVE_NOTIFICATION);
	try_tool(mem, &r);
	if (!json_is(r.id))
		return;
	mcp_serve_reply_hello(&out, &r, STR("1"));
	must_be_object(mem, buf_str(&out));
}

static void try_events(struct arena *mem, struct str lines)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct mcp_serve_turn t;
	struct json event, id;
	struct mcp_serve_request r = { .is_modern = true };

	MUST(json_read(mem, STR("1"), &id, NULL) == OK);
	r.id = r.progress_token = id;
	mcp_serve_turn_init(&t, STR("sess_1"), STR("t"), 1);
	while (str_is(lines)) {
		struct str line = str_cut(&lines, '\n');

		if (json_read(mem, line, &event, NULL) == OK)
			mcp_serve_turn_event(&t, event);
	}
	mcp_serve_reply_task(&out, &r, &t, STR("1"));
	must_be_object(mem, buf_str(&out));
	buf_clear(&out);
	mcp_serve_reply_progress(&out, &r, &t);
	must_be_object(mem, buf_str(&out));
	mcp_serve_turn_done(&t);
}

static void try_id(struct arena *mem, struct str text)
{
	struct mcp_serve_task_id id, again;
	struct str a, b;
	enum mcp_serve_uri kind;

	if (mcp_serve_id_read_task(text, &id))
		MUST(mcp_serve_id_read_task(mcp_serve_id_task(mem, &id), &again) &&
		     str_eq(id.turn_id, again.turn_id) &&
		     id.first_sequence == again.first_sequence);
	if (mcp_serve_id_read_pair(text, &a, &b))
		MUST(str_eq(mcp_serve_id_pair(mem, a, b), text));
	if (mcp_serve_id_read_uri(text, &kind, &a, &b))
		MUST(a.len && (kind == MCP_SERVE_URI_SESSION || b.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text;

	if (size < 1)
		return 0;
	text = str_of((const char *)data + 1, size - 1);
	if (data[0] % 4 < 2)
		try_message(mem, text, data[0] % 4 == 0);
	else if (data[0] % 4 == 2)
		try_events(mem, text);
	else
		try_id(mem, text);
	return 0;
}
