/*
 * Which toolset a tool belongs to, and the cage that its calls get: what the
 * toolset answers, as a record that a fact can carry.
 */
#include "core/rules.h"
#include "engine/internal.h"

static bool offers(struct toolset *t, struct str name)
{
	const struct tool_info *infos;
	size_t count = t->ops->tools(t, &infos);

	for (size_t n = 0; n < count; n++)
		if (str_eq(infos[n].name, name))
			return true;
	return false;
}

/* What is everywhere stands before what a directory brings. */
struct toolset *toolset_of(const struct engine *e, struct str cwd, struct str name)
{
	struct toolset *here = tool_places_at(e, cwd);

	for (size_t i = 0; i < e->ports.toolset_count; i++)
		if (offers(e->ports.toolsets[i], name))
			return e->ports.toolsets[i];
	return here && offers(here, name) ? here : NULL;
}

static void take_limits(struct rec_resource_limits *ret, const struct rec_process_limits *l)
{
	ret->timeout_ms = l->timeout_ms;
	ret->inactivity_ms = l->inactivity_ms;
	ret->max_output_bytes = l->max_output_bytes;
	ret->max_processes = l->max_processes;
}

/* The cage that commands get there; false: none is to be had, or not there. */
static bool look_in(struct engine *e, struct str cwd)
{
	struct rec_execution_environment *env = e->environment;
	struct setup_cage cage;
	struct error ignored;

	for (size_t i = 0; i < e->setup.tool_count; i++) {
		const struct setup_tool *t = &e->setup.tools[i];

		if (!t->is_command || !t->is_caged)
			continue;
		if (cage_bind(&e->setup, e->mem, t->name, STR_NONE, cwd, NULL, &cage, &ignored) !=
		    OK)
			return false;
		if (str_is(cage.shell))
			env->shell = cage.shell;
		if (cage.profile->process_limits)
			take_limits(env->resource_limits, cage.profile->process_limits);
		/* Which one is enough here: sandbox.applied holds all of it, call by call. */
		env->sandbox_profile->mode = cage.profile->mode;
		env->sandbox_profile->tier = cage.profile->tier;
		if (cage.profile->network)
			env->network_profile = cage.profile->network;
		return true;
	}
	return false;
}

/*
 * The cage of the first tool that runs commands is that of the environment.
 * Whoever builds cages is started for it, so it is asked when something is
 * about to be decided, not when the runtime starts.
 *
 * A daemon that a command started works in its own data directory, where no
 * cage is given.  So it is looked where the session works, and a no counts
 * until a session in another directory gets one.
 */
#define LOOKS_MAX 16

void cage_look(struct engine *e, const struct session *s)
{
	struct str cwd = session_cwd(s);
	uint64_t here = str_hash(cwd);

	if (e->has_cage || e->looks == LOOKS_MAX || (e->looks && e->looked_in == here))
		return;
	if (!directory_may_touch(e, cwd))
		return; /* it is looked again with the next decision */
	e->looks++;
	e->looked_in = here;
	e->has_cage = look_in(e, cwd);
	/* In the runtime's own sessions nobody works. */
	if (e->has_cage || !session_is_own(s->id))
		e->has_looked = true;
}

struct str override_text(struct arena *mem, const struct rec_sandbox_override *more)
{
	return more ? rec_text(mem, &rec_sandbox_override_desc, more) : STR_NONE;
}

/* ---- denied paths ---- */

/* A rule names one tool, or several with * in the name; tool absent: any of them. */
static bool is_for_tool(struct str pattern, struct str tool)
{
	size_t star = 0;

	if (!str_is(pattern) || !str_is(tool))
		return true;
	while (star < pattern.len && pattern.ptr[star] != '*' && pattern.ptr[star] != '?')
		star++;
	/* what stands behind the first wildcard is not looked at: the plan may only be stricter */
	return star == pattern.len ? str_eq(pattern, tool)
	                           : str_starts(tool, str_head(pattern, star));
}

/* A deny on a path alone, which the sandbox can keep whatever runs in it. */
static bool is_path_deny(const struct rule *r, struct str tool)
{
	return r->effect == DECISION_DENY && str_is(r->path) && !r->has_command &&
	       !str_is(r->host) && !str_is(r->mcp) && is_for_tool(r->tool, tool);
}

