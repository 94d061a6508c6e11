/*
 * Kinds of addresses.  The tables follow the registries of special-purpose
 * addresses; what no row names is public in IPv4 and reserved in IPv6, where
 * only 2000::/3 is assigned.
 */
#include "sandbox/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

/* ::ffff:0:0/96, the IPv4-mapped addresses. */
static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

bool address_starts_with(const struct address *a, const uint8_t *bytes, unsigned bits)
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
		if (address_starts_with(a, ranges[i].bytes, ranges[i].bits))
			return ranges[i].kind;
	return other;
}

#define V4(a, b, c, d, len) { [10] = 0xff, 0xff, a, b, c, d }, 96 + (len)

/*
 * The first matching range counts, so single metadata addresses precede the networks around them:
 * AWS and others 169.254.169.254, ECS 169.254.170.2, Alibaba 100.100.100.200, Oracle 192.0.0.192,
 * Azure 168.63.129.16.
 */
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

/* fd00:ec2::254 is AWS, fd20:ce::254 Google Cloud. */
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

struct address address_of_v4(const uint8_t v4[4])
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

/*
 * NAT64 (64:ff9b::/96) and 6to4 (2002::/16) carry an IPv4 address; a gateway would reach that
 * one.
 */
enum address_kind address_kind(const struct address *a)
{
	static const uint8_t nat64[12] = { 0x00, 0x64, 0xff, 0x9b };
	static const uint8_t six_to_4[2] = { 0x20, 0x02 };
	struct address in;

	if (address_starts_with(a, mapped, 96))
		return kind_v4(a);
	if (address_starts_with(a, nat64, 96) || address_starts_with(a, six_to_4, 16)) {
		in = address_of_v4(a->bytes + (a->bytes[0] ? 2 : 12));
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
	bool is_v4 = address_starts_with(a, mapped, 96);

	if (!inet_ntop(is_v4 ? AF_INET : AF_INET6, a->bytes + (is_v4 ? 12 : 0), ret, HOST_TEXT_MAX))
		ret[0] = '\0';
}

/* memcpy(), because sa may not be aligned for the larger struct. */
bool address_of(const struct sockaddr *sa, struct address *ret, uint16_t *ret_port)
{
	if (sa->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, sa, sizeof in);
		*ret = address_of_v4((const uint8_t *)&in.sin_addr);
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
