#ifndef ENGINE_SESSION_SESSION_H
#define ENGINE_SESSION_SESSION_H
/*
 * Sessions in memory, and the requests that wait for one.
 *
 * A session is LOADING while load.c reads it from the store, then LIVE.  When
 * it is evicted, or dropped because a commit failed, it is GONE: it has left
 * the map, and is freed when no pending batch and no reader refers to it.
 */
#include "base/gen/limits.h"
#include "base/list.h"
#include "base/hash/sha256.h"
#include "core/task/lease.h"
#include "core/state.h"
#include "core/journal/journal.h"
#include "engine/listeners.h"
#include "ports/clock.h"

/* While memory exceeds the limit, a session stays at least this long after its use. */
#define SESSION_CROWDED_REST_MS 5000

struct engine;
struct pending_slice;
struct session_waiter;
struct store_node;

/* Callbacks of a waiter, which has left the list by then. */
struct session_waiter_ops {
	void (*arrived)(struct session_waiter *w); /* the session is live */
	void (*missing)(struct session_waiter *w); /* the store has no such session */
	/* Another node owns it, which lives until the call returns. */
	void (*elsewhere)(struct session_waiter *w, const struct store_node *node);
	/* everything that was applied at that time is durable */
	void (*durable)(struct session_waiter *w);
	void (*lost)(struct session_waiter *w, enum error_code why, const char *detail);
};

struct session_waiter {
	struct list node;
	uint64_t seq; /* everything up to here has to be durable */
	const struct session_waiter_ops *ops;
};

/*
 *   created ────────────┐
 *                       ▼
 *   stored ──► LOADING ──► LIVE ──► GONE ──► freed
 *                 │                  ▲
 *                 └ missing, broken ─┘
 *                   or elsewhere
 */
enum session_phase {
	SESSION_LOADING, /* being read from the store */
	SESSION_LIVE,
	SESSION_GONE, /* dropped; freed when nothing refers to it */
};

struct session {
	struct engine *engine;
	struct str id;
	enum session_phase phase;
	struct state *state;
	struct leases leases;        /* of external workers, beside the state */
	struct sha256 hash;          /* of the chain, applied */
	uint64_t applied;            /* last sequence assigned */
	uint64_t durable;            /* last durable sequence */
	uint64_t snapshot_seq;       /* of the last snapshot written */
	struct pending_slice *slice; /* in the batch that is being filled, or NULL */
	unsigned in_flight;          /* submitted batches with a slice of it */
	unsigned readers;            /* requests that read rows and then return to it */
	enum error_code gone_why;    /* set once it is */
	struct list waiting;         /* struct session_waiter: until `durable` reaches them */
	struct list arriving;        /* struct session_waiter: while loading */
	struct list watching;        /* struct session_waiter: until child agents are at rest */
	struct list effects;         /* struct effect_run */
	struct list recent;          /* struct recent, of fanout.c */
	struct clock_timer timer;    /* the next deadline of the state */
	int64_t timer_at;            /* session clock, ms; 0: the timer is off */
	int64_t used_at;             /* mono ms */
	int64_t live_at;    /* session clock, ms: when it was loaded; 0: it was created here */
	struct list by_use; /* in the engine: the most recently used is last */
	size_t bytes;       /* as they are counted in the engine */
	size_t compact_at;  /* size of the state above which its waste is measured */
	bool is_new;        /* created by a command that is not durable yet */
	bool needs_recovery, wants_snapshot; /* see load.c; the next slice contains one */
	/* its state may hold content of an erased event: it leaves when possible */
	bool holds_erased;
	bool awaits_servers; /* of its client: a turn waits for them */
	bool is_slim;        /* its state has no waste */
	bool is_passing;     /* its creator cannot read it, and nothing else has used it */
	bool is_at_start;    /* in recovery: see recovery.c */
	bool is_orphan;      /* its owner before, another node, ended without a release */
	/* the owner before was another node, and worked on it until a moment ago */
	bool is_taken_over;
	bool is_peek;      /* not in the map: only its state is read, whichever node owns it */
	bool is_claimant;  /* its background processes have not been looked for yet */
	bool is_gathering; /* context is being read for one of its turns */
	/* the context that was read, for the current decision */
	const struct context_picture *picture;
	struct list held; /* in the engine's list, while is_held */
	/* one of its turns waits for a reservation that another session may release */
	bool is_held;
	bool awaits_room; /* its last step waits for an answer about shared money */
	bool is_parked;   /* its load waits until it is known whether it is deleted (removal.c) */
	uint64_t removed_by; /* the event about its deletion: there is nothing to load; 0: none */
	uint64_t floor;      /* events up to here were removed */
	bool is_trimming;    /* by the operator's rule, once per load */
	/* the sequence of an erased event whose content its rows still hold, or 0 */
	uint64_t owes;
	struct load *load;
	struct sending *sending;           /* the delivery that is being sent, or NULL */
	struct worktree_run *worktree_run; /* the worktree that is being created, or NULL */
	struct job_feed *feed;             /* of its jobs; NULL: no item is being started */
	unsigned items;  /* of jobs of other nodes that run in it (nodes/node_job.h) */
	bool is_feeding; /* job_feed.c is inside its loop */
	bool is_due;     /* loaded because of a deadline */
	/* task_slots.c */
	struct tenant *tenant; /* NULL: not known yet */
	int64_t running_tasks; /* as they are counted in tenant and engine */
	struct list in_line;
	bool is_in_line;
	/* cached conversations of its threads, while it is active */
	struct held *conversations;
	struct call_input *inputs; /* inputs of open calls that are too large for events */
	bool is_reading_input;
	bool has_new_waits; /* waits.c */
	struct journal_session journal;
};

