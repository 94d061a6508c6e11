#include "sandbox/host_rule.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#define NAME_MAX_BYTES 253
#define LABEL_MAX 63

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

/* ---- addresses ---- */

static bool starts_with(const struct address *a, const uint8_t *bytes, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(a->bytes, bytes, whole) != 0)
		return false;
	return !rest || (a->bytes[whole] ^ bytes[whole]) >> (8 - rest) == 0;
}

struct range {
	uint8_t bytes[16];
	unsigned bits;
	enum address_kind kind;
};

static enum address_kind look_up(const struct range *ranges, size_t count, const struct address *a,
                                 enum address_kind other)
{
	for (size_t i = 0; i < count; i++)
		if (starts_with(a, ranges[i].bytes, ranges[i].bits))
			return ranges[i].kind;
	return other;
}

#define V4(a, b, c, d, len) { [10] = 0xff, 0xff, a, b, c, d }, 96 + (len)

/* The first that fits counts. */
static const struct range v4_ranges[] = {
	{ V4(169, 254, 169, 254, 32), ADDRESS_METADATA },
	{ V4(169, 254, 170, 2, 32), ADDRESS_METADATA },
	{ V4(100, 100, 100, 200, 32), ADDRESS_METADATA },
	{ V4(192, 0, 0, 192, 32), ADDRESS_METADATA },
	{ V4(168, 63, 129, 16, 32), ADDRESS_METADATA },
	{ V4(127, 0, 0, 0, 8), ADDRESS_LOOPBACK },
	{ V4(169, 254, 0, 0, 16), ADDRESS_LINK_LOCAL },
	{ V4(10, 0, 0, 0, 8), ADDRESS_PRIVATE },
	{ V4(172, 16, 0, 0, 12), ADDRESS_PRIVATE },
	{ V4(192, 168, 0, 0, 16), ADDRESS_PRIVATE },
	{ V4(100, 64, 0, 0, 10), ADDRESS_PRIVATE },
	{ V4(0, 0, 0, 0, 8), ADDRESS_RESERVED },
	{ V4(192, 0, 0, 0, 24), ADDRESS_RESERVED },
	{ V4(192, 0, 2, 0, 24), ADDRESS_RESERVED },
	{ V4(192, 88, 99, 0, 24), ADDRESS_RESERVED },
	{ V4(198, 18, 0, 0, 15), ADDRESS_RESERVED },
	{ V4(198, 51, 100, 0, 24), ADDRESS_RESERVED },
	{ V4(203, 0, 113, 0, 24), ADDRESS_RESERVED },
	{ V4(224, 0, 0, 0, 3), ADDRESS_RESERVED }, /* multicast and above */
};

static const struct range v6_ranges[] = {
	{ { 0xfd, 0x00, 0x0e, 0xc2, [14] = 0x02, 0x54 }, 128, ADDRESS_METADATA },
	{ { 0xfd, 0x20, 0x00, 0xce, [14] = 0x02, 0x54 }, 128, ADDRESS_METADATA },
	{ { [15] = 1 }, 128, ADDRESS_LOOPBACK },
	{ { 0xfe, 0x80 }, 10, ADDRESS_LINK_LOCAL },
	{ { 0xfe, 0xc0 }, 10, ADDRESS_PRIVATE },
	{ { 0xfc }, 7, ADDRESS_PRIVATE },
	{ { 0x20, 0x01, 0x00, 0x00 }, 23, ADDRESS_RESERVED }, /* Teredo and other protocols */
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32, ADDRESS_RESERVED },
	{ { 0x3f, 0xff }, 20, ADDRESS_RESERVED },
	{ { 0x20 }, 3, ADDRESS_PUBLIC },
};

static struct address inner(const uint8_t v4[4])
{
	struct address a;

	memcpy(a.bytes, mapped, sizeof mapped);
	memcpy(a.bytes + 12, v4, 4);
	return a;
}

