/*
 * The maker of plans.
 *
 * It adds roots, then what is protected and denied inside them, then private
 * directories; where the tier has no mounts it takes back what only mounts can
 * enforce and says so in `reason`.  Every plan that it returns passes
 * sandbox_plan_check().
 */
#include "sandbox/sandbox_plan_make.h"

#include "base/path/path.h"
#include "sandbox/host_rule.h"

struct maker {
	struct arena *mem;
	const struct sandbox_host *host;
	const struct sandbox_profile *profile;
	struct sandbox_plan p;
};

static void add_once(struct maker *m, struct sandbox_paths *l, struct str path)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->at[i], path))
			return;
	l->at = arena_grow(m->mem, l->at, l->count * sizeof *l->at, (l->count + 1) * sizeof *l->at);
	l->at[l->count++] = arena_keep(m->mem, path);
}

static void add_all(struct maker *m, struct sandbox_paths *l, const struct sandbox_paths *more)
{
	for (size_t i = 0; i < more->count; i++)
		add_once(m, l, more->at[i]);
}

/* Notes that the sandbox holds less than the profile asked for; the reasons are joined. */
static void note_lack(struct maker *m, struct str what)
{
	m->p.is_degraded = true;
	m->p.reason = str_is(m->p.reason) ? arena_printf(m->mem, "%.*s; %.*s", STR_ARG(m->p.reason),
	                                                 STR_ARG(what))
	                                  : arena_keep(m->mem, what);
}

static struct str path_below(struct maker *m, struct str dir, struct str name)
{
	return arena_printf(m->mem, "%.*s/%.*s", dir.len == 1 ? 0 : (int)dir.len, dir.ptr,
	                    STR_ARG(name));
}

static bool has_home(const struct maker *m)
{
	return path_is_clean(m->profile->home) && m->profile->home.len > 1;
}

/* cwd is a read root in every mode; a write root in the same place wins. */
static void add_roots(struct maker *m)
{
	const struct sandbox_profile *w = m->profile;

	add_all(m, &m->p.read_roots, &m->host->system_roots);
	add_once(m, &m->p.read_roots, w->cwd);
	add_all(m, &m->p.read_roots, &w->read);
	for (size_t i = 0; i < m->host->tool_roots.count; i++)
		if (!PATH_UNDER_ANY(m->host->tool_roots.at[i], &m->p.read_roots))
			add_once(m, &m->p.read_roots, m->host->tool_roots.at[i]);
	if (w->mode != SANDBOX_WORKSPACE_WRITE)
		return;
	add_once(m, &m->p.write_roots, w->cwd);
	add_all(m, &m->p.write_roots, &w->write);
}

/*
 * A part of a repository that a commit writes (core/subagent/subagent_worktree.c).  It
 * holds no files of a project; what would lead git elsewhere stays protected.
 */
static bool add_git_part(struct maker *m, struct str root)
{
	static const char *const of_worktree[] = { "commondir", "config.worktree", "gitdir" };
	ptrdiff_t at = str_find(root, STR("/.git/"));
	struct str part;

	if (at < 0)
		return false;
	part = str_skip(root, (size_t)at + 6);
	if (str_eq(part, STR("objects")))
		add_once(m, &m->p.protected_paths, path_below(m, root, STR("info")));
	for (size_t i = 0; str_starts(part, STR("worktrees/")) && i < COUNT_OF(of_worktree); i++)
		add_once(m, &m->p.protected_paths, path_below(m, root, str_from(of_worktree[i])));
	return true;
}

/*
 * A write root that is a part of a repository gets only what add_git_part() adds: names of a
 * project's tree do not occur there.
 */
static void add_protected(struct maker *m)
{
	struct sandbox_plan *p = &m->p;
	const struct sandbox_host *h = m->host;

	for (size_t i = 0; i < p->write_roots.count; i++)
		for (size_t k = 0; k < h->protected_names.count &&
		                   !(k == 0 && add_git_part(m, p->write_roots.at[i]));
		     k++)
			add_once(m, &p->protected_paths,
			         path_below(m, p->write_roots.at[i], h->protected_names.at[k]));
	for (size_t k = 0; k < h->startup_names.count && has_home(m); k++) {
		struct str path = path_below(m, m->profile->home, h->startup_names.at[k]);

		if (PATH_UNDER_ANY(path, &p->write_roots))
			add_once(m, &p->protected_paths, path);
	}
	add_all(m, &p->protected_paths, &m->profile->protect);
}

/* An entry of the list may be a directory: all of it is open for this run. */
static void open_protected(struct maker *m)
{
	const struct sandbox_paths *open = &m->profile->open;
	struct sandbox_paths *all = &m->p.protected_paths;
	size_t kept = 0;

	for (size_t i = 0; i < open->count; i++)
		if (PATH_UNDER_ANY(open->at[i], &m->p.write_roots))
			add_once(m, &m->p.opened_paths, open->at[i]);
	for (size_t i = 0; i < all->count; i++) {
		bool is_open = false;

		for (size_t n = 0; n < m->p.opened_paths.count; n++)
			is_open |= path_is_under(m->p.opened_paths.at[n], all->at[i]);
		if (!is_open)
			all->at[kept++] = all->at[i];
	}
	all->count = kept;
}

