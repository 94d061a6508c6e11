#ifndef SUPERVISOR_EGRESS_EGRESS_H
#define SUPERVISOR_EGRESS_EGRESS_H
/*
 * What one run reaches beyond its sandbox: the socket that its init handed out,
 * the proxy behind it, and what that has counted.
 *
 * The proxy is started when somebody inside first connects: a run that wants
 * nothing from the network pays for a socket only.  If it cannot be started
 * the socket closes, and nobody is reached.
 */
#include "supervisor/sandbox.h"
#include "supervisor/event_loop.h"
#include "supervisor/egress/proxy.h"

struct egress {
	struct event_loop *loop;
	const struct sandbox_paths *allow;
	struct event_loop_watch listening, news;
	struct proxy proxy;
	uint32_t told[PROXY_ROWS_MAX];
	void (*refused)(struct egress *r, const struct report *v);
};

/* Before all else; may be ended at once. */
void egress_init(struct egress *r, struct event_loop *l, const struct sandbox_paths *allow,
                 void (*refused)(struct egress *r, const struct report *v));
/* listener is taken over. */
void egress_open(struct egress *r, int listener);
/* What it refused until now is told now, each host with how often since. */
void egress_report_denied(struct egress *r);
/* The proxy is gone when this returns, and what it refused has been told. */
void egress_end(struct egress *r);
void egress_done(struct egress *r);

/* The member `hosts`: those that were reached, with ports and counts; nothing without any. */
void egress_write(struct json_writer *w, const struct egress *r);

#endif
