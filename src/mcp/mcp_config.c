/* Reads the configured servers: those of the settings, then those of the project's file. */
#include "sandbox/host_rule.h"
#include "base/path/path.h"
#include "catalog/catalog.h"
#include "mcp/mcp_int.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

#define WORDS_MAX 256
#define TIMEOUT_MAX_MS 3600000
#define URL_MAX 2048
#define HEADERS_MAX 32
#define HEADER_MAX 8192

struct place {
	struct mcp_set *set;
	struct str name;
	bool is_project;
};

static enum err server_error(const struct place *at, struct error *e, const char *what,
                             struct str which)
{
	return fail(e, ERR_INVALID, "mcp server %.*s: %s%s%.*s", STR_ARG(str_head(at->name, 64)),
	            what, which.len ? " " : "", STR_ARG(str_head(which, 80)));
}

/*
 * The name becomes part of tool names (mcp__name__tool), for which providers allow these
 * characters.  With __ inside or _ at the end two servers could have tools of one name: a with
 * b__c, and a__b with c.
 */
static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-'))
			return false;
	}
	return s.len && s.len <= 32 && str_find(s, STR("__")) < 0 && !str_ends(s, STR("_"));
}

static struct str find_variable(const struct mcp_set *s, struct str name)
{
	for (char *const *v = s->o.environ; v && *v; v++) {
		struct str each = str_from(*v);

		if (each.len > name.len && each.ptr[name.len] == '=' && str_starts(each, name))
			return str_skip(each, name.len + 1);
	}
	return STR_NONE;
}

/* Expands ${NAME} and ${NAME:-default}; a missing variable is empty. */
static struct str expand_variables(const struct place *at, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (at->set->o.is_client)
		return arena_keep(at->set->mem, text);
	while (text.len) {
		ptrdiff_t from = str_find(text, STR("${")), to = str_find_char(text, '}');
		struct str name, value;

		if (from < 0 || to < from) {
			buf_add_str(&out, text);
			break;
		}
		buf_add_str(&out, str_head(text, (size_t)from));
		name = str_skip(str_head(text, (size_t)to), (size_t)from + 2);
		text = str_skip(text, (size_t)to + 1);
		ptrdiff_t otherwise = str_find(name, STR(":-"));

		value = find_variable(at->set,
		                      otherwise < 0 ? name : str_head(name, (size_t)otherwise));
		if (!value.len && otherwise >= 0)
			value = str_skip(name, (size_t)otherwise + 2);
		buf_add_str(&out, value);
	}
	return arena_keep(at->set->mem, buf_str(&out));
}

static bool holds_nul(struct str s)
{
	return s.len && memchr(s.ptr, 0, s.len);
}

/*
 * The text of a project's file is what a person trusts, so it is kept as it stands there: variables
 * by name, and nothing redacted.  What other sources say may be a secret.
 */
static bool is_shown(const struct place *at)
{
	return at->is_project && !at->set->o.is_client;
}

static struct sandbox_paths new_shown(const struct place *at, size_t max)
{
	struct sandbox_paths p = { 0 };

	if (is_shown(at))
		p.at = ARENA_ARRAY(at->set->mem, struct str, max + 1);
	return p;
}

static void add_shown(const struct place *at, struct sandbox_paths *to, struct str text)
{
	if (is_shown(at))
		to->at[to->count++] = arena_keep(at->set->mem, text);
}

static enum err read_words(const struct place *at, const char *key, struct json v,
                           struct sandbox_paths *ret, struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str none;

	if (json_type(v) != JSON_ARR || json_count(v) > WORDS_MAX)
		return server_error(at, e, "wants a list:", str_from(key));
	while (json_next(&it, &none, &each)) {
		if (!str_is(json_str(each)) || holds_nul(json_str(each)))
			return server_error(at, e, "wants texts:", str_from(key));
		ret->at[ret->count++] = expand_variables(at, json_str(each));
	}
	return OK;
}

/* Resolves a directory, which must exist. */
static enum err read_dir(const struct place *at, struct str path, struct str *ret, struct error *e)
{
	char full[PATH_MAX];

	if (!path.len || path.ptr[0] != '/' || holds_nul(path) ||
	    !realpath(arena_keep(at->set->mem, path).ptr, full))
		return server_error(at, e, "there is no directory", path);
	*ret = arena_keep(at->set->mem, str_from(full));
	return OK;
}

