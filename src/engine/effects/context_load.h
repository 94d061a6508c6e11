#ifndef ENGINE_EFFECTS_CONTEXT_LOAD_H
#define ENGINE_EFFECTS_CONTEXT_LOAD_H
/*
 * What a turn sees of its directory is read before the turn begins: instructions, files, tools.
 */
#include "engine/engine_state.h"

/* What a turn to be submitted will see is read first. */
bool context_load_gather(struct request *r);
/* After a decision: a turn may wait to be prepared. */
void context_load_settled(struct session *s);
bool context_load_is_for(const struct engine *e, struct str cwd);
void context_load_tools_changed(
	struct engine *e); /* those that it waited for are there, or will not be */
void context_load_free(struct engine *e);

#endif
