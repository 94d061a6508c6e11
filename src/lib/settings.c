/*
 * Adds the layers of thole_options to the configuration in the order of
 * precedence, and checks settings and the store that they name for the API
 * without opening a runtime.
 */
#include "lib/settings.h"

#include "base/arena.h"
#include "base/memory.h"
#include "hooks/hooks.h"
#include "lib/workspace/node_workspaces.h"
#include "mcp/mcp_tools.h"
#include "peer/peer.h"
#include "provider/http_config.h"
#include "serve/auth/forwarded.h"
#include "serve/auth/issuer_settings.h"
#include "store/postgres/check/pg_check.h"

#include <stdio.h>
#include <unistd.h>

/*
 * The project comes before the environment and the options: what the operator says for
 * this run counts more than a file of the repository.
 */
enum err settings_add(struct config *c, const struct thole_options *o, struct error *e)
{
	enum err code = o->config ? config_add(c, STR("config"), str_from(o->config), e) : OK;

	if (!code && o->project)
		code = config_add_project(c, STR("project"), str_from(o->project), e);
	if (!code)
		code = config_add_env(c, e);
	if (!code && o->overrides)
		code = config_add(c, STR("options"), str_from(o->overrides), e);
	return code;
}

/* The catalogue does not describe what is below the name of a provider, so it is checked here. */
static enum err check_providers(const struct config_values *values, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_iter it = json_iter(values->providers);
	struct json settings;
	struct str name;
	enum err code = OK;

	while (!code && json_next(&it, &name, &settings)) {
		struct http_provider_options o = { 0 };

		code = http_config_apply(mem, name, settings, &o, e);
	}
	return code;
}

static enum err check_access(const struct config_values *values, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	const struct issuer_options *items;
	struct host_rules proxies;
	size_t count;
	enum err code = issuer_settings_read(mem, values->auth_issuers, &items, &count, e);

	return code ? code
	            : forwarded_read_proxies(mem, values->trusted_proxies.items,
	                                     values->trusted_proxies.count, &proxies, e);
}

/* Nor does it describe hooks and tool servers: their readers do. */
static enum err check_programs(const struct config_values *values, struct error *e)
{
	struct mcp_options mo = { .settings = values->mcp_servers,
		                  .environ = environ,
		                  .peer_hosts = values->peers_allow_hosts.items,
		                  .peer_host_count = values->peers_allow_hosts.count };
	struct hooks_options ho = { .settings = values->hooks, .environ = environ };
	struct hooks *hooks;
	struct peer_options po = { .settings = values->agents_remote,
		                   .allow_hosts = values->peers_allow_hosts.items,
		                   .allow_host_count = values->peers_allow_hosts.count,
		                   .environ = environ };
	enum err code = mcp_tools_check(&mo, e);

	if (!code)
		code = peer_check(&po, e);
	if (!code)
		code = check_access(values, e);
	if (!code)
		code = node_workspaces_check(values, e);
	if (!code)
		code = mcp_login_check_document_url(values->mcp_client_id_url, e);
	if (!code)
		code = hooks_open(&ho, &hooks, e);
	if (!code)
		hooks->ops->close(hooks);
	return code;
}

static int refused(struct thole_error *err, int code, const struct error *e)
{
	if (err) {
		err->code = code;
		snprintf(err->message, sizeof err->message, "%s", e->message);
	}
	return code;
}

int thole_settings_check(const struct thole_options *options, struct thole_error *err)
{
	struct config *c = config_new();
	struct error e = { 0 };
	enum err code = settings_add(c, options, &e);

	if (!code)
		code = check_providers(config_values(c), &e);
	if (!code)
		code = check_programs(config_values(c), &e);
	config_free(c);
	return code ? refused(err, THOLE_CONFIG, &e) : THOLE_OK;
}

/* ---- the store ---- */

static enum err report_store(struct arena *mem, const struct config_values *v, struct str *ret,
                             struct error *e)
{
	struct pg_check_options o = {
		.url = arena_keep(mem, v->store_url).ptr,
		.schema = arena_keep(mem, v->store_schema).ptr,
		.node = v->node_name.len ? v->node_name : STR("local"),
		.is_relaxed = v->durability == DURABILITY_MODE_RELAXED,
		.is_pooled = !v->store_prepare,
		.has_no_hints = !v->store_listen,
	};

	*ret = STR("{\"checks\":[]}");
	return v->store_url.len ? pg_check_report(mem, &o, ret, e) : OK;
}

int thole_store_check(const struct thole_options *options, char **ret, struct thole_error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct config *c = config_new();
	struct error e = { 0 };
	struct str report;
	int code = THOLE_OK;

	*ret = NULL;
	if (settings_add(c, options, &e) != OK)
		code = refused(err, THOLE_CONFIG, &e);
	else if (report_store(mem, config_values(c), &report, &e) != OK)
		code = refused(err, THOLE_INVALID, &e);
	else
		*ret = memory_strndup(report.ptr, report.len);
	config_free(c);
	return code;
}
