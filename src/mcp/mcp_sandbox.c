/*
 * The sandbox of a server: its plan, its environment, and the violations that it reports.
 *
 * A server with the agent's rights runs like one of the agent's commands.  A server with more
 * rights is a way for the agent to gain them if the agent can change its program; such programs
 * are checked and pinned at each start (supervisor_client/program_guard.h).
 */
#include "base/os/log.h"
#include "base/path/path.h"
#include "base/gen/words.h"
#include "mcp/mcp_int.h"
#include "sandbox/sandbox_env.h"

/* The server's own hosts; those of the settings only if it uses their network mode. */
static void choose_network(const struct mcp_server *s, struct sandbox_profile *w)
{
	if (s->c.hosts.count) {
		w->network = SANDBOX_NETWORK_RESTRICTED;
		w->allow = s->c.hosts;
	} else if (str_is(s->c.network)) {
		w->network = str_eq(s->c.network, STR(WORD_NETWORK_MODE_FULL))
		                     ? SANDBOX_NETWORK_FULL
		                     : SANDBOX_NETWORK_OFF;
	} else {
		w->network = s->set->network;
		w->allow = s->set->hosts;
	}
}

static bool is_agent_free(const struct mcp_set *s)
{
	return s->mode == SANDBOX_DANGER_FULL_ACCESS || s->mode == SANDBOX_EXTERNAL;
}

/* Whether it reaches hosts that the agent's commands do not. */
static bool has_more_hosts(const struct mcp_server *s)
{
	for (size_t i = 0; i < s->c.hosts.count; i++) {
		bool is_known = false;

		for (size_t k = 0; k < s->set->hosts.count && !is_known; k++)
			is_known = s->set->network == SANDBOX_NETWORK_RESTRICTED &&
			           str_eq(s->c.hosts.at[i], s->set->hosts.at[k]);
		if (!is_known)
			return true;
	}
	return false;
}

bool mcp_sandbox_has_more_rights(const struct mcp_server *s)
{
	bool has_network =
		str_is(s->c.network) && str_eq(s->c.network, STR(WORD_NETWORK_MODE_FULL));

	return s->c.has_secrets || s->c.read.count || s->c.write.count || str_is(s->c.cwd) ||
	       (s->set->network != SANDBOX_NETWORK_FULL && (has_network || has_more_hosts(s)));
}

static enum err find_program(struct mcp_server *s, struct arena *mem, struct program_found *ret,
                             struct error *e)
{
	return program_guard_check(supervisor_host_guard(s->set->o.host), mem, &s->c.argv,
	                           is_agent_free(s->set) ? STR_NONE : s->set->o.cwd, false, ret, e);
}

struct str mcp_sandbox_program_hash(struct mcp_server *s, struct arena *mem)
{
	struct program_found found = { 0 };
	struct error ignored;

	if (!mcp_sandbox_has_more_rights(s) || !s->set->o.host || !s->c.argv.count ||
	    find_program(s, mem, &found, &ignored) != OK)
		return STR_NONE;
	return found.hash;
}

/* In the sandbox a program is found by PATH; one with wider rights is named by its full path. */
enum err mcp_sandbox_words(struct mcp_server *s, struct arena *mem, struct sandbox_paths *ret,
                           struct error *e)
{
	/*
	 * The shell finds the program in the PATH of the sandbox and is replaced by it; the words
	 * pass unchanged as "$0" and "$@".
	 */
	static const char *const find = "exec \"$0\" \"$@\"";
	struct program_found found = { 0 };
	size_t extra = 3;
	enum err code;

	if (mcp_sandbox_has_more_rights(s)) {
		code = find_program(s, mem, &found, e);
		if (!code && str_is(found.hash))
			code = mcp_pins_check_program(s, found.hash, found.files.at[0], e);
		if (!code)
			*ret = s->c.argv;
		return code;
	}
	ret->at = ARENA_ARRAY(mem, struct str, s->c.argv.count + extra);
	ret->at[0] = STR("/bin/sh");
	ret->at[1] = STR("-c");
	ret->at[2] = str_from(find);
	for (size_t i = 0; i < s->c.argv.count; i++)
		ret->at[extra + i] = s->c.argv.at[i];
	ret->count = s->c.argv.count + extra;
	return OK;
}

