/*
 * The rights of a command hook: the agent's own, those of a deciding hook (which
 * sees no directory that the agent can write), or those that its entry asks for.
 * See hooks.h; supervisor_client/program_guard.h checks programs.
 */
#include "base/path/path.h"
#include "hooks/hooks_int.h"
#include "sandbox/sandbox_env.h"
#include "ports/store_own.h"

#include <limits.h>
#include <stdlib.h>

#define STOP_GRACE_MS 500

bool hooks_rights_has_more(const struct hook_row *row)
{
	return row->has_no_sandbox || row->has_network || row->hosts.count || row->secrets.count;
}

/* Without a sandbox the agent has the user's rights, so it can change every file of the user. */
static bool is_agent_free(const struct hook_set *s)
{
	return s->mode == SANDBOX_DANGER_FULL_ACCESS || s->mode == SANDBOX_EXTERNAL;
}

/*
 * A hook that decides about permissions must not be replaceable by the agent, even if it has no
 * more rights than the agent.
 */
static bool is_guarded(const struct hook_row *row)
{
	return row->decides || hooks_rights_has_more(row);
}

/* ---- the program ---- */

static struct str real_dir(struct arena *mem, struct str path)
{
	char full[PATH_MAX];

	return str_is(path) && realpath(arena_keep(mem, path).ptr, full)
	               ? arena_keep(mem, str_from(full))
	               : STR_NONE;
}

/*
 * Programs with more rights are started without a shell, from a list of words.  For others the
 * line is only searched for the files that it names.
 */
static enum err words_of(struct arena *mem, const struct hook_row *row, struct sandbox_paths *ret,
                         struct error *e)
{
	if (hooks_rights_has_more(row))
		return program_guard_words(mem, row->command, ret, e);
	program_guard_line_words(mem, row->command, ret);
	return OK;
}

/* Finds the program's files and checks that the agent cannot change them. */
static enum err find_program(struct hook_set *s, struct arena *mem, const struct hook_row *row,
                             struct str cwd, struct program_found *ret, struct error *e)
{
	struct sandbox_paths words;
	enum err code = words_of(mem, row, &words, e);

	if (code)
		return code;
	/* files that the agent can write are identified by their content only */
	return program_guard_check(supervisor_host_guard(s->o.host), mem, &words,
	                           is_agent_free(s) ? STR_NONE : real_dir(mem, cwd),
	                           !hooks_rights_has_more(row), ret, e);
}

/* Records the content at first sight; changed content needs trust. */
static enum err check_recorded_hash(struct hook_set *s, struct arena *mem,
                                    const struct hook_row *row, const struct program_found *f,
                                    struct error *e)
{
	struct store *st = s->o.store;
	struct str known;
	enum err code;

	if (!str_is(f->hash) || !st)
		return OK;
	code = port_store_get_own(st, mem, row->key, &known, e);
	if (code == ERR_NOT_FOUND)
		return port_store_set_own(st, row->key, f->hash, e);
	if (code != OK)
		return code;
	if (str_eq(known, f->hash))
		return OK;
	return fail(e, ERR_INVALID,
	            "%.*s is not what it was when it was recorded, so the hook is not started. If "
	            "you changed it, run: thole hooks trust %.*s",
	            STR_ARG(str_head(f->files.at[0], 200)), STR_ARG(row->info.ref));
}

/* ---- plan and environment ---- */

/* Hides everything that the agent can write. */
static void close_write_roots(struct hook_handle *h, struct sandbox_profile *w)
{
	const struct sandbox_host *machine = supervisor_host_machine(h->set->o.host);
	struct sandbox_paths roots = program_guard_roots(supervisor_host_guard(h->set->o.host));

	w->deny.at = ARENA_ARRAY(h->mem, struct str, roots.count + 2);
	for (size_t i = 0; i < roots.count; i++)
		if (PATH_UNDER_ANY(roots.at[i], &w->read) ||
		    PATH_UNDER_ANY(roots.at[i], &machine->system_roots) ||
		    PATH_UNDER_ANY(roots.at[i], &machine->tool_roots) ||
		    path_is_under(roots.at[i], w->cwd))
			w->deny.at[w->deny.count++] = arena_keep(h->mem, roots.at[i]);
}

