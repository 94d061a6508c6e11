/*
 * Sessions that nobody uses leave memory, the one that has rested longest
 * first; sooner when all of them together hold more than they should.
 */
#include "engine/session/eviction.h"

#include "base/memory.h"
#include "core/step.h"
#include "core/state.h"
#include "engine/maintenance/clock_jump.h"
#include "engine/maintenance/retention.h"
#include "engine/session/conversation_cache.h"
#include "engine/settings/project_tools.h"
#include "engine/engine_state.h"

/* A session with more events than this behind its last snapshot gets one before it leaves. */
#define SNAPSHOT_BEHIND LIMIT_SNAPSHOT_EVENTS
/* After so long a conversation that rests is not held any more. */
#define CONVERSATIONS_REST_MS 5000
/* How soon it is looked again while they hold more than they should. */
#define CROWDED_MS 5
/* The same, when all of them were at work. */
#define CROWDED_BUSY_MS 50
/* After so many the system gets its memory back. */
#define TRIM_AFTER 64

static bool is_crowded(const struct engine *e)
{
	return e->session_bytes > (size_t)e->options.config->session_memory_bytes;
}

static bool is_idle(const struct session *s)
{
	/* Leases live in memory only: a session whose workers beat stays. */
	if (!session_is_settled(s) || !list_is_empty(&s->waiting) || s->is_held || s->is_in_line ||
	    s->readers || !list_is_empty(&s->watching) || s->leases.count || s->source)
		return false;
	for (uint32_t i = 0; i < s->state->s->channels.count; i++)
		if (s->state->s->channels.items[i]->status == STATUS_RUNNING)
			return false;
	return true;
}

/* Its world leaves memory; the rows on disk are all there is until the next touch. */
static bool evict(struct session *s)
{
	/* Its row says when something is due, for whoever looks at the wall clock. */
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
	session_free(s);
	return true;
}

/*
 * While there is not enough room, whoever has rested longest gives up first
 * what its world does not need and then all of it.  Not right after its last
 * use: the next turn of a busy session should find it, so that a little more
 * room is taken for a moment than to read each of them again for every turn.
 */
static bool leaves_for_room(struct engine *e, struct session *s, int64_t rested)
{
	if (!is_crowded(e))
		return false;
	if (rested < SESSION_CROWDED_REST_MS &&
	    e->session_bytes < 2 * (size_t)e->options.config->session_memory_bytes)
		return false;
	if (s->is_slim)
		return true;
	state_compact(s->state);
	session_weigh(s);
	s->is_slim = true;
	return is_crowded(e);
}

/*
 * Whoever has rested for long leaves.  They stand in the order of their last
 * use, so that what is looked at in vain are sessions at work only.
 */
static size_t sweep(struct engine *e)
{
	int64_t now = e->ports.clock->ops->mono_ms(e->ports.clock);
	size_t evicted = 0;

	LIST_EACH_SAFE (&e->by_use, node, tmp) {
		struct session *s = LIST_ITEM(node, struct session, by_use);
		int64_t rested = now - s->used_at;
		bool leaves =
			rested >= e->options.config->session_idle_evict_s * 1000 || s->holds_erased;

		if (!leaves && !is_crowded(e) && rested < CONVERSATIONS_REST_MS)
			break;
		if (s->phase != SESSION_LIVE || !is_idle(s))
			continue;
		leaves = leaves || leaves_for_room(e, s, rested);
		if (leaves || rested >= CONVERSATIONS_REST_MS)
			conversation_cache_forget(s);
		if (leaves)
			evicted += evict(s);
	}
	project_tools_sweep(e);
	e->evicted += evicted;
	if (e->evicted >= TRIM_AFTER && !is_crowded(e)) {
		e->evicted = 0;
		memory_trim();
	}
	return evicted;
}

static void on_sweep(struct clock_timer *t)
{
	struct engine *e = OWNER_OF(t, struct engine, sweep);
	struct clock *c = e->ports.clock;
	size_t evicted;

	clock_jump_look(e);
	evicted = sweep(e);
	e->is_sweeping_soon = is_crowded(e);
	c->ops->start(c, &e->sweep,
	              !e->is_sweeping_soon ? 1000
	              : evicted            ? CROWDED_MS
	                                   : CROWDED_BUSY_MS);
}

void eviction_durable(struct session *s)
{
	struct engine *e = s->engine;
	struct clock *c = e->ports.clock;

	if (is_crowded(e) && !e->is_sweeping_soon) {
		e->is_sweeping_soon = true;
		c->ops->start(c, &e->sweep, 0);
	}
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
