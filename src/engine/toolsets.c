/*
 * The tools that there are: taken from the toolsets when the engine is made,
 * and anew when one of them says that its own are others now.  What was taken
 * is one arena, so that the old picture can be dropped whole; nothing holds on
 * to it between two steps of the loop.
 */
#include "base/log.h"
#include "schema/schema.h"
#include "core/agent_tool.h"
#include "core/permission.h"
#include "engine/effects.h"

static struct setup_tool tool_of(struct arena *mem, const struct tool_info *i,
                                 struct schema *schema)
{
	enum item_kind kind = enum_read(&enum_item_kind, i->item_kind);

	return (struct setup_tool){
		.name = arena_keep(mem, i->name),
		.native_name = arena_keep(mem, i->native_name),
		.annotations = arena_keep(mem, i->annotations),
		.definition = arena_keep(mem, i->definition),
		.is_changed = i->is_changed,
		.description = arena_keep(mem, i->description),
		.input_schema = arena_keep(mem, i->input_schema),
		.capabilities = arena_keep(mem, i->capabilities),
		.policy = enum_read(&enum_tool_policy, i->policy),
		.owner = arena_keep(mem, i->owner),
		.kind = kind ? kind : ITEM_KIND_TOOL_CALL,
		.is_read_only = i->is_read_only,
		.is_concurrency_safe = i->is_concurrency_safe,
		.is_destructive = i->is_destructive,
		.asks_user = i->asks_user,
		.is_caged = i->is_caged,
		.is_command = i->is_command,
		.is_background = i->is_background,
		.interrupt = i->interrupt == TOOL_FINISH ? INTERRUPT_BEHAVIOR_WAIT
		                                         : INTERRUPT_BEHAVIOR_CANCEL,
		.timeout_ms = i->timeout_ms,
		.only_for = arena_keep(mem, i->only_for),
		.schema = schema,
	};
}

enum err tool_read(struct arena *mem, const struct tool_info *i, struct setup_tool *ret,
                   struct error *err)
{
	struct schema *schema = NULL;
	enum err code = schema_compile_text(NULL, i->input_schema, NULL, &schema, err);

	if (!code)
		*ret = tool_of(mem, i, schema);
	return code;
}

static void drop(struct arena *mem, const struct setup_tool *tools, size_t count)
{
	for (size_t i = 0; i < count; i++)
		schema_free((struct schema *)tools[i].schema);
	arena_free(mem);
}

static size_t count_tools(const struct engine *e)
{
	const struct tool_info *infos;
	size_t total = 0;

	for (size_t i = 0; i < e->ports.toolset_count; i++)
		total += e->ports.toolsets[i]->ops->tools(e->ports.toolsets[i], &infos);
	return total;
}

bool tools_have(const struct setup_tool *tools, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(tools[i].name, name))
			return true;
	return false;
}

/* Tools that the core answers itself; one of a toolset with the same name stands before it. */
static enum err take_own(struct engine *e, struct setup_tool *out, size_t *at, struct error *err)
{
	size_t count, others = *at;
	const struct setup_tool *own = agent_tools(&count);

	for (size_t i = 0; i < count; i++) {
		struct schema *schema = NULL;
		bool is_offered = own[i].own == OWN_TOOL_TODO   ? e->settings.offers_todo
		                  : own[i].own == OWN_TOOL_PLAN ? e->settings.offers_plan
		                                                : e->settings.offers_agents;
		enum err code;

		if (!is_offered || tools_have(out, others, own[i].name))
			continue;
		code = schema_compile_text(NULL, own[i].input_schema, NULL, &schema, err);
		if (code)
			return code;
		out[*at] = own[i];
		out[(*at)++].schema = schema;
	}
	return OK;
}

enum err tools_take(struct engine *e, struct error *err)
{
	size_t at = 0, own;

	agent_tools(&own);

	struct arena *mem = arena_new();
	struct setup_tool *out = ARENA_ARRAY(mem, struct setup_tool, count_tools(e) + own + 1);

	for (size_t i = 0; i < e->ports.toolset_count; i++) {
		const struct tool_info *infos;
		size_t count = e->ports.toolsets[i]->ops->tools(e->ports.toolsets[i], &infos);

		for (size_t n = 0; n < count; n++) {
			enum err code = tool_read(mem, &infos[n], &out[at], err);

			if (code) {
				drop(mem, out, at);
				return code;
			}
			at++;
		}
	}
	if (take_own(e, out, &at, err) != OK) {
		drop(mem, out, at);
		return ERR_INVALID;
	}
	tools_free(e);
	e->tools_mem = mem;
	e->setup.tools = out;
	e->setup.tool_count = at;
	return OK;
}

void tools_free(struct engine *e)
{
	drop(e->tools_mem, e->setup.tools, e->setup.tool_count);
	e->tools_mem = NULL;
	e->setup.tools = NULL;
	e->setup.tool_count = 0;
}

static bool is_coming(struct toolset *t)
{
	return t && t->ops->is_coming && t->ops->is_coming(t);
}

bool tools_are_coming(const struct engine *e, struct str cwd)
{
	for (size_t i = 0; i < e->ports.toolset_count; i++)
		if (is_coming(e->ports.toolsets[i]))
			return true;
	return is_coming(tool_places_at(e, cwd));
}

static void on_changed(void *owner)
{
	struct engine *e = owner;
	struct error err;

	if (e->has_failed || e->is_full)
		return; /* nothing can be kept; whoever calls a tool hears how it is */
	if (tools_take(e, &err) != OK || engine_picture_again(e, &err) != OK)
		log_line(LOG_ERROR, "engine", "the inventory of tools stays as it was: %s",
		         err.message);
	tool_places_again(e);
	contexts_go_on(e);
}

