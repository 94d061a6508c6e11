#ifndef ENGINE_NODES_NODE_SYSTEM_H
#define ENGINE_NODES_NODE_SYSTEM_H
/*
 * Grants and tokens of the system session, on the nodes that do not own it.
 *
 * The owner folds them as it decides (grants.c, access.c).  Every other node reads the new events
 * when the store says that there are some.
 */
#include "engine/listeners.h"
#include "ports/store_read.h"

#define NODE_SYSTEM STR("sess_system")

struct node_system {
	struct engine *engine;
	uint64_t seen;   /* events up to here are in the grants and tokens of this node */
	uint64_t wanted; /* others wrote up to here */
	bool is_known;   /* the start has read it */
	bool is_reading;
	bool is_doubtful; /* it holds events that never became durable: to be read as a whole */
	struct store_read read;
	uint64_t types[4]; /* of the events that are read */
};

void node_system_init(struct node_system *y, struct engine *e);
/* Something was written since, perhaps by another node; nothing to do for the owner itself. */
void node_system_look(struct node_system *y);
/* Listeners: what this node reads and writes itself is seen, too. */
void node_system_folded(struct session *s, const struct event *ev);
void node_system_load(struct session *s, enum load_phase phase);
void node_system_dropped(struct session *s);
/* The start has taken the grants from this state. */
void node_system_learnt(struct engine *e, const struct session *s);

#endif
