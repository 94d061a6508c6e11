#ifndef TOOLS_FETCH_H
#define TOOLS_FETCH_H
/*
 * fetch_url, behind ports/tool.h: one address by GET, as text.
 *
 * No sandbox is needed, because no foreign program runs.  The HTTP client guards
 * the request (net/http/http_client.h): an address that is not public is reached
 * only if a rule names it.  A redirect passes the same checks as the first
 * address; one to another host is reported and not followed, because the
 * approval covers one host.  Bounds: LIMIT_FETCH_BYTES, LIMIT_FETCH_TIMEOUT_MS.
 */
#include "sandbox/host_rule.h"
#include "net/http/http_client.h"
#include "ports/clock.h"
#include "ports/tool.h"

struct fetch_options {
	struct http_client *http_client; /* owned by the caller; must outlive the toolset */
	struct clock *clock;
	const struct str *hosts; /* rules that allow addresses which are not public */
	size_t host_count;
};

/* Keeps copies of all strings. */
enum err fetch_open(const struct fetch_options *o, struct toolset **ret, struct error *e) MUST_USE;

/* Resolves a redirect against base; absent: not followed.  Exposed for tests. */
struct str fetch_location(struct arena *mem, struct str base, struct str location);

#endif
