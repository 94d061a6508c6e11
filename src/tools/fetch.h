#ifndef TOOLS_FETCH_H
#define TOOLS_FETCH_H
/*
 * fetch_url, behind ports/tool.h: one address by GET, as text.
 *
 * It runs in no cage, since nothing of a stranger's runs: the request leaves
 * through the wire with its guard (net/http/http_client.h), so an address that is not
 * public is reached only if a rule names it.  A redirect is judged like the
 * first address; to another host it is told and not followed, because consent
 * was given for this one.  Bounds: LIMIT_FETCH_BYTES, LIMIT_FETCH_TIMEOUT_MS.
 */
#include "sandbox/host_rule.h"
#include "net/http/http_client.h"
#include "ports/clock.h"
#include "ports/tool.h"

struct fetch_options {
	struct http_client
		*http_client; /* stays the caller's, and is freed after the toolset was closed */
	struct clock *clock;
	const struct str *hosts; /* rules that open addresses which are not public */
	size_t host_count;
};

/* Keeps copies of all strings. */
enum err fetch_open(const struct fetch_options *o, struct toolset **ret, struct error *e) MUST_USE;

/* Where a redirect leads to, seen from base; absent: nowhere that we follow.  For tests too. */
struct str fetch_location(struct arena *mem, struct str base, struct str location);

#endif
