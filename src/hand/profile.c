#include "hand/profile.h"

#include "base/gen/protected_paths.h"

#include "hand/sys.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *const system_roots[] = {
	"/usr",
	"/bin",
	"/sbin",
	"/lib",
	"/lib32",
	"/lib64",
	"/libx32",
	"/opt",
	"/nix/store",
	"/gnu/store",
	/* of /etc only what is no secret and what programs look for; each costs a mount */
	"/etc/alternatives",
	"/etc/crypto-policies",
	"/etc/fonts",
	"/etc/gitconfig",
	"/etc/java",
	"/etc/ld.so.cache",
	"/etc/ld.so.conf",
	"/etc/ld.so.conf.d",
	"/etc/localtime",
	"/etc/mime.types",
	"/etc/nsswitch.conf",
	"/etc/os-release",
	"/etc/pki/tls/certs",
	"/etc/profile",
	"/etc/protocols",
	"/etc/services",
	"/etc/ssl/certs",
	"/etc/ssl/openssl.cnf",
};

static const char *const plain_roots[] = { "/etc/passwd", "/etc/group", "/etc/hosts",
	                                   "/etc/resolv.conf" };

/* What is run or believed later by others: the same list as that of the rules. */
const char *const profile_protected[] = { PROTECTED_PATHS_TREE, NULL };
const char *const profile_startup[] = { PROTECTED_PATHS_HOME, PROTECTED_PATHS_BELOW_HOME, NULL };
const char *const profile_secret[] = {
	".ssh",
	".gnupg",
	".aws",
	".azure",
	".config/gcloud",
	".config/gh",
	".docker",
	".kube",
	".netrc",
	".npmrc",
	".pypirc",
	".git-credentials",
	".cargo/credentials.toml",
	".local/share/keyrings",
	".mozilla",
	".config/google-chrome",
	".password-store",
	".bash_history",
	NULL,
};
/* Where people keep compilers and interpreters; read only. */
static const char *const tool_names[] = {
	".cargo",
	".rustup",
	".nvm",
	".pyenv",
	".rbenv",
	".asdf",
	".sdkman",
	".volta",
	".bun",
	".deno",
	".ghcup",
	".opam",
	".elan",
	".local/bin",
	".local/lib",
	".local/share/mise",
	".local/share/uv",
	"go",
	"miniconda3",
	"anaconda3",
};
const char *const profile_env[] = { "PATH", "HOME", "LANG", "TERM", "TZ", NULL };

const struct plan_limits profile_limits = {
	.timeout_ms = 120000,
	.inactivity_ms = 60000,
	.max_output_bytes = 1073741824,
	.max_processes = 256,
	.max_memory_bytes = 2147483648,
	.max_file_bytes = 4294967296,
	.max_open_files = 4096,
	.private_bytes = 2147483648,
};

static void find_roots(struct arena *mem, const char *const *names, size_t count,
                       struct plan_list *ret)
{
	struct plan_list l = { ARENA_ARRAY(mem, struct str, count), 0 };

	for (size_t i = 0; i < count; i++) {
		/* reached through a link (/etc/ssl -> ...) it would not be found by a plan */
		FD_SCOPE fd = sys_open_place(AT_FDCWD, names[i]);

		if (fd >= 0)
			l.at[l.count++] = str_from(names[i]);
	}
	*ret = l;
}

void profile_system_roots(struct arena *mem, struct plan_list *ret)
{
	find_roots(mem, system_roots, COUNT_OF(system_roots), ret);
}

void profile_plain_roots(struct arena *mem, struct plan_list *ret)
{
	find_roots(mem, plain_roots, COUNT_OF(plain_roots), ret);
}

void profile_tool_roots(struct arena *mem, struct str home, struct plan_list *ret)
{
	const char *paths[COUNT_OF(tool_names)];

	*ret = (struct plan_list){ 0 };
	if (!path_is_clean(home) || home.len == 1)
		return;
	for (size_t i = 0; i < COUNT_OF(tool_names); i++)
		paths[i] = arena_printf(mem, "%.*s/%s", STR_ARG(home), tool_names[i]).ptr;
	find_roots(mem, paths, COUNT_OF(paths), ret);
}

bool profile_is_system(struct str path)
{
	for (size_t i = 0; i < COUNT_OF(system_roots); i++)
		if (str_eq(path, str_from(system_roots[i])))
			return true;
	return path.len == 1 || path_is_under(path, STR("/usr")) ||
	       path_is_under(path, STR("/etc"));
}

struct own {
	struct arena *mem;
	struct plan_list list;
};

