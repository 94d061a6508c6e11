#ifndef SUPERVISOR_EGRESS_EGRESS_H
#define SUPERVISOR_EGRESS_EGRESS_H
/*
 * What one job reaches beyond its sandbox: the listening socket that its init
 * passed out, the proxy behind it, and what the proxy has counted.
 *
 * The proxy is started at the first connection from inside: a job that wants
 * nothing from the network pays for a socket only.  If it cannot be started,
 * the socket closes and no host is reached.
 */
#include "base/jw.h"
#include "supervisor/egress/proxy.h"
#include "supervisor/event_loop.h"
#include "supervisor/sandbox.h"

struct egress {
	struct event_loop *loop;
	const struct sandbox_paths *allow;
	struct event_loop_watch listening, news;
	struct proxy proxy;
	uint32_t told[PROXY_ROWS_MAX];
	void (*refused)(struct egress *r, const struct report *v);
};

/* The first call; egress_end() may follow at once. */
void egress_init(struct egress *r, struct event_loop *l, const struct sandbox_paths *allow,
                 void (*refused)(struct egress *r, const struct report *v));
/* Takes ownership of listener. */
void egress_open(struct egress *r, int listener);
/* Reports what was denied since the last report, each host with its count. */
void egress_report_denied(struct egress *r);
/* The proxy is gone when this returns, and its denials have been reported. */
void egress_end(struct egress *r);
void egress_done(struct egress *r);

/* The member `hosts`: those that were reached, with ports and counts; nothing without any. */
void egress_write(struct json_writer *w, const struct egress *r);

#endif
