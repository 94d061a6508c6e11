/* Replies that wait until all nodes follow a change; node_spread.h says why. */
#include "engine/nodes/node_spread.h"

#include "engine/nodes/nodes.h"
#include "engine/engine_state.h"

static bool concerns_all(const struct request *r)
{
	const struct session *s = r->session;

	return r->engine->nodes && !r->response.code && s && s->phase == SESSION_LIVE &&
	       str_eq(s->id, NODE_SYSTEM) && command_classes[r->command.command].mutates;
}

bool node_spread_wait(struct request *r)
{
	struct engine *e = r->engine;
	struct store *st = e->ports.store;

	if (!concerns_all(r))
		return false;
	r->spreads = r->session->durable;
	/* The store does not say again what all have seen. */
	if (r->spreads <= e->nodes->all_seen)
		return false;
	e->nodes->spread_to = MAX(e->nodes->spread_to, r->spreads);
	r->session = NULL; /* it may leave memory meanwhile */
	list_add(&e->nodes->spreading, &r->node);
	st->nodes->await_seen(st, r->spreads);
	return true;
}

/* Without other nodes the number has no end, and one that joins later counts from where it is. */
void node_spread_reached(struct engine *e, uint64_t seq)
{
	e->nodes->all_seen = MAX(e->nodes->all_seen, MIN(seq, e->nodes->spread_to));
	LIST_EACH_SAFE (&e->nodes->spreading, node, next) {
		struct request *r = LIST_ITEM(node, struct request, node);

		if (r->spreads > seq)
			continue;
		list_remove(&r->node);
		request_reply(r);
	}
}
