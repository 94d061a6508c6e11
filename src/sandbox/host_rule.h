#ifndef SANDBOX_HOST_RULE_H
#define SANDBOX_HOST_RULE_H
/*
 * Which hosts may be reached: names and addresses as text, the kinds of
 * addresses, and rules over both.  Nothing here resolves or connects.
 *
 * A rule is written
 *
 *	registry.example.org          this name
 *	*.example.org                 every name below it, not itself
 *	203.0.113.7  [2001:db8::1]    this address
 *	10.1.0.0/16  [fd00::]/8       these addresses
 *	*                             every name and every public address
 *
 * with ":443" for one port or ":*" for all behind it; without, the ports are
 * 80 and 443.
 *
 * A name is judged twice: first by itself, then by each address that it
 * resolves to, and the address that was judged is the one to dial.  An
 * address that is not public is reached only if a rule names it, by itself or
 * by its network; metadata services and what is nobody's address only by
 * itself.  "localhost" names the loopback.
 */
#include "base/arena.h"
#include "base/err.h"

#define HOST_RULES_MAX 256
#define HOST_TEXT_MAX 256 /* of a name or an address, with the NUL behind it */

/* IPv4 in its mapped form (::ffff:a.b.c.d), so that both spellings are one. */
struct address {
	uint8_t bytes[16];
};

enum address_kind {
	ADDRESS_PUBLIC,
	ADDRESS_LOOPBACK,
	ADDRESS_PRIVATE,
	ADDRESS_LINK_LOCAL,
	ADDRESS_METADATA,
	ADDRESS_RESERVED, /* nobody's, everybody's, or a way to wrap another one */
};

/* An address inside another (NAT64, 6to4) is what it leads to. */
enum address_kind address_kind(const struct address *a);
const char *address_kind_name(enum address_kind k);
/* As people write it, at most HOST_TEXT_MAX. */
void address_text(const struct address *a, char ret[HOST_TEXT_MAX]);
struct sockaddr;
/* False: neither IPv4 nor IPv6. */
bool address_of(const struct sockaddr *sa, struct address *ret, uint16_t *ret_port) MUST_USE;

struct net_host {
	char text[HOST_TEXT_MAX]; /* lower case, without a dot at the end or brackets */
	bool is_address;
	struct address address;
};

/*
 * A name or an address, in brackets if it is IPv6.  Refused: characters that
 * no host name has (so names must come as xn--), empty and long labels,
 * numbers that only some readers take for an address (0x7f.1, 0177.0.0.1,
 * 2130706433), zones.
 */
bool host_read(struct str text, struct net_host *ret) MUST_USE;
/* "host:port"; without a port it is default_port, and must be there if that is 0. */
bool host_port_read(struct str text, uint16_t default_port, struct net_host *ret,
                    uint16_t *ret_port) MUST_USE;
/* The host and port of an http:// or https:// address.  One with a user in it is refused. */
bool host_of_url(struct str url, struct net_host *ret, uint16_t *ret_port) MUST_USE;

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
/* The error names the rule that is none. */
enum err host_rules_read(struct arena *mem, const struct str *texts, size_t count,
                         struct host_rules *ret, struct error *e) MUST_USE;

/* May it be asked for?  The rule that says so, or NULL. */
const struct host_rule *host_rules_find(const struct host_rules *rules, const struct net_host *h,
                                        uint16_t port);
/* May an address that was found under that name be dialled? */
bool host_rules_reach(const struct host_rules *rules, const struct net_host *h, uint16_t port,
                      const struct address *a) MUST_USE;

#endif
