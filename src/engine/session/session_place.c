/* Where a session works, and whose it is. */
#include "engine/session/session_place.h"

#include "engine/engine_state.h"

bool session_place_is_own(struct str id)
{
	return str_starts(id, STR("sess_system")) || str_starts(id, STR("sess_node_"));
}

struct str session_place_cwd(const struct session *s)
{
	return str_is(s->state->s->cwd) ? s->state->s->cwd : s->engine->settings.cwd;
}
