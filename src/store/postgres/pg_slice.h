#ifndef STORE_POSTGRES_PG_SLICE_H
#define STORE_POSTGRES_PG_SLICE_H
/*
 * The statements of a set of slices.
 *
 * The first statement moves the heads of those sessions that the slices continue, marks
 * them, and writes the events.  Each later one joins the marked sessions, so that it
 * writes for the slices that matched and for no others.  No reply is needed in between,
 * and the number of statements does not depend on the number of slices.
 *
 * The sessions of a set differ.  A slice that deletes sessions is a set of its own,
 * because what it deletes depends on the slices before it.
 */
#include "ports/store_write.h"
#include "store/postgres/wire/pg_conn.h"

#define PG_SLICE_SET 128

struct pg_set {
	struct slice *slices[PG_SLICE_SET];
	size_t count;
	uint64_t mark; /* unique for ever */
	bool deletes;
};

/* In the order in which they are sent. */
enum pg_step {
	PG_STEP_HEADS,
	PG_STEP_BLOBS,
	PG_STEP_IDEM,
	PG_STEP_SNAPSHOTS,
	PG_STEP_MOVES,
	PG_STEP_CLEAR,
	PG_STEP_ROWS,
	PG_STEP_PENDING,
	PG_STEP_DELETE,
	PG_STEPS,
};

/*
 * Columns of the reply to PG_STEP_HEADS: the slice's place in the set from 1, whether the
 * session is new, the position of its first event.  Place 0: whether this node may write.
 * A negative place: the slice is fenced, because another living node owns the session.
 * Of PG_STEP_DELETE: sessions and events that are gone.
 */
const struct pg_sql *pg_slice_sql(enum pg_step step);

/* Whether the set can take one more slice. */
bool pg_slice_fits(const struct pg_set *set, const struct slice *sl) MUST_USE;
void pg_slice_add(struct pg_set *set, struct slice *sl);

/* Fills the parameters of a step.  False: the set has nothing for it. */
bool pg_slice_args(const struct pg_set *set, enum pg_step step, int64_t incarnation,
                   struct pg_args *args) MUST_USE;

/* What a slice adds to a transaction, roughly. */
uint64_t pg_slice_weight(const struct slice *sl);

#endif