static enum address_kind kind_v4(const struct address *a)
{
	return look_up(v4_ranges, COUNT_OF(v4_ranges), a, ADDRESS_PUBLIC);
}

enum address_kind address_kind(const struct address *a)
{
	static const uint8_t nat64[12] = { 0x00, 0x64, 0xff, 0x9b };
	static const uint8_t six_to_4[2] = { 0x20, 0x02 };
	struct address in;

	if (starts_with(a, mapped, 96))
		return kind_v4(a);
	if (starts_with(a, nat64, 96) || starts_with(a, six_to_4, 16)) {
		in = inner(a->bytes + (a->bytes[0] ? 2 : 12));
		return kind_v4(&in);
	}
	return look_up(v6_ranges, COUNT_OF(v6_ranges), a, ADDRESS_RESERVED);
}

const char *address_kind_name(enum address_kind k)
{
	static const char *const names[] = {
		[ADDRESS_PUBLIC] = "public",     [ADDRESS_LOOPBACK] = "loopback",
		[ADDRESS_PRIVATE] = "private",   [ADDRESS_LINK_LOCAL] = "link_local",
		[ADDRESS_METADATA] = "metadata", [ADDRESS_RESERVED] = "reserved",
	};

	return names[k];
}

void address_text(const struct address *a, char ret[HOST_TEXT_MAX])
{
	bool is_v4 = starts_with(a, mapped, 96);

	if (!inet_ntop(is_v4 ? AF_INET : AF_INET6, a->bytes + (is_v4 ? 12 : 0), ret, HOST_TEXT_MAX))
		ret[0] = '\0';
}

bool address_of(const struct sockaddr *sa, struct address *ret, uint16_t *ret_port)
{
	if (sa->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, sa, sizeof in);
		*ret = inner((const uint8_t *)&in.sin_addr);
		*ret_port = ntohs(in.sin_port);
		return true;
	}
	if (sa->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, sa, sizeof in6);
		memcpy(ret->bytes, &in6.sin6_addr, sizeof ret->bytes);
		*ret_port = ntohs(in6.sin6_port);
		return true;
	}
	return false;
}

/* ---- names ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool copy_lower(struct str text, struct net_host *h)
{
	if (!text.len || text.len >= sizeof h->text)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		h->text[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	h->text[text.len] = '\0';
	return true;
}

static bool read_address(struct net_host *h, bool is_v6)
{
	uint8_t v4[4];

	h->is_address = true;
	if (is_v6) {
		if (inet_pton(AF_INET6, h->text, h->address.bytes) != 1)
			return false;
	} else {
		if (inet_pton(AF_INET, h->text, v4) != 1)
			return false;
		h->address = inner(v4);
	}
	address_text(&h->address, h->text);
	return true;
}

static bool is_label(struct str l)
{
	if (!l.len || l.len > LABEL_MAX || l.ptr[0] == '-' || l.ptr[l.len - 1] == '-')
		return false;
	for (size_t i = 0; i < l.len; i++)
		if (!(l.ptr[i] >= 'a' && l.ptr[i] <= 'z') && !is_digit(l.ptr[i]) &&
		    l.ptr[i] != '-' && l.ptr[i] != '_')
			return false;
	return true;
}

/* Some readers take a number for the end of an address, in whatever base. */
static bool is_number(struct str l)
{
	size_t i = 0;

	if (str_starts(l, STR("0x")))
		return true;
	while (i < l.len && is_digit(l.ptr[i]))
		i++;
	return i == l.len;
}

static bool read_name(struct net_host *h)
{
	struct str rest = str_from(h->text), label = STR("");

	if (rest.len > NAME_MAX_BYTES)
		return false;
	while (str_is(rest)) {
		label = str_cut(&rest, '.');
		if (!is_label(label))
			return false;
	}
	return is_number(label) ? read_address(h, false) : true;
}

