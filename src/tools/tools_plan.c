/*
 * Makes the sandbox plan of a call from settings, rules, the call's needs and an approval's
 * additions.
 *
 *   settings ─► widen (approval) ─► deny rules ─► narrow (policy) ─► hide own data ─► plan
 *
 * Later steps win, so that a limit of a policy holds whatever an approval adds.
 */
#include "tools/tools_snapshot.h"

#include "base/gen/limits.h"
#include "base/gen/tool_args.h"
#include "base/path/path.h"
#include "base/hash/sha256.h"
#include "base/jw.h"
#include "sandbox/sandbox_env.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TMP_NAME 20 /* hex digits of a hash that cannot be guessed */

/* A reading file tool gets a read-only sandbox even where commands may write. */
static enum sandbox_plan_mode mode_of(const struct tools *t, enum tool_need need)
{
	if (t->mode == SANDBOX_DANGER_FULL_ACCESS || t->mode == SANDBOX_EXTERNAL)
		return t->mode;
	return need == NEED_READ ? SANDBOX_READ_ONLY : t->mode;
}

static void set_limit(int64_t *limit, int64_t wish)
{
	if (wish)
		*limit = wish;
}

/* A call may lower a limit of the settings, not raise it. */
static void lower_limit(int64_t *limit, int64_t wish)
{
	if (wish > 0 && (!*limit || wish < *limit))
		*limit = wish;
}

static struct sandbox_limits limits_of(const struct tools *t, const struct tool_info *row,
                                       struct json args)
{
	/* start_process has all arguments of shell, and more. */
	struct tool_args_start_process a = tool_args_start_process(args);
	struct sandbox_limits l = sandbox_plan_default_limits;

	l.inactivity_ms = 0; /* a compiler may be silent for long */
	if (tools_need(row) == NEED_SHELL) {
		set_limit(&l.max_processes, t->o.max_processes);
		set_limit(&l.max_memory_bytes, t->o.max_memory_bytes);
		set_limit(&l.max_output_bytes, t->o.max_output_bytes);
		l.max_file_bytes = t->o.max_file_bytes;
		set_limit(&l.private_bytes, t->o.private_bytes);
		lower_limit(&l.max_file_bytes, a.max_file_bytes);
		lower_limit(&l.private_bytes, a.private_bytes);
	}
	if (row->is_background) {
		/* A background process runs until it is stopped, unless the call sets a limit. */
		l.timeout_ms = a.timeout_ms;
		l.inactivity_ms = a.inactivity_ms;
		return l;
	}
	l.timeout_ms = tools_need(row) == NEED_SHELL
	                       ? (a.timeout_ms ? a.timeout_ms : t->o.timeout_ms)
	                       : row->timeout_ms;
	return l;
}

static const struct learned *learned_of(const struct tools *t, enum tool_need need, struct str cwd)
{
	for (size_t i = t->learned_count;
	     t->learned_life == supervisor_host_life(t->o.host) && i-- > 0;)
		if (t->learned[i].need == need && str_eq(t->learned[i].cwd, cwd))
			return &t->learned[i];
	return NULL;
}

void tools_plan_learn(struct tools *t, const struct tool_handle *h, struct str why)
{
	/* A new supervisor or a full list forgets what was learned; it is learned again. */
	if (t->learned_count == TOOL_LEARNED_MAX ||
	    t->learned_life != supervisor_host_life(t->o.host)) {
		arena_free(t->learned_mem);
		t->learned_mem = arena_new();
		t->learned_life = supervisor_host_life(t->o.host);
		t->learned_count = 0;
	}
	t->learned[t->learned_count++] =
		(struct learned){ .cwd = arena_keep(t->learned_mem, h->cwd),
		                  .need = tools_need(h->row),
		                  .tier = h->plan.tier,
		                  .why = arena_keep(t->learned_mem, why) };
}

/* The start directory, which must be below the workspace as text; the sandbox limits what links reach. */
static enum err start_dir(struct arena *mem, struct str cwd, struct json args, struct str *ret,
                          struct error *e)
{
	struct str dir = tool_args_shell(args).cwd;
	struct str out = dir.len && dir.ptr[0] == '/' ? STR("") : cwd;

