#ifndef PORTS_STORE_H
#define PORTS_STORE_H
/*
 * The event log and what is kept beside it.
 *
 * A store holds three kinds of data. *Events*: append-only, one gap-free
 * sequence and one hash chain per session, redelivered byte for byte. *Derived*
 * rows: indexes, idempotency records, snapshots, written in the same
 * transaction as the events that they follow from (index rows as one record
 * that reaches its tables later); indexes and snapshots can be rebuilt,
 * idempotency records cannot. *Small blobs*: inputs, configurations and the
 * like that events refer to; they are written in the same transaction, so a ref
 * always has its blob.
 *
 * Everything is asynchronous.  A request belongs to the store until its `done`
 * is called, from store_poll(), on the thread that polls.  `wake` (given when
 * the store is opened) is called from any thread when there is something to
 * poll.  A store that was opened without threads does all its work inside
 * store_poll(), in order: that is what simulations use.
 *
 * Sequence, bytes and hashes come from the owner of a session, never from the
 * store.  The store checks that a slice continues what it has (prev_seq,
 * prev_hash) and refuses the slice otherwise.
 *
 * Maintenance is the work on a log that is idle: packing it, removing its
 * beginning, erasing one body, deleting old idempotency records.  Each call is
 * one small step in a separate transaction between batches and reports whether
 * more remains.  Reads return the same bytes before and after it, except for
 * what it removed.
 *
 * Durability: when a batch is reported committed, it survives a power cut (mode
 * full) or a crash of the process (mode relaxed).
 *
 * Errors: after the first I/O error of a write no later batch is accepted;
 * every request fails with the error, and the owner ends the process.  A
 * failing read is repeated three times and then returns ERR_IO; damaged data
 * returns ERR_CORRUPT.  Both are local: other records stay readable.  A batch
 * that depends on an unreadable record fails with ERR_UNREADABLE, and later
 * batches are tried.
 *
 * A full disk has its own code (ERR_FULL): nothing of the batch was written,
 * and later batches are tried.  Before that a store deletes its ballast and
 * sets is_low in its stats: the owner ends running work, accepts no new work,
 * and asks periodically (MAINTENANCE_ROOM) whether space is available again.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash/sha256.h"
#include "ports/ledger.h"
#include "core/index_row.h"

/* error.detail of a store that has ended; every later request fails with it. */
enum store_end {
	STORE_LIVES,
	STORE_MOVED, /* the directory or a file of it was deleted or replaced while it was open */
	STORE_ENDED, /* a write or a sync failed */
};

struct store_event {
	uint64_t seq;
	uint32_t type;      /* number of the class in the catalogue; never changes */
	struct sha256 hash; /* of the chain, this event included */
	struct bytes *body; /* the envelope */
};

/*
 * Index rows: one table per kind of object, all with the same columns.  The store does not
 * interpret them.
 */
struct idem_row {
	struct idem_row *next;
	struct sha256 key;  /* over principal, command and the caller's key */
	struct sha256 body; /* of the canonical request */
	struct str reply;   /* JSON, returned unchanged */
	uint64_t seq;
	int64_t at;
};

struct blob_row {
	struct str ref;
	struct str media_type;
	struct str data;
	bool is_again; /* the blob exists already, and an event of the slice names it again */
};

enum maintenance_kind {
	MAINTENANCE_PACK,  /* packs events of a session up to `seq` */
	MAINTENANCE_CUT,   /* removes events of a session up to `seq`, its new floor */
	MAINTENANCE_ERASE, /* replaces the body of event `seq` by `body`; its hash stays */
	MAINTENANCE_PURGE, /* deletes idempotency records older than `before` */
	MAINTENANCE_ROOM,  /* is space available again?  ERR_FULL: no */
};

/*
 * A pending operation carries out an event (CUT or ERASE) on its log after the event is durable.  It
 * is stored with the event, so that a restart continues an interrupted one.  The last step of a cut
 * deletes its record; the owner ends an erasure.
 */
struct pending_op {
	struct str session; /* filled by pending_ops() only */
	enum maintenance_kind kind;
	uint64_t seq;
	struct str ref;
	bool is_done;
};

