/*
 * An unavailable store.  The store waits and reconnects by itself; this file watches it and says
 * why things wait.
 */
#include "engine/resources/store_away.h"

#include "base/os/clock.h"
#include "base/os/log.h"

#include <stdio.h>

/* How often it is looked at while it is away. */
#define LOOK_MS 250

static struct store_stats stats_of(struct engine *e)
{
	struct store_stats st;

	e->ports.store->ops->stats(e->ports.store, &st);
	return st;
}

int64_t store_away_ms(struct engine *e)
{
	struct store_stats st = stats_of(e);
	int64_t now = e->ports.clock->ops->wall_ms(e->ports.clock);

	return st.is_away ? MAX(now - st.away_since_ms, (int64_t)1) : 0;
}

bool store_away_is_full(struct engine *e)
{
	return str_starts(stats_of(e).away_why, STR("store_full"));
}

struct str store_away_reason(struct engine *e)
{
	struct store_stats st = stats_of(e);
	char since[TIME_TEXT_MAX];

	if (st.is_away) {
		clock_time_write(st.away_since_ms, since);
		snprintf(e->store_text, sizeof e->store_text,
		         "the store is unavailable since %s: %.*s", since, STR_ARG(st.away_why));
	} else if (st.behind) {
		snprintf(e->store_text, sizeof e->store_text,
		         "the database lacks acknowledged events of %llu sessions, which are "
		         "blocked: %.*s",
		         (unsigned long long)st.behind, STR_ARG(st.behind_of));
	} else {
		return STR_NONE;
	}
	return str_from(e->store_text);
}

/* ---- away and back ---- */

static void note_away(struct engine *e, const struct store_stats *st)
{
	e->is_away = true;
	e->away_since_ms = st->away_since_ms;
	log_line(LOG_WARN, "store",
	         "the store is unavailable: %.*s. Nothing is lost; work waits, and the runtime "
	         "tries again by itself",
	         STR_ARG(st->away_why));
}

static void note_back(struct engine *e)
{
	int64_t ms = e->ports.clock->ops->wall_ms(e->ports.clock) - e->away_since_ms;

	e->is_away = false;
	log_line(LOG_INFO, "store", "the store is available again after %lld ms; work continues",
	         (long long)ms);
}

static void on_look(struct clock_timer *t)
{
	store_away_look(OWNER_OF(t, struct engine, away_timer));
}

static void look_later(struct engine *e)
{
	e->away_timer.fire = on_look;
	e->ports.clock->ops->start(e->ports.clock, &e->away_timer, LOOK_MS);
}

void store_away_look(struct engine *e)
{
	struct store_stats st;

	if (e->is_closing || e->has_failed)
		return;
	st = stats_of(e);
	if (st.is_away && !e->is_away)
		note_away(e, &st);
	if (!st.is_away && e->is_away)
		note_back(e);
	if (!e->is_away)
		return;
	if (store_away_ms(e) >= STORE_AWAY_READ_MS)
		LISTENERS_CALL(e->listeners->store_away, e);
	look_later(e);
}

void store_away_stop(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->away_timer);
}