bool host_read(struct str text, struct net_host *ret)
{
	struct net_host h = { .is_address = false };
	bool is_v6 = text.len > 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']';

	if (is_v6)
		text = str_of(text.ptr + 1, text.len - 2);
	else if (text.len > 1 && text.ptr[text.len - 1] == '.')
		text.len--;
	if (text.len && memchr(text.ptr, '\0', text.len))
		return false;
	if (!copy_lower(text, &h) || !(is_v6 ? read_address(&h, true) : read_name(&h)))
		return false;
	*ret = h;
	return true;
}

static bool read_port(struct str text, uint16_t *ret)
{
	uint64_t port;

	if (!text.len || text.len > 5 || !is_digit(text.ptr[0]) || !str_to_u64(text, &port) ||
	    !port || port > UINT16_MAX)
		return false;
	*ret = (uint16_t)port;
	return true;
}

/* What stands before the port, and the port: absent without a colon. */
static struct str split_port(struct str text, struct str *ret_port)
{
	size_t at = text.len;

	*ret_port = STR_NONE;
	while (at > 0 && text.ptr[at - 1] != ':' && text.ptr[at - 1] != ']')
		at--;
	if (!at || text.ptr[at - 1] != ':')
		return text;
	*ret_port = str_skip(text, at);
	return str_head(text, at - 1);
}

bool host_port_read(struct str text, uint16_t default_port, struct net_host *ret,
                    uint16_t *ret_port)
{
	struct str port, name = split_port(text, &port);
	uint16_t number = default_port;
	struct net_host h;

	if (str_is(port) ? !read_port(port, &number) : !default_port)
		return false;
	if (!host_read(name, &h))
		return false;
	*ret = h;
	*ret_port = number;
	return true;
}

static bool skip_scheme(struct str *s, struct str scheme)
{
	for (size_t i = 0; i < scheme.len; i++)
		if (i >= s->len || (s->ptr[i] | (scheme.ptr[i] >= 'a' ? 0x20 : 0)) != scheme.ptr[i])
			return false;
	*s = str_skip(*s, scheme.len);
	return true;
}

bool host_of_url(struct str url, struct net_host *ret, uint16_t *ret_port)
{
	uint16_t port = 443;
	size_t end = 0;

	if (!skip_scheme(&url, STR("https://"))) {
		port = 80;
		if (!skip_scheme(&url, STR("http://")))
			return false;
	}
	while (end < url.len && url.ptr[end] != '/' && url.ptr[end] != '?' && url.ptr[end] != '#')
		end++;
	return host_port_read(str_head(url, end), port, ret, ret_port);
}

/* ---- rules ---- */

static enum err read_rule_port(struct str port, struct host_rule *r, struct error *e)
{
	if (!str_is(port))
		return OK;
	if (str_eq(port, STR("*"))) {
		r->any_port = true;
		return OK;
	}
	if (!read_port(port, &r->port))
		return fail(e, ERR_INVALID, "\"%.*s\" is no port", STR_ARG(str_head(port, 32)));
	return OK;
}

static enum err read_network(struct str text, struct str bits, struct host_rule *r, struct error *e)
{
	unsigned max = text.len && text.ptr[0] == '[' ? 128 : 32;
	uint64_t count;

	if (!host_read(text, &r->host) || !r->host.is_address || !str_to_u64(bits, &count) ||
	    count > max)
		return fail(e, ERR_INVALID,
		            "\"%.*s/%.*s\" is no network: write 10.1.0.0/16 or [fd00::]/8",
		            STR_ARG(str_head(text, 64)), STR_ARG(str_head(bits, 8)));
	r->kind = HOST_RULE_ADDRESS;
	r->bits = (unsigned)count + 128 - max;
	return OK;
}

static enum err read_one(struct str text, struct host_rule *r, struct error *e)
{
	struct str name = text, bits;