enum slice_state {
	SLICE_WAITING,
	SLICE_COMMITTED,
	SLICE_CONFLICT, /* the stored head is not prev_seq and prev_hash (another owner wrote) */
	SLICE_CORRUPT,  /* the session's record is damaged; nothing was written */
	SLICE_FAILED,   /* batch.error says why */
};

/* What one session adds in one commit; written whole or not at all. */
struct slice {
	struct slice *next;
	struct str session;
	uint64_t prev_seq; /* 0: the session is new */
	struct sha256 prev_hash;
	struct store_event *events;
	size_t event_count; /* may be 0: then only rows, blobs or a snapshot are written */
	bool clears_rows;   /* deletes all index rows of the session first */
	struct index_row *rows;
	size_t row_count;
	struct blob_row *blobs;
	size_t blob_count;
	struct idem_row *idem;     /* one for each command with a key */
	struct ledger_move *moves; /* of accounts, caused by the events of this slice */
	size_t move_count;
	struct pending_op *pending_ops;
	size_t pending_count;
	/* A snapshot of the folded state at snapshot_seq, replacing the last one; absent: none. */
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

/* One row of a page of events. */
struct event_row {
	uint64_t position;
	uint64_t seq;
	uint32_t type;
	struct sha256 hash;
	struct str session;   /* filled by READ_ALL only */
	struct bytes *body;   /* one reference, dropped by port_store_read_done() */
	bool is_erased;       /* the body is a replacement, */
	struct sha256 digest; /* and this is the hash of the erased one */
};

/* The hash of the chain after this event. */
struct sha256 port_event_row_link(const struct sha256 *prev, const struct event_row *row);

enum read_kind {
	READ_EVENTS,   /* of one session, seq > after */
	READ_ALL,      /* of every session, position > after */
	READ_HEAD,     /* last sequence and hash, floor */
	READ_SNAPSHOT, /* the newest with version == snapshot_version, if any */
	READ_INDEX,    /* rows of one table */
	READ_IDEM,     /* one idempotency record */
	READ_BLOB,     /* one small blob */
	READ_SESSIONS, /* sessions with events, numbered behind `after`; read from the log */
	READ_LOOSE,    /* sessions with events that are not packed, numbered behind `after` */
};

struct index_found {
	struct str key, session, status, parent, body;
	int64_t at;
	bool open;
};

struct store_read {
	enum read_kind kind;
	/* The request. */
	struct str session; /* EVENTS, HEAD, SNAPSHOT; INDEX: filter when present */
	/* EVENTS: sequence; ALL: position; LOOSE, SESSIONS: where the last page ended */
	uint64_t after;
	uint64_t until;        /* EVENTS: last sequence wanted, 0: no bound */
	uint32_t max_rows;     /* at most 256; 0 means 256 */
	uint32_t max_bytes;    /* at most 256 KiB, but one row always fits; 0 means that */
	const uint64_t *types; /* EVENTS, ALL: bit set over class numbers (4 words), NULL: all */
	/* EVENTS, ALL: reports damaged events in is_corrupt instead of failing */
	bool takes_gaps;
	struct str snapshot_version; /* SNAPSHOT */
	enum index_table table;      /* INDEX and below */
	struct str key;              /* INDEX: exactly this row; BLOB: the ref */
	struct str status;           /* INDEX: filter when present */
	struct str parent;           /* INDEX: filter when present */
	bool open_only;              /* INDEX */
	bool without_body;           /* INDEX: leaves out the bodies of the rows */
	int64_t at_most;             /* INDEX: rows with at <= this, when not 0 */
	bool newest_first;           /* INDEX: by (at, key) descending */
	int64_t from_at; /* INDEX: continue behind (from_at, from_key) when from_key is present */
	struct str from_key;
	struct sha256 idem_key; /* IDEM */

	void (*done)(struct store_read *r);
	void *owner;

