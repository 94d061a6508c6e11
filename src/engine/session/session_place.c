/* The directory and the owner of a session. */
#include "engine/session/session_place.h"

#include "core/session/placement.h"
#include "engine/engine_state.h"

/* Callers cannot create sessions with these names (caller_ids.c). */
bool session_place_is_own(struct str id)
{
	return str_starts(id, STR("sess_system")) || str_starts(id, STR("sess_node_"));
}

/* A store of one node calls it local, whatever the machine is called. */
struct str session_place_node(struct engine *e, struct arena *mem)
{
	struct store *st = e->ports.store;

	return st->nodes ? arena_printf(mem, "sess_node_%.*s", STR_ARG(st->nodes->self(st)->name))
	                 : STR("sess_node_local");
}

struct str session_place_cwd(const struct session *s)
{
	return str_is(s->state->s->cwd) ? s->state->s->cwd : s->engine->settings.cwd;
}

bool session_place_is_here(const struct session *s)
{
	const struct st_session *st = s->state ? s->state->s : NULL;

	return !st || placement_fits(st->placement, st->cwd, s->engine->settings.place);
}

void session_place_release(struct engine *e, struct str session)
{
	if (e->nodes && !e->is_closing)
		e->ports.store->nodes->release(e->ports.store, session);
}
