#ifndef CORE_OVERDUE_H
#define CORE_OVERDUE_H
/*
 * The watchdog: a wait without a deadline that lasts long is reported by an
 * event, once, with its purpose and who can end it.  Waits with a deadline end
 * by it, which is an event anyway.
 */
#include "core/decision.h"

bool overdue_report(struct decision *d);
int64_t overdue_deadline(const struct state *w);

#endif
