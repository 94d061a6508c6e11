#ifndef ENGINE_NODES_NODE_LEAVE_H
#define ENGINE_NODES_NODE_LEAVE_H
/*
 * The end of a node whose work others continue.
 *
 *   begin ──► idle sessions are released, nothing begins, new work goes to other nodes
 *                 │
 *                 ├── all effects have ended ──┐
 *                 ├── node.drain_s have passed ├──► over: the runtime stops
 *                 └── no other node lives ─────┘
 *
 * What an effect of this node has not finished by then is lost, once, as after a crash.
 */
#include "engine/request/request.h"
#include "ports/store_nodes.h"

struct node_leave {
	bool is_alone;    /* no other node can take work */
	int64_t until_ms; /* mono */
	struct clock_timer tick;
	struct arena *mem;
	struct store_nodes_read list;
	bool is_listing;
	struct store_node *others;
	size_t count, next;
};

/* False: there is nothing to hand over; the runtime stops as it is. */
bool node_leave_can(const struct engine *e);
/* Only if it can; a second call changes nothing. */
void node_leave_begin(struct engine *e);
/* Nothing is left to wait for. */
bool node_leave_is_over(struct engine *e);
/*
 * The session of the command is not in memory here.  True: another node carries the command out, or
 * it was refused.
 */
bool node_leave_route(struct request *r);
void node_leave_free(struct engine *e);

#endif
