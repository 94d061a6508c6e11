#ifndef SANDBOX_HOST_RULE_H
#define SANDBOX_HOST_RULE_H
/*
 * Rules that say which hosts may be reached.
 *
 * A rule is written
 *
 *	registry.example.org          this name
 *	*.example.org                 every name below it, not itself
 *	203.0.113.7  [2001:db8::1]    this address
 *	10.1.0.0/16  [fd00::]/8       these addresses
 *	*                             every name and every public address
 *
 * with ":443" for one port or ":*" for all behind it; without, the ports are 80
 * and 443.
 *
 * A name is checked twice: first by itself, then by each address that it
 * resolves to, and the checked address is the one to dial.  An address that is
 * not public is reached only if a rule names it, by itself or by its network;
 * metadata services and reserved addresses only by itself.  "localhost" names
 * the loopback.
 */
#include "base/arena.h"
#include "base/err.h"
#include "sandbox/net_host.h"

#define HOST_RULES_MAX 256

enum host_rule_kind { HOST_RULE_NAME, HOST_RULE_BELOW, HOST_RULE_ADDRESS, HOST_RULE_ANY };

struct host_rule {
	enum host_rule_kind kind;
	struct str text; /* as it was written */
	struct net_host host;
	unsigned bits; /* of an address: how many count, 128 is the address itself */
	uint16_t port; /* 0: 80 and 443 */
	bool any_port;
};

struct host_rules {
	struct host_rule *at;
	size_t count;
};

enum err host_rule_read(struct arena *mem, struct str text, struct host_rule *ret,
                        struct error *e) MUST_USE;
/* The error names the invalid rule. */
enum err host_rule_read_all(struct arena *mem, const struct str *texts, size_t count,
                            struct host_rules *ret, struct error *e) MUST_USE;

/*
 * The hosts of a group of registries (catalog/registries.json) instead of its
 * name; every other text stays as it is.  Room for HOST_RULES_MAX texts.
 */
size_t host_rule_expand(const struct str *texts, size_t count, struct str ret[HOST_RULES_MAX]);

/* May the host be requested?  Returns the rule that allows it, or NULL. */
const struct host_rule *host_rule_find(const struct host_rules *rules, const struct net_host *h,
                                       uint16_t port);
/* May an address that was found under that name be dialled? */
bool host_rule_may_reach(const struct host_rules *rules, const struct net_host *h, uint16_t port,
                         const struct address *a) MUST_USE;

#endif