/* A dropped session, to be loaded again soon. */
struct session_dropped {
	struct list node;
	struct str id;
	char text[];
};

struct session *session_find(struct engine *e, struct str id);
struct session *session_make(struct engine *e, struct str id, bool is_new);
struct session *session_peek(struct engine *e, struct str id); /* outside the map: load_peek() */
/*
 * Events that were applied and are not durable never happened: no client has seen them.  The
 * session is loaded by its next use, or soon by itself.
 */
void session_drop(struct session *s, enum error_code why, const char *detail);
/* Removes it from the map of sessions. */
void session_leave(struct session *s);
void session_free(struct session *s);
/* Frees one that has left the map, unless a batch or a reader still refers to it. */
void session_release(struct session *s);
/* Drops one that was created for a command that is now refused. */
void session_abandon(struct session *s, enum error_code why);

/* Waits until everything that is applied now is durable. */
void session_wait(struct session *s, struct session_waiter *w);
void session_durable(struct session *s); /* wakes the waiters */
void session_arrive(struct session *s);  /* wakes those that wait until it is live */

void session_touch(struct session *s);
/* No request needs it: it is the first to leave. */
void session_untouch(struct session *s);
/* Measures its size again. */
void session_weigh(struct session *s);
/* All its decisions are durable, and no effect is running. */
bool session_is_settled(const struct session *s);
/* Nothing but connected clients refers to it in memory. */
bool session_is_unused(const struct session *s);

/* Was it dropped?  Forgets it then. */
bool session_was_dropped(struct engine *e, struct str id);
void session_come_back(struct engine *e); /* loads the dropped sessions again, soon */
void session_forget_dropped(struct engine *e);

/* ---- load.c ---- */

void load_init(struct engine *e);
/* Starts to load it; waiters in `arriving` are woken when it is live or does not exist. */
void load_session(struct session *s);
/*
 * Reads the state of a session that another node may own, and calls back: with a session that is
 * not live and lasts until the call returns, or with NULL when there is none.
 */
void load_peek(struct engine *e, struct str id, void (*then)(struct session *s, void *arg),
               void *arg);
/* The state that replaces a removed beginning; false: the text is invalid. */
bool load_floor_read(struct str text, struct state **ret, uint64_t *ret_seq,
                     struct sha256 *ret_hash);

#endif
