#ifndef CORE_FOLD_H
#define CORE_FOLD_H
/* The generated fold table: passes one event to every topic that folds it. */
#include "core/state.h"

void fold_event(struct state *w, const struct event *ev);

#endif
