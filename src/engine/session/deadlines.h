#ifndef ENGINE_SESSION_DEADLINES_H
#define ENGINE_SESSION_DEADLINES_H
/*
 * Deadlines of sessions that are not in memory.
 */
#include "base/arena.h"
#include "engine/listeners.h"

struct engine;
struct session;

/* A walk over the rows of timers, in due order, from page to page. */
struct due_pass {
	bool is_on, is_wanted; /* another one behind it */
	bool takes_all;        /* whether due or not: the clock was set */
	bool is_moved;         /* the last one took all, and came to the end */
	unsigned loading;      /* sessions that it loads now */
	int64_t from_at;
	struct str from_key;
	struct arena *mem;
};

/* Something of a session that is not in memory is due then; 0: nothing. */
void deadlines_watch(struct engine *e, int64_t at);
void deadlines_look(struct engine *e); /* now, because the clock was set or the runtime begins */
/* All rows of timers were taken since the clock was set, and what followed is durable. */
bool deadlines_are_moved(const struct engine *e);
void deadlines_load(struct session *s, enum load_phase phase);
void deadlines_free(struct engine *e);

#endif