static enum err read_dirs(const struct place *at, const char *key, struct json v,
                          struct sandbox_paths *ret, struct error *e)
{
	enum err code;

	ret->at = ARENA_ARRAY(at->set->mem, struct str, WORDS_MAX + 1);
	code = read_words(at, key, v, ret, e);
	for (size_t i = 0; !code && i < ret->count; i++)
		code = read_dir(at, ret->at[i], &ret->at[i], e);
	return code;
}

static bool has_variable(const struct place *at, struct str text)
{
	return !at->set->o.is_client && str_find(text, STR("${")) >= 0;
}

static enum err read_env(const struct place *at, struct json v, struct mcp_config *c,
                         struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) != JSON_OBJ || json_count(v) > WORDS_MAX)
		return server_error(at, e, "wants an object: env", STR(""));
	c->env.at = ARENA_ARRAY(at->set->mem, struct str, json_count(v) + 1);
	c->shown_env = new_shown(at, json_count(v));
	/*
	 * A literal value in a project's file is no secret; a variable of the user may be one, and so
	 * may everything that a client says.
	 */
	c->has_secrets |= (!at->is_project || at->set->o.is_client) && json_count(v);
	while (json_next(&it, &key, &each)) {
		c->has_secrets |= has_variable(at, json_str(each));
		if (!key.len || str_find_char(key, '=') >= 0 || holds_nul(key) ||
		    !str_is(json_str(each)) || holds_nul(json_str(each)))
			return server_error(at, e, "env wants names and texts:", key);
		add_shown(at, &c->shown_env,
		          arena_printf(at->set->mem, "%.*s=%.*s", STR_ARG(key),
		                       STR_ARG(json_str(each))));
		c->env.at[c->env.count++] =
			arena_printf(at->set->mem, "%.*s=%.*s", STR_ARG(key),
		                     STR_ARG(expand_variables(at, json_str(each))));
	}
	return OK;
}

static enum err read_command(const struct place *at, struct json v, struct mcp_config *c,
                             struct error *e)
{
	if (!json_str(v).len || holds_nul(json_str(v)))
		return server_error(at, e, "wants a text: command", STR(""));
	c->argv.at = ARENA_ARRAY(at->set->mem, struct str, WORDS_MAX + 2);
	c->argv.at[0] = expand_variables(at, json_str(v));
	c->argv.count = 1;
	c->shown_argv = new_shown(at, WORDS_MAX + 1);
	add_shown(at, &c->shown_argv, json_str(v));
	/*
	 * A command line with a variable of the user may contain a key; such a server has more
	 * rights than the agent, and its program is checked.
	 */
	c->has_secrets |= has_variable(at, json_str(v));
	return OK;
}

/* Variables are not expanded: the user trusts the text of the file, not a variable's value. */
static enum err read_hosts(const struct place *at, struct json v, struct mcp_config *c,
                           struct error *e)
{
	struct json_iter it = json_iter(v);
	struct host_rules rules;
	struct error why;
	struct json each;
	struct str none;

	if (json_type(v) != JSON_ARR || json_count(v) > HOST_RULES_MAX)
		return server_error(at, e, "wants a list: hosts", STR(""));
	c->hosts.at = ARENA_ARRAY(at->set->mem, struct str, json_count(v) + 1);
	while (json_next(&it, &none, &each))
		c->hosts.at[c->hosts.count++] =
			arena_keep(at->set->mem, str_is(json_str(each)) ? json_str(each) : STR(""));
	if (host_rule_read_all(at->set->mem, c->hosts.at, c->hosts.count, &rules, &why) != OK)
		return server_error(at, e, "hosts:", str_from(why.message));
	return OK;
}

static void keep_from_starting(struct mcp_config *c, struct str why)
{
	c->state = MCP_UNSUPPORTED;
	c->why = why;
}

static enum err read_sampling(const struct place *at, struct json v, struct mcp_config *c,
                              struct error *e)
{
	struct error why;

	return mcp_sampling_settings(at->set->mem, v, &c->sampling, &why) == OK
	               ? OK
	               : server_error(at, e, why.message, STR(""));
}

/*
 * Models cost the user's money: neither a project's file nor a client lends them to a server.  An
 * entry of a project is shown with the reason and never started.
 */
