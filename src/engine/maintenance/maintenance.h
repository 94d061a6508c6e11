#ifndef ENGINE_MAINTENANCE_MAINTENANCE_H
#define ENGINE_MAINTENANCE_MAINTENANCE_H
/*
 * Maintenance of the store: packs idle sessions, deletes old idempotency
 * records.
 */
#include "base/buf.h"
#include "ports/clock.h"
#include "ports/store.h"

struct engine;
struct session;

struct maintenance {
	struct buf resting; /* entries of maintenance.c: idle sessions, to be packed */
	size_t resting_from, resting_count; /* where the first one begins */
	struct buf packing;                 /* the id of the one that is being packed */
	struct clock_timer round, quiet;
	uint64_t quiet_since; /* number of commits when the timer was started */
	bool is_waiting;      /* for a moment without commits */
	bool is_busy;         /* a step or a read is pending */
	bool wants_purge, wants_list;
	/* the list of sessions continues behind this; 0: it is not being read */
	uint64_t loose_after;
	struct store_maintenance step;
	struct store_read read;
};

void maintenance_start(struct engine *e);
void maintenance_rest(struct engine *e, struct str id, uint64_t seq);
void maintenance_disk_has_room(struct engine *e);
void maintenance_free(struct engine *e);

#endif
