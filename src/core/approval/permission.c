/*
 * From a call to a decision.  The call becomes acts (what it reads, writes, runs, reaches); rules
 * of files, session and grants are collected; policy/ evaluates the acts under every mode that
 * applies, and the strictest result counts.
 */
#include "core/approval/permission.h"

#include "core/tool/call_input.h"
#include "core/journal/asks.h"
#include "core/approval/escalation.h"
#include "core/subagent/subagent.h"
#include "core/task/task_bounds.h"

#include "base/json.h"
#include "text/patch.h"
#include "base/path/path.h"
#include "policy/rules_proc.h"
#include "policy/shell/analyze.h"

#define ACTS_MAX 1
#define NEEDS_MAX 16 /* files, and hosts, that one approval grants */

enum permission_mode permission_mode_of(const struct state *w, const struct settings *settings)
{
	enum permission_mode mode = w->s->permission_mode ? w->s->permission_mode : settings->mode;

	return mode ? mode : PERMISSION_MODE_DEFAULT;
}

/*
 * A block has ended the call before (evaluate_call() in turn_tool.c), so only the three decisions are
 * left.
 */
static enum approval_decision decision_of_hook(const struct st_call *c)
{
	switch (c->hook_decision) {
	case HOOK_DECISION_ALLOW:
		return APPROVAL_DECISION_ALLOW;
	case HOOK_DECISION_ASK:
		return APPROVAL_DECISION_ASK;
	case HOOK_DECISION_DENY:
		return APPROVAL_DECISION_DENY;
	default:
		return 0;
	}
}

/*
 * A call is evaluated under the session's mode and under every mode that its task or its child
 * agent is bound to.  Returns the narrowest of them, or 0 if there is only the session's.
 */
static enum permission_mode bound_mode(const struct state *w, const struct settings *settings,
                                       const struct task_bounds *bounds, unsigned *ret_modes)
{
	enum permission_mode session = permission_mode_of(w, settings), mode = session;

	*ret_modes = bounds->modes ? bounds->modes | 1u << session : 0;
	for (unsigned m = 1; *ret_modes >> m; m++)
		if (*ret_modes >> m & 1)
			mode = subagent_narrower_mode(mode, (enum permission_mode)m);
	return bounds->modes ? mode : 0;
}

static enum permission_mode turn_mode(const struct state *w, const struct settings *settings,
                                      struct str turn_id, unsigned *ret_modes)
{
	struct task_bounds bounds;

	task_bounds_of(w, turn_id, &bounds);
	return bound_mode(w, settings, &bounds, ret_modes);
}

void permission_bind(struct permission_ask *ask, struct str thread_id, struct str task_id)
{
	struct task_bounds bounds;

	task_bounds_at(ask->w, thread_id, task_id, &bounds);
	ask->mode = bound_mode(ask->w, ask->settings, &bounds, &ask->modes);
}

struct permission_ask permission_of(struct decision *d, const struct tool_info *tool,
                                    const struct st_call *c)
{
	unsigned modes;
	enum permission_mode mode = turn_mode(d->w, d->settings, c->turn_id, &modes);

	return (struct permission_ask){ .mem = d->mem,
		                        .w = d->w,
		                        .settings = d->settings,
		                        .now = d->wall,
		                        .tool = tool,
		                        .args = call_input_text(d, c),
		                        .turn_id = c->turn_id,
		                        .mode = mode,
		                        .modes = modes,
		                        .hook = decision_of_hook(c),
		                        .hook_reason = c->hook_reason };
}

/* ---- rules ---- */

static struct str plain_dir(const struct permission_ask *ask)
{
	return task_bounds_cwd(ask->w, ask->settings, ask->turn_id);
}

/* A link that was redirected or a script that was changed is another script. */
static bool is_same_script(const struct permission_ask *ask, const struct rec_grant_match *m)
{
	const struct settings *s = ask->settings;
	struct str real = m->script, hash;

	if (!str_is(m->script_hash))
		return true;
	if (!s->digest)
		return false;
	if (s->real)
		real = s->real(s->asks, ask->mem, m->script);
	if (!str_is(real) || !str_eq(real, m->script_real))
		return false;
	hash = s->digest(s->asks, ask->mem, real);
	return str_is(hash) && str_eq(hash, m->script_hash);
}

/*
 * A grant that no longer fits (another turn, another workspace, a changed script) is left out, and
 * so is an unreadable one: at worst, the call is asked about again.
 */
static void add_grants(const struct permission_ask *ask, const struct state *from, struct rules *rs)
{
	for (uint32_t i = 0; i < from->s->grants.count; i++) {
		const struct st_grant *g = from->s->grants.items[i];
		struct rec_grant_match match = { 0 };
		struct json v;

		if (str_is(g->turn_id) && !str_eq(g->turn_id, ask->turn_id))
			continue;
		if (str_is(g->cwd) && !str_eq(g->cwd, plain_dir(ask)))
			continue; /* of another workspace */
		if (json_read_trusted(ask->mem, g->match, &v, NULL) == OK &&
		    rec_read(ask->mem, v, &rec_grant_match_desc, REC_TRUSTED, &match, NULL) == OK &&
		    is_same_script(ask, &match))
			rules_add_grant(rs, g->grant_id, &match, g->scope, g->expires_at);
	}
}

/* All rules except grants. */
static void add_given_rules(const struct permission_ask *ask, struct rules *ret)
{
	const struct rules *fixed = ask->settings->rules;

	*ret = (struct rules){ .mem = ask->mem };
	if (fixed && fixed->count) {
		ret->count = ret->cap = fixed->count;
		ret->items = ARENA_ARRAY(ask->mem, struct rule, fixed->count);
		memcpy(ret->items, fixed->items, fixed->count * sizeof *fixed->items);
	}
	/*
	 * Rules are checked when they are set.  If they cannot be read any more, everything is
	 * denied.
	 */
	if (ask->w && str_is(ask->w->s->rules) &&
	    rules_add(ret, ask->w->s->rules, (struct rule_origin){ .source = RULE_SESSION },
	              NULL) != OK &&
	    rules_add(
		    ret,
		    STR("{\"rules\":[{\"id\":\"unreadable\",\"effect\":\"deny\",\"tool\":\"*\"}]}"),
		    (struct rule_origin){ .source = RULE_SESSION }, NULL) != OK)
		return;
}

/*
 * Grants of this session precede those of the system session, which hold for workspaces and hosts.
 */
void permission_rules(const struct permission_ask *ask, struct rules *ret)
{
	const struct state *shared;

	add_given_rules(ask, ret);
	add_grants(ask, ask->w, ret);
	shared = asks_grants(ask->settings);
	if (shared)
		add_grants(ask, shared, ret);
}

/* ---- acts ---- */

struct acts {
	struct act **items;
	uint32_t count;
};