static enum err refuse_sampling(const struct place *at, struct mcp_config *c, struct error *e)
{
	if (at->set->o.is_client)
		return server_error(at, e, "sampling works in the user's own settings only",
		                    STR(""));
	keep_from_starting(c, STR("its entry has sampling, which works in your own settings only"));
	return OK;
}

static bool read_ms(struct json v, int64_t max, int64_t *ret)
{
	*ret = json_int(v, 0);
	return *ret >= 1 && *ret <= max;
}

/* For the settings only: a project must not widen the sandbox. */
static enum err read_own(const struct place *at, struct str key, struct json v,
                         struct mcp_config *c, struct error *e)
{
	if (str_eq(key, STR("read")))
		return read_dirs(at, "read", v, &c->read, e);
	if (str_eq(key, STR("write")))
		return read_dirs(at, "write", v, &c->write, e);
	if (str_eq(key, STR("cwd")))
		return read_dir(at, json_str(v), &c->cwd, e);
	if (str_eq(key, STR("network"))) {
		c->network = json_str(v);
		return str_eq(c->network, STR("off")) || str_eq(c->network, STR("full"))
		               ? OK
		               : server_error(at, e, "network is off or full", STR(""));
	}
	if (str_eq(key, STR("protocol"))) {
		c->version = mcp_message_version_read(json_str(v));
		return c->version || str_eq(json_str(v), STR("auto"))
		               ? OK
		               : server_error(at, e, "there is no protocol", json_str(v));
	}
	if (str_eq(key, STR("timeout_ms")))
		return read_ms(v, TIMEOUT_MAX_MS, &c->timeout_ms)
		               ? OK
		               : server_error(at, e, "timeout_ms is from 1 to 3600000", STR(""));
	if (str_eq(key, STR("total_ms")))
		return read_ms(v, LIMIT_MCP_CALL_TOTAL_MS, &c->total_ms)
		               ? OK
		               : server_error(at, e, "total_ms is from 1 to 86400000", STR(""));
	if (str_eq(key, STR("sampling")))
		return read_sampling(at, v, c, e);
	return server_error(at, e, "does not know", key);
}

static enum err read_enabled(const struct place *at, struct json v, struct mcp_config *c,
                             struct error *e)
{
	if (json_type(v) != JSON_BOOL)
		return server_error(at, e, "enabled is true or false", STR(""));
	if (!json_bool(v, true))
		c->state = MCP_DISABLED;
	return OK;
}

static enum err read_member(const struct place *at, struct str key, struct json v,
                            struct mcp_config *c, struct error *e)
{
	if (str_eq(key, STR("command")) || str_eq(key, STR("args")))
		return OK; /* read in order, below */
	if (str_eq(key, STR("env")))
		return read_env(at, v, c, e);
	/* An editor does not widen the network of the sandbox. */
	if (str_eq(key, STR("hosts")))
		return at->set->o.is_client ? OK : read_hosts(at, v, c, e);
	if (str_eq(key, STR("enabled")))
		return read_enabled(at, v, c, e);
	if (str_eq(key, STR("type")) && str_eq(json_str(v), STR("stdio")))
		return OK;
	if (at->is_project && str_eq(key, STR("sampling")))
		return refuse_sampling(at, c, e);
	/* Unknown keys in a project's file are ignored. */
	return at->is_project ? OK : read_own(at, key, v, c, e);
}

/* ---- servers with an address ---- */

/* An address of visible ASCII, http or https, without a user and without a fragment. */
static enum err read_url(const struct place *at, struct json v, struct mcp_config *c,
                         struct error *e)
{
	struct str url = json_str(v);
	uint16_t port;

	for (size_t i = 0; i < url.len; i++)
		if (url.ptr[i] <= ' ' || url.ptr[i] > '~' || strchr("#\\\"<>{}", url.ptr[i]))
			return server_error(at, e, "url holds a character that no address has",
			                    STR(""));
	if (!url.len || url.len > URL_MAX || !net_host_of_url(url, &c->host, &port))
		return server_error(at, e, "url is an http:// or https:// address without a user",
		                    STR(""));
	c->url = arena_keep(at->set->mem, url);
	return OK;
}

