/* Reads Forwarded (RFC 7239) and X-Forwarded-*. */
#include "serve/auth/forwarded.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <strings.h>

#define HOPS_MAX 32 /* of all such headers of a request, from the last one */

static bool is_word(struct str a, struct str b)
{
	return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

/* ---- addresses ---- */

/* "203.0.113.7", "203.0.113.7:80", "2001:db8::1", "[2001:db8::1]:80". */
static bool read_address(struct str text, struct address *ret)
{
	char bare[INET6_ADDRSTRLEN];
	struct in6_addr in6;
	struct net_host host;
	uint16_t port;

	snprintf(bare, sizeof bare, "%.*s", STR_ARG(text));
	if (text.len < sizeof bare && inet_pton(AF_INET6, bare, &in6) == 1) {
		memcpy(ret->bytes, &in6, sizeof ret->bytes);
		return true;
	}
	if (!net_host_read_with_port(text, 1, &host, &port) || !host.is_address)
		return false;
	*ret = host.address;
	return true;
}

static bool is_trusted(const struct forwarded_options *o, const struct address *a)
{
	for (size_t i = 0; i < o->proxies.count; i++) {
		const struct host_rule *r = &o->proxies.at[i];

		if (address_starts_with(a, r->host.address.bytes, r->bits))
			return true;
	}
	return false;
}

static bool address_of_stream(const struct stream *stream, struct address *ret)
{
	char text[STREAM_PEER_MAX];

	if (!stream || stream_is_unix(stream))
		return false;
	stream_peer_text(stream, text);
	return read_address(str_from(text), ret);
}

enum err forwarded_read_proxies(struct arena *mem, const struct str *texts, size_t count,
                                struct host_rules *ret, struct error *e)
{
	struct error why;

	if (host_rule_read_all(mem, texts, count, ret, &why) != OK)
		return fail(e, ERR_INVALID, "trusted_proxies: %s", why.message);
	for (size_t i = 0; i < ret->count; i++)
		if (ret->at[i].kind != HOST_RULE_ADDRESS || ret->at[i].port || ret->at[i].any_port)
			return fail(e, ERR_INVALID,
			            "trusted_proxies: %.*s is neither an address nor a network, "
			            "such as 10.0.0.0/8",
			            STR_ARG(ret->at[i].text));
	return OK;
}

bool forwarded_is_proxy(const struct forwarded_options *o, const struct stream *stream)
{
	struct address a;

	return o->proxies.count && address_of_stream(stream, &a) && is_trusted(o, &a);
}

/* ---- headers ---- */

/* What one proxy said of what connected to it; absent: nothing. */
struct hop {
	struct str address, scheme;
};

/* The last values of all headers of that name, the last one first. */
static size_t list_values(const struct http_message *m, struct str name, struct str ret[HOPS_MAX])
{
	size_t count = 0;

	for (size_t i = m->field_count; i-- > 0 && count < HOPS_MAX;) {
		struct str rest = m->fields[i].value;

		if (!is_word(m->fields[i].name, name))
			continue;
		while (str_is(rest) && count < HOPS_MAX) {
			const char *comma = rest.len ? memrchr(rest.ptr, ',', rest.len) : NULL;
			size_t at = comma ? (size_t)(comma - rest.ptr) : 0;

			ret[count++] = str_trim(comma ? str_skip(rest, at + 1) : rest);
			rest = comma ? str_head(rest, at) : STR_NONE;
		}
	}
	return count;
}

static struct str unquoted(struct str s)
{
	return s.len >= 2 && s.ptr[0] == '"' && s.ptr[s.len - 1] == '"'
	               ? str_skip(str_head(s, s.len - 1), 1)
	               : s;
}

/* for="[2001:db8::1]:80";proto=https */
static struct hop read_element(struct str rest)
{
	struct hop h = { STR_NONE, STR_NONE };

	while (str_is(rest)) {
		struct str value = str_cut(&rest, ';');
		struct str name = str_trim(str_cut(&value, '='));

		if (str_is(value) && is_word(name, STR("for")))
			h.address = unquoted(str_trim(value));
		else if (str_is(value) && is_word(name, STR("proto")))
			h.scheme = unquoted(str_trim(value));
	}
	return h;
}

/* The last hop first.  A proxy that writes X-Forwarded-Proto writes one for all. */
static size_t list_hops(const struct forwarded_options *o, const struct http_message *m,
                        struct hop ret[HOPS_MAX])
{
	struct str values[HOPS_MAX], schemes[HOPS_MAX];
	size_t count = list_values(m, o->uses_forwarded ? STR("forwarded") : STR("x-forwarded-for"),
	                           values);
	bool has_scheme =
		!o->uses_forwarded && list_values(m, STR("x-forwarded-proto"), schemes) > 0;

	for (size_t i = 0; i < count; i++)
		ret[i] = o->uses_forwarded
		                 ? read_element(values[i])
		                 : (struct hop){ values[i], has_scheme ? schemes[0] : STR_NONE };
	if (!count && has_scheme) /* a proxy that hides the address */
		ret[count++] = (struct hop){ STR_NONE, schemes[0] };
	return count;
}

/* An address that cannot be read ends the search: what is before it is only claimed. */
void forwarded_read_from(const struct forwarded_options *o, const struct http_message *m,
                         const struct address *peer, struct forwarded *ret)
{
	struct hop hops[HOPS_MAX];
	struct address client = *peer, hop;
	size_t count;

	*ret = (struct forwarded){ .is_proxied = is_trusted(o, peer) };
	count = ret->is_proxied ? list_hops(o, m, hops) : 0;
	for (size_t i = 0; i < count && is_trusted(o, &client); i++) {
		ret->is_https = str_is(hops[i].scheme) && is_word(hops[i].scheme, STR("https"));
		if (!str_is(hops[i].address) || !read_address(hops[i].address, &hop))
			break;
		client = hop;
	}
	ret->is_local = address_kind(&client) == ADDRESS_LOOPBACK;
	address_text(&client, ret->client);
}

void forwarded_read(const struct forwarded_options *o, const struct http_message *m,
                    const struct stream *stream, struct forwarded *ret)
{
	struct address peer;

	if (address_of_stream(stream, &peer))
		forwarded_read_from(o, m, &peer, ret);
	else
		*ret = (struct forwarded){ .is_local = true };
}

/* Proxies differ in what they add; one of these is enough. */
static bool is_of_proxy(struct str name)
{
	static const char *const names[] = { "forwarded",        "via",
		                             "x-real-ip",        "x-client-ip",
		                             "cf-connecting-ip", "true-client-ip" };
	struct str family = STR("x-forwarded-");

	if (name.len >= family.len && is_word(str_head(name, family.len), family))
		return true;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (is_word(name, str_from(names[i])))
			return true;
	return false;
}

bool forwarded_is_said(const struct http_message *m)
{
	for (size_t i = 0; i < m->field_count; i++)
		if (is_of_proxy(m->fields[i].name))
			return true;
	return false;
}
