#include "sandbox/sandbox_plan.h"

#include "base/gen/limits.h"

#include "sandbox/host_rule.h"
#include "base/path.h"

static const char *const tier_names[SANDBOX_TIERS] = {
	[SANDBOX_NONE] = "none",
	[SANDBOX_LANDLOCK_ROOT] = "landlock-root",
	[SANDBOX_LANDLOCK] = "landlock+seccomp",
	[SANDBOX_NAMESPACES_ROOT] = "namespaces-root",
	[SANDBOX_NAMESPACES_SECCOMP] = "namespaces+seccomp",
	[SANDBOX_NAMESPACES] = "namespaces+landlock+seccomp",
};

const struct sandbox_limits sandbox_limits_default = {
	.timeout_ms = LIMIT_PROCESS_TIMEOUT_MS,
	.inactivity_ms = LIMIT_PROCESS_IDLE_MS,
	.max_output_bytes = LIMIT_PROCESS_OUTPUT_BYTES,
	.max_processes = LIMIT_PROCESS_COUNT,
	.max_memory_bytes = LIMIT_PROCESS_MEMORY_BYTES,
	.max_file_bytes = 4294967296,
	.max_open_files = 4096,
	.private_bytes = 2147483648,
};

struct str sandbox_tier_name(enum sandbox_tier t)
{
	return str_from(tier_names[t]);
}

struct str sandbox_mode_name(enum cage_mode m)
{
	static const char *const names[] = { "read_only", "workspace_write", "danger_full_access",
		                             "external_sandbox" };

	return str_from(names[m]);
}

struct str sandbox_network_name(enum sandbox_network n)
{
	static const char *const names[] = { "off", "restricted", "full" };

	return str_from(names[n]);
}

static bool has_namespaces(enum sandbox_tier t)
{
	return t >= SANDBOX_NAMESPACES_ROOT;
}

/* ---- the machine ---- */

static enum err read_strings(struct arena *mem, struct json v, const char *what,
                             struct sandbox_paths *ret, struct error *e)
{
	struct sandbox_paths l = { ARENA_ARRAY(mem, struct str, json_count(v) + 1), 0 };
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	if (json_type(v) != JSON_ARR)
		return fail(e, ERR_INVALID, "probe: %s is not a list", what);
	while (json_next(&it, &key, &item)) {
		if (!str_is(json_str(item)))
			return fail(e, ERR_INVALID, "probe: %s holds something else than strings",
			            what);
		l.at[l.count++] = arena_keep(mem, json_str(item));
	}
	*ret = l;
	return OK;
}

static enum err read_tiers(struct arena *mem, struct json v, struct sandbox_host *h,
                           struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	while (json_next(&it, &key, &item))
		for (int t = 0; t < SANDBOX_TIERS; t++) {
			struct str name = json_str(JSON_GET(item, "tier"));

			/* a tier of a newer hand is left alone: we could not say what it means */
			if (!str_is(name) || !str_eq(name, str_from(tier_names[t])))
				continue;
			h->has[t] = true;

			enum err err =
				read_strings(mem, JSON_GET(item, "gaps"), "gaps", &h->gaps[t], e);

			if (err)
				return err;
		}
	return OK;
}

enum err sandbox_host_read(struct arena *mem, struct json v, struct sandbox_host *ret,
                           struct error *e)
{
	struct sandbox_host h = { .reason = arena_keep(mem, json_str(JSON_GET(v, "reason"))),
		                  .tells_refusals =
		                          json_bool(JSON_GET(v, "seccompNotify"), false) };
	struct json d = JSON_GET(v, "defaults");
	enum err err = read_tiers(mem, JSON_GET(v, "tiers"), &h, e);

	if (!err)
		err = read_strings(mem, JSON_GET(d, "systemRoots"), "systemRoots", &h.system_roots,
		                   e);
	if (!err)
		err = read_strings(mem, JSON_GET(d, "toolRoots"), "toolRoots", &h.tool_roots, e);
	if (!err)
		err = read_strings(mem, JSON_GET(d, "plainRoots"), "plainRoots", &h.plain_roots, e);
	if (!err)
		err = read_strings(mem, JSON_GET(d, "ownRoots"), "ownRoots", &h.own_roots, e);
	if (!err)
		err = read_strings(mem, JSON_GET(d, "protectedNames"), "protectedNames",
		                   &h.protected_names, e);
	if (!err)
		err = read_strings(mem, JSON_GET(d, "startupNames"), "startupNames",
		                   &h.startup_names, e);
	if (!err)
		err = read_strings(mem, JSON_GET(d, "secretNames"), "secretNames", &h.secret_names,
		                   e);
	if (!err)
		err = read_strings(mem, JSON_GET(d, "env"), "env", &h.env, e);
	if (!err)
		*ret = h;
	return err;
}

