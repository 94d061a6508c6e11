/*
 * Tools of the inventory for MCP clients: listed, and called in a turn without a model.
 *
 *   tools/list   list_tools
 *   tools/call   list_tools ──► submit_turn (call) ──► follow ──► outputs of the result
 */
#include "serve/mcp/mcp_op.h"

#include "base/gen/words.h"
#include "base/hash/base64.h"

#define OUTPUT_MAX ((size_t)4 << 20)
#define PART_MAX ((int64_t)1 << 20)

static const struct mcp_serve_publish *publish_of(const struct mcp_op *o)
{
	return &o->edge->serve->opt.publish;
}

static void ask_tools(struct mcp_op *o,
                      void (*next)(struct turn_op *op, const struct control_answer *a))
{
	struct json_writer w = mcp_op_params(o);

	mcp_serve_publish_names(publish_of(o), &w);
	jw_obj_end(&w);
	turn_op_call(&o->op, "list_tools", STR_NONE, next);
}

/* ---- tools/list ---- */

static void reply_tools(struct mcp_op *o, struct json published)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));
	struct mcp_serve_rights rights = mcp_op_rights(o);

	JW_KEY(&w, "tools");
	jw_arr(&w);
	mcp_serve_tool_list(&w, &rights, o->in.is_modern);
	mcp_serve_publish_list(publish_of(o), published, o->in.is_modern, &w);
	jw_arr_end(&w);
	mcp_serve_reply_ttl(&w, &o->in, 60000);
	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

static void listed(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct json reply;

	if (mcp_op_read_reply(o, a, &reply))
		reply_tools(o, JSON_GET(reply, "tools"));
}

/* A call changes things, so who may only read is not offered any. */
bool mcp_edge_publish_has_any(const struct mcp_op *o)
{
	return publish_of(o)->count && mcp_op_rights(o).may_write;
}

void mcp_edge_publish_list(struct mcp_op *o)
{
	if (mcp_edge_publish_has_any(o))
		ask_tools(o, listed);
	else
		reply_tools(o, (struct json){ 0 });
}

/* ---- tools/call ---- */

void mcp_edge_publish_write_client(const struct mcp_op *o, struct json_writer *w)
{
	JW_KEY(w, "client");
	jw_obj(w);
	JW_KBOOL(w, "elicitation", o->in.can.elicit);
	JW_KBOOL(w, "sampling", o->in.can.sample);
	JW_KBOOL(w, "roots", o->in.can.roots);
	JW_KBOOL(w, "together", o->in.is_modern);
	JW_KOPT(w, "logLevel", o->in.log_level);
	jw_obj_end(w);
}

/* Each call has a session of its own: calls of a client run side by side, and an approval of one holds none of the others. */
static void submit(struct mcp_op *o, struct str tool)
{
	struct json arguments = JSON_GET(o->in.params, "arguments");
	struct json_writer w = mcp_op_params(o);

	JW_KSTR(&w, "input", arena_printf(o->op.mem, "Call of %.*s", STR_ARG(tool)));
	JW_KOPT(&w, "cwd", o->cwd);
	JW_KEY(&w, "call");
	jw_obj(&w);
	JW_KSTR(&w, "tool", tool);
	if (json_is(arguments)) {
		JW_KEY(&w, "arguments");
		jw_value(&w, arguments);
	}
	mcp_edge_publish_write_client(o, &w);
	jw_obj_end(&w);
	mcp_edge_call_submit(o, &w);
}

static void found(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct json reply;
	struct str tool;

	if (!mcp_op_read_reply(o, a, &reply))
		return;
	tool = mcp_serve_publish_find(publish_of(o), JSON_GET(reply, "tools"), o->in.name);
	if (str_is(tool))
		submit(o, tool);
	else
		mcp_op_fail(o, MCP_SERVE_INVALID_PARAMS, STR("There is no such tool."));
}

void mcp_edge_publish_call(struct mcp_op *o)
{
	struct json arguments = JSON_GET(o->in.params, "arguments");

	if (json_is(arguments) && json_type(arguments) != JSON_OBJ) {
		mcp_op_fail_tool(o, STR("arguments is an object."));
		return;
	}
	o->is_published = true;
	o->args.wait_ms = MCP_SERVE_WAIT_MS;
	if (o->in.is_modern && json_is(JSON_GET(o->in.params, "requestState")))
		mcp_edge_question_call_again(o);
	else
		ask_tools(o, found);
}

/* ---- the result ---- */

static void read_next(struct mcp_op *o);

static void next_output(struct mcp_op *o)
{
	buf_clear(&o->bytes);
	o->next_offset = 0;
	read_next(o);
}

/* The text names the output, because it is whole there. */
static void skip_output(struct mcp_op *o, const char *code, const char *why)
{
	struct str ref = mcp_serve_turn_next_ref(&o->turn);

	mcp_serve_turn_skip(&o->turn, str_from(code),
	                    arena_printf(o->op.mem, "%s It is the output %.*s of the session %.*s.",
	                                 why, STR_ARG(ref), STR_ARG(o->turn.session_id)));
	next_output(o);
}

static void part_read(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct str text, base64;
	struct json reply;
	int64_t bytes;

	if (a->code || json_read_trusted(o->op.mem, a->body, &reply, NULL) != OK) {
		skip_output(o, WORD_ERROR_CATEGORY_LOST, "The result cannot be read any more.");
		return;
	}
	text = json_str(JSON_GET(reply, "text"));
	base64 = json_str(JSON_GET(reply, "base64"));
	bytes = json_int(JSON_GET(reply, "bytes"), 0);
	if (str_is(text))
		buf_add_str(&o->bytes, text);
	else if (!str_is(base64) || !base64_read(&o->bytes, base64))
		bytes = 0;
	o->next_offset = json_int(JSON_GET(reply, "offset"), 0) + bytes;
	if (o->bytes.len > OUTPUT_MAX) {
		skip_output(
			o, WORD_ERROR_CATEGORY_OUTPUT_LIMIT,
			"The result is larger than 4 MiB, which is the most that is passed on.");
	} else if (json_bool(JSON_GET(reply, "eof"), true) || !bytes) {
		mcp_serve_turn_take(&o->turn, buf_str(&o->bytes));
		next_output(o);
	} else {
		read_next(o);
	}
}

static void read_next(struct mcp_op *o)
{
	struct str ref = mcp_serve_turn_next_ref(&o->turn);
	struct json_writer w;

	if (!str_is(ref)) {
		o->finish(o);
		return;
	}
	w = mcp_op_params(o);
	JW_KSTR(&w, "sessionId", o->turn.session_id);
	JW_KSTR(&w, "outputRef", ref);
	JW_KINT(&w, "offset", o->next_offset);
	JW_KINT(&w, "length", PART_MAX);
	jw_obj_end(&w);
	turn_op_call(&o->op, "get_output", STR_NONE, part_read);
}

void mcp_edge_publish_finish(struct mcp_op *o)
{
	if (o->turn.is_call && mcp_serve_turn_has_ended(&o->turn))
		read_next(o);
	else
		o->finish(o);
}
