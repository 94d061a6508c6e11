/*
 * Prompts of tool servers, as commands SERVER:PROMPT: their rows in list_extensions, their text in
 * expand_command, and complete_argument.  Requests of other clients, as ask_tool_server.
 *
 * A server belongs to the runtime or to the directory; only those that run are asked.
 */
#include "base/gen/words.h"
#include "base/jw.h"
#include "core/approval/permission.h"
#include "engine/query/query.h"
#include "engine/settings/project_tools.h"
#include "engine/settings/rules_cache.h"
#include "engine/engine_state.h"

/* Calls `each` for the toolsets that a directory sees, until it returns true. */
static bool each_toolset(struct request *r, struct str cwd,
                         bool (*each)(struct toolset *t, void *arg), void *arg)
{
	const struct engine *e = r->engine;
	struct toolset *here = project_tools_at(e, str_is(cwd) ? cwd : e->settings.cwd);

	for (size_t i = 0; i < e->ports.toolset_count; i++)
		if (each(e->ports.toolsets[i], arg))
			return true;
	return here && each(here, arg);
}

/* ---- rows ---- */

struct listing {
	struct arena *mem;
	struct reply_list_extensions *reply;
};

static struct rec_extension_row row_of(struct arena *mem, const struct tool_prompt *p)
{
	return (struct rec_extension_row){
		.kind = EXTENSION_KIND_COMMAND,
		.source = EXTENSION_SOURCE_TOOL_SERVER,
		.name = arena_printf(mem, "%.*s:%.*s", STR_ARG(p->server), STR_ARG(p->name)),
		.description = p->description,
		.argument_hint = p->hint.len ? p->hint : STR_NONE,
		.path = arena_printf(mem, "mcp:%.*s", STR_ARG(p->server)),
		.is_trusted = true,
	};
}

static bool add_rows(struct toolset *t, void *arg)
{
	struct listing *l = arg;
	const struct tool_prompt *all = NULL;
	size_t count = t->ops->prompts ? t->ops->prompts(t, l->mem, &all) : 0;

	for (size_t i = 0; i < count; i++)
		*(struct rec_extension_row *)rec_list_add(l->mem, &l->reply->extensions,
		                                          &rec_extension_row_desc) =
			row_of(l->mem, &all[i]);
	return false;
}

void query_prompts_add(struct request *r, struct str cwd, struct reply_list_extensions *reply)
{
	struct listing l = { .mem = r->mem, .reply = reply };

	each_toolset(r, cwd, add_rows, &l);
}

/* ---- rules ---- */

/*
 * A rule that denies a server, or one of its get_prompt, complete and lists, holds without a turn, too.
 * An approval is not asked for: a person or a client wants it, and no model.
 */
static bool is_denied(struct request *r, struct str cwd, struct str server, const char *what)
{
	struct engine *e = r->engine;
	struct settings here = e->settings;
	struct rec_permission_decision why = { 0 };
	struct state *none = state_new();
	struct tool_info tool = {
		.name = arena_printf(r->mem, "mcp__%.*s__%s", STR_ARG(server), what),
		.owner = arena_printf(r->mem, "mcp:%.*s", STR_ARG(server)),
		.native_name = str_from(what),
		.policy = TOOL_POLICY_ASK,
		.kind = ITEM_KIND_TOOL_CALL,
	};
	struct permission_ask ask = {
		.mem = r->mem,
		.w = none,
		.settings = &here,
		.now = e->ports.clock->ops->wall_ms(e->ports.clock),
		.tool = &tool,
		.args = STR("{}"),
		.work = str_is(cwd) ? cwd : e->settings.cwd,
		.mode = PERMISSION_MODE_DEFAULT,
	};
	bool is_forbidden;

	rules_cache_at(e, ask.work, &here);
	is_forbidden = permission_forbids(&ask, &why);
	if (is_forbidden)
		request_fail(r, ERROR_CODE_FORBIDDEN, "%.*s", STR_ARG(why.decision_reason));
	state_free(none);
	return is_forbidden;
}

/* ---- requests to a server ---- */

/* In the request's memory until its reply. */
struct asking {
	struct tool_ask ask;
	struct request *r;
	struct tool_prompt prompt; /* as it is listed */
};

static void fail_ask(struct request *r, const struct tool_ask *a, enum err code)
{
	enum error_code refusal = code == ERR_NOT_FOUND ? ERROR_CODE_NOT_FOUND
	                          : code == ERR_INVALID ? ERROR_CODE_INVALID_VALUE
	                          : code == ERR_FULL    ? ERROR_CODE_TOO_MANY_OPEN
	                                                : ERROR_CODE_UNAVAILABLE;

	request_fail(r, refusal, "%.*s", STR_ARG(a->message));
}

static void on_expanded(struct tool_ask *a, enum err code)
{
	struct asking *x = a->owner;
	struct request *r = x->r;
	struct rec_extension_row row = row_of(r->mem, &x->prompt);
	struct reply_expand_command reply = { .text = a->text, .command = &row };

	if (code)
		fail_ask(r, a, code);
	else
		r->response.reply = rec_text(r->mem, &reply_expand_command_desc, &reply);
	request_reply(r);
}

