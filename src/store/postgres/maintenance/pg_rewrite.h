#ifndef STORE_POSTGRES_MAINTENANCE_PG_REWRITE_H
#define STORE_POSTGRES_MAINTENANCE_PG_REWRITE_H
/*
 * The statements of maintenance that change the form of events: a pack in the place of
 * chunks, a row without its beginning or with one body replaced.  Called on the keeper's
 * thread, inside its transaction.
 */
#include "store/postgres/pg_span.h"

/* At most so many bytes of chunks are fetched at a time, and one chunk in any case. */
enum err pg_rewrite_find_chunks(struct pg_conn *c, int64_t session_no, uint64_t after,
                                uint64_t until, int64_t max_bytes, struct pg_rows *ret,
                                struct error *e) MUST_USE;
/* The first pack that ends after this event; no row: there is none. */
enum err pg_rewrite_find_pack(struct pg_conn *c, int64_t session_no, uint64_t after,
                              struct pg_rows *ret, struct error *e) MUST_USE;
enum err pg_rewrite_find_last_pack(struct pg_conn *c, int64_t session_no, struct pg_rows *ret,
                                   struct error *e) MUST_USE;

/* Writes the gathered events over the row that they came from. */
enum err pg_rewrite_replace(struct pg_conn *c, const struct pg_span *old, struct pg_span_builder *b,
                            struct error *e) MUST_USE;
/* A new pack with the gathered events; the chunks after..last leave, and pack_no if not 0. */
enum err pg_rewrite_pack(struct pg_conn *c, int64_t session_no, int64_t pack_no,
                         struct pg_span_builder *b, struct error *e) MUST_USE;

enum err pg_rewrite_drop_pack(struct pg_conn *c, int64_t pack_no, struct error *e) MUST_USE;
enum err pg_rewrite_drop_chunks(struct pg_conn *c, int64_t session_no, uint64_t until,
                                struct error *e) MUST_USE;
/* Events and the small blobs that only they name leave together. */
enum err pg_rewrite_floor(struct pg_conn *c, int64_t session_no, uint64_t seq,
                          const struct sha256 *hash, struct str ref, struct error *e) MUST_USE;

/*
 * Removes what the journal holds of the group that began before this row: its newest
 * record among the chunks, or else all records of the last pack.
 */
enum err pg_rewrite_forget_group(struct pg_conn *c, int64_t session_no, uint64_t first_seq,
                                 struct arena *mem, struct error *e) MUST_USE;

#endif
