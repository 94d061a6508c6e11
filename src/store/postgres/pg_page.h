#ifndef STORE_POSTGRES_PG_PAGE_H
#define STORE_POSTGRES_PG_PAGE_H
/*
 * What the files of the reader share: pages, session lookups, and damage.  Called on the
 * reader's thread; pg_page_session() also on the keeper's.
 */
#include "store/postgres/pg_span.h"
#include "store/postgres/pg_store.h"

/* The limits and the progress of a page. */
struct pg_page {
	uint32_t max_rows, max_bytes;
	size_t bytes;
	uint32_t looked_at;
};
struct pg_page pg_page_of(const struct store_read *r);
bool pg_page_fits(const struct pg_page *p, size_t count, size_t len);

/*
 * Offers an event to the page.  STOP: it does not fit, and the page ends before it.
 * Skipped events move `scanned` too.
 */
enum pg_offer { PG_TAKE, PG_SKIP, PG_STOP };
enum pg_offer pg_page_offer(struct store_read *r, struct pg_page *page, uint32_t type, size_t len,
                            uint64_t cursor);
bool pg_page_is_wanted(const struct store_read *r, uint32_t type);
/* The classes that are wanted, as a parameter. */
void pg_page_put_types(struct pg_args *args, const struct store_read *r);

/* Number, head and floor of r->session; of a deleted one what is known of it. */
enum err pg_page_session(struct pg_conn *c, struct store_read *r, int64_t *ret_no) MUST_USE;
/* Whether the chain has another hash at this event; packs are not opened for it. */
enum err pg_page_hash_fits(struct pg_conn *c, int64_t session_no, uint64_t seq,
                           const struct sha256 *hash, bool *ret, struct error *e) MUST_USE;

/*
 * Events from..to cannot be returned: the page ends before them, and the next one begins
 * after them.
 */
enum err pg_page_damaged(struct pg_store *s, struct store_read *r, struct str session,
                         uint64_t from, uint64_t to, const char *what);

/* The errors of a record that is not there, and of one that cannot be what was written. */
enum err pg_page_not_found(struct store_read *r);
enum err pg_page_bad_record(struct store_read *r, const char *what);

#endif
