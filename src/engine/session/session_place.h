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

#endif