static void on_completed(struct tool_ask *a, enum err code)
{
	struct asking *x = a->owner;
	struct request *r = x->r;
	struct reply_complete_argument reply = { 0 };

	for (size_t i = 0; i < a->value_count; i++)
		rec_list_str_add(r->mem, &reply.values, arena_keep(r->mem, a->values[i]));
	if (code)
		fail_ask(r, a, code);
	else
		r->response.reply = rec_text(r->mem, &reply_complete_argument_desc, &reply);
	request_reply(r);
}

static void find_prompt(struct asking *x, struct toolset *t)
{
	const struct tool_prompt *all = NULL;
	size_t count = t->ops->prompts ? t->ops->prompts(t, x->r->mem, &all) : 0;

	for (size_t i = 0; i < count; i++)
		if (str_eq(all[i].server, x->ask.server) && str_eq(all[i].name, x->ask.name))
			x->prompt = all[i];
}

/* The callback comes later, so that the first toolset that knows the server has taken it. */
static bool ask_toolset(struct toolset *t, void *arg)
{
	struct asking *x = arg;

	if (!t->ops->ask)
		return false;
	find_prompt(x, t);
	return t->ops->ask(t, &x->ask);
}

/* False: the name is not SERVER:PROMPT of a server that exists here. */
static bool ask_server(struct request *r, struct str cwd, struct str name, struct tool_ask ask)
{
	struct asking *x = ARENA_NEW(r->mem, struct asking);
	struct str rest = name, server = str_cut(&rest, ':');

	if (!rest.len)
		return false;
	*x = (struct asking){ .ask = ask, .r = r };
	x->ask.server = server;
	x->ask.name = rest;
	x->ask.caller = r->caller.principal;
	x->ask.owner = x;
	if (is_denied(r, cwd, server,
	              ask.kind == TOOL_ASK_PROMPT ? WORD_TOOL_SERVER_METHOD_GET_PROMPT
	                                          : WORD_TOOL_SERVER_METHOD_COMPLETE)) {
		request_reply(r);
		return true;
	}
	return each_toolset(r, cwd, ask_toolset, x);
}

/* A prompt of a server is made by its program, so reading is not enough. */
bool query_prompts_expand(struct request *r, const struct cmd_expand_command *c)
{
	if (memchr(c->name.ptr, ':', c->name.len) && !(r->caller.scopes & SCOPE_BIT(SCOPE_WRITE))) {
		request_fail(r, ERROR_CODE_FORBIDDEN,
		             "a prompt of a tool server needs the scope write");
		request_reply(r);
		return true;
	}
	return ask_server(r, c->cwd, c->name,
	                  (struct tool_ask){ .kind = TOOL_ASK_PROMPT,
	                                     .arguments = c->arguments,
	                                     .done = on_expanded });
}

void query_complete_argument(struct request *r, const struct cmd_complete_argument *c)
{
	if (ask_server(r, c->cwd, c->name,
	               (struct tool_ask){ .kind = TOOL_ASK_COMPLETION,
	                                  .arguments = c->arguments,
	                                  .done = on_completed }))
		return;
	request_fail(r, ERROR_CODE_NOT_FOUND, "there is no prompt %.*s",
	             STR_ARG(str_head(c->name, 128)));
	request_reply(r);
}

/* ---- requests of other clients ---- */

static const char *const methods[] = {
	[TOOL_SERVER_METHOD_LIST_RESOURCES] = "resources/list",
	[TOOL_SERVER_METHOD_LIST_TEMPLATES] = "resources/templates/list",
	[TOOL_SERVER_METHOD_LIST_PROMPTS] = "prompts/list",
	[TOOL_SERVER_METHOD_GET_PROMPT] = "prompts/get",
	[TOOL_SERVER_METHOD_COMPLETE] = "completion/complete",
	[TOOL_SERVER_METHOD_WATCH_RESOURCES] = "resources/watch",
};

static void on_relayed(struct tool_ask *a, enum err code)
{
	struct asking *x = a->owner;
	struct request *r = x->r;
	struct reply_ask_tool_server reply = { .result = a->text };

	if (code)
		fail_ask(r, a, code);
	else
		r->response.reply = rec_text(r->mem, &reply_ask_tool_server_desc, &reply);
	request_reply(r);
}

static bool is_object(struct request *r, struct str text)
{
	struct json v;

	return !str_is(text) ||
	       (json_read_trusted(r->mem, text, &v, NULL) == OK && json_type(v) == JSON_OBJ);
}

void query_ask_tool_server(struct request *r, const struct cmd_ask_tool_server *c)
{
	struct asking *x;

	if (query_tools_waits(r))
		return;
	x = ARENA_NEW(r->mem, struct asking);
	*x = (struct asking){ .ask = { .kind = TOOL_ASK_RELAY,
		                       .server = c->server,
		                       .name = str_from(methods[c->method]),
		                       .arguments = c->params,
		                       .client = c->client,
		                       .caller = r->caller.principal,
		                       .done = on_relayed },
		              .r = r };
	x->ask.owner = x;
	if (is_denied(r, c->cwd, c->server,
	              c->method == TOOL_SERVER_METHOD_WATCH_RESOURCES
	                      ? "read_resource"
	                      : tool_server_method_word(c->method).ptr)) {
		request_reply(r);
		return;
	}
	if (!is_object(r, c->params))
		request_fail(r, ERROR_CODE_INVALID_VALUE, "params: it is an object");
	else if (each_toolset(r, c->cwd, ask_toolset, x))
		return;
	else
		request_fail(r, ERROR_CODE_NOT_FOUND, "there is no tool server %.*s",
		             STR_ARG(c->server));
	request_reply(r);
}