	if (!str_is(dir)) {
		*ret = cwd;
		return OK;
	}
	while (str_is(dir)) {
		struct str part = str_cut(&dir, '/');

		if (!part.len || str_eq(part, STR(".")))
			continue;
		if (str_eq(part, STR("..")) || memchr(part.ptr, '\0', part.len))
			return fail(e, ERR_INVALID,
			            "cwd: \"..\" is not taken; name it from the root");
		out = arena_printf(mem, "%.*s/%.*s", out.len > 1 ? (int)out.len : 0, out.ptr,
		                   STR_ARG(part));
	}
	*ret = out.len ? out : STR("/");
	return OK;
}

/* A file tool gets no private directories, because its files there would be lost. */
static void adapt_to_file_tool(struct sandbox_plan *p)
{
	p->private_dirs.count = 0;
	p->tmp_dir = STR_NONE;
}

/*
 * A directory for temporary files where the sandbox has no private /tmp.  The
 * name depends on the call only, so bind and start get the same.  Two equal
 * calls at the same time cannot share it: the second is refused.
 */
static struct str tmp_for(struct tools *t, struct arena *mem, struct str cwd, struct json args)
{
	struct str text = arena_printf(mem, "%.*s %.*s %.*s", STR_ARG(t->nonce), STR_ARG(cwd),
	                               STR_ARG(json_text_canonical(mem, args)));
	struct sha256 hash = sha256_of(text);

	return arena_printf(mem, "/tmp/thole-%.*s",
	                    STR_ARG(str_head(sha256_hex(mem, &hash), TMP_NAME)));
}

/* A root that a user granted; it must be free of links, which could have changed since. */
static enum err take_root(struct tools *t, struct arena *mem, struct str root, bool writes,
                          struct str *ret, struct error *e)
{
	char full[PATH_MAX];

	if (!root.len || root.ptr[0] != '/' || memchr(root.ptr, '\0', root.len) ||
	    !realpath(arena_keep(mem, root).ptr, full) || !str_eq(root, str_from(full)))
		return fail(e, ERR_INVALID, "%.*s is no directory under its own name",
		            STR_ARG(root));
	if (root.len == 1)
		return fail(e, ERR_INVALID,
		            "the whole file system cannot be granted: request no sandbox instead");
	if ((str_is(t->o.data_dir) && path_is_under(root, t->o.data_dir)) ||
	    (writes && path_is_under_any(root, t->o.own, t->o.own_count)))
		return fail(e, ERR_INVALID, "%.*s is the runtime's own", STR_ARG(root));
	*ret = arena_keep(mem, root);
	return OK;
}

/* Makes room for `more` entries in a copy, because the old list may be shared. */
static void make_room(struct arena *mem, struct sandbox_paths *to, size_t more)
{
	struct str *at = ARENA_ARRAY(mem, struct str, to->count + more + 1);

	if (to->count)
		memcpy(at, to->at, to->count * sizeof *at);
	to->at = at;
}

static enum err take_roots(struct tools *t, struct arena *mem, struct json list, bool writes,
                           struct sandbox_paths *to, struct error *e)
{
	struct json_iter it = json_iter(list);
	enum err err = OK;
	struct json v;
	struct str key;

	make_room(mem, to, json_count(list));
	while (!err && json_type(list) == JSON_ARR && json_next(&it, &key, &v)) {
		err = take_root(t, mem, json_str(v), writes, &to->at[to->count], e);
		to->count += !err;
	}
	return err;
}

/* Protected files of the workspace that a person lets a file tool write. */
static void open_files(struct arena *mem, struct json list, struct sandbox_profile *w)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	make_room(mem, &w->open, json_count(list));
	while (json_type(list) == JSON_ARR && json_next(&it, &key, &v))
		if (path_is_under(json_str(v), w->cwd))
			w->open.at[w->open.count++] = arena_keep(mem, json_str(v));
}

static struct str dir_of(struct str path)
{
	size_t end = path.len;

	while (end > 1 && path.ptr[end - 1] != '/')
		end--;
	return str_head(path, end > 1 ? end - 1 : end);
}

