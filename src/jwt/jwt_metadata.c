/* Places and contents of metadata documents. */
#include "jwt/jwt_metadata.h"

#include "base/json.h"
#include "sandbox/net_host.h"

static bool is_secure(struct str url)
{
	struct net_host host;
	uint16_t port;

	if (url.len > JWT_METADATA_URL_MAX || !net_host_of_url(url, &host, &port))
		return false;
	return str_starts(url, STR("https://")) || str_eq(str_from(host.text), STR("localhost")) ||
	       str_eq(str_from(host.text), STR("127.0.0.1")) ||
	       str_eq(str_from(host.text), STR("::1"));
}

static bool is_plain(struct str url)
{
	for (size_t i = 0; i < url.len; i++)
		if (url.ptr[i] <= ' ' || url.ptr[i] == 0x7f || url.ptr[i] == '#')
			return false;
	return true;
}

bool jwt_metadata_is_issuer(struct str url)
{
	return str_is(url) && is_plain(url) && str_find_char(url, '?') < 0 && is_secure(url);
}

/* Where the path begins: behind the authority. */
static size_t origin_len(struct str url)
{
	size_t start = (size_t)str_find(url, STR("://")) + 3;
	ptrdiff_t slash = str_find_char(str_skip(url, start), '/');

	return slash < 0 ? url.len : start + (size_t)slash;
}

/* RFC 8414 inserts the well-known part between host and path, OpenID Connect appends it. */
struct str jwt_metadata_place(struct arena *mem, struct str issuer, unsigned n)
{
	struct str base = str_ends(issuer, STR("/")) ? str_head(issuer, issuer.len - 1) : issuer;
	size_t at = origin_len(base);

	if (n == 0)
		return arena_printf(mem, "%.*s/.well-known/oauth-authorization-server%.*s",
		                    STR_ARG(str_head(base, at)), STR_ARG(str_skip(base, at)));
	if (n == 1)
		return arena_printf(mem, "%.*s/.well-known/openid-configuration", STR_ARG(base));
	return STR_NONE;
}

enum err jwt_metadata_read(struct arena *mem, struct str text, struct str issuer, struct str *ret,
                           struct error *e)
{
	struct json all = { 0 };
	struct error why;
	struct str found, keys;

	if (json_read(mem, text, &all, &why) != OK || json_type(all) != JSON_OBJ)
		return fail(e, ERR_INVALID, "its metadata is no JSON object");
	found = json_str(JSON_GET(all, "issuer"));
	if (!str_is(found) || !str_eq(found, issuer))
		return fail(e, ERR_INVALID, "its metadata is of another issuer");
	keys = json_str(JSON_GET(all, "jwks_uri"));
	if (!str_is(keys) || !is_plain(keys) || !is_secure(keys))
		return fail(e, ERR_INVALID, "its metadata names no https address of its keys");
	*ret = keys;
	return OK;
}

bool jwt_metadata_is_same_origin(struct str a, struct str b)
{
	struct net_host host_a, host_b;
	uint16_t port_a, port_b;

	return str_starts(a, STR("https://")) == str_starts(b, STR("https://")) &&
	       net_host_of_url(a, &host_a, &port_a) && net_host_of_url(b, &host_b, &port_b) &&
	       port_a == port_b && str_eq(str_from(host_a.text), str_from(host_b.text));
}
