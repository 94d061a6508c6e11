#ifndef STORE_SQLITE_SUM_H
#define STORE_SQLITE_SUM_H
/*
 * Checksums of rows, as the column `sum` has them since format 4: 32 bits of
 * XXH3 over the row.  docs/formats/event-log.md describes the bytes.
 */
#include "base/str.h"

#include <sqlite3.h>

struct sum_event {
	int64_t session_no;
	uint64_t position, seq;
	uint32_t type;
	struct str hash, body, digest; /* digest absent: the body was not erased */
};
int64_t sqlite_sum_event(const struct sum_event *ev);

/* The body of a pack has a separate checksum, in its frame. */
struct sum_pack {
	int64_t session_no;
	uint64_t first_seq, last_seq, first_position, last_position;
	struct str prev_hash, last_hash, head;
};
int64_t sqlite_sum_pack(const struct sum_pack *p);

/* Makes thole_sum(...) known to a connection: what statements write into the small tables. */
bool sqlite_sum_register(sqlite3 *db) MUST_USE;

#endif
