#ifndef PORTS_STORE_MOVE_H
#define PORTS_STORE_MOVE_H
/*
 * A whole log as rows, to move it to another store.
 *
 * A log has parts.  Each is a sequence of rows with the columns below, in every store the
 * same.  take() returns them page by page, put() writes a page into another store as it is.
 * Everything keeps its number: sessions, sequences, positions, hashes.  So whatever refers
 * to them stays valid, cursors over all sessions included.
 *
 * Both are for stores that are opened for nothing else: no runtime, no other node, and no
 * other request under way.  They are synchronous, and the store that was written must be
 * opened again before a runtime uses it; only reads and get_meta() see the rows before.
 *
 * A page of put() is one transaction with a word about how far the move has come, the value
 * STORE_MOVE_KEY of the installation.  So whatever ends the move, the next one continues
 * exactly where it was.
 */
#include "base/arena.h"
#include "base/err.h"
#include "core/index_row.h"

struct store;

/*
 * Values of the installation that are not moved, nor is `rebuild`.  The first says that a move
 * into this store is under way, or was; the second where its log has been moved to.
 */
#define STORE_MOVE_KEY "move"
#define STORE_MOVED_KEY "moved"

/*
 * A session's number is an integer above 0.  Absent text is NULL.  Events and packs of
 * deleted sessions are left out.
 */
enum store_part {
	/* number, id, last sequence, last hash, floor: sequence, hash, ref */
	STORE_PART_SESSION,
	/* number, id, last sequence, last hash, sequence of the event about it, how far it is swept */
	STORE_PART_REMOVED,
	/*
	 * session's number, first and last sequence, first and last position, span, hash before,
	 * last hash, head, body, journal
	 */
	STORE_PART_PACK,
	/*
	 * position, session's number, sequence, class, hash before (absent: that of the row
	 * before), hash, body, digest of an erased body, journal record (journal_rows.h)
	 */
	STORE_PART_EVENT,
	/* session's number, version, sequence, hash, body */
	STORE_PART_SNAPSHOT,
	/* ref, session's number or 0, sequence or -1, media type, data */
	STORE_PART_BLOB,
	/* key, body, session's number, sequence, time, reply */
	STORE_PART_IDEM,
	/* account, spent, reserved */
	STORE_PART_ACCOUNT,
	/* session's number, kind, sequence, ref */
	STORE_PART_PENDING,
	/* key, value */
	STORE_PART_META,
	/*
	 * Of a store that keeps large outputs: ref, number of the chunk, data, and of the whole
	 * output size and hash, which count in the row of the last chunk.
	 */
	STORE_PART_OUTPUT,
	/* One for each table: key, session's number, status, parent, time, open, body */
	STORE_PART_INDEX,
	STORE_PARTS = STORE_PART_INDEX + INDEX_TABLES
};

#define STORE_PAGE_ROWS 2048u
#define STORE_PAGE_BYTES (4u << 20) /* a page ends behind the row that reaches it */
#define STORE_OUTPUT_CHUNK (256u << 10)

struct store_cell {
	int64_t number;
	struct str text; /* text or bytes */
};

struct store_page {
	enum store_part part;
	struct str after; /* where the page before ended (`next`); absent: the beginning */

	/* Filled by take(), or by the caller of put(). */
	struct arena *mem;        /* made by take(), freed by port_store_page_done() */
	struct store_cell *cells; /* one row after the other */
	size_t rows, cap;         /* rows 0: nothing is left */
	struct str next; /* for stores only, except that an output begins behind "REF -1" */
};

struct store_contents {
	bool is_empty; /* no session was ever in it, and no value of the installation */
	uint64_t last_position;
	uint64_t other_nodes; /* that live */
	struct str other_node;
	uint64_t outputs_elsewhere; /* whose content is in an object store */
};

struct store_move_ops {
	/* ERR_CORRUPT: what is there is damaged. */
	enum err (*take)(struct store *s, struct store_page *page, struct error *e);
	/*
	 * Rows that are there already stay as they are.  ERR_CORRUPT: an event does not continue
	 * the chain; a store need not look.
	 */
	enum err (*put)(struct store *s, const struct store_page *page, struct str progress,
	                struct error *e);
	/* Strings live in mem. */
	enum err (*look)(struct store *s, struct arena *mem, struct store_contents *ret,
	                 struct error *e);
	/* Whether the whole output is in the store.  NULL: it keeps none. */
	enum err (*has_output)(struct store *s, struct str ref, bool *ret, struct error *e);
};

/* How many columns the rows of a part have. */
size_t port_store_part_columns(enum store_part part);
struct store_cell *port_store_page_row(const struct store_page *page, size_t row);
/* A new row, empty; the page makes its memory with the first one. */
struct store_cell *port_store_page_add(struct store_page *page);
void port_store_page_done(struct store_page *page);

#endif