/* The resolved path, so that files below it count as inside with or without links. */
static struct str work_dir(const struct permission_ask *ask)
{
	struct str dir = plain_dir(ask), real = STR_NONE;

	if (str_is(ask->work))
		return ask->work;
	if (ask->settings->real && str_starts(dir, STR("/")))
		real = ask->settings->real(ask->settings->asks, ask->mem, dir);
	return str_is(real) ? real : dir;
}

/* The directories that count as inside: where the call works, and what the person added. */
struct workspace {
	struct str roots[1 + LIMIT_SESSION_DIRECTORIES];
	size_t count;
};

static void workspace_of(const struct permission_ask *ask, struct workspace *ret)
{
	struct list_str more = task_bounds_directories(ask->w, ask->settings, ask->turn_id);

	ret->roots[0] = work_dir(ask);
	ret->count = 1;
	for (uint32_t i = 0; i < more.count && ret->count < COUNT_OF(ret->roots); i++)
		ret->roots[ret->count++] = more.items[i];
}

static bool has_capability(const struct tool_info *tool, struct str word)
{
	return str_find(tool->capabilities, word) >= 0;
}

static bool is_file_tool(const struct tool_info *tool)
{
	return tool->kind == ITEM_KIND_FILE_CHANGE || has_capability(tool, STR("\"filesystem\"")) ||
	       has_capability(tool, STR("\"read\"")) || has_capability(tool, STR("\"write\""));
}

#define REAL_STEPS 64 /* resolving links reads the file system */

/*
 * Every failure on the way leaves the path as ACT_PATH_UNKNOWN, which no allow rule covers.  The
 * analysis has a budget, so that arguments with thousands of paths cannot stall the loop.
 */
static void add_path(const struct permission_ask *ask, struct analysis *budget, struct act *a,
                     struct str given)
{
	struct workspace in;
	struct str root = work_dir(ask), rest;
	struct act_path *p = &a->paths[a->path_count++];

	workspace_of(ask, &in);

	*p = (struct act_path){ .given = given, .word = -1 };
	p->use = ask->tool->is_read_only     ? ACT_READS
	         : ask->tool->is_destructive ? ACT_WRITES | ACT_DELETES
	                                     : ACT_WRITES;
	p->path = p->real = given;
	p->flags = ACT_PATH_UNKNOWN;
	/* A NUL byte would end the path for the kernel and not for the rules. */
	if (!given.len || given.len > RULES_PATH_MAX || memchr(given.ptr, 0, given.len) ||
	    !analysis_fits(budget, root.len + given.len) ||
	    !analysis_spend(budget, rules_paths_place_steps(given) + REAL_STEPS))
		return;
	p->path = p->real = rules_paths_resolve(ask->mem, root, given);
	if (!str_is(p->path))
		return;
	/* A file tool takes names literally: a wildcard in one is an ordinary character. */
	p->flags = rules_paths_place(p->path, ask->settings->home, in.roots, in.count);
	/*
	 * For other tools an argument called `path` need not be a path: deny rules apply to the
	 * guess, and allow rules need not cover it.
	 */
	if (!is_file_tool(ask->tool)) {
		p->flags = ACT_PATH_GUESS | (p->flags & ~(unsigned)ACT_PATH_PERSONAL);
		return;
	}
	if (rules_proc_way(root, given, &rest))
		p->flags |= ACT_PATH_UNKNOWN | ACT_PATH_SECRET | ACT_PATH_PROTECTED;
	if (!ask->settings->real || p->flags & ACT_PATH_UNKNOWN)
		return;
	p->real = ask->settings->real(ask->settings->asks, ask->mem, p->path);
	/* Rules see both names: a link inside the workspace to a file outside counts as outside. */
	if (str_is(p->real)) {
		p->flags = rules_paths_place_behind(p->flags, p->real, ask->settings->home,
		                                    in.roots, in.count);
	} else { /* its target is not known */
		p->real = p->path;
		p->flags |= ACT_PATH_UNKNOWN;
	}
}

/*
 * The files of a patch, parsed as the patch tool parses them; an unreadable patch touches an
 * unknown file.
 */
static void add_patch(const struct permission_ask *ask, struct analysis *budget, struct act *a,
                      struct str text)
{
	struct patch *p = ARENA_NEW(ask->mem, struct patch);
	struct act_path *all;
	struct error e;

	if (patch_read(text, p, &e) != OK)
		p->count = 0;
	/* add_paths() has allocated for its own arguments only. */
	all = ARENA_ARRAY(ask->mem, struct act_path, a->path_count + p->count + 1);
	memcpy(all, a->paths, a->path_count * sizeof *all);
	a->paths = all;
	for (size_t i = 0; i < p->count; i++)
		add_path(ask, budget, a, p->files[i].path);
	if (!p->count)
		a->paths[a->path_count++] =
			(struct act_path){ .given = STR("a patch that cannot be read"),
			                   .word = -1,
			                   .use = ACT_WRITES,
			                   .flags = ACT_PATH_UNKNOWN };
}

static void add_paths(const struct permission_ask *ask, struct analysis *budget, struct act *a,
                      struct json args)
{
	static const char *const keys[] = { "path", "file_path", "to", "from" };
	struct json list = JSON_GET(args, "paths"), v;
	struct json_iter it = json_iter(list);
	size_t most = COUNT_OF(keys) + json_count(list);
	struct str key;

	a->paths = ARENA_ARRAY(ask->mem, struct act_path, most + 1);
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (str_is(json_str(json_get(args, str_from(keys[i])))))
			add_path(ask, budget, a, json_str(json_get(args, str_from(keys[i]))));
	while (json_type(list) == JSON_ARR && json_next(&it, &key, &v))
		if (str_is(json_str(v)))
			add_path(ask, budget, a, json_str(v));
}

/*
 * https://user@host:port/path.  Reads the host as an HTTP client would: the last `@` ends the user
 * part, and a backslash ends the authority.  Otherwise http://allowed.example@evil.example would be
 * taken for the allowed host.
 */
static struct str host_of(struct str url)
{
	ptrdiff_t at = str_find(url, STR("://"));
	struct str s = at < 0 ? url : str_skip(url, (size_t)at + 3);

	for (size_t i = 0; i < s.len; i++)
		if (strchr("/?#\\", s.ptr[i]) || !s.ptr[i])
			s.len = i;
	for (size_t i = s.len; i; i--)
		if (s.ptr[i - 1] == '@') {
			s = str_skip(s, i);
			break;
		}
	if (str_starts(s, STR("["))) {
		at = str_find_char(s, ']');
		return at < 0 ? STR_NONE : str_of(s.ptr + 1, (size_t)at - 1);
	}
	at = str_find_char(s, ':');
	return at < 0 ? s : str_head(s, (size_t)at);
}