	/* The result; strings live in mem. */
	struct arena *mem; /* made by the store, freed by port_store_read_done() */
	/*
	 * OK, ERR_NOT_FOUND (head, snapshot, idem, blob), ERR_CORRUPT for damaged data, or ERR_IO
	 * when three reads failed.
	 */
	enum err result;
	struct error error;
	struct event_row *events;
	size_t event_count;
	bool more;        /* the page reached its bounds */
	uint64_t scanned; /* EVENTS, ALL: continue from here, also when a filter skipped rows */
	/*
	 * EVENTS, ALL: the page ends because the events corrupt_from..corrupt_to are damaged or
	 * missing; `scanned` is behind them.  Without takes_gaps the result is ERR_CORRUPT as well.
	 * ALL: corrupt_session is absent when it is not known.
	 */
	bool is_corrupt;
	uint64_t corrupt_from, corrupt_to;
	struct str corrupt_session;
	/* INDEX; LOOSE, SESSIONS: session and, as `at`, its last sequence */
	struct index_found *rows;
	size_t row_count;
	uint64_t head_seq; /* HEAD, EVENTS */
	struct sha256 head_hash;
	uint64_t floor_seq; /* HEAD, EVENTS, SNAPSHOT: events up to here were removed */
	struct sha256 floor_hash;
	struct str floor_ref; /* the blob with the state at the floor */
	struct str snapshot;
	uint64_t snapshot_seq;
	struct sha256 snapshot_hash; /* the chain's hash at snapshot_seq */
	struct idem_row idem;
	struct str idem_session;
	struct blob_row blob;
	struct store_read *next; /* the store's */
};

/* Frees the result of a read; the caller owns the struct itself. */
void port_store_read_done(struct store_read *r);

struct store_maintenance {
	enum maintenance_kind kind;
	struct str session;
	uint64_t seq;
	struct str ref;         /* CUT: the blob with the state at `seq`, kept for READ_SNAPSHOT */
	struct str body;        /* ERASE */
	const struct str *refs; /* ERASE: small blobs of the session that are erased too */
	size_t ref_count;
	int64_t before; /* PURGE: wall ms */
	void (*done)(struct store_maintenance *u);
	void *owner;

	/*
	 * The result.  ERR_NOT_FOUND: no such session or event.  ERR_BUSY: the log changed, try
	 * again.  ERR_CORRUPT: the data does not match the hash chain and was not touched.
	 */
	enum err result;
	struct error error;
	uint64_t count; /* events packed, removed or erased; records deleted */
	bool more;      /* this step was bounded; call again */
};

struct store_stats {
	uint64_t commits;
	uint64_t events; /* in the store */
	uint64_t bytes;
	uint64_t waiting_bytes;    /* accepted, not yet durable */
	int64_t oldest_waiting_ms; /* age of the oldest batch not yet durable, 0: none */
	uint64_t last_commit_us;
	uint64_t wal_bytes;  /* written to the write-ahead log since the store was opened */
	uint64_t size_bytes; /* of the files */
	uint64_t sessions;
	uint64_t packed;    /* events packed since the store was opened */
	bool needs_rebuild; /* derived rows are missing, until the meta value `rebuild` is "0" */
	bool is_low;        /* the disk is full, and the ballast is in use */
	uint64_t last_position; /* of the last durable event; 0: none */
};

struct store;
struct store_ops {
	void (*submit)(struct store *s, struct batch *b);
	void (*read)(struct store *s, struct store_read *r);
	void (*maintenance)(struct store *s, struct store_maintenance *u);
	/* Calls `done` of every finished request.  Returns how many. */
	size_t (*poll)(struct store *s);
	/*
	 * Small values of the installation (runtime id, format, pins).  Synchronous; used at the
	 * start and rarely after.
	 */
	enum err (*get_meta)(struct store *s, struct arena *mem, struct str key, struct str *ret,
	                     struct error *e);
	enum err (*set_meta)(struct store *s, struct str key, struct str value, struct error *e);
	/* Every account of the ledger.  Synchronous; used at start only. */
	enum err (*accounts)(struct store *s, struct arena *mem, struct ledger_move **ret,
	                     size_t *ret_count, struct error *e);
	/* Every unfinished pending operation.  Synchronous; there are few. */
	enum err (*pending_ops)(struct store *s, struct arena *mem, struct pending_op **ret,
	                        size_t *ret_count, struct error *e);
	void (*stats)(struct store *s, struct store_stats *ret);
	/* Finishes and reports accepted requests, then closes the files. */
	void (*close)(struct store *s);
};
struct store {
	const struct store_ops *ops;
};

#endif
