#ifndef SANDBOX_NET_HOST_H
#define SANDBOX_NET_HOST_H
/*
 * A host as people and programs write it: a name or an address, with a port or
 * in a URL.  Nothing here resolves or connects.
 */
#include "base/str.h"
#include "sandbox/address.h"

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
bool net_host_read(struct str text, struct net_host *ret) MUST_USE;
/* "host:port"; without a port it is default_port, and must be there if that is 0. */
bool net_host_read_with_port(struct str text, uint16_t default_port, struct net_host *ret,
                             uint16_t *ret_port) MUST_USE;
/* The host and port of an http:// or https:// address.  One with a user in it is refused. */
bool net_host_of_url(struct str url, struct net_host *ret, uint16_t *ret_port) MUST_USE;

/* 1 to 65535, digits only. */
bool net_host_read_port(struct str text, uint16_t *ret) MUST_USE;
/* What is in front of the port, and the port: absent without a colon. */
struct str net_host_split_port(struct str text, struct str *ret_port);

#endif