/*
 * A host with characters that no host name has counts as unknown, which no allow rule on hosts
 * covers.
 */
static void add_host(const struct permission_ask *ask, struct act *a, struct str host)
{
	a->flags |= ACT_NETWORK;
	if (str_is(host) && host.len && !expand_odd_name(host))
		rec_list_str_add(ask->mem, &a->hosts, host);
	else
		a->has_unknown_host = true;
}

static void add_hosts(const struct permission_ask *ask, struct act *a, struct json args)
{
	struct str url = json_str(JSON_GET(args, "url")), host = json_str(JSON_GET(args, "host"));

	if (str_is(ask->tool->host))
		host = ask->tool->host;
	else if (str_is(url))
		host = host_of(url);
	add_host(ask, a, host);
}

/* A tool without declared capabilities also needs consent. */
static bool wants_consent(const struct tool_info *tool)
{
	return tool->policy == TOOL_POLICY_ASK || tool->policy == TOOL_POLICY_ABSENT;
}

static struct str effect_of(const struct tool_info *tool)
{
	return tool->is_read_only     ? STR("read")
	       : tool->is_destructive ? STR("delete")
	       : is_file_tool(tool)   ? STR("write")
	                              : STR("execute");
}

/*
 * A tool of the runtime that gives commands to a shell: what it does is in its text, so that a grant
 * for the tool would cover any command.
 */
static bool drives_shell(const struct tool_info *tool, const struct act *a)
{
	return !str_is(a->mcp_server) && has_capability(tool, STR("\"shell\""));
}

/*
 * The act of a tool that does one thing, which its arguments name.  ACT_COMPLETE says that the tool
 * touches nothing but its paths and hosts: only for file tools do the arguments name everything.
 */
static struct act *tool_act(const struct permission_ask *ask, struct analysis *budget,
                            struct json args)
{
	const struct tool_info *tool = ask->tool;
	struct str owner = tool->owner;
	struct act *a = ARENA_NEW(ask->mem, struct act);

	a->tool = tool->name;
	a->outer = -1;
	a->effect = effect_of(tool);
	if (tool->is_read_only)
		a->flags |= ACT_READ_ONLY;
	if (tool->is_destructive)
		a->flags |= ACT_DESTRUCTIVE;
	if (is_file_tool(tool))
		a->flags |= ACT_COMPLETE;
	if (wants_consent(tool)) {
		a->flags |= ACT_CONSENT;
		a->why = tool->is_changed
		                 ? STR("the tool's definition is not the one that was known")
		                 : STR("the tool's policy requires a person's consent");
	} else if (!tool->is_read_only) {
		a->why = STR("the tool is not known to be read-only");
	}
	if (!tool->is_read_only && is_file_tool(tool))
		a->rollback =
			STR("restore the files from version control or from the turn's checkpoint");
	else if (tool->is_destructive)
		a->rollback = STR("what it removes has to come from a backup");
	/*
	 * Owners of tools from servers are written mcp:NAME; rules can match the server and its own
	 * name of the tool.
	 */
	if (str_eq(str_cut(&owner, ':'), STR("mcp")) && str_is(owner)) {
		a->mcp_server = owner;
		a->mcp_tool = str_is(tool->native_name) ? tool->native_name : tool->name;
	}
	if (drives_shell(tool, a))
		a->flags |= ACT_STEERED;
	a->definition = tool->definition;
	a->is_changed = tool->is_changed;
	add_paths(ask, budget, a, args);
	if (is_file_tool(tool) && str_is(json_str(JSON_GET(args, "patch"))))
		add_patch(ask, budget, a, json_str(JSON_GET(args, "patch")));
	/* Not all paths were seen, so nothing favourable may follow from those that were. */
	if (analysis_is_spent(budget)) {
		a->flags = (a->flags & ~(unsigned)(ACT_READ_ONLY | ACT_COMPLETE)) | ACT_OPAQUE;
		a->why = STR(ANALYSIS_SPENT_TEXT);
	}
	if (has_capability(tool, STR("\"network\"")))
		add_hosts(ask, a, args);
	return a;
}

/* Nothing is known about the call, so nothing favourable is assumed. */
static struct act *opaque_act(const struct permission_ask *ask, struct str why)
{
	struct act *a = ARENA_NEW(ask->mem, struct act);

	a->tool = ask->tool->name;
	a->outer = -1;
	a->flags = ACT_OPAQUE | ACT_RUNS_CODE;
	a->effect = STR("unknown");
	a->why = why;
	return a;
}

/* Variables of a command are evaluated as if the command line had set them. */
static bool has_risky_variable(struct json env)
{
	struct json_iter it = json_iter(env);
	struct json v;
	struct str key;

	if (json_is(env) && json_type(env) != JSON_OBJ)
		return true;
	while (json_type(env) == JSON_OBJ && json_next(&it, &key, &v))
		if (analyze_env_is_risky(key))
			return true;
	return false;
}

/*
 * Access requested beyond the sandbox is evaluated like the call itself: a deny rule on a path
 * applies here too.  A separate act, so that rules on paths and hosts apply to the requested access
 * as they do to the command.
 */
static struct act *escalate_act(const struct permission_ask *ask)
{
	struct str reason;
	const struct rec_sandbox_override *o = escalation_requested(ask->mem, ask->args, &reason);
	struct str root = work_dir(ask);
	struct workspace in;
	struct act *a;

	if (!o)
		return NULL;
	workspace_of(ask, &in);
	a = ARENA_NEW(ask->mem, struct act);
	a->tool = ask->tool->name;
	a->outer = -1;
	a->flags = o->mode ? ACT_ELEVATES : 0;
	a->effect = STR("escalate");
	a->why = STR("it requests access beyond the sandbox");
	a->paths = ARENA_ARRAY(ask->mem, struct act_path,
	                       o->read_roots.count + o->write_roots.count + 1);
	for (uint32_t i = 0; i < o->read_roots.count + o->write_roots.count; i++) {
		bool reads = i < o->read_roots.count;
		struct str given = reads ? o->read_roots.items[i]
		                         : o->write_roots.items[i - o->read_roots.count];
		struct act_path *p = &a->paths[a->path_count++];

		*p = (struct act_path){ .given = given,
			                .word = -1,
			                .use = reads ? ACT_READS : ACT_WRITES };
		p->path = p->real = rules_paths_resolve(ask->mem, root, given);
		p->flags = rules_paths_place(p->path, ask->settings->home, in.roots, in.count) |
		           ACT_PATH_DEEP;
	}
	if (o->network) {
		a->flags |= ACT_NETWORK;
		a->has_unknown_host = true;
	}
	for (uint32_t i = 0; i < o->hosts.count; i++)
		add_host(ask, a, host_of(o->hosts.items[i]));
	return a;
}

