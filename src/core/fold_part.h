#ifndef CORE_FOLD_PART_H
#define CORE_FOLD_PART_H
/*
 * Shared by the files that change the folded state: folds, and the few that
 * make, load and shift it.  Included first, this header makes the state
 * mutable; everywhere else its pointers are const, and a decision or a view
 * that writes to it does not compile.
 */
#ifdef STATE_CONST
#error "core/fold_part.h has to be the first include"
#endif
#define FOLDS_STATE
#include "core/state.h"

#define KEEP(w, s) arena_keep((w)->mem, (s))

/* The turn that an event is about, or NULL: a log cut by retention may lack its beginning. */
struct st_turn *turn_fold_turn(struct state *w, const struct event *ev);
/* Marks the turn as failing; its next step emits the failure. */
void turn_fold_failing(struct state *w, struct st_turn *t, enum error_category category,
                       struct str message, struct str remedy, bool retryable);
/* The thread continues from the history of another thread. */
void history_fold_fork(struct state *w, struct st_thread *th, const struct rec_fork_point *from);
/* Steps open, change and end with the events that carry an item. */
void turn_fold_item(struct state *w, struct st_turn *t, const struct event *ev);

#endif
