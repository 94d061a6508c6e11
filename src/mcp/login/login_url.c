/* Addresses, queries and scopes as texts. */
#include "mcp/login/login_url.h"

#include "sandbox/net_host.h"

#include <strings.h>

#define SCOPE_MAX 4096 /* bytes of a set */

/* ---- parts ---- */

static bool is_plain(struct str url)
{
	for (size_t i = 0; i < url.len; i++)
		if (url.ptr[i] <= ' ' || url.ptr[i] > '~' || strchr("#\\\"<>^`{|}", url.ptr[i]))
			return false;
	return true;
}

bool login_url_split(struct str url, struct login_url *ret)
{
	struct net_host host;
	struct str rest;
	uint16_t port;
	size_t n = 0;

	if (!url.len || url.len > LOGIN_URL_MAX || !is_plain(url) ||
	    !net_host_of_url(url, &host, &port))
		return false;
	rest = str_skip(url, (size_t)str_find(url, STR("://")) + 3);
	while (n < rest.len && rest.ptr[n] != '/' && rest.ptr[n] != '?')
		n++;
	ret->origin = str_head(url, url.len - rest.len + n);
	rest = str_skip(rest, n);
	ret->path = str_cut(&rest, '?');
	ret->query = rest;
	return true;
}

static bool is_https(struct str url)
{
	return url.len > 8 && !strncasecmp(url.ptr, "https://", 8);
}

bool login_url_is_secure(struct str url)
{
	struct net_host host;
	uint16_t port;

	if (!net_host_of_url(url, &host, &port))
		return false;
	return is_https(url) || !strcmp(host.text, "localhost") ||
	       (host.is_address && address_kind(&host.address) == ADDRESS_LOOPBACK);
}

bool login_url_is_same_origin(struct str a, struct str b)
{
	struct net_host ha, hb;
	uint16_t pa, pb;

	return net_host_of_url(a, &ha, &pa) && net_host_of_url(b, &hb, &pb) &&
	       is_https(a) == is_https(b) && pa == pb && !strcmp(ha.text, hb.text);
}

/* ---- places ---- */

/* A path of one slash is no path. */
static struct str path_of(const struct login_url *u)
{
	return str_ends(u->path, STR("/")) ? str_head(u->path, u->path.len - 1) : u->path;
}

struct str login_url_insert(struct arena *mem, const struct login_url *u, struct str well_known)
{
	struct str path = str_eq(u->path, STR("/")) ? STR("") : u->path;

	return arena_printf(mem, "%.*s/.well-known/%.*s%.*s%s%.*s", STR_ARG(u->origin),
	                    STR_ARG(well_known), STR_ARG(path), str_is(u->query) ? "?" : "",
	                    STR_ARG(u->query));
}

struct str login_url_append(struct arena *mem, const struct login_url *u, struct str well_known)
{
	struct str path = path_of(u);

	return arena_printf(mem, "%.*s%.*s/.well-known/%.*s", STR_ARG(u->origin), STR_ARG(path),
	                    STR_ARG(well_known));
}

struct str login_url_inserted_in(struct arena *mem, struct str place, struct str well_known)
{
	struct str start = arena_printf(mem, "/.well-known/%.*s", STR_ARG(well_known)), rest;
	struct login_url u;

	if (!login_url_split(place, &u) || !str_starts(u.path, start))
		return STR_NONE;
	rest = str_skip(u.path, start.len);
	if (rest.len && rest.ptr[0] != '/')
		return STR_NONE;
	return arena_printf(mem, "%.*s%.*s%s%.*s", STR_ARG(u.origin), STR_ARG(rest),
	                    str_is(u.query) ? "?" : "", STR_ARG(u.query));
}

/* ---- queries ---- */

void login_url_encode(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    (c && memchr("-._~", c, 4)))
			buf_add_char(out, c);
		else
			buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
	}
}

void login_url_add(struct buf *out, char before, struct str name, struct str value)
{
	if (before)
		buf_add_char(out, before);
	buf_add_str(out, name);
	buf_add_char(out, '=');
	login_url_encode(out, value);
}

static int hex_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

static bool decode(struct arena *mem, struct str text, struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] != '%') {
			buf_add_char(&out, text.ptr[i] == '+' ? ' ' : text.ptr[i]);
			continue;
		}
		if (i + 2 >= text.len || hex_of(text.ptr[i + 1]) < 0 || hex_of(text.ptr[i + 2]) < 0)
			return false;
		buf_add_char(&out, (char)(hex_of(text.ptr[i + 1]) * 16 + hex_of(text.ptr[i + 2])));
		i += 2;
	}
	*ret = arena_keep(mem, buf_str(&out));
	return true;
}

bool login_url_param(struct arena *mem, struct str query, struct str name, struct str *ret)
{
	struct str rest = query, found = STR_NONE;

	while (str_is(rest) && rest.len) {
		struct str value = str_cut(&rest, '&'), key = str_cut(&value, '='), plain;

		if (!decode(mem, key, &plain))
			return false;
		if (!str_eq(plain, name))
			continue;
		if (str_is(found) || !decode(mem, str_is(value) ? value : STR(""), &found))
			return false;
	}
	*ret = found;
	return true;
}

/* ---- scopes ---- */

static struct str next_scope(struct str *rest)
{
	struct str one = STR("");

	while (str_is(*rest) && !one.len)
		one = str_cut(rest, ' ');
	return one;
}

bool login_url_scope_has(struct str set, struct str scope)
{
	struct str rest = set, one;

	while ((one = next_scope(&rest)).len)
		if (str_eq(one, scope))
			return true;
	return false;
}

bool login_url_scope_covers(struct str a, struct str b)
{
	struct str rest = b, one;

	while ((one = next_scope(&rest)).len)
		if (!login_url_scope_has(a, one))
			return false;
	return true;
}

static bool is_scope(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~' || s.ptr[i] == '"' || s.ptr[i] == '\\')
			return false;
	return s.len > 0;
}

/* The beginning of a set that is too long, without a part of a scope. */
static struct str cut_scopes(struct str set)
{
	struct str head = str_head(set, 2 * SCOPE_MAX);

	while (set.len > head.len && head.len && head.ptr[head.len - 1] != ' ')
		head.len--;
	return head;
}

struct str login_url_scope_join(struct arena *mem, struct str a, struct str b)
{
	struct str sets[] = { cut_scopes(a), cut_scopes(b) }, one;
	CLEANUP(buf_done) struct buf out = { .max = SCOPE_MAX };

	for (size_t i = 0; i < COUNT_OF(sets); i++)
		while ((one = next_scope(&sets[i])).len) {
			if (out.len + one.len + 1 > SCOPE_MAX || !is_scope(one) ||
			    login_url_scope_has(buf_str(&out), one))
				continue;
			if (out.len)
				buf_add_char(&out, ' ');
			buf_add_str(&out, one);
		}
	return out.len ? arena_keep(mem, buf_str(&out)) : STR_NONE;
}
