#ifndef APP_DAEMON_H
#define APP_DAEMON_H
/* Starting a daemon for clients that find none, and ending it. */
#include "app/cli/cli.h"

/*
 * Starts `thole serve` on the data directory, detached, and waits until it
 * takes connections.  When several clients do so at once, one daemon wins the
 * directory's lock and all of them are connected to it.  NULL after saying
 * why not; *ret_code is the exit code then.
 */
struct thole *daemon_start(struct cli *c, int *ret_code);

/* Waits until somebody listens, or so long.  NULL: nobody did. */
struct thole *daemon_await(struct cli *c, int timeout_ms);

/* The process that owns the data directory; 0: none. */
int daemon_holder(struct cli *c);
/* Tells it to stop and waits for its end. */
int daemon_stop(struct cli *c);
/* What is typed to have that done. */
/* Is the process that owns the data directory stopped by a signal?  Then it answers nobody. */
bool daemon_is_stopped(struct cli *c, int *ret_pid);
const char *daemon_stop_text(struct cli *c);

#endif
