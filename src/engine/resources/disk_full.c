/*
 * A full disk.  The store's ballast is used to end running work; then commands
 * are refused (507), reads continue, and due effects wait, until space is
 * available again.
 */
#include "engine/resources/disk_full.h"

#include "base/os/log.h"
#include "engine/engine_state.h"

/* How often free space is checked. */
#define PROBE_MS 2000

static void probe_later(struct engine *e);

/*
 * Order of the listeners: held effects start, dropped sessions load, maintenance and
 * recovery continue.
 */
static void room_found(struct engine *e)
{
	e->is_full = false;
	log_line(LOG_INFO, "store", "disk space is available again; accepting commands");
	LISTENERS_CALL(e->listeners->disk_has_room, e);
}

static void space_probed(struct store_maintenance *u)
{
	struct engine *e = u->owner;

	if (e->has_failed || e->is_stopping)
		return;
	if (u->result == OK)
		room_found(e);
	else
		probe_later(e);
}

static void probe_space(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, room_timer);

	e->room_step = (struct store_maintenance){ .kind = MAINTENANCE_ROOM,
		                                   .done = space_probed,
		                                   .owner = e };
	e->ports.store->ops->maintenance(e->ports.store, &e->room_step);
}

static void probe_later(struct engine *e)
{
	e->room_timer.fire = probe_space;
	e->ports.clock->ops->start(e->ports.clock, &e->room_timer, PROBE_MS);
}

/*
 * is_low comes before the first failed commit: the store has released its ballast, and
 * running work can still record its end.
 */
void disk_full_batch_done(struct engine *e, const struct error *why)
{
	struct store_stats st;

	e->ports.store->ops->stats(e->ports.store, &st);
	if (e->is_full || e->has_failed || (!st.is_low && why->code != ERR_FULL))
		return;
	e->is_full = true;
	log_line(LOG_ERROR, "store",
	         "no space left in the data directory: read-only until there is");
	LISTENERS_CALL(e->listeners->disk_full, e);
	probe_later(e);
}

void disk_full_stop(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->room_timer);
}