/*
 * Commands get a single file itself.  Our own tools replace a file in its directory, so they get the
 * directory; they touch no other name in it, and the file need not exist.
 */
static enum err take_files(struct tools *t, struct arena *mem, struct json list, bool writes,
                           struct str cwd, struct sandbox_paths *to, struct error *e)
{
	struct json_iter it = json_iter(list);
	enum err err = OK;
	struct json v;
	struct str key;

	make_room(mem, to, json_count(list));
	while (!err && json_type(list) == JSON_ARR && json_next(&it, &key, &v)) {
		struct str path = arena_keep(mem, json_str(v));
		struct stat st;
		bool is_there = path.len && lstat(path.ptr, &st) == 0;

		if (!writes && !is_there)
			continue; /* the file does not exist */
		if (writes && path_is_under(path, cwd))
			continue; /* a protected file of the workspace: open_files() */
		if (is_there && !S_ISREG(st.st_mode))
			return fail(e, ERR_INVALID, "%.*s is no file", STR_ARG(path));
		err = take_root(t, mem, writes ? dir_of(path) : path, writes, &to->at[to->count],
		                e);
		to->count += !err;
	}
	return err;
}

/* The plan's check validates them. */
static void add_hosts(struct arena *mem, struct json list, struct sandbox_profile *w)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	make_room(mem, &w->allow, json_count(list));
	while (json_type(list) == JSON_ARR && json_next(&it, &key, &v))
		if (str_is(json_str(v)))
			w->allow.at[w->allow.count++] = json_str(v);
	w->network = w->network == SANDBOX_NETWORK_FULL ? w->network : SANDBOX_NETWORK_RESTRICTED;
}

/* Adds the access that an approval granted to this call (the record sandbox_override). */
static enum err widen_profile(struct tools *t, struct arena *mem, struct json more, bool is_shell,
                              struct sandbox_profile *w, struct error *e)
{
	struct str mode = json_str(JSON_GET(more, "mode"));
	enum err err = take_roots(t, mem, JSON_GET(more, "readRoots"), false, &w->read, e);

	if (!err)
		err = take_roots(t, mem, JSON_GET(more, "writeRoots"), true, &w->write, e);
	if (!err)
		err = take_files(t, mem, JSON_GET(more, "readFiles"), false, w->cwd, &w->read, e);
	/*
	 * A command needs the directory to replace a file, which would open all other names in it.
	 */
	if (!err && json_count(JSON_GET(more, "writeFiles")) && is_shell)
		err = fail(e, ERR_INVALID, "a command is given no single file to write");
	if (!err)
		err = take_files(t, mem, JSON_GET(more, "writeFiles"), true, w->cwd, &w->write, e);
	open_files(mem, JSON_GET(more, "writeFiles"), w);
	if (str_is(mode) && str_eq(mode, sandbox_plan_mode_name(SANDBOX_DANGER_FULL_ACCESS)))
		w->mode = SANDBOX_DANGER_FULL_ACCESS;
	else if (str_is(mode) && w->mode == SANDBOX_READ_ONLY)
		w->mode = SANDBOX_WORKSPACE_WRITE;
	if (str_is(json_str(JSON_GET(more, "network"))))
		w->network = SANDBOX_NETWORK_FULL;
	else if (json_count(JSON_GET(more, "hosts")))
		add_hosts(mem, JSON_GET(more, "hosts"), w);
	w->unix_sockets |= json_bool(JSON_GET(more, "unixSockets"), false);
	return err;
}

/* Applies the limits that a policy sets on this call, after everything else. */
static enum err narrow_profile(struct json more, struct sandbox_profile *w, struct error *e)
{
	struct str mode = json_str(JSON_GET(more, "atMost"));
	struct str network = json_str(JSON_GET(more, "networkAtMost"));

