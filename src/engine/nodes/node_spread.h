#ifndef ENGINE_NODES_NODE_SPREAD_H
#define ENGINE_NODES_NODE_SPREAD_H
/*
 * A change for all sessions (policy, grants, tokens) is answered when every living node follows it.
 *
 * So nothing that the caller does after the reply meets a node with the old rules.  A node that
 * stands still is waited for until its lease has run out.
 */
#include "engine/request/request.h"

/* The hook of requests: what it changed is durable.  True: the reply waits for other nodes. */
bool node_spread_wait(struct request *r);
/* All other living nodes have seen the system session up to there. */
void node_spread_reached(struct engine *e, uint64_t seq);

#endif
