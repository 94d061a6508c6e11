#ifndef ENGINE_NODES_NODE_HANDOVER_H
#define ENGINE_NODES_NODE_HANDOVER_H
/*
 * A node whose work others are to do: it is about to end, or its clock is wrong.
 *
 * The end:
 *
 *   begin ──► idle sessions are released, nothing begins, new work goes to other nodes
 *                 │
 *                 ├── all effects have ended ──┐
 *                 ├── node.drain_s have passed ├──► over: the runtime stops
 *                 └── no other node lives ─────┘
 *
 * What an effect of this node has not finished by then is lost, once, as after a crash.
 *
 * A wall clock that is far from the store's: as long as another node's is right, that one gets new
 * work, and takes what waits in the store.  What this node has begun it continues, by the clock of
 * the store.
 */
#include "engine/request/request.h"
#include "ports/store_nodes.h"

struct node_handover {
	bool is_alone;      /* no other node can take work */
	bool is_off;        /* the clock of the machine is wrong */
	int64_t until_ms;   /* mono */
	int64_t look_at_ms; /* mono; when the list is read again */
	struct clock_timer tick;
	struct arena *mem;
	struct store_nodes_read list;
	bool is_listing;
	struct store_node *others;
	size_t count, next;
};

/* It lives and does not leave. */
bool node_handover_is_free(const struct store_node *n);
/* Looks at the clock; about once a second. */
void node_handover_look(struct engine *e, const struct store_clock *clock);
/* Whether others are to have new work and what waits in the store. */
bool node_handover_gives(const struct engine *e);
/* False: there is nothing to hand over; the runtime stops as it is. */
bool node_handover_can(const struct engine *e);
/* Only if it can; a second call changes nothing. */
void node_handover_begin(struct engine *e);
/* Nothing is left to wait for. */
bool node_handover_is_over(struct engine *e);
/*
 * The session of the command is not in memory here.  True: another node carries the command out, or
 * it was refused.
 */
bool node_handover_route(struct request *r);
void node_handover_free(struct engine *e);

#endif
