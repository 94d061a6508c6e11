#ifndef TESTS_LIB_MODEL_STORE_INT_H
#define TESTS_LIB_MODEL_STORE_INT_H
/* The data of the model: what a disk holds. */
#include "base/arena.h"
#include "model_store.h"

/* A growing array in the disk's arena. */
#define MODEL_LIST(type)                                                                           \
	struct {                                                                                   \
		type *at;                                                                          \
		size_t count, cap;                                                                 \
	}

#define MODEL_ADD(mem, list, ...)                                                                  \
	do {                                                                                       \
		if ((list)->count == (list)->cap) {                                                \
			size_t cap_ = (list)->cap ? (list)->cap * 2 : 8;                           \
			(list)->at =                                                               \
				arena_grow((mem), (list)->at, (list)->count * sizeof *(list)->at,  \
			                   cap_ * sizeof *(list)->at);                             \
			(list)->cap = cap_;                                                        \
		}                                                                                  \
		(list)->at[(list)->count++] = (__VA_ARGS__);                                       \
	} while (0)

/* Takes out the entry `i` and keeps the order of the others. */
#define MODEL_DROP(list, i)                                                                        \
	do {                                                                                       \
		(list)->count--;                                                                   \
		memmove(&(list)->at[i], &(list)->at[(i) + 1],                                      \
		        ((list)->count - (i)) * sizeof *(list)->at);                               \
	} while (0)

struct model_event {
	size_t session;
	uint64_t position, seq;
	uint32_t type;
	struct sha256 hash, digest;
	struct bytes *body;
	bool is_erased;
};

struct model_session {
	struct str id;
	uint64_t head_seq, floor_seq;
	struct sha256 head_hash, floor_hash;
	struct str floor_ref;
	uint64_t packed_to;
	bool is_removed;
	uint64_t removed_by;
	struct str snapshot, snapshot_version;
	uint64_t snapshot_seq;
	struct sha256 snapshot_hash;
	uint64_t owner; /* incarnation; 0: none */
	uint32_t needs_rev;
};

/* One start of a node. */
struct model_node {
	struct str name, address, place;
	uint32_t rev;
	enum store_node_state state;
	int64_t started_ms, beat_ms; /* by the clock of the store */
	bool is_leaving;
	int64_t clock_off_ms;
	uint64_t told, seen;       /* of the system session; others know of seen */
	struct model_store *store; /* NULL: it has ended */
};

struct model_record {
	size_t session;
	struct journal_row row;
};

struct model_row {
	size_t session;
	struct index_row row;
};

struct model_idem {
	size_t session;
	struct idem_row row;
	uint64_t writer; /* the incarnation; 0: of a store of one node */
};

#define MODEL_NO_SESSION SIZE_MAX

struct model_blob {
	size_t session;
	uint64_t seq;
	struct blob_row row;
};

struct model_pending {
	size_t session;
	struct pending_op op;
};

/* What one node has moved on an account. */
struct model_account {
	struct ledger_move sum;
	uint64_t node; /* the incarnation; 0: of a store of one node */
};

struct model_allotment {
	struct str account;
	uint64_t node;
	int64_t amount, want;
	int64_t since_ms, asked_ms; /* of the wish */
};

struct model_meta {
	struct str key, value;
};

struct model_disk {
	struct arena *mem;
	uint64_t last_position;
	uint32_t common_rev;
	MODEL_LIST(struct model_session) sessions; /* the number of a session is its index + 1 */
	MODEL_LIST(struct model_event) events;     /* of all sessions, by position */
	MODEL_LIST(struct model_record) journal;
	MODEL_LIST(struct model_row) rows;
	MODEL_LIST(struct model_idem) idem;
	MODEL_LIST(struct model_blob) blobs;
	MODEL_LIST(struct model_pending) pending;
	MODEL_LIST(struct model_account) accounts;
	MODEL_LIST(struct model_allotment) allotments;
	MODEL_LIST(struct model_meta) meta;
	MODEL_LIST(struct model_node) nodes; /* the incarnation is the index + 1 */
};

enum model_job_kind {
	MODEL_BATCH,
	MODEL_READ,
	MODEL_MAINTENANCE,
	MODEL_CLAIM,
	MODEL_NODES,
	MODEL_ALLOT,
};

struct model_job {
	struct model_job *next;
	enum model_job_kind kind;
	struct batch *batch;
	struct store_read *read;
	struct store_maintenance *maintenance;
	struct store_claim *claim;
	struct store_nodes_read *nodes;
	struct store_allotment *allotment;
	uint64_t bytes;
};

/* A session that a node follows, or of which it has a report to make. */
struct model_followed {
	struct str session;
	unsigned count;
	uint64_t moved; /* up to here, not reported yet; 0: nothing */
};

struct model_store {
	struct store base;
	struct model_disk *disk;
	void (*wake)(void *arg);
	void *wake_arg;
	struct model_job *first, **last;
	struct store_stats stats;
	/* Several nodes. */
	struct model_node_options node;
	uint64_t incarnation; /* 0: the only node */
	struct store_node self;
	struct arena *mem;
	struct store_watch watch;
	MODEL_LIST(struct model_followed) followed;
	unsigned follows_all;
	uint64_t position; /* that was reported */
	int64_t sent_ms;   /* mono: when its last heartbeat was sent; 0: none was */
	int64_t steady_ms; /* store: since when its heartbeats are on time */
	size_t ended;      /* nodes that had ended at the last one */
	uint64_t awaited,
		reached; /* that all others have seen so much is waited for, was reported */
	bool is_taken, is_mute;
};

/* NULL: it has never got a slice.  Deleted sessions are found. */
struct model_session *model_session_find(struct model_disk *d, struct str id);
size_t model_session_index(const struct model_disk *d, const struct model_session *s);
/* NULL: removed, or never there. */
struct model_event *model_event_find(struct model_disk *d, size_t session, uint64_t seq);
bool model_is_removed(const struct model_disk *d, size_t session);

/* ---- model_store.c ---- */

void model_job_add(struct model_store *m, struct model_job job);

/* ---- model_store_nodes.c ---- */

extern const struct store_nodes_ops model_nodes_ops;

void model_nodes_join(struct model_store *m);
void model_nodes_leave(struct model_store *m);
/* Another node, of another name, has used one of its keys. */
bool model_nodes_took_key(const struct model_store *m, const struct slice *sl);
/* The session needs a higher revision than this node's. */
bool model_nodes_is_newer(const struct model_store *m, const struct model_session *s);
/* May this node write there?  No other living node owns the session. */
bool model_nodes_may_write(const struct model_store *m, const struct model_session *s);
/* A slice of this node was committed. */
void model_nodes_wrote(struct model_store *m, const struct slice *sl);
void model_nodes_claim(struct model_store *m, struct store_claim *c);
void model_nodes_list(struct model_store *m, struct store_nodes_read *r);
void model_nodes_allot(struct model_store *m, struct store_allotment *a);
/* Heartbeat, and what others did. */
size_t model_nodes_poll(struct model_store *m);

/* ---- model_store_read.c ---- */

void model_read(struct model_disk *d, struct store_read *r);

/* ---- model_store_maintenance.c ---- */

/* Deletes a session, as event `by` of sess_system says. */
void model_remove(struct model_disk *d, struct model_session *s, uint64_t by);
void model_maintenance(struct model_disk *d, struct store_maintenance *u);

#endif
