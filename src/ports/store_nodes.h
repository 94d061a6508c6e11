#ifndef PORTS_STORE_NODES_H
#define PORTS_STORE_NODES_H
/*
 * Several nodes on one store: who lives, who owns which session, what others wrote, and what
 * each may use of what they share.  A store of one node has none of these calls (struct
 * store.nodes), and its owner owns every session.
 *
 * Each start of a node is an *incarnation*, a number that only grows.  A session is owned by
 * one incarnation or by none; the owner is in the session's row, and nothing else decides:
 *
 *	claim     ──►  owned  ──►  release      an idle session has no owner
 *	                 │
 *	                 └── its node ends, or is found dead: free for any claim
 *
 * A slice of a session that another living incarnation owns is refused (SLICE_FENCED) and
 * changes nothing.  A slice of a session without an owner, or of an ended one, is accepted if it
 * continues the head, and makes this node the owner.  So a claim keeps nodes from deciding in
 * vain; what keeps the log whole is the slice.
 *
 * A node has a *revision*, the number of what its program can fold.  A session needs the highest
 * one that a slice of it named (slice.needs_rev), and no node of a lower one gets it: no claim, no
 * report as an orphan, no snapshot.  The *common* revision is that of every node which lives or may
 * start; it rises when the last node of a lower one has ended, and such a node cannot start then.
 *
 * A node is *dead* when another node has seen no heartbeat of it for a lease, by the store's
 * clock.  A claim that is answered sees every commit of the owners before.
 *
 * All calls are for the owner's thread; answers and reports come from store_poll().
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "ports/store_allotment.h"

struct store;

enum store_node_state {
	STORE_NODE_LIVES,
	STORE_NODE_ENDED, /* in order */
	STORE_NODE_DEAD,  /* another node found no heartbeat */
};

struct store_node {
	uint64_t incarnation;
	struct str name;    /* the setting node.name; stays over restarts */
	struct str address; /* where other nodes reach it, as http://10.0.0.1:4141; or absent */
	struct str version; /* of its program */
	uint32_t rev;       /* its revision; 0: a program that does not say it */
	struct str place;   /* what it has, which only the engine reads; absent: nothing is said */
	enum store_node_state state;
	bool is_self;
	bool is_leaving;                 /* it hands its work over and takes none */
	int64_t started_ms, beat_age_ms; /* wall clock; since its last heartbeat */
	int64_t clock_off_ms;            /* of its machine's wall clock from the store's */
	uint64_t sessions;               /* that it owns; LIST only */
	/* LIST with_allotments only: of a node that lives, by account. */
	struct store_allotted *allotments;
	size_t allotment_count;
	uint64_t allotments_left_out;
};

/* One claim of a session, the store's until `done`; it gathers claims into few statements. */
struct store_claim {
	struct str session; /* outlives the claim */
	void (*done)(struct store_claim *c);
	void *owner;

	/*
	 * OK: this node owns it.  ERR_NOT_FOUND: there is no such session, which is no reservation
	 * of its id.  ERR_BUSY: a living node owns it, and `node` says which (name, address and
	 * incarnation, in mem); or it needs a higher revision than this node's, and `node` may claim
	 * it.  ERR_UNSUPPORTED: the same, and no such node lives.  ERR_UNAVAILABLE: at the close.
	 */
	enum err result;
	struct error error;
	bool is_orphan; /* OK: the owner before ended without a release; what it had begun is lost */
	struct store_node node;
	struct arena *mem; /* made by the store with ERR_BUSY; freed by port_store_claim_done() */
	struct store_claim *next; /* the store's */
};

void port_store_claim_done(struct store_claim *c);

/* The clock that all nodes share: the store's. */
struct store_clock {
	int64_t ahead_ms; /* of the boot clock of this machine */
	int64_t off_ms;   /* of the wall clock of this machine from it */
};

/* Of the nodes that live, as the last heartbeat found it. */
struct store_versions {
	size_t others;       /* nodes that live beside this one */
	uint32_t common_rev; /* it never falls, and is 0 at first */
	bool is_mixed;       /* of two programs: what they derive from one log may differ */
};