/* As rules are matched (core/rules_match.c): relative to the workspace, ~ is the home directory. */
static struct str absolute(struct arena *mem, const struct setup *s, struct str cwd,
                           struct str path)
{
	while (str_starts(path, STR("./")))
		path = str_skip(path, 2);
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	if (str_starts(path, STR("/")))
		return path;
	if (str_starts(path, STR("**")))
		return arena_printf(mem, "/%.*s", STR_ARG(path));
	if (str_eq(path, STR("~")) || str_starts(path, STR("~/")))
		return str_is(s->home) ? arena_printf(mem, "%.*s%.*s", STR_ARG(s->home),
		                                      STR_ARG(str_skip(path, 1)))
		                       : STR_NONE;
	if (str_eq(path, STR(".")) || !path.len)
		return cwd;
	return arena_printf(mem, "%.*s/%.*s", STR_ARG(cwd), STR_ARG(path));
}

static void add_denies(struct arena *mem, const struct setup *s, const struct rules *rs,
                       struct str tool, struct str cwd, struct json_writer *w, size_t *count)
{
	for (uint32_t i = 0; i < rs->count; i++) {
		const struct rule *r = &rs->items[i];
		struct str path;

		if (!is_path_deny(r, tool))
			continue;
		path = absolute(mem, s, cwd, r->path);
		if (!str_is(path))
			continue;
		++*count;
		jw_str(w, r->access == RULE_WRITE ? arena_printf(mem, "write:%.*s", STR_ARG(path))
		                                  : path);
	}
}

struct str cage_denies(struct arena *mem, const struct setup *s, struct str tool, struct str cwd)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct rules own = { .mem = mem };
	struct str real = s->real && str_starts(cwd, STR("/")) ? s->real(NULL, mem, cwd) : STR_NONE;
	struct json_writer w;
	size_t count = 0;

	jw_init(&w, &out);
	jw_arr(&w);
	if (s->rules)
		add_denies(mem, s, s->rules, tool, str_is(real) ? real : cwd, &w, &count);
	/* what cannot be read any more forbids every tool already (core/permission.c) */
	if (s->session && str_is(s->session->s->rules) &&
	    rules_add(&own, s->session->s->rules, (struct rule_origin){ .source = RULE_SESSION },
	              NULL) == OK)
		add_denies(mem, s, &own, tool, str_is(real) ? real : cwd, &w, &count);
	jw_arr_end(&w);
	return count ? arena_keep(mem, buf_str(&out)) : STR_NONE;
}

void cage_tell_denies(struct engine *e, struct str cwd, const struct session *s)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct toolset *here = tool_places_at(e, cwd);
	struct setup mine = e->setup;
	struct str rules;

	policy_rules_at(e, cwd, &mine);
	mine.session = s && s->state == SESSION_LIVE ? s->world : NULL;
	rules = cage_denies(mem, &mine, STR_NONE, cwd);
	if (!str_is(rules))
		return;
	for (size_t i = 0; i < e->ports.toolset_count; i++)
		if (e->ports.toolsets[i]->ops->deny)
			e->ports.toolsets[i]->ops->deny(e->ports.toolsets[i], rules);
	if (here && here->ops->deny)
		here->ops->deny(here, rules);
}

enum err cage_bind(const struct setup *s, struct arena *mem, struct str tool, struct str args,
                   struct str cwd, const struct rec_sandbox_override *more, struct setup_cage *ret,
                   struct error *err)
{
	struct toolset *t = toolset_of(s->bind_owner, cwd, tool);
	struct tool_cage cage = { 0 };
	struct json doc;
	enum err code;

	if (!t || !t->ops->bind)
		return fail(err, ERR_UNSUPPORTED, "the tool knows no cage");
	if (!directory_may_touch(s->bind_owner, cwd))
		return fail(err, ERR_TIMEOUT, "%.*s: the directory does not answer", STR_ARG(cwd));
	code = t->ops->bind(t, mem,
	                    &(struct tool_start){ .name = tool,
	                                          .args = args,
	                                          .cwd = cwd,
	                                          .more = override_text(mem, more),
	                                          .deny = cage_denies(mem, s, tool, cwd) },
	                    &cage, err);
	if (code)
		return code;
	*ret = (struct setup_cage){
		.mode = enum_read(&enum_sandbox_mode, cage.mode),
		.tier = cage.tier,
		.is_degraded = cage.is_degraded,
		.reason = cage.reason,
		.shell = cage.shell,
		.profile = ARENA_NEW(mem, struct rec_sandbox_profile),
	};
	code = json_read_own(mem, cage.profile, &doc, err);
	if (!code)
		code = rec_read(mem, doc, &rec_sandbox_profile_desc, REC_OWN, ret->profile, err);
	if (!code && !ret->mode)
		code = fail(err, ERR_INVALID, "%.*s is no sandbox mode", STR_ARG(cage.mode));
	if (!code && str_is(s->config_ref))
		ret->profile->environment_ref = s->config_ref;
	return code;
}
