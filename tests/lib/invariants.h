#ifndef TESTS_INVARIANTS_H
#define TESTS_INVARIANTS_H
/*
 * The invariants that hold for every log any test leaves behind.
 *
 * Feed the envelopes of one session in order.  Each is checked as it comes:
 *
 *   shape    it passes the shape gate, read and written again it is the same
 *            bytes, it satisfies the catalogue's schema and both of the standard,
 *            has no null, is not too large
 *   place    sequences from 1 without gap, time never goes back, event ids
 *            are unique, the hash continues the chain
 *   order    what ends has begun, nothing follows an end, a task is reopened
 *            by task.retrying alone; a call is dispatched after it was
 *            allowed, and once; each request has one reservation before and
 *            one settlement behind it; queues change as they say they do
 *   items    indexes of a turn are 1, 2, 3...; an ended item stays ended
 *   work     a task goes where its table lets it, with one run at a time; what
 *            was cancelled stays so with all below it; an item of a job has one
 *            output; a child that was closed says nothing more
 *   text     every delta says how much text came before it, every end how
 *            much there was
 *
 * and when a log has come to rest:
 *
 *   rest     what is open waits for something that it names
 *   folds    folding twice gives the same world, and so does folding the
 *            tail onto a snapshot of the head, wherever that is cut; views
 *            satisfy the snapshot schemas of all three
 *
 * The catalogue's schemas are always checked (docs/reference/schemas).  The
 * standard's are read from $THOLE_SPECS; where they are not there, those checks
 * are left out, invariants_have_schemas() says so and ./test prints a SKIP line.
 */
#include "core/index.h"
#include "core/settings.h"
#include "base/hash/sha256.h"

struct invariants;

struct invariants *invariants_new(void);
void invariants_free(struct invariants *l);
/* Whether the standard's schemas are checked too. */
bool invariants_have_schemas(const struct invariants *l);
/* The logs that follow were not written by this runtime: they may hold more than it reads. */
void invariants_foreign(struct invariants *l);

struct invariant_log;

struct invariant_log *invariant_log_new(struct invariants *l);
void invariant_log_free(struct invariant_log *g);

/*
 * The next envelope; the line must live as long as the log.  hash is the
 * chain's behind it, or NULL.  False: a invariant is broken, and e says which; the
 * log is of no use then.
 */
bool invariant_feed(struct invariant_log *g, struct str line, const struct sha256 *hash,
                    struct error *e) MUST_USE;

enum invariant_rest {
	INVARIANT_LIVE, /* requests and tools may be on their way */
	INVARIANT_REST, /* nothing runs: whatever is open waits for a person, a timer or its turn */
	INVARIANT_OVER, /* every turn has ended */
};
bool invariant_rest(struct invariant_log *g, enum invariant_rest how, struct error *e) MUST_USE;
/* Other sessions take no task slot from its tasks: a task that waits for one waits for nothing. */
void invariant_room(struct invariant_log *g, bool has_room);

/* At so many places of the log, chosen by seed, and at its end. */
bool invariant_folds(struct invariant_log *g, const struct settings *settings, uint64_t seed,
                     unsigned places, struct error *e) MUST_USE;

/* All of them over a whole log; hashes may be NULL. */
bool invariants_check(struct invariants *l, const struct str *lines, const struct sha256 *hashes,
                      size_t count, enum invariant_rest how, const struct settings *settings,
                      struct error *e) MUST_USE;

/* The state behind the last line, folded as the lines came. */
const struct state *invariant_state(const struct invariant_log *g);
size_t invariant_count(const struct invariant_log *g);
struct str invariant_line(const struct invariant_log *g, size_t index);
const struct event *invariant_event(const struct invariant_log *g, size_t index);

/* The index rows as they have to be, rebuilt from the log. */
void invariant_rows(const struct invariant_log *g, struct rows *ret);

#endif