/* Secrets are denied only where a root shows them; elsewhere they are not visible at all. */
/* No name in it is protected, because no program with more rights reads it. */
static void add_cache(struct maker *m)
{
	if (str_is(m->profile->cache) && m->profile->mode == SANDBOX_WORKSPACE_WRITE)
		add_once(m, &m->p.write_roots, m->profile->cache);
}

static void add_denied(struct maker *m)
{
	for (size_t k = 0; k < m->host->secret_names.count && has_home(m); k++) {
		struct str path = path_below(m, m->profile->home, m->host->secret_names.at[k]);

		if (sandbox_plan_shows(&m->p, path))
			add_once(m, &m->p.denied_paths, path);
	}
	add_all(m, &m->p.denied_paths, &m->profile->deny);
}

/* A directory that the plan shows stays the real one. */
static void add_private(struct maker *m)
{
	if (!sandbox_plan_shows(&m->p, STR("/tmp")))
		add_once(m, &m->p.private_dirs, STR("/tmp"));
	if (has_home(m) && !sandbox_plan_shows(&m->p, m->profile->home))
		add_once(m, &m->p.private_dirs, m->profile->home);
}

/* What only mounts can enforce leaves the plan; the reason names it. */
static void give_up_mounts(struct maker *m)
{
	struct sandbox_plan *p = &m->p;

	note_lack(m, STR("no namespaces here"));
	add_all(m, &p->read_roots, &m->host->plain_roots);
	if (p->protected_paths.count)
		note_lack(m, STR("protected paths inside write roots are open"));
	if (p->denied_paths.count)
		note_lack(m, STR("denied paths inside roots can be read"));
	p->protected_paths.count = p->denied_paths.count = p->private_dirs.count = 0;
	if (p->allow.count)
		note_lack(m, STR("no host can be reached"));
	p->allow.count = 0;
	if (p->network == SANDBOX_NETWORK_RESTRICTED)
		p->network = SANDBOX_NETWORK_OFF;
	p->tmp_dir = arena_keep(m->mem, m->profile->tmp_dir);
}

static enum err check_hosts(struct arena *mem, const struct sandbox_profile *w, struct error *e)
{
	struct host_rules rules;

	return host_rule_read_all(mem, w->allow.at, w->allow.count, &rules, e);
}

static enum err check_paths(const struct sandbox_profile *w, struct error *e)
{
	const struct sandbox_paths *lists[] = { &w->write, &w->read, &w->deny, &w->protect };

	if (!path_is_clean(w->cwd))
		return fail(e, ERR_INVALID, "cwd: not a canonical path");
	if (str_is(w->cache) && !path_is_clean(w->cache))
		return fail(e, ERR_INVALID, "cache: not a canonical path");
	for (size_t i = 0; i < COUNT_OF(lists); i++)
		for (size_t k = 0; k < lists[i]->count; k++)
			if (!path_is_clean(lists[i]->at[k]))
				return fail(e, ERR_INVALID, "%.*s: not a canonical path",
				            STR_ARG(str_head(lists[i]->at[k], 200)));
	for (size_t k = 0; k < w->write.count; k++)
		if (w->write.at[k].len == 1)
			return fail(e, ERR_INVALID, "/ is not a workspace");
	if (w->cwd.len == 1 && w->mode == SANDBOX_WORKSPACE_WRITE)
		return fail(e, ERR_INVALID, "/ is not a workspace");
	return OK;
}

/* Words of docs/explanation/sandbox.md. */
static void add_unreported(struct maker *m)
{
	struct sandbox_paths *l = &m->p.unreported;

	if (!m->host->tells_refusals) {
		add_once(m, l, STR("everything"));
		return;
	}
	add_once(m, l, STR("metadata"));
	add_once(m, l, STR("hidden_reads"));
	add_once(m, l, STR("absent"));
	add_once(m, l, STR("quiet_calls"));
	add_once(m, l, STR("rights"));
	add_once(m, l, STR("limits"));
	if (m->p.denied_paths.count || m->p.deny_rules.count)
		add_once(m, l, STR("names_in_denied_directories"));
	if (!sandbox_tier_has_namespaces(m->p.tier))
		add_once(m, l, STR("landlock_reads"));
}

static enum err no_mounts(const struct sandbox_profile *w, const char *where, struct error *e)
{
	return fail(e, ERR_UNSUPPORTED,
	            "A rule denies %.*s, and the sandbox %s has no mounts to close that path with. "
	            "Use a sandbox with namespaces (sandbox.mode workspace_write or read_only; "
	            "`thole doctor` says what this machine lacks), or remove the rule",
	            STR_ARG(str_head(w->deny_rules.at[0], 200)), where);
}

static enum err no_tier(struct str why, struct error *e)
{
	return fail(e, ERR_UNSUPPORTED,
	            "no sandbox is available on this machine%s%.*s; mode danger_full_access runs "
	            "without one",
	            str_is(why) ? ": " : "", STR_ARG(why));
}

