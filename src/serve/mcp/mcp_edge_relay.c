/*
 * Resources, prompts and completions of published tool servers.
 *
 *   lists      ask_tool_server, page after page, server after server ──► our own list
 *   the rest   ask_tool_server, of the first that lists it ──► our own
 */
#include "serve/mcp/mcp_op.h"

#include "base/gen/words.h"

#define PAGES_MAX 20               /* of one server */
#define ROWS_MAX ((size_t)2 << 20) /* bytes of all rows in one reply */

static const struct relay {
	const char *method;
	const char *rows;                   /* of a list */
	const char *params[4], *members[3]; /* of a request and of its result */
	bool asks;                          /* the server may ask the client for more */
} relays[] = {
	{ WORD_TOOL_SERVER_METHOD_LIST_RESOURCES, "resources", { NULL }, { NULL } },
	{ WORD_TOOL_SERVER_METHOD_LIST_TEMPLATES, "resourceTemplates", { NULL }, { NULL } },
	{ WORD_TOOL_SERVER_METHOD_LIST_PROMPTS, "prompts", { NULL }, { NULL } },
	{ WORD_TOOL_SERVER_METHOD_GET_PROMPT,
	  NULL,
	  { "name", "arguments" },
	  { "description", "messages" },
	  true },
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

/*
 * The state that a server gave goes back to that server alone: NAME:STATE, or NAME; if it gave none.
 * False: the request repeats none.
 */
static bool read_state(const struct mcp_op *o, struct str *ret_server, struct str *ret_state)
{
	struct str text = json_str(JSON_GET(o->in.params, "requestState"));

	if (!o->in.is_modern || !str_is(text))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != ':' && text.ptr[i] != ';')
			continue;
		*ret_server = str_head(text, i);
		*ret_state = text.ptr[i] == ':' ? str_skip(text, i + 1) : STR_NONE;
		return true;
	}
	*ret_server = *ret_state = STR_NONE;
	return true;
}

static void write_answers(const struct mcp_op *o, struct json_writer *w)
{
	struct json responses = JSON_GET(o->in.params, "inputResponses");
	struct str server, state;

	if (!o->in.is_modern)
		return;
	if (json_type(responses) == JSON_OBJ) {
		JW_KEY(w, "inputResponses");
		jw_value(w, responses);
	}
	if (read_state(o, &server, &state))
		JW_KOPT(w, "requestState", state);
}

static void call_server(struct mcp_op *o, const struct relay *r, struct str server,
                        void (*next)(struct turn_op *op, const struct control_answer *a))
{
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
	if (r->asks)
		write_answers(o, &w);
	jw_obj_end(&w);
	if (r->asks && o->in.is_modern)
		mcp_edge_publish_write_client(o, &w);
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
		call_server(o, o->relay, server, page_read);
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

/* The client may be asked only for what it said that it answers. */
static bool may_ask(const struct mcp_op *o, struct json requests)
{
	struct json_iter it = json_iter(requests);
	struct json each;
	struct str key, method;

	while (json_next(&it, &key, &each)) {
		method = json_str(JSON_GET(each, "method"));
		if (!str_is(method) ||
		    !((o->in.can.elicit && str_eq(method, STR("elicitation/create"))) ||
		      (o->in.can.sample && str_eq(method, STR("sampling/createMessage"))) ||
		      (o->in.can.roots && str_eq(method, STR("roots/list")))))
			return false;
	}
	return true;
}

/* True: the server asks the client for more, or tries to. */
static bool reply_asks(struct mcp_op *o, struct json result)
{
	struct str kind = json_str(JSON_GET(result, "resultType")),
		   server = o->edge->serve->opt.publish.items[o->server].server,
		   state = json_str(JSON_GET(result, "requestState"));
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json requests = JSON_GET(result, "inputRequests");
	struct json_writer w;

	if (!((const struct relay *)o->relay)->asks || !o->in.is_modern || !str_is(kind) ||
	    !str_eq(kind, STR("input_required")))
		return false;
	if (json_type(requests) != JSON_OBJ || !may_ask(o, requests)) {
		mcp_op_fail(
			o, MCP_SERVE_INTERNAL,
			STR("The tool server asks for something that the client does not answer."));
		return true;
	}
	w = mcp_serve_reply_begin(&out, &o->in, STR("input_required"));
	JW_KEY(&w, "inputRequests");
	jw_value(&w, requests);
	JW_KSTR(&w, "requestState",
	        str_is(state)
	                ? arena_printf(o->op.mem, "%.*s:%.*s", STR_ARG(server), STR_ARG(state))
	                : arena_printf(o->op.mem, "%.*s;", STR_ARG(server)));
	mcp_serve_reply_end(&w, &o->in, o->edge->serve->opt.version);
	mcp_op_reply(o, 200, buf_str(&out));
	return true;
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
		if (!a->code && reply_asks(o, JSON_GET(reply, "result")))
			return;
		if (!a->code && is_whole(o->relay, JSON_GET(reply, "result"))) {
			reply_result(o, JSON_GET(reply, "result"));
			return;
		}
		o->server_error = json_str(JSON_GET(reply, "detail"));
	}
	o->server++;
	ask_next(o);
}

