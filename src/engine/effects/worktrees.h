#ifndef ENGINE_EFFECTS_WORKTREES_H
#define ENGINE_EFFECTS_WORKTREES_H
/*
 * Git worktrees of child agents: created when they are spawned, removed when
 * they end without changes.
 */
#include "engine/engine_state.h"

void worktrees_feed(struct session *s);
void worktrees_load(struct session *s, enum load_phase phase);
void worktrees_forget(struct session *s);
void worktrees_free(struct engine *e);

#endif
