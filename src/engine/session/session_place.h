#ifndef ENGINE_SESSION_SESSION_PLACE_H
#define ENGINE_SESSION_SESSION_PLACE_H
/*
 * The directory and the owner of a session.
 */
#include "engine/engine_state.h"

/* One of the runtime's own: the system session or a node's. */
bool session_place_is_own(struct str id);
/* This node's, with what happens to the node itself. */
struct str session_place_node(struct engine *e, struct arena *mem);
struct str session_place_cwd(const struct session *s);
/* The session has left memory and is idle: any node may own it. */
void session_place_release(struct engine *e, struct str session);
/* Has this node that directory?  Otherwise nothing of the session that sees files begins here. */
bool session_place_is_here(const struct session *s);

#endif