/* ---- paths ---- */

/* ---- making ---- */

struct maker {
	struct arena *mem;
	const struct sandbox_host *host;
	const struct sandbox_profile *wish;
	struct sandbox_plan p;
};

static void add(struct maker *m, struct sandbox_paths *l, struct str path)
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
		add(m, l, more->at[i]);
}

static void lack(struct maker *m, struct str what)
{
	m->p.is_degraded = true;
	m->p.reason = str_is(m->p.reason) ? arena_printf(m->mem, "%.*s; %.*s", STR_ARG(m->p.reason),
	                                                 STR_ARG(what))
	                                  : arena_keep(m->mem, what);
}

static struct str below(struct maker *m, struct str dir, struct str name)
{
	return arena_printf(m->mem, "%.*s/%.*s", dir.len == 1 ? 0 : (int)dir.len, dir.ptr,
	                    STR_ARG(name));
}

static bool has_home(const struct maker *m)
{
	return path_is_clean(m->wish->home) && m->wish->home.len > 1;
}

static bool is_visible(const struct sandbox_plan *p, struct str path)
{
	return PATH_UNDER_ANY(path, &p->read_roots) || PATH_UNDER_ANY(path, &p->write_roots);
}

static void add_roots(struct maker *m)
{
	const struct sandbox_profile *w = m->wish;

	add_all(m, &m->p.read_roots, &m->host->system_roots);
	add(m, &m->p.read_roots, w->cwd);
	add_all(m, &m->p.read_roots, &w->read);
	for (size_t i = 0; i < m->host->tool_roots.count; i++)
		if (!PATH_UNDER_ANY(m->host->tool_roots.at[i], &m->p.read_roots))
			add(m, &m->p.read_roots, m->host->tool_roots.at[i]);
	if (w->mode != SANDBOX_WORKSPACE_WRITE)
		return;
	add(m, &m->p.write_roots, w->cwd);
	add_all(m, &m->p.write_roots, &w->write);
}

/*
 * A part of a repository that a commit writes (core/subagent_worktree.c).  No files of a project are
 * there; what leads git elsewhere stays as it is.
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
		add(m, &m->p.protected_paths, below(m, root, STR("info")));
	for (size_t i = 0; str_starts(part, STR("worktrees/")) && i < COUNT_OF(of_worktree); i++)
		add(m, &m->p.protected_paths, below(m, root, str_from(of_worktree[i])));
	return true;
}

static void add_protected(struct maker *m)
{
	struct sandbox_plan *p = &m->p;
	const struct sandbox_host *h = m->host;

	for (size_t i = 0; i < p->write_roots.count; i++)
		for (size_t k = 0; k < h->protected_names.count &&
		                   !(k == 0 && add_git_part(m, p->write_roots.at[i]));
		     k++)
			add(m, &p->protected_paths,
			    below(m, p->write_roots.at[i], h->protected_names.at[k]));
	for (size_t k = 0; k < h->startup_names.count && has_home(m); k++) {
		struct str path = below(m, m->wish->home, h->startup_names.at[k]);

		if (PATH_UNDER_ANY(path, &p->write_roots))
			add(m, &p->protected_paths, path);
	}
	add_all(m, &p->protected_paths, &m->wish->protect);
}

static void add_denied(struct maker *m)
{
	for (size_t k = 0; k < m->host->secret_names.count && has_home(m); k++) {
		struct str path = below(m, m->wish->home, m->host->secret_names.at[k]);

		if (is_visible(&m->p, path))
			add(m, &m->p.denied_paths, path);
	}
	add_all(m, &m->p.denied_paths, &m->wish->deny);
}

static void add_private(struct maker *m)
{
	if (!is_visible(&m->p, STR("/tmp")))
		add(m, &m->p.private_dirs, STR("/tmp"));
	if (has_home(m) && !is_visible(&m->p, m->wish->home))
		add(m, &m->p.private_dirs, m->wish->home);
}

/* What cannot be kept is not in the plan, and is said. */
static void give_up_mounts(struct maker *m)
{
	struct sandbox_plan *p = &m->p;

	lack(m, STR("no namespaces here"));
	add_all(m, &p->read_roots, &m->host->plain_roots);
	if (p->protected_paths.count)
		lack(m, STR("protected paths inside write roots are open"));
	if (p->denied_paths.count)
		lack(m, STR("denied paths inside roots can be read"));
	p->protected_paths.count = p->denied_paths.count = p->private_dirs.count = 0;
	if (p->allow.count)
		lack(m, STR("no host can be reached"));
	p->allow.count = 0;
	if (p->network == SANDBOX_NETWORK_RESTRICTED)
		p->network = SANDBOX_NETWORK_OFF;
	p->tmp_dir = arena_keep(m->mem, m->wish->tmp_dir);
}

