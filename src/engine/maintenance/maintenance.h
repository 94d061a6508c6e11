#ifndef ENGINE_MAINTENANCE_MAINTENANCE_H
#define ENGINE_MAINTENANCE_MAINTENANCE_H
/*
 * Maintenance of the store: sessions at rest are packed, old idempotency records purged.
 */
#include "base/list.h"
#include "ports/clock.h"
#include "ports/store.h"

struct engine;
struct session;

struct maintenance {
	struct list resting; /* struct resting: sessions that sleep, to be packed */
	size_t resting_count;
	struct clock_timer round, quiet;
	uint64_t quiet_since; /* commits so far, when the timer was started */
	bool is_waiting;      /* for a moment without commits */
	bool is_busy;         /* a step or a read is under way */
	bool wants_purge, wants_list;
	uint64_t
		loose_after; /* the list of sessions continues behind this; 0: it is not under way */
	struct store_maintenance step;
	struct store_read read;
};

void maintenance_start(struct engine *e);
void maintenance_rest(struct engine *e, struct str id, uint64_t seq);
void maintenance_disk_has_room(struct engine *e);
void maintenance_free(struct engine *e);

#endif
