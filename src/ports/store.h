#ifndef PORTS_STORE_H
#define PORTS_STORE_H
/*
 * The event log and what is kept beside it.
 *
 * A store keeps three kinds of things.  *Facts*: events, append-only, one
 * gap-free sequence and one hash chain per session, redelivered byte for
 * byte.  *Derived* rows: indexes, idempotency records, snapshots, written in
 * the same transaction as the events that they follow from (index rows as one
 * record that reaches its tables later); indexes and snapshots can be thrown
 * away and are made again, idempotency records cannot.  *Small blobs*: inputs, configurations and
 * the like that events refer to; they ride in the same transaction, so a ref
 * never outlives what it names.
 *
 * Everything is asynchronous.  A request is handed over and belongs to the
 * store until its `done` is called, from store_poll(), on the thread that
 * polls.  `wake` (given when the store is opened) is called from any thread
 * when there is something to poll.  A store that was opened without threads
 * does all its work inside store_poll(), in order: that is what simulations use.
 *
 * Sequence, bytes and hashes come from the owner of a session, never from
 * the store.  The store checks that a slice continues what it has
 * (prev_seq, prev_hash) and refuses the slice otherwise.
 *
 * Upkeep is what the owner has done to a log that nobody needs at hand:
 * packing it, removing its beginning, erasing one body, forgetting old
 * idempotency records.  Each call is one small step, a transaction of its
 * own between those of the batches, and says whether there is more to do.
 * What is read is the same before and behind it, byte for byte, except for
 * what was to be removed.
 *
 * Durability: when a batch is reported committed, it survives a power cut
 * (mode full) or a crash of the process (mode relaxed).
 *
 * Trouble: after the first I/O error of a write no later batch is accepted;
 * every request is answered with state failed and the error, and the owner
 * ends the process.  A read that fails is tried again three times and is then
 * answered with ERR_IO; one that meets damage is answered with ERR_CORRUPT.
 * Neither ends anything: other records are none the worse for it.  A batch
 * that could not be written because something could not be read first fails
 * with ERR_UNREADABLE, and later batches are tried again.
 *
 * A full disk has its own code (ERR_FULL): the batch failed as a whole, nothing
 * of it is there, and later batches are tried again.
 * Before that a store gives up what it kept for this case, and says so in its
 * stats (is_low): the owner ends what is under way, takes nothing new, and
 * asks now and then (MAINTENANCE_ROOM) whether there is room again.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "base/hash/sha256.h"
#include "ports/ledger.h"
#include "core/index_row.h"

/* error.detail of a store that has ended: every later request is answered so. */
enum store_end {
	STORE_LIVES,
	STORE_MOVED, /* the directory or a file of it was deleted or replaced while it was open */
	STORE_ENDED, /* a write or a sync failed */
};

struct store_event {
	uint64_t seq;
	uint32_t type;      /* the class's number in the catalogue; stable for ever */
	struct sha256 hash; /* of the chain, this event included */
	struct bytes *body; /* the envelope */
};

/*
 * Index rows: one table per kind of object, all of the same shape.  The
 * store knows tables and columns, not meanings.
 */
struct idem_row {
	struct idem_row *next;
	struct sha256 key;  /* over principal, command and the caller's key */
	struct sha256 body; /* of the canonical request */
	struct str reply;   /* JSON, given back as it is */
	uint64_t seq;
	int64_t at;
};

struct blob_row {
	struct str ref;
	struct str media_type;
	struct str data;
	bool is_again; /* it is there already, and an event of the slice names it again */
};

enum maintenance_kind {
	MAINTENANCE_PACK,  /* events of a session up to `seq` are packed */
	MAINTENANCE_CUT,   /* events of a session up to `seq` are removed; that is its new floor */
	MAINTENANCE_ERASE, /* the body of event `seq` is replaced by `body`; its hash is kept */
	MAINTENANCE_PURGE, /* idempotency records older than `before` are forgotten */
	MAINTENANCE_ROOM,  /* is there room again?  ERR_FULL: no */
};

