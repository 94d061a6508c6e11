#ifndef CORE_LEASE_H
#define CORE_LEASE_H
/*
 * Leases: until when an external worker may be silent.
 *
 * The log holds the lease that a run began with; heartbeats move it and leave
 * no event.  So a lease is no part of the folded state: the engine owns the
 * leases of a session and hands them to each decision, as it hands over the
 * time.  What is lost with the process only gives a worker one more lease.
 *
 * All functions take NULL for leases that nobody holds: the log's count then.
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

/* A heartbeat: begins the lease of a run, or moves it. */
void lease_set(struct leases *l, struct str run_id, int64_t until);
/* The end of a run's lease; logged: the one that its event names. */
int64_t lease_until(const struct leases *l, struct str run_id, int64_t logged);

/*
 * Runs begin and end their leases, and the clock moves them.  Called with the
 * state before the event is folded.
 */
void lease_on_event(struct leases *l, const struct state *before, const struct event *ev);

/* After a restart the last heartbeats are not known: each run gets its lease again. */
void lease_restart(struct leases *l, const struct state *w, int64_t now);

#endif
