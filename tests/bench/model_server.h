#ifndef BENCH_MODEL_SERVER_H
#define BENCH_MODEL_SERVER_H
/*
 * A provider's server in its own process: every request gets a stream of Chat
 * Completions at an even pace.  The text of each event is the time at which it
 * was sent (CLOCK_MONOTONIC, ns), so that its reader can compute the delay.
 */
#include <sys/types.h>

struct model_server {
	pid_t pid;
	int port;
	int news;                  /* where it says what happened */
	const volatile long *sent; /* events so far */
};

struct model_plan {
	int streams; /* that are served before it says that all are open, and that all are over */
	int events, per_s; /* of each; per_s 0: all at once, as fast as the socket takes them */
};

void model_server_start(struct model_server *s, const struct model_plan *plan);
/* Waits until it says so: 'o' all are open, 'e' all have ended. */
void model_server_wait(struct model_server *s, char what);
void model_server_stop(struct model_server *s);

#endif
