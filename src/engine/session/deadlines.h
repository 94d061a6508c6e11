#ifndef ENGINE_SESSION_DEADLINES_H
#define ENGINE_SESSION_DEADLINES_H
/*
 * Deadlines of sessions outside memory.
 */
#include "base/arena.h"
#include "engine/listeners.h"

struct engine;
struct session;

/* A pass over the timer rows, in due order, page by page. */
struct due_pass {
	bool is_on, is_wanted; /* another pass follows */
	bool takes_all;        /* all rows, due or not: the clock was set */
	bool is_moved;         /* the last pass covered all rows */
	unsigned loading;      /* sessions that it loads now */
	int64_t from_at;       /* with from_key: the last row of the page before */
	struct str from_key;
	struct arena *mem;
};

/* The next deadline of a session outside memory; 0: none. */
void deadlines_watch(struct engine *e, int64_t at);
void deadlines_look(struct engine *e); /* now, because the clock was set or the runtime starts */
/* All timer rows were updated since the clock was set, durably. */
bool deadlines_are_moved(const struct engine *e);
void deadlines_load(struct session *s, enum load_phase phase);
void deadlines_free(struct engine *e);

#endif
