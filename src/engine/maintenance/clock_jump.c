/*
 * Watches the wall clock: when it is set, steady time (clock.c) continues, the
 * offset between the two changes, and sessions record that.  The store keeps
 * the reference point (wall, boot, boot id, steady), so that steady time
 * continues across restarts.
 */
#include "engine/maintenance/clock_jump.h"

#include "base/memory.h"
#include "base/os/log.h"
#include "core/session/clock.h"
#include "core/session/session.h"
#include "engine/maintenance/lifecycle_events.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ANCHOR_KEY STR("clock")

static int64_t wall_ms(struct engine *e)
{
	return e->ports.clock->ops->wall_ms(e->ports.clock);
}

static int64_t boot_ms(struct engine *e)
{
	struct clock *c = e->ports.clock;

	return c->ops->boot_ms ? c->ops->boot_ms(c) : c->ops->mono_ms(c);
}

/* Tells whether two readings of the boot clock belong to the same boot. */
static const char *boot_id(struct engine *e)
{
	struct clock *c = e->ports.clock;

	return c->ops->boot_id ? c->ops->boot_id(c) : "";
}

/* ---- the reference point ---- */

/* If the store cannot save it now, the next check tries again. */
void clock_jump_keep(struct engine *e)
{
	char text[200];
	struct error why;

	if (e->has_failed || e->is_full)
		return;
	snprintf(text, sizeof text,
	         "%.64s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, boot_id(e),
	         wall_ms(e), boot_ms(e), clock_steady(e), e->time.offset, e->time.rows_offset);
	e->time.is_kept = e->ports.store->ops->set_meta(e->ports.store, ANCHOR_KEY, str_from(text),
	                                                &why) == OK;
}

/*
 * Continues steady time from the reference point of the earlier run.  In the same boot the
 * boot clock tells how much time has passed; after a reboot only the wall clock does, and
 * a step back counts as no time.  Rows with another offset than the current one have to be
 * written again.
 */
void clock_jump_start(struct engine *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	int64_t wall = wall_ms(e), boot = boot_ms(e), then, boot_then, steady, offset, rows;
	struct str text;
	char id[65] = "";

	e->time.boot = boot;
	e->time.boot_ahead = boot - e->ports.clock->ops->mono_ms(e->ports.clock);
	e->time.steady = wall;
	if (e->ports.store->ops->get_meta(e->ports.store, mem, ANCHOR_KEY, &text, NULL) != OK ||
	    sscanf(text.ptr, "%64s %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, id,
	           &then, &boot_then, &steady, &offset, &rows) != 6)
		return;
	if (strcmp(id, boot_id(e)) == 0 && boot >= boot_then) {
		e->time.steady = steady + boot - boot_then;
		e->time.is_kept = true;
	} else {
		e->time.steady = steady + MAX(wall - then, 0);
	}
	e->time.offset = wall - e->time.steady;
	if (llabs(e->time.offset - offset) <= CLOCK_JITTER_MS)
		e->time.offset = offset;
	else
		e->time.is_kept = false;
	e->time.rows_offset = rows;
	if (llabs(e->time.offset - rows) <= CLOCK_JITTER_MS)
		return;
	e->time.is_moving_rows = true;
	log_line(LOG_WARN, "engine",
	         "the wall clock was set by %lld seconds since deadlines were written",
	         (long long)(e->time.offset - rows) / 1000);
}

/* All timer rows have the new time from now on. */
static void time_rows_moved(struct engine *e)
{
	e->time.is_moving_rows = false;
	e->time.rows_offset = e->time.offset;
	clock_jump_keep(e);
}

/* ---- looking ---- */

/* Timers run on the monotonic clock, which stands still during sleep: all of them are set again. */
static void arm_all(struct engine *e)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(&e->sessions, &i, &slot);)
		if (((struct session *)slot->value)->phase == SESSION_LIVE)
			apply_arm_timer(slot->value);
}

/* A decision may add sessions to the map, so the map is copied first. */
static void align_all(struct engine *e)
{
	struct session **all = memory_zeroed(e->sessions.count + 1, sizeof(struct session *));
	struct map_slot *slot;
	size_t count = 0;

	for (size_t i = 0; map_next(&e->sessions, &i, &slot);)
		all[count++] = slot->value;
	/* No session leaves memory during a decision. */
	for (size_t i = 0; i < count; i++)
		clock_align_open(all[i]);
	memory_free(all);
}

/*
 * Order: sessions in memory record the new offset; the rows of all others are moved by a
 * pass that loads them (deadlines.c); the reference point is saved at once, so that a
 * crash in between repeats the pass instead of losing it.
 */
static void was_set(struct engine *e, int64_t by)
{
	e->time.offset += by;
	for (size_t i = 0; i < e->limits.count; i++) {
		e->limits.items[i].at += by;
		if (e->limits.items[i].until)
			e->limits.items[i].until += by;
	}
	align_all(e);
	e->time.is_moving_rows = true;
	clock_jump_keep(e);
	if (llabs(by) <= LIMIT_CLOCK_JUMP_S * 1000 || !e->is_ready)
		return;
	e->jumped_ms = by;
	lifecycle_events_jumped(e);
}

/*
 * Called about once a second.  A jump is a difference that no passing of time explains; a
 * machine that slept shows as boot time without monotonic time.
 */
void clock_jump_look(struct engine *e)
{
	int64_t by = wall_ms(e) - clock_steady(e) - e->time.offset;
	int64_t ahead = boot_ms(e) - e->ports.clock->ops->mono_ms(e->ports.clock);
	bool has_slept = llabs(ahead - e->time.boot_ahead) > CLOCK_JITTER_MS;

	e->time.boot_ahead = ahead;
	if (e->time.is_moving_rows && deadlines_are_moved(e))
		time_rows_moved(e);
	if (llabs(by) > CLOCK_JITTER_MS)
		was_set(e, by);
	else if (!e->time.is_kept && e->is_ready)
		clock_jump_keep(e);
	if (llabs(by) <= CLOCK_JITTER_MS && !has_slept)
		return;
	arm_all(e);
	deadlines_look(e);
}