static enum err check_hosts(struct arena *mem, const struct sandbox_profile *w, struct error *e)
{
	struct host_rules rules;

	return host_rules_read(mem, w->allow.at, w->allow.count, &rules, e);
}

static enum err check_paths(const struct sandbox_profile *w, struct error *e)
{
	const struct sandbox_paths *lists[] = { &w->write, &w->read, &w->deny, &w->protect };

	if (!path_is_clean(w->cwd))
		return fail(e, ERR_INVALID, "cwd: not a canonical path");
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
		add(m, l, STR("everything"));
		return;
	}
	add(m, l, STR("metadata"));
	add(m, l, STR("hidden_reads"));
	add(m, l, STR("absent"));
	add(m, l, STR("quiet_calls"));
	add(m, l, STR("rights"));
	add(m, l, STR("limits"));
	if (m->p.denied_paths.count || m->p.deny_rules.count)
		add(m, l, STR("names_in_denied_directories"));
	if (!has_namespaces(m->p.tier))
		add(m, l, STR("landlock_reads"));
}

static enum err no_mounts(const struct sandbox_profile *w, const char *where, struct error *e)
{
	return fail(e, ERR_UNSUPPORTED,
	            "A rule denies %.*s, and the sandbox %s has no mounts to close that path with. "
	            "Use a sandbox with namespaces (sandbox.mode workspace_write or read_only; "
	            "`thole doctor` says what this machine lacks), or remove the rule",
	            STR_ARG(str_head(w->deny_rules.at[0], 200)), where);
}

static enum err make(struct maker *m, enum sandbox_tier below_tier, struct str why,
                     struct sandbox_plan *ret, struct error *e)
{
	const struct sandbox_host *h = m->host;
	enum err err = check_paths(m->wish, e);
	int t = (int)below_tier - 1;

	if (!err)
		err = check_hosts(m->mem, m->wish, e);
	if (err)
		return err;
	while (t > SANDBOX_NONE && !h->has[t])
		t--;
	if (t <= SANDBOX_NONE)
		return fail(e, ERR_UNSUPPORTED, "no cage is to be had here%s%.*s",
		            str_is(why) ? ": " : "", STR_ARG(why));
	if (m->wish->is_fail_closed && t != SANDBOX_NAMESPACES)
		return fail(e, ERR_UNSUPPORTED, "only tier %s is to be had here%s%.*s%s",
		            tier_names[t], str_is(why) ? " (" : "", STR_ARG(why),
		            str_is(why) ? ")" : "");
	if (m->wish->deny_rules.count && !has_namespaces((enum sandbox_tier)t))
		return no_mounts(m->wish, tier_names[t], e);
	m->p.tier = (enum sandbox_tier)t;
	m->p.deny_rules = m->wish->deny_rules;
	add_roots(m);
	add_protected(m);
	add_denied(m);
	add_private(m);
	if (!has_namespaces(m->p.tier))
		give_up_mounts(m);
	if (t != SANDBOX_NAMESPACES && str_is(why))
		lack(m, why);
	add_unreported(m);
	*ret = m->p;
	return OK;
}

