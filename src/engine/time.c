/*
 * The clock on the wall may be set, and stands still while the machine
 * sleeps.  Deadlines that are facts are wall time, timers are not: after a
 * jump they are armed anew, and a large one is said.
 */
#include "engine/internal.h"

#include <stdlib.h>

/* What two looks at two clocks may differ by without anybody having done anything. */
#define JITTER_MS 1000

void time_look(struct engine *e)
{
	struct clock *c = e->ports.clock;
	int64_t ahead = c->ops->wall_ms(c) - c->ops->mono_ms(c);
	int64_t by = ahead - e->wall_ahead_ms;
	struct map_slot *slot;

	e->wall_ahead_ms = ahead;
	if (llabs(by) <= JITTER_MS)
		return;
	for (size_t i = 0; map_next(&e->sessions, &i, &slot);)
		if (((struct session *)slot->value)->state == SESSION_LIVE)
			run_arm_anew(slot->value);
	engine_due_anew(e);
	if (llabs(by) <= LIMIT_CLOCK_JUMP_S * 1000 || !e->is_ready)
		return;
	e->jumped_ms = by;
	node_jumped(e);
}

void time_start(struct engine *e)
{
	struct clock *c = e->ports.clock;

	e->wall_ahead_ms = c->ops->wall_ms(c) - c->ops->mono_ms(c);
}