/*
 * A chore is what a fact says of its log and is done only after it, CUT or
 * ERASE: it is written down with the fact, so that whoever is cut short in
 * between goes on with it.  The last step of a cut strikes it out; an erasure
 * is over when its owner says so.
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
	SLICE_CORRUPT,  /* the record of the session is damaged: nothing of the slice was written */
	SLICE_FAILED,   /* batch.error says why */
};

/* What one session adds in one commit: all of it or nothing. */
struct slice {
	struct slice *next;
	struct str session;
	uint64_t prev_seq; /* 0: the session is new */
	struct sha256 prev_hash;
	struct store_event *events;
	size_t event_count; /* may be 0: then only rows, blobs or a snapshot are written */
	bool clears_rows;   /* all index rows that the session has go first */
	struct index_row *rows;
	size_t row_count;
	struct blob_row *blobs;
	size_t blob_count;
	struct idem_row *idem;     /* one for each command that brought a key */
	struct ledger_move *moves; /* of accounts, by the facts of this slice */
	size_t move_count;
	struct pending_op *pending_ops;
	size_t pending_count;
	/* A snapshot of the folded state at snapshot_seq, replacing the last one; absent: none. */
	struct str snapshot;
	uint64_t snapshot_seq;
	struct str snapshot_version;

	/* Answered by the store. */
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
	bool is_erased;       /* then the body is what stands in its place, */
	struct sha256 digest; /* and this is the hash of what was there */
};

/* The link that this event adds to the chain. */
struct sha256 port_event_row_link(const struct sha256 *prev, const struct event_row *row);

enum read_kind {
	READ_EVENTS,   /* of one session, seq > after */
	READ_ALL,      /* of every session, position > after */
	READ_HEAD,     /* last sequence and hash, floor */
	READ_SNAPSHOT, /* the newest with version == snapshot_version, if any */
	READ_INDEX,    /* rows of one table */
	READ_IDEM,     /* one idempotency record */
	READ_BLOB,     /* one small blob */
	READ_SESSIONS, /* sessions with events, numbered behind `after`; from the log itself */
	READ_LOOSE,    /* sessions with events that are not packed, numbered behind `after` */
};

struct index_found {
	struct str key, session, status, parent, body;
	int64_t at;
	bool open;
};

struct store_read {
	enum read_kind kind;
	/* what is asked */
	struct str session; /* EVENTS, HEAD, SNAPSHOT; INDEX: filter when present */
	uint64_t
		after; /* EVENTS: sequence; ALL: position; LOOSE, SESSIONS: where the last page ended */
	uint64_t until;        /* EVENTS: last sequence wanted, 0: no bound */
	uint32_t max_rows;     /* at most 256; 0 means 256 */
	uint32_t max_bytes;    /* at most 256 KiB, but one row always fits; 0 means that */
	const uint64_t *types; /* EVENTS, ALL: bit set over class numbers (4 words), NULL: all */
	bool takes_gaps;       /* EVENTS, ALL: damaged events are told by is_corrupt, below */
	struct str snapshot_version; /* SNAPSHOT */
	enum index_table table;      /* INDEX and below */
	struct str key;              /* INDEX: exactly this row; BLOB: the ref */
	struct str status;           /* INDEX: filter when present */
	struct str parent;           /* INDEX: filter when present */
	bool open_only;              /* INDEX */
	bool without_body;           /* INDEX: the bodies of the rows are not wanted */
	int64_t at_most;             /* INDEX: rows with at <= this, when not 0 */
	bool newest_first;           /* INDEX: by (at, key) descending */
	int64_t from_at; /* INDEX: go on behind (from_at, from_key) when from_key is present */
	struct str from_key;
	struct sha256 idem_key; /* IDEM */

	void (*done)(struct store_read *r);
	void *owner;