/* Adds the directories of its program to those that its entry names. */
static void show_program(struct mcp_server *s, struct arena *mem, struct sandbox_profile *w)
{
	struct program_found found = { 0 };
	struct error ignored;
	struct str *at;

	if (!mcp_sandbox_has_more_rights(s) || find_program(s, mem, &found, &ignored) != OK)
		return;
	at = ARENA_ARRAY(mem, struct str, w->read.count + found.dirs.count + 1);
	for (size_t i = 0; i < w->read.count; i++)
		at[i] = w->read.at[i];
	for (size_t i = 0; i < found.dirs.count; i++)
		at[w->read.count + i] = found.dirs.at[i];
	w->read = (struct sandbox_paths){ at, w->read.count + found.dirs.count };
}

enum err mcp_sandbox_plan(struct mcp_server *s, struct arena *mem, struct sandbox_plan *ret,
                          struct error *e)
{
	struct mcp_set *set = s->set;
	struct sandbox_limits limits = sandbox_plan_default_limits;
	struct sha256 name = sha256_of(arena_printf(mem, "%.*s %.*s %u", STR_ARG(set->o.data_dir),
	                                            STR_ARG(s->c.name), set->o.number));
	struct sandbox_profile w = {
		.mode = set->mode,
		.home = supervisor_host_home(set->o.host),
		.read = s->c.read,
		.write = s->c.write,
		.is_fail_closed = set->o.is_fail_closed,
		.tmp_dir = arena_printf(mem, "/tmp/thole-%.*s-%u",
		                        STR_ARG(str_head(sha256_hex(mem, &name), 20)), s->restarts),
		.limits = &limits,
	};
	enum err code = mcp_config_work_dir(s, mem, &w.cwd, e);

	w.deny_rules = set->deny_rules;

	if (code)
		return code;
	choose_network(s, &w);
	s->workspace = arena_keep(mem, w.cwd);
	/*
	 * What the server can write, the agent can write through it; no privileged program may live
	 * there.
	 */
	if (!is_agent_free(set)) {
		for (size_t i = 0; i < s->c.write.count; i++)
			program_guard_add(supervisor_host_guard(set->o.host), s->c.write.at[i]);
		if (str_is(s->c.cwd))
			program_guard_add(supervisor_host_guard(set->o.host), s->c.cwd);
	}
	show_program(s, mem, &w);
	/* it runs as long as the runtime, and its output is bounded line by line */
	limits.timeout_ms = limits.inactivity_ms = limits.max_output_bytes = limits.max_cpu_s = 0;
	if (str_is(set->o.data_dir) && path_is_under(set->o.data_dir, w.cwd))
		w.deny = (struct sandbox_paths){ &set->o.data_dir, 1 };
	code = s->has_weaker
	               ? sandbox_plan_make_weaker(mem, supervisor_host_machine(set->o.host), &w,
	                                          s->refused_tier, s->refused_why, ret, e)
	               : sandbox_plan_make(mem, supervisor_host_machine(set->o.host), &w, ret, e);
	if (code)
		return code;
	program_guard_note(supervisor_host_guard(set->o.host), ret);
	/* a program that loads parts from its working directory must find none of the agent */
	if (mcp_sandbox_has_more_rights(s) && str_eq(s->workspace, set->o.cwd))
		ret->cwd = STR("/usr");
	return OK;
}

/* The variables for servers that hold no path. */
static struct sandbox_paths plain_variables(struct mcp_server *s)
{
	static const char *const names[] = { "HOME", "LANG", "LC_ALL", "TERM", "TZ" };
	struct sandbox_paths l = { ARENA_ARRAY(s->mem, struct str, COUNT_OF(names)), 0 };

	for (size_t i = 0; i < s->set->env.count; i++)
		for (size_t k = 0; k < COUNT_OF(names) && l.count < COUNT_OF(names); k++)
			if (str_eq(s->set->env.at[i], str_from(names[k])))
				l.at[l.count++] = s->set->env.at[i];
	return l;
}

