/*
 * The store's reports about other nodes, and the deadlines that they leave.
 *
 *	moved, position ──► subscribers, grants and tokens
 *	orphaned        ──► the queue of recovery
 *	wanted          ──► the ledger
 *	all_seen        ──► replies that wait for it
 *	ended           ──► items that the node worked on
 *	expelled        ──► the end of the process
 */
#include "engine/nodes/nodes.h"

#include "base/memory.h"
#include "engine/nodes/node_share.h"
#include "engine/nodes/node_spread.h"
#include "engine/session/fanout.h"
#include "engine/engine_state.h"

/* A session that another node released has deadlines that only its row knows. */
#define TICK_MS 1500
/* So long after the last commit of another node its sums may be old here. */
#define STALE_MS 15000

static void on_moved(void *owner, struct str session, uint64_t seq)
{
	struct nodes *n = owner;

	fanout_moved(n->engine, session, seq);
}

static void ledger_is_stale(struct engine *e)
{
	struct ledger *l = e->ports.ledger;

	if (l)
		l->ops->stale(l);
}

static void on_position(void *owner, uint64_t position)
{
	struct nodes *n = owner;

	struct clock *c = n->engine->ports.clock;

	n->moved_ms = c->ops->mono_ms(c);
	fanout_position(n->engine, position);
	ledger_is_stale(n->engine);
	node_limits_look(n->engine);
	node_job_look(n->engine);
	node_place_look(n->engine);
	node_system_look(&n->system);
}

static void on_orphaned(void *owner, const struct str *sessions, size_t count)
{
	struct nodes *n = owner;
	struct engine *e = n->engine;

	if (!e->is_stopping && !e->has_failed && !e->options.config->store_read_only &&
	    !node_handover_gives(e))
		recovery_orphans(e, sessions, count);
}

static void on_wanted(void *owner, struct str account, int64_t amount, bool is_first)
{
	struct nodes *n = owner;
	struct ledger *l = n->engine->ports.ledger;

	if (l)
		l->ops->wanted(l, account, amount, is_first);
}

static void on_all_seen(void *owner, uint64_t seq)
{
	struct nodes *n = owner;

	node_spread_reached(n->engine, seq);
}

static void on_ended(void *owner)
{
	struct nodes *n = owner;

	job_worker_look(n->engine);
}

/* As after a failed write: nothing is acknowledged any more.  The next start is another node. */
static void on_expelled(void *owner, const char *why)
{
	struct nodes *n = owner;
	struct error e;

	fail(&e, ERR_IO,
	     "node_expelled: Another node found this one dead: %s. Its sessions continue there. "
	     "Start this node again; if that repeats, the machine or its way to the database is "
	     "too slow for node.lease_ms",
	     why);
	e.detail = STORE_TAKEN;
	commit_store_failed(n->engine, &e);
}

static struct store_clock follow_clock(struct engine *e)
{
	struct clock *c = e->ports.clock;
	struct store_clock clock;

	e->ports.store->nodes->clock(e->ports.store, &clock);
	if (c->ops->follow)
		c->ops->follow(c, clock.ahead_ms);
	return clock;
}

void nodes_follow_clock(struct engine *e)
{
	if (e->ports.store->nodes)
		(void)follow_clock(e);
}

static void on_tick(struct clock_timer *t)
{
	struct nodes *n = OWNER_OF(t, struct nodes, tick);
	struct engine *e = n->engine;
	struct store_clock clock;

	if (e->is_stopping || e->has_failed)
		return;
	clock = follow_clock(e);
	node_handover_look(e, &clock);
	/* The ledger does not look at each report; without this it could miss the last one. */
	if (n->moved_ms && e->ports.clock->ops->mono_ms(e->ports.clock) - n->moved_ms < STALE_MS)
		ledger_is_stale(e);
	if (!e->options.config->store_read_only && !node_handover_gives(e))
		deadlines_look(e);
	job_worker_tick(e);
	e->ports.clock->ops->start(e->ports.clock, t, TICK_MS);
}

void nodes_init(struct engine *e)
{
	struct store *st = e->ports.store;
	struct nodes *n;

	if (!st->nodes)
		return;
	n = e->nodes = memory_zeroed(1, sizeof *n);
	n->engine = e;
	n->tick.fire = on_tick;
	node_system_init(&n->system, e);
	node_rev_init(&n->rev);
	node_job_init(e);
	list_init(&n->shares);
	list_init(&n->spreading);
	st->nodes->watch(st, &(struct store_watch){ .owner = n,
	                                            .moved = on_moved,
	                                            .position = on_position,
	                                            .orphaned = on_orphaned,
	                                            .wanted = on_wanted,
	                                            .all_seen = on_all_seen,
	                                            .ended = on_ended,
	                                            .expelled = on_expelled });
}

void nodes_start(struct engine *e)
{
	if (e->nodes)
		e->ports.clock->ops->start(e->ports.clock, &e->nodes->tick, TICK_MS);
}

bool nodes_owns(struct control *c, struct str session)
{
	struct engine *e = OWNER_OF(c, struct engine, control);
	const struct session *s = e->nodes ? session_find(e, session) : NULL;

	return !e->nodes || (s && s->phase == SESSION_LIVE);
}

void nodes_free(struct engine *e)
{
	if (!e->nodes)
		return;
	e->ports.clock->ops->stop(e->ports.clock, &e->nodes->tick);
	node_share_free(e);
	node_handover_free(e);
	node_job_free(e);
	node_limits_free(e);
	node_place_free(e);
	job_worker_free(e);
	memory_free(e->nodes);
	e->nodes = NULL;
}
