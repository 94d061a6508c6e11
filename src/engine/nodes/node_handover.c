/* Gives the work of this node to others; node_handover.h says when. */
#include "engine/nodes/node_handover.h"

#include "base/gen/limits.h"
#include "base/os/log.h"
#include "engine/nodes/node_forward.h"
#include "engine/nodes/nodes.h"
#include "engine/engine_state.h"
#include "ports/node_link.h"

#include <stdlib.h>

#define TICK_MS 50
#define LOOK_MS 500
#define TRIES_MAX 3

static struct node_handover *handover_of(const struct engine *e)
{
	return &e->nodes->handover;
}

/* ---- who takes the work ---- */

bool node_handover_is_free(const struct store_node *n)
{
	return n->state == STORE_NODE_LIVES && !n->is_leaving;
}

static bool is_off(int64_t clock_off_ms)
{
	return llabs(clock_off_ms) > LIMIT_NODE_CLOCK_OFF_MS;
}

/* At the end any node will do; a wrong clock is no reason to give work to another wrong one. */
static void keep_others(struct engine *e, const struct store_nodes_read *r)
{
	struct node_handover *l = handover_of(e);

	if (!l->mem)
		l->mem = arena_new_small();
	arena_reset(l->mem);
	l->others = ARENA_ARRAY(l->mem, struct store_node, r->count + 1);
	l->count = 0;
	for (size_t i = 0; i < r->count; i++) {
		const struct store_node *n = &r->nodes[i];

		if (n->is_self || !node_handover_is_free(n) ||
		    (!e->is_leaving && is_off(n->clock_off_ms)))
			continue;
		l->others[l->count++] =
			(struct store_node){ .incarnation = n->incarnation,
			                     .name = arena_keep(l->mem, n->name),
			                     .address = arena_keep(l->mem, n->address) };
	}
	l->is_alone = !l->count;
}

static void listed(struct store_nodes_read *r)
{
	struct node_handover *l = r->owner;

	l->is_listing = false;
	if (r->result == OK)
		keep_others(OWNER_OF(l, struct nodes, handover)->engine, r);
	port_store_nodes_read_done(r);
}

static void look_for_others(struct engine *e)
{
	struct node_handover *l = handover_of(e);
	struct store *st = e->ports.store;
	int64_t now = e->ports.clock->ops->mono_ms(e->ports.clock);

	if (l->is_listing || e->has_failed || e->is_closing || now < l->look_at_ms)
		return;
	l->is_listing = true;
	l->look_at_ms = now + LOOK_MS;
	l->list = (struct store_nodes_read){ .done = listed, .owner = l };
	st->nodes->list(st, &l->list);
}

/* In turn, so that no node gets everything. */
static const struct store_node *take_other(struct node_handover *l)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct store_node *n = &l->others[l->next++ % l->count];

		if (str_is(n->address) && n->address.len)
			return n;
	}
	return NULL;
}

static bool refuse(struct request *r)
{
	request_fail(r, ERROR_CODE_SHUTTING_DOWN,
	             "this node is about to end, and no other one can take the command now");
	request_reply(r);
	return true;
}

bool node_handover_gives(const struct engine *e)
{
	const struct node_handover *l = handover_of(e);

	return e->is_leaving || (l->is_off && l->count);
}

/* A node that is about to end cannot take it; one with a wrong clock can. */
bool node_handover_route(struct request *r)
{
	struct engine *e = r->engine;
	const struct store_node *to;

	if (!e->nodes || !node_handover_gives(e) || r->job.run || !str_is(r->params))
		return false;
	/* The last: this node has promised the item to its job. */
	bool is_here = r->forwarded || !e->ports.link || r->looks++ >= TRIES_MAX ||
	               r->command.command == COMMAND_WORK_JOB_ITEM;

	to = is_here ? NULL : take_other(handover_of(e));
	if (!to)
		return e->is_leaving && refuse(r);
	node_forward_new(r, to);
	return true;
}

/* ---- the clock ---- */

void node_handover_look(struct engine *e, const struct store_clock *clock)
{
	struct node_handover *l = handover_of(e);
	bool was_off = l->is_off;

	l->is_off = is_off(clock->off_ms);
	if (l->is_off && !was_off)
		log_line(LOG_WARN, "engine",
		         "the clock of this machine is %lld s off the clock of the database, which "
		         "counts; set it (NTP).  Other nodes get new work until then",
		         (long long)clock->off_ms / 1000);
	else if (!l->is_off && was_off)
		log_line(LOG_INFO, "engine", "the clock of this machine is right again");
	if (l->is_off)
		look_for_others(e);
}

/* ---- while it lasts ---- */

static void on_tick(struct clock_timer *t)
{
	struct node_handover *l = OWNER_OF(t, struct node_handover, tick);
	struct engine *e = OWNER_OF(l, struct nodes, handover)->engine;

	if (e->is_stopping || e->has_failed)
		return;
	LISTENERS_CALL(e->listeners->leaving, e);
	look_for_others(e);
	e->ports.clock->ops->start(e->ports.clock, t, TICK_MS);
}

bool node_handover_can(const struct engine *e)
{
	return e->nodes && e->is_ready && !e->has_failed && !e->is_stopping &&
	       !e->options.config->store_read_only;
}

void node_handover_begin(struct engine *e)
{
	struct clock *c = e->ports.clock;
	struct node_handover *l = handover_of(e);

	if (e->is_leaving)
		return;
	log_line(LOG_INFO, "engine", "this node is about to end; others continue its work");
	e->is_leaving = true;
	l->until_ms = c->ops->mono_ms(c) + e->options.config->node_drain_s * 1000;
	l->tick.fire = on_tick;
	l->look_at_ms = 0;
	e->ports.store->nodes->leave(e->ports.store);
	on_tick(&l->tick);
}

static bool is_at_rest(const struct engine *e)
{
	return !e->filling && !e->batches && !e->live_effects && !e->pending_calls;
}

bool node_handover_is_over(struct engine *e)
{
	struct node_handover *l;
	struct clock *c = e->ports.clock;

	if (!e->is_leaving)
		return false;
	l = handover_of(e);
	return (!l->is_listing && l->is_alone) || is_at_rest(e) || e->has_failed ||
	       c->ops->mono_ms(c) >= l->until_ms;
}

void node_handover_free(struct engine *e)
{
	struct node_handover *l = handover_of(e);

	e->ports.clock->ops->stop(e->ports.clock, &l->tick);
	arena_free(l->mem);
}
