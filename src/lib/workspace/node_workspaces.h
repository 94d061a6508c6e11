#ifndef LIB_NODE_WORKSPACES_H
#define LIB_NODE_WORKSPACES_H
/* What a node has for the placement of sessions, as its settings say. */
#include "base/arena.h"
#include "catalog/gen/config_values.h"

/* Names and paths are checked, whether the store is shared or not. */
enum err node_workspaces_check(const struct config_values *values, struct error *e) MUST_USE;
/* A record node_place as text, for struct store_node. */
struct str node_workspaces_text(struct arena *mem, const struct config_values *values);

#endif
