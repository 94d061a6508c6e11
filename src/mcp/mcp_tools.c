/*
 * The toolset of MCP servers: the sandbox that a call is shown with, trust in
 * project servers, and the start and stop of the servers.
 */
#include "mcp/mcp_tools.h"

#include "base/jw.h"
#include "base/utf8.h"
#include "mcp/mcp_int.h"
#include "mcp/mcp_redact.h"

#include <limits.h>
#include <stdlib.h>

/* ---- the inventory ---- */

static size_t set_tools(struct toolset *port, const struct tool_info **ret)
{
	struct mcp_set *s = OWNER_OF(port, struct mcp_set, port);

	*ret = s->infos;
	return s->info_count;
}

static void set_watch(struct toolset *port, void (*changed)(void *owner), void *owner)
{
	struct mcp_set *s = OWNER_OF(port, struct mcp_set, port);

	s->changed = changed;
	s->changed_owner = owner;
}

/*
 * Turns wait for servers that are starting for the first time, and not for one that has failed
 * once.  A turn that begins is when lists are needed: stale ones are fetched again, and this turn
 * has the old one.
 */
static bool set_is_coming(struct toolset *port)
{
	struct mcp_set *s = OWNER_OF(port, struct mcp_set, port);

	for (size_t i = 0; i < s->server_count && !s->is_stopped; i++)
		mcp_server_look(&s->servers[i]);

	if (loop_timer_is_running(&s->news))
		return true;
	for (size_t i = 0; i < s->server_count; i++)
		if (!s->servers[i].has_settled && !s->is_stopped)
			return true;
	return false;
}

/* ---- the sandbox ---- */

/* The sandbox is that of the running process, so it is reported and cannot be chosen per call. */
static enum err set_bind(struct toolset *port, struct arena *mem, const struct tool_start *start,
                         struct tool_sandbox *ret, struct error *e)
{
	struct mcp_set *set = OWNER_OF(port, struct mcp_set, port);
	CLEANUP(buf_done) struct buf record = { 0 };
	const struct mcp_offer *offer;
	struct mcp_server *s = mcp_inventory_find(set, start->name, &offer);
	struct json_writer w;

	if (!s || s->state != MCP_READY)
		return fail(e, ERR_NOT_FOUND, "its server does not run");
	if (!mcp_sandbox_keeps(s, mem, start->deny))
		return fail(e, ERR_UNSUPPORTED,
		            "a rule denies a path that its running server can still open");
	jw_init(&w, &record);
	sandbox_plan_write_record(&w, &s->plan, false, STR("pipe"), STR_NONE);
	*ret = (struct tool_sandbox){ .tier = sandbox_tier_name(s->plan.tier),
		                      .is_degraded = s->plan.is_degraded,
		                      .reason = arena_keep(mem, s->plan.reason),
		                      .profile = ARENA_NEW(mem, struct rec_sandbox_profile) };

	enum err err = rec_read_text(mem, arena_keep(mem, buf_str(&record)),
	                             &rec_sandbox_profile_desc, ret->profile, e);

	ret->mode = ret->profile->mode;
	return err;
}

/* ---- servers, for people ---- */

static struct str state_word(const struct mcp_server *s)
{
	static const char *const words[] = {
		[MCP_UNTRUSTED] = "untrusted", [MCP_UNSUPPORTED] = "unsupported",
		[MCP_DISABLED] = "disabled",   [MCP_STARTING] = "starting",
		[MCP_READY] = "ready",         [MCP_DOWN] = "down",
		[MCP_STOPPED] = "stopped",     [MCP_LOGIN] = "login_required"
	};

	return str_from(words[s->state]);
}

static struct str joined(struct arena *mem, const struct sandbox_paths *words)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < words->count; i++) {
		if (i)
			buf_add_char(&out, ' ');
		buf_add_str(&out, words->at[i]);
	}
	return arena_keep(mem, buf_str(&out));
}

/*
 * For people only; quoting is lost.  A project's command is shown whole, because a person trusts it:
 * its file could declare a part of the command a secret, by a variable with that value, or move it
 * behind the end of a long line.
 */
static struct str command_of(struct arena *mem, const struct mcp_server *s)
{
	if (s->c.shown_argv.count)
		return joined(mem, &s->c.shown_argv);
	/* A variable of the user in an argument may be a key. */
	return str_head(mcp_redact(s, mem, joined(mem, &s->c.argv)), 2000);
}

static const struct rec_tool_server_sampling *sampling_row(struct arena *mem,
                                                           const struct mcp_sampling *from)
{
	struct rec_tool_server_sampling *r;

	if (!from->is_on)
		return NULL;
	r = ARENA_NEW(mem, struct rec_tool_server_sampling);
	*r = (struct rec_tool_server_sampling){
		.permission = from->asks ? SAMPLING_PERMISSION_ASK : SAMPLING_PERMISSION_ALLOW,
		.budget_usd = from->budget_usd,
		.max_tokens = from->max_tokens,
		.model = from->model,
	};
	return r;
}