/*
 * Without these not even a shell starts.  Other directories of programs (/opt) are hidden, and the
 * hook runs without them.
 */
static enum err check_system_shown(const struct hook_handle *h, struct error *e)
{
	static const char *const needed[] = { "/bin",     "/lib",       "/lib64",    "/usr/bin",
		                              "/usr/lib", "/nix/store", "/gnu/store" };

	for (size_t i = 0; i < h->wish.deny.count; i++)
		for (size_t n = 0; n < COUNT_OF(needed); n++)
			if (path_is_under(str_from(needed[n]), h->wish.deny.at[i]))
				return fail(e, ERR_INVALID,
				            "An agent could write %.*s, so no hook with the "
				            "user's rights trusts the programs there. If that is "
				            "over, stop the daemon and remove %.*s.",
				            STR_ARG(h->wish.deny.at[i]),
				            STR_ARG(program_guard_file(
						    supervisor_host_guard(h->set->o.host))));
	return OK;
}

/* The data directory holds logs and secrets of all sessions; a sandboxed hook must not see it. */
static void close_data(const struct hook_handle *h, struct sandbox_profile *w)
{
	struct str data = real_dir(h->mem, h->set->o.data_dir);
	struct str *at = ARENA_ARRAY(h->mem, struct str, w->deny.count + 1);

	if (!str_is(data) || !(path_is_under(data, w->cwd) || PATH_UNDER_ANY(data, &w->read)))
		return;
	for (size_t i = 0; i < w->deny.count; i++)
		at[i] = w->deny.at[i];
	at[w->deny.count] = data;
	w->deny = (struct sandbox_paths){ at, w->deny.count + 1 };
}

static void wish_of_agent(struct hook_handle *h, struct str cwd)
{
	const struct hook_set *s = h->set;
	struct str data = real_dir(h->mem, s->o.data_dir);
	bool is_own = str_is(data) && path_is_under(cwd, data) && !is_agent_free(s);

	/* in the runtime's own directory no agent works and no hook writes */
	h->wish.mode = is_own ? SANDBOX_READ_ONLY : s->mode;
	h->wish.cwd = is_own ? STR("/usr") : cwd;
	h->wish.network = s->network;
	h->wish.allow = s->hosts;
}

static void wish_of_guarded(struct hook_handle *h, const struct program_found *f)
{
	const struct hook_row *row = h->row;
	struct sandbox_profile *w = &h->wish;

	w->cwd = f->dirs.count ? f->dirs.at[0] : STR("/usr");
	w->mode = SANDBOX_READ_ONLY;
	w->read = f->dirs;
	w->network = row->has_network   ? SANDBOX_NETWORK_FULL
	             : row->hosts.count ? SANDBOX_NETWORK_RESTRICTED
	                                : SANDBOX_NETWORK_OFF;
	w->allow = row->hosts;
	if (row->has_no_sandbox || is_agent_free(h->set)) {
		w->mode = SANDBOX_DANGER_FULL_ACCESS;
		w->cwd = STR("/");
		return;
	}
	close_write_roots(h, w);
}

static struct str find_variable(const struct hook_set *s, struct str name)
{
	for (char *const *v = s->o.environ; v && *v; v++) {
		struct str each = str_from(*v);

		if (each.len > name.len && each.ptr[name.len] == '=' && str_starts(each, name))
			return each;
	}
	return STR_NONE;
}

static void add_variable(struct hook_handle *h, struct str v)
{
	if (str_is(v))
		h->run.env.at[h->run.env.count++] = arena_keep(h->mem, v);
}

