#ifndef STORE_EVENT_JOURNAL_H
#define STORE_EVENT_JOURNAL_H
/*
 * Journal records (ports/store_write.h) in the file.
 *
 * A record is a column of the first event of its group, so it costs no row of
 * its own and leaves with that event.  The records of packed events are one zstd
 * frame in a column of the pack.  docs/formats/event-log.md describes the bytes.
 */
#include "store/sqlite/sqlite_read.h"

struct journal_rows {
	struct journal_row *items;
	size_t count, cap;
};

/* The column of an event; it has a checksum of its own. */
void event_journal_put(struct buf *out, int64_t session_no, const struct journal_row *row);
/* The column of a pack; nothing is appended if there are no records. */
void event_journal_put_pack(struct buf *out, const struct journal_rows *rows);
/* The records of a pack; false: the frame is damaged.  Strings live in mem. */
bool event_journal_read_pack(struct arena *mem, struct str frame,
                             struct journal_rows *ret) MUST_USE;

/* Records of packs and rows whose first event is in from..to, in order. */
enum err event_journal_of_pack(struct sqlite_store *s, struct arena *mem, int64_t pack_no,
                               uint64_t from, struct journal_rows *ret, struct error *e) MUST_USE;
enum err event_journal_of_rows(struct sqlite_store *s, struct arena *mem, int64_t session_no,
                               uint64_t from, uint64_t to, struct journal_rows *ret,
                               struct error *e) MUST_USE;
/* Removes what the record of the group with this event holds, its key excepted. */
void event_journal_erase(struct journal_rows *rows, uint64_t seq);

/* READ_JOURNAL */
enum err event_journal_read(struct sqlite_store *s, struct store_read *r) MUST_USE;

#endif