/* The first variable of a text that has neither a value nor a default; absent: none. */
static struct str find_missing(const struct place *at, struct str text)
{
	while (has_variable(at, text)) {
		struct str rest = str_skip(text, (size_t)str_find(text, STR("${")) + 2);
		ptrdiff_t to = str_find_char(rest, '}');

		if (to < 0)
			return STR_NONE;
		text = str_skip(rest, (size_t)to + 1);
		rest = str_head(rest, (size_t)to);
		if (str_find(rest, STR(":-")) < 0 && !find_variable(at->set, rest).len)
			return rest;
	}
	return STR_NONE;
}

/*
 * A project's file must not send the user's variables to an address of its choice: such an entry
 * is shown with the reason and never connected.
 */
static enum err read_header(const struct place *at, struct str name, struct json v,
                            struct mcp_config *c, struct error *e)
{
	struct str text = json_str(v), missing = find_missing(at, text), value = text;

	if (!mcp_http_message_is_header_name(name))
		return server_error(at, e, "headers must not contain", name);
	if (at->is_project && has_variable(at, text)) {
		keep_from_starting(c, arena_printf(at->set->mem,
		                                   "its header %.*s names a variable, which works "
		                                   "in your own settings only",
		                                   STR_ARG(name)));
		value = STR("");
	} else if (str_is(missing)) {
		keep_from_starting(c, arena_printf(at->set->mem,
		                                   "its header %.*s names the variable %.*s, "
		                                   "which is not set",
		                                   STR_ARG(name), STR_ARG(str_head(missing, 64))));
	}
	if (!at->is_project || at->set->o.is_client)
		value = expand_variables(at, text);
	if (!str_is(text) || value.len > HEADER_MAX || !mcp_http_message_is_header_value(value))
		return server_error(at, e, "the value of a header is a line of ASCII:", name);
	c->has_own_login |= name.len == 13 && !strncasecmp(name.ptr, "authorization", 13);
	c->header_names[c->header_count] = arena_keep(at->set->mem, name);
	c->headers[c->header_count] =
		(struct http_client_header){ c->header_names[c->header_count],
		                             arena_keep(at->set->mem, value) };
	c->header_count++;
	return OK;
}

static enum err read_headers(const struct place *at, struct json v, struct mcp_config *c,
                             struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;
	enum err code = OK;

	if (json_type(v) != JSON_OBJ || json_count(v) > HEADERS_MAX)
		return server_error(at, e, "headers is an object of at most 32 names", STR(""));
	c->headers = ARENA_ARRAY(at->set->mem, struct http_client_header, HEADERS_MAX);
	c->header_names = ARENA_ARRAY(at->set->mem, struct str, HEADERS_MAX);
	while (!code && json_next(&it, &key, &each))
		code = read_header(at, key, each, c, e);
	return code;
}

static bool is_client_text(struct str s)
{
	return s.len && s.len <= HEADER_MAX && mcp_http_message_is_header_value(s);
}

/* A client that the user registered.  It belongs to one authorization server and to no other. */
static enum err read_oauth(const struct place *at, struct json v, struct mcp_config *c,
                           struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) != JSON_OBJ)
		return server_error(at, e, "oauth is an object", STR(""));
	while (json_next(&it, &key, &each)) {
		struct str value =
			str_is(json_str(each)) ? expand_variables(at, json_str(each)) : STR("");

		if (!is_client_text(value))
			return server_error(at, e, "oauth wants texts:", key);
		if (str_eq(key, STR("issuer")))
			c->oauth.issuer = value;
		else if (str_eq(key, STR("client_id")))
			c->oauth.client.id = value;
		else if (str_eq(key, STR("client_secret")))
			c->oauth.client.secret = value;
		else
			return server_error(at, e, "oauth does not know", key);
	}
	return str_is(c->oauth.issuer) && str_is(c->oauth.client.id)
	               ? OK
	               : server_error(at, e, "oauth wants issuer and client_id", STR(""));
}

/* What belongs to a program has no meaning for an address, so the settings refuse it. */
static enum err read_remote_member(const struct place *at, struct str key, struct json v,
                                   struct mcp_config *c, struct error *e)
{
	if (str_eq(key, STR("type")) || str_eq(key, STR("url")))
		return OK;
	if (str_eq(key, STR("headers")))
		return read_headers(at, v, c, e);
	if (str_eq(key, STR("enabled")))
		return read_enabled(at, v, c, e);
	if (at->is_project)
		return str_eq(key, STR("sampling")) ? refuse_sampling(at, c, e) : OK;
	if (str_eq(key, STR("oauth")))
		return read_oauth(at, v, c, e);
	if (str_eq(key, STR("protocol")) || str_eq(key, STR("timeout_ms")) ||
	    str_eq(key, STR("total_ms")) || str_eq(key, STR("sampling")))
		return read_own(at, key, v, c, e);
	return server_error(at, e, "a server with a url does not have", key);
}

