#ifndef SUPERVISOR_EGRESS_PROXY_HEAD_H
#define SUPERVISOR_EGRESS_PROXY_HEAD_H
/*
 * The head of one request to the egress proxy, read strictly (llhttp without a lenient flag) and
 * written again for the server.
 *
 * Two forms are accepted: CONNECT host:port, and an absolute http:// address with any other
 * method that llhttp knows.  Lines end with CRLF, nothing is folded, names are tokens.  A body
 * must have a Content-Length: readers disagree about where a chunked one ends.
 *
 * The head for the server has the path as its target, the Host that was checked, none of the
 * headers for a proxy, and "Connection: close": one connection carries one request, so no second
 * one passes unchecked.
 */
#include "base/buf.h"
#include "sandbox/host_rule.h"

#define PROXY_HEAD_MAX 16384

struct proxy_head {
	bool is_connect;
	struct net_host host;
	uint16_t port;
	struct buf text;   /* what to send on; empty for CONNECT */
	uint64_t body_len; /* bytes that follow the head */
};

/* The length of the head with its empty line, or 0: it is not whole yet. */
size_t proxy_head_end(struct str bytes);

/*
 * text is a whole head.  0 when it was read, and ret->text is to be freed;
 * else the status to answer with, and *ret_why says why.
 */
int proxy_head_read(struct str text, struct proxy_head *ret, const char **ret_why);

#endif
