/* Definitions of child agents: finding one by name, and what it narrows. */
#include "core/subagent/agent_definition.h"

#include "base/buf.h"
#include "text/front_matter.h"

/* Names of other agents' tools, for the files that their users have. */
static const struct {
	const char *theirs, *ours;
} names[] = {
	{ "Bash", "shell" },
	{ "bash", "shell" },
	{ "Read", "read_file" },
	{ "read", "read_file" },
	{ "Write", "write_file" },
	{ "write", "write_file" },
	{ "Edit", "edit_file" },
	{ "edit", "edit_file" },
	{ "MultiEdit", "edit_file" },
	{ "Grep", "search" },
	{ "grep", "search" },
	{ "Glob", "glob" },
	{ "LS", "list_dir" },
	{ "list", "list_dir" },
	{ "WebFetch", "fetch_url" },
	{ "webfetch", "fetch_url" },
	{ "TodoWrite", "update_todo" },
	{ "Task", "spawn_agent" },
	{ "Agent", "spawn_agent" },
	{ "Skill", "read_skill" },
};

static struct str our_name(struct str written)
{
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(str_from(names[i].theirs), written))
			return str_from(names[i].ours);
	return written;
}

void agent_definition_read_tools(struct arena *mem, struct str written, struct list_str *ret)
{
	struct str item;

	*ret = (struct list_str){ .items = ARENA_ARRAY(mem, struct str, 1) };
	while (front_matter_next_item(&written, &item))
		if (str_find_char(item, '(') < 0 && rec_list_str_find(ret, our_name(item)) < 0)
			rec_list_str_add(mem, ret, our_name(item));
}

struct str agent_definition_tool(struct arena *mem, struct str name)
{
	return arena_printf(mem, "peer__%.*s", STR_ARG(name));
}

/* Its one tool is the delegation. */
static struct rec_agent_definition *remote_agent(struct decision *d, struct str name)
{
	return KEPT(d, struct rec_agent_definition, .name = name, .remote = true,
	            .has_remote = true, .tools = STRINGS(d, agent_definition_tool(d->mem, name)));
}

struct rec_agent_definition *agent_definition_find(struct decision *d, struct str thread_id,
                                                   struct str name)
{
	const struct st_thread *th = state_thread(d->w, thread_id);
	CLEANUP(buf_done) struct buf known = { 0 };

	for (uint32_t i = 0; th && i < th->agents.count; i++) {
		if (str_eq(th->agents.items[i]->name, name))
			return rec_clone(d->mem, &rec_agent_definition_desc, th->agents.items[i]);
		buf_printf(&known, "%s%.*s", known.len ? ", " : "",
		           STR_ARG(th->agents.items[i]->name));
	}
	if (decision_settings_tool(d->settings, agent_definition_tool(d->mem, name)))
		return remote_agent(d, name);
	decision_refuse(d, ERROR_CODE_NOT_FOUND, "agent: there is no %.*s; known: %.*s",
	                STR_ARG(name), STR_ARG(known.len ? buf_str(&known) : STR("none")));
	return NULL;
}

static bool is_known_model(const struct settings *s, struct str name)
{
	for (size_t i = 0; i < s->model_count; i++) {
		const struct model_info *m = &s->models[i];
		struct str rest = name, provider = str_cut(&rest, '/');

		if (str_eq(m->model, name) ||
		    (str_is(rest) && str_eq(m->provider, provider) && str_eq(m->model, rest)))
			return true;
	}
	return false;
}

/* The next number of a version such as 5-5; -1: none.  What is longer is a date. */
static int64_t next_number(struct str *version)
{
	struct str part = str_is(*version) ? str_cut(version, '-') : STR_NONE;
	int64_t n;

	return part.len && part.len < 4 && str_to_i64(part, &n) ? n : -1;
}

static bool is_newer_version(struct str a, struct str b)
{
	for (;;) {
		int64_t one = next_number(&a), other = next_number(&b);

		if (one != other)
			return one > other;
		if (one < 0)
			return false;
	}
}

/* Claude Code names models by family: opus is the newest claude-opus-… of Anthropic. */
struct str agent_definition_model(const struct settings *s, struct arena *mem, struct str name)
{
	struct str start = arena_printf(mem, "claude-%.*s-", STR_ARG(name));
	struct str best = STR_NONE;

	if (is_known_model(s, name))
		return name;
	if (!str_eq(name, STR("opus")) && !str_eq(name, STR("sonnet")) &&
	    !str_eq(name, STR("haiku")))
		return STR_NONE;
	for (size_t i = 0; i < s->model_count; i++) {
		struct str model = s->models[i].model;

		if (str_eq(s->models[i].provider, STR("anthropic")) && str_starts(model, start) &&
		    (!str_is(best) ||
		     is_newer_version(str_skip(model, start.len), str_skip(best, start.len))))
			best = model;
	}
	return str_is(best) ? arena_printf(mem, "anthropic/%.*s", STR_ARG(best)) : STR_NONE;
}

/* What a child has here means nothing to an agent elsewhere. */
bool agent_definition_allows(struct decision *d, const struct rec_agent_definition *a,
                             const struct rec_isolation *isolation,
                             const struct cmd_spawn_subagent *c)
{
	if (!a->remote)
		return true;
	if (str_is(c->model) || c->has_budget_usd ||
	    rec_enum_read(&enum_isolation_workspace, isolation->workspace) ==
	            ISOLATION_WORKSPACE_WORKTREE)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "agent: %.*s is a remote agent: model, budget and worktree do not "
		                "apply to it",
		                STR_ARG(a->name));
	else if (rec_list_str_find(&isolation->tools, a->tools.items[0]) < 0)
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "agent: the parent has no %.*s",
		                STR_ARG(a->tools.items[0]));
	return !d->refusal;
}

void agent_definition_apply(struct decision *d, const struct rec_agent_definition *a,
                            struct rec_isolation *isolation, struct cmd_spawn_subagent *c)
{
	struct list_str all = isolation->tools;

	if (!str_is(c->model) && str_is(a->model)) {
		c->model = agent_definition_model(d->settings, d->mem, a->model);
		if (str_is(c->model))
			c->model_policy = MODEL_POLICY_OVERRIDE;
	}
	if (!a->tools.items)
		return;
	isolation->tools = decision_strings(d, 0, NULL);
	for (uint32_t i = 0; i < all.count; i++)
		if (rec_list_str_find(&a->tools, all.items[i]) >= 0)
			rec_list_str_add(d->mem, &isolation->tools, all.items[i]);
}
