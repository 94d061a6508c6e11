#ifndef CORE_HISTORY_WALK_H
#define CORE_HISTORY_WALK_H
/*
 * Finds an ended turn that the state counts in a mark and no longer lists.
 *
 * A command that goes back to such a turn (rollback, fork) has the engine
 * feed the events of the marks around it, in order, and gets the turn's place
 * in the history: its id, its last event, and how many turns stay if it is
 * the last one.  Turns that an earlier rollback removed are not found.
 *
 * The walk applies the same rules as the fold: turns of the system, items of
 * jobs, merged turns and turns that ended in the queue are no history.
 */
#include "core/context/assemble.h"

/* A place in the history of a thread: everything up to and including a turn. */
struct history_point {
	struct str turn_id; /* absent: before the first turn */
	int64_t sequence;   /* its last event */
	int64_t turns;      /* turns up to here */
};

struct history_walk {
	struct arena *mem;
	struct conversation_start origins; /* of the thread; only the origins count */
	int64_t after;  /* turns that ended by this event belong to earlier marks */
	int64_t before; /* how many turns these have */
	struct history_walk_turn **turns;
	size_t count, cap;
	struct history_walk_turn **ended;
	size_t ended_count, ended_cap;
};

/* Where a search for this turn, or for this event, has to begin and to end reading. */
struct history_walk_range {
	int64_t from, to;
	int64_t after, before;
};

/*
 * False: no mark can hold it.  By turn: `sequence` is where the turn was
 * submitted.  By event: the newest turn that ended by it is looked for.
 */
bool history_walk_range(const struct st_thread *th, bool by_turn, int64_t sequence,
                        struct history_walk_range *ret);

void history_walk_init(struct history_walk *walk, struct arena *mem, const struct state *w,
                       const struct st_thread *th, const struct history_walk_range *range);
/* The classes that it needs, as a bit set for the store. */
void history_walk_types(uint64_t types[4]);
void history_walk_feed(struct history_walk *walk, const struct event *ev);
/* Everything was fed; false: there is no such turn in the history. */
bool history_walk_turn(const struct history_walk *walk, struct str turn_id,
                       struct history_point *ret);
bool history_walk_event(const struct history_walk *walk, int64_t sequence,
                        struct history_point *ret);

#endif