static void add_own(struct own *o, const char *path)
{
	struct str p = str_from(path);

	if (!path_is_clean(p) || profile_is_system(p) || path_is_under(p, STR("/lib")))
		return;
	for (size_t i = 0; i < o->list.count; i++)
		if (str_eq(o->list.at[i], p))
			return;
	o->list.at = arena_grow(o->mem, o->list.at, o->list.count * sizeof *o->list.at,
	                        (o->list.count + 1) * sizeof *o->list.at);
	o->list.at[o->list.count++] = arena_keep(o->mem, p);
}

/*
 * A library is often a link to its version: both names are needed.  The
 * loader may know it as PROGRAM/../lib/NAME, which no plan takes.
 */
static int on_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	struct own *o = arg;
	char real[PATH_MAX];

	(void)size;
	if (!name || info->dlpi_name[0] != '/')
		return 0;

	struct str dir =
		arena_keep(o->mem, str_of(info->dlpi_name, (size_t)(name - info->dlpi_name) + 1));

	if (realpath(dir.ptr, real))
		add_own(o, arena_printf(o->mem, "%s%s", real, name).ptr);
	if (realpath(info->dlpi_name, real))
		add_own(o, real);
	return 0;
}

void profile_own_roots(struct arena *mem, struct plan_list *ret)
{
	struct own o = { .mem = mem };
	char self[PATH_MAX];

	if (realpath("/proc/self/exe", self)) {
		o.list.at = ARENA_ARRAY(mem, struct str, 1);
		o.list.at[o.list.count++] = arena_keep(mem, str_from(self));
		dl_iterate_phdr(on_library, &o);
	}
	*ret = o.list;
}

struct str profile_visible_path(struct arena *mem, const struct plan *p, struct str path)
{
	struct str out = STR("");

	if (p->tier == TIER_NONE)
		return arena_keep(mem, path);
	while (str_is(path)) {
		struct str dir = str_cut(&path, ':');

		/* what cannot be executed can still be seen by a stat() and mistaken for the program */
		if (path_is_clean(dir) &&
		    (PATH_UNDER_ANY(dir, &p->read_roots) || PATH_UNDER_ANY(dir, &p->write_roots)))
			out = arena_printf(mem, "%.*s%s%.*s", STR_ARG(out), out.len ? ":" : "",
			                   STR_ARG(dir));
	}
	return out;
}

/* ---- making a plan ---- */

struct maker {
	struct arena *mem;
	const struct profile_wish *wish;
	struct plan *p;
	struct str reason;
};

static void add(struct maker *m, struct plan_list *l, struct str path)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->at[i], path))
			return;
	l->at = arena_grow(m->mem, l->at, l->count * sizeof *l->at, (l->count + 1) * sizeof *l->at);
	l->at[l->count++] = arena_keep(m->mem, path);
}

static void add_list(struct maker *m, struct plan_list *l, const struct plan_list *more)
{
	for (size_t i = 0; i < more->count; i++)
		add(m, l, more->at[i]);
}

static void lack(struct maker *m, const char *what)
{
	m->reason = str_is(m->reason) ? arena_printf(m->mem, "%s; %s", m->reason.ptr, what)
	                              : arena_keep(m->mem, str_from(what));
}

static struct str below(struct maker *m, struct str dir, const char *name)
{
	return dir.len == 1 ? arena_printf(m->mem, "/%s", name)
	                    : arena_printf(m->mem, "%s/%s", dir.ptr, name);
}

static bool has_home(const struct maker *m)
{
	return path_is_clean(m->wish->home) && m->wish->home.len > 1;
}

static void add_tools(struct maker *m)
{
	struct plan_list tools;

	profile_tool_roots(m->mem, m->wish->home, &tools);
	for (size_t i = 0; i < tools.count; i++)
		if (!PATH_UNDER_ANY(tools.at[i], &m->p->read_roots))
			add(m, &m->p->read_roots, tools.at[i]);
}

static void protect(struct maker *m)
{
	struct plan *p = m->p;

	for (size_t i = 0; i < p->write_roots.count; i++)
		for (const char *const *name = profile_protected; *name; name++)
			add(m, &p->protected_paths, below(m, p->write_roots.at[i], *name));
	for (const char *const *name = profile_startup; *name && has_home(m); name++) {
		struct str path = below(m, m->wish->home, *name);

		if (PATH_UNDER_ANY(path, &p->write_roots))
			add(m, &p->protected_paths, path);
	}
	add_list(m, &p->protected_paths, &m->wish->protect);
}

static bool is_visible(const struct plan *p, struct str path)
{
	return PATH_UNDER_ANY(path, &p->read_roots) || PATH_UNDER_ANY(path, &p->write_roots);
}