static struct maker begin(struct arena *mem, const struct sandbox_host *host,
                          const struct sandbox_profile *w)
{
	return (struct maker){ .mem = mem,
		               .host = host,
		               .wish = w,
		               .p = { .mode = w->mode,
		                      .cwd = arena_keep(mem, w->cwd),
		                      .home = path_is_clean(w->home) ? arena_keep(mem, w->home)
		                                                     : STR("/"),
		                      .network = w->network,
		                      .allow = w->network == SANDBOX_NETWORK_RESTRICTED
		                                       ? w->allow
		                                       : (struct sandbox_paths){ 0 },
		                      .unix_sockets = w->unix_sockets,
		                      .openat2 = w->openat2,
		                      .limits = w->limits ? *w->limits : sandbox_limits_default } };
}

enum err sandbox_plan_make(struct arena *mem, const struct sandbox_host *host,
                           const struct sandbox_profile *profile, struct sandbox_plan *ret,
                           struct error *e)
{
	struct maker m = begin(mem, host, profile);

	if (profile->mode != SANDBOX_DANGER_FULL_ACCESS && profile->mode != SANDBOX_EXTERNAL)
		return make(&m, SANDBOX_TIERS, host->reason, ret, e);
	if (profile->deny_rules.count)
		return no_mounts(profile, sandbox_mode_name(profile->mode).ptr, e);
	m.p.tier = SANDBOX_NONE;
	m.p.network = SANDBOX_NETWORK_FULL;
	m.p.allow.count = 0;
	add(&m, &m.p.read_roots, STR("/"));
	add(&m, &m.p.write_roots, STR("/"));
	*ret = m.p;
	return OK;
}

enum err sandbox_plan_weaker(struct arena *mem, const struct sandbox_host *host,
                             const struct sandbox_profile *profile, enum sandbox_tier than,
                             struct str why, struct sandbox_plan *ret, struct error *e)
{
	struct maker m = begin(mem, host, profile);

	return make(&m, than, why, ret, e);
}

/* ---- writing ---- */

static void write_items(struct json_writer *w, const struct sandbox_paths *l)
{
	for (size_t i = 0; i < l->count; i++)
		jw_str(w, l->at[i]);
}

static void write_paths(struct json_writer *w, struct str key, const struct sandbox_paths *l)
{
	jw_key(w, key);
	jw_arr(w);
	write_items(w, l);
	jw_arr_end(w);
}

static void write_network(struct json_writer *w, const struct sandbox_plan *p)
{
	JW_KEY(w, "network");
	jw_obj(w);
	JW_KSTR(w, "mode", sandbox_network_name(p->network));
	if (p->allow.count)
		write_paths(w, STR("allow"), &p->allow);
	JW_KBOOL(w, "loopback", p->network == SANDBOX_NETWORK_FULL);
	jw_obj_end(w);
}

void sandbox_plan_write(struct json_writer *w, const struct sandbox_plan *p)
{
	const struct sandbox_limits *l = &p->limits;

	jw_obj(w);
	JW_KINT(w, "version", 1);
	JW_KSTR(w, "mode", sandbox_mode_name(p->mode));
	JW_KSTR(w, "requestedMode", sandbox_mode_name(p->mode));
	JW_KSTR(w, "tier", sandbox_tier_name(p->tier));
	JW_KSTR(w, "cwd", p->cwd);
	write_paths(w, STR("readRoots"), &p->read_roots);
	write_paths(w, STR("writeRoots"), &p->write_roots);
	write_paths(w, STR("privateDirs"), &p->private_dirs);
	JW_KOPT(w, "tmpDir", p->tmp_dir);
	write_paths(w, STR("protectedPaths"), &p->protected_paths);
	write_paths(w, STR("deniedPaths"), &p->denied_paths);
	write_paths(w, STR("denyRules"), &p->deny_rules);
	write_network(w, p);
	JW_KBOOL(w, "unixSockets", p->unix_sockets);
	JW_KBOOL(w, "openat2", p->openat2);
	JW_KSTR(w, "home", p->home);
	JW_KSTR(w, "user", STR("agent"));
	JW_KEY(w, "limits");
	jw_obj(w);
	JW_KINT(w, "timeoutMs", l->timeout_ms);
	JW_KINT(w, "inactivityMs", l->inactivity_ms);
	JW_KINT(w, "maxOutputBytes", l->max_output_bytes);
	JW_KINT(w, "maxProcesses", l->max_processes);
	JW_KINT(w, "maxMemoryBytes", l->max_memory_bytes);
	JW_KINT(w, "maxFileBytes", l->max_file_bytes);
	JW_KINT(w, "maxOpenFiles", l->max_open_files);
	JW_KINT(w, "maxCpuS", l->max_cpu_s);
	JW_KINT(w, "privateBytes", l->private_bytes);
	jw_obj_end(w);
	jw_obj_end(w);
}

