#ifndef ENGINE_EFFECTS_WORKTREES_H
#define ENGINE_EFFECTS_WORKTREES_H
/*
 * Git worktrees of child agents: made when they are spawned, removed when they end clean.
 */
#include "engine/engine_state.h"

void worktrees_feed(struct session *s);
void worktrees_load(struct session *s, enum load_phase phase);
void worktrees_forget(struct session *s);
void worktrees_free(struct engine *e);

#endif