static void deny(struct maker *m)
{
	for (const char *const *name = profile_secret; *name && has_home(m); name++) {
		struct str path = below(m, m->wish->home, *name);

		if (is_visible(m->p, path))
			add(m, &m->p->denied_paths, path);
	}
	add_list(m, &m->p->denied_paths, &m->wish->deny);
}

/* Empty, and gone afterwards, unless a root shows what is really there. */
static void make_private(struct maker *m)
{
	if (!is_visible(m->p, STR("/tmp")))
		add(m, &m->p->private_dirs, STR("/tmp"));
	if (has_home(m) && !is_visible(m->p, m->wish->home))
		add(m, &m->p->private_dirs, m->wish->home);
}

static void without_namespaces(struct maker *m)
{
	struct plan *p = m->p;
	struct plan_list plain;

	lack(m, "no namespaces here");
	profile_plain_roots(m->mem, &plain);
	add_list(m, &p->read_roots, &plain);
	if (p->protected_paths.count)
		lack(m, "protected paths inside write roots are open");
	if (p->denied_paths.count)
		lack(m, "denied paths inside roots can be read");
	p->protected_paths.count = p->denied_paths.count = p->private_dirs.count = 0;
	if (p->allow.count)
		lack(m, "no host can be reached");
	p->allow.count = 0;
	if (p->network == NETWORK_RESTRICTED)
		p->network = NETWORK_OFF;
	p->tmp_dir = m->wish->tmp_dir;
}

static void uncaged(struct maker *m)
{
	struct plan *p = m->p;

	p->tier = TIER_NONE;
	p->network = NETWORK_FULL;
	add(m, &p->read_roots, STR("/"));
	add(m, &p->write_roots, STR("/"));
}

static enum err pick_tier(struct maker *m, const struct host *h, struct error *e)
{
	const struct profile_wish *w = m->wish;
	enum tier tier = w->has_tier ? w->tier : h->tier;

	if (!probe_has_tier(h, tier))
		return fail(e, ERR_UNSUPPORTED, "tier %s is not to be had here%s%.*s",
		            tier_name(tier), str_is(h->reason) ? ": " : "", STR_ARG(h->reason));
	if (w->is_fail_closed && tier != TIER_NAMESPACES)
		return fail(e, ERR_UNSUPPORTED,
		            "only tier %s is to be had here%s%.*s%s, and nothing weaker "
		            "than %s is wanted",
		            tier_name(tier), str_is(h->reason) ? " (" : "", STR_ARG(h->reason),
		            str_is(h->reason) ? ")" : "", tier_name(TIER_NAMESPACES));
	if (tier == TIER_NONE)
		return fail(e, ERR_UNSUPPORTED,
		            "no cage is to be had here; danger_full_access does without");
	m->p->tier = tier;
	return OK;
}

enum err profile_plan(struct arena *mem, const struct host *h, const struct profile_wish *wish,
                      struct plan *ret, struct str *ret_reason, struct error *e)
{
	struct plan p = { .mode = wish->mode,
		          .requested_mode = wish->mode,
		          .cwd = arena_keep(mem, wish->cwd),
		          .network = wish->network,
		          .allow = wish->allow,
		          .unix_sockets = wish->unix_sockets,
		          .home = path_is_clean(wish->home) ? arena_keep(mem, wish->home)
		                                            : STR("/"),
		          .user = STR("agent"),
		          .limits = wish->limits ? *wish->limits : profile_limits };
	struct maker m = { .mem = mem, .wish = wish, .p = &p };
	struct plan_list system;
	enum err err = OK;

	p.deny_rules = wish->deny_rules;
	if (wish->mode == MODE_DANGER || wish->mode == MODE_EXTERNAL) {
		uncaged(&m);
	} else {
		err = pick_tier(&m, h, e);
		if (err)
			return err;
		profile_system_roots(mem, &system);
		add_list(&m, &p.read_roots, &system);
		add(&m, &p.read_roots, wish->cwd);
		add_list(&m, &p.read_roots, &wish->read);
		add_tools(&m);
		if (wish->mode == MODE_WORKSPACE_WRITE) {
			add(&m, &p.write_roots, wish->cwd);
			add_list(&m, &p.write_roots, &wish->write);
		}
		protect(&m);
		deny(&m);
		make_private(&m);
		if (!tier_has_namespaces(p.tier))
			without_namespaces(&m);
		else if (p.tier != TIER_NAMESPACES)
			lack(&m, str_is(h->reason) ? h->reason.ptr
			                           : "the strongest tier was not asked for");
	}
	err = plan_check(&p, e);
	if (err)
		return err;
	*ret = p;
	*ret_reason = m.reason;
	return OK;
}