	if (!str_is(mode) && !str_is(network))
		return OK;
	/*
	 * What another sandbox permits is not known here, so the policy's limit cannot be
	 * guaranteed.
	 */
	if (w->mode == SANDBOX_EXTERNAL)
		return fail(e, ERR_UNSUPPORTED, "a policy requires our own sandbox for this call");
	if (w->mode == SANDBOX_DANGER_FULL_ACCESS)
		w->mode = SANDBOX_WORKSPACE_WRITE;
	if (str_is(mode)) {
		w->write = (struct sandbox_paths){ 0 };
		w->cache = STR_NONE;
		w->unix_sockets = false;
	}
	if (str_is(mode) && str_eq(mode, sandbox_plan_mode_name(SANDBOX_READ_ONLY)))
		w->mode = SANDBOX_READ_ONLY;
	if (!str_is(network))
		return OK;
	if (str_eq(network, sandbox_plan_network_name(SANDBOX_NETWORK_OFF))) {
		w->network = SANDBOX_NETWORK_OFF;
		w->allow = (struct sandbox_paths){ 0 };
		w->unix_sockets = false;
	} else if (w->network == SANDBOX_NETWORK_FULL) {
		w->network = SANDBOX_NETWORK_RESTRICTED;
	}
	return OK;
}

/* Would the sandbox show this directory of the runtime? */
static bool shows_dir(struct str own, const struct sandbox_profile *w)
{
	if (!str_is(own))
		return false;
	return path_is_under(own, w->cwd) || PATH_UNDER_ANY(own, &w->read) ||
	       PATH_UNDER_ANY(own, &w->write);
}

/* What commands need besides the workspace: git settings, a cache, the repository of a worktree. */
static void add_own_places(struct tools *t, struct arena *mem, struct str cwd,
                           struct sandbox_profile *w)
{
	struct str git_file = tools_git_file(t, mem, cwd);
	char full[PATH_MAX];

	make_room(mem, &w->read, 1 + t->o.read_count);
	/* A directory that was replaced by a link since the start is left out. */
	for (size_t i = 0; i < t->o.read_count; i++)
		if (realpath(t->o.read[i].ptr, full) && str_eq(t->o.read[i], str_from(full)) &&
		    !path_is_under(t->o.read[i], cwd))
			w->read.at[w->read.count++] = t->o.read[i];
	if (str_is(git_file))
		w->read.at[w->read.count++] = git_file;
	w->cache = tools_cache_of(t, mem, cwd);
	tools_worktree_add(t, mem, cwd, &w->read, &w->write);
}

/* A wider sandbox shows the cache of all workspaces, so it is hidden, and what lies in it too. */
static void forget_cache(struct tools *t, struct sandbox_profile *w)
{
	size_t kept = 0;

	w->cache = STR_NONE;
	for (size_t i = 0; i < w->read.count; i++)
		if (!path_is_under(w->read.at[i], t->o.cache_dir))
			w->read.at[kept++] = w->read.at[i];
	w->read.count = kept;
}

/* The runtime's own directories that the sandbox would show must be hidden. */
static void hide_own(struct tools *t, struct arena *mem, struct sandbox_profile *w)
{
	struct str *at = ARENA_ARRAY(mem, struct str, 2);

	w->deny = (struct sandbox_paths){ at, 0 };
	if (shows_dir(t->o.data_dir, w))
		at[w->deny.count++] = t->o.data_dir;
	if (shows_dir(t->o.cache_dir, w) && access(t->o.cache_dir.ptr, F_OK) == 0) {
		at[w->deny.count++] = t->o.cache_dir;
		forget_cache(t, w);
	}
}

static enum err make_plan(struct tools *t, struct arena *mem, const struct tool_info *row,
                          struct str cwd, struct json args, struct json more, struct str deny,
                          struct sandbox_plan *ret, struct error *e)
{
	const struct sandbox_host *machine = supervisor_host_machine(t->o.host);
	const struct learned *known = learned_of(t, tools_need(row), cwd);
	struct sandbox_limits limits = limits_of(t, row, args);
	bool is_shell = tools_need(row) == NEED_SHELL;
	struct sandbox_profile w = {
		.mode = mode_of(t, tools_need(row)),
		.cwd = cwd,
		.home = supervisor_host_home(t->o.host),
		/*
		 * File tools are our own program and need its files; they never need the network.
		 */
		.read = is_shell ? (struct sandbox_paths){ 0 } : machine->own_roots,
		.network = is_shell ? t->network : SANDBOX_NETWORK_OFF,
		.allow = is_shell ? t->hosts : (struct sandbox_paths){ 0 },
		.openat2 = !is_shell,
		.is_fail_closed = t->o.is_fail_closed,
		.tmp_dir = tmp_for(t, mem, cwd, args),
		.limits = &limits,
	};
	enum err err;

