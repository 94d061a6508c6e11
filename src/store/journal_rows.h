#ifndef STORE_JOURNAL_ROWS_H
#define STORE_JOURNAL_ROWS_H
/*
 * Journal records (ports/store_write.h) as bytes, for any store: one after the other, or
 * those of a pack as one zstd frame.  docs/formats/event-log.md describes the bytes.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "ports/store_write.h"

struct journal_rows {
	struct journal_row *items;
	size_t count, cap;
};

void journal_rows_add(struct arena *mem, struct journal_rows *rows, struct journal_row row);

/* Key or body; it may be absent. */
void journal_rows_put_part(struct buf *out, struct str part);
bool journal_rows_take_part(struct str *from, struct str *ret) MUST_USE;

/* All records, in the order of their events. */
void journal_rows_put(struct buf *out, const struct journal_rows *rows);
/* False: the bytes are damaged.  Strings point into `plain`. */
bool journal_rows_take(struct arena *mem, struct str plain, struct journal_rows *ret) MUST_USE;

/* The same in a frame; nothing is appended if there are no records. */
void journal_rows_put_frame(struct buf *out, const struct journal_rows *rows);
/* An empty frame has no records.  Strings live in mem. */
bool journal_rows_read_frame(struct arena *mem, struct str frame,
                             struct journal_rows *ret) MUST_USE;

/* Removes what the record of the group with this event holds, its key excepted. */
void journal_rows_erase(struct journal_rows *rows, uint64_t seq);

#endif
