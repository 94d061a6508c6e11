#ifndef CORE_REPLAY_H
#define CORE_REPLAY_H
/*
 * Replay by folding: the read models of a log, from its events alone.
 *
 * Pure: no store, no settings of a running daemon, no clock.  Where a view
 * shows a setting that no event records, it shows the default.  The same events
 * therefore give the same bytes in any process.
 *
 * Memory is bounded by the state: index rows are hashed as they are made, and
 * not kept.  Lines may come from anyone; a line that is not an event of the
 * catalogue is refused and not folded.
 */
#include "base/buf.h"
#include "base/hash/sha256.h"
#include "core/replay/review.h"
#include "core/settings.h"
#include "core/state.h"

struct replay {
	struct state *state;
	struct settings settings;
	struct arena *mem;   /* of the settings */
	struct arena *event; /* one event */
	uint64_t events;
	uint64_t rows;
	struct sha256_stream row_sum;
	struct review review;
};

void replay_init(struct replay *r);
void replay_done(struct replay *r);

/* Starts from the state at the floor of a log whose beginning was removed. */
enum err replay_floor(struct replay *r, struct str text, struct error *e) MUST_USE;

/*
 * Reads one event; it lives until the next call.  ERR_INVALID: it has not the form of one, or not
 * that of its class.
 */
enum err replay_read(struct replay *r, struct str line, struct event **ret,
                     struct error *e) MUST_USE;
/* The same for a line of our own log, which was checked when it was written; NULL: it is damaged. */
struct event *replay_read_own(struct replay *r, struct str line);
void replay_fold(struct replay *r, const struct event *ev);

/* The read models, by their paths in a pack. */
size_t replay_view_count(void);
struct str replay_view_path(size_t view);
void replay_view_write(struct buf *out, const struct replay *r, size_t view);
/* Does it follow from the state alone?  Others are made from the events as they pass. */
bool replay_view_is_of_state(size_t view);

#endif
