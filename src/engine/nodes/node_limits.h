#ifndef ENGINE_NODES_NODE_LIMITS_H
#define ENGINE_NODES_NODE_LIMITS_H
/*
 * Limits that providers report to other nodes.  They are rows of the store; this node reads them when
 * others have written something, and not more than twice a second.
 */
#include "ports/clock.h"
#include "ports/store_read.h"

struct engine;

struct node_limits {
	struct clock_timer timer;
	struct store_read read;
	bool is_due, is_reading;
};

/* Other nodes have written. */
void node_limits_look(struct engine *e);
void node_limits_free(struct engine *e);

#endif
