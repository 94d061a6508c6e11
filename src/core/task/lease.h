#ifndef CORE_LEASE_H
#define CORE_LEASE_H
/*
 * Leases: how long an external worker may stay silent.
 *
 * The log holds the lease that a run began with; heartbeats extend it without
 * an event.  So a lease is no part of the folded state: the engine owns the
 * leases of a session and passes them to each decision, like the time.  After a
 * crash a worker simply gets one more lease.
 *
 * All functions accept NULL instead of leases: those of the log count then.
 */
#include "core/state.h"

struct lease {
	char run_id[264]; /* of a task, or the id of a job's item; 256 characters at most */
	int64_t until;
};

struct leases {
	struct lease *items;
	uint32_t count, cap;
};

/* Frees the memory; the struct is empty then. */
void lease_done(struct leases *l);

/* A heartbeat: starts the lease of a run, or extends it. */
void lease_set(struct leases *l, struct str run_id, int64_t until);
/* The end of a run's lease; logged: the one in its event. */
int64_t lease_until(const struct leases *l, struct str run_id, int64_t logged);

/*
 * Starts and ends leases with their runs, and moves them with the clock.  Called with the state
 * before the event is folded.
 */
void lease_on_event(struct leases *l, const struct state *before, const struct event *ev);

/* After a restart the last heartbeats are unknown: each run gets its full lease again. */
void lease_restart(struct leases *l, const struct state *w, int64_t now);

#endif
