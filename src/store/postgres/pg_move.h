#ifndef STORE_POSTGRES_PG_MOVE_H
#define STORE_POSTGRES_PG_MOVE_H
/*
 * The statements of a move (ports/store_move.h), one of each kind for a part.
 */
#include "ports/store_move.h"
#include "store/postgres/wire/pg_conn.h"

/* How many bytes of chunks, packs, snapshots or blobs one statement returns. */
#define PG_MOVE_BYTES STORE_PAGE_BYTES

/* Values of this store alone. */
#define PG_MOVE_OWN_KEYS "'" STORE_MOVE_KEY "', '" STORE_MOVED_KEY "', 'rebuild'"

struct pg_move_sql {
	/*
	 * $1: where the page before ended, as text; of index rows $2: the table.  The columns are
	 * those of the part and where the next page begins, as text.
	 */
	struct pg_sql take;
	/*
	 * $1: the progress of the move, $2 and the next ones: an array for each column of the
	 * part; of index rows one more: the table.
	 */
	struct pg_sql put;
	const char *kinds; /* the type of each column: i int8, t text, b bytea */
};

/* Of events `take` selects PG_SPAN_CHUNK, and `put` takes columns of `chunk`. */
const struct pg_move_sql *pg_move_sql(enum store_part part);

#endif
