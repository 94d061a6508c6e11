#ifndef PORTS_STORE_WRITE_H
#define PORTS_STORE_WRITE_H
/*
 * What is written to a store (ports/store.h): batches of slices, one slice per
 * session, each with events, rows and blobs that become durable together.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash/sha256.h"
#include "core/index_row.h"
#include "ports/ledger.h"

struct store_event {
	uint64_t seq;
	uint32_t type;      /* number of the class in the catalogue; never changes */
	struct sha256 hash; /* of the chain, this event included */
	struct bytes *body; /* the envelope */
};

/*
 * An idempotency record.  One with the same key replaces it, but not that of another node: then the
 * slice is refused (SLICE_CONFLICT), because the key was used there meanwhile.  It outlives its session.
 */
struct idem_row {
	struct idem_row *next;
	struct sha256 key;  /* over principal, command and the caller's key */
	struct sha256 body; /* of the canonical request */
	struct str reply;   /* JSON, returned unchanged */
	uint64_t seq;
	int64_t at;
};

/*
 * A small blob.  A ref that is there already stays as it was first written, with its session; one
 * that only a deleted session has does not count.  A cut removes the blobs of its session whose
 * slice, or the last one that named them again, ends at or below the new floor.
 */
struct blob_row {
	struct str ref;
	struct str media_type;
	struct str data; /* absent: empty */
	bool is_again;   /* the blob exists already, and an event of the slice names it again */
};

/*
 * What the decisions of one group were given (core/journal/journal.h); opaque to the store.  It leaves
 * with the events: packed, removed, and without its body when one of its events is erased.  A store
 * may then drop records of packed events before it, because the group may have begun there.
 */
struct journal_row {
	uint64_t seq;    /* of the group's first event */
	struct str key;  /* may be absent */
	struct str body; /* empty: erased; absent, as is the key: damaged on disk */
};

enum maintenance_kind {
	MAINTENANCE_PACK, /* packs events of a session up to `seq`; few and small ones may stay */
	/* Removes events of a session up to `seq`, its new floor.  The newest event stays. */
	MAINTENANCE_CUT,
	/* Replaces the body of event `seq` by `body`; its hash stays.  Deletes the snapshot. */
	MAINTENANCE_ERASE,
	MAINTENANCE_PURGE, /* deletes idempotency records older than `before` */
	MAINTENANCE_ROOM,  /* is space available again?  ERR_FULL: no */
	/*
	 * As a pending operation: deletes the session `ref` in the same transaction, as event `seq`
	 * of the slice says.  As a step: removes what deleted sessions left behind.
	 */
	MAINTENANCE_SWEEP,
};

/*
 * A pending operation carries out an event (CUT or ERASE) on its log after the event is durable.  It
 * is stored with the event, so that a restart continues an interrupted one.  The last step of a cut
 * deletes its record; the owner ends an erasure.  A SWEEP is no record: with the slice the session
 * is gone for every read but IDEM and INDEX_USAGE, and its id is not used again.  The slice is
 * refused (SLICE_CONFLICT) if that session has another head, is not there, or is the slice's own.
 */
struct pending_op {
	struct str session; /* filled by pending_ops() only */
	enum maintenance_kind kind;
	uint64_t seq;
	struct str ref;
	uint64_t last_seq; /* SWEEP: the head that the deleted session must have */
	struct sha256 last_hash;
	bool is_done;
};

enum slice_state {
	SLICE_WAITING,
	SLICE_COMMITTED,
	SLICE_CONFLICT, /* the stored head is not prev_seq and prev_hash (another owner wrote) */
	/*
	 * Another living node owns the session, or it needs a higher revision than this node's
	 * (store_nodes.h); nothing was written.
	 */
	SLICE_FENCED,
	SLICE_CORRUPT, /* the session's record is damaged; nothing was written */
	SLICE_BEHIND, /* the store lacks events that it had reported committed; nothing was written */
	SLICE_FAILED, /* batch.error says why */
};

/*
 * What one session adds in one commit; written whole or not at all.  A batch has at most one slice
 * of a session.
 */
struct slice {
	struct slice *next;
	struct str session;
	uint64_t prev_seq; /* 0: the session is new */
	struct sha256 prev_hash;
	struct store_event *events;
	size_t event_count; /* may be 0: then only rows, blobs or a snapshot are written */
	/* What a node must be able to fold (ports/store_nodes.h); a store of one node ignores it. */
	uint32_t needs_rev;
	bool clears_rows; /* deletes all index rows of the session first */
	/* A row replaces the one with its key, and a removal removes it, whichever session wrote it. */
	struct index_row *rows;
	size_t row_count;
	struct blob_row *blobs;
	size_t blob_count;
	struct journal_row *journal;
	size_t journal_count;
	struct idem_row *idem;     /* one for each command with a key */
	struct ledger_move *moves; /* of accounts, caused by the events of this slice */
	size_t move_count;
	struct pending_op *pending_ops;
	size_t pending_count;
	/*
	 * A snapshot of the folded state at snapshot_seq, replacing the last one; absent: none.  While
	 * nodes of another version live, the last one of another snapshot_version may stay.  Its
	 * event is the session's last one, or one that is neither packed nor removed; a store may
	 * leave out other snapshots.
	 */
	struct str snapshot;
	uint64_t snapshot_seq;
	struct str snapshot_version;

	/* Filled by the store. */
	enum slice_state state;
	uint64_t first_position; /* store-wide order of events[0]; the others follow without gap */
};

struct batch {
	struct slice *first;
	void (*done)(struct batch *b);
	void *owner;
	struct error error;
	uint64_t bytes;     /* sum of body lengths, filled by the owner for backpressure */
	struct batch *next; /* the store's */
};

#endif