/* A list that is read now. */
struct store_nodes_read {
	bool with_ended; /* also the ended and dead ones, of the last day */
	/*
	 * Also what each may use: of many accounts the LIMIT_NODE_ALLOTMENTS that it settled last,
	 * because amounts of money and of requests cannot be compared.
	 */
	bool with_allotments;
	void (*done)(struct store_nodes_read *r);
	void *owner;

	enum err result;
	struct error error;
	struct arena *mem;        /* made by the store, freed by port_store_nodes_read_done() */
	struct store_node *nodes; /* by name */
	size_t count;
};

void port_store_nodes_read_done(struct store_nodes_read *r);

/* What happened elsewhere.  Each is called from store_poll(). */
struct store_watch {
	void *owner;
	/*
	 * Other nodes have committed events of this session, up to seq.  Several commits may be one
	 * report.  Only sessions for which follow() was called, and all of them while
	 * follow_all() is on.
	 */
	void (*moved)(void *owner, struct str session, uint64_t seq);
	/*
	 * Every position up to here is durable, and no commit of another node adds one below it.
	 * Positions are given in the order of commits, those of this node included: a page of
	 * READ_ALL has every event below its end.
	 */
	void (*position)(void *owner, uint64_t position);
	/*
	 * The owner of these sessions ended or died without releasing them, and they have open work.
	 * Claim them to continue it.  A report comes again until a node does, and may come to every
	 * node that has the revision that they need.
	 */
	void (*orphaned)(void *owner, const struct str *sessions, size_t count);
	/*
	 * Another node needs this much more of an account.  It was there first if this node waits
	 * too.  The report comes again until the node has it, or gives up.
	 */
	void (*wanted)(void *owner, struct str account, int64_t amount, bool is_first);
	/*
	 * Every other living node has seen the system session up to here (tell_seen()); UINT64_MAX: no
	 * other one lives.  Comes while await_seen() waits for more.
	 */
	void (*all_seen)(void *owner, uint64_t seq);
	/* Nodes have ended, as list() shows; one that lived for less than a heartbeat may be left out. */
	void (*ended)(void *owner);
	/*
	 * Another node found this one dead.  None of its sessions is its own any more; the store ends
	 * after this call, with STORE_TAKEN.
	 */
	void (*expelled)(void *owner, const char *why);
};

struct store_nodes_ops {
	/* Once, before the first poll. */
	void (*watch)(struct store *s, const struct store_watch *w);
	void (*claim)(struct store *s, struct store_claim *c);
	/*
	 * The session is idle: no slice of it is under way, and none follows without another claim.
	 * Not waited for; the store gathers them.  Unknown and foreign sessions are no error.
	 */
	void (*release)(struct store *s, struct str session);
	void (*list)(struct store *s, struct store_nodes_read *r);
	/* Counted: as many unfollow() as follow(). */
	void (*follow)(struct store *s, struct str session);
	void (*unfollow)(struct store *s, struct str session);
	void (*follow_all)(struct store *s, bool is_on);
	/* It belongs to the store until `done`. */
	void (*allot)(struct store *s, struct store_allotment *a);
	/*
	 * How far this node has taken over the events of the system session, which all nodes follow;
	 * only durable ones count, and the number never falls.  Others hear of it soon.
	 */
	void (*tell_seen)(struct store *s, uint64_t seq);
	/*
	 * all_seen() is to come when every other living node has seen that much.  They are asked to
	 * look at once.  A node that joins later has read it at its start.
	 */
	void (*await_seen)(struct store *s, uint64_t seq);
	/* This node is about to end: others are to send it no new work. */
	void (*leave)(struct store *s);
	/*
	 * May an effect begin?  The time until which this node counts as alive for all others, on the
	 * monotonic clock of struct clock, counted from before its last heartbeat was sent; 0: not now.
	 */
	int64_t (*lease_until)(struct store *s);
	/*
	 * As exactly as the answers of the store show it; known from the start.  While the store cannot
	 * be reached it is as it was.
	 */
	void (*clock)(struct store *s, struct store_clock *ret);
	void (*versions)(struct store *s, struct store_versions *ret);
	/* This node. */
	const struct store_node *(*self)(struct store *s);
};

#endif
