#ifndef STORE_EVENT_JOURNAL_H
#define STORE_EVENT_JOURNAL_H
/*
 * Journal records (ports/store_write.h) in the file.
 *
 * A record is a column of the first event of its group, so it costs no row of
 * its own and leaves with that event.  The records of packed events are one zstd
 * frame in a column of the pack.  docs/formats/event-log.md describes the bytes.
 */
#include "store/journal_rows.h"
#include "store/sqlite/sqlite_read.h"

/* The column of an event; it has a checksum of its own. */
void event_journal_put(struct buf *out, int64_t session_no, const struct journal_row *row);
/* The record in it, whose strings point into the column; without key and body: it is damaged. */
struct journal_row event_journal_open(int64_t session_no, uint64_t seq, struct str column);
/* Records of packs and rows whose first event is in from..to, in order. */
enum err event_journal_of_pack(struct sqlite_store *s, struct arena *mem, int64_t pack_no,
                               uint64_t from, struct journal_rows *ret, struct error *e) MUST_USE;
enum err event_journal_of_rows(struct sqlite_store *s, struct arena *mem, int64_t session_no,
                               uint64_t from, uint64_t to, struct journal_rows *ret,
                               struct error *e) MUST_USE;
/* READ_JOURNAL */
enum err event_journal_read(struct sqlite_store *s, struct store_read *r) MUST_USE;

#endif