void sandbox_plan_write_facts(struct json_writer *w, const struct sandbox_plan *p, bool tty,
                              struct str stdin_is, struct str environment_ref)
{
	jw_obj(w);
	JW_KSTR(w, "mode", sandbox_mode_name(p->mode));
	JW_KSTR(w, "tier", sandbox_tier_name(p->tier));
	JW_KSTR(w, "requestedMode", sandbox_mode_name(p->mode));
	JW_KSTR(w, "enforcement", STR("exact_or_fail"));
	JW_KSTR(w, "cwd", p->cwd);
	write_paths(w, STR("readRoots"), &p->read_roots);
	JW_KEY(w, "writeRoots");
	jw_arr(w);
	write_items(w, &p->write_roots);
	write_items(w, &p->private_dirs);
	if (str_is(p->tmp_dir))
		jw_str(w, p->tmp_dir);
	jw_arr_end(w);
	write_paths(w, STR("protectedPaths"), &p->protected_paths);
	if (p->deny_rules.count)
		write_paths(w, STR("deniedPaths"), &p->deny_rules);
	if (p->unreported.count)
		write_paths(w, STR("unreported"), &p->unreported);
	write_network(w, p);
	JW_KOPT(w, "environmentRef", environment_ref);
	JW_KEY(w, "processLimits");
	jw_obj(w);
	JW_KINT(w, "timeoutMs", p->limits.timeout_ms);
	JW_KINT(w, "inactivityMs", p->limits.inactivity_ms);
	JW_KINT(w, "maxOutputBytes", p->limits.max_output_bytes);
	JW_KINT(w, "maxProcesses", p->limits.max_processes);
	if (p->limits.max_memory_bytes)
		JW_KINT(w, "maxMemoryBytes", p->limits.max_memory_bytes);
	if (p->limits.max_file_bytes)
		JW_KINT(w, "maxFileBytes", p->limits.max_file_bytes);
	if (p->limits.private_bytes && p->private_dirs.count)
		JW_KINT(w, "privateBytes", p->limits.private_bytes);
	JW_KBOOL(w, "tty", tty);
	JW_KSTR(w, "stdin", stdin_is);
	jw_obj_end(w);
	JW_KEY(w, "violationRefs");
	jw_arr(w);
	jw_arr_end(w);
	jw_obj_end(w);
}

void sandbox_deny_rules_read(struct arena *mem, struct str text, struct sandbox_paths *ret)
{
	struct json list, v;
	struct json_iter it;
	struct str key;

	*ret = (struct sandbox_paths){ 0 };
	if (!str_is(text) || json_read(mem, text, &list, NULL) != OK)
		return;
	ret->at = ARENA_ARRAY(mem, struct str, json_count(list) + 1);
	it = json_iter(list);
	while (json_next(&it, &key, &v))
		if (json_str(v).len)
			ret->at[ret->count++] = arena_keep(mem, json_str(v));
}

/* ---- environment and advice ---- */

struct str sandbox_visible_path(struct arena *mem, const struct sandbox_plan *p, struct str path)
{
	struct str out = STR("");

	if (p->tier == SANDBOX_NONE)
		return arena_keep(mem, path);
	while (str_is(path)) {
		struct str dir = str_cut(&path, ':');

		if (path_is_clean(dir) && is_visible(p, dir))
			out = arena_printf(mem, "%.*s%s%.*s", STR_ARG(out), out.len ? ":" : "",
			                   STR_ARG(dir));
	}
	return out;
}

static struct str variable(char *const *from, struct str name)
{
	for (; from && *from; from++) {
		struct str v = str_from(*from);

		if (str_starts(v, name) && v.len > name.len && v.ptr[name.len] == '=')
			return v;
	}
	return STR_NONE;
}

