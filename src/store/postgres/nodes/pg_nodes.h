#ifndef STORE_POSTGRES_NODES_PG_NODES_H
#define STORE_POSTGRES_NODES_PG_NODES_H
/*
 * Several nodes on one database (ports/store_nodes.h): what this node keeps about it, and
 * the functions of this folder.
 *
 *   pg_join.c      takes a name and an incarnation at the start, and ends it
 *   pg_members.c   its thread: heartbeats, and which other nodes are dead
 *   pg_common.c    on that thread: raises what all nodes have in common
 *   pg_clock.c     what an answer says about the server's clock
 *   pg_claims.c    its thread: claims and releases, in few statements
 *   pg_follow.c    on that thread: what others committed, sessions without an owner, lists
 *   pg_hint.c      on that thread: tells other nodes that there are commits
 *   pg_calls.c     on that thread: the synchronous calls of the port
 *   pg_allot.c     on the keeper's thread: what this node may use of shared amounts
 *   pg_nodes.c     the port's calls, on the owner's thread
 *
 * Two connections.  The one of heartbeats waits for nothing else.  No statement of the other one
 * waits for a row that is locked, so a commit that hangs delays only the claims it concerns.
 */
#include "base/map.h"
#include "base/os/mailbox.h"
#include "ports/store.h"
#include "store/postgres/wire/pg_conn.h"

#include <stdatomic.h>

struct pg_store;
struct pg_call;
struct store_postgres_options;

/* What a thread found out for the owner; in its own arena. */
struct pg_report {
	struct arena *mem;
	struct pg_moved {
		struct str id;
		uint64_t seq;
	} * moved;
	size_t moved_count;
	uint64_t position; /* 0: nothing new */
	struct str *orphans;
	size_t orphan_count;
	struct pg_wanted {
		struct str account;
		int64_t amount;
		bool is_first;
	} * wanted;
	size_t wanted_count;
	uint64_t all_seen; /* 0: nothing to report */
	bool has_ended;    /* another node */
};

/* A message about nodes: one of these. */
struct pg_node_job {
	struct store_claim *claim;
	struct store_nodes_read *list;
	struct pg_report *report;
	struct pg_call *call;
	char *release;    /* the id of a session; freed with the job */
	bool is_in_doubt; /* a claim whose reply was lost */
};

struct pg_nodes {
	struct pg_conn members, claims;
	struct mailbox to_claims;
	int members_wake, claims_wake; /* eventfds */
	pthread_t members_thread, claims_thread;
	bool has_members, has_claims; /* the threads run */
	atomic_bool is_stopped;       /* the thread of heartbeats is to end */
	atomic_bool is_paused;        /* for tests: no heartbeat is sent */
	atomic_bool asks_on_hints;    /* for tests: and never without one */
	bool has_no_hints;            /* it does not LISTEN */
	int64_t heartbeat_ms, lease_ms;
	struct store_node self; /* strings in the store's arena */
	atomic_int_least64_t lease_until_ms;
	atomic_int_least64_t lease_boot_ms;  /* the same on a clock that does not stop in sleep */
	atomic_int_least64_t clock_ahead_ms; /* struct store_clock */
	uint64_t opened_at;     /* the last position at that time; what follows is reported */
	atomic_uint deaths;     /* how often nodes were seen to have ended */
	atomic_size_t others;   /* nodes that live beside this one */
	atomic_bool has_news;   /* this node has committed events since the last hint */
	atomic_bool is_leaving; /* leave() was called */
	atomic_bool is_urgent;  /* others are to look at once */
	int64_t call_ms;        /* how long the owner waits for a synchronous call */
	atomic_int open_calls;  /* the owner may wait: nothing long is begun (pg_calls.h) */
	atomic_uint_least64_t seen, awaited; /* tell_seen(), await_seen() */
	atomic_uint common_rev;              /* struct store_versions */
	atomic_bool is_mixed;

	/* What is wanted of the thread of claims. */
	atomic_size_t follow_count;
	atomic_bool follows_all;

	/* The owner's thread only. */
	struct store_watch watch;
	struct map followed; /* id → struct pg_followed */
};

/* ---- pg_join.c: on s->start ---- */

/*
 * Takes an incarnation with the name of this node.  A living node of that name is ERR_BUSY.
 * One that sends no heartbeat for a lease, or whose process is gone, is ended as dead.
 */
