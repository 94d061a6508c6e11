#ifndef SUPERVISOR_EGRESS_PROXY_SERVE_H
#define SUPERVISOR_EGRESS_PROXY_SERVE_H
/* The loop of the proxy process; see proxy.h. */
#include "supervisor/egress/proxy.h"

#define PROXY_HEAD_MS 10000
#define PROXY_IDLE_MS 300000

struct proxy_place {
	int listener, news_fd;
	int head_ms; /* for a request's head to come whole */
	/* without a byte either way, or with an end that takes none: then it is closed */
	int idle_ms;
	const struct host_rules *rules;
	struct proxy_tally *tally;
};

NORETURN void proxy_serve(const struct proxy_place *place);

#endif