void mcp_sandbox_env(struct mcp_server *s, struct sandbox_paths *ret)
{
	struct mcp_set *set = s->set;
	struct sandbox_paths own = { ARENA_ARRAY(s->mem, struct str, s->c.env.count + 2), 0 };
	struct sandbox_paths plain = { .count = 0 };

	/* drops variables that could make a loader or interpreter read the agent's directories */
	if (mcp_sandbox_has_more_rights(s)) {
		own.at[own.count++] = STR("PATH=" PROGRAM_GUARD_PATH);
		for (size_t i = 0; i < s->c.env.count; i++)
			own.at[own.count++] = s->c.env.at[i];
		plain = plain_variables(s);
		sandbox_env(s->mem, set->o.environ, &plain, &own, ret);
		return;
	}
	for (char *const *v = set->o.environ; v && *v; v++)
		if (str_starts(str_from(*v), STR("PATH=")))
			own.at[own.count++] =
				arena_printf(s->mem, "PATH=%.*s",
			                     STR_ARG(sandbox_env_path(s->mem, &s->plan,
			                                              str_skip(str_from(*v), 5))));
	for (size_t i = 0; i < s->c.env.count; i++)
		own.at[own.count++] = s->c.env.at[i];
	sandbox_env(s->mem, set->o.environ, &set->env, &own, ret);
}

static bool has_rule(const struct sandbox_paths *l, struct str rule)
{
	for (size_t i = 0; i < l->count; i++)
		if (str_eq(l->at[i], rule))
			return true;
	return false;
}

bool mcp_sandbox_keeps(const struct mcp_server *s, struct arena *mem, struct str rules)
{
	struct sandbox_paths wanted;

	if (str_is(s->c.url))
		return true; /* it sees no path of this machine */
	sandbox_plan_read_deny_rules(mem, rules, &wanted);
	for (size_t i = 0; i < wanted.count; i++)
		if (!has_rule(&s->plan.deny_rules, wanted.at[i]))
			return false;
	return true;
}

/*
 * A new process is the only way to a narrower sandbox; calls in flight are lost and reported as
 * such.
 */
static void start_again(struct mcp_server *s)
{
	if (str_is(s->c.url) ||
	    (s->state != MCP_READY && s->state != MCP_STARTING && s->state != MCP_DOWN))
		return;
	s->has_settled = false;
	s->failures = 0;
	mcp_server_renew(s, STR("it starts again, because a rule denies a path"));
}

void mcp_sandbox_deny(struct toolset *port, struct str rules)
{
	struct mcp_set *set = OWNER_OF(port, struct mcp_set, port);
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sandbox_paths wanted, *have = &set->deny_rules;
	bool is_new = false;

	sandbox_plan_read_deny_rules(mem, rules, &wanted);
	for (size_t i = 0; i < wanted.count; i++) {
		if (has_rule(have, wanted.at[i]))
			continue;
		have->at = arena_grow(set->mem, have->at, have->count * sizeof *have->at,
		                      (have->count + 1) * sizeof *have->at);
		have->at[have->count++] = arena_keep(set->mem, wanted.at[i]);
		is_new = true;
	}
	for (size_t i = 0; is_new && set->control && !set->is_stopped && i < set->server_count; i++)
		start_again(&set->servers[i]);
}

/* A running server's sandbox cannot be widened: the advice names the place of its configuration. */
void mcp_sandbox_violated(struct mcp_server *s, const struct supervisor_violation *v)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool is_host = str_is(v->host) && !str_is(v->call);
	struct str what = str_is(v->host) ? v->host : v->path;
	enum violation_kind kind = rec_enum_read(&enum_violation_kind, v->kind);
	struct tool_violation told = {
		.kind = kind ? kind : VIOLATION_KIND_PERMISSION,
		.operation = v->operation,
		.path = v->path,
		.host = v->host,
		.syscall = v->call,
		.err_name = v->err_name,
		.port = v->port,
		.count = v->count,
		.is_blocked = v->is_blocked,
		.has_fallback = v->has_fallback,
		.rule = v->rule,
		.address = v->address,
		.would_allow =
			is_host ? arena_printf(mem, "host %.*s:%lld in hosts of the server",
		                               STR_ARG(str_is(v->address) ? v->address : v->host),
		                               (long long)v->port)
				: STR_NONE,
	};

	log_line(LOG_INFO, "mcp", "%.*s: its sandbox refused %.*s %.*s", STR_ARG(s->c.name),
	         STR_ARG(v->operation), STR_ARG(str_head(what, 200)));
	mcp_call_violated(s, &told);
}
