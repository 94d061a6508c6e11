#ifndef HAND_PROXY_SERVE_H
#define HAND_PROXY_SERVE_H
/* What the proxy does once it is a process of its own; see proxy.h. */
#include "hand/proxy.h"

struct proxy_place {
	int listener, news_fd;
	const struct host_rules *rules;
	struct proxy_tally *tally;
};

NORETURN void proxy_serve(const struct proxy_place *place);

#endif
