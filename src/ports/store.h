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
 * poll.  Batches are answered in the order in which they were submitted.  A read
 * that is submitted after a batch was reported sees that batch; one that is
 * submitted earlier may see it or not.  A store that was opened without threads
 * does all its work inside store_poll(): the same calls give the same replies,
 * which is what simulations use.
 *
 * Sequence, bytes and hashes come from the owner of a session, never from the
 * store.  The store checks that a slice continues what it has (prev_seq,
 * prev_hash) and refuses the slice otherwise.
 *
 * Maintenance is the work on a log that is idle: packing it, removing its
 * beginning, erasing one body, deleting old idempotency records, and what
 * deleted sessions left behind.  Each call is
 * one small step in a separate transaction between batches and reports whether
 * more remains.  Reads return the same bytes before and after it, except for
 * what it removed.
 *
 * A session that has rows or blobs but no event does not exist for READ_HEAD,
 * READ_SESSIONS and maintenance.
 *
 * tests/store/ checks all of this on every store, and compares stores with a
 * model in memory.
 *
 * Durability: when a batch is reported committed, it survives a power cut (mode
 * full) or a crash of the process (mode relaxed).
 *
 * A store behind a server may become *unavailable*: the server went away, or cannot write
 * now.  Requests wait then, for as long as it takes, and nothing is reported; is_away
 * in the stats says so.  Only the synchronous calls fail, with ERR_UNAVAILABLE, because
 * their caller cannot wait.  When the server is back, the store finds out which batches
 * it had committed and sends the others again, so that each is reported once and as it is.
 * A batch is reported as ERR_UNAVAILABLE only by close(), and may have been committed then.
 *
 * The server that is back may be another one, which lacks events that were reported
 * committed.  Such a session is *behind*: its slices are refused (SLICE_BEHIND), so that no
 * sequence is used twice, and READ_SNAPSHOT, with which an owner begins to load it, fails
 * with ERR_STORE and STORE_BEHIND.  Other reads return what is left.  The next start knows
 * nothing of it.
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
#include "ports/store_move.h"
#include "ports/store_nodes.h"
#include "ports/store_read.h"
#include "ports/store_write.h"

/* error.detail: what the error says of the store.  After its end every later request has it. */
enum store_end {
	STORE_LIVES,
	STORE_MOVED,  /* the directory or a file of it was deleted or replaced while it was open */
	STORE_ENDED,  /* a write or a sync failed */
	STORE_BEHIND, /* it lives; the session lacks events that were reported committed */
	STORE_TAKEN,  /* another node found this one dead, or was started in its place */
	STORE_NEWER,  /* it lives; the session needs a higher revision than this node's */
};

struct store_maintenance {
	enum maintenance_kind kind;
	struct str session;
	uint64_t seq;
	struct str ref;  /* CUT: the blob with the state at `seq`, kept for READ_SNAPSHOT */
	struct str body; /* ERASE; absent: empty */
	/*
	 * ERASE: small blobs of the session that are erased too, also when the event was erased
	 * before.  SWEEP: outputs whose files are gone.
	 */
	const struct str *refs;
	size_t ref_count;
	bool keeps_ids; /* SWEEP: ids are left for a later step, in one pass for many sessions */
	int64_t before; /* PURGE: wall ms */
	void (*done)(struct store_maintenance *u);
	void *owner;

	/*
	 * The result.  ERR_NOT_FOUND: no such session or event.  ERR_INVALID: a cut of the newest
	 * event.  ERR_BUSY: the log changed, try again.  ERR_CORRUPT: the data does not match the
	 * hash chain and was not touched.
	 */
	enum err result;
	struct error error;
	/*
	 * Events packed, removed or erased (0: it was erased before); PURGE: records deleted; SWEEP: 0.
	 */
	uint64_t count;
	/*
	 * SWEEP: outputs of deleted sessions (rows of INDEX_OUTPUT with the status "spilled"), whose
	 * files the owner removes before the next step, which names them in `refs`.
	 */
	struct arena *mem; /* of the list; freed by the owner */
	struct str *found;
	size_t found_count;
	bool more; /* this step was bounded; call again */
};

struct store_stats {
	uint64_t commits;          /* since the store was opened; batches may share one */
	uint64_t events;           /* in the store */
	uint64_t bytes;            /* of bodies committed since the store was opened */
	uint64_t waiting_bytes;    /* accepted, not yet durable */
	int64_t oldest_waiting_ms; /* age of the oldest batch not yet durable, 0: none */
	uint64_t last_commit_us;
	uint64_t wal_bytes;  /* written to the write-ahead log since the store was opened */
	uint64_t size_bytes; /* of the files */
	uint64_t sessions;   /* that have got a slice and were not deleted */
	uint64_t packed;     /* events packed since the store was opened */
	/*
	 * Derived rows are missing, until the meta value `rebuild` is "0".  A store may suspect it
	 * of a log with events and without rows of INDEX_SESSION or INDEX_ID.
	 */
	bool needs_rebuild;
	bool is_low;           /* the disk is full, and the ballast is in use */
	bool is_local;         /* a database server whose commits reach no second one */
	bool is_away;          /* unavailable: requests wait */
	int64_t away_since_ms; /* wall clock */
	/* Why, for people: a code, a colon and a sentence.  Valid until the next call. */
	struct str away_why;
	uint64_t behind;      /* sessions that are behind, */
	struct str behind_of; /* and the first few with their events, for people; valid as above */
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
	 * start and rarely after.  ERR_NOT_FOUND: not set.  ERR_INVALID: key or value is absent.
	 */
	enum err (*get_meta)(struct store *s, struct arena *mem, struct str key, struct str *ret,
	                     struct error *e);
	enum err (*set_meta)(struct store *s, struct str key, struct str value, struct error *e);
	/*
	 * Sets a value unless there is one; ret is the one that is there then.  Of several nodes that do
	 * it at the same moment all get the same.
	 */
	enum err (*keep_meta)(struct store *s, struct arena *mem, struct str key, struct str value,
	                      struct str *ret, struct error *e);
	/*
	 * A small blob that belongs to no session, because events of many name it: a record of
	 * settings.  No retention removes it; READ_BLOB reads it.  Does nothing if the ref is there
	 * already, so such refs are never written with a session.  ERR_INVALID: the ref is absent.
	 * Synchronous and durable when it returns; used rarely.
	 */
	enum err (*keep_blob)(struct store *s, struct str ref, struct str media_type,
	                      struct str data, struct error *e);
	/* Every account of the ledger, in no order.  Synchronous; used at start only. */
	enum err (*accounts)(struct store *s, struct arena *mem, struct ledger_move **ret,
	                     size_t *ret_count, struct error *e);
	/* Every unfinished pending operation; those of a session by `seq`.  Synchronous; few. */
	enum err (*pending_ops)(struct store *s, struct arena *mem, struct pending_op **ret,
	                        size_t *ret_count, struct error *e);
	void (*stats)(struct store *s, struct store_stats *ret);
	/*
	 * Finishes and reports accepted requests, then closes the files.  What a `done` submits
	 * meanwhile is reported as ERR_CLOSED.
	 */
	void (*close)(struct store *s);
};
struct store {
	const struct store_ops *ops;
	const struct store_nodes_ops *nodes; /* NULL: this store has one node, which owns all */
	const struct store_move_ops *move;   /* NULL: its log cannot be moved */
};

#endif