	if (is_shell)
		add_own_places(t, mem, cwd, &w);
	err = widen_profile(t, mem, more, is_shell, &w, e);
	sandbox_plan_read_deny_rules(mem, deny, &w.deny_rules);
	if (!err)
		err = narrow_profile(more, &w, e);
	if (err)
		return err;
	limits.max_output_bytes =
		MIN(limits.max_output_bytes, json_int(JSON_GET(more, "outputAtMost"), INT64_MAX));
	hide_own(t, mem, &w);
	if (known && w.mode != SANDBOX_DANGER_FULL_ACCESS && w.mode != SANDBOX_EXTERNAL)
		err = sandbox_plan_make_weaker(mem, machine, &w, known->tier, known->why, ret, e);
	else
		err = sandbox_plan_make(mem, machine, &w, ret, e);
	if (err)
		return err;
	if (is_shell)
		return start_dir(mem, cwd, args, &ret->cwd, e);
	adapt_to_file_tool(ret);
	return OK;
}

/*
 * The workspace to read and one directory of the runtime to write.  Deny rules hold as they do
 * for commands: a file that no tool may read is not copied either.
 */
enum err tools_plan_snapshot(struct tools *t, struct arena *mem, struct str cwd, struct str deny,
                             struct str dir, struct sandbox_plan *ret, struct error *e)
{
	const struct sandbox_host *machine = supervisor_host_machine(t->o.host);
	const struct learned *known = learned_of(t, NEED_READ, cwd);
	struct sandbox_limits limits = sandbox_plan_default_limits;
	struct sandbox_profile w = { .mode = mode_of(t, NEED_READ),
		                     .cwd = cwd,
		                     .home = supervisor_host_home(t->o.host),
		                     .read = machine->own_roots,
		                     .openat2 = true,
		                     .is_fail_closed = t->o.is_fail_closed,
		                     .limits = &limits };
	enum err err;

	limits.timeout_ms = LIMIT_UNDO_MS;
	limits.inactivity_ms = 0;
	sandbox_plan_read_deny_rules(mem, deny, &w.deny_rules);
	if (known && w.mode == SANDBOX_READ_ONLY)
		err = sandbox_plan_make_weaker(mem, machine, &w, known->tier, known->why, ret, e);
	else
		err = sandbox_plan_make(mem, machine, &w, ret, e);
	if (err)
		return err;
	adapt_to_file_tool(ret);
	if (ret->mode != SANDBOX_READ_ONLY)
		return OK; /* no sandbox, so nothing is closed */
	ret->mode = SANDBOX_WORKSPACE_WRITE;
	ret->write_roots = (struct sandbox_paths){ ARENA_ARRAY(mem, struct str, 1), 1 };
	ret->write_roots.at[0] = dir;
	return sandbox_plan_check(ret, e);
}

void tools_plan_env(struct tools *t, const struct tool_handle *h, struct sandbox_paths *ret)
{
	struct arena *mem = h->mem;
	const struct sandbox_plan *p = &h->plan;
	struct str path = STR_NONE;
	size_t room = 1 + tools_git_env_max() + tools_cache_env_max() + TRACE_CONTEXT_VARIABLES;
	struct sandbox_paths own = { ARENA_ARRAY(mem, struct str, room), 0 };

	for (char *const *v = t->o.environ; v && *v; v++)
		if (str_starts(str_from(*v), STR("PATH=")))
			path = str_skip(str_from(*v), 5);
	for (size_t i = 0; i < t->env.count; i++)
		if (str_eq(t->env.at[i], STR("PATH")) && str_is(path))
			own.at[own.count++] = arena_printf(mem, "PATH=%.*s",
			                                   STR_ARG(sandbox_env_path(mem, p, path)));
	if (tools_need(h->row) == NEED_SHELL) {
		struct str cache = tools_cache_of(t, mem, h->cwd);
		struct str git_file = tools_git_file(t, mem, h->cwd);

		if (str_is(git_file) && !PATH_UNDER_ANY(git_file, &p->read_roots))
			git_file = STR_NONE;
		tools_git_env(mem, p, p->cwd, git_file, h->is_unasked, &own);
		if (str_is(cache) && p->tier != SANDBOX_NONE &&
		    PATH_UNDER_ANY(cache, &p->write_roots))
			tools_cache_env(mem, cache, &own);
	}
	own.count = trace_context_variables(mem, h->trace, own.at, own.count);
	sandbox_env(mem, t->o.environ, &t->env, &own, ret);
}

