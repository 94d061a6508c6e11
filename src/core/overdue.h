#ifndef CORE_OVERDUE_H
#define CORE_OVERDUE_H
/*
 * The watchdog: a wait that nothing ends by itself and that has lasted long
 * becomes a fact, once, with what it is for and who can end it.  Waits with
 * a deadline of their own end by that, which is a fact anyway.
 */
#include "core/decision.h"

bool overdue_report(struct decision *d);
int64_t overdue_deadline(const struct state *w);

#endif