/* Drops variables that could make a loader or interpreter read the agent's directories. */
static void env_of_guarded(struct hook_handle *h, struct str cwd)
{
	static const char *const plain[] = { "LANG", "LC_ALL", "TZ", "TERM" };
	struct sandbox_paths roots = program_guard_roots(supervisor_host_guard(h->set->o.host));
	struct str home = supervisor_host_home(h->set->o.host);

	h->run.env.at =
		ARENA_ARRAY(h->mem, struct str,
	                    COUNT_OF(plain) + h->row->secrets.count + 3 + TRACE_CONTEXT_VARIABLES);
	add_variable(h, STR("PATH=" PROGRAM_GUARD_PATH));
	for (size_t i = 0; i < COUNT_OF(plain); i++)
		add_variable(h, find_variable(h->set, str_from(plain[i])));
	if (str_is(home) && !PATH_UNDER_ANY(home, &roots))
		add_variable(h, arena_printf(h->mem, "HOME=%.*s", STR_ARG(home)));
	for (size_t i = 0; i < h->row->secrets.count; i++)
		add_variable(h, find_variable(h->set, h->row->secrets.at[i]));
	if (h->row->is_claude)
		add_variable(h, arena_printf(h->mem, "CLAUDE_PROJECT_DIR=%.*s", STR_ARG(cwd)));
	h->run.env.count =
		trace_context_variables(h->mem, h->trace, h->run.env.at, h->run.env.count);
}

/* PATH is reduced to the directories that the sandbox shows. */
static void env_of_agent(struct hook_handle *h)
{
	const struct hooks_options *o = &h->set->o;
	struct sandbox_paths own = { ARENA_ARRAY(h->mem, struct str, 2 + TRACE_CONTEXT_VARIABLES),
		                     0 };
	struct sandbox_paths allowed = { ARENA_ARRAY(h->mem, struct str, o->env_count + 1),
		                         o->env_count };
	struct str path = find_variable(h->set, STR("PATH"));

	for (size_t i = 0; i < o->env_count; i++) {
		allowed.at[i] = o->env[i];
		if (str_eq(o->env[i], STR("PATH")) && str_is(path))
			own.at[own.count++] = arena_printf(
				h->mem, "PATH=%.*s",
				STR_ARG(sandbox_env_path(h->mem, &h->plan, str_skip(path, 5))));
	}
	if (h->row->is_claude)
		own.at[own.count++] =
			arena_printf(h->mem, "CLAUDE_PROJECT_DIR=%.*s", STR_ARG(h->plan.cwd));
	own.count = trace_context_variables(h->mem, h->trace, own.at, own.count);
	sandbox_env(h->mem, o->environ, &allowed, &own, &h->run.env);
}

static void set_words(struct hook_handle *h)
{
	struct error ignored;

	if (hooks_rights_has_more(h->row) &&
	    program_guard_words(h->mem, h->row->command, &h->run.argv, &ignored) == OK)
		return;
	h->run.argv.at = ARENA_ARRAY(h->mem, struct str, 3);
	h->run.argv.at[0] = STR("/bin/sh");
	h->run.argv.at[1] = STR("-c");
	h->run.argv.at[2] = h->row->command;
	h->run.argv.count = 3;
}

/*
 * Runs at every start, because the file may have changed since the last one.  The order
 * matters: the program is identified and compared with its recorded hash before a plan with its
 * rights is made.
 */
enum err hooks_rights_prepare(struct hook_handle *h, struct str cwd, struct error *e)
{
	struct hook_set *s = h->set;
	struct program_found found = { 0 };
	struct str here = real_dir(h->mem, cwd);
	bool is_watched =
		is_guarded(h->row) && (!is_agent_free(s) || hooks_rights_has_more(h->row));
	enum err code = OK;