	/* what is answered; strings live in mem */
	struct arena *mem; /* made by the store, freed by port_store_read_done() */
	/*
	 * OK, ERR_NOT_FOUND (head, snapshot, idem, blob), or a failure: ERR_CORRUPT when what
	 * was asked for is not what was written, ERR_IO when it could not be read, three times.
	 */
	enum err result;
	struct error error;
	struct event_row *events;
	size_t event_count;
	bool more;        /* the page was cut by its bounds */
	uint64_t scanned; /* EVENTS, ALL: go on from here, also when a filter skipped rows */
	/*
	 * EVENTS, ALL: the page ends because the events behind it are damaged or missing, from
	 * one sequence to the other, and `scanned` stands behind them.  Without takes_gaps the
	 * result is ERR_CORRUPT as well.  ALL: of corrupt_session, absent when that is not known.
	 */
	bool is_corrupt;
	uint64_t corrupt_from, corrupt_to;
	struct str corrupt_session;
	struct index_found
		*rows; /* INDEX; LOOSE, SESSIONS: session and, as `at`, its last sequence */
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

/* Frees what a read was answered with; the struct itself is the caller's. */
void port_store_read_done(struct store_read *r);

struct store_maintenance {
	enum maintenance_kind kind;
	struct str session;
	uint64_t seq;
	struct str ref;         /* CUT: the blob with the state at `seq`, kept for READ_SNAPSHOT */
	struct str body;        /* ERASE */
	const struct str *refs; /* ERASE: small blobs of the session that go with it */
	size_t ref_count;
	int64_t before; /* PURGE: wall ms */
	void (*done)(struct store_maintenance *u);
	void *owner;

	/*
	 * Answered.  ERR_NOT_FOUND: no such session or event.  ERR_BUSY: the log
	 * changed meanwhile, try again.  ERR_CORRUPT: what is there does not fit
	 * its chain and was left as it is.
	 */
	enum err result;
	struct error error;
	uint64_t count; /* events packed, removed or erased; records forgotten */
	bool more;      /* this step was bounded: call again */
};

struct store_stats {
	uint64_t commits;
	uint64_t events; /* that the store holds */
	uint64_t bytes;
	uint64_t waiting_bytes;    /* handed over, not yet durable */
	int64_t oldest_waiting_ms; /* age of the oldest batch not yet durable, 0: none */
	uint64_t last_commit_us;
	uint64_t wal_bytes;  /* written to the write-ahead log since it was opened */
	uint64_t size_bytes; /* of the files */
	uint64_t sessions;
	uint64_t packed;    /* events packed since it was opened */
	bool needs_rebuild; /* derived rows are missing, until the meta value `rebuild` is "0" */
	bool is_low; /* the disk is full: what is written now uses what was kept for the end */
	uint64_t last_position; /* of the last durable event; 0: none */
};

struct store;
struct store_ops {
	void (*submit)(struct store *s, struct batch *b);
	void (*read)(struct store *s, struct store_read *r);
	void (*maintenance)(struct store *s, struct store_maintenance *u);
	/* Calls `done` of everything that is finished.  Returns how many. */
	size_t (*poll)(struct store *s);
	/* Small values of the installation (runtime id, format, pins).  Synchronous; used at
	 * start, and seldom after. */
	enum err (*get_meta)(struct store *s, struct arena *mem, struct str key, struct str *ret,
	                     struct error *e);
	enum err (*set_meta)(struct store *s, struct str key, struct str value, struct error *e);
	/* Every account of the ledger.  Synchronous; used at start only. */
	enum err (*accounts)(struct store *s, struct arena *mem, struct ledger_move **ret,
	                     size_t *ret_count, struct error *e);
	/* Every chore that is not done.  Synchronous, and there are few. */
	enum err (*pending_ops)(struct store *s, struct arena *mem, struct pending_op **ret,
	                        size_t *ret_count, struct error *e);
	void (*stats)(struct store *s, struct store_stats *ret);
	/* Finishes what was handed over, answers it, closes the files. */
	void (*close)(struct store *s);
};
struct store {
	const struct store_ops *ops;
};

#endif
