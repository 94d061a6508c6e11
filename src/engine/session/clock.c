/*
 * The engine's clocks.
 *
 * The wall clock may be set, the monotonic one drives timers and stands still
 * while the machine sleeps, the boot clock counts all elapsed time.  Steady
 * time is the wall clock of the first start, continued by the boot clock: the
 * store keeps a reference point (wall, boot, boot id, steady), so that it
 * continues across restarts.  After a reboot only the wall clock tells how long
 * that took.
 *
 * The offset of the wall clock from steady time changes only when the clock is
 * set.  Sessions store the offset of their deadlines (core/session/clock.h);
 * those in memory are updated at once, others with a deadline are loaded for
 * it, because their rows have the old offset.
 */
#include "engine/session/clock.h"

#include "core/session/session.h"
#include "engine/engine_state.h"

#include <stdlib.h>

/* A port without a boot clock belongs to a machine that never sleeps. */
static int64_t boot_ms(struct engine *e)
{
	struct clock *c = e->ports.clock;

	return c->ops->boot_ms ? c->ops->boot_ms(c) : c->ops->mono_ms(c);
}

int64_t clock_steady(struct engine *e)
{
	return e->time.steady + boot_ms(e) - e->time.boot;
}

/*
 * Within the jitter the wall clock is used, so that timestamps of a normal session are
 * wall time and not a value that drifts from it by milliseconds.
 */
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
