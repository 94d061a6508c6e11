#ifndef ENGINE_NODES_NODE_EARLY_H
#define ENGINE_NODES_NODE_EARLY_H
/*
 * Commands that would write events to the system session which an older node cannot fold
 * (node_rev.h): the engine answers most of them itself, and writes beside its decisions.
 */
#include "engine/request/request.h"

/* A step of requests.  True: the command is for the runtime, too early, and refused. */
bool node_early_gather(struct request *r);

#endif
