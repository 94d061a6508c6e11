#ifndef CORE_WATCH_H
#define CORE_WATCH_H
/*
 * The watchdog: a wait that nothing ends by itself and that has lasted long
 * becomes a fact, once, with what it is for and who can end it.  Waits with
 * a deadline of their own end by that, which is a fact anyway.
 */
#include "core/outcome.h"

bool watch_time(struct outcome *d);
int64_t watch_deadline(const struct world *w);

#endif