static void add_act(const struct permission_ask *ask, struct acts *to, struct act *more)
{
	struct act **all = ARENA_ARRAY(ask->mem, struct act *, to->count + 1);

	if (to->count)
		memcpy(all, to->items, to->count * sizeof *all);
	all[to->count++] = more;
	to->items = all;
}

/*
 * Where a command starts.  The kernel follows the links in `cwd`, and a shell calls the directory by
 * its real name from then on.  Absent: not known.
 */
static struct str start_dir(const struct permission_ask *ask, struct str root, struct str dir)
{
	struct str whole = str_starts(dir, STR("/")) ? dir
	                                             : arena_printf(ask->mem, "%.*s/%.*s",
	                                                            STR_ARG(root), STR_ARG(dir));

	if (!str_is(dir))
		return root;
	return ask->settings->real ? ask->settings->real(ask->settings->asks, ask->mem, whole)
	                           : rules_paths_resolve(ask->mem, root, dir);
}

/*
 * A command line becomes one act per simple command (policy/shell).  Background commands match
 * rules for `shell` too.
 */
static void command_acts(const struct permission_ask *ask, struct analysis *budget,
                         struct json args, struct acts *ret)
{
	struct str root = work_dir(ask), dir = json_str(JSON_GET(args, "cwd"));
	struct workspace in;
	struct shell_place place = { .cwd = root,
		                     .home = ask->settings->home,
		                     .roots = in.roots,
		                     .real = ask->settings->real,
		                     .owner = ask->settings->asks,
		                     .runs_code = ask->settings->runs_code,
		                     .runs_hooks = ask->settings->runs_hooks,
		                     .budget = budget };
	struct shell_acts acts;

	workspace_of(ask, &in);
	place.root_count = in.count;
	place.cwd = start_dir(ask, root, dir);
	analyze_line(ask->mem, json_str(JSON_GET(args, "command")), &place, &acts);
	for (uint32_t i = 0; i < acts.count; i++) {
		acts.items[i]->tool = ask->tool->name;
		if (ask->tool->is_background)
			acts.items[i]->like = STR("shell");
	}
	ret->items = acts.items;
	ret->count = acts.count;
	/* LD_PRELOAD and the like can make any program do anything. */
	if (has_risky_variable(JSON_GET(args, "env")))
		add_act(ask, ret,
		        opaque_act(
				ask,
				STR("a variable that is given with it changes what programs do")));

	struct act *more = escalate_act(ask);

	if (more)
		add_act(ask, ret, more);
}

static bool is_command(const struct permission_ask *ask, struct json args)
{
	return ask->tool->kind == ITEM_KIND_COMMAND && str_is(json_str(JSON_GET(args, "command")));
}

/*
 * True: the acts are those of a command line, which is evaluated whatever the tool's policy.
 * Arguments that could not be read leave a command opaque, and give a file tool one unknown path.
 */
static bool acts_of(const struct permission_ask *ask, struct analysis *budget, struct acts *ret)
{
	struct json args = { 0 };
	bool is_known =
		str_is(ask->args) && json_read_trusted(ask->mem, ask->args, &args, NULL) == OK;

	if (is_known && is_command(ask, args)) {
		command_acts(ask, budget, args, ret);
		return true;
	}
	ret->items = ARENA_ARRAY(ask->mem, struct act *, ACTS_MAX);
	ret->count = 1;
	if (!is_known && ask->tool->kind == ITEM_KIND_COMMAND)
		ret->items[0] = opaque_act(ask, STR("its input is too large to be evaluated"));
	else
		ret->items[0] = tool_act(ask, budget, args);
	if (!is_known && ask->tool->kind != ITEM_KIND_COMMAND && is_file_tool(ask->tool)) {
		struct act *a = ret->items[0];

		a->paths[a->path_count++] = (struct act_path){ .given = STR("a large input"),
			                                       .word = -1,
			                                       .use = ACT_WRITES,
			                                       .flags = ACT_PATH_UNKNOWN };
	}
	return false;
}

/* ---- evaluation ---- */

static struct judgement judgement_of(const struct permission_ask *ask)
{
	return (struct judgement){
		.mode = ask->mode ? ask->mode : permission_mode_of(ask->w, ask->settings),
		.is_interactive = ask->settings->is_interactive,
		.is_sandboxed = ask->tool->is_sandboxed,
		.denies_by_default =
			ask->settings->config->permission_default == PERMISSION_DEFAULT_DENY,
		.hook = ask->hook,
		.hook_reason = ask->hook_reason,
		.now = ask->now,
		.home = ask->settings->home,
		.root = work_dir(ask),
		.reachable = ask->settings->config->sandbox_allow_hosts.items,
		.reachable_count = ask->settings->config->sandbox_allow_hosts.count,
	};
}

static void set_decision(struct rec_permission_decision *ret, const struct permission_ask *ask,
                         enum approval_decision decision, enum decision_source source,
                         const char *reason)
{
	*ret = (struct rec_permission_decision){
		.decision = decision,
		.decision_source = source,
		.decision_reason = str_from(reason),
		.scope = GRANT_SCOPE_ONCE,
		.mode = ask->mode ? ask->mode : permission_mode_of(ask->w, ask->settings),
		.destructive = ask->tool->is_destructive,
	};
	rec_list_str_add(ask->mem, &ret->rule_refs,
	                 arena_printf(ask->mem, "rule:tool:%.*s", STR_ARG(ask->tool->name)));
}

/* Decides by the tool's own state, before any rule; false: the rules decide. */
static bool tool_decides(const struct permission_ask *ask, struct rec_permission_decision *ret)
{
	switch (ask->tool->policy) {
	case TOOL_POLICY_DENIED:
		set_decision(ret, ask, APPROVAL_DECISION_DENY, DECISION_SOURCE_TOOL_CONTRACT,
		             "the tool is denied by its policy");
		return true;
	case TOOL_POLICY_UNAVAILABLE:
		set_decision(ret, ask, APPROVAL_DECISION_UNAVAILABLE, DECISION_SOURCE_TOOL_CONTRACT,
		             "the tool cannot be used here");
		return true;
	default:
		return false;
	}
}

/* A tool that runs only in a sandbox: an allowed call is allowed there. */
static void keep_in_sandbox(const struct permission_ask *ask, const struct judgement *how,
                            struct rec_permission_decision *d)
{
	if (ask->tool->policy != TOOL_POLICY_SANDBOXED || d->decision != APPROVAL_DECISION_ALLOW)
		return;
	if (how->is_sandboxed) {
		d->decision = APPROVAL_DECISION_SANDBOXED;
		return;
	}
	d->decision = how->is_interactive && how->mode != PERMISSION_MODE_NEVER
	                      ? APPROVAL_DECISION_ASK
	                      : APPROVAL_DECISION_DENY;
	d->decision_source = DECISION_SOURCE_TOOL_CONTRACT;
	d->decision_reason = STR("the tool runs only in a sandbox, and none is available");
}

