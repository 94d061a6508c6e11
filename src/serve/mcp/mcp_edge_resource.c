/*
 * resources/read of a published tool server: a call of its tool read_resource, so that rules,
 * approvals and the log are those of every other call.
 *
 *   several servers: ask_tool_server (lists) ──► one knows the address ──┐
 *   one server ──────────────────────────────────────────────────────────┴─► submit_turn (call)
 */
#include "serve/mcp/mcp_op.h"

#include "base/gen/words.h"
#include "mcp_serve/mcp_serve_template.h"

#define READ "read_resource"
#define PAGES_MAX 20       /* of one list of a server */
#define TEMPLATES_MAX 1000 /* of one page */

static const struct mcp_serve_publish *publish_of(const struct mcp_op *o)
{
	return &o->edge->serve->opt.publish;
}

static size_t count_servers(const struct mcp_op *o)
{
	size_t count = 0;

	for (size_t i = 0; i < publish_of(o)->count; i++)
		count += str_is(publish_of(o)->items[i].server);
	return count;
}

static bool skip_to_server(struct mcp_op *o)
{
	while (o->server < publish_of(o)->count && !str_is(publish_of(o)->items[o->server].server))
		o->server++;
	return o->server < publish_of(o)->count;
}

/* ---- the read ---- */

