/*
 * The tools of all servers of a set, as the port lists them.  Calls nothing of the servers, so that
 * every file here may use it.
 */
#include "base/gen/words.h"
#include "mcp/mcp_int.h"

static struct str owner_of(struct arena *mem, const struct mcp_server *s)
{
	return arena_printf(mem, "mcp:%.*s", STR_ARG(s->c.name));
}

static bool is_online(const struct mcp_server *s)
{
	if (str_is(s->c.url))
		return true;
	return str_is(s->c.network) ? str_eq(s->c.network, STR(WORD_NETWORK_MODE_FULL))
	                            : s->set->network != SANDBOX_NETWORK_OFF;
}

/* A tool of a server that is down stays in the inventory, as unavailable. */
static struct tool_info info_of(struct arena *mem, const struct mcp_server *s,
                                const struct mcp_offer *o)
{
	return (struct tool_info){
		.name = o->full_name,
		.native_name = o->tool.name,
		.description = o->tool.description,
		.input_schema = o->tool.input_schema,
		.output_schema = o->tool.output_schema,
		.capabilities =
			is_online(s) ? STR("[\"custom\",\"network\"]") : STR("[\"custom\"]"),
		/* No annotation of a server lowers this: without a rule every call asks. */
		.policy = s->state == MCP_READY || s->state == MCP_LOGIN ? TOOL_POLICY_ASK
		                                                         : TOOL_POLICY_UNAVAILABLE,
		.owner = owner_of(mem, s),
		.kind = ITEM_KIND_TOOL_CALL,
		.annotations = o->tool.annotations,
		.definition = sha256_hex(mem, &o->tool.hash),
		.is_changed = o->is_changed,
		.is_destructive = o->tool.is_destructive,
		.is_sandboxed = !str_is(s->c.url),
		.interrupt = INTERRUPT_BEHAVIOR_CANCEL,
		.timeout_ms = s->c.timeout_ms,
	};
}

/* ---- the login of a server whose tools are not known yet ---- */

static struct str login_name(struct arena *mem, const struct mcp_server *s)
{
	return arena_printf(mem, "mcp__%.*s__login", STR_ARG(s->c.name));
}

static bool offers_login(const struct mcp_server *s)
{
	return s->state == MCP_LOGIN && !s->offer_count;
}

/* The call itself asks a person, so it needs no further permission. */
static struct tool_info login_info(struct arena *mem, const struct mcp_server *s)
{
	return (struct tool_info){
		.name = login_name(mem, s),
		.is_added = true,
		.native_name = STR("login"),
		.description = arena_printf(
			mem,
			"Asks the user to sign in to the tool server %.*s, whose tools are not "
			"available before. Call this only when the task needs that server. The "
			"user sees a page to open; the result says whether the login succeeded.",
			STR_ARG(s->c.name)),
		.input_schema = STR("{\"type\":\"object\",\"properties\":{},"
		                    "\"additionalProperties\":false}"),
		.capabilities = STR("[\"custom\",\"network\"]"),
		.policy = TOOL_POLICY_ALLOWED,
		.owner = owner_of(mem, s),
		.kind = ITEM_KIND_TOOL_CALL,
		.interrupt = INTERRUPT_BEHAVIOR_CANCEL,
		.timeout_ms = s->c.timeout_ms,
	};
}

/*
 * Names of servers keep their tools apart (mcp_config.c).  A server can give two of its own tools
 * the same full name; the first one keeps it, here and in mcp_inventory_find().
 */
static bool has_name(const struct mcp_set *s, struct str name)
{
	for (size_t i = 0; i < s->info_count; i++)
		if (str_eq(s->infos[i].name, name))
			return true;
	return false;
}

static void add_resources(struct mcp_set *set, const struct mcp_server *s)
{
	struct tool_info more[MCP_RESOURCE_TOOLS];
	size_t count = mcp_resource_infos(set->infos_mem, s, owner_of(set->infos_mem, s),
	                                  is_online(s), more);

	for (size_t i = 0; i < count; i++)
		if (!has_name(set, more[i].name))
			set->infos[set->info_count++] = more[i];
}

/* Replaces the inventory.  Readers get new pointers through the `changed` callback. */
void mcp_inventory_take(struct mcp_set *s)
{
	size_t total = 0;

	for (size_t i = 0; i < s->server_count; i++)
		total += s->servers[i].offer_count + 1 + MCP_RESOURCE_TOOLS;
	arena_free(s->infos_mem);
	s->infos_mem = arena_new();
	s->infos = ARENA_ARRAY(s->infos_mem, struct tool_info, total + 1);
	s->info_count = 0;
	for (size_t i = 0; i < s->server_count; i++) {
		if (offers_login(&s->servers[i]))
			s->infos[s->info_count++] = login_info(s->infos_mem, &s->servers[i]);
		for (size_t n = 0; n < s->servers[i].offer_count; n++)
			if (!has_name(s, s->servers[i].offers[n].full_name))
				s->infos[s->info_count++] = info_of(s->infos_mem, &s->servers[i],
				                                    &s->servers[i].offers[n]);
		add_resources(s, &s->servers[i]);
	}
}

static void on_news(struct loop_timer *t)
{
	struct mcp_set *s = OWNER_OF(t, struct mcp_set, news);

	mcp_inventory_take(s);
	if (s->changed)
		s->changed(s->changed_owner);
}

/* Several changes in one turn of the loop cause one new inventory. */
void mcp_inventory_changed(struct mcp_set *s)
{
	if (!s->is_stopped)
		loop_timer_start(s->o.loop, &s->news, 0, on_news);
}

struct mcp_server *mcp_inventory_find(struct mcp_set *s, struct str tool,
                                      const struct mcp_offer **ret)
{
	for (size_t i = 0; i < s->server_count; i++)
		for (size_t n = 0; n < s->servers[i].offer_count; n++)
			if (str_eq(s->servers[i].offers[n].full_name, tool)) {
				*ret = &s->servers[i].offers[n];
				return &s->servers[i];
			}
	*ret = NULL;
	for (size_t i = 0; i < s->server_count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new_small();

		if ((s->servers[i].login.login && str_eq(tool, login_name(mem, &s->servers[i]))) ||
		    mcp_resource_find(&s->servers[i], tool))
			return &s->servers[i];
	}
	return NULL;
}
