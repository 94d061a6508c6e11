/*
 * The toolset of built-in tools: its inventory, its settings and its life.
 * tools_call.c runs one call, tools_plan.c makes its sandbox.
 */
#include "tools/tools_snapshot.h"

#include "tools/gen/tools_table.h"
#include "sandbox/host_rule.h"
#include "base/os/id.h"

#include <limits.h>
#include <stdlib.h>

/* ---- the toolset ---- */

static size_t toolset_tools(struct toolset *port, const struct tool_info **ret)
{
	struct tools *t = OWNER_OF(port, struct tools, port);

	*ret = t->infos;
	return t->count;
}

static void toolset_close(struct toolset *port)
{
	struct tools *t = OWNER_OF(port, struct tools, port);

	LIST_EACH_SAFE (&t->calls, node, next)
		tools_call_drop(LIST_ITEM(node, struct tool_handle, node));
	tools_snapshot_drop_all(t);
	tools_diagnose_close(t);
	tools_process_leave_all(t);
	arena_free(t->learned_mem);
	free(t->git_text);
	tools_cache_close(t);
	arena_free(t->mem);
}

static const struct toolset_ops toolset_ops = {
	.tools = toolset_tools,
	.bind = tools_plan_bind,
	.start = tools_call_start,
	.cancel = tools_call_cancel,
	.pause = tools_call_pause,
	.resume = tools_call_resume,
	.close = toolset_close,
	.recover = tools_call_recover,
};

/* Another toolset, such as one of the embedding program, has a tool of that name. */
static bool is_taken(const struct tools_options *o, struct str name)
{
	for (size_t i = 0; i < o->taken_count; i++)
		if (str_eq(o->taken[i], name))
			return true;
	return false;
}

const struct tool_info *tools_find(const struct tools *t, struct str name)
{
	for (size_t i = 0; i < t->count; i++)
		if (str_eq(t->infos[i].name, name))
			return &t->infos[i];
	return NULL;
}

/* Reports an invalid rule at the start instead of with the first command. */
static enum err read_hosts(struct tools *t, struct error *e)
{
	struct host_rules rules;
	struct error why;
	enum err err = host_rule_read_all(t->mem, t->hosts.at, t->hosts.count, &rules, &why);

	return err ? fail(e, err, "sandbox.allow_hosts: %s", why.message) : OK;
}

/* A link could lead elsewhere later, so only real names are taken. */
static enum err check_read_dirs(const struct tools *t, struct error *e)
{
	for (size_t i = 0; i < t->o.read_count; i++) {
		struct str dir = t->o.read[i];
		char full[PATH_MAX];

		if (dir.len < 2 || dir.ptr[0] != '/' || !realpath(dir.ptr, full) ||
		    !str_eq(dir, str_from(full)))
			return fail(e, ERR_INVALID,
			            "sandbox.read_dirs: %.*s is no directory under its own name; "
			            "give an absolute path without links",
			            STR_ARG(dir));
	}
	return OK;
}

/* Reads mode and network of the settings; a word of the catalogue that no sandbox supports is an error. */
static enum err read_words(struct tools *t, const struct tools_options *o, struct error *e)
{
	for (int m = SANDBOX_READ_ONLY; m <= SANDBOX_EXTERNAL; m++)
		if (str_eq(o->mode, sandbox_plan_mode_name((enum sandbox_plan_mode)m)))
			t->mode = (enum sandbox_plan_mode)m;
	for (int n = SANDBOX_NETWORK_OFF; n <= SANDBOX_NETWORK_FULL; n++)
		if (str_eq(o->network, sandbox_plan_network_name((enum sandbox_network)n)))
			t->network = (enum sandbox_network)n;
	if (!str_eq(o->mode, sandbox_plan_mode_name(t->mode)))
		return fail(e, ERR_UNSUPPORTED, "sandbox.mode: there is no sandbox mode %.*s",
		            STR_ARG(o->mode));
	if (!str_eq(o->network, sandbox_plan_network_name(t->network)))
		return fail(e, ERR_UNSUPPORTED, "sandbox.network: there is no network mode %.*s",
		            STR_ARG(o->network));
	enum err err = check_read_dirs(t, e);

	return err ? err : read_hosts(t, e);
}

static void keep_options(struct tools *t, const struct tools_options *o)
{
	char full[PATH_MAX];

	t->o = *o;
	t->o.data_dir = str_is(o->data_dir) && realpath(arena_keep(t->mem, o->data_dir).ptr, full)
	                        ? arena_keep(t->mem, str_from(full))
	                        : STR_NONE;
	t->env.at = ARENA_ARRAY(t->mem, struct str, o->env_count + 1);
	for (size_t i = 0; i < o->env_count; i++)
		t->env.at[t->env.count++] = arena_keep(t->mem, o->env[i]);
	t->hosts.at = ARENA_ARRAY(t->mem, struct str, o->host_count + 1);
	for (size_t i = 0; i < o->host_count; i++)
		t->hosts.at[t->hosts.count++] = arena_keep(t->mem, o->hosts[i]);
	t->o.cache_dir = str_is(o->cache_dir) ? arena_keep(t->mem, o->cache_dir) : STR_NONE;
	t->o.worktree_dir =
		str_is(o->worktree_dir) ? arena_keep(t->mem, o->worktree_dir) : STR_NONE;
	t->o.read = NULL;
	t->o.read_count = 0;
	if (o->read_count) {
		struct str *read = ARENA_ARRAY(t->mem, struct str, o->read_count);

		for (size_t i = 0; i < o->read_count; i++)
			read[t->o.read_count++] = arena_keep(t->mem, o->read[i]);
		t->o.read = read;
	}
	struct str *own = ARENA_ARRAY(t->mem, struct str, o->own_count + 1);

	for (size_t i = 0; i < o->own_count; i++)
		own[i] = arena_keep(t->mem, o->own[i]);
	t->o.own = own;
	/* The lists belong to the caller and end with it. */
	t->o.env = t->o.taken = t->o.hosts = NULL;
	t->o.env_count = t->o.taken_count = t->o.host_count = 0;

	uint8_t entropy[16];
	struct id_source ids;

	o->clock->ops->entropy(o->clock, entropy);
	id_source_init(&ids, 0, entropy);
	t->nonce = id_make_hex(t->mem, &ids, 32);
}

enum err tools_open(const struct tools_options *o, struct toolset **ret, struct error *e)
{
	struct arena *mem = arena_new();
	struct tools *t = ARENA_NEW(mem, struct tools);

	t->mem = mem;
	t->port.ops = &toolset_ops;
	t->processes.ops = &tools_process_ops;
	list_init(&t->calls);
	list_init(&t->snapshots);
	list_init(&t->background);
	keep_options(t, o);

	enum err err = read_words(t, o, e);

	if (!err)
		err = tools_diagnose_open(t, o->diagnose_servers, e);
	if (err) {
		arena_free(mem);
		return err;
	}
	t->infos = ARENA_ARRAY(mem, struct tool_info, COUNT_OF(tools_table));
	for (size_t i = 0; i < COUNT_OF(tools_table); i++)
		if (!is_taken(o, tools_table[i].name))
			t->infos[t->count++] = tools_table[i];
	tools_cache_open(t);
	*ret = &t->port;
	return OK;
}

struct processes *tools_processes(struct toolset *port)
{
	return &OWNER_OF(port, struct tools, port)->processes;
}
