#ifndef APP_DAEMON_H
#define APP_DAEMON_H
/* Starts a daemon for clients that find none, and stops it. */
#include "app/cli/cli.h"

/*
 * Starts `thole serve` on the data directory, detached, and waits until it
 * takes connections.  When several clients do so at the same time, one daemon
 * wins the directory's lock and all clients connect to it.  On failure prints
 * the reason, sets *ret_code and returns NULL.
 */
struct thole *daemon_start(struct cli *c, int *ret_code);

/* Waits until a daemon listens.  NULL: none did within timeout_ms. */
struct thole *daemon_await(struct cli *c, int timeout_ms);

/* The process that owns the data directory; 0: none. */
int daemon_holder(struct cli *c);
/* Stops the daemon and waits until it has ended. */
int daemon_stop(struct cli *c);
/* Whether SIGSTOP or a debugger holds the owner of the data directory; it does not answer then. */
bool daemon_is_stopped(struct cli *c, int *ret_pid);
/* The command line that stops the daemon, for messages. */
const char *daemon_stop_text(struct cli *c);

#endif