/*
 * One evaluation under one mode.  `more` are grants that do not exist yet: permission_grants() uses
 * them to prove that they would be enough.
 */
static void evaluate_under(const struct permission_ask *ask, const struct judgement *how,
                           const struct permission_grants *more,
                           struct rec_permission_decision *ret)
{
	struct analysis budget = analysis_of(ask->mem);
	struct judgement within = *how;
	struct rules rs;
	struct acts acts;
	bool is_line = acts_of(ask, &budget, &acts);

	within.budget = &budget;
	permission_rules(ask, &rs);
	/*
	 * The tool's own `allowed` is a rule with the lowest priority.  A command line gets none:
	 * its acts decide.
	 */
	if (!is_line && !wants_consent(ask->tool))
		rules_add_tool(&rs, ask->tool->name);
	for (uint32_t i = 0; more && i < more->count; i++)
		rules_add_grant(&rs, STR("grant_asked"), &more->items[i], GRANT_SCOPE_SESSION, 0);
	rules_evaluate(ask->mem, &rs, &within, acts.items, acts.count, ret);
	keep_in_sandbox(ask, how, ret);
	/* The tool's policy counts only where no rule did. */
	if (!is_line && !ret->rule_refs.count)
		rec_list_str_add(
			ask->mem, &ret->rule_refs,
			arena_printf(ask->mem, "rule:tool:%.*s", STR_ARG(ask->tool->name)));
}

/* A person may read it beside the plan. */
static const char *why_harmless(enum own_tool own)
{
	switch (own) {
	case OWN_TOOL_ABSENT:
		return "asking has no effect outside";
	case OWN_TOOL_EXIT_PLAN:
		return "a plan is carried out only after a person has accepted it";
	case OWN_TOOL_UPDATE_TODO:
		return "a todo list has no effect outside";
	default:
		return "a child agent may do no more than its parent";
	}
}

/*
 * Questions and child agents have no effect outside the runtime; only a rule can forbid them.  The
 * mode does not matter, so the strictest one is not applied: BYPASS leaves only rules.
 */
static void evaluate_question(const struct permission_ask *ask, struct rec_permission_decision *ret)
{
	struct judgement how = judgement_of(ask);

	how.mode = PERMISSION_MODE_BYPASS;
	evaluate_under(ask, &how, NULL, ret);
	if (ret->decision != APPROVAL_DECISION_DENY)
		set_decision(ret, ask, APPROVAL_DECISION_ALLOW, DECISION_SOURCE_TOOL_CONTRACT,
		             why_harmless(ask->tool->own));
}

/* How much a decision lets through, in order: deny, ask, sandboxed, allow. */
static int leeway_of(enum approval_decision d)
{
	switch (d) {
	case APPROVAL_DECISION_ALLOW:
		return 3;
	case APPROVAL_DECISION_SANDBOXED:
		return 2;
	case APPROVAL_DECISION_ASK:
		return 1;
	default:
		return 0;
	}
}

/*
 * Several modes apply: the strictest result counts.  No single order of modes fits all calls, so
 * the call is evaluated under each.
 */
static void evaluate_all(const struct permission_ask *ask, struct rec_permission_decision *ret)
{
	struct judgement how = judgement_of(ask);

	evaluate_under(ask, &how, NULL, ret);
	for (unsigned m = 1; ask->modes >> m; m++) {
		struct rec_permission_decision other = { 0 };

		if (!(ask->modes >> m & 1) || m == (unsigned)ask->mode)
			continue;
		how.mode = (enum permission_mode)m;
		evaluate_under(ask, &how, NULL, &other);
		if (leeway_of(other.decision) < leeway_of(ret->decision))
			*ret = other;
	}
}

void permission_judge(const struct permission_ask *ask, struct rec_permission_decision *ret)
{
	if (tool_decides(ask, ret))
		return;
	if (ask->tool->asks_user || ask->tool->own)
		evaluate_question(ask, ret);
	else
		evaluate_all(ask, ret);
}

void permission_judge_bound(struct decision *d, const struct permission_ask *ask,
                            struct str thread_id, struct str task_id,
                            struct rec_permission_decision *ret)
{
	struct str barred = task_bounds_tool(d, thread_id, task_id, ask->tool);

	permission_judge(ask, ret);
	if (str_is(barred)) {
		ret->decision = APPROVAL_DECISION_DENY;
		ret->decision_source = DECISION_SOURCE_HOST_POLICY;
		ret->decision_reason = barred;
		ret->rule_refs = STRINGS(d, STR("rule:bounds"));
	} else if (ask->modes && ret->mode != permission_mode_of(d->w, d->settings)) {
		rec_list_str_add(d->mem, &ret->rule_refs, STR("constraint:permissionMode"));
	}
}

/*
 * Under BYPASS only rules decide, so a denial that remains comes from a rule.  Mode plan is kept:
 * its denial cannot be answered away either.  A missing person is no prohibition, so one is
 * assumed.
 */
bool permission_forbids(const struct permission_ask *ask, struct rec_permission_decision *ret)
{
	struct judgement how = judgement_of(ask);

	if (how.mode != PERMISSION_MODE_PLAN)
		how.mode = PERMISSION_MODE_BYPASS;
	how.is_interactive = true;
	if (!tool_decides(ask, ret))
		evaluate_under(ask, &how, NULL, ret);
	ret->mode = judgement_of(ask).mode;
	return ret->decision == APPROVAL_DECISION_DENY ||
	       ret->decision == APPROVAL_DECISION_UNAVAILABLE;
}

static struct rules_caller caller_of(const struct tool_info *tool)
{
	struct rules_caller who = { .tool = tool->name };
	struct str owner = tool->owner;

	if (tool->kind == ITEM_KIND_COMMAND && tool->is_background)
		who.like = STR("shell");
	if (str_eq(str_cut(&owner, ':'), STR("mcp")) && str_is(owner)) {
		who.mcp_server = owner;
		who.mcp_tool = str_is(tool->native_name) ? tool->native_name : tool->name;
	}
	return who;
}

/*
 * For the sandbox: it denies the same paths, so that a command cannot reach them by a way that the
 * analysis did not see.  Grants are left out, because they never widen a deny.
 */
void permission_denied_paths(const struct permission_ask *ask, struct rules_denied *ret)
{
	struct judgement how = { .now = ask->now, .home = ask->settings->home, .root = ask->work };
	struct rules_caller who = { 0 };
	struct rules rs;

	if (ask->tool)
		who = caller_of(ask->tool);
	add_given_rules(ask, &rs);
	rules_denied_paths(ask->mem, &rs, &how, &who, ret);
}

/* ---- grants ---- */

