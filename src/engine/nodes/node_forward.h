#ifndef ENGINE_NODES_NODE_FORWARD_H
#define ENGINE_NODES_NODE_FORWARD_H
/*
 * Sends a command to the node that owns its session.
 *
 * At most once: the other node answers it or refuses it, and never sends it on.
 */
#include "engine/request/request.h"

/* The hook of requests: another node owns the session.  The request is answered later, or now. */
void node_forward(struct request *r, struct str session, const struct store_node *node);
/* No node owns the session, or there is none yet: that node takes it. */
void node_forward_new(struct request *r, const struct store_node *to);
/* The session was in memory here, and has left it: that node is to take it. */
void node_forward_given(struct request *r, const struct store_node *to);

#endif