static struct tool_server server_row(struct arena *mem, struct mcp_server *s)
{
	struct tool_server row = {
		.name = s->c.name,
		.source = s->set->o.is_client ? STR("client")
		          : s->c.is_project   ? STR("project")
		                              : STR("user"),
		.status = state_word(s),
		.detail = arena_keep(mem, s->detail),
		.command = command_of(mem, s),
		.url = s->c.url,
		.headers = s->c.header_names,
		.header_count = s->c.header_count,
		.protocol = s->protocol,
		.program = arena_keep(mem, s->program),
		.channel_id = s->channel ? s->channel_id : STR_NONE,
		.env = s->c.shown_env.at,
		.env_count = s->c.shown_env.count,
		.hosts = s->c.hosts.at,
		.host_count = s->c.hosts.count,
		.content_hash =
			s->c.is_project && !s->set->o.is_client ? s->set->project_hash : STR_NONE,
		.program_hash = mcp_sandbox_program_hash(s, mem),
		.sampling = sampling_row(mem, &s->c.sampling),
		.tool_count = (int64_t)s->offer_count,
		.left_out = s->left_out[0]
		                    ? utf8_preview(mem, str_from(s->left_out), sizeof s->left_out)
		                    : STR_NONE,
		.restarts = s->restarts,
		.has_login = s->login.login != NULL,
	};

	if (row.has_login) {
		row.is_signed_in = mcp_login_has_token(s->login.login);
		row.is_login_pending = mcp_login_is_pending(s->login.login);
		if (s->state == MCP_LOGIN && str_is(mcp_login_error(s->login.login)))
			row.detail = arena_printf(mem, "%.*s (%.*s)", STR_ARG(s->detail),
			                          STR_ARG(mcp_login_error(s->login.login)));
	}
	for (size_t i = 0; i < s->offer_count; i++)
		row.changed_count += s->offers[i].is_changed;
	return row;
}

static size_t set_servers(struct toolset *port, struct arena *mem, const struct tool_server **ret)
{
	struct mcp_set *s = OWNER_OF(port, struct mcp_set, port);
	struct tool_server *rows = ARENA_ARRAY(mem, struct tool_server, s->server_count + 1);

	for (size_t i = 0; i < s->server_count; i++)
		rows[i] = server_row(mem, &s->servers[i]);
	*ret = rows;
	return s->server_count;
}

/* Trust covers the text of the whole file, so all its servers are trusted together. */
static enum err trust_project(struct mcp_set *s, struct error *e)
{
	enum err code = mcp_pins_project_trust(s, e);

	for (size_t i = 0; !code && i < s->server_count; i++)
		if (s->servers[i].state == MCP_UNTRUSTED && s->control) {
			mcp_sign_in_join(&s->servers[i]);
			mcp_server_begin(&s->servers[i]);
		}
	return code;
}

/* Accepts the current program; a waiting server starts immediately. */
static enum err trust_program(struct mcp_server *s, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str hash = mcp_sandbox_program_hash(s, mem);
	enum err code = str_is(hash) ? mcp_pins_trust_program(s, hash, e) : OK;

	if (!code && s->state == MCP_DOWN && s->set->control && loop_timer_is_running(&s->again)) {
		loop_timer_stop(&s->again);
		s->failures = 0;
		mcp_server_begin(s);
	}
	return code;
}

/*
 * For an untrusted project server the file is trusted; for any other, its current definitions
 * and its current program.
 */
static enum err set_trust(struct toolset *port, struct str name, struct error *e)
{
	struct mcp_set *s = OWNER_OF(port, struct mcp_set, port);

	for (size_t i = 0; i < s->server_count; i++) {
		struct mcp_server *one = &s->servers[i];

		if (!str_eq(one->c.name, name))
			continue;
		if (one->state == MCP_UNTRUSTED)
			return trust_project(s, e);
		if (one->state == MCP_UNSUPPORTED)
			return fail(e, ERR_UNSUPPORTED, "%.*s", STR_ARG(one->detail));
		/* Definitions and program are trusted together. */
		mcp_pins_renew(one);
		mcp_inventory_changed(s);
		return trust_program(one, e);
	}
	return fail(e, ERR_NOT_FOUND, "there is no server %.*s", STR_ARG(str_head(name, 64)));
}

/* ---- its life ---- */

void mcp_tools_start(struct toolset *port, struct control *control)
{
	struct mcp_set *s = OWNER_OF(port, struct mcp_set, port);

	s->control = control;
	for (size_t i = 0; i < s->server_count; i++)
		if (s->servers[i].state == MCP_STARTING) {
			mcp_sign_in_join(&s->servers[i]);
			mcp_server_begin(&s->servers[i]);
		}
}

/* While the control is still there: channels leave in order, before set_close(). */
void mcp_tools_stop(struct toolset *port)
{
	struct mcp_set *s = OWNER_OF(port, struct mcp_set, port);

	s->is_stopped = true;
	loop_timer_stop(&s->news);
	for (size_t i = 0; i < s->server_count; i++) {
		mcp_server_stop(&s->servers[i], STR("the runtime stops"), MCP_STOPPED);
		mcp_sign_in_leave(&s->servers[i]);
	}
}