/* The list that has what is asked for, and the row; NULL: it is in none. */
static const struct relay *list_of(const struct mcp_op *o, struct str *ret_key,
                                   struct str *ret_name)
{
	struct json ref = JSON_GET(o->in.params, "ref");
	struct str type = json_str(JSON_GET(ref, "type"));
	bool is_template = str_is(type) && str_eq(type, STR("ref/resource"));

	*ret_key = is_template ? STR("uriTemplate") : STR("name");
	*ret_name = ((const struct relay *)o->relay)->asks ? o->in.name
	            : is_template                          ? json_str(JSON_GET(ref, "uri"))
	                                                   : json_str(JSON_GET(ref, "name"));
	return !str_is(*ret_name) ? NULL
	                          : find_relay(is_template ? WORD_TOOL_SERVER_METHOD_LIST_TEMPLATES
	                                                   : WORD_TOOL_SERVER_METHOD_LIST_PROMPTS);
}

static bool has_row(struct json rows, struct str member, struct str name)
{
	struct json_iter it = json_iter(rows);
	struct json row;
	struct str key, found;

	while (json_type(rows) == JSON_ARR && json_next(&it, &key, &row)) {
		found = json_str(json_get(row, member));
		if (str_is(found) && str_eq(found, name))
			return true;
	}
	return false;
}

static void list_read(struct turn_op *op, const struct control_answer *a)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct mcp_op *o = mcp_op_of(op);
	struct json reply, result = { 0 };
	struct str member, name, cursor;
	const struct relay *list = list_of(o, &member, &name);

	if (!a->code && json_read_trusted(mem, a->body, &reply, NULL) == OK)
		result = JSON_GET(reply, "result");
	cursor = json_str(JSON_GET(result, "nextCursor"));
	o->server_cursor = STR_NONE;
	if (has_row(json_get(result, str_from(list->rows)), member, name)) {
		o->pages = 0;
		call_server(o, o->relay, next_server(o), asked);
		return;
	}
	if (str_is(cursor) && cursor.len && ++o->pages < PAGES_MAX) {
		o->server_cursor = arena_keep(o->op.mem, cursor);
	} else {
		o->server++;
		o->pages = 0;
	}
	ask_next(o);
}

/*
 * A server is asked for what it lists, and for nothing else: it could answer to the names of others, and
 * to ours.  What repeats a request is for the server that asked.
 */
static void ask_next(struct mcp_op *o)
{
	struct str server = next_server(o), of_state, state, member, name;
	bool is_again = read_state(o, &of_state, &state);
	const struct relay *list = list_of(o, &member, &name);

	while (str_is(server) && is_again && !(str_is(of_state) && str_eq(server, of_state))) {
		o->server++;
		server = next_server(o);
	}
	if (!str_is(server) || !list)
		o->after_servers(o);
	else if (is_again)
		call_server(o, o->relay, server, asked);
	else
		call_server(o, list, server, list_read);
}

void mcp_edge_relay_ask(struct mcp_op *o, const char *method, void (*next)(struct mcp_op *o))
{
	o->relay = find_relay(method);
	o->after_servers = next;
	ask_next(o);
}
