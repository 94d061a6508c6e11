/*
 * Who may connect: Host and Origin of a request, tokens with their scopes,
 * cookies of the console and devices, and the owner of the Unix socket.
 */
#include "serve/auth/auth.h"

#include "base/hash/secret.h"
#include "base/hash/sha256.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#define OWNER STR("owner")

static bool eq_nocase(struct str a, struct str b)
{
	return a.len == b.len && (!a.len || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

/* ---- options ---- */

/* "[::1]:80" is "[::1]", "a:80" is "a". */
static struct str host_of(struct str address)
{
	for (size_t i = address.len; i-- > 0;) {
		if (address.ptr[i] == ']')
			break;
		if (address.ptr[i] == ':')
			return str_head(address, i);
	}
	return address;
}

bool auth_is_loopback(struct str address)
{
	struct str host = host_of(address);
	struct in_addr in4;
	char text[64];

	if (eq_nocase(host, STR("localhost")) || str_eq(host, STR("[::1]")))
		return true;
	snprintf(text, sizeof text, "%.*s", STR_ARG(host));
	return inet_pton(AF_INET, text, &in4) == 1 && ntohl(in4.s_addr) >> 24 == 127;
}

struct str auth_reached_at(struct str address)
{
	struct str host = host_of(address);

	if (str_eq(host, STR("[::]")))
		return STR("[::1]");
	return str_eq(host, STR("0.0.0.0")) || !host.len ? STR("127.0.0.1") : host;
}

/*
 * Without the setting, the names of loopback are served.  The addresses that are
 * listened on always are: `thole open` prints them.
 */
static void keep_hosts(struct auth *a, struct arena *mem, const struct serve_options *o)
{
	static const struct str usual[] = { { "localhost", 9 },
		                            { "127.0.0.1", 9 },
		                            { "[::1]", 5 } };
	const struct str *given = o->host_count ? o->hosts : usual;
	size_t count = o->host_count ? o->host_count : COUNT_OF(usual);

	a->hosts = ARENA_ARRAY(mem, struct str, count + o->listen_count + 1);
	for (size_t i = 0; i < count; i++)
		a->hosts[a->host_count++] = arena_keep(mem, given[i]);
	/* An address cannot be rebound, unlike a name. */
	for (size_t i = 0; i < o->listen_count; i++)
		a->hosts[a->host_count++] = arena_keep(mem, auth_reached_at(o->listen[i]));
}

/* The owner's token comes first: make_cookie_name() and the devices' keys are derived from it. */
static enum err keep_tokens(struct auth *a, struct arena *mem, const struct serve_options *o,
                            struct error *e)
{
	a->tokens = ARENA_ARRAY(mem, struct serve_token, o->token_count + 1);
	if (str_is(o->token))
		a->tokens[a->token_count++] =
			(struct serve_token){ OWNER, arena_keep(mem, o->token), SCOPES_ALL };
	for (size_t i = 0; i < o->token_count; i++)
		a->tokens[a->token_count++] =
			(struct serve_token){ arena_keep(mem, o->tokens[i].name),
			                      arena_keep(mem, o->tokens[i].token),
			                      o->tokens[i].scopes };
	for (size_t i = 0; i < a->token_count; i++)
		if (!a->tokens[i].token.len || !a->tokens[i].name.len)
			return fail(e, ERR_INVALID, "a token or its name is empty");
	return OK;
}

void auth_add_host(struct auth *a, struct arena *mem, struct str host)
{
	a->hosts[a->host_count++] = arena_keep(mem, host);
}

/* Derived from the token without revealing it, so the name is stable as long as the token is. */
static struct str make_cookie_name(struct arena *mem, const struct auth *a)
{
	struct sha256 mac;

	if (!a->token_count)
		return STR_NONE;
	mac = sha256_hmac(a->tokens[0].token, STR("thole console cookie name"));
	return arena_printf(mem, "thole_%.8s", sha256_hex(mem, &mac).ptr);
}

void auth_set_token(struct auth *a, struct arena *mem, struct str token)
{
	a->tokens[0].token = arena_keep(mem, token);
	a->cookie_name = make_cookie_name(mem, a);
	a->signin = (struct signin){ 0 };
	devices_set_token(&a->devices, a->tokens[0].token);
}

/* Devices need the owner's token: their cookies are signed with a key derived from it. */
enum err auth_init(struct auth *a, struct arena *mem, struct control *control,
                   const struct serve_options *o, struct error *e)
{
	*a = (struct auth){ .control = control };
	keep_hosts(a, mem, o);
	a->origins = ARENA_ARRAY(mem, struct str, o->origin_count + 1);
	for (size_t i = 0; i < o->origin_count; i++)
		a->origins[a->origin_count++] = arena_keep(mem, o->origins[i]);
	if (keep_tokens(a, mem, o, e))
		return e->code;
	a->clock = o->clock;
	a->proxies = o->proxies;
	if (o->issuers && o->clock)
		a->issuers = issuers_new(control, o->clock, o->issuers);
	a->cookie_name = make_cookie_name(mem, a);
	return devices_init(&a->devices, mem, control, o->store, o->clock,
	                    str_is(o->token) ? a->tokens[0].token : STR_NONE, e);
}

/* ---- the place ---- */

/* Nothing, or a colon and a number: the Host is written into addresses that clients follow. */
static bool is_port(struct str text)
{
	if (!text.len)
		return true;
	if (text.ptr[0] != ':' || text.len < 2 || text.len > 6)
		return false;
	for (size_t i = 1; i < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
	return true;
}

/* A configured name with a port matches that port only; without one it matches every port. */
static bool is_host(const struct auth *a, struct str host)
{
	struct str name = host_of(host);

	if (!is_port(str_skip(host, name.len)))
		return false;
	for (size_t i = 0; i < a->host_count; i++)
		if (eq_nocase(a->hosts[i], host) || eq_nocase(a->hosts[i], name))
			return true;
	return false;
}

/* Whether the page has our name and port; behind a proxy https counts too. */
static bool is_own_origin(struct str origin, struct str host)
{
	struct str scheme = STR("http://");

	if (str_starts(origin, STR("https://")))
		scheme = STR("https://");
	return host.len && str_starts(origin, scheme) &&
	       eq_nocase(str_skip(origin, scheme.len), host);
}

/* "null" is the origin of sandboxed frames and local files, so any page can obtain it. */
static bool is_origin(const struct auth *a, struct str origin, struct str host)
{
	if (eq_nocase(origin, STR("null")))
		return false;
	if (is_own_origin(origin, host))
		return true;
	for (size_t i = 0; i < a->origin_count; i++)
		if (eq_nocase(a->origins[i], origin))
			return true;
	return false;
}

static int64_t now_of(const struct auth *a)
{
	return a->clock ? a->clock->ops->wall_ms(a->clock) : 0;
}

bool auth_is_device_place(const struct auth *a, const struct http_message *m)
{
	return m->host.len && !is_host(a, m->host) &&
	       devices_know_host(&a->devices, m->host, now_of(a));
}

/*
 * DNS rebinding: a page of another site can make its name resolve to this machine.  Its
 * requests then carry that name in Host, which is none of ours.  The Unix socket cannot
 * be reached by a page.
 */
enum error_code auth_place(const struct auth *a, const struct http_message *m, bool is_unix)
{
	struct str origin = http_parse_find(m, STR("origin"));

	if (!is_unix && (!m->host.len || !is_host(a, m->host)) && !auth_is_device_place(a, m))
		return ERROR_CODE_HOST_NOT_ALLOWED;
	if (str_is(origin) && !is_origin(a, origin, m->host))
		return ERROR_CODE_ORIGIN_NOT_ALLOWED;
	return 0;
}

/* ---- the person ---- */

/* A token of an issuer. */
static enum auth_answer signed_token(const struct auth *a, struct str token, struct caller *ret,
                                     struct auth_wait *wait)
{
	static const enum auth_answer answers[] = {
		[ISSUERS_REFUSED] = AUTH_STRANGER,  [ISSUERS_ACCEPTED] = AUTH_KNOWN,
		[ISSUERS_WAIT] = AUTH_WAIT,         [ISSUERS_UNAVAILABLE] = AUTH_UNAVAILABLE,
		[ISSUERS_NO_SCOPE] = AUTH_NO_SCOPE, [ISSUERS_FULL] = AUTH_FULL
	};

	return answers[issuers_check(a->issuers, token, ret, &wait->why, wait->waiter)];
}

enum auth_answer auth_token(const struct auth *a, struct str token, struct caller *ret,
                            struct auth_wait *wait)
{
	const struct serve_token *found = NULL;

	/* Compares with all tokens, so that timing reveals nothing. */
	for (size_t i = 0; i < a->token_count; i++)
		if (secret_eq(a->tokens[i].token, token) && !found)
			found = &a->tokens[i];
	if (found) {
		ret->principal = found->name;
		ret->scopes = found->scopes;
		return AUTH_KNOWN;
	}
	/* Named tokens have no dots. */
	if (a->issuers && issuers_has_any(a->issuers) && str_is(token) &&
	    str_find_char(token, '.') >= 0)
		return signed_token(a, token, ret, wait);
	if (a->control && a->control->ops->principal && str_is(token) &&
	    a->control->ops->principal(a->control, token, ret))
		return AUTH_KNOWN;
	wait->why = "the token is not known";
	return AUTH_STRANGER;
}

bool auth_is_limited(const struct caller *caller)
{
	return str_is(caller->reach);
}

const struct serve_token *auth_token_of(const struct auth *a, struct str name)
{
	for (size_t i = 0; i < a->token_count; i++)
		if (str_is(name) && str_eq(a->tokens[i].name, name))
			return &a->tokens[i];
	return NULL;
}

/* Whether our own page sent the request: another page could make the browser send the cookie. */
static bool is_own_page(const struct http_message *m)
{
	struct str site = http_parse_find(m, STR("sec-fetch-site"));

	if (str_is(site))
		return str_eq(site, STR("same-origin")) || str_eq(site, STR("none"));
	return str_eq(m->method, STR("GET")) || str_eq(m->method, STR("HEAD")) ||
	       is_own_origin(http_parse_find(m, STR("origin")), m->host);
}

/*
 * A cookie carries no name: the key that verifies it tells the principal.  At a
 * device's host the tokens are not tried, because that host is reached through a tunnel
 * and serves its device only.
 */
bool auth_cookie(const struct auth *a, const struct http_message *m, struct caller *ret,
                 int64_t *ret_until_ms)
{
	struct str value = signin_find_cookie(http_parse_find(m, STR("cookie")), a->cookie_name);
	bool is_only_devices = auth_is_device_place(a, m);
	const struct device *d;
	int64_t now = now_of(a);

	if (!a->clock || !str_is(value) || !is_own_page(m))
		return false;
	for (size_t i = 0; !is_only_devices && i < a->token_count; i++) {
		if (!signin_is_cookie(value, a->tokens[i].token, now, ret_until_ms))
			continue;
		ret->principal = a->tokens[i].name;
		ret->scopes = a->tokens[i].scopes;
		ret->via = AUTH_VIA_CONSOLE;
		return true;
	}
	d = devices_of_cookie(&a->devices, value, m->host, now, ret_until_ms);
	if (!d)
		return false;
	ret->principal = d->principal;
	ret->scopes = d->scopes;
	ret->via = AUTH_VIA_CONSOLE;
	return true;
}

void auth_owner(struct caller *ret)
{
	ret->principal = OWNER;
	ret->scopes = SCOPES_ALL;
}

bool auth_is_owner(const struct stream *stream)
{
	struct stream_cred cred;

	return stream_is_unix(stream) && stream_peer_cred(stream, &cred) &&
	       (cred.uid == 0 || cred.uid == (int64_t)geteuid());
}

/*
 * In this order: a device's host accepts only its cookie; a token decides alone, even
 * if it is wrong, so that a client notices; then the cookie; then the user id of the
 * Unix socket.
 */
enum auth_answer auth_person(const struct auth *a, const struct http_message *m,
                             const struct stream *stream, struct caller *ret,
                             struct auth_wait *wait)
{
	struct str value = http_parse_find(m, STR("authorization"));
	int64_t until_ms;

	wait->why = NULL;
	if (!(stream && stream_is_unix(stream)) && auth_is_device_place(a, m))
		return auth_cookie(a, m, ret, &until_ms) ? AUTH_KNOWN : AUTH_STRANGER;
	if (str_is(value)) { /* a request with a token is authenticated by the token only */
		struct str scheme = str_cut(&value, ' ');

		if (!eq_nocase(scheme, STR("bearer")) || !str_is(value))
			return AUTH_STRANGER;
		return auth_token(a, str_trim(value), ret, wait);
	}
	if (auth_cookie(a, m, ret, &until_ms))
		return AUTH_KNOWN;
	/* A forwarder has the owner's user id, and its clients do not. */
	if (!stream || !auth_is_owner(stream) || forwarded_is_said(m))
		return AUTH_STRANGER;
	auth_owner(ret);
	return AUTH_KNOWN;
}

/* ---- addresses ---- */

/* Over the Unix socket the Host was not checked. */
struct str auth_url(const struct auth *a, struct arena *mem, const struct http_message *m,
                    const struct stream *stream)
{
	bool is_unix = stream && stream_is_unix(stream);
	struct forwarded from;

	forwarded_read(&a->proxies, m, stream, &from);
	return arena_printf(mem, "http%s://%.*s", from.is_https ? "s" : "",
	                    STR_ARG(is_unix || !m->host.len ? STR("localhost") : m->host));
}