static void set_close(struct toolset *port)
{
	struct mcp_set *s = OWNER_OF(port, struct mcp_set, port);

	/* the control may be freed by now, so it gets no callback; mcp_tools_stop() has notified it */
	loop_timer_stop(&s->news);
	mcp_call_drop_all(s);
	for (size_t i = 0; i < s->server_count; i++) {
		struct mcp_server *one = &s->servers[i];

		one->channel = NULL;
		mcp_ask_drop_all(one);
		mcp_server_stop(one, STR("the runtime stops"), MCP_STOPPED);
		mcp_sign_in_leave(one);
		arena_free(one->offers_mem);
		arena_free(one->detail_mem);
		arena_free(one->keep_mem);
		mcp_offers_free(one);
	}
	arena_free(s->infos_mem);
	arena_free(s->mem);
}

static const struct toolset_ops set_ops = {
	.tools = set_tools,
	.bind = set_bind,
	.start = mcp_call_start,
	.cancel = mcp_call_cancel,
	.leave = mcp_call_leave,
	.pause = mcp_call_pause,
	.resume = mcp_call_pause,
	.close = set_close,
	.watch = set_watch,
	.is_coming = set_is_coming,
	.deny = mcp_sandbox_deny,
	.response = mcp_call_answer,
	.servers = set_servers,
	.trust = set_trust,
	.login = mcp_sign_in_login,
	.logout = mcp_sign_in_logout,
	.prompts = mcp_ask_prompts,
	.ask = mcp_ask_start,
};

static struct str real_path(struct arena *mem, struct str path)
{
	char full[PATH_MAX];

	return str_is(path) && realpath(arena_keep(mem, path).ptr, full)
	               ? arena_keep(mem, str_from(full))
	               : STR_NONE;
}

static const struct str *keep_texts(struct arena *mem, const struct str *texts, size_t count)
{
	struct str *at = ARENA_ARRAY(mem, struct str, count + 1);

	for (size_t i = 0; i < count; i++)
		at[i] = arena_keep(mem, texts[i]);
	return at;
}

static void keep_options(struct mcp_set *s, const struct mcp_options *o)
{
	s->o = *o;
	s->o.project = arena_keep(s->mem, o->project);
	s->o.project_path = arena_keep(s->mem, o->project_path);
	/* Without links, because sandbox roots are compared as text. */
	s->o.cwd = real_path(s->mem, o->cwd);
	s->o.data_dir = real_path(s->mem, o->data_dir);
	s->o.version = arena_keep(s->mem, o->version);
	s->env.at = ARENA_ARRAY(s->mem, struct str, o->env_count + 1);
	for (size_t i = 0; i < o->env_count; i++)
		s->env.at[s->env.count++] = arena_keep(s->mem, o->env[i]);
	s->hosts.at = ARENA_ARRAY(s->mem, struct str, o->host_count + 1);
	for (size_t i = 0; i < o->host_count; i++)
		s->hosts.at[s->hosts.count++] = arena_keep(s->mem, o->hosts[i]);
	s->o.peer_hosts = keep_texts(s->mem, o->peer_hosts, o->peer_host_count);
	for (int m = SANDBOX_READ_ONLY; m <= SANDBOX_EXTERNAL; m++)
		if (str_eq(o->mode, sandbox_plan_mode_name((enum sandbox_plan_mode)m)))
			s->mode = (enum sandbox_plan_mode)m;
	for (int n = SANDBOX_NETWORK_OFF; n <= SANDBOX_NETWORK_FULL; n++)
		if (str_eq(o->network, sandbox_plan_network_name((enum sandbox_network)n)))
			s->network = (enum sandbox_network)n;
}

enum err mcp_tools_check(const struct mcp_options *o, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct mcp_set *s = ARENA_NEW(mem, struct mcp_set);

	s->mem = mem;
	keep_options(s, o);
	return mcp_config_read(s, e);
}

enum err mcp_tools_open(const struct mcp_options *o, struct toolset **ret, struct error *e)
{
	struct arena *mem = arena_new();
	struct mcp_set *s = ARENA_NEW(mem, struct mcp_set);
	enum err code;

	s->mem = mem;
	s->port.ops = &set_ops;
	list_init(&s->handles);
	keep_options(s, o);
	code = mcp_config_read(s, e);
	for (size_t i = 0; i < s->server_count; i++)
		s->servers[i].transport =
			str_is(s->servers[i].c.url) ? &mcp_http_transport : &mcp_process_transport;
	if (!code && !str_is(s->o.cwd) && s->server_count)
		code = fail(e, ERR_NOT_FOUND, "the working directory is gone");
	if (code) {
		arena_free(mem);
		return code;
	}
	mcp_inventory_take(s);
	*ret = &s->port;
	return OK;
}
