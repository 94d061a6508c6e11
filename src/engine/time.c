/*
 * Three clocks.  The one on the wall may be set, the monotonic one drives
 * timers and stands still while the machine sleeps, the boot clock counts all
 * the time that passes.
 *
 * Steady time is the wall clock of the first start, carried on by the boot
 * clock: an anchor (wall, boot, boot id, steady) is kept in the store, so
 * that it goes on across restarts.  After a reboot the wall clock alone can
 * say how long that took.  The distance of the wall clock from steady time
 * changes only when somebody sets it.  Sessions keep the distance that their
 * deadlines were written for (core/clock.h); those in memory are told at
 * once, and those that sleep with a deadline are read for it, because their
 * rows were written for the old one.
 */
#include "base/log.h"
#include "core/clock.h"
#include "core/session.h"
#include "core/step.h"
#include "engine/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What two looks at two clocks may differ by without anybody having done anything. */
#define JITTER_MS 1000

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

static const char *boot_id(struct engine *e)
{
	struct clock *c = e->ports.clock;

	return c->ops->boot_id ? c->ops->boot_id(c) : "";
}

int64_t time_steady(struct engine *e)
{
	return e->time.steady + boot_ms(e) - e->time.boot;
}

/* ---- a session's own clock ---- */

int64_t time_of(struct session *s)
{
	struct engine *e = s->engine;
	int64_t wall = wall_ms(e), own;

	if (!session_exists(s->world))
		return wall;
	own = time_steady(e) + s->world->s->clock_offset_ms;
	return llabs(wall - own) <= JITTER_MS ? wall : own;
}

static bool is_off(struct session *s)
{
	return session_exists(s->world) &&
	       llabs(s->engine->time.offset - s->world->s->clock_offset_ms) > JITTER_MS;
}

bool time_align(struct session *s)
{
	struct outcome *d;

	if (s->state != SESSION_LIVE || !is_off(s))
		return false;
	d = run_begin(s, NULL);
	input_clock(d, s->engine->time.offset);
	run_end(s, d);
	return true;
}

bool time_align_open(struct session *s)
{
	return s->state == SESSION_LIVE && is_off(s) &&
	       (step_deadline(s->world, &s->leases) || world_is_open(s->world)) && time_align(s);
}

/* ---- the anchor ---- */

/* Where the store cannot take it now, the next look will try again. */
void time_keep(struct engine *e)
{
	char text[200];
	struct error why;

	if (e->has_failed || e->is_full)
		return;
	snprintf(text, sizeof text,
	         "%.64s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, boot_id(e),
	         wall_ms(e), boot_ms(e), time_steady(e), e->time.offset, e->time.rows_offset);
	e->time.is_kept = e->ports.store->ops->set_meta(e->ports.store, ANCHOR_KEY, str_from(text),
	                                                &why) == OK;
}

void time_start(struct engine *e)
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
	if (llabs(e->time.offset - offset) <= JITTER_MS)
		e->time.offset = offset;
	else
		e->time.is_kept = false;
	e->time.rows_offset = rows;
	if (llabs(e->time.offset - rows) <= JITTER_MS)
		return;
	e->time.is_moving_rows = true;
	log_line(LOG_WARN, "engine",
	         "the wall clock was set by %lld seconds since deadlines were written",
	         (long long)(e->time.offset - rows) / 1000);
}

/* All rows of timers say the new time from now on. */
static void time_rows_moved(struct engine *e)
{
	e->time.is_moving_rows = false;
	e->time.rows_offset = e->time.offset;
	time_keep(e);
}

/* ---- looking ---- */

static void arm_all(struct engine *e)
{
	struct map_slot *slot;

	for (size_t i = 0; map_next(&e->sessions, &i, &slot);)
		if (((struct session *)slot->value)->state == SESSION_LIVE)
			run_arm_anew(slot->value);
}

static void align_all(struct engine *e)
{
	struct session **all = xcalloc(e->sessions.count + 1, sizeof(struct session *));
	struct map_slot *slot;
	size_t count = 0;

	for (size_t i = 0; map_next(&e->sessions, &i, &slot);)
		all[count++] = slot->value;
	/* Nobody leaves from inside a decision. */
	for (size_t i = 0; i < count; i++)
		time_align_open(all[i]);
	xfree(all);
}

static void was_set(struct engine *e, int64_t by)
{
	e->time.offset += by;
	for (size_t i = 0; i < e->limits.count; i++)
		if (e->limits.items[i].until)
			e->limits.items[i].until += by;
	align_all(e);
	e->time.is_moving_rows = true;
	time_keep(e);
	if (llabs(by) <= LIMIT_CLOCK_JUMP_S * 1000 || !e->is_ready)
		return;
	e->jumped_ms = by;
	node_jumped(e);
}

void time_look(struct engine *e)
{
	int64_t by = wall_ms(e) - time_steady(e) - e->time.offset;
	int64_t ahead = boot_ms(e) - e->ports.clock->ops->mono_ms(e->ports.clock);
	bool has_slept = llabs(ahead - e->time.boot_ahead) > JITTER_MS;

	e->time.boot_ahead = ahead;
	if (e->time.is_moving_rows && engine_due_moved(e))
		time_rows_moved(e);
	if (llabs(by) > JITTER_MS)
		was_set(e, by);
	else if (!e->time.is_kept && e->is_ready)
		time_keep(e);
	if (llabs(by) <= JITTER_MS && !has_slept)
		return;
	arm_all(e);
	engine_due_anew(e);
}
