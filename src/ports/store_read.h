#ifndef PORTS_STORE_READ_H
#define PORTS_STORE_READ_H
/*
 * What is read from a store (ports/store.h): one request with its answer.
 */
#include "ports/store_write.h"

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
	READ_EVENTS, /* of one session, seq > after */
	READ_ALL,    /* of every session, position > after */
	READ_HEAD,   /* last sequence and hash, floor */
	/*
	 * The newest with version == snapshot_version, if any.  ERR_STORE with STORE_NEWER: the
	 * session needs a higher revision than this node's (ports/store_nodes.h).
	 */
	READ_SNAPSHOT,
	READ_INDEX,   /* rows of one table */
	READ_IDEM,    /* one idempotency record */
	READ_BLOB,    /* one small blob */
	READ_JOURNAL, /* journal records of one session, seq > after; pages of the store's size */
	/* Sessions with events, numbered behind `after`: by first slice.  Read from the log. */
	READ_SESSIONS,
	READ_LOOSE, /* sessions with events that are not packed, numbered behind `after` */
};

struct index_found {
	struct str key, session, status, parent, body;
	int64_t at;
	bool open;
};

struct store_read {
	enum read_kind kind;
	/* The request. */
	struct str session; /* EVENTS, JOURNAL, HEAD, SNAPSHOT; INDEX: filter when present */
	/* EVENTS, JOURNAL: sequence; ALL: position; LOOSE, SESSIONS: where the last page ended */
	uint64_t after;
	uint64_t until;     /* EVENTS, JOURNAL: last sequence wanted, 0: no bound */
	uint32_t max_rows;  /* at most 256; 0 means 256 */
	uint32_t max_bytes; /* of bodies; at most 256 KiB, but one row always fits; 0 means that */
	const uint64_t *types; /* EVENTS, ALL: bit set over class numbers (4 words), NULL: all */
	/* EVENTS, ALL: reports damaged events in is_corrupt instead of failing */
	bool takes_gaps;
	struct str snapshot_version; /* SNAPSHOT */
	enum index_table table;      /* INDEX and below */
	/* INDEX: exactly this row, whatever the filters but `reach` say; BLOB: the ref */
	struct str key;
	struct str status; /* INDEX: filter when present */
	struct str parent; /* INDEX: filter when present */
	bool open_only;    /* INDEX */
	struct str reach;  /* INDEX but USAGE: sessions whose id begins so, when present */
	bool without_body; /* INDEX: leaves out the bodies of the rows */
	int64_t at_most;   /* INDEX: rows with at <= this, when not 0 */
	bool newest_first; /* INDEX: by (at, key) descending */
	int64_t from_at;   /* INDEX: continue behind (from_at, from_key) when from_key is present */
	struct str from_key;
	struct sha256 idem_key; /* IDEM */

	void (*done)(struct store_read *r);
	void *owner;

	/* The result, from here to the end; strings live in mem. */
	struct arena *mem; /* made by the store, freed by port_store_read_done() */
	/*
	 * OK, ERR_NOT_FOUND (head, snapshot, idem, blob, journal), ERR_CORRUPT for damaged data, or
	 * ERR_IO when three reads failed.  Events of an unknown session are an empty page.
	 */
	enum err result;
	struct error error;
	struct event_row *events;
	size_t event_count;
	/*
	 * The page reached its bounds: ask again.  EVENTS without `types`, INDEX: a row is left.  In
	 * other reads a store may end a page earlier, and the next one may be empty.
	 */
	bool more;
	uint64_t
		scanned; /* EVENTS, ALL, JOURNAL: continue from here, also when a filter skipped rows */
	/*
	 * EVENTS, ALL: the page ends because the events corrupt_from..corrupt_to are damaged or
	 * missing; `scanned` is behind them.  Without takes_gaps the result is ERR_CORRUPT as well.
	 * ALL: corrupt_session is absent when it is not known.
	 */
	bool is_corrupt;
	uint64_t corrupt_from, corrupt_to;
	struct str corrupt_session;
	struct journal_row *journal; /* JOURNAL; a record without key and body is damaged */
	size_t journal_count;
	/* INDEX; LOOSE, SESSIONS: session and, as `at`, its last sequence */
	struct index_found *rows;
	size_t row_count;
	/*
	 * HEAD, EVENTS, SNAPSHOT: there is no such session, because it was deleted.  Event
	 * removed_by of sess_system says so; head_seq is 0, removed_seq and removed_hash were its
	 * last.
	 */
	bool is_removed;
	uint64_t removed_by, removed_seq;
	struct sha256 removed_hash;
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
	struct str blob_session; /* BLOB: the session that it was written with; absent: none */
	struct store_read *next; /* the store's */
};

/* Frees the result of a read; the caller owns the struct itself. */
void port_store_read_done(struct store_read *r);

#endif
