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

struct model_meta {
	struct str key, value;
};

struct model_disk {
	struct arena *mem;
	uint64_t last_position;
	MODEL_LIST(struct model_session) sessions; /* the number of a session is its index + 1 */
	MODEL_LIST(struct model_event) events;     /* of all sessions, by position */
	MODEL_LIST(struct model_record) journal;
	MODEL_LIST(struct model_row) rows;
	MODEL_LIST(struct model_idem) idem;
	MODEL_LIST(struct model_blob) blobs;
	MODEL_LIST(struct model_pending) pending;
	MODEL_LIST(struct ledger_move) accounts;
	MODEL_LIST(struct model_meta) meta;
};

/* NULL: it has never got a slice.  Deleted sessions are found. */
struct model_session *model_session_find(struct model_disk *d, struct str id);
size_t model_session_index(const struct model_disk *d, const struct model_session *s);
/* NULL: removed, or never there. */
struct model_event *model_event_find(struct model_disk *d, size_t session, uint64_t seq);
bool model_is_removed(const struct model_disk *d, size_t session);

/* ---- model_store_read.c ---- */

void model_read(struct model_disk *d, struct store_read *r);

/* ---- model_store_maintenance.c ---- */

/* Deletes a session, as event `by` of sess_system says. */
void model_remove(struct model_disk *d, struct model_session *s, uint64_t by);
void model_maintenance(struct model_disk *d, struct store_maintenance *u);

#endif
