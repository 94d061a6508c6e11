#ifndef ENGINE_SESSION_SESSION_H
#define ENGINE_SESSION_SESSION_H
/*
 * Sessions in memory, and who waits for one.
 *
 * A session is LOADING while load.c reads it from the store, then LIVE.  When
 * it is evicted, or dropped because a commit failed, it is GONE: it has left
 * the map, and is freed when no batch in flight and no reader refers to it.
 */
#include "base/gen/limits.h"
#include "base/list.h"
#include "base/hash/sha256.h"
#include "core/task/lease.h"
#include "core/state.h"
#include "engine/listeners.h"
#include "ports/clock.h"

/* While there is not enough room, a session that was used stays for so long all the same. */
#define SESSION_CROWDED_REST_MS 250

struct engine;
struct pending_slice;
struct session_waiter;

/* What happens to one that waits for a session; it has left the list by then. */
struct session_waiter_ops {
	void (*arrived)(struct session_waiter *w); /* the session is live */
	void (*missing)(struct session_waiter *w); /* the store has no such session */
	void (*durable)(struct session_waiter *w); /* everything that was applied then is on disk */
	void (*lost)(struct session_waiter *w, enum error_code why, const char *detail);
};

struct session_waiter {
	struct list node;
	uint64_t seq;
	const struct session_waiter_ops *ops;
};

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
	uint64_t applied;            /* last sequence given */
	uint64_t durable;            /* last sequence on disk */
	uint64_t snapshot_seq;       /* of the last snapshot written */
	struct pending_slice *slice; /* in the batch that is being filled, or NULL */
	unsigned in_flight;          /* batches handed over that hold a slice of it */
	unsigned readers;            /* requests that read rows and then come back to it */
	enum error_code gone_why;    /* once it is */
	struct list waiting;         /* struct session_waiter: for `durable` to reach them */
	struct list arriving;        /* struct session_waiter: while loading */
	struct list watching;        /* struct session_waiter: until child agents rest */
	struct list effects;         /* struct effect_run */
	struct list recent;          /* struct recent, of fanout.c */
	struct clock_timer timer;    /* the next deadline of the world */
	int64_t timer_at;
	int64_t used_at;    /* mono ms */
	struct list by_use; /* in the engine: who was used last stands last */
	size_t bytes;       /* as they are counted in the engine */
	size_t compact_at;  /* bytes of the world above which its waste is looked at */
	bool is_new;        /* made by a command that is not durable yet */
	bool needs_recovery, wants_snapshot;
	bool holds_erased; /* its state may hold words of an erased event: it leaves when it can */
	bool is_slim;      /* its world holds no more than it needs */
	bool is_at_start;  /* under recovery: see recovery.c */
	bool is_claimant;  /* what it left in the background is not looked for yet */
	bool is_gathering; /* something is being read for a turn of it */
	const struct context_picture *picture; /* what was read, for the decision at hand */
	struct list held;                      /* in the engine's list, while is_held */
	bool is_held;     /* a turn of it waits for room that another session may make */
	uint64_t floor;   /* events up to here were removed */
	bool is_trimming; /* by the operator's rule, once while it is awake */
	uint64_t owes;    /* the number of an erased event whose words its rows still hold, or 0 */
	struct load *load;
	struct sending *sending;           /* the delivery that is on its way, or NULL */
	struct worktree_run *worktree_run; /* the worktree that is being made, or NULL */
	struct source *source;             /* of the job whose items are being begun, or NULL */
	bool is_feeding;
	bool is_due; /* loaded because something of it is due */
	/* task_slots.c */
	struct tenant *tenant; /* NULL: not known yet */
	int64_t running_tasks; /* as they are counted in tenant and engine */
	struct list in_line;
	bool is_in_line;
	struct held *conversations; /* conversations of its threads, while it is at work */
	struct call_input *inputs;  /* of open calls, those that are too large for events */
	bool is_reading_input;
};

/* One that had to be dropped, to be read again soon. */
struct session_dropped {
	struct list node;
	struct str id;
	char text[];
};

struct session *session_find(struct engine *e, struct str id);
struct session *session_make(struct engine *e, struct str id, bool is_new);
/*
 * What was applied and is not durable never happened: nobody has seen it.  The session is read
 * again when it is used next, or soon by itself.
 */
void session_drop(struct session *s, enum error_code why, const char *detail);
/* Takes it out of the map of sessions. */
void session_leave(struct session *s);
void session_free(struct session *s);
/* Frees one that has left the map, unless a batch or a reader still refers to it. */
void session_release(struct session *s);
/* Drops one that was made for a command which is refused now. */
void session_abandon(struct session *s, enum error_code why);

/* It waits until everything that is applied now is durable. */
void session_wait(struct session *s, struct session_waiter *w);
void session_durable(struct session *s); /* wakes those */
void session_arrive(struct session *s);  /* wakes those that waited until it is live */

void session_touch(struct session *s);
/* Nobody asked for it: it is the first to leave. */
void session_untouch(struct session *s);
/* Counts again what it holds. */
void session_weigh(struct session *s);
/* Nothing of it is decided and not durable, and no effect is under way. */
bool session_is_settled(const struct session *s);

/* Whether it was dropped, which is forgotten then. */
bool session_was_dropped(struct engine *e, struct str id);
void session_come_back(struct engine *e); /* those that were dropped, soon */
void session_forget_dropped(struct engine *e);

/* ---- load.c ---- */

void load_init(struct engine *e);
/* Begins to read it; those that wait in `arriving` are woken when it is there, or not found. */
void load_session(struct session *s);
/* The state that stands for a removed beginning; false: the text is not one. */
bool load_floor_read(struct str text, struct state **ret, uint64_t *ret_seq,
                     struct sha256 *ret_hash);

#endif
