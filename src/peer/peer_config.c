/* Reads the setting agents.remote. */
#include "a2a/a2a_extension.h"
#include "base/gen/limits.h"
#include "base/json.h"
#include "peer/peer_int.h"

#define HEADER_MAX 8192
#define DESCRIPTION_MAX 2048
#define WELL_KNOWN "/.well-known/agent-card.json"

static enum err bad_agent(struct error *e, struct str name, const char *what)
{
	return fail(e, ERR_INVALID, "agents.remote: %.*s: %s", STR_ARG(str_head(name, 64)), what);
}

/* The name becomes part of the name of a tool, for which providers allow these characters. */
static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-'))
			return false;
	}
	return s.len && s.len <= LIMIT_PEER_NAME_BYTES && str_find(s, STR("__")) < 0 &&
	       !str_ends(s, STR("_"));
}

static struct str variable(const struct peer_set *s, struct str name)
{
	for (char *const *v = s->o.environ; v && *v; v++) {
		struct str each = str_from(*v);

		if (each.len > name.len && each.ptr[name.len] == '=' && str_starts(each, name))
			return str_skip(each, name.len + 1);
	}
	return STR("");
}

/* Expands ${NAME}; a missing variable is empty. */
static struct str expand(struct peer_set *s, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	while (text.len) {
		ptrdiff_t from = str_find(text, STR("${")), to = str_find_char(text, '}');

		if (from < 0 || to < from) {
			buf_add_str(&out, text);
			break;
		}
		buf_add_str(&out, str_head(text, (size_t)from));
		buf_add_str(&out,
		            variable(s, str_skip(str_head(text, (size_t)to), (size_t)from + 2)));
		text = str_skip(text, (size_t)to + 1);
	}
	return arena_keep(s->mem, buf_str(&out));
}

static bool is_header(struct str name, struct str value)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] <= ' ' || name.ptr[i] == ':' || name.ptr[i] == 0x7f)
			return false;
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.ptr[i] < ' ' || value.ptr[i] == 0x7f)
			return false;
	return name.len && name.len <= 128 && value.len <= HEADER_MAX;
}

static enum err read_headers(struct peer_set *s, struct peer *p, struct json v, struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) != JSON_OBJ || json_count(v) > PEER_HEADERS_MAX)
		return bad_agent(e, p->name, "headers: an object of at most 16 texts");
	while (json_next(&it, &key, &each)) {
		struct str value = expand(s, json_str(each));

		if (!str_is(json_str(each)) || !is_header(key, value))
			return bad_agent(e, p->name, "headers: a name or a value is invalid");
		p->headers[p->header_count++] = (struct http_client_header){ key, value };
	}
	return OK;
}

/* An address without a file is that of the agent; its card lies at the well-known place. */
static enum err read_card(struct peer_set *s, struct peer *p, struct json v, struct error *e)
{
	struct str url = json_str(v);
	struct net_host host;
	uint16_t port;

	if (!url.len || url.len > LIMIT_A2A_URL_BYTES || !net_host_of_url(url, &host, &port) ||
	    str_find_char(url, '@') >= 0 || str_find_char(url, '#') >= 0)
		return bad_agent(e, p->name, "card: an address of http or https");
	while (str_ends(url, STR("/")))
		url.len--;
	p->card_url = str_ends(url, STR(".json"))
	                      ? arena_keep(s->mem, url)
	                      : arena_printf(s->mem, "%.*s" WELL_KNOWN, STR_ARG(url));
	return OK;
}

/* A JWK set, as `thole key export --as jwks` prints it. */
static enum err read_keys(struct peer_set *s, struct peer *p, struct json v, struct error *e)
{
	struct error why;

	if (json_type(v) == JSON_OBJ &&
	    jwt_key_read_all(s->mem, json_text(s->mem, v), &p->keys, &why) == OK)
		return OK;
	return bad_agent(e, p->name, "keys: a set of public keys, {\"keys\": [...]}");
}

static enum err read_extensions(struct peer_set *s, struct peer *p, struct json v, struct error *e)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;

	if (json_type(v) != JSON_ARR || json_count(v) > LIMIT_A2A_EXTENSIONS)
		return bad_agent(e, p->name, "extensions: a list of at most 64 URIs");
	while (json_next(&it, &key, &each)) {
		if (!a2a_extension_is_uri(json_str(each)))
			return bad_agent(e, p->name, "extensions: a URI is invalid");
		buf_printf(&out, "%s%.*s", out.len ? "," : "", STR_ARG(json_str(each)));
	}
	if (out.len)
		p->extensions = arena_keep(s->mem, buf_str(&out));
	return OK;
}

static enum err read_member(struct peer_set *s, struct peer *p, struct str key, struct json v,
                            struct error *e)
{
	if (str_eq(key, STR("card")))
		return read_card(s, p, v, e);
	if (str_eq(key, STR("headers")))
		return read_headers(s, p, v, e);
	if (str_eq(key, STR("keys")))
		return read_keys(s, p, v, e);
	if (str_eq(key, STR("extensions")))
		return read_extensions(s, p, v, e);
	if (str_eq(key, STR("quiet_ms"))) {
		p->quiet_ms = json_int(v, 0);
		return p->quiet_ms >= 1 && p->quiet_ms <= LIMIT_PEER_QUIET_MAX_MS
		               ? OK
		               : bad_agent(e, p->name, "quiet_ms is from 1 to 3600000");
	}
	if (!str_eq(key, STR("description")))
		return bad_agent(
			e, p->name,
			"it has card, headers, description, keys, extensions and quiet_ms only");
	p->description = json_str(v);
	if (!p->description.len || p->description.len > DESCRIPTION_MAX)
		return bad_agent(e, p->name, "description: a text of at most 2048 bytes");
	return OK;
}

static enum err read_agent(struct peer_set *s, struct peer *p, struct json v, struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str key;
	enum err code = OK;

	if (!is_name(p->name))
		return bad_agent(e, p->name,
		                 "a name is up to 32 letters, digits, - and _, without __");
	if (json_type(v) != JSON_OBJ)
		return bad_agent(e, p->name, "an object is expected");
	while (!code && json_next(&it, &key, &each))
		code = read_member(s, p, key, each, e);
	if (!code && !str_is(p->card_url))
		return bad_agent(e, p->name, "card: the address of its card is missing");
	return code;
}

enum err peer_config_read(struct peer_set *s, struct error *e)
{
	struct json_iter it = json_iter(s->o.settings);
	struct json each;
	struct str name;
	enum err code =
		host_rule_read_all(s->mem, s->o.allow_hosts, s->o.allow_host_count, &s->rules, e);

	if (code)
		return code;
	if (json_count(s->o.settings) > LIMIT_PEERS)
		return fail(e, ERR_INVALID, "agents.remote: at most %d agents", LIMIT_PEERS);
	s->peers = ARENA_ARRAY(s->mem, struct peer, json_count(s->o.settings) + 1);
	while (!code && json_next(&it, &name, &each)) {
		struct peer *p = &s->peers[s->count++];

		*p = (struct peer){ .set = s,
			            .name = name,
			            .quiet_ms = LIMIT_PEER_QUIET_MS,
			            .principal = arena_printf(s->mem, "peer:%.*s", STR_ARG(name)) };
		list_init(&p->runs);
		code = read_agent(s, p, each, e);
	}
	return code;
}