static bool add_match(struct permission_grants *g, const struct rec_grant_match *m)
{
	if (g->count == COUNT_OF(g->items))
		return false;
	g->items[g->count++] = *m;
	return true;
}

/*
 * Binds the grant to the script file and its current content; false when these cannot be
 * determined.  A grant for a script must not cover what the script becomes later.
 */
static bool bind_script(const struct permission_ask *ask, const struct act *a,
                        struct rec_grant_match *m)
{
	const struct settings *s = ask->settings;

	if (!str_is(a->script) || !s->digest)
		return true;
	m->script = a->script;
	m->script_real = s->real ? s->real(s->asks, ask->mem, a->script) : a->script;
	if (str_is(m->script_real))
		m->script_hash = s->digest(s->asks, ask->mem, m->script_real);
	return str_is(m->script_hash);
}

static void bind_path(struct rec_grant_match *m, const struct act_path *p)
{
	m->path = p->path;
	m->path_real = str_eq(p->real, p->path) ? STR_NONE : p->real;
}

/*
 * Files of redirections do not appear among the words of the command.  Where a path is protected or
 * a link, its word alone does not say what was approved.
 */
static bool needs_own_match(const struct act_path *p)
{
	bool only_reads = !(p->use & (ACT_WRITES | ACT_DELETES));

	if (p->flags & (ACT_PATH_HARMLESS | ACT_PATH_UNKNOWN) ||
	    (only_reads && p->flags & ACT_PATH_INSIDE && !(p->flags & ACT_PATH_SECRET)))
		return false;
	return p->flags & ACT_PATH_REDIRECTED || !rules_evaluate_is_plain_path(p);
}

/*
 * A word that is not fully known (a variable, a wildcard with several results) could be something
 * else next time, so no grant is offered.  The same holds for what the line gives to the program
 * beside its words: standard input (sqlite3 runs what it reads) and variables.
 */
static bool grant_command(const struct permission_ask *ask, const struct act *a,
                          struct permission_grants *ret)
{
	struct rec_grant_match m = { .tool = ask->tool->name, .cwd = a->cwd };

	if (!a->word_count || a->flags & (ACT_OPAQUE | ACT_OTHER_CODE | ACT_STEERED) ||
	    !str_is(a->cwd) || !bind_script(ask, a, &m))
		return false;
	for (uint32_t i = 0; i < a->word_count; i++) {
		if ((a->words[i].flags & (ACT_WORD_KNOWN | ACT_WORD_MANY)) != ACT_WORD_KNOWN)
			return false;
		rec_list_str_add(ask->mem, &m.command, a->words[i].text);
	}
	if (!add_match(ret, &m))
		return false;
	for (uint32_t i = 0; i < a->path_count; i++)
		if (needs_own_match(&a->paths[i])) {
			bind_path(&m, &a->paths[i]);
			if (!add_match(ret, &m))
				return false;
		}
	m.path = m.path_real = STR_NONE;
	for (uint32_t i = 0; i < a->opened.count; i++) {
		m.host = a->opened.items[i];
		if (!add_match(ret, &m))
			return false;
	}
	return true;
}

/*
 * One match per path and host, each bound to the tool's definition: a server that changes the tool
 * loses the grant.
 */
static bool grant_tool(const struct permission_ask *ask, const struct act *a,
                       struct permission_grants *ret)
{
	struct rec_grant_match m = { .tool = ask->tool->name, .definition = ask->tool->definition };
	uint32_t before = ret->count;

	for (uint32_t i = 0; i < a->path_count; i++) {
		if (a->paths[i].flags & (ACT_PATH_GUESS | ACT_PATH_UNKNOWN))
			continue;
		bind_path(&m, &a->paths[i]);
		if (!add_match(ret, &m))
			return false;
	}
	m.path = m.path_real = STR_NONE;
	for (uint32_t i = 0; i < a->hosts.count; i++) {
		m.host = a->hosts.items[i];
		if (!add_match(ret, &m))
			return false;
	}
	return ret->count > before || add_match(ret, &m);
}

/*
 * For a command line only the acts that need an approval get a grant.  At the end the call is
 * evaluated with the new grants: a grant that would not suffice is not offered, because the user
 * would be asked again in spite of it.
 */
/* A grant is matched like a rule, so `*` and `?` in it would cover more than was approved. */
static bool is_pattern(const struct rec_grant_match *m)
{
	struct str texts[] = { m->tool, m->path, m->host };

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		if (str_find(texts[i], STR("*")) >= 0 || str_find(texts[i], STR("?")) >= 0)
			return true;
	for (uint32_t i = 0; i < m->command.count; i++)
		if (str_find(m->command.items[i], STR("*")) >= 0 ||
		    str_find(m->command.items[i], STR("?")) >= 0)
			return true;
	return false;
}

bool permission_grants(const struct permission_ask *ask, struct permission_grants *ret)
{
	struct analysis budget = analysis_of(ask->mem);
	struct judgement how = judgement_of(ask);
	struct rec_permission_decision d;
	struct acts acts;
	bool is_line = acts_of(ask, &budget, &acts);
	struct rules rs;

	how.budget = &budget;
	analysis_open_rest(&budget);
	*ret = (struct permission_grants){ 0 };
	permission_rules(ask, &rs);
	for (uint32_t i = 0; i < acts.count; i++) {
		if (is_line &&
		    rules_evaluate_act(ask->mem, &rs, &how, acts.items[i], NULL).decision ==
		            APPROVAL_DECISION_ALLOW)
			continue;
		if (!(is_line ? grant_command(ask, acts.items[i], ret)
		              : grant_tool(ask, acts.items[i], ret)))
			return false;
	}
	/* An incomplete analysis may have missed an act. */
	if (budget.is_spent)
		return false;
	for (uint32_t i = 0; i < ret->count; i++)
		if (is_pattern(&ret->items[i]))
			return false;
	evaluate_under(ask, &how, ret, &d);
	return ret->count && d.decision == APPROVAL_DECISION_ALLOW;
}

/* ---- beyond the sandbox ---- */

static bool is_in_any(struct str path, const struct list_str *roots)
{
	for (uint32_t i = 0; i < roots->count; i++)
		if (path_is_under(path, roots->items[i]))
			return true;
	return false;
}

/* Each sandbox has its own /proc, /sys and /dev; the host's would show other processes. */
static bool is_kernels(struct str path)
{
	return path_is_under(path, STR("/proc")) || path_is_under(path, STR("/sys")) ||
	       path_is_under(path, STR("/dev"));
}

/* Commands have a private /tmp, in which they can make any directory; the file tools have not. */
static bool is_private(const struct permission_ask *ask, const struct act_path *p)
{
	return p->flags & ACT_PATH_SHARED && ask->tool->kind == ITEM_KIND_COMMAND;
}

static bool writes_path(const struct act_path *p)
{
	return p->use & (ACT_WRITES | ACT_DELETES);
}