enum err pg_join_take(struct pg_store *s, struct error *e) MUST_USE;
/* The incarnation ends in order; errors do not matter any more. */
void pg_join_end(struct pg_store *s);

/* ---- pg_members.c ---- */

enum err pg_members_open(struct pg_store *s, struct error *e) MUST_USE;
/* The thread of heartbeats, until is_stopped. */
void *pg_members_run(void *store);

/* ---- pg_common.c: on the thread of heartbeats ---- */

/*
 * What a heartbeat found, from this column of the row on.  Errors do not matter: the next heartbeat
 * finds the same.
 */
void pg_common_look(struct pg_store *s, const struct pg_rows *rows, int row, int column);

/* ---- pg_claims.c ---- */

/* The thread of claims, until a PG_JOB_CLOSE comes. */
void *pg_claims_run(void *store);

/* ---- pg_allot.c: on the keeper's thread ---- */

/* Settles one account.  ERR_UNAVAILABLE: the connection broke, and it can be tried again. */
enum err pg_allot_work(struct pg_store *s, struct store_allotment *a, struct error *e);

/* ---- pg_follow.c: on the thread of claims ---- */

/* When to ask what.  Times are of the monotonic clock. */
struct pg_follow {
	uint64_t position; /* everything up to here was reported */
	int64_t poll_at_ms, orphans_at_ms;
	int64_t hinted_at_ms; /* when this node sent its last hint */
	bool is_hinted;       /* another node sent one */
	bool is_urgent;       /* and it waits for this one */
	unsigned deaths;      /* that were looked at */
};
/* Asks what is due. */
enum err pg_follow_ask(struct pg_store *s, struct pg_follow *f, struct error *e) MUST_USE;
/* Milliseconds until something is due. */
int pg_follow_wait(struct pg_store *s, const struct pg_follow *f);
enum err pg_follow_list(struct pg_store *s, struct store_nodes_read *r) MUST_USE;

/* ---- pg_hint.c ---- */

/* On the writer's thread: events were committed. */
void pg_hint_committed(struct pg_store *s);
/* On any thread: the others are to look at once. */
void pg_hint_urgently(struct pg_store *s);
/* On the thread of claims: hints come over this connection from now on, if they are wanted. */
enum err pg_hint_listen(struct pg_store *s, struct error *e) MUST_USE;
/* Sends one if there is something to say and it is time. */
enum err pg_hint_send(struct pg_store *s, struct pg_follow *f, struct error *e) MUST_USE;
/* Milliseconds until the next one may be sent; INT_MAX: there is nothing to say. */
int pg_hint_wait(struct pg_store *s, const struct pg_follow *f);
/* Takes what arrived. */
void pg_hint_take(struct pg_store *s, struct pg_follow *f);

/* ---- pg_nodes.c: on any thread ---- */

/* A report with room for so many rows of each kind. */
struct pg_report *pg_nodes_report(size_t rows);
/* Hands it to the owner; an empty one is freed. */
void pg_nodes_send(struct pg_store *s, struct pg_report *r);

/* ---- pg_nodes.c: on the owner's thread ---- */

extern const struct store_nodes_ops pg_nodes_ops;
enum err pg_nodes_check(const struct store_postgres_options *o, struct error *e) MUST_USE;
void pg_nodes_init(struct pg_store *s, const struct store_postgres_options *o);
void pg_nodes_done(struct pg_store *s);
/* A heartbeat that was sent at that time has arrived; any thread. */
void pg_nodes_lease(struct pg_store *s, int64_t sent_ms, int64_t sent_boot_ms);
/*
 * The server read its clock between the two times of the boot clock; on the thread of heartbeats, once it
 * runs.  is_first: nothing is known yet.
 */
void pg_nodes_clock(struct pg_store *s, int64_t sent_boot_ms, int64_t server_ms, bool is_first);
/* How far the wall clock of this machine is ahead of the server's; any thread. */
int64_t pg_nodes_clock_off(struct pg_store *s);
/* Calls back what the message says. */
void pg_nodes_deliver(struct pg_store *s, struct pg_node_job *job);
/* The store closes: the request has no answer. */
void pg_nodes_refuse(struct pg_node_job *job, const struct error *why);
/* What is left of a message when nothing is to be called. */
void pg_nodes_job_done(struct pg_node_job *job);

#endif