static enum err read_remote(const struct place *at, struct json v, struct mcp_config *c,
                            struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json member;
	struct str key;
	enum err code = read_url(at, JSON_GET(v, "url"), c, e);

	while (!code && json_next(&it, &key, &member))
		code = read_remote_member(at, key, member, c, e);
	return code;
}

/* A url alone is enough; other programs write "streamable-http". */
static bool is_remote(struct json v)
{
	struct str type = json_str(JSON_GET(v, "type"));

	return str_is(type) ? str_eq(type, STR("http")) || str_eq(type, STR("streamable-http"))
	                    : json_is(JSON_GET(v, "url"));
}

static void show_words(const struct place *at, struct json args, struct mcp_config *c)
{
	struct json_iter it = json_iter(args);
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		add_shown(at, &c->shown_argv, json_str(each));
}

/* command precedes args in argv, whatever their order in the file, so both are read first. */
static enum err read_program(const struct place *at, struct json v, struct mcp_config *c,
                             struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json member, args = JSON_GET(v, "args");
	struct str key;
	enum err code = read_command(at, JSON_GET(v, "command"), c, e);

	if (!code && json_is(args)) {
		code = read_words(at, "args", args, &c->argv, e);
		if (!code)
			show_words(at, args, c);
		c->has_secrets |= has_variable(at, json_text(at->set->mem, args));
	}
	while (!code && json_next(&it, &key, &member))
		code = read_member(at, key, member, c, e);
	if (!code && c->hosts.count && str_is(c->network))
		code = server_error(at, e, "has either network or hosts", STR(""));
	return code;
}

/* Whether the setting mcp.publish names the server, or a tool of it. */
static bool is_published(const struct place *at)
{
	struct json servers = JSON_GET(at->set->o.publish, "servers"),
		    tools = JSON_GET(at->set->o.publish, "tools"), v;
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str head = arena_printf(mem, "mcp__%.*s__", STR_ARG(at->name)), name, key;
	struct json_iter it = json_iter(servers);

	while (json_type(servers) == JSON_ARR && json_next(&it, &key, &v))
		if (str_is(json_str(v)) && str_eq(json_str(v), at->name))
			return true;
	it = json_iter(tools);
	while (json_type(tools) == JSON_ARR && json_next(&it, &key, &v)) {
		name = json_str(json_type(v) == JSON_OBJ ? JSON_GET(v, "tool") : v);
		if (str_is(name) && str_starts(name, head))
			return true;
	}
	return false;
}

static enum err read_server(const struct place *at, struct json v, struct mcp_config *c,
                            struct error *e)
{
	struct json type = JSON_GET(v, "type");

	*c = (struct mcp_config){ .name = arena_keep(at->set->mem, at->name),
		                  .is_project = at->is_project,
		                  .is_published = is_published(at),
		                  .state = MCP_STARTING,
		                  .timeout_ms = LIMIT_MCP_CALL_MS,
		                  .total_ms = LIMIT_MCP_CALL_TOTAL_MS };
	if (!is_name(at->name))
		return server_error(at, e,
		                    "a name is of letters, digits, _ and -, at most 32, without __ "
		                    "and without _ at its end",
		                    STR(""));
	if (json_type(v) != JSON_OBJ)
		return server_error(at, e, "is no object", STR(""));
	if (is_remote(v))
		return read_remote(at, v, c, e);
	/*
	 * A project's file is written for several clients, so a kind that is not supported is no
	 * error.
	 */
	if (at->is_project && json_is(type) && !str_eq(json_str(type), STR("stdio"))) {
		keep_from_starting(c, STR("its type is neither stdio nor http"));
		return OK;
	}
	return read_program(at, v, c, e);
}

static bool is_taken(const struct mcp_set *s, struct str name)
{
	for (size_t i = 0; i < s->server_count; i++)
		if (str_eq(s->servers[i].c.name, name))
			return true;
	return false;
}

static struct mcp_server *add_server(struct mcp_set *s, const struct mcp_config *c)
{
	struct mcp_server *new = &s->servers[s->server_count++];