static struct str real_path_of(const struct act_path *p)
{
	return str_is(p->real) ? p->real : p->path;
}

/*
 * A root that shows a directory of the host.  The profile lists the private /tmp and the private
 * home directory of commands among the roots too, and what they write there does not reach the host.
 */
static bool is_of_host(const struct permission_ask *ask, const struct rec_sandbox_profile *sandbox,
                       struct str root)
{
	return ask->tool->kind != ITEM_KIND_COMMAND || str_eq(root, sandbox->cwd) ||
	       !(str_eq(root, STR("/tmp")) || str_eq(root, STR("/var/tmp")) ||
	         str_eq(root, ask->settings->home));
}

static bool is_writable(const struct permission_ask *ask, const struct rec_sandbox_profile *sandbox,
                        struct str path)
{
	for (uint32_t i = 0; i < sandbox->write_roots.count; i++)
		if (path_is_under(path, sandbox->write_roots.items[i]) &&
		    is_of_host(ask, sandbox, sandbox->write_roots.items[i]))
			return true;
	return false;
}

/* Do all parts of the call touch nothing but the paths and hosts that they name? */
static bool touches_only_its_paths(const struct acts *acts)
{
	const unsigned more = ACT_ELEVATES | ACT_SYSTEM | ACT_OPAQUE | ACT_RUNS_CODE |
	                      ACT_OTHER_CODE | ACT_CONSENT;

	for (uint32_t i = 0; i < acts->count; i++)
		if (acts->items[i]->flags & more || !(acts->items[i]->flags & ACT_COMPLETE))
			return false;
	return acts->count > 0;
}

static struct str directory_of(struct str path)
{
	size_t end = path.len;

	while (end > 1 && path.ptr[end - 1] != '/')
		end--;
	return str_head(path, end > 1 ? end - 1 : end);
}

/* What is collected for one call. */
struct needs {
	const struct permission_ask *ask;
	const struct rec_sandbox_profile *sandbox;
	bool is_exact; /* it touches nothing but what it names */
	bool with_tmp; /* directories below the host's /tmp too */
	struct rec_sandbox_override *ret;
};

/* A directory below /tmp may be one of the host, or one that the command makes in its own /tmp. */
static bool may_need(const struct needs *n, const struct act_path *p)
{
	struct str dir = directory_of(real_path_of(p));

	if (!is_private(n->ask, p))
		return true;
	return n->with_tmp && writes_path(p) && !str_eq(dir, STR("/tmp")) &&
	       !str_eq(dir, STR("/var/tmp"));
}

/* A part of a repository itself, of which other parts depend on each other. */
static bool is_in_git(struct str path)
{
	while (path.len) {
		struct str name = str_cut(&path, '/');

		if (str_eq(name, STR(".git")))
			return true;
	}
	return false;
}

/*
 * A protected file of the workspace (agent instructions, CI, settings of editors) that a built-in
 * file tool writes, which touches no other: who approves that call has seen what it writes.
 * Commands get none, because what they do is not known to the same degree.
 */
static bool may_open(const struct needs *n, const struct act_path *p)
{
	const unsigned wanted = ACT_PATH_INSIDE | ACT_PATH_PROTECTED;
	const unsigned never = ACT_PATH_SECRET | ACT_PATH_GUESS | ACT_PATH_UNKNOWN |
	                       ACT_PATH_PATTERN | ACT_PATH_DEEP;

	return n->ask->tool->kind != ITEM_KIND_COMMAND && writes_path(p) &&
	       (p->flags & wanted) == wanted && !(p->flags & never) &&
	       n->sandbox->mode == SANDBOX_MODE_WORKSPACE_WRITE && !is_in_git(real_path_of(p)) &&
	       is_in_any(real_path_of(p), &n->sandbox->protected_paths);
}

static void need_one(const struct needs *n, struct list_str *list, struct str path)
{
	if (rec_list_str_find(list, path) < 0 && list->count < NEEDS_MAX)
		rec_list_str_add(n->ask->mem, list, path);
}

/*
 * One named file, nothing around it.  The built-in file tools write just this file.  A command
 * needs the directory to create or replace it, and gets that only if it is known to touch nothing
 * but what it names: others could do anything there.
 */
static void need_file(const struct needs *n, const struct act_path *p)
{
	const unsigned not_given = ACT_PATH_INSIDE | ACT_PATH_HARMLESS | ACT_PATH_GUESS |
	                           ACT_PATH_UNKNOWN | ACT_PATH_SECRET | ACT_PATH_PROTECTED |
	                           ACT_PATH_PATTERN | ACT_PATH_DEEP;
	struct str path = real_path_of(p);
	bool writes = writes_path(p), is_command = n->ask->tool->kind == ITEM_KIND_COMMAND;
	struct list_str *list = !writes      ? &n->ret->read_files
	                        : is_command ? &n->ret->write_roots
	                                     : &n->ret->write_files;

	if (may_open(n, p)) {
		need_one(n, list, path);
		return;
	}
	if (p->flags & not_given || !may_need(n, p) || path.len < 2 ||
	    !str_starts(path, STR("/")) || is_kernels(path) || is_kernels(p->path))
		return;
	if (writes &&
	    ((is_command && !n->is_exact) || n->sandbox->mode != SANDBOX_MODE_WORKSPACE_WRITE))
		return;
	if (is_writable(n->ask, n->sandbox, path) ||
	    (!writes && is_in_any(path, &n->sandbox->read_roots)))
		return;
	if (writes && is_command)
		path = directory_of(path);
	/* The whole home directory is more than one named file. */
	if (writes && is_command && path_is_under(n->ask->settings->home, path))
		return;
	need_one(n, list, path);
}

/* Only HTTP passes the proxy.  The whole network is granted only on an explicit request. */
static bool speaks_http(const struct act *a)
{
	for (uint32_t i = 0; i < a->word_count; i++)
		if (str_starts(a->words[i].text, STR("http://")) ||
		    str_starts(a->words[i].text, STR("https://")))
			return true;
	return false;
}

static void need_hosts(const struct permission_ask *ask, const struct act *a,
                       const struct rec_network_profile *network, struct rec_sandbox_override *ret)
{
	if (!network || network->mode == NETWORK_MODE_FULL || !speaks_http(a))
		return;
	for (uint32_t i = 0; i < a->hosts.count && ret->hosts.count < NEEDS_MAX; i++) {
		struct str host = arena_printf(ask->mem, "%.*s:*", STR_ARG(a->hosts.items[i]));

		if (rec_list_str_find(&network->allow, host) < 0 &&
		    rec_list_str_find(&ret->hosts, host) < 0)
			rec_list_str_add(ask->mem, &ret->hosts, host);
	}
}

