/*
 * Evicts idle sessions from memory, the one that was idle longest first;
 * earlier when all of them together exceed the limit.
 */
#include "engine/session/eviction.h"

#include "base/memory.h"
#include "core/session/placement.h"
#include "core/step.h"
#include "core/state.h"
#include "engine/maintenance/clock_jump.h"
#include "engine/nodes/nodes.h"
#include "engine/resources/task_slots.h"
#include "engine/retention/retention.h"
#include "engine/session/conversation_cache.h"
#include "engine/settings/project_tools.h"
#include "engine/session/session_place.h"
#include "engine/engine_state.h"

/* A session with more events than this after its last snapshot gets one before it leaves. */
#define SNAPSHOT_BEHIND LIMIT_SNAPSHOT_EVENTS
/* How long a session that nothing asks for stays after its work has ended; see has_passed(). */
#define PASSED_REST_MS 50
/* How long the conversation of an idle session stays cached. */
#define CONVERSATIONS_REST_MS 5000
/* The interval of checks while the limit is exceeded. */
#define CROWDED_MS 5
/* The same, when all sessions were active. */
#define CROWDED_BUSY_MS 50
/* How many times the limit sessions take that were used within SESSION_CROWDED_REST_MS. */
#define BUSY_FACTOR 4
/* After so many evictions memory is returned to the system. */
#define TRIM_AFTER 64

static bool is_crowded(const struct engine *e)
{
	return e->session_bytes > (size_t)e->options.config->session_memory_bytes;
}

/* Nothing in memory refers to the session or would be lost with it. */
static bool is_idle(const struct session *s)
{
	if (!session_is_unused(s))
		return false;
	for (uint32_t i = 0; i < s->state->s->channels.count; i++)
		if (s->state->s->channels.items[i]->status == STATUS_RUNNING)
			return false;
	return true;
}

/*
 * A session whose work has ended and that nothing asks for: a webhook began it.  Loading it again
 * is cheap, and thousands of them would fill the memory that the sessions of clients have.
 */
static bool has_passed(const struct session *s)
{
	return s->is_passing && !s->is_new && s->phase == SESSION_LIVE && !state_is_open(s->state);
}

/* Its turns wait for the node with the directory, which claims it when it is released. */
static bool waits_elsewhere(const struct session *s)
{
	return s->engine->settings.place && s->phase == SESSION_LIVE && s->state->s->placement &&
	       placement_is_awaited(s->state);
}

/*
 * Removes its state from memory; until its next use only the rows on disk exist.  False:
 * something has to be written first, and a later sweep evicts it.  to_other: another node is to continue it.
 */
static bool evict_session(struct session *s, bool to_other)
{
	/* Its row holds the next deadline, in wall time. */
	if (retention_by_rule(s) || clock_align_open(s))
		return false;
	if (s->applied > s->snapshot_seq + SNAPSHOT_BEHIND) {
		s->wants_snapshot = true;
		commit_slice(s);
		return false;
	}
	deadlines_watch(s->engine, step_deadline(s->state, &s->leases));
	session_leave(s);
	maintenance_rest(s->engine, s->id, s->durable);
	if (to_other)
		task_slots_hand_over(s->engine, s->id);
	/* Another node that took it would count its tasks a second time. */
	if (!task_slots_keeps(s->engine, s->id))
		session_place_release(s->engine, s->id);
	session_free(s);
	return true;
}

/*
 * While memory exceeds the limit, the session that was idle longest first drops its waste and then
 * leaves.  A session stays for some seconds after its last use, so that the next turn of a busy
 * session finds it.  When thousands take turns, loading each of them for every turn would cost as
 * much as the turn; what they take beyond the limit is returned when they rest.
 */
static bool leaves_for_room(struct engine *e, struct session *s, int64_t rested)
{
	if (!is_crowded(e))
		return false;
	if (rested < SESSION_CROWDED_REST_MS &&
	    e->session_bytes / BUSY_FACTOR < (size_t)e->options.config->session_memory_bytes)
		return false;
	if (s->is_slim)
		return true;
	state_compact(s->state);
	session_weigh(s);
	s->is_slim = true;
	return is_crowded(e);
}

/*
 * Evicts sessions that were idle for long.  They are ordered by last use, so that only active
 * sessions are checked in vain.
 */
static size_t sweep_sessions(struct engine *e)
{
	int64_t now = e->ports.clock->ops->mono_ms(e->ports.clock);
	size_t evicted = 0;

	LIST_EACH_SAFE (&e->by_use, node, tmp) {
		struct session *s = LIST_ITEM(node, struct session, by_use);
		int64_t rested = now - s->used_at;
		bool leaves = rested >= e->options.config->session_idle_evict_s * 1000 ||
		              s->holds_erased ||
		              (rested >= PASSED_REST_MS && (has_passed(s) || waits_elsewhere(s))) ||
		              e->is_leaving;

		if (!leaves && !is_crowded(e) && rested < PASSED_REST_MS)
			break;
		if (s->phase != SESSION_LIVE || !is_idle(s))
			continue;
		leaves = leaves || leaves_for_room(e, s, rested);
		if (leaves || rested >= CONVERSATIONS_REST_MS)
			conversation_cache_forget(s);
		if (leaves)
			evicted += evict_session(s, waits_elsewhere(s));
	}
	project_tools_sweep(e);
	e->evicted += evicted;
	if (e->evicted >= TRIM_AFTER && !is_crowded(e)) {
		e->evicted = 0;
		memory_trim();
	}
	return evicted;
}

bool eviction_give(struct session *s)
{
	return s->phase == SESSION_LIVE && is_idle(s) && evict_session(s, true);
}

void eviction_now(struct engine *e)
{
	(void)sweep_sessions(e);
}

/* The sweep runs at least once a second, so the wall clock is checked here. */
static void on_sweep(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, sweep);
	struct clock *c = e->ports.clock;
	size_t evicted;

	clock_jump_look(e);
	evicted = sweep_sessions(e);
	e->is_sweeping_soon = is_crowded(e);
	c->ops->start(c, &e->sweep,
	              !e->is_sweeping_soon ? 1000
	              : evicted            ? CROWDED_MS
	                                   : CROWDED_BUSY_MS);
}

/*
 * A commit may have made sessions idle.  While memory is short, and for a session that nothing asks
 * for, the sweep does not wait a second.
 */
void eviction_durable(struct session *s)
{
	struct engine *e = s->engine;
	struct clock *c = e->ports.clock;

	if (e->is_sweeping_soon || (!is_crowded(e) && !has_passed(s) && !waits_elsewhere(s)))
		return;
	e->is_sweeping_soon = true;
	c->ops->start(c, &e->sweep, is_crowded(e) ? 0 : PASSED_REST_MS);
}

void eviction_start(struct engine *e)
{
	struct clock *c = e->ports.clock;

	e->sweep.fire = on_sweep;
	c->ops->start(c, &e->sweep, 1000);
}

void eviction_stop(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->sweep);
}
