#ifndef CORE_FOLD_H
#define CORE_FOLD_H
/* The generated fold table: one event to every topic that listens. */
#include "core/state.h"

void fold_event(struct state *w, const struct event *ev);

#endif