/*
 * Called before a person is asked, so that one question covers the permission and the access that
 * the call is known to need.
 */
bool permission_needs(const struct permission_ask *ask, const struct rec_sandbox_profile *sandbox,
                      bool with_tmp, struct rec_sandbox_override *ret)
{
	struct analysis budget = analysis_of(ask->mem);
	struct needs n = { .ask = ask, .sandbox = sandbox, .with_tmp = with_tmp, .ret = ret };
	struct acts acts;

	*ret = (struct rec_sandbox_override){ 0 };
	if (sandbox->mode != SANDBOX_MODE_READ_ONLY &&
	    sandbox->mode != SANDBOX_MODE_WORKSPACE_WRITE)
		return false;
	acts_of(ask, &budget, &acts);
	n.is_exact = touches_only_its_paths(&acts);
	for (uint32_t i = 0; i < acts.count; i++) {
		for (uint32_t k = 0; k < acts.items[i]->path_count; k++)
			need_file(&n, &acts.items[i]->paths[k]);
		need_hosts(ask, acts.items[i], sandbox->network, ret);
	}
	return ret->hosts.count || ret->read_files.count || ret->write_files.count ||
	       ret->write_roots.count;
}

static bool is_there(const struct permission_ask *ask, struct str path)
{
	const struct settings *s = ask->settings;

	return s->digest && str_is(s->digest(s->asks, ask->mem, path));
}

/*
 * The repository that goes with the path when that is moved or removed: the sandbox protects its
 * settings, and with them every directory above.  Absent: none is known.
 */
static struct str repository_in(const struct permission_ask *ask, struct str path)
{
	struct str git = arena_printf(ask->mem, "%.*s/.git", STR_ARG(path));

	if (str_ends(path, STR("/.git")))
		return path;
	/* A directory, or the file of a worktree or of a submodule. */
	return is_there(ask, arena_printf(ask->mem, "%.*s/HEAD", STR_ARG(git))) ||
	                       is_there(ask, git)
	               ? git
	               : STR_NONE;
}

/* What the sandbox keeps in place when the path is moved or removed; absent: nothing is known. */
static struct str kept_below(const struct permission_ask *ask,
                             const struct rec_sandbox_profile *sandbox, struct str path)
{
	for (uint32_t i = 0; i < sandbox->protected_paths.count; i++)
		if (path_is_under(sandbox->protected_paths.items[i], path) &&
		    is_there(ask, sandbox->protected_paths.items[i]))
			return sandbox->protected_paths.items[i];
	return repository_in(ask, path);
}

/* One path of a call: what of it the sandbox will not let the call change; absent: nothing is known. */
static struct str refused_part(const struct permission_ask *ask,
                               const struct rec_sandbox_profile *sandbox, const struct act_path *p)
{
	const unsigned not_known =
		ACT_PATH_HARMLESS | ACT_PATH_GUESS | ACT_PATH_UNKNOWN | ACT_PATH_PATTERN;
	struct str path = real_path_of(p);

	if (!writes_path(p) || p->flags & not_known || is_private(ask, p) ||
	    !str_starts(path, STR("/")) || is_kernels(path))
		return STR_NONE;
	if ((!(p->flags & ACT_PATH_INSIDE) && !is_writable(ask, sandbox, path)) ||
	    is_in_any(path, &sandbox->protected_paths))
		return path;
	return p->use & ACT_DELETES ? kept_below(ask, sandbox, path) : STR_NONE;
}

struct str permission_refused_write(const struct permission_ask *ask,
                                    const struct rec_sandbox_profile *sandbox)
{
	struct analysis budget = analysis_of(ask->mem);
	struct acts acts;

	if (sandbox->mode != SANDBOX_MODE_WORKSPACE_WRITE)
		return STR_NONE;
	acts_of(ask, &budget, &acts);
	for (uint32_t i = 0; i < acts.count; i++)
		for (uint32_t n = 0; n < acts.items[i]->path_count; n++) {
			struct str path = refused_part(ask, sandbox, &acts.items[i]->paths[n]);

			if (str_is(path))
				return path;
		}
	return STR_NONE;
}

/* ---- the inventory ---- */

/* By a rule on the tool itself, whatever the mode. */
static bool is_forbidden_tool(const struct permission_ask *ask, struct rec_permission_decision *ret)
{
	struct permission_ask open = *ask;

	open.mode = PERMISSION_MODE_BYPASS;
	open.modes = 0;
	return permission_forbids(&open, ret);
}

/*
 * Without arguments there are no paths or hosts: the result is what an ordinary call inside the
 * workspace would get.
 */
enum tool_policy permission_policy(const struct permission_ask *ask, struct str *ret_reason)
{
	struct permission_ask plain = *ask;
	struct rec_permission_decision d;

	*ret_reason = STR_NONE;
	plain.args = STR("{}");
	plain.work = plain_dir(ask); /* no path argument can lead out of it */
	if (ask->tool->kind == ITEM_KIND_COMMAND &&
	    judgement_of(ask).mode == PERMISSION_MODE_PLAN && !is_forbidden_tool(&plain, &d))
		return ask->tool->policy; /* read-only tools still run */
	permission_judge(&plain, &d);
	if (d.decision == APPROVAL_DECISION_DENY || d.decision == APPROVAL_DECISION_UNAVAILABLE)
		*ret_reason = d.decision_reason;
	switch (d.decision) {
	case APPROVAL_DECISION_ALLOW:
		return TOOL_POLICY_ALLOWED;
	case APPROVAL_DECISION_SANDBOXED:
		return TOOL_POLICY_SANDBOXED;
	case APPROVAL_DECISION_ASK:
		return TOOL_POLICY_ASK;
	case APPROVAL_DECISION_UNAVAILABLE:
		return TOOL_POLICY_UNAVAILABLE;
	default:
		return TOOL_POLICY_DENIED;
	}
}

enum permission_mode permission_mode_of_turn(const struct decision *d, const struct st_turn *t)
{
	unsigned modes;
	enum permission_mode narrow = turn_mode(d->w, d->settings, t->turn_id, &modes);

	return narrow ? narrow : permission_mode_of(d->w, d->settings);
}

enum tool_policy permission_policy_of_turn(struct decision *d, const struct st_turn *t,
                                           const struct tool_info *tool, struct str *ret_reason)
{
	unsigned modes;
	enum permission_mode mode = turn_mode(d->w, d->settings, t->turn_id, &modes);
	struct permission_ask ask = { .mem = d->mem,
		                      .w = d->w,
		                      .settings = d->settings,
		                      .now = d->wall,
		                      .tool = tool,
		                      .turn_id = t->turn_id,
		                      .mode = mode,
		                      .modes = modes };
	struct str reason;
	enum tool_policy policy = permission_policy(&ask, &reason);

	if (ret_reason)
		*ret_reason = reason;
	return policy;
}
