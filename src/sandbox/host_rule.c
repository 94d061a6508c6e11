/*
 * Reading and matching rules over hosts.  An empty list allows nothing.
 */
#include "sandbox/host_rule.h"

#include "base/gen/registries.h"

static enum err read_rule_port(struct str port, struct host_rule *r, struct error *e)
{
	if (!str_is(port))
		return OK;
	if (str_eq(port, STR("*"))) {
		r->any_port = true;
		return OK;
	}
	if (!net_host_read_port(port, &r->port))
		return fail(e, ERR_INVALID, "\"%.*s\" is no port", STR_ARG(str_head(port, 32)));
	return OK;
}

/* Bits of an IPv4 network count behind the 96 bits of its mapped form. */
static enum err read_network(struct str text, struct str bits, struct host_rule *r, struct error *e)
{
	unsigned max = text.len && text.ptr[0] == '[' ? 128 : 32;
	uint64_t count;

	if (!net_host_read(text, &r->host) || !r->host.is_address || !str_to_u64(bits, &count) ||
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
	if (!net_host_read(name, &r->host) || (r->kind == HOST_RULE_BELOW && r->host.is_address))
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
	struct str port, name = net_host_split_port(text, &port);
	enum err err = read_rule_port(port, &r, e);

	if (!err)
		err = read_one(name, &r, e);
	if (err)
		return err;
	r.text = arena_keep(mem, text);
	*ret = r;
	return OK;
}

enum err host_rule_read_all(struct arena *mem, const struct str *texts, size_t count,
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

/* Adds the hosts of a group; returns false if there is none of that name. */
static bool add_group(struct str name, struct str *ret, size_t *count)
{
	static const char *const rows[][2] = { REGISTRY_HOSTS };
	bool is_group = false;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (!str_eq(name, str_from(rows[i][0])))
			continue;
		is_group = true;
		if (*count < HOST_RULES_MAX)
			ret[(*count)++] = str_from(rows[i][1]);
	}
	return is_group;
}

size_t host_rule_expand(const struct str *texts, size_t count, struct str ret[HOST_RULES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (!add_group(texts[i], ret, &n) && n < HOST_RULES_MAX)
			ret[n++] = texts[i];
	return n;
}

static bool has_port(const struct host_rule *r, uint16_t port)
{
	return r->any_port || (r->port ? r->port == port : port == 80 || port == 443);
}

/* The dot is checked, so that *.example.org does not match evilexample.org. */
static bool is_below(struct str name, struct str parent)
{
	return name.len > parent.len + 1 && str_ends(name, parent) &&
	       name.ptr[name.len - parent.len - 1] == '.';
}

/*
 * A rule by address matches only a host that was written as an address: a name is checked again
 * by host_rule_may_reach() with what it resolves to.
 */
static bool rule_matches(const struct host_rule *r, const struct net_host *h)
{
	struct str name = str_from(h->text), own = str_from(r->host.text);

	switch (r->kind) {
	case HOST_RULE_NAME:
		return !h->is_address && str_eq(name, own);
	case HOST_RULE_BELOW:
		return !h->is_address && is_below(name, own);
	case HOST_RULE_ADDRESS:
		return h->is_address &&
		       address_starts_with(&h->address, r->host.address.bytes, r->bits);
	case HOST_RULE_ANY:
		return true;
	}
	return false;
}

const struct host_rule *host_rule_find(const struct host_rules *rules, const struct net_host *h,
                                       uint16_t port)
{
	for (size_t i = 0; i < rules->count; i++)
		if (has_port(&rules->at[i], port) && rule_matches(&rules->at[i], h))
			return &rules->at[i];
	return NULL;
}

/*
 * The second check, after host_rule_find(): a name that is allowed must not lead into the machine
 * or its networks.  Public addresses pass, because their name has passed.
 */
bool host_rule_may_reach(const struct host_rules *rules, const struct net_host *h, uint16_t port,
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
		if (r->kind == HOST_RULE_NAME && is_named_loopback && rule_matches(r, h))
			return true;
		if (r->kind == HOST_RULE_ADDRESS && (!wants_itself || r->bits == 128) &&
		    address_starts_with(a, r->host.address.bytes, r->bits))
			return true;
	}
	return false;
}
