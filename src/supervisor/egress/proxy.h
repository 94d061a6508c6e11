#ifndef SUPERVISOR_EGRESS_PROXY_H
#define SUPERVISOR_EGRESS_PROXY_H
/*
 * The proxy of one sandbox: a process outside of it, through which those inside
 * reach the hosts that the plan allows, and no others.
 *
 *	command ──► 127.0.0.1:PROXY_PORT ──► proxy ──► host
 *	            in the sandbox's network     outside
 *
 * The listening socket is made by the sandbox's init in the sandbox's own network
 * and handed out, so there is no forwarder and nothing of the proxy inside.
 * Connections that were accepted on it are the sandbox's ends; those that the
 * proxy dials are the host's.
 *
 * It speaks HTTP: CONNECT, and plain requests for http:// addresses.  A name
 * is judged, resolved here, its addresses are judged, and one of those that
 * passed is dialled (sandbox/host_rule.h).  A thread per connection, since names
 * are resolved by calls that wait; PROXY_CONNECTIONS_MAX of them, and the
 * next ones wait in the kernel.
 *
 * The process has given up what it does not need (user, capabilities, files),
 * because it reads what a stranger wrote.  It ends by proxy_end(), or with
 * the supervisor.
 *
 * What was asked for stands in a tally that both sides see: the proxy writes,
 * and the supervisor reads it as something that anybody might have written.
 */
#include "sandbox/host_rule.h"
#include "sandbox/sandbox_plan.h"

#include <stdatomic.h>
#include <sys/types.h>

#define PROXY_PORT 3128
#define PROXY_CONNECTIONS_MAX 64
#define PROXY_ROWS_MAX 64 /* what finds no row is counted without its name */

struct proxy_row {
	char host[HOST_TEXT_MAX];
	char rule[48];    /* the word for why it was refused; of those that were reached the rule */
	char address[64]; /* that it led to, if that was the reason */
	uint16_t port;
	bool is_refused;
	_Atomic uint32_t hits;
};

struct proxy_tally {
	_Atomic uint32_t count; /* rows that are filled; they do not change but for their hits */
	_Atomic uint32_t refused_more, reached_more;
	struct proxy_row rows[PROXY_ROWS_MAX];
};

struct proxy {
	pid_t pid;
	int pidfd;
	int news_fd; /* readable when a row came */
	struct proxy_tally *tally;
};

/* In the network of a sandbox: the socket that its commands find the proxy at. */
enum err proxy_listen(int *ret, struct error *e) MUST_USE;

/* The listener stays the caller's.  On failure there is nothing to be ended. */
enum err proxy_start(int listener, const struct sandbox_paths *allow, struct proxy *ret,
                     struct error *e) MUST_USE;
/* The process is gone when this returns; the tally stays. */
void proxy_end(struct proxy *p);
void proxy_done(struct proxy *p);

/* Variables that name the proxy to commands (NAME=value), with the hosts that bypass it. */
void proxy_env(struct arena *mem, const struct sandbox_paths *allow, struct sandbox_paths *ret);

#endif