void tools_watch(struct engine *e)
{
	for (size_t i = 0; i < e->ports.toolset_count; i++)
		if (e->ports.toolsets[i]->ops->watch)
			e->ports.toolsets[i]->ops->watch(e->ports.toolsets[i], on_changed, e);
}

/* ---- servers ---- */

static struct str server_text(struct arena *mem, const struct tool_server *s, struct str cwd)
{
	struct rec_tool_server r = {
		.name = s->name,
		.source = s->source,
		.status = enum_read(&enum_tool_server_status, s->status),
		.detail = s->detail,
		.command = s->command,
		.native_protocol = STR("mcp"),
		.protocol_version = s->protocol,
		.program = s->program,
		.channel_id = s->channel_id,
		.content_hash = s->content_hash,
		.program_hash = s->program_hash,
		.cwd = str_is(s->content_hash) ? cwd : STR_NONE,
		.tool_count = s->tool_count,
		.changed_count = s->changed_count,
		.restarts = s->restarts,
	};

	for (size_t i = 0; i < s->host_count; i++)
		list_str_add(mem, &r.hosts, s->hosts[i]);
	return rec_text(mem, &rec_tool_server_desc, &r);
}

void list_tool_servers(struct request *r)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct toolset_at *sets;
	struct json_writer w;
	size_t set_count;

	tool_places_look(r->engine);
	set_count = tool_places_list(r->engine, r->mem, &sets);

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "servers");
	jw_arr(&w);
	for (size_t i = 0; i < set_count; i++) {
		struct toolset *t = sets[i].toolset;
		const struct tool_server *rows = NULL;
		size_t count = t->ops->servers ? t->ops->servers(t, r->mem, &rows) : 0;

		for (size_t n = 0; n < count; n++)
			jw_raw(&w, server_text(r->mem, &rows[n], sets[i].cwd));
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
	r->reply = arena_keep(r->mem, buf_str(&out));
	request_answer(r);
}

/* By its name, and by its directory when that is said; else the first of that name. */
static struct toolset_at find_server(struct request *r, const struct tool_server **ret)
{
	const struct cmd_trust_tool_server *c = r->args;
	struct toolset_at *sets;
	size_t set_count = tool_places_list(r->engine, r->mem, &sets);

	for (size_t i = 0; i < set_count; i++) {
		struct toolset *t = sets[i].toolset;
		const struct tool_server *rows = NULL;
		size_t count = t->ops->servers ? t->ops->servers(t, r->mem, &rows) : 0;

		for (size_t n = 0; n < count; n++) {
			bool is_there = !str_is(c->cwd) || (str_is(rows[n].content_hash) &&
			                                    str_eq(sets[i].cwd, c->cwd));

			if (str_eq(rows[n].name, c->server) && is_there) {
				*ret = &rows[n];
				return sets[i];
			}
		}
	}
	return (struct toolset_at){ 0 };
}

/* It is there, and what was looked at; a directory's may have gone and come back since. */
static bool check_server(struct request *r, struct toolset_at *ret_set,
                         const struct tool_server **ret)
{
	const struct cmd_trust_tool_server *c = r->args;

	*ret_set = find_server(r, ret);
	if (!ret_set->toolset)
		request_fail(r, ERROR_CODE_TOOL_SERVER_NOT_FOUND, "there is no tool server %.*s",
		             STR_ARG(c->server));
	else if (str_eq((*ret)->status, STR("unsupported")))
		request_fail(r, ERROR_CODE_INVALID_VALUE, "server: %.*s", STR_ARG((*ret)->detail));
	else if (str_is(c->content_hash) && !str_eq(c->content_hash, (*ret)->content_hash))
		request_fail(r, ERROR_CODE_VERSION_MISMATCH,
		             "the file is another one now: its hash is %.*s",
		             STR_ARG((*ret)->content_hash));
	return !r->code;
}

/* The fact is durable: now it holds. */
static void trusted(struct request *r)
{
	const struct cmd_trust_tool_server *c = r->args;
	const struct tool_server *server;
	struct toolset_at at;
	struct error err;

	if (check_server(r, &at, &server) &&
	    at.toolset->ops->trust(at.toolset, c->server, &err) != OK)
		request_fail(r, ERROR_CODE_INVALID_VALUE, "server: %s", err.message);
	request_answer(r);
}

static void say_trusted(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_trust_tool_server *c = r->args;
	const struct tool_server *server;
	struct reply_trust_tool_server reply = { .server = c->server };
	struct toolset_at at;
	struct outcome *d;

	if (!s || s->state != SESSION_LIVE)
		request_fail(r, ERROR_CODE_OVERLOADED, "the system session cannot be written now");
	if (r->code || !check_server(r, &at, &server)) {
		request_answer(r);
		return;
	}
	reply.content_hash = server->content_hash;
	d = run_begin(s, &r->command);
	input_trusted(d, arena_printf(d->mem, "mcp:%.*s", STR_ARG(c->server)), at.cwd,
	              server->content_hash, c->reason);
	run_end(s, d);
	r->session = s;
	r->reply = rec_text(r->mem, &reply_trust_tool_server_desc, &reply);
	request_keep(r);
	r->then = trusted;
	request_wait(r);
}

void trust_tool_server(struct request *r)
{
	const struct tool_server *server;
	struct toolset_at at;

	tool_places_look(r->engine);
	if (check_server(r, &at, &server))
		request_job(r->engine, STR("sess_system"), true, say_trusted, r);
	else
		request_answer(r);
}
