#ifndef ENGINE_NODES_NODE_SHARE_H
#define ENGINE_NODES_NODE_SHARE_H
/*
 * A grant beyond its session, given where another node owns the system session.
 *
 * It is sent to that node, which records it; all nodes fold it from there.  When that fails for
 * long, the grant was not given beyond its session, and the person is asked again.
 */
#include "ports/control_call.h"

struct engine;
struct ev_policy_changed;

/* The change is copied. */
void node_share(struct engine *e, const struct ev_policy_changed *change);
/* The other side.  False: it is a command as any other. */
bool node_share_take(struct engine *e, struct control_call *call);
void node_share_free(struct engine *e);

#endif
