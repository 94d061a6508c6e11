#ifndef SANDBOX_ADDRESS_H
#define SANDBOX_ADDRESS_H
/*
 * IP addresses and what kind they are.  Rules allow public addresses more
 * easily than those of the machine, of its networks and of metadata services.
 */
#include "base/util.h"

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
	ADDRESS_RESERVED, /* unassigned, multicast, or a wrapper of another address */
};

/* An embedded address (NAT64, 6to4) counts as the address it leads to. */
enum address_kind address_kind(const struct address *a);
const char *address_kind_name(enum address_kind k);
/* As people write it, at most HOST_TEXT_MAX. */
void address_text(const struct address *a, char ret[HOST_TEXT_MAX]);
struct sockaddr;
/* False: neither IPv4 nor IPv6. */
bool address_of(const struct sockaddr *sa, struct address *ret, uint16_t *ret_port) MUST_USE;
struct address address_of_v4(const uint8_t v4[4]);
bool address_starts_with(const struct address *a, const uint8_t *bytes, unsigned bits);

#endif
