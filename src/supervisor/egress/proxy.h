#ifndef SUPERVISOR_EGRESS_PROXY_H
#define SUPERVISOR_EGRESS_PROXY_H
/*
 * The proxy of one sandbox: a process outside of it, through which those inside reach the hosts
 * that the plan allows, and no others.
 *
 *	command ──► 127.0.0.1:PROXY_PORT ──► proxy ──► host
 *	            in the sandbox's network     outside
 *
 * The sandbox's init creates the listening socket in the sandbox's own network and passes it out,
 * so there is no forwarder and nothing of the proxy inside.  Connections that are accepted on it
 * end in the sandbox; those that the proxy opens belong to the host's network.
 *
 * The proxy speaks HTTP: CONNECT, and plain requests for http:// addresses.  It checks the name,
 * resolves it, checks each address, and connects to one that passed (sandbox/host_rule.h).  One
 * thread per connection, because resolving a name blocks; at most PROXY_CONNECTIONS_MAX of them,
 * and further connections wait in the kernel.
 *
 * The process has dropped what it does not need (user, capabilities, files), because it reads
 * untrusted bytes.  It ends by proxy_end(), or with the supervisor.
 *
 * The tally in shared memory counts what was requested.  The proxy writes it, and the supervisor
 * treats it as untrusted.
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