	if (is_watched)
		code = find_program(s, h->mem, h->row, cwd, &found, e);
	if (!code)
		code = check_recorded_hash(s, h->mem, h->row, &found, e);
	if (!code && !str_is(here))
		code = fail(e, ERR_NOT_FOUND, "the session's directory is gone");
	if (code)
		return code;
	h->limits = sandbox_plan_default_limits;
	/*
	 * The supervisor's own timeout is a safety net: on_time() in hooks.c ends the command
	 * earlier.
	 */
	h->limits.timeout_ms = h->row->info.timeout_ms + STOP_GRACE_MS;
	h->limits.inactivity_ms = 0;
	h->wish = (struct sandbox_profile){ .home = supervisor_host_home(s->o.host),
		                            .is_fail_closed = s->o.is_fail_closed,
		                            .limits = &h->limits,
		                            .tmp_dir = arena_printf(h->mem, "/tmp/thole-%.*s",
		                                                    STR_ARG(h->id)) };
	if (is_watched)
		wish_of_guarded(h, &found);
	else
		wish_of_agent(h, here);
	/* permission rules apply to hooks with the agent's rights, not to those with the user's */
	if (!is_watched)
		sandbox_plan_read_deny_rules(h->mem, h->deny, &h->wish.deny_rules);
	close_data(h, &h->wish);
	code = check_system_shown(h, e);
	if (code)
		return code;
	code = sandbox_plan_make(h->mem, supervisor_host_machine(s->o.host), &h->wish, &h->plan, e);
	if (code)
		return code;
	program_guard_note(supervisor_host_guard(s->o.host), &h->plan);
	h->run = (struct supervisor_run){ .id = h->id, .plan = &h->plan, .stdin_pipe = true };
	set_words(h);
	if (is_watched)
		env_of_guarded(h, cwd);
	else
		env_of_agent(h);
	return OK;
}

/* ---- for people ---- */

/* Shows what hooks_rights_prepare() would do, without recording a hash at first sight. */
void hooks_rights_of(struct hooks *port, struct arena *mem, struct str cwd, struct str ref,
                     struct hook_rights *ret)
{
	struct hook_set *s = OWNER_OF(port, struct hook_set, port);
	const struct hook_row *row = hooks_find(s, cwd, ref);
	struct program_found found = { 0 };
	struct error e;
	struct str known;

	*ret = (struct hook_rights){ 0 };
	if (!row || !str_is(row->command))
		return;
	ret->sandbox = row->has_no_sandbox ? STR("none")
	               : is_guarded(row)   ? STR("guarded")
	                                   : STR("agent");
	if (!is_guarded(row) || !s->o.host)
		return;
	if (find_program(s, mem, row, cwd, &found, &e) != OK) {
		ret->refused = arena_keep(mem, str_from(e.message));
		return;
	}
	ret->hash = found.hash;
	if (str_is(found.hash) && s->o.store &&
	    port_store_get_own(s->o.store, mem, row->key, &known, NULL) == OK &&
	    check_recorded_hash(s, mem, row, &found, &e) != OK)
		ret->refused = arena_keep(mem, str_from(e.message));
}

enum err hooks_rights_trust_program(struct hooks *port, struct str cwd, struct str ref,
                                    struct str hash, struct error *e)
{
	struct hook_set *s = OWNER_OF(port, struct hook_set, port);
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct hook_row *row = hooks_find(s, cwd, ref);
	struct program_found found = { 0 };
	enum err code = row && str_is(row->command) && is_guarded(row) && s->o.host && s->o.store
	                        ? find_program(s, mem, row, cwd, &found, e)
	                        : fail(e, ERR_NOT_FOUND, "the hook has no program of its own");

	/*
	 * Between display and confirmation the program may have changed; only what was shown is
	 * trusted.
	 */
	if (!code && (!str_is(found.hash) || !str_eq(found.hash, hash)))
		code = fail(e, ERR_NOT_FOUND, "the program is another one now");
	return code ? code : port_store_set_own(s->o.store, row->key, hash, e);
}
