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
 * deadlines were written for (core/session/clock.h); those in memory are told at
 * once, and those that sleep with a deadline are read for it, because their
 * rows were written for the old one.
 */
#include "engine/session/clock.h"

#include "core/session/session.h"
#include "engine/engine_state.h"

#include <stdlib.h>

static int64_t boot_ms(struct engine *e)
{
	struct clock *c = e->ports.clock;

	return c->ops->boot_ms ? c->ops->boot_ms(c) : c->ops->mono_ms(c);
}

int64_t clock_steady(struct engine *e)
{
	return e->time.steady + boot_ms(e) - e->time.boot;
}

int64_t clock_of(struct session *s)
{
	struct engine *e = s->engine;
	int64_t wall = e->ports.clock->ops->wall_ms(e->ports.clock), own;

	if (!session_exists(s->state))
		return wall;
	own = clock_steady(e) + s->state->s->clock_offset_ms;
	return llabs(wall - own) <= CLOCK_JITTER_MS ? wall : own;
}

struct id_source clock_ids(struct engine *e)
{
	struct clock *c = e->ports.clock;
	struct id_source ids;
	uint8_t entropy[16];

	c->ops->entropy(c, entropy);
	id_source_init(&ids, c->ops->wall_ms(c), entropy);
	return ids;
}
