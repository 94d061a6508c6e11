/* Reads what providers have reported to other nodes. */
#include "engine/nodes/node_limits.h"

#include "engine/nodes/nodes.h"
#include "engine/resources/ledger.h"
#include "engine/engine_state.h"

#define LOOK_MS 500

static void on_read(struct store_read *r)
{
	struct engine *e = r->owner;

	e->nodes->limits.is_reading = false;
	ledger_take_limits(e, r);
	port_store_read_done(r);
}

static void on_due(struct clock_timer *t)
{
	struct node_limits *l = OWNER_OF(t, struct node_limits, timer);
	struct engine *e = OWNER_OF(l, struct nodes, limits)->engine;

	l->is_due = false;
	if (e->is_closing || e->has_failed)
		return;
	l->is_reading = true;
	ledger_read_limits(e, &l->read, on_read);
}

void node_limits_look(struct engine *e)
{
	struct node_limits *l = &e->nodes->limits;

	if (!e->is_ready || e->is_closing || l->is_due || l->is_reading)
		return;
	l->is_due = true;
	l->timer.fire = on_due;
	e->ports.clock->ops->start(e->ports.clock, &l->timer, LOOK_MS);
}

void node_limits_free(struct engine *e)
{
	e->ports.clock->ops->stop(e->ports.clock, &e->nodes->limits.timer);
}