void sandbox_env(struct arena *mem, char *const *from, const struct sandbox_paths *allowed,
                 const struct sandbox_paths *own, struct sandbox_paths *ret)
{
	struct sandbox_paths l = { ARENA_ARRAY(mem, struct str, allowed->count + own->count + 1),
		                   0 };

	for (size_t i = 0; i < allowed->count; i++) {
		struct str v = variable(from, allowed->at[i]);

		if (str_is(v))
			l.at[l.count++] = arena_keep(mem, v);
	}
	for (size_t i = 0; i < own->count; i++) {
		struct str v = own->at[i], name = str_cut(&v, '=');

		/* the call's own replaces what was passed on */
		for (size_t k = 0; k < l.count; k++)
			if (str_starts(l.at[k], name) && l.at[k].ptr[name.len] == '=')
				l.at[k--] = l.at[--l.count];
		l.at[l.count++] = arena_keep(mem, own->at[i]);
	}
	*ret = l;
}

/* As a rule names it. */
static struct str host_port(struct arena *mem, const struct sandbox_hit *hit)
{
	struct str host = str_is(hit->address) ? hit->address : hit->host;
	bool is_v6 = str_find_char(host, ':') >= 0;

	return arena_printf(mem, "%s%.*s%s:%lld", is_v6 ? "[" : "", STR_ARG(host), is_v6 ? "]" : "",
	                    (long long)hit->port);
}

struct str sandbox_would_allow(struct arena *mem, const struct sandbox_plan *p,
                               const struct sandbox_hit *hit)
{
	bool is_network = str_eq(hit->kind, STR("network"));

	if (is_network && str_is(hit->path))
		return STR("unix sockets in the cage (needs a person)");
	if (str_is(hit->host))
		return arena_printf(mem, "%s %.*s%s", str_is(hit->call) ? "network to" : "host",
		                    STR_ARG(host_port(mem, hit)),
		                    str_is(hit->call) ? " (needs a person)"
		                                      : " in sandbox.allow_hosts (needs a person)");
	if (is_network && str_is(hit->call) && str_eq(hit->call, STR("socket")) &&
	    p->network != SANDBOX_NETWORK_FULL && p->tier < SANDBOX_NAMESPACES_ROOT)
		return STR("network full (needs a person)");
	if (str_eq(hit->kind, STR("filesystem")) && str_is(hit->path))
		return arena_printf(mem, "write root %.*s (needs a person)", STR_ARG(hit->path));
	return STR_NONE; /* the calls that are refused are refused to everybody */
}

static struct str needs_text(struct arena *mem,
                             void (*fill)(struct json_writer *w, struct str what), struct str what)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	fill(&w, what);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&text));
}

static void fill_sockets(struct json_writer *w, struct str what)
{
	(void)what;
	JW_KBOOL(w, "unixSockets", true);
}

static void fill_host(struct json_writer *w, struct str what)
{
	JW_KEY(w, "hosts");
	jw_arr(w);
	jw_str(w, what);
	jw_arr_end(w);
}

static void fill_network(struct json_writer *w, struct str what)
{
	JW_KSTR(w, "network", STR("full"));
	if (str_is(what))
		fill_host(w, what);
}

static void fill_no_cage(struct json_writer *w, struct str what)
{
	(void)what;
	JW_KSTR(w, "mode", sandbox_mode_name(SANDBOX_DANGER_FULL_ACCESS));
}

static void fill_write(struct json_writer *w, struct str what)
{
	JW_KEY(w, "writeRoots");
	jw_arr(w);
	jw_str(w, what);
	jw_arr_end(w);
}

struct str sandbox_needs(struct arena *mem, const struct sandbox_hit *hit)
{
	bool is_network = str_eq(hit->kind, STR("network"));

	if (is_network && str_is(hit->path))
		return needs_text(mem, fill_sockets, STR_NONE);
	/* who asked the proxy is served by the proxy; who did not knows the host's network only */
	if (str_is(hit->host))
		return needs_text(mem, str_is(hit->call) ? fill_network : fill_host,
		                  host_port(mem, hit));
	if (is_network)
		return str_is(hit->call) ? needs_text(mem, fill_network, STR_NONE) : STR_NONE;
	if (str_eq(hit->kind, STR("filesystem")) && str_is(hit->path))
		return needs_text(mem, fill_write, hit->path);
	return needs_text(mem, fill_no_cage, STR_NONE);
}
