#ifndef STORE_SQLITE_READ_H
#define STORE_SQLITE_READ_H
/*
 * The reader: requests, index rows, pages of events from rows and from packs, and the
 * plans of maintenance steps.  Called on the reader's thread unless stated otherwise.
 */
#include "store/pack.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/sqlite_sum.h"

/* ---- sqlite_read.c ---- */

/* Answers one read; r->mem is made here. */
void sqlite_read_work(struct sqlite_store *s, struct store_read *r);
sqlite3_stmt *sqlite_read_stmt(struct sqlite_store *s, enum read_stmt which) MUST_USE;
/* Ends the read transaction, also after an error. */
bool sqlite_read_finish(struct sqlite_store *s) MUST_USE;
/* After a failed read: waits briefly; false after the last attempt. */
bool sqlite_read_retry(struct sqlite_store *s, unsigned try);
enum err sqlite_read_error(struct sqlite_store *s, struct error *e);
enum err sqlite_read_damaged(struct sqlite_store *s, struct error *e, const char *what);
/* Number, head and floor of r->session. */
enum err sqlite_read_session(struct sqlite_store *s, struct store_read *r,
                             int64_t *ret_no) MUST_USE;

/* The limits and the progress of a page. */
struct page {
	uint32_t max_rows, max_bytes;
	size_t bytes;
	uint32_t looked_at;
};
struct page sqlite_read_page(const struct store_read *r);
bool sqlite_read_page_fits(const struct page *p, size_t count, size_t len);
bool sqlite_read_has_blob(struct sqlite_store *s, struct str ref);
enum err sqlite_read_meta(struct sqlite_store *s, struct arena *mem, struct str key,
                          struct str *ret, struct error *e) MUST_USE;

/* ---- sqlite_events.c ---- */

enum err sqlite_events_read(struct sqlite_store *s, struct store_read *r) MUST_USE;
enum err sqlite_events_read_all(struct sqlite_store *s, struct store_read *r) MUST_USE;
enum err sqlite_events_read_unpacked(struct sqlite_store *s, struct store_read *r) MUST_USE;
enum err sqlite_events_read_sessions(struct sqlite_store *s, struct store_read *r) MUST_USE;

#define PACK_COLUMNS                                                                               \
	"pack_no, session_no, first_seq, last_seq, first_position, prev_hash, last_hash, head, "   \
	"body, last_position, sum"

/* One row of `pack`, opened. */
struct pack_row {
	int64_t no, session_no;
	uint64_t first_seq, last_seq;
	struct sha256 prev_hash, last_hash;
	struct pack pack;
	struct sha256 *hashes; /* of each event, as they were chained */
	size_t sound;          /* number of valid events, from the first */
};

/* sqlite_events_row_is_sound() expects its columns first, in this order. */
#define EVENT_COLUMNS "position, seq, type, hash, body, digest, sum, session_no"

/* Returns false if the chain has another hash at this event.  Packs are not searched. */
bool sqlite_events_hash_fits(struct sqlite_store *s, int64_t session_no, uint64_t seq,
                             const struct sha256 *hash) MUST_USE;

/*
 * Whether the current row, with EVENT_COLUMNS, is what was written.  A row of
 * format 3 has no checksum and is checked against the chain.
 */
bool sqlite_events_row_is_sound(struct sqlite_store *s, sqlite3_stmt *st) MUST_USE;

/*
 * Reads the head of the current row, with PACK_COLUMNS.  ERR_CORRUPT: the pack is
 * damaged; other sessions are not affected.
 */
enum err sqlite_events_pack_head(struct sqlite_store *s, sqlite3_stmt *st, struct arena *mem,
                                 struct pack_row *ret, struct error *e) MUST_USE;
/* Also reads text and hashes. */
enum err sqlite_events_pack_text(struct sqlite_store *s, sqlite3_stmt *st, struct arena *mem,
                                 struct pack_row *row, struct error *e) MUST_USE;

/* ---- sqlite_plan.c, sqlite_maintenance.c ---- */

/* Rows removed, or records forgotten, in one step. */
#define STEP_ROWS 512

/* What a maintenance step writes. */
struct rewrite {
	struct arena *mem;
	int64_t session_no;
	uint64_t planned_at; /* the number of rewrites at that time */

	/* what is removed */
	int64_t pack_no;           /* 0: none */
	uint64_t from_seq, to_seq; /* rows; 0: none */

	/* what replaces it */
	bool has_pack;
	uint64_t first_seq, last_seq, first_position, last_position;
	struct sha256 prev_hash, last_hash;
	struct buf head, text, journal;

	uint64_t floor_seq; /* 0: unchanged */
	struct sha256 floor_hash;
	uint64_t erase_seq; /* of a row; 0: none */
	struct sha256 digest;
	int64_t erase_sum;
	/* the record of the group with the erased event */
	uint64_t journal_seq; /* 0: not in a row */
	uint64_t drops_pack;  /* the pack that ends here may have it; 0: none */
};
void sqlite_plan_free(struct rewrite *w);

/* The reader's part: plans what to write. */
void sqlite_plan_make(struct sqlite_store *s, struct job *job);
/* The writer's part: writes the plan and posts the result. */
void sqlite_maintenance_write(struct sqlite_store *s, struct job *job);

#endif
