#ifndef STORE_POSTGRES_PG_READ_H
#define STORE_POSTGRES_PG_READ_H
/*
 * What the files of the reader share: pages, session lookups, and damage.  Called on the
 * reader's thread; pg_read_session() and pg_read_next() also on the keeper's.
 */
#include "store/postgres/pg_span.h"
#include "store/postgres/pg_store.h"

/* The limits and the progress of a page. */
struct pg_page {
	uint32_t max_rows, max_bytes;
	size_t bytes;
	uint32_t looked_at;
};
struct pg_page pg_read_page(const struct store_read *r);
bool pg_read_fits(const struct pg_page *p, size_t count, size_t len);

/*
 * Offers an event to the page.  STOP: it does not fit, and the page ends before it.
 * Skipped events move `scanned` too.
 */
enum pg_offer { PG_TAKE, PG_SKIP, PG_STOP };
enum pg_offer pg_read_offer(struct store_read *r, struct pg_page *page, uint32_t type, size_t len,
                            uint64_t cursor);
bool pg_read_is_wanted(const struct store_read *r, uint32_t type);
/* The classes that are wanted, as a parameter. */
void pg_read_put_types(struct pg_args *args, const struct store_read *r);

/* Number, head and floor of r->session; of a deleted one what is known of it. */
enum err pg_read_session(struct pg_conn *c, struct store_read *r, int64_t *ret_no) MUST_USE;
/* Whether the chain has another hash at this event; packs are not opened for it. */
enum err pg_read_hash_fits(struct pg_conn *c, int64_t session_no, uint64_t seq,
                           const struct sha256 *hash, bool *ret, struct error *e) MUST_USE;

/*
 * Events from..to cannot be returned: the page ends before them, and the next one begins
 * after them.
 */
enum err pg_read_damaged(struct pg_store *s, struct store_read *r, struct str session,
                         uint64_t from, uint64_t to, const char *what);

/* ---- pg_events.c, pg_all.c, pg_list.c ---- */

enum err pg_events_read(struct pg_store *s, struct store_read *r) MUST_USE;
enum err pg_events_journal(struct pg_store *s, struct store_read *r) MUST_USE;
enum err pg_all_read(struct pg_store *s, struct store_read *r) MUST_USE;
enum err pg_list_read(struct pg_store *s, struct store_read *r) MUST_USE;

#endif
