#ifndef STORE_POSTGRES_PG_SPAN_H
#define STORE_POSTGRES_PG_SPAN_H
/*
 * Consecutive events of one session as one row: a chunk (one slice, as it was written) or
 * a pack (many, compressed).  Both have a head, which tells class, length and position of
 * each event, and a text with their bodies; store/pack.h describes them.
 *
 * A span is checked when its text is opened: the hash chain is computed from the bodies,
 * so that only what was written is returned.
 */
#include "ports/store_read.h"
#include "store/journal_rows.h"
#include "store/pack.h"
#include "store/postgres/wire/pg_conn.h"

/* A query selects these columns first, in this order, from `chunk` or from `pack`. */
#define PG_SPAN_CHUNK                                                                              \
	"NULL::bigint, session_no, first_seq, last_seq, position, prev_hash, last_hash,"           \
	" head, body, journal"
#define PG_SPAN_PACK                                                                               \
	"pack_no, session_no, first_seq, last_seq, position, prev_hash, last_hash,"                \
	" head, body, journal"
#define PG_SPAN_COLUMNS 10

struct pg_span {
	int64_t pack_no; /* 0: a chunk */
	int64_t session_no;
	uint64_t first_seq, last_seq;
	struct sha256 prev_hash, last_hash;
	struct pack pack;
	struct sha256 *hashes;    /* of each event; NULL until the text was opened */
	size_t sound;             /* number of valid events, from the first */
	struct str body, journal; /* as the row has them */
};

/* Reads all but the text.  False: the head is damaged; the range is filled in. */
bool pg_span_head(struct arena *mem, const struct pg_rows *rows, int row,
                  struct pg_span *ret) MUST_USE;
/* Opens the text and computes the hashes.  False: damaged; `sound` events are good. */
bool pg_span_text(struct arena *mem, struct pg_span *s) MUST_USE;
/* False: the records are damaged. */
bool pg_span_journal(struct arena *mem, const struct pg_span *s, struct journal_rows *ret) MUST_USE;

/* The event at index i, whose body begins at byte `at` of the text; the body is copied. */
struct event_row pg_span_row(const struct pg_span *s, size_t i, size_t at);

/* ---- writing ---- */

/* A span that is being put together from events of others. */
struct pg_span_builder {
	struct arena *mem;
	struct pg_span span;
	size_t cap;
	struct buf text;
	struct journal_rows journal;
};

void pg_span_begin(struct pg_span_builder *b, struct arena *mem, uint64_t first_seq,
                   const struct sha256 *prev_hash);
/* False: the event does not continue the chain. */
bool pg_span_add(struct pg_span_builder *b, struct pack_item item, struct str body,
                 const struct sha256 *hash) MUST_USE;
/* All events of an opened span from index `from` on, with their journal records. */
bool pg_span_add_all(struct pg_span_builder *b, const struct pg_span *s, size_t from) MUST_USE;
void pg_span_done(struct pg_span_builder *b);

/* The columns of the new row. */
struct pg_span_bytes {
	struct buf head, body, journal, hashes;
};
/* False: what was written does not read back as what went into it. */
bool pg_span_write(struct pg_span_builder *b, bool is_pack, struct pg_span_bytes *ret) MUST_USE;
void pg_span_bytes_done(struct pg_span_bytes *bytes);

/* The classes of the events as a set of 256 bits. */
void pg_span_types(const struct pack *p, uint64_t ret[4]);

#endif
