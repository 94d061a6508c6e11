#ifndef CORE_TIME_USE_H
#define CORE_TIME_USE_H
/*
 * What took the time of a turn and of a session, from the timestamps of the log.
 *
 * A turn lasts from turn.submitted to its end.  Each millisecond belongs to the
 * first of these that applies (enum time_part; this is the only place that defines
 * the order):
 *
 *   1. model     a model request is open
 *   2. people    an approval or a question is open, or a resume is waited for
 *   3. tool      a tool call or a hook is open; a call is open while it is asked about,
 *                and the call of a child agent while the child asks, so people come first
 *   4. resource  the turn is queued, backs off, or waits for a limit, a cap or a slot
 *   5. runtime   nothing of these: decisions, and commits to the disk; the log does not tell
 *                the two apart
 *
 * The time of a session is that in which any turn is open; the same order decides
 * over all its open turns, so what runs side by side is counted once.
 *
 * Pure.  Events come in the order of the log, whose timestamps never decrease.
 */
#include "base/map.h"
#include "core/decision.h"

enum time_part { TIME_MODEL, TIME_PEOPLE, TIME_TOOL, TIME_RESOURCE, TIME_RUNTIME, TIME_PARTS };

/* What is open: counts, so that those of turns can be added. */
struct time_open {
	int turns, models, people, tools, resources;
};

struct time_sum {
	struct time_open open;
	int64_t at; /* counted up to this moment */
	int64_t ms[TIME_PARTS];
};

struct time_turn {
	struct str turn_id, thread_id;
	int64_t started_at, ended_at; /* 0: it is open */
	struct time_sum sum;
	enum time_part waits; /* a wait without an end of its own; TIME_RUNTIME: none */
	struct time_turn *next;
};

struct time_use {
	struct arena *mem;
	struct str thread_id; /* rows of this thread only; absent: all */
	size_t limit, count;
	struct time_sum session;
	struct map by_id; /* open turns */
	struct time_turn *first, *last;
	int64_t omitted;
};

/* mem is the caller's; time_use_done() frees the map. */
void time_use_init(struct time_use *u, struct arena *mem, struct str thread_id, size_t limit);
void time_use_done(struct time_use *u);

void time_use_add(struct time_use *u, const struct event *ev);
/* Counts what is open up to now; the last call. */
void time_use_close(struct time_use *u, int64_t now);
void time_use_record(const struct time_sum *s, struct rec_time_use *ret);

#endif