/* ---- telling it before ---- */

/* The workspace may contain the data directory, which is then hidden, but must not be in it. */
static enum err real_dir(struct tools *t, struct arena *mem, struct str cwd, struct str *ret,
                         struct error *e)
{
	char full[PATH_MAX];

	if (!cwd.len || !realpath(arena_keep(mem, cwd).ptr, full))
		return fail_errno(e, ERR_NOT_FOUND, "the working directory %.*s", STR_ARG(cwd));
	*ret = arena_keep(mem, str_from(full));
	if (str_is(t->o.data_dir) && path_is_under(*ret, t->o.data_dir))
		return fail(e, ERR_INVALID, "%.*s is the runtime's own: work in another directory",
		            STR_ARG(*ret));
	return OK;
}

enum err tools_plan_prepare(struct tools *t, struct arena *mem, const struct tool_start *s,
                            struct json *ret_args, struct str *ret_cwd, struct sandbox_plan *ret,
                            struct error *e)
{
	const struct tool_info *row = tools_find(t, s->name);
	enum err err = row ? OK : fail(e, ERR_NOT_FOUND, "there is no tool of that name");
	struct json more = { 0 };

	if (!err)
		err = json_read(mem, s->args.len ? s->args : STR("{}"), ret_args, e);
	if (!err)
		err = str_is(s->more) ? json_read(mem, s->more, &more, e) : OK;
	if (!err)
		err = real_dir(t, mem, s->cwd, ret_cwd, e);
	if (!err)
		err = supervisor_host_ready(t->o.host, e);
	if (!err)
		err = make_plan(t, mem, row, *ret_cwd, *ret_args, more, s->deny, ret, e);
	return err;
}

/* The policy parses command lines as bash reads them, so bash is preferred. */
struct str tools_plan_shell(void)
{
	return access("/bin/bash", X_OK) == 0 ? STR("/bin/bash") : STR("/bin/sh");
}

/*
 * Makes the same plan as start() and reports it, so that the event of the sandbox, which is
 * durable before the start, describes what will run.
 */
enum err tools_plan_bind(struct toolset *port, struct arena *mem, const struct tool_start *start,
                         struct tool_sandbox *ret, struct error *e)
{
	struct tools *t = OWNER_OF(port, struct tools, port);
	CLEANUP(buf_done) struct buf record = { 0 };
	struct sandbox_plan p;
	struct json_writer w;
	struct json args;
	struct str cwd;
	enum err err = tools_plan_prepare(t, mem, start, &args, &cwd, &p, e);

	if (err)
		return err;

	const struct tool_info *row = tools_find(t, start->name);

	jw_init(&w, &record);
	bool is_tty = row->is_background && tool_args_start_process(args).pty;
	bool is_closed = tools_need(row) == NEED_SHELL && !row->is_background;

	sandbox_plan_write_record(&w, &p, is_tty,
	                          is_tty      ? STR("tty")
	                          : is_closed ? STR("closed")
	                                      : STR("pipe"),
	                          STR_NONE);
	*ret = (struct tool_sandbox){ .tier = sandbox_tier_name(p.tier),
		                      .is_degraded = p.is_degraded,
		                      .reason = p.reason,
		                      .profile = ARENA_NEW(mem, struct rec_sandbox_profile),
		                      .shell = tools_need(row) == NEED_SHELL ? tools_plan_shell()
		                                                             : STR_NONE };
	err = rec_read_text(mem, arena_keep(mem, buf_str(&record)), &rec_sandbox_profile_desc,
	                    ret->profile, e);
	ret->mode = ret->profile->mode;
	return err;
}
