#ifndef CORE_SUBAGENT_WORKTREE_H
#define CORE_SUBAGENT_WORKTREE_H
/*
 * Worktrees of child agents: directories of their own, checked out from the
 * repository that the session works in.
 *
 *   subagent.spawned ──► making ──► ready      the child's turns begin
 *                          └──────► failed     they begin, and fail at once
 *
 * subagent.spawned names the directory; the engine makes it once that event
 * is durable and reports back with subagent_worktree_made().  A restart in
 * between makes it again.
 *
 *   ready ──► removed      the child was closed and left no change and no commit
 *     └─────► kept         it left something, which belongs to the user
 *   ready, kept ──► discarding ──► removed      by close_subagent
 * */
#include "core/decision.h"

/* The first child whose worktree is still to be made, or NULL. */
const struct st_subagent *subagent_worktree_next(const struct state *w);
/* The turns of this thread have to wait for the directory that they work in. */
bool subagent_worktree_is_awaited(const struct state *w, const struct st_thread *th);
/* Why this thread has no directory to work in; absent: it has one, or needs none. */
struct str subagent_worktree_trouble(const struct state *w, const struct st_thread *th);

/* The directory in which the worktree of this child is rooted: where its parent works. */
struct str subagent_worktree_origin(const struct state *w, const struct settings *settings,
                                    const struct st_subagent *s);
/* The git directory that all worktrees of the session share. */
struct str subagent_worktree_git(struct arena *mem, const struct state *w,
                                 const struct settings *settings);

/* What a call may read besides: the shared git directory, and worktrees of children. */
bool subagent_worktree_widen(struct arena *mem, const struct state *w,
                             const struct settings *settings, const struct st_call *c,
                             struct rec_sandbox_override *into);

/* The first child whose worktree is to be looked at or removed, or NULL. */
const struct st_subagent *subagent_worktree_spent(const struct state *w);
/* Input of the engine: it was removed, or is kept because of that. */
void subagent_worktree_ended(struct decision *d, struct str subagent_id, bool is_removed,
                             struct str why);
/* Part of a decision: it goes, whatever it holds. */
void subagent_worktree_discard(struct decision *d, const struct st_subagent *s);

/* Input of the engine; why is absent if the worktree is there. */
void subagent_worktree_made(struct decision *d, struct str subagent_id, struct str why);

#endif
