/* Where a session works, and whose it is. */
#include "engine/session/session_place.h"

#include "engine/state.h"

bool session_place_is_own(struct str id)
{
	return str_starts(id, STR("sess_system")) || str_starts(id, STR("sess_node_"));
}

struct str session_place_cwd(const struct session *s)
{
	return str_is(s->world->s->cwd) ? s->world->s->cwd : s->engine->setup.cwd;
}
