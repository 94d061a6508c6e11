#ifndef SERVE_FORWARDED_H
#define SERVE_FORWARDED_H
/*
 * What a reverse proxy says about the client of a request: its address, and whether it used https.
 *
 * Only connections from trusted_proxies are believed, and only the header that trusted_proxy_header
 * names: a proxy that writes one header passes the other on as the client sent it.  Of several
 * addresses the last one counts that is not a trusted proxy; those before it are what the client
 * claims.  The Host is not taken from such headers: the proxy passes it on.
 */
#include "net/http/http_parse.h"
#include "net/stream.h"
#include "sandbox/host_rule.h"

struct forwarded_options {
	struct host_rules proxies; /* addresses and networks only */
	bool uses_forwarded; /* the header of RFC 7239; otherwise X-Forwarded-For and -Proto */
};

struct forwarded {
	bool is_proxied;            /* a trusted proxy sent the request */
	bool is_https;              /* the client used https there */
	bool is_local;              /* the client is on this machine, as far as is known */
	char client[HOST_TEXT_MAX]; /* its address; that of the connection without a proxy */
};

/* "10.0.0.0/8", "::1": the setting trusted_proxies. */
enum err forwarded_read_proxies(struct arena *mem, const struct str *texts, size_t count,
                                struct host_rules *ret, struct error *e) MUST_USE;

/* Is the peer of this connection a trusted proxy? */
bool forwarded_is_proxy(const struct forwarded_options *o, const struct stream *stream);
/* The same of the request of a peer with this address.  Pure. */
void forwarded_read_from(const struct forwarded_options *o, const struct http_message *m,
                         const struct address *peer, struct forwarded *ret);
/* stream may be NULL: nothing is known then. */
void forwarded_read(const struct forwarded_options *o, const struct http_message *m,
                    const struct stream *stream, struct forwarded *ret);

/* Does the request say that it was forwarded, whatever is configured? */
bool forwarded_is_said(const struct http_message *m);

#endif
