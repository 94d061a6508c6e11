/* Records in a session that the wall clock was set, so that its deadlines move with it. */
#include "core/session/clock.h"
#include "core/gen/inputs.h"
#include "core/session/session.h"
#include "core/step.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

#include <stdlib.h>

static bool is_off(struct session *s)
{
	return session_exists(s->state) &&
	       llabs(s->engine->time.offset - s->state->s->clock_offset_ms) > CLOCK_JITTER_MS;
}

bool clock_align(struct session *s)
{
	struct decision *d;

	if (s->phase != SESSION_LIVE || !is_off(s))
		return false;
	d = apply_begin(s, NULL);
	input_clock_was_set(d, s->engine->time.offset);
	apply_end(s, d);
	return true;
}

/*
 * A session without deadlines and open work records the change with its next command
 * (clock_align()), so that setting the clock does not write to every session.
 */
bool clock_align_open(struct session *s)
{
	return s->phase == SESSION_LIVE && is_off(s) &&
	       (step_deadline(s->state, &s->leases) || state_is_open(s->state)) && clock_align(s);
}