	/* A server that is not going to start must not keep turns waiting. */
	*new = (struct mcp_server){ .set = s,
		                    .c = *c,
		                    .state = c->state,
		                    .detail = c->why,
		                    .has_settled = c->state != MCP_STARTING };
	list_init(&new->calls);
	list_init(&new->offered.asks);
	list_init(&new->login_waits);
	return new;
}

/* One invalid server makes all servers of this source invalid. */
static enum err read_all(struct mcp_set *s, struct json servers, bool is_project, struct error *e)
{
	struct json_iter it = json_iter(servers);
	struct place at = { .set = s, .is_project = is_project };
	struct mcp_config c;
	struct json v;

	while (json_next(&it, &at.name, &v)) {
		enum err code = s->server_count < MCP_SERVERS_MAX
		                        ? read_server(&at, v, &c, e)
		                        : server_error(&at, e, "is one too many", STR(""));

		if (code)
			return code;
		/* the user's server takes precedence over the project's */
		if (!is_taken(s, c.name) && !(is_project && json_is(json_get(s->o.above, c.name))))
			add_server(s, &c);
	}
	return OK;
}

/* Entries of a client are its own words, so they need no trust; an invalid one refuses all. */
static enum err read_client(struct mcp_set *s, struct error *e)
{
	struct json servers;
	enum err code = json_read(s->mem, s->o.project, &servers, e);

	if (!code && json_type(servers) != JSON_OBJ)
		code = fail(e, ERR_INVALID, "servers is not an object");
	if (!code && json_count(servers) > LIMIT_SESSION_TOOL_SERVERS)
		code = fail(e, ERR_INVALID, "a session has at most %d servers of a client",
		            LIMIT_SESSION_TOOL_SERVERS);
	return code ? code : read_all(s, servers, true, e);
}

/* An invalid project file does not keep the runtime from starting. */
static void read_project(struct mcp_set *s)
{
	size_t before = s->server_count;
	struct json doc;
	struct error e;
	struct sha256 hash = sha256_of(s->o.project);

	s->project_hash = sha256_hex(s->mem, &hash);
	if (json_read(s->mem, s->o.project, &doc, &e) == OK &&
	    read_all(s, JSON_GET(doc, "mcpServers"), true, &e) == OK) {
		for (size_t i = before; i < s->server_count; i++)
			if (s->servers[i].state == MCP_STARTING &&
			    !mcp_pins_project_is_trusted(s)) {
				s->servers[i].state = MCP_UNTRUSTED;
				s->servers[i].has_settled = true;
			}
		return;
	}
	/* A file is valid as a whole or not at all. */
	s->server_count = before;
	add_server(s, &(struct mcp_config){ .name = STR(".mcp.json"),
	                                    .is_project = true,
	                                    .state = MCP_UNSUPPORTED,
	                                    .why = arena_keep(s->mem, str_from(e.message)) });
}

enum err mcp_config_read(struct mcp_set *s, struct error *e)
{
	enum err code;

	/* One more than the limit: an invalid project file is shown as a server as well. */
	s->servers = ARENA_ARRAY(s->mem, struct mcp_server, MCP_SERVERS_MAX + 1);
	code = host_rule_read_all(s->mem, s->o.peer_hosts, s->o.peer_host_count, &s->peer_rules, e);
	if (!code)
		code = read_all(s, s->o.settings, false, e);
	if (!code && s->o.is_client)
		return read_client(s, e);
	if (!code && str_is(s->o.project))
		read_project(s);
	return code;
}

/* A runtime that works in its data directory gives each server its own empty directory. */
enum err mcp_config_work_dir(struct mcp_server *s, struct arena *mem, struct str *ret,
                             struct error *e)
{
	struct str data = s->set->o.data_dir, dir;

	*ret = str_is(s->c.cwd) ? s->c.cwd : s->set->o.cwd;
	if (!str_is(data) || !path_is_under(*ret, data))
		return OK;
	dir = arena_printf(mem, "%.*s/mcp", STR_ARG(data));
	*ret = arena_printf(mem, "%.*s/%.*s", STR_ARG(dir), STR_ARG(s->c.name));
	if ((mkdir(dir.ptr, 0700) != 0 && errno != EEXIST) ||
	    (mkdir(ret->ptr, 0700) != 0 && errno != EEXIST))
		return fail_errno(e, ERR_IO, "%s", ret->ptr);
	return OK;
}