static void reply_contents(struct mcp_op *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	JW_KEY(&w, "contents");
	jw_raw(&w, o->turn.content);
	mcp_serve_reply_ttl(&w, &o->in, 0);
	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

/* What a rule denies or a person has to approve is said; what the server does not have is missing. */
static void read_ended(struct mcp_op *o)
{
	if (o->turn.state == MCP_SERVE_COMPLETED && str_is(o->turn.content))
		reply_contents(o);
	else if (o->turn.state == MCP_SERVE_FAILED &&
	         str_eq(o->turn.error_code, STR(WORD_ERROR_CATEGORY_INVALID_INPUT)))
		o->after_servers(o);
	else if (str_is(o->turn.lost_code))
		mcp_op_fail(o, MCP_SERVE_INTERNAL, o->turn.lost_message);
	else if (o->turn.state == MCP_SERVE_COMPLETED)
		mcp_op_fail(o, MCP_SERVE_INTERNAL, STR("The resource has no content."));
	else
		mcp_op_fail(o, MCP_SERVE_INTERNAL,
		            o->turn.state == MCP_SERVE_FAILED
		                    ? o->turn.error_message
		                    : STR("Reading it waits for an approval, or takes too long."));
}

static void submit_read(struct mcp_op *o, struct str tool)
{
	struct str server = publish_of(o)->items[o->server].server;
	struct json_writer w = mcp_op_params(o);

	o->on_turn = read_ended;
	o->is_published = true; /* what its server asks, the client answers */
	o->in.wants_task = false;
	o->args.wait_ms = MCP_SERVE_WAIT_MS;
	JW_KSTR(&w, "input", arena_printf(o->op.mem, "Read a resource of %.*s", STR_ARG(server)));
	JW_KOPT(&w, "cwd", o->cwd);
	JW_KEY(&w, "call");
	jw_obj(&w);
	JW_KSTR(&w, "tool", tool);
	JW_KEY(&w, "arguments");
	jw_obj(&w);
	JW_KSTR(&w, "uri", o->in.name);
	jw_obj_end(&w);
	mcp_edge_publish_write_client(o, &w);
	jw_obj_end(&w);
	mcp_edge_call_submit(o, &w);
}

static void read_from(struct mcp_op *o, struct str server)
{
	if (!o->in.is_modern || !json_is(JSON_GET(o->in.params, "requestState"))) {
		submit_read(o, arena_printf(o->op.mem, "mcp__%.*s__" READ, STR_ARG(server)));
		return;
	}
	o->on_turn = read_ended;
	o->is_published = true;
	o->args.wait_ms = MCP_SERVE_WAIT_MS;
	mcp_edge_question_call_again(o);
}

/* ---- which server ---- */

static void ask_next(struct mcp_op *o);

static bool lists(struct mcp_op *o, struct json rows)
{
	struct json_iter it = json_iter(rows);
	struct json row;
	struct str key, uri;

	while (json_type(rows) == JSON_ARR && json_next(&it, &key, &row)) {
		uri = json_str(JSON_GET(row, "uri"));
		if (str_is(uri) && str_eq(uri, o->in.name))
			return true;
	}
	return false;
}

/* The server whose template describes the address most exactly; of equal ones the first. */
static void compare(struct mcp_op *o, struct json rows)
{
	struct json_iter it = json_iter(rows);
	struct json row;
	struct str key, template;
	unsigned match, count = 0;

	while (json_type(rows) == JSON_ARR && json_next(&it, &key, &row) &&
	       count++ < TEMPLATES_MAX) {
		template = json_str(JSON_GET(row, "uriTemplate"));
		match = str_is(template) ? mcp_serve_template_match(template, o->in.name) : 0;
		if (match > o->best_match) {
			o->best_match = match;
			o->best_server = o->server;
		}
	}
}

static void next_page(struct mcp_op *o, struct str cursor)
{
	o->server_cursor = STR_NONE;
	if (str_is(cursor) && cursor.len && ++o->pages < PAGES_MAX) {
		o->server_cursor = arena_keep(o->op.mem, cursor);
	} else {
		o->server++;
		o->pages = 0;
	}
	ask_next(o);
}

static void asked(struct turn_op *op, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct mcp_op *o = mcp_op_of(op);
	struct json reply, result = { 0 };

	if (!a->code && json_read_trusted(mem, a->body, &reply, NULL) == OK)
		result = JSON_GET(reply, "result");
	if (!o->in_templates && lists(o, JSON_GET(result, "resources"))) {
		o->found(o, publish_of(o)->items[o->server].server);
		return;
	}
	if (o->in_templates)
		compare(o, JSON_GET(result, "resourceTemplates"));
	next_page(o, json_str(JSON_GET(result, "nextCursor")));
}

static void ask_page(struct mcp_op *o)
{
	struct json_writer w = mcp_op_params(o);

	JW_KSTR(&w, "server", publish_of(o)->items[o->server].server);
	JW_KOPT(&w, "cwd", o->cwd);
	JW_KSTR(&w, "method",
	        o->in_templates ? STR(WORD_TOOL_SERVER_METHOD_LIST_TEMPLATES)
	                        : STR(WORD_TOOL_SERVER_METHOD_LIST_RESOURCES));
	if (str_is(o->server_cursor)) {
		JW_KEY(&w, "params");
		jw_obj(&w);
		JW_KSTR(&w, "cursor", o->server_cursor);
		jw_obj_end(&w);
	}
	jw_obj_end(&w);
	turn_op_call(&o->op, "ask_tool_server", STR_NONE, asked);
}

/* What a server lists is its own; templates are compared only if none lists the address. */
static void ask_next(struct mcp_op *o)
{
	if (skip_to_server(o)) {
		ask_page(o);
	} else if (!o->in_templates) {
		o->in_templates = true;
		o->server = 0;
		ask_next(o);
	} else if (o->best_match) {
		o->server = o->best_server;
		o->found(o, publish_of(o)->items[o->server].server);
	} else {
		o->after_servers(o);
	}
}

void mcp_edge_resource_find(struct mcp_op *o, void (*next)(struct mcp_op *o, struct str server),
                            void (*missing)(struct mcp_op *o))
{
	o->after_servers = missing;
	o->found = next;
	if (!mcp_edge_publish_has_any(o) || !skip_to_server(o))
		o->after_servers(o);
	else if (count_servers(o) == 1)
		o->found(o, publish_of(o)->items[o->server].server);
	else
		ask_next(o);
}

void mcp_edge_resource_read(struct mcp_op *o, void (*missing)(struct mcp_op *o))
{
	mcp_edge_resource_find(o, read_from, missing);
}
