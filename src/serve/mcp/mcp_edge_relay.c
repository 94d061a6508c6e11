/*
 * Resources, prompts and completions of published tool servers.
 *
 *   lists      ask_tool_server, page after page, server after server ──► our own list
 *   the rest   ask_tool_server, until one knows it ──► our own
 */
#include "serve/mcp/mcp_op.h"

#include "base/gen/words.h"

#define PAGES_MAX 20               /* of one server */
#define ROWS_MAX ((size_t)2 << 20) /* bytes of all rows in one reply */

static const struct relay {
	const char *method;
	const char *rows;                   /* of a list */
	const char *params[4], *members[3]; /* of a request and of its result */
} relays[] = {
	{ WORD_TOOL_SERVER_METHOD_LIST_RESOURCES, "resources", { NULL }, { NULL } },
	{ WORD_TOOL_SERVER_METHOD_LIST_TEMPLATES, "resourceTemplates", { NULL }, { NULL } },
	{ WORD_TOOL_SERVER_METHOD_LIST_PROMPTS, "prompts", { NULL }, { NULL } },
	{ WORD_TOOL_SERVER_METHOD_GET_PROMPT,
	  NULL,
	  { "name", "arguments" },
	  { "description", "messages" } },
	{ WORD_TOOL_SERVER_METHOD_COMPLETE,
	  NULL,
	  { "ref", "argument", "context" },
	  { "completion" } },
};

static const struct relay *find_relay(const char *method)
{
	for (size_t i = 0; i < COUNT_OF(relays); i++)
		if (str_eq(str_from(relays[i].method), str_from(method)))
			return &relays[i];
	return NULL;
}

/* The next published server from o->server on; absent: there is none. */
static struct str next_server(struct mcp_op *o)
{
	const struct mcp_serve_publish *p = &o->edge->serve->opt.publish;

	while (mcp_edge_publish_has_any(o) && o->server < p->count)
		if (str_is(p->items[o->server].server))
			return p->items[o->server].server;
		else
			o->server++;
	return STR_NONE;
}

bool mcp_edge_relay_is_of(const struct mcp_op *o, struct str server)
{
	const struct mcp_serve_publish *p = &o->edge->serve->opt.publish;

	for (size_t i = 0; mcp_edge_publish_has_any(o) && i < p->count; i++)
		if (str_is(p->items[i].server) && str_eq(p->items[i].server, server))
			return true;
	return false;
}

static void call_server(struct mcp_op *o, struct str server,
                        void (*next)(struct turn_op *op, const struct control_answer *a))
{
	const struct relay *r = o->relay;
	struct json_writer w = mcp_op_params(o);

	JW_KSTR(&w, "server", server);
	JW_KOPT(&w, "cwd", o->cwd);
	JW_KSTR(&w, "method", str_from(r->method));
	JW_KEY(&w, "params");
	jw_obj(&w);
	JW_KOPT(&w, "cursor", r->rows ? o->server_cursor : STR_NONE);
	for (size_t i = 0; i < COUNT_OF(r->params) && r->params[i]; i++) {
		struct json v = json_get(o->in.params, str_from(r->params[i]));

		if (!json_is(v))
			continue;
		jw_key(&w, str_from(r->params[i]));
		jw_value(&w, v);
	}
	jw_obj_end(&w);
	jw_obj_end(&w);
	turn_op_call(&o->op, "ask_tool_server", STR_NONE, next);
}

/* ---- lists ---- */

static void collect_next(struct mcp_op *o);

/* Rows are objects; what else a server lists is left out. */
static void add_rows(struct mcp_op *o, struct json rows)
{
	struct json_iter it = json_iter(rows);
	struct json row;
	struct str key;

	while (json_type(rows) == JSON_ARR && json_next(&it, &key, &row) &&
	       o->bytes.len < ROWS_MAX) {
		if (json_type(row) != JSON_OBJ)
			continue;
		if (o->bytes.len)
			buf_add_char(&o->bytes, ',');
		buf_add_str(&o->bytes, json_text(o->op.mem, row));
	}
}

/* A server that does not answer is left out: the rest of the list is of use without it. */
static void page_read(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct json reply, result = { 0 };

	if (!a->code && json_read_trusted(o->op.mem, a->body, &reply, NULL) == OK) {
		result = JSON_GET(reply, "result");
		add_rows(o, json_get(result, str_from(((const struct relay *)o->relay)->rows)));
	}
	o->server_cursor = json_str(JSON_GET(result, "nextCursor"));
	if (!str_is(o->server_cursor) || ++o->pages >= PAGES_MAX) {
		o->server++;
		o->pages = 0;
		o->server_cursor = STR_NONE;
	}
	collect_next(o);
}

static void collect_next(struct mcp_op *o)
{
	struct str server = next_server(o);

	if (str_is(server))
		call_server(o, server, page_read);
	else
		o->after_servers(o);
}

void mcp_edge_relay_collect(struct mcp_op *o, const char *method, void (*next)(struct mcp_op *o))
{
	o->relay = find_relay(method);
	o->after_servers = next;
	collect_next(o);
}

void mcp_edge_relay_write_rows(const struct mcp_op *o, struct json_writer *w)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_iter it;
	struct json rows, row;
	struct str key;

	if (!o->bytes.len ||
	    json_read_trusted(mem, arena_printf(mem, "[%.*s]", STR_ARG(buf_str(&o->bytes))), &rows,
	                      NULL) != OK)
		return;
	it = json_iter(rows);
	while (json_next(&it, &key, &row))
		jw_value(w, row);
}

/* ---- one thing ---- */

static void ask_next(struct mcp_op *o);

static void reply_result(struct mcp_op *o, struct json result)
{
	const struct relay *r = o->relay;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w = mcp_serve_reply_begin(&out, &o->in, STR("complete"));

	for (size_t i = 0; i < COUNT_OF(r->members) && r->members[i]; i++) {
		struct json v = json_get(result, str_from(r->members[i]));

		if (!json_is(v))
			continue;
		jw_key(&w, str_from(r->members[i]));
		jw_value(&w, v);
	}
	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
}

static bool is_whole(const struct relay *r, struct json result)
{
	size_t last = 0;

	while (last + 1 < COUNT_OF(r->members) && r->members[last + 1])
		last++;
	return json_is(json_get(result, str_from(r->members[last])));
}

static void asked(struct turn_op *op, const struct control_answer *a)
{
	struct mcp_op *o = mcp_op_of(op);
	struct json reply;

	if (json_read_trusted(o->op.mem, a->body, &reply, NULL) == OK) {
		if (!a->code && is_whole(o->relay, JSON_GET(reply, "result"))) {
			reply_result(o, JSON_GET(reply, "result"));
			return;
		}
		o->server_error = json_str(JSON_GET(reply, "detail"));
	}
	o->server++;
	ask_next(o);
}

static void ask_next(struct mcp_op *o)
{
	struct str server = next_server(o);

	if (str_is(server))
		call_server(o, server, asked);
	else
		o->after_servers(o);
}

void mcp_edge_relay_ask(struct mcp_op *o, const char *method, void (*next)(struct mcp_op *o))
{
	o->relay = find_relay(method);
	o->after_servers = next;
	ask_next(o);
}
