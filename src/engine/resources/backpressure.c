/*
 * Backpressure: measures what waits for commit, by bytes and by the age of the
 * oldest.  Above a first threshold models and tools are paused, so that their
 * data stays with them; above a second one new commands are refused
 * (request.c).  Commands that end work always pass.
 */
#include "engine/resources/backpressure.h"

#include "engine/engine_state.h"
#include "engine/resources/store_away.h"

/* How often the age is checked while something waits. */
#define LOOK_MS 50

/* Bytes catch a burst, the age catches a disk that hangs with little to write. */
static bool is_high(struct engine *e)
{
	struct store_stats st;

	e->ports.store->ops->stats(e->ports.store, &st);
	return st.waiting_bytes > LIMIT_COMMIT_PAUSE_BYTES ||
	       st.oldest_waiting_ms > LIMIT_COMMIT_PAUSE_MS;
}

static void on_look(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, throttle_timer);

	e->is_watching_throttle = false;
	backpressure_look(e);
}

/*
 * Called when a batch is handed over or done.  The age grows without either, so a timer
 * looks again while batches are pending.
 */
void backpressure_look(struct engine *e)
{
	bool high = e->batches && is_high(e);

	store_away_look(e);
	if (high != e->is_throttled) {
		e->is_throttled = high;
		LISTENERS_CALL(e->listeners->throttle_changed, e);
	}
	if (e->batches && !e->is_watching_throttle) {
		e->is_watching_throttle = true;
		e->throttle_timer.fire = on_look;
		e->ports.clock->ops->start(e->ports.clock, &e->throttle_timer, LOOK_MS);
	}
}

bool backpressure_refuses(struct engine *e)
{
	struct store_stats st;

	e->ports.store->ops->stats(e->ports.store, &st);
	return st.waiting_bytes > LIMIT_COMMIT_REFUSE_BYTES ||
	       st.oldest_waiting_ms > LIMIT_COMMIT_REFUSE_MS;
}

void backpressure_stop(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->throttle_timer);
}