/*
 * The tier that was requested, or the strongest one below the given one.  Tier none is never
 * chosen here: without a sandbox a command runs only if its mode says so.
 */
static enum err pick_tier(struct maker *m, enum sandbox_tier below_tier, struct str why,
                          struct error *e)
{
	const struct sandbox_profile *w = m->profile;
	int t = w->has_tier ? (int)w->tier : (int)below_tier - 1;

	while (!w->has_tier && t > SANDBOX_NONE && !m->host->has[t])
		t--;
	if (t > SANDBOX_NONE && !m->host->has[t])
		return fail(e, ERR_UNSUPPORTED, "tier %s is not available on this machine%s%.*s",
		            sandbox_tier_name((enum sandbox_tier)t).ptr, str_is(why) ? ": " : "",
		            STR_ARG(why));
	if (t > SANDBOX_NONE && w->is_fail_closed && t != SANDBOX_NAMESPACES)
		return fail(e, ERR_UNSUPPORTED,
		            "only tier %s is available here%s%.*s%s, and nothing weaker than %s is "
		            "allowed",
		            sandbox_tier_name((enum sandbox_tier)t).ptr, str_is(why) ? " (" : "",
		            STR_ARG(why), str_is(why) ? ")" : "",
		            sandbox_tier_name(SANDBOX_NAMESPACES).ptr);
	if (t <= SANDBOX_NONE)
		return no_tier(why, e);
	m->p.tier = (enum sandbox_tier)t;
	return OK;
}

/*
 * The order matters: what is protected, denied and private depends on the roots, and the tier
 * decides at the end what of it can stay.  Deny rules of permissions are never dropped; without
 * mounts the plan is refused.
 */
static enum err plan_make(struct maker *m, enum sandbox_tier below_tier, struct str why,
                          struct sandbox_plan *ret, struct error *e)
{
	const struct sandbox_profile *w = m->profile;
	enum err err = check_paths(w, e);

	if (!err)
		err = check_hosts(m->mem, w, e);
	if (!err)
		err = pick_tier(m, below_tier, why, e);
	if (err)
		return err;
	if (w->deny_rules.count && !sandbox_tier_has_namespaces(m->p.tier))
		return no_mounts(w, sandbox_tier_name(m->p.tier).ptr, e);
	m->p.deny_rules = w->deny_rules;
	add_roots(m);
	add_protected(m);
	open_protected(m);
	add_cache(m);
	add_denied(m);
	add_private(m);
	if (!sandbox_tier_has_namespaces(m->p.tier))
		give_up_mounts(m);
	if (m->p.tier != SANDBOX_NAMESPACES && (str_is(why) || w->has_tier))
		note_lack(m, str_is(why) ? why : STR("the strongest tier was not requested"));
	add_unreported(m);
	err = sandbox_plan_check(&m->p, e);
	if (!err)
		*ret = m->p;
	return err;
}

static struct maker maker_begin(struct arena *mem, const struct sandbox_host *host,
                                const struct sandbox_profile *w)
{
	return (struct maker){
		.mem = mem,
		.host = host,
		.profile = w,
		.p = { .mode = w->mode,
		       .requested_mode = w->mode,
		       .cwd = arena_keep(mem, w->cwd),
		       .home = path_is_clean(w->home) ? arena_keep(mem, w->home) : STR("/"),
		       .user = STR("agent"),
		       .network = w->network,
		       .allow = w->network == SANDBOX_NETWORK_RESTRICTED
		                        ? w->allow
		                        : (struct sandbox_paths){ 0 },
		       .unix_sockets = w->unix_sockets,
		       .openat2 = w->openat2,
		       .limits = w->limits ? *w->limits : sandbox_plan_default_limits }
	};
}

enum err sandbox_plan_make(struct arena *mem, const struct sandbox_host *host,
                           const struct sandbox_profile *profile, struct sandbox_plan *ret,
                           struct error *e)
{
	struct maker m = maker_begin(mem, host, profile);

	if (profile->mode != SANDBOX_DANGER_FULL_ACCESS && profile->mode != SANDBOX_EXTERNAL)
		return plan_make(&m, SANDBOX_TIERS, host->reason, ret, e);
	if (profile->deny_rules.count)
		return no_mounts(profile, sandbox_plan_mode_name(profile->mode).ptr, e);
	m.p.tier = SANDBOX_NONE;
	m.p.network = SANDBOX_NETWORK_FULL;
	m.p.allow.count = 0;
	add_once(&m, &m.p.read_roots, STR("/"));
	add_once(&m, &m.p.write_roots, STR("/"));
	*ret = m.p;
	return OK;
}

enum err sandbox_plan_make_weaker(struct arena *mem, const struct sandbox_host *host,
                                  const struct sandbox_profile *profile, enum sandbox_tier than,
                                  struct str why, struct sandbox_plan *ret, struct error *e)
{
	struct maker m = maker_begin(mem, host, profile);

	return plan_make(&m, than, why, ret, e);
}
