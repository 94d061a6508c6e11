/* The cage of a server: what it may do, what it is told, and what it was refused. */
#include "base/log.h"
#include "base/path.h"
#include "mcp/mcp_int.h"

/* Its own hosts; those of the settings only where the network is theirs too. */
static void choose_network(const struct mcp_server *s, struct sandbox_profile *w)
{
	if (s->c.hosts.count) {
		w->network = SANDBOX_NETWORK_RESTRICTED;
		w->allow = s->c.hosts;
	} else if (str_is(s->c.network)) {
		w->network = str_eq(s->c.network, STR("full")) ? SANDBOX_NETWORK_FULL
		                                               : SANDBOX_NETWORK_OFF;
	} else {
		w->network = s->set->network;
		w->allow = s->set->hosts;
	}
}

enum err server_plan(struct mcp_server *s, struct arena *mem, struct sandbox_plan *ret,
                     struct error *e)
{
	struct mcp_set *set = s->set;
	struct sandbox_limits limits = sandbox_limits_default;
	struct sha256 name = sha256_of(arena_printf(mem, "%.*s %.*s %u", STR_ARG(set->o.data_dir),
	                                            STR_ARG(s->c.name), set->o.number));
	struct sandbox_profile w = {
		.mode = set->mode,
		.home = hand_host_home(set->o.host),
		.read = s->c.read,
		.write = s->c.write,
		.is_fail_closed = set->o.is_fail_closed,
		.tmp_dir = arena_printf(mem, "/tmp/thole-%.*s-%u",
		                        STR_ARG(str_head(sha256_hex(mem, &name), 20)), s->restarts),
		.limits = &limits,
	};
	enum err code = mcp_work_dir(s, mem, &w.cwd, e);

	if (code)
		return code;
	choose_network(s, &w);
	/* it lives as long as we do, and what it writes is bounded line by line */
	limits.timeout_ms = limits.inactivity_ms = limits.max_output_bytes = limits.max_cpu_s = 0;
	if (str_is(set->o.data_dir) && path_is_under(set->o.data_dir, w.cwd))
		w.deny = (struct sandbox_paths){ &set->o.data_dir, 1 };
	if (s->has_weaker)
		return sandbox_plan_weaker(mem, hand_host_machine(set->o.host), &w, s->refused_tier,
		                           s->refused_why, ret, e);
	return sandbox_plan_make(mem, hand_host_machine(set->o.host), &w, ret, e);
}

void server_env(struct mcp_server *s, struct sandbox_paths *ret)
{
	struct mcp_set *set = s->set;
	struct sandbox_paths own = { ARENA_ARRAY(s->mem, struct str, s->c.env.count + 2), 0 };

	for (char *const *v = set->o.environ; v && *v; v++)
		if (str_starts(str_from(*v), STR("PATH=")))
			own.at[own.count++] =
				arena_printf(s->mem, "PATH=%.*s",
			                     STR_ARG(sandbox_visible_path(
						     s->mem, &s->plan, str_skip(str_from(*v), 5))));
	for (size_t i = 0; i < s->c.env.count; i++)
		own.at[own.count++] = s->c.env.at[i];
	sandbox_env(s->mem, set->o.environ, &set->env, &own, ret);
}

/* Nobody can give a running server more: what would allow it stands where the server does. */
void server_violated(struct mcp_server *s, const struct hand_violation *v)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool is_host = str_is(v->host) && !str_is(v->call);
	struct str what = str_is(v->host) ? v->host : v->path;
	struct tool_violation told = {
		.kind = v->kind,
		.operation = v->operation,
		.path = v->path,
		.host = v->host,
		.syscall = v->call,
		.err_name = v->err_name,
		.port = v->port,
		.count = v->count,
		.is_blocked = v->is_blocked,
		.rule = v->rule,
		.address = v->address,
		.would_allow =
			is_host ? arena_printf(mem, "host %.*s:%lld in hosts of the server",
		                               STR_ARG(str_is(v->address) ? v->address : v->host),
		                               (long long)v->port)
				: STR_NONE,
	};

	log_line(LOG_INFO, "mcp", "%.*s: its cage refused %.*s %.*s", STR_ARG(s->c.name),
	         STR_ARG(v->operation), STR_ARG(str_head(what, 200)));
	call_violated(s, &told);
}