	if (str_eq(text, STR("*"))) {
		r->kind = HOST_RULE_ANY;
		return OK;
	}
	bits = text;
	name = str_cut(&bits, '/');
	if (str_is(bits))
		return read_network(name, bits, r, e);
	if (str_starts(name, STR("*."))) {
		r->kind = HOST_RULE_BELOW;
		name = str_skip(name, 2);
	}
	if (!host_read(name, &r->host) || (r->kind == HOST_RULE_BELOW && r->host.is_address))
		return fail(e, ERR_INVALID,
		            "\"%.*s\" is neither a host name (others than ASCII as xn--) nor an "
		            "address",
		            STR_ARG(str_head(text, 128)));
	if (r->host.is_address) {
		r->kind = HOST_RULE_ADDRESS;
		r->bits = 128;
	}
	return OK;
}

enum err host_rule_read(struct arena *mem, struct str text, struct host_rule *ret, struct error *e)
{
	struct host_rule r = { .kind = HOST_RULE_NAME };
	struct str port, name = split_port(text, &port);
	enum err err = read_rule_port(port, &r, e);

	if (!err)
		err = read_one(name, &r, e);
	if (err)
		return err;
	r.text = arena_keep(mem, text);
	*ret = r;
	return OK;
}

enum err host_rules_read(struct arena *mem, const struct str *texts, size_t count,
                         struct host_rules *ret, struct error *e)
{
	struct host_rules rules = { ARENA_ARRAY(mem, struct host_rule, count + 1), 0 };

	if (count > HOST_RULES_MAX)
		return fail(e, ERR_TOO_LARGE, "more than %d hosts", HOST_RULES_MAX);
	for (; rules.count < count; rules.count++) {
		enum err err = host_rule_read(mem, texts[rules.count], &rules.at[rules.count], e);

		if (err)
			return err;
	}
	*ret = rules;
	return OK;
}

static bool has_port(const struct host_rule *r, uint16_t port)
{
	return r->any_port || (r->port ? r->port == port : port == 80 || port == 443);
}

static bool is_below(struct str name, struct str parent)
{
	return name.len > parent.len + 1 && str_ends(name, parent) &&
	       name.ptr[name.len - parent.len - 1] == '.';
}

static bool fits(const struct host_rule *r, const struct net_host *h)
{
	struct str name = str_from(h->text), own = str_from(r->host.text);

	switch (r->kind) {
	case HOST_RULE_NAME:
		return !h->is_address && str_eq(name, own);
	case HOST_RULE_BELOW:
		return !h->is_address && is_below(name, own);
	case HOST_RULE_ADDRESS:
		return h->is_address && starts_with(&h->address, r->host.address.bytes, r->bits);
	case HOST_RULE_ANY:
		return true;
	}
	return false;
}

const struct host_rule *host_rules_find(const struct host_rules *rules, const struct net_host *h,
                                        uint16_t port)
{
	for (size_t i = 0; i < rules->count; i++)
		if (has_port(&rules->at[i], port) && fits(&rules->at[i], h))
			return &rules->at[i];
	return NULL;
}

bool host_rules_reach(const struct host_rules *rules, const struct net_host *h, uint16_t port,
                      const struct address *a)
{
	enum address_kind kind = address_kind(a);
	bool is_named_loopback = kind == ADDRESS_LOOPBACK && !h->is_address &&
	                         str_eq(str_from(h->text), STR("localhost"));
	bool wants_itself = kind == ADDRESS_METADATA || kind == ADDRESS_RESERVED;

	if (kind == ADDRESS_PUBLIC)
		return true;
	for (size_t i = 0; i < rules->count; i++) {
		const struct host_rule *r = &rules->at[i];

		if (!has_port(r, port))
			continue;
		if (r->kind == HOST_RULE_NAME && is_named_loopback && fits(r, h))
			return true;
		if (r->kind == HOST_RULE_ADDRESS && (!wants_itself || r->bits == 128) &&
		    starts_with(a, r->host.address.bytes, r->bits))
			return true;
	}
	return false;
}
