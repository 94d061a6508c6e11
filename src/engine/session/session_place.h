#ifndef ENGINE_SESSION_SESSION_PLACE_H
#define ENGINE_SESSION_SESSION_PLACE_H
/*
 * Where a session works, and whose it is.
 */
#include "engine/engine_state.h"

/* One of the runtime's own: the system's, a node's. */
bool session_place_is_own(struct str id);
struct str session_place_cwd(const struct session *s);

#endif
